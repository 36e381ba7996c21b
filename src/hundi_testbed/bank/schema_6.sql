-- What came after schema_5.sql was released: payouts that wait, are deemed, or are paid after a refusal, and a balance. A
-- database that has the first five gets this one as well.

ALTER TABLE payouts DROP CONSTRAINT payouts_status_check;
ALTER TABLE payouts ADD CONSTRAINT payouts_status_check CHECK (status IN ('pending', 'approval', 'queued', 'processing',
    'deemed', 'done', 'declined', 'returned'));

-- The account that payouts leave from, one row at most; without it there is always enough.
CREATE TABLE payout_purse (
    one            boolean PRIMARY KEY DEFAULT true CHECK (one),
    available_paise bigint NOT NULL CHECK (available_paise >= 0)
);
