-- What acquirers say of mandates, and what they demand of notices and debits.

-- mandate_name: what the acquirer calls the mandate, which its webhooks name. notice_before: from the notice to the debit at
-- least, as the acquirer wants it. ask_at: when the acquirer is asked how the mandate stands, and those that were approved
-- beside it. paused_at_bank: its customer paused it there, and resumes it there.
ALTER TABLE subscriptions ADD COLUMN notice_before interval NOT NULL DEFAULT '24 hours';
ALTER TABLE subscriptions ADD COLUMN ask_at timestamptz;
ALTER TABLE subscriptions ADD COLUMN paused_at_bank boolean NOT NULL DEFAULT false;
ALTER TABLE subscriptions ADD COLUMN mandate_name text NOT NULL DEFAULT '';
ALTER TABLE subscriptions ADD CONSTRAINT subscriptions_at_bank CHECK (notice_before >= '24 hours'
    AND (NOT paused_at_bank OR state = 'paused'));
CREATE INDEX subscriptions_to_ask ON subscriptions (ask_at) WHERE ask_at IS NOT NULL;
CREATE INDEX subscriptions_by_name ON subscriptions (connector, mandate_name) WHERE mandate_name <> '';

-- notice_name: what the acquirer calls the notice, which the debit names. debit_until: when the acquirer takes the debit no
-- more; null where it says nothing.
ALTER TABLE subscription_debits ADD COLUMN notice_name text NOT NULL DEFAULT '';
ALTER TABLE subscription_debits ADD COLUMN debit_until timestamptz;
