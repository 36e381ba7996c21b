"""Cashfree's settlement reconciliation: its form, our references, and what cannot be read."""

import json
from collections.abc import AsyncIterator
from datetime import date, timedelta
from typing import Any

import msgspec
import pytest

from hundi.acquirers.cashfree import reports
from hundi.acquirers.cashfree.reports import CashfreeReportLine
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.settlement_reports import ReportedKind, ReportLine, ReportPage
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money
from tests.acquirers.cashfree.account import (
    AMOUNT,
    GARBAGE,
    Shop,
    account,
    at_checkout,
    paid,
    press,
    refund_of,
)
from tests.acquirers.cashfree.standin import Fault
from tests.acquirers.cashfree.standin_money import settle

DAY = date(2025, 1, 17)
# cashfree.com/docs, v2025-01-01, POST /settlement/recon: the form of the sample, with amounts that
# agree.
EVENT: dict[str, Any] = {
    "dispute_details": {"closed_in_favor_of": None, "dispute_category": None},
    "event_details": {
        "entity": "recon",
        "event_amount": 200,
        "event_currency": "INR",
        "event_id": "43594",
        "event_service_charge": 2,
        "event_service_tax": 0,
        "event_settlement_amount": 198,
        "event_status": "SUCCESS",
        "event_time": "2025-01-16T15:06:41+05:30",
        "event_type": "PAYMENT",
        "sale_type": "CREDIT",
    },
    "order_details": {
        "order_amount": 3000,
        "order_currency": "INR",
        "order_id": "order_1527072DQpGNwTMBlnAc1GfxmWalriHBG",
        "order_tags": {"key1": "value1"},
    },
    "payment_details": {"cf_payment_id": "885472862", "bank_reference": None},
    "settlement_details": {
        "cf_settlement_id": 45406,
        "settlement_utr": "PGI45406",
        "settlement_date": "2025-01-17",
    },
}


def line_of(**changes: Any) -> ReportLine | None:
    """Return the line of the sample with other event details."""
    details = EVENT["event_details"] | changes
    event = msgspec.json.decode(
        json.dumps(EVENT | {"event_details": details}), type=CashfreeReportLine
    )
    return reports.line_of(event, date(2025, 1, 16))


def test_the_published_form_is_read() -> None:
    assert line_of() == ReportLine(
        kind=ReportedKind.PAYMENT,
        is_credit=True,
        gross_paise=20_000,
        net_paise=19_800,
        reference="order_1527072DQpGNwTMBlnAc1GfxmWalriHBG",
        number="885472862",
        settlement="45406",
        utr="PGI45406",
        day=DAY,
    )


@pytest.mark.parametrize(
    ("event_type", "sale_type", "kind", "is_credit"),
    [
        ("REFUND", "DEBIT", ReportedKind.REFUND, False),
        ("REFUND_REVERSAL", "CREDIT", ReportedKind.REFUND, True),
        ("CHARGEBACK", "DEBIT", ReportedKind.CHARGEBACK, False),
        ("CHARGEBACK_REVERSE", "CREDIT", ReportedKind.CHARGEBACK, True),
        ("DISPUTE_REVERSAL", "CREDIT", ReportedKind.CHARGEBACK, True),
        ("OTHER_ADJUSTMENT", "DEBIT", ReportedKind.OTHER, False),
        ("RISK", "DEBIT", ReportedKind.OTHER, False),
    ],
)
def test_each_kind_has_its_direction(
    event_type: str, sale_type: str, kind: ReportedKind, *, is_credit: bool
) -> None:
    for amount in (200, -200):
        line = line_of(
            event_type=event_type,
            sale_type=sale_type,
            event_amount=amount,
            event_settlement_amount=amount,
        )
        assert line is not None
        assert (line.kind, line.is_credit, line.gross_paise, line.fee_paise) == (
            kind,
            is_credit,
            20_000,
            0,
        )
        assert line.number == "43594"


@pytest.mark.parametrize(
    "changes",
    [
        {"event_settlement_amount": 200.01},
        {"event_settlement_amount": 198.005},
        {"event_currency": "USD"},
        {"sale_type": "BOTH"},
        {"event_amount": None},
        {"event_amount": "sNaN"},
        {"event_settlement_amount": "1e9999999"},
    ],
)
def test_a_line_that_contradicts_itself_is_no_line(changes: dict[str, Any]) -> None:
    assert line_of(**changes) is None


def test_a_day_that_no_calendar_has_is_the_day_that_was_asked_about() -> None:
    settled = EVENT["settlement_details"] | {"settlement_date": "9999-12-31T23:59:59Z"}
    line = reports.line_of(
        msgspec.convert(EVENT | {"settlement_details": settled}, type=CashfreeReportLine), DAY
    )
    assert line is not None
    assert line.day == DAY


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    async with account() as opened:
        opened.bank.world.refund_status = "SUCCESS"
        yield opened


async def test_a_payment_and_its_refund_have_our_references(shop: Shop) -> None:
    charge = await paid(shop)
    back = refund_of(charge, Money(50_000))
    await shop.connector.refund(back)
    page = await shop.connector.settlement_lines(business_day(settle(shop.bank.world)))
    assert isinstance(page, ReportPage)
    assert [
        (each.kind, each.reference, each.gross_paise, each.fee_paise) for each in page.lines
    ] == [
        (ReportedKind.PAYMENT, charge.reference, AMOUNT.paise, 2_999 + 540),
        (ReportedKind.REFUND, back.reference, 50_000, 0),
    ]


async def test_a_payment_on_cashfrees_page_is_found_by_its_links_tag(shop: Shop) -> None:
    charge, page = await at_checkout(shop)
    await press(page.url, "SUCCESS")
    made = next(iter(shop.bank.world.orders))
    assert made != charge.reference
    day = business_day(settle(shop.bank.world, link_of={made: charge.reference}))
    report = await shop.connector.settlement_lines(day)
    assert isinstance(report, ReportPage)
    assert [each.reference for each in report.lines] == [charge.reference]
    assert report.lines[0].number == shop.bank.world.orders[made].payments[0].bank_reference


async def test_a_long_report_is_read_page_by_page_and_a_day_is_indias(shop: Shop) -> None:
    await paid(shop)
    settle(shop.bank.world)
    world, one = shop.bank.world, shop.bank.world.events[0]
    late = one["settlement_details"] | {"settlement_date": "2026-11-20T23:59:30+05:30"}
    next_day = one["settlement_details"] | {"settlement_date": "2026-11-21T00:00:30+05:30"}
    world.events = [one | {"settlement_details": late}] * 101 + [
        one | {"settlement_details": next_day}
    ]
    first = await shop.connector.settlement_lines(date(2026, 11, 20))
    assert isinstance(first, ReportPage)
    assert (len(first.lines), first.next) == (reports.LINES_AT_ONCE, "100")
    rest = await shop.connector.settlement_lines(date(2026, 11, 20), first.next)
    assert isinstance(rest, ReportPage)
    assert ([each.day for each in rest.lines], rest.next) == ([date(2026, 11, 20)], "")


@pytest.mark.parametrize(
    "changes",
    [
        {"event_status": "FAILED"},
        {"event_settlement_amount": None},
        {"event_settlement_amount": 0, "event_amount": 0},
    ],
)
async def test_what_moved_nothing_is_no_line(changes: dict[str, Any], shop: Shop) -> None:
    await paid(shop)
    day = business_day(settle(shop.bank.world))
    shop.bank.world.events[0]["event_details"] |= changes
    assert await shop.connector.settlement_lines(day) == ReportPage(())


@pytest.mark.parametrize("fault", GARBAGE)
async def test_an_answer_that_cannot_be_read_is_no_report(fault: Fault, shop: Shop) -> None:
    await paid(shop)
    day = business_day(settle(shop.bank.world))
    shop.bank.faults.extend([("/recon", fault), ("/recon", fault)])
    assert isinstance(await shop.connector.settlement_lines(day), Unknown)


async def test_one_line_that_cannot_be_read_makes_the_report_unusable(shop: Shop) -> None:
    await paid(shop)
    day = business_day(settle(shop.bank.world))
    shop.bank.world.events[0]["event_details"]["event_currency"] = "USD"
    assert isinstance(await shop.connector.settlement_lines(day), Unknown)
    assert isinstance(await shop.connector.settlement_lines(day - timedelta(days=1)), ReportPage)
