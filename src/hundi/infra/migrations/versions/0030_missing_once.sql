-- As before, without what stands there already: of an INSERT ... SELECT Citus counts every row that was selected, also those that
-- ON CONFLICT leaves out, so that each day told of the same missing payment again.
CREATE OR REPLACE FUNCTION find_missing(owner bigint, acquirer text, from_id bigint, from_day date, to_day date, now_at timestamptz) RETURNS bigint
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
