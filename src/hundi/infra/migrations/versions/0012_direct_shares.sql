-- Shares of payments that an acquirer settles to linked accounts itself.

ALTER DOMAIN posting_kind DROP CONSTRAINT posting_kind_check;
ALTER DOMAIN posting_kind ADD CONSTRAINT posting_kind_check CHECK (VALUE IN (
    'payment', 'overpaid', 'late_refund_due', 'capture', 'refund_begun', 'refund_done', 'refund_failed',
    'refund_reversed', 'review_held', 'review_released', 'review_rejected', 'settlement_fee',
    'settlement_tax', 'reserve_held', 'reserve_released', 'share_due', 'payout_sent', 'payout_done',
    'payout_returned', 'payout_reversed', 'payout_late', 'payout_twice', 'direct_begun', 'direct_reduced', 'direct_done',
    'direct_returned', 'direct_reversed', 'check_cost', 'handed_over', 'acquirer_fee',
    'correction', 'dispute_held', 'dispute_won', 'dispute_lost', 'dispute_fee', 'dispute_tax')) NOT VALID;

-- What an acquirer calls a linked account, which gets its shares of payments there from it while it stands.
CREATE TABLE linked_parties (
    merchant_id bigint NOT NULL,
    identifier order_reference NOT NULL,
    connector text NOT NULL,
    party_no ordinal NOT NULL,
    party text NOT NULL CHECK (party ~ '^[A-Za-z0-9_.-]{1,64}$'),
    added_by text NOT NULL CHECK (length(added_by) BETWEEN 1 AND 64),
    added_at timestamptz NOT NULL,
    ended_at timestamptz,
    PRIMARY KEY (merchant_id, identifier, connector, party_no),
    FOREIGN KEY (merchant_id, identifier) REFERENCES linked_accounts (merchant_id, identifier)
);
CREATE UNIQUE INDEX linked_parties_one ON linked_parties (merchant_id, identifier, connector) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX linked_parties_apart ON linked_parties (merchant_id, connector, party) WHERE ended_at IS NULL;
CREATE TRIGGER linked_parties_stay BEFORE DELETE ON linked_parties FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER linked_parties_append_only BEFORE UPDATE ON linked_parties FOR EACH ROW
    WHEN (OLD.ended_at IS NOT NULL OR (OLD.merchant_id, OLD.identifier, OLD.connector, OLD.party_no, OLD.party,
        OLD.added_by, OLD.added_at) IS DISTINCT FROM (NEW.merchant_id, NEW.identifier, NEW.connector, NEW.party_no,
        NEW.party, NEW.added_by, NEW.added_at))
    EXECUTE FUNCTION refuse_change();

CREATE DOMAIN direct_share_state AS text CHECK (VALUE IN ('waiting', 'sent', 'unknown', 'done', 'refused', 'cancelled'));
CREATE DOMAIN share_reversal_state AS text CHECK (VALUE IN ('sent', 'unknown', 'done', 'owed'));

-- One part of a split that the acquirer of its payment settles. base_paise, amount_paise: of the split, as it was
-- configured. sent_paise: what the acquirer was asked for, less because of refunds before. transfer_id: the acquirer's number
-- of it. called_at: of the newest call that gives it. utr, settled_at: of the acquirer's transfer to the party's bank account. revision: the number of its newest event.
CREATE TABLE direct_shares (
    merchant_id bigint NOT NULL,
    share_id gateway_id NOT NULL,
    payment_id gateway_id NOT NULL,
    request_id text NOT NULL,
    identifier order_reference NOT NULL,
    attempt_id gateway_id NOT NULL,
    connector text NOT NULL,
    party text NOT NULL,
    base_paise paise_above_zero NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    state direct_share_state NOT NULL,
    created_at timestamptz NOT NULL,
    sent_paise paise NOT NULL DEFAULT 0,
    transfer_id text NOT NULL DEFAULT '',
    code text NOT NULL DEFAULT '',
    message text NOT NULL DEFAULT '',
    utr text NOT NULL DEFAULT '',
    sent_at timestamptz,
    called_at timestamptz,
    ended_at timestamptz,
    settled_at timestamptz,
    due_at timestamptz,
    inquiries times NOT NULL DEFAULT 0,
    revision times NOT NULL DEFAULT 1,
    PRIMARY KEY (merchant_id, share_id),
    UNIQUE (merchant_id, request_id, identifier),
    FOREIGN KEY (merchant_id, request_id) REFERENCES split_configurations (merchant_id, request_id),
    CONSTRAINT direct_shares_amounts CHECK (amount_paise <= base_paise AND sent_paise <= amount_paise
        AND (sent_paise > 0) = (state IN ('sent', 'unknown', 'done', 'refused'))),
    CONSTRAINT direct_shares_times CHECK ((sent_at IS NOT NULL) = (sent_paise > 0)
        AND (called_at IS NOT NULL) = (sent_at IS NOT NULL)
        AND (ended_at IS NOT NULL) = (state IN ('done', 'refused', 'cancelled'))
        AND (settled_at IS NOT NULL) = (utr <> '') AND (utr = '' OR state = 'done')),
    CONSTRAINT direct_shares_due CHECK (due_at IS NOT NULL OR state IN ('done', 'refused', 'cancelled'))
);
CREATE INDEX direct_shares_of_payment ON direct_shares (merchant_id, payment_id);
CREATE INDEX direct_shares_due ON direct_shares (due_at) WHERE due_at IS NOT NULL;

CREATE FUNCTION refuse_wrong_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (OLD.merchant_id, OLD.share_id, OLD.payment_id, OLD.request_id, OLD.identifier, OLD.attempt_id,
            OLD.connector, OLD.party, OLD.base_paise, OLD.amount_paise, OLD.created_at) IS DISTINCT FROM
            (NEW.merchant_id, NEW.share_id, NEW.payment_id, NEW.request_id, NEW.identifier, NEW.attempt_id,
            NEW.connector, NEW.party, NEW.base_paise, NEW.amount_paise, NEW.created_at)
        OR OLD.sent_paise > 0 AND NEW.sent_paise <> OLD.sent_paise
        OR OLD.utr <> '' AND NEW.utr <> OLD.utr
        OR (NEW.state <> OLD.state AND NOT (CASE OLD.state
            WHEN 'waiting' THEN NEW.state IN ('sent', 'cancelled')
            WHEN 'sent' THEN NEW.state IN ('unknown', 'done', 'refused')
            WHEN 'unknown' THEN NEW.state IN ('sent', 'done', 'refused')
            ELSE false END)) THEN
        RAISE EXCEPTION 'direct share %: this change is refused in state %', OLD.share_id, OLD.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER direct_shares_moves BEFORE UPDATE OR DELETE ON direct_shares
    FOR EACH ROW EXECUTE FUNCTION refuse_wrong_share();

CREATE TABLE direct_share_events (
    merchant_id bigint NOT NULL,
    share_id gateway_id NOT NULL,
    event_no ordinal NOT NULL,
    at timestamptz NOT NULL,
    state direct_share_state NOT NULL,
    note text NOT NULL,
    PRIMARY KEY (merchant_id, share_id, event_no),
    FOREIGN KEY (merchant_id, share_id) REFERENCES direct_shares (merchant_id, share_id)
);
CREATE TRIGGER direct_share_events_append_only BEFORE UPDATE OR DELETE ON direct_share_events
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- A part of a share that was taken back after refunds. One is open at a time.
CREATE TABLE share_reversals (
    merchant_id bigint NOT NULL,
    reversal_id gateway_id NOT NULL,
    share_id gateway_id NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    state share_reversal_state NOT NULL,
    created_at timestamptz NOT NULL,
    sent_at timestamptz NOT NULL,
    code text NOT NULL DEFAULT '',
    message text NOT NULL DEFAULT '',
    ended_at timestamptz,
    tries times NOT NULL DEFAULT 1,
    PRIMARY KEY (merchant_id, reversal_id),
    FOREIGN KEY (merchant_id, share_id) REFERENCES direct_shares (merchant_id, share_id),
    CONSTRAINT share_reversals_end CHECK ((ended_at IS NOT NULL) = (state = 'done'))
);
CREATE UNIQUE INDEX share_reversals_one_open ON share_reversals (merchant_id, share_id) WHERE state <> 'done';
CREATE INDEX share_reversals_of_share ON share_reversals (merchant_id, share_id);
CREATE FUNCTION refuse_wrong_reversal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.state = 'done' OR (OLD.merchant_id, OLD.reversal_id, OLD.share_id, OLD.amount_paise,
            OLD.created_at) IS DISTINCT FROM (NEW.merchant_id, NEW.reversal_id, NEW.share_id, NEW.amount_paise,
            NEW.created_at) OR OLD.state = 'owed' AND NEW.state = 'unknown' THEN
        RAISE EXCEPTION 'share reversal %: this change is refused in state %', OLD.reversal_id, OLD.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER share_reversals_moves BEFORE UPDATE OR DELETE ON share_reversals
    FOR EACH ROW EXECUTE FUNCTION refuse_wrong_reversal();
