-- What follows a payment: refunds, captures, saved cards and shares of others.

CREATE DOMAIN refund_state AS text CHECK (VALUE IN ('initiated', 'sent', 'unknown', 'done', 'failed', 'reversed'));
CREATE DOMAIN refund_cause AS text CHECK (VALUE IN ('merchant', 'overpaid', 'late'));

-- due_at: when a worker sends it, or asks about it, next; null once it is settled. surcharge_paise: the part of the
-- amount that is above the order's. settled_paise: what it comes to in rupees, at the rate of its attempt.
-- reversed_at, reversed_code, reversed_message: of a refund that came back after it was done (decision 0063); what was said
-- when it was done stays as it was sealed.
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
    reversed_at timestamptz,
    reversed_code text NOT NULL DEFAULT '',
    reversed_message text NOT NULL DEFAULT '',
    PRIMARY KEY (merchant_id, refund_id),
    FOREIGN KEY (merchant_id, payment_id) REFERENCES payments (merchant_id, payment_id),
    CONSTRAINT refunds_settled CHECK ((settled_at IS NOT NULL) = (state IN ('done', 'failed', 'reversed'))
        AND (reversed_at IS NOT NULL) = (state = 'reversed')
        AND (currency <> 'INR' OR settled_paise = amount_paise))
);
CREATE INDEX refunds_of_payment ON refunds (merchant_id, payment_id);
CREATE INDEX refunds_due ON refunds (due_at) WHERE due_at IS NOT NULL;
-- What is owed back because of one attempt is given back once.
CREATE UNIQUE INDEX refunds_of_debt ON refunds (merchant_id, attempt_id)
    WHERE cause IN ('overpaid', 'late') AND state NOT IN ('failed', 'reversed');

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

CREATE DOMAIN completion_kind AS text CHECK (VALUE IN ('capture', 'void'));
CREATE DOMAIN completion_state AS text CHECK (VALUE IN ('sent', 'unknown', 'done', 'failed'));

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
-- What a payment's removal looks its rows up by.
CREATE INDEX completions_of_payment ON completions (merchant_id, payment_id);

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
-- What a payment's removal looks its rows up by.
CREATE INDEX split_configurations_of_payment ON split_configurations (merchant_id, payment_id);

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
