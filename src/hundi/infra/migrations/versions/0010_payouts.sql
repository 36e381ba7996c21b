-- Payouts as real providers play them, accounts that two people verify by papers, balances, and the plan that chooses
-- providers.

ALTER DOMAIN payout_state DROP CONSTRAINT payout_state_check;
ALTER DOMAIN payout_state ADD CONSTRAINT payout_state_check CHECK (VALUE IN ('prepared', 'proposed', 'approved',
    'awaiting_balance', 'sent', 'unknown', 'awaiting_approval', 'queued', 'processing', 'deemed', 'done', 'refused',
    'returned', 'reversed', 'held_back', 'paid_late', 'paid_twice')) NOT VALID;
ALTER DOMAIN posting_kind DROP CONSTRAINT posting_kind_check;
ALTER DOMAIN posting_kind ADD CONSTRAINT posting_kind_check CHECK (VALUE IN (
    'payment', 'overpaid', 'late_refund_due', 'capture', 'refund_begun', 'refund_done', 'refund_failed',
    'refund_reversed', 'review_held', 'review_released', 'review_rejected', 'settlement_fee',
    'settlement_tax', 'reserve_held', 'reserve_released', 'share_due', 'payout_sent', 'payout_done',
    'payout_returned', 'payout_reversed', 'payout_late', 'payout_twice', 'check_cost', 'handed_over', 'acquirer_fee',
    'correction', 'dispute_held', 'dispute_won', 'dispute_lost', 'dispute_fee', 'dispute_tax')) NOT VALID;

-- sent_by, sent_rail: the acquirer that has the payout, and on which rail; '' before, for one in a file, and for those of
-- versions before, which `connector` and `rail` have. late_utr, late_at: of one that was refused, and paid after all; its
-- refusal stays in the other columns. hastened_at: when a webhook last brought an inquiry forward.
ALTER TABLE payouts ADD COLUMN sent_by text NOT NULL DEFAULT '';
ALTER TABLE payouts ADD COLUMN sent_rail text NOT NULL DEFAULT '';
ALTER TABLE payouts ADD COLUMN late_utr text NOT NULL DEFAULT '';
ALTER TABLE payouts ADD COLUMN late_at timestamptz;
ALTER TABLE payouts ADD COLUMN hastened_at timestamptz;
ALTER TABLE payouts ADD CONSTRAINT payouts_rail CHECK (sent_rail IN ('', 'imps', 'neft', 'rtgs')) NOT VALID;
ALTER TABLE payouts DROP CONSTRAINT payouts_sent;
ALTER TABLE payouts ADD CONSTRAINT payouts_sent CHECK (sent_at IS NOT NULL
    OR state IN ('prepared', 'proposed', 'approved', 'awaiting_balance', 'held_back')) NOT VALID;
ALTER TABLE payouts DROP CONSTRAINT payouts_done;
ALTER TABLE payouts ADD CONSTRAINT payouts_done CHECK (utr <> '' OR late_utr <> '' OR state NOT IN ('done', 'reversed'))
    NOT VALID;
ALTER TABLE payouts ADD CONSTRAINT payouts_late CHECK ((late_utr <> '') = (late_at IS NOT NULL)
    AND (late_at IS NOT NULL OR state NOT IN ('paid_late', 'paid_twice'))
    AND (late_at IS NULL OR state IN ('paid_late', 'paid_twice', 'reversed'))) NOT VALID;

CREATE OR REPLACE FUNCTION refuse_wrong_payout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (OLD.merchant_id, OLD.payout_id, OLD.share_id, OLD.try_no, OLD.beneficiary, OLD.account_no,
            OLD.amount_paise, OLD.source, OLD.connector, OLD.created_at) IS DISTINCT FROM
            (NEW.merchant_id, NEW.payout_id, NEW.share_id, NEW.try_no, NEW.beneficiary, NEW.account_no,
            NEW.amount_paise, NEW.source, NEW.connector, NEW.created_at)
        OR OLD.maker <> '' AND NEW.maker <> OLD.maker OR OLD.checker <> '' AND NEW.checker <> OLD.checker
        OR (OLD.late_utr, OLD.late_at) IS DISTINCT FROM (NEW.late_utr, NEW.late_at) AND OLD.late_at IS NOT NULL
        OR (OLD.sent_by, OLD.sent_rail) IS DISTINCT FROM (NEW.sent_by, NEW.sent_rail) AND NEW.state <> 'sent'
        OR (NEW.state <> OLD.state AND NOT (CASE OLD.state
            WHEN 'prepared' THEN NEW.state IN ('proposed', 'held_back')
            WHEN 'proposed' THEN NEW.state IN ('approved', 'held_back')
            WHEN 'approved' THEN NEW.state IN ('awaiting_balance', 'sent', 'held_back')
            WHEN 'awaiting_balance' THEN NEW.state IN ('sent', 'held_back')
            WHEN 'unknown' THEN NEW.state IN ('sent', 'awaiting_approval', 'queued', 'processing', 'deemed', 'done',
                'refused', 'returned')
            WHEN 'done' THEN NEW.state = 'reversed'
            WHEN 'refused' THEN NEW.state IN ('paid_late', 'paid_twice')
            WHEN 'paid_late' THEN NEW.state = 'reversed'
            WHEN 'paid_twice' THEN NEW.state = 'reversed'
            ELSE OLD.state IN ('sent', 'awaiting_approval', 'queued', 'processing', 'deemed')
                AND NEW.state IN ('unknown', 'awaiting_approval', 'queued', 'processing', 'deemed', 'done', 'refused',
                    'returned')
            END)) THEN
        RAISE EXCEPTION 'payout %: this change is refused in state %', OLD.payout_id, OLD.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Brings the next inquiry about a payout forward to now, or to the end of a gap since the last one that was brought
-- forward. provider: who asks for it; payouts at others stay as they are. The processes that hear webhooks may change
-- nothing else of a payout.
CREATE FUNCTION hasten_payout(owner bigint, payout bigint, provider text, at timestamptz, gap_s integer)
RETURNS boolean LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    UPDATE payouts SET due_at = greatest(at, to_timestamp(extract(epoch FROM hastened_at) + gap_s)),
        hastened_at = greatest(at, to_timestamp(extract(epoch FROM hastened_at) + gap_s))
    WHERE merchant_id = owner AND payout_id = payout AND channel = 'api' AND sent_at IS NOT NULL
        AND CASE WHEN sent_by = '' THEN connector ELSE sent_by END = provider
        AND state NOT IN ('returned', 'reversed')
        AND (due_at IS NULL OR due_at > greatest(at, to_timestamp(extract(epoch FROM hastened_at) + gap_s)))
    RETURNING true;
$$;

-- The same about a check of a bank account.
CREATE FUNCTION hasten_check(owner bigint, number bigint, at timestamptz)
RETURNS boolean LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    UPDATE bank_accounts SET due_at = at
    WHERE merchant_id = owner AND check_id = number AND state = 'unverified' AND replaced_at IS NULL AND due_at > at
    RETURNING true;
$$;

-- What a provider said of a bank account, and what the check cost. score: 0 to 100, null where the provider has none.
CREATE TABLE account_checks (
    merchant_id bigint NOT NULL,
    check_id gateway_id NOT NULL,
    beneficiary order_reference NOT NULL,
    account_no ordinal NOT NULL,
    connector text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('name', 'closed', 'frozen', 'absent', 'not_payable', 'other')),
    score smallint CHECK (score BETWEEN 0 AND 100),
    code text NOT NULL,
    message text NOT NULL,
    cost_paise bigint NOT NULL CHECK (cost_paise >= 0),
    at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, check_id),
    FOREIGN KEY (merchant_id, beneficiary, account_no) REFERENCES bank_accounts,
    CHECK ((outcome = 'name') OR score IS NULL)
);
CREATE TRIGGER account_checks_append_only BEFORE UPDATE OR DELETE ON account_checks
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Papers that show whose a bank account is. The content is sealed for its row; only its seal ever changes.
CREATE TABLE account_papers (
    merchant_id bigint NOT NULL,
    paper_id gateway_id NOT NULL,
    beneficiary order_reference NOT NULL,
    account_no ordinal NOT NULL,
    kind text NOT NULL CHECK (kind IN ('cancelled_cheque', 'statement')),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    media_type text NOT NULL CHECK (media_type IN ('application/pdf', 'image/png', 'image/jpeg')),
    size_bytes ordinal NOT NULL,
    digest sha256_digest NOT NULL,
    sealed_content bytea NOT NULL,
    added_by text NOT NULL CHECK (length(added_by) BETWEEN 1 AND 64),
    added_at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, paper_id),
    UNIQUE (merchant_id, beneficiary, account_no, digest),
    FOREIGN KEY (merchant_id, beneficiary, account_no) REFERENCES bank_accounts
);
CREATE TRIGGER account_papers_stay BEFORE DELETE ON account_papers FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER account_papers_append_only BEFORE UPDATE ON account_papers FOR EACH ROW
    WHEN ((OLD.merchant_id, OLD.paper_id, OLD.beneficiary, OLD.account_no, OLD.kind, OLD.name, OLD.media_type,
        OLD.size_bytes, OLD.digest, OLD.added_by, OLD.added_at) IS DISTINCT FROM
        (NEW.merchant_id, NEW.paper_id, NEW.beneficiary, NEW.account_no, NEW.kind, NEW.name, NEW.media_type,
        NEW.size_bytes, NEW.digest, NEW.added_by, NEW.added_at))
    EXECUTE FUNCTION refuse_change();

-- An account that no provider named is verified by a person who added neither it nor any of its papers.
CREATE FUNCTION refuse_without_papers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.accepted_by = '' OR NOT EXISTS (SELECT FROM account_papers p WHERE p.merchant_id = NEW.merchant_id
            AND p.beneficiary = NEW.beneficiary AND p.account_no = NEW.account_no)
        OR EXISTS (SELECT FROM account_papers p WHERE p.merchant_id = NEW.merchant_id
            AND p.beneficiary = NEW.beneficiary AND p.account_no = NEW.account_no
            AND person_key(p.added_by) = person_key(NEW.accepted_by)) THEN
        RAISE EXCEPTION 'account %: papers, and another person who accepts them', NEW.beneficiary
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER bank_accounts_papers BEFORE UPDATE ON bank_accounts FOR EACH ROW
    WHEN (OLD.state = 'unverified' AND NEW.state = 'verified' AND NEW.registered_name = '')
    EXECUTE FUNCTION refuse_without_papers();

-- What there is to pay out from. available_paise: as the provider counted it, at counted_at. left_paise: without what was
-- sent since.
CREATE TABLE payout_balances (
    connector text PRIMARY KEY,
    available_paise bigint NOT NULL,
    left_paise bigint NOT NULL,
    counted_at timestamptz NOT NULL,
    read_at timestamptz NOT NULL
);

-- Plans that choose the provider and the rail of a payout. The newest version is in force.
CREATE TABLE payout_plans (
    version ordinal PRIMARY KEY,
    document text NOT NULL CHECK (length(document) BETWEEN 1 AND 1048576),
    published_by text NOT NULL,
    published_at timestamptz NOT NULL
);
CREATE TRIGGER payout_plans_append_only BEFORE UPDATE OR DELETE ON payout_plans
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
