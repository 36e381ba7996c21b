"""Deliveries in PostgreSQL: written with their cause, claimed in batches under a lease, recorded with their tries.

The lease is the row's own due time: a claimed row is `sending` and becomes due again when the lease ends, so a worker
that was killed loses nothing. `tries` counts claims; a worker writes a failure only if its claim is still the last one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from hundi.infra.database import Connection, Queries, Record
from hundi.notifications.rules import (
    Delivery,
    DeliveryKey,
    DeliveryState,
    DeliveryStatus,
    FailingEndpoint,
    Outcome,
    Try,
    Verdict,
)

DELIVERY_CLAUSE = """
    INSERT INTO deliveries (merchant_id, payment_id, event_no, kind, facts, state, created_at, due_at, scheduled_from)
    SELECT merchant_id, payment_id, event_no, announced_kind, facts, 'waiting', at, at, at
    FROM settled WHERE announced_kind <> ''
"""
"""Announces each row of a CTE named `settled`: `WITH settled AS (UPDATE …), announced AS ({DELIVERY_CLAUSE}) …`.

For the one step that is hot enough to be a single statement; `announce` is the plain form. `settled` has to return the
columns merchant_id bigint, payment_id bigint, event_no integer (the payment's new revision), announced_kind text (''
announces nothing, else a `rules.Kind`), facts jsonb, at timestamptz. After the commit the caller wakes `CHANNEL`.
"""

_ANNOUNCE = """
    INSERT INTO deliveries (merchant_id, payment_id, event_no, kind, facts, state, created_at, due_at, scheduled_from)
    VALUES ($1, $2, $3, $4, $5, 'waiting', $6, $6, $6)
"""

# Everybody who has anything outstanding: steps through the index from merchant to merchant, so that a backlog costs one
# step and not its length.
_EVERYBODY = """
    (SELECT merchant_id FROM deliveries WHERE state IN ('waiting', 'sending') ORDER BY merchant_id LIMIT 1)
    UNION ALL
    SELECT (
        SELECT d.merchant_id FROM deliveries d
        WHERE d.state IN ('waiting', 'sending') AND d.merchant_id > busy.merchant_id
        ORDER BY d.merchant_id LIMIT 1
    )
    FROM busy WHERE busy.merchant_id IS NOT NULL
"""
_THOSE_NAMED = "SELECT DISTINCT unnest($7::bigint[]) AS merchant_id"

# $1 now, $2 lease end, $3 merchants with a room of their own, $4 those rooms, $5 room of every other merchant, $6 most
# rows. Every merchant gets its first row before anybody gets a second (`turn`). A row waits behind an unfinished
# earlier event of its payment: it is put off to that one's due time, so that the front of the index can go.
_CLAIM = """
    WITH RECURSIVE busy AS ({busy}),
    due AS MATERIALIZED (
        SELECT busy.merchant_id, found.payment_id, found.event_no, found.state, found.tries, found.turn, found.due_at, (
            SELECT CASE e.state WHEN 'sending' THEN $1 ELSE e.due_at END FROM deliveries e
            WHERE e.merchant_id = busy.merchant_id AND e.payment_id = found.payment_id AND e.event_no < found.event_no
                AND e.state IN ('waiting', 'sending')
            ORDER BY e.event_no LIMIT 1
        ) AS behind
        FROM busy
        LEFT JOIN unnest($3::bigint[], $4::integer[]) AS own (merchant_id, room) ON own.merchant_id = busy.merchant_id
        CROSS JOIN LATERAL (
            SELECT d.payment_id, d.event_no, d.state, d.tries, d.due_at, row_number() OVER (ORDER BY d.due_at) AS turn
            FROM deliveries d
            WHERE d.merchant_id = busy.merchant_id AND d.state IN ('waiting', 'sending') AND d.due_at <= $1
            ORDER BY d.due_at LIMIT coalesce(own.room, $5)
        ) AS found
        WHERE NOT EXISTS (SELECT FROM failing_endpoints f WHERE f.merchant_id = busy.merchant_id)
        ORDER BY found.turn, found.due_at LIMIT $6
    ),
    put_off AS (
        UPDATE deliveries d SET due_at = greatest(due.behind, $1 + interval '1 second')
        FROM due
        WHERE due.behind IS NOT NULL AND d.merchant_id = due.merchant_id AND d.payment_id = due.payment_id
            AND d.event_no = due.event_no AND d.state = 'waiting' AND d.due_at <= $1
    ),
    interrupted AS (
        INSERT INTO delivery_attempts (merchant_id, payment_id, event_no, attempt_no, at, url, latency_ms, problem)
        SELECT merchant_id, payment_id, event_no, tries, due_at, '', 0, 'the worker ended before the answer came'
        FROM due WHERE behind IS NULL AND state = 'sending'
        ON CONFLICT DO NOTHING
    )
    UPDATE deliveries d SET state = 'sending', due_at = $2, tries = d.tries + 1
    FROM due
    WHERE due.behind IS NULL AND d.merchant_id = due.merchant_id AND d.payment_id = due.payment_id
        AND d.event_no = due.event_no AND d.state IN ('waiting', 'sending') AND d.due_at <= $1
    RETURNING d.merchant_id, d.payment_id, d.event_no, d.kind, d.facts, d.created_at, d.tries, d.tries_before,
        d.scheduled_from, false AS probe
"""
_CLAIM_ALL = _CLAIM.format(busy=_EVERYBODY)
_CLAIM_NAMED = _CLAIM.format(busy=_THOSE_NAMED)

# $1 now, $2 lease end, $3 when to probe again if this worker dies, $4 most rows. A probe is a delivery that is wanted
# anyway: the first that waits and is not behind another event of its payment, else the oldest that was given up.
_CLAIM_PROBES = """
    WITH due AS MATERIALIZED (
        SELECT f.merchant_id, chosen.payment_id, chosen.event_no
        FROM failing_endpoints f
        CROSS JOIN LATERAL (
            (SELECT d.payment_id, d.event_no, 1 AS choice FROM deliveries d
             WHERE d.merchant_id = f.merchant_id AND d.state IN ('waiting', 'sending') AND NOT EXISTS (
                SELECT FROM deliveries e
                WHERE e.merchant_id = d.merchant_id AND e.payment_id = d.payment_id AND e.event_no < d.event_no
                    AND e.state IN ('waiting', 'sending'))
             ORDER BY d.due_at LIMIT 1)
            UNION ALL
            (SELECT d.payment_id, d.event_no, 2 FROM deliveries d
             WHERE d.merchant_id = f.merchant_id AND d.state = 'exhausted' ORDER BY d.created_at LIMIT 1)
            ORDER BY choice LIMIT 1
        ) AS chosen
        WHERE f.probe_at <= $1 ORDER BY f.probe_at LIMIT $4
    ),
    mine AS (
        UPDATE failing_endpoints f SET probe_at = $3 FROM due
        WHERE f.merchant_id = due.merchant_id AND f.probe_at <= $1
        RETURNING f.merchant_id
    )
    UPDATE deliveries d SET state = 'sending', due_at = $2, tries = d.tries + 1
    FROM due JOIN mine USING (merchant_id)
    WHERE d.merchant_id = due.merchant_id AND d.payment_id = due.payment_id AND d.event_no = due.event_no
        AND (d.state IN ('waiting', 'exhausted') OR (d.state = 'sending' AND d.due_at <= $1))
    RETURNING d.merchant_id, d.payment_id, d.event_no, d.kind, d.facts, d.created_at, d.tries, d.tries_before,
        d.scheduled_from, true AS probe
"""

# A 2xx counts whoever brings it and however late; a failure only if nobody claimed the delivery since.
_RECORD = """
    WITH ended AS MATERIALIZED (
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::integer[], $5::timestamptz[], $6::text[],
            $7::integer[], $8::integer[], $9::text[], $10::text[], $11::text[], $12::timestamptz[], $13::timestamptz[])
        AS e (merchant_id, payment_id, event_no, attempt_no, at, url, status, latency_ms, answer, problem, state,
            due_at, probe_at)
    ),
    kept AS (
        INSERT INTO delivery_attempts AS a (merchant_id, payment_id, event_no, attempt_no, at, url, status, latency_ms,
            answer, problem)
        SELECT merchant_id, payment_id, event_no, attempt_no, at, url, status, latency_ms, answer, problem FROM ended
        ON CONFLICT (merchant_id, payment_id, event_no, attempt_no) DO UPDATE
        SET at = excluded.at, url = excluded.url, status = excluded.status, latency_ms = excluded.latency_ms,
            answer = excluded.answer, problem = excluded.problem
    ),
    failing AS (
        INSERT INTO failing_endpoints AS f (merchant_id, since, problem, probe_at)
        SELECT DISTINCT ON (merchant_id) merchant_id, at, problem, probe_at FROM ended WHERE probe_at IS NOT NULL
        ON CONFLICT (merchant_id) DO UPDATE SET problem = excluded.problem, probe_at = excluded.probe_at
    ),
    answering AS (
        DELETE FROM failing_endpoints f USING ended
        WHERE f.merchant_id = ended.merchant_id AND ended.state IN ('delivered', 'no_endpoint')
    )
    UPDATE deliveries d
    SET state = ended.state, due_at = coalesce(ended.due_at, d.due_at),
        delivered_at = CASE ended.state WHEN 'delivered' THEN ended.at ELSE d.delivered_at END
    FROM ended
    WHERE d.merchant_id = ended.merchant_id AND d.payment_id = ended.payment_id AND d.event_no = ended.event_no
        AND ((d.state = 'sending' AND d.tries = ended.attempt_no)
            OR (ended.state = 'delivered' AND d.state <> 'delivered'))
"""

# What waits behind it was put off to its old due time, which may be hours away.
_REPLAY = """
    WITH behind AS (
        UPDATE deliveries SET due_at = $4
        WHERE merchant_id = $1 AND payment_id = $2 AND event_no > $3 AND state = 'waiting' AND tries = tries_before
            AND due_at > $4
    )
    UPDATE deliveries SET state = 'waiting', due_at = $4, scheduled_from = $4, tries_before = tries
    WHERE merchant_id = $1 AND payment_id = $2 AND event_no = $3 AND state <> 'sending'
"""

_REPLAY_STATE = """
    UPDATE deliveries SET state = 'waiting', due_at = $3, scheduled_from = $3, tries_before = tries
    WHERE merchant_id = $1 AND state = $2
"""

_PROBE_NOW = "UPDATE failing_endpoints SET probe_at = $2 WHERE merchant_id = $1"


_STATUS = """
    SELECT d.merchant_id, d.payment_id, d.event_no, d.kind, d.state, d.created_at, d.due_at, d.tries, d.delivered_at,
        last.status AS last_status, coalesce(last.problem, '') AS last_problem
    FROM deliveries d
    LEFT JOIN LATERAL (
        SELECT a.status, a.problem FROM delivery_attempts a
        WHERE a.merchant_id = d.merchant_id AND a.payment_id = d.payment_id AND a.event_no = d.event_no
        ORDER BY a.attempt_no DESC LIMIT 1
    ) AS last ON true
"""
_STATUS_OF = _STATUS + "WHERE d.merchant_id = $1 AND d.payment_id = $2 AND d.event_no = $3"
# Payment ids begin with the time, so the newest payments come from the end of the key.
_NEWEST = (
    _STATUS
    + """
    WHERE d.merchant_id = $1 AND ($2::text IS NULL OR d.state = $2) AND ($3::bigint IS NULL OR d.payment_id = $3)
    ORDER BY d.payment_id DESC, d.event_no DESC LIMIT $4
"""
)

_TRIES_OF = """
    SELECT attempt_no, at, url, status, latency_ms, answer, problem FROM delivery_attempts
    WHERE merchant_id = $1 AND payment_id = $2 AND event_no = $3 ORDER BY attempt_no
"""

_FAILING = "SELECT merchant_id, since, problem, probe_at FROM failing_endpoints ORDER BY since"


@dataclass(frozen=True, slots=True)
class EndedTry:
    """One try that is over: which delivery, when it began, how it ended, and what that makes of the delivery."""

    delivery: Delivery
    at: datetime
    outcome: Outcome
    verdict: Verdict


async def insert(conn: Connection, key: DeliveryKey, kind: str, facts: object, now: datetime) -> None:
    """Write one delivery. facts: anything that msgspec turns into a JSON object."""
    await conn.execute(_ANNOUNCE, key.merchant_id, key.payment_id, key.event_no, kind, facts, now)


async def claim(  # noqa: PLR0913 (each bounds the claim)
    db: Queries,
    now: datetime,
    lease_until: datetime,
    *,
    rooms: Mapping[int, int],
    room: int,
    limit: int,
    named: Collection[int] | None = None,
) -> list[Delivery]:
    """Claim what is due, fairly over the merchants and in order per payment.

    rooms: how many more of a merchant may be claimed, for those that are not at `room`. limit: most rows in all.
    named: the merchants to look at, None for all.
    """
    bounds = (now, lease_until, list(rooms), list(rooms.values()), room, limit)
    if named is None:
        rows = await db.fetch(_CLAIM_ALL, *bounds)
    else:
        rows = await db.fetch(_CLAIM_NAMED, *bounds, list(named))
    return [_delivery_of(row) for row in rows]


async def claim_probes(
    db: Queries, now: datetime, lease_until: datetime, next_probe: datetime, limit: int
) -> list[Delivery]:
    """Claim one delivery for each failing endpoint that is to be probed."""
    return [_delivery_of(row) for row in await db.fetch(_CLAIM_PROBES, now, lease_until, next_probe, limit)]


async def record(db: Queries, ended: Sequence[EndedTry]) -> None:
    """Keep tries and write what they make of their deliveries and endpoints, in one statement."""
    await db.execute(
        _RECORD,
        [each.delivery.key.merchant_id for each in ended],
        [each.delivery.key.payment_id for each in ended],
        [each.delivery.key.event_no for each in ended],
        [each.delivery.attempt_no for each in ended],
        [each.at for each in ended],
        [each.outcome.url for each in ended],
        [each.outcome.status for each in ended],
        [each.outcome.latency_ms for each in ended],
        [each.outcome.answer for each in ended],
        [each.outcome.problem for each in ended],
        [each.verdict.state for each in ended],
        [each.verdict.due_at for each in ended],
        [each.verdict.probe_at for each in ended],
    )


async def replay(conn: Connection, key: DeliveryKey, now: datetime) -> int:
    """Begin a new round for one delivery; return 1, or 0 when there is none or it is being sent at this moment."""
    return _count(await conn.execute(_REPLAY, key.merchant_id, key.payment_id, key.event_no, now))


async def replay_state(conn: Connection, merchant_id: int, state: DeliveryState, now: datetime) -> int:
    """Begin a new round for every delivery of a merchant in a state; return how many."""
    return _count(await conn.execute(_REPLAY_STATE, merchant_id, state, now))


async def probe_now(conn: Queries, merchant_id: int, now: datetime) -> None:
    """Let a failing endpoint be probed at once; nothing when it is not failing."""
    await conn.execute(_PROBE_NOW, merchant_id, now)


async def status_of(db: Queries, key: DeliveryKey) -> DeliveryStatus | None:
    """Return where one delivery stands, or None when there is none."""
    row = await db.fetchrow(_STATUS_OF, key.merchant_id, key.payment_id, key.event_no)
    return _status_of_row(row) if row else None


async def newest(
    db: Queries, merchant_id: int, *, state: DeliveryState | None, payment_id: int | None, limit: int
) -> tuple[DeliveryStatus, ...]:
    """Return a merchant's deliveries, newest first, of one state or one payment when asked."""
    rows = await db.fetch(_NEWEST, merchant_id, state, payment_id, limit)
    return tuple(_status_of_row(row) for row in rows)


async def tries_of(db: Queries, key: DeliveryKey) -> tuple[Try, ...]:
    """Return every try of one delivery, oldest first."""
    rows = await db.fetch(_TRIES_OF, key.merchant_id, key.payment_id, key.event_no)
    return tuple(
        Try(
            row["attempt_no"],
            row["at"],
            Outcome(row["url"], row["status"], row["latency_ms"], row["answer"], row["problem"]),
        )
        for row in rows
    )


async def failing_endpoints(db: Queries) -> tuple[FailingEndpoint, ...]:
    """Return the endpoints that are only probed, longest failing first: for the operator, so across merchants."""
    rows = await db.fetch(_FAILING)
    return tuple(FailingEndpoint(row["merchant_id"], row["since"], row["problem"], row["probe_at"]) for row in rows)


def _count(tag: str) -> int:
    return int(tag.rpartition(" ")[2])


def _delivery_of(row: Record) -> Delivery:
    return Delivery(
        key=DeliveryKey(row["merchant_id"], row["payment_id"], row["event_no"]),
        kind=row["kind"],
        facts=row["facts"],
        created_at=row["created_at"],
        attempt_no=row["tries"],
        position=row["tries"] - row["tries_before"],
        scheduled_from=row["scheduled_from"],
        probe=row["probe"],
    )


def _status_of_row(row: Record) -> DeliveryStatus:
    return DeliveryStatus(
        key=DeliveryKey(row["merchant_id"], row["payment_id"], row["event_no"]),
        kind=row["kind"],
        state=DeliveryState(row["state"]),
        created_at=row["created_at"],
        due_at=row["due_at"],
        tries=row["tries"],
        delivered_at=row["delivered_at"],
        last_status=row["last_status"],
        last_problem=row["last_problem"],
    )
