"""The checks of statements, hand-overs and corrections: one query for each promise."""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

# The hand-over of a line, from the line, its match and the payment or refund alone.
_EXPECTED = """
    SELECT l.merchant_id, l.line_id, l.file_id, l.utr, p.kind, p.debit, p.credit, p.paise
    FROM statement_lines l
        JOIN statement_matches m ON m.merchant_id = l.merchant_id AND m.line_id = l.line_id
        CROSS JOIN LATERAL (VALUES
            ('handed_over', CASE WHEN l.is_credit THEN 'escrow' ELSE 'receivable:' || l.connector
                END,
                CASE WHEN l.is_credit THEN 'receivable:' || l.connector ELSE 'escrow' END,
                    l.net_paise),
            ('acquirer_fee', 'acquirer_cost', 'receivable:' || l.connector,
                CASE WHEN m.class = 'fee_differs' THEN 0 ELSE l.fee_paise END)
        ) AS p (kind, debit, credit, paise)
    WHERE m.class IN ('matched', 'late', 'fee_differs') AND p.paise > 0
"""
_HANDED = "SELECT file_id, utr FROM statement_steps WHERE step = 'handed_over'"
_ARRIVED = """
    SELECT h.file_id, h.utr FROM statement_handovers h JOIN (
        SELECT connector, utr, sum(net_paise) AS said FROM statement_handovers GROUP BY 1, 2
    ) AS s ON s.connector = h.connector AND s.utr = h.utr
    LEFT JOIN (SELECT utr, sum(net_paise) AS came FROM account_lines
        GROUP BY 1) AS a ON a.utr = h.utr
    WHERE s.said = coalesce(a.came, 0)
"""
# Our amount for a line, unless its payment is in the archive.
_OURS = """
    SELECT merchant_id, 'payment' AS kind, attempt_id AS cause_id, connector, settled_paise AS paise
        FROM attempts
    WHERE state IN ('paid', 'overpaid')
    UNION ALL SELECT merchant_id, 'refund', refund_id, connector, settled_paise FROM refunds
        WHERE state IN ('done', 'reversed')
    UNION ALL SELECT merchant_id, 'refund_reversed', refund_id, connector, settled_paise
        FROM refunds
        WHERE state = 'reversed'
    UNION ALL SELECT a.merchant_id, 'payment', a.attempt_id, a.connector, p.captured_paise
        FROM attempts a JOIN payments p ON p.merchant_id = a.merchant_id
            AND p.payment_id = a.payment_id
        WHERE a.state = 'authorised' AND p.state = 'captured'
    UNION ALL SELECT merchant_id, 'chargeback', stage_id, connector, taken_settled_paise
        FROM dispute_stages
"""

# A name in lower-case ASCII without spaces, punctuation and invisible characters; NULL if nothing
# is left.
_FOLDED = (
    "nullif(regexp_replace(lower(normalize({}, NFKC)), "
    "'[[:space:][:punct:][:cntrl:]\\u00ad\\u034f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufe00-\\ufe0f\\ufeff]',"
    " "
    "'', 'g'), '')"
)

CHECKS: Mapping[Violation, str] = {
    Violation.HANDOVER_DIFFERS: f"""
        SELECT coalesce(e.merchant_id, p.merchant_id) || '-' || coalesce(e.line_id,
            p.cause_id) AS subject,
            CASE WHEN p.cause_id IS NULL THEN 'no posting of kind ' || e.kind
                ELSE format('%s: %s %s from %s to %s', p.kind, p.amount_paise, p.currency, p.credit,
                p.debit) END
                || CASE WHEN e.line_id IS NULL THEN ', and no matched line' ELSE '' END AS found
        FROM ({_EXPECTED}) AS e FULL JOIN (
            SELECT * FROM ledger_postings WHERE kind IN ('handed_over', 'acquirer_fee')
        ) AS p ON p.merchant_id = e.merchant_id AND p.cause_id = e.line_id AND p.kind::text = e.kind
            LEFT JOIN ({_HANDED}) AS h ON h.file_id = e.file_id AND h.utr = e.utr
            LEFT JOIN ({_ARRIVED}) AS a ON a.file_id = e.file_id AND a.utr = e.utr
        WHERE CASE WHEN p.cause_id IS NULL THEN h.file_id IS NOT NULL
            ELSE (p.amount_paise, p.currency, p.debit, p.credit) IS DISTINCT
                FROM (e.paise, 'INR', e.debit, e.credit)
                OR coalesce(h.file_id, a.file_id) IS NULL END
    """,
    Violation.HANDOVER_UNFOUNDED: """
        SELECT 'transfer ' || coalesce(h.utr, '') AS subject,
            format('%s paise handed over, %s came', h.paise, coalesce(a.came, 0)) AS found
        FROM (
            SELECT h.utr, sum(h.net_paise) AS paise
            FROM statement_steps s LEFT JOIN statement_handovers h ON h.file_id = s.file_id
                AND h.utr = s.utr
            WHERE s.step = 'handed_over' GROUP BY h.utr
        ) AS h LEFT JOIN (SELECT utr, sum(net_paise) AS came FROM account_lines
            GROUP BY 1) AS a ON a.utr = h.utr
        WHERE h.paise IS DISTINCT FROM coalesce(a.came, 0)
    """,
    Violation.STATEMENT_DIFFERS: f"""
        SELECT 'file ' || f.file_id AS subject, format('%s lines of %s paise, %s of %s are there',
            f.lines, f.net_paise, coalesce(l.lines, 0), coalesce(l.paise, 0)) AS found
        FROM statement_files f FULL JOIN (
            SELECT file_id, count(*) AS lines,
                sum(CASE WHEN is_credit THEN net_paise ELSE -net_paise END) AS paise,
                min(day) AS first_day, max(day) AS last_day,
            array_agg(DISTINCT merchant_id) AS merchants, min(connector) AS connector,
            max(connector) AS connector_too
            FROM statement_lines GROUP BY 1
        ) AS l USING (file_id)
        WHERE coalesce(f.connector, '-') <> '' AND ((f.lines, f.net_paise) IS DISTINCT FROM
            (coalesce(l.lines, 0), coalesce(l.paise, 0))
            OR f.merchants IS DISTINCT FROM coalesce(l.merchants, '{{}}')
            OR (f.opening_paise IS NULL) <> (f.closing_paise IS NULL)
            OR f.opening_paise + f.net_paise <> f.closing_paise
            OR l.lines > 0 AND (l.first_day >= f.first_day AND l.last_day <= f.last_day
                AND f.connector = l.connector
                AND l.connector = l.connector_too) IS NOT TRUE)
        UNION ALL
        SELECT 'file ' || f.file_id, format('%s lines of %s paise, %s of %s are there', f.lines,
            f.net_paise, count(l.*), coalesce(sum(l.net_paise), 0))
        FROM statement_files f LEFT JOIN account_lines l ON l.line_id > f.file_id
            AND l.line_id <= f.file_id + f.lines + 10000 AND l.account = f.account
            AND l.day BETWEEN f.first_day AND f.last_day
        WHERE f.connector = '' GROUP BY f.file_id
        HAVING f.opening_paise + f.net_paise IS DISTINCT FROM f.closing_paise
            OR f.merchants IS DISTINCT FROM '{{}}'
            OR count(l.*) <> f.lines OR coalesce(sum(l.net_paise), 0) <> f.net_paise
        UNION ALL
        SELECT 'line ' || a.line_id, 'of no statement of our account' FROM account_lines a
        WHERE NOT EXISTS (SELECT FROM statement_files f WHERE f.connector = ''
            AND f.account = a.account)
        UNION ALL
        SELECT 'hand-over ' || coalesce(h.utr, l.utr),
            format('%s paise of %s lines, its lines are %s of %s', h.net_paise, h.lines, l.lines,
        l.paise)
        FROM statement_handovers h FULL JOIN (
            SELECT connector, utr, file_id, count(*) AS lines,
                sum(CASE WHEN is_credit THEN net_paise ELSE -net_paise END) AS paise
            FROM statement_lines WHERE kind <> 'handover' AND utr <> '' GROUP BY 1, 2, 3
        ) AS l ON l.connector = h.connector AND l.utr = h.utr AND l.file_id = h.file_id
        WHERE (h.net_paise, h.lines) IS DISTINCT FROM (l.paise, l.lines)
        UNION ALL
        SELECT coalesce(m.merchant_id, o.merchant_id) || '-' || coalesce(m.line_id, o.cause_id),
            format('%s %s: the line says %s paise, we say %s', m.class, m.kind, l.gross_paise,
                o.paise)
        FROM statement_matches m LEFT JOIN statement_lines l ON l.merchant_id = m.merchant_id
            AND l.line_id = m.line_id
            LEFT JOIN ({_OURS}) AS o ON o.merchant_id = m.merchant_id AND o.kind = m.kind
                AND o.cause_id = m.cause_id
        WHERE l.line_id IS NULL OR l.kind <> m.kind OR l.connector <> o.connector
            OR CASE l.kind WHEN 'chargeback' THEN NOT EXISTS (SELECT FROM dispute_stages d
                WHERE d.rrn = l.rrn
                AND d.merchant_id = m.merchant_id AND d.stage_id = m.cause_id
                    AND d.attempt_id = l.cause_id)
                ELSE l.cause_id <> m.cause_id END
            OR (m.class = 'amount_differs') <> (l.gross_paise <> o.paise)
        UNION ALL
        SELECT l.merchant_id || '-' || l.line_id, 'neither matched nor left to people'
        FROM statement_lines l JOIN statement_steps s ON s.file_id = l.file_id
            AND s.step = 'matched'
            LEFT JOIN statement_matches m ON m.merchant_id = l.merchant_id AND m.line_id = l.line_id
            LEFT JOIN reconciliation_items i ON i.merchant_id = l.merchant_id
                AND i.item_id = l.line_id
        WHERE l.kind <> 'handover' AND i.item_id IS NULL
            AND (m.line_id IS NULL OR m.class IN ('amount_differs', 'fee_differs'))
        UNION ALL
        SELECT l.merchant_id || '-' || l.line_id, format('%s paise with a fee of %s are not %s',
            gross_paise, fee_paise, net_paise) FROM statement_lines l
        WHERE gross_paise <> net_paise + CASE WHEN is_credit THEN fee_paise ELSE -fee_paise END
        UNION ALL
        SELECT i.merchant_id || '-' || i.item_id, format('%s, and its line counts as %s', i.class,
        m.class)
        FROM reconciliation_items i LEFT JOIN statement_matches m ON m.merchant_id = i.merchant_id
            AND m.line_id = i.item_id
        WHERE i.class IN ('amount_differs', 'fee_differs') AND m.class IS DISTINCT FROM i.class
    """,
    # An item may belong to no merchant, so the correction and the item are read separately: on
    # Citus they may be on different nodes.
    Violation.CORRECTION_DIFFERS: f"""
        WITH approved AS MATERIALIZED (SELECT * FROM reconciliation_proposals
            WHERE decision = 'approved'),
            items AS MATERIALIZED (
                SELECT * FROM reconciliation_items WHERE item_id IN (SELECT item_id FROM approved))
        SELECT coalesce(c.merchant_id, p.merchant_id) || '-' || coalesce(c.proposal_id,
            p.cause_id) AS subject,
            CASE WHEN p.cause_id IS NULL THEN 'approved and not posted'
                WHEN c.proposal_id IS NULL THEN 'posted and not approved'
                ELSE format('%s paise from %s to %s, by %s and %s, item %s', p.amount_paise,
                    p.credit, p.debit, c.proposed_by, c.decided_by,
                    coalesce(i.resolution, 'open')) END AS found
        FROM approved c FULL JOIN (
            SELECT * FROM ledger_postings WHERE kind = 'correction'
        ) AS p ON p.merchant_id = c.merchant_id AND p.cause_id = c.proposal_id
            LEFT JOIN items i ON i.merchant_id = c.owner_id AND i.item_id = c.item_id
        WHERE (p.amount_paise, p.currency, p.debit, p.credit, p.at)
                IS DISTINCT FROM (c.amount_paise, 'INR', c.debit, c.credit, c.decided_at)
            OR c.proposal_id IS NOT NULL
                AND ({_FOLDED.format("c.proposed_by")} <> {_FOLDED.format("c.decided_by")})
                    IS NOT TRUE
            OR c.decided_at < c.proposed_at
            OR i.resolution IS DISTINCT FROM 'correction ' || c.proposal_id
                OR i.resolved_at <> c.decided_at
        UNION ALL
        SELECT i.merchant_id || '-' || i.item_id, i.class || ' resolved by ' || i.resolution
        FROM reconciliation_items i
        WHERE (i.state = 'resolved') <> (i.resolution <> '')
            OR (i.state = 'resolved') <> (i.resolved_at IS NOT NULL)
            OR i.state = 'resolved' AND CASE
            WHEN i.resolution LIKE 'correction %' THEN NOT EXISTS (SELECT FROM approved c
                WHERE c.owner_id = i.merchant_id AND c.item_id = i.item_id)
            WHEN i.class = 'missing_there' THEN NOT EXISTS (SELECT FROM statement_matches m
                WHERE m.merchant_id = i.merchant_id AND m.cause_id = i.cause_id
                    AND m.class IN ('matched', 'late'))
            ELSE NOT EXISTS (SELECT FROM statement_matches m WHERE i.class = 'missing_here'
                AND m.merchant_id = i.merchant_id AND m.line_id = i.item_id
                    AND m.class IN ('matched', 'late')) END
    """,
}
"""The query that finds the violations of each promise, as rows of (subject, found)."""
