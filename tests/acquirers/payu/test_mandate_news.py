"""PayU's webhooks about UPI mandates, and a notice whose answer was lost, at the stand-in."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from hundi.acquirers.payu.mandates import TERMS, PayUMandateConnector
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.mandates import (
    MandateNotice,
    MandateRequest,
    MandateStanding,
    MandateState,
    NoticeGiven,
)
from hundi.acquirers.port.memory import ShortMemory
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.payu.opened import charge, connector_at
from tests.acquirers.payu.standin_si import IST, StandingPayU
from tests.acquirers.playing import running
from tests.acquirers.shared import Clock

DEBIT_AFTER = TERMS.notice_before + timedelta(hours=1)


@pytest.fixture
async def payu() -> AsyncIterator[StandingPayU]:
    async with running(StandingPayU()) as opened:
        opened.now = datetime.now(IST)
        yield opened


@pytest.fixture
async def connector(
    payu: StandingPayU, memory: ShortMemory, clock: Clock
) -> AsyncIterator[PayUMandateConnector]:
    one = connector_at(payu, memory, clock, PayUMandateConnector)
    assert isinstance(one, PayUMandateConnector)
    yield one
    await one.close()


@pytest.fixture
async def number(connector: PayUMandateConnector, payu: StandingPayU) -> str:
    """PayU's number of an active mandate, whose reference is 10001-1."""
    today = payu.now.date()
    request = MandateRequest(
        "Asha Handlooms", Money(500_00), "MONTHLY", today, today + timedelta(days=365)
    )
    asked = replace(charge(), mandate=request)
    assert isinstance(await connector.upi_link(asked, expires_in_s=900), UpiLink)
    payu.consent(asked.reference)
    standing = await connector.inquire_mandate(asked.reference)
    assert isinstance(standing, MandateStanding)
    assert standing.state is MandateState.ACTIVE
    return standing.name


@pytest.mark.parametrize("form", [False, True])
async def test_a_proven_webhook_says_which_mandate_to_ask_about(
    connector: PayUMandateConnector, payu: StandingPayU, number: str, *, form: bool
) -> None:
    for act in (payu.pause, payu.unpause, payu.revoke):
        act("10001-1")
        headers, body = payu.mandate_webhook("10001-1", form=form)
        assert connector.read_trigger(headers, body, now_s=0) == Trigger("", (), (number,))
    standing = await connector.inquire_mandate("10001-1")
    assert isinstance(standing, MandateStanding)
    assert standing.state is MandateState.ENDED


@pytest.mark.parametrize(
    "change",
    [
        {"status": "active"},
        {"authpayuid": 1},
        {"amount": "1.00"},
        {"key": "another"},
        {"hash": ""},
        {"hash": None},
    ],
)
async def test_a_forged_webhook_says_nothing(
    connector: PayUMandateConnector, payu: StandingPayU, number: str, change: dict[str, Any]
) -> None:
    assert number
    payu.revoke("10001-1")
    headers, body = payu.mandate_webhook("10001-1", **change)
    assert connector.read_trigger(headers, body, now_s=0) is None
    for broken in (b"", b"[]", b"{}", b"{", body[:-1], b'{"a": 1, "a": 2}'):
        assert connector.read_trigger(headers, broken, now_s=0) is None


async def test_a_payment_is_still_told(
    connector: PayUMandateConnector, payu: StandingPayU, number: str
) -> None:
    assert number
    headers, body = payu.webhook("10001-1")
    trigger = connector.read_trigger(headers, body, now_s=0)
    assert trigger is not None
    assert (trigger.references, trigger.mandates) == (("10001-1",), ())


async def test_a_notice_whose_answer_was_lost_is_found_under_another_number(
    connector: PayUMandateConnector, payu: StandingPayU, number: str
) -> None:
    assert number
    debit_at = payu.now + DEBIT_AFTER
    notice = MandateNotice("10001-N1-2", "10001-1", 2, Money(500_00), debit_at)
    payu.answer_next = [(200, b'{"status": 1, "action": "active", "au'), (200, b"")]
    for _ in range(9):
        answer = await connector.give_notice(notice)
        if isinstance(answer, NoticeGiven):
            break
        assert isinstance(answer, Unknown)
    else:
        message = "the notice is never given"
        raise AssertionError(message)
    (given,) = payu.mandate("10001-1").notices.values()
    assert given["amount"] == 500
    assert given["at"] == payu.now
    assert await connector.give_notice(notice) == answer
