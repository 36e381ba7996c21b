-- Further addresses of a merchant's servers, each with its own events, form and keys. The address of the settings is none of them.
-- sealed_target: address and keys, sealed for the row, so that SQL alone neither reads a key nor sends news elsewhere. A number is
-- never given twice: a removed endpoint stays. probe_at: set while it fails, when one delivery is tried again.
CREATE TABLE webhook_endpoints (
    merchant_id bigint NOT NULL,
    endpoint_no ordinal NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    state text NOT NULL CHECK (state IN ('enabled', 'disabled', 'removed')),
    events text[] NOT NULL CHECK (cardinality(events) BETWEEN 1 AND 100),
    form text NOT NULL,
    sealed_target bytea NOT NULL,
    made_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    failing_since timestamptz,
    problem text NOT NULL DEFAULT '',
    probe_at timestamptz,
    PRIMARY KEY (merchant_id, endpoint_no),
    CONSTRAINT webhook_endpoints_probed CHECK ((failing_since IS NULL) = (probe_at IS NULL))
);

-- What one endpoint is told: one row an event and endpoint, written with the event's row in deliveries. Columns are as there.
CREATE TABLE endpoint_deliveries (
    merchant_id bigint NOT NULL,
    endpoint_no ordinal NOT NULL,
    payment_id bigint NOT NULL,
    event_no ordinal NOT NULL,
    kind text NOT NULL,
    facts jsonb NOT NULL,
    state delivery_state NOT NULL,
    created_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    tries times NOT NULL DEFAULT 0,
    scheduled_from timestamptz NOT NULL,
    tries_before times NOT NULL DEFAULT 0,
    delivered_at timestamptz,
    PRIMARY KEY (merchant_id, endpoint_no, payment_id, event_no),
    CONSTRAINT endpoint_deliveries_counted CHECK (tries_before <= tries AND (state <> 'delivered' OR delivered_at IS NOT NULL))
);
CREATE INDEX endpoint_deliveries_due ON endpoint_deliveries (merchant_id, endpoint_no, due_at)
    WHERE state IN ('waiting', 'sending');
CREATE INDEX endpoint_deliveries_old ON endpoint_deliveries (created_at);

-- Every try at an endpoint, also one that a dead worker never finished.
CREATE TABLE endpoint_tries (
    merchant_id bigint NOT NULL,
    endpoint_no ordinal NOT NULL,
    payment_id bigint NOT NULL,
    event_no ordinal NOT NULL,
    attempt_no ordinal NOT NULL,
    at timestamptz NOT NULL,
    url text NOT NULL,
    status integer,
    latency_ms times NOT NULL,
    answer text NOT NULL DEFAULT '',
    problem text NOT NULL DEFAULT '',
    PRIMARY KEY (merchant_id, endpoint_no, payment_id, event_no, attempt_no)
);
CREATE INDEX endpoint_tries_old ON endpoint_tries (at);

-- As before, and: each enabled endpoint that chose the event gets a row of its own.
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
        INSERT INTO endpoint_deliveries (merchant_id, endpoint_no, payment_id, event_no, kind, facts, state,
            created_at, due_at, scheduled_from)
        SELECT owner, e.endpoint_no, payment, decided_on + 1, announced, write_step.facts, 'waiting', write_step.at,
            write_step.at, write_step.at
        FROM webhook_endpoints e
        WHERE e.merchant_id = owner AND e.state = 'enabled' AND announced = ANY (e.events);
    END IF;
    RETURN true;
END $$;
