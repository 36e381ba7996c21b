"""All SQL of the audit: one query for each rule, across features and merchants, in one snapshot.

It reads the tables and not the features' stores: a mistake made there must not be repeated here.
"""

from collections.abc import AsyncIterator, Mapping
from datetime import datetime

from hundi.infra.database import Connection
from hundi.kernel.states import AttemptState
from hundi.money.audit.rules import SAMPLES_MAX, SLACK, BankTotal, Checked, Note, OurAttempt, Sample, Violation

STATEMENT_S_MAX = 600
"""Longest one check may run; 100,000 payments take seconds in all."""
_ROWS_AT_ONCE = 5_000

_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_ROOM = f"SET LOCAL statement_timeout = '{STATEMENT_S_MAX}s'; SET LOCAL work_mem = '64MB'"

# Which attempts were held for review, and whether they were released.
_REVIEWED = """
    SELECT e.merchant_id, e.attempt_id, bool_or(e.kind = 'review_released') AS released
    FROM payment_events e WHERE e.kind IN ('held', 'review_released', 'review_rejected') GROUP BY 1, 2
"""
# What an attempt has to have posted, from its state and its review alone.
_EXPECTED = f"""
    SELECT merchant_id, attempt_id, 'receivable:' || connector AS debit, settled_paise,
        CASE WHEN r.released IS NOT NULL THEN 'review_held' WHEN a.state = 'paid' THEN 'payment' ELSE 'overpaid' END
            AS kind,
        CASE WHEN r.released IS NOT NULL THEN 'held_for_review' WHEN a.state = 'paid' THEN 'payable' ELSE 'owed_back'
            END AS credit
    FROM attempts a LEFT JOIN ({_REVIEWED}) AS r USING (merchant_id, attempt_id) WHERE a.state IN ('paid', 'overpaid')
    UNION ALL
    SELECT merchant_id, attempt_id, 'held_for_review', settled_paise,
        CASE WHEN r.released THEN 'review_released' ELSE 'review_rejected' END,
        CASE WHEN r.released THEN 'payable' ELSE 'owed_back' END
    FROM attempts a JOIN ({_REVIEWED}) AS r USING (merchant_id, attempt_id)
    WHERE a.state = 'overpaid' OR (a.state = 'paid' AND r.released)
    UNION ALL
    SELECT a.merchant_id, a.attempt_id, 'receivable:' || a.connector, p.captured_paise, 'capture', 'payable'
    FROM payments p JOIN attempts a USING (merchant_id, payment_id)
    WHERE p.state = 'captured' AND a.state = 'authorised'
"""  # noqa: S608 (a text of ours)

# What a refund has to have posted, from its state and cause alone.
_EXPECTED_OF_REFUNDS = """
    SELECT merchant_id, refund_id, settled_paise, 'refund_begun' AS kind,
        CASE cause WHEN 'merchant' THEN 'payable' ELSE 'owed_back' END AS debit, 'refunds_in_flight' AS credit
    FROM refunds
    UNION ALL
    SELECT merchant_id, refund_id, settled_paise, 'refund_done', 'refunds_in_flight',
        'receivable:' || connector FROM refunds WHERE state = 'done'
    UNION ALL
    SELECT merchant_id, refund_id, settled_paise, 'refund_failed', 'refunds_in_flight',
        CASE cause WHEN 'merchant' THEN 'payable' ELSE 'owed_back' END FROM refunds WHERE state = 'failed'
"""

CHECKS: Mapping[Violation, str] = {
    Violation.POSTING_MISSING: f"""
        SELECT e.merchant_id || '-' || e.attempt_id AS subject, 'no posting of kind ' || e.kind AS found
        FROM ({_EXPECTED}) AS e LEFT JOIN ledger_postings p
            ON p.merchant_id = e.merchant_id AND p.cause_id = e.attempt_id AND p.kind = e.kind
        WHERE p.merchant_id IS NULL
    """,  # noqa: S608 (a text of ours)
    Violation.POSTING_DIFFERS: f"""
        SELECT p.merchant_id || '-' || p.cause_id AS subject,
            format('%s: %s %s from %s to %s', p.kind, p.amount_paise, p.currency, p.credit, p.debit) AS found
        FROM ledger_postings p JOIN (
            {_EXPECTED}
            UNION ALL
            SELECT merchant_id, attempt_id, 'payable', settled_paise, 'late_refund_due', 'owed_back'
            FROM attempts WHERE state = 'paid'
        ) AS e ON p.merchant_id = e.merchant_id AND p.cause_id = e.attempt_id AND p.kind = e.kind
        WHERE (p.amount_paise, p.currency, p.debit, p.credit)
            IS DISTINCT FROM (e.settled_paise, 'INR', e.debit, e.credit)
    """,  # noqa: S608 (a text of ours)
    Violation.POSTING_ORPHAN: f"""
        SELECT p.merchant_id || '-' || p.cause_id AS subject,
            format('%s posted, attempt %s', p.kind, coalesce(a.state, 'does not exist')) AS found
        FROM ledger_postings p LEFT JOIN attempts a ON a.merchant_id = p.merchant_id AND a.attempt_id = p.cause_id
            LEFT JOIN ({_REVIEWED}) AS r ON r.merchant_id = p.merchant_id AND r.attempt_id = p.cause_id
        WHERE p.kind NOT IN ('refund_begun', 'refund_done', 'refund_failed') AND (CASE p.kind
            WHEN 'capture' THEN a.state = 'authorised' WHEN 'late_refund_due' THEN a.state = 'paid'
            WHEN 'review_held' THEN a.state IN ('paid', 'overpaid') AND r.released IS NOT NULL
            WHEN 'review_released' THEN a.state = 'paid' AND r.released WHEN 'review_rejected' THEN a.state = 'overpaid'
            ELSE a.state = CASE p.kind WHEN 'payment' THEN 'paid' ELSE 'overpaid' END AND r.released IS NULL END)
            IS NOT TRUE
    """,  # noqa: S608 (a text of ours)
    Violation.CAUSE_MISSING: """
        SELECT merchant_id || '-' || attempt_id AS subject, format('%s, events: %s', a.state, e.kinds) AS found
        FROM attempts a LEFT JOIN (
            SELECT merchant_id, attempt_id, string_agg(kind, ', ') AS kinds, bool_or(kind = 'late_refund_due') AS late,
                bool_or(kind IN ('paid', 'late_success', 'late_refund_due', 'held')) AS paid,
                bool_or(kind IN ('authorised', 'late_hold', 'held')) AS authorised,
                bool_or(kind IN ('excess_payment', 'review_rejected')) AS excess
            FROM payment_events GROUP BY merchant_id, attempt_id) AS e USING (merchant_id, attempt_id)
        WHERE CASE a.state WHEN 'paid' THEN e.paid WHEN 'authorised' THEN e.authorised WHEN 'overpaid' THEN e.excess
                ELSE (e.paid OR e.authorised OR e.excess) IS NOT TRUE END IS NOT TRUE
            OR (e.late IS TRUE) <> EXISTS (SELECT FROM ledger_postings p WHERE p.kind = 'late_refund_due'
                AND p.merchant_id = a.merchant_id AND p.cause_id = a.attempt_id)
    """,
    Violation.SECOND_SUCCESS: """
        SELECT merchant_id || '-' || payment_id AS subject, count(*) || ' successful attempts' AS found
        FROM attempts WHERE state IN ('paid', 'authorised') GROUP BY merchant_id, payment_id HAVING count(*) > 1
    """,
    Violation.PAYMENT_STATE_DIFFERS: """
        SELECT p.merchant_id || '-' || p.payment_id AS subject,
            format('payment %s, attempts: %s', p.state, a.states) AS found
        FROM payments p LEFT JOIN (
            SELECT merchant_id, payment_id, string_agg(state, ', ') AS states, bool_or(state = 'paid') AS paid,
                bool_or(state = 'authorised') AS authorised,
                bool_or(state IN ('sent', 'authenticating', 'authorising', 'pending')) AS live
            FROM attempts GROUP BY merchant_id, payment_id
        ) AS a USING (merchant_id, payment_id)
        WHERE (p.state = 'under_review' AND coalesce(a.paid, false) = coalesce(a.authorised, false))
            OR (p.state <> 'under_review' AND (
                (p.state = 'paid') IS DISTINCT FROM coalesce(a.paid, false)
                OR (p.state IN ('authorised', 'captured', 'voided')) IS DISTINCT FROM coalesce(a.authorised, false)))
            OR (p.state = 'in_process' AND a.live IS NOT TRUE)
            OR (p.state IN ('open', 'failed', 'not_registered', 'expired', 'unknown', 'abandoned') AND a.live)
    """,
    Violation.PAID_AMOUNT_DIFFERS: """
        SELECT p.merchant_id || '-' || p.payment_id AS subject,
            format('asked %s + %s %s, received %s %s, captured %s', p.amount_paise, a.surcharge_paise, p.currency,
                a.received_paise, a.currency, p.captured_paise) AS found
        FROM payments p JOIN attempts a USING (merchant_id, payment_id)
        WHERE a.state = 'paid' AND (p.amount_paise + a.surcharge_paise <> a.received_paise OR p.currency <> a.currency
            OR p.captured_paise <> CASE WHEN p.state = 'under_review' THEN 0 ELSE p.amount_paise END)
    """,
    Violation.ATTEMPT_FORGOTTEN: """
        SELECT merchant_id || '-' || attempt_id AS subject, state || ' and nobody will ask the bank' AS found
        FROM attempts
        WHERE state IN ('offered', 'sent', 'authenticating', 'authorising', 'pending') AND inquire_at IS NULL
    """,
    Violation.EVENT_GAP: """
        SELECT p.merchant_id || '-' || p.payment_id AS subject,
            format('revision %s, %s events up to %s', p.revision, coalesce(e.events, 0), coalesce(e.last, 0)) AS found
        FROM payments p LEFT JOIN (
            SELECT merchant_id, payment_id, count(*) AS events, max(event_no) AS last
            FROM payment_events GROUP BY merchant_id, payment_id
        ) AS e USING (merchant_id, payment_id)
        WHERE (p.revision, p.revision) IS DISTINCT FROM (e.events, e.last)
    """,
    Violation.EVENT_ORPHAN: """
        SELECT e.merchant_id || '-' || e.payment_id AS subject, format('event %s of no payment', e.event_no) AS found
        FROM payment_events e LEFT JOIN payments p USING (merchant_id, payment_id) WHERE p.merchant_id IS NULL
    """,
    Violation.EVENT_STATE_DIFFERS: """
        SELECT p.merchant_id || '-' || p.payment_id AS subject,
            format('payment %s, its last event says %s', p.state, e.state) AS found
        FROM payments p JOIN payment_events e
            ON e.merchant_id = p.merchant_id AND e.payment_id = p.payment_id AND e.event_no = p.revision
        WHERE e.state <> p.state
    """,
    Violation.REFUNDED_DIFFERS: """
        SELECT p.merchant_id || '-' || p.payment_id AS subject,
            format('%s refunds of %s, the payment says %s of %s', coalesce(r.refunds, 0), coalesce(r.paise, 0),
                p.refunds, p.refunded_paise) AS found
        FROM payments p LEFT JOIN (
            SELECT merchant_id, payment_id, count(*) AS refunds, sum(amount_paise - surcharge_paise) AS paise
            FROM refunds WHERE state <> 'failed' AND cause <> 'overpaid' GROUP BY merchant_id, payment_id
        ) AS r USING (merchant_id, payment_id)
        WHERE (p.refunds, p.refunded_paise) IS DISTINCT FROM (coalesce(r.refunds, 0), coalesce(r.paise, 0))
            OR p.refunded_paise > p.captured_paise
    """,
    Violation.REFUND_POSTING_DIFFERS: f"""
        SELECT coalesce(e.merchant_id, p.merchant_id) || '-R' || coalesce(e.refund_id, p.cause_id) AS subject,
            format('expected %s, posted %s', coalesce(e.kind || ' ' || e.settled_paise, 'nothing'),
                coalesce(p.kind || ' ' || p.amount_paise, 'nothing')) AS found
        FROM ({_EXPECTED_OF_REFUNDS}) AS e FULL JOIN (SELECT * FROM ledger_postings WHERE kind LIKE 'refund%') AS p
            ON p.merchant_id = e.merchant_id AND p.cause_id = e.refund_id AND p.kind = e.kind
        WHERE (p.amount_paise, p.currency, p.debit, p.credit)
            IS DISTINCT FROM (e.settled_paise, 'INR', e.debit, e.credit)
    """,  # noqa: S608 (a text of ours)
    Violation.CAPTURED_DIFFERS: """
        SELECT p.merchant_id || '-' || p.payment_id AS subject,
            format('%s, captured %s, posted %s', p.state, p.captured_paise, coalesce(l.amount_paise, 0)) AS found
        FROM payments p JOIN attempts a USING (merchant_id, payment_id) LEFT JOIN ledger_postings l
            ON l.merchant_id = a.merchant_id AND l.cause_id = a.attempt_id AND l.kind = 'capture'
        WHERE a.state = 'authorised' AND p.captured_paise <> coalesce(l.amount_paise, 0)
    """,
    Violation.COMPLETION_FORGOTTEN: """
        SELECT merchant_id || '-' || payment_id AS subject, kind || ' ' || state || ' and nobody asks' AS found
        FROM completions WHERE state IN ('sent', 'unknown') AND due_at IS NULL
    """,
    Violation.SPLIT_DIFFERS: """
        SELECT c.merchant_id || '-' || c.payment_id AS subject,
            format('%s shared, parts %s and %s', c.base_paise, coalesce(sum(p.amount_paise), 0), c.primary_paise)
                AS found
        FROM split_configurations c LEFT JOIN split_parts p USING (merchant_id, request_id)
        GROUP BY c.merchant_id, c.request_id
        HAVING c.base_paise <> c.primary_paise + coalesce(sum(p.amount_paise), 0)
    """,
    Violation.REFUND_FORGOTTEN: """
        SELECT merchant_id || '-R' || refund_id AS subject, state || ' and nobody goes on with it' AS found
        FROM refunds WHERE state IN ('initiated', 'sent', 'unknown') AND due_at IS NULL
    """,
    # A failed debit that is still looked at may be paid late; then it is done at that look.
    Violation.DEBIT_DIFFERS: """
        SELECT d.merchant_id || '-' || d.subscription_id || '-' || d.period_no AS subject,
            format('debit %s of %s, order %s of %s', d.state, d.amount_paise, p.state, p.amount_paise) AS found
        FROM subscription_debits d LEFT JOIN payments p ON p.merchant_id = d.merchant_id AND p.payment_id = d.payment_id
        WHERE (d.payment_id IS NOT NULL AND (p.payment_id IS NULL OR p.amount_paise <> d.amount_paise))
            OR (d.state = 'done' AND p.state NOT IN ('paid', 'captured'))
            OR (d.due_at IS NULL AND d.state <> 'done' AND p.state IN ('paid', 'captured'))
            OR (d.payment_id IS NOT NULL AND p.created_at < d.noticed_at + interval '24 hours')
    """,
    Violation.DEBIT_FORGOTTEN: """
        SELECT merchant_id || '-' || subscription_id || '-' || period_no AS subject,
            state || ' and nobody goes on with it' AS found
        FROM subscription_debits WHERE state IN ('announced', 'sent', 'retrying') AND due_at IS NULL
        UNION ALL
        SELECT merchant_id || '-' || subscription_id, 'active and nobody plans its next period'
        FROM subscriptions s WHERE state = 'active' AND due_at IS NULL AND NOT EXISTS (
            SELECT FROM subscription_debits d
            WHERE d.merchant_id = s.merchant_id AND d.subscription_id = s.subscription_id
                AND d.state IN ('announced', 'sent', 'retrying'))
    """,
    # Not by the events' names, which the announcing side chose too, but by what became of the payment.
    Violation.DELIVERY_MISSING: """
        SELECT e.merchant_id || '-' || e.payment_id || '-' || e.event_no AS subject,
            e.kind || ' was not announced' AS found
        FROM (
            SELECT *, lag(state) OVER (PARTITION BY merchant_id, payment_id ORDER BY event_no) AS before
            FROM payment_events
        ) AS e LEFT JOIN deliveries d USING (merchant_id, payment_id, event_no)
        WHERE d.merchant_id IS NULL AND (e.kind IN ('excess_payment', 'refund_done', 'refund_failed',
            'mandate_failed', 'mandate_paused', 'mandate_resumed', 'mandate_changed', 'mandate_cancelled',
            'mandate_completed', 'debit_announced', 'debit_failed', 'debit_skipped', 'debit_missed')
            OR (e.state IS DISTINCT FROM e.before AND e.state IN
            ('paid', 'authorised', 'captured', 'voided', 'under_review', 'failed', 'not_registered', 'abandoned')))
        UNION ALL
        SELECT affiliate || '-' || lead_id || '-' || event_no, kind || ' was not announced'
        FROM lead_events e WHERE kind IN ('review', 'returned', 'approved', 'rejected') AND NOT EXISTS (
            SELECT FROM deliveries d WHERE d.merchant_id < 0 AND d.payment_id = e.lead_id AND d.event_no = e.event_no
                AND d.facts ->> 'affiliate' = e.affiliate AND 'lead_' || e.kind = d.kind)
    """,
    Violation.DELIVERY_ORPHAN: """
        SELECT d.merchant_id || '-' || d.payment_id || '-' || d.event_no AS subject,
            format('announced %s, event %s', d.kind, coalesce(e.kind || ' to ' || e.state, 'does not exist')) AS found
        FROM deliveries d LEFT JOIN payment_events e USING (merchant_id, payment_id, event_no)
        WHERE d.merchant_id > 0 AND (e.merchant_id IS NULL OR CASE
            WHEN d.kind IN ('paid', 'authorised', 'under_review', 'captured', 'voided', 'expired', 'unknown')
                THEN e.state <> d.kind
            WHEN d.kind = 'late_success' THEN e.state NOT IN ('paid', 'authorised')
            WHEN d.kind = 'failed' THEN e.state NOT IN ('failed', 'not_registered', 'abandoned')
            WHEN d.kind = 'attempt_failed' THEN e.state NOT IN ('open', 'in_process')
            WHEN d.kind = 'mandate_approved' THEN e.state <> 'paid'
            WHEN d.kind = 'excess_refunded' THEN e.kind <> 'refund_done'
            WHEN d.kind = 'excess_refund_failed' THEN e.kind <> 'refund_failed'
            WHEN d.kind IN ('excess_payment', 'refund_done', 'refund_failed', 'mandate_failed', 'mandate_paused',
                'mandate_resumed', 'mandate_changed', 'mandate_cancelled', 'mandate_completed', 'debit_announced',
                'debit_failed', 'debit_skipped', 'debit_missed') THEN e.kind <> d.kind
            ELSE true END)
            OR d.merchant_id < 0 AND NOT EXISTS (SELECT FROM lead_events l WHERE l.lead_id = d.payment_id
                AND l.event_no = d.event_no AND l.affiliate = d.facts ->> 'affiliate' AND 'lead_' || l.kind = d.kind)
    """,
    Violation.DELIVERY_UNPROVEN: """
        SELECT d.merchant_id || '-' || d.payment_id || '-' || d.event_no AS subject, 'no try was taken' AS found
        FROM deliveries d
        WHERE d.state = 'delivered' AND NOT EXISTS (
            SELECT FROM delivery_attempts a
            WHERE a.merchant_id = d.merchant_id AND a.payment_id = d.payment_id AND a.event_no = d.event_no
                AND a.status BETWEEN 200 AND 399 AND a.problem = '')
    """,
    Violation.CHECKPOINT_DIFFERS: """
        SELECT merchant_id || ' ' || account || ' ' || currency AS subject,
            format('checkpoint %s/%s, postings %s/%s', c.debit_paise, c.credit_paise, s.debit_paise, s.credit_paise)
                AS found
        FROM ledger_checkpoints c FULL JOIN (
            SELECT merchant_id, account, currency, sum(debited) AS debit_paise, sum(credited) AS credit_paise
            FROM ledger_postings p JOIN ledger_rolls r USING (merchant_id)
                CROSS JOIN LATERAL (VALUES (p.debit, p.amount_paise, 0), (p.credit, 0, p.amount_paise))
                    AS side (account, debited, credited)
            WHERE p.xact < r.through GROUP BY merchant_id, account, currency
        ) AS s USING (merchant_id, account, currency)
        WHERE (c.debit_paise, c.credit_paise) IS DISTINCT FROM (s.debit_paise, s.credit_paise)
    """,
    # A posting cannot be unbalanced, so only the sums made of postings can be.
    Violation.TRIAL_BALANCE: """
        SELECT merchant_id || ' ' || currency AS subject, sum(debit_paise - credit_paise) || ' paise too many' AS found
        FROM ledger_checkpoints GROUP BY merchant_id, currency HAVING sum(debit_paise - credit_paise) <> 0
    """,
}
"""For each promise the query that finds its violations, as rows of (subject, found)."""

_SAMPLED = f"SELECT subject, found, count(*) OVER () AS violations FROM ({{}}) AS violation LIMIT {SAMPLES_MAX}"  # noqa: S608 (a number of ours)

_NOTES: Mapping[Note, str] = {
    Note.IN_FLIGHT: """
        SELECT count(*) FROM attempts WHERE state IN ('offered', 'sent', 'authenticating', 'authorising', 'pending')
    """,
    Note.NOT_ASKED: "SELECT count(*) FROM attempts WHERE inquire_at < $1",
    Note.OWED_BACK: "SELECT count(*) FROM ledger_postings WHERE credit = 'owed_back'",
    Note.REFUNDS_UNDER_WAY: "SELECT count(*) FROM refunds WHERE state IN ('initiated', 'sent', 'unknown')",
    Note.UNCAPTURED: "SELECT count(*) FROM payments WHERE state = 'authorised'",
    Note.UNDER_REVIEW: "SELECT count(*) FROM payments WHERE state = 'under_review'",
    Note.DELIVERIES_WAITING: "SELECT count(*) FROM deliveries WHERE state IN ('waiting', 'sending')",
    Note.DELIVERIES_OVERDUE: """SELECT count(*) FROM deliveries WHERE state IN ('waiting', 'sending')
        AND due_at < $1 AND merchant_id NOT IN (SELECT merchant_id FROM failing_endpoints)""",
    Note.DELIVERIES_EXHAUSTED: "SELECT count(*) FROM deliveries WHERE state = 'exhausted'",
    Note.DELIVERIES_WITHOUT_ENDPOINT: "SELECT count(*) FROM deliveries WHERE state = 'no_endpoint'",
    Note.ENDPOINTS_FAILING: "SELECT count(*) FROM failing_endpoints",
}

_FIGURES: Mapping[str, str] = {
    "payments": "SELECT count(*) FROM payments",
    "payments_paid": "SELECT count(*) FROM payments WHERE state IN ('paid', 'captured')",
    "attempts": "SELECT count(*) FROM attempts",
    "postings": "SELECT count(*) FROM ledger_postings",
    "posted_paise": "SELECT coalesce(sum(amount_paise), 0) FROM ledger_postings",
    "owed_back_paise": """
        SELECT coalesce(sum(CASE 'owed_back' WHEN credit THEN amount_paise WHEN debit THEN -amount_paise END), 0)
        FROM ledger_postings
    """,
    "refunds": "SELECT count(*) FROM refunds",
    "events": "SELECT count(*) FROM payment_events",
    "deliveries": "SELECT count(*) FROM deliveries",
    "deliveries_delivered": "SELECT count(*) FROM deliveries WHERE state = 'delivered'",
}

_PAID_THERE = "'virtual_account', 'rtgs_account', 'remittance', 'cash_voucher'"  # at the bank by UTR or receipt
_AT_BANK = f"CASE WHEN a.method IN ({_PAID_THERE}) AND a.rrn <> '' THEN a.rrn ELSE a.merchant_id||'-'||a.attempt_id END"
_OURS = f"""
    SELECT {_AT_BANK} AS reference, state, received_paise, expires_at, settled_at, inquire_at, currency,
        CASE WHEN currency = 'INR' THEN 0 ELSE settled_paise END AS settled_paise FROM attempts a WHERE connector = $1
"""  # noqa: S608 (a text of ours)

_CONNECTORS = "SELECT DISTINCT connector FROM attempts ORDER BY connector"
_OUR_REFUNDS = f"""
    SELECT {_AT_BANK} AS reference,
        coalesce(sum(r.amount_paise) FILTER (WHERE r.state = 'done'), 0)::bigint AS paise,
        max(coalesce(r.due_at, r.settled_at, r.created_at)) AS at, min(r.currency) AS currency,
        coalesce(sum(r.settled_paise) FILTER (WHERE r.state = 'done' AND r.currency <> 'INR'), 0)::bigint AS settled
    FROM refunds r JOIN attempts a USING (merchant_id, attempt_id)
    WHERE r.connector = $1 GROUP BY a.merchant_id, a.attempt_id
"""  # noqa: S608 (a text of ours)

_OUR_ENDINGS = """
    SELECT a.merchant_id || '-' || a.attempt_id AS reference,
        CASE p.state WHEN 'captured' THEN p.captured_paise ELSE p.amount_paise END AS paise,
        coalesce(max(c.settled_at), a.created_at) AS at
    FROM payments p JOIN attempts a USING (merchant_id, payment_id)
        LEFT JOIN completions c USING (merchant_id, payment_id)
    WHERE a.connector = $1 AND a.state = 'authorised' AND p.state = $2
    GROUP BY a.merchant_id, a.attempt_id, p.state, p.captured_paise, p.amount_paise, a.created_at
"""


async def begin(conn: Connection) -> None:
    """Make the transaction one unchanging picture of the books; the first statement in it."""
    await conn.execute(_SNAPSHOT)
    await conn.execute(_ROOM)


async def check(conn: Connection, violation: Violation) -> Checked:
    """Look for violations of one promise."""
    rows = await conn.fetch(_SAMPLED.format(CHECKS[violation]), timeout=STATEMENT_S_MAX)
    samples = tuple(Sample(row["subject"], row["found"]) for row in rows)
    return Checked(violation, rows[0]["violations"] if rows else 0, samples)


async def notes(conn: Connection, now: datetime) -> dict[Note, int]:
    """Return what to know, counted; what is nothing is left out."""
    late = now - SLACK
    counts = {
        note: await conn.fetchval(query, *([late] if "$1" in query else []), timeout=STATEMENT_S_MAX)
        for note, query in _NOTES.items()
    }
    return {note: count for note, count in counts.items() if count}


async def figures(conn: Connection) -> dict[str, int]:
    """Return how much was looked at."""
    counts = {name: await conn.fetchval(query, timeout=STATEMENT_S_MAX) for name, query in _FIGURES.items()}
    return {name: int(count or 0) for name, count in counts.items()}


async def connectors(conn: Connection) -> list[str]:
    """Return the names of the acquirers that attempts were made with."""
    return [row["connector"] for row in await conn.fetch(_CONNECTORS, timeout=STATEMENT_S_MAX)]


async def refunded_by(conn: Connection, connector: str) -> dict[str, BankTotal]:
    """Return what we count as refunded of each attempt made with one connector."""
    rows = await conn.fetch(_OUR_REFUNDS, connector, timeout=STATEMENT_S_MAX)
    return {row["reference"]: BankTotal(*row[1:]) for row in rows}


async def ended_by(conn: Connection, connector: str, state: str) -> dict[str, BankTotal]:
    """Return what we count as captured, or as voided, of each authorisation made with one connector."""
    rows = await conn.fetch(_OUR_ENDINGS, connector, state, timeout=STATEMENT_S_MAX)
    return {row["reference"]: BankTotal(row["paise"], row["at"]) for row in rows}


async def attempts_of(conn: Connection, connector: str) -> AsyncIterator[list[OurAttempt]]:
    """Yield every attempt made with one connector, some thousand at a time."""
    cursor = await conn.cursor(_OURS, connector, timeout=STATEMENT_S_MAX)
    while rows := await cursor.fetch(_ROWS_AT_ONCE, timeout=STATEMENT_S_MAX):
        yield [OurAttempt(row["reference"], AttemptState(row["state"]), *row[2:]) for row in rows]
