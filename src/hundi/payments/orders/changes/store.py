"""All SQL of the changes of payments: events in the order of their transactions, and marks."""

from hundi.infra.postgres.database import Connection
from hundi.payments.orders.changes.rules import ChangeFollower, ChangeMark

# Events of one transaction and payment stay together. The payment's data is as new as the event, or
# newer.
SELECT_CHANGED = """
SELECT payment_id, max(xact::text::numeric)::text AS xact, count(*) AS events FROM (
    SELECT payment_id, xact FROM payment_events
    WHERE merchant_id = $1 AND (xact, payment_id) > ($2::text::xid8, $3::bigint)
        AND ($4::text IS NULL OR xact < $4::text::xid8)
    ORDER BY xact, payment_id FETCH FIRST $5 ROWS WITH TIES
) AS changed GROUP BY payment_id
"""
MAKE_MARK = {
    each: f"INSERT INTO {each} (merchant_id) VALUES ($1) ON CONFLICT DO NOTHING"
    for each in ChangeFollower
}
LOCK_MARK = {
    each: f"SELECT FROM {each} WHERE merchant_id = $1 FOR UPDATE" for each in ChangeFollower
}
READ_MARK = {
    each: f"""
SELECT upto_xact::text, upto_id, cluster,
    pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,
    CASE WHEN cluster <> ''
        AND is_home(cluster, tableoid) THEN cluster ELSE this_home(tableoid) END AS in_cluster,
    upto_xact > pg_snapshot_xmin(pg_current_snapshot()) AS is_ahead
FROM {each} WHERE merchant_id = $1
"""
    for each in ChangeFollower
}
"""A statement of its own after the lock: its snapshot is from then."""
MARK = "upto_xact::text || ',' || upto_id || ',' || cluster"
"""A mark as one text."""
_WITH_IT = {
    ChangeFollower.SEARCH: "",
    ChangeFollower.TALLIES: f""", days_upto = CASE
        WHEN days_upto = {MARK} AND cluster IN ('', $4::text)
        THEN $2::text || ',' || $3::bigint || ',' || $4::text ELSE days_upto END""",
}
"""What moves with a mark. Days that were summed up to it stay so: who counts hours sums their days.

A worker of the version before moves the mark alone, and the days are behind from then on.
"""
MOVE_MARK = {
    each: f"""
UPDATE {each} SET upto_xact = $2::text::xid8, upto_id = $3::bigint, cluster = $4::text{also}
WHERE merchant_id = $1
"""
    for each, also in _WITH_IT.items()
}


async def lock_mark(conn: Connection, follower: ChangeFollower, merchant_id: int) -> ChangeMark:
    """Return a merchant's mark, locked until the transaction ends."""
    await conn.execute(MAKE_MARK[follower], merchant_id)
    await conn.execute(LOCK_MARK[follower], merchant_id)
    row = await conn.fetchrow(READ_MARK[follower], merchant_id)
    assert row is not None
    return ChangeMark(*row)


async def move_mark(
    conn: Connection,
    follower: ChangeFollower,
    merchant_id: int,
    upto: tuple[str, int],
    cluster: str,
) -> None:
    """Store the last event up to which all are followed. upto: its transaction and payment."""
    await conn.execute(MOVE_MARK[follower], merchant_id, *upto, cluster)


async def changed(
    conn: Connection, merchant_id: int, after: tuple[str, int], before: str | None, limit: int
) -> tuple[list[tuple[str, int]], bool]:
    """Return the next payments with new events, and whether that is all.

    Each comes with its newest transaction.
    """
    rows = await conn.fetch(SELECT_CHANGED, merchant_id, *after, before, limit)
    changes = sorted(
        ((row["xact"], row["payment_id"]) for row in rows), key=lambda each: (int(each[0]), each[1])
    )
    return changes, sum(row["events"] for row in rows) < limit
