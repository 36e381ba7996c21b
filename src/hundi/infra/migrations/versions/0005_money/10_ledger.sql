-- The books of every merchant, and the chain that seals them (decision 0017).

CREATE DOMAIN posting_kind AS text CHECK (VALUE IN (
    'payment', 'overpaid', 'late_refund_due', 'capture', 'refund_begun', 'refund_done', 'refund_failed',
    'refund_reversed', 'review_held', 'review_released', 'review_rejected', 'settlement_fee',
    'settlement_tax', 'reserve_held', 'reserve_released', 'share_due', 'payout_sent', 'payout_done',
    'payout_returned', 'payout_reversed', 'handed_over', 'acquirer_fee', 'correction', 'dispute_held',
    'dispute_won', 'dispute_lost', 'dispute_fee', 'dispute_tax'));

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
-- cluster: whose transactions `through` counts; '' before the first roll-up.
CREATE TABLE ledger_rolls (
    merchant_id bigint PRIMARY KEY,
    through xid8 NOT NULL,
    rolled_at timestamptz NOT NULL,
    cluster text NOT NULL DEFAULT ''
);

CREATE TABLE ledger_checkpoints (
    merchant_id bigint NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    debit_paise numeric(24, 0) NOT NULL CHECK (debit_paise >= 0),
    credit_paise numeric(24, 0) NOT NULL CHECK (credit_paise >= 0),
    PRIMARY KEY (merchant_id, account, currency)
);

-- Adds a merchant's new postings to its checkpoints, and returns how many. Every transaction before a snapshot's xmin
-- has ended, so no posting ever comes below the mark; each statement after the first has a snapshot from after the lock.
-- What another cluster counted (a restore, a merchant that was moved to another node) is forgotten first.
-- Who counts anew begins with what is in the archive.
CREATE FUNCTION roll_up(owner bigint, at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    here text;
    old_mark xid8;
    new_mark xid8;
    side record;
    rolled bigint := 0;
BEGIN
    INSERT INTO ledger_rolls (merchant_id, through, rolled_at, cluster) VALUES (owner, '0', at, '')
    ON CONFLICT (merchant_id) DO UPDATE SET rolled_at = excluded.rolled_at;
    SELECT this_home(r.tableoid), CASE WHEN is_home(r.cluster, r.tableoid) THEN r.through END,
        pg_snapshot_xmin(pg_current_snapshot())
    INTO here, old_mark, new_mark FROM ledger_rolls r WHERE r.merchant_id = owner;
    IF old_mark IS NULL OR old_mark > new_mark THEN
        DELETE FROM ledger_checkpoints WHERE merchant_id = owner;
        INSERT INTO ledger_checkpoints (merchant_id, account, currency, debit_paise, credit_paise)
        SELECT owner, account, currency, debit_paise, credit_paise FROM archived_sums WHERE merchant_id = owner;
        old_mark := '0';
    END IF;
    FOR side IN
        SELECT s.account, s.currency, sum(s.debited) AS debited, sum(s.credited) AS credited, sum(s.postings) AS postings
        FROM (
            SELECT debit AS account, currency, sum(amount_paise) AS debited, 0 AS credited, count(*) AS postings
            FROM ledger_postings WHERE merchant_id = owner AND xact >= old_mark AND xact < new_mark
            GROUP BY debit, currency
            UNION ALL
            SELECT credit, currency, 0, sum(amount_paise), 0
            FROM ledger_postings WHERE merchant_id = owner AND xact >= old_mark AND xact < new_mark
            GROUP BY credit, currency
        ) AS s
        GROUP BY s.account, s.currency
    LOOP
        INSERT INTO ledger_checkpoints AS c (merchant_id, account, currency, debit_paise, credit_paise)
        VALUES (owner, side.account, side.currency, side.debited, side.credited)
        ON CONFLICT (merchant_id, account, currency) DO UPDATE
        SET debit_paise = c.debit_paise + excluded.debit_paise, credit_paise = c.credit_paise + excluded.credit_paise;
        rolled := rolled + side.postings;
    END LOOP;
    UPDATE ledger_rolls SET through = new_mark, cluster = here WHERE merchant_id = owner;
    RETURN rolled;
END $$;

-- A digest (SHA-256) of one row as it was when it was sealed. book: `events` or `postings`. id: the payment of an event,
-- or the cause of a posting. part: which row of that id, such as the number of an event.
CREATE TABLE chain_links (
    merchant_id bigint NOT NULL,
    book text NOT NULL,
    id bigint NOT NULL,
    part text NOT NULL,
    block_no ordinal NOT NULL,
    digest sha256_digest NOT NULL,
    PRIMARY KEY (merchant_id, book, id, part)
);
CREATE INDEX chain_links_of_block ON chain_links (merchant_id, book, block_no);
CREATE TRIGGER chain_links_append_only BEFORE UPDATE OR DELETE ON chain_links
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chain_links_no_truncate BEFORE TRUNCATE ON chain_links
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- hash: over the links of the block, over what else the row says, and over the hash of the block before. upto_xact,
-- upto_id: the last row that was looked at, in the order of transactions; everything up to it is sealed. cluster: the
-- identifier of the database cluster that counted these transactions. day: the Indian business day whose root covers the
-- block.
CREATE TABLE chain_blocks (
    merchant_id bigint NOT NULL,
    book text NOT NULL,
    block_no ordinal NOT NULL,
    links times NOT NULL,
    upto_xact xid8 NOT NULL,
    upto_id bigint NOT NULL,
    cluster text NOT NULL,
    day date NOT NULL,
    hash sha256_digest NOT NULL,
    sealed_at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, book, block_no)
);
CREATE TRIGGER chain_blocks_append_only BEFORE UPDATE OR DELETE ON chain_blocks
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chain_blocks_no_truncate BEFORE TRUNCATE ON chain_blocks
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- heads: how many newest blocks the root covers. signature: Ed25519, by the key of signing_keys for `books`. certificate:
-- of that key (X.509, DER), so that whoever checks the root needs to read no key.
CREATE TABLE chain_roots (
    day date PRIMARY KEY,
    root sha256_digest NOT NULL,
    heads times NOT NULL,
    signature bytea NOT NULL,
    certificate bytea NOT NULL,
    made_at timestamptz NOT NULL
);
CREATE TRIGGER chain_roots_append_only BEFORE UPDATE OR DELETE ON chain_roots
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chain_roots_no_truncate BEFORE TRUNCATE ON chain_roots
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
