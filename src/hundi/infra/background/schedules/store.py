"""Which schedule is due, and which worker runs it: one row a schedule, claimed for a lease.

Every time is the database's, so the workers' clocks do not matter. If the database's clock was
ahead and was set back, its rows may lie too far in the future; these are not waited for.
"""

from datetime import datetime, timedelta

from hundi.infra.postgres.database import Queries

REGISTER = """
insert into schedules (name, due_at) values ($1, date_bin($2, now(), 'epoch') + $2)
on conflict (name) do nothing
"""
# Of two workers, the second waits for the first one's row and then finds it leased. Its now() may
# be the earlier one, so only twice the period is too far in the future.
CLAIM = """
update schedules set leased_until = now() + $2::interval
where name = $1 and (due_at <= now() or due_at > now() + 2 * $3::interval)
    and (leased_until is null or leased_until <= now() or leased_until > now() + 2 * $2::interval)
returning leased_until
"""
# The lease identifies the run: a worker that lost its lease changes nothing here.
FINISH = """
update schedules set due_at = date_bin($3, now(), 'epoch') + $3, leased_until = null
where name = $1 and leased_until = $2
"""
WAIT_S = """
select extract(epoch from greatest(due_at, leased_until) - now())::float8 from schedules
where name = $1
"""


async def register(db: Queries, name: str, every: timedelta) -> None:
    """Insert the schedule's row on first use; it is due at the next full period."""
    await db.execute(REGISTER, name, every)


async def claim(db: Queries, name: str, lease: timedelta, every: timedelta) -> datetime | None:
    """Return the end of our lease if the schedule is due and nobody runs it, else None."""
    return await db.fetchval(CLAIM, name, lease, every)


async def finish(db: Queries, name: str, leased_until: datetime, every: timedelta) -> None:
    """Set the schedule due at the next full period; periods that passed meanwhile are skipped."""
    await db.execute(FINISH, name, leased_until, every)


async def wait_s(db: Queries, name: str) -> float:
    """Return the seconds until the schedule may be claimed; not above zero if it is due."""
    return await db.fetchval(WAIT_S, name)
