-- What becomes of a payment once it succeeded: refunds, and the ending (capture or void) of an authorisation.

CREATE DOMAIN refund_state AS text CHECK (VALUE IN ('initiated', 'sent', 'unknown', 'done', 'failed'));
CREATE DOMAIN refund_cause AS text CHECK (VALUE IN ('merchant', 'overpaid', 'late'));
CREATE DOMAIN completion_kind AS text CHECK (VALUE IN ('capture', 'void'));
CREATE DOMAIN completion_state AS text CHECK (VALUE IN ('sent', 'unknown', 'done', 'failed'));

ALTER DOMAIN posting_kind DROP CONSTRAINT posting_kind_check;
ALTER DOMAIN posting_kind ADD CONSTRAINT posting_kind_check CHECK (VALUE IN ('payment', 'overpaid', 'late_refund_due',
    'capture', 'refund_begun', 'refund_done', 'refund_failed'));

-- A posting's cause is an attempt or a refund; its kind tells which.
ALTER TABLE ledger_postings RENAME attempt_id TO cause_id;

-- refunds, refunded_paise: of refunds that were begun and did not fail, so that no two of them together exceed what was
-- captured. They change under the row's lock and by one statement, never by what somebody read before.
ALTER TABLE payments
    ADD refunds times NOT NULL DEFAULT 0,
    ADD refunded_paise paise NOT NULL DEFAULT 0,
    DROP CONSTRAINT payments_captured,
    ADD CONSTRAINT payments_captured CHECK (refunded_paise <= captured_paise AND captured_paise <= amount_paise
        AND (refunded_paise > 0) = (refunds > 0)
        AND (captured_paise > 0) = (state IN ('paid', 'captured')));

-- due_at: when a worker sends it, or asks about it, next; null once it is settled.
CREATE TABLE refunds (
    merchant_id bigint NOT NULL,
    refund_id gateway_id NOT NULL,
    payment_id gateway_id NOT NULL,
    attempt_id gateway_id NOT NULL,
    cause refund_cause NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    connector text NOT NULL,
    state refund_state NOT NULL,
    rrn text NOT NULL DEFAULT '',
    bank_code text NOT NULL DEFAULT '',
    bank_message text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    sent_at timestamptz,
    settled_at timestamptz,
    due_at timestamptz,
    inquiries times NOT NULL DEFAULT 0,
    PRIMARY KEY (merchant_id, refund_id),
    FOREIGN KEY (merchant_id, payment_id) REFERENCES payments (merchant_id, payment_id),
    CONSTRAINT refunds_settled CHECK ((settled_at IS NOT NULL) = (state IN ('done', 'failed')))
);
CREATE INDEX refunds_of_payment ON refunds (merchant_id, payment_id);
CREATE INDEX refunds_due ON refunds (due_at) WHERE due_at IS NOT NULL;
-- What is owed back because of one attempt is given back once.
CREATE UNIQUE INDEX refunds_of_debt ON refunds (merchant_id, attempt_id)
    WHERE cause IN ('overpaid', 'late') AND state <> 'failed';
CREATE INDEX attempts_in_excess ON attempts (merchant_id, attempt_id) WHERE state = 'overpaid';
CREATE INDEX ledger_postings_owed_back ON ledger_postings (merchant_id, cause_id) WHERE credit = 'owed_back';

-- One row an item of a request that carried a `refund_request_id`, written with the item's effect, refused items too.
CREATE TABLE refund_requests (
    merchant_id bigint NOT NULL,
    request_id text NOT NULL CHECK (length(request_id) BETWEEN 1 AND 64),
    item_no times NOT NULL,
    content_hash sha256_digest NOT NULL,
    refund_id gateway_id,
    code text NOT NULL DEFAULT '',
    words text NOT NULL DEFAULT '',
    at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, request_id, item_no)
);
CREATE INDEX refund_requests_old ON refund_requests (at);

-- How an authorisation ends: the index lets one ending stand, so of a capture and a void that meet one wins.
CREATE TABLE completions (
    merchant_id bigint NOT NULL,
    completion_id gateway_id NOT NULL,
    payment_id gateway_id NOT NULL,
    attempt_id gateway_id NOT NULL,
    kind completion_kind NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    connector text NOT NULL,
    state completion_state NOT NULL,
    actor text NOT NULL,
    rrn text NOT NULL DEFAULT '',
    bank_code text NOT NULL DEFAULT '',
    bank_message text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    settled_at timestamptz,
    due_at timestamptz,
    inquiries times NOT NULL DEFAULT 0,
    PRIMARY KEY (merchant_id, completion_id),
    FOREIGN KEY (merchant_id, payment_id) REFERENCES payments (merchant_id, payment_id),
    CONSTRAINT completions_settled CHECK ((settled_at IS NOT NULL) = (state IN ('done', 'failed')))
);
CREATE UNIQUE INDEX completions_one ON completions (merchant_id, payment_id) WHERE state <> 'failed';
CREATE INDEX completions_due ON completions (due_at) WHERE due_at IS NOT NULL;
-- What nobody captured in time is voided.
CREATE INDEX payments_held_by_issuer ON payments (created_at) WHERE state = 'authorised';
