-- What a row of a payment, an attempt or a delivery must add up to is refused by triggers and no longer by CHECK
-- constraints: PostgreSQL reads a CHECK anew from its catalogue for each statement, and keeps the plan of a trigger.
-- That was a third of what the server's executor did for a payment (decision 98). The errors keep the constraints' names.
CREATE OR REPLACE FUNCTION refuse_wrong_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (NEW.refunded_paise <= NEW.captured_paise AND NEW.captured_paise <= NEW.amount_paise
        AND (NEW.refunded_paise > 0) = (NEW.refunds > 0)
        AND (NEW.captured_paise > 0) = (NEW.state IN ('paid', 'captured'))) THEN
        RAISE EXCEPTION 'payment % does not add up (payments_captured)', NEW.payment_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_captured';
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.state <> OLD.state AND NOT (CASE OLD.state
        WHEN 'open' THEN NEW.state IN ('in_process', 'failed', 'not_registered', 'abandoned', 'expired', 'unknown',
            'under_review', 'authorised', 'paid')
        WHEN 'in_process' THEN NEW.state IN ('open', 'failed', 'not_registered', 'abandoned', 'expired', 'unknown',
            'under_review', 'authorised', 'paid')
        WHEN 'failed' THEN NEW.state IN ('open', 'in_process', 'under_review', 'authorised', 'paid')
        WHEN 'not_registered' THEN NEW.state IN ('open', 'in_process', 'under_review', 'authorised', 'paid')
        WHEN 'abandoned' THEN NEW.state IN ('open', 'in_process', 'under_review', 'authorised', 'paid')
        WHEN 'expired' THEN NEW.state IN ('open', 'in_process', 'under_review', 'authorised', 'paid')
        WHEN 'unknown' THEN NEW.state IN ('failed', 'not_registered', 'abandoned', 'expired', 'under_review',
            'authorised', 'paid')
        WHEN 'under_review' THEN NEW.state IN ('failed', 'captured', 'voided', 'authorised', 'paid')
        WHEN 'authorised' THEN NEW.state IN ('captured', 'voided')
        ELSE false
    END) THEN
        RAISE EXCEPTION 'payment %: % may not become %', NEW.payment_id, OLD.state, NEW.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
DROP TRIGGER payments_moves ON payments;
CREATE TRIGGER payments_moves BEFORE INSERT OR UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION refuse_wrong_move();
ALTER TABLE payments DROP CONSTRAINT payments_captured;

CREATE FUNCTION refuse_wrong_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT ((NEW.received_paise > 0) = (NEW.state IN ('paid', 'authorised', 'overpaid'))
        AND (NEW.state NOT IN ('paid', 'authorised') OR NEW.received_paise = NEW.amount_paise)
        AND NEW.surcharge_paise < NEW.amount_paise
        AND (NEW.surcharge_paise = 0 OR NEW.method NOT IN ('upi_qr', 'upi_collect', 'upi_autopay', 'card', 'card_moto',
            'card_emi'))) THEN
        RAISE EXCEPTION 'attempt % does not add up (attempts_received)', NEW.attempt_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'attempts_received';
    END IF;
    IF NEW.surcharge_paise <> 0
        AND NEW.method IN ('upi_link', 'card_direct', 'card_page', 'emi_page', 'emi_direct') THEN
        RAISE EXCEPTION 'attempt % has a surcharge (attempts_without_surcharge)', NEW.attempt_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'attempts_without_surcharge';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER attempts_add_up BEFORE INSERT OR UPDATE ON attempts FOR EACH ROW EXECUTE FUNCTION refuse_wrong_attempt();
ALTER TABLE attempts DROP CONSTRAINT attempts_received;
ALTER TABLE attempts DROP CONSTRAINT attempts_without_surcharge;

CREATE FUNCTION refuse_wrong_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    -- On a cluster it is a piece's, which has a number behind its table's.
    rule text;
BEGIN
    IF NOT (NEW.tries_before <= NEW.tries AND (NEW.state <> 'delivered' OR NEW.delivered_at IS NOT NULL)) THEN
        rule := regexp_replace(TG_TABLE_NAME, '_[0-9]+$', '') || '_counted';
        RAISE EXCEPTION 'delivery % of payment % does not add up (%)', NEW.event_no, NEW.payment_id, rule
            USING ERRCODE = 'check_violation', CONSTRAINT = rule;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER deliveries_add_up BEFORE INSERT OR UPDATE ON deliveries
    FOR EACH ROW EXECUTE FUNCTION refuse_wrong_delivery();
ALTER TABLE deliveries DROP CONSTRAINT deliveries_counted;
CREATE TRIGGER endpoint_deliveries_add_up BEFORE INSERT OR UPDATE ON endpoint_deliveries
    FOR EACH ROW EXECUTE FUNCTION refuse_wrong_delivery();
ALTER TABLE endpoint_deliveries DROP CONSTRAINT endpoint_deliveries_counted;
