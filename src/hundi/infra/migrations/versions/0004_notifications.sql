-- Notifications: what merchants' servers are told, and every try at telling them.

CREATE DOMAIN delivery_state AS text CHECK (VALUE IN ('waiting', 'sending', 'delivered',
    'exhausted', 'no_endpoint', 'unwanted', 'superseded'));

-- What the merchant's server is told: one row an announced event, whose key is also the webhook's identity.
-- due_at: when the row may be claimed; of a row in `sending`, when its lease ends and another worker may take it over.
-- scheduled_from, tries_before: where the present round of the retry schedule began (a replay begins a new one).
CREATE TABLE deliveries (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    event_no ordinal NOT NULL,
    kind text NOT NULL,
    facts jsonb NOT NULL,
    state delivery_state NOT NULL,
    created_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    tries times NOT NULL DEFAULT 0,
    scheduled_from timestamptz NOT NULL,
    tries_before times NOT NULL DEFAULT 0,
    delivered_at timestamptz,
    PRIMARY KEY (merchant_id, payment_id, event_no),
    CONSTRAINT deliveries_counted CHECK (tries_before <= tries AND (state <> 'delivered' OR delivered_at IS NOT NULL))
);
CREATE INDEX deliveries_due ON deliveries (merchant_id, due_at) WHERE state IN ('waiting', 'sending');
CREATE INDEX deliveries_given_up ON deliveries (merchant_id, state, created_at) WHERE state IN ('exhausted', 'no_endpoint');

-- Every try, also one that a dead worker never finished. status is null when no answer came; problem says why.
CREATE TABLE delivery_attempts (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    event_no integer NOT NULL,
    attempt_no ordinal NOT NULL,
    at timestamptz NOT NULL,
    url text NOT NULL,
    status integer,
    latency_ms times NOT NULL,
    answer text NOT NULL DEFAULT '',
    problem text NOT NULL DEFAULT '',
    PRIMARY KEY (merchant_id, payment_id, event_no, attempt_no)
);

-- A row means: the merchant's endpoint let a delivery run out of its schedule and is only probed until it answers.
CREATE TABLE failing_endpoints (
    merchant_id bigint PRIMARY KEY,
    since timestamptz NOT NULL,
    problem text NOT NULL,
    probe_at timestamptz NOT NULL
);
CREATE INDEX failing_endpoints_to_probe ON failing_endpoints (probe_at);

-- Claims what is due of a merchant, in order per payment; nothing while its endpoint is only probed. A row waits behind
-- an unfinished earlier event of its payment, unless it makes that one untrue: it is put off to that one's due time, so
-- that the front of the index can go. What is being sent at this moment is waited for in any case, so that it does not
-- arrive after what made it untrue. The guard on due_at lets one of two workers claim a row.
-- superseding: pairs `earlier>later` of kinds, of which the later makes the earlier untrue. aside: kinds for which no
-- other waits. given_back: kinds that a refund of everything, given_back_by, makes untrue. begun and ended: a
-- worker may keep to what began in a span of time; without them the plan has no condition, and goes by the index whatever
-- statistics say.
CREATE FUNCTION claim_deliveries(
    owner bigint, at timestamptz, lease_until timestamptz, most integer,
    superseding text[], aside text[], given_back text[], given_back_by text,
    begun timestamptz DEFAULT NULL, ended timestamptz DEFAULT NULL
) RETURNS SETOF deliveries LANGUAGE plpgsql AS $$
DECLARE
    due record;
BEGIN
    FOR due IN
        SELECT found.payment_id, found.event_no, found.kind, found.facts, found.state, found.tries, found.due_at, (
            SELECT CASE WHEN e.state = 'sending' THEN at ELSE e.due_at END FROM deliveries e
            WHERE e.merchant_id = owner AND e.payment_id = found.payment_id AND e.event_no < found.event_no
                AND (e.state = 'sending' OR e.state = 'waiting'
                    AND (e.kind <> ALL (aside) OR found.kind = ANY (aside))
                    AND NOT (owner < 0 OR e.kind || '>' || found.kind = ANY (superseding)
                        OR found.kind = given_back_by AND e.kind = ANY (given_back)
                            AND found.facts -> 'refunded_paise' = found.facts -> 'captured_paise'))
            ORDER BY e.event_no LIMIT 1
        ) AS behind, EXISTS (
            SELECT FROM deliveries l WHERE l.merchant_id = owner AND l.payment_id = found.payment_id
                AND l.event_no > found.event_no
                AND (owner < 0 OR found.kind || '>' || l.kind = ANY (superseding)
                    OR l.kind = given_back_by AND found.kind = ANY (given_back)
                        AND l.facts -> 'refunded_paise' = l.facts -> 'captured_paise')
        ) AS overtaken
        FROM (
            SELECT d.payment_id, d.event_no, d.kind, d.facts, d.state, d.tries, d.due_at
            FROM deliveries d
            WHERE d.merchant_id = owner AND d.state IN ('waiting', 'sending') AND d.due_at <= at
                AND (begun IS NULL OR d.created_at >= begun) AND (ended IS NULL OR d.created_at < ended)
            ORDER BY d.due_at LIMIT most
        ) AS found
        WHERE NOT EXISTS (SELECT FROM failing_endpoints f WHERE f.merchant_id = owner)
    LOOP
        IF due.state = 'sending' THEN
            INSERT INTO delivery_attempts (merchant_id, payment_id, event_no, attempt_no, at, url, latency_ms, problem)
            VALUES (owner, due.payment_id, due.event_no, due.tries, due.due_at, '', 0,
                'the worker ended before the answer came')
            ON CONFLICT DO NOTHING;
        END IF;
        IF due.overtaken THEN
            UPDATE deliveries d SET state = 'superseded'
            WHERE d.merchant_id = owner AND d.payment_id = due.payment_id AND d.event_no = due.event_no
                AND d.state IN ('waiting', 'sending') AND d.due_at <= at;
            CONTINUE;
        END IF;
        IF due.behind IS NOT NULL THEN
            UPDATE deliveries d SET due_at = greatest(due.behind, at + interval '1 second')
            WHERE d.merchant_id = owner AND d.payment_id = due.payment_id AND d.event_no = due.event_no
                AND d.state = 'waiting' AND d.due_at <= at;
            CONTINUE;
        END IF;
        IF due.event_no > 1 AND EXISTS (
            SELECT FROM deliveries d
            WHERE d.merchant_id = owner AND d.payment_id = due.payment_id AND d.event_no < due.event_no
        ) THEN
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

-- Records a merchant's tries, and what follows for its deliveries and its endpoint, in a transaction whose commit does not
-- wait for the disk: what a power cut takes back is a try, and the delivery is sent again with the same id (decision 0022).
-- A claim waits: a worker that outlives its server would otherwise still send what another claims, and out of order.
-- A 2xx counts whoever brings it and however late; a failure only if nobody claimed the delivery since. The arrays are of
-- one length; those of problem to probes are null where nothing follows. One delivery ended well proves that the
-- merchant's endpoint works; without an endpoint there is nothing to probe.
CREATE FUNCTION record_tries(
    owner bigint, payments bigint[], events integer[], attempts integer[], begun timestamptz[], urls text[],
    statuses integer[], latencies integer[], answers text[], problems text[], states text[], due timestamptz[],
    probes timestamptz[]
) RETURNS void LANGUAGE plpgsql AS $$
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
