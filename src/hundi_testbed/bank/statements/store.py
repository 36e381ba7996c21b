"""All SQL about statements."""

from datetime import date, datetime

import asyncpg

from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.statements.rules import Mistake

# A returned refund has a line on the day it was done, and one on the day it came back.
_OF_DAY = """
SELECT e.at, e.kind, e.method, CASE e.kind
    WHEN 'refund' THEN e.refund_reference ELSE e.reference END AS reference,
    coalesce(x.utr, e.rrn) AS rrn, e.amount_paise, coalesce(p.currency, 'INR') AS currency,
    coalesce(p.at, e.at) AS charged_at, r.settled_paise
FROM entries e LEFT JOIN payments p ON p.reference = e.reference LEFT
    JOIN refunds r ON r.reference = e.refund_reference
    LEFT JOIN payouts x ON x.rrn = e.rrn AND e.kind = 'payout'
WHERE e.kind IN ('debit', 'capture', 'refund', 'chargeback', 'payout') AND e.at >= $1 AND e.at < $2
    AND (e.state = 'done' OR e.state = 'reversed' AND e.kind = 'refund')
UNION ALL
SELECT r.reversed_at, 'reversal', p.method, r.reference, r.rrn, r.amount_paise, r.currency, p.at,
    r.settled_paise
FROM refunds r JOIN payments p ON p.reference = r.original
WHERE r.reversed_at >= $1 AND r.reversed_at < $2
ORDER BY 1
"""
_MISTAKES = "SELECT day, reference, mistake FROM statement_mistakes WHERE day >= $1 AND day <= $2"
_MAKE = """
INSERT INTO statement_mistakes (day, reference, mistake) VALUES ($1, $2, $3)
ON CONFLICT (day, reference) DO UPDATE SET mistake = $3
"""


async def movements(db: BankDatabase, since: datetime, until: datetime) -> list[asyncpg.Record]:
    """Return the movements of money in a time, in the order of the books."""
    return await db.fetch(_OF_DAY, since, until)


async def mistakes(db: BankDatabase, first: date, last: date) -> dict[date, dict[str, Mistake]]:
    """Return the mistakes of some days' statements, by reference."""
    by_day: dict[date, dict[str, Mistake]] = {}
    for row in await db.fetch(_MISTAKES, first, last):
        by_day.setdefault(row["day"], {})[row["reference"]] = Mistake(row["mistake"])
    return by_day


async def make_mistake(db: BankDatabase, day: date, reference: str, mistake: Mistake) -> None:
    """Make the statement of a day wrong about a reference."""
    await db.fetch(_MAKE, day, reference, mistake)
