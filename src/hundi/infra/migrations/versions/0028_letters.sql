-- Letters: what the gateway tells people by mail, SMS or WhatsApp. A letter is written in the transaction of its cause.
CREATE DOMAIN letter_state AS text CHECK (VALUE IN ('waiting', 'sent', 'bounced', 'given_up', 'withheld'));
CREATE DOMAIN letter_channel AS text CHECK (VALUE IN ('mail', 'sms', 'whatsapp'));

-- merchant_id: 0 for letters to the operator's own people. cause: the event that causes it; with channel and address it
-- makes a repeat impossible. person_id: 0 for a customer. due_at: when it may be claimed; while it is being sent, when its
-- lease ends and another worker may take it over. problem: why the last try failed, in words.
CREATE TABLE letters (
    merchant_id bigint NOT NULL,
    letter_id bigint NOT NULL,
    cause text NOT NULL,
    kind text NOT NULL,
    channel letter_channel NOT NULL,
    person_id bigint NOT NULL DEFAULT 0,
    address text NOT NULL,
    language text NOT NULL,
    facts jsonb NOT NULL,
    attachment_name text NOT NULL DEFAULT '',
    attachment bytea,
    state letter_state NOT NULL,
    created_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    tries times NOT NULL DEFAULT 0,
    sent_at timestamptz,
    problem text NOT NULL DEFAULT '',
    PRIMARY KEY (merchant_id, letter_id),
    CONSTRAINT letters_once UNIQUE (merchant_id, cause, channel, address),
    CONSTRAINT letters_sent CHECK (state <> 'sent' OR sent_at IS NOT NULL),
    CONSTRAINT letters_attached CHECK ((attachment IS NULL) = (attachment_name = ''))
);
CREATE INDEX letters_due ON letters (due_at) WHERE state = 'waiting';

-- Addresses whose server said that it will never take a letter: nothing more is sent there until a person sends again.
CREATE TABLE dead_addresses (
    merchant_id bigint NOT NULL,
    channel letter_channel NOT NULL,
    address text NOT NULL,
    since timestamptz NOT NULL,
    answer text NOT NULL,
    PRIMARY KEY (merchant_id, channel, address)
);

-- What a person of the console chose to be told, where that differs from the kind's default.
CREATE TABLE letter_choices (
    person_id bigint NOT NULL,
    kind text NOT NULL,
    channel letter_channel NOT NULL,
    wanted boolean NOT NULL,
    PRIMARY KEY (person_id, kind, channel)
);

-- Who may be told what happened at a place, and where: nothing of what they sign in with.
CREATE FUNCTION people_to_tell(place bigint) RETURNS TABLE (person_id bigint, email text, role text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT p.person_id, p.email, m.role::text FROM memberships m JOIN people p ON p.person_id = m.person_id
    WHERE m.merchant_id = place AND p.state = 'active'
$$;
