"""All SQL of deliveries: written with their cause, claimed in batches, recorded with their tries.

Functions of the schema claim and record (decision 0022); they get the rules of untrue events from
here.

The lease is the row's own due time: a claimed row is `sending` and becomes due again when the lease
ends, so a killed worker loses nothing. `tries` counts claims; a worker writes a failure only if its
claim is still the last one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter, itemgetter

import msgspec

from hundi.infra.background.due import ALWAYS, WorkSpan
from hundi.infra.postgres.database import Connection, Queries, Record, Rows, Values
from hundi.infra.postgres.looks import look
from hundi.kernel.events import Kind
from hundi.notifications.rules import (
    ASIDE,
    GIVEN_BACK_WHOLE,
    SUPERSEDED_BY,
    Delivery,
    DeliveryKey,
    DeliveryOutcome,
    DeliveryState,
    DeliveryVerdict,
)

_IN_ORDER = itemgetter("scheduled_from", "payment_id", "event_no")
BEFORE_ALL = -(2**63)
"""Less than any recipient's number: partners' are below zero."""
PAGE_ROWS = 500
"""Rows in one page of outstanding deliveries."""

_ANNOUNCE = """
    INSERT INTO deliveries (merchant_id, payment_id, event_no, kind, facts, state, created_at,
    due_at, scheduled_from)
    VALUES ($1, $2, $3, $4, $5, 'waiting', $6, $6, $6)
"""

# In the order of the index, due or not, so that a page costs its length whatever follows.
_OUTSTANDING = (
    "SELECT merchant_id, due_at FROM deliveries WHERE state IN ('waiting', 'sending') AND"
    " merchant_id > $1"
)
_BY_DUE_TIME = "ORDER BY merchant_id, due_at LIMIT $2"
SELECT_OUTSTANDING = f"{_OUTSTANDING} {_BY_DUE_TIME}"
"""Across merchants: outstanding deliveries, page by page, from the index alone."""
SELECT_OUTSTANDING_OF_SPAN = (
    f"{_OUTSTANDING} AND created_at >= $3 AND created_at < $4 {_BY_DUE_TIME}"
)
"""The same for one span of time, beside a demo's past: it reads rows."""

_SUPERSEDING = [
    f"{kind}>{later}" for kind, made_untrue_by in SUPERSEDED_BY.items() for later in made_untrue_by
]
_PAIRS, _ASIDE = ",".join(_SUPERSEDING), ",".join(ASIDE)
_GIVEN_BACK = ",".join(GIVEN_BACK_WHOLE)


def supersedes(earlier: str, later: str) -> str:
    """Return the condition that a later event makes an earlier one untrue, by the rows' names.

    News of a lead, whose recipient's number is below zero, always says the lead's whole state.
    """
    return f"""({later}.merchant_id < 0
        OR {earlier}.kind || '>' || {later}.kind = ANY ('{{{_PAIRS}}}')
        OR {later}.kind = '{Kind.REFUND_DONE}' AND {earlier}.kind = ANY ('{{{_GIVEN_BACK}}}')
            AND {later}.facts -> 'refunded_paise' = {later}.facts -> 'captured_paise')"""


def holds_back(earlier: str, later: str) -> str:
    """Return the condition that a later event of a payment waits for an earlier one."""
    return f"""({earlier}.kind <> ALL ('{{{_ASIDE}}}') OR {later}.kind = ANY ('{{{_ASIDE}}}'))
        AND NOT {supersedes(earlier, later)}"""


def _overtaken(row: str) -> str:
    return f"""EXISTS (
        SELECT FROM deliveries l WHERE l.merchant_id = $1 AND l.payment_id = {row}.payment_id
            AND l.event_no > {row}.event_no AND {supersedes(row, "l")})"""


CLAIM = f"""
    SELECT merchant_id, payment_id, event_no, kind, facts, created_at, tries, tries_before,
        scheduled_from, false AS probe
    FROM claim_deliveries($1, $2, $3, $4, '{{{_PAIRS}}}', '{{{_ASIDE}}}', '{{{_GIVEN_BACK}}}',
        '{Kind.REFUND_DONE}', $5, $6)
"""
"""The function's guard on due_at lets one of two workers claim a row."""

# $1 merchant, $2 now, $3 lease end, $4 next probe if this worker dies, $5 and $6 the worker's span.
# A probe is a real delivery: the first waiting one that no other event of its payment holds back,
# else the oldest that was given up.
CLAIM_PROBE = f"""
    WITH chosen AS MATERIALIZED (
        (SELECT d.payment_id, d.event_no, 1 AS choice FROM deliveries d
         WHERE d.merchant_id = $1 AND d.state IN ('waiting', 'sending')
            AND d.created_at >= $5 AND d.created_at < $6 AND NOT EXISTS (
            SELECT FROM deliveries e
            WHERE e.merchant_id = $1 AND e.payment_id = d.payment_id AND e.event_no < d.event_no
                AND e.state IN ('waiting', 'sending') AND {holds_back("e", "d")})
            AND NOT {_overtaken("d")}
         ORDER BY d.due_at LIMIT 1)
        UNION ALL
        (SELECT d.payment_id, d.event_no, 2 FROM deliveries d
         WHERE d.merchant_id = $1 AND d.state = 'exhausted' AND d.created_at >= $5
             AND d.created_at < $6
         ORDER BY d.created_at LIMIT 1)
        ORDER BY choice LIMIT 1
    ),
    mine AS (
        UPDATE failing_endpoints SET probe_at = $4
        WHERE merchant_id = $1 AND probe_at <= $2 AND EXISTS (SELECT FROM chosen)
        RETURNING merchant_id
    ),
    lost AS (
        INSERT INTO delivery_attempts (merchant_id, payment_id, event_no, attempt_no, at, url,
        latency_ms, problem)
        SELECT $1, d.payment_id, d.event_no, d.tries, d.due_at, '', 0,
        'the worker ended before the answer came'
        FROM deliveries d, chosen, mine
        WHERE d.merchant_id = $1 AND d.payment_id = chosen.payment_id
            AND d.event_no = chosen.event_no
            AND d.state = 'sending' AND d.due_at <= $2
        ON CONFLICT DO NOTHING
    )
    UPDATE deliveries d SET state = 'sending', due_at = $3, tries = d.tries + 1
    FROM chosen, mine
    WHERE d.merchant_id = $1 AND d.payment_id = chosen.payment_id AND d.event_no = chosen.event_no
        AND (d.state IN ('waiting', 'exhausted') OR (d.state = 'sending' AND d.due_at <= $2))
    RETURNING d.merchant_id, d.payment_id, d.event_no, d.kind, d.facts, d.created_at, d.tries,
        d.tries_before, d.scheduled_from, true AS probe
"""

RECORD = "SELECT record_tries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"

# Deliveries behind it were put off to its old due time, which may be hours away.
_HASTEN = """
    UPDATE deliveries SET due_at = $4
    WHERE merchant_id = $1 AND payment_id = $2 AND event_no > $3 AND state = 'waiting'
        AND tries = tries_before
        AND due_at > $4
"""
_REPLAY = f"""
    UPDATE deliveries d SET state = 'waiting', due_at = $4, scheduled_from = $4,
    tries_before = tries
    WHERE d.merchant_id = $1 AND d.payment_id = $2 AND d.event_no = $3
        AND d.state NOT IN ('sending', 'superseded')
        AND NOT {_overtaken("d")}
"""

_REPLAY_STATE = """
    UPDATE deliveries SET state = 'waiting', due_at = $3, scheduled_from = $3, tries_before = tries
    WHERE merchant_id = $1 AND state = $2
"""

GIVEN_UP = (DeliveryState.EXHAUSTED, DeliveryState.NO_ENDPOINT)
"""States of deliveries that are not sent any more unless a person replays them."""
_OF_SPAN = """
    WHERE merchant_id = $1 AND state IN ('exhausted', 'no_endpoint') AND created_at >= $2
        AND created_at < $3
        AND ($4 = '' OR kind = $4)
"""
COUNT_GIVEN_UP = f"SELECT count(*) FROM deliveries {_OF_SPAN}"
REPLAY_GIVEN_UP = f"""
    UPDATE deliveries SET state = 'waiting', due_at = $5, scheduled_from = $5,
        tries_before = tries {_OF_SPAN}
"""

_UNCOUNT = """
    UPDATE deliveries SET tries_before = tries_before + 1,
        scheduled_from = (scheduled_from AT TIME ZONE 'UTC' + $5) AT TIME ZONE 'UTC'
    WHERE merchant_id = $1 AND payment_id = $2 AND event_no = $3 AND state = 'waiting'
        AND tries = $4
"""
_RELEASE = """
    UPDATE deliveries SET state = 'waiting', tries = tries - 1, due_at = $5,
        scheduled_from = (scheduled_from AT TIME ZONE 'UTC' + $6) AT TIME ZONE 'UTC'
    WHERE merchant_id = $1 AND payment_id = $2 AND event_no = $3 AND state = 'sending'
        AND tries = $4
"""
_PROBE_NOW = "UPDATE failing_endpoints SET probe_at = $2 WHERE merchant_id = $1"


class EndedTry(msgspec.Struct, frozen=True):
    """One ended try: its delivery, its start, its result, and what follows for the delivery."""

    delivery: Delivery
    at: datetime
    outcome: DeliveryOutcome
    verdict: DeliveryVerdict


@dataclass(frozen=True, slots=True)
class Outstanding:
    """A merchant with due deliveries.

    since: when the first fell due. due: how many, None if not all were read.
    """

    merchant_id: int
    since: datetime
    due: int | None


async def insert(
    conn: Connection, key: DeliveryKey, kind: str, facts: object, now: datetime
) -> None:
    """Write one delivery. facts: anything that msgspec turns into a JSON object."""
    await conn.execute(_ANNOUNCE, key.merchant_id, key.payment_id, key.event_no, kind, facts, now)


async def outstanding(
    db: Queries, now: datetime, span: WorkSpan = ALWAYS, *, page: int = PAGE_ROWS
) -> tuple[list[Outstanding], datetime | None]:
    """Return the merchants with due deliveries, longest waiting first, and the next due time.

    Each page begins after the last merchant of the page before, so that a merchant's backlog costs
    one page at most.
    """
    merchants: dict[int, Outstanding] = {}
    later: list[datetime] = []
    statement, values = (
        (SELECT_OUTSTANDING, ()) if span is ALWAYS else (SELECT_OUTSTANDING_OF_SPAN, _times(span))
    )
    rows = await look(db, statement, BEFORE_ALL, page, *values)
    while rows:
        last = rows[-1]["merchant_id"] if len(rows) == page else None
        for merchant_id, group in groupby(rows, key=itemgetter("merchant_id")):
            times = [row["due_at"] for row in group]
            due = [each for each in times if each <= now]
            later += times[len(due) :][:1]
            if due:
                # The page may have cut off more rows of its last merchant.
                merchants[merchant_id] = Outstanding(
                    merchant_id, due[0], None if merchant_id == last else len(due)
                )
        rows = [] if last is None else await look(db, statement, last, page, *values)
    return sorted(merchants.values(), key=attrgetter("since")), min(later, default=None)


async def claim(
    db: Rows,
    merchant_id: int,
    now: datetime,
    lease_until: datetime,
    limit: int,
    span: WorkSpan = ALWAYS,
) -> list[Delivery]:
    """Claim a merchant's due deliveries, in order for each payment.

    None while it is only probed.
    """
    rows = await db.fetch(CLAIM, merchant_id, now, lease_until, limit, *_times(span))
    # Events of one transaction are due at one moment: the index keeps no order of theirs.
    return [delivery_of(row) for row in sorted(rows, key=_IN_ORDER)]


async def claim_probe(
    db: Queries,
    merchant_id: int,
    now: datetime,
    lease_until: datetime,
    next_probe: datetime,
    span: WorkSpan = ALWAYS,
) -> list[Delivery]:
    """Claim the delivery that probes a merchant's failing endpoint, if a probe is due."""
    rows = await db.fetch(
        CLAIM_PROBE, merchant_id, now, lease_until, next_probe, span.since, span.before
    )
    return [delivery_of(row) for row in rows]


async def record(db: Values, merchant_id: int, ended: Sequence[EndedTry]) -> None:
    """Record a merchant's tries, and update its deliveries and its endpoint, in one call."""
    await db.fetchval(
        RECORD,
        merchant_id,
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
    """Begin a new round for one delivery.

    Return 1, or 0 if it is missing, superseded or being sent.
    """
    values = (key.merchant_id, key.payment_id, key.event_no, now)
    await conn.execute(_HASTEN, *values)
    return _count(await conn.execute(_REPLAY, *values))


async def replay_state(
    conn: Connection, merchant_id: int, state: DeliveryState, now: datetime
) -> int:
    """Begin a new round for every delivery of a merchant in a state; return their number."""
    return _count(await conn.execute(_REPLAY_STATE, merchant_id, state, now))


@dataclass(frozen=True, slots=True)
class DeliverySpan:
    """The deliveries of events from a moment on and before another, UTC. kind: "" for all."""

    since: datetime
    before: datetime
    kind: str = ""


async def count_given_up(db: Queries, merchant_id: int, span: DeliverySpan) -> int:
    """Return how many deliveries of a span were given up."""
    return await db.fetchval(COUNT_GIVEN_UP, merchant_id, span.since, span.before, span.kind)


async def replay_given_up(
    conn: Connection, merchant_id: int, span: DeliverySpan, now: datetime
) -> int:
    """Begin a new round for every delivery of a span that was given up; return their number."""
    return _count(
        await conn.execute(REPLAY_GIVEN_UP, merchant_id, span.since, span.before, span.kind, now)
    )


async def probe_now(conn: Queries, merchant_id: int, now: datetime) -> None:
    """Let a failing endpoint be probed at once; nothing changes if it is not failing."""
    await conn.execute(_PROBE_NOW, merchant_id, now)


async def uncount(db: Queries, delivery: Delivery, gap: timedelta) -> None:
    """Do not count a recorded try in the delivery's schedule, which continues later by this gap."""
    key = delivery.key
    await db.execute(
        _UNCOUNT, key.merchant_id, key.payment_id, key.event_no, delivery.attempt_no, gap
    )


async def release(db: Queries, delivery: Delivery, due_at: datetime, gap: timedelta) -> None:
    """Release a claimed delivery that was not sent; its schedule continues later by this gap."""
    key = delivery.key
    await db.execute(
        _RELEASE, key.merchant_id, key.payment_id, key.event_no, delivery.attempt_no, due_at, gap
    )


def _times(span: WorkSpan) -> tuple[datetime | None, datetime | None]:
    return (None, None) if span is ALWAYS else (span.since, span.before)


def _count(tag: str) -> int:
    return int(tag.rpartition(" ")[2])


def delivery_of(row: Record) -> Delivery:
    """Return a row of deliveries, with whether it is a probe, as its value."""
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
