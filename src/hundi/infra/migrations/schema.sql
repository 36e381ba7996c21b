-- The whole schema, generated from the migrations. Change those, then run: make schema

CREATE DOMAIN account_name AS text
	CONSTRAINT account_name_check CHECK ((VALUE ~ '^[a-z_]+(:[a-z0-9_]+)?$'::text));

CREATE DOMAIN approval_state AS text
	CONSTRAINT approval_state_check CHECK ((VALUE = ANY (ARRAY['waiting'::text, 'approved'::text, 'done'::text, 'failed'::text, 'rejected'::text, 'expired'::text])));

CREATE DOMAIN attempt_method AS text
	CONSTRAINT attempt_method_check CHECK ((VALUE = ANY (ARRAY['upi_qr'::text, 'upi_collect'::text, 'upi_link'::text, 'card'::text, 'card_direct'::text, 'card_page'::text, 'card_moto'::text, 'card_emi'::text, 'emi_page'::text, 'emi_direct'::text, 'netbanking'::text, 'wallet'::text, 'pay_later'::text, 'virtual_account'::text, 'rtgs_account'::text, 'remittance'::text, 'cash_voucher'::text, 'upi_autopay'::text, 'card_mandate'::text, 'enach'::text, 'enach_debit'::text])));

CREATE DOMAIN attempt_state AS text
	CONSTRAINT attempt_state_check CHECK ((VALUE = ANY (ARRAY['offered'::text, 'sent'::text, 'authenticating'::text, 'authorising'::text, 'pending'::text, 'paid'::text, 'authorised'::text, 'overpaid'::text, 'failed'::text, 'not_registered'::text, 'expired'::text, 'unknown'::text])));

CREATE DOMAIN bank_account_state AS text
	CONSTRAINT bank_account_state_check CHECK ((VALUE = ANY (ARRAY['unverified'::text, 'verified'::text, 'name_differs'::text, 'refused'::text])));

CREATE DOMAIN completion_kind AS text
	CONSTRAINT completion_kind_check CHECK ((VALUE = ANY (ARRAY['capture'::text, 'void'::text])));

CREATE DOMAIN completion_state AS text
	CONSTRAINT completion_state_check CHECK ((VALUE = ANY (ARRAY['sent'::text, 'unknown'::text, 'done'::text, 'failed'::text])));

CREATE DOMAIN currency_letters AS text
	CONSTRAINT currency_letters_check CHECK ((VALUE ~ '^[A-Z]{3}$'::text));

CREATE DOMAIN debit_state AS text
	CONSTRAINT debit_state_check CHECK ((VALUE = ANY (ARRAY['announced'::text, 'sent'::text, 'retrying'::text, 'done'::text, 'failed'::text, 'skipped'::text, 'missed'::text])));

CREATE DOMAIN delivery_state AS text
	CONSTRAINT delivery_state_check CHECK ((VALUE = ANY (ARRAY['waiting'::text, 'sending'::text, 'delivered'::text, 'exhausted'::text, 'no_endpoint'::text, 'unwanted'::text, 'superseded'::text])));

CREATE DOMAIN direct_share_state AS text
	CONSTRAINT direct_share_state_check CHECK ((VALUE = ANY (ARRAY['waiting'::text, 'sent'::text, 'unknown'::text, 'done'::text, 'refused'::text, 'cancelled'::text])));

CREATE DOMAIN dispute_phase AS text
	CONSTRAINT dispute_phase_check CHECK ((VALUE = ANY (ARRAY['retrieval'::text, 'chargeback'::text, 'pre_arbitration'::text, 'arbitration'::text])));

CREATE DOMAIN dispute_state AS text
	CONSTRAINT dispute_state_check CHECK ((VALUE = ANY (ARRAY['open'::text, 'under_review'::text, 'accepting'::text, 'expired'::text, 'won'::text, 'lost'::text, 'accepted'::text, 'partly_accepted'::text, 'closed'::text])));

CREATE DOMAIN gateway_id AS bigint
	CONSTRAINT gateway_id_check CHECK (((VALUE >= 1) AND (VALUE <= '999999999999999'::bigint)));

CREATE DOMAIN letter_channel AS text
	CONSTRAINT letter_channel_check CHECK ((VALUE = ANY (ARRAY['mail'::text, 'sms'::text, 'whatsapp'::text])));

CREATE DOMAIN letter_state AS text
	CONSTRAINT letter_state_check CHECK ((VALUE = ANY (ARRAY['waiting'::text, 'sent'::text, 'bounced'::text, 'given_up'::text, 'withheld'::text])));

CREATE DOMAIN link_purpose AS text
	CONSTRAINT link_purpose_check CHECK ((VALUE = ANY (ARRAY['invitation'::text, 'reset'::text, 'demo'::text])));

CREATE DOMAIN order_reference AS text
	CONSTRAINT order_reference_check CHECK ((VALUE ~ '^[A-Za-z0-9_.-]{1,64}$'::text));

CREATE DOMAIN ordinal AS integer
	CONSTRAINT ordinal_check CHECK ((VALUE > 0));

CREATE DOMAIN paise AS bigint
	CONSTRAINT paise_check CHECK ((VALUE >= 0));

CREATE DOMAIN paise_above_zero AS bigint
	CONSTRAINT paise_above_zero_check CHECK ((VALUE > 0));

CREATE DOMAIN payment_kind AS text
	CONSTRAINT payment_kind_check CHECK ((VALUE = ANY (ARRAY['sale'::text, 'authorise'::text, 'moto'::text, 'subscription'::text])));

CREATE DOMAIN payment_state AS text
	CONSTRAINT payment_state_check CHECK ((VALUE = ANY (ARRAY['open'::text, 'in_process'::text, 'authorised'::text, 'captured'::text, 'paid'::text, 'under_review'::text, 'failed'::text, 'not_registered'::text, 'expired'::text, 'unknown'::text, 'abandoned'::text, 'voided'::text])));

CREATE DOMAIN payout_channel AS text
	CONSTRAINT payout_channel_check CHECK ((VALUE = ANY (ARRAY['api'::text, 'file'::text])));

CREATE DOMAIN payout_rail AS text
	CONSTRAINT payout_rail_check CHECK ((VALUE = ANY (ARRAY['imps'::text, 'neft'::text, 'rtgs'::text])));

CREATE DOMAIN payout_state AS text;

CREATE DOMAIN person_state AS text
	CONSTRAINT person_state_check CHECK ((VALUE = ANY (ARRAY['invited'::text, 'active'::text, 'ended'::text])));

CREATE DOMAIN posting_kind AS text;

CREATE DOMAIN refund_cause AS text
	CONSTRAINT refund_cause_check CHECK ((VALUE = ANY (ARRAY['merchant'::text, 'overpaid'::text, 'late'::text])));

CREATE DOMAIN refund_state AS text
	CONSTRAINT refund_state_check CHECK ((VALUE = ANY (ARRAY['initiated'::text, 'sent'::text, 'unknown'::text, 'done'::text, 'failed'::text, 'reversed'::text])));

CREATE DOMAIN session_stage AS text
	CONSTRAINT session_stage_check CHECK ((VALUE = ANY (ARRAY['password'::text, 'complete'::text])));

CREATE DOMAIN sha256_digest AS bytea
	CONSTRAINT sha256_digest_check CHECK ((length(VALUE) = 32));

CREATE DOMAIN share_reversal_state AS text;

CREATE DOMAIN staff_role AS text
	CONSTRAINT staff_role_check CHECK ((VALUE = ANY (ARRAY['owner'::text, 'finance'::text, 'support'::text, 'developer'::text, 'reader'::text, 'operator'::text, 'operator_finance'::text, 'operator_reader'::text])));

CREATE DOMAIN subscription_period AS text
	CONSTRAINT subscription_period_check CHECK ((VALUE = ANY (ARRAY['day'::text, 'week'::text, 'month'::text, 'year'::text, 'as_presented'::text])));

CREATE DOMAIN subscription_state AS text
	CONSTRAINT subscription_state_check CHECK ((VALUE = ANY (ARRAY['created'::text, 'active'::text, 'paused'::text, 'cancelled'::text, 'completed'::text, 'failed'::text])));

CREATE DOMAIN times AS integer
	CONSTRAINT times_check CHECK ((VALUE >= 0));

CREATE FUNCTION add_archive_month(first_day date) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION archive_payments(owner bigint, ids bigint[], ended_before timestamp with time zone, marked_before timestamp with time zone) RETURNS bigint[]
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION ask_about_credits(owner bigint, from_line bigint, to_line bigint, acquirer text, now_at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE refunds r SET due_at = now_at, inquiries = 0
    FROM statement_lines l
    WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.kind = 'refund' AND l.is_credit
        AND r.merchant_id = owner AND r.refund_id = l.cause_id AND r.connector = acquirer AND r.state = 'done'
        AND r.due_at IS NULL;
END $$;

CREATE TABLE deliveries (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    event_no ordinal NOT NULL,
    kind text NOT NULL,
    facts jsonb NOT NULL,
    state delivery_state NOT NULL,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    tries times DEFAULT 0 NOT NULL,
    scheduled_from timestamp with time zone NOT NULL,
    tries_before times DEFAULT 0 NOT NULL,
    delivered_at timestamp with time zone
);

CREATE FUNCTION claim_deliveries(owner bigint, at timestamp with time zone, lease_until timestamp with time zone, most integer, superseding text[], aside text[], given_back text[], given_back_by text, begun timestamp with time zone DEFAULT NULL::timestamp with time zone, ended timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS SETOF deliveries
    LANGUAGE plpgsql
    AS $$
DECLARE
    due record;
    behind timestamptz;
BEGIN
    PERFORM FROM failing_endpoints f WHERE f.merchant_id = owner;
    IF FOUND THEN
        RETURN;
    END IF;
    FOR due IN
        SELECT d.payment_id, d.event_no, d.kind, d.facts, d.state, d.tries, d.due_at
        FROM deliveries d
        WHERE d.merchant_id = owner AND d.state IN ('waiting', 'sending') AND d.due_at <= at
            AND (begun IS NULL OR d.created_at >= begun) AND (ended IS NULL OR d.created_at < ended)
        ORDER BY d.due_at LIMIT most
    LOOP
        IF due.state = 'sending' THEN
            INSERT INTO delivery_attempts (merchant_id, payment_id, event_no, attempt_no, at, url, latency_ms, problem)
            VALUES (owner, due.payment_id, due.event_no, due.tries, due.due_at, '', 0,
                'the worker ended before the answer came')
            ON CONFLICT DO NOTHING;
        END IF;
        -- Most payments have one delivery only, and nothing to compare it with.
        PERFORM FROM deliveries d
        WHERE d.merchant_id = owner AND d.payment_id = due.payment_id AND d.event_no <> due.event_no LIMIT 1;
        IF FOUND THEN
            PERFORM FROM deliveries l
            WHERE l.merchant_id = owner AND l.payment_id = due.payment_id AND l.event_no > due.event_no
                AND (owner < 0 OR due.kind || '>' || l.kind = ANY (superseding)
                    OR l.kind = given_back_by AND due.kind = ANY (given_back)
                        AND l.facts -> 'refunded_paise' = l.facts -> 'captured_paise')
            LIMIT 1;
            IF FOUND THEN
                UPDATE deliveries d SET state = 'superseded'
                WHERE d.merchant_id = owner AND d.payment_id = due.payment_id AND d.event_no = due.event_no
                    AND d.state IN ('waiting', 'sending') AND d.due_at <= at;
                CONTINUE;
            END IF;
            -- What this call has claimed holds back as while it was waiting.
            SELECT CASE WHEN e.state = 'sending' THEN at ELSE e.due_at END INTO behind FROM deliveries e
            WHERE e.merchant_id = owner AND e.payment_id = due.payment_id AND e.event_no < due.event_no
                AND (e.state = 'sending' AND e.due_at <> lease_until OR e.state IN ('waiting', 'sending')
                    AND (e.kind <> ALL (aside) OR due.kind = ANY (aside))
                    AND NOT (owner < 0 OR e.kind || '>' || due.kind = ANY (superseding)
                        OR due.kind = given_back_by AND e.kind = ANY (given_back)
                            AND due.facts -> 'refunded_paise' = due.facts -> 'captured_paise'))
            ORDER BY e.event_no LIMIT 1;
            IF FOUND THEN
                UPDATE deliveries d SET due_at = greatest(behind, at + interval '1 second')
                WHERE d.merchant_id = owner AND d.payment_id = due.payment_id AND d.event_no = due.event_no
                    AND d.state = 'waiting' AND d.due_at <= at;
                CONTINUE;
            END IF;
            UPDATE deliveries d SET state = 'superseded'
            WHERE d.merchant_id = owner AND d.payment_id = due.payment_id AND d.event_no < due.event_no
                AND d.state = 'waiting'
                AND (owner < 0 OR d.kind || '>' || due.kind = ANY (superseding)
                    OR due.kind = given_back_by AND d.kind = ANY (given_back)
                        AND due.facts -> 'refunded_paise' = due.facts -> 'captured_paise');
        END IF;
        RETURN QUERY UPDATE deliveries d SET state = 'sending', due_at = lease_until, tries = d.tries + 1
        WHERE d.merchant_id = owner AND d.payment_id = due.payment_id AND d.event_no = due.event_no
            AND d.state IN ('waiting', 'sending') AND d.due_at <= at
        RETURNING d.*;
    END LOOP;
END $$;

CREATE FUNCTION count_risk_decline(owner bigint, at timestamp with time zone, paise bigint, used_card bytea, counted bytea[], spans text[], stripes smallint[], apart bytea[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO risk_counts AS c (merchant_id, subject, span, began_at, stripe, declines, amount_paise)
    SELECT owner, a.subject, a.span, date_trunc(a.span, at, 'UTC'), a.stripe, 1, -paise
    FROM unnest(counted, spans, stripes) AS a (subject, span, stripe) ORDER BY a.subject, a.span
    ON CONFLICT (merchant_id, subject, span, began_at, stripe)
    DO UPDATE SET declines = c.declines + 1, amount_paise = c.amount_paise + excluded.amount_paise;
    INSERT INTO risk_cards (merchant_id, subject, card, tried_at, declined_at)
    SELECT owner, a.subject, used_card, at, at FROM unnest(apart) AS a (subject) ORDER BY a.subject
    ON CONFLICT (merchant_id, subject, card) DO UPDATE SET declined_at = excluded.declined_at;
END $$;

CREATE FUNCTION count_risk_try(owner bigint, at timestamp with time zone, paise bigint, used_card bytea, counted bytea[], spans text[], stripes smallint[], apart bytea[], asked bytea[], metrics text[], asked_spans text[], since timestamp with time zone[], cards_max integer) RETURNS bigint[]
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM pg_advisory_xact_lock(hashtextextended(owner || encode(each.subject, 'hex'), 0))
    FROM (SELECT subject FROM unnest(apart) AS kept (subject) ORDER BY subject) AS each;
    INSERT INTO risk_counts AS c (merchant_id, subject, span, began_at, stripe, tries, amount_paise)
    SELECT owner, a.subject, a.span, date_trunc(a.span, at, 'UTC'), a.stripe, 1, paise
    FROM unnest(counted, spans, stripes) AS a (subject, span, stripe) ORDER BY a.subject, a.span
    ON CONFLICT (merchant_id, subject, span, began_at, stripe)
    DO UPDATE SET tries = c.tries + 1, amount_paise = c.amount_paise + excluded.amount_paise;
    INSERT INTO risk_cards (merchant_id, subject, card, tried_at)
    SELECT owner, a.subject, used_card, at FROM unnest(apart) AS a (subject) ORDER BY a.subject
    ON CONFLICT (merchant_id, subject, card) DO UPDATE SET tried_at = excluded.tried_at;
    RETURN (
        SELECT array_agg(CASE
            WHEN a.metric = 'cards' THEN (SELECT count(*) FROM (
                SELECT FROM risk_cards c WHERE c.merchant_id = owner AND c.subject = a.subject AND c.tried_at >= a.since
                LIMIT cards_max) AS tried)
            WHEN a.metric = 'declined_cards' THEN (SELECT count(*) FROM (
                SELECT FROM risk_cards c
                WHERE c.merchant_id = owner AND c.subject = a.subject AND c.declined_at >= a.since
                LIMIT cards_max) AS declined)
            ELSE (SELECT coalesce(sum(CASE WHEN a.metric = 'tries' THEN c.tries WHEN a.metric = 'declines' THEN c.declines
                    ELSE c.amount_paise END), 0)
                FROM risk_counts c
                WHERE c.merchant_id = owner AND c.subject = a.subject AND c.span = a.span AND c.began_at >= a.since)
        END ORDER BY a.place)
        FROM unnest(asked, metrics, asked_spans, since) WITH ORDINALITY AS a (subject, metric, span, since, place)
    );
END $$;

CREATE FUNCTION create_payment(owner bigint, new_payment_id bigint, new_order_id text, new_content_hash bytea, new_amount_paise bigint, new_currency text, new_kind text, new_state text, new_buyer jsonb, new_custom_var text, new_channels text[], new_created_at timestamp with time zone, new_expires_at timestamp with time zone, new_emi_months integer, new_restrictions jsonb, new_surcharges bigint[], offer_attempt_id bigint, offer_method text, offer_state text, offer_amount_paise bigint, offer_currency text, offer_connector text, offer_created_at timestamp with time zone, offer_expires_at timestamp with time zone, offer_inquire_at timestamp with time zone, offer_risk jsonb, offer_route jsonb DEFAULT '{}'::jsonb) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM FROM archived_orders WHERE merchant_id = owner AND order_id = new_order_id;
    IF FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO payments (
        merchant_id, payment_id, order_id, content_hash, amount_paise, currency, kind, state, buyer, custom_var,
        channels, created_at, expires_at, emi_months, restrictions, surcharges)
    VALUES (
        owner, new_payment_id, new_order_id, new_content_hash, new_amount_paise, new_currency, new_kind, new_state,
        new_buyer, new_custom_var, new_channels, new_created_at, new_expires_at, new_emi_months, new_restrictions,
        new_surcharges)
    ON CONFLICT (merchant_id, order_id) DO NOTHING;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF offer_attempt_id IS NOT NULL THEN
        INSERT INTO attempts (
            merchant_id, payment_id, attempt_id, method, state, amount_paise, currency, connector, created_at,
            expires_at, inquire_at, risk, route)
        VALUES (
            owner, new_payment_id, offer_attempt_id, offer_method, offer_state, offer_amount_paise, offer_currency,
            offer_connector, offer_created_at, offer_expires_at, offer_inquire_at, offer_risk, offer_route);
    END IF;
    INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor, attempt_id)
    VALUES (owner, new_payment_id, 1, new_created_at, 'created', new_state, 'merchant', offer_attempt_id);
    RETURN true;
END $$;

CREATE FUNCTION defaults_of(part text) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION find_missing(owner bigint, acquirer text, from_id bigint, from_day date, to_day date, now_at timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    found_there bigint;
    since timestamptz := from_day::timestamp AT TIME ZONE 'Asia/Kolkata';
    until_at timestamptz := (to_day + 1)::timestamp AT TIME ZONE 'Asia/Kolkata';
BEGIN
    INSERT INTO reconciliation_items (merchant_id, item_id, class, connector, cause_id, ours_paise, theirs_paise, opened_at)
    SELECT owner, c.cause_id, 'missing_there', acquirer, c.cause_id, c.ours, 0, now_at
    FROM (
        SELECT 'payment' AS kind, a.attempt_id AS cause_id, a.settled_paise AS ours FROM attempts a
        WHERE a.merchant_id = owner AND a.attempt_id >= from_id AND a.connector = acquirer
            AND a.state IN ('paid', 'overpaid') AND a.settled_at >= since AND a.settled_at < until_at
        UNION ALL
        SELECT 'payment', c.attempt_id, c.amount_paise FROM completions c
        WHERE c.merchant_id = owner AND c.connector = acquirer AND c.kind = 'capture' AND c.state = 'done'
            AND c.settled_at >= since AND c.settled_at < until_at
        UNION ALL
        SELECT 'refund', r.refund_id, r.settled_paise FROM refunds r
        WHERE r.merchant_id = owner AND r.connector = acquirer AND r.state = 'done'
            AND r.settled_at >= since AND r.settled_at < until_at
        UNION ALL
        -- What never left their books has nothing to come back.
        SELECT 'refund_reversed', r.refund_id, r.settled_paise FROM refunds r
        WHERE r.merchant_id = owner AND r.connector = acquirer AND r.state = 'reversed'
            AND r.reversed_at >= since AND r.reversed_at < until_at
            AND EXISTS (SELECT FROM statement_matches t
                WHERE t.merchant_id = owner AND t.cause_id = r.refund_id AND t.kind = 'refund')
        UNION ALL
        SELECT 'chargeback', d.stage_id, d.taken_settled_paise FROM dispute_stages d
        WHERE d.merchant_id = owner AND d.connector = acquirer
            AND d.settled_at >= since AND d.settled_at < until_at
    ) AS c LEFT JOIN statement_matches m ON m.merchant_id = owner AND m.cause_id = c.cause_id AND m.kind = c.kind
    WHERE m.line_id IS NULL AND c.ours > 0
        AND NOT EXISTS (SELECT FROM reconciliation_items i WHERE i.merchant_id = owner AND i.item_id = c.cause_id)
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS found_there = ROW_COUNT;
    RETURN found_there;
END $$;

CREATE FUNCTION hasten_check(owner bigint, number bigint, provider text, at timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION hasten_payout(owner bigint, payout bigint, provider text, at timestamp with time zone, gap_s integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION is_home(mark text, place oid) RETURNS boolean
    LANGUAGE sql
    AS $$
    SELECT mark = this_home(place)
        OR mark IN ('', this_cluster()) AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
$$;

CREATE FUNCTION items_paise(items jsonb) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT sum((item ->> 'amount_paise')::bigint)::bigint FROM jsonb_array_elements(items) AS item
$$;

CREATE FUNCTION match_lines(owner bigint, from_line bigint, to_line bigint, acquirer text, terms jsonb, late_days integer, now_at timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    matched bigint;
BEGIN
    INSERT INTO statement_matches (merchant_id, line_id, kind, cause_id, class)
    SELECT owner, c.line_id, c.kind, c.cause_id,
        CASE WHEN c.gross_paise <> c.ours THEN 'amount_differs'
            WHEN c.fee_paise <> least(c.fee + (c.fee * c.tax_bps + 5000) / 10000, c.gross_paise) THEN 'fee_differs'
            WHEN c.line_day > c.our_day + late_days THEN 'late' ELSE 'matched' END
    FROM (
        SELECT l.line_id, l.kind, l.cause_id, l.gross_paise, l.fee_paise, l.day AS line_day,
            CASE WHEN a.state = 'authorised' THEN (SELECT p.captured_paise FROM payments p
                WHERE p.merchant_id = owner AND p.payment_id = a.payment_id AND p.state = 'captured')
                ELSE a.settled_paise END AS ours,
            CASE WHEN a.state <> 'authorised' THEN (a.settled_at AT TIME ZONE 'Asia/Kolkata')::date END AS our_day,
            (l.gross_paise * t.bps + 5000) / 10000 + t.fixed_paise AS fee, t.tax_bps
        FROM statement_lines l
            JOIN attempts a ON a.merchant_id = owner AND a.attempt_id = l.cause_id
            LEFT JOIN jsonb_to_recordset(terms) AS t (method text, bps bigint, fixed_paise bigint, tax_bps bigint)
                ON t.method = a.method
        WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.kind = 'payment' AND l.is_credit
            AND a.connector = acquirer AND a.state IN ('paid', 'overpaid', 'authorised')
        UNION ALL
        SELECT l.line_id, l.kind, l.cause_id, l.gross_paise, l.fee_paise, l.day, r.settled_paise,
            (r.settled_at AT TIME ZONE 'Asia/Kolkata')::date,
            (l.gross_paise * t.bps + 5000) / 10000 + t.fixed_paise, t.tax_bps
        FROM statement_lines l
            JOIN refunds r ON r.merchant_id = owner AND r.refund_id = l.cause_id
            LEFT JOIN jsonb_to_recordset(terms) AS t (method text, bps bigint, fixed_paise bigint, tax_bps bigint)
                ON t.method = 'refund'
        WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.kind = 'refund' AND NOT l.is_credit
            AND r.connector = acquirer AND r.state IN ('done', 'reversed')
        UNION ALL
        SELECT l.line_id, 'refund_reversed', l.cause_id, l.gross_paise, l.fee_paise, l.day, r.settled_paise,
            (r.reversed_at AT TIME ZONE 'Asia/Kolkata')::date, 0, 0
        FROM statement_lines l
            JOIN refunds r ON r.merchant_id = owner AND r.refund_id = l.cause_id
        WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.kind = 'refund' AND l.is_credit
            AND r.connector = acquirer AND r.state = 'reversed'
        UNION ALL
        SELECT l.line_id, l.kind, d.stage_id, l.gross_paise, l.fee_paise, l.day, d.taken_settled_paise,
            (d.settled_at AT TIME ZONE 'Asia/Kolkata')::date, 0, 0
        FROM statement_lines l
            JOIN dispute_stages d ON d.merchant_id = owner AND d.attempt_id = l.cause_id AND d.rrn = l.rrn
        WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.kind = 'chargeback' AND NOT l.is_credit
            AND d.connector = acquirer AND d.settled_at IS NOT NULL
    ) AS c
    WHERE c.ours > 0 AND NOT EXISTS (SELECT FROM reconciliation_items i
        WHERE i.merchant_id = owner AND i.item_id = c.line_id AND i.class = 'missing_here' AND i.state = 'resolved'
            AND i.resolution LIKE 'correction %')
    ORDER BY c.line_id
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS matched = ROW_COUNT;
    INSERT INTO reconciliation_items (merchant_id, item_id, class, connector, cause_id, ours_paise, theirs_paise, opened_at)
    SELECT owner, l.line_id,
        CASE WHEN m.class IS NOT NULL THEN m.class WHEN o.line_id IS NOT NULL THEN 'duplicate' ELSE 'missing_here' END,
        acquirer, l.cause_id,
        CASE WHEN m.class IS NULL AND o.line_id IS NULL THEN 0
            WHEN l.kind = 'refund' THEN coalesce((SELECT r.settled_paise FROM refunds r
                WHERE r.merchant_id = owner AND r.refund_id = l.cause_id), 0)
            WHEN l.kind = 'chargeback' THEN coalesce((SELECT d.taken_settled_paise FROM dispute_stages d
                WHERE d.merchant_id = owner AND d.stage_id = coalesce(m.cause_id, o.cause_id)), 0)
            ELSE coalesce((SELECT a.settled_paise FROM attempts a
                WHERE a.merchant_id = owner AND a.attempt_id = l.cause_id), 0) END,
        l.gross_paise, now_at
    FROM statement_lines l
        LEFT JOIN statement_matches m ON m.merchant_id = owner AND m.line_id = l.line_id
        LEFT JOIN dispute_stages t ON t.merchant_id = owner AND l.kind = 'chargeback' AND t.attempt_id = l.cause_id
            AND t.rrn = l.rrn
        LEFT JOIN statement_matches o ON o.merchant_id = owner AND o.cause_id = coalesce(t.stage_id, l.cause_id)
            AND o.kind = CASE WHEN l.kind = 'refund' AND l.is_credit THEN 'refund_reversed' ELSE l.kind END
            AND o.line_id <> l.line_id AND m.line_id IS NULL
    WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.kind <> 'handover'
        AND (m.line_id IS NULL OR m.class IN ('amount_differs', 'fee_differs'))
    ON CONFLICT DO NOTHING;
    PERFORM ask_about_credits(owner, from_line, to_line, acquirer, now_at);
    RETURN matched;
END $$;

CREATE TABLE attempts (
    merchant_id bigint NOT NULL,
    attempt_id gateway_id NOT NULL,
    payment_id bigint NOT NULL,
    method attempt_method NOT NULL,
    state attempt_state NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    received_paise paise DEFAULT 0 NOT NULL,
    currency currency_letters NOT NULL,
    connector text NOT NULL,
    rrn text DEFAULT ''::text NOT NULL,
    bank_code text DEFAULT ''::text NOT NULL,
    bank_message text DEFAULT ''::text NOT NULL,
    approval_code text DEFAULT ''::text NOT NULL,
    payer_vpa text DEFAULT ''::text NOT NULL,
    card jsonb DEFAULT '{}'::jsonb NOT NULL,
    authentication_id text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    inquire_at timestamp with time zone,
    inquiries times DEFAULT 0 NOT NULL,
    charged_at timestamp with time zone,
    hastened_at timestamp with time zone,
    bank text DEFAULT ''::text NOT NULL,
    bank_name text DEFAULT ''::text NOT NULL,
    emi_months times DEFAULT 0 NOT NULL,
    emi_rate_bps times DEFAULT 0 NOT NULL,
    emi_discount_paise paise DEFAULT 0 NOT NULL,
    risk jsonb DEFAULT '{}'::jsonb NOT NULL,
    saved_card text DEFAULT ''::text NOT NULL,
    surcharge_paise paise DEFAULT 0 NOT NULL,
    voucher text DEFAULT ''::text NOT NULL,
    rate_micros paise_above_zero DEFAULT 1000000 NOT NULL,
    settled_paise bigint GENERATED ALWAYS AS ((floor(((((received_paise)::numeric * (rate_micros)::numeric) * 0.000001) + 0.5)))::bigint) STORED,
    route jsonb DEFAULT '{}'::jsonb NOT NULL
);

CREATE TABLE payments (
    merchant_id bigint NOT NULL,
    payment_id gateway_id NOT NULL,
    order_id order_reference NOT NULL,
    content_hash sha256_digest NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    kind payment_kind NOT NULL,
    state payment_state NOT NULL,
    captured_paise paise DEFAULT 0 NOT NULL,
    method text DEFAULT ''::text NOT NULL,
    buyer jsonb NOT NULL,
    custom_var text DEFAULT ''::text NOT NULL,
    channels text[] DEFAULT '{}'::text[] NOT NULL,
    bank_code text DEFAULT ''::text NOT NULL,
    bank_message text DEFAULT ''::text NOT NULL,
    revision ordinal DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    refunds times DEFAULT 0 NOT NULL,
    refunded_paise paise DEFAULT 0 NOT NULL,
    emi_months times DEFAULT 0 NOT NULL,
    settled_at timestamp with time zone,
    restrictions jsonb DEFAULT '{}'::jsonb NOT NULL,
    surcharges bigint[] DEFAULT '{}'::bigint[] NOT NULL
);

CREATE FUNCTION payment_with_attempts(owner bigint, payment bigint, ordered text) RETURNS TABLE(p payments, a attempts)
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    IF payment IS NOT NULL THEN
        SELECT t.* INTO p FROM payments t WHERE t.merchant_id = owner AND t.payment_id = payment;
    ELSE
        SELECT t.* INTO p FROM payments t WHERE t.merchant_id = owner AND t.order_id = ordered;
    END IF;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    FOR a IN
        SELECT t.* FROM attempts t WHERE t.merchant_id = owner AND t.payment_id = p.payment_id
        ORDER BY t.created_at, t.attempt_id
    LOOP
        RETURN NEXT;
    END LOOP;
    IF NOT FOUND THEN
        RETURN NEXT;
    END IF;
END $$;

CREATE FUNCTION people_by_name() RETURNS TABLE(person_id bigint, email text, name text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT person_id, email, name FROM people WHERE state <> 'ended'
$$;

CREATE FUNCTION people_to_tell(place bigint) RETURNS TABLE(person_id bigint, email text, role text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY SELECT p.person_id::bigint, p.email::text, m.role::text FROM memberships m JOIN people p ON p.person_id = m.person_id
    WHERE m.merchant_id = place AND p.state = 'active';
END $$;

CREATE FUNCTION person_key(name text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
BEGIN
    RETURN normalize(regexp_replace(replace(replace(translate(normalize(name, NFKD),
        'ABCDEFGHIJKLMNOPQRSTUVWXYZÆÐØÞĐĦŁŊŒŦƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƢƤƦƧƩƬƮƱƲƳƵƷƸƼǤǶǷȜȠȢȤȺȻȽ'
        'ȾɁɃɄɅɆɈɊɌɎͅͰͲͶͿΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςϏϘϚϜϞϠϢϤϦϨϪϬϮϷϺϽϾϿЂЄЅІЈЉЊЋЏАБВГДЕЖЗИКЛМН'
        'ОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӃӅӇӉӋӍӔӘӠӨӶӺӼӾԀԂԄԆ'
        'ԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵ'
        'ႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᏸᏹᏺᏻᏼᏽᲀᲁᲂᲃᲄᲅᲆᲇᲈᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿỺ'
        'ỼỾℲↃⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘ'
        'ⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚꜢꜤꜦ'
        'ꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟐ'
        'ꟖꟘꟵꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿꮀꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼ'
        'ꮽꮾꮿ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰'
        '𐕱𐕲𐕳𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬𐲭'
        '𐲮𐲯𐲰𐲱𐲲𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉𞤊'
        '𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡',
        'abcdefghijklmnopqrstuvwxyzæðøþđħłŋœŧɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵƣƥʀƨʃƭʈʊʋƴƶʒƹƽǥƕƿȝƞȣȥⱥȼƚ'
        'ⱦɂƀʉʌɇɉɋɍɏιͱͳͷϳαβγδεζηθικλμνξοπρστυφχψωσϗϙϛϝϟϡϣϥϧϩϫϭϯϸϻͻͼͽђєѕіјљњћџабвгдежзиклмн'
        'опрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӄӆӈӊӌӎӕәӡөӷӻӽӿԁԃԅԇ'
        'ԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕ'
        'ⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭᏰᏱᏲᏳᏴᏵвдосттъѣꙋაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿỻ'
        'ỽỿⅎↄⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨⱪⱬɑɱɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙ'
        'ⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛꜣꜥꜧ'
        'ꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊꟑ'
        'ꟗꟙꟶᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬ'
        'ᏭᏮᏯ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗'
        '𐖘𐖙𐖚𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼𐳀𐳁𐳂𐳃𐳄𐳅𐳆𐳇𐳈𐳉𐳊𐳋𐳌𐳍𐳎𐳏𐳐𐳑𐳒𐳓𐳔𐳕𐳖𐳗𐳘𐳙𐳚𐳛𐳜𐳝𐳞𐳟𐳠𐳡𐳢𐳣𐳤𐳥𐳦𐳧𐳨𐳩𐳪𐳫𐳬𐳭'
        '𐳮𐳯𐳰𐳱𐳲𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩𞤪𞤫𞤬'
        '𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷𞤸𞤹𞤺𞤻𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃'
    ), 'ß', 'ss'), 'ẞ', 'ss'), '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u009f\u00ad\u034f\u061c\u115f\u1160'
        '\u1680\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0'
        '\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]', '', 'g'), NFKC);
END $$;

CREATE FUNCTION post_handover(owner bigint, from_line bigint, to_line bigint, transfer text, now_at timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    posted bigint;
BEGIN
    INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
    SELECT owner, l.line_id, p.kind, p.debit, p.credit, p.paise, 'INR', now_at
    FROM statement_lines l
        JOIN statement_matches m ON m.merchant_id = owner AND m.line_id = l.line_id
        CROSS JOIN LATERAL (VALUES
            ('handed_over', CASE WHEN l.is_credit THEN 'escrow' ELSE 'receivable:' || l.connector END,
                CASE WHEN l.is_credit THEN 'receivable:' || l.connector ELSE 'escrow' END, l.net_paise),
            ('acquirer_fee', 'acquirer_cost', 'receivable:' || l.connector,
                CASE WHEN m.class IN ('matched', 'late') THEN l.fee_paise ELSE 0 END)
        ) AS p (kind, debit, credit, paise)
    WHERE l.merchant_id = owner AND l.line_id BETWEEN from_line AND to_line AND l.utr = transfer
        AND m.class IN ('matched', 'late', 'fee_differs') AND p.paise > 0
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS posted = ROW_COUNT;
    RETURN posted;
END $$;

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

CREATE FUNCTION record_tries(owner bigint, payments bigint[], events integer[], attempts integer[], begun timestamp with time zone[], urls text[], statuses integer[], latencies integer[], answers text[], problems text[], states text[], due timestamp with time zone[], probes timestamp with time zone[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    ended text;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    FOR i IN 1 .. cardinality(payments) LOOP
        INSERT INTO delivery_attempts (merchant_id, payment_id, event_no, attempt_no, at, url, status, latency_ms,
            answer, problem)
        VALUES (owner, payments[i], events[i], attempts[i], begun[i], urls[i], statuses[i], latencies[i], answers[i],
            problems[i])
        ON CONFLICT (merchant_id, payment_id, event_no, attempt_no) DO UPDATE
        SET at = excluded.at, url = excluded.url, status = excluded.status, latency_ms = excluded.latency_ms,
            answer = excluded.answer, problem = excluded.problem;
        -- Never SET a column from an array's element: Citus 13 crashes on it when it keeps the plan.
        ended := states[i];
        UPDATE deliveries d SET state = ended, due_at = coalesce(due[i], d.due_at),
            delivered_at = CASE WHEN ended = 'delivered' THEN begun[i] ELSE d.delivered_at END
        WHERE d.merchant_id = owner AND d.payment_id = payments[i] AND d.event_no = events[i]
            AND (d.state = 'sending' AND d.tries = attempts[i] OR ended = 'delivered' AND d.state <> 'delivered');
        IF probes[i] IS NOT NULL THEN
            INSERT INTO failing_endpoints (merchant_id, since, problem, probe_at)
            VALUES (owner, begun[i], problems[i], probes[i])
            ON CONFLICT (merchant_id) DO UPDATE SET problem = excluded.problem, probe_at = excluded.probe_at;
        END IF;
    END LOOP;
    IF states @> '{delivered}' OR states @> '{no_endpoint}' THEN
        DELETE FROM failing_endpoints WHERE merchant_id = owner;
    END IF;
END $$;

CREATE FUNCTION refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
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
END $_$;

CREATE FUNCTION refuse_gap() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF NEW.entry_no > 1 + coalesce((SELECT max(entry_no) FROM trail_entries WHERE merchant_id = NEW.merchant_id), 0) THEN
        RAISE EXCEPTION 'entry % of % has none before it', NEW.entry_no, NEW.merchant_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION refuse_without_papers() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NEW.registered_name <> '' AND NEW.accepted_by = '' AND EXISTS (SELECT FROM account_checks c
            WHERE c.merchant_id = NEW.merchant_id AND c.check_id = NEW.check_id AND c.outcome = 'name') THEN
        RETURN NEW;
    END IF;
    IF NEW.registered_name <> '' OR NEW.accepted_by = ''
        OR EXISTS (SELECT FROM account_checks c WHERE c.merchant_id = NEW.merchant_id
            AND c.beneficiary = NEW.beneficiary AND c.account_no = NEW.account_no)
        OR (SELECT array_agg(p.paper_id::bigint ORDER BY p.paper_id) FROM account_papers p WHERE p.merchant_id = NEW.merchant_id
            AND p.beneficiary = NEW.beneficiary AND p.account_no = NEW.account_no)
            IS DISTINCT FROM (SELECT n.papers FROM accepted_names n WHERE n.merchant_id = NEW.merchant_id
            AND n.beneficiary = NEW.beneficiary AND n.account_no = NEW.account_no AND n.person = NEW.accepted_by
            AND cardinality(n.papers) > 0)
        OR NOT EXISTS (SELECT FROM account_papers p WHERE p.merchant_id = NEW.merchant_id
            AND p.beneficiary = NEW.beneficiary AND p.account_no = NEW.account_no)
        OR EXISTS (SELECT FROM account_papers p WHERE p.merchant_id = NEW.merchant_id
            AND p.beneficiary = NEW.beneficiary AND p.account_no = NEW.account_no
            AND person_key(p.added_by) = person_key(NEW.accepted_by)) THEN
        RAISE EXCEPTION 'account %: the bank''s word, or all its papers and another person who accepts them', NEW.beneficiary
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION refuse_wrong_approval() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION refuse_wrong_attempt() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT ((NEW.received_paise > 0) = (NEW.state IN ('paid', 'authorised', 'overpaid'))
        AND (NEW.state NOT IN ('paid', 'authorised') OR NEW.received_paise = NEW.amount_paise)
        AND NEW.surcharge_paise < NEW.amount_paise
        AND (NEW.surcharge_paise = 0 OR NEW.method NOT IN ('upi_qr', 'upi_collect', 'upi_autopay', 'card', 'card_moto',
            'card_emi'))) THEN
        RAISE EXCEPTION 'attempt % does not add up (attempts_received)', NEW.attempt_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'attempts_received';
    END IF;
    IF NEW.surcharge_paise <> 0
        AND NEW.method IN ('upi_link', 'card_direct', 'card_page', 'emi_page', 'emi_direct') THEN
        RAISE EXCEPTION 'attempt % has a surcharge (attempts_without_surcharge)', NEW.attempt_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'attempts_without_surcharge';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION refuse_wrong_delivery() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
DECLARE
    -- On a cluster it is a piece's, which has a number behind its table's.
    rule text;
BEGIN
    IF NOT (NEW.tries_before <= NEW.tries AND (NEW.state <> 'delivered' OR NEW.delivered_at IS NOT NULL)) THEN
        rule := regexp_replace(TG_TABLE_NAME, '_[0-9]+$', '') || '_counted';
        RAISE EXCEPTION 'delivery % of payment % does not add up (%)', NEW.event_no, NEW.payment_id, rule
            USING ERRCODE = 'check_violation', CONSTRAINT = rule;
    END IF;
    RETURN NEW;
END $_$;

CREATE FUNCTION refuse_wrong_move() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT (NEW.refunded_paise <= NEW.captured_paise AND NEW.captured_paise <= NEW.amount_paise
        AND (NEW.refunded_paise > 0) = (NEW.refunds > 0)
        AND (NEW.captured_paise > 0) = (NEW.state IN ('paid', 'captured'))) THEN
        RAISE EXCEPTION 'payment % does not add up (payments_captured)', NEW.payment_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_captured';
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.state <> OLD.state AND NOT (CASE OLD.state
        WHEN 'open' THEN NEW.state IN ('in_process', 'failed', 'not_registered', 'abandoned', 'expired', 'unknown',
            'under_review', 'authorised', 'paid')
        WHEN 'in_process' THEN NEW.state IN ('open', 'failed', 'not_registered', 'abandoned', 'expired', 'unknown',
            'under_review', 'authorised', 'paid')
        WHEN 'failed' THEN NEW.state IN ('open', 'in_process', 'under_review', 'authorised', 'paid')
        WHEN 'not_registered' THEN NEW.state IN ('open', 'in_process', 'under_review', 'authorised', 'paid')
        WHEN 'abandoned' THEN NEW.state IN ('open', 'in_process', 'under_review', 'authorised', 'paid')
        WHEN 'expired' THEN NEW.state IN ('open', 'in_process', 'under_review', 'authorised', 'paid')
        WHEN 'unknown' THEN NEW.state IN ('failed', 'not_registered', 'abandoned', 'expired', 'under_review',
            'authorised', 'paid')
        WHEN 'under_review' THEN NEW.state IN ('failed', 'captured', 'voided', 'authorised', 'paid')
        WHEN 'authorised' THEN NEW.state IN ('captured', 'voided')
        ELSE false
    END) THEN
        RAISE EXCEPTION 'payment %: % may not become %', NEW.payment_id, OLD.state, NEW.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION refuse_wrong_payout() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (OLD.merchant_id, OLD.payout_id, OLD.share_id, OLD.try_no, OLD.beneficiary, OLD.account_no,
            OLD.amount_paise, OLD.source, OLD.connector, OLD.created_at) IS DISTINCT FROM
            (NEW.merchant_id, NEW.payout_id, NEW.share_id, NEW.try_no, NEW.beneficiary, NEW.account_no,
            NEW.amount_paise, NEW.source, NEW.connector, NEW.created_at)
        OR OLD.maker <> '' AND NEW.maker <> OLD.maker OR OLD.checker <> '' AND NEW.checker <> OLD.checker
        OR (OLD.late_utr, OLD.late_at) IS DISTINCT FROM (NEW.late_utr, NEW.late_at) AND OLD.late_at IS NOT NULL
        OR (OLD.sent_by, OLD.sent_rail) IS DISTINCT FROM (NEW.sent_by, NEW.sent_rail) AND NEW.state <> 'sent'
        OR (NEW.state <> OLD.state AND NOT (CASE OLD.state
            WHEN 'prepared' THEN NEW.state IN ('proposed', 'held_back')
            WHEN 'proposed' THEN NEW.state IN ('approved', 'held_back')
            WHEN 'approved' THEN NEW.state IN ('awaiting_balance', 'awaiting_provider', 'sent', 'held_back')
            WHEN 'awaiting_balance' THEN NEW.state IN ('awaiting_provider', 'sent', 'held_back')
            WHEN 'awaiting_provider' THEN NEW.state IN ('awaiting_balance', 'sent', 'held_back')
            WHEN 'unknown' THEN NEW.state IN ('sent', 'awaiting_approval', 'queued', 'processing', 'deemed', 'done',
                'refused', 'returned')
            WHEN 'done' THEN NEW.state = 'reversed'
            WHEN 'refused' THEN NEW.state IN ('paid_late', 'paid_twice')
            WHEN 'paid_late' THEN NEW.state = 'reversed'
            WHEN 'paid_twice' THEN NEW.state = 'reversed'
            ELSE OLD.state IN ('sent', 'awaiting_approval', 'queued', 'processing', 'deemed')
                AND NEW.state IN ('unknown', 'awaiting_approval', 'queued', 'processing', 'deemed', 'done', 'refused',
                    'returned')
            END)) THEN
        RAISE EXCEPTION 'payout %: this change is refused in state %', OLD.payout_id, OLD.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION refuse_wrong_reversal() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.state IN ('done', 'cancelled') OR (OLD.merchant_id, OLD.reversal_id, OLD.share_id,
            OLD.amount_paise, OLD.created_at, OLD.refund_id) IS DISTINCT FROM (NEW.merchant_id, NEW.reversal_id, NEW.share_id,
            NEW.amount_paise, NEW.created_at, NEW.refund_id) OR OLD.state = 'owed' AND NEW.state = 'unknown' THEN
        RAISE EXCEPTION 'share reversal %: this change is refused in state %', OLD.reversal_id, OLD.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION refuse_wrong_share() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (OLD.merchant_id, OLD.share_id, OLD.payment_id, OLD.request_id, OLD.identifier, OLD.attempt_id,
            OLD.connector, OLD.party, OLD.base_paise, OLD.amount_paise, OLD.created_at) IS DISTINCT FROM
            (NEW.merchant_id, NEW.share_id, NEW.payment_id, NEW.request_id, NEW.identifier, NEW.attempt_id,
            NEW.connector, NEW.party, NEW.base_paise, NEW.amount_paise, NEW.created_at)
        OR OLD.sent_paise > 0 AND NEW.sent_paise <> OLD.sent_paise
        OR OLD.utr <> '' AND NEW.utr <> OLD.utr
        OR (NEW.state <> OLD.state AND NOT (CASE OLD.state
            WHEN 'waiting' THEN NEW.state IN ('sent', 'cancelled')
            WHEN 'sent' THEN NEW.state IN ('unknown', 'done', 'refused')
            WHEN 'unknown' THEN NEW.state IN ('sent', 'done', 'refused')
            ELSE false END)) THEN
        RAISE EXCEPTION 'direct share %: this change is refused in state %', OLD.share_id, OLD.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION resolve_items(owner bigint, acquirer text, terms jsonb, late_days integer, now_at timestamp with time zone) RETURNS bigint[]
    LANGUAGE plpgsql
    AS $$
DECLARE
    line bigint;
    differing bigint[];
    ended bigint[];
BEGIN
    FOR line IN SELECT i.item_id FROM reconciliation_items i WHERE i.merchant_id = owner AND i.state = 'open'
        AND i.class = 'missing_here' AND i.connector = acquirer AND i.cause_id > 0 ORDER BY i.item_id LIMIT 10000
    LOOP
        PERFORM match_lines(owner, line, line, acquirer, terms, late_days, now_at);
    END LOOP;
    -- A line whose payment is known by now and differs is that difference alone: its own money comes with the hand-over.
    WITH found AS (
        UPDATE reconciliation_items i SET class = m.class, ours_paise = coalesce(
                (SELECT r.settled_paise FROM refunds r
                    WHERE r.merchant_id = owner AND r.refund_id = m.cause_id AND m.kind IN ('refund', 'refund_reversed')),
                (SELECT d.taken_settled_paise FROM dispute_stages d
                    WHERE d.merchant_id = owner AND d.stage_id = m.cause_id AND m.kind = 'chargeback'),
                (SELECT a.settled_paise FROM attempts a
                    WHERE a.merchant_id = owner AND a.attempt_id = m.cause_id AND m.kind = 'payment'), 0)
        FROM statement_matches m
        WHERE i.merchant_id = owner AND i.state = 'open' AND i.connector = acquirer AND i.class = 'missing_here'
            AND m.merchant_id = owner AND m.line_id = i.item_id AND m.class IN ('amount_differs', 'fee_differs')
        RETURNING i.item_id)
    SELECT coalesce(array_agg(f.item_id ORDER BY f.item_id), '{}') INTO differing FROM found f;
    WITH closed AS (
        UPDATE reconciliation_items i SET state = 'resolved', resolved_at = now_at,
            resolution = CASE WHEN i.class = 'missing_there' THEN 'its line came later' ELSE 'its payment was learnt later' END
        WHERE i.merchant_id = owner AND i.state = 'open' AND i.connector = acquirer
            AND i.class IN ('missing_here', 'missing_there')
            AND EXISTS (SELECT FROM statement_matches m WHERE m.merchant_id = owner AND m.class IN ('matched', 'late')
                AND (i.class = 'missing_here' AND m.line_id = i.item_id
                    OR i.class = 'missing_there' AND m.cause_id = i.cause_id
                        AND m.kind = CASE WHEN EXISTS (SELECT FROM refunds f
                                WHERE f.merchant_id = owner AND f.refund_id = i.cause_id AND f.reversed_at <= i.opened_at)
                                THEN 'refund_reversed'
                            WHEN EXISTS (SELECT FROM refunds f
                                WHERE f.merchant_id = owner AND f.refund_id = i.cause_id) THEN 'refund'
                            WHEN EXISTS (SELECT FROM dispute_stages d
                                WHERE d.merchant_id = owner AND d.stage_id = i.cause_id) THEN 'chargeback'
                            ELSE 'payment' END))
        RETURNING i.item_id, i.class)
    SELECT coalesce(array_agg(c.item_id ORDER BY c.item_id) FILTER (WHERE c.class = 'missing_here'), '{}') INTO ended
    FROM closed c;
    RETURN differing || ended;
END $$;

CREATE FUNCTION roll_up(owner bigint, at timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    here text;
    old_mark xid8;
    new_mark xid8;
    side record;
    rolled bigint := 0;
BEGIN
    INSERT INTO ledger_rolls (merchant_id, through, rolled_at, cluster) VALUES (owner, '0', at, '')
    ON CONFLICT (merchant_id) DO UPDATE SET rolled_at = excluded.rolled_at;
    SELECT this_home(r.tableoid), CASE WHEN is_home(r.cluster, r.tableoid) THEN r.through END,
        pg_snapshot_xmin(pg_current_snapshot())
    INTO here, old_mark, new_mark FROM ledger_rolls r WHERE r.merchant_id = owner;
    IF old_mark IS NULL OR old_mark > new_mark THEN
        DELETE FROM ledger_checkpoints WHERE merchant_id = owner;
        INSERT INTO ledger_checkpoints (merchant_id, account, currency, debit_paise, credit_paise)
        SELECT owner, account, currency, debit_paise, credit_paise FROM archived_sums WHERE merchant_id = owner;
        old_mark := '0';
    END IF;
    FOR side IN
        SELECT s.account, s.currency, sum(s.debited) AS debited, sum(s.credited) AS credited, sum(s.postings) AS postings
        FROM (
            SELECT debit AS account, currency, sum(amount_paise) AS debited, 0 AS credited, count(*) AS postings
            FROM ledger_postings WHERE merchant_id = owner AND xact >= old_mark AND xact < new_mark
            GROUP BY debit, currency
            UNION ALL
            SELECT credit, currency, 0, sum(amount_paise), 0
            FROM ledger_postings WHERE merchant_id = owner AND xact >= old_mark AND xact < new_mark
            GROUP BY credit, currency
        ) AS s
        GROUP BY s.account, s.currency
    LOOP
        INSERT INTO ledger_checkpoints AS c (merchant_id, account, currency, debit_paise, credit_paise)
        VALUES (owner, side.account, side.currency, side.debited, side.credited)
        ON CONFLICT (merchant_id, account, currency) DO UPDATE
        SET debit_paise = c.debit_paise + excluded.debit_paise, credit_paise = c.credit_paise + excluded.credit_paise;
        rolled := rolled + side.postings;
    END LOOP;
    UPDATE ledger_rolls SET through = new_mark, cluster = here WHERE merchant_id = owner;
    RETURN rolled;
END $$;

CREATE FUNCTION stamp_transaction() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- What comes back from the archive has its own.
    NEW.xact := coalesce(NEW.xact, pg_current_xact_id());
    RETURN NEW;
END $$;

CREATE FUNCTION start_attempt(owner bigint, payment bigint, decided_on integer, to_state text, to_method text, to_captured_paise bigint, to_refunds integer, to_refunded_paise bigint, to_bank_code text, to_bank_message text, to_expires_at timestamp with time zone, event_kind text, event_actor text, tried bigint, announced text, causes bigint[], kinds text[], debits text[], credits text[], paise bigint[], currencies text[], at timestamp with time zone, facts jsonb, new_method text, new_state text, new_amount_paise bigint, new_currency text, new_connector text, new_created_at timestamp with time zone, new_expires_at timestamp with time zone, new_received_paise bigint, new_rrn text, new_bank_code text, new_bank_message text, new_approval_code text, new_payer_vpa text, new_card jsonb, new_authentication_id text, new_settled_at timestamp with time zone, new_inquire_at timestamp with time zone, new_bank text, new_bank_name text, new_emi_months integer, new_emi_rate_bps integer, new_emi_discount_paise bigint, new_risk jsonb, new_saved_card text, new_surcharge_paise bigint, new_voucher text, new_rate_micros bigint, new_route jsonb DEFAULT '{}'::jsonb) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT write_step(owner, payment, decided_on,
        to_state, to_method, to_captured_paise, to_refunds, to_refunded_paise, to_bank_code, to_bank_message,
        to_expires_at,
        event_kind, event_actor, tried, announced, causes, kinds, debits, credits, paise, currencies, at, facts,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
    THEN
        RETURN false;
    END IF;
    INSERT INTO attempts (
        merchant_id, payment_id, attempt_id, method, state, amount_paise, currency, connector, created_at, expires_at,
        received_paise, rrn, bank_code, bank_message, approval_code, payer_vpa, card, authentication_id, settled_at,
        inquire_at, bank, bank_name, emi_months, emi_rate_bps, emi_discount_paise, risk, saved_card, surcharge_paise,
        voucher, rate_micros, route)
    VALUES (
        owner, payment, tried, new_method, new_state, new_amount_paise, new_currency, new_connector, new_created_at,
        new_expires_at, new_received_paise, new_rrn, new_bank_code, new_bank_message, new_approval_code,
        new_payer_vpa, new_card, new_authentication_id, new_settled_at, new_inquire_at, new_bank, new_bank_name,
        new_emi_months, new_emi_rate_bps, new_emi_discount_paise, new_risk, new_saved_card, new_surcharge_paise,
        new_voucher, new_rate_micros, new_route);
    RETURN true;
END $$;

CREATE FUNCTION this_cluster() RETURNS text
    LANGUAGE sql
    AS $$
    SELECT system_identifier::text FROM pg_control_system()
$$;

CREATE FUNCTION this_home(place oid) RETURNS text
    LANGUAGE sql
    AS $$
    SELECT this_cluster() || '/' || place
$$;

CREATE FUNCTION write_step(owner bigint, payment bigint, decided_on integer, to_state text, to_method text, to_captured_paise bigint, to_refunds integer, to_refunded_paise bigint, to_bank_code text, to_bank_message text, to_expires_at timestamp with time zone, event_kind text, event_actor text, tried bigint, announced text, causes bigint[], kinds text[], debits text[], credits text[], paise bigint[], currencies text[], at timestamp with time zone, facts jsonb, try_state text, try_received_paise bigint, try_rrn text, try_bank_code text, try_bank_message text, try_approval_code text, try_payer_vpa text, try_card jsonb, try_authentication_id text, try_settled_at timestamp with time zone, try_inquire_at timestamp with time zone, try_charged_at timestamp with time zone, try_voucher text, try_rate_micros bigint) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
DECLARE
    place integer;
BEGIN
    UPDATE payments SET
        state = to_state, method = to_method, captured_paise = to_captured_paise, refunds = to_refunds,
        refunded_paise = to_refunded_paise, bank_code = to_bank_code, bank_message = to_bank_message,
        expires_at = to_expires_at,
        revision = revision + 1
    WHERE merchant_id = owner AND payment_id = payment AND revision = decided_on;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF try_state IS NOT NULL THEN
        UPDATE attempts SET
            state = try_state, received_paise = try_received_paise, rrn = try_rrn, bank_code = try_bank_code,
            bank_message = try_bank_message, approval_code = try_approval_code, payer_vpa = try_payer_vpa,
            card = try_card, authentication_id = try_authentication_id, settled_at = try_settled_at,
            inquire_at = try_inquire_at, charged_at = try_charged_at, voucher = try_voucher,
            rate_micros = try_rate_micros,
            inquiries = CASE WHEN state = 'offered' THEN 0 ELSE inquiries END
        WHERE merchant_id = owner AND attempt_id = tried;
    END IF;
    INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor, attempt_id)
    VALUES (owner, payment, decided_on + 1, at, event_kind, to_state, event_actor, tried);
    FOR i IN 1 .. cardinality(causes) LOOP
        INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
        VALUES (owner, causes[i], kinds[i], debits[i], credits[i], paise[i], currencies[i], at);
    END LOOP;
    IF announced IS NOT NULL THEN
        INSERT INTO deliveries (merchant_id, payment_id, event_no, kind, facts, state, created_at, due_at,
            scheduled_from)
        VALUES (owner, payment, decided_on + 1, announced, facts, 'waiting', at, at, at);
        FOR place IN
            SELECT e.endpoint_no FROM webhook_endpoints e
            WHERE e.merchant_id = owner AND e.state = 'enabled' AND announced = ANY (e.events)
        LOOP
            INSERT INTO endpoint_deliveries (merchant_id, endpoint_no, payment_id, event_no, kind, facts, state,
                created_at, due_at, scheduled_from)
            VALUES (owner, place, payment, decided_on + 1, announced, facts, 'waiting', at, at, at);
        END LOOP;
    END IF;
    RETURN true;
END $$;

CREATE TABLE accepted_names (
    merchant_id bigint NOT NULL,
    beneficiary order_reference NOT NULL,
    account_no ordinal NOT NULL,
    person text NOT NULL,
    at timestamp with time zone NOT NULL,
    papers bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    CONSTRAINT accepted_names_person_check CHECK (((length(person) >= 1) AND (length(person) <= 64)))
);

CREATE TABLE access_tokens (
    merchant_id bigint NOT NULL,
    token_hash bytea NOT NULL,
    scope text NOT NULL,
    network text NOT NULL,
    issued_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT access_tokens_check CHECK ((expires_at > issued_at)),
    CONSTRAINT access_tokens_scope_check CHECK ((scope = ANY (ARRAY[''::text, 'page'::text, 'operations'::text]))),
    CONSTRAINT access_tokens_token_hash_check CHECK ((length(token_hash) = 32))
);

CREATE TABLE account_checks (
    merchant_id bigint NOT NULL,
    check_id gateway_id NOT NULL,
    beneficiary order_reference NOT NULL,
    account_no ordinal NOT NULL,
    connector text NOT NULL,
    outcome text NOT NULL,
    score smallint,
    code text NOT NULL,
    message text NOT NULL,
    cost_paise bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT account_checks_check CHECK (((outcome = 'name'::text) OR (score IS NULL))),
    CONSTRAINT account_checks_cost_paise_check CHECK ((cost_paise >= 0)),
    CONSTRAINT account_checks_outcome_check CHECK ((outcome = ANY (ARRAY['name'::text, 'closed'::text, 'frozen'::text, 'absent'::text, 'not_payable'::text, 'other'::text]))),
    CONSTRAINT account_checks_score_check CHECK (((score >= 0) AND (score <= 100)))
);

CREATE TABLE account_lines (
    line_id bigint NOT NULL,
    account text NOT NULL,
    day date NOT NULL,
    utr text NOT NULL,
    net_paise bigint NOT NULL
);

CREATE TABLE account_papers (
    merchant_id bigint NOT NULL,
    paper_id gateway_id NOT NULL,
    beneficiary order_reference NOT NULL,
    account_no ordinal NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    media_type text NOT NULL,
    size_bytes ordinal NOT NULL,
    digest sha256_digest NOT NULL,
    sealed_content bytea NOT NULL,
    added_by text NOT NULL,
    added_at timestamp with time zone NOT NULL,
    CONSTRAINT account_papers_added_by_check CHECK (((length(added_by) >= 1) AND (length(added_by) <= 64))),
    CONSTRAINT account_papers_kind_check CHECK ((kind = ANY (ARRAY['cancelled_cheque'::text, 'statement'::text]))),
    CONSTRAINT account_papers_media_type_check CHECK ((media_type = ANY (ARRAY['application/pdf'::text, 'image/png'::text, 'image/jpeg'::text]))),
    CONSTRAINT account_papers_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
);

CREATE TABLE acquirer_accounts (
    name text NOT NULL,
    kind text NOT NULL,
    serves bigint NOT NULL,
    simulated boolean NOT NULL,
    fields jsonb NOT NULL,
    sealed_secrets bytea NOT NULL,
    sealed_before bytea,
    before_until timestamp with time zone,
    state text NOT NULL,
    revision ordinal NOT NULL,
    added_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT acquirer_accounts_check CHECK (((sealed_before IS NULL) = (before_until IS NULL))),
    CONSTRAINT acquirer_accounts_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 64))),
    CONSTRAINT acquirer_accounts_name_check CHECK (((name ~ '^[a-z][a-z0-9]*(_[a-z0-9]+)*$'::text) AND (length(name) <= 32))),
    CONSTRAINT acquirer_accounts_serves_check CHECK ((serves >= 0)),
    CONSTRAINT acquirer_accounts_state_check CHECK ((state = ANY (ARRAY['active'::text, 'disabled'::text])))
);

CREATE TABLE acquirer_numbers (
    series text NOT NULL,
    last_number bigint NOT NULL,
    CONSTRAINT acquirer_numbers_last_number_check CHECK ((last_number > 0)),
    CONSTRAINT acquirer_numbers_series_check CHECK (((length(series) >= 1) AND (length(series) <= 63)))
);

CREATE TABLE acquirer_terms (
    connector text NOT NULL,
    version ordinal NOT NULL,
    document jsonb NOT NULL,
    set_by text NOT NULL,
    set_at timestamp with time zone NOT NULL
);

CREATE TABLE acquirer_troubles (
    connector text NOT NULL,
    error text NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT acquirer_troubles_connector_check CHECK (((length(connector) >= 1) AND (length(connector) <= 63))),
    CONSTRAINT acquirer_troubles_error_check CHECK (((length(error) >= 1) AND (length(error) <= 200)))
);

CREATE TABLE acquirer_words (
    merchant_id bigint NOT NULL,
    reference text NOT NULL,
    name text NOT NULL,
    value text NOT NULL,
    written_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT acquirer_words_name_check CHECK ((name ~ '^[a-z_]{1,32}$'::text)),
    CONSTRAINT acquirer_words_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 40))),
    CONSTRAINT acquirer_words_value_check CHECK (((length(value) >= 1) AND (length(value) <= 2048)))
);

CREATE TABLE address_checks (
    merchant_id bigint NOT NULL,
    span text NOT NULL,
    began_at timestamp with time zone NOT NULL,
    checks times NOT NULL,
    CONSTRAINT address_checks_span_check CHECK ((span = ANY (ARRAY['minute'::text, 'day'::text])))
);

CREATE TABLE approvals (
    merchant_id bigint NOT NULL,
    approval_id gateway_id NOT NULL,
    kind text NOT NULL,
    title text NOT NULL,
    payload jsonb NOT NULL,
    state approval_state NOT NULL,
    made_by gateway_id NOT NULL,
    maker text NOT NULL,
    reason text NOT NULL,
    made_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    decided_by gateway_id,
    checker text DEFAULT ''::text NOT NULL,
    decided_at timestamp with time zone,
    note text DEFAULT ''::text NOT NULL,
    result text DEFAULT ''::text NOT NULL,
    act_id text DEFAULT ''::text NOT NULL,
    performing_until timestamp with time zone,
    CONSTRAINT approvals_act_id_check CHECK ((act_id ~ '^[0-9]{0,15}$'::text)),
    CONSTRAINT approvals_decided CHECK ((((decided_by IS NULL) = (decided_at IS NULL)) AND (((state)::text <> ALL (ARRAY['approved'::text, 'done'::text, 'failed'::text, 'rejected'::text])) OR (decided_by IS NOT NULL)))),
    CONSTRAINT approvals_kind_check CHECK ((kind ~ '^[a-z_]+$'::text)),
    CONSTRAINT approvals_reason_check CHECK ((length(reason) <= 500)),
    CONSTRAINT approvals_title_check CHECK (((length(title) >= 1) AND (length(title) <= 200))),
    CONSTRAINT approvals_two_people CHECK (((decided_by)::bigint <> (made_by)::bigint))
);

CREATE TABLE archived_links (
    merchant_id bigint NOT NULL,
    book text NOT NULL,
    block_no ordinal NOT NULL,
    links times NOT NULL
);

CREATE TABLE archived_orders (
    merchant_id bigint NOT NULL,
    order_id order_reference NOT NULL,
    payment_id gateway_id NOT NULL,
    marked_at timestamp with time zone NOT NULL
);

CREATE TABLE archived_payments (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    order_id text NOT NULL,
    attempt_ids bigint[] NOT NULL,
    rrns text[] NOT NULL,
    contents jsonb NOT NULL,
    archived_at timestamp with time zone NOT NULL
)
PARTITION BY RANGE (payment_id);

CREATE TABLE archived_sums (
    merchant_id bigint NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    debit_paise numeric(24,0) NOT NULL,
    credit_paise numeric(24,0) NOT NULL,
    CONSTRAINT archived_sums_credit_paise_check CHECK ((credit_paise >= (0)::numeric)),
    CONSTRAINT archived_sums_debit_paise_check CHECK ((debit_paise >= (0)::numeric))
);

CREATE TABLE assistant_keys (
    merchant_id bigint NOT NULL,
    key_id gateway_id NOT NULL,
    name text NOT NULL,
    person_id gateway_id NOT NULL,
    scopes text[] NOT NULL,
    secret_hash sha256_digest NOT NULL,
    made_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    mark bytea NOT NULL,
    CONSTRAINT assistant_keys_check CHECK ((ends_at > made_at)),
    CONSTRAINT assistant_keys_merchant_id_check CHECK ((merchant_id >= 0)),
    CONSTRAINT assistant_keys_name_check CHECK ((name ~ '^[a-z][a-z0-9-]{0,39}$'::text)),
    CONSTRAINT assistant_keys_scopes_check CHECK (((cardinality(scopes) >= 1) AND (cardinality(scopes) <= 50)))
);

CREATE TABLE bank_accounts (
    merchant_id bigint NOT NULL,
    beneficiary order_reference NOT NULL,
    account_no ordinal NOT NULL,
    holder text NOT NULL,
    sealed_number bytea NOT NULL,
    last4 text NOT NULL,
    fingerprint sha256_digest NOT NULL,
    ifsc text NOT NULL,
    added_by text NOT NULL,
    added_at timestamp with time zone NOT NULL,
    state bank_account_state NOT NULL,
    check_id gateway_id NOT NULL,
    registered_name text DEFAULT ''::text NOT NULL,
    checked_at timestamp with time zone,
    accepted_by text DEFAULT ''::text NOT NULL,
    replaced_at timestamp with time zone,
    due_at timestamp with time zone,
    inquiries times DEFAULT 0 NOT NULL,
    accepted_named text GENERATED ALWAYS AS (NULLIF(accepted_by, ''::text)) STORED,
    asked_of text DEFAULT ''::text NOT NULL,
    hastened_at timestamp with time zone,
    CONSTRAINT bank_accounts_accepted CHECK (((person_key(accepted_by) <> person_key(added_by)) AND (((state)::text <> 'unverified'::text) OR ((checked_at IS NULL) AND (accepted_by = ''::text))))),
    CONSTRAINT bank_accounts_added_by_check CHECK (((length(added_by) >= 1) AND (length(added_by) <= 64))),
    CONSTRAINT bank_accounts_holder_check CHECK (((length(holder) >= 1) AND (length(holder) <= 100))),
    CONSTRAINT bank_accounts_ifsc_check CHECK ((ifsc ~ '^[A-Z]{4}0[A-Z0-9]{6}$'::text)),
    CONSTRAINT bank_accounts_last4_check CHECK ((last4 ~ '^[0-9A-Z]{4}$'::text))
);

CREATE TABLE bank_days (
    centre text NOT NULL,
    day date NOT NULL,
    working boolean NOT NULL,
    name text NOT NULL,
    written_by text NOT NULL,
    written_at timestamp with time zone NOT NULL,
    CONSTRAINT bank_days_centre CHECK ((centre ~ '^[A-Z]{2}$'::text))
);

CREATE TABLE bearer_keys (
    merchant_id bigint NOT NULL,
    name text NOT NULL,
    digest bytea NOT NULL,
    scopes text[] NOT NULL,
    refund_paise paise NOT NULL,
    made_by text NOT NULL,
    made_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    ended_at timestamp with time zone,
    used_at timestamp with time zone,
    proof bytea NOT NULL,
    CONSTRAINT bearer_keys_check CHECK ((((refund_paise)::bigint > 0) = ('refund'::text = ANY (scopes)))),
    CONSTRAINT bearer_keys_check1 CHECK ((expires_at > made_at)),
    CONSTRAINT bearer_keys_digest_check CHECK ((length(digest) = 32)),
    CONSTRAINT bearer_keys_made_by_check CHECK (((length(made_by) >= 1) AND (length(made_by) <= 254))),
    CONSTRAINT bearer_keys_name_check CHECK ((name ~ '^[a-z][a-z0-9-]{0,29}$'::text)),
    CONSTRAINT bearer_keys_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ ARRAY['read'::text, 'page'::text, 'refund'::text, 'manage'::text])))
);

CREATE TABLE certificate_looks (
    probe text NOT NULL,
    looked_at timestamp with time zone NOT NULL,
    findings jsonb NOT NULL,
    CONSTRAINT certificate_looks_probe_check CHECK ((probe ~ '^[a-z_]{1,30}$'::text))
);

CREATE TABLE certification_evidence (
    account text NOT NULL,
    evidence_id bigint NOT NULL,
    step text NOT NULL,
    subject text NOT NULL,
    verdict text NOT NULL,
    words text NOT NULL,
    number bigint NOT NULL,
    moved_reference text NOT NULL,
    moved_paise bigint NOT NULL,
    kind text NOT NULL,
    settings_digest text NOT NULL,
    version text NOT NULL,
    is_live boolean NOT NULL,
    exchanges jsonb NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT certification_evidence_account_check CHECK (((length(account) >= 1) AND (length(account) <= 63))),
    CONSTRAINT certification_evidence_check CHECK (((moved_paise >= 0) AND ((moved_paise = 0) = (moved_reference = ''::text)))),
    CONSTRAINT certification_evidence_check1 CHECK (((verdict <> 'skipped'::text) OR (words <> ''::text))),
    CONSTRAINT certification_evidence_evidence_id_check CHECK ((evidence_id > 0)),
    CONSTRAINT certification_evidence_exchanges_check CHECK ((jsonb_typeof(exchanges) = 'array'::text)),
    CONSTRAINT certification_evidence_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 64))),
    CONSTRAINT certification_evidence_moved_is_nobodys CHECK (((moved_reference = ''::text) OR (moved_reference ~~ '0-%'::text))),
    CONSTRAINT certification_evidence_moved_reference_check CHECK ((length(moved_reference) <= 40)),
    CONSTRAINT certification_evidence_number_check CHECK ((number >= 0)),
    CONSTRAINT certification_evidence_settings_digest_check CHECK ((settings_digest ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT certification_evidence_step_check CHECK ((step ~ '^[a-z0-9_-]{1,48}$'::text)),
    CONSTRAINT certification_evidence_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 64))),
    CONSTRAINT certification_evidence_verdict_check CHECK ((verdict = ANY (ARRAY['begun'::text, 'passed'::text, 'failed'::text, 'open'::text, 'unavailable'::text, 'skipped'::text]))),
    CONSTRAINT certification_evidence_version_check CHECK (((length(version) >= 1) AND (length(version) <= 64))),
    CONSTRAINT certification_evidence_words_check CHECK ((length(words) <= 500))
);

CREATE TABLE certification_webhooks (
    account text NOT NULL,
    reference text NOT NULL,
    refused boolean NOT NULL,
    covers boolean NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT certification_webhooks_account_check CHECK (((length(account) >= 1) AND (length(account) <= 63))),
    CONSTRAINT certification_webhooks_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 40)))
);

CREATE TABLE chain_blocks (
    merchant_id bigint NOT NULL,
    book text NOT NULL,
    block_no ordinal NOT NULL,
    links times NOT NULL,
    upto_xact xid8 NOT NULL,
    upto_id bigint NOT NULL,
    cluster text NOT NULL,
    day date NOT NULL,
    hash sha256_digest NOT NULL,
    sealed_at timestamp with time zone NOT NULL
);

CREATE TABLE chain_links (
    merchant_id bigint NOT NULL,
    book text NOT NULL,
    id bigint NOT NULL,
    part text NOT NULL,
    block_no ordinal NOT NULL,
    digest sha256_digest NOT NULL
);

CREATE TABLE chain_roots (
    day date NOT NULL,
    root sha256_digest NOT NULL,
    heads times NOT NULL,
    signature bytea NOT NULL,
    certificate bytea NOT NULL,
    made_at timestamp with time zone NOT NULL
);

CREATE TABLE complaints (
    merchant_id bigint NOT NULL,
    complaint_id gateway_id NOT NULL,
    payment_id gateway_id NOT NULL,
    kind text NOT NULL,
    words text NOT NULL,
    language text NOT NULL,
    state text NOT NULL,
    made_at timestamp with time zone NOT NULL,
    answer_by timestamp with time zone NOT NULL,
    answer text DEFAULT ''::text NOT NULL,
    answered_at timestamp with time zone,
    answered_by text DEFAULT ''::text NOT NULL,
    closed_at timestamp with time zone,
    CONSTRAINT complaints_answer CHECK ((length(answer) <= 1000)),
    CONSTRAINT complaints_answered CHECK (((answered_at IS NULL) = (answer = ''::text))),
    CONSTRAINT complaints_closed CHECK (((state = 'closed'::text) = (closed_at IS NOT NULL))),
    CONSTRAINT complaints_kind CHECK ((kind = ANY (ARRAY['not_delivered'::text, 'order_failed'::text, 'refund_missing'::text, 'not_me'::text, 'other'::text]))),
    CONSTRAINT complaints_language CHECK ((language ~ '^[a-z]{2}$'::text)),
    CONSTRAINT complaints_open CHECK (((state = 'open'::text) = ((answered_at IS NULL) AND (closed_at IS NULL)))),
    CONSTRAINT complaints_state CHECK ((state = ANY (ARRAY['open'::text, 'answered'::text, 'closed'::text]))),
    CONSTRAINT complaints_words CHECK (((length(words) >= 1) AND (length(words) <= 1000)))
);

CREATE TABLE completions (
    merchant_id bigint NOT NULL,
    completion_id gateway_id NOT NULL,
    payment_id gateway_id NOT NULL,
    attempt_id gateway_id NOT NULL,
    kind completion_kind NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    connector text NOT NULL,
    state completion_state NOT NULL,
    actor text NOT NULL,
    rrn text DEFAULT ''::text NOT NULL,
    bank_code text DEFAULT ''::text NOT NULL,
    bank_message text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    due_at timestamp with time zone,
    inquiries times DEFAULT 0 NOT NULL,
    CONSTRAINT completions_settled CHECK (((settled_at IS NOT NULL) = ((state)::text = ANY (ARRAY['done'::text, 'failed'::text]))))
);

CREATE TABLE day_tallies (
    merchant_id bigint NOT NULL,
    day date NOT NULL,
    what text NOT NULL,
    method text NOT NULL,
    bank text NOT NULL,
    connector text NOT NULL,
    state text NOT NULL,
    code text NOT NULL,
    number bigint NOT NULL,
    paise bigint NOT NULL,
    bank_name text NOT NULL,
    words text NOT NULL,
    CONSTRAINT day_tallies_number_check CHECK ((number > 0)),
    CONSTRAINT day_tallies_paise_check CHECK ((paise >= 0)),
    CONSTRAINT day_tallies_what_check CHECK ((what = ANY (ARRAY['payment'::text, 'attempt'::text, 'refund'::text])))
);

CREATE TABLE dead_addresses (
    merchant_id bigint NOT NULL,
    channel letter_channel NOT NULL,
    address text NOT NULL,
    since timestamp with time zone NOT NULL,
    answer text NOT NULL
);

CREATE TABLE delivery_attempts (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    event_no integer NOT NULL,
    attempt_no ordinal NOT NULL,
    at timestamp with time zone NOT NULL,
    url text NOT NULL,
    status integer,
    latency_ms times NOT NULL,
    answer text DEFAULT ''::text NOT NULL,
    problem text DEFAULT ''::text NOT NULL
);

CREATE TABLE demo_clock (
    only_one boolean DEFAULT true NOT NULL,
    ahead interval NOT NULL,
    CONSTRAINT demo_clock_ahead_check CHECK ((ahead >= '00:00:00'::interval)),
    CONSTRAINT demo_clock_only_one_check CHECK (only_one)
);

CREATE TABLE direct_share_events (
    merchant_id bigint NOT NULL,
    share_id gateway_id NOT NULL,
    event_no ordinal NOT NULL,
    at timestamp with time zone NOT NULL,
    state direct_share_state NOT NULL,
    note text NOT NULL
);

CREATE TABLE direct_shares (
    merchant_id bigint NOT NULL,
    share_id gateway_id NOT NULL,
    payment_id gateway_id NOT NULL,
    request_id text NOT NULL,
    identifier order_reference NOT NULL,
    attempt_id gateway_id NOT NULL,
    connector text NOT NULL,
    party text NOT NULL,
    base_paise paise_above_zero NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    state direct_share_state NOT NULL,
    created_at timestamp with time zone NOT NULL,
    sent_paise paise DEFAULT 0 NOT NULL,
    transfer_id text DEFAULT ''::text NOT NULL,
    code text DEFAULT ''::text NOT NULL,
    message text DEFAULT ''::text NOT NULL,
    utr text DEFAULT ''::text NOT NULL,
    sent_at timestamp with time zone,
    called_at timestamp with time zone,
    ended_at timestamp with time zone,
    settled_at timestamp with time zone,
    due_at timestamp with time zone,
    inquiries times DEFAULT 0 NOT NULL,
    revision times DEFAULT 1 NOT NULL,
    late_at timestamp with time zone,
    hastened_at timestamp with time zone,
    CONSTRAINT direct_shares_amounts CHECK ((((amount_paise)::bigint <= (base_paise)::bigint) AND ((sent_paise)::bigint <= (amount_paise)::bigint) AND (((sent_paise)::bigint > 0) = ((state)::text = ANY (ARRAY['sent'::text, 'unknown'::text, 'done'::text, 'refused'::text]))))),
    CONSTRAINT direct_shares_due CHECK (((due_at IS NOT NULL) OR ((state)::text = ANY (ARRAY['done'::text, 'refused'::text, 'cancelled'::text])))),
    CONSTRAINT direct_shares_late CHECK (((late_at IS NULL) OR ((state)::text = 'refused'::text))),
    CONSTRAINT direct_shares_times CHECK ((((sent_at IS NOT NULL) = ((sent_paise)::bigint > 0)) AND ((called_at IS NOT NULL) = (sent_at IS NOT NULL)) AND ((ended_at IS NOT NULL) = ((state)::text = ANY (ARRAY['done'::text, 'refused'::text, 'cancelled'::text]))) AND ((settled_at IS NOT NULL) = (utr <> ''::text)) AND ((utr = ''::text) OR ((state)::text = 'done'::text))))
);

CREATE TABLE dispute_evidence (
    merchant_id bigint NOT NULL,
    evidence_id gateway_id NOT NULL,
    stage_id gateway_id NOT NULL,
    name text NOT NULL,
    media_type text NOT NULL,
    size_bytes ordinal NOT NULL,
    digest sha256_digest NOT NULL,
    sealed_content bytea NOT NULL,
    added_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    CONSTRAINT dispute_evidence_media_type_check CHECK ((media_type = ANY (ARRAY['application/pdf'::text, 'image/png'::text, 'image/jpeg'::text]))),
    CONSTRAINT dispute_evidence_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
);

CREATE TABLE dispute_stages (
    merchant_id bigint NOT NULL,
    stage_id gateway_id NOT NULL,
    dispute_id gateway_id NOT NULL,
    payment_id gateway_id NOT NULL,
    attempt_id gateway_id NOT NULL,
    connector text NOT NULL,
    bank_case text NOT NULL,
    phase dispute_phase NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    held_paise paise NOT NULL,
    held_settled_paise paise NOT NULL,
    rate_micros bigint NOT NULL,
    reason text NOT NULL,
    state dispute_state NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    respond_by timestamp with time zone NOT NULL,
    due_at timestamp with time zone,
    inquiries times DEFAULT 0 NOT NULL,
    reminded_at timestamp with time zone,
    answered_at timestamp with time zone,
    accepted_paise paise DEFAULT 0 NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    sent_at timestamp with time zone,
    expired_at timestamp with time zone,
    taken_paise paise DEFAULT 0 NOT NULL,
    taken_settled_paise paise DEFAULT 0 NOT NULL,
    rrn text DEFAULT ''::text NOT NULL,
    bank_message text DEFAULT ''::text NOT NULL,
    settled_at timestamp with time zone,
    fee_paise paise DEFAULT 0 NOT NULL,
    tax_paise paise DEFAULT 0 NOT NULL,
    CONSTRAINT dispute_stages_bank_case_check CHECK ((bank_case ~ '^[ -~]{1,64}$'::text)),
    CONSTRAINT dispute_stages_fit CHECK ((((held_paise)::bigint <= (amount_paise)::bigint) AND ((accepted_paise)::bigint <= (amount_paise)::bigint) AND ((taken_paise)::bigint <= (held_paise)::bigint) AND ((taken_settled_paise)::bigint <= (held_settled_paise)::bigint) AND (((phase)::text <> 'retrieval'::text) OR ((held_paise)::bigint = 0)) AND (((currency)::text <> 'INR'::text) OR (((held_settled_paise)::bigint = (held_paise)::bigint) AND ((taken_settled_paise)::bigint = (taken_paise)::bigint))) AND ((settled_at IS NOT NULL) = ((state)::text = ANY (ARRAY['won'::text, 'lost'::text, 'accepted'::text, 'partly_accepted'::text, 'closed'::text]))) AND ((answered_at IS NOT NULL) OR ((state)::text <> ALL (ARRAY['under_review'::text, 'accepting'::text, 'accepted'::text]))) AND ((expired_at IS NOT NULL) OR ((state)::text <> 'expired'::text)))),
    CONSTRAINT dispute_stages_rate_micros_check CHECK ((rate_micros > 0))
);

CREATE TABLE endpoint_deliveries (
    merchant_id bigint NOT NULL,
    endpoint_no ordinal NOT NULL,
    payment_id bigint NOT NULL,
    event_no ordinal NOT NULL,
    kind text NOT NULL,
    facts jsonb NOT NULL,
    state delivery_state NOT NULL,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    tries times DEFAULT 0 NOT NULL,
    scheduled_from timestamp with time zone NOT NULL,
    tries_before times DEFAULT 0 NOT NULL,
    delivered_at timestamp with time zone
);

CREATE TABLE endpoint_tries (
    merchant_id bigint NOT NULL,
    endpoint_no ordinal NOT NULL,
    payment_id bigint NOT NULL,
    event_no ordinal NOT NULL,
    attempt_no ordinal NOT NULL,
    at timestamp with time zone NOT NULL,
    url text NOT NULL,
    status integer,
    latency_ms times NOT NULL,
    answer text DEFAULT ''::text NOT NULL,
    problem text DEFAULT ''::text NOT NULL
);

CREATE TABLE failing_endpoints (
    merchant_id bigint NOT NULL,
    since timestamp with time zone NOT NULL,
    problem text NOT NULL,
    probe_at timestamp with time zone NOT NULL
);

CREATE TABLE fee_invoices (
    merchant_id bigint NOT NULL,
    month date NOT NULL,
    financial_year integer NOT NULL,
    serial_no ordinal NOT NULL,
    issued_on date NOT NULL,
    supplier jsonb NOT NULL,
    recipient jsonb NOT NULL,
    taxable_paise paise NOT NULL,
    exempt_paise paise NOT NULL,
    other_paise paise NOT NULL,
    cgst_paise paise NOT NULL,
    sgst_paise paise NOT NULL,
    igst_paise paise NOT NULL,
    total_paise paise_above_zero NOT NULL,
    CONSTRAINT fee_invoices_add_up CHECK (((((((((taxable_paise)::bigint + (exempt_paise)::bigint) + (other_paise)::bigint) + (cgst_paise)::bigint) + (sgst_paise)::bigint) + (igst_paise)::bigint) = (total_paise)::bigint) AND (((igst_paise)::bigint = 0) OR (((cgst_paise)::bigint + (sgst_paise)::bigint) = 0))))
);

CREATE TABLE fee_plans (
    merchant_id bigint NOT NULL,
    plan_no ordinal NOT NULL,
    first_day date NOT NULL,
    document jsonb NOT NULL,
    published_by text NOT NULL,
    published_at timestamp with time zone NOT NULL,
    CONSTRAINT fee_plans_object CHECK ((jsonb_typeof(document) = 'object'::text))
);

CREATE TABLE hour_tallies (
    merchant_id bigint NOT NULL,
    hour timestamp with time zone NOT NULL,
    what text NOT NULL,
    method text NOT NULL,
    bank text NOT NULL,
    connector text NOT NULL,
    state text NOT NULL,
    code text NOT NULL,
    number bigint NOT NULL,
    paise bigint NOT NULL,
    bank_name text NOT NULL,
    words text NOT NULL,
    CONSTRAINT hour_tallies_number_check CHECK ((number > 0)),
    CONSTRAINT hour_tallies_paise_check CHECK ((paise >= 0)),
    CONSTRAINT hour_tallies_what_check CHECK ((what = ANY (ARRAY['payment'::text, 'attempt'::text, 'refund'::text])))
);

CREATE TABLE idempotency_keys (
    merchant_id bigint NOT NULL,
    idempotency_key text NOT NULL,
    operation text NOT NULL,
    content_hash bytea NOT NULL,
    subject gateway_id NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT idempotency_keys_content_hash_check CHECK ((length(content_hash) = 32)),
    CONSTRAINT idempotency_keys_idempotency_key_check CHECK ((idempotency_key ~ '^[!-~]{1,64}$'::text)),
    CONSTRAINT idempotency_keys_operation_check CHECK (((length(operation) >= 1) AND (length(operation) <= 40)))
);

CREATE TABLE identity_consents (
    affiliate text NOT NULL,
    reference text NOT NULL,
    at timestamp with time zone NOT NULL,
    holder_reference sha256_digest NOT NULL,
    last4 text NOT NULL,
    sealed_words bytea NOT NULL,
    CONSTRAINT identity_consents_last4_check CHECK ((last4 ~ '^[0-9]{4}$'::text))
);

CREATE TABLE identity_requests (
    affiliate text NOT NULL,
    request_id text NOT NULL,
    gateway_txn_id gateway_id NOT NULL,
    holder_reference sha256_digest NOT NULL,
    last4 text NOT NULL,
    state text NOT NULL,
    otp_hash sha256_digest NOT NULL,
    forwarded_as text DEFAULT ''::text NOT NULL,
    forwarded_txn bigint DEFAULT 0 NOT NULL,
    sends ordinal NOT NULL,
    wrong times DEFAULT 0 NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT identity_requests_last4_check CHECK ((last4 ~ '^[0-9]{4}$'::text)),
    CONSTRAINT identity_requests_request_id_check CHECK ((request_id ~ '^idr_[0-9a-f]{20}$'::text)),
    CONSTRAINT identity_requests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'used'::text, 'locked'::text])))
);

CREATE TABLE invoice_series (
    financial_year integer NOT NULL,
    last_no ordinal NOT NULL
);

CREATE TABLE lead_events (
    affiliate text NOT NULL,
    lead_id gateway_id NOT NULL,
    event_no ordinal NOT NULL,
    at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    actor text NOT NULL,
    words text DEFAULT ''::text NOT NULL
);

CREATE TABLE leads (
    affiliate text NOT NULL,
    lead_id gateway_id NOT NULL,
    state text NOT NULL,
    sealed_content bytea NOT NULL,
    business_hash sha256_digest NOT NULL,
    content_hash sha256_digest NOT NULL,
    notes text[] DEFAULT '{}'::text[] NOT NULL,
    became_merchant bigint,
    revision ordinal DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT leads_check CHECK (((state = 'approved'::text) = (became_merchant IS NOT NULL))),
    CONSTRAINT leads_state_check CHECK ((state = ANY (ARRAY['lead'::text, 'review'::text, 'approved'::text, 'rejected'::text])))
);

CREATE TABLE ledger_checkpoints (
    merchant_id bigint NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    debit_paise numeric(24,0) NOT NULL,
    credit_paise numeric(24,0) NOT NULL,
    CONSTRAINT ledger_checkpoints_credit_paise_check CHECK ((credit_paise >= (0)::numeric)),
    CONSTRAINT ledger_checkpoints_debit_paise_check CHECK ((debit_paise >= (0)::numeric))
);

CREATE TABLE ledger_postings (
    merchant_id bigint NOT NULL,
    cause_id bigint NOT NULL,
    kind posting_kind NOT NULL,
    debit account_name NOT NULL,
    credit account_name NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    at timestamp with time zone NOT NULL,
    xact xid8 DEFAULT pg_current_xact_id() NOT NULL,
    CONSTRAINT ledger_postings_two_accounts CHECK (((debit)::text <> (credit)::text))
);

CREATE TABLE ledger_rolls (
    merchant_id bigint NOT NULL,
    through xid8 NOT NULL,
    rolled_at timestamp with time zone NOT NULL,
    cluster text DEFAULT ''::text NOT NULL
);

CREATE TABLE letter_choices (
    person_id bigint NOT NULL,
    kind text NOT NULL,
    channel letter_channel NOT NULL,
    wanted boolean NOT NULL
);

CREATE TABLE letters (
    merchant_id bigint NOT NULL,
    letter_id bigint NOT NULL,
    cause text NOT NULL,
    kind text NOT NULL,
    channel letter_channel NOT NULL,
    person_id bigint DEFAULT 0 NOT NULL,
    address text NOT NULL,
    language text NOT NULL,
    facts jsonb NOT NULL,
    attachment_name text DEFAULT ''::text NOT NULL,
    attachment bytea,
    state letter_state NOT NULL,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    tries times DEFAULT 0 NOT NULL,
    sent_at timestamp with time zone,
    problem text DEFAULT ''::text NOT NULL,
    said text DEFAULT ''::text NOT NULL,
    CONSTRAINT letters_attached CHECK (((attachment IS NULL) = (attachment_name = ''::text))),
    CONSTRAINT letters_sent CHECK ((((state)::text <> 'sent'::text) OR (sent_at IS NOT NULL)))
);

CREATE TABLE linked_accounts (
    merchant_id bigint NOT NULL,
    identifier order_reference NOT NULL,
    name text NOT NULL,
    sealed_number bytea NOT NULL,
    last4 text NOT NULL,
    ifsc text NOT NULL,
    ledger_account account_name NOT NULL,
    created_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    CONSTRAINT linked_accounts_ifsc_check CHECK ((ifsc ~ '^[A-Z]{4}0[A-Z0-9]{6}$'::text)),
    CONSTRAINT linked_accounts_last4_check CHECK ((last4 ~ '^[0-9A-Z]{4}$'::text)),
    CONSTRAINT linked_accounts_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
);

CREATE TABLE linked_parties (
    merchant_id bigint NOT NULL,
    identifier order_reference NOT NULL,
    connector text NOT NULL,
    party_no ordinal NOT NULL,
    party text NOT NULL,
    added_by text NOT NULL,
    added_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT linked_parties_added_by_check CHECK (((length(added_by) >= 1) AND (length(added_by) <= 64))),
    CONSTRAINT linked_parties_party_check CHECK ((party ~ '^[A-Za-z0-9_.-]{1,64}$'::text))
);

CREATE TABLE memberships (
    merchant_id bigint NOT NULL,
    person_id gateway_id NOT NULL,
    role staff_role NOT NULL,
    added_at timestamp with time zone NOT NULL,
    CONSTRAINT memberships_operator CHECK (((merchant_id = 0) = ((role)::text = ANY (ARRAY['operator'::text, 'operator_finance'::text, 'operator_reader'::text]))))
);

CREATE TABLE merchant_logos (
    merchant_id bigint NOT NULL,
    mark text NOT NULL,
    picture bytea NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    added_by text NOT NULL,
    added_at timestamp with time zone NOT NULL,
    CONSTRAINT merchant_logos_added_by_check CHECK (((length(added_by) >= 1) AND (length(added_by) <= 254))),
    CONSTRAINT merchant_logos_height_check CHECK (((height >= 1) AND (height <= 512))),
    CONSTRAINT merchant_logos_mark CHECK ((mark = "left"(encode(sha256(picture), 'hex'::text), 16))),
    CONSTRAINT merchant_logos_picture_check CHECK (((length(picture) >= 1) AND (length(picture) <= 200000))),
    CONSTRAINT merchant_logos_width_check CHECK (((width >= 1) AND (width <= 512)))
);

CREATE TABLE merchant_twins (
    merchant_id bigint NOT NULL,
    twin_id bigint NOT NULL,
    paired_at timestamp with time zone NOT NULL,
    CONSTRAINT merchant_twins_check CHECK ((twin_id <> merchant_id))
);

CREATE TABLE merchants (
    merchant_id bigint NOT NULL,
    mode text NOT NULL,
    state text DEFAULT 'active'::text NOT NULL,
    name text NOT NULL,
    sealed_keys bytea NOT NULL,
    settings jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT merchants_merchant_id_check CHECK (((merchant_id >= 1) AND (merchant_id <= '999999999999'::bigint))),
    CONSTRAINT merchants_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'sandbox'::text]))),
    CONSTRAINT merchants_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT merchants_state_check CHECK ((state = ANY (ARRAY['active'::text, 'suspended'::text])))
);

COMMENT ON COLUMN merchants.sealed_keys IS 'username, password, API secret, OAuth client id and secret, webhook keys: AES-256-GCM under the key-encryption key';

CREATE TABLE message_consents (
    merchant_id bigint NOT NULL,
    channel letter_channel NOT NULL,
    address text NOT NULL,
    given_at timestamp with time zone NOT NULL,
    words text NOT NULL,
    withdrawn_at timestamp with time zone,
    language text DEFAULT ''::text NOT NULL
);

CREATE TABLE message_templates (
    merchant_id bigint NOT NULL,
    channel letter_channel NOT NULL,
    kind text NOT NULL,
    language text NOT NULL,
    template_id text NOT NULL,
    entity_id text DEFAULT ''::text NOT NULL,
    header text DEFAULT ''::text NOT NULL,
    registered text NOT NULL,
    fields text[] NOT NULL,
    written_at timestamp with time zone NOT NULL,
    CONSTRAINT message_templates_channel CHECK (((channel)::text <> 'mail'::text))
);

CREATE TABLE offers (
    affiliate text NOT NULL,
    unique_id text NOT NULL,
    sealed_grant bytea NOT NULL,
    amount_paise paise NOT NULL,
    transaction_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    closes_at timestamp with time zone NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    CONSTRAINT offers_unique_id_check CHECK (((length(unique_id) >= 1) AND (length(unique_id) <= 10)))
);

CREATE TABLE one_time_links (
    link_hash sha256_digest NOT NULL,
    person_id gateway_id NOT NULL,
    purpose link_purpose NOT NULL,
    made_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    made_by bigint NOT NULL,
    mark bytea DEFAULT '\x'::bytea NOT NULL
);

CREATE TABLE operator_rule_sets (
    version ordinal NOT NULL,
    document text NOT NULL,
    published_by text NOT NULL,
    published_at timestamp with time zone NOT NULL,
    CONSTRAINT operator_rule_sets_document_check CHECK (((length(document) >= 1) AND (length(document) <= 1048576)))
);

CREATE TABLE page_languages (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    language text NOT NULL,
    written_at timestamp with time zone NOT NULL,
    CONSTRAINT page_languages_language_check CHECK ((language ~ '^[a-z]{2}$'::text))
);

CREATE TABLE partner_calls (
    affiliate text NOT NULL,
    reference text NOT NULL,
    at timestamp with time zone NOT NULL,
    interface text NOT NULL,
    code text NOT NULL,
    detail text DEFAULT ''::text NOT NULL,
    latency_ms times NOT NULL,
    address text DEFAULT ''::text NOT NULL
);

CREATE TABLE partner_events (
    affiliate text NOT NULL,
    event_no ordinal NOT NULL,
    at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    words text DEFAULT ''::text NOT NULL,
    CONSTRAINT partner_events_kind_check CHECK ((kind = ANY (ARRAY['added'::text, 'rotated'::text, 'retired'::text, 'changed'::text, 'suspended'::text, 'resumed'::text]))),
    CONSTRAINT partner_events_words_check CHECK ((length(words) <= 500))
);

CREATE TABLE partner_lookups (
    affiliate text NOT NULL,
    span text NOT NULL,
    began_at timestamp with time zone NOT NULL,
    asked times NOT NULL,
    CONSTRAINT partner_lookups_span_check CHECK ((span = ANY (ARRAY['minute'::text, 'day'::text])))
);

CREATE TABLE partners (
    affiliate text NOT NULL,
    state text DEFAULT 'active'::text NOT NULL,
    name text NOT NULL,
    sealed_keys bytea NOT NULL,
    card_token_hash sha256_digest NOT NULL,
    older_card_token_hash sha256_digest,
    settings jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT partners_affiliate_check CHECK ((affiliate ~ '^[A-Z0-9]{4,10}$'::text)),
    CONSTRAINT partners_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT partners_state_check CHECK ((state = ANY (ARRAY['active'::text, 'suspended'::text])))
);

COMMENT ON COLUMN partners.sealed_keys IS 'api-key, processor-key, shared secret, card token, gateway key, webhook key, and those before them: AES-256-GCM under the key-encryption key';

CREATE TABLE passkeys (
    credential_id bytea NOT NULL,
    person_id gateway_id NOT NULL,
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    mark bytea DEFAULT '\x'::bytea NOT NULL,
    CONSTRAINT passkeys_credential_id_check CHECK (((length(credential_id) >= 1) AND (length(credential_id) <= 1023))),
    CONSTRAINT passkeys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 60)))
);

CREATE TABLE payer_requests (
    request_id gateway_id NOT NULL,
    token_hash sha256_digest NOT NULL,
    state text NOT NULL,
    typed jsonb NOT NULL,
    contact_key bytea DEFAULT '\x'::bytea NOT NULL,
    owner_id bigint DEFAULT 0 NOT NULL,
    payment_id bigint DEFAULT 0 NOT NULL,
    tries times DEFAULT 0 NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    CONSTRAINT payer_requests_found CHECK (((state = ANY (ARRAY['coded'::text, 'opened'::text])) = ((owner_id > 0) AND (payment_id > 0)))),
    CONSTRAINT payer_requests_state CHECK ((state = ANY (ARRAY['asked'::text, 'silent'::text, 'coded'::text, 'opened'::text]))),
    CONSTRAINT payer_requests_typed CHECK (((state = 'asked'::text) OR (typed = '{}'::jsonb)))
);

CREATE TABLE payment_events (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    event_no ordinal NOT NULL,
    at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    state payment_state NOT NULL,
    actor text NOT NULL,
    attempt_id bigint,
    xact xid8 DEFAULT pg_current_xact_id() NOT NULL
);

CREATE TABLE payment_link_batch_lines (
    merchant_id bigint NOT NULL,
    batch_id gateway_id NOT NULL,
    line_no ordinal NOT NULL,
    link_id gateway_id NOT NULL,
    is_new boolean NOT NULL
);

CREATE TABLE payment_link_batches (
    merchant_id bigint NOT NULL,
    batch_id gateway_id NOT NULL,
    reference order_reference NOT NULL,
    content_hash bytea NOT NULL,
    lines integer NOT NULL,
    made_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT payment_link_batches_content_hash_check CHECK ((length(content_hash) = 32)),
    CONSTRAINT payment_link_batches_lines_check CHECK (((lines >= 1) AND (lines <= 500))),
    CONSTRAINT payment_link_batches_made_by_check CHECK (((length(made_by) >= 1) AND (length(made_by) <= 100)))
);

CREATE TABLE payment_link_orders (
    merchant_id bigint NOT NULL,
    link_id gateway_id NOT NULL,
    order_no ordinal NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    created_at timestamp with time zone NOT NULL,
    payment_id gateway_id,
    counted_at timestamp with time zone,
    counted_paise paise DEFAULT 0 NOT NULL,
    back_paise paise DEFAULT 0 NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone,
    CONSTRAINT payment_link_orders_counted CHECK (((((counted_paise)::bigint + (back_paise)::bigint) <= (amount_paise)::bigint) AND ((counted_at IS NOT NULL) OR (((counted_paise)::bigint + (back_paise)::bigint) = 0)) AND ((counted_at IS NULL) OR (payment_id IS NOT NULL)))),
    CONSTRAINT payment_link_orders_tries_check CHECK ((tries >= 0))
);

CREATE TABLE payment_link_reminders (
    merchant_id bigint NOT NULL,
    link_id gateway_id NOT NULL,
    reminder_no ordinal NOT NULL,
    remind_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone,
    state text DEFAULT 'planned'::text NOT NULL,
    sent_at timestamp with time zone,
    sent_by text DEFAULT ''::text NOT NULL,
    CONSTRAINT payment_link_reminders_sent_by_check CHECK ((length(sent_by) <= 100)),
    CONSTRAINT payment_link_reminders_state CHECK ((((state = 'planned'::text) = (due_at IS NOT NULL)) AND ((state = 'sent'::text) = (sent_at IS NOT NULL)))),
    CONSTRAINT payment_link_reminders_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'to_send'::text, 'sent'::text, 'dropped'::text])))
);

CREATE TABLE payment_links (
    merchant_id bigint NOT NULL,
    link_id gateway_id NOT NULL,
    code text NOT NULL,
    reference order_reference NOT NULL,
    content_hash bytea NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    minimum_paise paise NOT NULL,
    paid_paise paise DEFAULT 0 NOT NULL,
    description text NOT NULL,
    surplus text NOT NULL,
    buyer jsonb NOT NULL,
    made_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    cancelled_at timestamp with time zone,
    items jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT payment_links_check CHECK (((minimum_paise)::bigint <= (amount_paise)::bigint)),
    CONSTRAINT payment_links_check1 CHECK ((expires_at > created_at)),
    CONSTRAINT payment_links_code_check CHECK ((code ~ '^[0-9a-z]{16}$'::text)),
    CONSTRAINT payment_links_content_hash_check CHECK ((length(content_hash) = 32)),
    CONSTRAINT payment_links_description_check CHECK (((length(description) >= 1) AND (length(description) <= 200))),
    CONSTRAINT payment_links_made_by_check CHECK (((length(made_by) >= 1) AND (length(made_by) <= 100))),
    CONSTRAINT payment_links_surplus_check CHECK ((surplus = ANY (ARRAY['refund'::text, 'keep'::text])))
);

CREATE TABLE payout_approvals (
    merchant_id bigint NOT NULL,
    payout_id gateway_id NOT NULL,
    person_key text NOT NULL,
    person text NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    account_no ordinal NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT payout_approvals_key CHECK (((person_key = person_key(person)) AND (person_key <> ''::text))),
    CONSTRAINT payout_approvals_person_check CHECK (((length(person) >= 1) AND (length(person) <= 64)))
);

CREATE TABLE payout_balances (
    connector text NOT NULL,
    available_paise bigint NOT NULL,
    left_paise bigint NOT NULL,
    counted_at timestamp with time zone NOT NULL,
    read_at timestamp with time zone NOT NULL
);

CREATE TABLE payout_batches (
    batch_id gateway_id NOT NULL,
    format text NOT NULL,
    connector text NOT NULL,
    made_by text NOT NULL,
    made_at timestamp with time zone NOT NULL
);

CREATE TABLE payout_events (
    merchant_id bigint NOT NULL,
    payout_id gateway_id NOT NULL,
    event_no ordinal NOT NULL,
    at timestamp with time zone NOT NULL,
    state payout_state NOT NULL,
    actor text NOT NULL,
    note text NOT NULL,
    CONSTRAINT payout_events_actor_check CHECK (((length(actor) >= 1) AND (length(actor) <= 64)))
);

CREATE TABLE payout_fees (
    merchant_id bigint NOT NULL,
    payout_id gateway_id NOT NULL,
    kind posting_kind NOT NULL,
    connector text NOT NULL,
    fee_paise bigint NOT NULL,
    tax_paise bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT payout_fees_check CHECK (((tax_paise >= 0) AND (tax_paise <= fee_paise))),
    CONSTRAINT payout_fees_fee_paise_check CHECK ((fee_paise > 0)),
    CONSTRAINT payout_fees_kind_check CHECK ((((kind)::text = 'payout_fee'::text) OR ((kind)::text = 'payout_fee_back'::text)))
);

CREATE TABLE payout_plans (
    version ordinal NOT NULL,
    document text NOT NULL,
    published_by text NOT NULL,
    published_at timestamp with time zone NOT NULL,
    CONSTRAINT payout_plans_document_check CHECK (((length(document) >= 1) AND (length(document) <= 1048576)))
);

CREATE TABLE payouts (
    merchant_id bigint NOT NULL,
    payout_id gateway_id NOT NULL,
    share_id gateway_id NOT NULL,
    try_no ordinal NOT NULL,
    beneficiary order_reference NOT NULL,
    account_no ordinal NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    source account_name NOT NULL,
    state payout_state NOT NULL,
    channel payout_channel NOT NULL,
    rail payout_rail NOT NULL,
    connector text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    maker text DEFAULT ''::text NOT NULL,
    checker text DEFAULT ''::text NOT NULL,
    batch_id bigint,
    utr text DEFAULT ''::text NOT NULL,
    bank_code text DEFAULT ''::text NOT NULL,
    bank_message text DEFAULT ''::text NOT NULL,
    sent_at timestamp with time zone,
    settled_at timestamp with time zone,
    due_at timestamp with time zone,
    inquiries times DEFAULT 0 NOT NULL,
    revision times DEFAULT 0 NOT NULL,
    maker_named text GENERATED ALWAYS AS (NULLIF(maker, ''::text)) STORED,
    checker_named text GENERATED ALWAYS AS (NULLIF(checker, ''::text)) STORED,
    sent_by text DEFAULT ''::text NOT NULL,
    sent_rail text DEFAULT ''::text NOT NULL,
    late_utr text DEFAULT ''::text NOT NULL,
    late_at timestamp with time zone,
    hastened_at timestamp with time zone,
    wait_reason text DEFAULT ''::text NOT NULL,
    CONSTRAINT payouts_two_people CHECK ((((person_key(maker) <> person_key(checker)) OR (maker = ''::text)) AND (((state)::text = ANY (ARRAY['prepared'::text, 'held_back'::text])) OR (maker <> ''::text)) AND (((state)::text = ANY (ARRAY['prepared'::text, 'proposed'::text, 'held_back'::text])) OR (checker <> ''::text))))
);

CREATE TABLE people (
    person_id gateway_id NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    handle bytea NOT NULL,
    state person_state NOT NULL,
    password_hash text DEFAULT ''::text NOT NULL,
    sealed_totp bytea,
    totp_step bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    mark bytea DEFAULT '\x'::bytea NOT NULL,
    generation integer DEFAULT 0 NOT NULL,
    CONSTRAINT people_active CHECK ((((state)::text <> 'active'::text) OR ((password_hash <> ''::text) AND (sealed_totp IS NOT NULL)))),
    CONSTRAINT people_email_check CHECK (((email = lower(email)) AND ((length(email) >= 3) AND (length(email) <= 254)))),
    CONSTRAINT people_generation_check CHECK ((generation >= 0)),
    CONSTRAINT people_handle_check CHECK ((length(handle) = 32)),
    CONSTRAINT people_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
);

CREATE TABLE pos_sales (
    merchant_id bigint NOT NULL,
    transaction_id gateway_id NOT NULL,
    terminal_id text NOT NULL,
    reference text NOT NULL,
    at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    edited_paise paise DEFAULT 0 NOT NULL,
    table_no text DEFAULT ''::text NOT NULL,
    masked_mobile text DEFAULT ''::text NOT NULL,
    CONSTRAINT pos_sales_kind_check CHECK ((kind = ANY (ARRAY['SALE'::text, 'VOID'::text, 'REFUND'::text]))),
    CONSTRAINT pos_sales_masked_mobile_check CHECK ((masked_mobile ~ '^(X{6}[0-9]{4})?$'::text)),
    CONSTRAINT pos_sales_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 64))),
    CONSTRAINT pos_sales_table_no_check CHECK ((length(table_no) <= 20))
);

CREATE TABLE pos_terminals (
    merchant_id bigint NOT NULL,
    terminal_id text NOT NULL,
    label text NOT NULL,
    manager text,
    created_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    CONSTRAINT pos_terminals_label_check CHECK (((length(label) >= 1) AND (length(label) <= 100))),
    CONSTRAINT pos_terminals_manager_check CHECK ((manager ~ '^[A-Z0-9]{4,10}$'::text)),
    CONSTRAINT pos_terminals_terminal_id_check CHECK ((terminal_id ~ '^[A-Za-z0-9]{1,16}$'::text))
);

CREATE TABLE reconciliation_items (
    merchant_id bigint NOT NULL,
    item_id bigint NOT NULL,
    class text NOT NULL,
    connector text NOT NULL,
    cause_id bigint NOT NULL,
    ours_paise paise NOT NULL,
    theirs_paise paise NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    resolution text DEFAULT ''::text NOT NULL,
    resolved_at timestamp with time zone,
    CONSTRAINT reconciliation_items_check CHECK ((((state = 'resolved'::text) = (resolved_at IS NOT NULL)) AND ((state = 'resolved'::text) = (resolution <> ''::text)))),
    CONSTRAINT reconciliation_items_class_check CHECK ((class = ANY (ARRAY['missing_here'::text, 'missing_there'::text, 'amount_differs'::text, 'fee_differs'::text, 'duplicate'::text]))),
    CONSTRAINT reconciliation_items_state_check CHECK ((state = ANY (ARRAY['open'::text, 'resolved'::text])))
);

CREATE TABLE reconciliation_proposals (
    merchant_id bigint NOT NULL,
    proposal_id gateway_id NOT NULL,
    owner_id bigint NOT NULL,
    item_id bigint NOT NULL,
    debit account_name NOT NULL,
    credit account_name NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    reason text NOT NULL,
    proposed_by text NOT NULL,
    proposed_at timestamp with time zone NOT NULL,
    decision text,
    decided_by text,
    decided_at timestamp with time zone,
    CONSTRAINT reconciliation_proposals_check CHECK (((debit)::text <> (credit)::text)),
    CONSTRAINT reconciliation_proposals_check1 CHECK ((((decision IS NULL) = (decided_by IS NULL)) AND ((decision IS NULL) = (decided_at IS NULL)))),
    CONSTRAINT reconciliation_proposals_decided_by_check CHECK ((decided_by <> ''::text)),
    CONSTRAINT reconciliation_proposals_decision_check CHECK ((decision = ANY (ARRAY['approved'::text, 'refused'::text]))),
    CONSTRAINT reconciliation_proposals_proposed_by_check CHECK ((proposed_by <> ''::text)),
    CONSTRAINT reconciliation_proposals_reason_check CHECK ((reason <> ''::text)),
    CONSTRAINT reconciliation_two_people CHECK (((person_key(decided_by) <> person_key(proposed_by)) AND (person_key(decided_by) <> ''::text) AND (person_key(proposed_by) <> ''::text)))
);

CREATE TABLE recovery_codes (
    person_id gateway_id NOT NULL,
    code_hash sha256_digest NOT NULL,
    used_at timestamp with time zone,
    mark bytea DEFAULT '\x'::bytea NOT NULL
);

CREATE TABLE refund_requests (
    merchant_id bigint NOT NULL,
    request_id text NOT NULL,
    item_no times NOT NULL,
    content_hash sha256_digest NOT NULL,
    refund_id gateway_id,
    code text DEFAULT ''::text NOT NULL,
    words text DEFAULT ''::text NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT refund_requests_request_id_check CHECK (((length(request_id) >= 1) AND (length(request_id) <= 64)))
);

CREATE TABLE refunds (
    merchant_id bigint NOT NULL,
    refund_id gateway_id NOT NULL,
    payment_id gateway_id NOT NULL,
    attempt_id gateway_id NOT NULL,
    cause refund_cause NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    connector text NOT NULL,
    state refund_state NOT NULL,
    rrn text DEFAULT ''::text NOT NULL,
    bank_code text DEFAULT ''::text NOT NULL,
    bank_message text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    settled_at timestamp with time zone,
    due_at timestamp with time zone,
    inquiries times DEFAULT 0 NOT NULL,
    request_id text DEFAULT ''::text NOT NULL,
    surcharge_paise paise DEFAULT 0 NOT NULL,
    settled_paise paise_above_zero NOT NULL,
    reversed_at timestamp with time zone,
    reversed_code text DEFAULT ''::text NOT NULL,
    reversed_message text DEFAULT ''::text NOT NULL,
    CONSTRAINT refunds_settled CHECK ((((settled_at IS NOT NULL) = ((state)::text = ANY (ARRAY['done'::text, 'failed'::text, 'reversed'::text]))) AND ((reversed_at IS NOT NULL) = ((state)::text = 'reversed'::text)) AND (((currency)::text <> 'INR'::text) OR ((settled_paise)::bigint = (amount_paise)::bigint))))
);

CREATE TABLE refused_requests (
    merchant_id bigint NOT NULL,
    reference text NOT NULL,
    at timestamp with time zone NOT NULL,
    operation text NOT NULL,
    code text NOT NULL,
    words text NOT NULL,
    detail text DEFAULT ''::text NOT NULL,
    address text DEFAULT ''::text NOT NULL,
    explained jsonb DEFAULT '{}'::jsonb NOT NULL
);

CREATE TABLE report_fetches (
    connector text NOT NULL,
    wanted_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    last_day date,
    fetched_at timestamp with time zone,
    CONSTRAINT report_fetches_check CHECK (((failures = 0) = (error = ''::text))),
    CONSTRAINT report_fetches_connector_check CHECK (((length(connector) >= 1) AND (length(connector) <= 63))),
    CONSTRAINT report_fetches_error_check CHECK ((length(error) <= 300)),
    CONSTRAINT report_fetches_failures_check CHECK ((failures >= 0))
);

CREATE TABLE report_files (
    merchant_id bigint NOT NULL,
    report_id gateway_id NOT NULL,
    kind text NOT NULL,
    form text NOT NULL,
    first_day date NOT NULL,
    last_day date NOT NULL,
    settlement_id bigint DEFAULT 0 NOT NULL,
    schedule_no integer DEFAULT 0 NOT NULL,
    asked_by text NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone,
    problem text DEFAULT ''::text NOT NULL,
    made_at timestamp with time zone,
    line_count integer DEFAULT 0 NOT NULL,
    size_bytes bigint DEFAULT 0 NOT NULL,
    digest bytea DEFAULT '\x'::bytea NOT NULL,
    CONSTRAINT report_files_asked_by_check CHECK (((length(asked_by) >= 1) AND (length(asked_by) <= 254))),
    CONSTRAINT report_files_check CHECK ((last_day >= first_day)),
    CONSTRAINT report_files_ended CHECK (((state = ANY (ARRAY['failed'::text, 'expired'::text])) = (due_at IS NULL))),
    CONSTRAINT report_files_form_check CHECK ((form = ANY (ARRAY['csv'::text, 'xlsx'::text, 'pdf'::text]))),
    CONSTRAINT report_files_kind_check CHECK ((kind ~ '^[a-z_]{1,20}$'::text)),
    CONSTRAINT report_files_made CHECK (((state = ANY (ARRAY['made'::text, 'expired'::text])) = (made_at IS NOT NULL))),
    CONSTRAINT report_files_problem_check CHECK ((length(problem) <= 300)),
    CONSTRAINT report_files_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'made'::text, 'failed'::text, 'expired'::text])))
);

CREATE TABLE report_parts (
    merchant_id bigint NOT NULL,
    report_id gateway_id NOT NULL,
    part_no ordinal NOT NULL,
    content bytea NOT NULL
);

CREATE TABLE report_schedules (
    merchant_id bigint NOT NULL,
    schedule_no ordinal NOT NULL,
    kind text NOT NULL,
    form text NOT NULL,
    day_of_month integer NOT NULL,
    people bigint[] NOT NULL,
    set_by text NOT NULL,
    set_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone,
    ended_at timestamp with time zone,
    CONSTRAINT report_schedules_day_of_month_check CHECK (((day_of_month >= 1) AND (day_of_month <= 28))),
    CONSTRAINT report_schedules_ended CHECK (((ended_at IS NULL) = (due_at IS NOT NULL))),
    CONSTRAINT report_schedules_form_check CHECK ((form = ANY (ARRAY['csv'::text, 'xlsx'::text, 'pdf'::text]))),
    CONSTRAINT report_schedules_kind_check CHECK ((kind ~ '^[a-z_]{1,20}$'::text)),
    CONSTRAINT report_schedules_people_check CHECK (((cardinality(people) >= 1) AND (cardinality(people) <= 20))),
    CONSTRAINT report_schedules_set_by_check CHECK (((length(set_by) >= 1) AND (length(set_by) <= 254)))
);

CREATE TABLE review_decisions (
    merchant_id bigint NOT NULL,
    payment_id gateway_id NOT NULL,
    event_no ordinal NOT NULL,
    decision text NOT NULL,
    reason text NOT NULL,
    decided_by text NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT review_decisions_decision_check CHECK ((decision = ANY (ARRAY['released'::text, 'rejected'::text]))),
    CONSTRAINT review_decisions_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
);

CREATE TABLE risk_blocks (
    merchant_id bigint NOT NULL,
    payment_id gateway_id NOT NULL,
    event_no ordinal NOT NULL,
    at timestamp with time zone NOT NULL,
    method attempt_method NOT NULL,
    bank text DEFAULT ''::text NOT NULL,
    upi_address text DEFAULT ''::text NOT NULL,
    risk jsonb NOT NULL
);

CREATE TABLE risk_cards (
    merchant_id bigint NOT NULL,
    subject bytea NOT NULL,
    card bytea NOT NULL,
    tried_at timestamp with time zone NOT NULL,
    declined_at timestamp with time zone
);

CREATE TABLE risk_counts (
    merchant_id bigint NOT NULL,
    subject bytea NOT NULL,
    span text NOT NULL,
    began_at timestamp with time zone NOT NULL,
    stripe smallint DEFAULT 0 NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    declines integer DEFAULT 0 NOT NULL,
    amount_paise bigint DEFAULT 0 NOT NULL
);

CREATE TABLE risk_rule_sets (
    merchant_id bigint NOT NULL,
    version ordinal NOT NULL,
    document text NOT NULL,
    published_by text NOT NULL,
    published_at timestamp with time zone NOT NULL,
    CONSTRAINT risk_rule_sets_document_check CHECK (((length(document) >= 1) AND (length(document) <= 1048576)))
);

CREATE TABLE routing_plans (
    version ordinal NOT NULL,
    document text NOT NULL,
    published_by text NOT NULL,
    published_at timestamp with time zone NOT NULL,
    CONSTRAINT routing_plans_document_check CHECK (((length(document) >= 1) AND (length(document) <= 1048576)))
);

CREATE TABLE saved_cards (
    merchant_id bigint NOT NULL,
    token text NOT NULL,
    customer text NOT NULL,
    agreed_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    ended_at timestamp with time zone,
    CONSTRAINT saved_cards_check CHECK (((ended_at IS NULL) OR (deleted_at IS NOT NULL)))
);

CREATE TABLE saved_filters (
    merchant_id bigint NOT NULL,
    person_id gateway_id NOT NULL,
    list_name text NOT NULL,
    name text NOT NULL,
    query text NOT NULL,
    saved_at timestamp with time zone NOT NULL,
    CONSTRAINT saved_filters_list_name_check CHECK ((list_name ~ '^[a-z]{1,30}(-[a-z]{1,30})?$'::text)),
    CONSTRAINT saved_filters_merchant_id_check CHECK ((merchant_id >= 0)),
    CONSTRAINT saved_filters_name_check CHECK (((length(name) >= 1) AND (length(name) <= 40))),
    CONSTRAINT saved_filters_query_check CHECK (((length(query) >= 1) AND (length(query) <= 500)))
);

CREATE TABLE schedules (
    name text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    leased_until timestamp with time zone,
    CONSTRAINT schedules_name_check CHECK ((name ~ '^[a-z_]{1,50}$'::text))
);

COMMENT ON COLUMN schedules.leased_until IS 'set while a worker runs it; when it has passed, that worker is dead';

CREATE TABLE search_keys (
    merchant_id bigint NOT NULL,
    kind smallint NOT NULL,
    key bigint NOT NULL,
    payment_id gateway_id NOT NULL
);

CREATE TABLE search_marks (
    merchant_id bigint NOT NULL,
    upto_xact xid8 DEFAULT '0'::xid8 NOT NULL,
    upto_id bigint DEFAULT '-1'::integer NOT NULL,
    cluster text DEFAULT ''::text NOT NULL,
    archived_upto bigint DEFAULT '-1'::integer
);

CREATE TABLE settlement_items (
    merchant_id bigint NOT NULL,
    cause_id bigint NOT NULL,
    kind text NOT NULL,
    at timestamp with time zone NOT NULL,
    ready_on date NOT NULL,
    gross_paise bigint NOT NULL,
    fee_paise bigint NOT NULL,
    tax_paise bigint NOT NULL,
    net_paise bigint NOT NULL,
    rule text NOT NULL,
    plan_no integer NOT NULL,
    terms_no integer NOT NULL,
    settlement_id bigint,
    CONSTRAINT settlement_items_add_up CHECK (((gross_paise = ((fee_paise + tax_paise) + net_paise)) AND (gross_paise <> 0) AND (fee_paise >= 0) AND (tax_paise >= 0)))
);

CREATE TABLE settlement_marks (
    merchant_id bigint NOT NULL,
    upto_xact xid8 NOT NULL,
    upto_id bigint NOT NULL,
    cluster text NOT NULL
);

CREATE TABLE settlement_parts (
    merchant_id bigint NOT NULL,
    settlement_id gateway_id NOT NULL,
    payment_id bigint NOT NULL,
    identifier text NOT NULL,
    amount_paise paise NOT NULL
);

CREATE TABLE settlement_shares (
    merchant_id bigint NOT NULL,
    share_id gateway_id NOT NULL,
    settlement_id gateway_id NOT NULL,
    beneficiary text NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT settlement_shares_beneficiary_check CHECK (((length(beneficiary) >= 1) AND (length(beneficiary) <= 64)))
);

CREATE TABLE settlement_terms (
    merchant_id bigint NOT NULL,
    terms_no ordinal NOT NULL,
    set_at timestamp with time zone NOT NULL,
    cut_off_minute integer NOT NULL,
    base_event text NOT NULL,
    base_days times NOT NULL,
    working_days times NOT NULL,
    centre text NOT NULL,
    minimum_paise paise_above_zero NOT NULL,
    reserve_bps times NOT NULL,
    reserve_days times NOT NULL,
    held boolean NOT NULL,
    instant_bps integer,
    CONSTRAINT settlement_terms_base_event_check CHECK ((base_event = ANY (ARRAY['payment'::text, 'shipment'::text, 'delivery'::text, 'refund_window'::text]))),
    CONSTRAINT settlement_terms_cut_off_minute_check CHECK (((cut_off_minute >= 1) AND (cut_off_minute <= 1440))),
    CONSTRAINT settlement_terms_instant_bps_check CHECK (((instant_bps >= 0) AND (instant_bps <= 10000))),
    CONSTRAINT settlement_terms_reserve CHECK ((((reserve_bps)::integer = 0) = ((reserve_days)::integer = 0))),
    CONSTRAINT settlement_terms_reserve_bps_check CHECK (((reserve_bps)::integer <= 10000))
);

CREATE TABLE settlement_totals (
    connector text NOT NULL,
    settlement text NOT NULL,
    utr text NOT NULL,
    net_paise bigint NOT NULL,
    day date NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    CONSTRAINT settlement_totals_net_paise_check CHECK ((net_paise <> 0)),
    CONSTRAINT settlement_totals_utr_check CHECK ((utr <> ''::text))
);

CREATE TABLE settlements (
    merchant_id bigint NOT NULL,
    settlement_id gateway_id NOT NULL,
    settlement_no ordinal NOT NULL,
    day date NOT NULL,
    kind text NOT NULL,
    at timestamp with time zone NOT NULL,
    terms_no times NOT NULL,
    items times NOT NULL,
    carried_in_paise bigint NOT NULL,
    gross_paise paise NOT NULL,
    refunds_paise bigint NOT NULL,
    other_paise bigint NOT NULL,
    fee_paise paise NOT NULL,
    tax_paise paise NOT NULL,
    price_paise paise NOT NULL,
    price_tax_paise paise NOT NULL,
    reserve_held_paise paise NOT NULL,
    reserve_until date,
    reserve_released_paise paise NOT NULL,
    net_paise paise NOT NULL,
    splits_paise paise NOT NULL,
    carried_paise bigint NOT NULL,
    linked_carried jsonb NOT NULL,
    digest sha256_digest NOT NULL,
    xact xid8 DEFAULT pg_current_xact_id() NOT NULL,
    CONSTRAINT settlements_add_up CHECK (((((((((((carried_in_paise + (gross_paise)::bigint) - refunds_paise) + other_paise) - (fee_paise)::bigint) - (tax_paise)::bigint) - (price_paise)::bigint) - (price_tax_paise)::bigint) - (reserve_held_paise)::bigint) + (reserve_released_paise)::bigint) = (((net_paise)::bigint + (splits_paise)::bigint) + carried_paise))),
    CONSTRAINT settlements_kind_check CHECK ((kind = ANY (ARRAY['daily'::text, 'instant'::text])))
);

CREATE TABLE share_reversals (
    merchant_id bigint NOT NULL,
    reversal_id gateway_id NOT NULL,
    share_id gateway_id NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    state share_reversal_state NOT NULL,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    code text DEFAULT ''::text NOT NULL,
    message text DEFAULT ''::text NOT NULL,
    ended_at timestamp with time zone,
    tries times DEFAULT 1 NOT NULL,
    refund_id gateway_id,
    CONSTRAINT share_reversals_end CHECK ((((ended_at IS NOT NULL) = ((state)::text = ANY (ARRAY['done'::text, 'cancelled'::text]))) AND (((state)::text <> 'cancelled'::text) OR (refund_id IS NOT NULL)) AND (((state)::text <> 'owed'::text) OR (refund_id IS NULL))))
);

CREATE TABLE shares_to_pay (
    merchant_id bigint NOT NULL,
    share_id gateway_id NOT NULL,
    beneficiary order_reference NOT NULL,
    account_no integer NOT NULL,
    CONSTRAINT shares_to_pay_account_no_check CHECK ((account_no >= 0))
);

CREATE TABLE sign_in_failures (
    subject sha256_digest NOT NULL,
    failures times NOT NULL,
    first_at timestamp with time zone NOT NULL
);

CREATE TABLE signing_keys (
    purpose text NOT NULL,
    sealed_key bytea NOT NULL,
    certificate bytea NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE split_configurations (
    merchant_id bigint NOT NULL,
    request_id text NOT NULL,
    payment_id gateway_id NOT NULL,
    content_hash sha256_digest NOT NULL,
    kind text NOT NULL,
    base_paise paise_above_zero NOT NULL,
    primary_value paise NOT NULL,
    primary_paise paise NOT NULL,
    created_at timestamp with time zone NOT NULL,
    replaced_at timestamp with time zone,
    CONSTRAINT split_configurations_kind_check CHECK ((kind = ANY (ARRAY['percentage'::text, 'absolute'::text]))),
    CONSTRAINT split_configurations_request_id_check CHECK ((request_id ~ '^[0-9]{1,15}$'::text))
);

CREATE TABLE split_parts (
    merchant_id bigint NOT NULL,
    request_id text NOT NULL,
    place ordinal NOT NULL,
    identifier order_reference NOT NULL,
    value paise_above_zero NOT NULL,
    amount_paise paise NOT NULL,
    ledger_account account_name NOT NULL
);

CREATE TABLE staff_sessions (
    session_hash sha256_digest NOT NULL,
    person_id gateway_id NOT NULL,
    stage session_stage NOT NULL,
    began_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    factor_at timestamp with time zone,
    challenge bytea,
    network text NOT NULL,
    browser text NOT NULL,
    mark bytea DEFAULT '\x'::bytea NOT NULL,
    factor_mark bytea DEFAULT '\x'::bytea NOT NULL,
    CONSTRAINT staff_sessions_browser_check CHECK ((length(browser) <= 200)),
    CONSTRAINT staff_sessions_complete CHECK ((((stage)::text = 'complete'::text) = (factor_at IS NOT NULL)))
);

CREATE TABLE statement_files (
    file_id bigint NOT NULL,
    sha256 sha256_digest NOT NULL,
    connector text NOT NULL,
    format text NOT NULL,
    name text NOT NULL,
    account text NOT NULL,
    statement text NOT NULL,
    opening_paise bigint,
    closing_paise bigint,
    lines times NOT NULL,
    net_paise bigint NOT NULL,
    first_day date,
    last_day date,
    merchants bigint[] NOT NULL,
    imported_by text NOT NULL,
    imported_at timestamp with time zone NOT NULL,
    CONSTRAINT statement_files_check CHECK (((opening_paise + net_paise) = closing_paise)),
    CONSTRAINT statement_files_format_check CHECK ((format = ANY (ARRAY['camt053'::text, 'mt940'::text, 'csv'::text])))
);

CREATE TABLE statement_handovers (
    connector text NOT NULL,
    utr text NOT NULL,
    file_id bigint NOT NULL,
    lines times NOT NULL,
    net_paise bigint NOT NULL
);

CREATE TABLE statement_lines (
    merchant_id bigint NOT NULL,
    line_id bigint NOT NULL,
    file_id bigint NOT NULL,
    connector text NOT NULL,
    kind text NOT NULL,
    is_credit boolean NOT NULL,
    gross_paise paise_above_zero NOT NULL,
    fee_paise paise NOT NULL,
    net_paise paise NOT NULL,
    cause_id bigint NOT NULL,
    reference text NOT NULL,
    rrn text NOT NULL,
    utr text NOT NULL,
    day date NOT NULL,
    CONSTRAINT statement_lines_kind_check CHECK ((kind = ANY (ARRAY['payment'::text, 'refund'::text, 'chargeback'::text, 'handover'::text, 'other'::text])))
);

CREATE TABLE statement_mappings (
    connector text NOT NULL,
    layout sha256_digest NOT NULL,
    version_no ordinal NOT NULL,
    mapping jsonb NOT NULL,
    chosen_by text NOT NULL,
    chosen_at timestamp with time zone NOT NULL,
    CONSTRAINT statement_mappings_chosen_by_check CHECK (((length(chosen_by) >= 1) AND (length(chosen_by) <= 254))),
    CONSTRAINT statement_mappings_connector_check CHECK ((length(connector) <= 60))
);

CREATE TABLE statement_matches (
    merchant_id bigint NOT NULL,
    line_id bigint NOT NULL,
    kind text NOT NULL,
    cause_id bigint NOT NULL,
    class text NOT NULL,
    CONSTRAINT statement_matches_class_check CHECK ((class = ANY (ARRAY['matched'::text, 'late'::text, 'fee_differs'::text, 'amount_differs'::text]))),
    CONSTRAINT statement_matches_kind_check CHECK ((kind = ANY (ARRAY['payment'::text, 'refund'::text, 'refund_reversed'::text, 'chargeback'::text])))
);

CREATE TABLE statement_steps (
    file_id bigint NOT NULL,
    step text NOT NULL,
    utr text NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT statement_steps_step_check CHECK ((step = ANY (ARRAY['matched'::text, 'handed_over'::text])))
);

CREATE TABLE statement_uploads (
    upload_id gateway_id NOT NULL,
    connector text NOT NULL,
    format text NOT NULL,
    name text NOT NULL,
    size_bytes integer NOT NULL,
    uploaded_by text NOT NULL,
    uploaded_at timestamp with time zone NOT NULL,
    state text DEFAULT 'uploaded'::text NOT NULL,
    mapping jsonb,
    asked_by text DEFAULT ''::text NOT NULL,
    result jsonb DEFAULT '{}'::jsonb NOT NULL,
    problem text DEFAULT ''::text NOT NULL,
    sealed_content bytea,
    mark bytea,
    CONSTRAINT statement_uploads_format_check CHECK ((format = ANY (ARRAY['csv'::text, 'mt940'::text, 'camt053'::text]))),
    CONSTRAINT statement_uploads_kept CHECK (((state = ANY (ARRAY['uploaded'::text, 'asked'::text])) = (sealed_content IS NOT NULL))),
    CONSTRAINT statement_uploads_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT statement_uploads_problem_check CHECK ((length(problem) <= 300)),
    CONSTRAINT statement_uploads_state_check CHECK ((state = ANY (ARRAY['uploaded'::text, 'asked'::text, 'imported'::text, 'refused'::text, 'forgotten'::text])))
);

CREATE TABLE status_announcements (
    announcement_id gateway_id NOT NULL,
    kind text NOT NULL,
    component text NOT NULL,
    sentence text NOT NULL,
    begins_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone,
    CONSTRAINT status_announcements_check CHECK ((ends_at >= begins_at)),
    CONSTRAINT status_announcements_check1 CHECK (((kind = 'incident'::text) OR (ends_at IS NOT NULL))),
    CONSTRAINT status_announcements_component_check CHECK ((length(component) <= 48)),
    CONSTRAINT status_announcements_kind_check CHECK ((kind = ANY (ARRAY['incident'::text, 'maintenance'::text]))),
    CONSTRAINT status_announcements_sentence_check CHECK (((length(sentence) >= 1) AND (length(sentence) <= 200)))
);

CREATE TABLE status_names (
    acquirer text NOT NULL,
    public_name text NOT NULL,
    CONSTRAINT status_names_acquirer_check CHECK (((length(acquirer) >= 1) AND (length(acquirer) <= 32))),
    CONSTRAINT status_names_public_name_check CHECK ((length(public_name) <= 60))
);

CREATE TABLE status_spells (
    component text NOT NULL,
    began_at timestamp with time zone NOT NULL,
    state text NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT status_spells_check CHECK ((ended_at >= began_at)),
    CONSTRAINT status_spells_component_check CHECK (((length(component) >= 1) AND (length(component) <= 48))),
    CONSTRAINT status_spells_state_check CHECK ((state = ANY (ARRAY['operational'::text, 'degraded_performance'::text, 'partial_outage'::text, 'major_outage'::text, 'under_maintenance'::text])))
);

CREATE TABLE status_watch (
    only_one boolean DEFAULT true NOT NULL,
    looked_at timestamp with time zone,
    CONSTRAINT status_watch_only_one_check CHECK (only_one)
);

CREATE TABLE subscription_debits (
    merchant_id bigint NOT NULL,
    debit_id gateway_id NOT NULL,
    subscription_id bigint NOT NULL,
    period_no ordinal NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    state debit_state NOT NULL,
    planned_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone,
    connector text DEFAULT ''::text NOT NULL,
    noticed_at timestamp with time zone,
    payment_id gateway_id,
    tries times DEFAULT 0 NOT NULL,
    settled_at timestamp with time zone,
    notice_name text DEFAULT ''::text NOT NULL,
    debit_until timestamp with time zone,
    CONSTRAINT subscription_debits_fit CHECK ((((settled_at IS NOT NULL) = ((state)::text = ANY (ARRAY['done'::text, 'failed'::text, 'skipped'::text, 'missed'::text]))) AND (((state)::text <> ALL (ARRAY['sent'::text, 'retrying'::text, 'done'::text, 'failed'::text])) OR ((payment_id IS NOT NULL) AND (noticed_at IS NOT NULL))) AND ((noticed_at IS NULL) OR (planned_at >= (noticed_at + '24:00:00'::interval)))))
);

CREATE TABLE subscriptions (
    merchant_id bigint NOT NULL,
    subscription_id gateway_id NOT NULL,
    order_id order_reference NOT NULL,
    state subscription_state NOT NULL,
    amount_paise paise_above_zero NOT NULL,
    currency currency_letters NOT NULL,
    max_paise paise_above_zero NOT NULL,
    period subscription_period NOT NULL,
    frequency ordinal NOT NULL,
    starts_on date NOT NULL,
    debits_max ordinal,
    retries_max times NOT NULL,
    valid_until date NOT NULL,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone,
    next_period ordinal DEFAULT 1 NOT NULL,
    connector text DEFAULT ''::text NOT NULL,
    mandate_reference text DEFAULT ''::text NOT NULL,
    channel text DEFAULT ''::text NOT NULL,
    umrn text DEFAULT ''::text NOT NULL,
    payer text DEFAULT ''::text NOT NULL,
    activated_at timestamp with time zone,
    ended_at timestamp with time zone,
    notice_before interval DEFAULT '24:00:00'::interval NOT NULL,
    ask_at timestamp with time zone,
    paused_at_bank boolean DEFAULT false NOT NULL,
    mandate_name text DEFAULT ''::text NOT NULL,
    CONSTRAINT subscriptions_at_bank CHECK (((notice_before >= '24:00:00'::interval) AND ((NOT paused_at_bank) OR ((state)::text = 'paused'::text)))),
    CONSTRAINT subscriptions_fit CHECK ((((amount_paise)::bigint <= (max_paise)::bigint) AND (valid_until >= starts_on) AND (((state)::text <> ALL (ARRAY['active'::text, 'paused'::text])) OR ((mandate_reference <> ''::text) AND (channel <> ''::text) AND (activated_at IS NOT NULL))) AND ((ended_at IS NOT NULL) = ((state)::text = ANY (ARRAY['cancelled'::text, 'completed'::text, 'failed'::text])))))
);

CREATE TABLE tally_marks (
    merchant_id bigint NOT NULL,
    upto_xact xid8 DEFAULT '0'::xid8 NOT NULL,
    upto_id bigint DEFAULT '-1'::integer NOT NULL,
    cluster text DEFAULT ''::text NOT NULL,
    days_upto text DEFAULT '0,-1,'::text NOT NULL
);

CREATE TABLE tax_parties (
    merchant_id bigint NOT NULL,
    party_no ordinal NOT NULL,
    name text NOT NULL,
    address text NOT NULL,
    state text NOT NULL,
    gstin text NOT NULL,
    pan text NOT NULL,
    written_by text NOT NULL,
    written_at timestamp with time zone NOT NULL,
    CONSTRAINT tax_parties_address_check CHECK (((length(address) >= 1) AND (length(address) <= 300))),
    CONSTRAINT tax_parties_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT tax_parties_state_check CHECK ((state ~ '^[0-9]{2}$'::text))
);

CREATE TABLE token_failures (
    merchant_id bigint NOT NULL,
    address text NOT NULL,
    failures integer NOT NULL,
    window_from timestamp with time zone NOT NULL,
    blocked_until timestamp with time zone,
    CONSTRAINT token_failures_failures_check CHECK ((failures > 0))
);

CREATE TABLE trail_entries (
    merchant_id bigint NOT NULL,
    entry_no ordinal NOT NULL,
    at timestamp with time zone NOT NULL,
    person_id bigint NOT NULL,
    person text NOT NULL,
    act text NOT NULL,
    about text NOT NULL,
    detail text NOT NULL,
    network text NOT NULL,
    digest sha256_digest NOT NULL,
    mark bytea DEFAULT '\x'::bytea NOT NULL,
    CONSTRAINT trail_entries_about_check CHECK ((length(about) <= 200)),
    CONSTRAINT trail_entries_act_check CHECK ((act ~ '^[a-z_]+\.[a-z_]+$'::text)),
    CONSTRAINT trail_entries_at CHECK (((at >= '2000-01-01 00:00:00+00'::timestamp with time zone) AND (at <= '2200-01-01 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT trail_entries_detail CHECK ((jsonb_typeof((detail)::jsonb) = 'object'::text)),
    CONSTRAINT trail_entries_detail_check CHECK ((length(detail) <= 10000)),
    CONSTRAINT trail_entries_marked CHECK ((length(mark) = 32))
);

CREATE TABLE webhook_endpoints (
    merchant_id bigint NOT NULL,
    endpoint_no ordinal NOT NULL,
    name text NOT NULL,
    state text NOT NULL,
    events text[] NOT NULL,
    form text NOT NULL,
    sealed_target bytea NOT NULL,
    made_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    failing_since timestamp with time zone,
    problem text DEFAULT ''::text NOT NULL,
    probe_at timestamp with time zone,
    CONSTRAINT webhook_endpoints_events_check CHECK (((cardinality(events) >= 1) AND (cardinality(events) <= 100))),
    CONSTRAINT webhook_endpoints_name_check CHECK (((length(name) >= 1) AND (length(name) <= 60))),
    CONSTRAINT webhook_endpoints_probed CHECK (((failing_since IS NULL) = (probe_at IS NULL))),
    CONSTRAINT webhook_endpoints_state_check CHECK ((state = ANY (ARRAY['enabled'::text, 'disabled'::text, 'removed'::text])))
);

ALTER TABLE ONLY accepted_names
    ADD CONSTRAINT accepted_names_pkey PRIMARY KEY (merchant_id, beneficiary, account_no, person);

ALTER TABLE ONLY access_tokens
    ADD CONSTRAINT access_tokens_pkey PRIMARY KEY (merchant_id, token_hash);

ALTER TABLE ONLY account_checks
    ADD CONSTRAINT account_checks_pkey PRIMARY KEY (merchant_id, check_id);

ALTER TABLE ONLY account_lines
    ADD CONSTRAINT account_lines_pkey PRIMARY KEY (line_id);

ALTER TABLE ONLY account_papers
    ADD CONSTRAINT account_papers_merchant_id_beneficiary_account_no_digest_key UNIQUE (merchant_id, beneficiary, account_no, digest);

ALTER TABLE ONLY account_papers
    ADD CONSTRAINT account_papers_pkey PRIMARY KEY (merchant_id, paper_id);

ALTER TABLE ONLY acquirer_accounts
    ADD CONSTRAINT acquirer_accounts_pkey PRIMARY KEY (name);

ALTER TABLE ONLY acquirer_numbers
    ADD CONSTRAINT acquirer_numbers_pkey PRIMARY KEY (series);

ALTER TABLE ONLY acquirer_terms
    ADD CONSTRAINT acquirer_terms_pkey PRIMARY KEY (connector, version);

ALTER TABLE ONLY acquirer_troubles
    ADD CONSTRAINT acquirer_troubles_pkey PRIMARY KEY (connector);

ALTER TABLE ONLY acquirer_words
    ADD CONSTRAINT acquirer_words_pkey PRIMARY KEY (merchant_id, reference, name);

ALTER TABLE ONLY address_checks
    ADD CONSTRAINT address_checks_pkey PRIMARY KEY (merchant_id, span, began_at);

ALTER TABLE ONLY approvals
    ADD CONSTRAINT approvals_pkey PRIMARY KEY (merchant_id, approval_id);

ALTER TABLE ONLY archived_links
    ADD CONSTRAINT archived_links_pkey PRIMARY KEY (merchant_id, book, block_no);

ALTER TABLE ONLY archived_orders
    ADD CONSTRAINT archived_orders_pkey PRIMARY KEY (merchant_id, order_id);

ALTER TABLE ONLY archived_payments
    ADD CONSTRAINT archived_payments_pkey PRIMARY KEY (merchant_id, payment_id);

ALTER TABLE ONLY archived_sums
    ADD CONSTRAINT archived_sums_pkey PRIMARY KEY (merchant_id, account, currency);

ALTER TABLE ONLY assistant_keys
    ADD CONSTRAINT assistant_keys_pkey PRIMARY KEY (merchant_id, key_id);

ALTER TABLE ONLY attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (merchant_id, attempt_id);

ALTER TABLE ONLY bank_accounts
    ADD CONSTRAINT bank_accounts_merchant_id_check_id_key UNIQUE (merchant_id, check_id);

ALTER TABLE ONLY bank_accounts
    ADD CONSTRAINT bank_accounts_pkey PRIMARY KEY (merchant_id, beneficiary, account_no);

ALTER TABLE ONLY bank_days
    ADD CONSTRAINT bank_days_pkey PRIMARY KEY (centre, day);

ALTER TABLE ONLY bearer_keys
    ADD CONSTRAINT bearer_keys_pkey PRIMARY KEY (merchant_id, name);

ALTER TABLE ONLY certificate_looks
    ADD CONSTRAINT certificate_looks_pkey PRIMARY KEY (probe);

ALTER TABLE ONLY certification_evidence
    ADD CONSTRAINT certification_evidence_pkey PRIMARY KEY (account, evidence_id);

ALTER TABLE ONLY certification_webhooks
    ADD CONSTRAINT certification_webhooks_pkey PRIMARY KEY (account, reference);

ALTER TABLE ONLY chain_blocks
    ADD CONSTRAINT chain_blocks_pkey PRIMARY KEY (merchant_id, book, block_no);

ALTER TABLE ONLY chain_links
    ADD CONSTRAINT chain_links_pkey PRIMARY KEY (merchant_id, book, id, part);

ALTER TABLE ONLY chain_roots
    ADD CONSTRAINT chain_roots_pkey PRIMARY KEY (day);

ALTER TABLE ONLY complaints
    ADD CONSTRAINT complaints_pkey PRIMARY KEY (merchant_id, complaint_id);

ALTER TABLE ONLY completions
    ADD CONSTRAINT completions_pkey PRIMARY KEY (merchant_id, completion_id);

ALTER TABLE ONLY day_tallies
    ADD CONSTRAINT day_tallies_pkey PRIMARY KEY (merchant_id, day, what, method, bank, connector, state, code);

ALTER TABLE ONLY dead_addresses
    ADD CONSTRAINT dead_addresses_pkey PRIMARY KEY (merchant_id, channel, address);

ALTER TABLE ONLY deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (merchant_id, payment_id, event_no);

ALTER TABLE ONLY delivery_attempts
    ADD CONSTRAINT delivery_attempts_pkey PRIMARY KEY (merchant_id, payment_id, event_no, attempt_no);

ALTER TABLE ONLY demo_clock
    ADD CONSTRAINT demo_clock_pkey PRIMARY KEY (only_one);

ALTER TABLE ONLY direct_share_events
    ADD CONSTRAINT direct_share_events_pkey PRIMARY KEY (merchant_id, share_id, event_no);

ALTER TABLE ONLY direct_shares
    ADD CONSTRAINT direct_shares_merchant_id_request_id_identifier_key UNIQUE (merchant_id, request_id, identifier);

ALTER TABLE ONLY direct_shares
    ADD CONSTRAINT direct_shares_pkey PRIMARY KEY (merchant_id, share_id);

ALTER TABLE ONLY dispute_evidence
    ADD CONSTRAINT dispute_evidence_merchant_id_stage_id_digest_key UNIQUE (merchant_id, stage_id, digest);

ALTER TABLE ONLY dispute_evidence
    ADD CONSTRAINT dispute_evidence_pkey PRIMARY KEY (merchant_id, evidence_id);

ALTER TABLE ONLY dispute_stages
    ADD CONSTRAINT dispute_stages_pkey PRIMARY KEY (merchant_id, stage_id);

ALTER TABLE ONLY endpoint_deliveries
    ADD CONSTRAINT endpoint_deliveries_pkey PRIMARY KEY (merchant_id, endpoint_no, payment_id, event_no);

ALTER TABLE ONLY endpoint_tries
    ADD CONSTRAINT endpoint_tries_pkey PRIMARY KEY (merchant_id, endpoint_no, payment_id, event_no, attempt_no);

ALTER TABLE ONLY failing_endpoints
    ADD CONSTRAINT failing_endpoints_pkey PRIMARY KEY (merchant_id);

ALTER TABLE ONLY fee_invoices
    ADD CONSTRAINT fee_invoices_pkey PRIMARY KEY (merchant_id, month);

ALTER TABLE ONLY fee_plans
    ADD CONSTRAINT fee_plans_pkey PRIMARY KEY (merchant_id, plan_no);

ALTER TABLE ONLY hour_tallies
    ADD CONSTRAINT hour_tallies_pkey PRIMARY KEY (merchant_id, hour, what, method, bank, connector, state, code);

ALTER TABLE ONLY idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (merchant_id, idempotency_key);

ALTER TABLE ONLY identity_consents
    ADD CONSTRAINT identity_consents_pkey PRIMARY KEY (affiliate, reference);

ALTER TABLE ONLY identity_requests
    ADD CONSTRAINT identity_requests_pkey PRIMARY KEY (affiliate, request_id);

ALTER TABLE ONLY invoice_series
    ADD CONSTRAINT invoice_series_pkey PRIMARY KEY (financial_year);

ALTER TABLE ONLY lead_events
    ADD CONSTRAINT lead_events_pkey PRIMARY KEY (affiliate, lead_id, event_no);

ALTER TABLE ONLY leads
    ADD CONSTRAINT leads_pkey PRIMARY KEY (affiliate, lead_id);

ALTER TABLE ONLY ledger_checkpoints
    ADD CONSTRAINT ledger_checkpoints_pkey PRIMARY KEY (merchant_id, account, currency);

ALTER TABLE ONLY ledger_postings
    ADD CONSTRAINT ledger_postings_pkey PRIMARY KEY (merchant_id, cause_id, kind);

ALTER TABLE ONLY ledger_rolls
    ADD CONSTRAINT ledger_rolls_pkey PRIMARY KEY (merchant_id);

ALTER TABLE ONLY letter_choices
    ADD CONSTRAINT letter_choices_pkey PRIMARY KEY (person_id, kind, channel);

ALTER TABLE ONLY letters
    ADD CONSTRAINT letters_once UNIQUE (merchant_id, cause, channel, address);

ALTER TABLE ONLY letters
    ADD CONSTRAINT letters_pkey PRIMARY KEY (merchant_id, letter_id);

ALTER TABLE ONLY linked_accounts
    ADD CONSTRAINT linked_accounts_merchant_id_ledger_account_key UNIQUE (merchant_id, ledger_account);

ALTER TABLE ONLY linked_accounts
    ADD CONSTRAINT linked_accounts_pkey PRIMARY KEY (merchant_id, identifier);

ALTER TABLE ONLY linked_parties
    ADD CONSTRAINT linked_parties_pkey PRIMARY KEY (merchant_id, identifier, connector, party_no);

ALTER TABLE ONLY memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (merchant_id, person_id);

ALTER TABLE ONLY merchant_logos
    ADD CONSTRAINT merchant_logos_pkey PRIMARY KEY (merchant_id);

ALTER TABLE ONLY merchant_twins
    ADD CONSTRAINT merchant_twins_pkey PRIMARY KEY (merchant_id);

ALTER TABLE ONLY merchants
    ADD CONSTRAINT merchants_pkey PRIMARY KEY (merchant_id);

ALTER TABLE ONLY message_consents
    ADD CONSTRAINT message_consents_pkey PRIMARY KEY (merchant_id, channel, address);

ALTER TABLE ONLY message_templates
    ADD CONSTRAINT message_templates_pkey PRIMARY KEY (merchant_id, channel, kind, language);

ALTER TABLE ONLY offers
    ADD CONSTRAINT offers_pkey PRIMARY KEY (affiliate, unique_id);

ALTER TABLE ONLY one_time_links
    ADD CONSTRAINT one_time_links_pkey PRIMARY KEY (link_hash);

ALTER TABLE ONLY operator_rule_sets
    ADD CONSTRAINT operator_rule_sets_pkey PRIMARY KEY (version);

ALTER TABLE ONLY page_languages
    ADD CONSTRAINT page_languages_pkey PRIMARY KEY (merchant_id, payment_id);

ALTER TABLE ONLY partner_calls
    ADD CONSTRAINT partner_calls_pkey PRIMARY KEY (affiliate, reference);

ALTER TABLE ONLY partner_events
    ADD CONSTRAINT partner_events_pkey PRIMARY KEY (affiliate, event_no);

ALTER TABLE ONLY partner_lookups
    ADD CONSTRAINT partner_lookups_pkey PRIMARY KEY (affiliate, span, began_at);

ALTER TABLE ONLY partners
    ADD CONSTRAINT partners_card_token_hash_key UNIQUE (card_token_hash);

ALTER TABLE ONLY partners
    ADD CONSTRAINT partners_older_card_token_hash_key UNIQUE (older_card_token_hash);

ALTER TABLE ONLY partners
    ADD CONSTRAINT partners_pkey PRIMARY KEY (affiliate);

ALTER TABLE ONLY passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (credential_id);

ALTER TABLE ONLY payer_requests
    ADD CONSTRAINT payer_requests_pkey PRIMARY KEY (request_id);

ALTER TABLE ONLY payer_requests
    ADD CONSTRAINT payer_requests_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY payment_events
    ADD CONSTRAINT payment_events_pkey PRIMARY KEY (merchant_id, payment_id, event_no);

ALTER TABLE ONLY payment_link_batch_lines
    ADD CONSTRAINT payment_link_batch_lines_pkey PRIMARY KEY (merchant_id, batch_id, line_no);

ALTER TABLE ONLY payment_link_batches
    ADD CONSTRAINT payment_link_batches_merchant_id_reference_key UNIQUE (merchant_id, reference);

ALTER TABLE ONLY payment_link_batches
    ADD CONSTRAINT payment_link_batches_pkey PRIMARY KEY (merchant_id, batch_id);

ALTER TABLE ONLY payment_link_orders
    ADD CONSTRAINT payment_link_orders_pkey PRIMARY KEY (merchant_id, link_id, order_no);

ALTER TABLE ONLY payment_link_reminders
    ADD CONSTRAINT payment_link_reminders_pkey PRIMARY KEY (merchant_id, link_id, reminder_no);

ALTER TABLE payment_links
    ADD CONSTRAINT payment_links_items CHECK (((items = '[]'::jsonb) OR ((jsonb_array_length(items) <= 50) AND COALESCE((items_paise(items) = (amount_paise)::bigint), false)))) NOT VALID;

ALTER TABLE ONLY payment_links
    ADD CONSTRAINT payment_links_merchant_id_code_key UNIQUE (merchant_id, code);

ALTER TABLE ONLY payment_links
    ADD CONSTRAINT payment_links_merchant_id_reference_key UNIQUE (merchant_id, reference);

ALTER TABLE ONLY payment_links
    ADD CONSTRAINT payment_links_pkey PRIMARY KEY (merchant_id, link_id);

ALTER TABLE ONLY payments
    ADD CONSTRAINT payments_merchant_id_order_id_key UNIQUE (merchant_id, order_id);

ALTER TABLE ONLY payments
    ADD CONSTRAINT payments_pkey PRIMARY KEY (merchant_id, payment_id);

ALTER TABLE ONLY payout_approvals
    ADD CONSTRAINT payout_approvals_merchant_id_payout_id_person_amount_paise__key UNIQUE (merchant_id, payout_id, person, amount_paise, account_no);

ALTER TABLE ONLY payout_approvals
    ADD CONSTRAINT payout_approvals_pkey PRIMARY KEY (merchant_id, payout_id, person_key);

ALTER TABLE ONLY payout_balances
    ADD CONSTRAINT payout_balances_pkey PRIMARY KEY (connector);

ALTER TABLE ONLY payout_batches
    ADD CONSTRAINT payout_batches_pkey PRIMARY KEY (batch_id);

ALTER TABLE ONLY payout_events
    ADD CONSTRAINT payout_events_pkey PRIMARY KEY (merchant_id, payout_id, event_no);

ALTER TABLE ONLY payout_fees
    ADD CONSTRAINT payout_fees_pkey PRIMARY KEY (merchant_id, payout_id, kind);

ALTER TABLE ONLY payout_plans
    ADD CONSTRAINT payout_plans_pkey PRIMARY KEY (version);

ALTER DOMAIN payout_state
    ADD CONSTRAINT payout_state_check CHECK ((VALUE = ANY (ARRAY['prepared'::text, 'proposed'::text, 'approved'::text, 'awaiting_balance'::text, 'awaiting_provider'::text, 'sent'::text, 'unknown'::text, 'awaiting_approval'::text, 'queued'::text, 'processing'::text, 'deemed'::text, 'done'::text, 'refused'::text, 'returned'::text, 'reversed'::text, 'held_back'::text, 'paid_late'::text, 'paid_twice'::text]))) NOT VALID;

ALTER TABLE payouts
    ADD CONSTRAINT payouts_done CHECK (((utr <> ''::text) OR (late_utr <> ''::text) OR ((state)::text <> ALL (ARRAY['done'::text, 'reversed'::text])))) NOT VALID;

ALTER TABLE payouts
    ADD CONSTRAINT payouts_late CHECK ((((late_utr <> ''::text) = (late_at IS NOT NULL)) AND ((late_at IS NOT NULL) OR ((state)::text <> ALL (ARRAY['paid_late'::text, 'paid_twice'::text]))) AND ((late_at IS NULL) OR ((state)::text = ANY (ARRAY['paid_late'::text, 'paid_twice'::text, 'reversed'::text]))))) NOT VALID;

ALTER TABLE ONLY payouts
    ADD CONSTRAINT payouts_merchant_id_share_id_try_no_key UNIQUE (merchant_id, share_id, try_no);

ALTER TABLE ONLY payouts
    ADD CONSTRAINT payouts_pkey PRIMARY KEY (merchant_id, payout_id);

ALTER TABLE payouts
    ADD CONSTRAINT payouts_rail CHECK ((sent_rail = ANY (ARRAY[''::text, 'imps'::text, 'neft'::text, 'rtgs'::text]))) NOT VALID;

ALTER TABLE payouts
    ADD CONSTRAINT payouts_sent CHECK (((sent_at IS NOT NULL) OR ((state)::text = ANY (ARRAY['prepared'::text, 'proposed'::text, 'approved'::text, 'awaiting_balance'::text, 'awaiting_provider'::text, 'held_back'::text])))) NOT VALID;

ALTER TABLE ONLY people
    ADD CONSTRAINT people_email_key UNIQUE (email);

ALTER TABLE ONLY people
    ADD CONSTRAINT people_handle_key UNIQUE (handle);

ALTER TABLE ONLY people
    ADD CONSTRAINT people_pkey PRIMARY KEY (person_id);

ALTER TABLE ONLY pos_sales
    ADD CONSTRAINT pos_sales_merchant_id_terminal_id_reference_key UNIQUE (merchant_id, terminal_id, reference);

ALTER TABLE ONLY pos_sales
    ADD CONSTRAINT pos_sales_pkey PRIMARY KEY (merchant_id, transaction_id);

ALTER TABLE ONLY pos_terminals
    ADD CONSTRAINT pos_terminals_pkey PRIMARY KEY (merchant_id, terminal_id);

ALTER DOMAIN posting_kind
    ADD CONSTRAINT posting_kind_check CHECK ((VALUE = ANY (ARRAY['payment'::text, 'overpaid'::text, 'late_refund_due'::text, 'capture'::text, 'refund_begun'::text, 'refund_done'::text, 'refund_failed'::text, 'refund_reversed'::text, 'review_held'::text, 'review_released'::text, 'review_rejected'::text, 'settlement_fee'::text, 'settlement_tax'::text, 'reserve_held'::text, 'reserve_released'::text, 'share_due'::text, 'payout_sent'::text, 'payout_done'::text, 'payout_returned'::text, 'payout_reversed'::text, 'payout_late'::text, 'payout_twice'::text, 'payout_recovered'::text, 'payout_recovered_back'::text, 'payout_fee'::text, 'payout_fee_back'::text, 'direct_begun'::text, 'direct_reduced'::text, 'direct_done'::text, 'direct_returned'::text, 'direct_reversed'::text, 'check_cost'::text, 'handed_over'::text, 'acquirer_fee'::text, 'correction'::text, 'dispute_held'::text, 'dispute_won'::text, 'dispute_lost'::text, 'dispute_fee'::text, 'dispute_tax'::text]))) NOT VALID;

ALTER TABLE ONLY reconciliation_items
    ADD CONSTRAINT reconciliation_items_pkey PRIMARY KEY (merchant_id, item_id);

ALTER TABLE ONLY reconciliation_proposals
    ADD CONSTRAINT reconciliation_proposals_pkey PRIMARY KEY (merchant_id, proposal_id);

ALTER TABLE ONLY recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (person_id, code_hash);

ALTER TABLE ONLY refund_requests
    ADD CONSTRAINT refund_requests_pkey PRIMARY KEY (merchant_id, request_id, item_no);

ALTER TABLE ONLY refunds
    ADD CONSTRAINT refunds_pkey PRIMARY KEY (merchant_id, refund_id);

ALTER TABLE ONLY refused_requests
    ADD CONSTRAINT refused_requests_pkey PRIMARY KEY (merchant_id, reference);

ALTER TABLE ONLY report_fetches
    ADD CONSTRAINT report_fetches_pkey PRIMARY KEY (connector);

ALTER TABLE ONLY report_files
    ADD CONSTRAINT report_files_pkey PRIMARY KEY (merchant_id, report_id);

ALTER TABLE ONLY report_parts
    ADD CONSTRAINT report_parts_pkey PRIMARY KEY (merchant_id, report_id, part_no);

ALTER TABLE ONLY report_schedules
    ADD CONSTRAINT report_schedules_pkey PRIMARY KEY (merchant_id, schedule_no);

ALTER TABLE ONLY review_decisions
    ADD CONSTRAINT review_decisions_pkey PRIMARY KEY (merchant_id, payment_id, event_no);

ALTER TABLE ONLY risk_blocks
    ADD CONSTRAINT risk_blocks_pkey PRIMARY KEY (merchant_id, payment_id, event_no);

ALTER TABLE ONLY risk_cards
    ADD CONSTRAINT risk_cards_pkey PRIMARY KEY (merchant_id, subject, card);

ALTER TABLE ONLY risk_counts
    ADD CONSTRAINT risk_counts_pkey PRIMARY KEY (merchant_id, subject, span, began_at, stripe);

ALTER TABLE ONLY risk_rule_sets
    ADD CONSTRAINT risk_rule_sets_pkey PRIMARY KEY (merchant_id, version);

ALTER TABLE ONLY routing_plans
    ADD CONSTRAINT routing_plans_pkey PRIMARY KEY (version);

ALTER TABLE ONLY saved_cards
    ADD CONSTRAINT saved_cards_pkey PRIMARY KEY (merchant_id, token);

ALTER TABLE ONLY saved_filters
    ADD CONSTRAINT saved_filters_pkey PRIMARY KEY (merchant_id, person_id, list_name, name);

ALTER TABLE ONLY schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (name);

ALTER TABLE ONLY search_keys
    ADD CONSTRAINT search_keys_pkey PRIMARY KEY (merchant_id, kind, key, payment_id);

ALTER TABLE ONLY search_marks
    ADD CONSTRAINT search_marks_pkey PRIMARY KEY (merchant_id);

ALTER TABLE ONLY settlement_items
    ADD CONSTRAINT settlement_items_pkey PRIMARY KEY (merchant_id, cause_id, kind);

ALTER TABLE ONLY settlement_marks
    ADD CONSTRAINT settlement_marks_pkey PRIMARY KEY (merchant_id);

ALTER TABLE ONLY settlement_parts
    ADD CONSTRAINT settlement_parts_pkey PRIMARY KEY (merchant_id, payment_id, identifier);

ALTER TABLE ONLY settlement_shares
    ADD CONSTRAINT settlement_shares_merchant_id_settlement_id_beneficiary_key UNIQUE (merchant_id, settlement_id, beneficiary);

ALTER TABLE ONLY settlement_shares
    ADD CONSTRAINT settlement_shares_pkey PRIMARY KEY (merchant_id, share_id);

ALTER TABLE ONLY settlement_terms
    ADD CONSTRAINT settlement_terms_pkey PRIMARY KEY (merchant_id, terms_no);

ALTER TABLE ONLY settlement_totals
    ADD CONSTRAINT settlement_totals_pkey PRIMARY KEY (connector, settlement, utr, net_paise);

ALTER TABLE ONLY settlements
    ADD CONSTRAINT settlements_merchant_id_day_kind_key UNIQUE (merchant_id, day, kind);

ALTER TABLE ONLY settlements
    ADD CONSTRAINT settlements_merchant_id_settlement_no_key UNIQUE (merchant_id, settlement_no);

ALTER TABLE ONLY settlements
    ADD CONSTRAINT settlements_pkey PRIMARY KEY (merchant_id, settlement_id);

ALTER DOMAIN share_reversal_state
    ADD CONSTRAINT share_reversal_state_check CHECK ((VALUE = ANY (ARRAY['sent'::text, 'unknown'::text, 'done'::text, 'owed'::text, 'cancelled'::text]))) NOT VALID;

ALTER TABLE ONLY share_reversals
    ADD CONSTRAINT share_reversals_pkey PRIMARY KEY (merchant_id, reversal_id);

ALTER TABLE ONLY shares_to_pay
    ADD CONSTRAINT shares_to_pay_pkey PRIMARY KEY (merchant_id, share_id);

ALTER TABLE ONLY sign_in_failures
    ADD CONSTRAINT sign_in_failures_pkey PRIMARY KEY (subject);

ALTER TABLE ONLY signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (purpose);

ALTER TABLE ONLY split_configurations
    ADD CONSTRAINT split_configurations_pkey PRIMARY KEY (merchant_id, request_id);

ALTER TABLE ONLY split_parts
    ADD CONSTRAINT split_parts_pkey PRIMARY KEY (merchant_id, request_id, place);

ALTER TABLE ONLY staff_sessions
    ADD CONSTRAINT staff_sessions_pkey PRIMARY KEY (session_hash);

ALTER TABLE ONLY statement_files
    ADD CONSTRAINT statement_files_int8range_excl EXCLUDE USING gist (int8range(file_id, ((file_id + (lines)::integer) + 1)) WITH &&);

ALTER TABLE ONLY statement_files
    ADD CONSTRAINT statement_files_pkey PRIMARY KEY (file_id);

ALTER TABLE ONLY statement_files
    ADD CONSTRAINT statement_files_sha256_key UNIQUE (sha256);

ALTER TABLE ONLY statement_handovers
    ADD CONSTRAINT statement_handovers_pkey PRIMARY KEY (connector, utr, file_id);

ALTER TABLE ONLY statement_lines
    ADD CONSTRAINT statement_lines_pkey PRIMARY KEY (merchant_id, line_id);

ALTER TABLE ONLY statement_mappings
    ADD CONSTRAINT statement_mappings_pkey PRIMARY KEY (connector, layout, version_no);

ALTER TABLE ONLY statement_matches
    ADD CONSTRAINT statement_matches_pkey PRIMARY KEY (merchant_id, line_id);

ALTER TABLE ONLY statement_steps
    ADD CONSTRAINT statement_steps_pkey PRIMARY KEY (file_id, step, utr);

ALTER TABLE ONLY statement_uploads
    ADD CONSTRAINT statement_uploads_pkey PRIMARY KEY (upload_id);

ALTER TABLE ONLY status_announcements
    ADD CONSTRAINT status_announcements_pkey PRIMARY KEY (announcement_id);

ALTER TABLE ONLY status_names
    ADD CONSTRAINT status_names_pkey PRIMARY KEY (acquirer);

ALTER TABLE ONLY status_spells
    ADD CONSTRAINT status_spells_pkey PRIMARY KEY (component, began_at);

ALTER TABLE ONLY status_watch
    ADD CONSTRAINT status_watch_pkey PRIMARY KEY (only_one);

ALTER TABLE ONLY subscription_debits
    ADD CONSTRAINT subscription_debits_merchant_id_subscription_id_period_no_key UNIQUE (merchant_id, subscription_id, period_no);

ALTER TABLE ONLY subscription_debits
    ADD CONSTRAINT subscription_debits_pkey PRIMARY KEY (merchant_id, debit_id);

ALTER TABLE ONLY subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (merchant_id, subscription_id);

ALTER TABLE ONLY tally_marks
    ADD CONSTRAINT tally_marks_pkey PRIMARY KEY (merchant_id);

ALTER TABLE ONLY tax_parties
    ADD CONSTRAINT tax_parties_pkey PRIMARY KEY (merchant_id, party_no);

ALTER TABLE ONLY token_failures
    ADD CONSTRAINT token_failures_pkey PRIMARY KEY (merchant_id, address);

ALTER TABLE ONLY trail_entries
    ADD CONSTRAINT trail_entries_pkey PRIMARY KEY (merchant_id, entry_no);

ALTER TABLE ONLY webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (merchant_id, endpoint_no);

CREATE INDEX access_tokens_of_network ON access_tokens USING btree (merchant_id, network, issued_at);

CREATE INDEX access_tokens_over ON access_tokens USING btree (expires_at);

CREATE INDEX account_lines_by_utr ON account_lines USING btree (utr) WHERE (utr <> ''::text);

CREATE INDEX address_checks_old ON address_checks USING btree (began_at);

CREATE UNIQUE INDEX approvals_once ON approvals USING btree (merchant_id, kind, act_id) WHERE (act_id <> ''::text);

CREATE INDEX approvals_waiting ON approvals USING btree (merchant_id, approval_id) WHERE ((state)::text = ANY (ARRAY['waiting'::text, 'approved'::text]));

CREATE INDEX archived_payments_by_attempt ON ONLY archived_payments USING gin (attempt_ids);

CREATE INDEX archived_payments_by_rrn ON ONLY archived_payments USING gin (rrns);

CREATE INDEX attempts_by_rrn ON attempts USING btree (merchant_id, rrn) WHERE (rrn <> ''::text);

CREATE INDEX attempts_in_excess ON attempts USING btree (merchant_id, attempt_id) WHERE ((state)::text = 'overpaid'::text);

CREATE INDEX attempts_of_banks ON attempts USING btree (created_at) WHERE (bank <> ''::text);

CREATE INDEX attempts_of_payment ON attempts USING btree (merchant_id, payment_id);

CREATE INDEX attempts_of_saved_cards ON attempts USING btree (merchant_id, saved_card) WHERE (saved_card <> ''::text);

CREATE UNIQUE INDEX attempts_one_success ON attempts USING btree (merchant_id, payment_id) WHERE ((state)::text = ANY (ARRAY['paid'::text, 'authorised'::text]));

CREATE UNIQUE INDEX attempts_one_transfer ON attempts USING btree (merchant_id, payment_id, rrn) WHERE (((method)::text = ANY (ARRAY['virtual_account'::text, 'rtgs_account'::text, 'remittance'::text, 'cash_voucher'::text])) AND (rrn <> ''::text));

CREATE INDEX attempts_routed ON attempts USING btree (created_at) WHERE (route <> '{}'::jsonb);

CREATE INDEX attempts_to_inquire ON attempts USING btree (inquire_at) WHERE (inquire_at IS NOT NULL);

CREATE INDEX bank_accounts_due ON bank_accounts USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE UNIQUE INDEX bank_accounts_newest ON bank_accounts USING btree (merchant_id, beneficiary) WHERE (replaced_at IS NULL);

CREATE UNIQUE INDEX bearer_keys_digest ON bearer_keys USING btree (merchant_id, digest);

CREATE INDEX chain_links_of_block ON chain_links USING btree (merchant_id, book, block_no);

CREATE INDEX complaints_of_payment ON complaints USING btree (merchant_id, payment_id);

CREATE UNIQUE INDEX complaints_one_open ON complaints USING btree (merchant_id, payment_id) WHERE (state = 'open'::text);

CREATE INDEX complaints_waiting ON complaints USING btree (answer_by) WHERE (state = 'open'::text);

CREATE INDEX completions_due ON completions USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX completions_of_payment ON completions USING btree (merchant_id, payment_id);

CREATE UNIQUE INDEX completions_one ON completions USING btree (merchant_id, payment_id) WHERE ((state)::text <> 'failed'::text);

CREATE INDEX deliveries_due ON deliveries USING btree (merchant_id, due_at) WHERE ((state)::text = ANY (ARRAY['waiting'::text, 'sending'::text]));

CREATE INDEX deliveries_given_up ON deliveries USING btree (merchant_id, state, created_at) WHERE ((state)::text = ANY (ARRAY['exhausted'::text, 'no_endpoint'::text]));

CREATE INDEX direct_shares_due ON direct_shares USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX direct_shares_of_payment ON direct_shares USING btree (merchant_id, payment_id);

CREATE INDEX dispute_stages_due ON dispute_stages USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX dispute_stages_of_payment ON dispute_stages USING btree (merchant_id, payment_id);

CREATE UNIQUE INDEX dispute_stages_one ON dispute_stages USING btree (merchant_id, connector, bank_case, phase);

CREATE INDEX endpoint_deliveries_due ON endpoint_deliveries USING btree (merchant_id, endpoint_no, due_at) WHERE ((state)::text = ANY (ARRAY['waiting'::text, 'sending'::text]));

CREATE INDEX endpoint_deliveries_old ON endpoint_deliveries USING btree (created_at);

CREATE INDEX endpoint_tries_old ON endpoint_tries USING btree (at);

CREATE INDEX failing_endpoints_to_probe ON failing_endpoints USING btree (probe_at);

CREATE INDEX idempotency_keys_old ON idempotency_keys USING btree (at);

CREATE INDEX identity_consents_newest ON identity_consents USING btree (affiliate, at DESC);

CREATE INDEX identity_requests_of_holder ON identity_requests USING btree (affiliate, holder_reference, created_at DESC);

CREATE INDEX identity_requests_old ON identity_requests USING btree (created_at);

CREATE INDEX leads_newest ON leads USING btree (created_at DESC);

CREATE UNIQUE INDEX leads_one_of_a_business ON leads USING btree (affiliate, business_hash) WHERE (state <> 'rejected'::text);

CREATE INDEX ledger_postings_owed_back ON ledger_postings USING btree (merchant_id, cause_id) WHERE ((credit)::text = 'owed_back'::text);

CREATE INDEX ledger_postings_tail ON ledger_postings USING btree (merchant_id, xact);

CREATE INDEX letters_due ON letters USING btree (due_at) WHERE ((state)::text = 'waiting'::text);

CREATE UNIQUE INDEX linked_parties_apart ON linked_parties USING btree (merchant_id, connector, party) WHERE (ended_at IS NULL);

CREATE UNIQUE INDEX linked_parties_one ON linked_parties USING btree (merchant_id, identifier, connector) WHERE (ended_at IS NULL);

CREATE INDEX memberships_of_person ON memberships USING btree (person_id);

CREATE INDEX offers_closed ON offers USING btree (closes_at);

CREATE INDEX one_time_links_of_person ON one_time_links USING btree (person_id);

CREATE INDEX partner_calls_newest ON partner_calls USING btree (affiliate, at DESC);

CREATE INDEX partner_calls_old ON partner_calls USING btree (at);

CREATE INDEX partner_lookups_old ON partner_lookups USING btree (began_at);

CREATE INDEX passkeys_of_person ON passkeys USING btree (person_id);

CREATE INDEX payer_requests_of_contact ON payer_requests USING btree (contact_key, asked_at);

CREATE INDEX payer_requests_of_payment ON payer_requests USING btree (owner_id, payment_id, asked_at);

CREATE INDEX payer_requests_to_look ON payer_requests USING btree (asked_at) WHERE (state = 'asked'::text);

CREATE INDEX payment_events_in_order ON payment_events USING btree (merchant_id, xact, payment_id);

CREATE INDEX payment_link_orders_due ON payment_link_orders USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX payment_link_reminders_due ON payment_link_reminders USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX payment_link_reminders_to_send ON payment_link_reminders USING btree (merchant_id, remind_at) WHERE (state = 'to_send'::text);

CREATE INDEX payments_held_by_issuer ON payments USING btree (created_at) WHERE ((state)::text = 'authorised'::text);

CREATE INDEX payments_to_close ON payments USING btree (expires_at) WHERE ((state)::text = 'open'::text);

CREATE INDEX payments_under_review ON payments USING btree (created_at) WHERE ((state)::text = 'under_review'::text);

CREATE INDEX payout_fees_at ON payout_fees USING btree (at);

CREATE INDEX payouts_alarming ON payouts USING btree (state) WHERE ((state)::text = ANY (ARRAY['awaiting_balance'::text, 'awaiting_provider'::text, 'paid_twice'::text]));

CREATE INDEX payouts_awaiting_balance ON payouts USING btree (created_at) WHERE ((state)::text = 'awaiting_balance'::text);

CREATE INDEX payouts_due ON payouts USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX payouts_late_utr ON payouts USING btree (late_utr) WHERE (late_utr <> ''::text);

CREATE INDEX payouts_of_batch ON payouts USING btree (batch_id) WHERE (batch_id IS NOT NULL);

CREATE UNIQUE INDEX payouts_one_standing ON payouts USING btree (merchant_id, share_id) WHERE ((state)::text <> ALL (ARRAY['refused'::text, 'returned'::text, 'reversed'::text, 'held_back'::text, 'paid_twice'::text]));

CREATE INDEX payouts_sent_by ON payouts USING btree (sent_by, sent_at) WHERE (sent_by <> ''::text);

CREATE INDEX payouts_utr ON payouts USING btree (utr) WHERE (utr <> ''::text);

CREATE INDEX payouts_waiting ON payouts USING btree (merchant_id, created_at) WHERE ((state)::text = ANY (ARRAY['prepared'::text, 'proposed'::text, 'approved'::text]));

CREATE INDEX pos_sales_newest ON pos_sales USING btree (merchant_id, terminal_id, at DESC);

CREATE INDEX reconciliation_items_open ON reconciliation_items USING btree (merchant_id, item_id) WHERE (state = 'open'::text);

CREATE INDEX reconciliation_proposals_of_item ON reconciliation_proposals USING btree (merchant_id, owner_id, item_id);

CREATE INDEX refund_requests_old ON refund_requests USING btree (at);

CREATE INDEX refunds_due ON refunds USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE UNIQUE INDEX refunds_of_debt ON refunds USING btree (merchant_id, attempt_id) WHERE (((cause)::text = ANY (ARRAY['overpaid'::text, 'late'::text])) AND ((state)::text <> ALL (ARRAY['failed'::text, 'reversed'::text])));

CREATE INDEX refunds_of_payment ON refunds USING btree (merchant_id, payment_id);

CREATE INDEX refused_requests_newest ON refused_requests USING btree (merchant_id, at DESC);

CREATE INDEX refused_requests_old ON refused_requests USING btree (at);

CREATE INDEX report_files_due ON report_files USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX report_schedules_due ON report_schedules USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX risk_cards_declined ON risk_cards USING btree (merchant_id, subject, declined_at) WHERE (declined_at IS NOT NULL);

CREATE INDEX risk_cards_old ON risk_cards USING btree (tried_at);

CREATE INDEX risk_cards_tried ON risk_cards USING btree (merchant_id, subject, tried_at);

CREATE INDEX risk_counts_old ON risk_counts USING btree (began_at);

CREATE INDEX saved_cards_of_customer ON saved_cards USING btree (merchant_id, customer) WHERE (deleted_at IS NULL);

CREATE INDEX saved_cards_to_end ON saved_cards USING btree (deleted_at) WHERE ((deleted_at IS NOT NULL) AND (ended_at IS NULL));

CREATE INDEX settlement_items_settled ON settlement_items USING btree (merchant_id, settlement_id, cause_id, kind) WHERE (settlement_id IS NOT NULL);

CREATE INDEX settlement_items_waiting ON settlement_items USING btree (merchant_id, ready_on) WHERE (settlement_id IS NULL);

CREATE INDEX settlement_totals_by_utr ON settlement_totals USING btree (utr);

CREATE INDEX settlements_reserve ON settlements USING btree (merchant_id, reserve_until) WHERE (reserve_until IS NOT NULL);

CREATE UNIQUE INDEX share_reversals_carried ON share_reversals USING btree (merchant_id, refund_id, share_id) WHERE (refund_id IS NOT NULL);

CREATE INDEX share_reversals_of_share ON share_reversals USING btree (merchant_id, share_id);

CREATE UNIQUE INDEX share_reversals_one_open ON share_reversals USING btree (merchant_id, share_id) WHERE (((state)::text <> 'done'::text) AND (refund_id IS NULL));

CREATE INDEX shares_to_pay_by_account ON shares_to_pay USING btree (merchant_id, beneficiary);

CREATE INDEX split_configurations_of_payment ON split_configurations USING btree (merchant_id, payment_id);

CREATE UNIQUE INDEX split_configurations_one ON split_configurations USING btree (merchant_id, payment_id) WHERE (replaced_at IS NULL);

CREATE INDEX staff_sessions_of_person ON staff_sessions USING btree (person_id);

CREATE INDEX statement_handovers_by_file ON statement_handovers USING btree (file_id);

CREATE INDEX statement_handovers_by_utr ON statement_handovers USING btree (utr);

CREATE UNIQUE INDEX statement_matches_one ON statement_matches USING btree (merchant_id, cause_id, kind);

CREATE INDEX status_spells_ended ON status_spells USING btree (ended_at);

CREATE UNIQUE INDEX status_spells_go_on ON status_spells USING btree (component) WHERE (ended_at IS NULL);

CREATE INDEX subscription_debits_due ON subscription_debits USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX subscription_debits_of_payment ON subscription_debits USING btree (merchant_id, payment_id);

CREATE UNIQUE INDEX subscription_debits_payment ON subscription_debits USING btree (merchant_id, payment_id) WHERE (payment_id IS NOT NULL);

CREATE INDEX subscriptions_by_name ON subscriptions USING btree (connector, mandate_name) WHERE (mandate_name <> ''::text);

CREATE INDEX subscriptions_due ON subscriptions USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX subscriptions_to_approve ON subscriptions USING btree (merchant_id, subscription_id) WHERE ((state)::text = 'created'::text);

CREATE INDEX subscriptions_to_ask ON subscriptions USING btree (ask_at) WHERE (ask_at IS NOT NULL);

CREATE INDEX token_failures_old ON token_failures USING btree (window_from);

CREATE INDEX trail_about ON trail_entries USING btree (about);

CREATE TRIGGER accepted_names_append_only BEFORE DELETE OR UPDATE ON accepted_names FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER account_checks_append_only BEFORE DELETE OR UPDATE ON account_checks FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER account_lines_stay BEFORE DELETE OR UPDATE ON account_lines FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER account_papers_append_only BEFORE UPDATE ON account_papers FOR EACH ROW WHEN ((((((((((((old.merchant_id IS DISTINCT FROM new.merchant_id) OR ((old.paper_id)::bigint IS DISTINCT FROM (new.paper_id)::bigint)) OR ((old.beneficiary)::text IS DISTINCT FROM (new.beneficiary)::text)) OR ((old.account_no)::integer IS DISTINCT FROM (new.account_no)::integer)) OR (old.kind IS DISTINCT FROM new.kind)) OR (old.name IS DISTINCT FROM new.name)) OR (old.media_type IS DISTINCT FROM new.media_type)) OR ((old.size_bytes)::integer IS DISTINCT FROM (new.size_bytes)::integer)) OR ((old.digest)::bytea IS DISTINCT FROM (new.digest)::bytea)) OR (old.added_by IS DISTINCT FROM new.added_by)) OR (old.added_at IS DISTINCT FROM new.added_at))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER account_papers_stay BEFORE DELETE ON account_papers FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER acquirer_accounts_never_emptied BEFORE TRUNCATE ON acquirer_accounts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER acquirer_accounts_stay BEFORE DELETE ON acquirer_accounts FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER acquirer_accounts_stay_themselves BEFORE UPDATE ON acquirer_accounts FOR EACH ROW WHEN (((((((old.name IS DISTINCT FROM new.name) OR (old.kind IS DISTINCT FROM new.kind)) OR (old.serves IS DISTINCT FROM new.serves)) OR (old.simulated IS DISTINCT FROM new.simulated)) OR (old.added_at IS DISTINCT FROM new.added_at)) OR (((new.revision)::integer <> (old.revision)::integer) AND ((new.revision)::integer <> ((old.revision)::integer + 1))))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER acquirer_numbers_grow BEFORE UPDATE ON acquirer_numbers FOR EACH ROW WHEN (((old.series <> new.series) OR (new.last_number <= old.last_number))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER acquirer_terms_stay BEFORE DELETE OR UPDATE ON acquirer_terms FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER acquirer_words_append_only BEFORE DELETE OR UPDATE ON acquirer_words FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER acquirer_words_never_emptied BEFORE TRUNCATE ON acquirer_words FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER approvals_act BEFORE UPDATE ON approvals FOR EACH ROW WHEN ((old.act_id <> new.act_id)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER approvals_moves BEFORE DELETE OR UPDATE ON approvals FOR EACH ROW EXECUTE FUNCTION refuse_wrong_approval();

CREATE TRIGGER archived_orders_append_only BEFORE DELETE OR UPDATE ON archived_orders FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER archived_payments_append_only BEFORE DELETE OR UPDATE ON archived_payments FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER archived_payments_no_truncate BEFORE TRUNCATE ON archived_payments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER attempts_add_up BEFORE INSERT OR UPDATE ON attempts FOR EACH ROW EXECUTE FUNCTION refuse_wrong_attempt();

CREATE TRIGGER bank_accounts_append_only BEFORE UPDATE ON bank_accounts FOR EACH ROW WHEN ((((old.replaced_at IS NOT NULL) AND (new.sealed_number = old.sealed_number) AND (new.due_at IS NOT NULL)) OR (((old.state)::text = 'verified'::text) AND ((new.state)::text <> 'verified'::text)) OR ((old.replaced_at IS NOT NULL) AND (new.replaced_at IS DISTINCT FROM old.replaced_at)) OR (((((((((old.merchant_id IS DISTINCT FROM new.merchant_id) OR ((old.beneficiary)::text IS DISTINCT FROM (new.beneficiary)::text)) OR ((old.account_no)::integer IS DISTINCT FROM (new.account_no)::integer)) OR (old.holder IS DISTINCT FROM new.holder)) OR (old.last4 IS DISTINCT FROM new.last4)) OR ((old.fingerprint)::bytea IS DISTINCT FROM (new.fingerprint)::bytea)) OR (old.ifsc IS DISTINCT FROM new.ifsc)) OR (old.added_by IS DISTINCT FROM new.added_by)) OR (old.added_at IS DISTINCT FROM new.added_at)))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER bank_accounts_papers BEFORE UPDATE ON bank_accounts FOR EACH ROW WHEN ((((old.state)::text = 'unverified'::text) AND ((new.state)::text = 'verified'::text))) EXECUTE FUNCTION refuse_without_papers();

CREATE TRIGGER bank_accounts_pass BEFORE UPDATE ON bank_accounts FOR EACH ROW WHEN ((((old.state)::text = 'name_differs'::text) AND ((new.state)::text = 'verified'::text) AND (new.accepted_by = ''::text))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER bank_accounts_stay BEFORE DELETE ON bank_accounts FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER bearer_keys_append_only BEFORE UPDATE ON bearer_keys FOR EACH ROW WHEN (((old.ended_at IS NOT NULL) OR (((((((((old.merchant_id IS DISTINCT FROM new.merchant_id) OR (old.name IS DISTINCT FROM new.name)) OR (old.digest IS DISTINCT FROM new.digest)) OR (old.scopes IS DISTINCT FROM new.scopes)) OR ((old.refund_paise)::bigint IS DISTINCT FROM (new.refund_paise)::bigint)) OR (old.made_by IS DISTINCT FROM new.made_by)) OR (old.made_at IS DISTINCT FROM new.made_at)) OR (old.expires_at IS DISTINCT FROM new.expires_at)) OR (old.proof IS DISTINCT FROM new.proof)))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER bearer_keys_stay BEFORE DELETE ON bearer_keys FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER certification_evidence_append_only BEFORE DELETE OR UPDATE ON certification_evidence FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER certification_evidence_never_emptied BEFORE TRUNCATE ON certification_evidence FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER certification_webhooks_append_only BEFORE DELETE OR UPDATE ON certification_webhooks FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER certification_webhooks_never_emptied BEFORE TRUNCATE ON certification_webhooks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER chain_blocks_append_only BEFORE DELETE OR UPDATE ON chain_blocks FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER chain_blocks_no_truncate BEFORE TRUNCATE ON chain_blocks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER chain_links_append_only BEFORE DELETE OR UPDATE ON chain_links FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER chain_links_no_truncate BEFORE TRUNCATE ON chain_links FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER chain_roots_append_only BEFORE DELETE OR UPDATE ON chain_roots FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER chain_roots_no_truncate BEFORE TRUNCATE ON chain_roots FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER deliveries_add_up BEFORE INSERT OR UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION refuse_wrong_delivery();

CREATE TRIGGER direct_share_events_append_only BEFORE DELETE OR UPDATE ON direct_share_events FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER direct_shares_moves BEFORE DELETE OR UPDATE ON direct_shares FOR EACH ROW EXECUTE FUNCTION refuse_wrong_share();

CREATE TRIGGER endpoint_deliveries_add_up BEFORE INSERT OR UPDATE ON endpoint_deliveries FOR EACH ROW EXECUTE FUNCTION refuse_wrong_delivery();

CREATE TRIGGER fee_invoices_append_only BEFORE DELETE OR UPDATE ON fee_invoices FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER fee_invoices_no_truncate BEFORE TRUNCATE ON fee_invoices FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER fee_plans_append_only BEFORE DELETE OR UPDATE ON fee_plans FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER fee_plans_no_truncate BEFORE TRUNCATE ON fee_plans FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER identity_consents_append_only BEFORE DELETE OR UPDATE OF affiliate, reference, at, holder_reference, last4 ON identity_consents FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER lead_events_append_only BEFORE DELETE OR UPDATE ON lead_events FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_postings_append_only BEFORE DELETE OR UPDATE ON ledger_postings FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_postings_no_truncate BEFORE TRUNCATE ON ledger_postings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER linked_parties_append_only BEFORE UPDATE ON linked_parties FOR EACH ROW WHEN (((old.ended_at IS NOT NULL) OR (((((((old.merchant_id IS DISTINCT FROM new.merchant_id) OR ((old.identifier)::text IS DISTINCT FROM (new.identifier)::text)) OR (old.connector IS DISTINCT FROM new.connector)) OR ((old.party_no)::integer IS DISTINCT FROM (new.party_no)::integer)) OR (old.party IS DISTINCT FROM new.party)) OR (old.added_by IS DISTINCT FROM new.added_by)) OR (old.added_at IS DISTINCT FROM new.added_at)))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER linked_parties_stay BEFORE DELETE ON linked_parties FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER operator_rule_sets_append_only BEFORE DELETE OR UPDATE ON operator_rule_sets FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER partner_events_append_only BEFORE DELETE OR UPDATE ON partner_events FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payment_events_append_only BEFORE DELETE OR UPDATE ON payment_events FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payment_events_no_truncate BEFORE TRUNCATE ON payment_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payment_link_batch_lines_append_only BEFORE DELETE OR UPDATE ON payment_link_batch_lines FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payment_link_batches_append_only BEFORE DELETE OR UPDATE ON payment_link_batches FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payment_link_orders_once BEFORE UPDATE ON payment_link_orders FOR EACH ROW WHEN ((((old.amount_paise)::bigint <> (new.amount_paise)::bigint) OR ((old.counted_at IS NOT NULL) AND (((old.counted_at IS DISTINCT FROM new.counted_at) OR ((old.counted_paise)::bigint IS DISTINCT FROM (new.counted_paise)::bigint)) OR ((old.back_paise)::bigint IS DISTINCT FROM (new.back_paise)::bigint))))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payment_link_reminders_once BEFORE UPDATE ON payment_link_reminders FOR EACH ROW WHEN (((old.remind_at <> new.remind_at) OR (old.state = ANY (ARRAY['sent'::text, 'dropped'::text])) OR ((old.state = 'to_send'::text) AND (new.state = 'planned'::text)))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payment_links_terms BEFORE UPDATE ON payment_links FOR EACH ROW WHEN (((((((((old.code IS DISTINCT FROM new.code) OR ((old.reference)::text IS DISTINCT FROM (new.reference)::text)) OR ((old.amount_paise)::bigint IS DISTINCT FROM (new.amount_paise)::bigint)) OR ((old.minimum_paise)::bigint IS DISTINCT FROM (new.minimum_paise)::bigint)) OR (old.surplus IS DISTINCT FROM new.surplus)) OR (old.expires_at IS DISTINCT FROM new.expires_at)) OR (old.items IS DISTINCT FROM new.items)) OR ((new.paid_paise)::bigint < (old.paid_paise)::bigint) OR ((old.cancelled_at IS NOT NULL) AND (new.cancelled_at IS DISTINCT FROM old.cancelled_at)))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payments_moves BEFORE INSERT OR UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION refuse_wrong_move();

CREATE TRIGGER payout_approvals_append_only BEFORE DELETE OR UPDATE ON payout_approvals FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_batches_append_only BEFORE DELETE OR UPDATE ON payout_batches FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_events_append_only BEFORE DELETE OR UPDATE ON payout_events FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_fees_append_only BEFORE DELETE OR UPDATE ON payout_fees FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_plans_append_only BEFORE DELETE OR UPDATE ON payout_plans FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payouts_moves BEFORE DELETE OR UPDATE ON payouts FOR EACH ROW EXECUTE FUNCTION refuse_wrong_payout();

CREATE TRIGGER review_decisions_append_only BEFORE DELETE OR UPDATE ON review_decisions FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER risk_rule_sets_append_only BEFORE DELETE OR UPDATE ON risk_rule_sets FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER routing_plans_append_only BEFORE DELETE OR UPDATE ON routing_plans FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER routing_plans_never_emptied BEFORE TRUNCATE ON routing_plans FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER settlement_items_settled_once BEFORE UPDATE ON settlement_items FOR EACH ROW WHEN (((old.settlement_id IS NOT NULL) OR (new.settlement_id IS NULL) OR ((((((((((((old.merchant_id IS DISTINCT FROM new.merchant_id) OR (old.cause_id IS DISTINCT FROM new.cause_id)) OR (old.kind IS DISTINCT FROM new.kind)) OR (old.at IS DISTINCT FROM new.at)) OR (old.ready_on IS DISTINCT FROM new.ready_on)) OR (old.gross_paise IS DISTINCT FROM new.gross_paise)) OR (old.fee_paise IS DISTINCT FROM new.fee_paise)) OR (old.tax_paise IS DISTINCT FROM new.tax_paise)) OR (old.net_paise IS DISTINCT FROM new.net_paise)) OR (old.rule IS DISTINCT FROM new.rule)) OR (old.plan_no IS DISTINCT FROM new.plan_no)) OR (old.terms_no IS DISTINCT FROM new.terms_no)))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER settlement_items_stay BEFORE DELETE ON settlement_items FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER settlement_parts_append_only BEFORE DELETE OR UPDATE ON settlement_parts FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER settlement_shares_append_only BEFORE DELETE OR UPDATE ON settlement_shares FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER settlement_terms_append_only BEFORE DELETE OR UPDATE ON settlement_terms FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER settlement_totals_stay BEFORE DELETE OR UPDATE ON settlement_totals FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER settlements_append_only BEFORE DELETE OR UPDATE ON settlements FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER share_reversals_moves BEFORE DELETE OR UPDATE ON share_reversals FOR EACH ROW EXECUTE FUNCTION refuse_wrong_reversal();

CREATE TRIGGER statement_files_stay BEFORE DELETE OR UPDATE ON statement_files FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER statement_handovers_stay BEFORE DELETE OR UPDATE ON statement_handovers FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER statement_lines_stay BEFORE DELETE OR UPDATE ON statement_lines FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER statement_matches_stay BEFORE DELETE OR UPDATE ON statement_matches FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER statement_steps_stay BEFORE DELETE OR UPDATE ON statement_steps FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER tax_parties_append_only BEFORE DELETE OR UPDATE ON tax_parties FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER trail_entries_append_only BEFORE DELETE OR UPDATE ON trail_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER trail_entries_no_gap BEFORE INSERT ON trail_entries FOR EACH ROW EXECUTE FUNCTION refuse_gap();

CREATE TRIGGER trail_entries_no_truncate BEFORE TRUNCATE ON trail_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

ALTER TABLE ONLY account_checks
    ADD CONSTRAINT account_checks_merchant_id_beneficiary_account_no_fkey FOREIGN KEY (merchant_id, beneficiary, account_no) REFERENCES bank_accounts(merchant_id, beneficiary, account_no);

ALTER TABLE ONLY account_papers
    ADD CONSTRAINT account_papers_merchant_id_beneficiary_account_no_fkey FOREIGN KEY (merchant_id, beneficiary, account_no) REFERENCES bank_accounts(merchant_id, beneficiary, account_no);

ALTER TABLE ONLY address_checks
    ADD CONSTRAINT address_checks_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id);

ALTER TABLE ONLY attempts
    ADD CONSTRAINT attempts_merchant_id_payment_id_fkey FOREIGN KEY (merchant_id, payment_id) REFERENCES payments(merchant_id, payment_id);

ALTER TABLE ONLY bank_accounts
    ADD CONSTRAINT bank_accounts_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id);

ALTER TABLE ONLY bank_accounts
    ADD CONSTRAINT bank_accounts_passed FOREIGN KEY (merchant_id, beneficiary, account_no, accepted_named) REFERENCES accepted_names(merchant_id, beneficiary, account_no, person);

ALTER TABLE ONLY bearer_keys
    ADD CONSTRAINT bearer_keys_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id);

ALTER TABLE ONLY completions
    ADD CONSTRAINT completions_merchant_id_payment_id_fkey FOREIGN KEY (merchant_id, payment_id) REFERENCES payments(merchant_id, payment_id);

ALTER TABLE ONLY direct_share_events
    ADD CONSTRAINT direct_share_events_merchant_id_share_id_fkey FOREIGN KEY (merchant_id, share_id) REFERENCES direct_shares(merchant_id, share_id);

ALTER TABLE ONLY direct_shares
    ADD CONSTRAINT direct_shares_merchant_id_request_id_fkey FOREIGN KEY (merchant_id, request_id) REFERENCES split_configurations(merchant_id, request_id);

ALTER TABLE ONLY dispute_evidence
    ADD CONSTRAINT dispute_evidence_merchant_id_stage_id_fkey FOREIGN KEY (merchant_id, stage_id) REFERENCES dispute_stages(merchant_id, stage_id);

ALTER TABLE ONLY dispute_stages
    ADD CONSTRAINT dispute_stages_merchant_id_payment_id_fkey FOREIGN KEY (merchant_id, payment_id) REFERENCES payments(merchant_id, payment_id);

ALTER TABLE ONLY identity_consents
    ADD CONSTRAINT identity_consents_affiliate_fkey FOREIGN KEY (affiliate) REFERENCES partners(affiliate);

ALTER TABLE ONLY identity_requests
    ADD CONSTRAINT identity_requests_affiliate_fkey FOREIGN KEY (affiliate) REFERENCES partners(affiliate);

ALTER TABLE ONLY lead_events
    ADD CONSTRAINT lead_events_affiliate_lead_id_fkey FOREIGN KEY (affiliate, lead_id) REFERENCES leads(affiliate, lead_id);

ALTER TABLE ONLY leads
    ADD CONSTRAINT leads_affiliate_fkey FOREIGN KEY (affiliate) REFERENCES partners(affiliate);

ALTER TABLE ONLY linked_accounts
    ADD CONSTRAINT linked_accounts_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id);

ALTER TABLE ONLY linked_parties
    ADD CONSTRAINT linked_parties_merchant_id_identifier_fkey FOREIGN KEY (merchant_id, identifier) REFERENCES linked_accounts(merchant_id, identifier);

ALTER TABLE ONLY merchant_logos
    ADD CONSTRAINT merchant_logos_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id);

ALTER TABLE ONLY offers
    ADD CONSTRAINT offers_affiliate_fkey FOREIGN KEY (affiliate) REFERENCES partners(affiliate);

ALTER TABLE ONLY one_time_links
    ADD CONSTRAINT one_time_links_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id);

ALTER TABLE ONLY partner_events
    ADD CONSTRAINT partner_events_affiliate_fkey FOREIGN KEY (affiliate) REFERENCES partners(affiliate);

ALTER TABLE ONLY partner_lookups
    ADD CONSTRAINT partner_lookups_affiliate_fkey FOREIGN KEY (affiliate) REFERENCES partners(affiliate);

ALTER TABLE ONLY passkeys
    ADD CONSTRAINT passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id);

ALTER TABLE ONLY payment_link_batch_lines
    ADD CONSTRAINT payment_link_batch_lines_merchant_id_batch_id_fkey FOREIGN KEY (merchant_id, batch_id) REFERENCES payment_link_batches(merchant_id, batch_id);

ALTER TABLE ONLY payment_link_batch_lines
    ADD CONSTRAINT payment_link_batch_lines_merchant_id_link_id_fkey FOREIGN KEY (merchant_id, link_id) REFERENCES payment_links(merchant_id, link_id);

ALTER TABLE ONLY payment_link_orders
    ADD CONSTRAINT payment_link_orders_merchant_id_link_id_fkey FOREIGN KEY (merchant_id, link_id) REFERENCES payment_links(merchant_id, link_id);

ALTER TABLE ONLY payment_link_reminders
    ADD CONSTRAINT payment_link_reminders_merchant_id_link_id_fkey FOREIGN KEY (merchant_id, link_id) REFERENCES payment_links(merchant_id, link_id);

ALTER TABLE ONLY payout_events
    ADD CONSTRAINT payout_events_merchant_id_payout_id_fkey FOREIGN KEY (merchant_id, payout_id) REFERENCES payouts(merchant_id, payout_id);

ALTER TABLE ONLY payout_fees
    ADD CONSTRAINT payout_fees_merchant_id_payout_id_fkey FOREIGN KEY (merchant_id, payout_id) REFERENCES payouts(merchant_id, payout_id);

ALTER TABLE ONLY payouts
    ADD CONSTRAINT payouts_checked FOREIGN KEY (merchant_id, payout_id, checker_named, amount_paise, account_no) REFERENCES payout_approvals(merchant_id, payout_id, person, amount_paise, account_no);

ALTER TABLE ONLY payouts
    ADD CONSTRAINT payouts_made FOREIGN KEY (merchant_id, payout_id, maker_named, amount_paise, account_no) REFERENCES payout_approvals(merchant_id, payout_id, person, amount_paise, account_no);

ALTER TABLE ONLY payouts
    ADD CONSTRAINT payouts_merchant_id_beneficiary_account_no_fkey FOREIGN KEY (merchant_id, beneficiary, account_no) REFERENCES bank_accounts(merchant_id, beneficiary, account_no);

ALTER TABLE ONLY payouts
    ADD CONSTRAINT payouts_merchant_id_share_id_fkey FOREIGN KEY (merchant_id, share_id) REFERENCES settlement_shares(merchant_id, share_id);

ALTER TABLE ONLY pos_sales
    ADD CONSTRAINT pos_sales_merchant_id_terminal_id_fkey FOREIGN KEY (merchant_id, terminal_id) REFERENCES pos_terminals(merchant_id, terminal_id);

ALTER TABLE ONLY pos_terminals
    ADD CONSTRAINT pos_terminals_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id);

ALTER TABLE ONLY recovery_codes
    ADD CONSTRAINT recovery_codes_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id);

ALTER TABLE ONLY refunds
    ADD CONSTRAINT refunds_merchant_id_payment_id_fkey FOREIGN KEY (merchant_id, payment_id) REFERENCES payments(merchant_id, payment_id);

ALTER TABLE ONLY settlement_parts
    ADD CONSTRAINT settlement_parts_merchant_id_settlement_id_fkey FOREIGN KEY (merchant_id, settlement_id) REFERENCES settlements(merchant_id, settlement_id);

ALTER TABLE ONLY settlement_shares
    ADD CONSTRAINT settlement_shares_merchant_id_settlement_id_fkey FOREIGN KEY (merchant_id, settlement_id) REFERENCES settlements(merchant_id, settlement_id);

ALTER TABLE ONLY settlement_terms
    ADD CONSTRAINT settlement_terms_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id);

ALTER TABLE ONLY settlements
    ADD CONSTRAINT settlements_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id);

ALTER TABLE ONLY share_reversals
    ADD CONSTRAINT share_reversals_merchant_id_refund_id_fkey FOREIGN KEY (merchant_id, refund_id) REFERENCES refunds(merchant_id, refund_id);

ALTER TABLE ONLY share_reversals
    ADD CONSTRAINT share_reversals_merchant_id_share_id_fkey FOREIGN KEY (merchant_id, share_id) REFERENCES direct_shares(merchant_id, share_id);

ALTER TABLE ONLY split_configurations
    ADD CONSTRAINT split_configurations_merchant_id_payment_id_fkey FOREIGN KEY (merchant_id, payment_id) REFERENCES payments(merchant_id, payment_id);

ALTER TABLE ONLY split_parts
    ADD CONSTRAINT split_parts_merchant_id_identifier_fkey FOREIGN KEY (merchant_id, identifier) REFERENCES linked_accounts(merchant_id, identifier);

ALTER TABLE ONLY split_parts
    ADD CONSTRAINT split_parts_merchant_id_request_id_fkey FOREIGN KEY (merchant_id, request_id) REFERENCES split_configurations(merchant_id, request_id);

ALTER TABLE ONLY staff_sessions
    ADD CONSTRAINT staff_sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id);

ALTER TABLE ONLY subscription_debits
    ADD CONSTRAINT subscription_debits_merchant_id_subscription_id_fkey FOREIGN KEY (merchant_id, subscription_id) REFERENCES subscriptions(merchant_id, subscription_id);

ALTER TABLE ONLY subscriptions
    ADD CONSTRAINT subscriptions_merchant_id_subscription_id_fkey FOREIGN KEY (merchant_id, subscription_id) REFERENCES payments(merchant_id, payment_id);
