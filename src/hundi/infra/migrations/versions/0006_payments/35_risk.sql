-- Risk: rules against fraud, what they count, and what they blocked.

-- The operator's risk rules, for every merchant. A cluster has them on its coordinator, where every process asks: a lost
-- worker takes none of them away. The rules in force are those of the newest version.
CREATE TABLE operator_rule_sets (
    version ordinal PRIMARY KEY,
    document text NOT NULL CHECK (length(document) BETWEEN 1 AND 1048576),
    published_by text NOT NULL,
    published_at timestamptz NOT NULL
);
CREATE TRIGGER operator_rule_sets_append_only BEFORE UPDATE OR DELETE ON operator_rule_sets
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- A merchant's own rules, beside the operator's.
CREATE TABLE risk_rule_sets (
    merchant_id bigint NOT NULL,
    version ordinal NOT NULL,
    document text NOT NULL CHECK (length(document) BETWEEN 1 AND 1048576),
    published_by text NOT NULL,
    published_at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, version)
);
CREATE TRIGGER risk_rule_sets_append_only BEFORE UPDATE OR DELETE ON risk_rule_sets
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Tries and declines by subject, in a row for each minute or hour. subject: a keyed hash. stripe: the tries of a whole
-- merchant are spread over several rows, so that they do not wait for each other. amount_paise: of tries less declines.
CREATE TABLE risk_counts (
    merchant_id bigint NOT NULL,
    subject bytea NOT NULL,
    span text NOT NULL,
    began_at timestamptz NOT NULL,
    stripe smallint NOT NULL DEFAULT 0,
    tries integer NOT NULL DEFAULT 0,
    declines integer NOT NULL DEFAULT 0,
    amount_paise bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (merchant_id, subject, span, began_at, stripe)
);
CREATE INDEX risk_counts_old ON risk_counts (began_at);

-- The different cards that a subject used. card: a keyed hash of the number.
CREATE TABLE risk_cards (
    merchant_id bigint NOT NULL,
    subject bytea NOT NULL,
    card bytea NOT NULL,
    tried_at timestamptz NOT NULL,
    declined_at timestamptz,
    PRIMARY KEY (merchant_id, subject, card)
);
CREATE INDEX risk_cards_tried ON risk_cards (merchant_id, subject, tried_at);
CREATE INDEX risk_cards_declined ON risk_cards (merchant_id, subject, declined_at) WHERE declined_at IS NOT NULL;
CREATE INDEX risk_cards_old ON risk_cards (tried_at);

-- A try that a rule blocked: the event of its payment, with what was seen and why. It never became an attempt.
CREATE TABLE risk_blocks (
    merchant_id bigint NOT NULL,
    payment_id gateway_id NOT NULL,
    event_no ordinal NOT NULL,
    at timestamptz NOT NULL,
    method attempt_method NOT NULL,
    bank text NOT NULL DEFAULT '',
    upi_address text NOT NULL DEFAULT '',
    risk jsonb NOT NULL,
    PRIMARY KEY (merchant_id, payment_id, event_no)
);

-- What an operator decided about a payment that was held, beside the event that says so.
CREATE TABLE review_decisions (
    merchant_id bigint NOT NULL,
    payment_id gateway_id NOT NULL,
    event_no ordinal NOT NULL,
    decision text NOT NULL CHECK (decision IN ('released', 'rejected')),
    reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
    decided_by text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, payment_id, event_no)
);
CREATE TRIGGER review_decisions_append_only BEFORE UPDATE OR DELETE ON review_decisions
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Adds one try to the counts and returns the counts that were asked for, in their order, the try at hand among them.
-- It is a function, because each of its statements sees what was committed before it: the lock makes tries with
-- different cards of one subject wait for each other, so that of two at once the second counts the first.
-- counted, spans, stripes: rows to add to. apart: subjects whose cards are kept. No subject's count of cards goes beyond
-- cards_max: a rule asks for no more, and a shared address may have used any number. It is called in a transaction of its
-- own, whose commit does not wait for the disk: a count lost in a power cut harms nobody.
CREATE FUNCTION count_risk_try(
    owner bigint, at timestamptz, paise bigint, used_card bytea, counted bytea[], spans text[], stripes smallint[],
    apart bytea[], asked bytea[], metrics text[], asked_spans text[], since timestamptz[], cards_max integer
) RETURNS bigint[] LANGUAGE plpgsql AS $$
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

-- Adds one decline to the counts, as above; its amount counts no longer.
CREATE FUNCTION count_risk_decline(
    owner bigint, at timestamptz, paise bigint, used_card bytea, counted bytea[], spans text[], stripes smallint[],
    apart bytea[]
) RETURNS void LANGUAGE plpgsql AS $$
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
