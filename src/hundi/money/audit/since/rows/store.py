"""Pieces of queries that find rows of some days: by seals, by numbers, and one by one.

A query of which they are parts begins with `owners_of`.
"""

OPEN = "'infinity'::date"
"""The end of days that go on."""
# Rows of a merchant that is not there have an owner, too: found by one step in an index for each.
_OF_TABLE = """
    (WITH RECURSIVE steps AS (
        SELECT min(merchant_id) AS merchant_id FROM public.{0} WHERE merchant_id >= {1}
        UNION ALL SELECT (SELECT min(t.merchant_id) FROM public.{0} t
            WHERE t.merchant_id > steps.merchant_id) FROM steps WHERE merchant_id IS NOT NULL
    ) SELECT merchant_id FROM steps WHERE merchant_id IS NOT NULL)"""
_LOWEST = -(2**63)
# News of leads, which are below zero, are read whole.
_OWNED = {
    **dict.fromkeys(
        (
            "payment_events",
            "ledger_postings",
            "chain_links",
            "settlements",
            "settlement_items",
            "settlement_shares",
            "payments",
            "attempts",
            "refunds",
            "completions",
            "split_configurations",
            "endpoint_deliveries",
            "chain_blocks",
        ),
        _LOWEST,
    ),
    "deliveries": 0,
    "delivery_attempts": 0,
}
OWNERS = f"""
SELECT merchant_id FROM public.merchants
UNION {" UNION ".join(_OF_TABLE.format(*each) for each in _OWNED.items())}
"""
"""Every merchant with a row that some days may have: found once for all checks."""
_FIRST_XACT, _LAST_XACT = "'0'", "'18446744073709551615'"
_NO_END = 2**31
# A block says how far its book was sealed at the end of a day: what follows in the index of each
# merchant's tail is newer. Marks of another cluster say nothing here, nor do those of this one if
# the books were elsewhere since: what was written there counts from another beginning. The blocks
# are read once for all checks: a book may have one for every five minutes.
_SEALED = """(
    SELECT block_no, upto_id AS id, upto_xact AS xact, is_home(cluster, tableoid) AS is_home
    FROM public.chain_blocks b WHERE b.merchant_id = k.merchant_id AND b.book = k.book
        AND b.block_no < coalesce({first}, {none}) ORDER BY block_no DESC LIMIT 1
)"""
_BOOKS = "('events'), ('postings'), ('settlements')"
MARKS = f"""
WITH firsts AS MATERIALIZED (
    SELECT merchant_id, book, min(since_no) AS since_no, min(end_no) AS end_no,
        coalesce(bool_or(NOT is_home) FILTER (WHERE since_no IS NOT NULL), false) AS was_away,
        coalesce(bool_or(NOT is_home) FILTER (WHERE end_no IS NOT NULL), false) AS is_away
    FROM (
        SELECT merchant_id, book, is_home(cluster, place), since_no, end_no FROM (
            SELECT merchant_id, book, cluster, tableoid AS place,
                min(block_no) FILTER (WHERE day >= $1::date) AS since_no,
                min(block_no) FILTER (WHERE day >= $2::date AND $2 < {OPEN}) AS end_no
            FROM public.chain_blocks GROUP BY 1, 2, 3, 4
        ) AS of_clusters
    ) AS of_homes GROUP BY 1, 2
),
books AS MATERIALIZED (
    SELECT merchant_id, book FROM unnest($3::bigint[]) AS o (merchant_id)
        CROSS JOIN (VALUES {_BOOKS}) AS b (book)
    UNION SELECT merchant_id, book FROM firsts
)
SELECT k.merchant_id, k.book,
    CASE WHEN $1 = '-infinity'::date THEN 0
        ELSE coalesce(k.since_no, s.block_no + 1, 1) END::bigint AS since_no,
    CASE WHEN s.is_home AND NOT was_away THEN s.xact ELSE {_FIRST_XACT}::xid8 END::text
        AS since_xact,
    coalesce(s.id, {-(2**63)}) AS since_id,
    CASE WHEN $2 = {OPEN} THEN {_NO_END} ELSE coalesce(k.end_no, e.block_no + 1, 1) END::bigint
        AS end_no,
    CASE WHEN $2 = {OPEN} THEN {_LAST_XACT}::xid8 WHEN e.block_no IS NULL THEN {_FIRST_XACT}::xid8
        WHEN e.is_home AND NOT is_away THEN e.xact ELSE {_LAST_XACT}::xid8 END::text AS end_xact,
    coalesce(e.id, {-(2**63)}) AS end_id
FROM (
    SELECT merchant_id, book, since_no, end_no, coalesce(was_away, false) AS was_away,
        coalesce(is_away, false) AS is_away
    FROM books LEFT JOIN firsts USING (merchant_id, book)
) AS k LEFT JOIN LATERAL {_SEALED.format(first="k.since_no", none=_NO_END)} AS s ON true
    LEFT JOIN LATERAL {_SEALED.format(first="k.end_no", none=_NO_END)} AS e ON true
"""
"""Each book's first block of some days, the first after them, and how far the ones before seal.

$1, $2: the first day, and the first after the last. $3: every merchant.
"""
# OFFSET 0 keeps a lookup by index, which needs a nested loop, apart from the joins of a check: an
# audit has none there, because a misjudged one takes hours.
_NEWER = """(
    SELECT t.* FROM marks m CROSS JOIN LATERAL (SELECT * FROM public.{table} t
        WHERE m.book = '{book}' AND t.merchant_id = m.merchant_id
            AND (t.xact, t.{id}) > (m.since_xact, m.since_id)
            AND ((t.xact, t.{id}) <= (m.end_xact, m.end_id) OR m.end_xact = {last}::xid8)
        OFFSET 0) AS t
)"""
_LOOKED_UP = """(
    SELECT t.* FROM {rows} AS r CROSS JOIN LATERAL (SELECT * FROM public.{table} t
        WHERE t.merchant_id = r.merchant_id AND t.{its} = r.{own} OFFSET 0) AS t
)"""


def given_by(first: int) -> str:
    """Return the beginning of a query: every merchant, and the marks of all books.

    first: the number of the first of its parameters, which hold what `OWNERS` and `MARKS` find.
    """
    marks = ", ".join(
        f"${first + number}::{kind}[]"
        for number, kind in enumerate(
            ("bigint", "text", "bigint", "text", "bigint", "bigint", "text", "bigint"), 1
        )
    )
    return f"""owners AS MATERIALIZED (
        SELECT * FROM unnest(${first}::bigint[]) AS o (merchant_id)),
    marks AS MATERIALIZED (
        SELECT merchant_id, book, since_no, since_xact::xid8, since_id, end_no, end_xact::xid8,
            end_id
        FROM unnest({marks}) AS m (merchant_id, book, since_no, since_xact, since_id, end_no,
            end_xact, end_id))"""


def newer(book: str, table: str, name: str) -> str:
    """Return the rows of a book that were sealed in the days, or are not sealed yet."""
    return _NEWER.format(book=book, table=table, id=name, last=_LAST_XACT)


def looked_up(rows: str, table: str, own: str, its: str) -> str:
    """Return the rows of a table whose column `its` is the column `own` of others, one by one."""
    return _LOOKED_UP.format(rows=rows, table=table, own=own, its=its)


# Most rows of some days have a number of these days: an index has them side by side. Only the
# others are looked up, one by one.
_NUMBERED = """(
    SELECT t.* FROM owners m CROSS JOIN LATERAL (SELECT * FROM public.{table} t
        WHERE t.merchant_id = m.merchant_id AND {where} OFFSET 0) AS t
)"""


def within(column: str, ends: tuple[str, str]) -> str:
    """Return the condition that a number is of the days. ends: the first and the last of them."""
    return f"{column} BETWEEN {ends[0]}::bigint AND {ends[1]}::bigint"


def numbered(table: str, column: str, ends: tuple[str, str], also: str = "true") -> str:
    """Return the rows whose number is of the days. also: another condition, by the name `t`."""
    where = f"{within(f't.{column}', ends)} AND {also}"
    return _NUMBERED.format(table=table, where=where)


def either_way(
    table: str, column: str, ends: tuple[str, str], others: str, own: str, also: str = "true"
) -> str:
    """Return the rows whose number is of the days, and of `others` those with another.

    also: a condition on all of them, by the name `t`.
    """
    older = f"(SELECT * FROM {others} AS o WHERE NOT {within(own, ends)})"
    return f"""({numbered(table, column, ends, also)}
        UNION ALL SELECT * FROM {looked_up(older, table, own, column)} AS t WHERE {also})"""


_OF_BLOCKS = """(
    SELECT t.* FROM marks m CROSS JOIN LATERAL (SELECT *{also} FROM public.{table} t
        WHERE t.merchant_id = m.merchant_id AND t.book = m.book
            AND t.block_no >= m.since_no{before} AND t.block_no < m.end_no
        OFFSET 0) AS t
)"""
LINKS = _OF_BLOCKS.format(table="chain_links", also="", before="")
"""The links of the days' blocks; the last days have those beyond the newest block, too."""
BLOCKS = _OF_BLOCKS.format(table="chain_blocks", also=", t.tableoid", before=" - 1")
"""The blocks of the days, and the one before them in each book."""
NEWEST_BLOCKS = """(
    SELECT t.* FROM marks m CROSS JOIN LATERAL (SELECT *, t.tableoid FROM public.chain_blocks t
        WHERE t.merchant_id = m.merchant_id AND t.book = m.book
        ORDER BY t.block_no DESC LIMIT 1) AS t
)"""
