"""The checks of subscriptions and their debits: one query for each promise."""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

CHECKS: Mapping[Violation, str] = {
    # A failed debit that is still inquired about may be paid late; the inquiry then makes it done.
    Violation.DEBIT_DIFFERS: """
        SELECT d.merchant_id || '-' || d.subscription_id || '-' || d.period_no AS subject,
            format('debit %s of %s, order %s of %s', d.state, d.amount_paise, p.state,
                p.amount_paise) AS found
        FROM subscription_debits d LEFT JOIN payments p ON p.merchant_id = d.merchant_id
            AND p.payment_id = d.payment_id
        WHERE (d.payment_id IS NOT NULL AND (p.payment_id IS NULL
            OR p.amount_paise <> d.amount_paise))
            OR (d.state = 'done' AND p.state NOT IN ('paid', 'captured'))
            OR (d.due_at IS NULL AND d.state <> 'done' AND p.state IN ('paid', 'captured'))
            OR (d.payment_id IS NOT NULL AND p.created_at < d.noticed_at + interval '24 hours')
            OR EXISTS (SELECT FROM subscriptions s
                WHERE s.merchant_id = d.merchant_id AND s.subscription_id = d.subscription_id
                    AND (d.amount_paise > s.max_paise OR d.connector NOT IN ('', s.connector)))
            OR (d.noticed_at IS NOT NULL AND NOT EXISTS (SELECT FROM payment_events told
                WHERE told.merchant_id = d.merchant_id AND told.payment_id = d.subscription_id
                    AND told.kind = 'debit_announced' AND told.at = d.noticed_at))
    """,
    # A failed debit may be paid late, and is done then.
    Violation.DEBIT_UNEXPLAINED: """
        SELECT merchant_id || '-' || subscription_id || '-' || period_no AS subject,
            format('%s, settled at %s', state, settled_at) AS found
        FROM subscription_debits
        WHERE (settled_at IS NULL) <> (state IN ('announced', 'sent', 'retrying'))
            OR (payment_id IS NULL) <> (tries = 0)
            OR (payment_id IS NULL AND state IN ('sent', 'retrying', 'done', 'failed'))
        UNION ALL
        SELECT merchant_id || '-' || subscription_id, format('%s debits %s, events of it %s',
        debits, state, events)
        FROM (
            SELECT merchant_id, subscription_id, state::text, count(*) AS debits
                FROM subscription_debits
            WHERE state IN ('done', 'failed', 'skipped', 'missed') GROUP BY 1, 2, 3
        ) AS d FULL JOIN (
            SELECT merchant_id, payment_id AS subscription_id, substr(kind, 7) AS state,
            count(*) AS events
            FROM payment_events WHERE kind IN ('debit_done', 'debit_failed', 'debit_skipped',
            'debit_missed')
            GROUP BY 1, 2, 3
        ) AS e USING (merchant_id, subscription_id, state)
        WHERE CASE state WHEN 'failed' THEN debits > coalesce(events, 0) ELSE debits IS DISTINCT
            FROM events END
    """,
    Violation.SUBSCRIPTION_DIFFERS: """
        SELECT s.merchant_id || '-' || subscription_id AS subject,
            format('%s since %s, last event %s at %s', s.state, s.ended_at,
                coalesce(e.kind, 'none'), e.at) AS found
        FROM subscriptions s LEFT JOIN payments p
            ON p.merchant_id = s.merchant_id AND p.payment_id = s.subscription_id
                AND p.kind = 'subscription'
            LEFT JOIN (
                SELECT DISTINCT ON (merchant_id, payment_id) merchant_id, payment_id, kind, at
                    FROM payment_events
                WHERE kind LIKE 'mandate%' AND kind <> 'mandate_changed'
                ORDER BY merchant_id, payment_id, event_no DESC
            ) AS e ON e.merchant_id = s.merchant_id AND e.payment_id = s.subscription_id
        WHERE p.payment_id IS NULL OR p.order_id <> s.order_id OR s.state <> CASE e.kind
                WHEN 'mandate_approved' THEN 'active' WHEN 'mandate_resumed' THEN 'active'
                WHEN 'mandate_paused' THEN 'paused' WHEN 'mandate_cancelled' THEN 'cancelled'
                WHEN 'mandate_completed' THEN 'completed'
                    WHEN 'mandate_failed' THEN 'failed' ELSE 'created' END
            OR s.ended_at IS DISTINCT FROM CASE WHEN s.state IN ('cancelled', 'completed',
                'failed') THEN e.at END
    """,
    Violation.NOTICE_DIFFERS: """
        SELECT e.merchant_id || '-' || e.payment_id || '-' || e.event_no AS subject,
            format('told of %s, the debit: %s at %s', t.facts -> 'mandate', d.amount_paise,
                d.planned_at) AS found
        FROM payment_events e JOIN deliveries t USING (merchant_id, payment_id, event_no)
            LEFT JOIN subscription_debits d ON d.merchant_id = e.merchant_id
                AND d.subscription_id = e.payment_id
                AND d.period_no = (t.facts -> 'mandate' ->> 'period_no')::int
        WHERE e.kind IN ('debit_announced', 'debit_failed', 'debit_skipped', 'debit_missed')
            AND (d.amount_paise IS DISTINCT FROM (t.facts -> 'mandate' ->> 'amount_paise')::bigint
                OR (e.kind = 'debit_announced' AND d.noticed_at IS DISTINCT FROM e.at))
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
"""The query that finds the violations of each promise, as rows of (subject, found)."""
