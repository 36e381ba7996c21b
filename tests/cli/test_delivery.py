"""`hundi delivery` as an operator uses it."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hundi.cli import application
from hundi.infra.postgres.database import Database
from hundi.kernel.events import Kind
from hundi.notifications import actions, rules, store
from hundi.notifications.rules import DeliveryKey, DeliveryOutcome, DeliveryState, DeliveryVerdict
from hundi.notifications.status import store as status_store
from hundi.notifications.store import EndedTry
from tests.notifications.shop_server import AT, key

GIVEN_UP = DeliveryOutcome("https://shop.example/ipn", 500, 12, "sorry", "answered 500")


async def delivery(*arguments: str) -> tuple[int, str]:
    """Run the command beside the test's event loop, and return exit status and output."""
    ended = await asyncio.to_thread(
        CliRunner().invoke, application("delivery"), ["delivery", *arguments]
    )
    return ended.exit_code, ended.stdout or ended.stderr


async def listed(*options: str) -> list[dict[str, Any]]:
    status, printed = await delivery("list", "1", *options, "--json")
    assert status == 0, printed
    return json.loads(printed)


async def state_of(db: Database, which: DeliveryKey) -> DeliveryState:
    found = await status_store.status_of(db, which)
    assert found is not None
    return found.state


@pytest.fixture(autouse=True)
async def _one_of_each(
    monkeypatch: pytest.MonkeyPatch, fresh_url: str, tmp_path: Path, db: Database
) -> None:
    """Of merchant 1: two deliveries given up, with the endpoint failing, and one that waits."""
    monkeypatch.setenv("HUNDI_DATABASE_URL", fresh_url)
    monkeypatch.setenv("HUNDI_DATA_DIR", str(tmp_path))
    async with db.transaction() as conn:
        for payment_id in (1, 2):
            await actions.announce(conn, DeliveryKey(1, payment_id, 1), Kind.PAID, {}, AT)
    claimed = await store.claim(db, 1, AT, AT + timedelta(seconds=30), 9)
    lost = DeliveryVerdict(
        DeliveryState.EXHAUSTED, probe_at=rules.next_probe(AT, retry_after_s=0, jitter=0)
    )
    await store.record(db, 1, [EndedTry(each, AT, GIVEN_UP, lost) for each in claimed])
    async with db.transaction() as conn:
        await actions.announce(conn, DeliveryKey(1, 3, 1), Kind.FAILED, {}, AT)


async def test_the_list_shows_what_was_said_and_answered_newest_first() -> None:
    newest, *others = await listed()
    assert (newest["webhook_id"], newest["event"], newest["state"]) == (
        "ipn_1_3_1",
        "failed",
        "waiting",
    )
    assert [(each["state"], each["last_status"]) for each in others] == [("exhausted", 500)] * 2
    assert [each["webhook_id"] for each in await listed("--state", "waiting")] == ["ipn_1_3_1"]
    assert [each["webhook_id"] for each in await listed("--payment", "2")] == ["ipn_1_2_1"]
    ended = await asyncio.to_thread(
        CliRunner().invoke, application("delivery"), ["delivery", "list", "1"]
    )
    assert "failing since 20 Nov 2026, 14:05 IST (answered 500)" in ended.stderr


async def test_the_tries_of_one_delivery_are_shown() -> None:
    status, printed = await delivery("show", "ipn_1_1_1", "--json")
    (only,) = json.loads(printed)
    assert (status, only["status"], only["answer"], only["url"]) == (
        0,
        500,
        "sorry",
        "https://shop.example/ipn",
    )


async def test_one_is_replayed_or_all_that_were_given_up(db: Database) -> None:
    assert await delivery("replay", "ipn_1_1_1", "--json") == (0, '{\n "replayed": 1\n}\n')
    assert await state_of(db, key(1, 1)) is DeliveryState.WAITING
    assert await state_of(db, key(1, 2)) is DeliveryState.EXHAUSTED
    assert await delivery("replay", "--merchant", "1", "--json") == (0, '{\n "replayed": 1\n}\n')
    assert await state_of(db, key(1, 2)) is DeliveryState.WAITING


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nonsense",), "is no webhook id"),
        (("ipn_1_99_1",), "there is no delivery ipn_1_99_1"),
        ((), "give either a webhook id or --merchant"),
        (("ipn_1_1_1", "--merchant", "1"), "give either a webhook id or --merchant"),
    ],
)
async def test_what_cannot_be_replayed_is_said(arguments: tuple[str, ...], words: str) -> None:
    status, printed = await delivery("replay", *arguments)
    assert status == 2
    assert words in printed
