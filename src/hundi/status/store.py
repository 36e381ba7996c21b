"""All SQL about the states of components."""

from datetime import datetime, timedelta

from hundi.infra.postgres.columns import Table, choice
from hundi.infra.postgres.database import Connection, Queries
from hundi.status.rules import ComponentSpell, ComponentState

SPELL = Table(ComponentSpell, {"state": choice(ComponentState)})

CLAIM = "SELECT looked_at FROM status_watch FOR UPDATE SKIP LOCKED"
"""No row: another worker looks at this moment."""
LOOKED = "UPDATE status_watch SET looked_at = $1 WHERE only_one"
SELECT_LOOKED_AT = "SELECT looked_at FROM status_watch"
SELECT_GOING_ON = f"SELECT {SPELL.listed()} FROM status_spells WHERE ended_at IS NULL"
SELECT_SINCE = f"""
SELECT {SPELL.listed()} FROM status_spells WHERE ended_at IS NULL OR ended_at > $1
ORDER BY began_at DESC LIMIT $2
"""
END = """
UPDATE status_spells SET ended_at = greatest(began_at, $2) WHERE component = $1
    AND ended_at IS NULL
"""
INSERT = f"""
INSERT INTO status_spells ({SPELL.listed()}) VALUES ({SPELL.numbered(1)})
ON CONFLICT (component, began_at) DO UPDATE SET state = excluded.state,
    ended_at = excluded.ended_at
"""
"""A spell that ended at its beginning was none, and another may begin there."""
SELECT_LATE_S = """
SELECT name, greatest(extract(epoch FROM now() - due_at)::float8, 0) AS seconds FROM schedules
"""
DELETE_OLD = "DELETE FROM status_spells WHERE ended_at < $1"


async def claim(conn: Connection, now: datetime, least: timedelta) -> tuple[bool, datetime | None]:
    """Lock the watch; return whether this look counts, and when the look before it was.

    least: another worker that looked so shortly before has done this look.
    """
    row = await conn.fetchrow(CLAIM)
    if row is None or (row["looked_at"] is not None and now - row["looked_at"] < least):
        return False, None
    await conn.execute(LOOKED, now)
    return True, row["looked_at"]


async def looked_at(db: Queries) -> datetime | None:
    """Return when a worker last looked at all components; None for never."""
    return await db.fetchval(SELECT_LOOKED_AT)


async def going_on(db: Queries) -> dict[str, ComponentSpell]:
    """Return the spells without an end, by component."""
    spells = [SPELL.read(row) for row in await db.fetch(SELECT_GOING_ON)]
    return {each.component: each for each in spells}


async def since(db: Queries, moment: datetime, limit: int) -> list[ComponentSpell]:
    """Return the spells that ended after a moment or go on, newest first."""
    return [SPELL.read(row) for row in await db.fetch(SELECT_SINCE, moment, limit)]


async def end(conn: Connection, component: str, moment: datetime) -> None:
    """End the spell of a component that goes on."""
    await conn.execute(END, component, moment)


async def write(conn: Connection, spell: ComponentSpell) -> None:
    """Write a spell."""
    await conn.execute(INSERT, *SPELL.values(spell))


async def late_s(db: Queries) -> dict[str, float]:
    """Return by its name for how many seconds each schedule has been due."""
    return {row["name"]: row["seconds"] for row in await db.fetch(SELECT_LATE_S)}


async def delete_old(db: Queries, before: datetime) -> None:
    """Delete the spells that ended before a moment."""
    await db.execute(DELETE_OLD, before)
