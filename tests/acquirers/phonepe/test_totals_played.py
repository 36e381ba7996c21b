"""PhonePe's totals at its stand-in: what was paid is handed over, and read."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta

import pytest

from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.phonepe.kind import KIND
from hundi.acquirers.phonepe.totals import LISTED_AT_ONCE, PhonePeTotalConnector
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import RefundOrder
from hundi.acquirers.port.settlement_reports import SettlementTotal, TotalsPage
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money
from tests.acquirers.phonepe.opened import CALLBACK, charge, paid, settings
from tests.acquirers.phonepe.standin_settlements import OLDEST_MS, Settlements
from tests.acquirers.playing import running


@pytest.fixture
async def phonepe() -> AsyncIterator[Settlements]:
    async with running(Settlements()) as played:
        yield played


@pytest.fixture
async def connector(phonepe: Settlements) -> AsyncIterator[PhonePeTotalConnector]:
    made = KIND.open(
        "phonepe", settings(phonepe, settlements=True), AcquirerContext(CALLBACK, ShortMemory())
    )
    assert isinstance(made, PhonePeTotalConnector)
    yield made
    await made.close()


def day_of(phonepe: Settlements) -> date:
    return business_day(datetime.fromtimestamp(phonepe.clock_ms / 1000, UTC))


async def test_what_was_paid_and_given_back_is_one_total(
    connector: PhonePeTotalConnector, phonepe: Settlements
) -> None:
    phonepe.fee_bps = 200
    await paid(connector, phonepe)
    await connector.refund(RefundOrder("10001-5", "10001-1", Money(40_000)))
    phonepe.settle_refund("10001-5")
    number = phonepe.initiate()
    day = day_of(phonepe)
    assert await connector.settlement_totals(day) == TotalsPage(())
    phonepe.attempt_failed(number)
    assert await connector.settlement_totals(day) == TotalsPage(())
    phonepe.process(number)
    total = SettlementTotal(number, phonepe.settlements[number]["utr"], 58_000, day)
    assert await connector.settlement_totals(day) == TotalsPage((total,))
    assert await connector.settlement_totals(day - timedelta(days=1)) == TotalsPage(())


async def test_a_long_day_is_read_in_pages_and_an_old_one_not_at_all(
    connector: PhonePeTotalConnector, phonepe: Settlements
) -> None:
    numbers = []
    for each in range(LISTED_AT_ONCE + 1):
        asked = charge(reference=f"10001-{each}")
        assert isinstance(await connector.upi_link(asked, expires_in_s=900), UpiLink)
        phonepe.pay(asked.reference)
        numbers.append(phonepe.initiate())
        phonepe.process(numbers[-1])
    first = await connector.settlement_totals(day_of(phonepe))
    assert isinstance(first, TotalsPage)
    last = await connector.settlement_totals(day_of(phonepe), first.next)
    assert isinstance(last, TotalsPage)
    assert [each.settlement for each in first.totals + last.totals] == numbers
    assert last.next == ""
    old = day_of(phonepe) - timedelta(milliseconds=OLDEST_MS) - timedelta(days=1)
    assert isinstance(await connector.settlement_totals(old), Unknown)
