"""All SQL of settlements: terms, marks, items, and each day's settlement.

A collector or settler locks the merchant's mark until its transaction ends, so no two count the
same postings.
"""

from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from datetime import date, datetime
from typing import NamedTuple

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.money.ledger.rules import PostingKind
from hundi.money.settlements.rules import (
    OWN_KINDS,
    REFUND_KINDS,
    SALE_KINDS,
    BaseEvent,
    CarriedBalance,
    ItemSums,
    LinkedPart,
    SettlementKind,
    SettlementTerms,
)

STATEMENT_S_MAX = 200
"""Seconds for a statement about all items of one merchant's day.

A million take some ten seconds.
"""
ROOM = f"SET LOCAL statement_timeout = '{STATEMENT_S_MAX}s'"
COPIED_FROM = 50
"""From this number on new items are copied; fewer are inserted faster."""


def _listed(kinds: Iterable[PostingKind]) -> str:
    return ", ".join(f"'{each}'" for each in kinds)


_OWN, _SALES, _REFUNDS = _listed(OWN_KINDS), _listed(SALE_KINDS), _listed(REFUND_KINDS)

SELECT_MERCHANTS = """
SELECT m.merchant_id FROM merchants m LEFT JOIN settlement_marks k ON k.merchant_id = m.merchant_id
WHERE m.merchant_id > $1 AND ($3::date IS NULL
    OR EXISTS (SELECT FROM ledger_postings p
        WHERE p.merchant_id = m.merchant_id AND p.xact >= coalesce(k.upto_xact, '0'))
    OR NOT is_home(k.cluster, k.tableoid) OR k.upto_xact > pg_snapshot_xmin(pg_current_snapshot())
    OR EXISTS (SELECT FROM settlement_items i
        WHERE i.merchant_id = m.merchant_id AND i.settlement_id IS NULL AND i.ready_on <= $3)
    OR EXISTS (SELECT FROM settlements s WHERE s.merchant_id = m.merchant_id
        AND s.reserve_until <= $3
        AND s.reserve_until > (SELECT max(o.day) FROM settlements o
            WHERE o.merchant_id = m.merchant_id))
    OR EXISTS (SELECT FROM settlements s WHERE s.merchant_id = m.merchant_id
        AND s.settlement_no = (SELECT max(o.settlement_no) FROM settlements o
            WHERE o.merchant_id = m.merchant_id)
        AND (s.carried_paise > 0 OR s.linked_carried <> '{}')))
ORDER BY m.merchant_id LIMIT $2
"""
"""Across merchants: those with postings to collect, or items to settle on a day.

All without a day.
"""
SELECT_STATE = "SELECT state FROM merchants WHERE merchant_id = $1"

_TERMS = [each.name for each in fields(SettlementTerms)]
_TERMS_LISTED = ", ".join(_TERMS)
SELECT_TERMS = (
    f"SELECT {_TERMS_LISTED} FROM settlement_terms WHERE merchant_id = $1 ORDER BY terms_no"
)
INSERT_TERMS = f"""
INSERT INTO settlement_terms (merchant_id, {_TERMS_LISTED})
VALUES ($1, {", ".join(f"${place}" for place in range(2, len(_TERMS) + 2))})
ON CONFLICT DO NOTHING RETURNING terms_no
"""

SELECT_DIGEST = """
SELECT encode(sha256(convert_to(jsonb_build_array(extract(epoch FROM set_at), cut_off_minute,
    base_event, base_days, working_days, centre, minimum_paise, reserve_bps, reserve_days, held,
    instant_bps)::text, 'UTF8')), 'hex')
FROM settlement_terms WHERE merchant_id = $1 AND terms_no = $2
"""

MAKE_MARK = """
INSERT INTO settlement_marks (merchant_id, upto_xact, upto_id, cluster) VALUES ($1, '0', -1, '')
    ON CONFLICT DO NOTHING
"""
LOCK_MARK = "SELECT FROM settlement_marks WHERE merchant_id = $1 FOR UPDATE"
SHARE_MARK = "SELECT FROM settlement_marks WHERE merchant_id = $1 FOR SHARE"
READ_MARK = """
SELECT upto_xact::text, upto_id, cluster, pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,
    CASE WHEN cluster <> ''
        AND is_home(cluster, tableoid) THEN cluster ELSE this_home(tableoid) END AS in_cluster,
    upto_xact > pg_snapshot_xmin(pg_current_snapshot()) AS is_ahead
FROM settlement_marks WHERE merchant_id = $1
"""
"""After the lock, in a statement of its own, so that its snapshot is newer than the lock."""
MOVE_MARK = """
UPDATE settlement_marks SET upto_xact = $2::text::xid8, upto_id = $3, cluster = $4
    WHERE merchant_id = $1
"""
HAS_NEW = """
SELECT EXISTS (SELECT FROM ledger_postings WHERE merchant_id = $1
        AND xact >= coalesce((SELECT upto_xact FROM settlement_marks WHERE merchant_id = $1), '0'))
    OR EXISTS (SELECT FROM settlement_marks WHERE merchant_id = $1
        AND (NOT is_home(cluster, tableoid) OR upto_xact > pg_snapshot_xmin(pg_current_snapshot())))
"""
# Postings of one transaction and cause stay together, such as a late success and its refund.
SELECT_NEW = f"""
SELECT p.cause_id, p.kind::text AS kind, CASE p.credit
    WHEN 'payable' THEN p.amount_paise ELSE -p.amount_paise END
        AS paise,
    p.at, p.xact::text AS xact, a.method, a.card ->> 'scheme' AS network,
    a.card ->> 'type' AS card_type, a.emi_discount_paise AS discount_paise
FROM (
    SELECT * FROM ledger_postings
    WHERE merchant_id = $1 AND (xact, cause_id) > ($2::text::xid8, $3::bigint)
        AND ($4::text IS NULL OR xact < $4::text::xid8) AND 'payable' IN (debit, credit)
            AND kind NOT IN ({_OWN})
        AND NOT EXISTS (SELECT FROM settlement_items i WHERE i.merchant_id = $1
            AND i.cause_id = ledger_postings.cause_id AND i.kind = ledger_postings.kind)
    ORDER BY xact, cause_id FETCH FIRST $5 ROWS WITH TIES
) AS p LEFT JOIN attempts a ON a.merchant_id = $1 AND a.attempt_id = p.cause_id
    AND p.kind IN ({_SALES})
ORDER BY p.xact, p.cause_id, p.kind
"""
INSERT_ITEM = """
INSERT INTO settlement_items (merchant_id, cause_id, kind, at, ready_on, gross_paise, fee_paise,
    tax_paise, net_paise, rule, plan_no, terms_no)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
"""

SELECT_LAST = """
SELECT settlement_no, day, carried_paise, linked_carried FROM settlements
WHERE merchant_id = $1 ORDER BY settlement_no DESC LIMIT 1
"""
SELECT_ON = (
    "SELECT settlement_id FROM settlements WHERE merchant_id = $1 AND day = $2 AND kind = $3"
)
IS_INVOICED = "SELECT EXISTS (SELECT FROM fee_invoices WHERE merchant_id = $1 AND month = $2::date)"
SELECT_RESERVE_DUE = """
SELECT coalesce(sum(reserve_held_paise), 0)::bigint FROM settlements
WHERE merchant_id = $1 AND reserve_until > $2 AND reserve_until <= $3
"""
COUNT_WAITING = """
SELECT count(*) FROM settlement_items WHERE merchant_id = $1 AND settlement_id IS NULL
    AND ready_on <= $2
"""
SUM_READY = f"""
SELECT count(*) AS items, coalesce(sum(gross_paise) FILTER (WHERE kind IN ({_SALES})),
    0)::bigint AS gross_paise, coalesce(-sum(gross_paise) FILTER (WHERE kind IN ({_REFUNDS})),
    0)::bigint AS refunds_paise,
    coalesce(sum(gross_paise) FILTER (WHERE kind NOT IN ({_SALES}, {_REFUNDS})),
    0)::bigint AS other_paise, coalesce(sum(fee_paise), 0)::bigint AS fee_paise,
        coalesce(sum(tax_paise), 0)::bigint AS tax_paise,
        sha256(convert_to(coalesce(string_agg(concat_ws(' ', cause_id, kind,
        extract(epoch FROM at)::numeric(20, 6), ready_on, gross_paise, fee_paise, tax_paise,
        net_paise, plan_no, terms_no, rule), E'\\n'
        ORDER BY cause_id, kind), ''), 'UTF8')) AS digest
FROM settlement_items WHERE merchant_id = $1 AND settlement_id IS NULL AND ready_on <= $2
"""
HAS_SPLITS = (
    "SELECT EXISTS (SELECT FROM split_configurations WHERE merchant_id = $1 AND replaced_at IS"
    " NULL)"
)
SELECT_PARTS = f"""
SELECT p.payment_id, s.identifier, s.amount_paise, c.base_paise,
    p.captured_paise - p.refunded_paise AS left_paise
FROM settlement_items i JOIN attempts a ON a.merchant_id = $1 AND a.attempt_id = i.cause_id
    JOIN split_configurations c ON c.merchant_id = $1 AND c.payment_id = a.payment_id
        AND c.replaced_at IS NULL
    JOIN split_parts s ON s.merchant_id = $1 AND s.request_id = c.request_id
    JOIN payments p ON p.merchant_id = $1 AND p.payment_id = a.payment_id
WHERE i.merchant_id = $1 AND i.settlement_id IS NULL AND i.ready_on <= $2 AND i.kind IN ({_SALES})
    AND NOT EXISTS (SELECT FROM direct_shares d WHERE d.merchant_id = $1
        AND d.request_id = s.request_id AND d.identifier = s.identifier)
UNION ALL
SELECT p.payment_id, d.identifier, d.amount_paise, d.base_paise,
    p.captured_paise - p.refunded_paise
FROM settlement_items i JOIN direct_shares d ON d.merchant_id = $1 AND d.share_id = i.cause_id
        AND d.state IN ('refused', 'cancelled') AND d.late_at IS NULL
    JOIN split_configurations c ON c.merchant_id = $1 AND c.request_id = d.request_id
        AND c.replaced_at IS NULL
    JOIN payments p ON p.merchant_id = $1 AND p.payment_id = d.payment_id
WHERE i.merchant_id = $1 AND i.settlement_id IS NULL AND i.ready_on <= $2
    AND i.kind = 'direct_returned'
ORDER BY payment_id, identifier
"""
"""The parts of linked accounts, without those that the payment's acquirer settles or may settle.

A part that the acquirer refused, or never got, is paid with the posting that brought it back.
"""

IS_SETTLED = """
SELECT EXISTS (SELECT FROM settlement_items i JOIN attempts a ON a.merchant_id = $1
    AND a.attempt_id = i.cause_id
    WHERE i.merchant_id = $1 AND a.payment_id = $2 AND i.settlement_id IS NOT NULL)
"""


class SettlementMark(NamedTuple):
    """The mark up to which a merchant's postings were collected and transactions have ended."""

    upto_xact: str
    upto_id: int
    cluster: str
    horizon: str
    in_cluster: str
    is_ahead: bool

    @property
    def is_foreign(self) -> bool:
        """Return whether another cluster counted it, or seems to have.

        Then it means nothing here.
        """
        return self.cluster != self.in_cluster or self.is_ahead


class Item(NamedTuple):
    """One unsettled row of `settlement_items`, its columns in order."""

    merchant_id: int
    cause_id: int
    kind: str
    at: datetime
    ready_on: date
    gross_paise: int
    fee_paise: int
    tax_paise: int
    net_paise: int
    rule: str
    plan_no: int
    terms_no: int


async def merchants_after(
    db: Database, merchant_id: int, limit: int, due_on: date | None
) -> list[int]:
    """Return the next merchants with postings to collect, or items to settle on a day.

    due_on: None for all merchants.
    """
    return [
        row["merchant_id"] for row in await look(db, SELECT_MERCHANTS, merchant_id, limit, due_on)
    ]


async def is_known(db: Queries, merchant_id: int) -> bool:
    """Return whether there is such a merchant."""
    return await db.fetchval(SELECT_STATE, merchant_id) is not None


async def is_active(db: Queries, merchant_id: int) -> bool:
    """Return whether a merchant exists and is not suspended."""
    return await db.fetchval(SELECT_STATE, merchant_id) == "active"


async def terms_of(db: Queries, merchant_id: int) -> tuple[SettlementTerms, ...]:
    """Return every version of a merchant's terms, oldest first."""
    rows = await db.fetch(SELECT_TERMS, merchant_id)
    return tuple(
        SettlementTerms(**{**row, "base_event": BaseEvent(row["base_event"])}) for row in rows
    )


async def insert_terms(db: Queries, merchant_id: int, terms: SettlementTerms) -> bool:
    """Add a version; return False if another process has just added one with this number."""
    return await db.fetchval(INSERT_TERMS, merchant_id, *astuple(terms)) is not None


async def digest(source: Queries, merchant_id: int, terms_no: int) -> str:
    """Return the SHA-256 of a version of a merchant's terms, in hexadecimal."""
    return await source.fetchval(SELECT_DIGEST, merchant_id, terms_no) or ""


async def has_new(db: Database, merchant_id: int) -> bool:
    """Return whether there are postings after the mark."""
    return await db.fetchval(HAS_NEW, merchant_id)


async def lock_mark(conn: Connection, merchant_id: int) -> SettlementMark:
    """Return the merchant's mark, locked until the transaction ends."""
    await conn.execute(MAKE_MARK, merchant_id)
    await conn.execute(LOCK_MARK, merchant_id)
    row = await conn.fetchrow(READ_MARK, merchant_id)
    assert row is not None
    return SettlementMark(*row)


async def is_settled(conn: Connection, merchant_id: int, payment_id: int) -> bool:
    """Return whether a payment is in a settlement; nobody settles it until the transaction ends."""
    await conn.execute(MAKE_MARK, merchant_id)
    await conn.execute(SHARE_MARK, merchant_id)
    return bool(await conn.fetchval(IS_SETTLED, merchant_id, payment_id))


async def move_mark(
    conn: Connection, merchant_id: int, xact: str, cause_id: int, cluster: str
) -> None:
    """Move the merchant's mark to the last collected posting."""
    await conn.execute(MOVE_MARK, merchant_id, xact, cause_id, cluster)


async def new_postings(
    conn: Connection, merchant_id: int, mark: SettlementMark, limit: int
) -> list[Record]:
    """Return the postings after a mark, including all of the last cause.

    A foreign mark means nothing: then the postings without an item are returned.
    """
    marks = ("0", -1, None) if mark.is_foreign else (mark.upto_xact, mark.upto_id, mark.horizon)
    if mark.is_foreign:
        await conn.execute(ROOM)
    return await conn.fetch(SELECT_NEW, merchant_id, *marks, limit, timeout=STATEMENT_S_MAX)


async def insert_items(conn: Connection, items: Sequence[Item]) -> None:
    """Insert new items. Raises UniqueViolationError for a posting that has one."""
    if len(items) < COPIED_FROM:
        await conn.executemany(INSERT_ITEM, items)
    else:
        await conn.copy_records_to_table("settlement_items", records=items, columns=Item._fields)


async def last(conn: Queries, merchant_id: int) -> CarriedBalance:
    """Return what the merchant's last settlement left."""
    row = await conn.fetchrow(SELECT_LAST, merchant_id)
    return CarriedBalance(**row) if row else CarriedBalance()


async def reserve_due(conn: Queries, merchant_id: int, after: date, upto: date) -> int:
    """Return the reserve that is due for release after a day, up to another."""
    return await conn.fetchval(SELECT_RESERVE_DUE, merchant_id, after, upto)


async def settlement_on(
    db: Queries, merchant_id: int, day: date, kind: SettlementKind
) -> int | None:
    """Return the settlement of a day, or None."""
    return await db.fetchval(SELECT_ON, merchant_id, day, kind)


async def is_invoiced(conn: Connection, merchant_id: int, month: date) -> bool:
    """Return whether a month's fees are invoiced.

    An invoice never changes. month: its first day.
    """
    return bool(await conn.fetchval(IS_INVOICED, merchant_id, month))


async def count_waiting(db: Queries, merchant_id: int, day: date) -> int:
    """Return how many items that are ready on a day are not settled."""
    return await db.fetchval(COUNT_WAITING, merchant_id, day)


async def ready(
    conn: Connection, merchant_id: int, upto: date
) -> tuple[ItemSums, tuple[LinkedPart, ...]]:
    """Return the sums of the ready items, and the parts of linked accounts in them."""
    await conn.execute(ROOM)
    row = await conn.fetchrow(SUM_READY, merchant_id, upto, timeout=STATEMENT_S_MAX)
    assert row is not None
    parts: list[Record] = []
    if row["items"] and await conn.fetchval(HAS_SPLITS, merchant_id):
        parts = await conn.fetch(SELECT_PARTS, merchant_id, upto, timeout=STATEMENT_S_MAX)
    return ItemSums(**row), tuple(LinkedPart(**each) for each in parts)
