"""Tallies are what the rows say, at each moment, whoever wrote them and whatever the clock says."""

from collections import Counter
from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from itertools import count

import pytest

from hundi.infra.postgres.database import Connection, Database
from hundi.kernel.ids import first_id
from hundi.payments.orders.changes import actions as following
from hundi.payments.orders.changes import store as changes
from hundi.payments.orders.changes.rules import ChangeFollower
from hundi.payments.tallies import actions, store
from hundi.payments.tallies.rules import FINAL_AFTER, KEPT, TallyKind, TallyQuery, day_of
from tests.moves import move

NOW = datetime(2026, 11, 29, 9, 30, tzinfo=UTC)
SHOP, OTHER = 10_001, 10_002
WISH = TallyQuery(NOW - KEPT, NOW + KEPT, frozenset(TallyKind))
MERCHANT = """
INSERT INTO merchants (merchant_id, mode, name, sealed_keys, settings, created_at, changed_at)
VALUES ($1, 'live', 'Asha', '', '{}', now(), now())
"""
PAYMENT = """
INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise, currency, kind,
    state, captured_paise, buyer, created_at, expires_at)
VALUES ($1, $2::bigint, 'order-' || $2::bigint, sha256(''), 100, 'INR', 'sale',
    $3::text::payment_state,
    CASE $3::text WHEN 'paid' THEN 100 ELSE 0 END, '{}', $4, $4)
"""
ATTEMPT = """
INSERT INTO attempts (merchant_id, attempt_id, payment_id, method, state, amount_paise,
    received_paise, currency, connector, bank, bank_name, bank_code, bank_message, created_at,
    expires_at)
VALUES ($1, $2::bigint, $2::bigint, 'netbanking', $3::text::attempt_state,
    100, CASE $3::text WHEN 'paid' THEN 100 ELSE 0 END, 'INR',
    'sandbox', 'SBIN', 'State Bank of India', CASE $3::text WHEN 'paid' THEN '00' ELSE '51' END,
    'in words', $4, $4)
"""
EVENT = """
INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor)
VALUES ($1, $2, $3, now(), 'note', 'open', 'bank')
"""
_numbers = count(1)


@pytest.fixture
async def db(db: Database) -> Database:
    for merchant_id in (SHOP, OTHER):
        await db.execute(MERCHANT, merchant_id)
    return db


async def event(db: Database, merchant_id: int, payment_id: int) -> None:
    await db.execute(EVENT, merchant_id, payment_id, next(_numbers))


async def tried(db: Database, at: datetime, state: str, merchant_id: int = SHOP) -> int:
    """Write a payment with one attempt, and their event; return its id."""
    number = first_id(at) + next(_numbers)
    await db.execute(PAYMENT, merchant_id, number, state, at)
    await db.execute(ATTEMPT, merchant_id, number, state, at)
    await event(db, merchant_id, number)
    return number


async def becomes_paid(db: Database, number: int) -> None:
    await db.execute(
        "UPDATE attempts SET state = 'paid', received_paise = 100 WHERE merchant_id = $1"
        " AND attempt_id = $2",
        SHOP,
        number,
    )
    await event(db, SHOP, number)


async def seen(db: Database, *merchants: int, now: datetime = NOW) -> dict[str, int]:
    """Return the number of attempts by state, as a look sees them."""
    page = await actions.read(db, merchants or (SHOP,), WISH, now)
    assert page.is_complete
    states = Counter[str]()
    for tally in page.tallies:
        if tally.what == "attempt":
            states[tally.state] += tally.number
    return dict(states)


async def counted(db: Database) -> dict[str, int]:
    """Return the number of attempts by state, as the worker counted them."""
    rows = await store.tallies(db, [SHOP], WISH)
    states = Counter[str]()
    for tally in rows:
        if tally.what == "attempt":
            states[tally.state] += tally.number
    return dict(states)


async def test_a_look_is_true_before_and_after_the_worker_counted(db: Database) -> None:
    number = await tried(db, NOW, "failed")
    await tried(db, NOW - timedelta(days=3), "paid")
    assert await counted(db) == {}
    assert await seen(db) == {"failed": 1, "paid": 1}
    assert await actions.follow(db, NOW) == 2
    assert await counted(db) == await seen(db) == {"failed": 1, "paid": 1}
    await becomes_paid(db, number)
    assert await counted(db) == {"failed": 1, "paid": 1}
    assert await seen(db) == {"paid": 2}
    assert await actions.follow(db, NOW) == 1
    assert await counted(db) == {"paid": 2}
    assert await actions.follow(db, NOW) == 0


async def test_a_past_that_is_written_later_is_counted_at_once(db: Database) -> None:
    """A demo's history comes after the payments of its present, with ids before theirs."""
    await tried(db, NOW, "paid")
    await actions.follow(db, NOW)
    for days in range(1, 36):
        await tried(db, NOW - timedelta(days=days), "failed")
    assert await seen(db) == {"paid": 1, "failed": 35}
    await actions.follow(db, NOW)
    assert await counted(db) == {"paid": 1, "failed": 35}


async def test_the_tally_of_an_hour_says_all_that_charts_need(db: Database) -> None:
    await tried(db, NOW, "failed")
    page = await actions.read(db, [SHOP], WISH, NOW)
    (attempt,) = (each for each in page.tallies if each.what == "attempt")
    assert attempt.hour == NOW, "09:30 UTC is 15:00 in India"
    assert (attempt.method, attempt.bank, attempt.connector) == ("netbanking", "SBIN", "sandbox")
    assert (attempt.bank_name, attempt.code, attempt.words) == (
        "State Bank of India",
        "51",
        "in words",
    )
    (payment,) = (each for each in page.tallies if each.what == "payment")
    assert (payment.state, payment.number, payment.paise) == ("failed", 1, 0)


async def test_each_merchant_is_counted_alone(db: Database) -> None:
    await tried(db, NOW, "paid")
    await tried(db, NOW, "failed", OTHER)
    await actions.follow(db, NOW)
    await tried(db, NOW, "failed", OTHER)
    assert await seen(db) == {"paid": 1}
    assert await seen(db, OTHER) == {"failed": 2}
    assert await seen(db, SHOP, OTHER) == {"paid": 1, "failed": 2}


async def test_chunks_leave_nothing_out(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    for minutes in range(0, 300, 20):
        await tried(db, NOW - timedelta(minutes=minutes), "failed")
    monkeypatch.setattr(following, "CHUNK", 2)
    await actions.follow(db, NOW)
    assert await counted(db) == {"failed": 15}


async def test_marks_of_another_cluster_say_nothing(db: Database) -> None:
    await tried(db, NOW, "failed")
    await actions.follow(db, NOW)
    await move(db, "tally_marks")
    assert await seen(db) == {"failed": 1}
    assert await actions.follow(db, NOW) == 1
    assert await counted(db) == {"failed": 1}


async def test_an_hour_keeps_its_tallies_when_its_payments_are_in_the_archive(
    db: Database,
) -> None:
    old = NOW - FINAL_AFTER
    number, gone = await tried(db, old, "failed"), await tried(db, old, "failed")
    await actions.follow(db, NOW)
    await db.execute("DELETE FROM attempts WHERE attempt_id = $1", gone)
    await event(db, SHOP, number)
    assert await seen(db) == {"failed": 2}
    await actions.follow(db, NOW)
    assert await counted(db) == {"failed": 2}


async def test_tallies_too_old_for_any_chart_are_deleted(db: Database) -> None:
    await tried(db, NOW - KEPT + timedelta(hours=2), "failed")
    await actions.follow(db, NOW)
    assert await counted(db) == {"failed": 1}
    await tried(db, NOW, "paid")
    await actions.follow(db, NOW + timedelta(hours=3))
    assert await counted(db) == {"paid": 1}


async def test_a_look_that_cannot_count_all_says_so(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        await tried(db, NOW, "paid")
    monkeypatch.setattr(actions, "UNCOUNTED_MAX", 2)
    page = await actions.read(db, [SHOP], WISH, NOW)
    assert not page.is_complete


async def test_tallies_are_summed_by_the_indian_day_for_all_merchants_together(
    db: Database,
) -> None:
    evening = datetime(2026, 11, 28, 18, 29, tzinfo=UTC)
    for at in (evening, evening + timedelta(minutes=1), NOW):
        for merchant_id in (SHOP, OTHER):
            await tried(db, at, "paid", merchant_id)
    await actions.follow(db, NOW)
    wish = TallyQuery(NOW - KEPT, NOW + KEPT, frozenset({TallyKind.ATTEMPT}), "day")
    page = await actions.read(db, [SHOP, OTHER], wish, NOW)
    midnight = datetime(2026, 11, 28, 18, 30, tzinfo=UTC)
    assert {each.hour: each.number for each in page.tallies} == {
        midnight - timedelta(days=1): 2,
        midnight: 4,
    }


async def by_step(db: Database, since: datetime, until: datetime, step: str) -> Counter[object]:
    """Return the numbers of a span by Indian day, kind and state, read by the hour or the day."""
    wanted = TallyQuery(since, until, frozenset(TallyKind), "day" if step == "day" else "hour")
    page = await actions.read(db, [SHOP, OTHER], wanted, NOW)
    found = Counter[object]()
    for tally in page.tallies:
        found[(day_of(tally.hour), tally.what, tally.state, tally.code)] += tally.number
        found[(day_of(tally.hour), tally.what, "paise")] += tally.paise
    return found


async def test_days_are_the_sums_of_their_hours_whatever_the_span(db: Database) -> None:
    numbers = [
        await tried(db, NOW - timedelta(hours=hours), ("failed", "paid")[hours % 2], merchant_id)
        for hours in range(0, 150, 7)
        for merchant_id in (SHOP, OTHER)
    ]
    spans = [
        (NOW - timedelta(days=days, hours=hours), NOW + timedelta(hours=more))
        for days, hours, more in (
            (0, 3, 1),
            (1, 0, 0),
            (3, 5, 9),
            (4, 0, 1),
            (5, 14, 10),
            (9, 0, 9),
        )
    ]

    async def assert_alike() -> None:
        for since, until in spans:
            hourly = await by_step(db, since, until, "hour")
            assert await by_step(db, since, until, "day") == hourly, (since, until)
            assert hourly

    await assert_alike()
    await actions.follow(db, NOW)
    assert await db.fetchval("SELECT count(DISTINCT day) FROM day_tallies") == 7
    await assert_alike()
    await becomes_paid(db, numbers[8])
    await assert_alike()
    await actions.follow(db, NOW)
    await assert_alike()


BEFORE = "SELECT * FROM day_tallies ORDER BY 1, 2, 3, 4, 5, 6, 7, 8"
OLD_MARK = """
UPDATE tally_marks SET upto_xact = $2::text::xid8, upto_id = $3, cluster = $4 WHERE merchant_id = $1
"""
"""As a worker of the version before moves a mark."""


async def without_days(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Count as a worker of the version before does: it knows no days."""

    async def nothing(*_: object) -> None: ...

    with monkeypatch.context() as version_before:
        version_before.setattr(store, "sum_days", nothing)
        version_before.setitem(changes.MOVE_MARK, ChangeFollower.TALLIES, OLD_MARK)
        await actions.follow(db, NOW)


async def unlike(db: Database) -> int:
    """Return how many days of a merchant differ from their hours."""
    async with db.transaction() as conn:
        return len(await store.differing(conn, SHOP, 1_000))


@pytest.fixture
async def busy(db: Database) -> Database:
    """Payments of 25 days, of two merchants, counted and summed."""
    for hours in range(0, 600, 12):
        for merchant_id in (SHOP, OTHER):
            await tried(db, NOW - timedelta(hours=hours), "failed", merchant_id)
    await actions.follow(db, NOW)
    return db


async def assert_days_are_true(db: Database) -> None:
    since, until = NOW - timedelta(days=40), NOW + timedelta(days=1)
    hourly = await by_step(db, since, until, "hour")
    assert await by_step(db, since, until, "day") == hourly


async def test_days_that_a_worker_of_the_version_before_does_not_sum_are_not_shown(
    busy: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await store.unsummed(busy) == []
    await tried(busy, NOW - timedelta(days=3), "paid")
    await without_days(busy, monkeypatch)
    assert await store.unsummed(busy) == [SHOP]
    assert await unlike(busy) == 1
    await assert_days_are_true(busy)
    await tried(busy, NOW - timedelta(days=5), "paid")
    await actions.follow(busy, NOW)
    assert await store.unsummed(busy) == [SHOP], "what came before is not summed by what came later"
    await assert_days_are_true(busy)
    await actions.sum_days(busy, NOW)
    assert await store.unsummed(busy) == []
    assert await unlike(busy) == 0
    await assert_days_are_true(busy)


async def test_days_are_summed_after_an_upgrade_those_that_differ_alone(
    busy: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await busy.fetch(BEFORE)
    await busy.execute("UPDATE tally_marks SET days_upto = DEFAULT")
    await busy.execute("DELETE FROM day_tallies WHERE merchant_id = $1", SHOP)
    places = "SELECT ctid FROM day_tallies WHERE merchant_id = $1 ORDER BY 1"
    others = await busy.fetch(places, OTHER)
    await assert_days_are_true(busy)
    monkeypatch.setattr(actions, "DAYS", 5)
    await actions.sum_days(busy, NOW)
    assert await busy.fetch(BEFORE) == before
    assert await busy.fetch(places, OTHER) == others, "no row of theirs was written again"
    assert await store.unsummed(busy) == []


async def test_a_merchant_whose_days_cannot_be_summed_keeps_no_other_from_it(
    busy: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await busy.execute("UPDATE tally_marks SET days_upto = DEFAULT")
    await busy.execute("DELETE FROM day_tallies")
    sum_days = store.sum_days

    async def slow(conn: Connection, merchant_id: int, days: Collection[date]) -> None:
        if merchant_id == SHOP:
            raise TimeoutError
        await sum_days(conn, merchant_id, days)

    with monkeypatch.context() as fault:
        fault.setattr(store, "sum_days", slow)
        await actions.sum_days(busy, NOW)
    assert await store.unsummed(busy) == [SHOP]
    await assert_days_are_true(busy)
    await actions.sum_days(busy, NOW)
    assert await store.unsummed(busy) == []


async def test_days_with_a_mark_of_another_cluster_are_read_by_the_hour(busy: Database) -> None:
    await busy.execute("UPDATE day_tallies SET number = number + 1")
    await move(busy, "tally_marks")
    await assert_days_are_true(busy)
    await actions.follow(busy, NOW)
    await assert_days_are_true(busy)
    await actions.sum_days(busy, NOW)
    assert await unlike(busy) == 0
    assert await store.unsummed(busy) == []
