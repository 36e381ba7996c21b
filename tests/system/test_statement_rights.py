"""Every statement runs with the rights of the role that runs it, and no role has a right that no statement of it needs."""

import asyncio
import re
from collections.abc import Mapping
from functools import cache

import asyncpg
import pytest

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.roles import TABLES, Role
from tests.house import reach
from tests.house.reach import Name
from tests.house.source import ROOT
from tests.house.test_schema import statements, store_modules, texts_of
from tests.system.running import RunningGateway

pytestmark = pytest.mark.not_on_citus(
    "the roles are those of the embedded server; on a cluster of tests there are none"
)
_OTHER_ROLES = tuple(
    f"hundi.cli.{each}"
    for each in ("serve", "parts", "audit", "backup", "simulate", "database", "demo_history", "scrub")
)
"""Commands that run processes, or as another role than the operator's."""
BEGIN = {
    Role.GATEWAY: reach.of("hundi.api", "hundi.page"),
    Role.CONSOLE: reach.of("hundi.console"),
    Role.WORKER: reach.of("hundi.worker"),
    # Whatever a demo begins with is made by the operator's role, too.
    Role.OPERATOR: reach.of("hundi.cli", "hundi.demo", but=_OTHER_ROLES),
    Role.AUDIT: reach.of("hundi.cli.audit"),
}
"""Where the code of each role begins."""
STOP = frozenset({"hundi.bootstrap.open_gateway"})
"""Makes the parts of all processes; which of them a process uses its own code says."""
NEVER = {
    (Role.WORKER, "hundi.money.payouts.store.INSERT_APPROVAL"): "a payout that it sends has both its approvals",
    (Role.WORKER, "hundi.money.reconciliation.store.INSERT_ACCOUNT_LINE"): "it fetches acquirers' reports alone",
    (Role.AUDIT, "hundi.payments.acquirer_words.store.INSERT"): "it asks acquirers, and tells them nothing new",
    (Role.AUDIT, "hundi.payments.acquirer_words.store.TAKE"): "as above",
    (Role.OPERATOR, "hundi.payments.acquirer_accounts.store.KEEP_TROUBLE"): "commands open connectors once",
    (Role.OPERATOR, "hundi.payments.orders.store.START_ATTEMPT"): "no command begins an attempt",
}
"""Statements that a role's code names and never runs, and why."""
_SCHEMA = (ROOT / "src/hundi/infra/migrations/schema.sql").read_text("utf-8")
_FUNCTION_TEXTS = dict(re.findall(r"^CREATE FUNCTION (\w+)(.*?^END \$\w*\$;)", _SCHEMA, re.MULTILINE | re.DOTALL))
_TRIGGERS = re.findall(r"^CREATE (?:CONSTRAINT )?TRIGGER .*? ON (\w+) .*?EXECUTE FUNCTION (\w+)", _SCHEMA, re.MULTILINE)
_LOCKS = re.compile(r"\bfor\s+(no\s+key\s+)?(update|share|key\s+share)\b", re.IGNORECASE)
_READ = re.compile(r"\b(?:from|join)\s+(\w+)", re.IGNORECASE)
_WRITES = re.compile(r"\b(insert\s+into|update|delete\s+from)\s+(\w+)", re.IGNORECASE)
_UPSERT = re.compile(r"\binsert\s+into\s+(\w+)(?:(?!\binsert\s+into\b).)*?\bdo\s+update\b", re.IGNORECASE | re.DOTALL)


@cache
def run_by(role: Role) -> Mapping[str, str]:
    """Return the statements that a role's code reaches, by their names."""
    found = reach.reached(BEGIN[role], STOP)
    names = {str(each) for each in found}
    return {
        name: text
        for name, text in statements().items()
        if name.split("[")[0] in names and (role, name.split("[")[0]) not in NEVER
    }


async def _lacking(url: str, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the statements that a role may not run. Each is planned, which asks for its rights and runs nothing."""
    connection = await asyncpg.connect(url)
    found: dict[str, str] = {}
    for name, text in texts.items():
        try:
            await connection.execute(f"EXPLAIN (GENERIC_PLAN) {text}")
        except asyncpg.InsufficientPrivilegeError as refused:
            found[name] = str(refused)
    await connection.close()
    return found


@pytest.mark.parametrize("role", BEGIN)
def test_a_role_may_run_every_statement_of_its_code(role: Role, gateway: RunningGateway) -> None:
    url = embedded_postgres.running_url(gateway.data_dir, "hundi", role)
    assert url is not None
    found = reach.reached(BEGIN[role], STOP)
    lacking = asyncio.run(_lacking(url, run_by(role)))
    ways = {name: reach.way(found, Name(*name.split("[")[0].rsplit(".", 1))) for name in lacking}
    assert {name: (lacking[name], ways[name]) for name in lacking} == {}


def _texts_with_functions(role: Role) -> str:
    """Return all that a role may run, by a wide look: with parts of statements, and the functions that they call."""
    also = reach.of("hundi.app", "hundi.bootstrap") if role is Role.GATEWAY else []
    names = {str(each) for each in reach.reached([*BEGIN[role], *also], wide=True)}
    every = {name: each for module in store_modules() for name, each in texts_of(module).items()}
    text = "\n\n".join(each for name, each in every.items() if name.split("[")[0] in names)
    added: set[str] = set()
    while new := {name for name in _FUNCTION_TEXTS if name not in added and re.search(rf"\b{name}\(", text)}:
        added |= new
        text += "\n\n" + "\n\n".join(_FUNCTION_TEXTS[name] for name in new)
    return text


def _needed(text: str) -> set[tuple[str, str]]:
    """Return (letter, table) of what a text writes or locks: a lock of rows needs the right to change them."""
    found = {(what[0].upper(), table.lower()) for what, table in _WRITES.findall(text)}
    found |= {("U", table.lower()) for table in _UPSERT.findall(text)}
    locking = [each for each in re.split(r"\n\n|;", text) if _LOCKS.search(each)]
    return found | {("U", table.lower()) for each in locking for table in _READ.findall(each)}


@pytest.mark.parametrize("role", BEGIN)
def test_a_role_has_no_right_to_write_that_its_statements_do_not_need(role: Role) -> None:
    text = _texts_with_functions(role)
    needed = _needed(text)
    # What is written sets off triggers, which run with the rights of who wrote.
    set_off = "\n".join(_FUNCTION_TEXTS[name] for table, name in _TRIGGERS if table in {each[1] for each in needed})
    needed |= _needed(set_off)
    granted = {(letter, table) for table, rights in TABLES.items() for letter in rights.of(role) if letter != "S"}
    if role is Role.CONSOLE:
        # What the gateway may the console may, too: it is the same process.
        granted -= {(letter, table) for table, rights in TABLES.items() for letter in rights.gateway}
    assert sorted(granted - needed) == []


def test_every_role_is_seen_to_run_something() -> None:
    assert {role: len(run_by(role)) > 50 for role in BEGIN} == dict.fromkeys(BEGIN, True)


def test_what_is_never_run_is_still_named() -> None:
    for role, name in NEVER:
        assert name in {str(each) for each in reach.reached(BEGIN[role], STOP)}, name
