"""The check of the archive, and queries over the tables and the archive together.

A check names the live tables. For an audit of the whole archive, a prefix to its query defines the
same names as live table and archive together. `public.` before a name means the live table alone.
"""

import re
from collections.abc import Mapping

from hundi.money.audit.rules import Violation

_MOVED = (
    "payments",
    "attempts",
    "payment_events",
    "deliveries",
    "delivery_attempts",
    "completions",
    "ledger_postings",
    "chain_links",
)
_BOTH = """{0} AS (SELECT * FROM public.{0} UNION ALL SELECT held.* FROM archived_payments k
    CROSS JOIN jsonb_populate_recordset(
        (SELECT jsonb_populate_record(NULL::public.{0}, defaults_of('{0}'))),
            k.contents -> '{0}') AS held)"""


def whole(query: str) -> str:
    """Return a query that also reads the archive of each table whose rows move there."""
    tables = [table for table in _MOVED if re.search(rf"(?<![\w.']){table}\b(?!')", query)]
    return f"WITH {', '.join(_BOTH.format(table) for table in tables)} {query}" if tables else query


CHECKS: Mapping[Violation, str] = {
    Violation.ARCHIVE_DIFFERS: """
        SELECT merchant_id || '-' || payment_id AS subject,
            'in the archive, and still among what is written to' AS found
        FROM public.payments JOIN archived_payments USING (merchant_id, payment_id)
        UNION ALL
        SELECT p.merchant_id || '-' || p.payment_id, 'its order id is that of ' || o.payment_id
        FROM public.payments p JOIN archived_orders o USING (merchant_id, order_id)
            WHERE o.payment_id <> p.payment_id
    """,
}
"""Checks that do not open the archive, as rows of (subject, found)."""

WHOLE_CHECKS: Mapping[Violation, str] = {
    Violation.ARCHIVE_DIFFERS: CHECKS[Violation.ARCHIVE_DIFFERS]
    + """
        UNION ALL
        SELECT k.merchant_id || '-' || k.payment_id, 'its order id is not marked as used'
        FROM archived_payments k LEFT JOIN archived_orders o USING (merchant_id, order_id)
        WHERE o.payment_id IS DISTINCT FROM k.payment_id
        UNION ALL
        SELECT merchant_id || ' ' || account || ' ' || currency,
            format('the archive counts %s/%s, its postings %s/%s', k.debit_paise, k.credit_paise,
                s.debited, s.credited)
        FROM archived_sums k FULL JOIN (
            SELECT merchant_id, account, currency, sum(debited) AS debited,
                sum(credited) AS credited FROM (
                SELECT held.merchant_id, debit AS account, currency, amount_paise AS debited,
                0 AS credited
                FROM archived_payments a
                    CROSS JOIN jsonb_populate_recordset(NULL::ledger_postings,
                        a.contents -> 'ledger_postings') AS held
                UNION ALL SELECT held.merchant_id, credit, currency, 0, amount_paise
                    FROM archived_payments a
                    CROSS JOIN jsonb_populate_recordset(NULL::ledger_postings,
                        a.contents -> 'ledger_postings') AS held
            ) AS sides GROUP BY 1, 2, 3
        ) AS s USING (merchant_id, account, currency)
        WHERE (coalesce(k.debit_paise, 0), coalesce(k.credit_paise, 0))
            IS DISTINCT FROM (coalesce(s.debited, 0), coalesce(s.credited, 0))
        UNION ALL
        SELECT merchant_id || ' ' || book || ' block ' || block_no,
            format('the archive counts %s links, and has %s', k.links, s.links)
        FROM archived_links k FULL JOIN (
            SELECT held.merchant_id, book, block_no, count(*) AS links FROM archived_payments a
                CROSS JOIN jsonb_populate_recordset(NULL::chain_links,
                    a.contents -> 'chain_links') AS held
            GROUP BY 1, 2, 3
        ) AS s USING (merchant_id, book, block_no)
        WHERE coalesce(k.links, 0) <> coalesce(s.links, 0)
    """,
}
"""The same checks with the archive opened: its rows are what it counts."""
