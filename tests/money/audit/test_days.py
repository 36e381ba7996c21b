"""An audit of some days reads what changed in them, and all days together leave out nothing."""

from datetime import date, datetime, timedelta

import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.records import replace
from hundi.money.audit import actions
from hundi.money.audit.parts.rules import BEGINNING, Days, LastDays, summed
from hundi.money.audit.rules import Violation
from hundi.money.audit.since.scopes.store import SCOPES
from hundi.money.chain import actions as chain
from tests.money.audit import books
from tests.money.audit.books import AT
from tests.money.audit.breakages import BREAKAGES
from tests.money.audit.test_actions import GUARDED, LATER, broken


async def test_books_of_several_days_hold_in_parts(db: Database) -> None:
    await books.write(db)
    for number, day in enumerate((LATER, LATER + timedelta(days=1), LATER + timedelta(days=3))):
        await books.event(db, 5, 7 + number, "left_page", "paid", at=day)
        await db.execute("UPDATE payments SET revision = $1 WHERE payment_id = 5", 7 + number)
        await chain.seal(db, books.VAULT, day)
    parts = await actions.plan_parts(db, links_max=1)
    days = [AT, LATER, LATER + timedelta(days=1), LATER + timedelta(days=3)]
    ends = [each.date() for each in days[1:]]
    assert parts.plan == tuple(map(Days, [BEGINNING, *ends], [*ends, None]))
    now = LATER + timedelta(days=3)
    while (next_days := parts.following) and next_days.before:
        part = await actions.check_part(db, next_days, now)
        assert [each for each in part.checked if each.count] == []
        parts = replace(parts, done=(*parts.done, part))
    report = await actions.audit(db, [], now, days=LastDays(LATER.date() + timedelta(days=3)))
    whole = await actions.audit(db, [], now)
    assert summed(replace(parts, report=report)) == whole


async def test_parts_go_on_with_the_books_and_the_checks_that_they_began_with(
    db: Database,
) -> None:
    before = await actions.plan_parts(db)
    assert await actions.why_not(db, before) == ""
    await books.write(db)
    parts = await actions.plan_parts(db)
    assert "other books" in await actions.why_not(db, before)
    assert await actions.why_not(db, parts) == ""
    assert "other checks" in await actions.why_not(db, replace(parts, checks="others"))
    assert "not those of an audit" in await actions.why_not(db, replace(parts, plan=()))
    await db.execute("ALTER TABLE chain_blocks DISABLE TRIGGER USER")
    await db.execute("UPDATE chain_blocks SET hash = sha256('others')")
    assert "other books" in await actions.why_not(db, parts)


@pytest.mark.parametrize("violation", SCOPES)
async def test_an_audit_since_a_day_leaves_out_what_did_not_change_since(
    db: Database, violation: Violation
) -> None:
    await books.write(db)
    day_after = LATER.date() + timedelta(days=7)
    for table in GUARDED:
        await db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    for change in BREAKAGES[violation].split(";"):
        await db.execute(change)
    report = await actions.audit(db, [], LATER, days=Days(day_after))
    assert violation not in broken(report)
    assert report.figures["payments_changed"] == 0
    assert report.figures["payments"] == 0, "figures are of what changed"


async def both(db: Database, since: date) -> tuple[set[Violation], set[Violation]]:
    """Return what an audit since a day finds, and what a whole one finds."""
    since_report = await actions.audit(db, [], LATER, days=Days(since))
    return broken(since_report), broken(await actions.audit(db, [], LATER))


async def test_older_postings_of_a_newer_posting_come_with_it(db: Database) -> None:
    await books.write(db)
    await books.post(db, 811, "dispute_won", "disputed", "payable", 10_000, LATER)
    await chain.seal(db, books.VAULT, LATER)
    found, found_by_all = await both(db, LATER.date())
    assert Violation.DISPUTE_POSTING_DIFFERS in found_by_all, "the bank decided nothing"
    assert found == found_by_all


@pytest.mark.parametrize("sealed_at", [AT, LATER, LATER + timedelta(days=1)])
async def test_a_settlement_may_be_sealed_on_another_day(db: Database, sealed_at: datetime) -> None:
    await books.write(db, sealed_at=sealed_at)
    for day in (AT, LATER, LATER + timedelta(days=1)):
        assert await both(db, day.date()) == (set(), set())


async def test_books_that_were_in_another_cluster_since_are_read_whole(db: Database) -> None:
    await books.write(db)
    await books.event(db, 5, 7, "left_page", "paid", at=LATER)
    await db.execute("UPDATE payments SET revision = 7 WHERE payment_id = 5")
    await db.execute("ALTER TABLE payment_events DISABLE TRIGGER USER")
    await db.execute("ALTER TABLE chain_blocks DISABLE TRIGGER USER")
    # The other cluster had begun fewer transactions. It sealed the event, and its dump came back.
    await db.execute("UPDATE payment_events SET xact = '1' WHERE payment_id = 5 AND event_no = 7")
    home = await db.fetchval("SELECT min(cluster) FROM chain_blocks")
    await db.execute("UPDATE chain_blocks SET cluster = 'another'")
    await chain.seal(db, books.VAULT, LATER)
    await db.execute(
        "UPDATE chain_blocks SET cluster = CASE block_no WHEN 1 THEN $1 ELSE 'another' END", home
    )
    found, found_by_all = await both(db, LATER.date())
    assert Violation.SEALED_ROW_DIFFERS not in found | found_by_all


@pytest.mark.parametrize("payment_id", [5, 7])
async def test_a_refund_and_an_attempt_of_one_number_come_together(
    db: Database, payment_id: int
) -> None:
    await books.write(db, refund_id=51)
    await books.event(db, payment_id, 7, "left_page", "paid", at=LATER)
    await db.execute("UPDATE payments SET revision = 7 WHERE payment_id = $1", payment_id)
    await chain.seal(db, books.VAULT, LATER)
    assert await both(db, LATER.date()) == (set(), set())
