-- A payout that was paid although another one of its share stands is none of those that stand.
DROP INDEX CONCURRENTLY IF EXISTS payouts_one_standing;
CREATE UNIQUE INDEX CONCURRENTLY payouts_one_standing ON payouts (merchant_id, share_id)
    WHERE state NOT IN ('refused', 'returned', 'reversed', 'held_back', 'paid_twice');
DROP INDEX CONCURRENTLY IF EXISTS payouts_one_of_share;
DROP INDEX CONCURRENTLY IF EXISTS payouts_sent_by;
CREATE INDEX CONCURRENTLY payouts_sent_by ON payouts (sent_by, sent_at) WHERE sent_by <> '';
DROP INDEX CONCURRENTLY IF EXISTS payouts_odd;
CREATE INDEX CONCURRENTLY payouts_odd ON payouts (state) WHERE state = 'awaiting_balance' OR state = 'paid_twice';
DROP INDEX CONCURRENTLY IF EXISTS payouts_awaiting_balance;
CREATE INDEX CONCURRENTLY payouts_awaiting_balance ON payouts (created_at) WHERE state = 'awaiting_balance';
