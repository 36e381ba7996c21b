"""All SQL of the simulation itself: it keeps the server from working by the real clock."""

from hundi.infra.postgres.database import Database

# Autovacuum in between would change plans, and with them the order of unordered rows.
NO_AUTOVACUUM = """
do $$
declare each regclass;
begin
    for each in select oid::regclass from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace
    loop
        execute format('alter table %s set (autovacuum_enabled = false)', each);
    end loop;
end $$
"""

COUNT_WAITING = """
select count(*) from pg_stat_activity
where datname = $1 and cardinality(pg_blocking_pids(pid)) > 0
"""


async def stop_autovacuum(db: Database) -> None:
    """Stop autovacuum in this database."""
    await db.execute(NO_AUTOVACUUM)


async def count_waiting(db: Database, name: str) -> int:
    """Return the number of statements in the database of a name that wait for a lock."""
    return await db.fetchval(COUNT_WAITING, name)
