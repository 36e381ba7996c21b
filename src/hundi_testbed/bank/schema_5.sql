-- What came after schema_4.sql was released: refunds that come back, and those of an aggregator. A database that has the first four gets
-- this one as well.

-- comes_back_at: when the customer's bank sends the money back; NULL where it keeps it, and once it was sent. reversed_at: when it was.
ALTER TABLE refunds ADD COLUMN comes_back_at timestamptz, ADD COLUMN reversed_at timestamptz;
CREATE INDEX refunds_coming_back ON refunds (comes_back_at) WHERE comes_back_at IS NOT NULL;
-- A refund at an aggregator has an id of its own, and is asked about by it.
CREATE TABLE aggregator_refunds (
    refund_id text PRIMARY KEY,
    reference text NOT NULL UNIQUE REFERENCES refunds
);
