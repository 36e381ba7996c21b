-- Bearer keys of the plain interface, and the requests that it must not do twice.

-- scopes: in the order of `KeyScope`. used_at: the last use, to the minute. A name stands for one key for ever.
-- proof: a mark over all that decides what the key may do, under a key that the database never holds.
CREATE TABLE bearer_keys (
    merchant_id bigint NOT NULL REFERENCES merchants (merchant_id),
    name text NOT NULL CHECK (name ~ '^[a-z][a-z0-9-]{0,29}$'),
    digest bytea NOT NULL CHECK (length(digest) = 32),
    scopes text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'page', 'refund', 'manage']),
    refund_paise paise NOT NULL CHECK ((refund_paise > 0) = ('refund' = ANY (scopes))),
    made_by text NOT NULL CHECK (length(made_by) BETWEEN 1 AND 254),
    made_at timestamptz NOT NULL,
    expires_at timestamptz CHECK (expires_at > made_at),
    ended_at timestamptz,
    used_at timestamptz,
    proof bytea NOT NULL,
    PRIMARY KEY (merchant_id, name)
);
CREATE UNIQUE INDEX bearer_keys_digest ON bearer_keys (merchant_id, digest);
CREATE TRIGGER bearer_keys_stay BEFORE DELETE ON bearer_keys FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER bearer_keys_append_only BEFORE UPDATE ON bearer_keys FOR EACH ROW
    WHEN (OLD.ended_at IS NOT NULL OR (OLD.merchant_id, OLD.name, OLD.digest, OLD.scopes, OLD.refund_paise, OLD.made_by,
        OLD.made_at, OLD.expires_at, OLD.proof) IS DISTINCT FROM (NEW.merchant_id, NEW.name, NEW.digest, NEW.scopes,
        NEW.refund_paise, NEW.made_by, NEW.made_at, NEW.expires_at, NEW.proof))
    EXECUTE FUNCTION refuse_change();

-- A request that had an effect, under the caller's own key, written with the effect. subject: the payment, refund or link.
CREATE TABLE idempotency_keys (
    merchant_id bigint NOT NULL,
    idempotency_key text NOT NULL CHECK (idempotency_key ~ '^[!-~]{1,64}$'),
    operation text NOT NULL CHECK (length(operation) BETWEEN 1 AND 40),
    content_hash bytea NOT NULL CHECK (length(content_hash) = 32),
    subject gateway_id NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, idempotency_key)
);
CREATE INDEX idempotency_keys_old ON idempotency_keys (at);
