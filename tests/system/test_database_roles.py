"""What an injected statement could do with the API's own connection, tried on the running gateway.

All is refused.
"""

import asyncio
from pathlib import Path

import asyncpg
import psutil
import pytest
from structlog.testing import capture_logs

from hundi.acquirers.registry import Registry
from hundi.gateway.bootstrap import open_gateway
from hundi.gateway.worker import schedules
from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.roles import TABLES, DatabaseRole
from hundi.infra.settings import Settings
from tests.system.browser import Browser
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id, scan

pytestmark = pytest.mark.not_on_citus(
    "the roles are those of the embedded server; on a cluster of tests there are none"
)
OF_THE_CONSOLE = {
    *("approvals", "memberships", "one_time_links", "passkeys", "people", "recovery_codes"),
    *("sign_in_failures", "staff_sessions", "trail_entries"),
}
"""Tables about who may do what, which no interface, payment page or callback has any use for."""
FILES = (
    "SELECT pg_read_file('postgresql.conf')",
    "SELECT pg_read_binary_file('/etc/passwd')",
    "SELECT pg_ls_dir('.')",
    "SELECT lo_import('/etc/passwd')",
    "COPY merchants TO '/tmp/out'",
    "COPY token_failures FROM '/etc/passwd'",
    "COPY token_failures FROM PROGRAM 'id'",
    "COPY (SELECT 1) TO PROGRAM 'id'",
    "LOAD '/tmp/library.so'",
    "CREATE FUNCTION public.run(text) RETURNS int LANGUAGE c AS 'libc.so.6', 'system'",
    "CREATE FUNCTION public.run() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "ALTER SYSTEM SET archive_command = 'id'",
    "SET log_statement = 'all'",
    "CREATE EXTENSION vector",
)
BOOKS = (
    "UPDATE ledger_postings SET amount_paise = 1 WHERE merchant_id = 1",
    "DELETE FROM ledger_postings WHERE merchant_id = 1",
    (
        "INSERT INTO ledger_postings TABLE ledger_postings ON CONFLICT (merchant_id, cause_id,"
        " kind) DO UPDATE SET at = now()"
    ),
    "MERGE INTO payment_events AS e USING (SELECT 1) AS s ON true WHEN MATCHED THEN DELETE",
    "UPDATE payment_events SET kind = 'paid' WHERE merchant_id = 1",
    "DELETE FROM payments WHERE merchant_id = 1",
    "TRUNCATE ledger_postings",
    "TRUNCATE payments CASCADE",
    "ALTER TABLE ledger_postings DISABLE TRIGGER ALL",
    "DROP TRIGGER ledger_postings_append_only ON ledger_postings",
    (
        "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN"
        " RETURN OLD; END'"
    ),
    "SET session_replication_role = replica",
    "ALTER TABLE payments DROP CONSTRAINT payments_pkey",
    "DROP TABLE ledger_postings",
    "CREATE TABLE public.mine (n int)",
    "CREATE TEMPORARY TABLE mine (n int)",
    "CREATE SCHEMA mine",
    "COMMENT ON TABLE schema_version IS 'mine'",
)
SETTINGS = (
    "UPDATE merchants SET settings = '{}' WHERE merchant_id = 1",
    "INSERT INTO merchants SELECT * FROM merchants",
    "UPDATE linked_accounts SET name = 'mine' WHERE merchant_id = 1",
    "UPDATE partners SET settings = '{}' WHERE affiliate = 'x'",
    "INSERT INTO risk_rule_sets SELECT * FROM risk_rule_sets",
    "INSERT INTO review_decisions DEFAULT VALUES",
    "UPDATE ledger_checkpoints SET debit_paise = 0 WHERE merchant_id = 1",
)
STAFF = (
    *(
        f"{verb} {table}{rest}"
        for table in sorted(
            name for name, rights in TABLES.items() if rights.console and name in OF_THE_CONSOLE
        )
        for verb, rest in (
            ("SELECT * FROM", ""),
            ("INSERT INTO", " DEFAULT VALUES"),
            ("DELETE FROM", ""),
        )
    ),
    "INSERT INTO staff_sessions SELECT * FROM staff_sessions",
    "UPDATE people SET password_hash = 'mine'",
    "UPDATE memberships SET role = 'operator'",
)
"""How whoever speaks as the API would become somebody in the console."""
ROLES = (
    "SELECT rolpassword FROM pg_authid",
    "SELECT * FROM pg_shadow",
    *(
        f"SET ROLE {role}"
        for role in (*DatabaseRole, "hundi", "pg_read_server_files")
        if role is not DatabaseRole.GATEWAY
    ),
    "SET SESSION AUTHORIZATION hundi_owner",
    "ALTER ROLE hundi_owner PASSWORD 'mine'",
    "ALTER ROLE hundi_gateway SUPERUSER",
    "GRANT hundi_owner TO hundi_gateway",
    "GRANT UPDATE ON ledger_postings TO hundi_gateway; UPDATE ledger_postings SET amount_paise = 1",
    "CREATE ROLE mine SUPERUSER",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'hundi_worker'",
    "SELECT pg_create_physical_replication_slot('mine')",
    "CREATE DATABASE mine",
    "DROP DATABASE simbank",
)


def _url(gateway: RunningGateway, database: str, role: DatabaseRole) -> str:
    url = embedded_postgres.running_url(gateway.data_dir, database, role)
    assert url is not None
    return url


async def _not_refused(url: str, statements: tuple[str, ...]) -> dict[str, str]:
    """Return the statements that were not refused for want of a right, and what was answered."""
    found: dict[str, str] = {}
    connection = await asyncpg.connect(url)
    for statement in statements:
        try:
            found[statement] = await connection.execute(statement)
        except asyncpg.InsufficientPrivilegeError:
            continue
        except asyncpg.PostgresError as error:
            found[statement] = f"{type(error).__name__}: {error}"
    await connection.close()
    return found


@pytest.mark.parametrize(
    "statements",
    [FILES, BOOKS, SETTINGS, STAFF, ROLES],
    ids=["files", "books", "settings", "staff", "roles"],
)
def test_the_api_cannot(gateway: RunningGateway, statements: tuple[str, ...]) -> None:
    assert asyncio.run(_not_refused(_url(gateway, "hundi", DatabaseRole.GATEWAY), statements)) == {}


def test_nobody_but_an_operator_approves(gateway: RunningGateway) -> None:
    """The worker may change payouts and accounts.

    What lets them leave is in tables that it cannot write.
    """
    statements = tuple(
        text.format(table)
        for table in ("payout_approvals", "accepted_names")
        for text in (
            "INSERT INTO {0} DEFAULT VALUES",
            "UPDATE {0} SET person = 'x'",
            "DELETE FROM {0}",
        )
    )
    for role in (DatabaseRole.GATEWAY, DatabaseRole.WORKER, DatabaseRole.AUDIT):
        assert asyncio.run(_not_refused(_url(gateway, "hundi", role), statements)) == {}, role
    operator = asyncio.run(_not_refused(_url(gateway, "hundi", DatabaseRole.OPERATOR), statements))
    assert set(operator) == {each for each in statements if each.startswith("INSERT")}, (
        "what it may, and no more"
    )
    console = asyncio.run(_not_refused(_url(gateway, "hundi", DatabaseRole.CONSOLE), statements))
    assert set(console) == set(operator), "two people decide there, too"


def test_the_worker_cannot_change_the_books_either(gateway: RunningGateway) -> None:
    assert (
        asyncio.run(_not_refused(_url(gateway, "hundi", DatabaseRole.WORKER), (*FILES, *BOOKS)))
        == {}
    )


def test_the_worker_has_every_right_that_its_schedules_need(
    gateway: RunningGateway, shop: Shop, browser: Browser
) -> None:
    """Each is run now, with something to do.

    In the running gateway most are due too seldom for a test to see them.
    """
    order_id = new_order_id()
    scan(gateway, shop.open_page(browser, order_id).upi_link)
    shop.becomes(order_id, 200)
    settings = Settings(
        data_dir=gateway.data_dir,
        database_url=_url(gateway, "hundi", DatabaseRole.WORKER),
        base_url=gateway.base_url,
        payment_page_url=gateway.base_url,
        simbank_url=gateway.simbank_url,
        demo=True,
    )

    async def run_all() -> int:
        async with open_gateway(settings, connectors=Registry([])) as opened:
            planned = schedules(opened)
            for name in planned.names:
                await planned.run(name)
            return len(planned.names)

    with capture_logs() as lines:
        assert asyncio.run(run_all()) > 0
    assert [line for line in lines if line["event"] == "schedule_failed"] == []


def test_an_auditor_changes_nothing(gateway: RunningGateway) -> None:
    statements = (
        *(
            f"UPDATE {table} SET merchant_id = 1"
            for table in ("payments", "attempts", "deliveries", "refunds")
        ),
        "DELETE FROM payments",
        "INSERT INTO ledger_postings SELECT * FROM ledger_postings",
        "SELECT sealed_key FROM signing_keys",
        "SELECT token_hash FROM access_tokens",
        *FILES,
    )
    assert asyncio.run(_not_refused(_url(gateway, "hundi", DatabaseRole.AUDIT), statements)) == {}


@pytest.mark.parametrize(
    ("role", "database"),
    [
        (DatabaseRole.GATEWAY, "simbank"),
        (DatabaseRole.GATEWAY, "postgres"),
        (DatabaseRole.GATEWAY, "template1"),
        (DatabaseRole.SIMBANK, "hundi"),
        (DatabaseRole.OWNER, "simbank"),
        (DatabaseRole.BACKUP, "hundi"),
    ],
)
def test_nobody_opens_another_database(
    gateway: RunningGateway, role: DatabaseRole, database: str
) -> None:
    with pytest.raises(
        (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InsufficientPrivilegeError)
    ):
        asyncio.run(asyncpg.connect(_url(gateway, database, role)))


def test_nobody_is_the_superuser_or_another_role_without_its_password(
    gateway: RunningGateway,
) -> None:
    folder = _url(gateway, "hundi", DatabaseRole.OWNER).partition("?")[2]
    with pytest.raises(asyncpg.InvalidAuthorizationSpecificationError):
        asyncio.run(asyncpg.connect(f"postgresql://hundi@/hundi?{folder}"))
    with pytest.raises((asyncpg.InvalidPasswordError, asyncpg.InterfaceError)):
        asyncio.run(asyncpg.connect(f"postgresql://hundi_owner@/hundi?{folder}"))
    password = (gateway.data_dir / "roles" / "hundi_gateway").read_text().strip()
    with pytest.raises(asyncpg.InvalidPasswordError):
        asyncio.run(asyncpg.connect(f"postgresql://hundi_owner:{password}@/hundi?{folder}"))


def test_each_process_is_told_its_own_passwords_and_no_other(gateway: RunningGateway) -> None:
    folder = gateway.data_dir / "roles"
    assert folder.stat().st_mode & 0o777 == 0o700
    passwords = {role: (folder / role.value).read_text().strip() for role in DatabaseRole}
    assert all((folder / role.value).stat().st_mode & 0o777 == 0o600 for role in DatabaseRole)
    told = {
        "api": {DatabaseRole.GATEWAY, DatabaseRole.CONSOLE},
        "worker": {DatabaseRole.WORKER},
        "simbank": {DatabaseRole.SIMBANK},
    }
    for part, roles in told.items():
        for process in gateway.part(part):
            environment = Path(f"/proc/{process.pid}/environ").read_text()
            assert {
                each for each, password in passwords.items() if password in environment
            } == roles, part
    for process in gateway.part("simbank"):
        names = set(psutil.Process(process.pid).environ())
        assert (
            not {"HUNDI_DATABASE_URL", "HUNDI_KEYS", "HUNDI_KEY_FILE", "HUNDI_UPSTREAM_SECRET"}
            & names
        )
    assert all(password not in gateway.logged() for password in passwords.values())
