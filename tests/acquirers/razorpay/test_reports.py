"""Razorpay's settlement report: its published sample, our references, and what cannot be read."""

import json
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest

from hundi.acquirers.calls.razorpay_wire import decoded
from hundi.acquirers.contract.steps import AMOUNT
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.disputes import DisputeAnswer, PhaseName
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.acquirers.port.settlement_reports import ReportedKind, ReportLine, ReportPage
from hundi.acquirers.razorpay import reports
from hundi.acquirers.razorpay.connector import RazorpayConnector
from hundi.acquirers.razorpay.reports import Items, RazorpayReportLine
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money
from hundi.kernel.states import DisputePhase
from tests.acquirers.razorpay.standin import Standin
from tests.acquirers.razorpay.standin_answers import Fault
from tests.acquirers.razorpay.standin_money import fee_of

PAID = "10001-219876543210001"
BACK = "10001-R219876543210002"
DAY = date(2019, 9, 11)
"""Of the published sample's `settled_at`."""
# github.com/razorpay/markdown-docs, api/settlements/fetch-recon.md, commit ab3bda5f: what decides
# of each line.
SAMPLE = b"""{"entity": "collection", "count": 4, "items": [
{"entity_id": "pay_DEXrnipqTmWVGE", "type": "payment", "debit": 0, "credit": 97100,
"amount": 100000,
 "currency": "INR", "fee": 2900, "tax": 0, "on_hold": false, "settled": true,
 "created_at": 1567692556,
 "settled_at": 1568176960, "settlement_id": "setl_DGlQ1Rj8os78Ec", "posted_at": null,
 "credit_type": "default",
 "description": "Recurring Payment via Subscription", "notes": "Beam me up Scotty.",
 "payment_id": null,
 "settlement_utr": "1568176960vxp0rj", "order_id": "order_DEXrnRiR3SNDHA", "order_receipt": null,
 "dispute_id": null},
{"entity_id": "rfnd_DGRcGzZSLyEdg1", "type": "refund", "debit": 242500, "credit": 0,
"amount": 242500,
 "currency": "INR", "fee": 0, "tax": 0, "settled": true, "settled_at": 1568176960,
 "settlement_id": "setl_DGlQ1Rj8os78Ec", "notes": "Beam me up Scotty.",
 "payment_id": "pay_DEXq1pACSqFxtS",
 "settlement_utr": "1568176960vxp0rj", "order_receipt": null, "dispute_id": null},
{"entity_id": "trf_DEUoCEtdsJgvl7", "type": "transfer", "debit": 100296, "credit": 0,
"amount": 100000,
 "currency": "INR", "fee": 296, "tax": 46, "settled": true, "settled_at": 1568176960,
 "settlement_id": "setl_DGlQ1Rj8os78Ec", "payment_id": "pay_DEApNNTR6xmqJy",
 "settlement_utr": "1568176960vxp0rj"},
{"entity_id": "adj_EhcHONhX4ChgNC", "type": "adjustment", "debit": 0, "credit": 1012,
"amount": 1012,
 "currency": "INR", "fee": 0, "tax": 0, "settled": true, "settled_at": 1568176960,
 "settlement_id": "setl_DGlQ1Rj8os78Ec", "settlement_utr": null}]}"""


def told(item: RazorpayReportLine, reference: str = "ours") -> tuple[object, ...]:
    line = reports.line_of(item, reference)
    assert isinstance(line, ReportLine)
    return (
        line.kind,
        line.is_credit,
        line.gross_paise,
        line.fee_paise,
        line.number,
        line.utr,
        line.day,
    )


def test_the_published_sample_is_read_line_by_line() -> None:
    page = decoded(Items, SAMPLE)
    assert page is not None
    assert [told(each) for each in page.items] == [
        (ReportedKind.PAYMENT, True, 100_000, 2_900, "pay_DEXrnipqTmWVGE", "1568176960vxp0rj", DAY),
        (ReportedKind.REFUND, False, 242_500, 0, "rfnd_DGRcGzZSLyEdg1", "1568176960vxp0rj", DAY),
        (ReportedKind.OTHER, False, 100_296, 0, "trf_DEUoCEtdsJgvl7", "1568176960vxp0rj", DAY),
        (ReportedKind.OTHER, True, 1_012, 0, "adj_EhcHONhX4ChgNC", "", DAY),
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"credit": 100_001},
        {"credit": -1},
        {"debit": 5},
        {"currency": "USD"},
        {"settled_at": None},
        {"settled_at": 10**17},
        {"amount": 10**15, "credit": 10**15},
    ],
)
def test_a_line_that_contradicts_itself_is_no_line(change: dict[str, Any]) -> None:
    first = json.loads(SAMPLE)["items"][0] | change
    item = decoded(RazorpayReportLine, json.dumps(first).encode())
    assert item is not None
    assert isinstance(reports.line_of(item, "ours"), Unknown)


def test_a_payment_of_which_the_fee_took_all_is_a_credit_of_nothing() -> None:
    first = json.loads(SAMPLE)["items"][0] | {"credit": 0, "fee": 100_000}
    item = decoded(RazorpayReportLine, json.dumps(first).encode())
    assert item is not None
    assert told(item)[:4] == (ReportedKind.PAYMENT, True, 100_000, 100_000)


async def paid(connector: RazorpayConnector, bank: Standin) -> str:
    """Have our payment paid by link, and return Razorpay's number of it."""
    await connector.upi_link(Charge(PAID, AMOUNT), expires_in_s=600)
    payment = bank.books.payments_of(next(iter(bank.books.orders)))[-1]
    bank.books.pay(payment.id)
    return payment.id


async def lines_of(connector: RazorpayConnector) -> tuple[ReportLine, ...]:
    page = await connector.settlement_lines(business_day(datetime.now(UTC)))
    assert isinstance(page, ReportPage), page
    return page.lines


async def test_a_refund_and_a_chargeback_are_found_by_razorpays_numbers(
    connector: RazorpayConnector, bank: Standin
) -> None:
    payment_id = await paid(connector, bank)
    await connector.refund(RefundOrder(BACK, PAID, Money(50_000)))
    dispute = bank.money.raise_dispute(payment_id, 1_000)
    name = PhaseName(dispute["id"], DisputePhase.CHARGEBACK)
    await connector.answer_dispute(DisputeAnswer(name, "10001-D1", Money(1_000)))
    bank.money.settle()
    kept = fee_of(AMOUNT.paise)[0]
    assert [
        (each.kind, each.reference, each.gross_paise, each.fee_paise)
        for each in await lines_of(connector)
    ] == [
        (ReportedKind.PAYMENT, PAID, AMOUNT.paise, kept),
        (ReportedKind.REFUND, BACK, 50_000, 0),
        (ReportedKind.CHARGEBACK, PAID, 1_000, 0),
    ]
    word = await connector.inquire_dispute(name)
    assert (await lines_of(connector))[-1].number == getattr(word, "rrn", None), (
        "the line names the dispute's number"
    )


async def test_what_was_not_made_here_keeps_razorpays_number(
    connector: RazorpayConnector, bank: Standin
) -> None:
    payment_id = await paid(connector, bank)
    bank.books.orders[bank.books.payments[payment_id].order_id].receipt = None
    bank.books.payments[payment_id].notes = {}
    refund = bank.books.refund(payment_id, {"amount": 100}, "")
    bank.money.settle()
    assert [each.reference for each in await lines_of(connector)] == [payment_id, refund.id]


async def test_a_note_alone_does_not_move_a_payment_to_another_one(
    connector: RazorpayConnector, bank: Standin
) -> None:
    await paid(connector, bank)
    bank.money.settle()
    bank.money.lines[0] |= {
        "order_receipt": None,
        "notes": {"hundi_reference": "10002-219876543210009"},
    }
    assert [each.reference for each in await lines_of(connector)] == [PAID], (
        "its order was made by us"
    )


async def test_a_long_report_is_read_page_by_page(
    connector: RazorpayConnector, bank: Standin
) -> None:
    await paid(connector, bank)
    bank.money.settle()
    one = bank.money.lines[0]
    bank.money.lines = [
        one | {"entity_id": f"pay_{number:014d}"} for number in range(reports.LINES_AT_ONCE + 3)
    ]
    day = business_day(datetime.now(UTC))
    first = await connector.settlement_lines(day)
    assert isinstance(first, ReportPage)
    assert (len(first.lines), first.next) == (reports.LINES_AT_ONCE, str(reports.LINES_AT_ONCE))
    rest = await connector.settlement_lines(day, first.next)
    assert isinstance(rest, ReportPage)
    assert [each.number[-3:] for each in rest.lines] == ["500", "501", "502"]
    assert rest.next == ""


async def test_what_is_not_settled_yet_is_no_line(
    connector: RazorpayConnector, bank: Standin
) -> None:
    await paid(connector, bank)
    bank.money.settle()
    bank.money.lines[0] |= {"settled": False}
    assert await lines_of(connector) == ()


async def test_the_day_is_indias(connector: RazorpayConnector, bank: Standin) -> None:
    await paid(connector, bank)
    just_after_midnight = int(datetime(2026, 11, 19, 18, 31, tzinfo=UTC).timestamp())
    bank.money.settle(at=just_after_midnight)
    page = await connector.settlement_lines(date(2026, 11, 20))
    assert isinstance(page, ReportPage)
    assert [each.day for each in page.lines] == [date(2026, 11, 20)]


@pytest.mark.parametrize(
    "fault", [Fault.HTML, Fault.CUT, Fault.EMPTY, Fault.UNAUTHORIZED, Fault.TOO_MANY]
)
@pytest.mark.parametrize("path", ["/settlements/recon/combined", "refund"])
async def test_a_report_with_a_hole_is_no_report(
    fault: Fault,
    path: str,
    connector: RazorpayConnector,
    bank: Standin,
    play: Callable[[str, Fault], None],
) -> None:
    await paid(connector, bank)
    await connector.refund(RefundOrder(BACK, PAID, Money(50_000)))
    bank.money.settle(at=int(time.time()))
    play(path if path != "refund" else next(iter(bank.books.refunds)), fault)
    assert isinstance(await connector.settlement_lines(business_day(datetime.now(UTC))), Unknown)
