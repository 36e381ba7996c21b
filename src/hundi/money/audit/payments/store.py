"""The checks of payments, attempts and events: one query for each promise."""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

CHECKS: Mapping[Violation, str] = {
    Violation.SECOND_SUCCESS: """
        SELECT merchant_id || '-' || payment_id AS subject,
        count(*) || ' successful attempts' AS found
        FROM attempts WHERE state IN ('paid', 'authorised') GROUP BY merchant_id, payment_id
            HAVING count(*) > 1
    """,
    Violation.PAYMENT_STATE_DIFFERS: """
        SELECT p.merchant_id || '-' || p.payment_id AS subject,
            format('payment %s, attempts: %s', p.state, a.states) AS found
        FROM payments p LEFT JOIN (
            SELECT merchant_id, payment_id, string_agg(state, ', ') AS states,
                bool_or(state = 'paid') AS paid, bool_or(state = 'authorised') AS authorised,
                bool_or(state IN ('sent', 'authenticating', 'authorising', 'pending')) AS live,
                bool_and((received_paise > 0) = (state IN ('paid', 'authorised',
                    'overpaid'))) AS received
            FROM attempts GROUP BY merchant_id, payment_id
        ) AS a USING (merchant_id, payment_id)
        WHERE (p.state = 'under_review' AND coalesce(a.paid, false) = coalesce(a.authorised, false))
            OR (p.state <> 'under_review' AND (
                (p.state = 'paid') IS DISTINCT FROM coalesce(a.paid, false)
                OR (p.state IN ('authorised', 'captured', 'voided')) IS DISTINCT
                    FROM coalesce(a.authorised, false)))
            OR (p.state = 'in_process' AND a.live IS NOT TRUE)
            OR (p.captured_paise > 0) <> (p.state IN ('paid', 'captured'))
            OR (a.received IS FALSE)
            OR (p.state IN ('open', 'failed', 'not_registered', 'expired', 'unknown', 'abandoned')
                AND a.live)
    """,
    Violation.PAID_AMOUNT_DIFFERS: """
        SELECT p.merchant_id || '-' || p.payment_id AS subject,
            format('asked %s + %s %s, received %s %s, captured %s', p.amount_paise,
                a.surcharge_paise, p.currency, a.received_paise, a.currency,
                p.captured_paise) AS found
        FROM payments p JOIN attempts a USING (merchant_id, payment_id)
        WHERE a.state = 'paid' AND (p.amount_paise + a.surcharge_paise <> a.received_paise
            OR p.currency <> a.currency
            OR p.captured_paise <> CASE
                WHEN p.state = 'under_review' THEN 0 ELSE p.amount_paise END)
    """,
    Violation.ATTEMPT_FORGOTTEN: """
        SELECT merchant_id || '-' || attempt_id AS subject,
        state || ' and nobody will ask the bank' AS found
        FROM attempts
        WHERE state IN ('offered', 'sent', 'authenticating', 'authorising', 'pending')
            AND inquire_at IS NULL
    """,
    Violation.EVENT_GAP: """
        SELECT p.merchant_id || '-' || p.payment_id AS subject,
            format('revision %s, %s events up to %s', p.revision, coalesce(e.events, 0),
                coalesce(e.last, 0)) AS found
        FROM payments p LEFT JOIN (
            SELECT merchant_id, payment_id, count(*) AS events, max(event_no) AS last
            FROM payment_events GROUP BY merchant_id, payment_id
        ) AS e USING (merchant_id, payment_id)
        WHERE (p.revision, p.revision) IS DISTINCT FROM (e.events, e.last)
    """,
    Violation.EVENT_ORPHAN: """
        SELECT e.merchant_id || '-' || e.payment_id AS subject, format('event %s of no payment',
        e.event_no) AS found
        FROM payment_events e LEFT JOIN payments p USING (merchant_id, payment_id)
            WHERE p.merchant_id IS NULL
    """,
    Violation.EVENT_STATE_DIFFERS: """
        SELECT p.merchant_id || '-' || p.payment_id AS subject,
            format('payment %s, its last event says %s', p.state, e.state) AS found
        FROM payments p JOIN payment_events e
            ON e.merchant_id = p.merchant_id AND e.payment_id = p.payment_id
                AND e.event_no = p.revision
        WHERE e.state <> p.state
    """,
    Violation.CAPTURED_DIFFERS: """
        SELECT p.merchant_id || '-' || p.payment_id AS subject,
            format('%s, captured %s, posted %s', p.state, p.captured_paise, coalesce(l.amount_paise,
                0)) AS found
        FROM payments p JOIN attempts a USING (merchant_id, payment_id) LEFT JOIN ledger_postings l
            ON l.merchant_id = a.merchant_id AND l.cause_id = a.attempt_id AND l.kind = 'capture'
        WHERE a.state = 'authorised' AND p.captured_paise <> coalesce(l.amount_paise, 0)
    """,
    Violation.COMPLETION_DIFFERS: """
        SELECT merchant_id || '-' || payment_id AS subject,
            format('%s asked at %s, %s, event %s', c.kind, c.created_at, c.state,
                coalesce(asked.kind, 'missing'))
                AS found
        FROM completions c FULL JOIN (
            SELECT * FROM payment_events WHERE kind IN ('capture_asked', 'void_asked')
        ) AS asked USING (merchant_id, payment_id, attempt_id)
        WHERE (asked.at, asked.actor, asked.kind) IS DISTINCT
            FROM (c.created_at, c.actor, c.kind || '_asked')
            AND (c.kind IS NULL OR asked.kind IS NULL
                OR NOT EXISTS (SELECT FROM payment_events other
                WHERE other.merchant_id = c.merchant_id AND other.payment_id = c.payment_id
                    AND other.at = c.created_at AND other.actor = c.actor
                        AND other.kind = c.kind || '_asked'))
        UNION ALL
        SELECT merchant_id || '-' || payment_id,
            format('captured %s, the capture was of %s', p.captured_paise, c.amount_paise)
        FROM completions c JOIN payments p USING (merchant_id, payment_id)
        WHERE c.kind = 'capture' AND c.state = 'done' AND p.captured_paise <> c.amount_paise
    """,
    Violation.COMPLETION_FORGOTTEN: """
        SELECT merchant_id || '-' || payment_id AS subject,
        kind || ' ' || state || ' and nobody asks' AS found
        FROM completions WHERE state IN ('sent', 'unknown') AND due_at IS NULL
    """,
    Violation.SPLIT_DIFFERS: """
        SELECT c.merchant_id || '-' || c.payment_id AS subject,
            format('%s shared, parts %s and %s', c.base_paise, coalesce(sum(p.amount_paise), 0),
                c.primary_paise)
                AS found
        FROM split_configurations c LEFT JOIN split_parts p USING (merchant_id, request_id)
        GROUP BY c.merchant_id, c.request_id, c.payment_id, c.base_paise, c.primary_paise
        HAVING c.base_paise <> c.primary_paise + coalesce(sum(p.amount_paise), 0)
        UNION ALL
        SELECT merchant_id || '-' || payment_id, format('%s configured, %s stand, %s events',
        configured, stand, events)
        FROM (
            SELECT merchant_id, payment_id, count(*) AS configured,
                count(*) FILTER (WHERE replaced_at IS NULL) AS stand,
                    bool_and(replaced_at > created_at) AS in_order
            FROM split_configurations GROUP BY 1, 2
        ) AS c FULL JOIN (
            SELECT merchant_id, payment_id, count(*) AS events FROM payment_events
                WHERE kind = 'split_configured'
            GROUP BY 1, 2
        ) AS e USING (merchant_id, payment_id)
        WHERE configured IS DISTINCT FROM events OR stand <> 1 OR in_order IS FALSE
    """,
}
"""The query that finds the violations of each promise, as rows of (subject, found)."""
