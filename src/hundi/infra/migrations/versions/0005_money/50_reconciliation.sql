-- Reconciliation (decision 0032): what acquirers and our bank state, held beside the books.

-- Each file once, by the SHA-256 of its bytes. connector: '' for our own bank account. Its lines are numbered from
-- file_id + 1 on.
CREATE TABLE statement_files (
    file_id       bigint      NOT NULL PRIMARY KEY,
    sha256        sha256_digest NOT NULL UNIQUE,
    connector     text        NOT NULL,
    format        text        NOT NULL CHECK (format IN ('camt053', 'mt940', 'csv')),
    name          text        NOT NULL,
    account       text        NOT NULL,
    statement     text        NOT NULL,
    opening_paise bigint,
    closing_paise bigint,
    lines         times       NOT NULL,
    net_paise     bigint      NOT NULL,
    first_day     date,
    last_day      date,
    -- Whose lines it has; 0 stands for lines of nobody.
    merchants     bigint[]    NOT NULL,
    imported_by   text        NOT NULL,
    imported_at   timestamptz NOT NULL,
    CHECK (opening_paise + net_paise = closing_paise),
    EXCLUDE USING gist (int8range(file_id, file_id + lines + 1) WITH &&)
);
CREATE TRIGGER statement_files_stay BEFORE DELETE OR UPDATE ON statement_files FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- What was done with a file, each once: its lines matched, a hand-over's money posted.
CREATE TABLE statement_steps (
    file_id bigint      NOT NULL,
    step    text        NOT NULL CHECK (step IN ('matched', 'handed_over')),
    utr     text        NOT NULL,
    at      timestamptz NOT NULL,
    PRIMARY KEY (file_id, step, utr)
);
CREATE TRIGGER statement_steps_stay BEFORE DELETE OR UPDATE ON statement_steps FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- What an acquirer's file says it handed over with one transfer: the sum of its lines of all merchants.
CREATE TABLE statement_handovers (
    connector text   NOT NULL,
    utr       text   NOT NULL,
    file_id   bigint NOT NULL,
    lines     times  NOT NULL,
    net_paise bigint NOT NULL,
    PRIMARY KEY (connector, utr, file_id)
);
CREATE INDEX statement_handovers_by_utr ON statement_handovers (utr);
CREATE TRIGGER statement_handovers_stay BEFORE DELETE OR UPDATE ON statement_handovers FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Lines of our own bank account; paise below zero went out.
CREATE TABLE account_lines (
    line_id   bigint NOT NULL PRIMARY KEY,
    account   text   NOT NULL,
    day       date   NOT NULL,
    utr       text   NOT NULL,
    net_paise bigint NOT NULL
);
CREATE INDEX account_lines_by_utr ON account_lines (utr) WHERE utr <> '';
CREATE TRIGGER account_lines_stay BEFORE DELETE OR UPDATE ON account_lines FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- What an acquirer agreed on, each version once: its account, its fees, how its CSV is read.
CREATE TABLE acquirer_terms (
    connector text        NOT NULL,
    version   ordinal     NOT NULL,
    document  jsonb       NOT NULL,
    set_by    text        NOT NULL,
    set_at    timestamptz NOT NULL,
    PRIMARY KEY (connector, version)
);
CREATE TRIGGER acquirer_terms_stay BEFORE DELETE OR UPDATE ON acquirer_terms FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Lines of acquirers' statements. merchant_id 0: of nobody that the reference or RRN names. cause_id: the attempt or
-- refund, or 0; of a chargeback the attempt that was disputed.
CREATE TABLE statement_lines (
    merchant_id bigint NOT NULL,
    line_id     bigint NOT NULL,
    file_id     bigint NOT NULL,
    connector   text   NOT NULL,
    kind        text   NOT NULL CHECK (kind IN ('payment', 'refund', 'chargeback', 'handover', 'other')),
    is_credit   boolean NOT NULL,
    gross_paise paise_above_zero NOT NULL,
    fee_paise   paise  NOT NULL,
    net_paise   paise  NOT NULL,
    cause_id    bigint NOT NULL,
    reference   text   NOT NULL,
    rrn         text   NOT NULL,
    utr         text   NOT NULL,
    day         date   NOT NULL,
    PRIMARY KEY (merchant_id, line_id)
);
CREATE TRIGGER statement_lines_stay BEFORE DELETE OR UPDATE ON statement_lines FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Which payment, refund or phase of a dispute a line is of: each has one line, and each line one of them.
CREATE TABLE statement_matches (
    merchant_id bigint NOT NULL,
    line_id     bigint NOT NULL,
    kind        text   NOT NULL CHECK (kind IN ('payment', 'refund', 'refund_reversed', 'chargeback')),
    cause_id    bigint NOT NULL,
    class       text   NOT NULL CHECK (class IN ('matched', 'late', 'fee_differs', 'amount_differs')),
    PRIMARY KEY (merchant_id, line_id)
);
CREATE UNIQUE INDEX statement_matches_one ON statement_matches (merchant_id, cause_id, kind);
CREATE TRIGGER statement_matches_stay BEFORE DELETE OR UPDATE ON statement_matches FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- What is left to people: of a line its number, of a payment or refund without a line the attempt's or refund's.
CREATE TABLE reconciliation_items (
    merchant_id bigint NOT NULL,
    item_id     bigint NOT NULL,
    class       text   NOT NULL CHECK (class IN ('missing_here', 'missing_there', 'amount_differs', 'fee_differs', 'duplicate')),
    connector   text   NOT NULL,
    cause_id    bigint NOT NULL,
    ours_paise  paise  NOT NULL,
    theirs_paise paise NOT NULL,
    opened_at   timestamptz NOT NULL,
    state       text   NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'resolved')),
    -- By which rule, or by which proposal.
    resolution  text   NOT NULL DEFAULT '',
    resolved_at timestamptz,
    PRIMARY KEY (merchant_id, item_id),
    CHECK ((state = 'resolved') = (resolved_at IS NOT NULL) AND (state = 'resolved') = (resolution <> ''))
);
CREATE INDEX reconciliation_items_open ON reconciliation_items (merchant_id, item_id) WHERE state = 'open';

-- A posting that one person proposes and another decides about. owner_id: whose item it is of, 0 for a line of nobody.
CREATE TABLE reconciliation_proposals (
    merchant_id  bigint NOT NULL,
    proposal_id  gateway_id NOT NULL,
    owner_id     bigint NOT NULL,
    item_id      bigint NOT NULL,
    debit        account_name NOT NULL,
    credit       account_name NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    reason       text NOT NULL CHECK (reason <> ''),
    proposed_by  text NOT NULL CHECK (proposed_by <> ''),
    proposed_at  timestamptz NOT NULL,
    decision     text CHECK (decision IN ('approved', 'refused')),
    decided_by   text CHECK (decided_by <> ''),
    decided_at   timestamptz,
    PRIMARY KEY (merchant_id, proposal_id),
    CHECK (debit <> credit),
    CONSTRAINT reconciliation_two_people CHECK (person_key(decided_by) <> person_key(proposed_by)
        AND person_key(decided_by) <> '' AND person_key(proposed_by) <> ''),
    CHECK ((decision IS NULL) = (decided_by IS NULL) AND (decision IS NULL) = (decided_at IS NULL))
);
CREATE INDEX reconciliation_proposals_of_item ON reconciliation_proposals (merchant_id, owner_id, item_id);

-- When a worker fetches the settlement reports of each acquirer next, and how the last time went (decision 0062).
-- wanted_at: since when a run is wanted; it stays while tries fail. due_at: of the next try, or the end of a run's lease.
-- last_day: up to which all days were fetched. error: why the last try failed, '' when it did not.
CREATE TABLE report_fetches (
    connector text PRIMARY KEY CHECK (length(connector) BETWEEN 1 AND 63),
    wanted_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    error text NOT NULL DEFAULT '' CHECK (length(error) <= 300),
    last_day date,
    fetched_at timestamptz,
    CHECK ((failures = 0) = (error = ''))
);
