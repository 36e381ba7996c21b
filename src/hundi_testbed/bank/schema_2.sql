-- What came after schema.sql was released: payouts, disputes, statements. A database that has the first gets this one as well.

ALTER DOMAIN entry_kind DROP CONSTRAINT entry_kind_check;
ALTER DOMAIN entry_kind ADD CONSTRAINT entry_kind_check CHECK (VALUE IN ('debit', 'refund', 'void', 'capture', 'authorise',
    'payout', 'chargeback'));

-- Money that the gateway pays out: one row a reference of the gateway's. due_at: when its status changes by itself.
CREATE TABLE payouts (
    reference    our_reference PRIMARY KEY,
    amount_paise paise_above_zero NOT NULL,
    rail         text NOT NULL CHECK (rail IN ('imps', 'neft', 'rtgs')),
    account      text NOT NULL,
    ifsc         text NOT NULL,
    holder       text NOT NULL,
    batch        text NOT NULL DEFAULT '',
    status       text NOT NULL CHECK (status IN ('pending', 'done', 'declined', 'returned')),
    code         text NOT NULL,
    message      text NOT NULL,
    utr          text NOT NULL,
    rrn          rrn_digits NOT NULL UNIQUE,
    at           timestamptz NOT NULL,
    due_at       timestamptz
);
CREATE INDEX payouts_due ON payouts (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX payouts_of_batch ON payouts (batch, reference) WHERE batch <> '';

-- Payments that customers' banks want back: one row a phase of a dispute (case_no). takes_paise: what the bank takes once its
-- decision is due, NULL while that is open. answer: the gateway's key of the merchant's answer. due_at: when the phase ends by
-- itself, unanswered or decided.
CREATE TABLE disputes (
    case_no        text        NOT NULL,
    phase          text        NOT NULL CHECK (phase IN ('retrieval', 'chargeback', 'pre_arbitration', 'arbitration')),
    original       our_reference NOT NULL REFERENCES payments,
    amount_paise   paise_above_zero NOT NULL,
    currency       currency_name NOT NULL,
    reason         text        NOT NULL,
    standing       text        NOT NULL CHECK (standing IN ('open', 'under_review', 'won', 'lost', 'closed')),
    opened_at      timestamptz NOT NULL,
    changed_at     timestamptz NOT NULL,
    respond_by     timestamptz NOT NULL,
    answer         text        NOT NULL DEFAULT '',
    accepted_paise bigint      NOT NULL DEFAULT 0,
    takes_paise    bigint,
    taken_paise    bigint      NOT NULL DEFAULT 0 CHECK (taken_paise BETWEEN 0 AND amount_paise),
    rrn            rrn_or_none NOT NULL DEFAULT '',
    due_at         timestamptz,
    PRIMARY KEY (case_no, phase)
);
CREATE INDEX disputes_of_debit ON disputes (original);
CREATE INDEX disputes_due ON disputes (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE dispute_evidence (
    case_no    text NOT NULL,
    phase      text NOT NULL,
    evidence   text NOT NULL,
    media_type text NOT NULL,
    size_bytes int  NOT NULL,
    digest     text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
    PRIMARY KEY (case_no, phase, evidence),
    FOREIGN KEY (case_no, phase) REFERENCES disputes
);

-- What statements are wrong about on purpose.
CREATE TABLE statement_mistakes (
    day       date NOT NULL,
    reference our_reference NOT NULL,
    mistake   text NOT NULL CHECK (mistake IN ('missing', 'late', 'extra', 'other_amount', 'other_fee', 'doubled')),
    PRIMARY KEY (day, reference)
);
