"""The checks of events: one query for each promise."""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

_ENDED = "'failed', 'not_registered', 'abandoned', 'unknown', 'expired'"

CHECKS: Mapping[Violation, str] = {
    # The clocks of two processes may be two minutes apart.
    Violation.EVENT_DIFFERS: """
        SELECT merchant_id || '-' || payment_id || '-' || event_no AS subject,
            format('%s to %s by %s at %s', kind, state, actor, at) AS found
        FROM (
            SELECT e.*, p.created_at, a.payment_id AS of_payment, lag(e.at) OVER story AS before
            FROM payment_events e LEFT JOIN payments p USING (merchant_id, payment_id)
                LEFT JOIN attempts a ON a.merchant_id = e.merchant_id
                    AND a.attempt_id = e.attempt_id
            WINDOW story AS (PARTITION BY e.merchant_id, e.payment_id ORDER BY e.event_no)
        ) AS e
        WHERE (event_no = 1) <> (kind = 'created') OR (event_no = 1 AND at <> created_at)
            OR at < before - interval '2 minutes' OR at > $1::timestamptz + interval '2 minutes'
            OR (attempt_id IS NOT NULL AND of_payment IS DISTINCT FROM payment_id)
            OR CASE
                WHEN kind IN ('paid', 'late_success', 'late_refund_due', 'authorised', 'late_hold',
                    'held', 'captured', 'voided', 'excess_payment', 'surplus_hold', 'hold_released',
                    'refund_done', 'refund_failed', 'refund_reversed',
                    'authenticating', 'authenticated', 'pending', 'attempt_pending', 'failed',
                    'attempt_failed', 'voucher_issued', 'capture_failed', 'void_failed',
                    'mandate_approved', 'debit_done', 'dispute_opened', 'dispute_won',
                    'dispute_lost', 'dispute_partly_lost', 'dispute_closed')
                    THEN actor <> 'bank'
                WHEN kind IN ('created', 'reopened', 'split_configured') THEN actor <> 'merchant'
                WHEN kind IN ('review_released', 'review_rejected') THEN actor <> 'operator'
                WHEN kind IN ('dispute_due_soon', 'dispute_expired') THEN actor <> 'clock'
                WHEN kind = 'dispute_contested' THEN actor NOT IN ('merchant', 'operator', 'bank')
                WHEN kind = 'dispute_accepted' THEN actor NOT IN ('merchant', 'operator')
                WHEN kind = 'unknown' THEN actor <> 'inquiry'
                WHEN kind IN ('risk_blocked', 'debit_announced') THEN actor <> 'gateway'
                WHEN kind IN ('left_page', 'extended') THEN actor <> 'customer'
                WHEN kind = 'refund_begun' THEN actor NOT IN ('merchant', 'gateway', 'operator')
                ELSE actor NOT IN ('customer', 'merchant', 'operator', 'bank', 'inquiry', 'clock',
                    'gateway') END
            OR CASE
                WHEN kind IN ('paid', 'late_success', 'late_refund_due') THEN state <> 'paid'
                WHEN kind IN ('authorised', 'late_hold') THEN state <> 'authorised'
                WHEN kind = 'held' THEN state <> 'under_review'
                WHEN kind IN ('captured', 'voided') THEN state <> kind
                WHEN kind = 'review_released' THEN state NOT IN ('paid', 'authorised')
                WHEN kind = 'created' THEN state <> 'open' ELSE false END
    """,
    # One minute is allowed for a merchant's change of settings that another process had not read
    # yet.
    Violation.LATE_MONEY_DIFFERS: f"""
        SELECT e.merchant_id || '-' || payment_id || '-' || event_no AS subject,
            format('%s after %s, the merchant says %s', kind, before,
                m.settings ->> 'late_success') AS found
        FROM (
            SELECT *, lag(state) OVER (PARTITION BY merchant_id, payment_id
                ORDER BY event_no) AS before
            FROM payment_events
        ) AS e LEFT JOIN merchants m ON m.merchant_id = e.merchant_id
            AND m.changed_at < e.at - interval '1 minute'
        WHERE (kind = 'paid' AND before IN ({_ENDED}))
            OR (kind IN ('late_success', 'late_refund_due', 'late_hold')
                AND before NOT IN ({_ENDED}))
            OR (before IN ({_ENDED}) AND CASE coalesce(m.settings ->> 'late_success', 'keep')
                WHEN 'refund' THEN kind IN ('late_success', 'authorised')
                ELSE m.settings IS NOT NULL AND kind IN ('late_refund_due', 'late_hold') END)
    """,
    Violation.ATTEMPT_UNEXPLAINED: """
        SELECT a.merchant_id || '-' || a.attempt_id AS subject,
            format('%s, settled at %s, events: %s', a.state, a.settled_at, e.kinds) AS found
        FROM attempts a LEFT JOIN (
            SELECT merchant_id, attempt_id, string_agg(kind, ', ' ORDER BY event_no) AS kinds,
                array_agg(at ORDER BY event_no) AS at
            FROM payment_events GROUP BY merchant_id, attempt_id
        ) AS e USING (merchant_id, attempt_id)
        WHERE e.kinds IS NULL OR a.created_at <> e.at[1]
            OR (a.settled_at IS NULL) <> (a.state IN ('offered', 'sent', 'authenticating',
            'authorising', 'pending'))
            OR a.settled_at <> ALL (e.at)
            OR CASE WHEN a.state IN ('failed',
                'not_registered') THEN e.kinds !~ '\\m(failed|attempt_failed)\\M'
                WHEN a.state = 'expired' THEN e.kinds !~ '(expired|abandoned)'
                    WHEN a.state = 'unknown'
                THEN e.kinds !~ 'unknown'
                    WHEN a.state = 'pending' THEN e.kinds !~ 'pending' ELSE false END
    """,
}
"""The query that finds the violations of each promise, as rows of (subject, found); $1 is now."""
