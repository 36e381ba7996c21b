"""Each table and function names its users, and a migrated database grants exactly that.

`tests/system/test_statement_rights.py` compares each role's rights with its statements.
"""

import re

import pytest

from hundi.infra.postgres.database import Database
from hundi.infra.postgres.roles import FUNCTIONS, SERVED, TABLES, fingerprint, grant_text
from hundi.infra.secrets.sealed.store import COUNT_SEALED
from tests.house.source import ROOT

_PAGE = (ROOT / "src/hundi/infra/migrations/schema.sql").read_text("utf-8")
_OF_MIGRATE = {"schema_version"}
_LETTERS = {"S": "select", "I": "insert", "U": "update", "D": "delete"}


def _functions() -> list[str]:
    return [
        text
        for text in re.split(r"^(?=CREATE )", _PAGE, flags=re.MULTILINE)
        if text.startswith("CREATE FUNCTION")
    ]


def test_every_table_and_function_has_a_decision() -> None:
    assert set(re.findall(r"^CREATE TABLE (\w+)", _PAGE, re.MULTILINE)) | _OF_MIGRATE == set(TABLES)
    assert set(re.findall(r"^CREATE FUNCTION (\w+)", _PAGE, re.MULTILINE)) == set(FUNCTIONS)
    assert not re.search(r"^CREATE (SEQUENCE|.*VIEW|PROCEDURE)", _PAGE, re.MULTILINE), (
        "decide about these, too"
    )


def test_what_runs_with_the_owners_rights_is_known_and_looks_nowhere_else() -> None:
    theirs = [text for text in _functions() if "SECURITY DEFINER" in text]
    assert {re.split(r"[ (]", text)[2] for text in theirs} == {
        "add_archive_month",
        "archive_payments",
        "ask_about_credits",
        "hasten_check",
        "hasten_payout",
        "people_by_name",
        "people_to_tell",
        "recall_payment",
    }
    assert all("SET search_path TO 'public', 'pg_temp'" in text for text in theirs)


def test_an_auditor_only_reads() -> None:
    assert {rights.audit for rights in TABLES.values()} == {"", "S"}


def test_nobody_changes_what_is_only_appended() -> None:
    guarded = re.findall(
        r"BEFORE DELETE OR UPDATE ON (\w+) FOR EACH ROW EXECUTE FUNCTION refuse_change", _PAGE
    )
    assert {"ledger_postings", "payment_events"} <= set(guarded)
    for table in guarded:
        assert not {"U", "D"} & {letter for role in SERVED for letter in TABLES[table].of(role)}, (
            table
        )


def test_every_sealed_column_is_counted_before_a_key_is_retired() -> None:
    columns = {
        (table, column)
        for table, body in re.findall(
            r"^CREATE TABLE (\w+) \((.*?)^\);", _PAGE, re.MULTILINE | re.DOTALL
        )
        for column in re.findall(r"^\s+(sealed_\w+) bytea", body, re.MULTILINE)
    }
    counted = {
        (table, column)
        for column, table in re.findall(r"SELECT (sealed_\w+) FROM (\w+)", COUNT_SEALED)
    }
    assert columns == counted


def test_other_roles_make_another_fingerprint() -> None:
    assert fingerprint(SERVED) == fingerprint(reversed(SERVED))
    assert fingerprint(SERVED) != fingerprint(SERVED[1:])
    assert "hundi_worker" not in grant_text(["hundi_gateway", "somebody"])


def test_only_our_own_objects_are_touched() -> None:
    """Functions of an extension in the same schema have another owner.

    Our owner may not revoke them.
    """
    text = grant_text(SERVED)
    assert "IN SCHEMA" not in text
    assert set(
        re.search(r"^REVOKE ALL ON FUNCTION (.*) FROM", text, re.MULTILINE)[1].split(", ")
    ) == set(FUNCTIONS)  # pyright: ignore[reportOptionalSubscript]


async def test_a_migrated_database_has_these_rights_and_no_others(db: Database) -> None:
    if not await db.fetchval("SELECT to_regrole('hundi_gateway') IS NOT NULL"):
        pytest.skip("a server without our roles")
    for table, rights in TABLES.items():
        for role in SERVED:
            has = [
                letter
                for letter, right in _LETTERS.items()
                if await db.fetchval(
                    "SELECT has_table_privilege($1, $2, $3)", role.value, table, right
                )
            ]
            assert "".join(has) == rights.of(role), (table, role)
            for right in ("truncate", "trigger", "references"):
                assert not await db.fetchval(
                    "SELECT has_table_privilege($1, $2, $3)", role.value, table, right
                )
    rows = await db.fetch(
        "SELECT proname::text AS name, oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
    )
    for row in rows:
        for role in SERVED:
            may = await db.fetchval(
                "SELECT has_function_privilege($1, $2::oid, 'execute')", role.value, row["oid"]
            )
            assert may == (role in FUNCTIONS[row["name"]]), (row["name"], role)
