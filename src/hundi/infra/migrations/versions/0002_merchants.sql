-- Merchants, and how their requests are let in.
--
-- Every key starts with merchant_id, so the same schema runs on one server and sharded by merchant (decision 0003).

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
    -- What was asked for, and the network that asked: what the token opens depends on both.
    scope text NOT NULL CHECK (scope IN ('', 'page', 'operations')),
    network text NOT NULL,
    issued_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL CHECK (expires_at > issued_at),
    PRIMARY KEY (merchant_id, token_hash)
);
CREATE INDEX access_tokens_of_network ON access_tokens (merchant_id, network, issued_at);
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
-- explained: what it was compared with when it was refused, because the message itself is never kept.
CREATE TABLE refused_requests (
    merchant_id bigint NOT NULL,
    reference text NOT NULL,
    at timestamptz NOT NULL,
    operation text NOT NULL,
    code text NOT NULL,
    words text NOT NULL,
    detail text NOT NULL DEFAULT '',
    address text NOT NULL DEFAULT '',
    explained jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (merchant_id, reference)
);
CREATE INDEX refused_requests_newest ON refused_requests (merchant_id, at DESC);
CREATE INDEX refused_requests_old ON refused_requests (at);

-- How often a merchant asked who has a UPI address: one row a span of time, so that it is no way to look names up.
CREATE TABLE address_checks (
    merchant_id bigint NOT NULL REFERENCES merchants,
    span text NOT NULL CHECK (span IN ('minute', 'day')),
    began_at timestamptz NOT NULL,
    checks times NOT NULL,
    PRIMARY KEY (merchant_id, span, began_at)
);
CREATE INDEX address_checks_old ON address_checks (began_at);
