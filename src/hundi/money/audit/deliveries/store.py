"""The checks of notifications to merchants and partners: one query for each promise."""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

# News of a lead is stored under its partner's number, the lead under its code: on Citus they may be
# on different nodes. So one side of the join is read whole first; leads are few.
CHECKS: Mapping[Violation, str] = {
    # Judged by what became of the payment: the events' names come from the announcing code too.
    Violation.DELIVERY_MISSING: """
        SELECT e.merchant_id || '-' || e.payment_id || '-' || e.event_no AS subject,
            e.kind || ' was not announced' AS found
        FROM (
            SELECT *, lag(state) OVER (PARTITION BY merchant_id, payment_id
                ORDER BY event_no) AS before
            FROM payment_events
        ) AS e LEFT JOIN deliveries d USING (merchant_id, payment_id, event_no)
        WHERE d.merchant_id IS NULL
            AND (e.kind IN ('excess_payment', 'refund_done', 'refund_failed',
            'refund_reversed', 'mandate_failed', 'mandate_paused', 'mandate_resumed',
            'mandate_changed', 'mandate_cancelled', 'mandate_completed', 'debit_announced',
            'debit_failed', 'debit_skipped', 'debit_missed')
            OR e.kind LIKE 'dispute%' OR (e.state IS DISTINCT FROM e.before AND e.state IN
            ('paid', 'authorised', 'captured', 'voided', 'under_review', 'failed', 'not_registered',
                'abandoned')))
        UNION ALL
        SELECT l.affiliate || '-' || l.lead_id || '-' || l.event_no, l.kind || ' was not announced'
        FROM lead_events l LEFT JOIN (
            WITH told AS MATERIALIZED (
                SELECT facts ->> 'affiliate' AS affiliate, payment_id AS lead_id, event_no, kind
                FROM deliveries WHERE merchant_id < 0
            ) SELECT * FROM told
        ) AS d ON d.affiliate = l.affiliate AND d.lead_id = l.lead_id AND d.event_no = l.event_no
            AND 'lead_' || l.kind = d.kind
        WHERE l.kind IN ('review', 'returned', 'approved', 'rejected') AND d.lead_id IS NULL
    """,
    Violation.DELIVERY_ORPHAN: """
        SELECT d.merchant_id || '-' || d.payment_id || '-' || d.event_no AS subject,
            format('announced %s, event %s', d.kind, coalesce(e.kind || ' to ' || e.state,
                'does not exist')) AS found
        FROM deliveries d LEFT JOIN payment_events e USING (merchant_id, payment_id, event_no)
        WHERE d.merchant_id > 0 AND (e.merchant_id IS NULL OR CASE
            WHEN d.kind IN ('paid', 'authorised', 'under_review', 'captured', 'voided', 'expired',
                'unknown')
                THEN e.state <> d.kind
            WHEN d.kind = 'late_success' THEN e.state NOT IN ('paid', 'authorised')
            WHEN d.kind = 'failed' THEN e.state NOT IN ('failed', 'not_registered', 'abandoned')
            WHEN d.kind = 'attempt_failed' THEN e.state NOT IN ('open', 'in_process')
            WHEN d.kind = 'mandate_approved' THEN e.state <> 'paid'
            WHEN d.kind = 'excess_refunded' THEN e.kind <> 'refund_done'
            WHEN d.kind = 'excess_refund_failed' THEN e.kind NOT IN ('refund_failed',
            'refund_reversed')
            WHEN d.kind IN ('excess_payment', 'refund_done', 'refund_failed', 'refund_reversed',
                'mandate_failed', 'mandate_paused', 'mandate_resumed', 'mandate_changed',
                'mandate_cancelled', 'mandate_completed', 'debit_announced', 'debit_failed',
                'debit_skipped', 'debit_missed', 'dispute_opened', 'dispute_due_soon',
                'dispute_contested', 'dispute_accepted', 'dispute_expired', 'dispute_won',
            'dispute_lost', 'dispute_partly_lost', 'dispute_closed') THEN e.kind <> d.kind
            ELSE true END)
        UNION ALL
        SELECT d.merchant_id || '-' || d.payment_id || '-' || d.event_no,
            format('announced %s, event does not exist', d.kind)
        FROM deliveries d LEFT JOIN (
            WITH happened AS MATERIALIZED (SELECT affiliate, lead_id, event_no, kind
                FROM lead_events)
            SELECT * FROM happened
        ) AS l ON l.lead_id = d.payment_id AND l.event_no = d.event_no
            AND l.affiliate = d.facts ->> 'affiliate'
            AND 'lead_' || l.kind = d.kind
        WHERE d.merchant_id < 0 AND l.lead_id IS NULL
        UNION ALL
        SELECT e.merchant_id || '-' || e.payment_id || '-' || e.event_no,
            format('endpoint %s is told %s, announced was %s', e.endpoint_no, e.kind,
                coalesce(d.kind, 'nothing'))
        FROM endpoint_deliveries e LEFT JOIN deliveries d USING (merchant_id, payment_id, event_no)
        WHERE (d.kind, d.created_at, d.facts ->> 'state', d.facts ->> 'amount_paise')
            IS DISTINCT FROM
            (e.kind, e.created_at, e.facts ->> 'state', e.facts ->> 'amount_paise')
            AND EXISTS (SELECT FROM payments p
                WHERE p.merchant_id = e.merchant_id AND p.payment_id = e.payment_id)
    """,
    Violation.DELIVERY_UNPROVEN: """
        SELECT d.merchant_id || '-' || d.payment_id || '-' || d.event_no AS subject,
        'no try was taken' AS found
        FROM deliveries d
        WHERE d.state = 'delivered' AND NOT EXISTS (
            SELECT FROM delivery_attempts a
            WHERE a.merchant_id = d.merchant_id AND a.payment_id = d.payment_id
                AND a.event_no = d.event_no
                AND a.status BETWEEN 200 AND 399 AND a.problem = '')
        UNION ALL
        SELECT d.merchant_id || '-' || d.payment_id || '-' || d.event_no,
        d.state || ', and a try was taken'
        FROM deliveries d WHERE d.state <> 'delivered' AND EXISTS (
            SELECT FROM delivery_attempts a
            WHERE a.merchant_id = d.merchant_id AND a.payment_id = d.payment_id
                AND a.event_no = d.event_no
                AND a.attempt_no > d.tries_before AND a.status BETWEEN 200 AND 299
                    AND a.problem = '')
        UNION ALL
        SELECT merchant_id || '-' || payment_id || '-' || event_no,
            format('%s, %s tries, %s are there up to %s', state, tries, coalesce(found, 0),
                coalesce(last, 0))
        FROM deliveries FULL JOIN (
            SELECT merchant_id, payment_id, event_no, count(*) AS found, max(attempt_no) AS last
                FROM delivery_attempts
            GROUP BY 1, 2, 3
        ) AS a USING (merchant_id, payment_id, event_no)
        WHERE tries IS NULL OR coalesce(found, 0) <> coalesce(last, 0)
            OR tries - CASE state WHEN 'sending' THEN 1 ELSE 0 END <> coalesce(found, 0)
        UNION ALL
        SELECT e.merchant_id || '-' || e.payment_id || '-' || e.event_no,
            format('endpoint %s, no try was taken', e.endpoint_no)
        FROM endpoint_deliveries e
        WHERE e.state = 'delivered' AND NOT EXISTS (
            SELECT FROM endpoint_tries t
            WHERE t.merchant_id = e.merchant_id AND t.endpoint_no = e.endpoint_no
                AND t.payment_id = e.payment_id AND t.event_no = e.event_no
                AND t.status BETWEEN 200 AND 399 AND t.problem = '')
    """,
    Violation.DELIVERY_FACTS_DIFFER: """
        SELECT d.merchant_id || '-' || d.payment_id || '-' || d.event_no AS subject,
        d.kind || ': ' || d.facts AS found
        FROM deliveries d JOIN payments p USING (merchant_id, payment_id)
            JOIN payment_events e USING (merchant_id, payment_id, event_no)
            LEFT JOIN attempts a ON a.merchant_id = p.merchant_id AND a.payment_id = p.payment_id
                AND a.state IN ('paid', 'authorised')
            LEFT JOIN refunds r ON r.merchant_id = p.merchant_id
                AND r.refund_id = (d.facts -> 'refund' ->> 'refund_id')::bigint
            LEFT JOIN dispute_stages s ON s.merchant_id = p.merchant_id
                AND s.stage_id = (d.facts -> 'dispute' ->> 'stage_id')::bigint
        WHERE (d.facts ->> 'order_id', d.facts ->> 'amount_paise', d.facts ->> 'currency',
                d.facts ->> 'kind', d.facts ->> 'custom_var', d.facts ->> 'payment_id',
                d.facts ->> 'merchant_id', d.facts ->> 'state')
                IS DISTINCT FROM (p.order_id::text, p.amount_paise::text, p.currency::text,
                p.kind::text, p.custom_var, p.payment_id::text, p.merchant_id::text, e.state::text)
            OR d.created_at <> e.at
            OR (d.kind IN ('paid', 'authorised', 'late_success', 'mandate_approved')
                AND (d.facts ->> 'rrn',
                d.facts ->> 'payer_vpa', d.facts ->> 'bank_code', d.facts ->> 'bank_message',
                d.facts ->> 'method')
                IS DISTINCT FROM (a.rrn, a.payer_vpa, p.bank_code, p.bank_message, p.method))
            OR (d.facts -> 'refund' ->> 'refund_id' IS NOT NULL
                AND (d.facts -> 'refund' ->> 'amount_paise',
                d.facts -> 'refund' ->> 'rrn', d.facts -> 'refund' ->> 'state')
                IS DISTINCT FROM (r.amount_paise::text, r.rrn,
                CASE WHEN r.state = 'reversed'
                    AND e.kind <> 'refund_reversed' THEN 'done' ELSE r.state END::text))
            OR (d.kind LIKE 'dispute%' AND (d.facts -> 'dispute' ->> 'dispute_id',
                d.facts -> 'dispute' ->> 'phase', d.facts -> 'dispute' ->> 'amount_paise',
                d.facts -> 'dispute' ->> 'held_paise', d.facts -> 'dispute' ->> 'taken_paise',
                d.facts -> 'dispute' ->> 'reason')
                IS DISTINCT FROM (s.dispute_id::text, s.phase::text, s.amount_paise::text,
                s.held_paise::text,
                (CASE WHEN e.kind ~ 'lost$' THEN s.taken_paise ELSE 0 END)::text, s.reason))
    """,
}
"""The query that finds the violations of each promise, as rows of (subject, found)."""
