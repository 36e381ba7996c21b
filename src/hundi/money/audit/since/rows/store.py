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


def owners_of(merchants: str) -> str:
    """Return the beginning of a query. merchants: its parameter with all that `OWNERS` finds."""
    return f"""owners AS MATERIALIZED (
        SELECT * FROM unnest({merchants}::bigint[]) AS o (merchant_id))"""


def newer(book: str, table: str, name: str, day: str, end: str) -> str:
    """Return the rows that were sealed from a day on and before another, or are not sealed yet."""
    since = _SEALED.format(book=book, day=day, unknown=_FIRST_XACT)
    before = _SEALED.format(book=book, day=end, unknown=_LAST_XACT)
    return _NEWER.format(
        since=since, before=before, table=table, id=name, end=end, open=OPEN, last=_LAST_XACT
    )


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


_LINKS = """(
    SELECT l.* FROM (
        SELECT merchant_id, book, block_no FROM public.chain_blocks
        WHERE day >= {day} AND (day < {end} OR {end} = 'infinity'::date)
    ) AS b CROSS JOIN LATERAL (SELECT * FROM public.chain_links l
        WHERE l.merchant_id = b.merchant_id AND l.book = b.book AND l.block_no = b.block_no
        OFFSET 0) AS l
)"""


def links_of(day: str, end: str) -> str:
    """Return the links of the blocks from a day on and before another."""
    return _LINKS.format(day=day, end=end)
