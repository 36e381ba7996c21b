-- The how manieth setting of a person's password this row has: the trail tells the newest, so an older row that somebody
-- puts back counts for nothing. Roles are proved by the trail alone.
ALTER TABLE people ADD generation integer NOT NULL DEFAULT 0 CHECK (generation >= 0);
ALTER TABLE memberships DROP mark;
CREATE INDEX trail_about ON trail_entries (about);
ALTER TABLE trail_entries ADD CONSTRAINT trail_entries_at_finite CHECK (isfinite(at)) NOT VALID;

-- What the audit may see of people: how they are called, and nothing of what they sign in with.
CREATE FUNCTION people_by_name() RETURNS TABLE (person_id bigint, email text, name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT person_id, email, name FROM people WHERE state <> 'ended'
$$;
