-- What came after schema_3.sql was released: the face of an aggregator. A database that has the first three gets this one as well.

-- What the gateway asks an aggregator for: one row a receipt, which is the gateway's reference. once: it takes one try. page: the
-- secret of the address of its page. closed_code: why it takes no more tries, '' while it does.
CREATE TABLE aggregator_orders (
    order_id     text PRIMARY KEY,
    reference    our_reference NOT NULL UNIQUE,
    way          text NOT NULL CHECK (way IN ('upi', 'card', 'card_page', 'netbanking', 'wallet', 'pay_later')),
    amount_paise paise_above_zero NOT NULL,
    capture      boolean NOT NULL,
    once         boolean NOT NULL,
    return_url   text NOT NULL,
    payee_name   text NOT NULL,
    page         text NOT NULL UNIQUE,
    expires_at   timestamptz NOT NULL,
    closed_code  text NOT NULL DEFAULT '',
    closed_words text NOT NULL DEFAULT ''
);
-- Cards that were tried at an order. step: at the one-time password, or over. What a try paid is the payment of the order's reference.
CREATE TABLE aggregator_tries (
    try_id          text PRIMARY KEY,
    order_id        text NOT NULL REFERENCES aggregator_orders,
    at              timestamptz NOT NULL,
    step            text NOT NULL CHECK (step IN ('otp', 'over')),
    last4           text NOT NULL,
    scheme          text NOT NULL,
    type            text NOT NULL,
    issuer          text NOT NULL,
    country         text NOT NULL,
    issuer_decision text NOT NULL,
    otps            int NOT NULL DEFAULT 0,
    code            text NOT NULL DEFAULT '',
    words           text NOT NULL DEFAULT '',
    trans_status    trans_status_code NOT NULL DEFAULT ''
);
CREATE INDEX aggregator_tries_of_order ON aggregator_tries (order_id, at);
