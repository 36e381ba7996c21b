-- The database of the simulated bank network. Applied once, to an empty database; after a change here, a new one is needed.

CREATE SEQUENCE rrn_blocks;
CREATE SEQUENCE places;

-- What a column may hold is said by its domain: PostgreSQL reads a table's own checks anew at every single write.
CREATE DOMAIN method_name AS text CHECK (VALUE IN ('upi', 'card', 'netbanking', 'wallet', 'pay_later', 'transfer', 'cash',
    'enach'));
CREATE DOMAIN our_reference AS text CHECK (VALUE ~ '^[A-Za-z0-9_-]{4,35}$');
CREATE DOMAIN paise_above_zero AS bigint CHECK (VALUE > 0);
CREATE DOMAIN currency_name AS text CHECK (VALUE IN ('INR', 'USD', 'EUR', 'GBP', 'AED', 'SGD'));
CREATE DOMAIN payment_status AS text CHECK (VALUE IN
    ('challenge', 'authenticated', 'pending', 'paid', 'authorised', 'declined', 'voided'));
CREATE DOMAIN success_status AS text CHECK (VALUE IN ('paid', 'authorised'));
CREATE DOMAIN rrn_digits AS text CHECK (VALUE ~ '^[0-9]{12}$');
CREATE DOMAIN rrn_or_none AS text CHECK (VALUE ~ '^([0-9]{12})?$');
CREATE DOMAIN trans_status_code AS text CHECK (VALUE IN ('', 'Y', 'N', 'U'));
CREATE DOMAIN due_kind AS text CHECK (VALUE IN ('answer', 'settle'));
CREATE DOMAIN entry_kind AS text CHECK (VALUE IN ('debit', 'refund', 'void', 'capture', 'authorise', 'payout'));
CREATE DOMAIN entry_state AS text CHECK (VALUE IN ('done', 'declined', 'pending', 'reversed'));

-- Payments: one row for each reference, changed only by guarded updates.
CREATE TABLE payments (
    reference     our_reference PRIMARY KEY,
    method        method_name NOT NULL,
    amount_paise  paise_above_zero NOT NULL,
    currency      currency_name NOT NULL,
    status        payment_status NOT NULL,
    code          text        NOT NULL DEFAULT '',
    message       text        NOT NULL DEFAULT '',
    rrn           rrn_or_none NOT NULL DEFAULT '',
    payer_vpa     text        NOT NULL DEFAULT '',
    approval_code text        NOT NULL DEFAULT '',
    trans_status  trans_status_code NOT NULL DEFAULT '',
    -- What happens by itself, and when: a payer's app answers a collect request, or an undecided payment succeeds.
    due           due_kind,
    due_at        timestamptz,
    settles_to    success_status NOT NULL DEFAULT 'paid',
    -- The success that is due is not called back; only an inquiry learns it.
    quiet         boolean     NOT NULL DEFAULT false,
    expires_at    timestamptz,
    at            timestamptz NOT NULL,
    -- How much of an authorised amount was captured: at most this much can be refunded.
    captured_paise paise_above_zero,
    CHECK (due IS NULL AND due_at IS NULL OR due IS NOT NULL AND due_at IS NOT NULL AND status IN ('pending', 'declined'))
);
CREATE INDEX payments_due ON payments (due_at) WHERE due_at IS NOT NULL;

-- A card's challenge, and the card's facts; the number is not kept. trans_status U: a MOTO payment, which has no challenge.
CREATE TABLE authentications (
    authentication_id text        PRIMARY KEY,
    reference         text        NOT NULL UNIQUE REFERENCES payments,
    return_url        text        NOT NULL,
    last4             text        NOT NULL CHECK (last4 ~ '^[0-9]{4}$'),
    scheme            text        NOT NULL,
    type              text        NOT NULL,
    issuer            text        NOT NULL,
    country           text        NOT NULL,
    issuer_decision   text        NOT NULL,
    tries             int         NOT NULL DEFAULT 0,
    trans_status      trans_status_code NOT NULL DEFAULT '',
    expires_at        timestamptz NOT NULL,
    -- The network token of a card that its holder lets the merchant keep, in force once the payment succeeded.
    token             text        NOT NULL DEFAULT ''
);
CREATE INDEX authentications_by_token ON authentications (token) WHERE token <> '';
CREATE TABLE ended_tokens (
    token    text        PRIMARY KEY,
    ended_at timestamptz NOT NULL
);
CREATE INDEX authentications_open ON authentications (expires_at) WHERE trans_status = '';

-- A customer redirected to the pages of a bank or wallet; the payment waits in status `challenge`.
CREATE TABLE redirects (
    redirect_id text        PRIMARY KEY,
    reference   text        NOT NULL UNIQUE REFERENCES payments,
    method      method_name NOT NULL,
    bank_code   text        NOT NULL,
    return_url  text        NOT NULL,
    customer    text        NOT NULL DEFAULT '',
    step        text        NOT NULL CHECK (step IN ('login', 'confirm', 'checker', 'ended')),
    expires_at  timestamptz NOT NULL
);
CREATE INDEX redirects_open ON redirects (expires_at) WHERE step <> 'ended';

-- Money that came to virtual accounts and for vouchers: the payment of the same reference, which is the UTR or the number of the
-- counter's receipt, says that it moved. remitter: of cash, the customer's mobile number.
CREATE TABLE transfers (
    utr      our_reference PRIMARY KEY,
    account  our_reference NOT NULL,
    mode     text NOT NULL CHECK (mode IN ('NEFT', 'RTGS', 'IMPS', 'CASH', 'CHEQUE')),
    remitter text NOT NULL
);
CREATE INDEX transfers_of_account ON transfers (account);
-- Vouchers that customers pay in cash at a counter, each once: the number of its receipt is made of its own.
CREATE TABLE vouchers (
    number       text PRIMARY KEY CHECK (number ~ '^[0-9]{14}$'),
    reference    our_reference NOT NULL UNIQUE,
    payee_name   text NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency     currency_name NOT NULL,
    expires_at   timestamptz NOT NULL
);

-- What customers are asked to approve for later debits; it stands once the payment of the same reference is paid. proof:
-- how its customer signed in at the bank's page.
CREATE TABLE mandates (
    reference   our_reference PRIMARY KEY,
    payee_name  text NOT NULL,
    max_paise   paise_above_zero NOT NULL,
    valid_from  date NOT NULL,
    valid_until date NOT NULL CHECK (valid_until >= valid_from),
    recur       text NOT NULL,
    proof       text NOT NULL DEFAULT '',
    ended_at    timestamptz
);
-- What customers were told of debits to come; given_at decides whether a debit may be made.
CREATE TABLE mandate_notices (
    mandate      text NOT NULL REFERENCES mandates,
    period_no    int NOT NULL CHECK (period_no > 0),
    amount_paise paise_above_zero NOT NULL,
    debit_at     timestamptz NOT NULL,
    given_at     timestamptz NOT NULL,
    PRIMARY KEY (mandate, period_no)
);
-- A debit is a payment of the same reference. Of one period, one debit is not declined.
CREATE TABLE mandate_debits (
    reference our_reference PRIMARY KEY,
    mandate   text NOT NULL,
    period_no int NOT NULL,
    declined  boolean NOT NULL
);
CREATE UNIQUE INDEX mandate_debits_one ON mandate_debits (mandate, period_no) WHERE NOT declined;
CREATE INDEX mandate_debits_tries ON mandate_debits (mandate, period_no);

-- The books: one row a movement. An entry whose state changes takes a new place (id) at the end, so a reader who follows sees it.
CREATE TABLE entries (
    id           bigint      PRIMARY KEY,
    at           timestamptz NOT NULL,
    kind         entry_kind NOT NULL,
    method       method_name NOT NULL,
    reference    text        NOT NULL,
    rrn          rrn_digits  NOT NULL UNIQUE,
    amount_paise paise_above_zero NOT NULL,
    state        entry_state NOT NULL,
    -- Of a refund, whose `reference` is that of the payment it refunds.
    refund_reference text    NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX entries_one_ending ON entries (reference) WHERE kind IN ('capture', 'void');
-- One reference debits a customer once, whatever the code above believes.
CREATE UNIQUE INDEX entries_one_debit ON entries (reference)
    WHERE kind IN ('debit', 'authorise') AND state IN ('done', 'pending');

-- Money that goes back: one row a reference of the gateway's, and what was said of it.
CREATE TABLE refunds (
    reference    text        PRIMARY KEY,
    original     text        NOT NULL REFERENCES payments,
    amount_paise paise_above_zero NOT NULL,
    currency     currency_name NOT NULL,
    -- What of it the merchant gives back in rupees, at the rate of the charge.
    settled_paise paise_above_zero NOT NULL,
    status       entry_state NOT NULL,
    code         text        NOT NULL,
    message      text        NOT NULL,
    rrn          rrn_digits  NOT NULL UNIQUE,
    at           timestamptz NOT NULL,
    -- The bank answers "pending" until then, whatever it has decided.
    told_from    timestamptz
);
CREATE INDEX refunds_of_debit ON refunds (original);

-- Writers hold the shared side of this lock until they commit; a reader of the books takes the other side for a moment, so that no
-- place below the last one it saw can fill later.
CREATE FUNCTION take_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(7160002);
    NEW.id := nextval('places');
    RETURN NEW;
END $$;
CREATE TRIGGER entries_take_place BEFORE INSERT OR UPDATE ON entries FOR EACH ROW EXECUTE FUNCTION take_place();

-- The outbox of callbacks: written with their cause, sent until the gateway says it has them, and then deleted.
CREATE TABLE callbacks (
    event_id     text        PRIMARY KEY,
    reference    text        NOT NULL,
    body         text        NOT NULL,
    created_at   timestamptz NOT NULL,
    -- When to send it next; while it is being sent, the end of the lease. NULL: given up.
    due_at       timestamptz,
    tries        int         NOT NULL DEFAULT 0,
    last_answer  text        NOT NULL DEFAULT ''
);
CREATE INDEX callbacks_due ON callbacks (due_at) WHERE due_at IS NOT NULL;

-- What was sold at terminals: what a callback tells, kept for a while after the gateway has it.
CREATE TABLE terminal_sales (
    event_id     text        PRIMARY KEY,
    at           timestamptz NOT NULL,
    merchant_id  bigint      NOT NULL,
    terminal_id  text        NOT NULL,
    txn_type     text        NOT NULL CHECK (txn_type IN ('SALE', 'VOID', 'REFUND')),
    amount_paise paise_above_zero NOT NULL
);
CREATE INDEX terminal_sales_old ON terminal_sales (at);

-- How far the bank's clock is ahead of the world's.
CREATE TABLE clock (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    ahead    interval NOT NULL CHECK (ahead >= interval '0')
);

-- Fault injection as it was last set, as JSON.
CREATE TABLE fault_settings (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    setting  text    NOT NULL
);

-- Registers: entries as they are answered.
CREATE TABLE registered_businesses (
    gstin text PRIMARY KEY,
    entry jsonb NOT NULL
);
CREATE TABLE registered_cards (
    programme  text        NOT NULL,
    kit_no     text        NOT NULL,
    entity_id  text        NOT NULL,
    number     text        NOT NULL CHECK (number ~ '^[0-9]{4}X+[0-9]{4}$'),
    expiry     text        NOT NULL CHECK (expiry ~ '^[0-9]{2}/[0-9]{2}$'),
    status     text        NOT NULL,
    kind       text        NOT NULL CHECK (kind IN ('PHYSICAL', 'VIRTUAL')),
    reason     text        NOT NULL DEFAULT '',
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (programme, kit_no)
);
CREATE INDEX registered_cards_of_entity ON registered_cards (programme, entity_id);
-- Far from the kits of a new programme in the last four digits, too.
CREATE SEQUENCE card_kits START 105000;
-- Holders of identity numbers, by a keyed hash of the number, which is kept nowhere.
CREATE TABLE registered_people (
    reference text PRIMARY KEY CHECK (reference ~ '^[0-9a-f]{64}$'),
    holder_no int  NOT NULL UNIQUE,
    entry     jsonb NOT NULL
);
-- What arrived on people's phones.
CREATE TABLE phone_messages (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mobile text        NOT NULL,
    at     timestamptz NOT NULL,
    words  text        NOT NULL
);
CREATE INDEX phone_messages_of ON phone_messages (mobile, id DESC);
