"""`hundi keys`: after a new key everything is sealed with it, and opens as before."""

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hundi.cli import application
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.key_sources import KeyFile, LostKeyError, VaultError, new_key
from hundi.infra.secrets.vault import UnknownKeyError, Vault, open_vault
from hundi.infra.settings import load_settings
from hundi.kernel.clock import utc_now
from hundi.kernel.records import replace
from hundi.money.audit.actions import audit
from hundi.money.audit.rules import Violation


@pytest.fixture(autouse=True)
def _where(monkeypatch: pytest.MonkeyPatch, fresh_url: str, tmp_path: Path, db: Database) -> None:
    assert db
    monkeypatch.setenv("HUNDI_DATABASE_URL", fresh_url)
    monkeypatch.setenv("HUNDI_DATA_DIR", str(tmp_path))


async def run(*arguments: str, status: int = 0, text: str = "") -> Any:
    given = [*arguments, "--json"]
    ended = await asyncio.to_thread(
        CliRunner().invoke, application(arguments[0]), given, input=text
    )
    assert ended.exit_code == status, ended.output
    return json.loads(ended.stdout) if status == 0 else ended.stderr


async def broken(db: Database, vault: Vault) -> list[Violation]:
    report = await audit(db, [], utc_now(), vault=vault)
    return [each.violation for each in report.checked if each.count]


async def test_without_the_key_nothing_is_done_and_no_new_key_is_made(tmp_path: Path) -> None:
    await run("merchant", "add", "Chandni Books")
    (tmp_path / "kek").rename(tmp_path / "lost")
    with pytest.raises(LostKeyError, match="restore the key file from its backup"):
        await asyncio.to_thread(
            CliRunner().invoke,
            application("merchant"),
            ["merchant", "list"],
            catch_exceptions=False,
        )
    assert not (tmp_path / "kek").exists()


async def test_every_secret_is_sealed_anew_and_opens_as_before(
    db: Database, tmp_path: Path
) -> None:
    added = await run("merchant", "add", "Chandni Books")
    await run(
        "split",
        "link",
        added["merchant_id"],
        "W",
        "Weaver",
        "HDFC0000001",
        "--number",
        "50100123456789",
    )
    given = (
        "--holder",
        "Chandni Books",
        "--ifsc",
        "HDFC0000001",
        "--number",
        "50100123450007",
        "--as",
        "Asha",
    )
    await run("bank-account", "add", added["merchant_id"], *given)
    await run(
        *("merchant", "endpoint", "add", added["merchant_id"]),
        *("https://8.8.8.8/news", "Warehouse"),
    )
    await run("partner", "add", "Chandni Rewards")
    await run("partner", "certificate")
    account = {"url": "http://127.0.0.1:9", "key": "key-of-an-account"}
    await run("acquirer", "add", "north", "sandbox", text=json.dumps(account))
    old = open_vault(load_settings())
    (listed,) = await run("keys", "list")
    assert (listed["use"], listed["sealed"]) == ("seals, opens, derives", 7)
    # A rotation that was interrupted when the next key had been told: it goes on with that one.
    file = KeyFile(tmp_path / "kek")
    file.write({**file.read(), "k2-begun": replace(new_key(), is_next=True)})
    rotated = await run("keys", "rotate")
    newest = rotated.pop("key_id")
    assert newest == "k2-begun"
    assert rotated == {
        "merchants": 1,
        "acquirers": 1,
        "bank_accounts": 1,
        "account_papers": 0,
        "statement_uploads": 0,
        "evidence": 0,
        "linked_accounts": 1,
        "identity": 1,
        "offers": 0,
        "leads": 0,
        "partners": 1,
        "endpoints": 1,
        "people": 0,
    }
    assert await run("keys", "reseal") == {
        "merchants": 0,
        "acquirers": 0,
        "bank_accounts": 0,
        "account_papers": 0,
        "statement_uploads": 0,
        "evidence": 0,
        "linked_accounts": 0,
        "identity": 0,
        "offers": 0,
        "leads": 0,
        "partners": 0,
        "endpoints": 0,
        "people": 0,
    }
    fresh = open_vault(load_settings())
    for query in (
        "SELECT sealed_keys FROM merchants",
        "SELECT sealed_number FROM bank_accounts",
        "SELECT sealed_number FROM linked_accounts",
        "SELECT sealed_keys FROM partners",
        "SELECT sealed_key FROM signing_keys",
        "SELECT sealed_target FROM webhook_endpoints",
    ):
        sealed = await db.fetchval(query)
        assert fresh.is_sealed_with_newest(sealed)
        assert not old.is_sealed_with_newest(sealed)
        assert newest.encode() in sealed
    assert await broken(db, fresh) == [], "each is told of as it is sealed now"
    row = await db.fetchrow(
        "SELECT merchant_id, identifier, name, ifsc, sealed_number FROM linked_accounts"
    )
    assert row
    *bound, sealed = row.values()
    assert fresh.open(sealed, "linked-account-number", *bound) == b"50100123456789"
    (listed,) = await run("merchant", "list")
    assert listed["name"] == "Chandni Books"


async def test_a_key_is_retired_when_nothing_is_sealed_under_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await run("merchant", "add", "Chandni Books")
    before = open_vault(load_settings())
    old_key, (newer, key) = before.newest_id, ("k2", new_key())
    assert "seals: rotate first" in await run("keys", "retire", old_key, status=2)
    assert "there is no key k9" in await run("keys", "retire", "k9", status=2)
    file = KeyFile(tmp_path / "kek")
    file.write({newer: key, **file.read()})
    assert "1 stored values are sealed under" in await run("keys", "retire", old_key, status=2)
    assert (await run("keys", "reseal"))["merchants"] == 1
    assert (await run("keys", "retire", old_key))["use"] == "derives"
    uses = {row["key_id"]: (row["use"], row["sealed"]) for row in await run("keys", "list")}
    assert uses == {newer: ("seals, opens, derives", 1), old_key: ("derives", 0)}
    after = open_vault(load_settings())
    assert after.derive_all("sessions")[1] == before.derive("sessions")
    with pytest.raises(UnknownKeyError):
        after.open(before.seal(b"x", "p"), "p")
    monkeypatch.setenv("HUNDI_KEYS", f"k1:{base64.b64encode(bytes(32)).decode()}")
    assert "HUNDI_KEYS has the keys, where this command cannot write" in await run(
        "keys", "rotate", status=2
    )


async def test_there_is_nothing_to_rotate_before_the_first_start() -> None:
    assert "first start" in await run("keys", "rotate", status=2)


@pytest.mark.parametrize("arguments", [("rotate",), ("retire", "k1")])
async def test_one_command_changes_the_keys_at_a_time(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """A second one would write an older copy over the first one's.

    A retired key back, or a new one lost.
    """
    await run("merchant", "add", "Chandni Books")
    file = KeyFile(tmp_path / "kek")
    before = file.path.read_text()
    with file.locked(), pytest.raises(VaultError, match="another command is changing"):
        await asyncio.to_thread(
            CliRunner().invoke, application("keys"), ["keys", *arguments], catch_exceptions=False
        )
    assert file.path.read_text() == before
    with file.locked():
        pass


async def test_a_secret_that_ended_and_was_put_back_by_sql_is_named(db: Database) -> None:
    """Its seal opens in its row: the gateway cannot tell."""
    merchant_id = (await run("merchant", "add", "Chandni Books"))["merchant_id"]
    await run("merchant", "key", "add", merchant_id, "reports", "read")
    before = await db.fetchrow("SELECT sealed_keys, changed_at FROM merchants")
    assert before
    await run("merchant", "key", "end", merchant_id, "reports")
    await run("merchant", "rotate", merchant_id, "secret")
    vault = open_vault(load_settings())
    assert await broken(db, vault) == []
    await db.execute("UPDATE merchants SET sealed_keys = $1, changed_at = $2", *before)
    assert await broken(db, vault) == [Violation.KEYS_UNTOLD]
    await run("merchant", "set", merchant_id, "--mcc", "5651")
    assert await broken(db, vault) == [Violation.KEYS_UNTOLD], "a later act hides nothing"


async def test_a_rotation_tells_of_no_row_that_the_trail_does_not(db: Database) -> None:
    await run("merchant", "add", "Chandni Books")
    await run("partner", "add", "Chandni Rewards")
    await db.execute("UPDATE merchants SET name = 'A thief'")
    await db.execute("UPDATE partners SET name = 'A thief'")
    await run("keys", "rotate")
    assert await broken(db, open_vault(load_settings())) == [
        *(Violation.MERCHANT_UNTOLD, Violation.KEYS_UNTOLD, Violation.PARTNER_UNTOLD)
    ]
