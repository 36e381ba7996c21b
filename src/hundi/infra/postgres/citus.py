"""Spreads the tables over a Citus cluster's workers, a merchant's rows on one (docs/citus.md).

Every step may run again: tables that are spread already stay as they are.
"""

from hundi.infra.errors import OperatorError
from hundi.infra.postgres.database import Connection
from hundi.infra.postgres.roles import FUNCTIONS

REFERENCE = ("partners",)
"""The tables that every node has whole, because a card token alone finds its partner."""
OWNERS = {"merchant_id": "merchants", "affiliate": "partner_calls"}
"""The column of a row's owner → the table whose shards decide where rows of that owner are."""
STAMPED = ("ledger_postings", "payment_events", "settlements")
"""The tables whose rows carry their transaction's number, on Citus the worker's own."""

UNSTAMPED = "ALTER TABLE {} ALTER COLUMN xact DROP DEFAULT"
"""For spread tables: the default would be the coordinator's; archived rows have their own."""
ONE_CONNECTION = "SET LOCAL citus.multi_shard_modify_mode = 'sequential'"

_IS_SPREAD = """
SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AND EXISTS (
    SELECT FROM pg_class WHERE relname = 'citus_tables' AND pg_table_is_visible(oid))
"""
_VISIBILITY = "citus.override_table_visibility"
_SETTINGS = {
    # For each row of a catalogue query, Citus checks whether to hide it as a shard. Questions about
    # a type's parts then take seconds, and every new connection asks several. The coordinator has
    # nothing to hide.
    _VISIBILITY: "off",
    # A question of all merchants asks a worker's pieces one after the other, over the one
    # connection that is kept. Else, when a worker takes longer than 10 ms, it opens one for each
    # piece and closes them again: that costs many times what the answers cost.
    "citus.max_adaptive_executor_pool_size": "1",
}
_SET = "SELECT format('ALTER DATABASE %I SET %s = %s', current_database(), $1::text, $2::text)"
_SPREAD = "SELECT table_name::text FROM citus_tables"
IS_THERE = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"
HAS_SPREAD = "SELECT 1 FROM pg_dist_partition WHERE logicalrelid = $1::text::regclass"
SPREAD_TABLE = "SELECT create_distributed_table($1::text::regclass, $2, colocate_with => $3)"
SPREAD_FUNCTION = "SELECT create_distributed_function($1::text::regprocedure)"
_UNSAFE_TRIGGERS = "citus.enable_unsafe_triggers"
_NODES_WITHOUT_TRIGGERS = f"""
SELECT count(*) FROM run_command_on_all_nodes('SHOW {_UNSAFE_TRIGGERS}') WHERE NOT success
    OR result <> 'on'
"""  # noqa: S608 (a constant)
_LEAKING = ("13.2.1", "13.2.2", "14.0.0", "14.0.1")
# On the node of a function, Citus keeps a new plan with every call (their issue 8824), until the
# worker has no memory left.
_WORKERS_THAT_KEEP_PLANS = f"""
SELECT count(*) FROM run_command_on_workers($$
    SELECT split_part(citus_version(), ' ', 2) NOT IN {_LEAKING}
        OR current_setting('plan_cache_mode') = 'force_custom_plan'
$$) WHERE NOT success OR result <> 't'
"""  # noqa: S608 (constants)
_WORKERS = "SELECT count(*) FROM pg_dist_node WHERE groupid > 0 AND isactive AND shouldhaveshards"
_OWNED = """
SELECT c.relname::text AS name, a.attname::text AS owner,
    ARRAY(SELECT confrelid::regclass::text FROM pg_constraint WHERE conrelid = c.oid
        AND contype = 'f') AS refers_to
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = ANY ($1::text[])
    AND NOT a.attisdropped
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
ORDER BY c.relname
"""
_FUNCTIONS = """
SELECT p.oid::regprocedure::text AS signature, p.proargtypes[0] = 'text'::regtype AS of_partners
FROM pg_proc p LEFT JOIN pg_dist_object d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY ($1::text[])
    AND d.distribution_argument_index IS NULL
    AND p.pronargs > 0 AND p.proargnames[1] = 'owner'
ORDER BY 1
"""


async def is_spread(conn: Connection) -> bool:
    """Return whether the database is on a Citus cluster and its tables are spread."""
    if not await conn.fetchval(_IS_SPREAD):
        return False
    return "payments" in {row[0] for row in await conn.fetch(_SPREAD)}


async def spread(conn: Connection) -> None:
    """Spread tables by owner if they are not yet spread, then the functions on one owner's rows.

    Raises OperatorError if the database has no Citus with workers, or a Citus that would drop our
    triggers.
    """
    await _check(conn)
    await tune(conn)
    # This connection looks for tables, and must not find the shards of reference tables, which
    # every node has.
    await conn.execute(f"SET {_VISIBILITY} = on")
    # Without it a table that refers to a reference table becomes local to the coordinator, and is
    # not spread.
    await conn.execute("SET citus.enable_local_reference_table_foreign_keys = off")
    there = {row[0] for row in await conn.fetch(_SPREAD)}
    for name in REFERENCE:
        if name not in there:
            await conn.execute("SELECT create_reference_table($1::text::regclass)", name)
    for name, owner in _in_order([tuple(row) for row in await conn.fetch(_OWNED, list(OWNERS))]):
        if name in there or name in REFERENCE:
            continue
        beside = "none" if name == OWNERS[owner] else OWNERS[owner]
        await conn.execute(SPREAD_TABLE, name, owner, beside)
    for name in STAMPED:
        await conn.execute(UNSTAMPED.format(name))
        await conn.execute(
            f"CREATE OR REPLACE TRIGGER {name}_stamped BEFORE INSERT ON {name} "
            "FOR EACH ROW EXECUTE FUNCTION stamp_transaction()"
        )
    # Functions without an owner, so that they are on every node; a distributed function brings its
    # dependencies.
    for signature in ("this_cluster()", "this_home(oid)", "is_home(text, oid)", "person_key(text)"):
        await conn.execute(SPREAD_FUNCTION, signature)
    called = [name for name, callers in FUNCTIONS.items() if callers]
    for signature, of_partners in await conn.fetch(_FUNCTIONS, called):
        beside = OWNERS["affiliate" if of_partners else "merchant_id"]
        await conn.execute(
            "SELECT create_distributed_function($1::text::regprocedure, '$1', colocate_with => $2)",
            signature,
            beside,
        )


async def tune(conn: Connection) -> None:
    """Let later connections to this database have the settings without which questions cost much.

    A copy of a database loses these settings.
    """
    for name, value in _SETTINGS.items():
        await conn.execute(str(await conn.fetchval(_SET, name, value)))


async def _check(conn: Connection) -> None:
    if not await conn.fetchval(_IS_SPREAD):
        message = (
            "this database has no Citus: CREATE EXTENSION citus on every node first (docs/citus.md)"
        )
        raise OperatorError(message)
    if not await conn.fetchval(_WORKERS):
        message = "this coordinator has no worker: SELECT citus_add_node(…) first (docs/citus.md)"
        raise OperatorError(message)
    if await conn.fetchval(_NODES_WITHOUT_TRIGGERS):
        message = (
            f"set {_UNSAFE_TRIGGERS} = on in postgresql.conf of every node: triggers guard the"
            " books there, too"
        )
        raise OperatorError(message)
    if await conn.fetchval(_WORKERS_THAT_KEEP_PLANS):
        message = (
            "this version of Citus needs more memory with every payment: take another one, or set "
            "plan_cache_mode = force_custom_plan in postgresql.conf of every worker (docs/citus.md)"
        )
        raise OperatorError(message)


def _in_order(tables: list[tuple[str, str, list[str]]]) -> list[tuple[str, str]]:
    """Return the tables with their owners' columns: leaders first, each after its references."""
    ordered: list[tuple[str, str]] = [
        (name, owner) for name, owner, _ in tables if name == OWNERS[owner]
    ]
    placed = {name for name, _ in ordered} | set(REFERENCE)
    rest = [table for table in tables if table[0] not in placed]
    while rest:
        ready = [(name, owner) for name, owner, refers_to in rest if set(refers_to) <= placed]
        ordered += ready
        placed |= {name for name, _ in ready}
        rest = [table for table in rest if table[0] not in placed]
    return ordered
