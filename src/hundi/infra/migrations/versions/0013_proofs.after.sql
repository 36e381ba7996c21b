-- Which payout has a UTR: a bank's word with that of another one is not believed.
DROP INDEX CONCURRENTLY IF EXISTS payouts_utr;
CREATE INDEX CONCURRENTLY payouts_utr ON payouts (utr) WHERE utr <> '';
DROP INDEX CONCURRENTLY IF EXISTS payouts_late_utr;
CREATE INDEX CONCURRENTLY payouts_late_utr ON payouts (late_utr) WHERE late_utr <> '';
