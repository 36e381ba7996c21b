-- As before, in PL/pgSQL, and with moments that do not depend on a session's time zone: on a cluster a worker of Citus 13.2.2 crashed
-- when it ran these as functions in SQL, and refuses the other form.
CREATE OR REPLACE FUNCTION hasten_check(owner bigint, number bigint, provider text, at timestamptz) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    hastened boolean;
BEGIN
    UPDATE bank_accounts SET
        due_at = greatest(at, (hastened_at AT TIME ZONE 'UTC' + interval '5 seconds') AT TIME ZONE 'UTC'),
        hastened_at = greatest(at, (hastened_at AT TIME ZONE 'UTC' + interval '5 seconds') AT TIME ZONE 'UTC')
    WHERE merchant_id = owner AND check_id = number AND asked_of = provider AND state = 'unverified'
        AND replaced_at IS NULL
        AND due_at > greatest(at, (hastened_at AT TIME ZONE 'UTC' + interval '5 seconds') AT TIME ZONE 'UTC')
    RETURNING true INTO hastened;
    RETURN hastened;
END $$;

CREATE OR REPLACE FUNCTION hasten_payout(owner bigint, payout bigint, provider text, at timestamptz, gap_s integer)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    gap interval := make_interval(secs => gap_s);
    hastened boolean;
BEGIN
    UPDATE payouts SET due_at = greatest(at, (hastened_at AT TIME ZONE 'UTC' + gap) AT TIME ZONE 'UTC'),
        hastened_at = greatest(at, (hastened_at AT TIME ZONE 'UTC' + gap) AT TIME ZONE 'UTC')
    WHERE merchant_id = owner AND payout_id = payout AND channel = 'api' AND sent_at IS NOT NULL
        AND CASE WHEN sent_by = '' THEN connector ELSE sent_by END = provider
        AND state NOT IN ('returned', 'reversed')
        AND (due_at IS NULL OR due_at > greatest(at, (hastened_at AT TIME ZONE 'UTC' + gap) AT TIME ZONE 'UTC'))
    RETURNING true INTO hastened;
    RETURN hastened;
END $$;
