"""Migrations use only what a spread database accepts (docs/citus.md)."""

import re

import pytest

from tests.house.source import ROOT

MIGRATIONS = ROOT / "src/hundi/infra/migrations"

FIRST_SPREAD = "0008"
"""The first migration that a spread database may meet.

Earlier ones create the tables that are spread.
"""


def bare(text: str) -> str:
    return re.sub(r"--.*", "", text)


def migrations() -> dict[str, str]:
    """Return the SQL of each migration of spread databases, without bodies of functions."""
    versions = MIGRATIONS / "versions"
    texts = {
        str(path.relative_to(versions)): path.read_text("utf-8")
        for path in sorted(versions.rglob("*.sql"))
    }
    later = {name: text for name, text in texts.items() if name[:4] >= FIRST_SPREAD}
    return {
        name: re.sub(r"\$\$.*?\$\$", "''", bare(text), flags=re.DOTALL)
        for name, text in later.items()
    }


def refused(text: str) -> list[str]:
    """Return the statements of a migration that a spread database refuses."""
    offences: list[str] = []
    for statement in (each.strip() for each in text.split(";")):
        unquoted = re.sub(r"'[^']*'", "''", statement)
        flat = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", unquoted))
        several = (
            re.match(r"(alter\s+table|drop\s+(index|table|function))\b", flat, re.IGNORECASE)
            and "," in flat
        )
        wrong = re.match(r"(truncate|do\b|lock\s+table|create\s+rule)", flat, re.IGNORECASE)
        wrong = wrong or re.search(
            r"\badd\s+column\b.*\b(check|unique|primary|references)\b", flat, re.IGNORECASE
        )
        if (
            several
            or wrong
            or re.search(r"\bcreate\b.*\btrigger\b.*\bafter\b", flat, re.IGNORECASE | re.DOTALL)
        ):
            offences.append(statement)
    return offences


def test_migrations_keep_to_what_a_spread_database_accepts() -> None:
    """One action for each statement.

    Statements that write rows name no merchant, and may run on every shard at once.
    """
    assert {name: wrong for name, text in migrations().items() if (wrong := refused(text))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "DROP INDEX a, b;",
        "ALTER TABLE t ADD COLUMN a text, ADD CONSTRAINT b CHECK (a <> '');",
        "ALTER TABLE t ADD COLUMN a text CHECK (a <> '');",
        "TRUNCATE payments;",
        "DO $$ BEGIN END $$;",
        "LOCK TABLE payments;",
    ],
)
def test_a_migration_that_would_be_refused_is_found(text: str) -> None:
    assert refused(text)


def test_a_migration_of_single_actions_is_no_offence() -> None:
    assert (
        refused(
            "ALTER TABLE t ADD CONSTRAINT b CHECK (a IN ('x', 'y')); CREATE INDEX c ON t (a, b);"
        )
        == []
    )
