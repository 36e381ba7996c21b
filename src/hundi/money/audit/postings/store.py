"""The checks of postings, their causes and their sums: one query for each promise."""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

# Attempts that were held for review, and whether they were released.
_REVIEWED = """
    SELECT e.merchant_id, e.attempt_id, bool_or(e.kind = 'review_released') AS released
    FROM payment_events e WHERE e.kind IN ('held', 'review_released', 'review_rejected') GROUP BY 1,
        2
"""
# The postings that an attempt must have, from its state and its review alone.
_EXPECTED = f"""
    SELECT merchant_id, attempt_id, 'receivable:' || connector AS debit, settled_paise,
        CASE WHEN r.released IS NOT NULL THEN 'review_held'
            WHEN a.state = 'paid' THEN 'payment' ELSE 'overpaid' END
            AS kind,
        CASE WHEN r.released IS NOT NULL THEN 'held_for_review'
            WHEN a.state = 'paid' THEN 'payable' ELSE 'owed_back'
            END AS credit
    FROM attempts a LEFT JOIN ({_REVIEWED}) AS r USING (merchant_id, attempt_id)
        WHERE a.state IN ('paid', 'overpaid')
    UNION ALL
    SELECT merchant_id, attempt_id, 'held_for_review', settled_paise,
        CASE WHEN r.released THEN 'review_released' ELSE 'review_rejected' END,
        CASE WHEN r.released THEN 'payable' ELSE 'owed_back' END
    FROM attempts a JOIN ({_REVIEWED}) AS r USING (merchant_id, attempt_id)
    WHERE a.state = 'overpaid' OR (a.state = 'paid' AND r.released)
    UNION ALL
    SELECT a.merchant_id, a.attempt_id, 'receivable:' || a.connector, p.captured_paise, 'capture',
    'payable'
    FROM payments p JOIN attempts a USING (merchant_id, payment_id)
    WHERE p.state = 'captured' AND a.state = 'authorised'
"""

# The kinds caused by an attempt, and those caused by a refund. Other kinds have checks of their
# own.
_OF_ATTEMPTS = (
    "'payment', 'overpaid', 'late_refund_due', 'capture', 'review_held', 'review_released',"
    " 'review_rejected'"
)
_OF_REFUNDS = "'refund_begun', 'refund_done', 'refund_failed', 'refund_reversed'"

CHECKS: Mapping[Violation, str] = {
    Violation.POSTING_MISSING: f"""
        SELECT e.merchant_id || '-' || e.attempt_id AS subject,
        'no posting of kind ' || e.kind AS found
        FROM ({_EXPECTED}) AS e LEFT JOIN ledger_postings p
            ON p.merchant_id = e.merchant_id AND p.cause_id = e.attempt_id AND p.kind = e.kind
        WHERE p.merchant_id IS NULL
    """,
    Violation.POSTING_DIFFERS: f"""
        SELECT p.merchant_id || '-' || p.cause_id AS subject,
            format('%s: %s %s from %s to %s', p.kind, p.amount_paise, p.currency, p.credit,
                p.debit) AS found
        FROM ledger_postings p JOIN (
            {_EXPECTED}
            UNION ALL
            SELECT merchant_id, attempt_id, 'payable', settled_paise, 'late_refund_due', 'owed_back'
            FROM attempts WHERE state = 'paid'
        ) AS e ON p.merchant_id = e.merchant_id AND p.cause_id = e.attempt_id AND p.kind = e.kind
        WHERE (p.amount_paise, p.currency, p.debit, p.credit)
            IS DISTINCT FROM (e.settled_paise, 'INR', e.debit, e.credit)
    """,
    Violation.POSTING_ORPHAN: f"""
        SELECT p.merchant_id || '-' || p.cause_id AS subject,
            format('%s posted, attempt %s', p.kind, coalesce(a.state, 'does not exist')) AS found
        FROM ledger_postings p LEFT JOIN attempts a ON a.merchant_id = p.merchant_id
            AND a.attempt_id = p.cause_id
            LEFT JOIN ({_REVIEWED}) AS r ON r.merchant_id = p.merchant_id
                AND r.attempt_id = p.cause_id
        WHERE p.kind IN ({_OF_ATTEMPTS}) AND (CASE p.kind
            WHEN 'capture' THEN a.state = 'authorised' WHEN 'late_refund_due' THEN a.state = 'paid'
            WHEN 'review_held' THEN a.state IN ('paid', 'overpaid') AND r.released IS NOT NULL
            WHEN 'review_released' THEN a.state = 'paid' AND r.released
                WHEN 'review_rejected' THEN a.state = 'overpaid'
            ELSE a.state = CASE p.kind WHEN 'payment' THEN 'paid' ELSE 'overpaid' END
                AND r.released IS NULL END)
            IS NOT TRUE
    """,
    Violation.CAUSE_MISSING: f"""
        SELECT merchant_id || '-' || attempt_id AS subject, format('%s, events: %s', a.state,
        e.kinds) AS found
        FROM attempts a LEFT JOIN (
            SELECT merchant_id, attempt_id, string_agg(kind, ', ') AS kinds,
                bool_or(kind = 'late_refund_due') AS late,
                bool_or(kind IN ('paid', 'late_success', 'late_refund_due', 'held')) AS paid,
                bool_or(kind IN ('authorised', 'late_hold', 'held')) AS authorised,
            bool_or(kind IN ('excess_payment', 'review_rejected')) AS excess
            FROM payment_events GROUP BY merchant_id, attempt_id) AS e USING (merchant_id,
                attempt_id)
        WHERE CASE a.state WHEN 'paid' THEN e.paid WHEN 'authorised' THEN e.authorised
            WHEN 'overpaid' THEN e.excess
                ELSE (e.paid OR e.authorised OR e.excess) IS NOT TRUE END IS NOT TRUE
            OR (e.late IS TRUE) <> EXISTS (SELECT FROM ledger_postings p
                WHERE p.kind = 'late_refund_due'
                AND p.merchant_id = a.merchant_id AND p.cause_id = a.attempt_id)
        UNION ALL
        SELECT p.merchant_id || '-' || p.cause_id, format('%s posted at %s without its event',
        p.kind, p.at)
        -- A refund may have the number of an attempt: each is unique among its own.
        FROM ledger_postings p LEFT JOIN attempts a
                ON a.merchant_id = p.merchant_id AND a.attempt_id = p.cause_id
                    AND p.kind IN ({_OF_ATTEMPTS})
            LEFT JOIN refunds r
                ON r.merchant_id = p.merchant_id AND r.refund_id = p.cause_id
                    AND p.kind IN ({_OF_REFUNDS})
        WHERE p.kind IN ({_OF_ATTEMPTS}, {_OF_REFUNDS}) AND NOT EXISTS (
            SELECT FROM payment_events cause WHERE cause.merchant_id = p.merchant_id
                AND cause.at = p.at
                AND cause.payment_id = coalesce(a.payment_id, r.payment_id)
                AND cause.attempt_id = coalesce(a.attempt_id, r.attempt_id) AND CASE p.kind
                    WHEN 'payment' THEN cause.kind IN ('paid', 'late_success', 'late_refund_due')
                    WHEN 'overpaid' THEN cause.kind = 'excess_payment'
                        WHEN 'capture' THEN cause.kind = 'captured'
                    WHEN 'review_held' THEN cause.kind = 'held' ELSE cause.kind = p.kind END)
        UNION ALL
        SELECT merchant_id || '-' || attempt_id, format('%s refunds %s, events of them %s', kind,
        refunds, events)
        FROM (
            SELECT merchant_id, attempt_id, kind, count(*) AS refunds FROM refunds JOIN (VALUES
                ('refund_begun', 'begun'), ('refund_done', 'done'), ('refund_failed', 'failed'),
                ('refund_reversed', 'reversed')) AS k (kind, state)
                ON k.state = 'begun' OR k.state = refunds.state OR k.state = 'done'
                    AND refunds.state = 'reversed'
            GROUP BY 1, 2, 3
        ) AS r FULL JOIN (
            SELECT merchant_id, attempt_id, kind, count(*) AS events FROM payment_events
            WHERE kind IN ({_OF_REFUNDS}) GROUP BY 1, 2, 3
        ) AS e USING (merchant_id, attempt_id, kind) WHERE refunds IS DISTINCT FROM events
    """,
    # Checkpoints of another cluster are ignored when balances are read (`money/ledger`), and made
    # again.
    Violation.CHECKPOINT_DIFFERS: """
        SELECT merchant_id || ' ' || account || ' ' || currency AS subject,
            format('checkpoint %s/%s, postings %s/%s', c.debit_paise, c.credit_paise, s.debit_paise,
                s.credit_paise)
                AS found
        FROM (SELECT * FROM ledger_checkpoints k WHERE NOT EXISTS (SELECT FROM ledger_rolls f
            WHERE f.merchant_id = k.merchant_id AND NOT is_home(f.cluster, f.tableoid))) AS c FULL
                JOIN (
            SELECT merchant_id, account, currency, sum(debited) AS debit_paise,
                sum(credited) AS credit_paise FROM (
                SELECT merchant_id, account, currency, debited, credited
                FROM (
                    SELECT merchant_id, debit, credit, currency, sum(amount_paise) AS paise
                    FROM public.ledger_postings p JOIN ledger_rolls r USING (merchant_id)
                    WHERE p.xact < r.through AND is_home(r.cluster, r.tableoid)
                    GROUP BY 1, 2, 3, 4
                ) AS p CROSS JOIN LATERAL (VALUES (p.debit, p.paise, 0), (p.credit, 0, p.paise))
                    AS side (account, debited, credited)
                UNION ALL SELECT merchant_id, account, currency, debit_paise, credit_paise
                FROM archived_sums JOIN ledger_rolls r USING (merchant_id)
                    WHERE is_home(r.cluster, r.tableoid)
            ) AS counted GROUP BY merchant_id, account, currency
        ) AS s USING (merchant_id, account, currency)
        WHERE (c.debit_paise, c.credit_paise) IS DISTINCT FROM (s.debit_paise, s.credit_paise)
    """,
    # A single posting cannot be unbalanced; sums over postings can be.
    Violation.TRIAL_BALANCE: """
        SELECT merchant_id || ' ' || currency AS subject,
        sum(debit_paise - credit_paise) || ' paise too many' AS found
        FROM ledger_checkpoints GROUP BY merchant_id, currency
            HAVING sum(debit_paise - credit_paise) <> 0
    """,
}
"""The query that finds the violations of each promise, as rows of (subject, found)."""
