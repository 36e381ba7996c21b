-- The moves of a payment: the table of `payments.rules` once more, so that no statement can make another one.
-- Every change of a payment evaluates the condition; only a refusal calls the function.

CREATE FUNCTION refuse_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'payment %: % may not become %', NEW.payment_id, OLD.state, NEW.state
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER payments_moves BEFORE UPDATE ON payments FOR EACH ROW
WHEN (NEW.state <> OLD.state AND NOT CASE OLD.state
    WHEN 'open' THEN NEW.state IN ('in_process', 'failed', 'not_registered', 'abandoned', 'expired', 'unknown', 'under_review',
        'authorised', 'paid')
    WHEN 'in_process' THEN NEW.state IN ('open', 'failed', 'not_registered', 'abandoned', 'expired', 'unknown', 'under_review',
        'authorised', 'paid')
    WHEN 'failed' THEN NEW.state IN ('open', 'in_process', 'not_registered', 'abandoned', 'authorised', 'paid')
    WHEN 'not_registered' THEN NEW.state IN ('open', 'in_process', 'failed', 'abandoned', 'authorised', 'paid')
    WHEN 'abandoned' THEN NEW.state IN ('open', 'in_process', 'failed', 'not_registered', 'authorised', 'paid')
    WHEN 'expired' THEN NEW.state IN ('open', 'in_process', 'authorised', 'paid')
    WHEN 'unknown' THEN NEW.state IN ('failed', 'not_registered', 'abandoned', 'expired', 'authorised', 'paid')
    WHEN 'under_review' THEN NEW.state IN ('failed', 'paid')
    WHEN 'authorised' THEN NEW.state IN ('captured', 'voided')
    ELSE false
END)
EXECUTE FUNCTION refuse_move();
