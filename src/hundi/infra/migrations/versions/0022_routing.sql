-- Routing: which acquirer takes an attempt, and why it was that one.
-- Every statement may be run again: the index after them is built apart.

-- The plan in force is the newest version; an empty list of rules is the configured order of the acquirers.
CREATE TABLE IF NOT EXISTS routing_plans (
    version ordinal PRIMARY KEY,
    document text NOT NULL CHECK (length(document) BETWEEN 1 AND 1048576),
    published_by text NOT NULL,
    published_at timestamptz NOT NULL
);
CREATE OR REPLACE TRIGGER routing_plans_append_only BEFORE UPDATE OR DELETE ON routing_plans
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER routing_plans_never_emptied BEFORE TRUNCATE ON routing_plans
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Why an attempt is made at its acquirer; empty where nothing was chosen.
ALTER TABLE attempts ADD COLUMN IF NOT EXISTS route jsonb NOT NULL DEFAULT '{}';

-- Both functions get one more argument. Processes of the version before call them without it.
DROP FUNCTION IF EXISTS create_payment(
    bigint, bigint, text, bytea, bigint, text, text, text, jsonb, text, text[], timestamptz, timestamptz, integer,
    jsonb, bigint[], bigint, text, text, bigint, text, text, timestamptz, timestamptz, timestamptz, jsonb
);
DROP FUNCTION IF EXISTS start_attempt(
    bigint, bigint, integer, text, text, bigint, integer, bigint, text, text, timestamptz, text, text, bigint,
    text, bigint[], text[], text[], text[], bigint[], text[], timestamptz, jsonb, text, text, bigint, text, text,
    timestamptz, timestamptz, bigint, text, text, text, text, text, jsonb, text, timestamptz, timestamptz, text,
    text, integer, integer, bigint, jsonb, text, bigint, text, bigint
);

-- Opens a payment, with the QR it offers (offer_attempt_id null: without one); false when the order id is taken.
-- No order id is used that a payment in the archive has.
CREATE OR REPLACE FUNCTION create_payment(
    owner bigint,
    new_payment_id bigint, new_order_id text, new_content_hash bytea, new_amount_paise bigint, new_currency text,
    new_kind text, new_state text, new_buyer jsonb, new_custom_var text, new_channels text[],
    new_created_at timestamptz, new_expires_at timestamptz, new_emi_months integer, new_restrictions jsonb,
    new_surcharges bigint[],
    offer_attempt_id bigint, offer_method text, offer_state text, offer_amount_paise bigint, offer_currency text,
    offer_connector text, offer_created_at timestamptz, offer_expires_at timestamptz, offer_inquire_at timestamptz,
    offer_risk jsonb, offer_route jsonb DEFAULT '{}'
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM archived_orders WHERE merchant_id = owner AND order_id = new_order_id) THEN
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

-- Writes a step that begins an attempt.
CREATE OR REPLACE FUNCTION start_attempt(
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
