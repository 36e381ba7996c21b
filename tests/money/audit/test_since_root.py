"""An audit since a day costs what the day costs: what it leaves out, and what it starts from."""

from datetime import date, timedelta
from itertools import pairwise

import pytest

from hundi.infra.postgres.database import Database
from hundi.money.audit import actions
from hundi.money.audit.parts.rules import BEGINNING, Days, LastDays
from hundi.money.audit.rules import Violation
from hundi.money.audit.since.others.store import OTHERS
from hundi.money.audit.since.scopes.store import SCOPES
from hundi.money.audit.since.store import changes
from hundi.money.chain import actions as chain
from tests.money.audit import books
from tests.money.audit.books import AT, MERCHANT, VAULT
from tests.money.audit.test_actions import GUARDED, LATER, broken

NEXT = AT + timedelta(days=1)
AFTER = AT + timedelta(days=2)


@pytest.fixture
async def sealed(db: Database) -> Database:
    """Books of two days with a root each, and of a third one; their triggers are off."""
    await books.write(db)
    for number, at in enumerate((NEXT, AFTER)):
        await books.event(db, 5, 7 + number, "left_page", "paid", at=at)
        await db.execute("UPDATE payments SET revision = $1 WHERE payment_id = 5", 7 + number)
        await chain.seal(db, VAULT, at)
    for table in (*GUARDED, "chain_links", "chain_roots"):
        await db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    return db


async def found(db: Database, since: date | None) -> set[Violation]:
    days = Days(since) if since else None
    return broken(await actions.audit(db, [], AFTER, days=days))


async def test_it_starts_from_the_blocks_that_the_last_root_covers(sealed: Database) -> None:
    days = [row[0] for row in await sealed.fetch("SELECT day FROM chain_roots ORDER BY day")]
    assert days == [AT.date(), NEXT.date()]
    since = AFTER.date()
    assert await found(sealed, since) == set()
    # The newest block before the day: its root is made again.
    await sealed.execute(
        "UPDATE chain_blocks SET hash = sha256('another') WHERE book = 'events' AND block_no = 2"
    )
    assert Violation.ROOT_DIFFERS in await found(sealed, since)


async def test_older_blocks_are_for_a_whole_audit(sealed: Database) -> None:
    await sealed.execute(
        "UPDATE chain_blocks SET links = links + 1 WHERE book = 'events' AND block_no = 1"
    )
    assert await found(sealed, AFTER.date()) == set()
    assert Violation.CHAIN_BROKEN in await found(sealed, None)
    older = await actions.check_part(sealed, Days(BEGINNING, NEXT.date()), AFTER)
    assert Violation.CHAIN_BROKEN in {each.violation for each in older.checked if each.count}


@pytest.mark.parametrize("block_no", [1, 2, 3])
async def test_a_block_that_is_gone_is_missed_by_the_part_that_had_it_or_the_next(
    sealed: Database, block_no: int
) -> None:
    await sealed.execute(
        "DELETE FROM chain_blocks WHERE book = 'events' AND block_no = $1", block_no
    )
    assert Violation.CHAIN_BROKEN in await found(sealed, None)
    ends = [BEGINNING, NEXT.date(), AFTER.date()]
    parts = [await actions.check_part(sealed, Days(*each), AFTER) for each in pairwise(ends)]
    last = await actions.audit(sealed, [], AFTER, days=LastDays(AFTER.date()))
    counts = [
        check.count
        for checked in (*(part.checked for part in parts), last.checked)
        for check in checked
        if check.violation is Violation.CHAIN_BROKEN
    ]
    assert sum(counts) > 0


async def test_older_rows_of_nothing_are_for_a_whole_audit_and_the_last_part(
    sealed: Database,
) -> None:
    """A posting of a payout that is not there, in a block of the first day."""
    await sealed.execute(
        "INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise,"
        " currency, at, xact) SELECT merchant_id, 99, 'payout_sent', 'settlement_due',"
        " 'payouts_in_flight', 1, 'INR', at, xact FROM ledger_postings ORDER BY xact LIMIT 1"
    )
    days, name = Days(AFTER.date()), Violation.PAYOUT_POSTING_DIFFERS
    assert name not in broken(await actions.audit(sealed, [], AFTER, days=days))
    assert name in await found(sealed, AT.date())
    assert name in broken(await actions.audit(sealed, [], AFTER, days=LastDays(days.since)))


async def test_the_last_part_counts_everything(sealed: Database) -> None:
    days = Days(AFTER.date())
    alone = await actions.audit(sealed, [], AFTER, days=days)
    last = await actions.audit(sealed, [], AFTER, days=LastDays(days.since))
    whole = await actions.audit(sealed, [], AFTER)
    assert (alone.figures["payments"], alone.figures["payments_changed"]) == (1, 1)
    assert "owed_back_paise" not in alone.figures, "a balance is of all days"
    assert last.figures == {**whole.figures, "payments_changed": 1}
    assert last.notes == whole.notes


async def test_each_book_has_its_first_block_of_the_days_and_the_first_after_them(
    sealed: Database,
) -> None:
    async with sealed.transaction() as conn:
        marks = (await changes(conn, Days(NEXT.date(), AFTER.date()))).marks
    blocks = {
        (merchant_id, book): (since_no, end_no)
        for merchant_id, book, since_no, end_no in zip(*marks[:3], marks[5], strict=True)
    }
    assert blocks[MERCHANT, "events"] == (2, 3)
    # What has no block in the days has an empty range after its last one.
    assert len(set(blocks[MERCHANT, "settlements"])) == 1


def test_what_parts_read_in_days_needs_no_other_rule() -> None:
    assert not OTHERS.keys() & SCOPES.keys()
    assert LATER == NEXT
