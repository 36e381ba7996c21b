"""Compares the rights that roles have with those that they should have."""

from collections.abc import Mapping, Sequence

from hundi.infra.postgres.database import Rows
from hundi.infra.postgres.roles import FUNCTIONS, SERVED, TABLES, WORDS, DatabaseRole

Right = tuple[str, str]
"""The word of a right, and the table or function."""

_ROLES = "SELECT rolname::text AS role FROM pg_roles WHERE rolname = ANY($1::text[])"
_ON_TABLES = """
SELECT role, name, word
FROM unnest($1::text[]) AS role, unnest($2::text[]) AS name, unnest($3::text[]) AS word
WHERE has_table_privilege(role, to_regclass(name)::oid, word)
"""
_ON_FUNCTIONS = """
SELECT role, proname::text AS name, 'EXECUTE' AS word
FROM unnest($1::text[]) AS role, pg_proc
WHERE pronamespace = 'public'::regnamespace AND proname = ANY($2::text[])
    AND has_function_privilege(role, pg_proc.oid, 'EXECUTE')
"""


def wanted(role: DatabaseRole) -> set[Right]:
    """Return each right that a role has to have."""
    tables = {
        (WORDS[letter], name) for name, rights in TABLES.items() for letter in rights.of(role)
    }
    return tables | {("EXECUTE", name) for name, callers in FUNCTIONS.items() if role in callers}


async def granted(db: Rows) -> Mapping[DatabaseRole, set[Right]]:
    """Return each right that each role of the server has; of our roles, in their order."""
    there = {row["role"] for row in await db.fetch(_ROLES, list(SERVED))}
    roles = [role for role in SERVED if role in there]
    rows = await db.fetch(_ON_TABLES, roles, list(TABLES), list(WORDS.values()))
    # A trigger's function needs no right, and anybody may have it.
    called: Sequence[str] = [name for name, callers in FUNCTIONS.items() if callers]
    rows += await db.fetch(_ON_FUNCTIONS, roles, called)
    return {
        role: {(row["word"], row["name"]) for row in rows if row["role"] == role} for role in roles
    }


async def are_exact(db: Rows) -> bool:
    """Return whether each role has its rights on tables and functions, and no others."""
    return all(rights == wanted(role) for role, rights in (await granted(db)).items())
