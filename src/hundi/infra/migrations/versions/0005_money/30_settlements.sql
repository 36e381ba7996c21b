-- Settlements (decision 0030): when merchants are settled, what each posting costs, and what a day came to.

-- Versions of when and how a merchant is settled; what has none is settled by the default terms. cut_off_minute: of the
-- Indian day. base_days: after the payment the base event counts as happened. instant_bps: null where nothing is settled
-- at once.
CREATE TABLE settlement_terms (
    merchant_id bigint NOT NULL REFERENCES merchants,
    terms_no ordinal NOT NULL,
    set_at timestamptz NOT NULL,
    cut_off_minute integer NOT NULL CHECK (cut_off_minute BETWEEN 1 AND 1440),
    base_event text NOT NULL CHECK (base_event IN ('payment', 'shipment', 'delivery', 'refund_window')),
    base_days times NOT NULL,
    working_days times NOT NULL,
    centre text NOT NULL,
    minimum_paise paise_above_zero NOT NULL,
    reserve_bps times NOT NULL CHECK (reserve_bps <= 10000),
    reserve_days times NOT NULL,
    held boolean NOT NULL,
    instant_bps integer CHECK (instant_bps BETWEEN 0 AND 10000),
    PRIMARY KEY (merchant_id, terms_no),
    CONSTRAINT settlement_terms_reserve CHECK ((reserve_bps = 0) = (reserve_days = 0))
);
CREATE TRIGGER settlement_terms_append_only BEFORE UPDATE OR DELETE ON settlement_terms
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Up to which posting, in the order of transactions, everything has its item. cluster: which counted them.
CREATE TABLE settlement_marks (
    merchant_id bigint PRIMARY KEY,
    upto_xact xid8 NOT NULL,
    upto_id bigint NOT NULL,
    cluster text NOT NULL
);

-- One posting that touches `payable`, under its own key, so that nothing is settled twice. gross_paise: below zero where
-- it is a debit. at: of the posting. rule, plan_no: by what its fee was computed.
CREATE TABLE settlement_items (
    merchant_id bigint NOT NULL,
    cause_id bigint NOT NULL,
    kind text NOT NULL,
    at timestamptz NOT NULL,
    ready_on date NOT NULL,
    gross_paise bigint NOT NULL,
    fee_paise bigint NOT NULL,
    tax_paise bigint NOT NULL,
    net_paise bigint NOT NULL,
    rule text NOT NULL,
    plan_no integer NOT NULL,
    terms_no integer NOT NULL,
    settlement_id bigint,
    PRIMARY KEY (merchant_id, cause_id, kind),
    CONSTRAINT settlement_items_add_up CHECK (gross_paise = fee_paise + tax_paise + net_paise AND gross_paise <> 0
        AND fee_paise >= 0 AND tax_paise >= 0)
);
CREATE TRIGGER settlement_items_stay BEFORE DELETE ON settlement_items
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- An item is settled once, and nothing else of it ever changes.
CREATE TRIGGER settlement_items_settled_once BEFORE UPDATE ON settlement_items FOR EACH ROW
    WHEN (OLD.settlement_id IS NOT NULL OR NEW.settlement_id IS NULL
        OR (OLD.merchant_id, OLD.cause_id, OLD.kind, OLD.at, OLD.ready_on, OLD.gross_paise, OLD.fee_paise, OLD.tax_paise,
            OLD.net_paise, OLD.rule, OLD.plan_no, OLD.terms_no)
        IS DISTINCT FROM (NEW.merchant_id, NEW.cause_id, NEW.kind, NEW.at, NEW.ready_on, NEW.gross_paise, NEW.fee_paise,
            NEW.tax_paise, NEW.net_paise, NEW.rule, NEW.plan_no, NEW.terms_no))
    EXECUTE FUNCTION refuse_change();
-- What waits to be settled, and what was, by its settlement: merchants read that in pages.
CREATE INDEX settlement_items_waiting ON settlement_items (merchant_id, ready_on) WHERE settlement_id IS NULL;
CREATE INDEX settlement_items_settled ON settlement_items (merchant_id, settlement_id, cause_id, kind)
    WHERE settlement_id IS NOT NULL;

-- What a merchant's day, or a settlement at its wish, came to. settlement_no: 1, 2, 3 …. at: when it was due.
-- carried_in_paise: what the one before did not pay out; carried_paise: what this one did not, below zero where the
-- merchant owes it. linked_carried: the part of it that linked accounts are still to get, by identifier.
-- reserve_until: the day on which what was held is released. digest: SHA-256 over its items.
CREATE TABLE settlements (
    merchant_id bigint NOT NULL REFERENCES merchants,
    settlement_id gateway_id NOT NULL,
    settlement_no ordinal NOT NULL,
    day date NOT NULL,
    kind text NOT NULL CHECK (kind IN ('daily', 'instant')),
    at timestamptz NOT NULL,
    terms_no times NOT NULL,
    items times NOT NULL,
    carried_in_paise bigint NOT NULL,
    gross_paise paise NOT NULL,
    refunds_paise bigint NOT NULL,
    other_paise bigint NOT NULL,
    fee_paise paise NOT NULL,
    tax_paise paise NOT NULL,
    price_paise paise NOT NULL,
    price_tax_paise paise NOT NULL,
    reserve_held_paise paise NOT NULL,
    reserve_until date,
    reserve_released_paise paise NOT NULL,
    net_paise paise NOT NULL,
    splits_paise paise NOT NULL,
    carried_paise bigint NOT NULL,
    linked_carried jsonb NOT NULL,
    digest sha256_digest NOT NULL,
    xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (merchant_id, settlement_id),
    UNIQUE (merchant_id, day, kind),
    UNIQUE (merchant_id, settlement_no),
    CONSTRAINT settlements_add_up CHECK (carried_in_paise + gross_paise - refunds_paise + other_paise - fee_paise
        - tax_paise - price_paise - price_tax_paise - reserve_held_paise + reserve_released_paise
        = net_paise + splits_paise + carried_paise)
);
CREATE TRIGGER settlements_append_only BEFORE UPDATE OR DELETE ON settlements
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- Who has a reserve to be released is found without reading every settlement.
CREATE INDEX settlements_reserve ON settlements (merchant_id, reserve_until) WHERE reserve_until IS NOT NULL;

-- What one beneficiary gets of a settlement: the merchant itself ('primary'), or a linked account by its identifier.
CREATE TABLE settlement_shares (
    merchant_id bigint NOT NULL,
    share_id gateway_id NOT NULL,
    settlement_id gateway_id NOT NULL,
    beneficiary text NOT NULL CHECK (length(beneficiary) BETWEEN 1 AND 64),
    amount_paise paise_above_zero NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, share_id),
    UNIQUE (merchant_id, settlement_id, beneficiary),
    FOREIGN KEY (merchant_id, settlement_id) REFERENCES settlements
);
CREATE TRIGGER settlement_shares_append_only BEFORE UPDATE OR DELETE ON settlement_shares
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Shares that no payout stands for. A settlement writes the row, a payout takes it away, and one that came to nothing
-- writes it again, each in its own transaction; the audit compares with shares and payouts. account_no: of the last payout
-- that came to nothing, 0 without any.
CREATE TABLE shares_to_pay (
    merchant_id bigint NOT NULL,
    share_id gateway_id NOT NULL,
    beneficiary order_reference NOT NULL,
    account_no integer NOT NULL CHECK (account_no >= 0),
    PRIMARY KEY (merchant_id, share_id)
);
CREATE INDEX shares_to_pay_by_account ON shares_to_pay (merchant_id, beneficiary);

-- What a linked account is owed of one payment that was settled, after the refunds until then.
CREATE TABLE settlement_parts (
    merchant_id bigint NOT NULL,
    settlement_id gateway_id NOT NULL,
    payment_id bigint NOT NULL,
    identifier text NOT NULL,
    amount_paise paise NOT NULL,
    PRIMARY KEY (merchant_id, payment_id, identifier),
    FOREIGN KEY (merchant_id, settlement_id) REFERENCES settlements
);
CREATE TRIGGER settlement_parts_append_only BEFORE UPDATE OR DELETE ON settlement_parts
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
