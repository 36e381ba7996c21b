-- The writes of a payment. Nobody else writes payments, attempts and events; what a step may be is decided by the rules
-- (decisions 0002 and 0022). Each function returns whether it wrote: everything of its step, or nothing.

-- Opens a payment, with the QR it offers (offer_attempt_id null: without one); false when the order id is taken, also by a
-- payment in the archive. Without sub-queries: of a statement on one table Citus keeps the plan, of one with a sub-query
-- it makes a plan with every call (docs/citus.md).
CREATE FUNCTION create_payment(
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

-- Writes a step if the payment still has the revision that it was decided on. tried: the attempt of the event, which
-- becomes what the try_ arguments say unless try_state is null. causes to currencies: the postings, one array each.
-- announced: the kind of the notification, null for none; facts: what it tells.
CREATE FUNCTION write_step(
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
    END IF;
    RETURN true;
END $$;

-- Writes a step that begins an attempt.
CREATE FUNCTION start_attempt(
    owner bigint, payment bigint, decided_on integer,
    to_state text, to_method text, to_captured_paise bigint, to_refunds integer, to_refunded_paise bigint,
    to_bank_code text, to_bank_message text, to_expires_at timestamptz,
    event_kind text, event_actor text, tried bigint, announced text,
    causes bigint[], kinds text[], debits text[], credits text[], paise bigint[], currencies text[],
    at timestamptz, facts jsonb,
    new_method text, new_state text, new_amount_paise bigint, new_currency text, new_connector text,
    new_created_at timestamptz, new_expires_at timestamptz, new_received_paise bigint, new_rrn text, new_bank_code text,
    new_bank_message text, new_approval_code text, new_payer_vpa text, new_card jsonb, new_authentication_id text,
    new_settled_at timestamptz, new_inquire_at timestamptz, new_bank text, new_bank_name text, new_emi_months integer,
    new_emi_rate_bps integer, new_emi_discount_paise bigint, new_risk jsonb, new_saved_card text,
    new_surcharge_paise bigint, new_voucher text, new_rate_micros bigint, new_route jsonb DEFAULT '{}'
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF NOT write_step(owner, payment, decided_on,
        to_state, to_method, to_captured_paise, to_refunds, to_refunded_paise, to_bank_code, to_bank_message,
        to_expires_at,
        event_kind, event_actor, tried, announced, causes, kinds, debits, credits, paise, currencies, at, facts,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
    THEN
        RETURN false;
    END IF;
    INSERT INTO attempts (
        merchant_id, payment_id, attempt_id, method, state, amount_paise, currency, connector, created_at, expires_at,
        received_paise, rrn, bank_code, bank_message, approval_code, payer_vpa, card, authentication_id, settled_at,
        inquire_at, bank, bank_name, emi_months, emi_rate_bps, emi_discount_paise, risk, saved_card, surcharge_paise,
        voucher, rate_micros, route)
    VALUES (
        owner, payment, tried, new_method, new_state, new_amount_paise, new_currency, new_connector, new_created_at,
        new_expires_at, new_received_paise, new_rrn, new_bank_code, new_bank_message, new_approval_code,
        new_payer_vpa, new_card, new_authentication_id, new_settled_at, new_inquire_at, new_bank, new_bank_name,
        new_emi_months, new_emi_rate_bps, new_emi_discount_paise, new_risk, new_saved_card, new_surcharge_paise,
        new_voucher, new_rate_micros, new_route);
    RETURN true;
END $$;
