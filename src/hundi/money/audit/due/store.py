"""The check of due times.

A row with a due time far ahead is never worked on, and no other check sees it. The bounds are wider
than any schedule of ours or of an acquirer.
"""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

_PERIODS = "(next_period - 1) * frequency"
_NEXT = f"""starts_on + CASE period WHEN 'day' THEN make_interval(days => {_PERIODS})
    WHEN 'week' THEN make_interval(weeks => {_PERIODS})
    WHEN 'month' THEN make_interval(months => {_PERIODS})
    WHEN 'year' THEN make_interval(years => {_PERIODS})
    ELSE valid_until::timestamp - starts_on + interval '1 day' END"""

CHECKS: Mapping[Violation, str] = {
    Violation.SCHEDULE_TOO_LATE: f"""
        SELECT subject, 'due at ' || due_at AS found FROM (
            SELECT merchant_id || '-' || attempt_id AS subject, inquire_at AS due_at,
                greatest($1::timestamptz, expires_at) + interval '1 day' AS latest FROM attempts
            UNION ALL SELECT merchant_id || '-R' || refund_id, due_at, $1 + interval '1 day'
                FROM refunds
            UNION ALL SELECT merchant_id || '-P' || payout_id, due_at, $1 + interval '2 days'
                FROM payouts
            UNION ALL SELECT merchant_id || '-' || beneficiary, due_at, $1 + interval '1 day'
                FROM bank_accounts
            UNION ALL SELECT merchant_id || '-' || payment_id, due_at, $1 + interval '1 day'
                FROM completions
            UNION ALL SELECT merchant_id || '-D' || stage_id, due_at,
                greatest(CASE state WHEN 'open' THEN respond_by END, $1 + interval '1 day')
                    FROM dispute_stages
            UNION ALL SELECT merchant_id || '-D' || stage_id, respond_by,
                opened_at + interval '60 days'
                FROM dispute_stages
            UNION ALL SELECT merchant_id || '-' || payment_id || '-' || event_no, due_at,
                $1 + interval '1 day'
                FROM deliveries WHERE state IN ('waiting', 'sending')
            UNION ALL SELECT merchant_id || '-' || subscription_id || '-' || period_no, due_at,
                greatest($1, planned_at) + interval '5 days' FROM subscription_debits
            UNION ALL SELECT merchant_id || '-' || subscription_id, due_at,
                greatest($1 + interval '5 days', ({_NEXT})::timestamptz + interval '2 days')
                    FROM subscriptions
            UNION ALL SELECT merchant_id || '-' || payment_id, expires_at,
                greatest($1, created_at) + interval '31 days'
                FROM payments WHERE state IN ('open', 'in_process')
            UNION ALL SELECT 'schedule ' || name, due_at, now() + interval '1 day' FROM schedules
            UNION ALL SELECT 'schedule ' || name, leased_until, now() + interval '1 day'
                FROM schedules
            UNION ALL SELECT 'reports of ' || connector, due_at, $1 + interval '2 days'
                FROM report_fetches
            UNION ALL SELECT 'endpoint of ' || merchant_id, probe_at,
                $1::timestamptz + interval '1 day'
                FROM failing_endpoints
            UNION ALL SELECT 'endpoint of ' || merchant_id || '-' || endpoint_no, probe_at,
                $1::timestamptz + interval '1 day'
                FROM webhook_endpoints
        ) AS due WHERE due_at > latest
    """,
}
"""The query that finds violations, as rows of (subject, found); $1 is now."""
