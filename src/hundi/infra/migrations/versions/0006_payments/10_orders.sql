-- Payments: orders, the attempts at paying them, and what becomes of the money afterwards.
--
-- payments, attempts and postings carry no foreign key to merchants: its row lock would make every payment of one
-- merchant touch one shared row, and merchants are never deleted.

CREATE DOMAIN payment_kind AS text CHECK (VALUE IN ('sale', 'authorise', 'moto', 'subscription'));
CREATE DOMAIN payment_state AS text CHECK (VALUE IN ('open', 'in_process', 'authorised', 'captured', 'paid',
    'under_review', 'failed', 'not_registered', 'expired', 'unknown', 'abandoned', 'voided'));
CREATE DOMAIN attempt_method AS text CHECK (VALUE IN ('upi_qr', 'upi_collect', 'upi_link',
    'card', 'card_direct', 'card_page', 'card_moto', 'card_emi', 'emi_page', 'emi_direct', 'netbanking', 'wallet',
    'pay_later', 'virtual_account', 'rtgs_account', 'remittance', 'cash_voucher', 'upi_autopay', 'card_mandate',
    'enach', 'enach_debit'));
CREATE DOMAIN attempt_state AS text CHECK (VALUE IN ('offered', 'sent', 'authenticating', 'authorising', 'pending',
    'paid', 'authorised', 'overpaid', 'failed', 'not_registered', 'expired', 'unknown'));

-- refunds, refunded_paise: of refunds that were begun and did not fail, so that no two of them together exceed what was
-- captured. Like all of the row they change only where the revision is still the one that was decided on.
-- emi_months: the instalments an order asks for, 0 where the customer chooses. settled_at: when the merchant was paid
-- out. surcharges: what each of the channels adds to the amount, in their order; empty for nothing.
CREATE TABLE payments (
    merchant_id bigint NOT NULL,
    payment_id gateway_id NOT NULL,
    order_id order_reference NOT NULL,
    content_hash sha256_digest NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    kind payment_kind NOT NULL,
    state payment_state NOT NULL,
    captured_paise paise NOT NULL DEFAULT 0,
    method text NOT NULL DEFAULT '',
    buyer jsonb NOT NULL,
    custom_var text NOT NULL DEFAULT '',
    channels text[] NOT NULL DEFAULT '{}',
    bank_code text NOT NULL DEFAULT '',
    bank_message text NOT NULL DEFAULT '',
    revision ordinal NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    refunds times NOT NULL DEFAULT 0,
    refunded_paise paise NOT NULL DEFAULT 0,
    emi_months times NOT NULL DEFAULT 0,
    settled_at timestamptz,
    restrictions jsonb NOT NULL DEFAULT '{}',
    surcharges bigint[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (merchant_id, payment_id),
    UNIQUE (merchant_id, order_id),
    CONSTRAINT payments_captured CHECK (refunded_paise <= captured_paise AND captured_paise <= amount_paise
        AND (refunded_paise > 0) = (refunds > 0)
        AND (captured_paise > 0) = (state IN ('paid', 'captured')))
);
CREATE INDEX payments_to_close ON payments (expires_at) WHERE state = 'open';
-- What nobody captured in time is voided.
CREATE INDEX payments_held_by_issuer ON payments (created_at) WHERE state = 'authorised';
-- What waits for an operator.
CREATE INDEX payments_under_review ON payments (created_at) WHERE state = 'under_review';

-- The moves of a payment: the table of the rules once more, so that no statement can make another one.
CREATE FUNCTION refuse_wrong_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> OLD.state AND NOT (CASE OLD.state
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
CREATE TRIGGER payments_moves BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION refuse_wrong_move();

-- connector: the acquirer's name. received_paise: what the bank moved or holds. bank: the bank or wallet the customer was
-- sent to, or whose instalments were chosen; "" for the other methods. emi_discount_paise: of a no-cost plan, what the
-- merchant bears. charged_at: when we began to ask for the charge of a card; the bank may receive it for a while after
-- that. hastened_at: when an unproven message last brought an inquiry forward; the next one has to wait. risk: what was
-- seen of the payer, and what the risk rules said. saved_card: the token of the saved card that pays, or that is to be
-- kept when it has paid. surcharge_paise: the part of the amount that is above the order's.
-- voucher: the number of a voucher that is paid in cash, "" until it was issued.
-- rate_micros: millionths of a rupee for one unit of the currency. settled_paise: what was received comes to in rupees.
-- route: why it is made at its acquirer; empty where nothing was chosen.
-- Cards and UPI never carry a surcharge, whichever way they are charged (docs/spec/domain.md#surcharge).
CREATE TABLE attempts (
    merchant_id bigint NOT NULL,
    attempt_id gateway_id NOT NULL,
    payment_id bigint NOT NULL,
    method attempt_method NOT NULL,
    state attempt_state NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    received_paise paise NOT NULL DEFAULT 0,
    currency currency_letters NOT NULL,
    connector text NOT NULL,
    rrn text NOT NULL DEFAULT '',
    bank_code text NOT NULL DEFAULT '',
    bank_message text NOT NULL DEFAULT '',
    approval_code text NOT NULL DEFAULT '',
    payer_vpa text NOT NULL DEFAULT '',
    card jsonb NOT NULL DEFAULT '{}',
    authentication_id text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    settled_at timestamptz,
    inquire_at timestamptz,
    inquiries times NOT NULL DEFAULT 0,
    charged_at timestamptz,
    hastened_at timestamptz,
    bank text NOT NULL DEFAULT '',
    bank_name text NOT NULL DEFAULT '',
    emi_months times NOT NULL DEFAULT 0,
    emi_rate_bps times NOT NULL DEFAULT 0,
    emi_discount_paise paise NOT NULL DEFAULT 0,
    risk jsonb NOT NULL DEFAULT '{}',
    saved_card text NOT NULL DEFAULT '',
    surcharge_paise paise NOT NULL DEFAULT 0,
    voucher text NOT NULL DEFAULT '',
    rate_micros paise_above_zero NOT NULL DEFAULT 1000000,
    settled_paise bigint GENERATED ALWAYS AS (floor(received_paise * rate_micros::numeric * 0.000001 + 0.5)::bigint) STORED,
    route jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (merchant_id, attempt_id),
    FOREIGN KEY (merchant_id, payment_id) REFERENCES payments (merchant_id, payment_id),
    CONSTRAINT attempts_received CHECK ((received_paise > 0) = (state IN ('paid', 'authorised', 'overpaid'))
        AND (state NOT IN ('paid', 'authorised') OR received_paise = amount_paise)
        AND (surcharge_paise = 0 OR method NOT IN ('upi_qr', 'upi_collect', 'upi_autopay', 'card', 'card_moto', 'card_emi'))
        AND surcharge_paise < amount_paise),
    CONSTRAINT attempts_without_surcharge
        CHECK (surcharge_paise = 0 OR method NOT IN ('upi_link', 'card_direct', 'card_page', 'emi_page', 'emi_direct'))
);
CREATE INDEX attempts_of_payment ON attempts (merchant_id, payment_id);
CREATE UNIQUE INDEX attempts_one_success ON attempts (merchant_id, payment_id) WHERE state IN ('paid', 'authorised');
-- Money that came to an order's account or for its voucher is one attempt, whoever brings the news of it and however often.
CREATE UNIQUE INDEX attempts_one_transfer ON attempts (merchant_id, payment_id, rrn)
    WHERE method IN ('virtual_account', 'rtgs_account', 'remittance', 'cash_voucher') AND rrn <> '';
CREATE INDEX attempts_by_rrn ON attempts (merchant_id, rrn) WHERE rrn <> '';
CREATE INDEX attempts_to_inquire ON attempts (inquire_at) WHERE inquire_at IS NOT NULL;
CREATE INDEX attempts_in_excess ON attempts (merchant_id, attempt_id) WHERE state = 'overpaid';
-- The health of banks is read from what became of the latest attempts.
CREATE INDEX attempts_of_banks ON attempts (created_at) WHERE bank <> '';
CREATE INDEX attempts_of_saved_cards ON attempts (merchant_id, saved_card) WHERE saved_card <> '';
-- How acquirers do is read of the latest attempts for which one was chosen: the others are not in it.
CREATE INDEX attempts_routed ON attempts (created_at) WHERE route <> '{}'::jsonb;

-- The whole story of a payment is one query over this table; event_no is the payment's revision that it made. An event is
-- written by the statement that changes its payment, so there is no foreign key; the audit looks for orphans.
-- xact: as that of ledger_postings.
CREATE TABLE payment_events (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    event_no ordinal NOT NULL,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    state payment_state NOT NULL,
    actor text NOT NULL,
    attempt_id bigint,
    xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (merchant_id, payment_id, event_no)
);
CREATE TRIGGER payment_events_append_only BEFORE UPDATE OR DELETE ON payment_events
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payment_events_no_truncate BEFORE TRUNCATE ON payment_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE INDEX payment_events_in_order ON payment_events (merchant_id, xact, payment_id);
