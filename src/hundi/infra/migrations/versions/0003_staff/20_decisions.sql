-- What people did, and what one of them asked for and another decides (decision 0041).

-- The trail: what people did, each entry's digest made over the one before in its merchant. merchant_id 0: the operator's.
-- person_id 0: the command line. detail: JSON as text, because the digest is over its letters.
-- mark: of the digest, under a key that the database never holds, because digests alone chain entries that anybody could
-- write. The last two constraints refuse what no gateway writes, and what would keep one from reading the entries beside it.
CREATE TABLE trail_entries (
    merchant_id bigint NOT NULL,
    entry_no ordinal NOT NULL,
    at timestamptz NOT NULL,
    person_id bigint NOT NULL,
    person text NOT NULL,
    act text NOT NULL CHECK (act ~ '^[a-z_]+\.[a-z_]+$'),
    about text NOT NULL CHECK (length(about) <= 200),
    detail text NOT NULL CHECK (length(detail) <= 10000),
    network text NOT NULL,
    digest sha256_digest NOT NULL,
    mark bytea NOT NULL DEFAULT '',
    PRIMARY KEY (merchant_id, entry_no),
    CONSTRAINT trail_entries_marked CHECK (length(mark) = 32),
    CONSTRAINT trail_entries_at CHECK (at BETWEEN '2000-01-01Z' AND '2200-01-01Z'),
    CONSTRAINT trail_entries_detail CHECK (jsonb_typeof(detail::jsonb) = 'object')
);
CREATE TRIGGER trail_entries_append_only BEFORE UPDATE OR DELETE ON trail_entries
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER trail_entries_no_truncate BEFORE TRUNCATE ON trail_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE INDEX trail_about ON trail_entries (about);

CREATE FUNCTION refuse_gap() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.entry_no > 1 + coalesce((SELECT max(entry_no) FROM trail_entries WHERE merchant_id = NEW.merchant_id), 0) THEN
        RAISE EXCEPTION 'entry % of % has none before it', NEW.entry_no, NEW.merchant_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER trail_entries_no_gap BEFORE INSERT ON trail_entries FOR EACH ROW EXECUTE FUNCTION refuse_gap();

CREATE DOMAIN approval_state AS text CHECK (VALUE IN ('waiting', 'approved', 'done', 'failed', 'rejected', 'expired'));

-- What one person asks for and another decides. payload: what the act of this kind needs. result: what it came to.
-- act_id: the number of the form that asked, so that one form asks a second person once; "" where there is none.
CREATE TABLE approvals (
    merchant_id bigint NOT NULL,
    approval_id gateway_id NOT NULL,
    kind text NOT NULL CHECK (kind ~ '^[a-z_]+$'),
    title text NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    payload jsonb NOT NULL,
    state approval_state NOT NULL,
    made_by gateway_id NOT NULL,
    maker text NOT NULL,
    reason text NOT NULL CHECK (length(reason) <= 500),
    made_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    decided_by gateway_id,
    checker text NOT NULL DEFAULT '',
    decided_at timestamptz,
    note text NOT NULL DEFAULT '',
    result text NOT NULL DEFAULT '',
    act_id text NOT NULL DEFAULT '',
    PRIMARY KEY (merchant_id, approval_id),
    CONSTRAINT approvals_two_people CHECK (decided_by <> made_by),
    CONSTRAINT approvals_decided CHECK ((decided_by IS NULL) = (decided_at IS NULL)
        AND (state NOT IN ('approved', 'done', 'failed', 'rejected') OR decided_by IS NOT NULL)),
    CONSTRAINT approvals_act_id_check CHECK (act_id ~ '^[0-9]{0,15}$')
);
CREATE INDEX approvals_waiting ON approvals (merchant_id, approval_id) WHERE state IN ('waiting', 'approved');
CREATE UNIQUE INDEX approvals_once ON approvals (merchant_id, kind, act_id) WHERE act_id <> '';
CREATE TRIGGER approvals_act BEFORE UPDATE ON approvals FOR EACH ROW WHEN (OLD.act_id <> NEW.act_id)
    EXECUTE FUNCTION refuse_change();

-- What was asked for stays as it is; states go forward, and what a person decided is written once.
CREATE FUNCTION refuse_wrong_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (OLD.merchant_id, OLD.approval_id, OLD.kind, OLD.title, OLD.payload, OLD.made_by, OLD.maker,
            OLD.reason, OLD.made_at, OLD.ends_at) IS DISTINCT FROM
            (NEW.merchant_id, NEW.approval_id, NEW.kind, NEW.title, NEW.payload, NEW.made_by, NEW.maker,
            NEW.reason, NEW.made_at, NEW.ends_at)
        OR NOT (CASE OLD.state
            WHEN 'waiting' THEN NEW.state IN ('approved', 'rejected', 'expired')
            WHEN 'approved' THEN NEW.state IN ('done', 'failed')
            ELSE false END)
        OR OLD.state = 'approved' AND (OLD.decided_by, OLD.checker, OLD.decided_at, OLD.note) IS DISTINCT FROM
            (NEW.decided_by, NEW.checker, NEW.decided_at, NEW.note) THEN
        RAISE EXCEPTION 'approval %: this change is refused in state %', OLD.approval_id, OLD.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER approvals_moves BEFORE UPDATE OR DELETE ON approvals
    FOR EACH ROW EXECUTE FUNCTION refuse_wrong_approval();
