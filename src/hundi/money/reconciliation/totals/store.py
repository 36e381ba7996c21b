"""All SQL of totals: what acquirers said, and what our account and imported files have of them."""

from collections.abc import Iterable
from datetime import datetime

from hundi.acquirers.port.settlement_reports import SettlementTotal
from hundi.infra.postgres.columns import Table
from hundi.infra.postgres.database import Connection, Database
from hundi.money.reconciliation.totals.rules import ComparedTotal

# What was said stays: a settlement that is told with another amount or transfer is a second row.
INSERT = """
INSERT INTO settlement_totals (connector, settlement, utr, net_paise, day, fetched_at)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
"""
_LINES = """
    (SELECT sum(h.net_paise) FROM statement_handovers h
        WHERE h.connector = t.connector AND h.utr = t.utr)::bigint AS lines_paise
"""
_ARRIVED = """
    coalesce((SELECT sum(a.net_paise) FROM account_lines a WHERE a.utr = t.utr AND a.utr <> ''),
        0)::bigint AS arrived_paise
"""
SELECT_UNPROVED = f"""
SELECT * FROM (SELECT t.connector, t.settlement, t.utr, t.day, t.net_paise, {_LINES}, {_ARRIVED}
    FROM settlement_totals t) compared
WHERE lines_paise IS DISTINCT FROM net_paise OR arrived_paise <> net_paise
ORDER BY day DESC, connector, settlement LIMIT $1
"""
TOTAL = Table(ComparedTotal, {})


async def insert(
    conn: Connection, connector: str, totals: Iterable[SettlementTotal], now: datetime
) -> int:
    """Write totals that are not there yet, and return how many are new."""
    new = 0
    for each in totals:
        row = (connector, each.settlement, each.utr, each.net_paise, each.day, now)
        new += not (await conn.execute(INSERT, *row)).endswith(" 0")
    return new


async def unproved(db: Database, limit: int) -> list[ComparedTotal]:
    """Return the totals that are not proved, newest first."""
    return [TOTAL.read(row) for row in await db.fetch(SELECT_UNPROVED, limit)]
