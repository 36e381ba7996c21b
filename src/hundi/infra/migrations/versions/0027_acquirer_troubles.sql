-- Why the last call to each acquirer that failed did, for people who ask; it decides nothing.
CREATE TABLE acquirer_troubles (
    connector text PRIMARY KEY CHECK (length(connector) BETWEEN 1 AND 63),
    error text NOT NULL CHECK (length(error) BETWEEN 1 AND 200),
    at timestamptz NOT NULL
);
