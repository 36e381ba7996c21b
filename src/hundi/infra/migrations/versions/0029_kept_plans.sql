-- Functions as before, without sub-queries on the way of a payment: of a statement on one table Citus keeps the plan, of one with
-- a sub-query it makes a plan with every call (docs/citus.md).

-- False when the order id is taken, also by a payment in the archive.
CREATE OR REPLACE FUNCTION create_payment(
    owner bigint, new_payment_id bigint, new_order_id text, new_content_hash bytea, new_amount_paise bigint,
    new_currency text, new_kind text, new_state text, new_buyer jsonb, new_custom_var text, new_channels text[],
    new_created_at timestamptz, new_expires_at timestamptz, new_emi_months integer, new_restrictions jsonb,
    new_surcharges bigint[], offer_attempt_id bigint, offer_method text, offer_state text,
    offer_amount_paise bigint, offer_currency text, offer_connector text, offer_created_at timestamptz,
    offer_expires_at timestamptz, offer_inquire_at timestamptz, offer_risk jsonb,
    offer_route jsonb DEFAULT '{}'::jsonb
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM archived_orders WHERE merchant_id = owner AND order_id = new_order_id;
    IF FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO payments (
        merchant_id, payment_id, order_id, content_hash, amount_paise, currency, kind, state, buyer, custom_var,
        channels, created_at, expires_at, emi_months, restrictions, surcharges)
    VALUES (
        owner, new_payment_id, new_order_id, new_content_hash, new_amount_paise, new_currency, new_kind, new_state,
        new_buyer, new_custom_var, new_channels, new_created_at, new_expires_at, new_emi_months, new_restrictions,
        new_surcharges)
    ON CONFLICT (merchant_id, order_id) DO NOTHING;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF offer_attempt_id IS NOT NULL THEN
        INSERT INTO attempts (
            merchant_id, payment_id, attempt_id, method, state, amount_paise, currency, connector, created_at,
            expires_at, inquire_at, risk, route)
        VALUES (
            owner, new_payment_id, offer_attempt_id, offer_method, offer_state, offer_amount_paise, offer_currency,
            offer_connector, offer_created_at, offer_expires_at, offer_inquire_at, offer_risk, offer_route);
    END IF;
    INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor, attempt_id)
    VALUES (owner, new_payment_id, 1, new_created_at, 'created', new_state, 'merchant', offer_attempt_id);
    RETURN true;
END $$;

-- One delivery ended well proves that the merchant's endpoint works; without an endpoint there is nothing to probe.
CREATE OR REPLACE FUNCTION record_tries(
    owner bigint, payments bigint[], events integer[], attempts integer[], begun timestamptz[], urls text[],
    statuses integer[], latencies integer[], answers text[], problems text[], states text[], due timestamptz[],
    probes timestamptz[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    ended text;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    FOR i IN 1 .. cardinality(payments) LOOP
        INSERT INTO delivery_attempts (merchant_id, payment_id, event_no, attempt_no, at, url, status, latency_ms,
            answer, problem)
        VALUES (owner, payments[i], events[i], attempts[i], begun[i], urls[i], statuses[i], latencies[i], answers[i],
            problems[i])
        ON CONFLICT (merchant_id, payment_id, event_no, attempt_no) DO UPDATE
        SET at = excluded.at, url = excluded.url, status = excluded.status, latency_ms = excluded.latency_ms,
            answer = excluded.answer, problem = excluded.problem;
        -- Never SET a column from an array's element: Citus 13 crashes on it when it keeps the plan.
        ended := states[i];
        UPDATE deliveries d SET state = ended, due_at = coalesce(due[i], d.due_at),
            delivered_at = CASE WHEN ended = 'delivered' THEN begun[i] ELSE d.delivered_at END
        WHERE d.merchant_id = owner AND d.payment_id = payments[i] AND d.event_no = events[i]
            AND (d.state = 'sending' AND d.tries = attempts[i] OR ended = 'delivered' AND d.state <> 'delivered');
        IF probes[i] IS NOT NULL THEN
            INSERT INTO failing_endpoints (merchant_id, since, problem, probe_at)
            VALUES (owner, begun[i], problems[i], probes[i])
            ON CONFLICT (merchant_id) DO UPDATE SET problem = excluded.problem, probe_at = excluded.probe_at;
        END IF;
    END LOOP;
    IF states @> '{delivered}' OR states @> '{no_endpoint}' THEN
        DELETE FROM failing_endpoints WHERE merchant_id = owner;
    END IF;
END $$;
