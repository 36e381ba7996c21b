-- Subscriptions: what a customer approved once, and each debit of it.

CREATE DOMAIN subscription_period AS text CHECK (VALUE IN ('day', 'week', 'month', 'year', 'as_presented'));
CREATE DOMAIN subscription_state AS text CHECK (VALUE IN ('created', 'active', 'paused', 'cancelled', 'completed',
    'failed'));
CREATE DOMAIN debit_state AS text CHECK (VALUE IN ('announced', 'sent', 'retrying', 'done', 'failed', 'skipped',
    'missed'));

-- Mandates: what a customer approved once, so that the merchant may debit again. subscription_id is the payment of the
-- order that registered it; that payment's row is locked by whoever changes the subscription. max_paise: the most one
-- debit may be. debits_max: null for no end. next_period: the first one that is not announced. due_at: when the worker
-- plans the next period, or ends the mandate at the bank. channel: what the customer approved it with, and so what it is
-- debited by. umrn: the number that the clearing house knows an eNACH mandate by.
CREATE TABLE subscriptions (
    merchant_id bigint NOT NULL,
    subscription_id gateway_id NOT NULL,
    order_id order_reference NOT NULL,
    state subscription_state NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    max_paise paise_above_zero NOT NULL,
    period subscription_period NOT NULL,
    frequency ordinal NOT NULL,
    starts_on date NOT NULL,
    debits_max ordinal,
    retries_max times NOT NULL,
    valid_until date NOT NULL,
    created_at timestamptz NOT NULL,
    due_at timestamptz,
    next_period ordinal NOT NULL DEFAULT 1,
    connector text NOT NULL DEFAULT '',
    mandate_reference text NOT NULL DEFAULT '',
    channel text NOT NULL DEFAULT '',
    umrn text NOT NULL DEFAULT '',
    payer text NOT NULL DEFAULT '',
    activated_at timestamptz,
    ended_at timestamptz,
    PRIMARY KEY (merchant_id, subscription_id),
    FOREIGN KEY (merchant_id, subscription_id) REFERENCES payments (merchant_id, payment_id),
    CONSTRAINT subscriptions_fit CHECK (amount_paise <= max_paise AND valid_until >= starts_on
        AND (state NOT IN ('active', 'paused') OR (mandate_reference <> '' AND channel <> '' AND activated_at IS NOT NULL))
        AND (ended_at IS NOT NULL) = (state IN ('cancelled', 'completed', 'failed')))
);
CREATE INDEX subscriptions_due ON subscriptions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX subscriptions_to_approve ON subscriptions (merchant_id, subscription_id) WHERE state = 'created';

-- One row a period, so no period is debited twice. planned_at: when the debit is made at the earliest. noticed_at: when
-- the bank took the notice for the customer. tries: attempts at the bank.
CREATE TABLE subscription_debits (
    merchant_id bigint NOT NULL,
    debit_id gateway_id NOT NULL,
    subscription_id bigint NOT NULL,
    period_no ordinal NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    state debit_state NOT NULL,
    planned_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    due_at timestamptz,
    connector text NOT NULL DEFAULT '',
    noticed_at timestamptz,
    payment_id gateway_id,
    tries times NOT NULL DEFAULT 0,
    settled_at timestamptz,
    PRIMARY KEY (merchant_id, debit_id),
    UNIQUE (merchant_id, subscription_id, period_no),
    FOREIGN KEY (merchant_id, subscription_id) REFERENCES subscriptions (merchant_id, subscription_id),
    CONSTRAINT subscription_debits_fit CHECK ((settled_at IS NOT NULL) = (state IN ('done', 'failed', 'skipped', 'missed'))
        AND (state NOT IN ('sent', 'retrying', 'done', 'failed') OR (payment_id IS NOT NULL AND noticed_at IS NOT NULL))
        AND (noticed_at IS NULL OR planned_at >= noticed_at + interval '24 hours'))
);
CREATE INDEX subscription_debits_due ON subscription_debits (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX subscription_debits_payment ON subscription_debits (merchant_id, payment_id)
    WHERE payment_id IS NOT NULL;
-- What a payment's removal looks its rows up by.
CREATE INDEX subscription_debits_of_payment ON subscription_debits (merchant_id, payment_id);
