-- Lines of statements are compared, and what they explain is ended.

-- Compares lines of one merchant with its payments and refunds, and keeps what is left to people. Lines that were
-- compared before stay as they are, and so do those whose money two people have posted: matched again they would be posted
-- with their hand-over once more. terms: [{"method", "bps", "fixed_paise", "tax_bps"}]. Returns how many lines have a
-- payment or refund.
CREATE FUNCTION match_lines(owner bigint, from_line bigint, to_line bigint, acquirer text, terms jsonb, late_days integer,
    now_at timestamptz) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    matched bigint;
BEGIN
    INSERT INTO statement_matches (merchant_id, line_id, kind, cause_id, class)
    SELECT owner, c.line_id, c.kind, c.cause_id,
        CASE WHEN c.gross_paise <> c.ours THEN 'amount_differs'
            WHEN c.fee_paise <> least(c.fee + (c.fee * c.tax_bps + 5000) / 10000, c.gross_paise) THEN 'fee_differs'
            WHEN c.line_day > c.our_day + late_days THEN 'late' ELSE 'matched' END
    FROM (
        SELECT l.line_id, l.kind, l.cause_id, l.gross_paise, l.fee_paise, l.day AS line_day,
            CASE WHEN a.state = 'authorised' THEN (SELECT p.captured_paise FROM payments p
                WHERE p.merchant_id = owner AND p.payment_id = a.payment_id AND p.state = 'captured')
                ELSE a.settled_paise END AS ours,
            CASE WHEN a.state <> 'authorised' THEN (a.settled_at AT TIME ZONE 'Asia/Kolkata')::date END AS our_day,
            (l.gross_paise * t.bps + 5000) / 10000 + t.fixed_paise AS fee, t.tax_bps
        FROM statement_lines l
            JOIN attempts a ON a.merchant_id = owner AND a.attempt_id = l.cause_id
            LEFT JOIN jsonb_to_recordset(terms) AS t (method text, bps bigint, fixed_paise bigint, tax_bps bigint)
                ON t.method = a.method
        WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.kind = 'payment' AND l.is_credit
            AND a.connector = acquirer AND a.state IN ('paid', 'overpaid', 'authorised')
        UNION ALL
        SELECT l.line_id, l.kind, l.cause_id, l.gross_paise, l.fee_paise, l.day, r.settled_paise,
            (r.settled_at AT TIME ZONE 'Asia/Kolkata')::date,
            (l.gross_paise * t.bps + 5000) / 10000 + t.fixed_paise, t.tax_bps
        FROM statement_lines l
            JOIN refunds r ON r.merchant_id = owner AND r.refund_id = l.cause_id
            LEFT JOIN jsonb_to_recordset(terms) AS t (method text, bps bigint, fixed_paise bigint, tax_bps bigint)
                ON t.method = 'refund'
        WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.kind = 'refund' AND NOT l.is_credit
            AND r.connector = acquirer AND r.state IN ('done', 'reversed')
        UNION ALL
        SELECT l.line_id, 'refund_reversed', l.cause_id, l.gross_paise, l.fee_paise, l.day, r.settled_paise,
            (r.reversed_at AT TIME ZONE 'Asia/Kolkata')::date, 0, 0
        FROM statement_lines l
            JOIN refunds r ON r.merchant_id = owner AND r.refund_id = l.cause_id
        WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.kind = 'refund' AND l.is_credit
            AND r.connector = acquirer AND r.state = 'reversed'
        UNION ALL
        SELECT l.line_id, l.kind, d.stage_id, l.gross_paise, l.fee_paise, l.day, d.taken_settled_paise,
            (d.settled_at AT TIME ZONE 'Asia/Kolkata')::date, 0, 0
        FROM statement_lines l
            JOIN dispute_stages d ON d.merchant_id = owner AND d.attempt_id = l.cause_id AND d.rrn = l.rrn
        WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.kind = 'chargeback' AND NOT l.is_credit
            AND d.connector = acquirer AND d.settled_at IS NOT NULL
    ) AS c
    WHERE c.ours > 0 AND NOT EXISTS (SELECT FROM reconciliation_items i
        WHERE i.merchant_id = owner AND i.item_id = c.line_id AND i.class = 'missing_here' AND i.state = 'resolved'
            AND i.resolution LIKE 'correction %')
    ORDER BY c.line_id
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS matched = ROW_COUNT;
    INSERT INTO reconciliation_items (merchant_id, item_id, class, connector, cause_id, ours_paise, theirs_paise, opened_at)
    SELECT owner, l.line_id,
        CASE WHEN m.class IS NOT NULL THEN m.class WHEN o.line_id IS NOT NULL THEN 'duplicate' ELSE 'missing_here' END,
        acquirer, l.cause_id,
        CASE WHEN m.class IS NULL AND o.line_id IS NULL THEN 0
            WHEN l.kind = 'refund' THEN coalesce((SELECT r.settled_paise FROM refunds r
                WHERE r.merchant_id = owner AND r.refund_id = l.cause_id), 0)
            WHEN l.kind = 'chargeback' THEN coalesce((SELECT d.taken_settled_paise FROM dispute_stages d
                WHERE d.merchant_id = owner AND d.stage_id = coalesce(m.cause_id, o.cause_id)), 0)
            ELSE coalesce((SELECT a.settled_paise FROM attempts a
                WHERE a.merchant_id = owner AND a.attempt_id = l.cause_id), 0) END,
        l.gross_paise, now_at
    FROM statement_lines l
        LEFT JOIN statement_matches m ON m.merchant_id = owner AND m.line_id = l.line_id
        LEFT JOIN dispute_stages t ON t.merchant_id = owner AND l.kind = 'chargeback' AND t.attempt_id = l.cause_id
            AND t.rrn = l.rrn
        LEFT JOIN statement_matches o ON o.merchant_id = owner AND o.cause_id = coalesce(t.stage_id, l.cause_id)
            AND o.kind = CASE WHEN l.kind = 'refund' AND l.is_credit THEN 'refund_reversed' ELSE l.kind END
            AND o.line_id <> l.line_id AND m.line_id IS NULL
    WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.kind <> 'handover'
        AND (m.line_id IS NULL OR m.class IN ('amount_differs', 'fee_differs'))
    ON CONFLICT DO NOTHING;
    PERFORM ask_about_credits(owner, from_line, to_line, acquirer, now_at);
    RETURN matched;
END $$;

-- Keeps as missing there what this merchant was paid, or gave back, by an acquirer in some days without a line of any
-- statement, and what came back: a credit under a refund's reference. What stands there already is left out: of an INSERT
-- ... SELECT Citus counts every row that was selected, also those that ON CONFLICT leaves out.
CREATE FUNCTION find_missing(owner bigint, acquirer text, from_id bigint, from_day date, to_day date, now_at timestamptz) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    found_there bigint;
    since timestamptz := from_day::timestamp AT TIME ZONE 'Asia/Kolkata';
    until_at timestamptz := (to_day + 1)::timestamp AT TIME ZONE 'Asia/Kolkata';
BEGIN
    INSERT INTO reconciliation_items (merchant_id, item_id, class, connector, cause_id, ours_paise, theirs_paise, opened_at)
    SELECT owner, c.cause_id, 'missing_there', acquirer, c.cause_id, c.ours, 0, now_at
    FROM (
        SELECT 'payment' AS kind, a.attempt_id AS cause_id, a.settled_paise AS ours FROM attempts a
        WHERE a.merchant_id = owner AND a.attempt_id >= from_id AND a.connector = acquirer
            AND a.state IN ('paid', 'overpaid') AND a.settled_at >= since AND a.settled_at < until_at
        UNION ALL
        SELECT 'payment', c.attempt_id, c.amount_paise FROM completions c
        WHERE c.merchant_id = owner AND c.connector = acquirer AND c.kind = 'capture' AND c.state = 'done'
            AND c.settled_at >= since AND c.settled_at < until_at
        UNION ALL
        SELECT 'refund', r.refund_id, r.settled_paise FROM refunds r
        WHERE r.merchant_id = owner AND r.connector = acquirer AND r.state = 'done'
            AND r.settled_at >= since AND r.settled_at < until_at
        UNION ALL
        -- What never left their books has nothing to come back.
        SELECT 'refund_reversed', r.refund_id, r.settled_paise FROM refunds r
        WHERE r.merchant_id = owner AND r.connector = acquirer AND r.state = 'reversed'
            AND r.reversed_at >= since AND r.reversed_at < until_at
            AND EXISTS (SELECT FROM statement_matches t
                WHERE t.merchant_id = owner AND t.cause_id = r.refund_id AND t.kind = 'refund')
        UNION ALL
        SELECT 'chargeback', d.stage_id, d.taken_settled_paise FROM dispute_stages d
        WHERE d.merchant_id = owner AND d.connector = acquirer
            AND d.settled_at >= since AND d.settled_at < until_at
    ) AS c LEFT JOIN statement_matches m ON m.merchant_id = owner AND m.cause_id = c.cause_id AND m.kind = c.kind
    WHERE m.line_id IS NULL AND c.ours > 0
        AND NOT EXISTS (SELECT FROM reconciliation_items i WHERE i.merchant_id = owner AND i.item_id = c.cause_id)
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS found_there = ROW_COUNT;
    RETURN found_there;
END $$;

-- A refund that came back is not booked by a line of a statement: its acquirer is asked. Whoever compares may do this to
-- refunds, and nothing else.
CREATE FUNCTION ask_about_credits(owner bigint, from_line bigint, to_line bigint, acquirer text, now_at timestamptz) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE refunds r SET due_at = now_at, inquiries = 0
    FROM statement_lines l
    WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.kind = 'refund' AND l.is_credit
        AND r.merchant_id = owner AND r.refund_id = l.cause_id AND r.connector = acquirer AND r.state = 'done'
        AND r.due_at IS NULL;
END $$;

-- Ends what needs no person: a payment, refund or chargeback that was missing there has a line of its kind now, a line that
-- nothing explained has its payment.
CREATE FUNCTION resolve_items(owner bigint, acquirer text, terms jsonb, late_days integer, now_at timestamptz) RETURNS bigint[]
    LANGUAGE plpgsql
    AS $$
DECLARE
    line bigint;
    differing bigint[];
    ended bigint[];
BEGIN
    FOR line IN SELECT i.item_id FROM reconciliation_items i WHERE i.merchant_id = owner AND i.state = 'open'
        AND i.class = 'missing_here' AND i.connector = acquirer AND i.cause_id > 0 ORDER BY i.item_id LIMIT 10000
    LOOP
        PERFORM match_lines(owner, line, line, acquirer, terms, late_days, now_at);
    END LOOP;
    -- A line whose payment is known by now and differs is that difference alone: its own money comes with the hand-over.
    WITH found AS (
        UPDATE reconciliation_items i SET class = m.class, ours_paise = coalesce(
                (SELECT r.settled_paise FROM refunds r
                    WHERE r.merchant_id = owner AND r.refund_id = m.cause_id AND m.kind IN ('refund', 'refund_reversed')),
                (SELECT d.taken_settled_paise FROM dispute_stages d
                    WHERE d.merchant_id = owner AND d.stage_id = m.cause_id AND m.kind = 'chargeback'),
                (SELECT a.settled_paise FROM attempts a
                    WHERE a.merchant_id = owner AND a.attempt_id = m.cause_id AND m.kind = 'payment'), 0)
        FROM statement_matches m
        WHERE i.merchant_id = owner AND i.state = 'open' AND i.connector = acquirer AND i.class = 'missing_here'
            AND m.merchant_id = owner AND m.line_id = i.item_id AND m.class IN ('amount_differs', 'fee_differs')
        RETURNING i.item_id)
    SELECT coalesce(array_agg(f.item_id ORDER BY f.item_id), '{}') INTO differing FROM found f;
    WITH closed AS (
        UPDATE reconciliation_items i SET state = 'resolved', resolved_at = now_at,
            resolution = CASE WHEN i.class = 'missing_there' THEN 'its line came later' ELSE 'its payment was learnt later' END
        WHERE i.merchant_id = owner AND i.state = 'open' AND i.connector = acquirer
            AND i.class IN ('missing_here', 'missing_there')
            AND EXISTS (SELECT FROM statement_matches m WHERE m.merchant_id = owner AND m.class IN ('matched', 'late')
                AND (i.class = 'missing_here' AND m.line_id = i.item_id
                    OR i.class = 'missing_there' AND m.cause_id = i.cause_id
                        AND m.kind = CASE WHEN EXISTS (SELECT FROM refunds f
                                WHERE f.merchant_id = owner AND f.refund_id = i.cause_id AND f.reversed_at <= i.opened_at)
                                THEN 'refund_reversed'
                            WHEN EXISTS (SELECT FROM refunds f
                                WHERE f.merchant_id = owner AND f.refund_id = i.cause_id) THEN 'refund'
                            WHEN EXISTS (SELECT FROM dispute_stages d
                                WHERE d.merchant_id = owner AND d.stage_id = i.cause_id) THEN 'chargeback'
                            ELSE 'payment' END))
        RETURNING i.item_id, i.class)
    SELECT coalesce(array_agg(c.item_id ORDER BY c.item_id) FILTER (WHERE c.class = 'missing_here'), '{}') INTO ended
    FROM closed c;
    RETURN differing || ended;
END $$;

-- Posts what an acquirer handed over of one merchant's lines, and the fees it kept; what is posted already stays.
CREATE FUNCTION post_handover(owner bigint, from_line bigint, to_line bigint, transfer text, now_at timestamptz) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    posted bigint;
BEGIN
    INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
    SELECT owner, l.line_id, p.kind, p.debit, p.credit, p.paise, 'INR', now_at
    FROM statement_lines l
        JOIN statement_matches m ON m.merchant_id = owner AND m.line_id = l.line_id
        CROSS JOIN LATERAL (VALUES
            ('handed_over', CASE WHEN l.is_credit THEN 'escrow' ELSE 'receivable:' || l.connector END,
                CASE WHEN l.is_credit THEN 'receivable:' || l.connector ELSE 'escrow' END, l.net_paise),
            ('acquirer_fee', 'acquirer_cost', 'receivable:' || l.connector,
                CASE WHEN m.class IN ('matched', 'late') THEN l.fee_paise ELSE 0 END)
        ) AS p (kind, debit, credit, paise)
    WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.utr = transfer
        AND m.class IN ('matched', 'late', 'fee_differs') AND p.paise > 0
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS posted = ROW_COUNT;
    RETURN posted;
END $$;
