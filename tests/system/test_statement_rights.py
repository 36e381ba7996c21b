"""Every role has the rights that its statements need, and no other right.

Which role can run which statement the code tells (`tests/house/reach.py`), what a statement needs
PostgreSQL (`tests/house/needs.py`).
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import asyncpg
import pytest

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.roles import DatabaseRole
from hundi.verbs.table import all_verbs
from tests.house import needs, reach
from tests.house.needs import Catalogue, Need, granted_to
from tests.house.reach import Name, Reach
from tests.house.test_schema import STATEMENT, statements, store_modules, texts_of
from tests.system.running import RunningGateway

pytestmark = pytest.mark.not_on_citus(
    "the roles are those of the embedded server; on a cluster of tests there are none"
)
_OTHER_ROLES = tuple(
    f"hundi.cli.{each}"
    for each in (
        "serve",
        "parts",
        "audit",
        "audit_parts",
        "backup",
        "database",
        "mcp",
        "scrub",
    )
)
"""Commands that run processes, or as another role than the operator's."""
_ONLY_COMMANDS = tuple(
    f"{verb.act.__module__}.{verb.act.__name__}" for verb in all_verbs() if verb.only_command
)
"""Verbs that the console does not have."""
BEGIN: Mapping[DatabaseRole, Callable[[], list[Name]]] = {
    DatabaseRole.GATEWAY: lambda: reach.of("hundi.gateway.app", "hundi.api", "hundi.page"),
    DatabaseRole.CONSOLE: lambda: [
        *(
            name
            for name in reach.of("hundi.console", "hundi.verbs", "hundi.assistants")
            if str(name) not in _ONLY_COMMANDS
        ),
        Name("hundi.cli.mcp", "_serve"),
    ],
    DatabaseRole.WORKER: lambda: reach.of("hundi.gateway.worker"),
    # Whatever a demo begins with is made by the operator's role, too.
    DatabaseRole.OPERATOR: lambda: [
        *reach.of("hundi.cli", "hundi_testbed.demo.merchants", "hundi.verbs", but=_OTHER_ROLES),
        Name("hundi.cli.parts", "_prepare_keys"),
    ],
    # Whoever restores a backup audits it.
    DatabaseRole.AUDIT: lambda: [
        *reach.of("hundi.cli.audit"),
        *reach.of("hundi.cli.audit_parts"),
        Name("hundi.cli.backup", "_look"),
    ],
}
"""Where the code of each role begins.

Asked for when a test runs: every process of a run loads this file, and one of them runs it.
"""
STOP: Mapping[DatabaseRole, tuple[str, ...]] = {
    DatabaseRole.GATEWAY: ("hundi.console", "hundi.staff.sign_in"),
    DatabaseRole.CONSOLE: (
        "hundi.api.context.PartnerServices",
        "hundi.payments.risk.actions.RiskControl",
        *_ONLY_COMMANDS,
    ),
    DatabaseRole.WORKER: ("hundi.staff.sign_in",),
    DatabaseRole.OPERATOR: _OTHER_ROLES,
}
"""What is not followed: pages of the console have connections of their own in the processes of the
interfaces, and whoever signs in there is found over these (decision 55); what runs as another role.
"""
NEVER = {
    (
        DatabaseRole.WORKER,
        "hundi.money.payouts.store.INSERT_APPROVAL",
    ): "a payout that it sends has both its approvals",
    (
        DatabaseRole.WORKER,
        "hundi.money.reconciliation.store.INSERT_ACCOUNT_LINE",
    ): "it fetches acquirers' reports alone",
    (
        DatabaseRole.WORKER,
        "hundi.partners.directory.store.COUNT_LOOKUP",
    ): "it looks nobody up in a register",
    (
        DatabaseRole.WORKER,
        "hundi.partners.directory.store.INSERT_CALLS",
    ): "it takes no calls of partners",
    (DatabaseRole.WORKER, "hundi.partners.offers.store.INSERT"): "it takes no calls of partners",
    (
        DatabaseRole.AUDIT,
        "hundi.payments.acquirer_words.store.TAKE",
    ): "it asks acquirers, and tells them nothing new",
    (
        DatabaseRole.CONSOLE,
        "hundi.payments.acquirer_accounts.store.KEEP_TROUBLE",
    ): "the server for assistants opens no connector",
    (
        DatabaseRole.OPERATOR,
        "hundi.payments.acquirer_accounts.store.KEEP_TROUBLE",
    ): "commands open connectors once",
    (
        DatabaseRole.OPERATOR,
        "hundi.payments.orders.store.START_ATTEMPT",
    ): "no command begins an attempt",
}
"""Statements that a role's code names and never runs, and why."""
_BY_WORDS = {
    "hundi.money.payouts.store.LOCK_CAUSE": "names the one table whose row it locks by its alias",
    "hundi.infra.postgres.migrate._REACHED": "deletes the row before it writes another",
    "hundi.notifications.store.CLAIM_PROBE": "has a part with the name of a table",
    "hundi.notifications.endpoints.store.CLAIM": "returns rows, and none of those that it inserts",
}
"""Statements of which their words do not tell what PostgreSQL tells, and why.

No function is written so.
"""


@dataclass(frozen=True)
class Known:
    """What is known of all statements.

    asked: what each needs by itself, as PostgreSQL tells; of parts, which are put together while
    running, its words.
    """

    asked: Mapping[str, set[Need]]
    catalogue: Catalogue
    reached: Mapping[DatabaseRole, Reach]

    def run_by(self, role: DatabaseRole) -> set[str]:
        """Return the names of the statements that a role can run."""
        names = {str(each) for each in self.reached[role].callers} - {
            name for other, name in NEVER if other is role
        }
        return {name for name in self.asked if _own(name) in names}

    def needed_by(self, role: DatabaseRole) -> dict[Need, str]:
        """Return what a role needs, each with the way to one statement that needs it."""
        return {
            need: self.reached[role].way(_own(name))
            for name in sorted(self.run_by(role))
            for need in self.catalogue.all_needs(self.asked[name])
        }

    def lacking(self, role: DatabaseRole, granted: set[Need]) -> dict[Need, str]:
        """Return the rights that a role needs and has not."""
        return {need: way for need, way in self.needed_by(role).items() if need not in granted}

    def idle(self, role: DatabaseRole, granted: set[Need]) -> set[Need]:
        """Return the rights that a role has and does not need."""
        return granted - self.needed_by(role).keys()


def _own(name: str) -> str:
    """Return the name of the constant that a statement stands in."""
    return name.partition("[")[0]


@pytest.fixture(scope="module")
def known(template_url: str) -> Known:
    modules = (*store_modules(), "hundi.infra.postgres.migrate")
    texts = {
        name: text for module in modules for name, text in texts_of(module, parts=True).items()
    }
    told = asyncio.run(
        needs.asked_by(
            template_url, {name: text for name, text in texts.items() if STATEMENT.match(text)}
        )
    )
    by_words = {name: needs.read_in(text) for name, text in texts.items()}
    assert {name for name in told if told[name] != by_words[name]} == set(_BY_WORDS)
    reached = {role: Reach(begin(), STOP.get(role, ())) for role, begin in BEGIN.items()}
    return Known(by_words | told, asyncio.run(needs.catalogue_of(template_url)), reached)


async def _refused(url: str, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the statements that a role may not run.

    Each is planned, which asks for its rights and runs nothing.
    """
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
def test_a_role_may_run_every_statement_of_its_code(
    role: DatabaseRole, gateway: RunningGateway, known: Known
) -> None:
    url = embedded_postgres.running_url(gateway.data_dir, "hundi", role)
    assert url is not None
    run = known.run_by(role)
    refused = asyncio.run(
        _refused(url, {name: text for name, text in statements().items() if name in run})
    )
    assert {name: (why, known.reached[role].way(_own(name))) for name, why in refused.items()} == {}


@pytest.mark.parametrize("role", BEGIN)
def test_a_role_may_do_what_functions_triggers_and_constraints_do_for_it(
    role: DatabaseRole, known: Known
) -> None:
    assert known.lacking(role, granted_to(role)) == {}


@pytest.mark.parametrize("role", BEGIN)
def test_a_role_has_no_right_that_its_statements_do_not_need(
    role: DatabaseRole, known: Known
) -> None:
    assert known.idle(role, granted_to(role)) == set()


def test_a_change_of_a_bank_account_holds_back_its_payouts(known: Known) -> None:
    """The console once lacked this right, and two people's decision was answered with 503."""
    planted = Need("U", "shares_to_pay")
    assert known.lacking(
        DatabaseRole.CONSOLE, granted_to(DatabaseRole.CONSOLE) - {planted}
    ).keys() == {planted}


def test_a_right_of_a_functions_body_is_missed(known: Known) -> None:
    """Matching lines asks for refunds again as the owner, and closes items as whoever called it."""
    for planted in (
        Need("X", "ask_about_credits"),
        Need("S", "dispute_stages"),
        Need("I", "reconciliation_items"),
    ):
        assert planted in known.lacking(
            DatabaseRole.WORKER, granted_to(DatabaseRole.WORKER) - {planted}
        )
    assert Need("X", "person_key") in known.lacking(
        DatabaseRole.CONSOLE, granted_to(DatabaseRole.CONSOLE) - {Need("X", "person_key")}
    )


def test_a_right_to_make_sessions_of_the_console_is_seen_at_the_interfaces(known: Known) -> None:
    """They once had it, and three INSERTs made anybody."""
    planted = {Need("S", "staff_sessions"), Need("I", "staff_sessions"), Need("X", "person_key")}
    assert known.idle(DatabaseRole.GATEWAY, granted_to(DatabaseRole.GATEWAY) | planted) == planted


def test_a_call_of_a_values_method_is_followed(known: Known) -> None:
    """The worker's recipients come from a directory that is a field of a field."""
    called = known.reached[DatabaseRole.WORKER].callers
    directory = Name("hundi.partners.directory.actions", "PartnerDirectory")
    assert directory._replace(method="get") in called
    assert Name("hundi.console.routing", "routes") not in called


def test_every_role_is_seen_to_run_something(known: Known) -> None:
    assert {role: len(known.run_by(role)) > 50 for role in BEGIN} == dict.fromkeys(BEGIN, True)


def test_what_is_never_run_is_named_and_would_be_refused(known: Known) -> None:
    for role, name in NEVER:
        assert name in {str(each) for each in known.reached[role].callers}, name
        assert known.catalogue.all_needs(known.asked[name]) - granted_to(role), (
            f"{name} needs no exception"
        )
