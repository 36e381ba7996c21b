-- Registered texts of SMS (DLT) and approved templates of WhatsApp. merchant_id: 0 for the operator's, which serve every
-- merchant without one of its own. template_id: the content template's number, or the template's name at Meta. entity_id,
-- header: of SMS. fields: the fact that fills each variable, in their order.
CREATE TABLE message_templates (
    merchant_id bigint NOT NULL,
    channel letter_channel NOT NULL,
    kind text NOT NULL,
    language text NOT NULL,
    template_id text NOT NULL,
    entity_id text NOT NULL DEFAULT '',
    header text NOT NULL DEFAULT '',
    registered text NOT NULL,
    fields text[] NOT NULL,
    written_at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, channel, kind, language),
    CONSTRAINT message_templates_channel CHECK (channel <> 'mail')
);

-- That a customer agreed to get messages of a merchant, in these words, and when it took that back.
CREATE TABLE message_consents (
    merchant_id bigint NOT NULL,
    channel letter_channel NOT NULL,
    address text NOT NULL,
    given_at timestamptz NOT NULL,
    words text NOT NULL,
    withdrawn_at timestamptz,
    PRIMARY KEY (merchant_id, channel, address)
);

-- The text of a message as it was sent; a mail's is made of its facts.
ALTER TABLE letters ADD COLUMN said text NOT NULL DEFAULT '';
