"""Refusals as problem documents: a status for each, masks, and who sends too often."""

import msgspec
import pytest

from hundi.api import problems, strays
from hundi.kernel.refusals import Refusal, RefusalCode

CARD = "4111111111111111"


@pytest.mark.parametrize("code", RefusalCode)
def test_every_refusal_has_a_status_and_a_document(code: RefusalCode) -> None:
    refusal = Refusal(code, "name", f"my {CARD}", "a name", detail="only for the log")
    reply = problems.reply_of(refusal, "req_1")
    told = msgspec.json.decode(reply.body)
    assert 400 <= reply.status == told["status"] < 600
    assert (told["reason"], told["field"], told["request_id"]) == (code.log_name, "name", "req_1")
    assert CARD not in str(told)
    if code is not RefusalCode.BANK_REFUSED:
        assert "only for the log" not in str(told)
    headers = dict(reply.headers)
    assert headers[b"content-type"] == b"application/problem+json"
    assert (b"www-authenticate" in headers) is (reply.status == 401)


def test_who_sends_too_often_gets_a_problem_too() -> None:
    refusal = Refusal(RefusalCode.TOO_MANY_REQUESTS, retry_after_s=7)
    plain = strays.too_many("/v1/orders", refusal)
    assert (plain.status, dict(plain.headers)[b"content-type"]) == (
        429,
        b"application/problem+json",
    )
    assert strays.too_many("/gateway/pay/v4/api/verify/", refusal).status == 200
