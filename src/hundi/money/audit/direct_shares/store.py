"""The checks of direct shares: one query for each promise."""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

# The postings that a share and its reversals must have, from their own rows alone.
_EXPECTED = """
    SELECT d.merchant_id, d.share_id AS cause_id, k.kind, k.debit, k.credit, k.paise, k.at
    FROM direct_shares d CROSS JOIN LATERAL (VALUES
        ('direct_begun', 'payable', 'direct_shares', amount_paise, created_at, true),
        ('direct_reduced', 'direct_shares', 'payable', amount_paise - sent_paise, sent_at,
            sent_paise BETWEEN 1 AND amount_paise - 1),
        ('direct_done', CASE WHEN late_at IS NULL THEN 'direct_shares' ELSE 'payable' END,
            'receivable:' || connector, sent_paise, coalesce(late_at, ended_at),
            state = 'done' OR late_at IS NOT NULL),
        ('direct_returned', 'direct_shares', 'payable',
            CASE state WHEN 'refused' THEN sent_paise ELSE amount_paise END, ended_at,
            state IN ('refused', 'cancelled'))) AS k (kind, debit, credit, paise, at, is_due)
    WHERE is_due
    UNION ALL
    SELECT r.merchant_id, r.reversal_id, 'direct_reversed', 'receivable:' || d.connector, 'payable',
        r.amount_paise, r.ended_at
    FROM share_reversals r JOIN direct_shares d USING (merchant_id, share_id)
    WHERE r.state = 'done'
"""

CHECKS: Mapping[Violation, str] = {
    Violation.DIRECT_POSTING_DIFFERS: f"""
        SELECT coalesce(e.merchant_id, p.merchant_id) || '-' || coalesce(e.cause_id,
            p.cause_id) AS subject, format('expected %s, posted %s',
                coalesce(e.kind || ' ' || e.paise, 'nothing'),
                coalesce(p.kind || ' ' || p.amount_paise, 'nothing')) AS found
        FROM ({_EXPECTED}) AS e FULL JOIN (SELECT * FROM ledger_postings
            WHERE kind LIKE 'direct%') AS p
            ON p.merchant_id = e.merchant_id AND p.cause_id = e.cause_id AND p.kind = e.kind
        WHERE (p.amount_paise, p.currency, p.debit, p.credit, p.at)
            IS DISTINCT FROM (e.paise, 'INR', e.debit, e.credit, e.at)
    """,
    # A share is a part of its split, at the acquirer that took the payment, to the party that stood
    # there then; what was taken back of it is not more than what was given.
    Violation.DIRECT_SHARE_DIFFERS: """
        SELECT d.merchant_id || '-S' || d.share_id AS subject,
            format('%s of %s paise at %s, split %s, reversed %s', d.state, d.amount_paise,
                d.connector, coalesce(s.amount_paise::text, 'none'), r.paise) AS found
        FROM direct_shares d LEFT JOIN split_configurations c USING (merchant_id, request_id)
            LEFT JOIN split_parts s ON s.merchant_id = d.merchant_id
                AND s.request_id = d.request_id AND s.identifier = d.identifier
            LEFT JOIN attempts a ON a.merchant_id = d.merchant_id AND a.attempt_id = d.attempt_id
            CROSS JOIN LATERAL (SELECT coalesce(sum(amount_paise), 0) AS paise
                FROM share_reversals r WHERE r.merchant_id = d.merchant_id
                    AND r.share_id = d.share_id AND r.state <> 'cancelled') AS r
        WHERE (s.amount_paise = d.amount_paise AND c.payment_id = d.payment_id
                AND c.base_paise = d.base_paise AND c.created_at = d.created_at
                AND a.payment_id = d.payment_id AND a.connector = d.connector
                AND (c.replaced_at IS NULL OR d.state = 'cancelled')
                AND r.paise <= d.sent_paise AND (d.state = 'done' OR r.paise = 0)
                AND EXISTS (SELECT FROM linked_parties p WHERE p.merchant_id = d.merchant_id
                    AND p.identifier = d.identifier AND p.connector = d.connector
                    AND p.party = d.party AND p.added_at <= d.created_at
                    AND coalesce(p.ended_at >= d.created_at, true))) IS NOT TRUE
    """,
    # What travels with a refund is of its attempt, ends as it does, and is not more than it.
    Violation.CARRIED_REVERSAL_DIFFERS: """
        SELECT r.merchant_id || '-B' || r.reversal_id AS subject,
            format('%s paise, %s, of refund %s of %s paise, %s', r.amount_paise, r.state,
                r.refund_id, coalesce(f.amount_paise::text, 'none'), f.state) AS found
        FROM share_reversals r JOIN direct_shares d USING (merchant_id, share_id)
            LEFT JOIN refunds f ON f.merchant_id = r.merchant_id AND f.refund_id = r.refund_id
            CROSS JOIN LATERAL (SELECT sum(amount_paise) AS paise FROM share_reversals o
                WHERE o.merchant_id = r.merchant_id AND o.refund_id = r.refund_id) AS o
        WHERE r.refund_id IS NOT NULL AND (f.attempt_id = d.attempt_id
            AND f.connector = d.connector AND o.paise <= f.amount_paise
            AND CASE r.state WHEN 'done' THEN f.state IN ('done', 'reversed')
                WHEN 'cancelled' THEN f.state = 'failed'
                ELSE f.state <> 'failed' END) IS NOT TRUE
    """,
    # A share has the events that led to its state, and an open one a time of its next step.
    Violation.DIRECT_SHARE_UNEXPLAINED: """
        SELECT d.merchant_id || '-S' || d.share_id AS subject,
            format('%s with revision %s, events %s', d.state, d.revision,
                coalesce(e.states, 'none')) AS found
        FROM direct_shares d LEFT JOIN (
            SELECT merchant_id, share_id, count(*) AS events, max(event_no) AS newest,
                string_agg(state, ' ' ORDER BY event_no) AS states,
                (array_agg(state::text ORDER BY event_no))[1] AS first_state,
                (array_agg(state::text ORDER BY event_no DESC))[1] AS last_state,
                max(at) AS last_at
            FROM direct_share_events GROUP BY merchant_id, share_id
        ) AS e USING (merchant_id, share_id)
        WHERE (e.events = d.revision AND e.newest = d.revision AND e.first_state = 'waiting'
            AND e.last_state = d.state
            AND (d.ended_at IS NULL OR e.last_at = d.ended_at)) IS NOT TRUE
            OR d.due_at IS NULL AND d.state IN ('waiting', 'sent', 'unknown')
    """,
    # No part is settled by the acquirer and by us.
    Violation.SHARE_SETTLED_TWICE: """
        SELECT d.merchant_id || '-S' || d.share_id AS subject,
            format('%s at %s, and %s paise of it are in settlement %s', d.state, d.connector,
                p.amount_paise, p.settlement_id) AS found
        FROM direct_shares d JOIN split_configurations c USING (merchant_id, request_id)
            JOIN settlement_parts p ON p.merchant_id = d.merchant_id
                AND p.payment_id = d.payment_id AND p.identifier = d.identifier
        WHERE c.replaced_at IS NULL
            AND (d.state NOT IN ('refused', 'cancelled') OR d.late_at IS NOT NULL)
    """,
}
"""The query that finds the violations of each promise, as rows of (subject, found)."""

NOTES: Mapping[str, str] = {
    "direct_shares_open": """
        SELECT count(*) FROM direct_shares WHERE state IN ('waiting', 'sent', 'unknown')
    """,
    "reversals_owed": "SELECT count(*) FROM share_reversals WHERE state = 'owed'",
}
"""The queries of the notes about direct shares."""
