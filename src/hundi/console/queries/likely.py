"""Rows that may explain a statement's line: paid attempts and payouts, by reference or amount."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from asyncpg import Record

from hundi.console.queries.bounded import ids_of, look
from hundi.infra.postgres.database import Database
from hundi.money.reconciliation.rules import LINE_IDS_FROM

ROWS_MAX = 500
SELECT_ATTEMPTS = """
SELECT a.merchant_id, a.payment_id, p.order_id, a.received_paise AS paise, a.rrn AS reference,
    a.connector, (a.settled_at AT TIME ZONE 'Asia/Kolkata')::date AS day
FROM attempts a JOIN payments p ON p.merchant_id = a.merchant_id AND p.payment_id = a.payment_id
WHERE a.merchant_id = ANY ($1::bigint[]) AND a.received_paise > 0
    AND (a.rrn <> '' AND a.rrn = ANY ($2::text[])
        OR a.attempt_id >= $3 AND a.attempt_id < $4 AND a.received_paise = ANY ($5::bigint[]))
ORDER BY a.attempt_id DESC LIMIT $6
"""
SELECT_PAYOUTS = """
SELECT o.merchant_id, o.payout_id, o.beneficiary, o.amount_paise AS paise, o.state::text AS state,
    coalesce(nullif(o.late_utr, ''), o.utr) AS reference,
    (coalesce(o.sent_at, o.created_at) AT TIME ZONE 'Asia/Kolkata')::date AS day,
    h.settlement_id
FROM payouts o LEFT JOIN settlement_shares h ON h.merchant_id = ANY ($1::bigint[])
    AND h.merchant_id = o.merchant_id AND h.share_id = o.share_id
WHERE o.merchant_id = ANY ($1::bigint[])
    AND (o.utr = ANY ($2::text[]) OR o.late_utr = ANY ($2::text[])
        OR o.payout_id >= $3 AND o.payout_id < $4 AND o.amount_paise = ANY ($5::bigint[]))
ORDER BY o.payout_id DESC LIMIT $6
"""
SELECT_HANDOVERS = """
SELECT h.connector, h.utr, sum(h.lines)::bigint AS lines, sum(h.net_paise)::bigint AS paise FROM (
    SELECT connector, utr FROM statement_handovers WHERE utr = ANY ($1::text[])
    UNION
    SELECT near.connector, near.utr FROM statement_files f
        JOIN statement_handovers near ON near.file_id = f.file_id
    WHERE f.file_id >= $3 AND f.last_day >= $4 AND f.first_day <= $5
) AS handed JOIN statement_handovers h ON h.connector = handed.connector AND h.utr = handed.utr
GROUP BY h.connector, h.utr
HAVING h.utr = ANY ($1::text[]) OR sum(h.net_paise) = ANY ($2::bigint[])
ORDER BY max(h.file_id) DESC LIMIT $6
"""
"""By the index of UTRs, or of the files of some days; one UTR may be in several files.

A file's number tells when it was imported, which is no earlier than its days.
"""


@dataclass(frozen=True, slots=True)
class LikelyBounds:
    """What explanations are looked for by. references: RRNs or UTRs. amounts: in paise."""

    references: Sequence[str]
    amounts: Sequence[int]
    since: date
    until: date


async def attempts(
    db: Database, merchants: Collection[int], bounds: LikelyBounds
) -> list[Record] | None:
    """Return paid attempts with a reference, or with an amount in some days; None if too long."""
    return await _rows(db, SELECT_ATTEMPTS, merchants, bounds)


async def payouts(
    db: Database, merchants: Collection[int], bounds: LikelyBounds
) -> list[Record] | None:
    """Return payouts with a UTR, or with an amount in some days; None if that takes too long."""
    return await _rows(db, SELECT_PAYOUTS, merchants, bounds)


async def handovers(db: Database, bounds: LikelyBounds) -> list[Record] | None:
    """Return what acquirers say they handed over, by UTR, or by amount in files of some days.

    None if that takes too long.
    """
    named = [each for each in bounds.references if each]
    low, _ = ids_of(bounds.since, bounds.until)
    days = bounds.since, bounds.until
    values = named, list(bounds.amounts), LINE_IDS_FROM + low, *days, ROWS_MAX
    return await look(db, SELECT_HANDOVERS, *values)


async def _rows(
    db: Database, statement: str, merchants: Collection[int], bounds: LikelyBounds
) -> list[Record] | None:
    low, high = ids_of(bounds.since, bounds.until)
    named = [each for each in bounds.references if each]
    return await look(
        db, statement, list(merchants), named, low, high, list(bounds.amounts), ROWS_MAX
    )
