"""What an audit of some days reads: the payments that changed.

Days that follow each other leave out nothing: a row that no day's seal covers belongs to the days
of its number, and what is not sealed yet to the last ones.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time

from hundi.infra.postgres.database import Connection
from hundi.kernel.clock import INDIA
from hundi.kernel.ids import first_id
from hundi.money.audit.parts.rules import BEGINNING, Days
from hundi.money.audit.since.rows.store import (
    LINKS,
    MARKS,
    OWNERS,
    either_way,
    given_by,
    looked_up,
    newer,
    numbered,
    within,
)

STATEMENT_S_MAX = 600
_ID_MAX = 2**63 - 1
_MARK_COLUMNS = 8
_ROWS_AT_ONCE = 5_000
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
_ENDS = ("$1", "$2")
# A row whose events or payment somebody deleted is read with the days of its number. So is a
# payment with an attempt or a refund of such a number: its postings are.
_MADE = "".join(
    f"""
    UNION SELECT merchant_id, payment_id FROM {numbered(table, column, _ENDS)} AS made"""
    for table, column in (
        *((table, "payment_id") for table in _WITH_PAYMENT),
        ("attempts", "attempt_id"),
        ("refunds", "refund_id"),
    )
)


def _others(table: str, column: str) -> str:
    """Return attempts or refunds of what moved whose own number is not of the days."""
    rows = either_way(table, "payment_id", _ENDS, "moved", "payment_id")
    return f"(SELECT * FROM {rows} AS t WHERE NOT {within(column, _ENDS)})"


# The payments of one that share the number of its attempts or refunds with it: very few.
_SHARING = """(
        SELECT o.payment_id FROM (SELECT {number} FROM public.{table} t
            WHERE t.merchant_id = s.merchant_id AND t.payment_id = s.payment_id OFFSET 0) AS t
        CROSS JOIN LATERAL (SELECT payment_id FROM public.{others} o
            WHERE o.merchant_id = s.merchant_id AND o.{its} = t.{number} OFFSET 0) AS o
    )"""
_OF_TRIED = _SHARING.format(
    table="attempts", number="attempt_id", others="refunds", its="refund_id"
)
_OF_REFUNDED = _SHARING.format(
    table="refunds", number="refund_id", others="attempts", its="attempt_id"
)


# A refund may have the number of an attempt of another payment: a posting and a link do not say of
# which of them they are, so both payments come, and those that share a number with these.
CHANGED = f"""
WITH RECURSIVE {given_by(3)},
posted AS MATERIALIZED (
    SELECT * FROM {newer("postings", "ledger_postings", "cause_id")} AS newer
    WHERE NOT {within("cause_id", _ENDS)}
),
moved AS MATERIALIZED (
    SELECT merchant_id, payment_id
        FROM {newer("events", "payment_events", "payment_id")} AS e
    UNION SELECT merchant_id, payment_id
        FROM {looked_up("posted", "attempts", "cause_id", "attempt_id")} AS a
    UNION SELECT merchant_id, payment_id
        FROM {looked_up("posted", "refunds", "cause_id", "refund_id")} AS r
    UNION SELECT merchant_id, id FROM {LINKS} AS l WHERE book = 'events'
    {_MADE}
),
tried AS MATERIALIZED {_others("attempts", "attempt_id")},
refunded AS MATERIALIZED {_others("refunds", "refund_id")},
sharing AS (
    SELECT * FROM (
        SELECT merchant_id, payment_id::bigint
            FROM {looked_up("tried", "refunds", "attempt_id", "refund_id")} AS r
        UNION SELECT merchant_id, payment_id
            FROM {looked_up("refunded", "attempts", "refund_id", "attempt_id")} AS a
    ) AS nearest
    UNION SELECT s.merchant_id, next.payment_id FROM sharing s CROSS JOIN LATERAL (
        {_OF_TRIED}
        UNION ALL {_OF_REFUNDED}
    ) AS next
)
SELECT merchant_id, payment_id FROM moved UNION SELECT merchant_id, payment_id FROM sharing
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


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed in some business days.

    days: the days. owners: every merchant. marks: the columns of `MARKS`. merchants, payments: the
    payments that changed, side by side.
    """

    days: Days
    owners: list[int]
    marks: Sequence[list[object]]
    merchants: Sequence[int]
    payments: Sequence[int]

    @property
    def books(self) -> tuple[Sequence[object], Sequence[object]]:
        """Return the merchant and the name of each book, side by side."""
        return self.marks[0], self.marks[1]

    def values(self, now: datetime) -> tuple[object, ...]:
        """Return the parameters of a narrowed query."""
        days = self.days
        ends = (_since(days), _first_id(days.since), _end(days), _end_id(days))
        return now, self.merchants, self.payments, *ends, self.owners, *self.marks


async def changes(conn: Connection, days: Days) -> Changes:
    """Return what changed in some business days."""
    found = await conn.fetch(OWNERS, timeout=STATEMENT_S_MAX)
    owners = [row["merchant_id"] for row in found]
    books = await conn.fetch(MARKS, _since(days), _end(days), owners, timeout=STATEMENT_S_MAX)
    marks = [[row[column] for row in books] for column in range(_MARK_COLUMNS)]
    ids = (_first_id(days.since), _end_id(days))
    # As numbers of 8 bytes, and read a few at once: a part has half a million payments.
    merchants, payments = array("q"), array("q")
    cursor = await conn.cursor(CHANGED, *ids, owners, *marks, timeout=STATEMENT_S_MAX)
    while rows := await cursor.fetch(_ROWS_AT_ONCE, timeout=STATEMENT_S_MAX):
        merchants.extend(row[0] for row in rows)
        payments.extend(row[1] for row in rows)
    return Changes(days, owners, marks, merchants, payments)


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
