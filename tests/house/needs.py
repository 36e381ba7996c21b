"""The rights that statements need in the database: on tables, functions, and on whatever these use.

PostgreSQL reports the tables of each statement that it parses. Functions of the schema are read as
text: it sees their statements only while they run.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import asyncpg

from hundi.infra.postgres.roles import FUNCTIONS, TABLES, DatabaseRole


class Need(NamedTuple):
    """A right: S(elect), I(nsert), U(pdate), D(elete) on a table, or X (execute) a function."""

    letter: str
    of: str


def granted_to(role: DatabaseRole) -> set[Need]:
    """Return the rights of a role."""
    called = {Need("X", name) for name, callers in FUNCTIONS.items() if role in callers}
    return called | {
        Need(letter, table) for table, rights in TABLES.items() for letter in rights.of(role)
    }


_BITS = {1: "I", 2: "S", 4: "U", 8: "D"}
"""PostgreSQL's own bits for rights on tables. A lock of rows needs the right to change them."""
_ASKED = re.compile(r"RTEPERMISSIONINFO :relid (\d+) :inh \w+ :requiredPerms (\d+)")
_CALLED = re.compile(r":funcid (\d+)")
_TELL = (
    "SET debug_print_rewritten = on; SET debug_pretty_print = off; SET client_min_messages = log"
)
_NAMES = """
SELECT oid::bigint AS oid, relname::text AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace
UNION ALL SELECT oid::bigint, proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
"""


async def asked_by(url: str, texts: Mapping[str, str]) -> dict[str, set[Need]]:
    """Return the rights that each statement itself needs.

    Texts that cannot be parsed alone, such as parts of statements, are left out.
    """
    connection = await asyncpg.connect(url)
    names: dict[int, str] = {row["oid"]: row["name"] for row in await connection.fetch(_NAMES)}
    details: list[str] = []
    connection.add_log_listener(
        lambda _, message: details.append(str(getattr(message, "detail", "")))
    )
    await connection.execute(_TELL)
    by_statement: dict[str, set[Need]] = {}
    for name, text in texts.items():
        details.clear()
        try:
            await connection.execute(f"EXPLAIN (GENERIC_PLAN) {text}")
        except asyncpg.PostgresError:
            continue
        tree = " ".join(" ".join(details).split())
        by_statement[name] = {
            Need(letter, names[int(table)])
            for table, bits in _ASKED.findall(tree)
            for bit, letter in _BITS.items()
            if int(bits) & bit and int(table) in names
        } | {Need("X", names[int(each)]) for each in _CALLED.findall(tree) if int(each) in names}
    await connection.close()
    return by_statement


_ASIDE = re.compile(r"--[^\n]*|'(?:[^']|'')*'")
_WRITES = re.compile(r"\b(insert\s+into|update|delete\s+from)\s+(\w+)", re.IGNORECASE)
_READS = re.compile(r"\b(?:from|join|using)\s+(?:public\.)?(\w+)|\bupdate\s+(\w+)", re.IGNORECASE)
_INSERT = r"\binsert\s+into\s+(\w+)(?=(?:(?!\binsert\s+into\b).)*?{})"
_UPSERTS = re.compile(_INSERT.format(r"\bdo\s+update\b"), re.IGNORECASE | re.DOTALL)
_LOOKS_BACK = re.compile(
    _INSERT.format(r"(?:\breturning\b(?!\s+\d)|\bon\s+conflict\s*\()"), re.IGNORECASE | re.DOTALL
)
_LOCKS = re.compile(
    r"\bfor\s+(?:no\s+key\s+)?(?:update|share|key\s+share)\b(?!\s+of\b)", re.IGNORECASE
)
_CALLS = re.compile(r"\b(\w+)\s*\(")


def read_in(text: str, functions: Collection[str] = FUNCTIONS) -> set[Need]:
    """Return the rights that the words of an SQL text need. functions: our own, by name."""
    needs: set[Need] = set()
    for each in _ASIDE.sub("''", text).split(";"):
        read = {Need("S", name) for pair in _READS.findall(each) for name in pair}
        needs |= read | {Need(what[0].upper(), table) for what, table in _WRITES.findall(each)}
        needs |= {Need("U", table) for table in _UPSERTS.findall(each)}
        needs |= {Need("S", table) for table in _LOOKS_BACK.findall(each)}
        needs |= {Need("U", name) for _, name in read} if _LOCKS.search(each) else set()
        needs |= {Need("X", name) for name in _CALLS.findall(each) if name in functions}
    return {each for each in needs if each.letter == "X" or each.of in TABLES}


_FUNCTION_ROWS = """
SELECT proname::text AS name, prosrc AS body, prosecdef AS as_owner FROM pg_proc
WHERE pronamespace = 'public'::regnamespace
"""
_TRIGGER_ROWS = """
SELECT c.relname::text AS name, t.tgtype::int AS events, p.proname::text AS function
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE NOT t.tgisinternal
"""
_CHECK_ROWS = """
SELECT DISTINCT r.relname::text AS name, p.proname::text AS function
FROM pg_depend d
    JOIN pg_proc p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
    LEFT JOIN pg_constraint c ON d.classid = 'pg_constraint'::regclass AND c.oid = d.objid
    LEFT JOIN pg_index i ON d.classid = 'pg_class'::regclass AND i.indexrelid = d.objid
    LEFT JOIN pg_attrdef a ON d.classid = 'pg_attrdef'::regclass AND a.oid = d.objid
    JOIN pg_class r ON r.oid = coalesce(c.conrelid, i.indrelid, a.adrelid)
WHERE p.pronamespace = 'public'::regnamespace
"""
_EVENTS = {"I": 4, "D": 8, "U": 16}
"""PostgreSQL's own bits for the events of a trigger."""


@dataclass(frozen=True)
class Catalogue:
    """The functions, triggers and checks of a migrated database.

    bodies: the rights that each function's body needs of its caller. set_off: the functions that a
    change of a table runs without a right to call them. checks: the functions in constraints,
    indexes and defaults of a table.
    """

    bodies: Mapping[str, set[Need]]
    set_off: Mapping[Need, set[str]]
    checks: Mapping[str, set[str]]

    def all_needs(self, asked: Iterable[Need]) -> set[Need]:
        """Return some rights, with those that their functions and triggers need."""
        needs: set[Need] = set()
        left = list(asked)
        while left:
            each = left.pop()
            if each not in needs:
                needs.add(each)
                left += self._behind(each)
        return needs

    def _behind(self, need: Need) -> set[Need]:
        run = {need.of} if need.letter == "X" else self.set_off.get(need, set())
        called = self.checks.get(need.of, set()) if need.letter in "IU" else ()
        return {Need("X", name) for name in called}.union(*(self.bodies[name] for name in run))


async def catalogue_of(url: str) -> Catalogue:
    """Return the functions, triggers and checks of a migrated database."""
    connection = await asyncpg.connect(url)
    functions, triggers, checked = [
        await connection.fetch(each) for each in (_FUNCTION_ROWS, _TRIGGER_ROWS, _CHECK_ROWS)
    ]
    await connection.close()
    set_off: dict[Need, set[str]] = {}
    for row in triggers:
        for letter in (letter for letter, bit in _EVENTS.items() if row["events"] & bit):
            set_off.setdefault(Need(letter, row["name"]), set()).add(row["function"])
    checks: dict[str, set[str]] = {}
    for row in checked:
        checks.setdefault(row["name"], set()).add(row["function"])
    names = {row["name"] for row in functions}
    # Functions with the owner's rights have all of them.
    bodies = {
        row["name"]: set() if row["as_owner"] else read_in(row["body"], names) for row in functions
    }
    return Catalogue(bodies, set_off, checks)
