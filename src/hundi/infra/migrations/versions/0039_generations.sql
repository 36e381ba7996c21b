-- The number of the password setting that this row has: the trail tells the newest, so an older row that somebody puts
-- back counts for nothing. Roles are proved by the trail alone.
ALTER TABLE people ADD generation integer NOT NULL DEFAULT 0 CHECK (generation >= 0);
ALTER TABLE memberships DROP mark;
CREATE INDEX trail_about ON trail_entries (about);
-- What no gateway writes, and what would keep one from reading the entries beside it.
ALTER TABLE trail_entries ADD CONSTRAINT trail_entries_at CHECK (at BETWEEN '2000-01-01Z' AND '2200-01-01Z') NOT VALID;
ALTER TABLE trail_entries ADD CONSTRAINT trail_entries_detail CHECK (jsonb_typeof(detail::jsonb) = 'object') NOT VALID;
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

-- What the audit may see of people: how they are called, and nothing of what they sign in with.
CREATE FUNCTION people_by_name() RETURNS TABLE (person_id bigint, email text, name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT person_id, email, name FROM people WHERE state <> 'ended'
$$;
