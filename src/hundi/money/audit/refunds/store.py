"""The checks of refunds: one query for each promise."""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

# The postings that a refund must have, from its state and cause alone.
_EXPECTED_OF_REFUNDS = """
    SELECT merchant_id, refund_id, settled_paise, 'refund_begun' AS kind,
        CASE cause WHEN 'merchant' THEN 'payable' ELSE 'owed_back' END AS debit,
            'refunds_in_flight' AS credit
    FROM refunds
    UNION ALL
    SELECT merchant_id, refund_id, settled_paise, 'refund_done', 'refunds_in_flight',
        'receivable:' || connector FROM refunds WHERE state IN ('done', 'reversed')
    UNION ALL
    SELECT merchant_id, refund_id, settled_paise, 'refund_failed', 'refunds_in_flight',
        CASE cause WHEN 'merchant' THEN 'payable' ELSE 'owed_back' END FROM refunds
            WHERE state = 'failed'
    UNION ALL
    SELECT merchant_id, refund_id, settled_paise, 'refund_reversed', 'receivable:' || connector,
        CASE cause WHEN 'merchant' THEN 'payable' ELSE 'owed_back' END FROM refunds
            WHERE state = 'reversed'
"""

CHECKS: Mapping[Violation, str] = {
    Violation.REFUNDED_DIFFERS: """
        SELECT p.merchant_id || '-' || p.payment_id AS subject,
            format('%s refunds of %s, the payment says %s of %s', coalesce(r.refunds, 0),
                coalesce(r.paise, 0), p.refunds, p.refunded_paise) AS found
        FROM payments p LEFT JOIN (
            SELECT merchant_id, payment_id, count(*) AS refunds,
            sum(amount_paise - surcharge_paise) AS paise
            FROM refunds WHERE state NOT IN ('failed', 'reversed') AND cause <> 'overpaid'
            GROUP BY merchant_id, payment_id
        ) AS r USING (merchant_id, payment_id)
        WHERE (p.refunds, p.refunded_paise) IS DISTINCT FROM (coalesce(r.refunds, 0),
            coalesce(r.paise, 0))
            OR p.refunded_paise > p.captured_paise
    """,
    Violation.REFUND_POSTING_DIFFERS: f"""
        SELECT coalesce(e.merchant_id, p.merchant_id) || '-R' || coalesce(e.refund_id,
            p.cause_id) AS subject, format('expected %s, posted %s',
                coalesce(e.kind || ' ' || e.settled_paise, 'nothing'),
        coalesce(p.kind || ' ' || p.amount_paise, 'nothing')) AS found
        FROM ({_EXPECTED_OF_REFUNDS}) AS e FULL JOIN (SELECT * FROM ledger_postings
            WHERE kind LIKE 'refund%') AS p
            ON p.merchant_id = e.merchant_id AND p.cause_id = e.refund_id AND p.kind = e.kind
        WHERE (p.amount_paise, p.currency, p.debit, p.credit)
            IS DISTINCT FROM (e.settled_paise, 'INR', e.debit, e.credit)
        UNION ALL
        SELECT merchant_id || '-R' || refund_id, format('%s, came back %s: %s %s', state,
            coalesce(reversed_at::text, 'never'), reversed_code, reversed_message)
        FROM refunds WHERE (state = 'reversed') <> (reversed_at IS NOT NULL)
            OR (state <> 'reversed' AND reversed_code || reversed_message <> '')
    """,
    # After seven failed tries, a day apart, a refund is left to people; the worker begins others
    # within minutes.
    Violation.DEBT_FORGOTTEN: """
        SELECT p.merchant_id || '-' || p.cause_id AS subject,
            format('%s paise owed back since %s, %s refunds came to nothing', p.amount_paise, p.at,
                coalesce(r.failed, 0)) AS found
        FROM ledger_postings p LEFT JOIN (
            SELECT merchant_id, attempt_id, bool_or(state NOT IN ('failed', 'reversed')) AS stands,
                count(*) AS failed,
            max(coalesce(reversed_at, settled_at)) + interval '1 day' AS again_at
            FROM refunds WHERE cause IN ('overpaid', 'late') GROUP BY 1, 2
        ) AS r ON r.merchant_id = p.merchant_id AND r.attempt_id = p.cause_id
        WHERE p.credit = 'owed_back' AND p.kind IN ('overpaid', 'late_refund_due',
            'review_rejected')
            AND r.stands IS NOT TRUE AND coalesce(r.failed, 0) < 7
            AND greatest(p.at, r.again_at) < $1::timestamptz - interval '15 minutes'
    """,
    Violation.ANSWER_DIFFERS: """
        SELECT coalesce(r.merchant_id, q.merchant_id) || '-R' || coalesce(r.refund_id,
            q.refund_id) AS subject, format('refund of %s, answered %s: %s %s',
                coalesce(r.request_id, 'no request'), coalesce(q.request_id, 'nothing'), q.code,
        q.at) AS found
        FROM (SELECT * FROM refunds WHERE request_id <> '') AS r FULL JOIN (
            SELECT * FROM refund_requests WHERE code = ''
        ) AS q ON q.merchant_id = r.merchant_id AND q.refund_id = r.refund_id
            AND q.request_id = r.request_id
        WHERE r.refund_id IS NULL OR q.refund_id IS NULL OR q.at <> r.created_at
    """,
    Violation.REFUND_FORGOTTEN: """
        SELECT merchant_id || '-R' || refund_id AS subject,
        state || ' and nobody goes on with it' AS found
        FROM refunds WHERE state IN ('initiated', 'sent', 'unknown') AND due_at IS NULL
    """,
}
"""The query that finds the violations of each promise, as rows of (subject, found)."""
