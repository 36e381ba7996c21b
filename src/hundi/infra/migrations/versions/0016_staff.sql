-- Who makes somebody's link could choose the password in their place, and decides nothing with it. 0: the command line.
ALTER TABLE one_time_links ADD COLUMN made_by bigint NOT NULL DEFAULT 0;
ALTER TABLE one_time_links ALTER COLUMN made_by DROP DEFAULT;
CREATE INDEX one_time_links_of_person ON one_time_links (person_id);

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
