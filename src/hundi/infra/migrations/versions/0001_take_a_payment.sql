-- Take a payment: merchants, access, payments, ledger, notifications.
--
-- Every key starts with merchant_id, so the same schema runs on one server and sharded by merchant (decision 0003).
-- payments, attempts and postings carry no foreign key to merchants: its row lock would make every payment of one
-- merchant touch one shared row, and merchants are never deleted.

CREATE TABLE merchants (
    merchant_id bigint PRIMARY KEY CHECK (merchant_id BETWEEN 1 AND 999999999999),
    mode text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended')),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    sealed_keys bytea NOT NULL,
    settings jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL
);
COMMENT ON COLUMN merchants.sealed_keys IS 'username, password, API secret, OAuth client id and secret, webhook keys: AES-256-GCM under the key-encryption key';

CREATE TABLE access_tokens (
    merchant_id bigint NOT NULL,
    token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
    issued_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL CHECK (expires_at > issued_at),
    PRIMARY KEY (merchant_id, token_hash)
);
CREATE INDEX access_tokens_over ON access_tokens (expires_at);

CREATE TABLE token_failures (
    merchant_id bigint NOT NULL,
    address text NOT NULL,
    failures integer NOT NULL CHECK (failures > 0),
    window_from timestamptz NOT NULL,
    blocked_until timestamptz,
    PRIMARY KEY (merchant_id, address)
);
CREATE INDEX token_failures_old ON token_failures (window_from);

-- What the merchant's developer reads when a call was refused: never in the reply itself, where it would be an oracle.
CREATE TABLE refused_requests (
    merchant_id bigint NOT NULL,
    reference text NOT NULL,
    at timestamptz NOT NULL,
    operation text NOT NULL,
    code text NOT NULL,
    words text NOT NULL,
    detail text NOT NULL DEFAULT '',
    address text NOT NULL DEFAULT '',
    PRIMARY KEY (merchant_id, reference)
);
CREATE INDEX refused_requests_newest ON refused_requests (merchant_id, at DESC);
CREATE INDEX refused_requests_old ON refused_requests (at);

CREATE TABLE payments (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL CHECK (payment_id BETWEEN 1 AND 999999999999999),
    order_id text NOT NULL CHECK (order_id ~ '^[A-Za-z0-9_.-]{1,64}$'),
    content_hash bytea NOT NULL CHECK (length(content_hash) = 32),
    amount_paise bigint NOT NULL CHECK (amount_paise > 0),
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    kind text NOT NULL CHECK (kind IN ('sale', 'authorise')),
    state text NOT NULL CHECK (state IN ('open', 'in_process', 'authorised', 'captured', 'paid', 'under_review', 'failed',
        'not_registered', 'expired', 'unknown', 'abandoned', 'voided')),
    captured_paise bigint NOT NULL DEFAULT 0 CHECK (captured_paise BETWEEN 0 AND amount_paise),
    method text NOT NULL DEFAULT '',
    buyer jsonb NOT NULL,
    custom_var text NOT NULL DEFAULT '',
    channels text[] NOT NULL DEFAULT '{}',
    bank_code text NOT NULL DEFAULT '',
    bank_message text NOT NULL DEFAULT '',
    revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, payment_id),
    UNIQUE (merchant_id, order_id),
    CHECK ((state IN ('paid', 'captured')) = (captured_paise > 0))
);
CREATE INDEX payments_to_close ON payments (expires_at) WHERE state = 'open';

CREATE TABLE attempts (
    merchant_id bigint NOT NULL,
    attempt_id bigint NOT NULL CHECK (attempt_id BETWEEN 1 AND 999999999999999),
    payment_id bigint NOT NULL,
    method text NOT NULL CHECK (method IN ('upi_qr', 'upi_collect', 'card')),
    state text NOT NULL CHECK (state IN ('offered', 'sent', 'authenticating', 'authorising', 'pending', 'paid', 'authorised',
        'overpaid', 'failed', 'expired', 'unknown')),
    amount_paise bigint NOT NULL CHECK (amount_paise > 0),
    received_paise bigint NOT NULL DEFAULT 0 CHECK (received_paise >= 0),
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
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
    inquiries integer NOT NULL DEFAULT 0 CHECK (inquiries >= 0),
    PRIMARY KEY (merchant_id, attempt_id),
    FOREIGN KEY (merchant_id, payment_id) REFERENCES payments (merchant_id, payment_id),
    CHECK ((state IN ('paid', 'authorised', 'overpaid')) = (received_paise > 0)),
    CHECK (state NOT IN ('paid', 'authorised') OR received_paise = amount_paise)
);
CREATE INDEX attempts_of_payment ON attempts (merchant_id, payment_id);
CREATE UNIQUE INDEX attempts_one_success ON attempts (merchant_id, payment_id) WHERE state IN ('paid', 'authorised');
CREATE INDEX attempts_by_rrn ON attempts (merchant_id, rrn) WHERE rrn <> '';
CREATE INDEX attempts_to_inquire ON attempts (inquire_at) WHERE inquire_at IS NOT NULL;

-- The whole story of a payment is one query over this table; event_no is the payment's revision that it made.
CREATE TABLE payment_events (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    event_no integer NOT NULL CHECK (event_no > 0),
    at timestamptz NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    actor text NOT NULL,
    attempt_id bigint,
    detail jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (merchant_id, payment_id, event_no),
    FOREIGN KEY (merchant_id, payment_id) REFERENCES payments (merchant_id, payment_id)
);

-- One posting is one row that moves an amount from one account to another: an unbalanced entry cannot be written.
-- Its key is its cause, so that nothing is posted twice. xact tells a roll-up which postings can no longer be joined by
-- one that is still in flight.
CREATE TABLE ledger_postings (
    merchant_id bigint NOT NULL,
    attempt_id bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN ('payment', 'overpaid', 'late_refund_due')),
    debit text NOT NULL CHECK (debit ~ '^[a-z_]+(:[a-z0-9_]+)?$'),
    credit text NOT NULL CHECK (credit ~ '^[a-z_]+(:[a-z0-9_]+)?$'),
    amount_paise bigint NOT NULL CHECK (amount_paise > 0),
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    at timestamptz NOT NULL,
    xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (merchant_id, attempt_id, kind),
    CHECK (debit <> credit)
);
CREATE INDEX ledger_postings_tail ON ledger_postings (merchant_id, xact);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER ledger_postings_append_only BEFORE UPDATE OR DELETE ON ledger_postings
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_postings_no_truncate BEFORE TRUNCATE ON ledger_postings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payment_events_append_only BEFORE UPDATE OR DELETE ON payment_events
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payment_events_no_truncate BEFORE TRUNCATE ON payment_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Balances are never updated on the hot path: a roll-up sums every posting of transactions before `through` into the
-- merchant's checkpoints, and a balance is the checkpoint plus the postings from `through` on.
CREATE TABLE ledger_rolls (
    merchant_id bigint PRIMARY KEY,
    through xid8 NOT NULL,
    rolled_at timestamptz NOT NULL
);

CREATE TABLE ledger_checkpoints (
    merchant_id bigint NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    debit_paise numeric(24, 0) NOT NULL CHECK (debit_paise >= 0),
    credit_paise numeric(24, 0) NOT NULL CHECK (credit_paise >= 0),
    PRIMARY KEY (merchant_id, account, currency)
);

-- What the merchant's server is told: one row an announced event, whose key is also the webhook's identity.
-- due_at: when the row may be claimed; of a row in `sending`, when its lease ends and another worker may take it over.
-- scheduled_from, tries_before: where the present round of the retry schedule began (a replay begins a new one).
CREATE TABLE deliveries (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    event_no integer NOT NULL CHECK (event_no > 0),
    kind text NOT NULL,
    facts jsonb NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'sending', 'delivered', 'exhausted', 'no_endpoint')),
    created_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
    scheduled_from timestamptz NOT NULL,
    tries_before integer NOT NULL DEFAULT 0 CHECK (tries_before BETWEEN 0 AND tries),
    delivered_at timestamptz,
    PRIMARY KEY (merchant_id, payment_id, event_no),
    CHECK ((state = 'delivered') <= (delivered_at IS NOT NULL))
);
CREATE INDEX deliveries_due ON deliveries (merchant_id, due_at) WHERE state IN ('waiting', 'sending');
CREATE INDEX deliveries_given_up ON deliveries (merchant_id, state, created_at) WHERE state IN ('exhausted', 'no_endpoint');

-- Every try, also one that a dead worker never finished. status is null when no answer came; problem says why.
CREATE TABLE delivery_attempts (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    event_no integer NOT NULL,
    attempt_no integer NOT NULL CHECK (attempt_no > 0),
    at timestamptz NOT NULL,
    url text NOT NULL,
    status integer,
    latency_ms integer NOT NULL CHECK (latency_ms >= 0),
    answer text NOT NULL DEFAULT '',
    problem text NOT NULL DEFAULT '',
    PRIMARY KEY (merchant_id, payment_id, event_no, attempt_no)
);

-- A row means: the merchant's endpoint let a delivery run out of its schedule and is only probed until it answers.
CREATE TABLE failing_endpoints (
    merchant_id bigint PRIMARY KEY,
    since timestamptz NOT NULL,
    problem text NOT NULL,
    probe_at timestamptz NOT NULL
);
CREATE INDEX failing_endpoints_to_probe ON failing_endpoints (probe_at);
