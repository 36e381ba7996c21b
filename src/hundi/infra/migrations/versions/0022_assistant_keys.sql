-- Keys with which assistants of people read the books and propose acts, hashed. merchant_id: 0 for one of the operator's people.
-- mark: over all that decides what the key may do, under a key that the database never holds. A key is never deleted: it ends.
CREATE TABLE assistant_keys (
    merchant_id bigint NOT NULL CHECK (merchant_id >= 0),
    key_id gateway_id NOT NULL,
    name text NOT NULL CHECK (name ~ '^[a-z][a-z0-9-]{0,39}$'),
    person_id gateway_id NOT NULL,
    scopes text[] NOT NULL CHECK (cardinality(scopes) BETWEEN 1 AND 50),
    secret_hash sha256_digest NOT NULL,
    made_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL CHECK (ends_at > made_at),
    ended_at timestamptz,
    mark bytea NOT NULL,
    PRIMARY KEY (merchant_id, key_id)
);
