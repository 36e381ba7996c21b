-- The kinds of postings by which money reaches merchants.
--
-- The new list holds the old one, so no row that is there has to be read again.

ALTER DOMAIN posting_kind DROP CONSTRAINT posting_kind_check;
ALTER DOMAIN posting_kind ADD CONSTRAINT posting_kind_check CHECK (VALUE IN (
    'payment', 'overpaid', 'late_refund_due', 'capture', 'refund_begun', 'refund_done', 'refund_failed',
    'review_held', 'review_released', 'review_rejected',
    'settlement_fee', 'settlement_tax', 'reserve_held', 'reserve_released', 'share_due',
    'payout_sent', 'payout_done', 'payout_returned', 'payout_reversed',
    'handed_over', 'acquirer_fee', 'correction',
    'dispute_held', 'dispute_won', 'dispute_lost', 'dispute_fee', 'dispute_tax')) NOT VALID;
