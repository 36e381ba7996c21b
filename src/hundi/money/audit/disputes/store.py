"""The checks of disputes: one query for each promise."""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

# The postings that a stage must have, from its own row alone.
_EXPECTED = """
    SELECT merchant_id, stage_id, held_settled_paise AS paise, 'dispute_held' AS kind,
        'payable' AS debit, 'disputed' AS credit FROM dispute_stages
    UNION ALL
    SELECT merchant_id, stage_id, fee_paise, 'dispute_fee', 'payable', 'fee_income'
        FROM dispute_stages
    UNION ALL
    SELECT merchant_id, stage_id, tax_paise, 'dispute_tax', 'payable', 'tax_payable'
        FROM dispute_stages
    UNION ALL
    SELECT merchant_id, stage_id, CASE WHEN state IN ('lost', 'accepted') THEN held_settled_paise
            WHEN state = 'partly_accepted' THEN taken_settled_paise ELSE 0 END,
        'dispute_lost', 'disputed', 'receivable:' || connector FROM dispute_stages
    UNION ALL
    SELECT merchant_id, stage_id, CASE WHEN state IN ('won', 'closed') THEN held_settled_paise
            WHEN state = 'partly_accepted' THEN held_settled_paise - taken_settled_paise ELSE 0 END,
        'dispute_won', 'disputed', 'payable' FROM dispute_stages
"""
# The event that each time of a stage, and its end, must have.
_EXPLAINED = """
    SELECT merchant_id, payment_id, stage_id, 'dispute_opened' AS kind, opened_at AS at
        FROM dispute_stages
    UNION ALL SELECT merchant_id, payment_id, stage_id, 'dispute_due_soon', reminded_at
        FROM dispute_stages
        WHERE reminded_at IS NOT NULL
    UNION ALL SELECT merchant_id, payment_id, stage_id, 'dispute_expired', expired_at
        FROM dispute_stages
        WHERE expired_at IS NOT NULL
    UNION ALL SELECT merchant_id, payment_id, stage_id,
        CASE WHEN accepted_paise = amount_paise THEN 'dispute_accepted' ELSE 'dispute_contested'
            END, answered_at
        FROM dispute_stages WHERE answered_at IS NOT NULL
    UNION ALL SELECT merchant_id, payment_id, stage_id, CASE state WHEN 'won' THEN 'dispute_won'
            WHEN 'closed' THEN 'dispute_closed' WHEN 'partly_accepted' THEN 'dispute_partly_lost'
            WHEN 'lost' THEN 'dispute_lost' WHEN 'accepted' THEN 'dispute_lost' ELSE 'an end' END,
                settled_at
        FROM dispute_stages WHERE settled_at IS NOT NULL
"""

CHECKS: Mapping[Violation, str] = {
    Violation.DISPUTE_POSTING_DIFFERS: f"""
        SELECT coalesce(e.merchant_id, p.merchant_id) || '-D' || coalesce(e.stage_id,
            p.cause_id) AS subject, format('expected %s, posted %s',
                coalesce(e.kind || ' ' || e.paise, 'nothing'),
        coalesce(p.kind || ' ' || p.amount_paise, 'nothing')) AS found
        FROM (SELECT * FROM ({_EXPECTED}) AS all_of_them WHERE paise > 0) AS e
            FULL JOIN (SELECT * FROM ledger_postings WHERE kind LIKE 'dispute%') AS p
            ON p.merchant_id = e.merchant_id AND p.cause_id = e.stage_id AND p.kind = e.kind
        WHERE (p.amount_paise, p.currency, p.debit, p.credit) IS DISTINCT
            FROM (e.paise, 'INR', e.debit, e.credit)
    """,
    Violation.DISPUTE_UNEXPLAINED: f"""
        SELECT coalesce(e.merchant_id, s.merchant_id) || '-' || coalesce(e.payment_id,
            s.payment_id) AS subject, format('%s at %s: %s in the story, %s in the disputes',
                coalesce(e.kind, s.kind), coalesce(e.at, s.at), coalesce(e.events, 0),
        coalesce(s.stages, 0)) AS found
        FROM (
            SELECT merchant_id, payment_id, kind, at, count(*) AS events FROM payment_events
            WHERE kind LIKE 'dispute%' GROUP BY 1, 2, 3, 4
        ) AS e FULL JOIN (
            SELECT merchant_id, payment_id, kind, at, count(*) AS stages FROM ({_EXPLAINED}) AS x
                GROUP BY 1, 2, 3, 4
        ) AS s USING (merchant_id, payment_id, kind, at)
        WHERE e.events IS DISTINCT FROM s.stages
    """,
    # The state must follow from the times; the fee and the holds must be allowed ones. Only a
    # contest in the acquirer's own dashboard may be known when the deadline is over.
    Violation.DISPUTE_DIFFERS: """
        SELECT s.merchant_id || '-D' || s.stage_id AS subject,
            format('%s %s of %s, held %s, taken %s, accepted %s', phase, s.state, s.amount_paise,
                held_paise, taken_paise, accepted_paise) AS found
        FROM dispute_stages s LEFT JOIN attempts a USING (merchant_id, attempt_id)
        WHERE a.payment_id IS DISTINCT FROM s.payment_id OR a.connector <> s.connector
            OR a.currency <> s.currency
            OR a.rate_micros <> s.rate_micros
            OR (s.settled_at IS NULL) <> (s.state IN ('open', 'under_review', 'accepting',
            'expired'))
            OR CASE s.state WHEN 'open' THEN answered_at IS NOT NULL OR expired_at IS NOT NULL
                WHEN 'under_review' THEN answered_at IS NULL OR accepted_paise = s.amount_paise
                WHEN 'accepting' THEN answered_at IS NULL OR accepted_paise <> s.amount_paise
                WHEN 'expired' THEN expired_at IS NULL OR answered_at IS NOT NULL
                WHEN 'accepted' THEN accepted_paise <> s.amount_paise OR taken_paise <> held_paise
                WHEN 'lost' THEN taken_paise <> held_paise OR held_paise = 0
                WHEN 'partly_accepted' THEN taken_paise NOT BETWEEN 1 AND held_paise - 1
                ELSE taken_paise <> 0 END
            OR (answered_at IS NOT NULL AND expired_at IS NOT NULL)
            OR (answered_at >= respond_by AND (sent_at IS DISTINCT FROM answered_at
                OR accepted_paise > 0 OR note <> ''))
            OR (answered_at IS NULL AND (accepted_paise > 0 OR note <> ''))
            OR (s.settled_at IS NULL AND (taken_paise > 0 OR taken_settled_paise > 0))
            OR expired_at < respond_by OR (sent_at IS NOT NULL AND answered_at IS NULL)
            OR (taken_paise > 0) <> (s.rrn <> '') OR tax_paise <> (fee_paise * 18 + 50) / 100
            OR (phase = 'retrieval' AND (held_paise > 0 OR fee_paise > 0))
            OR NOT EXISTS (SELECT FROM dispute_stages f WHERE f.merchant_id = s.merchant_id
                AND f.stage_id = s.dispute_id AND f.payment_id = s.payment_id
                    AND f.bank_case = s.bank_case)
    """,
    # An amount above the order's comes with the payment and is disputed with it.
    Violation.DISPUTED_TOO_MUCH: """
        SELECT p.merchant_id || '-' || p.payment_id AS subject,
            format('captured %s, refunded %s, disputed %s', p.captured_paise, p.refunded_paise,
                d.paise) AS found
        FROM payments p JOIN (
            SELECT s.merchant_id, s.payment_id,
                sum(CASE WHEN s.settled_at IS NULL THEN s.held_paise ELSE s.taken_paise END)
                    AS paise,
                max(a.surcharge_paise) AS surcharge_paise
            FROM dispute_stages s JOIN attempts a USING (merchant_id, attempt_id) GROUP BY 1, 2
        ) AS d USING (merchant_id, payment_id)
        WHERE p.refunded_paise + d.paise > p.captured_paise
            + CASE p.state WHEN 'paid' THEN d.surcharge_paise ELSE 0 END
    """,
    Violation.DISPUTE_FORGOTTEN: """
        SELECT merchant_id || '-D' || stage_id AS subject,
        state || ' and nobody goes on with it' AS found
        FROM dispute_stages WHERE (settled_at IS NULL) <> (due_at IS NOT NULL)
        UNION ALL
        SELECT merchant_id || '-D' || stage_id, 'open since its deadline ' || respond_by
        FROM dispute_stages WHERE state = 'open'
            AND respond_by < $1::timestamptz - interval '15 minutes'
    """,
    Violation.EVIDENCE_DIFFERS: """
        SELECT e.merchant_id || '-E' || e.evidence_id AS subject,
            format('%s added at %s, answered at %s, sent at %s', e.media_type, e.added_at,
                s.answered_at, e.sent_at)
                AS found
        FROM dispute_evidence e LEFT JOIN dispute_stages s USING (merchant_id, stage_id)
        WHERE s.stage_id IS NULL OR e.added_at < s.opened_at OR e.added_at > coalesce(s.answered_at,
            s.respond_by)
            OR (e.sent_at IS NOT NULL AND s.answered_at IS NULL)
    """,
}
"""The query that finds the violations of each promise, as rows of (subject, found)."""
