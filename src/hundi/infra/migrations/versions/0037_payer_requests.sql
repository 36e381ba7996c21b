-- Questions of payers on the page "Where is my money?". A row is written before it is known whether there is such a payment:
-- only a worker looks for it. token_hash: of the cookie of the browser that asks. typed: reference, contact and language, until
-- the worker has looked. contact_key: keyed hash of where the code goes, for its limits, once there is one. owner_id, payment_id: what was found, 0 for
-- nothing. No row has the code: it is derived from the row's id with a key that the database does not have.
CREATE TABLE payer_requests (
    request_id gateway_id PRIMARY KEY,
    token_hash sha256_digest NOT NULL UNIQUE,
    state text NOT NULL CONSTRAINT payer_requests_state CHECK (state IN ('asked', 'silent', 'coded', 'opened')),
    typed jsonb NOT NULL,
    contact_key bytea NOT NULL DEFAULT '',
    owner_id bigint NOT NULL DEFAULT 0,
    payment_id bigint NOT NULL DEFAULT 0,
    tries times NOT NULL DEFAULT 0,
    asked_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    CONSTRAINT payer_requests_found CHECK ((state IN ('coded', 'opened')) = (owner_id > 0 AND payment_id > 0)),
    CONSTRAINT payer_requests_typed CHECK ((state = 'asked') OR typed = '{}')
);
CREATE INDEX payer_requests_to_look ON payer_requests (asked_at) WHERE state = 'asked';
CREATE INDEX payer_requests_of_contact ON payer_requests (contact_key, asked_at);
CREATE INDEX payer_requests_of_payment ON payer_requests (owner_id, payment_id, asked_at);

-- What payers complain of, about one of their payments. answer_by: by when the merchant answers. One waits at a time.
CREATE TABLE complaints (
    merchant_id bigint NOT NULL,
    complaint_id gateway_id NOT NULL,
    payment_id gateway_id NOT NULL,
    kind text NOT NULL CONSTRAINT complaints_kind CHECK (kind IN ('not_delivered', 'order_failed', 'refund_missing', 'not_me', 'other')),
    words text NOT NULL CONSTRAINT complaints_words CHECK (length(words) BETWEEN 1 AND 1000),
    language text NOT NULL CONSTRAINT complaints_language CHECK (language ~ '^[a-z]{2}$'),
    state text NOT NULL CONSTRAINT complaints_state CHECK (state IN ('open', 'answered', 'closed')),
    made_at timestamptz NOT NULL,
    answer_by timestamptz NOT NULL,
    answer text NOT NULL DEFAULT '' CONSTRAINT complaints_answer CHECK (length(answer) <= 1000),
    answered_at timestamptz,
    answered_by text NOT NULL DEFAULT '',
    closed_at timestamptz,
    PRIMARY KEY (merchant_id, complaint_id),
    CONSTRAINT complaints_answered CHECK ((answered_at IS NULL) = (answer = '')),
    CONSTRAINT complaints_open CHECK ((state = 'open') = (answered_at IS NULL AND closed_at IS NULL)),
    CONSTRAINT complaints_closed CHECK ((state = 'closed') = (closed_at IS NOT NULL))
);
CREATE UNIQUE INDEX complaints_one_open ON complaints (merchant_id, payment_id) WHERE state = 'open';
CREATE INDEX complaints_of_payment ON complaints (merchant_id, payment_id);
CREATE INDEX complaints_waiting ON complaints (answer_by) WHERE state = 'open';
