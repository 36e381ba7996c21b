"""Every column of every table of statements is bent, one row at a time: the audit names each lie.

What nobody can name is listed here with the reason, and in docs/audit-limits.md.
"""

import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import asyncpg
import pytest

from hundi.infra.postgres.database import Database
from hundi.money.audit import actions as auditing
from hundi.money.audit import store
from hundi.money.audit.rules import Violation
from hundi.money.chain import actions as chain
from hundi.money.reconciliation import actions
from hundi.money.reconciliation.importing import actions as importing
from hundi.money.reconciliation.importing.actions import Source
from hundi.money.reconciliation.proposals import actions as proposals
from hundi.money.reconciliation.proposals.actions import NewProposal
from hundi_testbed.bank.statements import files
from hundi_testbed.bank.statements.rules import Statement, StatementMovement
from tests import citus
from tests.bent import REFUSED, columns_of, here, key_of, lies, spot_of, take_checks_off
from tests.money.audit import books
from tests.money.audit.books import AT, MERCHANT, VAULT

NOW = AT + timedelta(days=3)
LATER = NOW + timedelta(hours=1)
_POSTED = "line_id IN (SELECT cause_id FROM ledger_postings WHERE kind = 'handed_over')"
TABLES = {
    "account_lines": ("account", "true"),
    "acquirer_terms": ("connector", "true"),
    "reconciliation_items": ("class", "state = 'resolved'"),
    "reconciliation_items open": ("class", "state = 'open'"),
    "reconciliation_proposals": ("decision", "decision = 'approved'"),
    "statement_files": ("connector", "true"),
    "statement_handovers": ("connector", "true"),
    "statement_lines": ("kind", _POSTED),
    "statement_lines unposted": ("kind, merchant_id = 0", f"NOT {_POSTED}"),
    "statement_matches": ("class", "true"),
    "statement_steps": ("step", "true"),
}
"""The tables that are bent, with what tells rows apart, of which one each is, and which rows."""
_WORDS = "words for people: no amount or person depends on it"
_WHEN = "says when, decides nothing"
_NEXT = "decides about files to come; what it decided is in the lines' classes"
_IDLE = "of a line that moved no money"
_OPEN = "work that nobody has done yet: the next comparison finds a payment without a line again"
_AGAIN = "what was not done is done again, and finds nothing to do"
UNSEEN = {
    "account_lines.line_id": "the number of a line, which nothing refers to",
    "acquirer_terms -": _NEXT,
    "acquirer_terms +": _NEXT,
    "acquirer_terms.connector": _NEXT,
    "acquirer_terms.document": _NEXT,
    "acquirer_terms.set_at": _WHEN,
    "acquirer_terms.set_by": _WORDS,
    "acquirer_terms.version": _NEXT,
    "reconciliation_items.cause_id": _WORDS,
    "reconciliation_items.connector": _WORDS,
    "reconciliation_items.opened_at": _WHEN,
    "reconciliation_items.ours_paise": _WORDS,
    "reconciliation_items.theirs_paise": _WORDS,
    "statement_files.account": "whose a next file of the account is taken to be",
    "statement_files.format": _WORDS,
    "statement_files.imported_at": _WHEN,
    "statement_files.imported_by": _WORDS,
    "statement_files.last_day": "up to which day payments were looked for, which was done",
    "statement_files.name": _WORDS,
    "statement_files.sha256": "the file itself tells: imported again, its lines are duplicates",
    "statement_files.statement": _WORDS,
    "statement_matches.class": (
        "of a line that was not handed over yet, matched or late: the others are sealed"
    ),
    "statement_steps +": _AGAIN,
    "statement_steps -": _AGAIN,
    "statement_steps.at": _WHEN,
    "statement_steps.file_id": _AGAIN,
    "statement_steps.step": _AGAIN,
    "statement_steps.utr": _AGAIN,
    "statement_lines unposted.cause_id": _IDLE,
    "statement_lines unposted.kind": _IDLE,
    "statement_lines unposted.line_id": _IDLE,
    "statement_lines unposted.reference": _IDLE,
    "statement_lines unposted.rrn": _IDLE,
    "statement_lines unposted.utr": _IDLE,
    "reconciliation_items.class": _WORDS,
    "reconciliation_items open +": _OPEN,
    "reconciliation_items open -": _OPEN,
    "reconciliation_items open.cause_id": _OPEN,
    "reconciliation_items open.class": _OPEN,
    "reconciliation_items open.connector": _OPEN,
    "reconciliation_items open.item_id": _OPEN,
    "reconciliation_items open.merchant_id": _OPEN,
    "reconciliation_items open.opened_at": _OPEN,
    "reconciliation_items open.ours_paise": _OPEN,
    "reconciliation_items open.state": _OPEN,
    "reconciliation_items open.theirs_paise": _OPEN,
}
"""`table.column`, `table -` for a row less or `table +` for one more, that nobody can name, and
why.
"""


@pytest.fixture
async def bent(db: Database, tmp_path: Path) -> AsyncIterator[asyncpg.Connection]:
    """Sound books without constraints, with a statement that matches, differs, is corrected."""
    await books.write(db)

    def paid(number: int, paise: int = 49_900) -> StatementMovement:
        return StatementMovement("PAYMENT", f"{MERCHANT}-{number}", f"debit-{number}", paise, 0)

    day = Statement(
        AT.date(),
        (
            paid(11),
            paid(21, 49_800),
            paid(61),
            StatementMovement("PAYMENT", "nobody-1", "", 700, 0),
        ),
    )
    for content, connector in (
        (files.acquirer_csv(day).replace(f"{MERCHANT}-", "by-rrn-"), "sandbox"),
        (files.account_camt053(day.day, files.account_lines(day, ()), 0), ""),
        (files.acquirer_csv(Statement(day.day + timedelta(days=2), (paid(51),))), "sandbox"),
    ):
        path = tmp_path / "statement"
        path.write_text(content)
        await importing.import_file(
            db, Source(path, "csv" if connector else "camt053", connector, "asha"), NOW
        )
        await actions.compare(db, NOW)
    for item in (await proposals.work(db))["items"]:
        if item["class"] in {"amount_differs", "missing_here"}:
            wanted = NewProposal(item["merchant_id"], item["item_id"], MERCHANT, "seen", "asha")
            for _ in range(2 if item["class"] == "amount_differs" else 1):
                proposal_id = await proposals.propose(db, wanted, NOW)
            await proposals.decide(db, MERCHANT, proposal_id, "ravi", NOW, approved=True)
    await chain.seal(db, VAULT, LATER)
    async with db.transaction() as conn:
        await take_checks_off(conn, "fcx")
        for table in {each.partition(" ")[0] for each in TABLES}:
            await conn.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        assert await broken(conn) == []
        yield conn


async def broken(conn: asyncpg.Connection) -> list[Violation]:
    """Return the promises about statements that are broken, or what is sealed that was changed."""
    return [
        violation
        for violation, query in auditing.CHECKS.items()
        if violation
        in {
            Violation.HANDOVER_DIFFERS,
            Violation.HANDOVER_UNFOUNDED,
            Violation.STATEMENT_DIFFERS,
            Violation.CORRECTION_DIFFERS,
            Violation.SEALED_ROW_DIFFERS,
        }
        and (await store.check(conn, violation, query, LATER)).count
    ]


async def tells(conn: asyncpg.Connection, change: str, row: str) -> bool:
    """Return whether anything is named when a row is changed so, or nothing is changed.

    Nothing stays.
    """
    undone = conn.transaction()
    await undone.start()
    try:
        return (await conn.execute(change, row)).endswith(" 0") or await broken(conn) != []
    except REFUSED:
        return True
    finally:
        await undone.rollback()


async def test_what_a_posted_line_counts_as_is_sealed(bent: asyncpg.Connection) -> None:
    change = (
        f"UPDATE statement_matches SET class = 'late' WHERE class = 'matched' AND {_POSTED} AND"
        " class <> $1"
    )
    assert (
        await bent.fetchval(
            f"SELECT count(*) FROM statement_matches WHERE class = 'matched' AND {_POSTED}"
        )
        > 0
    )
    assert await tells(bent, change, "")


@pytest.mark.parametrize("column", ["merchants", "first_day", "last_day", "connector"])
async def test_a_file_without_what_it_says_is_named(bent: asyncpg.Connection, column: str) -> None:
    """Nothing is compared with nothing: a column that is empty is no column that agrees."""
    await bent.execute(f"ALTER TABLE statement_files ALTER COLUMN {column} DROP NOT NULL")
    assert await tells(
        bent, f"UPDATE statement_files SET {column} = NULL WHERE connector <> $1", ""
    )


@pytest.mark.parametrize("rows", TABLES)
async def test_each_lie_about_a_statement_is_named(bent: asyncpg.Connection, rows: str) -> None:
    table, (apart, which) = rows.partition(" ")[0], TABLES[rows]
    columns = await columns_of(bent, table)
    if table == "acquirer_terms":
        await bent.execute("INSERT INTO acquirer_terms VALUES ('other', 1, '{}', 'asha', now())")
    order = ", ".join(
        (apart, *[each for each in await key_of(bent, table, MERCHANT) if "<>" not in each])
    )
    query = (
        f"SELECT DISTINCT ON ({apart}) {spot_of(columns)} FROM {table} WHERE {which} ORDER BY"
        f" {order}"
    )
    places = [row[0] for row in await bent.fetch(query)]
    assert places, "there is no such row"
    row_there = here(columns)
    changes = {f"{rows} -": [f"DELETE FROM {table} WHERE {row_there}"]}
    for column, (kind, domain) in columns.items():
        said = [f"NOT {column}"] if kind == "boolean" else lies(column, kind, domain)
        changes[f"{rows}.{column}"] = [
            (
                f"UPDATE {table} SET {column} = {lie} WHERE {row_there} AND {column} IS DISTINCT"
                f" FROM {lie}"
            )
            for lie in said
        ]
    more = [
        f"{name} + 1" if kind in {"bigint", "integer"} and name != "merchant_id" else name
        for name, (kind, _) in columns.items()
    ]
    changes[f"{rows} +"] = [
        (
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(more)} FROM {table}"
            f" WHERE {row_there}"
        )
    ]
    unseen = [
        place
        for place, tries in changes.items()
        if not all([await tells(bent, each, row) for each in tries for row in places])
    ]
    # A cluster lets nobody change whose a row is.
    asked = {
        place for place in UNSEEN if citus.cluster() is None or not place.endswith(".merchant_id")
    }
    assert sorted(unseen) == sorted(
        place for place in asked if re.split(r"[.]| [-+]", place)[0] == rows
    )
