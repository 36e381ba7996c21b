"""All SQL of the simulation's own: it keeps the server from working by the world's clock."""

from hundi.infra.postgres.database import Database

# What autovacuum does in between changes plans, and so the order of rows that nobody asked to be
# ordered.
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
where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0
"""


async def stop_autovacuum(db: Database) -> None:
    """Keep the server from tidying up by itself in this database."""
    await db.execute(NO_AUTOVACUUM)


async def count_waiting(db: Database) -> int:
    """Return how many statements in this database wait for a lock."""
    return await db.fetchval(COUNT_WAITING)
