"""`hundi keys`: after a new key everything is sealed with it, and opens as before."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hundi.cli import application
from hundi.infra.database import Database
from hundi.infra.settings import load_settings
from hundi.infra.vault import LostKeyError, open_vault


@pytest.fixture(autouse=True)
def _where(monkeypatch: pytest.MonkeyPatch, fresh_url: str, tmp_path: Path, db: Database) -> None:
    assert db
    monkeypatch.setenv("HUNDI_DATABASE_URL", fresh_url)
    monkeypatch.setenv("HUNDI_DATA_DIR", str(tmp_path))


async def run(*arguments: str, status: int = 0) -> Any:
    ended = await asyncio.to_thread(CliRunner().invoke, application(arguments[0]), [*arguments, "--json"])
    assert ended.exit_code == status, ended.output
    return json.loads(ended.stdout) if status == 0 else ended.stderr


async def test_without_the_key_nothing_is_done_and_no_new_key_is_made(tmp_path: Path) -> None:
    await run("merchant", "add", "Chandni Books")
    (tmp_path / "kek").rename(tmp_path / "lost")
    with pytest.raises(LostKeyError, match="restore the key file from its backup"):
        await asyncio.to_thread(
            CliRunner().invoke, application("merchant"), ["merchant", "list"], catch_exceptions=False
        )
    assert not (tmp_path / "kek").exists()


async def test_every_secret_is_sealed_anew_and_opens_as_before(db: Database) -> None:
    added = await run("merchant", "add", "Chandni Books")
    await run("split", "link", added["merchant_id"], "W", "Weaver", "HDFC0000001", "--number", "50100123456789")
    await run("partner", "add", "Chandni Rewards")
    await run("partner", "certificate")
    old = open_vault(load_settings())
    new_key = (await run("keys", "add"))["key_id"]
    assert "restarted" in await run("keys", "reseal", status=2)
    assert await run("keys", "reseal", "--restarted") == {
        "merchants": 1,
        "linked_accounts": 1,
        "identity": 1,
        "offers": 0,
        "leads": 0,
        "partners": 1,
    }
    assert await run("keys", "reseal", "--restarted") == {
        "merchants": 0,
        "linked_accounts": 0,
        "identity": 0,
        "offers": 0,
        "leads": 0,
        "partners": 0,
    }
    fresh = open_vault(load_settings())
    for query in (
        "SELECT sealed_keys FROM merchants",
        "SELECT sealed_number FROM linked_accounts",
        "SELECT sealed_keys FROM partners",
        "SELECT sealed_key FROM signing_keys",
    ):
        sealed = await db.fetchval(query)
        assert fresh.is_sealed_with_newest(sealed)
        assert not old.is_sealed_with_newest(sealed)
        assert new_key.encode() in sealed
    sealed = await db.fetchval("SELECT sealed_number FROM linked_accounts")
    assert fresh.open(sealed, "linked-account-number") == b"50100123456789"
    (listed,) = await run("merchant", "list")
    assert listed["name"] == "Chandni Books"


async def test_a_key_is_added_to_keys_that_are_there(tmp_path: Path) -> None:
    assert "first start" in await run("keys", "add", status=2)
