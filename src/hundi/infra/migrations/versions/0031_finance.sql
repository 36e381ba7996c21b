-- What the daily look of a worker, or a look of the console's doctor, found about certificates: one row for each probe.
CREATE TABLE certificate_looks (
    probe text PRIMARY KEY CHECK (probe ~ '^[a-z_]{1,30}$'),
    looked_at timestamptz NOT NULL,
    findings jsonb NOT NULL
);

-- Which columns of a file layout mean what, as somebody chose them: proposed for the next file with the same first row of an
-- acquirer or of our own bank account. Versions stay, so that it can be seen who changed what.
CREATE TABLE statement_mappings (
    connector text NOT NULL CHECK (length(connector) <= 60),
    layout sha256_digest NOT NULL,
    version_no ordinal NOT NULL,
    mapping jsonb NOT NULL,
    chosen_by text NOT NULL CHECK (length(chosen_by) BETWEEN 1 AND 254),
    chosen_at timestamptz NOT NULL,
    PRIMARY KEY (connector, layout, version_no)
);

-- The hours of hour_tallies summed by Indian days: charts of many days read these.
CREATE TABLE day_tallies (
    merchant_id bigint NOT NULL,
    day date NOT NULL,
    what text NOT NULL CHECK (what IN ('payment', 'attempt', 'refund')),
    method text NOT NULL,
    bank text NOT NULL,
    connector text NOT NULL,
    state text NOT NULL,
    code text NOT NULL,
    number bigint NOT NULL CHECK (number > 0),
    paise bigint NOT NULL CHECK (paise >= 0),
    bank_name text NOT NULL,
    words text NOT NULL,
    PRIMARY KEY (merchant_id, day, what, method, bank, connector, state, code)
);

-- Up to where a merchant's days are summed: the mark up to which its hours are counted, as a text. Where it is another, a worker of the
-- version before counted hours, and charts read no days until they are summed anew. A merchant that nothing is counted of has none to sum.
ALTER TABLE tally_marks ADD COLUMN days_upto text NOT NULL DEFAULT '0,-1,';

-- mark: over the statement and how it is read, by a key that the database does not have: an import that nobody asked for is refused.
ALTER TABLE statement_uploads ADD COLUMN mark bytea;
