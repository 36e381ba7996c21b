-- Notifications: what merchants' servers are told, and every try at telling them.

-- What the merchant's server is told: one row an announced event, whose key is also the webhook's identity.
-- due_at: when the row may be claimed; of a row in `sending`, when its lease ends and another worker may take it over.
-- scheduled_from, tries_before: where the present round of the retry schedule began (a replay begins a new one).
CREATE TABLE deliveries (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    event_no ordinal NOT NULL,
    kind text NOT NULL,
    facts jsonb NOT NULL,
    state delivery_state NOT NULL,
    created_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    tries times NOT NULL DEFAULT 0,
    scheduled_from timestamptz NOT NULL,
    tries_before times NOT NULL DEFAULT 0,
    delivered_at timestamptz,
    PRIMARY KEY (merchant_id, payment_id, event_no),
    CONSTRAINT deliveries_counted CHECK (tries_before <= tries AND (state <> 'delivered' OR delivered_at IS NOT NULL))
);
CREATE INDEX deliveries_due ON deliveries (merchant_id, due_at) WHERE state IN ('waiting', 'sending');
CREATE INDEX deliveries_given_up ON deliveries (merchant_id, state, created_at) WHERE state IN ('exhausted', 'no_endpoint');

-- Every try, also one that a dead worker never finished. status is null when no answer came; problem says why.
CREATE TABLE delivery_attempts (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    event_no integer NOT NULL,
    attempt_no ordinal NOT NULL,
    at timestamptz NOT NULL,
    url text NOT NULL,
    status integer,
    latency_ms times NOT NULL,
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
