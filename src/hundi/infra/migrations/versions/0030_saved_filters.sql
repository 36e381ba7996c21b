-- Filters of the console's lists that people saved under a name, each for themselves. merchant_id: 0 at the operator's look
-- across merchants. query: the part of the list's address after the question mark.
CREATE TABLE saved_filters (
    merchant_id bigint NOT NULL CHECK (merchant_id >= 0),
    person_id gateway_id NOT NULL,
    list_name text NOT NULL CHECK (list_name ~ '^[a-z]{1,30}(-[a-z]{1,30})?$'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 40),
    query text NOT NULL CHECK (length(query) BETWEEN 1 AND 500),
    saved_at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, person_id, list_name, name)
);
