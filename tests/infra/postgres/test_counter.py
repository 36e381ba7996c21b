"""A server that counts from behind the books, as after a restore from SQL, and what mends it."""

import pytest

from hundi.infra.errors import OperatorError
from hundi.infra.postgres import counter
from hundi.infra.postgres.counter import (
    ADVANCE_MAX,
    NOTHING_COMPARED,
    TransactionCounter,
    check_counter,
)
from hundi.infra.postgres.database import Database
from hundi.money.audit import actions as audits
from hundi.money.audit.rules import Note, Violation
from hundi.money.chain import actions as chain
from tests.money.audit import books
from tests.money.audit.books import AT, VAULT
from tests.money.audit.copied import AHEAD, write_copied


@pytest.fixture
async def restored(db: Database) -> Database:
    """Books as a dump brings them that was made before their first block was."""
    await write_copied(db)
    return db


async def _differing(db: Database) -> int:
    report = await audits.audit(db, [], AT)
    return next(
        each.count for each in report.checked if each.violation is Violation.SEALED_ROW_DIFFERS
    )


@pytest.mark.not_on_citus("there each node counts")
async def test_books_of_another_server_are_refused_until_the_counter_is_beyond_them(
    restored: Database,
) -> None:
    with pytest.raises(OperatorError, match="run `hundi database advance`"):
        await check_counter(restored)
    report = await audits.audit(restored, [], AT)
    assert AHEAD - 1_000 < report.notes[Note.COUNTER_BEHIND] <= AHEAD
    done: list[tuple[int, int]] = []
    await counter.advance(restored, lambda *moved: done.append(moved))
    assert done[-1][0] == done[-1][1]
    await check_counter(restored)
    assert await chain.seal(restored, VAULT, AT) > 0
    assert await _differing(restored) == 0
    assert Note.COUNTER_BEHIND not in (await audits.audit(restored, [], AT)).notes


@pytest.mark.not_on_citus("there each node counts")
async def test_without_it_honest_rows_are_named(restored: Database) -> None:
    """What the refusal is for: the first block that is made here leaves the old rows out."""
    await books.event(restored, 6, 3, "expired", "expired")
    await chain.seal(restored, VAULT, AT)
    assert await _differing(restored) > 0


async def test_a_server_of_its_own_books_is_let_go_on(db: Database) -> None:
    await check_counter(db)
    await books.write(db)
    await check_counter(db)


def test_where_nothing_is_compared_nothing_is_behind() -> None:
    assert NOTHING_COMPARED.behind == 0


def test_too_many_transactions_are_no_work_for_a_command() -> None:
    assert "advance" in TransactionCounter(5, ADVANCE_MAX).remedy
    assert "pg_resetwal --epoch=3" in TransactionCounter(5, (2 << 32) + 7).remedy
