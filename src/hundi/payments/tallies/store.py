"""All SQL of the tallies: how far events are counted, the counting of hours, and looks at them."""

from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.kernel.clock import business_day
from hundi.payments.orders.changes.store import MARK
from hundi.payments.tallies.rules import (
    HourTally,
    TallyKind,
    TallyQuery,
    day_of,
    ids_of_hour,
    parts_of,
    span_of_day,
)

SELECT_BEHIND = """
SELECT m.merchant_id FROM merchants m LEFT JOIN tally_marks k ON k.merchant_id = m.merchant_id
WHERE NOT is_home(k.cluster, k.tableoid) OR EXISTS (
    SELECT FROM payment_events e WHERE e.merchant_id = m.merchant_id
        AND e.xact >= coalesce(k.upto_xact, '0'))
ORDER BY m.merchant_id
"""
"""One step through an index for each merchant: those with something new."""
SELECT_NUMBERS = """
SELECT payment_id AS number FROM payments WHERE merchant_id = $1
    AND payment_id = ANY ($2::bigint[])
UNION SELECT attempt_id FROM attempts WHERE merchant_id = $1 AND payment_id = ANY ($2::bigint[])
UNION SELECT refund_id FROM refunds WHERE merchant_id = $1 AND payment_id = ANY ($2::bigint[])
"""
SELECT_PRESENT = """
SELECT DISTINCT hour FROM hour_tallies WHERE merchant_id = $1 AND hour = ANY ($2::timestamptz[])
"""
_HOURS = "unnest($2::timestamptz[], $3::bigint[], $4::bigint[]) AS h (hour, low, high)"
COUNT = f"""
SELECT $1::bigint AS merchant_id, h.hour, 'payment' AS what, '' AS method, '' AS bank,
    '' AS connector, p.state::text AS state, '' AS code, count(*) AS number,
    sum(p.captured_paise)::bigint AS paise, '' AS bank_name, '' AS words
FROM {_HOURS} JOIN payments p ON p.merchant_id = $1 AND p.payment_id >= h.low
    AND p.payment_id < h.high AND p.currency = 'INR'
GROUP BY h.hour, p.state
UNION ALL
SELECT $1::bigint, h.hour, 'attempt', a.method::text, a.bank, a.connector, a.state::text,
    a.bank_code, count(*), 0, max(a.bank_name), max(a.bank_message)
FROM {_HOURS} JOIN attempts a ON a.merchant_id = $1 AND a.attempt_id >= h.low
    AND a.attempt_id < h.high
GROUP BY h.hour, a.method, a.bank, a.connector, a.state, a.bank_code
UNION ALL
SELECT $1::bigint, h.hour, 'refund', '', '', '', r.state::text, '', count(*),
    sum(r.amount_paise)::bigint, '', ''
FROM {_HOURS} JOIN refunds r ON r.merchant_id = $1 AND r.refund_id >= h.low
    AND r.refund_id < h.high AND r.currency = 'INR'
GROUP BY h.hour, r.state
"""
"""Ids begin with the time, so an hour is a range of each key: no row of another hour is read."""
_COLUMNS = ", ".join(HourTally.__dataclass_fields__)
_DAY_COLUMNS = _COLUMNS.replace("hour", "day", 1)
_NAMED = "what, method, bank, connector, state, code"
_SUMMED = f"""{_NAMED}, sum(number)::bigint AS number, sum(paise)::bigint AS paise,
    max(bank_name) AS bank_name, max(words) AS words"""
DELETE_HOURS = "DELETE FROM hour_tallies WHERE merchant_id = $1 AND hour = ANY ($2::timestamptz[])"
INSERT_HOURS = f"INSERT INTO hour_tallies ({_COLUMNS}) {COUNT}"
DELETE_OLD = "DELETE FROM hour_tallies WHERE merchant_id = $1 AND hour < $2"
DELETE_DAYS = "DELETE FROM day_tallies WHERE merchant_id = $1 AND day = ANY ($2::date[])"
INSERT_DAYS = f"""
INSERT INTO day_tallies ({_DAY_COLUMNS})
SELECT t.merchant_id, d.day, {_SUMMED}
FROM unnest($2::date[], $3::timestamptz[], $4::timestamptz[]) AS d (day, since, until)
    JOIN hour_tallies t ON t.merchant_id = $1 AND t.hour >= d.since AND t.hour < d.until
GROUP BY t.merchant_id, d.day, {_NAMED}
"""
DELETE_OLD_DAYS = "DELETE FROM day_tallies WHERE merchant_id = $1 AND day < $2"
_BOTH = f"""
    SELECT (hour AT TIME ZONE 'Asia/Kolkata')::date AS day, {_NAMED}, number, paise
    FROM hour_tallies WHERE merchant_id = $1
    UNION ALL
    SELECT day, {_NAMED}, -number, -paise FROM day_tallies WHERE merchant_id = $1
"""
SELECT_DIFFERING = f"""
SELECT DISTINCT day FROM (
    SELECT day FROM ({_BOTH}) AS tallies GROUP BY day, {_NAMED}
    HAVING sum(number) <> 0 OR sum(paise) <> 0
) AS differing ORDER BY day LIMIT $2
"""
"""Days that are not the sums of their hours."""
MARK_SUMMED = f"UPDATE tally_marks SET days_upto = {MARK} WHERE merchant_id = $1"
SELECT_UNSUMMED = f"""
SELECT merchant_id FROM tally_marks WHERE days_upto <> {MARK} ORDER BY random()
"""
"""Across merchants: those whose hours a worker of the version before counted.

In any order: those for which it fails each time are not always before the same others.
"""

# --- looks ---

SELECT_BEHIND_OF = """
SELECT m.merchant_id, CASE WHEN is_home(k.cluster, k.tableoid) THEN k.upto_xact::text
    ELSE '0' END AS upto_xact
FROM merchants m LEFT JOIN tally_marks k ON k.merchant_id = m.merchant_id
WHERE m.merchant_id = ANY ($1::bigint[]) AND (NOT is_home(k.cluster, k.tableoid)
    OR k.cluster IS NULL OR EXISTS (SELECT FROM payment_events e
        WHERE e.merchant_id = ANY ($1::bigint[]) AND e.merchant_id = m.merchant_id
            AND e.xact >= k.upto_xact))
"""
"""Merchants with events that no worker has counted; all of them where the mark is from elsewhere.
"""
SELECT_CHANGED = """
SELECT payment_id FROM payment_events WHERE merchant_id = $1 AND xact >= $2::text::xid8 LIMIT $3
"""
"""A statement for each merchant: only a given mark is a span of the index."""
SELECT_TALLIES = f"""
SELECT 0::bigint AS merchant_id, date_trunc($5, hour, 'Asia/Kolkata') AS hour, {_SUMMED}
FROM unnest($2::timestamptz[], $3::timestamptz[]) AS span (since, until)
    JOIN hour_tallies t ON t.merchant_id = ANY ($1::bigint[]) AND t.hour >= span.since
        AND t.hour < span.until AND t.what = ANY ($4::text[])
WHERE NOT EXISTS (SELECT FROM unnest($6::bigint[], $7::timestamptz[]) AS anew (owner, at)
        WHERE anew.owner = t.merchant_id AND anew.at = t.hour)
GROUP BY 2, {_NAMED}
"""
"""Merchants together, by the hour or the Indian day; without the hours that are counted anew."""
SELECT_DAY_TALLIES = f"""
SELECT 0::bigint AS merchant_id, t.day::timestamp AT TIME ZONE 'Asia/Kolkata' AS hour, {_SUMMED}
FROM day_tallies t WHERE merchant_id = ANY ($1::bigint[]) AND day >= $2 AND day < $3
    AND day <> ALL ($4::date[]) AND what = ANY ($5::text[])
GROUP BY day, {_NAMED}
"""
"""The same by whole days, without some of them."""
SELECT_SUMMED = f"""
SELECT merchant_id FROM tally_marks
WHERE merchant_id = ANY ($1::bigint[]) AND days_upto = {MARK}
    AND (cluster = '' OR is_home(cluster, tableoid))
"""


async def behind(db: Database) -> list[int]:
    """Return the merchants with events that are not counted yet."""
    return [row["merchant_id"] for row in await look(db, SELECT_BEHIND)]


async def numbers_of(source: Queries, merchant_id: int, payment_ids: Collection[int]) -> list[int]:
    """Return the ids of payments, of their attempts and of their refunds."""
    rows = await source.fetch(SELECT_NUMBERS, merchant_id, list(payment_ids))
    return [row["number"] for row in rows]


async def present(source: Queries, merchant_id: int, hours: Collection[datetime]) -> set[datetime]:
    """Return those of the hours that have tallies."""
    rows = await source.fetch(SELECT_PRESENT, merchant_id, list(hours))
    return {row["hour"] for row in rows}


def _values(hours: Sequence[datetime]) -> tuple[list[datetime], list[int], list[int]]:
    spans = [ids_of_hour(hour) for hour in hours]
    return list(hours), [low for low, _ in spans], [high for _, high in spans]


async def count_anew(conn: Connection, merchant_id: int, hours: Sequence[datetime]) -> None:
    """Replace the tallies of hours."""
    await conn.execute(DELETE_HOURS, merchant_id, list(hours))
    await conn.execute(INSERT_HOURS, merchant_id, *_values(hours))


async def delete_old(conn: Connection, merchant_id: int, before: datetime) -> None:
    """Delete the tallies of hours before a time, and of days that began before it."""
    await conn.execute(DELETE_OLD, merchant_id, before)
    await conn.execute(DELETE_OLD_DAYS, merchant_id, business_day(before) + timedelta(days=1))


async def sum_days(conn: Connection, merchant_id: int, days: Collection[date]) -> None:
    """Sum the hours of days anew."""
    spans = [span_of_day(day) for day in days]
    since, until = [each[0] for each in spans], [each[1] for each in spans]
    await conn.execute(DELETE_DAYS, merchant_id, list(days))
    await conn.execute(INSERT_DAYS, merchant_id, list(days), since, until)


async def differing(conn: Connection, merchant_id: int, limit: int) -> list[date]:
    """Return the oldest days that are not the sums of their hours."""
    return [row["day"] for row in await conn.fetch(SELECT_DIFFERING, merchant_id, limit)]


async def mark_summed(conn: Connection, merchant_id: int) -> None:
    """Store that each day of a merchant is the sum of its hours."""
    await conn.execute(MARK_SUMMED, merchant_id)


async def unsummed(db: Database) -> list[int]:
    """Return the merchants of which a day may differ from its hours, in any order."""
    return [row["merchant_id"] for row in await look(db, SELECT_UNSUMMED)]


async def count(source: Queries, merchant_id: int, hours: Sequence[datetime]) -> list[HourTally]:
    """Return the tallies of hours as they are now, from the rows themselves."""
    return [_tally(row) for row in await source.fetch(COUNT, merchant_id, *_values(hours))]


async def changed(source: Queries, merchants: Collection[int], limit: int) -> list[tuple[int, int]]:
    """Return merchant and payment of each event that is not counted yet, at most `limit`."""
    events: list[tuple[int, int]] = []
    for mark in await source.fetch(SELECT_BEHIND_OF, list(merchants)):
        if len(events) >= limit:
            break
        merchant_id, left = mark["merchant_id"], limit - len(events)
        rows = await source.fetch(SELECT_CHANGED, merchant_id, mark["upto_xact"], left)
        events += [(merchant_id, row["payment_id"]) for row in rows]
    return events


async def tallies(
    source: Queries,
    merchants: Collection[int],
    wanted: TallyQuery,
    without: Collection[tuple[int, datetime]] = (),
) -> list[HourTally]:
    """Return the kept tallies of merchants together. without: merchants' hours that are left out.

    The merchant of each is 0, and its hour the beginning of the step.
    """
    # A day with an hour that is left out is read by its hours, and so is each day of a merchant
    # whose days are not summed.
    parts = parts_of(wanted, {day_of(hour) for _, hour in without})
    if parts.days is None:
        return await _by_hours(source, merchants, wanted, parts.spans, without)
    rows = await source.fetch(SELECT_SUMMED, list(merchants))
    summed = {row["merchant_id"] for row in rows}
    whole = [(wanted.since, wanted.until)]
    found = await _by_hours(source, set(merchants) - summed, wanted, whole, without)
    found += await _by_hours(source, summed, wanted, parts.spans, without)
    values = *parts.days, sorted(parts.left_out), sorted(wanted.what)
    return found + [
        _tally(row) for row in await source.fetch(SELECT_DAY_TALLIES, list(summed), *values)
    ]


async def _by_hours(
    source: Queries,
    merchants: Collection[int],
    wanted: TallyQuery,
    spans: Sequence[tuple[datetime, datetime]],
    without: Collection[tuple[int, datetime]],
) -> list[HourTally]:
    if not merchants or not spans:
        return []
    rows = await source.fetch(
        SELECT_TALLIES,
        list(merchants),
        [since for since, _ in spans],
        [until for _, until in spans],
        sorted(wanted.what),
        wanted.step,
        [merchant_id for merchant_id, _ in without],
        [hour for _, hour in without],
    )
    return [_tally(row) for row in rows]


def _tally(row: Record) -> HourTally:
    return HourTally(**{**dict(row), "what": TallyKind(row["what"])})
