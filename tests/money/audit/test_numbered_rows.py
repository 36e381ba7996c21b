"""Parts of an audit find what the whole one finds, where numbers are made from times.

Written by somebody who looked for a difference.
"""

from datetime import date, timedelta
from random import Random

import asyncpg
import pytest

from hundi.infra.postgres.database import Connection, Database
from hundi.kernel.clock import INDIA
from hundi.kernel.ids import first_id
from hundi.money.audit.actions import CHECKS
from hundi.money.audit.parts.rules import BEGINNING, Days
from hundi.money.audit.rules import Violation
from hundi.money.audit.since.scopes.store import SCOPES, narrowed
from hundi.money.audit.since.store import changes
from tests.bent import take_checks_off
from tests.money.audit.numbered_books import (
    FIRST_MIDNIGHT,
    MERCHANTS,
    TABLES,
    NumberedBooks,
    Story,
)

DAY = timedelta(days=1)
FIRST_DAY = FIRST_MIDNIGHT.astimezone(INDIA).date()
# The same as in an audit: without it, misjudged joins of a test are as dear as those of an audit.
_AS_AUDITS = "SET LOCAL enable_nestloop = off; SET LOCAL jit = off"
Found = set[tuple[str, str]]


async def found(conn: Connection, books: NumberedBooks, days: Days | None = None) -> Found:
    """Return the names and subjects that checks with a scope find in some days, or in all."""
    now = books.end + 9 * DAY
    changed = await changes(conn, days) if days else None
    subjects: Found = set()
    for violation in SCOPES:
        query = CHECKS[violation]
        values: tuple[object, ...] = (now,) if "$1" in query else ()
        if changed:
            query, values = narrowed(violation, query), changed.values(now)
        subjects |= {(violation.value, row["subject"]) for row in await conn.fetch(query, *values)}
    return subjects


def plan(borders: list[date]) -> list[Days]:
    return [Days(*each) for each in zip([BEGINNING, *borders], [*borders, None], strict=True)]


async def in_parts(conn: Connection, books: NumberedBooks, borders: list[date]) -> Found:
    """Return what all parts find together."""
    return set().union(*[await found(conn, books, days) for days in plan(borders)])


def days_of(books: NumberedBooks) -> list[date]:
    return [FIRST_DAY + number * DAY for number in range(books.days + 1)]


@pytest.mark.parametrize("seed", [2, 5])
async def test_sound_books_hold_in_parts_of_any_days(db: Database, seed: int) -> None:
    books = NumberedBooks(seed)
    await books.write(db)
    async with db.transaction() as conn:
        await conn.execute(_AS_AUDITS)
        assert await found(conn, books) == set()
        assert await in_parts(conn, books, days_of(books)) == set()
        for day in days_of(books)[1:-1]:
            assert await found(conn, books, Days(day)) == set(), day


async def test_payments_whose_numbers_hang_together_come_together(db: Database) -> None:
    """An attempt has a refund's number, whose payment's attempt has another refund's."""
    books = NumberedBooks(0, payments=0)
    books.days, books.end = 5, FIRST_MIDNIGHT + 5 * DAY
    books.steps = []
    first, second, third = (
        Story(books, MERCHANTS[0], FIRST_MIDNIGHT + timedelta(hours=hour)) for hour in (1, 2, 3)
    )
    opened = {story: story.attempt("offered") for story in (first, second, third)}
    for story, attempt_id in opened.items():
        story.event("created", "open", of=attempt_id)
        story.at += timedelta(minutes=9)
        story.pay(attempt_id)
    for story, other in ((second, first), (third, second)):
        story.at += DAY
        books.given = [opened[other]]
        story.begin_refund(opened[story], "merchant", 100)
    first.at += 3 * DAY
    first.event("left_page", "paid")
    await books.write(db)
    async with db.transaction() as conn:
        await conn.execute(_AS_AUDITS)
        assert await found(conn, books) == set()
        assert await in_parts(conn, books, days_of(books)) == set()


def _one(table: str, place: float) -> str:
    return (
        f"(SELECT ctid FROM {table} ORDER BY ctid"
        f" OFFSET (SELECT floor(count(*) * {place}) FROM {table}) LIMIT 1)"
    )


def _all_of(table: str, number: str, place: float) -> str:
    """Return the condition of all rows with the number of one of them."""
    return (
        f"(merchant_id, {number}) = (SELECT merchant_id, {number} FROM {table}"
        f" WHERE ctid = {_one(table, place)})"
    )


CHANGES = (
    "DELETE FROM payments WHERE ctid = {payments}",
    "DELETE FROM attempts WHERE ctid = {attempts}",
    "DELETE FROM refunds WHERE request_id = '' AND ctid = {refunds}",
    "DELETE FROM payment_events WHERE {all_payment_events}",
    "DELETE FROM ledger_postings WHERE {all_ledger_postings}",
    "DELETE FROM deliveries WHERE ctid = {deliveries}",
    "DELETE FROM split_parts",
    "DELETE FROM settlement_items WHERE ctid = {settlement_items}",
    "UPDATE payment_events SET payment_id = {number} WHERE ctid = {payment_events}",
    "UPDATE ledger_postings SET cause_id = {number} WHERE ctid = {ledger_postings}",
    "UPDATE ledger_postings SET xact = '0' WHERE ctid = {ledger_postings}",
    "UPDATE attempts SET attempt_id = {number} WHERE ctid = {attempts}",
    "UPDATE refunds SET refund_id = {number} WHERE request_id = '' AND ctid = {refunds}",
    "UPDATE deliveries SET payment_id = {number} WHERE ctid = {deliveries}",
    "UPDATE endpoint_deliveries SET payment_id = {number} WHERE ctid = {endpoint_deliveries}",
    "UPDATE settlement_items SET settlement_id = {number} WHERE ctid = {settlement_items}",
    "UPDATE chain_links SET id = {number} WHERE ctid = {chain_links}",
    "UPDATE chain_links SET block_no = 99 WHERE ctid = {chain_links}",
    "UPDATE ledger_postings SET amount_paise = 8 WHERE ctid = {ledger_postings}",
    "UPDATE attempts SET bank = 'another' WHERE ctid = {attempts}",
    "UPDATE payments SET custom_var = 'another' WHERE ctid = {payments}",
    "UPDATE chain_blocks SET upto_id = upto_id + 1 WHERE ctid = {chain_blocks}",
)
NUMBERS = -(2**63), -1, 0, 7, 10**15, 2**63 - 1
MORE = {Violation.ATTEMPT_UNEXPLAINED, Violation.SEALED_ROW_DIFFERS}
"""What a part may find besides, where a row names one payment and another row of it another."""
OWNED = (
    "deliveries",
    "delivery_attempts",
    "endpoint_deliveries",
    "attempts",
    "refunds",
    "completions",
    "settlement_items",
    "settlement_shares",
)


def change(statement: str, rng: Random, books: NumberedBooks) -> str:
    """Return a statement about some row, with a number of some day or of none."""
    at = FIRST_MIDNIGHT + rng.random() * books.days * DAY
    number = rng.choice((*NUMBERS, *(first_id(at) + rng.randrange(10**6),) * 4))
    rows = {table: _one(table, rng.random()) for table in TABLES}
    every = {
        f"all_{table}": _all_of(table, name, rng.random())
        for table, name in (("payment_events", "payment_id"), ("ledger_postings", "cause_id"))
    }
    return statement.format(number=number, **rows, **every)


def kinds(subjects: Found) -> set[str]:
    return {name for name, _ in subjects}


@pytest.mark.parametrize("seed", [1, 7])
async def test_parts_of_any_days_find_what_the_whole_audit_finds(db: Database, seed: int) -> None:
    books, rng = NumberedBooks(seed, payments=14), Random(seed)  # noqa: S311 (no secret)
    await books.write(db)
    async with db.transaction() as conn:
        await _let_all_be_written(conn)
        for statement in rng.sample(CHANGES, 6):
            bent, borders = change(statement, rng, books), sorted(rng.sample(days_of(books), 2))
            tried = conn.transaction()
            await tried.start()
            try:
                await conn.execute(bent)
            except asyncpg.UniqueViolationError:
                await tried.rollback()
                continue
            whole, parts = await found(conn, books), await in_parts(conn, books, borders)
            await tried.rollback()
            assert whole - parts == set(), (bent, borders)
            assert bool(parts) == bool(whole), (bent, borders)
            assert kinds(parts) - kinds(whole) <= MORE, (bent, borders)


async def test_rows_of_a_merchant_that_has_nothing_else_are_found(db: Database) -> None:
    books = NumberedBooks(1, payments=14)
    await books.write(db)
    async with db.transaction() as conn:
        await _let_all_be_written(conn)
        for merchant_id, table in enumerate(OWNED, 20_001):
            await conn.execute(
                f"UPDATE {table} SET merchant_id = $1 WHERE ctid = {_one(table, 0.5)}", merchant_id
            )
        whole = await found(conn, books)
        assert {subject[:5] for _, subject in whole} >= {
            str(20_001 + place) for place in range(len(OWNED))
        }
        assert whole - await in_parts(conn, books, days_of(books)[1:4:2]) == set()


async def _let_all_be_written(conn: Connection) -> None:
    """Let a test write what a superuser could, and read as an audit does."""
    await take_checks_off(conn)
    await conn.execute("ALTER DOMAIN gateway_id DROP CONSTRAINT gateway_id_check")
    await conn.execute(_AS_AUDITS)
