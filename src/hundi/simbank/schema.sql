-- The books of the simulated bank network. Applied at every start under an advisory lock, so every statement may run again.

CREATE SEQUENCE IF NOT EXISTS rrn_blocks;
CREATE SEQUENCE IF NOT EXISTS places;

-- What the bank knows about a reference: one row each, changed only by guarded updates.
CREATE TABLE IF NOT EXISTS payments (
    reference     text        PRIMARY KEY CHECK (reference ~ '^[A-Za-z0-9_-]{4,35}$'),
    method        text        NOT NULL CHECK (method IN ('upi', 'card')),
    amount_paise  bigint      NOT NULL CHECK (amount_paise > 0),
    currency      text        NOT NULL CHECK (currency = 'INR'),
    status        text        NOT NULL CHECK (status IN ('challenge', 'authenticated', 'pending', 'paid', 'authorised', 'declined')),
    code          text        NOT NULL DEFAULT '',
    message       text        NOT NULL DEFAULT '',
    rrn           text        NOT NULL DEFAULT '' CHECK (rrn ~ '^([0-9]{12})?$'),
    payer_vpa     text        NOT NULL DEFAULT '',
    approval_code text        NOT NULL DEFAULT '',
    trans_status  text        NOT NULL DEFAULT '' CHECK (trans_status IN ('', 'Y', 'N')),
    -- What happens by itself, and when: a payer's app answers a collect request, or an undecided payment succeeds.
    due           text        CHECK (due IN ('answer', 'settle')),
    due_at        timestamptz,
    settles_to    text        NOT NULL DEFAULT 'paid' CHECK (settles_to IN ('paid', 'authorised')),
    -- The success that is due is not called back; only an inquiry learns it.
    quiet         boolean     NOT NULL DEFAULT false,
    expires_at    timestamptz,
    at            timestamptz NOT NULL,
    CHECK ((due IS NULL) = (due_at IS NULL)),
    CHECK (due IS NULL OR status IN ('pending', 'declined'))
);
CREATE INDEX IF NOT EXISTS payments_due ON payments (due_at) WHERE due_at IS NOT NULL;

-- A card's challenge. Of the card itself: the last four digits, and what its issuer will say.
CREATE TABLE IF NOT EXISTS authentications (
    authentication_id text        PRIMARY KEY,
    reference         text        NOT NULL UNIQUE REFERENCES payments,
    return_url        text        NOT NULL,
    last4             text        NOT NULL CHECK (last4 ~ '^[0-9]{4}$'),
    scheme            text        NOT NULL,
    type              text        NOT NULL,
    issuer            text        NOT NULL,
    country           text        NOT NULL,
    issuer_word       text        NOT NULL,
    tries             int         NOT NULL DEFAULT 0,
    trans_status      text        NOT NULL DEFAULT '' CHECK (trans_status IN ('', 'Y', 'N')),
    expires_at        timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS authentications_open ON authentications (expires_at) WHERE trans_status = '';

-- The books: one row a movement. An entry whose state changes takes a new place (id) at the end, so a reader who follows sees it.
CREATE TABLE IF NOT EXISTS entries (
    id           bigint      PRIMARY KEY,
    at           timestamptz NOT NULL,
    kind         text        NOT NULL CHECK (kind IN ('debit', 'refund', 'void', 'capture', 'authorise', 'payout')),
    method       text        NOT NULL CHECK (method IN ('upi', 'card')),
    reference    text        NOT NULL,
    rrn          text        NOT NULL UNIQUE CHECK (rrn ~ '^[0-9]{12}$'),
    amount_paise bigint      NOT NULL CHECK (amount_paise > 0),
    state        text        NOT NULL CHECK (state IN ('done', 'declined', 'pending', 'reversed'))
);
-- One reference debits a customer once, whatever the code above believes.
CREATE UNIQUE INDEX IF NOT EXISTS entries_one_debit ON entries (reference)
    WHERE kind IN ('debit', 'authorise') AND state IN ('done', 'pending');

-- Writers hold the shared side of this lock until they commit; a reader of the books takes the other side for a moment, so that no
-- place below the last one it saw can fill later.
CREATE OR REPLACE FUNCTION take_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(7160002);
    NEW.id := nextval('places');
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER entries_take_place BEFORE INSERT OR UPDATE ON entries FOR EACH ROW EXECUTE FUNCTION take_place();

-- The outbox of callbacks: written with their cause, sent until the gateway says it has them.
CREATE TABLE IF NOT EXISTS callbacks (
    event_id     text        PRIMARY KEY,
    reference    text        NOT NULL,
    body         text        NOT NULL,
    created_at   timestamptz NOT NULL,
    -- When it is next to be sent (or, while somebody sends it, when that is presumed to have failed); NULL: given up.
    due_at       timestamptz,
    tries        int         NOT NULL DEFAULT 0,
    last_answer  text        NOT NULL DEFAULT '',
    delivered_at timestamptz
);
CREATE INDEX IF NOT EXISTS callbacks_due ON callbacks (due_at) WHERE delivered_at IS NULL AND due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS callbacks_old ON callbacks (created_at);

CREATE TABLE IF NOT EXISTS dial (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    setting  text    NOT NULL
);
