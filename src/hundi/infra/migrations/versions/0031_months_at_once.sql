-- As before, with one more word for "another run has just made it": when that run commits between our look for the table and our
-- making it, PostgreSQL finds the row type of the same name first, and says that the type exists.
CREATE OR REPLACE FUNCTION add_archive_month(first_day date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    since timestamptz := first_day::timestamp AT TIME ZONE 'UTC';
    until timestamptz := (first_day + interval '1 month') AT TIME ZONE 'UTC';
    zero timestamptz := '2020-01-01T00:00:00Z';
    month text := 'archived_payments_' || to_char(first_day, 'YYYY_MM');
BEGIN
    IF extract(day FROM first_day) <> 1 OR first_day < date '2020-01-01' THEN
        RAISE EXCEPTION '% is no month of this archive', first_day USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF to_regclass(month) IS NOT NULL THEN
        RETURN;
    END IF;
    -- Made alone and attached: whoever reads the archive meanwhile, for minutes perhaps, is not waited for.
    EXECUTE format('CREATE TABLE %I (LIKE archived_payments INCLUDING ALL)', month);
    EXECUTE format('ALTER TABLE archived_payments ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', month,
        extract(epoch FROM since - zero)::bigint * 1000000, extract(epoch FROM until - zero)::bigint * 1000000);
EXCEPTION WHEN duplicate_table OR duplicate_object OR unique_violation THEN
    NULL;  -- another run has just made it
END $$;
