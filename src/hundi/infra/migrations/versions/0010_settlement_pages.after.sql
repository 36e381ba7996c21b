-- Index what waits to be settled, and what was, by its settlement: merchants read that in pages.
-- Settling writes as many entries as before.
DROP INDEX CONCURRENTLY IF EXISTS settlement_items_waiting;
CREATE INDEX CONCURRENTLY settlement_items_waiting ON settlement_items (merchant_id, ready_on) WHERE settlement_id IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS settlement_items_settled;
CREATE INDEX CONCURRENTLY settlement_items_settled ON settlement_items (merchant_id, settlement_id, cause_id, kind)
    WHERE settlement_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS settlement_items_by_settlement;
