-- Money: the books of every merchant.

-- One posting is one row that moves an amount from one account to another: an unbalanced entry cannot be written.
-- Its key is its cause (an attempt, a completion or a refund; its kind tells which), so that nothing is posted twice. xact
-- tells a roll-up which postings can no longer be joined by one that is still in flight.
CREATE TABLE ledger_postings (
    merchant_id bigint NOT NULL,
    cause_id bigint NOT NULL,
    kind posting_kind NOT NULL,
    debit account_name NOT NULL,
    credit account_name NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    at timestamptz NOT NULL,
    xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (merchant_id, cause_id, kind),
    CONSTRAINT ledger_postings_two_accounts CHECK (debit <> credit)
);
CREATE INDEX ledger_postings_tail ON ledger_postings (merchant_id, xact);
CREATE INDEX ledger_postings_owed_back ON ledger_postings (merchant_id, cause_id) WHERE credit = 'owed_back';
CREATE TRIGGER ledger_postings_append_only BEFORE UPDATE OR DELETE ON ledger_postings
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_postings_no_truncate BEFORE TRUNCATE ON ledger_postings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Balances are never updated on the hot path: a roll-up sums every posting of transactions before `through` into the
-- merchant's checkpoints, and a balance is the checkpoint plus the postings from `through` on.
CREATE TABLE ledger_rolls (
    merchant_id bigint PRIMARY KEY,
    through xid8 NOT NULL,
    rolled_at timestamptz NOT NULL
);

CREATE TABLE ledger_checkpoints (
    merchant_id bigint NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    debit_paise numeric(24, 0) NOT NULL CHECK (debit_paise >= 0),
    credit_paise numeric(24, 0) NOT NULL CHECK (credit_paise >= 0),
    PRIMARY KEY (merchant_id, account, currency)
);
