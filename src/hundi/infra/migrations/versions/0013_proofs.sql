-- What a merchant got twice is taken off its next settlement, and what providers take for payouts is posted.
ALTER DOMAIN posting_kind DROP CONSTRAINT posting_kind_check;
ALTER DOMAIN posting_kind ADD CONSTRAINT posting_kind_check CHECK (VALUE IN (
    'payment', 'overpaid', 'late_refund_due', 'capture', 'refund_begun', 'refund_done', 'refund_failed',
    'refund_reversed', 'review_held', 'review_released', 'review_rejected', 'settlement_fee',
    'settlement_tax', 'reserve_held', 'reserve_released', 'share_due', 'payout_sent', 'payout_done',
    'payout_returned', 'payout_reversed', 'payout_late', 'payout_twice', 'payout_recovered',
    'payout_recovered_back', 'payout_fee', 'payout_fee_back', 'direct_begun', 'direct_reduced',
    'direct_done', 'direct_returned', 'direct_reversed', 'check_cost', 'handed_over', 'acquirer_fee',
    'correction', 'dispute_held', 'dispute_won', 'dispute_lost', 'dispute_fee', 'dispute_tax')) NOT VALID;

-- What a provider took for a payout, or gave back. kind: of the posting. fee_paise: with tax. tax_paise: the part that is tax.
CREATE TABLE payout_fees (
    merchant_id bigint NOT NULL,
    payout_id gateway_id NOT NULL,
    kind posting_kind NOT NULL CHECK (kind = 'payout_fee' OR kind = 'payout_fee_back'),
    connector text NOT NULL,
    fee_paise bigint NOT NULL CHECK (fee_paise > 0),
    tax_paise bigint NOT NULL CHECK (tax_paise >= 0 AND tax_paise <= fee_paise),
    at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, payout_id, kind),
    FOREIGN KEY (merchant_id, payout_id) REFERENCES payouts
);
CREATE INDEX payout_fees_at ON payout_fees (at);
CREATE TRIGGER payout_fees_append_only BEFORE UPDATE OR DELETE ON payout_fees
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- asked_of: the provider that has the check of an account, or may have it. hastened_at: when a webhook last brought the
-- next call forward.
ALTER TABLE bank_accounts ADD COLUMN asked_of text NOT NULL DEFAULT '';
ALTER TABLE bank_accounts ADD COLUMN hastened_at timestamptz;

-- A webhook that comes again and again causes one call in five seconds.
CREATE OR REPLACE FUNCTION hasten_check(owner bigint, number bigint, at timestamptz)
RETURNS boolean LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    UPDATE bank_accounts SET due_at = greatest(at, to_timestamp(extract(epoch FROM hastened_at) + 5)),
        hastened_at = greatest(at, to_timestamp(extract(epoch FROM hastened_at) + 5))
    WHERE merchant_id = owner AND check_id = number AND state = 'unverified' AND replaced_at IS NULL
        AND due_at > greatest(at, to_timestamp(extract(epoch FROM hastened_at) + 5))
    RETURNING true;
$$;
