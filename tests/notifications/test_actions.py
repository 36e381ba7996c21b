"""Announcing in the caller's transaction, and sending once more."""

from datetime import timedelta

import asyncpg
import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.events import Kind
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.notifications import actions, store
from hundi.notifications.rules import DeliveryKey, DeliveryState
from hundi.notifications.status import store as status_store
from tests.notifications.shop_server import AT, key


async def test_an_announcement_exists_only_with_its_cause(db: Database) -> None:
    with pytest.raises(ConnectionAbortedError):  # noqa: PT012 (a transaction that is rolled back)
        async with db.transaction() as conn:
            await actions.announce(conn, DeliveryKey(1, 1, 1), Kind.PAID, {"amount_paise": 100}, AT)
            raise ConnectionAbortedError
    assert await status_store.status_of(db, key(1)) is None
    async with db.transaction() as conn:
        await actions.announce(conn, DeliveryKey(1, 1, 1), Kind.PAID, {"amount_paise": 100}, AT)
    status = await status_store.status_of(db, key(1))
    assert status is not None
    assert (status.state, status.kind, status.due_at, status.tries) == (
        DeliveryState.WAITING,
        Kind.PAID,
        AT,
        0,
    )


async def test_one_event_is_announced_once(db: Database) -> None:
    async with db.transaction() as conn:
        await actions.announce(conn, DeliveryKey(1, 1, 1), Kind.PAID, {}, AT)
    with pytest.raises(asyncpg.UniqueViolationError):
        async with db.transaction() as conn:
            await actions.announce(conn, DeliveryKey(1, 1, 1), Kind.FAILED, {}, AT)


async def test_a_replay_names_what_cannot_be_replayed(db: Database) -> None:
    with pytest.raises(Refused) as unknown:
        await actions.replay(db, key(1), AT)
    assert unknown.value.refusal.code is RefusalCode.NO_RECORDS
    async with db.transaction() as conn:
        await actions.announce(conn, DeliveryKey(1, 1, 1), Kind.PAID, {}, AT)
    await store.claim(db, 1, AT, AT + timedelta(seconds=30), 1)
    with pytest.raises(Refused) as sending:
        await actions.replay(db, key(1), AT)
    assert sending.value.refusal.code is RefusalCode.STATE_FORBIDS


async def test_only_tries_and_counts_do_not_wait_for_the_disk(db: Database) -> None:
    """What moves money does, whoever adds a function (decision 0022)."""
    rows = await db.fetch(
        "SELECT proname::text AS name FROM pg_proc WHERE prosrc LIKE '%synchronous_commit%'"
    )
    assert {row["name"] for row in rows} == {
        "count_risk_decline",
        "count_risk_try",
        "record_tries",
    }


async def test_what_does_not_wait_leaves_the_session_as_it_was(fresh_url: str) -> None:
    connection = await asyncpg.connect(fresh_url)
    try:
        await connection.execute("SET synchronous_commit = on")
        async with connection.transaction():
            assert await store.claim(connection, 1, AT, AT + timedelta(seconds=30), 1) == []
            assert await connection.fetchval("SHOW synchronous_commit") == "on"
        async with connection.transaction():
            await store.record(connection, 1, [])
            assert await connection.fetchval("SHOW synchronous_commit") == "off"
        assert await connection.fetchval("SHOW synchronous_commit") == "on"
    finally:
        await connection.close()
