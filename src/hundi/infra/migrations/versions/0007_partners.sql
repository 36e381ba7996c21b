-- Partners and what they call. A partner's tables have keys that start with its affiliate code, as merchants'
-- start with merchant_id.

CREATE TABLE partners (
    affiliate text PRIMARY KEY CHECK (affiliate ~ '^[A-Z0-9]{4,10}$'),
    state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended')),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    sealed_keys bytea NOT NULL,
    -- Card details names its caller by a token alone.
    card_token_hash sha256_digest NOT NULL UNIQUE,
    -- During a rotation, of the token before it.
    older_card_token_hash sha256_digest UNIQUE,
    settings jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL
);
COMMENT ON COLUMN partners.sealed_keys IS 'api-key, processor-key, shared secret, card token, gateway key, webhook key, and those before them: AES-256-GCM under the key-encryption key';

-- What the operator did to a partner: which key was rotated or retired, which settings were changed; never a secret.
CREATE TABLE partner_events (
    affiliate text NOT NULL REFERENCES partners,
    event_no ordinal NOT NULL,
    at timestamptz NOT NULL,
    kind text NOT NULL CHECK (kind IN ('added', 'rotated', 'retired', 'changed', 'suspended', 'resumed')),
    words text NOT NULL DEFAULT '' CHECK (length(words) <= 500),
    PRIMARY KEY (affiliate, event_no)
);
CREATE TRIGGER partner_events_append_only BEFORE UPDATE OR DELETE ON partner_events
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Every call, without what it was about: which interface, how it ended, how long it took, from where.
CREATE TABLE partner_calls (
    affiliate text NOT NULL,
    reference text NOT NULL,
    at timestamptz NOT NULL,
    interface text NOT NULL,
    code text NOT NULL,
    detail text NOT NULL DEFAULT '',
    latency_ms times NOT NULL,
    address text NOT NULL DEFAULT '',
    PRIMARY KEY (affiliate, reference)
);
CREATE INDEX partner_calls_newest ON partner_calls (affiliate, at DESC);
CREATE INDEX partner_calls_old ON partner_calls (at);

-- How often a partner asked about people and businesses: one row a span of time.
CREATE TABLE partner_lookups (
    affiliate text NOT NULL REFERENCES partners,
    span text NOT NULL CHECK (span IN ('minute', 'day')),
    began_at timestamptz NOT NULL,
    asked times NOT NULL,
    PRIMARY KEY (affiliate, span, began_at)
);
CREATE INDEX partner_lookups_old ON partner_lookups (began_at);

-- Terminals in a merchant's shops, and what was sold through them. reference: the terminal's own of a sale, so that one
-- that is told twice is kept once.
CREATE TABLE pos_terminals (
    merchant_id bigint NOT NULL REFERENCES merchants,
    terminal_id text NOT NULL CHECK (terminal_id ~ '^[A-Za-z0-9]{1,16}$'),
    label text NOT NULL CHECK (length(label) BETWEEN 1 AND 100),
    -- The affiliate code of the partner who tells what it sells, if there is one.
    manager text CHECK (manager ~ '^[A-Z0-9]{4,10}$'),
    created_at timestamptz NOT NULL,
    closed_at timestamptz,
    PRIMARY KEY (merchant_id, terminal_id)
);

CREATE TABLE pos_sales (
    merchant_id bigint NOT NULL,
    transaction_id gateway_id NOT NULL,
    terminal_id text NOT NULL,
    reference text NOT NULL CHECK (length(reference) BETWEEN 1 AND 64),
    at timestamptz NOT NULL,
    kind text NOT NULL CHECK (kind IN ('SALE', 'VOID', 'REFUND')),
    amount_paise paise_above_zero NOT NULL,
    edited_paise paise NOT NULL DEFAULT 0,
    table_no text NOT NULL DEFAULT '' CHECK (length(table_no) <= 20),
    masked_mobile text NOT NULL DEFAULT '' CHECK (masked_mobile ~ '^(X{6}[0-9]{4})?$'),
    PRIMARY KEY (merchant_id, transaction_id),
    UNIQUE (merchant_id, terminal_id, reference),
    FOREIGN KEY (merchant_id, terminal_id) REFERENCES pos_terminals (merchant_id, terminal_id)
);
CREATE INDEX pos_sales_newest ON pos_sales (merchant_id, terminal_id, at DESC);

-- Businesses that want to become merchants. Who they are is sealed; business_hash finds a second lead of the same
-- business, content_hash the same lead sent twice.
CREATE TABLE leads (
    affiliate text NOT NULL REFERENCES partners,
    lead_id gateway_id NOT NULL,
    state text NOT NULL CHECK (state IN ('lead', 'review', 'approved', 'rejected')),
    sealed_content bytea NOT NULL,
    business_hash sha256_digest NOT NULL,
    content_hash sha256_digest NOT NULL,
    notes text[] NOT NULL DEFAULT '{}',
    became_merchant bigint,
    revision ordinal NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (affiliate, lead_id),
    CHECK ((state = 'approved') = (became_merchant IS NOT NULL))
);
CREATE UNIQUE INDEX leads_one_of_a_business ON leads (affiliate, business_hash) WHERE state <> 'rejected';
CREATE INDEX leads_newest ON leads (created_at DESC);

CREATE TABLE lead_events (
    affiliate text NOT NULL,
    lead_id gateway_id NOT NULL,
    event_no ordinal NOT NULL,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    actor text NOT NULL,
    words text NOT NULL DEFAULT '',
    PRIMARY KEY (affiliate, lead_id, event_no),
    FOREIGN KEY (affiliate, lead_id) REFERENCES leads (affiliate, lead_id)
);
CREATE TRIGGER lead_events_append_only BEFORE UPDATE OR DELETE ON lead_events
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- What customers were granted: written when a page was first opened, shown the same until it closes.
CREATE TABLE offers (
    affiliate text NOT NULL REFERENCES partners,
    unique_id text NOT NULL CHECK (length(unique_id) BETWEEN 1 AND 10),
    sealed_grant bytea NOT NULL,
    amount_paise paise NOT NULL,
    transaction_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    closes_at timestamptz NOT NULL,
    opened_at timestamptz NOT NULL,
    PRIMARY KEY (affiliate, unique_id)
);
CREATE INDEX offers_closed ON offers (closes_at);

-- Requests for a holder's offline document. Of the number itself: the last four digits, and a keyed hash by which the
-- register finds the holder. otp_hash: keyed, of the password that counts now.
CREATE TABLE identity_requests (
    affiliate text NOT NULL REFERENCES partners,
    request_id text NOT NULL CHECK (request_id ~ '^idr_[0-9a-f]{20}$'),
    gateway_txn_id gateway_id NOT NULL,
    holder_reference sha256_digest NOT NULL,
    last4 text NOT NULL CHECK (last4 ~ '^[0-9]{4}$'),
    state text NOT NULL CHECK (state IN ('open', 'used', 'locked')),
    otp_hash sha256_digest NOT NULL,
    -- What a live provider calls its own request; empty where the password is ours.
    forwarded_as text NOT NULL DEFAULT '',
    forwarded_txn bigint NOT NULL DEFAULT 0,
    sends ordinal NOT NULL,
    wrong times NOT NULL DEFAULT 0,
    sent_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (affiliate, request_id)
);
CREATE INDEX identity_requests_of_holder ON identity_requests (affiliate, holder_reference, created_at DESC);
CREATE INDEX identity_requests_old ON identity_requests (created_at);

-- That somebody agreed to a check, and in which words (sealed).
CREATE TABLE identity_consents (
    affiliate text NOT NULL REFERENCES partners,
    reference text NOT NULL,
    at timestamptz NOT NULL,
    holder_reference sha256_digest NOT NULL,
    last4 text NOT NULL CHECK (last4 ~ '^[0-9]{4}$'),
    sealed_words bytea NOT NULL,
    PRIMARY KEY (affiliate, reference)
);
CREATE INDEX identity_consents_newest ON identity_consents (affiliate, at DESC);
-- All but the words, which are sealed anew when the key-encryption key is rotated.
CREATE TRIGGER identity_consents_append_only
    BEFORE UPDATE OF affiliate, reference, at, holder_reference, last4 OR DELETE ON identity_consents
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
