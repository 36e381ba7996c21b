-- Payments: orders, the attempts at paying them, and what becomes of the money afterwards.
--
-- payments, attempts and postings carry no foreign key to merchants: its row lock would make every payment of one
-- merchant touch one shared row, and merchants are never deleted.

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
    PRIMARY KEY (merchant_id, attempt_id),
    FOREIGN KEY (merchant_id, payment_id) REFERENCES payments (merchant_id, payment_id),
    CONSTRAINT attempts_received CHECK ((received_paise > 0) = (state IN ('paid', 'authorised', 'overpaid'))
        AND (state NOT IN ('paid', 'authorised') OR received_paise = amount_paise)
        AND (surcharge_paise = 0 OR method NOT IN ('upi_qr', 'upi_collect', 'upi_autopay', 'card', 'card_moto', 'card_emi'))
        AND surcharge_paise < amount_paise)
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

-- A customer's consent to a card being kept. The card and its network token are those of the first attempt with this token
-- that succeeded. customer: the merchant's own name of its customer. ended_at: when the network had ended its token.
CREATE TABLE saved_cards (
    merchant_id bigint NOT NULL,
    token text NOT NULL,
    customer text NOT NULL,
    agreed_at timestamptz NOT NULL,
    deleted_at timestamptz,
    ended_at timestamptz,
    PRIMARY KEY (merchant_id, token),
    CHECK (ended_at IS NULL OR deleted_at IS NOT NULL)
);
CREATE INDEX saved_cards_of_customer ON saved_cards (merchant_id, customer) WHERE deleted_at IS NULL;
CREATE INDEX saved_cards_to_end ON saved_cards (deleted_at) WHERE deleted_at IS NOT NULL AND ended_at IS NULL;

-- The whole story of a payment is one query over this table; event_no is the payment's revision that it made. An event is
-- written by the statement that changes its payment, so there is no foreign key; the audit looks for orphans.
CREATE TABLE payment_events (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    event_no ordinal NOT NULL,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    state payment_state NOT NULL,
    actor text NOT NULL,
    attempt_id bigint,
    PRIMARY KEY (merchant_id, payment_id, event_no)
);
CREATE TRIGGER payment_events_append_only BEFORE UPDATE OR DELETE ON payment_events
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payment_events_no_truncate BEFORE TRUNCATE ON payment_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- due_at: when a worker sends it, or asks about it, next; null once it is settled. surcharge_paise: the part of the
-- amount that is above the order's. settled_paise: what it comes to in rupees, at the rate of its attempt.
CREATE TABLE refunds (
    merchant_id bigint NOT NULL,
    refund_id gateway_id NOT NULL,
    payment_id gateway_id NOT NULL,
    attempt_id gateway_id NOT NULL,
    cause refund_cause NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    connector text NOT NULL,
    state refund_state NOT NULL,
    rrn text NOT NULL DEFAULT '',
    bank_code text NOT NULL DEFAULT '',
    bank_message text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    sent_at timestamptz,
    settled_at timestamptz,
    due_at timestamptz,
    inquiries times NOT NULL DEFAULT 0,
    request_id text NOT NULL DEFAULT '',
    surcharge_paise paise NOT NULL DEFAULT 0,
    settled_paise paise_above_zero NOT NULL,
    PRIMARY KEY (merchant_id, refund_id),
    FOREIGN KEY (merchant_id, payment_id) REFERENCES payments (merchant_id, payment_id),
    CONSTRAINT refunds_settled CHECK ((settled_at IS NOT NULL) = (state IN ('done', 'failed'))
        AND (currency <> 'INR' OR settled_paise = amount_paise))
);
CREATE INDEX refunds_of_payment ON refunds (merchant_id, payment_id);
CREATE INDEX refunds_due ON refunds (due_at) WHERE due_at IS NOT NULL;
-- What is owed back because of one attempt is given back once.
CREATE UNIQUE INDEX refunds_of_debt ON refunds (merchant_id, attempt_id)
    WHERE cause IN ('overpaid', 'late') AND state <> 'failed';

-- One row an item of a request that carried a `refund_request_id`, written with the item's effect, refused items too.
CREATE TABLE refund_requests (
    merchant_id bigint NOT NULL,
    request_id text NOT NULL CHECK (length(request_id) BETWEEN 1 AND 64),
    item_no times NOT NULL,
    content_hash sha256_digest NOT NULL,
    refund_id gateway_id,
    code text NOT NULL DEFAULT '',
    words text NOT NULL DEFAULT '',
    at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, request_id, item_no)
);
CREATE INDEX refund_requests_old ON refund_requests (at);

-- How an authorisation ends: the index lets one ending stand, so of a capture and a void that meet one wins.
CREATE TABLE completions (
    merchant_id bigint NOT NULL,
    completion_id gateway_id NOT NULL,
    payment_id gateway_id NOT NULL,
    attempt_id gateway_id NOT NULL,
    kind completion_kind NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    connector text NOT NULL,
    state completion_state NOT NULL,
    actor text NOT NULL,
    rrn text NOT NULL DEFAULT '',
    bank_code text NOT NULL DEFAULT '',
    bank_message text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    settled_at timestamptz,
    due_at timestamptz,
    inquiries times NOT NULL DEFAULT 0,
    PRIMARY KEY (merchant_id, completion_id),
    FOREIGN KEY (merchant_id, payment_id) REFERENCES payments (merchant_id, payment_id),
    CONSTRAINT completions_settled CHECK ((settled_at IS NOT NULL) = (state IN ('done', 'failed')))
);
CREATE UNIQUE INDEX completions_one ON completions (merchant_id, payment_id) WHERE state <> 'failed';
CREATE INDEX completions_due ON completions (due_at) WHERE due_at IS NOT NULL;

-- Whom a merchant shares payments with. ledger_account: what the settlement pays this account from. sealed_number: the
-- number of the bank account, for payouts only; shown are its last four digits.
CREATE TABLE linked_accounts (
    merchant_id bigint NOT NULL REFERENCES merchants,
    identifier order_reference NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    sealed_number bytea NOT NULL,
    last4 text NOT NULL CHECK (last4 ~ '^[0-9A-Z]{4}$'),
    ifsc text NOT NULL CHECK (ifsc ~ '^[A-Z]{4}0[A-Z0-9]{6}$'),
    ledger_account account_name NOT NULL,
    created_at timestamptz NOT NULL,
    closed_at timestamptz,
    PRIMARY KEY (merchant_id, identifier),
    UNIQUE (merchant_id, ledger_account)
);

-- How a payment is to be shared: one stands for each payment, the ones before it are kept. base_paise: captured less
-- refunds when it was configured; a later refund reduces every part in proportion to it.
CREATE TABLE split_configurations (
    merchant_id bigint NOT NULL,
    request_id text NOT NULL CHECK (request_id ~ '^[0-9]{1,15}$'),
    payment_id gateway_id NOT NULL,
    content_hash sha256_digest NOT NULL,
    kind text NOT NULL CHECK (kind IN ('percentage', 'absolute')),
    base_paise paise_above_zero NOT NULL,
    primary_value paise NOT NULL,
    primary_paise paise NOT NULL,
    created_at timestamptz NOT NULL,
    replaced_at timestamptz,
    PRIMARY KEY (merchant_id, request_id),
    FOREIGN KEY (merchant_id, payment_id) REFERENCES payments (merchant_id, payment_id)
);
CREATE UNIQUE INDEX split_configurations_one ON split_configurations (merchant_id, payment_id)
    WHERE replaced_at IS NULL;
CREATE TABLE split_parts (
    merchant_id bigint NOT NULL,
    request_id text NOT NULL,
    place ordinal NOT NULL,
    identifier order_reference NOT NULL,
    value paise_above_zero NOT NULL,
    amount_paise paise NOT NULL,
    ledger_account account_name NOT NULL,
    PRIMARY KEY (merchant_id, request_id, place),
    FOREIGN KEY (merchant_id, request_id) REFERENCES split_configurations (merchant_id, request_id),
    FOREIGN KEY (merchant_id, identifier) REFERENCES linked_accounts (merchant_id, identifier)
);

-- Mandates: what a customer approved once, so that the merchant may debit again. subscription_id is the payment of the
-- order that registered it; that payment's row is locked by whoever changes the subscription. max_paise: the most one
-- debit may be. debits_max: null for no end. next_period: the first one that is not announced. due_at: when the worker
-- plans the next period, or ends the mandate at the bank. channel: what the customer approved it with, and so what it is
-- debited by. umrn: the number that the clearing house knows an eNACH mandate by.
CREATE TABLE subscriptions (
    merchant_id bigint NOT NULL,
    subscription_id gateway_id NOT NULL,
    order_id order_reference NOT NULL,
    state subscription_state NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    max_paise paise_above_zero NOT NULL,
    period subscription_period NOT NULL,
    frequency ordinal NOT NULL,
    starts_on date NOT NULL,
    debits_max ordinal,
    retries_max times NOT NULL,
    valid_until date NOT NULL,
    created_at timestamptz NOT NULL,
    due_at timestamptz,
    next_period ordinal NOT NULL DEFAULT 1,
    connector text NOT NULL DEFAULT '',
    mandate_reference text NOT NULL DEFAULT '',
    channel text NOT NULL DEFAULT '',
    umrn text NOT NULL DEFAULT '',
    payer text NOT NULL DEFAULT '',
    activated_at timestamptz,
    ended_at timestamptz,
    PRIMARY KEY (merchant_id, subscription_id),
    FOREIGN KEY (merchant_id, subscription_id) REFERENCES payments (merchant_id, payment_id),
    CONSTRAINT subscriptions_fit CHECK (amount_paise <= max_paise AND valid_until >= starts_on
        AND (state NOT IN ('active', 'paused') OR (mandate_reference <> '' AND channel <> '' AND activated_at IS NOT NULL))
        AND (ended_at IS NOT NULL) = (state IN ('cancelled', 'completed', 'failed')))
);
CREATE INDEX subscriptions_due ON subscriptions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX subscriptions_to_approve ON subscriptions (merchant_id, subscription_id) WHERE state = 'created';

-- One row a period, so no period is debited twice. planned_at: when the debit is made at the earliest. noticed_at: when
-- the bank took the notice for the customer. tries: attempts at the bank.
CREATE TABLE subscription_debits (
    merchant_id bigint NOT NULL,
    debit_id gateway_id NOT NULL,
    subscription_id bigint NOT NULL,
    period_no ordinal NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    state debit_state NOT NULL,
    planned_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    due_at timestamptz,
    connector text NOT NULL DEFAULT '',
    noticed_at timestamptz,
    payment_id gateway_id,
    tries times NOT NULL DEFAULT 0,
    settled_at timestamptz,
    PRIMARY KEY (merchant_id, debit_id),
    UNIQUE (merchant_id, subscription_id, period_no),
    FOREIGN KEY (merchant_id, subscription_id) REFERENCES subscriptions (merchant_id, subscription_id),
    CONSTRAINT subscription_debits_fit CHECK ((settled_at IS NOT NULL) = (state IN ('done', 'failed', 'skipped', 'missed'))
        AND (state NOT IN ('sent', 'retrying', 'done', 'failed') OR (payment_id IS NOT NULL AND noticed_at IS NOT NULL))
        AND (noticed_at IS NULL OR planned_at >= noticed_at + interval '24 hours'))
);
CREATE INDEX subscription_debits_due ON subscription_debits (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX subscription_debits_payment ON subscription_debits (merchant_id, payment_id)
    WHERE payment_id IS NOT NULL;
