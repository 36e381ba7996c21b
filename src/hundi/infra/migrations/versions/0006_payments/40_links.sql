-- Payment links: an amount to be paid at an address of its own, in one payment or in several (decision 0048).

-- code: the unguessable part of the address. reference: the merchant's own name of the link. minimum_paise: the least
-- of one payment, 0 where the link is paid at once. surplus: what becomes of money beyond the amount.
-- paid_paise: what was counted of its orders, which only grows: a refund does not open a link again.
CREATE TABLE payment_links (
    merchant_id bigint NOT NULL,
    link_id gateway_id NOT NULL,
    code text NOT NULL CHECK (code ~ '^[0-9a-z]{16}$'),
    reference order_reference NOT NULL,
    content_hash bytea NOT NULL CHECK (length(content_hash) = 32),
    amount_paise paise_above_zero NOT NULL,
    minimum_paise paise NOT NULL CHECK (minimum_paise <= amount_paise),
    paid_paise paise NOT NULL DEFAULT 0,
    description text NOT NULL CHECK (length(description) BETWEEN 1 AND 200),
    surplus text NOT NULL CHECK (surplus IN ('refund', 'keep')),
    buyer jsonb NOT NULL,
    made_by text NOT NULL CHECK (length(made_by) BETWEEN 1 AND 100),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL CHECK (expires_at > created_at),
    cancelled_at timestamptz,
    PRIMARY KEY (merchant_id, link_id),
    UNIQUE (merchant_id, code),
    UNIQUE (merchant_id, reference)
);
CREATE TRIGGER payment_links_terms BEFORE UPDATE ON payment_links FOR EACH ROW WHEN (
    (OLD.code, OLD.reference, OLD.amount_paise, OLD.minimum_paise, OLD.surplus, OLD.expires_at)
        IS DISTINCT FROM (NEW.code, NEW.reference, NEW.amount_paise, NEW.minimum_paise, NEW.surplus, NEW.expires_at)
    OR NEW.paid_paise < OLD.paid_paise OR (OLD.cancelled_at IS NOT NULL AND NEW.cancelled_at IS DISTINCT FROM OLD.cancelled_at)
) EXECUTE FUNCTION refuse_change();

-- An order that a customer began under a link. counted_paise: of it in the link's sum. back_paise: what is given back.
-- tries: refunds of it that were begun. due_at: when it is looked at next, null when nothing can come any more.
CREATE TABLE payment_link_orders (
    merchant_id bigint NOT NULL,
    link_id gateway_id NOT NULL,
    order_no ordinal NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    created_at timestamptz NOT NULL,
    payment_id gateway_id,
    counted_at timestamptz,
    counted_paise paise NOT NULL DEFAULT 0,
    back_paise paise NOT NULL DEFAULT 0,
    tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
    due_at timestamptz,
    PRIMARY KEY (merchant_id, link_id, order_no),
    FOREIGN KEY (merchant_id, link_id) REFERENCES payment_links,
    CONSTRAINT payment_link_orders_counted CHECK (
        counted_paise + back_paise <= amount_paise AND (counted_at IS NOT NULL OR counted_paise + back_paise = 0)
        AND (counted_at IS NULL OR payment_id IS NOT NULL))
);
CREATE INDEX payment_link_orders_due ON payment_link_orders (due_at) WHERE due_at IS NOT NULL;
CREATE TRIGGER payment_link_orders_once BEFORE UPDATE ON payment_link_orders FOR EACH ROW WHEN (
    OLD.amount_paise <> NEW.amount_paise OR (OLD.counted_at IS NOT NULL AND
        (OLD.counted_at, OLD.counted_paise, OLD.back_paise) IS DISTINCT FROM (NEW.counted_at, NEW.counted_paise, NEW.back_paise))
) EXECUTE FUNCTION refuse_change();
