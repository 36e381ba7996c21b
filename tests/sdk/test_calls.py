"""The core without I/O: when tokens are renewed, what carries what, and what a seal proves."""

from datetime import UTC, datetime
from urllib.parse import parse_qsl

import pytest

from hundi.sdk import Gateway, errors
from hundi.sdk.calls import Calls, HttpReply, Pause, Result, Send, Steps
from hundi.wire import cipher
from hundi.wire.merchant import checksum
from tests.sdk.gateway_double import CREDENTIALS, ORDER, GatewayDouble, refused, reply, success

GATEWAY = Gateway(base_url="https://api.example.in")
EXPECTED = {
    "order_id": "ORD-1001",
    "amount_paise": 149_950,
    "currency": "INR",
    "transaction_id": "",
    "rrn": "",
}


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def drive(calls: Calls, steps: Steps[Result], double: GatewayDouble) -> Result:
    """Perform the steps as a client does, without network or waiting."""
    answer: HttpReply | str | None = None
    while True:
        try:
            step = steps.send(answer)
        except StopIteration as end:
            return end.value
        if isinstance(step, Send):
            path, _, query = step.url.removeprefix("https://api.example.in").partition("?")
            whole = double.answer(path, query, step.body)
            answer = HttpReply(200, reply(whole).content)
        elif isinstance(step, Pause):
            answer = None
        else:
            answer = drive(calls, calls.issue_token(step.scope, step.rejected), double)


@pytest.mark.parametrize(
    ("life_s", "passed_s", "tokens"),
    [
        (300, 239, 1),
        (300, 240, 2),
        (300, 10_000, 2),
        (60, 29, 1),
        (60, 30, 2),
        (2, 0.9, 1),
        (2, 1, 2),
    ],
)
def test_a_token_is_renewed_before_it_ends(life_s: int, passed_s: float, tokens: int) -> None:
    clock, double = Clock(), GatewayDouble(life_s=life_s)
    calls = Calls(CREDENTIALS, GATEWAY, ticks=clock)
    drive(calls, calls.payment_form(ORDER), double)
    clock.now += passed_s
    drive(calls, calls.payment_form(ORDER), double)
    assert len(double.tokens) == tokens


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        None,
        {"access_token": "", "expires_in": 300},
        {"access_token": "t", "expires_in": "soon"},
    ],
)
def test_a_token_reply_without_a_token_is_unreadable(data: object) -> None:
    calls = Calls(CREDENTIALS, GATEWAY)
    steps = calls.issue_token("page", "")
    next(steps)
    with pytest.raises(errors.UnreadableReplyError):
        steps.send(HttpReply(200, reply(success(data)).content))


def test_a_life_given_as_text_is_read() -> None:
    # The description says string, its sample shows a number
    # (docs/spec/payment-interfaces.md#token).
    calls = Calls(CREDENTIALS, GATEWAY)
    steps = calls.issue_token("page", "")
    next(steps)
    with pytest.raises(StopIteration) as end:
        steps.send(
            HttpReply(200, reply(success({"access_token": "t", "expires_in": "300"})).content)
        )
    assert end.value.value == "t"


def test_token_issuance_sends_no_privatekey() -> None:
    step = next(Calls(CREDENTIALS, GATEWAY).issue_token("page", ""))
    assert isinstance(step, Send)
    assert set(dict(parse_qsl(step.body.decode()))) == {"merchant_id", "encdata", "checksum"}


@pytest.fixture
def sealed() -> dict[str, str]:
    """The envelope of a payment form as the customer's browser holds it."""
    calls, double = Calls(CREDENTIALS, GATEWAY), GatewayDouble()
    return dict(drive(calls, calls.payment_form(ORDER), double).fields)


def test_the_first_sixteen_bytes_say_nothing(sealed: dict[str, str]) -> None:
    plaintext = cipher.open_(CREDENTIALS.encryption_key, sealed["encdata"])
    assert plaintext[:16] == b'{"request_seal":'


def test_the_checksum_carries_the_indian_date() -> None:
    # 20:00 UTC is already tomorrow in India.
    evening = datetime(2026, 11, 20, 20, tzinfo=UTC)
    step = next(Calls(CREDENTIALS, GATEWAY, wall_clock=evening.timestamp).issue_token("page", ""))
    assert isinstance(step, Send)
    outer = dict(parse_qsl(step.body.decode()))
    fields = cipher.open_json(CREDENTIALS.encryption_key, outer["encdata"])
    assert outer["checksum"] == checksum.v4(fields, datetime(2026, 11, 21, tzinfo=UTC).date())


def test_what_stands_in_a_step_stays_out_of_logs() -> None:
    step = next(Calls(CREDENTIALS, GATEWAY).issue_token("page", ""))
    assert repr(step) == "Send()"


def test_an_error_of_the_gateway_keeps_its_reference() -> None:
    error = errors.refusal(refused("103"))
    assert error.reference_id == "req_1"
    assert errors.refusal({}).message == "the gateway gave no reason"
