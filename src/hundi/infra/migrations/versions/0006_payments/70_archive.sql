-- The archive (decision 0027): what ended long ago leaves the tables that payments write to, payment by payment.

-- A payment with all its rows in one. contents: for each table its rows as JSON objects by column. attempt_ids, rrns:
-- by what else it is looked up. A partition is a month of payment ids, whose first digits are seconds since 2020.
CREATE TABLE archived_payments (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    order_id text NOT NULL,
    attempt_ids bigint[] NOT NULL,
    rrns text[] NOT NULL,
    contents jsonb NOT NULL,
    archived_at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, payment_id)
) PARTITION BY RANGE (payment_id);
CREATE INDEX archived_payments_by_attempt ON archived_payments USING gin (attempt_ids);
CREATE INDEX archived_payments_by_rrn ON archived_payments USING gin (rrns);
CREATE TRIGGER archived_payments_append_only BEFORE UPDATE OR DELETE ON archived_payments
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER archived_payments_no_truncate BEFORE TRUNCATE ON archived_payments
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Order ids that payments in the archive, or on their way there, used: no other payment of the merchant ever gets one.
CREATE TABLE archived_orders (
    merchant_id bigint NOT NULL,
    order_id order_reference NOT NULL,
    payment_id gateway_id NOT NULL,
    marked_at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, order_id)
);
CREATE TRIGGER archived_orders_append_only BEFORE UPDATE OR DELETE ON archived_orders
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- What the archive's postings add to each account; checkpoints count them on.
CREATE TABLE archived_sums (
    merchant_id bigint NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    debit_paise numeric(24,0) NOT NULL CHECK (debit_paise >= 0),
    credit_paise numeric(24,0) NOT NULL CHECK (credit_paise >= 0),
    PRIMARY KEY (merchant_id, account, currency)
);

-- How many links of a block are in the archive.
CREATE TABLE archived_links (
    merchant_id bigint NOT NULL,
    book text NOT NULL,
    block_no ordinal NOT NULL,
    links times NOT NULL,
    PRIMARY KEY (merchant_id, book, block_no)
);

-- Makes the partition of a month (UTC), if there is none. Another run may have just made it: when it commits between our
-- look for the table and our making it, PostgreSQL finds the row type of the same name first, and says that the type
-- exists.
CREATE FUNCTION add_archive_month(first_day date) RETURNS void
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

-- Moves those of a merchant's payments into the archive that are as settled as can be, and returns their ids.
-- ended_before: nothing of them happened since. marked_before: their order ids were marked before that, longer ago than a
-- statement can run, so no statement is left that believes such an order id to be unused.
CREATE FUNCTION archive_payments(
    owner bigint, ids bigint[], ended_before timestamptz, marked_before timestamptz
) RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    moved bigint[];
    causes bigint[];
BEGIN
    -- Locked first and looked at in later statements, which see what those who had the locks have written.
    PERFORM FROM payments WHERE merchant_id = owner AND payment_id = ANY (ids) ORDER BY payment_id FOR UPDATE;
    PERFORM FROM attempts WHERE merchant_id = owner AND payment_id = ANY (ids) ORDER BY attempt_id FOR UPDATE;
    PERFORM FROM deliveries WHERE merchant_id = owner AND payment_id = ANY (ids)
    ORDER BY payment_id, event_no FOR UPDATE;
    PERFORM FROM completions WHERE merchant_id = owner AND payment_id = ANY (ids) ORDER BY completion_id FOR UPDATE;
    PERFORM FROM ledger_rolls WHERE merchant_id = owner FOR UPDATE;

    SELECT coalesce(array_agg(p.payment_id), '{}') INTO moved FROM payments p
    WHERE p.merchant_id = owner AND p.payment_id = ANY (ids) AND p.kind <> 'subscription' AND p.refunds = 0
        AND p.state IN ('paid', 'captured', 'voided', 'failed', 'not_registered', 'expired', 'abandoned')
        AND EXISTS (SELECT FROM archived_orders o WHERE o.merchant_id = owner AND o.order_id = p.order_id
            AND o.payment_id = p.payment_id AND o.marked_at < marked_before)
        AND NOT EXISTS (SELECT FROM attempts a WHERE a.merchant_id = owner AND a.payment_id = p.payment_id
            AND (a.inquire_at IS NOT NULL OR a.saved_card <> ''
                OR a.state NOT IN ('paid', 'authorised', 'failed', 'not_registered', 'expired', 'unknown')))
        AND NOT EXISTS (SELECT FROM deliveries d WHERE d.merchant_id = owner AND d.payment_id = p.payment_id
            AND d.state IN ('waiting', 'sending', 'exhausted'))
        -- What is owed back and could not be begun is looked for there.
        AND NOT EXISTS (SELECT FROM attempts a JOIN ledger_postings g
                ON g.merchant_id = owner AND g.cause_id = a.attempt_id
            WHERE a.merchant_id = owner AND a.payment_id = p.payment_id AND g.credit = 'owed_back')
        AND NOT EXISTS (SELECT FROM completions c WHERE c.merchant_id = owner AND c.payment_id = p.payment_id
            AND c.settled_at IS NULL)
        AND NOT EXISTS (SELECT FROM dispute_stages s WHERE s.merchant_id = owner AND s.payment_id = p.payment_id)
        AND NOT EXISTS (SELECT FROM refunds r WHERE r.merchant_id = owner AND r.payment_id = p.payment_id)
        AND NOT EXISTS (SELECT FROM split_configurations s
            WHERE s.merchant_id = owner AND s.payment_id = p.payment_id)
        AND NOT EXISTS (SELECT FROM subscription_debits s WHERE s.merchant_id = owner AND s.payment_id = p.payment_id)
        AND NOT EXISTS (SELECT FROM payment_events e WHERE e.merchant_id = owner AND e.payment_id = p.payment_id
            AND (e.at >= ended_before OR NOT EXISTS (SELECT FROM chain_links l WHERE l.merchant_id = owner
                AND l.book = 'events' AND l.id = e.payment_id AND l.part = 'event ' || e.event_no)))
        AND NOT EXISTS (SELECT FROM attempts a JOIN ledger_postings g
                ON g.merchant_id = owner AND g.cause_id = a.attempt_id
            WHERE a.merchant_id = owner AND a.payment_id = p.payment_id
                AND (g.xact >= coalesce((SELECT through FROM ledger_rolls WHERE merchant_id = owner), '0')
                    OR NOT EXISTS (SELECT FROM chain_links l WHERE l.merchant_id = owner
                        AND l.book = 'postings' AND l.id = g.cause_id AND l.part = g.kind)));
    IF cardinality(moved) = 0 THEN
        RETURN moved;
    END IF;
    SELECT coalesce(array_agg(attempt_id), '{}') INTO causes FROM attempts
    WHERE merchant_id = owner AND payment_id = ANY (moved);

    INSERT INTO archived_payments (merchant_id, payment_id, order_id, attempt_ids, rrns, contents, archived_at)
    SELECT owner, p.payment_id, p.order_id, a.ids, a.rrns, jsonb_build_object(
        'payments', jsonb_build_array(to_jsonb(p)), 'attempts', a.kept,
        'payment_events', (SELECT coalesce(jsonb_agg(to_jsonb(e) ORDER BY event_no), '[]') FROM payment_events e
            WHERE e.merchant_id = owner AND e.payment_id = p.payment_id),
        'deliveries', (SELECT coalesce(jsonb_agg(to_jsonb(d) ORDER BY event_no), '[]') FROM deliveries d
            WHERE d.merchant_id = owner AND d.payment_id = p.payment_id),
        'delivery_attempts', (SELECT coalesce(jsonb_agg(to_jsonb(t) ORDER BY event_no, attempt_no), '[]') FROM delivery_attempts t
            WHERE t.merchant_id = owner AND t.payment_id = p.payment_id),
        'completions', (SELECT coalesce(jsonb_agg(to_jsonb(c) ORDER BY completion_id), '[]') FROM completions c
            WHERE c.merchant_id = owner AND c.payment_id = p.payment_id),
        'ledger_postings', (SELECT coalesce(jsonb_agg(to_jsonb(g) ORDER BY cause_id, kind), '[]') FROM ledger_postings g
            WHERE g.merchant_id = owner AND g.cause_id = ANY (a.ids)),
        'chain_links', (SELECT coalesce(jsonb_agg(to_jsonb(l) ORDER BY book, id, part), '[]') FROM chain_links l
            WHERE l.merchant_id = owner AND (l.book = 'events' AND l.id = p.payment_id
                OR l.book = 'postings' AND l.id = ANY (a.ids)))
    ), now()
    FROM payments p CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(t.attempt_id), '{}') AS ids,
            coalesce(array_agg(DISTINCT t.rrn) FILTER (WHERE t.rrn <> ''), '{}') AS rrns,
            coalesce(jsonb_agg(to_jsonb(t) ORDER BY t.created_at, t.attempt_id), '[]') AS kept
        FROM attempts t WHERE t.merchant_id = owner AND t.payment_id = p.payment_id
    ) AS a
    WHERE p.merchant_id = owner AND p.payment_id = ANY (moved);

    INSERT INTO archived_sums AS s (merchant_id, account, currency, debit_paise, credit_paise)
    SELECT owner, account, currency, sum(debited), sum(credited) FROM (
        SELECT debit AS account, currency, amount_paise AS debited, 0 AS credited FROM ledger_postings
        WHERE merchant_id = owner AND cause_id = ANY (causes)
        UNION ALL SELECT credit, currency, 0, amount_paise FROM ledger_postings
        WHERE merchant_id = owner AND cause_id = ANY (causes)
    ) AS sides GROUP BY account, currency
    ON CONFLICT (merchant_id, account, currency) DO UPDATE
    SET debit_paise = s.debit_paise + excluded.debit_paise, credit_paise = s.credit_paise + excluded.credit_paise;

    INSERT INTO archived_links AS k (merchant_id, book, block_no, links)
    SELECT owner, book, block_no, count(*) FROM chain_links
    WHERE merchant_id = owner AND (book = 'events' AND id = ANY (moved) OR book = 'postings' AND id = ANY (causes))
    GROUP BY book, block_no
    ON CONFLICT (merchant_id, book, block_no) DO UPDATE SET links = k.links + excluded.links;

    DELETE FROM chain_links WHERE merchant_id = owner
        AND (book = 'events' AND id = ANY (moved) OR book = 'postings' AND id = ANY (causes));
    DELETE FROM ledger_postings WHERE merchant_id = owner AND cause_id = ANY (causes);
    DELETE FROM payment_events WHERE merchant_id = owner AND payment_id = ANY (moved);
    DELETE FROM completions WHERE merchant_id = owner AND payment_id = ANY (moved);
    DELETE FROM delivery_attempts WHERE merchant_id = owner AND payment_id = ANY (moved);
    DELETE FROM deliveries WHERE merchant_id = owner AND payment_id = ANY (moved);
    DELETE FROM attempts WHERE merchant_id = owner AND payment_id = ANY (moved);
    DELETE FROM payments WHERE merchant_id = owner AND payment_id = ANY (moved);
    RETURN moved;
END $$;

-- Returns what columns that a row does not have get: their defaults, as far as they are constants.
CREATE FUNCTION defaults_of(part text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
    listed text;
    found jsonb;
BEGIN
    SELECT string_agg(format('%L, to_jsonb(%s)', a.attname, pg_get_expr(d.adbin, d.adrelid)), ', ') INTO listed
    FROM pg_attribute a JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = part::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        AND pg_get_expr(d.adbin, d.adrelid) !~ '[a-z0-9_]\s*\(';
    EXECUTE 'SELECT jsonb_build_object(' || coalesce(listed, '') || ')' INTO found;
    RETURN found;
END $$;

-- Brings a payment back, as it was, for somebody who is about to change it; returns whether it was in the archive.
CREATE FUNCTION recall_payment(owner bigint, recalled bigint) RETURNS boolean
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
