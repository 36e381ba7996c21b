"""Writes a settlement's report, and refuses one whose rows do not add up."""

from hundi.infra.postgres.database import Database
from hundi.kernel.ids import reference
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.reports.actions import LineWriter, UnbalancedError
from hundi.money.reports.settlements import rules, store
from hundi.money.reports.settlements.rules import (
    PRINTED_ROWS_MAX,
    Row,
    SettlementReport,
    SettlementSums,
)
from hundi.money.reports.store import snapshot


async def write_settlement(
    db: Database, merchant_id: int, settlement_id: int, out: LineWriter
) -> int:
    """Write a settlement, with a line for each item; return the number of lines.

    Raises Refused (NO_RECORDS), and UnbalancedError after the last item if they do not add up.
    """
    out.writerow(rules.HEAD)
    async with snapshot(db) as conn:
        extract = await store.settlement(conn, merchant_id, settlement_id)
        if extract is None:
            raise refuse(RefusalCode.NO_RECORDS)
        shares, sums = await store.shares(conn, merchant_id, settlement_id), SettlementSums()
        async for batch in store.rows(conn, merchant_id, settlement_id):
            out.writerows(rules.lines(batch, sums))
    _check(sums.fault(extract, shares), merchant_id, settlement_id)
    last = list(rules.totals(extract, shares))
    out.writerows(last)
    return 1 + sums.items + len(last)


async def read_settlement(db: Database, merchant_id: int, settlement_id: int) -> SettlementReport:
    """Return a settlement for printing.

    Raises Refused (NO_RECORDS, FIELD_INVALID), and UnbalancedError.
    """
    rows, sums = list[Row](), SettlementSums()
    async with snapshot(db) as conn:
        extract = await store.settlement(conn, merchant_id, settlement_id)
        if extract is None:
            raise refuse(RefusalCode.NO_RECORDS)
        if extract.items > PRINTED_ROWS_MAX:
            allowed = f"a PDF has {PRINTED_ROWS_MAX} rows at most; write it"
            raise refuse(
                RefusalCode.FIELD_INVALID,
                field="rows",
                received=str(extract.items),
                allowed=allowed,
            )
        shares = await store.shares(conn, merchant_id, settlement_id)
        async for batch in store.rows(conn, merchant_id, settlement_id):
            rows += batch
    for row in rows:
        sums.count(row)
    _check(sums.fault(extract, shares), merchant_id, settlement_id)
    return SettlementReport(extract, shares, tuple(rows))


def _check(fault: str, merchant_id: int, settlement_id: int) -> None:
    if fault:
        raise UnbalancedError(
            f"settlement {reference(merchant_id, settlement_id)} is not printed: {fault}"
        )
