-- Statements of acquirers and of our own bank account: what was imported, what each line was found to be, what is left to people.

-- Each file once, by the SHA-256 of its bytes. connector: '' for our own bank account. Its lines are numbered from file_id + 1 on.
CREATE TABLE statement_files (
    file_id       bigint      NOT NULL PRIMARY KEY,
    sha256        sha256_digest NOT NULL UNIQUE,
    connector     text        NOT NULL,
    format        text        NOT NULL CHECK (format IN ('camt053', 'mt940', 'csv')),
    name          text        NOT NULL,
    account       text        NOT NULL,
    statement     text        NOT NULL,
    opening_paise bigint,
    closing_paise bigint,
    lines         times       NOT NULL,
    net_paise     bigint      NOT NULL,
    first_day     date,
    last_day      date,
    -- Whose lines it has; 0 stands for lines of nobody.
    merchants     bigint[]    NOT NULL,
    imported_by   text        NOT NULL,
    imported_at   timestamptz NOT NULL,
    CHECK (opening_paise + net_paise = closing_paise),
    EXCLUDE USING gist (int8range(file_id, file_id + lines + 1) WITH &&)
);
-- What was done with a file, each once: its lines matched, a hand-over's money posted.
CREATE TABLE statement_steps (
    file_id bigint      NOT NULL,
    step    text        NOT NULL CHECK (step IN ('matched', 'handed_over')),
    utr     text        NOT NULL,
    at      timestamptz NOT NULL,
    PRIMARY KEY (file_id, step, utr)
);
-- What an acquirer's file says it handed over with one transfer: the sum of its lines of all merchants.
CREATE TABLE statement_handovers (
    connector text   NOT NULL,
    utr       text   NOT NULL,
    file_id   bigint NOT NULL,
    lines     times  NOT NULL,
    net_paise bigint NOT NULL,
    PRIMARY KEY (connector, utr, file_id)
);
CREATE INDEX statement_handovers_by_utr ON statement_handovers (utr);
-- Lines of our own bank account; paise below zero went out.
CREATE TABLE account_lines (
    line_id   bigint NOT NULL PRIMARY KEY,
    account   text   NOT NULL,
    day       date   NOT NULL,
    utr       text   NOT NULL,
    net_paise bigint NOT NULL
);
CREATE INDEX account_lines_by_utr ON account_lines (utr) WHERE utr <> '';
-- What an acquirer agreed on, each version once: its account, its fees, how its CSV is read.
CREATE TABLE acquirer_terms (
    connector text        NOT NULL,
    version   ordinal     NOT NULL,
    document  jsonb       NOT NULL,
    set_by    text        NOT NULL,
    set_at    timestamptz NOT NULL,
    PRIMARY KEY (connector, version)
);

-- Lines of acquirers' statements. merchant_id 0: of nobody that the reference or RRN names. cause_id: the attempt or refund, or 0;
-- of a chargeback the attempt that was disputed.
CREATE TABLE statement_lines (
    merchant_id bigint NOT NULL,
    line_id     bigint NOT NULL,
    file_id     bigint NOT NULL,
    connector   text   NOT NULL,
    kind        text   NOT NULL CHECK (kind IN ('payment', 'refund', 'chargeback', 'handover', 'other')),
    is_credit   boolean NOT NULL,
    gross_paise paise_above_zero NOT NULL,
    fee_paise   paise  NOT NULL,
    net_paise   paise  NOT NULL,
    cause_id    bigint NOT NULL,
    reference   text   NOT NULL,
    rrn         text   NOT NULL,
    utr         text   NOT NULL,
    day         date   NOT NULL,
    PRIMARY KEY (merchant_id, line_id)
);
-- Which payment, refund or phase of a dispute a line is of: each has one line, and each line one of them.
CREATE TABLE statement_matches (
    merchant_id bigint NOT NULL,
    line_id     bigint NOT NULL,
    kind        text   NOT NULL CHECK (kind IN ('payment', 'refund', 'chargeback')),
    cause_id    bigint NOT NULL,
    class       text   NOT NULL CHECK (class IN ('matched', 'late', 'fee_differs', 'amount_differs')),
    PRIMARY KEY (merchant_id, line_id)
);
CREATE UNIQUE INDEX statement_matches_one ON statement_matches (merchant_id, cause_id, kind);
-- What is left to people: of a line its number, of a payment or refund without a line the attempt's or refund's.
CREATE TABLE reconciliation_items (
    merchant_id bigint NOT NULL,
    item_id     bigint NOT NULL,
    class       text   NOT NULL CHECK (class IN ('missing_here', 'missing_there', 'amount_differs', 'fee_differs', 'duplicate')),
    connector   text   NOT NULL,
    cause_id    bigint NOT NULL,
    ours_paise  paise  NOT NULL,
    theirs_paise paise NOT NULL,
    opened_at   timestamptz NOT NULL,
    state       text   NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'resolved')),
    -- By which rule, or by which proposal.
    resolution  text   NOT NULL DEFAULT '',
    resolved_at timestamptz,
    PRIMARY KEY (merchant_id, item_id),
    CHECK ((state = 'resolved') = (resolved_at IS NOT NULL) AND (state = 'resolved') = (resolution <> ''))
);
CREATE INDEX reconciliation_items_open ON reconciliation_items (merchant_id, item_id) WHERE state = 'open';
-- A posting that one person proposes and another decides about. owner_id: whose item it is of, 0 for a line of nobody.
CREATE TABLE reconciliation_proposals (
    merchant_id  bigint NOT NULL,
    proposal_id  gateway_id NOT NULL,
    owner_id     bigint NOT NULL,
    item_id      bigint NOT NULL,
    debit        account_name NOT NULL,
    credit       account_name NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    reason       text NOT NULL CHECK (reason <> ''),
    proposed_by  text NOT NULL CHECK (proposed_by <> ''),
    proposed_at  timestamptz NOT NULL,
    decision     text CHECK (decision IN ('approved', 'refused')),
    decided_by   text CHECK (decided_by <> ''),
    decided_at   timestamptz,
    PRIMARY KEY (merchant_id, proposal_id),
    CHECK (debit <> credit),
    CONSTRAINT reconciliation_two_people CHECK (lower(btrim(decided_by)) <> lower(btrim(proposed_by))),
    CHECK ((decision IS NULL) = (decided_by IS NULL) AND (decision IS NULL) = (decided_at IS NULL))
);
CREATE INDEX reconciliation_proposals_of_item ON reconciliation_proposals (merchant_id, owner_id, item_id);

CREATE TRIGGER statement_files_stay BEFORE DELETE OR UPDATE ON statement_files FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER statement_steps_stay BEFORE DELETE OR UPDATE ON statement_steps FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER statement_handovers_stay BEFORE DELETE OR UPDATE ON statement_handovers FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER account_lines_stay BEFORE DELETE OR UPDATE ON account_lines FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER acquirer_terms_stay BEFORE DELETE OR UPDATE ON acquirer_terms FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER statement_lines_stay BEFORE DELETE OR UPDATE ON statement_lines FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER statement_matches_stay BEFORE DELETE OR UPDATE ON statement_matches FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Compares lines of one merchant with its payments and refunds, and keeps what is left to people. Lines that were compared before stay
-- as they are. terms: [{"method", "bps", "fixed_paise", "tax_bps"}]. Returns how many lines have a payment or refund.
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
            AND r.connector = acquirer AND r.state = 'done'
        UNION ALL
        SELECT l.line_id, l.kind, d.stage_id, l.gross_paise, l.fee_paise, l.day, d.taken_settled_paise,
            (d.settled_at AT TIME ZONE 'Asia/Kolkata')::date, 0, 0
        FROM statement_lines l
            JOIN dispute_stages d ON d.merchant_id = owner AND d.attempt_id = l.cause_id AND d.rrn = l.rrn
        WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.kind = 'chargeback' AND NOT l.is_credit
            AND d.connector = acquirer AND d.settled_at IS NOT NULL
    ) AS c
    WHERE c.ours > 0
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
            AND o.kind = l.kind AND o.line_id <> l.line_id AND m.line_id IS NULL
    WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.kind <> 'handover'
        AND (m.line_id IS NULL OR m.class IN ('amount_differs', 'fee_differs'))
    ON CONFLICT DO NOTHING;
    RETURN matched;
END $$;

-- Keeps as missing there what this merchant was paid, or gave back, by an acquirer in some days without a line of any statement.
CREATE FUNCTION find_missing(owner bigint, acquirer text, from_id bigint, from_day date, to_day date, now_at timestamptz)
    RETURNS bigint
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
        SELECT 'chargeback', d.stage_id, d.taken_settled_paise FROM dispute_stages d
        WHERE d.merchant_id = owner AND d.connector = acquirer
            AND d.settled_at >= since AND d.settled_at < until_at
    ) AS c LEFT JOIN statement_matches m ON m.merchant_id = owner AND m.cause_id = c.cause_id AND m.kind = c.kind
    WHERE m.line_id IS NULL AND c.ours > 0
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS found_there = ROW_COUNT;
    RETURN found_there;
END $$;

-- Ends what needs no person: a payment that was missing there has its line now, a line that nothing explained has its payment.
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
                    WHERE r.merchant_id = owner AND r.refund_id = m.cause_id AND m.kind = 'refund'),
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
                    OR i.class = 'missing_there' AND m.cause_id = i.cause_id))
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
