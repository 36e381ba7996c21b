-- Acquirers: their accounts, which of them takes an attempt, and by what names they know it.

-- Accounts at acquirers that an operator added while the gateway runs, beside those of its settings.
-- Attempts are stored with the name, so an account is never deleted, and its name never another's.
CREATE TABLE acquirer_accounts (
    name text PRIMARY KEY CHECK (name ~ '^[a-z][a-z0-9]*(_[a-z0-9]+)*$' AND length(name) <= 32),
    kind text NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
    serves bigint NOT NULL CHECK (serves >= 0), -- the merchant whose payments alone it takes; 0: everybody's
    simulated boolean NOT NULL,
    fields jsonb NOT NULL,
    sealed_secrets bytea NOT NULL,
    sealed_before bytea,
    before_until timestamptz,
    state text NOT NULL CHECK (state IN ('active', 'disabled')),
    revision ordinal NOT NULL,
    added_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    CHECK ((sealed_before IS NULL) = (before_until IS NULL))
);
CREATE TRIGGER acquirer_accounts_stay_themselves BEFORE UPDATE ON acquirer_accounts FOR EACH ROW
    WHEN ((OLD.name, OLD.kind, OLD.serves, OLD.simulated, OLD.added_at) IS DISTINCT FROM
            (NEW.name, NEW.kind, NEW.serves, NEW.simulated, NEW.added_at)
        OR NEW.revision NOT IN (OLD.revision, OLD.revision + 1))
    EXECUTE FUNCTION refuse_change();
CREATE TRIGGER acquirer_accounts_stay BEFORE DELETE ON acquirer_accounts
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER acquirer_accounts_never_emptied BEFORE TRUNCATE ON acquirer_accounts
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The plan in force is the newest version; an empty list of rules is the configured order of the acquirers.
CREATE TABLE routing_plans (
    version ordinal PRIMARY KEY,
    document text NOT NULL CHECK (length(document) BETWEEN 1 AND 1048576),
    published_by text NOT NULL,
    published_at timestamptz NOT NULL
);
CREATE TRIGGER routing_plans_append_only BEFORE UPDATE OR DELETE ON routing_plans
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER routing_plans_never_emptied BEFORE TRUNCATE ON routing_plans
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- By what names an acquirer knows an attempt or a refund of ours: its order, its payment, the link it made.
-- Written once: another name would ask the acquirer about somebody else's money.
CREATE TABLE acquirer_words (
    merchant_id bigint NOT NULL,
    reference text NOT NULL CHECK (length(reference) BETWEEN 1 AND 40),
    name text NOT NULL CHECK (name ~ '^[a-z_]{1,32}$'),
    value text NOT NULL CHECK (length(value) BETWEEN 1 AND 2048),
    written_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant_id, reference, name)
);
CREATE TRIGGER acquirer_words_append_only BEFORE UPDATE OR DELETE ON acquirer_words
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER acquirer_words_never_emptied BEFORE TRUNCATE ON acquirer_words
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Numbers that acquirers want to see once, over all processes and starts: the traces of ISO 8583 (decision 0056).
-- last_number: that somebody got. It only grows.
CREATE TABLE acquirer_numbers (
    series text PRIMARY KEY CHECK (length(series) BETWEEN 1 AND 63),
    last_number bigint NOT NULL CHECK (last_number > 0)
);
CREATE TRIGGER acquirer_numbers_grow BEFORE UPDATE ON acquirer_numbers FOR EACH ROW WHEN (
    OLD.series <> NEW.series OR NEW.last_number <= OLD.last_number
) EXECUTE FUNCTION refuse_change();

-- Why the last call to each acquirer that failed did, for people who ask; it decides nothing.
CREATE TABLE acquirer_troubles (
    connector text PRIMARY KEY CHECK (length(connector) BETWEEN 1 AND 63),
    error text NOT NULL CHECK (length(error) BETWEEN 1 AND 200),
    at timestamptz NOT NULL
);
