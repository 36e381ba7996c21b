-- A worker may keep to what began in a span of time: while a demo's past is made, its own process has the past and the
-- worker has the present. Processes of the version before call it without the span, and have everything.
DROP FUNCTION claim_deliveries(bigint, timestamptz, timestamptz, integer, text[], text[], text[], text);

-- Claims what is due of a merchant, in order per payment; nothing while its endpoint is only probed. A row waits behind
-- an unfinished earlier event of its payment, unless it makes that one untrue: it is put off to that one's due time, so
-- that the front of the index can go. What is being sent at this moment is waited for in any case, so that it does not
-- arrive after what made it untrue. The guard on due_at lets one of two workers claim a row.
-- superseding: pairs `earlier>later` of kinds, of which the later makes the earlier untrue. aside: kinds for which no
-- other waits. given_back: kinds that a refund of everything, given_back_by, makes untrue. begun and ended: deliveries of
-- another span are another worker's; without them the plan has no condition, and goes by the index whatever
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
