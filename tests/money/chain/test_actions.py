"""Sealing on PostgreSQL.

What is sealed once and in order, whoever else works, and what a restore brings.
"""

import asyncio
from datetime import UTC, date, datetime, timedelta

import asyncpg
import pytest

from hundi.infra.postgres.database import Database
from hundi.money.chain import actions, rules
from hundi.money.chain.roots import store as roots_store
from hundi.money.chain.rules import Book
from tests.money.audit import books
from tests.money.audit.books import AT, MERCHANT, VAULT
from tests.moves import move

EVENT = """
    INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor)
    VALUES ($1, $2, 1, $3, 'created', 'open', 'merchant')
"""
OF_XACT = EVENT.replace("actor)", "actor, xact)").replace(
    "'merchant')", "'merchant', $4::text::xid8)"
)
LINKS = (
    "SELECT book, id, part, block_no FROM chain_links WHERE merchant_id = $1 ORDER BY book, id,"
    " part"
)


async def blocks(db: Database, book: Book = Book.EVENTS) -> list[int]:
    """Return how many links each block of the merchant's book has."""
    rows = await db.fetch(
        "SELECT links FROM chain_blocks WHERE book = $1 ORDER BY merchant_id, block_no", book
    )
    return [row["links"] for row in rows]


async def test_what_is_sealed_is_sealed_once(db: Database) -> None:
    await books.write(db)
    before = await db.fetch(LINKS, MERCHANT)
    assert await actions.seal(db, VAULT, AT) == 0
    assert await db.fetch(LINKS, MERCHANT) == before
    parts = {(row["book"], row["id"]): set[str]() for row in before}
    for row in before:
        parts[row["book"], row["id"]].add(row["part"])
    assert parts["events", 2] == {
        "payment", "attempt 21", "received 21", "event 1", "event 2", "event 3", "event 4",
        "delivery 3"
    }  # fmt: skip
    assert parts["postings", 71] == {"refund_begun", "refund"}


async def test_a_block_takes_so_many_rows_and_the_next_one_the_rest(db: Database) -> None:
    for payment_id in range(1, 8):
        await db.execute(EVENT, MERCHANT, payment_id, AT)
    await db.execute(EVENT, MERCHANT + 1, 1, AT)
    assert await actions.seal(db, VAULT, AT, rows_max=3) == 4
    assert await blocks(db) == [3, 3, 1, 1]


async def test_an_event_that_is_written_meanwhile_is_sealed_when_its_transaction_has_ended(
    db: Database,
) -> None:
    await db.execute(EVENT, MERCHANT, 1, AT)
    async with db.transaction() as slow:
        await slow.execute(EVENT, MERCHANT, 2, AT)
        await db.execute(EVENT, MERCHANT, 3, AT)
        await actions.seal(db, VAULT, AT)
        assert await blocks(db) == [1]
    await actions.seal(db, VAULT, AT)
    assert await blocks(db) == [1, 2]


async def test_two_workers_at_once_seal_each_row_once(db: Database) -> None:
    for payment_id in range(1, 30):
        await db.execute(EVENT, MERCHANT, payment_id, AT)
    await asyncio.gather(*(actions.seal(db, VAULT, AT) for _ in range(4)))
    assert sum(await blocks(db)) == 29


async def test_events_from_before_the_chain_are_sealed_first(db: Database) -> None:
    await db.execute(EVENT, MERCHANT, 5, AT)
    await db.execute(OF_XACT, MERCHANT, 9, AT, "0")
    await actions.seal(db, VAULT, AT)
    assert await blocks(db) == [2]


async def test_a_transaction_number_of_one_digit_more_is_the_later_one(db: Database) -> None:
    """As texts, 99 is greater than 100.

    A block that went by those would take the same rows for ever.
    """
    await db.execute(OF_XACT, MERCHANT, 9, AT, "99")
    await db.execute(OF_XACT, MERCHANT, 5, AT, "100")
    await actions.seal(db, VAULT, AT)
    assert await blocks(db) == [2]


async def test_after_a_restore_into_another_cluster_the_rest_is_sealed_and_nothing_twice(
    db: Database,
) -> None:
    await books.write(db)
    await db.execute("ALTER TABLE chain_blocks DISABLE TRIGGER USER")
    # As if a dump had been restored: marks of transactions that this cluster has not begun.
    await db.execute("UPDATE chain_blocks SET cluster = 'another', upto_xact = '9000000'")
    sealed = sum(await blocks(db))
    await db.execute(EVENT, MERCHANT, 77, AT)
    await db.execute(OF_XACT, MERCHANT, 78, AT, "8999999")
    assert await actions.seal(db, VAULT, AT) == 3
    assert await blocks(db) == [sealed, 2]
    assert await actions.seal(db, VAULT, AT) == 0
    await db.execute(EVENT, MERCHANT, 79, AT)
    await actions.seal(db, VAULT, AT)
    assert await blocks(db) == [sealed, 2, 1]


async def test_what_was_written_on_another_node_is_sealed_when_the_merchant_is_back(
    db: Database,
) -> None:
    await books.write(db)
    await actions.seal(db, VAULT, AT)
    await db.execute("ALTER TABLE chain_blocks DISABLE TRIGGER USER")
    await db.execute("UPDATE chain_blocks SET cluster = this_home(tableoid)")
    await db.execute(OF_XACT, MERCHANT, 78, AT, "4")
    assert await actions.seal(db, VAULT, AT) == 0, "below the mark"
    before = await blocks(db)
    await move(db, "chain_blocks")
    assert await actions.seal(db, VAULT, AT) > 0
    assert await blocks(db) == [*before, 1]
    assert await actions.seal(db, VAULT, AT) == 0


async def test_a_day_has_one_root_when_it_has_ended(db: Database) -> None:
    await books.write(db)
    ends = datetime(2026, 11, 20, 18, 30, tzinfo=UTC)
    await actions.seal(db, VAULT, ends + timedelta(minutes=10))
    assert await roots_store.newest_root(db) is None
    for _ in range(2):
        await actions.seal(db, VAULT, ends + timedelta(minutes=20))
    (root,) = await roots_store.roots(db)
    assert (root.day, root.heads) == (date(2026, 11, 20), 3)
    # What is sealed from now on belongs to the next day, also by a worker whose clock is late.
    await db.execute(EVENT, MERCHANT, 77, AT)
    await actions.seal(db, VAULT, AT)
    assert await db.fetchval("SELECT day FROM chain_blocks ORDER BY block_no DESC LIMIT 1") == date(
        2026, 11, 21
    )


async def test_a_day_without_news_has_a_root_and_days_without_a_worker_have_none(
    db: Database,
) -> None:
    await books.write(db)
    for days in (1, 2, 9):
        await actions.seal(db, VAULT, AT + timedelta(days=days))
    assert [each.day.day for each in await roots_store.roots(db)] == [20, 21, 28]


async def test_nothing_of_the_chain_can_be_changed_by_a_statement(db: Database) -> None:
    await books.write(db)
    await actions.seal(db, VAULT, AT + timedelta(days=1))
    for table in ("chain_links", "chain_blocks", "chain_roots"):
        for change in (f"DELETE FROM {table}", f"TRUNCATE {table}"):
            with pytest.raises(asyncpg.RestrictViolationError):
                await db.execute(change)


def test_the_day_to_root_is_the_last_one_that_ended_and_has_none() -> None:
    at = datetime(2026, 11, 20, 18, 44, tzinfo=UTC)  # 00:14 on the 21st in India
    assert rules.day_to_root(at, None) == date(2026, 11, 19)
    assert rules.day_to_root(at + timedelta(minutes=1), None) == date(2026, 11, 20)
    assert rules.day_to_root(at + timedelta(minutes=1), date(2026, 11, 20)) is None
    assert rules.day_of_blocks(at, date(2026, 11, 23)) == date(2026, 11, 24)
