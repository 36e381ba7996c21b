-- In statements of one table each, without sub-queries and without an INSERT of what it selects: on a cluster, a worker keeps the
-- plans of these alone, and plans every other statement again at each call (docs/citus.md).
CREATE OR REPLACE FUNCTION write_step(
    owner bigint, payment bigint, decided_on integer,
    to_state text, to_method text, to_captured_paise bigint, to_refunds integer, to_refunded_paise bigint,
    to_bank_code text, to_bank_message text, to_expires_at timestamptz,
    event_kind text, event_actor text, tried bigint, announced text,
    causes bigint[], kinds text[], debits text[], credits text[], paise bigint[], currencies text[],
    at timestamptz, facts jsonb,
    try_state text, try_received_paise bigint, try_rrn text, try_bank_code text, try_bank_message text,
    try_approval_code text, try_payer_vpa text, try_card jsonb, try_authentication_id text,
    try_settled_at timestamptz, try_inquire_at timestamptz, try_charged_at timestamptz, try_voucher text,
    try_rate_micros bigint
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    place integer;
BEGIN
    UPDATE payments SET
        state = to_state, method = to_method, captured_paise = to_captured_paise, refunds = to_refunds,
        refunded_paise = to_refunded_paise, bank_code = to_bank_code, bank_message = to_bank_message,
        expires_at = to_expires_at,
        revision = revision + 1
    WHERE merchant_id = owner AND payment_id = payment AND revision = decided_on;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF try_state IS NOT NULL THEN
        UPDATE attempts SET
            state = try_state, received_paise = try_received_paise, rrn = try_rrn, bank_code = try_bank_code,
            bank_message = try_bank_message, approval_code = try_approval_code, payer_vpa = try_payer_vpa,
            card = try_card, authentication_id = try_authentication_id, settled_at = try_settled_at,
            inquire_at = try_inquire_at, charged_at = try_charged_at, voucher = try_voucher,
            rate_micros = try_rate_micros,
            inquiries = CASE WHEN state = 'offered' THEN 0 ELSE inquiries END
        WHERE merchant_id = owner AND attempt_id = tried;
    END IF;
    INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor, attempt_id)
    VALUES (owner, payment, decided_on + 1, at, event_kind, to_state, event_actor, tried);
    FOR i IN 1 .. cardinality(causes) LOOP
        INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
        VALUES (owner, causes[i], kinds[i], debits[i], credits[i], paise[i], currencies[i], at);
    END LOOP;
    IF announced IS NOT NULL THEN
        INSERT INTO deliveries (merchant_id, payment_id, event_no, kind, facts, state, created_at, due_at,
            scheduled_from)
        VALUES (owner, payment, decided_on + 1, announced, facts, 'waiting', at, at, at);
        FOR place IN
            SELECT e.endpoint_no FROM webhook_endpoints e
            WHERE e.merchant_id = owner AND e.state = 'enabled' AND announced = ANY (e.events)
        LOOP
            INSERT INTO endpoint_deliveries (merchant_id, endpoint_no, payment_id, event_no, kind, facts, state,
                created_at, due_at, scheduled_from)
            VALUES (owner, place, payment, decided_on + 1, announced, facts, 'waiting', at, at, at);
        END LOOP;
    END IF;
    RETURN true;
END $$;

CREATE OR REPLACE FUNCTION claim_deliveries(
    owner bigint, at timestamptz, lease_until timestamptz, most integer,
    superseding text[], aside text[], given_back text[], given_back_by text,
    begun timestamptz DEFAULT NULL, ended timestamptz DEFAULT NULL
) RETURNS SETOF deliveries LANGUAGE plpgsql AS $$
DECLARE
    due record;
    behind timestamptz;
BEGIN
    PERFORM FROM failing_endpoints f WHERE f.merchant_id = owner;
    IF FOUND THEN
        RETURN;
    END IF;
    FOR due IN
        SELECT d.payment_id, d.event_no, d.kind, d.facts, d.state, d.tries, d.due_at
        FROM deliveries d
        WHERE d.merchant_id = owner AND d.state IN ('waiting', 'sending') AND d.due_at <= at
            AND (begun IS NULL OR d.created_at >= begun) AND (ended IS NULL OR d.created_at < ended)
        ORDER BY d.due_at LIMIT most
    LOOP
        IF due.state = 'sending' THEN
            INSERT INTO delivery_attempts (merchant_id, payment_id, event_no, attempt_no, at, url, latency_ms, problem)
            VALUES (owner, due.payment_id, due.event_no, due.tries, due.due_at, '', 0,
                'the worker ended before the answer came')
            ON CONFLICT DO NOTHING;
        END IF;
        -- Most payments have one delivery only, and nothing to compare it with.
        PERFORM FROM deliveries d
        WHERE d.merchant_id = owner AND d.payment_id = due.payment_id AND d.event_no <> due.event_no LIMIT 1;
        IF FOUND THEN
            PERFORM FROM deliveries l
            WHERE l.merchant_id = owner AND l.payment_id = due.payment_id AND l.event_no > due.event_no
                AND (owner < 0 OR due.kind || '>' || l.kind = ANY (superseding)
                    OR l.kind = given_back_by AND due.kind = ANY (given_back)
                        AND l.facts -> 'refunded_paise' = l.facts -> 'captured_paise')
            LIMIT 1;
            IF FOUND THEN
                UPDATE deliveries d SET state = 'superseded'
                WHERE d.merchant_id = owner AND d.payment_id = due.payment_id AND d.event_no = due.event_no
                    AND d.state IN ('waiting', 'sending') AND d.due_at <= at;
                CONTINUE;
            END IF;
            -- What this call has claimed holds back as while it was waiting.
            SELECT CASE WHEN e.state = 'sending' THEN at ELSE e.due_at END INTO behind FROM deliveries e
            WHERE e.merchant_id = owner AND e.payment_id = due.payment_id AND e.event_no < due.event_no
                AND (e.state = 'sending' AND e.due_at <> lease_until OR e.state IN ('waiting', 'sending')
                    AND (e.kind <> ALL (aside) OR due.kind = ANY (aside))
                    AND NOT (owner < 0 OR e.kind || '>' || due.kind = ANY (superseding)
                        OR due.kind = given_back_by AND e.kind = ANY (given_back)
                            AND due.facts -> 'refunded_paise' = due.facts -> 'captured_paise'))
            ORDER BY e.event_no LIMIT 1;
            IF FOUND THEN
                UPDATE deliveries d SET due_at = greatest(behind, at + interval '1 second')
                WHERE d.merchant_id = owner AND d.payment_id = due.payment_id AND d.event_no = due.event_no
                    AND d.state = 'waiting' AND d.due_at <= at;
                CONTINUE;
            END IF;
            UPDATE deliveries d SET state = 'superseded'
            WHERE d.merchant_id = owner AND d.payment_id = due.payment_id AND d.event_no < due.event_no
                AND d.state = 'waiting'
                AND (owner < 0 OR d.kind || '>' || due.kind = ANY (superseding)
                    OR due.kind = given_back_by AND d.kind = ANY (given_back)
                        AND due.facts -> 'refunded_paise' = due.facts -> 'captured_paise');
        END IF;
        RETURN QUERY UPDATE deliveries d SET state = 'sending', due_at = lease_until, tries = d.tries + 1
        WHERE d.merchant_id = owner AND d.payment_id = due.payment_id AND d.event_no = due.event_no
            AND d.state IN ('waiting', 'sending') AND d.due_at <= at
        RETURNING d.*;
    END LOOP;
END $$;

-- A payment by its number, else by its order's name, with each attempt; on a cluster only: one server needs less for a join.
CREATE FUNCTION payment_with_attempts(owner bigint, payment bigint, ordered text) RETURNS TABLE (p payments, a attempts)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF payment IS NOT NULL THEN
        SELECT t.* INTO p FROM payments t WHERE t.merchant_id = owner AND t.payment_id = payment;
    ELSE
        SELECT t.* INTO p FROM payments t WHERE t.merchant_id = owner AND t.order_id = ordered;
    END IF;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    FOR a IN
        SELECT t.* FROM attempts t WHERE t.merchant_id = owner AND t.payment_id = p.payment_id
        ORDER BY t.created_at, t.attempt_id
    LOOP
        RETURN NEXT;
    END LOOP;
    IF NOT FOUND THEN
        RETURN NEXT;
    END IF;
END $$;
