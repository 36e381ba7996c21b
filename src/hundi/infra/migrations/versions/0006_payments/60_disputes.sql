-- Disputes: customers' banks want payments back, phase by phase.

CREATE DOMAIN dispute_phase AS text CHECK (VALUE IN ('retrieval', 'chargeback', 'pre_arbitration', 'arbitration'));
CREATE DOMAIN dispute_state AS text CHECK (VALUE IN ('open', 'under_review', 'accepting', 'expired', 'won', 'lost',
    'accepted', 'partly_accepted', 'closed'));

-- One row a phase. dispute_id: the stage_id of the dispute's first phase. held_paise, taken_paise: in the payment's
-- currency; in rupees held_settled_paise and taken_settled_paise. answered_at: when the merchant answered, sent_at: when
-- the bank took that answer. due_at: when it is looked at next; null once it has ended.
CREATE TABLE dispute_stages (
    merchant_id bigint NOT NULL,
    stage_id gateway_id NOT NULL,
    dispute_id gateway_id NOT NULL,
    payment_id gateway_id NOT NULL,
    attempt_id gateway_id NOT NULL,
    connector text NOT NULL,
    bank_case text NOT NULL CHECK (bank_case ~ '^[ -~]{1,64}$'),
    phase dispute_phase NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    held_paise paise NOT NULL,
    held_settled_paise paise NOT NULL,
    rate_micros bigint NOT NULL CHECK (rate_micros > 0),
    reason text NOT NULL,
    state dispute_state NOT NULL,
    opened_at timestamptz NOT NULL,
    respond_by timestamptz NOT NULL,
    due_at timestamptz,
    inquiries times NOT NULL DEFAULT 0,
    reminded_at timestamptz,
    answered_at timestamptz,
    accepted_paise paise NOT NULL DEFAULT 0,
    note text NOT NULL DEFAULT '',
    sent_at timestamptz,
    expired_at timestamptz,
    taken_paise paise NOT NULL DEFAULT 0,
    taken_settled_paise paise NOT NULL DEFAULT 0,
    rrn text NOT NULL DEFAULT '',
    bank_message text NOT NULL DEFAULT '',
    settled_at timestamptz,
    fee_paise paise NOT NULL DEFAULT 0,
    tax_paise paise NOT NULL DEFAULT 0,
    PRIMARY KEY (merchant_id, stage_id),
    FOREIGN KEY (merchant_id, payment_id) REFERENCES payments (merchant_id, payment_id),
    CONSTRAINT dispute_stages_fit CHECK (held_paise <= amount_paise AND accepted_paise <= amount_paise
        AND taken_paise <= held_paise AND taken_settled_paise <= held_settled_paise
        AND (phase <> 'retrieval' OR held_paise = 0)
        AND (currency <> 'INR' OR (held_settled_paise = held_paise AND taken_settled_paise = taken_paise))
        AND (settled_at IS NOT NULL) = (state IN ('won', 'lost', 'accepted', 'partly_accepted', 'closed'))
        AND (answered_at IS NOT NULL OR state NOT IN ('under_review', 'accepting', 'accepted'))
        AND (expired_at IS NOT NULL OR state <> 'expired'))
);
-- A callback that comes twice, or beside what a list says, opens a phase once.
CREATE UNIQUE INDEX dispute_stages_one ON dispute_stages (merchant_id, connector, bank_case, phase);
CREATE INDEX dispute_stages_of_payment ON dispute_stages (merchant_id, payment_id);
CREATE INDEX dispute_stages_due ON dispute_stages (due_at) WHERE due_at IS NOT NULL;

-- Documents of merchants' answers, sealed. digest: SHA-256 of the content. sent_at: when the bank took it.
CREATE TABLE dispute_evidence (
    merchant_id bigint NOT NULL,
    evidence_id gateway_id NOT NULL,
    stage_id gateway_id NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    media_type text NOT NULL CHECK (media_type IN ('application/pdf', 'image/png', 'image/jpeg')),
    size_bytes ordinal NOT NULL,
    digest sha256_digest NOT NULL,
    sealed_content bytea NOT NULL,
    added_at timestamptz NOT NULL,
    sent_at timestamptz,
    PRIMARY KEY (merchant_id, evidence_id),
    UNIQUE (merchant_id, stage_id, digest),
    FOREIGN KEY (merchant_id, stage_id) REFERENCES dispute_stages (merchant_id, stage_id)
);
