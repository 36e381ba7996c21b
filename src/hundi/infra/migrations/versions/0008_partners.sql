-- What the auxiliary interfaces need. A partner's tables have keys that start with its affiliate code, as merchants'
-- start with merchant_id.

CREATE DOMAIN affiliate_code AS text CHECK (VALUE ~ '^[A-Z0-9]{4,10}$');

CREATE TABLE partners (
    affiliate affiliate_code PRIMARY KEY,
    state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended')),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    sealed_keys bytea NOT NULL,
    -- Card details names its caller by a token alone.
    card_token_hash sha256_digest NOT NULL UNIQUE,
    settings jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL
);
COMMENT ON COLUMN partners.sealed_keys IS 'api-key, processor-key, shared secret, card token, gateway key: AES-256-GCM under the key-encryption key';

-- Every call, without what it was about: which interface, how it ended, how long it took, from where.
CREATE TABLE partner_calls (
    affiliate affiliate_code NOT NULL,
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
    affiliate affiliate_code NOT NULL REFERENCES partners,
    span text NOT NULL CHECK (span IN ('minute', 'day')),
    began_at timestamptz NOT NULL,
    asked times NOT NULL,
    PRIMARY KEY (affiliate, span, began_at)
);
CREATE INDEX partner_lookups_old ON partner_lookups (began_at);
