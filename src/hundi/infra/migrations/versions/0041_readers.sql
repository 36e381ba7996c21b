-- As before, in PL/pgSQL: on a cluster, where people are on the coordinator and memberships are not, Citus refuses it as a function
-- in SQL.
CREATE OR REPLACE FUNCTION people_to_tell(place bigint) RETURNS TABLE (person_id bigint, email text, role text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT p.person_id::bigint, p.email::text, m.role::text FROM memberships m JOIN people p ON p.person_id = m.person_id
    WHERE m.merchant_id = place AND p.state = 'active';
END $$;
