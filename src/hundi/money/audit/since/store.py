"""What an audit of some days reads: the payments that changed, and fewer rows of each table.

A check names tables. For an audit of some days, a prefix to its query defines the same names with
fewer rows, as the prefix for the archive defines them with more. `public.` before a name means the
whole table.

A prefix is right if the rows that it leaves out have all their partners left out with them: a
payment comes with everything of it or not at all, and so does a settlement. Checks that look for
work that nobody continues read everything, because nothing happens to what they look for.

Days that follow each other leave out nothing: a row that no day's seal covers belongs to the days
of its number, and what is not sealed yet to the last ones.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time

from hundi.infra.postgres.database import Connection
from hundi.kernel.clock import INDIA
from hundi.kernel.ids import first_id
from hundi.money.audit.parts.rules import BEGINNING, Days
from hundi.money.audit.rules import Violation

STATEMENT_S_MAX = 600
_ID_MAX = 2**63 - 1
_OPEN = "'infinity'::date"
"""The end of days that go on."""
# Rows of a merchant that is not there have an owner, too: found by one step in an index for each.
_OF_TABLE = """
    (WITH RECURSIVE steps AS (
        SELECT min(merchant_id) AS merchant_id FROM public.{0}
        UNION ALL SELECT (SELECT min(t.merchant_id) FROM public.{0} t
            WHERE t.merchant_id > steps.merchant_id) FROM steps WHERE merchant_id IS NOT NULL
    ) SELECT merchant_id FROM steps WHERE merchant_id IS NOT NULL)"""
_OWNED = ("payment_events", "ledger_postings", "chain_links", "settlements", "payments")
_OWNERS = f"""owners AS MATERIALIZED (
    SELECT merchant_id FROM public.merchants
    UNION {" UNION ".join(map(_OF_TABLE.format, _OWNED))}
)"""
# A block says how far its book was sealed at the end of a day: what follows in the index of each
# merchant's tail is newer. Marks of another cluster say nothing here, nor do those of this one if
# the books were elsewhere since: what was written there counts from another beginning.
_SEALED = """(
    SELECT m.merchant_id, coalesce(b.id, -9223372036854775808) AS id,
        CASE WHEN b.merchant_id IS NULL THEN '0'::xid8 WHEN b.is_home AND NOT EXISTS (
            SELECT FROM public.chain_blocks later WHERE later.merchant_id = m.merchant_id
                AND later.book = '{book}' AND later.day >= {day}
                AND NOT is_home(later.cluster, later.tableoid))
        THEN b.xact ELSE {unknown}::xid8 END AS xact
    FROM owners m LEFT JOIN (
        SELECT DISTINCT ON (merchant_id) merchant_id, upto_id AS id, upto_xact AS xact,
            is_home(cluster, tableoid) AS is_home
        FROM public.chain_blocks k WHERE book = '{book}' AND day < {day} AND NOT EXISTS (
            SELECT FROM public.chain_blocks earlier WHERE earlier.merchant_id = k.merchant_id
                AND earlier.book = '{book}' AND earlier.block_no < k.block_no
                AND earlier.day >= {day})
        ORDER BY merchant_id, block_no DESC
    ) AS b USING (merchant_id)
)"""
_FIRST_XACT, _LAST_XACT = "'0'", "'18446744073709551615'"
# OFFSET 0 keeps a lookup by index, which needs a nested loop, apart from the joins of a check: an
# audit has none there, because a misjudged one takes hours.
_NEWER = """(
    SELECT t.* FROM {since} AS sealed JOIN {before} AS ended USING (merchant_id)
    CROSS JOIN LATERAL (SELECT * FROM public.{table} t
        WHERE t.merchant_id = sealed.merchant_id AND (t.xact, t.{id}) > (sealed.xact, sealed.id)
            AND ({end} = {open} OR (t.xact, t.{id}) <= (ended.xact, ended.id)
                OR ended.xact = {last}::xid8)
        OFFSET 0) AS t
)"""
_LOOKED_UP = """(
    SELECT t.* FROM {rows} AS r CROSS JOIN LATERAL (SELECT * FROM public.{table} t
        WHERE t.merchant_id = r.merchant_id AND t.{its} = r.{own} OFFSET 0) AS t
)"""


def _newer(book: str, table: str, name: str, day: str, end: str) -> str:
    """Return the rows that were sealed from a day on and before another, or are not sealed yet."""
    since = _SEALED.format(book=book, day=day, unknown=_FIRST_XACT)
    before = _SEALED.format(book=book, day=end, unknown=_LAST_XACT)
    return _NEWER.format(
        since=since, before=before, table=table, id=name, end=end, open=_OPEN, last=_LAST_XACT
    )


def _looked_up(rows: str, table: str, own: str, its: str) -> str:
    return _LOOKED_UP.format(rows=rows, table=table, own=own, its=its)


# A row whose events or payment somebody deleted is read with the days of its number.
_MADE = """
    UNION SELECT t.merchant_id, t.payment_id FROM owners m CROSS JOIN LATERAL (
        SELECT merchant_id, payment_id FROM public.{table} t WHERE t.merchant_id = m.merchant_id
            AND t.payment_id >= $3 AND t.payment_id <= $4 OFFSET 0) AS t"""
_WITH_PAYMENT = (
    "delivery_attempts",
    "endpoint_deliveries",
    "payments",
    "payment_events",
    "attempts",
    "refunds",
    "completions",
    "deliveries",
    "split_configurations",
)
_LINKS = """(
    SELECT l.* FROM (
        SELECT merchant_id, book, block_no FROM public.chain_blocks
        WHERE day >= {day} AND (day < {end} OR {end} = 'infinity'::date)
    ) AS b CROSS JOIN LATERAL (SELECT * FROM public.chain_links l
        WHERE l.merchant_id = b.merchant_id AND l.book = b.book AND l.block_no = b.block_no
        OFFSET 0) AS l
)"""


# A refund may have the number of an attempt of another payment: a posting and a link do not say of
# which of them they are, so both payments come.
CHANGED = f"""
WITH {_OWNERS},
posted AS MATERIALIZED {_newer("postings", "ledger_postings", "cause_id", "$1", "$2")},
moved AS MATERIALIZED (
    SELECT merchant_id, payment_id
        FROM {_newer("events", "payment_events", "payment_id", "$1", "$2")} AS e
    UNION SELECT merchant_id, payment_id
        FROM {_looked_up("posted", "attempts", "cause_id", "attempt_id")} AS a
    UNION SELECT merchant_id, payment_id
        FROM {_looked_up("posted", "refunds", "cause_id", "refund_id")} AS r
    UNION SELECT merchant_id, id FROM {_LINKS.format(day="$1", end="$2")} AS l
        WHERE book = 'events'
    {"".join(_MADE.format(table=table) for table in _WITH_PAYMENT)}
),
tried AS MATERIALIZED {_looked_up("moved", "attempts", "payment_id", "payment_id")},
refunded AS MATERIALIZED {_looked_up("moved", "refunds", "payment_id", "payment_id")}
SELECT merchant_id, payment_id FROM moved
UNION SELECT merchant_id, payment_id
    FROM {_looked_up("tried", "refunds", "attempt_id", "refund_id")} AS r
UNION SELECT merchant_id, payment_id
    FROM {_looked_up("refunded", "attempts", "refund_id", "attempt_id")} AS a
"""
NEWEST_ROOT = "SELECT max(day) FROM chain_roots"
OLDEST_BLOCK = """
SELECT encode(hash, 'hex') FROM chain_blocks ORDER BY sealed_at, merchant_id, book, block_no LIMIT 1
"""

# Links and archived links of a day tell how much of the books the audit of the day reads.
DAYS = """
SELECT day, sum(b.links - coalesce(a.links, 0))::bigint AS links
FROM chain_blocks b LEFT JOIN archived_links a USING (merchant_id, book, block_no)
GROUP BY day ORDER BY day
"""

# What every prefix is made of. $1: now. $2, $3: the payments that changed, with their merchants.
# $4, $6: the first business day, and the first after the last. $5, $7: the lowest id of each.
_GIVEN = f"""{_OWNERS},
    given AS (SELECT $1::timestamptz AS now, $4::date AS day, $5::bigint AS first_id,
        $6::date AS before, $7::bigint AS end_id),
    changed AS MATERIALIZED (
        SELECT * FROM unnest($2::bigint[], $3::bigint[]) AS c (merchant_id, payment_id))"""
_OF_CHANGED = _looked_up("changed", "{0}", "payment_id", "payment_id")
_WITH_LEADS = f"({_OF_CHANGED} UNION ALL SELECT * FROM public.{{0}} WHERE merchant_id < 0)"
_CAUSES = f"""(
    SELECT merchant_id, attempt_id AS cause_id FROM {_OF_CHANGED.format("attempts")} AS a
    UNION SELECT merchant_id, refund_id FROM {_OF_CHANGED.format("refunds")} AS r
    UNION SELECT merchant_id, cause_id
        FROM {_newer("postings", "ledger_postings", "cause_id", "$4::date", "$6::date")} AS p
)"""

OF_PAYMENTS: Mapping[str, str] = {
    **{
        name: _OF_CHANGED.format(name)
        for name in (
            "payments",
            "attempts",
            "payment_events",
            "completions",
            "refunds",
            "split_configurations",
            "endpoint_deliveries",
            "endpoint_tries",
        )
    },
    "deliveries": _WITH_LEADS.format("deliveries"),
    "delivery_attempts": _WITH_LEADS.format("delivery_attempts"),
    "split_parts": _looked_up(
        _OF_CHANGED.format("split_configurations"), "split_parts", "request_id", "request_id"
    ),
    # An answer of no refund is there by its time; any other comes with its refund, which may be
    # sealed after midnight.
    "refund_requests": f"""(SELECT q.* FROM public.refund_requests q JOIN
        {_OF_CHANGED.format("refunds")} AS f USING (merchant_id, refund_id)
        UNION SELECT * FROM public.refund_requests
            WHERE at >= $4::date::timestamp AT TIME ZONE 'Asia/Kolkata'
                AND (at < $6::date::timestamp AT TIME ZONE 'Asia/Kolkata' OR $6::date = {_OPEN})
                AND (SELECT true FROM public.refunds f
                    WHERE f.merchant_id = refund_requests.merchant_id
                    AND f.refund_id = refund_requests.refund_id LIMIT 1) IS NULL)""",
    # A newer posting is there whatever caused it, and with it the older ones of its cause: a payout
    # that left before the day and arrived on it has one of each.
    "ledger_postings": _looked_up(_CAUSES, "ledger_postings", "cause_id", "cause_id"),
}
"""The rows of payments that changed, and of every table that tells something of them."""

_OF_DAYS = """(
    SELECT t.* FROM owners m CROSS JOIN LATERAL (SELECT * FROM public.{0} t
        WHERE t.merchant_id = m.merchant_id AND t.settlement_id >= $5::bigint
            AND t.settlement_id <= $7::bigint OFFSET 0) AS t
)"""
_ITEMS = f"""FROM (
    SELECT * FROM {_OF_DAYS.format("settlement_items")} AS settled
    UNION ALL SELECT * FROM public.settlement_items WHERE settlement_id IS NULL
        AND $6::date = {_OPEN}
) AS items"""
_ITEM_CAUSES = f"(SELECT DISTINCT merchant_id, cause_id {_ITEMS})"

OF_ITEMS: Mapping[str, str] = {
    name: _looked_up(_ITEM_CAUSES, name, "cause_id", cause)
    for name, cause in (
        ("settlement_items", "cause_id"),
        ("attempts", "attempt_id"),
        ("ledger_postings", "cause_id"),
    )
}
"""Items that were settled in the days, or wait at their end, with what has the same cause."""
OF_SETTLEMENTS: Mapping[str, str] = {
    **{name: _OF_DAYS.format(name) for name in ("settlements", "settlement_shares")},
    "settlement_items": f"(SELECT * {_ITEMS})",
}
"""Settlements of the days, with their items and shares."""

# The last days have the links beyond the newest block, too: a link of none there has no day.
_NEW_LINKS = f"""(
    SELECT * FROM {_LINKS.format(day="$4::date", end="$6::date")} AS of_blocks
    UNION ALL SELECT l.* FROM owners m
    CROSS JOIN (VALUES ('events'), ('postings'), ('settlements')) AS b (book)
    CROSS JOIN LATERAL (SELECT coalesce(max(block_no), 0) AS newest FROM public.chain_blocks k
        WHERE k.merchant_id = m.merchant_id AND k.book = b.book OFFSET 0) AS k
    CROSS JOIN LATERAL (SELECT * FROM public.chain_links l WHERE $6::date = {_OPEN}
        AND l.merchant_id = m.merchant_id AND l.book = b.book AND l.block_no > k.newest
        OFFSET 0) AS l
)"""
_POSTED = "(SELECT DISTINCT merchant_id, cause_id FROM ledger_postings)"
# A settlement may be sealed on another day than it was made.
_SETTLED = f"""(
    SELECT merchant_id, settlement_id FROM {_OF_DAYS.format("settlements")} AS made
    UNION SELECT merchant_id, settlement_id
        FROM {_newer("settlements", "settlements", "settlement_id", "$4::date", "$6::date")} AS s
    UNION SELECT merchant_id, id FROM {_NEW_LINKS} AS l WHERE book = 'settlements'
)"""
OF_SEALED: Mapping[str, str] = {
    **OF_PAYMENTS,
    **{
        name: _looked_up(_SETTLED, name, "settlement_id", "settlement_id")
        for name in ("settlements", "settlement_shares")
    },
    # What was sealed since, and all links of what is read: a row without one was inserted.
    "chain_links": f"""({_NEW_LINKS}
        UNION SELECT * FROM {_looked_up("changed", "chain_links", "payment_id", "id")} AS l
            WHERE book = 'events'
        UNION SELECT * FROM {_looked_up(_POSTED, "chain_links", "cause_id", "id")} AS l
            WHERE book = 'postings'
        UNION SELECT * FROM {_looked_up(_SETTLED, "chain_links", "settlement_id", "id")} AS l
            WHERE book = 'settlements')""",
}
"""What was sealed in the days, and every row and link of payments that changed."""
OF_CHAIN: Mapping[str, str] = {
    "chain_links": _NEW_LINKS,
    # Blocks of other days count as moved away: they must follow each other, and are not hashed.
    "archived_links": f"""(SELECT merchant_id, book, block_no, links::bigint AS links
            FROM public.chain_blocks WHERE day < $4::date OR day >= $6::date AND $6::date < {_OPEN}
        UNION ALL SELECT a.merchant_id, a.book, a.block_no, a.links FROM public.archived_links a
            JOIN public.chain_blocks b USING (merchant_id, book, block_no)
            WHERE b.day >= $4::date AND (b.day < $6::date OR $6::date = {_OPEN}))""",
}
"""Blocks of the days with their links, and the others without."""

_V = Violation
SCOPES: Mapping[Violation, Mapping[str, str]] = {
    **dict.fromkeys(
        (
            _V.POSTING_MISSING,
            _V.POSTING_DIFFERS,
            _V.POSTING_ORPHAN,
            _V.CAUSE_MISSING,
            _V.SECOND_SUCCESS,
            _V.PAYMENT_STATE_DIFFERS,
            _V.PAID_AMOUNT_DIFFERS,
            _V.EVENT_GAP,
            _V.EVENT_ORPHAN,
            _V.EVENT_STATE_DIFFERS,
            _V.CAPTURED_DIFFERS,
            _V.COMPLETION_DIFFERS,
            _V.SPLIT_DIFFERS,
            _V.REFUNDED_DIFFERS,
            _V.REFUND_POSTING_DIFFERS,
            _V.ANSWER_DIFFERS,
            _V.DELIVERY_MISSING,
            _V.DELIVERY_ORPHAN,
            _V.DELIVERY_UNPROVEN,
            _V.DELIVERY_FACTS_DIFFER,
            _V.EVENT_DIFFERS,
            _V.LATE_MONEY_DIFFERS,
            _V.ATTEMPT_UNEXPLAINED,
        ),
        OF_PAYMENTS,
    ),
    **dict.fromkeys((_V.ITEM_DIFFERS, _V.FEE_DIFFERS, _V.FEE_RULE_DIFFERS), OF_ITEMS),
    _V.SETTLEMENT_DIFFERS: OF_SETTLEMENTS,
    _V.SEALED_ROW_DIFFERS: OF_SEALED,
    _V.CHAIN_BROKEN: OF_CHAIN,
}
"""The checks that read less in an audit of some days, with what they read of each table."""


def narrowed(violation: Violation, query: str) -> str:
    """Return a check's query over what changed; the whole query where the check has no scope."""
    scope = SCOPES.get(violation)
    if scope is None:
        return query
    tables = [name for name in scope if re.search(rf"(?<![\w.']){name}\b(?!')", query)]
    parts = [_GIVEN, *(f"{name} AS MATERIALIZED {scope[name]}" for name in tables)]
    return f"WITH {', '.join(parts)} {query}"


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed in some business days.

    days: the days. merchants, payments: the payments that changed, side by side.
    """

    days: Days
    merchants: list[int]
    payments: list[int]

    def values(self, now: datetime) -> tuple[object, ...]:
        """Return the parameters of a narrowed query."""
        days = self.days
        ends = (_since(days), _first_id(days.since), _end(days), _end_id(days))
        return now, self.merchants, self.payments, *ends


async def changes(conn: Connection, days: Days) -> Changes:
    """Return what changed in some business days."""
    ends = (_since(days), _end(days), _first_id(days.since), _end_id(days))
    rows = await conn.fetch(CHANGED, *ends, timeout=STATEMENT_S_MAX)
    return Changes(days, [row["merchant_id"] for row in rows], [row["payment_id"] for row in rows])


def _end(days: Days) -> date:
    return days.before or date.max  # which the driver writes as infinity


def _end_id(days: Days) -> int:
    return _first_id(days.before) - 1 if days.before else _ID_MAX


def _since(days: Days) -> date:
    return date.min if days.since == BEGINNING else days.since  # as -infinity


def _first_id(day: date) -> int:
    if day <= BEGINNING:
        return -(2**63)
    return first_id(datetime.combine(day, time(), INDIA))


async def links_by_day(conn: Connection) -> list[tuple[date, int]]:
    """Return how many rows each sealed day has outside the archive, oldest first."""
    return [(day, links) for day, links in await conn.fetch(DAYS, timeout=STATEMENT_S_MAX)]


async def newest_root(conn: Connection) -> date | None:
    """Return the business day of the newest signed root, None if there is none."""
    return await conn.fetchval(NEWEST_ROOT, timeout=STATEMENT_S_MAX)


async def oldest_block(conn: Connection) -> str:
    """Return the hash of the oldest block in hexadecimal, "" if there is none."""
    return await conn.fetchval(OLDEST_BLOCK, timeout=STATEMENT_S_MAX) or ""
