"""The contract of connectors that report settlements line by line."""

from datetime import date

from hundi.acquirers.contract.steps import AMOUNT, HALF, ConnectorCase, demand, take_payment
from hundi.acquirers.port.answers import Declined
from hundi.acquirers.port.payments import Connector, RefundOrder, Refunds
from hundi.acquirers.port.settlement_reports import (
    ReportedKind,
    ReportLine,
    ReportPage,
    ReportsSettlements,
    ReportsTotals,
    SettlementTotal,
    TotalsPage,
)

PAGES_MAX = 1_000
QUIET_DAY = date(2021, 1, 1)
"""A day without a settlement."""


async def check_settlement_reports(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a report ends and names each movement once under our reference.

    A repeat returns the same.
    """
    if not isinstance(connector, ReportsSettlements):
        return
    demand(
        await _lines(connector, QUIET_DAY) == [], "a day without a hand-over has an empty report"
    )
    if case.settle is None:
        demand(False, "whoever reports settlements can have one made")  # noqa: FBT003 (a promise that is broken)
        return
    paid = await take_payment(connector, case)
    back = RefundOrder(case.new_reference(), paid.reference, HALF)
    if isinstance(connector, Refunds):
        demand(
            not isinstance(await connector.refund(back), Declined),
            "a refund of what was paid is not declined",
        )
        await case.refund_settled(back.reference)
    day = await case.settle()
    lines = await _lines(connector, day)
    demand(
        lines is not None and lines == await _lines(connector, day),
        "a report is the same when it is asked again",
    )
    for line in lines or []:
        demand(line.gross_paise > 0 and line.net_paise >= 0, "amounts of a report have no sign")
        demand(line.fee_paise >= 0, "a fee is never below zero")
        demand(
            line.utr and line.settlement,
            "what was handed over names its settlement and its transfer",
        )
    _demand_line(lines or [], ReportedKind.PAYMENT, paid.reference, AMOUNT.paise)
    if isinstance(connector, Refunds):
        _demand_line(lines or [], ReportedKind.REFUND, back.reference, HALF.paise)


async def check_settlement_totals(connector: Connector, case: ConnectorCase) -> None:
    """Prove that the totals of a day end, repeat, and name their transfer."""
    if not isinstance(connector, ReportsTotals):
        return
    demand(await _totals(connector, QUIET_DAY) == [], "a day without a hand-over has no totals")
    if case.settle is None:
        demand(False, "whoever reports settlements can have one made")  # noqa: FBT003 (a promise that is broken)
        return
    await take_payment(connector, case)
    day = await case.settle()
    totals = await _totals(connector, day)
    demand(totals, "a day with a hand-over has its total")
    demand(totals == await _totals(connector, day), "totals are the same when asked again")
    for total in totals or []:
        demand(
            total.settlement and total.utr and total.net_paise,
            "a total names its settlement, its transfer and its amount",
        )


async def _totals(connector: ReportsTotals, day: date) -> list[SettlementTotal] | None:
    """Return all of a day's totals, or None where they cannot be read or do not end."""
    totals: list[SettlementTotal] = []
    after = ""
    for _ in range(PAGES_MAX):
        page = await connector.settlement_totals(day, after)
        if not isinstance(page, TotalsPage):
            return None
        totals += page.totals
        if not page.next:
            return totals
        after = page.next
    return None


def _demand_line(lines: list[ReportLine], kind: ReportedKind, reference: str, paise: int) -> None:
    ours = [each for each in lines if (each.kind, each.reference) == (kind, reference)]
    demand(len(ours) == 1, f"a {kind} is one line under our reference")
    demand(ours[0].gross_paise == paise, "a line says the amount before the fee")
    demand(
        ours[0].is_credit is (kind is ReportedKind.PAYMENT), "a payment adds, and a refund takes"
    )
    demand(ours[0].number, "a line has a number of the bank or of the acquirer")


async def _lines(connector: ReportsSettlements, day: date) -> list[ReportLine] | None:
    """Return all of a day's report, or None where it cannot be read or does not end."""
    lines: list[ReportLine] = []
    after = ""
    for _ in range(PAGES_MAX):
        page = await connector.settlement_lines(day, after)
        if not isinstance(page, ReportPage):
            return None
        lines += page.lines
        if not page.next:
            return lines
        after = page.next
    return None
