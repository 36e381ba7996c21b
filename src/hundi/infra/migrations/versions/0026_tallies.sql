-- How payments, attempts and refunds of each hour stand, counted (decision 0085). A worker counts an hour anew after a payment
-- of it changed; charts read this. It can be made anew at any time.

-- hour: in which they were begun, of the Indian day. what: payment, attempt or refund. paise: paid, or given back.
-- words: one of the bank's messages under this code.
CREATE TABLE hour_tallies (
    merchant_id bigint NOT NULL,
    hour timestamptz NOT NULL,
    what text NOT NULL CHECK (what IN ('payment', 'attempt', 'refund')),
    method text NOT NULL,
    bank text NOT NULL,
    connector text NOT NULL,
    state text NOT NULL,
    code text NOT NULL,
    number bigint NOT NULL CHECK (number > 0),
    paise bigint NOT NULL CHECK (paise >= 0),
    bank_name text NOT NULL,
    words text NOT NULL,
    PRIMARY KEY (merchant_id, hour, what, method, bank, connector, state, code)
);

-- Up to where a merchant's events were counted, as search_marks.
CREATE TABLE tally_marks (
    merchant_id bigint PRIMARY KEY,
    upto_xact xid8 NOT NULL DEFAULT '0',
    upto_id bigint NOT NULL DEFAULT -1,
    cluster text NOT NULL DEFAULT ''
);

-- The sandbox of a live merchant, and the live merchant of a sandbox: two rows for each pair, so that each is found by its key.
CREATE TABLE merchant_twins (
    merchant_id bigint PRIMARY KEY,
    twin_id bigint NOT NULL CHECK (twin_id <> merchant_id),
    paired_at timestamptz NOT NULL
);
