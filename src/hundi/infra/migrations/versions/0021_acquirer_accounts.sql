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
