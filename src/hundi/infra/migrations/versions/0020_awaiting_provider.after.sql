-- The payouts that alarms count.
DROP INDEX CONCURRENTLY IF EXISTS payouts_alarming;
CREATE INDEX CONCURRENTLY payouts_alarming ON payouts (state)
    WHERE state IN ('awaiting_balance', 'awaiting_provider', 'paid_twice');
DROP INDEX CONCURRENTLY IF EXISTS payouts_odd;
