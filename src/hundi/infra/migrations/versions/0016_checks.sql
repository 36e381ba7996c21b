-- Brings the next call about a check of a bank account forward. provider: who asks for it; a check that another has, or
-- none yet, stays as it is. A webhook that comes again and again causes one call in five seconds.
DROP FUNCTION hasten_check(bigint, bigint, timestamptz);
CREATE FUNCTION hasten_check(owner bigint, number bigint, provider text, at timestamptz)
RETURNS boolean LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    UPDATE bank_accounts SET due_at = greatest(at, to_timestamp(extract(epoch FROM hastened_at) + 5)),
        hastened_at = greatest(at, to_timestamp(extract(epoch FROM hastened_at) + 5))
    WHERE merchant_id = owner AND check_id = number AND asked_of = provider AND state = 'unverified'
        AND replaced_at IS NULL AND due_at > greatest(at, to_timestamp(extract(epoch FROM hastened_at) + 5))
    RETURNING true;
$$;
