-- What the further channels and operations need.

ALTER DOMAIN payment_kind DROP CONSTRAINT payment_kind_check;
ALTER DOMAIN payment_kind ADD CONSTRAINT payment_kind_check CHECK (VALUE IN ('sale', 'authorise', 'moto'));
ALTER DOMAIN attempt_method DROP CONSTRAINT attempt_method_check;
ALTER DOMAIN attempt_method ADD CONSTRAINT attempt_method_check CHECK (VALUE IN ('upi_qr', 'upi_collect', 'card',
    'card_moto', 'card_emi', 'netbanking', 'wallet'));

-- emi_months: the instalments an order asks for, 0 where the customer chooses. settled_at: when the merchant was paid out.
ALTER TABLE payments
    ADD emi_months times NOT NULL DEFAULT 0,
    ADD settled_at timestamptz;

-- bank: the bank or wallet the customer was sent to, or whose instalments were chosen; "" for the other methods.
-- emi_discount_paise: of a no-cost plan, what the merchant bears.
ALTER TABLE attempts
    ADD bank text NOT NULL DEFAULT '',
    ADD emi_months times NOT NULL DEFAULT 0,
    ADD emi_rate_bps times NOT NULL DEFAULT 0,
    ADD emi_discount_paise paise NOT NULL DEFAULT 0;
-- The health of banks is read from what became of the latest attempts.
CREATE INDEX attempts_of_banks ON attempts (created_at) WHERE bank <> '';

-- How often a merchant asked who has an address: one row a span of time, so that it is no way to look names up.
CREATE TABLE address_checks (
    merchant_id bigint NOT NULL REFERENCES merchants,
    span text NOT NULL CHECK (span IN ('minute', 'day')),
    began_at timestamptz NOT NULL,
    asked times NOT NULL,
    PRIMARY KEY (merchant_id, span, began_at)
);
CREATE INDEX address_checks_old ON address_checks (began_at);

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
