"""The checks of subscriptions and their debits: one query for each promise."""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

CHECKS: Mapping[Violation, str] = {
    # A failed debit that is still looked at may be paid late; then it is done at that look.
    Violation.DEBIT_DIFFERS: """
        SELECT d.merchant_id || '-' || d.subscription_id || '-' || d.period_no AS subject,
            format('debit %s of %s, order %s of %s', d.state, d.amount_paise, p.state, p.amount_paise) AS found
        FROM subscription_debits d LEFT JOIN payments p ON p.merchant_id = d.merchant_id AND p.payment_id = d.payment_id
        WHERE (d.payment_id IS NOT NULL AND (p.payment_id IS NULL OR p.amount_paise <> d.amount_paise))
            OR (d.state = 'done' AND p.state NOT IN ('paid', 'captured'))
            OR (d.due_at IS NULL AND d.state <> 'done' AND p.state IN ('paid', 'captured'))
            OR (d.payment_id IS NOT NULL AND p.created_at < d.noticed_at + interval '24 hours')
            OR d.amount_paise > (SELECT max_paise FROM subscriptions s
                WHERE s.merchant_id = d.merchant_id AND s.subscription_id = d.subscription_id)
            OR (d.noticed_at IS NOT NULL AND NOT EXISTS (SELECT FROM payment_events told
                WHERE told.merchant_id = d.merchant_id AND told.payment_id = d.subscription_id
                    AND told.kind = 'debit_announced' AND told.at = d.noticed_at))
    """,
    Violation.DEBIT_FORGOTTEN: """
        SELECT merchant_id || '-' || subscription_id || '-' || period_no AS subject,
            state || ' and nobody goes on with it' AS found
        FROM subscription_debits WHERE state IN ('announced', 'sent', 'retrying') AND due_at IS NULL
        UNION ALL
        SELECT merchant_id || '-' || subscription_id, 'active and nobody plans its next period'
        FROM subscriptions s WHERE state = 'active' AND due_at IS NULL AND NOT EXISTS (
            SELECT FROM subscription_debits d
            WHERE d.merchant_id = s.merchant_id AND d.subscription_id = s.subscription_id
                AND d.state IN ('announced', 'sent', 'retrying'))
    """,
}
"""For each promise the query that finds its violations, as rows of (subject, found)."""
