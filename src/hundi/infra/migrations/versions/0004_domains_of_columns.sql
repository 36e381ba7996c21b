-- The columns' values as domains, and the moves of a payment as a function.
--
-- PostgreSQL reads the text of every CHECK of a table, and of every trigger's WHEN, anew at each statement that writes
-- to the table; what a domain allows it keeps in memory. On the way of a payment that is a fifth of the database's work.
-- Constraints over several columns stay with their tables, one each.

CREATE DOMAIN gateway_id AS bigint CHECK (VALUE BETWEEN 1 AND 999999999999999);
CREATE DOMAIN order_reference AS text CHECK (VALUE ~ '^[A-Za-z0-9_.-]{1,64}$');
CREATE DOMAIN sha256_digest AS bytea CHECK (length(VALUE) = 32);
CREATE DOMAIN paise_above_zero AS bigint CHECK (VALUE > 0);
CREATE DOMAIN paise AS bigint CHECK (VALUE >= 0);
CREATE DOMAIN times AS integer CHECK (VALUE >= 0);
CREATE DOMAIN ordinal AS integer CHECK (VALUE > 0);
CREATE DOMAIN currency_letters AS text CHECK (VALUE ~ '^[A-Z]{3}$');
CREATE DOMAIN account_name AS text CHECK (VALUE ~ '^[a-z_]+(:[a-z0-9_]+)?$');
CREATE DOMAIN payment_kind AS text CHECK (VALUE IN ('sale', 'authorise'));
CREATE DOMAIN payment_state AS text CHECK (VALUE IN ('open', 'in_process', 'authorised', 'captured', 'paid', 'under_review',
    'failed', 'not_registered', 'expired', 'unknown', 'abandoned', 'voided'));
CREATE DOMAIN attempt_method AS text CHECK (VALUE IN ('upi_qr', 'upi_collect', 'card'));
CREATE DOMAIN attempt_state AS text CHECK (VALUE IN ('offered', 'sent', 'authenticating', 'authorising', 'pending', 'paid',
    'authorised', 'overpaid', 'failed', 'expired', 'unknown'));
CREATE DOMAIN posting_kind AS text CHECK (VALUE IN ('payment', 'overpaid', 'late_refund_due'));
CREATE DOMAIN delivery_state AS text
    CHECK (VALUE IN ('waiting', 'sending', 'delivered', 'exhausted', 'no_endpoint'));

-- Every CHECK that looks at one column of these tables becomes the column's domain.
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT conrelid::regclass AS in_table, conname FROM pg_constraint
        WHERE contype = 'c' AND conrelid IN ('payments'::regclass, 'attempts'::regclass, 'payment_events'::regclass,
            'ledger_postings'::regclass, 'deliveries'::regclass, 'delivery_attempts'::regclass)
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.in_table, found.conname);
    END LOOP;
END $$;

DROP TRIGGER payments_moves ON payments;
-- An event is written by the statement that changes its payment, from the row it changed; the audit looks for orphans.
ALTER TABLE payment_events DROP CONSTRAINT payment_events_merchant_id_payment_id_fkey;
-- A partial index or one that compares a column is tied to the column's type.
DROP INDEX payments_to_close, attempts_one_success, deliveries_due, deliveries_given_up;

ALTER TABLE payments
    ALTER payment_id TYPE gateway_id,
    ALTER order_id TYPE order_reference,
    ALTER content_hash TYPE sha256_digest,
    ALTER amount_paise TYPE paise_above_zero,
    ALTER currency TYPE currency_letters,
    ALTER kind TYPE payment_kind,
    ALTER state TYPE payment_state,
    ALTER captured_paise TYPE paise,
    ALTER revision TYPE ordinal,
    ADD CONSTRAINT payments_captured
        CHECK (captured_paise <= amount_paise AND (captured_paise > 0) = (state IN ('paid', 'captured')));
CREATE INDEX payments_to_close ON payments (expires_at) WHERE state = 'open';

ALTER TABLE attempts
    ALTER attempt_id TYPE gateway_id,
    ALTER method TYPE attempt_method,
    ALTER state TYPE attempt_state,
    ALTER amount_paise TYPE paise_above_zero,
    ALTER received_paise TYPE paise,
    ALTER currency TYPE currency_letters,
    ALTER inquiries TYPE times,
    ADD CONSTRAINT attempts_received CHECK ((received_paise > 0) = (state IN ('paid', 'authorised', 'overpaid'))
        AND (state NOT IN ('paid', 'authorised') OR received_paise = amount_paise));
CREATE UNIQUE INDEX attempts_one_success ON attempts (merchant_id, payment_id) WHERE state IN ('paid', 'authorised');

ALTER TABLE payment_events ALTER event_no TYPE ordinal, ALTER state TYPE payment_state;

ALTER TABLE ledger_postings
    ALTER kind TYPE posting_kind,
    ALTER debit TYPE account_name,
    ALTER credit TYPE account_name,
    ALTER amount_paise TYPE paise_above_zero,
    ALTER currency TYPE currency_letters,
    ADD CONSTRAINT ledger_postings_two_accounts CHECK (debit <> credit);

ALTER TABLE deliveries
    ALTER event_no TYPE ordinal,
    ALTER state TYPE delivery_state,
    ALTER tries TYPE times,
    ALTER tries_before TYPE times,
    ADD CONSTRAINT deliveries_counted
        CHECK (tries_before <= tries AND (state <> 'delivered' OR delivered_at IS NOT NULL));
CREATE INDEX deliveries_due ON deliveries (merchant_id, due_at) WHERE state IN ('waiting', 'sending');
CREATE INDEX deliveries_given_up ON deliveries (merchant_id, state, created_at)
    WHERE state IN ('exhausted', 'no_endpoint');

ALTER TABLE delivery_attempts ALTER attempt_no TYPE ordinal, ALTER latency_ms TYPE times;

DROP FUNCTION refuse_move;
CREATE FUNCTION refuse_wrong_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> OLD.state AND NOT (CASE OLD.state
        WHEN 'open' THEN NEW.state IN ('in_process', 'failed', 'not_registered', 'abandoned', 'expired', 'unknown',
            'under_review', 'authorised', 'paid')
        WHEN 'in_process' THEN NEW.state IN ('open', 'failed', 'not_registered', 'abandoned', 'expired', 'unknown',
            'under_review', 'authorised', 'paid')
        WHEN 'failed' THEN NEW.state IN ('open', 'in_process', 'not_registered', 'abandoned', 'authorised', 'paid')
        WHEN 'not_registered' THEN NEW.state IN ('open', 'in_process', 'failed', 'abandoned', 'authorised', 'paid')
        WHEN 'abandoned' THEN NEW.state IN ('open', 'in_process', 'failed', 'not_registered', 'authorised', 'paid')
        WHEN 'expired' THEN NEW.state IN ('open', 'in_process', 'authorised', 'paid')
        WHEN 'unknown' THEN NEW.state IN ('failed', 'not_registered', 'abandoned', 'expired', 'authorised', 'paid')
        WHEN 'under_review' THEN NEW.state IN ('failed', 'paid')
        WHEN 'authorised' THEN NEW.state IN ('captured', 'voided')
        ELSE false
    END) THEN
        RAISE EXCEPTION 'payment %: % may not become %', NEW.payment_id, OLD.state, NEW.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER payments_moves BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION refuse_wrong_move();
