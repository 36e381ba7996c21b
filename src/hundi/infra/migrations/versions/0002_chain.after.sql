DROP INDEX CONCURRENTLY IF EXISTS payment_events_in_order;
CREATE INDEX CONCURRENTLY payment_events_in_order ON payment_events (merchant_id, xact, payment_id);
