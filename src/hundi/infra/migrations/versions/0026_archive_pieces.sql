-- On a cluster rows leave for the archive, and come back with the transactions that they had. There a trigger is told
-- the name of a piece of the table, and what the coordinator's session says is not known where a row is written.

CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    gone jsonb;
    of_payment bigint;
    -- On a cluster it is a piece's, which has a number behind its table's.
    whose text := regexp_replace(TG_TABLE_NAME, '_[0-9]+$', '');
BEGIN
    IF TG_OP = 'DELETE' AND whose IN ('payment_events', 'ledger_postings', 'chain_links') THEN
        gone := to_jsonb(OLD);
        IF gone ? 'payment_id' OR gone ->> 'book' = 'events' THEN
            of_payment := coalesce(gone ->> 'payment_id', gone ->> 'id')::bigint;
        ELSE
            SELECT payment_id INTO of_payment FROM attempts
            WHERE merchant_id = OLD.merchant_id AND attempt_id = coalesce(gone ->> 'cause_id', gone ->> 'id')::bigint;
        END IF;
        IF EXISTS (
            SELECT FROM archived_payments a, jsonb_array_elements(a.contents -> whose) AS kept
            WHERE a.merchant_id = OLD.merchant_id AND a.payment_id = of_payment AND kept = gone
        ) THEN
            RETURN OLD;
        END IF;
    ELSIF TG_OP = 'DELETE' AND whose LIKE 'archived_payments%' THEN
        gone := to_jsonb(OLD);
        IF EXISTS (
            -- As it was: columns that came after it was archived are not looked at.
            SELECT FROM payments p WHERE p.merchant_id = OLD.merchant_id AND p.payment_id = (gone ->> 'payment_id')::bigint
                AND gone -> 'contents' -> 'payments' -> 0 = (
                    SELECT jsonb_object_agg(key, value) FROM jsonb_each(to_jsonb(p))
                    WHERE gone -> 'contents' -> 'payments' -> 0 ? key)
        ) THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE FUNCTION recall_payment(owner bigint, recalled bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    held jsonb;
    part text;
    names text;
    mark xid8;
BEGIN
    SELECT contents INTO held FROM archived_payments WHERE merchant_id = owner AND payment_id = recalled FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT through INTO mark FROM ledger_rolls WHERE merchant_id = owner FOR UPDATE;
    FOREACH part IN ARRAY ARRAY['payments', 'attempts', 'payment_events', 'deliveries', 'delivery_attempts',
        'completions', 'ledger_postings', 'chain_links'] LOOP
        -- A column that came later gets its default.
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO names FROM pg_attribute
        WHERE attrelid = part::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
            AND held -> part -> 0 ? attname::text;
        IF names IS NOT NULL THEN
            EXECUTE format('INSERT INTO %1$I (%2$s) SELECT %2$s FROM jsonb_populate_recordset(NULL::%1$I, $1)',
                part, names) USING held -> part;
        END IF;
    END LOOP;

    UPDATE archived_sums s SET debit_paise = s.debit_paise - back.debited, credit_paise = s.credit_paise - back.credited
    FROM (
        SELECT account, currency, sum(debited) AS debited, sum(credited) AS credited FROM (
            SELECT debit AS account, currency, amount_paise AS debited, 0 AS credited
            FROM jsonb_populate_recordset(NULL::ledger_postings, held -> 'ledger_postings')
            UNION ALL SELECT credit, currency, 0, amount_paise
            FROM jsonb_populate_recordset(NULL::ledger_postings, held -> 'ledger_postings')
        ) AS sides GROUP BY account, currency
    ) AS back WHERE s.merchant_id = owner AND s.account = back.account AND s.currency = back.currency;
    -- In another cluster than the one that posted them, the marks may be ahead: then they are in the tail again.
    UPDATE ledger_checkpoints s
    SET debit_paise = s.debit_paise - back.debited, credit_paise = s.credit_paise - back.credited
    FROM (
        SELECT account, currency, sum(debited) AS debited, sum(credited) AS credited FROM (
            SELECT debit AS account, currency, amount_paise AS debited, 0 AS credited
            FROM jsonb_populate_recordset(NULL::ledger_postings, held -> 'ledger_postings') WHERE xact >= mark
            UNION ALL SELECT credit, currency, 0, amount_paise
            FROM jsonb_populate_recordset(NULL::ledger_postings, held -> 'ledger_postings') WHERE xact >= mark
        ) AS sides GROUP BY account, currency
    ) AS back WHERE s.merchant_id = owner AND s.account = back.account AND s.currency = back.currency;
    UPDATE archived_links k SET links = k.links - back.links
    FROM (
        SELECT book, block_no, count(*) AS links
        FROM jsonb_populate_recordset(NULL::chain_links, held -> 'chain_links') GROUP BY 1, 2
    ) AS back WHERE k.merchant_id = owner AND k.book = back.book AND k.block_no = back.block_no;
    DELETE FROM archived_payments WHERE merchant_id = owner AND payment_id = recalled;
    RETURN true;
END $_$;

CREATE OR REPLACE FUNCTION stamp_transaction() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- What comes back from the archive has its own.
    NEW.xact := coalesce(NEW.xact, pg_current_xact_id());
    RETURN NEW;
END $$;
