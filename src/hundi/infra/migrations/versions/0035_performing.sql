-- An approved act is done by one caller at a time: it is claimed until performing_until, or until it is done.
ALTER TABLE approvals ADD COLUMN performing_until timestamptz;

CREATE OR REPLACE FUNCTION refuse_wrong_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (OLD.merchant_id, OLD.approval_id, OLD.kind, OLD.title, OLD.payload, OLD.made_by, OLD.maker,
            OLD.reason, OLD.made_at, OLD.ends_at) IS DISTINCT FROM
            (NEW.merchant_id, NEW.approval_id, NEW.kind, NEW.title, NEW.payload, NEW.made_by, NEW.maker,
            NEW.reason, NEW.made_at, NEW.ends_at)
        OR NOT (CASE OLD.state
            WHEN 'waiting' THEN NEW.state IN ('approved', 'rejected', 'expired')
            WHEN 'approved' THEN NEW.state IN ('done', 'failed') OR NEW.state = 'approved' AND NEW.result = OLD.result
                AND NEW.performing_until IS DISTINCT FROM OLD.performing_until
            ELSE false END)
        OR OLD.state = 'approved' AND (OLD.decided_by, OLD.checker, OLD.decided_at, OLD.note) IS DISTINCT FROM
            (NEW.decided_by, NEW.checker, NEW.decided_at, NEW.note) THEN
        RAISE EXCEPTION 'approval %: this change is refused in state %', OLD.approval_id, OLD.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
