"""Payments move into the archive and come back as they were, and at every moment the books hold."""

import asyncio
from datetime import date, timedelta
from typing import Any

import asyncpg
import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.records import replace
from hundi.money.audit import actions as auditing
from hundi.money.audit.archive.store import whole
from hundi.money.audit.rules import Report, Violation
from hundi.money.chain import actions as chain
from hundi.money.ledger import actions as ledger
from hundi.money.ledger import store as ledger_store
from hundi.payments.archive import actions, store
from hundi.payments.archive.rules import BATCH_MAX, ArchivePolicy, ArchiveRun
from hundi.payments.orders import store as orders
from hundi.payments.orders.finding import store as finding
from tests.money.audit import books
from tests.money.audit.books import AT, MERCHANT, VAULT

LATER = AT + timedelta(days=200)
POLICY = ArchivePolicy(after=timedelta(days=180), patience=timedelta(0))
SETTLED = {3, 6, 8, 9}
"""Failed, expired, captured and voided.

The others are under way, or have refunds, splits or debits.
"""
TABLES = (
    *("payments", "attempts", "payment_events", "deliveries", "delivery_attempts", "completions"),
    *("ledger_postings", "chain_links", "archived_sums", "archived_links", "ledger_checkpoints"),
)


def unseen(_doing: str, _done: ArchiveRun) -> None:
    """Show nothing."""


@pytest.fixture
async def kept(db: Database) -> Database:
    """Sound books, sealed and rolled up."""
    await books.write(db)
    await ledger.roll_checkpoints(db, LATER)
    return db


async def everything(db: Database) -> dict[str, list[Any]]:
    """Return every row that a move touches; what counts nothing is left out."""
    rows = {
        name: await db.fetch(f"SELECT to_jsonb(t)::text FROM {name} t ORDER BY 1")
        for name in TABLES
    }
    return {
        name: [row[0] for row in found if not counts_nothing(row[0])]
        for name, found in rows.items()
    }


def counts_nothing(row: str) -> bool:
    return '"links": 0' in row or ('"debit_paise": 0,' in row and '"credit_paise": 0}' in row)


async def holds(db: Database) -> Report:
    """Check the books in both ways, and return what was found with the archive opened."""
    for opened in (False, True):
        report = await auditing.audit(db, [], LATER, whole=opened)
        broken = {each.violation: each.samples for each in report.checked if each.count}
        # Its refunds and debits were left alone for 200 days.
        assert set(broken) <= {Violation.SUBSCRIPTION_DIFFERS}, broken
    return report


async def there(db: Database) -> set[int]:
    return {row["payment_id"] for row in await db.fetch("SELECT payment_id FROM payments")}


async def test_what_is_settled_moves_and_the_rest_stays(kept: Database) -> None:
    before = await there(kept)
    figures = (await holds(kept)).figures
    done = await actions.archive(kept, POLICY, LATER, unseen)
    assert (done.marked, done.moved, done.left) == (6, 4, 2)
    assert await there(kept) == before - SETTLED
    again = await holds(kept)
    assert again.figures == figures | {"archived": 4}
    assert (await actions.archive(kept, POLICY, LATER, unseen)).moved == 0


async def test_what_was_moved_is_read_as_it_was(kept: Database) -> None:
    before = {
        payment_id: await orders.select_view(kept, MERCHANT, payment_id) for payment_id in SETTLED
    }
    await actions.archive(kept, POLICY, LATER, unseen)
    for payment_id, view in before.items():
        assert view is not None
        for named in ((None, payment_id, None), (f"order-{payment_id}", None, None)):
            assert await finding.select_by_references(kept, MERCHANT, *named) == view
        for each in view.attempts:
            if each.rrn:
                assert (
                    await finding.select_by_references(kept, MERCHANT, None, None, each.rrn) == view
                )
    assert await finding.select_by_references(kept, MERCHANT, "order-3", 8, None) is None
    assert await finding.select_by_references(kept, MERCHANT + 1, "order-3", None, None) is None
    assert not SETTLED & await there(kept), "reading brings nothing back"


@pytest.mark.parametrize("payment_id", sorted(SETTLED))
async def test_what_comes_back_is_what_it_was(kept: Database, payment_id: int) -> None:
    before = await everything(kept)
    await actions.archive(kept, POLICY, LATER, unseen)
    view = await orders.select_view(kept, MERCHANT, payment_id)
    assert view is not None
    await holds(kept)
    for attempt in view.attempts:
        assert await orders.select_by_attempt(kept, MERCHANT, attempt.attempt_id) == view
    for other in SETTLED - {payment_id}:
        async with kept.transaction() as conn:
            assert await orders.lock_view(conn, MERCHANT, other)
    assert await everything(kept) == before
    await holds(kept)


async def test_an_attempt_finds_its_archived_payment(kept: Database) -> None:
    await actions.archive(kept, POLICY, LATER, unseen)
    view = await orders.select_by_attempt(kept, MERCHANT, 81)
    assert view is not None
    assert view.payment.payment_id == 8


async def test_an_order_id_is_never_used_again(kept: Database) -> None:
    view = await orders.select_view(kept, MERCHANT, 3)
    assert view is not None
    again = replace(view.payment, payment_id=999)
    assert not await orders.insert_payment(kept, again, None)
    await actions.archive(kept, POLICY, LATER, unseen)
    assert not await orders.insert_payment(kept, again, None)
    assert await orders.insert_payment(kept, replace(again, order_id="another"), None)
    assert not SETTLED & await there(kept)


async def test_nothing_moves_before_every_statement_can_have_seen_the_mark(kept: Database) -> None:
    await store.mark(kept, MERCHANT, sorted(SETTLED))
    patient = timedelta(minutes=1)
    for payment_id in SETTLED:
        assert await store.move(kept, MERCHANT, [payment_id], LATER, patient) == []
    assert await store.mark(kept, MERCHANT, sorted(SETTLED)) == 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE deliveries SET state = 'waiting' WHERE payment_id = 3",
        "UPDATE attempts SET inquire_at = now() WHERE attempt_id = 31",
        "UPDATE attempts SET saved_card = 'token' WHERE attempt_id = 31",
        (
            "INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor)"
            " VALUES (10001, 3, 3, now(), 'reopened', 'failed', 'merchant')"
        ),
        "ALTER TABLE chain_links DISABLE TRIGGER USER; DELETE FROM chain_links WHERE id = 3",
    ],
)
async def test_what_is_not_settled_after_all_stays(kept: Database, change: str) -> None:
    for statement in change.split("; "):
        await kept.execute(statement)
    await actions.archive(kept, POLICY, LATER, unseen)
    assert 3 in await there(kept)
    assert not {6, 8, 9} & await there(kept)


async def test_what_is_not_rolled_up_yet_stays(kept: Database) -> None:
    await kept.execute("UPDATE ledger_rolls SET through = '0'")
    await actions.archive(kept, POLICY, LATER, unseen)
    assert {8} == SETTLED & await there(kept)


async def test_a_run_that_stops_anywhere_loses_and_doubles_nothing(kept: Database) -> None:
    class StoppedError(Exception):
        """The machine went down."""

    steps: list[str] = []
    for stop_at in range(1, 5):

        def stop(doing: str, _done: ArchiveRun, at: int = stop_at) -> None:
            steps.append(doing)
            if len(steps) % 5 == at:
                raise StoppedError

        try:
            await actions.archive(kept, POLICY, LATER, stop)
        except StoppedError:
            await holds(kept)
    await actions.archive(kept, POLICY, LATER, unseen)
    assert not SETTLED & await there(kept)
    await holds(kept)


async def test_two_runs_and_those_who_bring_back_mix_without_harm(kept: Database) -> None:
    runs = [actions.archive(kept, POLICY, LATER, unseen) for _ in range(2)]
    looks = [orders.select_view(kept, MERCHANT, each) for each in SETTLED]
    found = await asyncio.gather(*runs, *looks)
    assert all(found)
    await holds(kept)


async def test_a_month_that_many_make_at_once_is_made_once(db: Database) -> None:
    months = [date(2030 + number // 12, number % 12 + 1, 1) for number in range(36)]
    for month in months:
        await asyncio.gather(*(store.add_month(db, month) for _ in range(4)))
    made = (
        "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relispartition AND relname "
        "~ '^archived_payments_203'"
    )
    assert await db.fetchval(made) == len(months)


@pytest.mark.parametrize(
    "table",
    [
        *(
            "payments",
            "attempts",
            "payment_events",
            "deliveries",
            "delivery_attempts",
            "completions",
        ),
        *("ledger_postings", "chain_links"),
    ],
)
async def test_a_column_that_came_later_has_its_default_in_the_archive_and_back(
    kept: Database, table: str
) -> None:
    await actions.archive(kept, POLICY, LATER, unseen)
    await kept.execute(f"ALTER TABLE {table} ADD COLUMN later text NOT NULL DEFAULT 'x'")
    query = whole(f"SELECT count(*) FROM {table} WHERE later IS DISTINCT FROM 'x'")
    assert await kept.fetchval(query) == 0
    report = await auditing.audit(kept, [], LATER, whole=True)
    assert not {each.violation for each in report.checked if each.count} - {
        Violation.SEALED_ROW_DIFFERS
    }
    assert await orders.select_view(kept, MERCHANT, 8) is not None
    assert await kept.fetchval("SELECT count(*) FROM archived_payments WHERE payment_id = 8") == 0
    assert await kept.fetchval(f"SELECT count(*) FROM {table} WHERE later <> 'x'") == 0


async def test_what_was_never_told_and_what_is_owed_stays(kept: Database) -> None:
    await kept.execute(
        "UPDATE deliveries SET state = 'exhausted', due_at = due_at WHERE payment_id = 8"
    )
    await actions.archive(kept, POLICY, LATER, unseen)
    assert await kept.fetchval("SELECT count(*) FROM archived_payments WHERE payment_id = 8") == 0
    await kept.execute("UPDATE deliveries SET state = 'delivered' WHERE payment_id = 8")
    await actions.archive(kept, POLICY, LATER, unseen)
    assert await kept.fetchval("SELECT count(*) FROM archived_payments WHERE payment_id = 8") == 1


async def test_what_was_not_settled_with_its_merchant_stays(kept: Database) -> None:
    await kept.execute("ALTER TABLE settlement_items DISABLE TRIGGER USER")
    await kept.execute("UPDATE settlement_items SET settlement_id = NULL WHERE cause_id = 81")
    await actions.archive(kept, POLICY, LATER, unseen)
    assert await there(kept) & SETTLED == {8}


async def test_what_is_appended_leaves_only_for_the_archive(kept: Database) -> None:
    await store.mark(kept, MERCHANT, [8])
    for table, where in (
        ("payment_events", "payment_id = 8"),
        ("ledger_postings", "cause_id = 81"),
        ("chain_links", "id = 8"),
    ):
        with pytest.raises(asyncpg.RestrictViolationError):
            await kept.execute(f"DELETE FROM {table} WHERE {where}")
    await actions.archive(kept, POLICY, LATER, unseen)
    for change in (
        "DELETE FROM archived_payments",
        "UPDATE archived_payments SET order_id = 'x'",
        "DELETE FROM archived_orders",
    ):
        with pytest.raises(asyncpg.RestrictViolationError):
            await kept.execute(change)
    with pytest.raises(asyncpg.PostgresError):
        await kept.execute("TRUNCATE archived_payments")


@pytest.mark.parametrize(
    ("change", "violations"),
    [
        (
            (
                "UPDATE archived_payments SET contents = jsonb_set(contents, "
                "'{ledger_postings,0,amount_paise}', '1')"
                " WHERE payment_id = 8"
            ),
            {Violation.SEALED_ROW_DIFFERS, Violation.ARCHIVE_DIFFERS, Violation.CAPTURED_DIFFERS},
        ),
        (
            "DELETE FROM archived_payments WHERE payment_id = 3",
            {Violation.CHAIN_BROKEN, Violation.ARCHIVE_DIFFERS},
        ),
        ("UPDATE archived_sums SET debit_paise = debit_paise + 1", {Violation.ARCHIVE_DIFFERS}),
        ("UPDATE archived_links SET links = links + 1", {Violation.ARCHIVE_DIFFERS}),
        ("DELETE FROM archived_orders WHERE payment_id = 3", {Violation.ARCHIVE_DIFFERS}),
    ],
)
async def test_an_archive_that_somebody_bent_is_found(
    kept: Database, change: str, violations: set[Violation]
) -> None:
    await actions.archive(kept, POLICY, LATER, unseen)
    for table in ("archived_payments", "archived_payments_2020_01", "archived_orders"):
        await kept.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    await kept.execute(change)
    report = await auditing.audit(kept, [], LATER, whole=True)
    assert violations <= {each.violation for each in report.checked if each.count}


async def test_balances_and_the_chain_go_on_after_a_restore_elsewhere(kept: Database) -> None:
    await actions.archive(kept, POLICY, LATER, unseen)
    before = await ledger_store.balances(kept, MERCHANT)
    # What a dump brings: a mark from another cluster's future.
    await kept.execute("UPDATE ledger_rolls SET through = '9000000000'")
    assert await ledger_store.balances(kept, MERCHANT) == before
    await ledger.roll_checkpoints(kept, LATER)
    assert await ledger_store.balances(kept, MERCHANT) == before
    await holds(kept)


async def test_a_merchant_whose_payments_are_all_in_the_archive_stays_under_the_roots(
    kept: Database,
) -> None:
    await actions.archive(kept, POLICY, LATER, unseen)
    await kept.execute("ALTER TABLE payment_events DISABLE TRIGGER USER")
    await kept.execute("DELETE FROM payment_events")
    await chain.seal(kept, VAULT, LATER)
    await chain.seal(kept, VAULT, LATER + timedelta(days=2))
    roots = await kept.fetch("SELECT heads FROM chain_roots")
    assert {row["heads"] for row in roots} == {3}


def test_a_batch_is_small() -> None:
    assert BATCH_MAX <= 500
