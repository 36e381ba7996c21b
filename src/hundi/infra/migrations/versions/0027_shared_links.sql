-- Payment links that are shared: what they are for, item by item; reminders; many made from one file. A merchant's logo.

-- The sum of a link's items in paise; null for something else than items, which the constraint below refuses, too.
CREATE FUNCTION items_paise(items jsonb) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT sum((item ->> 'amount_paise')::bigint)::bigint FROM jsonb_array_elements(items) AS item
$$;

-- items: description, quantity and amount_paise of each, the amount of all of its pieces; they come to the link's amount.
ALTER TABLE payment_links ADD COLUMN items jsonb NOT NULL DEFAULT '[]';
ALTER TABLE payment_links ADD CONSTRAINT payment_links_items CHECK (
    items = '[]' OR (jsonb_array_length(items) <= 50 AND coalesce(items_paise(items) = amount_paise, false))) NOT VALID;
CREATE OR REPLACE TRIGGER payment_links_terms BEFORE UPDATE ON payment_links FOR EACH ROW WHEN (
    (OLD.code, OLD.reference, OLD.amount_paise, OLD.minimum_paise, OLD.surplus, OLD.expires_at, OLD.items)
        IS DISTINCT FROM
    (NEW.code, NEW.reference, NEW.amount_paise, NEW.minimum_paise, NEW.surplus, NEW.expires_at, NEW.items)
    OR NEW.paid_paise < OLD.paid_paise OR (OLD.cancelled_at IS NOT NULL AND NEW.cancelled_at IS DISTINCT FROM OLD.cancelled_at)
) EXECUTE FUNCTION refuse_change();

-- A reminder of an unpaid link. remind_at: when it is to be sent. due_at: the same until the worker has seen it, then null.
-- state: planned; to_send, which people see; sent; or dropped, because the link could not be paid any more.
-- sent_by: who said that they sent it.
CREATE TABLE payment_link_reminders (
    merchant_id bigint NOT NULL,
    link_id gateway_id NOT NULL,
    reminder_no ordinal NOT NULL,
    remind_at timestamptz NOT NULL,
    due_at timestamptz,
    state text NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'to_send', 'sent', 'dropped')),
    sent_at timestamptz,
    sent_by text NOT NULL DEFAULT '' CHECK (length(sent_by) <= 100),
    PRIMARY KEY (merchant_id, link_id, reminder_no),
    FOREIGN KEY (merchant_id, link_id) REFERENCES payment_links,
    CONSTRAINT payment_link_reminders_state CHECK (
        (state = 'planned') = (due_at IS NOT NULL) AND (state = 'sent') = (sent_at IS NOT NULL))
);
CREATE INDEX payment_link_reminders_due ON payment_link_reminders (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX payment_link_reminders_to_send ON payment_link_reminders (merchant_id, remind_at) WHERE state = 'to_send';
CREATE TRIGGER payment_link_reminders_once BEFORE UPDATE ON payment_link_reminders FOR EACH ROW WHEN (
    OLD.remind_at <> NEW.remind_at OR OLD.state IN ('sent', 'dropped') OR (OLD.state = 'to_send' AND NEW.state = 'planned')
) EXECUTE FUNCTION refuse_change();

-- Links that were made from one file, in one act. reference: of the form that made them, so that it makes them once.
CREATE TABLE payment_link_batches (
    merchant_id bigint NOT NULL,
    batch_id gateway_id NOT NULL,
    reference order_reference NOT NULL,
    content_hash bytea NOT NULL CHECK (length(content_hash) = 32),
    lines integer NOT NULL CHECK (lines BETWEEN 1 AND 500),
    made_by text NOT NULL CHECK (length(made_by) BETWEEN 1 AND 100),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, batch_id),
    UNIQUE (merchant_id, reference)
);
CREATE TRIGGER payment_link_batches_append_only BEFORE UPDATE OR DELETE ON payment_link_batches
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- line_no: of the file, whose head is line 1. A link that was there before stands in each batch that names it.
CREATE TABLE payment_link_batch_lines (
    merchant_id bigint NOT NULL,
    batch_id gateway_id NOT NULL,
    line_no ordinal NOT NULL,
    link_id gateway_id NOT NULL,
    is_new boolean NOT NULL,
    PRIMARY KEY (merchant_id, batch_id, line_no),
    FOREIGN KEY (merchant_id, batch_id) REFERENCES payment_link_batches,
    FOREIGN KEY (merchant_id, link_id) REFERENCES payment_links
);
CREATE TRIGGER payment_link_batch_lines_append_only BEFORE UPDATE OR DELETE ON payment_link_batch_lines
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- A merchant's logo as its pages show it: a PNG that we wrote ourselves. mark: of its bytes, as the setting `logo` has it.
CREATE TABLE merchant_logos (
    merchant_id bigint PRIMARY KEY REFERENCES merchants (merchant_id),
    mark text NOT NULL,
    picture bytea NOT NULL CHECK (length(picture) BETWEEN 1 AND 200000),
    width integer NOT NULL CHECK (width BETWEEN 1 AND 512),
    height integer NOT NULL CHECK (height BETWEEN 1 AND 512),
    added_by text NOT NULL CHECK (length(added_by) BETWEEN 1 AND 254),
    added_at timestamptz NOT NULL,
    CONSTRAINT merchant_logos_mark CHECK (mark = left(encode(sha256(picture), 'hex'), 16))
);
