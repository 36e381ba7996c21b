"""What each check reads in an audit of some days: fewer rows of the tables that it names.

A check names tables. For an audit of some days, a prefix to its query defines the same names with
fewer rows, as the prefix for the archive defines them with more. `public.` before a name means the
whole table.

A prefix is right if the rows that it leaves out have all their partners left out with them: a
payment comes with everything of it or not at all, and so does a settlement. Checks that look for
work that nobody continues read everything, because nothing happens to what they look for.
"""

import re
from collections.abc import Mapping

from hundi.money.audit.rules import Violation
from hundi.money.audit.since.rows.store import (
    BLOCKS,
    LINKS,
    NEWEST_BLOCKS,
    OPEN,
    either_way,
    given_by,
    looked_up,
    newer,
    numbered,
)

# What every prefix is made of. $1: now. $2, $3: the payments that changed, with their merchants.
# $4, $6: the first business day, and the first after the last. $5, $7: the lowest id of each. $8 to
# $16: every merchant, and the marks of all books.
_GIVEN = f"""{given_by(8)},
    given AS (SELECT $1::timestamptz AS now, $4::date AS day, $5::bigint AS first_id,
        $6::date AS before, $7::bigint AS end_id),
    changed AS MATERIALIZED (
        SELECT * FROM unnest($2::bigint[], $3::bigint[]) AS c (merchant_id, payment_id))"""
_IDS = ("$5", "$7")


def _of_changed(table: str) -> str:
    return either_way(table, "payment_id", _IDS, "changed", "payment_id")


def _with_leads(table: str) -> str:
    return f"""(SELECT * FROM {_of_changed(table)} AS t WHERE merchant_id >= 0
        UNION ALL SELECT * FROM public.{table} WHERE merchant_id < 0)"""


_CAUSES = f"""(
    SELECT merchant_id, attempt_id AS cause_id FROM {_of_changed("attempts")} AS a
    UNION SELECT merchant_id, refund_id FROM {_of_changed("refunds")} AS r
    UNION SELECT merchant_id, cause_id
        FROM {newer("postings", "ledger_postings", "cause_id")} AS p
)"""

OF_PAYMENTS: Mapping[str, str] = {
    **{
        name: _of_changed(name)
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
    "deliveries": _with_leads("deliveries"),
    "delivery_attempts": _with_leads("delivery_attempts"),
    "split_parts": looked_up(
        _of_changed("split_configurations"), "split_parts", "request_id", "request_id"
    ),
    # An answer of no refund is there by its time; any other comes with its refund, which may be
    # sealed after midnight.
    "refund_requests": f"""(SELECT q.* FROM public.refund_requests q JOIN
        {_of_changed("refunds")} AS f USING (merchant_id, refund_id)
        UNION SELECT * FROM public.refund_requests
            WHERE at >= $4::date::timestamp AT TIME ZONE 'Asia/Kolkata'
                AND (at < $6::date::timestamp AT TIME ZONE 'Asia/Kolkata' OR $6::date = {OPEN})
                AND (SELECT true FROM public.refunds f
                    WHERE f.merchant_id = refund_requests.merchant_id
                    AND f.refund_id = refund_requests.refund_id LIMIT 1) IS NULL)""",
    # A newer posting is there whatever caused it, and with it the older ones of its cause: a payout
    # that left before the day and arrived on it has one of each.
    "ledger_postings": either_way("ledger_postings", "cause_id", _IDS, _CAUSES, "cause_id"),
}
"""The rows of payments that changed, and of every table that tells something of them."""


def _of_days(table: str) -> str:
    """Return the rows of settlements that were made in the days."""
    return numbered(table, "settlement_id", _IDS)


_ITEMS = f"""FROM (
    SELECT * FROM {_of_days("settlement_items")} AS settled
    UNION ALL SELECT * FROM public.settlement_items WHERE settlement_id IS NULL
        AND $6::date = {OPEN}
) AS items"""
_ITEM_CAUSES = f"(SELECT DISTINCT merchant_id, cause_id {_ITEMS})"

OF_ITEMS: Mapping[str, str] = {
    name: looked_up(_ITEM_CAUSES, name, "cause_id", cause)
    for name, cause in (
        ("settlement_items", "cause_id"),
        ("attempts", "attempt_id"),
        ("ledger_postings", "cause_id"),
    )
}
"""Items that were settled in the days, or wait at their end, with what has the same cause."""
OF_SETTLEMENTS: Mapping[str, str] = {
    **{name: _of_days(name) for name in ("settlements", "settlement_shares")},
    "settlement_items": f"(SELECT * {_ITEMS})",
}
"""Settlements of the days, with their items and shares."""

_POSTED = "(SELECT DISTINCT merchant_id, cause_id FROM ledger_postings)"


def _linked(book: str, others: str, own: str) -> str:
    """Return the links of a book to rows with a number of the days, and to `others`."""
    return either_way("chain_links", "id", _IDS, others, own, f"t.book = '{book}'")


# A settlement may be sealed on another day than it was made.
_SETTLED = f"""(
    SELECT merchant_id, settlement_id FROM {_of_days("settlements")} AS made
    UNION SELECT merchant_id, settlement_id
        FROM {newer("settlements", "settlements", "settlement_id")} AS s
    UNION SELECT merchant_id, id FROM {LINKS} AS l WHERE book = 'settlements'
)"""
OF_SEALED: Mapping[str, str] = {
    **OF_PAYMENTS,
    **{
        name: looked_up(_SETTLED, name, "settlement_id", "settlement_id")
        for name in ("settlements", "settlement_shares")
    },
    # What was sealed since, and all links of what is read: a row without one was inserted.
    "chain_links": f"""({LINKS}
        UNION SELECT * FROM {_linked("events", "changed", "payment_id")} AS l
        UNION SELECT * FROM {_linked("postings", _POSTED, "cause_id")} AS l
        UNION SELECT * FROM {looked_up(_SETTLED, "chain_links", "settlement_id", "id")} AS l
            WHERE book = 'settlements')""",
    "chain_blocks": NEWEST_BLOCKS,
}
"""What was sealed in the days, and every row and link of payments that changed."""
OF_CHAIN: Mapping[str, str] = {
    "chain_links": LINKS,
    "chain_blocks": BLOCKS,
    # The block before the days is there for the next one alone: fewer links than none say so.
    "archived_links": """(SELECT merchant_id, book, since_no - 1 AS block_no,
            -1::bigint AS links FROM marks
        UNION ALL SELECT a.* FROM marks m CROSS JOIN LATERAL (
            SELECT merchant_id, book, block_no, links FROM public.archived_links a
            WHERE a.merchant_id = m.merchant_id AND a.book = m.book AND a.block_no >= m.since_no
                AND a.block_no < m.end_no OFFSET 0) AS a)""",
}
"""Blocks of the days with their links."""

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
    return query if scope is None else narrowed_to(scope, query)


def narrowed_to(scope: Mapping[str, str], query: str) -> str:
    """Return a query over the rows of a scope. It may name now ($1), and no other parameter."""
    tables = [name for name in scope if re.search(rf"(?<![\w.']){name}\b(?!')", query)]
    parts = [_GIVEN, *(f"{name} AS MATERIALIZED {scope[name]}" for name in tables)]
    return f"WITH {', '.join(parts)} {query}"
