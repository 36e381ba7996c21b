"""All SQL of endpoints, their deliveries and their tries."""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from hundi.infra.background.due import WorkSpan
from hundi.infra.postgres.database import Connection, Database, Queries, Record
from hundi.infra.postgres.looks import look
from hundi.infra.secrets.vault import Vault
from hundi.notifications.endpoints.rules import (
    EndpointDelivery,
    EndpointDeliveryStatus,
    EndpointState,
    EndpointTarget,
    WebhookEndpoint,
)
from hundi.notifications.rules import (
    DeliveryOutcome,
    DeliveryState,
    DeliveryTry,
    DeliveryVerdict,
)
from hundi.notifications.store import delivery_of, holds_back, supersedes

_PURPOSE = "webhook-endpoint"
_ENDPOINT = """
SELECT merchant_id, endpoint_no, name, state, events, form, sealed_target, made_at, changed_at,
    failing_since, problem, probe_at
FROM webhook_endpoints
"""
SELECT_ENDPOINT = f"{_ENDPOINT} WHERE merchant_id = $1 AND endpoint_no = $2"
SELECT_ENDPOINTS = f"{_ENDPOINT} WHERE merchant_id = $1 ORDER BY endpoint_no"
INSERT_ENDPOINT = """
INSERT INTO webhook_endpoints (merchant_id, endpoint_no, name, state, events, form, sealed_target,
    made_at, changed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
"""
UPDATE_ENDPOINT = """
UPDATE webhook_endpoints SET name = $3, state = $4, events = $5, form = $6, sealed_target = $7,
    changed_at = $8, failing_since = NULL, problem = '', probe_at = NULL
WHERE merchant_id = $1 AND endpoint_no = $2
"""
"""A changed endpoint begins anew: its failures were those of what it was."""
UPDATE_SEALED = """
UPDATE webhook_endpoints SET sealed_target = $3
WHERE merchant_id = $1 AND endpoint_no = $2 AND sealed_target = $4
"""
SELECT_SEALED = "SELECT merchant_id, endpoint_no, sealed_target FROM webhook_endpoints"
"""Across merchants: for the sealing with a new key."""

# $1, $2 the worker's span.
SELECT_WORK = """
SELECT merchant_id, endpoint_no, probe_at, due_at FROM (
    SELECT e.merchant_id, e.endpoint_no, e.probe_at, (
        SELECT min(d.due_at) FROM endpoint_deliveries d
        WHERE d.merchant_id = e.merchant_id AND d.endpoint_no = e.endpoint_no
            AND d.state IN ('waiting', 'sending')
            AND d.created_at >= $1 AND d.created_at < $2) AS due_at
    FROM webhook_endpoints e WHERE e.state = 'enabled') AS looked
WHERE due_at IS NOT NULL ORDER BY greatest(due_at, probe_at)
"""
"""Across merchants: the enabled endpoints that something waits for."""

# $1 merchant, $2 endpoint, $3 now, $4 lease end, $5 most, $6 and $7 the worker's span, $8 whether
# it is a probe, $9 the next probe if this worker dies. A row behind an unfinished event of its
# payment is put off, so that the front of the index can go; an untrue one is superseded.
CLAIM = f"""
WITH probed AS (
    UPDATE webhook_endpoints e SET probe_at = $9::timestamptz
    WHERE e.merchant_id = $1 AND e.endpoint_no = $2 AND e.state = 'enabled' AND $8
        AND e.probe_at <= $3
    RETURNING e.endpoint_no
),
callable AS (
    SELECT endpoint_no FROM probed UNION ALL SELECT e.endpoint_no FROM webhook_endpoints e
    WHERE e.merchant_id = $1 AND e.endpoint_no = $2 AND e.state = 'enabled' AND NOT $8
        AND e.probe_at IS NULL
),
due AS (
    SELECT d.payment_id, d.event_no, d.state, d.tries, d.due_at, (
        SELECT CASE WHEN e.state = 'sending' THEN $3 + interval '1 second'
            ELSE greatest(e.due_at, $3 + interval '1 second') END
        FROM endpoint_deliveries e
        WHERE e.merchant_id = $1 AND e.endpoint_no = $2 AND e.payment_id = d.payment_id
            AND e.event_no < d.event_no
            AND (e.state = 'sending' OR e.state = 'waiting' AND {holds_back("e", "d")})
        ORDER BY e.event_no LIMIT 1) AS behind,
    EXISTS (
        SELECT FROM endpoint_deliveries l
        WHERE l.merchant_id = $1 AND l.endpoint_no = $2 AND l.payment_id = d.payment_id
            AND l.event_no > d.event_no AND {supersedes("d", "l")}) AS overtaken
    FROM endpoint_deliveries d
    WHERE d.merchant_id = $1 AND d.endpoint_no = $2 AND d.state IN ('waiting', 'sending')
        AND d.due_at <= $3 AND d.created_at >= $6 AND d.created_at < $7
        AND EXISTS (SELECT FROM callable)
    ORDER BY d.due_at, d.payment_id, d.event_no LIMIT $5
),
lost AS (
    INSERT INTO endpoint_tries (merchant_id, endpoint_no, payment_id, event_no, attempt_no, at, url,
        latency_ms, problem)
    SELECT $1, $2, payment_id, event_no, tries, due_at, '', 0,
        'the worker ended before the answer came'
    FROM due WHERE state = 'sending'
    ON CONFLICT DO NOTHING
)
UPDATE endpoint_deliveries d SET
    state = CASE WHEN due.overtaken THEN 'superseded' WHEN due.behind IS NULL THEN 'sending'
        ELSE d.state END,
    due_at = CASE WHEN due.overtaken THEN d.due_at ELSE coalesce(due.behind, $4) END,
    tries = d.tries + CASE WHEN due.overtaken OR due.behind IS NOT NULL THEN 0 ELSE 1 END
FROM due
WHERE d.merchant_id = $1 AND d.endpoint_no = $2 AND d.payment_id = due.payment_id
    AND d.event_no = due.event_no AND d.state IN ('waiting', 'sending') AND d.due_at <= $3
RETURNING d.merchant_id, d.endpoint_no, d.payment_id, d.event_no, d.kind, d.facts, d.created_at,
    d.tries, d.tries_before, d.scheduled_from, $8::boolean AS probe,
    NOT due.overtaken AND due.behind IS NULL AS claimed
"""

# A 2xx counts whoever brings it and however late; a failure only if nobody claimed the row since.
RECORD = """
WITH tried AS (
    INSERT INTO endpoint_tries (merchant_id, endpoint_no, payment_id, event_no, attempt_no, at, url,
        status, latency_ms, answer, problem)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ON CONFLICT (merchant_id, endpoint_no, payment_id, event_no, attempt_no) DO UPDATE
    SET at = excluded.at, url = excluded.url, status = excluded.status,
        latency_ms = excluded.latency_ms, answer = excluded.answer, problem = excluded.problem
),
ended AS (
    UPDATE endpoint_deliveries d SET state = $12::text,
        due_at = coalesce($13::timestamptz, d.due_at),
        delivered_at = CASE WHEN $12::text = 'delivered' THEN $6 ELSE d.delivered_at END
    WHERE d.merchant_id = $1 AND d.endpoint_no = $2 AND d.payment_id = $3 AND d.event_no = $4
        AND (d.state = 'sending' AND d.tries = $5
            OR $12::text = 'delivered' AND d.state <> 'delivered')
)
UPDATE webhook_endpoints e SET
    failing_since = CASE WHEN $12::text <> 'delivered' THEN coalesce(e.failing_since, $6) END,
    problem = CASE WHEN $12::text = 'delivered' THEN '' ELSE $11 END,
    probe_at = CASE WHEN $12::text <> 'delivered' THEN $14::timestamptz END
WHERE e.merchant_id = $1 AND e.endpoint_no = $2
    AND ($12::text = 'delivered' AND e.probe_at IS NOT NULL OR $14::timestamptz IS NOT NULL)
"""
RELEASE = """
UPDATE endpoint_deliveries SET state = 'waiting', tries = tries - 1, due_at = $6
WHERE merchant_id = $1 AND endpoint_no = $2 AND payment_id = $3 AND event_no = $4
    AND state = 'sending' AND tries = $5
"""
END_WAITING = """
UPDATE endpoint_deliveries SET state = 'unwanted'
WHERE merchant_id = $1 AND endpoint_no = $2 AND state IN ('waiting', 'sending')
"""
REPLAY = f"""
UPDATE endpoint_deliveries d SET state = 'waiting', due_at = $5, scheduled_from = $5,
    tries_before = tries
WHERE d.merchant_id = $1 AND d.endpoint_no = $2 AND d.payment_id = $3 AND d.event_no = $4
    AND d.state NOT IN ('sending', 'superseded') AND NOT EXISTS (
        SELECT FROM endpoint_deliveries l
        WHERE l.merchant_id = $1 AND l.endpoint_no = $2 AND l.payment_id = d.payment_id
            AND l.event_no > d.event_no AND {supersedes("d", "l")})
RETURNING d.event_no
"""
PROBE_NOW = """
UPDATE webhook_endpoints SET probe_at = $3
WHERE merchant_id = $1 AND endpoint_no = $2 AND probe_at > $3
"""
SELECT_DELIVERIES = """
SELECT d.endpoint_no, d.payment_id, d.event_no, d.kind, d.state, d.created_at, d.due_at, d.tries,
    t.attempt_no, t.at, t.url, t.status, t.latency_ms, t.answer, t.problem
FROM endpoint_deliveries d
LEFT JOIN endpoint_tries t ON t.merchant_id = $1 AND t.endpoint_no = $2
    AND t.payment_id = d.payment_id AND t.event_no = d.event_no AND t.attempt_no = (
        SELECT max(a.attempt_no) FROM endpoint_tries a
        WHERE a.merchant_id = $1 AND a.endpoint_no = $2 AND a.payment_id = d.payment_id
            AND a.event_no = d.event_no)
WHERE d.merchant_id = $1 AND d.endpoint_no = $2 AND ($3::text IS NULL OR d.state = $3)
ORDER BY d.payment_id DESC, d.event_no DESC LIMIT $4
"""
COUNT_STATES = """
SELECT endpoint_no, state::text AS state, count(*) AS deliveries FROM endpoint_deliveries
WHERE merchant_id = $1 AND created_at >= $2 GROUP BY endpoint_no, state
"""
SWEEP = "DELETE FROM endpoint_deliveries WHERE created_at < $1"
SWEEP_TRIES = "DELETE FROM endpoint_tries WHERE at < $1"


@dataclass(frozen=True, slots=True)
class EndpointWork:
    """An endpoint that something waits for. probe_at: None unless it fails."""

    merchant_id: int
    endpoint_no: int
    due_at: datetime
    probe_at: datetime | None


@dataclass(frozen=True, slots=True)
class ClaimLimits:
    """How many rows are claimed, until when, of which span. next_probe: None for no probe."""

    most: int
    lease_until: datetime
    span: WorkSpan
    next_probe: datetime | None


@dataclass(frozen=True, slots=True)
class EndedEndpointTry:
    """One ended try at an endpoint: its start, result, and what follows."""

    item: EndpointDelivery
    at: datetime
    outcome: DeliveryOutcome
    verdict: DeliveryVerdict


def sealed(vault: Vault, merchant_id: int, endpoint_no: int, target: EndpointTarget) -> bytes:
    """Return address and keys of an endpoint, sealed for its row."""
    return vault.seal(msgspec.json.encode(target), _PURPOSE, merchant_id, endpoint_no)


def endpoint_of(vault: Vault, row: Record) -> WebhookEndpoint:
    """Return the endpoint of a row, opened."""
    values = dict(row)
    bound = _PURPOSE, row["merchant_id"], row["endpoint_no"]
    target = msgspec.json.decode(
        vault.open(values.pop("sealed_target"), *bound), type=EndpointTarget
    )
    values |= {"state": EndpointState(row["state"]), "events": tuple(row["events"])}
    return WebhookEndpoint(url=target.url, keys=target.keys, **values)


async def select(
    source: Queries, vault: Vault, merchant_id: int, endpoint_no: int
) -> WebhookEndpoint | None:
    """Return one endpoint, opened."""
    row = await source.fetchrow(SELECT_ENDPOINT, merchant_id, endpoint_no)
    return endpoint_of(vault, row) if row else None


async def of_merchant(source: Queries, vault: Vault, merchant_id: int) -> list[WebhookEndpoint]:
    """Return a merchant's endpoints by number, removed ones included."""
    rows = await source.fetch(SELECT_ENDPOINTS, merchant_id)
    return [endpoint_of(vault, row) for row in rows]


async def insert(conn: Connection, vault: Vault, endpoint: WebhookEndpoint) -> None:
    """Write a new endpoint."""
    await conn.execute(INSERT_ENDPOINT, *_values(vault, endpoint))


async def update(conn: Connection, vault: Vault, endpoint: WebhookEndpoint) -> None:
    """Write an endpoint's changed values. Its past failures are forgotten."""
    await conn.execute(UPDATE_ENDPOINT, *_values(vault, endpoint))


def _values(vault: Vault, endpoint: WebhookEndpoint) -> tuple[object, ...]:
    target = EndpointTarget(endpoint.url, endpoint.keys)
    place = endpoint.merchant_id, endpoint.endpoint_no
    return (
        *place,
        endpoint.name,
        endpoint.state,
        list(endpoint.events),
        endpoint.form,
        sealed(vault, *place, target),
        endpoint.changed_at,
    )


async def reseal(db: Database, vault: Vault) -> int:
    """Seal every endpoint with the newest key; return how many had an older one."""
    done = 0
    for row in await db.fetch(SELECT_SEALED):
        if not vault.is_sealed_with_newest(row["sealed_target"]):
            place = row["merchant_id"], row["endpoint_no"]
            bound = _PURPOSE, *place
            anew = vault.seal(vault.open(row["sealed_target"], *bound), *bound)
            await db.execute(UPDATE_SEALED, *place, anew, row["sealed_target"])
            done += 1
    return done


async def work(db: Queries, span: WorkSpan) -> list[EndpointWork]:
    """Return the enabled endpoints that something waits for, longest due first."""
    rows = await look(db, SELECT_WORK, span.since, span.before)
    return [EndpointWork(**row) for row in rows]


async def claim(
    db: Queries, place: tuple[int, int], now: datetime, limits: ClaimLimits
) -> list[EndpointDelivery]:
    """Claim an endpoint's due deliveries, in order for each payment. place: merchant, endpoint."""
    rows = await db.fetch(
        CLAIM,
        *place,
        now,
        limits.lease_until,
        limits.most,
        limits.span.since,
        limits.span.before,
        limits.next_probe is not None,
        limits.next_probe or now,
    )
    mine = [row for row in rows if row["claimed"]]
    ordered = sorted(mine, key=lambda row: (row["payment_id"], row["event_no"]))
    return [EndpointDelivery(row["endpoint_no"], delivery_of(row)) for row in ordered]


async def record(db: Queries, ended: EndedEndpointTry) -> None:
    """Record one try, and what follows for its delivery and its endpoint."""
    delivery, outcome = ended.item.delivery, ended.outcome
    await db.execute(
        RECORD,
        delivery.key.merchant_id,
        ended.item.endpoint_no,
        delivery.key.payment_id,
        delivery.key.event_no,
        delivery.attempt_no,
        ended.at,
        outcome.url,
        outcome.status,
        outcome.latency_ms,
        outcome.answer,
        outcome.problem,
        str(ended.verdict.state),
        ended.verdict.due_at,
        ended.verdict.probe_at,
    )


async def release(db: Queries, item: EndpointDelivery, due_at: datetime) -> None:
    """Release a claimed delivery that was not sent."""
    key = item.delivery.key
    place = key.merchant_id, item.endpoint_no, key.payment_id, key.event_no
    await db.execute(RELEASE, *place, item.delivery.attempt_no, due_at)


async def end_waiting(conn: Connection, merchant_id: int, endpoint_no: int) -> None:
    """End every delivery that a removed endpoint has not got."""
    await conn.execute(END_WAITING, merchant_id, endpoint_no)


async def replay(
    conn: Connection, place: tuple[int, int], event: tuple[int, int], now: datetime
) -> bool:
    """Begin a new round for one delivery; False if it is missing, superseded or being sent.

    place: merchant and endpoint. event: payment and event.
    """
    replayed = await conn.fetchval(REPLAY, *place, *event, now)
    await conn.execute(PROBE_NOW, *place, now)
    return replayed is not None


async def deliveries(
    db: Queries, place: tuple[int, int], state: DeliveryState | None, limit: int
) -> list[EndpointDeliveryStatus]:
    """Return an endpoint's deliveries with the last try of each, newest payments first."""
    rows = await db.fetch(SELECT_DELIVERIES, *place, state, limit)
    return [
        EndpointDeliveryStatus(
            row["endpoint_no"],
            row["payment_id"],
            row["event_no"],
            row["kind"],
            DeliveryState(row["state"]),
            row["created_at"],
            row["due_at"],
            row["tries"],
            _try_of(row) if row["attempt_no"] else None,
        )
        for row in rows
    ]


def _try_of(row: Record) -> DeliveryTry:
    names = "url", "status", "latency_ms", "answer", "problem"
    outcome = DeliveryOutcome(*(row[name] for name in names))
    return DeliveryTry(row["attempt_no"], row["at"], outcome)


async def counts(db: Queries, merchant_id: int, since: datetime) -> dict[int, dict[str, int]]:
    """Return how many deliveries each endpoint has in each state, of events since a time."""
    counted: dict[int, dict[str, int]] = {}
    for row in await db.fetch(COUNT_STATES, merchant_id, since):
        counted.setdefault(row["endpoint_no"], {})[row["state"]] = row["deliveries"]
    return counted


async def delete_before(db: Queries, before: datetime) -> None:
    """Remove what endpoints were told of events before a time, with the tries of that time."""
    await db.execute(SWEEP_TRIES, before)
    await db.execute(SWEEP, before)
