-- The chain: what a merchant's books said, sealed in blocks, and a signed root of all of them for each business day.

-- A digest (SHA-256) of one row as it was when it was sealed. book: `events` or `postings`. id: the payment of an event,
-- or the cause of a posting. part: which row of that id, such as the number of an event.
CREATE TABLE IF NOT EXISTS chain_links (
    merchant_id bigint NOT NULL,
    book text NOT NULL,
    id bigint NOT NULL,
    part text NOT NULL,
    block_no ordinal NOT NULL,
    digest sha256_digest NOT NULL,
    PRIMARY KEY (merchant_id, book, id, part)
);
CREATE INDEX IF NOT EXISTS chain_links_of_block ON chain_links (merchant_id, book, block_no);

-- hash: over the links of the block, over what else the row says, and over the hash of the block before. upto_xact,
-- upto_id: the last row that was looked at, in the order of transactions; everything up to it is sealed. cluster: the
-- identifier of the database cluster that counted these transactions. day: the Indian business day whose root covers the
-- block.
CREATE TABLE IF NOT EXISTS chain_blocks (
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

-- heads: how many newest blocks the root covers. signature: Ed25519, by the key of signing_keys for `books`. certificate:
-- of that key (X.509, DER), so that whoever checks the root needs to read no key.
CREATE TABLE IF NOT EXISTS chain_roots (
    day date PRIMARY KEY,
    root sha256_digest NOT NULL,
    heads times NOT NULL,
    signature bytea NOT NULL,
    certificate bytea NOT NULL,
    made_at timestamptz NOT NULL
);

CREATE OR REPLACE TRIGGER chain_links_append_only BEFORE UPDATE OR DELETE ON chain_links
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER chain_links_no_truncate BEFORE TRUNCATE ON chain_links
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER chain_blocks_append_only BEFORE UPDATE OR DELETE ON chain_blocks
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER chain_blocks_no_truncate BEFORE TRUNCATE ON chain_blocks
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER chain_roots_append_only BEFORE UPDATE OR DELETE ON chain_roots
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER chain_roots_no_truncate BEFORE TRUNCATE ON chain_roots
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- As ledger_postings.xact. First a constant, which writes no row: what was there before is of transaction 0. The default
-- of new rows is set after it; so the table is locked for a moment only.
ALTER TABLE payment_events ADD COLUMN IF NOT EXISTS xact xid8 NOT NULL DEFAULT '0';
ALTER TABLE payment_events ALTER COLUMN xact SET DEFAULT pg_current_xact_id();
