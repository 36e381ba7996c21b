-- Payouts: bank accounts of merchants and linked accounts, and what is paid out to them (decision 0031).

CREATE DOMAIN bank_account_state AS text CHECK (VALUE IN ('unverified', 'verified', 'name_differs', 'refused'));
CREATE DOMAIN payout_state AS text CHECK (VALUE IN ('prepared', 'proposed', 'approved', 'sent', 'unknown', 'done',
    'refused', 'returned', 'reversed', 'held_back'));
CREATE DOMAIN payout_rail AS text CHECK (VALUE IN ('imps', 'neft', 'rtgs'));
CREATE DOMAIN payout_channel AS text CHECK (VALUE IN ('api', 'file'));

-- Who released a payout, of which amount and to which version of the account: two people, by the key. Only the role of an
-- operator's commands writes here: the worker sends what was approved, and cannot approve.
CREATE TABLE payout_approvals (
    merchant_id bigint NOT NULL,
    payout_id gateway_id NOT NULL,
    person_key text NOT NULL,
    person text NOT NULL CHECK (length(person) BETWEEN 1 AND 64),
    amount_paise paise_above_zero NOT NULL,
    account_no ordinal NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, payout_id, person_key),
    UNIQUE (merchant_id, payout_id, person, amount_paise, account_no),
    CONSTRAINT payout_approvals_key CHECK (person_key = person_key(person) AND person_key <> '')
);
CREATE TRIGGER payout_approvals_append_only BEFORE UPDATE OR DELETE ON payout_approvals
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Who let a name that differs pass. Only the role of an operator's commands writes here.
CREATE TABLE accepted_names (
    merchant_id bigint NOT NULL,
    beneficiary order_reference NOT NULL,
    account_no ordinal NOT NULL,
    person text NOT NULL CHECK (length(person) BETWEEN 1 AND 64),
    at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, beneficiary, account_no, person)
);
CREATE TRIGGER accepted_names_append_only BEFORE UPDATE OR DELETE ON accepted_names
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Versions of a beneficiary's account: 'primary' is the merchant's own, others are linked accounts. A changed account is
-- another row; the one before is marked as replaced. fingerprint: keyed hash of number and IFSC. check_id: our key of the
-- check at its bank. registered_name: what the bank said. accepted_by: who let a name that differs pass.
-- accepted_named: has a row of accepted_names; nobody, where the column is null.
CREATE TABLE bank_accounts (
    merchant_id bigint NOT NULL REFERENCES merchants,
    beneficiary order_reference NOT NULL,
    account_no ordinal NOT NULL,
    holder text NOT NULL CHECK (length(holder) BETWEEN 1 AND 100),
    sealed_number bytea NOT NULL,
    last4 text NOT NULL CHECK (last4 ~ '^[0-9A-Z]{4}$'),
    fingerprint sha256_digest NOT NULL,
    ifsc text NOT NULL CHECK (ifsc ~ '^[A-Z]{4}0[A-Z0-9]{6}$'),
    added_by text NOT NULL CHECK (length(added_by) BETWEEN 1 AND 64),
    added_at timestamptz NOT NULL,
    state bank_account_state NOT NULL,
    check_id gateway_id NOT NULL,
    registered_name text NOT NULL DEFAULT '',
    checked_at timestamptz,
    accepted_by text NOT NULL DEFAULT '',
    replaced_at timestamptz,
    due_at timestamptz,
    inquiries times NOT NULL DEFAULT 0,
    accepted_named text GENERATED ALWAYS AS (nullif(accepted_by, '')) STORED,
    PRIMARY KEY (merchant_id, beneficiary, account_no),
    UNIQUE (merchant_id, check_id),
    CONSTRAINT bank_accounts_accepted CHECK (person_key(accepted_by) <> person_key(added_by)
        AND (state <> 'unverified' OR (checked_at IS NULL AND accepted_by = ''))),
    CONSTRAINT bank_accounts_passed FOREIGN KEY (merchant_id, beneficiary, account_no, accepted_named)
        REFERENCES accepted_names (merchant_id, beneficiary, account_no, person)
);
CREATE UNIQUE INDEX bank_accounts_newest ON bank_accounts (merchant_id, beneficiary) WHERE replaced_at IS NULL;
CREATE INDEX bank_accounts_due ON bank_accounts (due_at) WHERE due_at IS NOT NULL;
CREATE TRIGGER bank_accounts_stay BEFORE DELETE ON bank_accounts FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER bank_accounts_append_only BEFORE UPDATE ON bank_accounts FOR EACH ROW
    WHEN (OLD.replaced_at IS NOT NULL AND NEW.sealed_number = OLD.sealed_number AND NEW.due_at IS NOT NULL
        OR OLD.state = 'verified' AND NEW.state <> 'verified'
        OR OLD.replaced_at IS NOT NULL AND NEW.replaced_at IS DISTINCT FROM OLD.replaced_at
        OR (OLD.merchant_id, OLD.beneficiary, OLD.account_no, OLD.holder, OLD.last4, OLD.fingerprint, OLD.ifsc,
            OLD.added_by, OLD.added_at) IS DISTINCT FROM (NEW.merchant_id, NEW.beneficiary, NEW.account_no, NEW.holder,
            NEW.last4, NEW.fingerprint, NEW.ifsc, NEW.added_by, NEW.added_at))
    EXECUTE FUNCTION refuse_change();
-- A name that differs passes by a person alone; checked anew, its bank is asked again.
CREATE TRIGGER bank_accounts_pass BEFORE UPDATE ON bank_accounts FOR EACH ROW
    WHEN (OLD.state = 'name_differs' AND NEW.state = 'verified' AND NEW.accepted_by = '')
    EXECUTE FUNCTION refuse_change();

-- A file of payouts for the operator's bank; which payouts are in it is said by them.
CREATE TABLE payout_batches (
    batch_id gateway_id PRIMARY KEY,
    format text NOT NULL,
    connector text NOT NULL,
    made_by text NOT NULL,
    made_at timestamptz NOT NULL
);
CREATE TRIGGER payout_batches_append_only BEFORE UPDATE OR DELETE ON payout_batches
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- One try at paying a settlement's share out. source: the ledger account that owes it. account_no: of the beneficiary's
-- bank account. maker, checker: who released it, two people. revision: of its newest event.
-- maker_named, checker_named: whoever is named as having released has an approval; nobody, where the column is null.
CREATE TABLE payouts (
    merchant_id bigint NOT NULL,
    payout_id gateway_id NOT NULL,
    share_id gateway_id NOT NULL,
    try_no ordinal NOT NULL,
    beneficiary order_reference NOT NULL,
    account_no ordinal NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    source account_name NOT NULL,
    state payout_state NOT NULL,
    channel payout_channel NOT NULL,
    rail payout_rail NOT NULL,
    connector text NOT NULL,
    created_at timestamptz NOT NULL,
    maker text NOT NULL DEFAULT '',
    checker text NOT NULL DEFAULT '',
    batch_id bigint,
    utr text NOT NULL DEFAULT '',
    bank_code text NOT NULL DEFAULT '',
    bank_message text NOT NULL DEFAULT '',
    sent_at timestamptz,
    settled_at timestamptz,
    due_at timestamptz,
    inquiries times NOT NULL DEFAULT 0,
    revision times NOT NULL DEFAULT 0,
    maker_named text GENERATED ALWAYS AS (nullif(maker, '')) STORED,
    checker_named text GENERATED ALWAYS AS (nullif(checker, '')) STORED,
    PRIMARY KEY (merchant_id, payout_id),
    UNIQUE (merchant_id, share_id, try_no),
    FOREIGN KEY (merchant_id, share_id) REFERENCES settlement_shares,
    FOREIGN KEY (merchant_id, beneficiary, account_no) REFERENCES bank_accounts,
    CONSTRAINT payouts_two_people CHECK ((person_key(maker) <> person_key(checker) OR maker = '')
        AND (state IN ('prepared', 'held_back') OR maker <> '')
        AND (state IN ('prepared', 'proposed', 'held_back') OR checker <> '')),
    CONSTRAINT payouts_sent CHECK (sent_at IS NOT NULL OR state IN ('prepared', 'proposed', 'approved', 'held_back')),
    CONSTRAINT payouts_done CHECK (utr <> '' OR state NOT IN ('done', 'reversed')),
    CONSTRAINT payouts_made FOREIGN KEY (merchant_id, payout_id, maker_named, amount_paise, account_no)
        REFERENCES payout_approvals (merchant_id, payout_id, person, amount_paise, account_no),
    CONSTRAINT payouts_checked FOREIGN KEY (merchant_id, payout_id, checker_named, amount_paise, account_no)
        REFERENCES payout_approvals (merchant_id, payout_id, person, amount_paise, account_no)
);
CREATE UNIQUE INDEX payouts_one_of_share ON payouts (merchant_id, share_id)
    WHERE state NOT IN ('refused', 'returned', 'reversed', 'held_back');
CREATE INDEX payouts_due ON payouts (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX payouts_waiting ON payouts (merchant_id, created_at) WHERE state IN ('prepared', 'proposed', 'approved');
CREATE INDEX payouts_of_batch ON payouts (batch_id) WHERE batch_id IS NOT NULL;

-- What happened to a payout, in order. actor: a person's name, `gateway` or `bank`. note: in words.
CREATE TABLE payout_events (
    merchant_id bigint NOT NULL,
    payout_id gateway_id NOT NULL,
    event_no ordinal NOT NULL,
    at timestamptz NOT NULL,
    state payout_state NOT NULL,
    actor text NOT NULL CHECK (length(actor) BETWEEN 1 AND 64),
    note text NOT NULL,
    PRIMARY KEY (merchant_id, payout_id, event_no),
    FOREIGN KEY (merchant_id, payout_id) REFERENCES payouts
);
CREATE TRIGGER payout_events_append_only BEFORE UPDATE OR DELETE ON payout_events
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE FUNCTION refuse_wrong_payout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (OLD.merchant_id, OLD.payout_id, OLD.share_id, OLD.try_no, OLD.beneficiary, OLD.account_no,
            OLD.amount_paise, OLD.source, OLD.connector, OLD.created_at) IS DISTINCT FROM
            (NEW.merchant_id, NEW.payout_id, NEW.share_id, NEW.try_no, NEW.beneficiary, NEW.account_no,
            NEW.amount_paise, NEW.source, NEW.connector, NEW.created_at)
        OR OLD.maker <> '' AND NEW.maker <> OLD.maker OR OLD.checker <> '' AND NEW.checker <> OLD.checker
        OR (NEW.state <> OLD.state AND NOT (CASE OLD.state
            WHEN 'prepared' THEN NEW.state IN ('proposed', 'held_back')
            WHEN 'proposed' THEN NEW.state IN ('approved', 'held_back')
            WHEN 'approved' THEN NEW.state IN ('sent', 'held_back')
            WHEN 'sent' THEN NEW.state IN ('unknown', 'done', 'refused', 'returned')
            WHEN 'unknown' THEN NEW.state IN ('sent', 'done', 'refused', 'returned')
            WHEN 'done' THEN NEW.state = 'reversed'
            ELSE false END)) THEN
        RAISE EXCEPTION 'payout %: this change is refused in state %', OLD.payout_id, OLD.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER payouts_moves BEFORE UPDATE OR DELETE ON payouts FOR EACH ROW EXECUTE FUNCTION refuse_wrong_payout();
