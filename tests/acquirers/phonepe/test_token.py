"""Tokens of PhonePe: one for all who wait, renewed in time, and in no log."""

import asyncio

import pytest
from structlog.testing import capture_logs

from hundi.acquirers.calls.breaker import FAILURES_MAX
from hundi.acquirers.calls.client import Timeouts
from hundi.acquirers.phonepe.connector import PhonePeConnector
from hundi.acquirers.phonepe.token import PhonePeCredentials, PhonePeTokens
from hundi.acquirers.port.answers import Approved, Unknown
from hundi.acquirers.port.payments import RefundOrder
from hundi.kernel.money import Money
from tests.acquirers.phonepe import standin
from tests.acquirers.phonepe.opened import CALLS, charge, paid
from tests.acquirers.phonepe.standin import PhonePe


@pytest.mark.parametrize("call", CALLS)
async def test_wrong_credentials_decide_nothing_and_send_nothing(
    call: str, connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    phonepe.secret = "another"
    with capture_logs() as lines:
        answer = await CALLS[call](connector)
    assert isinstance(answer, Unknown)
    assert (answer.message.partition(":")[0], answer.sent) == ("PhonePe gives no token", False)
    assert (answer.credentials_refused, connector.reachable()) == (True, False)
    await CALLS[call](connector)
    assert (phonepe.tokens_asked, phonepe.calls) == (1, []), "nobody asks for a while"
    assert standin.CLIENT_SECRET not in str(lines)


async def test_where_tokens_are_not_given_time_after_time_nobody_asks_for_a_moment(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    phonepe.token_status = 503
    for _ in range(FAILURES_MAX):
        assert connector.reachable()
        answer = await connector.upi_link(charge(reference="10001-2"), expires_in_s=900)
        assert isinstance(answer, Unknown)
        assert (answer.sent, answer.credentials_refused) == (False, False)
    assert not connector.reachable()
    await connector.upi_link(charge(reference="10001-2"), expires_in_s=900)
    assert (phonepe.tokens_asked, phonepe.calls) == (FAILURES_MAX, [])


async def test_many_calls_at_once_fetch_one_token_and_keep_it(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    await asyncio.gather(*(connector.inquire(f"10001-{number}") for number in range(20)))
    await connector.inquire("10001-99")
    assert (phonepe.tokens_given, len(phonepe.calls)) == (1, 21)


async def test_a_token_that_ends_within_a_minute_is_renewed(phonepe: PhonePe) -> None:
    now_s = 1_000_000.0
    credentials = PhonePeCredentials(
        standin.CLIENT_ID, standin.CLIENT_SECRET, standin.CLIENT_VERSION
    )
    tokens = PhonePeTokens(phonepe.url, credentials, Timeouts(), lambda: now_s)
    first = await tokens.current()
    now_s = phonepe.token_ends_s - 61.0
    assert await tokens.current() == first
    now_s += 1
    assert await tokens.current() != first
    await tokens.close()


async def test_a_token_that_is_refused_is_renewed_once(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    await paid(connector, phonepe)
    phonepe.end_tokens()
    assert isinstance(await connector.inquire("10001-1"), Approved)
    assert phonepe.tokens_given == 2


async def test_many_refused_calls_at_once_fetch_one_more_token(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    await paid(connector, phonepe)
    phonepe.end_tokens()
    answers = await asyncio.gather(*(connector.inquire("10001-1") for _ in range(10)))
    assert all(isinstance(each, Approved) for each in answers)
    assert phonepe.tokens_given == 2


async def test_tokens_that_are_never_taken_end_in_no_loop_and_no_decline(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    await paid(connector, phonepe)
    phonepe.takes_tokens = False
    answer = await connector.upi_link(charge(reference="10001-2"), expires_in_s=900)
    assert isinstance(answer, Unknown)
    assert (answer.sent, answer.credentials_refused, connector.reachable()) == (False, True, False)
    assert not answer.sent
    assert len([call for call in phonepe.calls if "10001-2" in str(call)]) == 2


async def test_secrets_and_tokens_are_in_no_log_and_no_repr(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    with capture_logs() as lines:
        await paid(connector, phonepe)
        phonepe.answer_next = [(200, b"token-1 a-secret-of-nobody")] * 3
        await connector.inquire("10001-1")
        phonepe.answer_next = [(503, b"token-1 a-secret-of-nobody")] * 3
        await connector.refund(RefundOrder("10001-5", "10001-1", Money(5)))
    assert lines
    shown = str(lines) + repr(PhonePeCredentials("I", standin.CLIENT_SECRET, "1"))
    assert not any(
        secret in shown for secret in ("token-1", standin.CLIENT_SECRET, standin.PASSWORD)
    )
