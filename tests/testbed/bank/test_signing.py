"""Signatures: genuine, forged, stale."""

import time

import pytest

from hundi_testbed.bank import signing
from tests.testbed.bank.harness import KEY, Simbank, new_reference, signature

BODY = b'{"reference":"7-123456789012345"}'
NOW_S = 1_790_000_000


@pytest.mark.parametrize("offset_s", [-300, 0, 300])
def test_genuine(offset_s: int) -> None:
    assert signing.verify(KEY.encode(), BODY, signature(BODY, at_s=NOW_S + offset_s), now_s=NOW_S)
    assert signing.sign(KEY.encode(), BODY, now_s=NOW_S) == signature(BODY, at_s=NOW_S)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "t=1790000000",
        "v1=00",
        "t=x,v1=" + "0" * 64,
        signature(BODY, at_s=NOW_S)[:-1],
        signature(BODY, at_s=NOW_S) + "0",
        signature(BODY, at_s=NOW_S).upper(),
        signature(BODY, at_s=NOW_S, key="another key"),
        signature(BODY + b" ", at_s=NOW_S),
        signature(BODY, at_s=NOW_S - 301),
        signature(BODY, at_s=NOW_S + 301),
    ],
)
def test_refused(header: str) -> None:
    assert not signing.verify(KEY.encode(), BODY, header, now_s=NOW_S)


async def test_forged_calls_change_nothing(bank: Simbank) -> None:
    reference = new_reference()
    question = {"reference": reference}
    stale = signature(b'{"reference": "%s"}' % reference.encode(), at_s=int(time.time()) - 400)
    for header in ("", "t=1,v1=" + "0" * 64, signature(b"{}"), stale):
        status, answer = await bank.acquirer("/acquirer/inquire", question, header)
        assert status == 401
        assert answer["error"]
    status, _ = await bank.acquirer(
        "/acquirer/cards/authentications/auth_x",
        header=signature(b"/acquirer/cards/authentications/auth_y"),
    )
    assert status == 401
