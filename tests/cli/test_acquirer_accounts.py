"""`hundi acquirer add`, `rotate`, `disable`, `enable`, `history`.

Accounts that the database keeps.
"""

import asyncio
import fcntl
import json
import os
import pty
import select
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hundi.cli import application
from hundi.infra.postgres.database import Database
from tests.acquirers.razorpay.standin import KEY_ID, KEY_SECRET, WEBHOOK_SECRET, Standin

Hundi = Callable[..., Awaitable[Result]]


@pytest.fixture
async def bank() -> AsyncIterator[Standin]:
    async with Standin.running() as standin:
        yield standin


@pytest.fixture
def hundi(monkeypatch: pytest.MonkeyPatch, fresh_url: str, tmp_path: Path, db: Database) -> Hundi:
    """Runs `hundi acquirer` on a database of this test; fields come as JSON on standard input."""
    monkeypatch.setenv("HUNDI_DATABASE_URL", fresh_url)
    monkeypatch.setenv("HUNDI_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("HUNDI_BASE_URL", "https://pay.example.in")

    async def run(*arguments: str, fields: object = None, text: str = "") -> Result:
        given = text if fields is None else json.dumps(fields)
        every = ("acquirer", *arguments)
        ended = await asyncio.to_thread(
            CliRunner().invoke, application("acquirer"), every, input=given
        )
        assert ended.exception is None or isinstance(ended.exception, SystemExit), ended.exception
        for secret in (KEY_SECRET, WEBHOOK_SECRET):
            assert secret not in ended.output
        return ended

    return run


@pytest.fixture
def fields(bank: Standin) -> dict[str, Any]:
    """What is typed of an account."""
    return {
        "key_id": KEY_ID,
        "key_secret": KEY_SECRET,
        "webhook_secret": WEBHOOK_SECRET,
        "mode": "test",
        "url": bank.url,
    }


async def told(hundi: Hundi, *arguments: str, fields: object = None) -> Any:
    """Return what a command prints."""
    ended = await hundi(*arguments, "--json", fields=fields)
    assert ended.exit_code == 0, ended.output
    return json.loads(ended.stdout)


async def refused(hundi: Hundi, *arguments: str, fields: object = None, text: str = "") -> str:
    """Return why a command cannot be carried out."""
    ended = await hundi(*arguments, fields=fields, text=text)
    assert (ended.exit_code, ended.stdout) == (2, ""), ended.output
    return ended.stderr


async def test_an_account_is_added_listed_shown_and_checked(
    hundi: Hundi, fields: dict[str, Any]
) -> None:
    row = {
        "acquirer": "rzp",
        "kind": "razorpay",
        "money": "simulated",
        "merchant": "every one",
        "state": "active",
    }
    assert await told(hundi, "add", "rzp", "razorpay", fields=fields) == row | {
        "kept_in": "database"
    }
    (listed,) = await told(hundi, "list")
    assert listed.items() >= row.items()
    shown = await told(hundi, "show", "rzp")
    assert "key_secret=********" in shown["fields"]
    assert f"key_id={KEY_ID}" in shown["fields"]
    assert (shown["revision"], shown["webhooks_to"]) == (1, "https://pay.example.in/callbacks/rzp")
    checked = {each["check"]: each["outcome"] for each in await told(hundi, "check", "rzp")}
    assert [checked[name] for name in ("inquiry", "banks", "unsigned-webhook")] == ["passed"] * 3


async def test_a_rotated_secret_is_the_one_that_is_used(
    hundi: Hundi, fields: dict[str, Any]
) -> None:
    await told(hundi, "add", "rzp", "razorpay", fields=fields | {"key_secret": "of somebody else"})
    assert (await hundi("check", "rzp")).exit_code == 1
    changed = await told(hundi, "rotate", "rzp", fields={"key_secret": KEY_SECRET})
    assert (changed["revision"], changed["fields"]) == (2, "key_secret")
    assert (await hundi("check", "rzp")).exit_code == 0


async def test_an_account_is_disabled_and_enabled_and_its_history_says_who(
    hundi: Hundi, fields: dict[str, Any]
) -> None:
    await told(hundi, "add", "rzp", "razorpay", fields=fields)
    assert (await told(hundi, "disable", "rzp"))["state"] == "disabled"
    (listed,) = await told(hundi, "list")
    assert (listed["state"], listed["first_for"]) == ("disabled", "nothing")
    assert (await told(hundi, "enable", "rzp"))["state"] == "active"
    entries = await told(hundi, "history", "rzp")
    assert [each["act"] for each in entries] == [
        "acquirer.enable",
        "acquirer.disable",
        "acquirer.add",
    ]
    assert all(each["by"].endswith("(command line)") for each in entries)


async def test_an_account_of_one_merchant(
    hundi: Hundi, fields: dict[str, Any], db: Database
) -> None:
    assert "there is no merchant 7" in await refused(
        hundi, "add", "rzp", "razorpay", "--merchant", "7", "--paid-to", "operator", fields=fields
    )
    assert "whom does the acquirer pay" in await refused(
        hundi, "add", "rzp", "razorpay", "--merchant", "7", fields=fields
    )
    assert "would be paid twice" in await refused(
        hundi, "add", "rzp", "razorpay", "--merchant", "7", "--paid-to", "merchant", fields=fields
    )
    assert not await db.fetchval("SELECT count(*) FROM acquirer_accounts")


@pytest.mark.parametrize("text", ["", "{}", "not JSON, but a s3cret", "[1]"])
async def test_fields_that_are_no_json_are_not_repeated(hundi: Hundi, text: str) -> None:
    words = await refused(hundi, "add", "rzp", "razorpay", text=text)
    assert "the fields come on standard input, as JSON" in words
    assert "s3cret" not in words


async def test_what_is_wrong_is_named_with_what_is_allowed(
    hundi: Hundi, fields: dict[str, Any]
) -> None:
    assert "kind nobody is not installed; installed are: " in await refused(
        hundi, "add", "x", "nobody"
    )
    words = await refused(hundi, "add", "rzp", "razorpay", fields=fields | {"secret": "s3cret"})
    assert "secret: not a field of this kind, which has kind, methods, key_id, key_secret" in words
    assert "s3cret" not in words
    assert "no account has this name: there is none" in await refused(hundi, "disable", "rzp")
    await told(hundi, "add", "rzp", "razorpay", fields=fields)
    assert "there is an account of this name" in await refused(
        hundi, "add", "rzp", "razorpay", fields=fields
    )
    assert "it has these fields already" in await refused(
        hundi, "rotate", "rzp", fields={"key_id": KEY_ID}
    )


async def test_a_row_that_was_changed_is_listed_and_cannot_be_checked(
    hundi: Hundi, fields: dict[str, Any], db: Database
) -> None:
    await told(hundi, "add", "rzp", "razorpay", fields=fields)
    await db.execute(
        'UPDATE acquirer_accounts SET fields = fields || \'{"url": "https://thief.example"}\''
    )
    (listed,) = await told(hundi, "list")
    assert "cannot be opened" in listed["can"]
    assert "cannot be opened" in await refused(hundi, "check", "rzp")
    assert (await told(hundi, "disable", "rzp"))["state"] == "disabled"


class Terminal:
    """A command at a terminal of its own.

    Prompts are waited for, and what is typed unseen is not in what was shown.
    """

    def __init__(self, *arguments: str) -> None:
        """Start `hundi …`."""
        self._ours, theirs = pty.openpty()
        self.shown = ""
        self._process = subprocess.Popen(
            [str(Path(sys.executable).with_name("hundi")), *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 (one system call)
        )
        os.close(theirs)

    def answer(self, prompt: str, typed: str) -> None:
        """Wait for a prompt and type a line."""
        self._read_until(lambda: self.shown.endswith(f"{prompt}: "))
        os.write(self._ours, f"{typed}\n".encode())
        self.shown += "\n"

    def ends(self) -> int:
        """Return the exit status."""
        self._read_until(lambda: False)
        os.close(self._ours)
        return self._process.wait(60)

    def _read_until(self, is_there: Callable[[], bool]) -> None:
        while not is_there():
            readable, _, _ = select.select([self._ours], [], [], 40)
            assert readable, self.shown
            try:
                found = os.read(self._ours, 4096)
            except OSError:  # the other side is closed
                return
            self.shown += found.decode()


@pytest.mark.usefixtures("hundi")
async def test_at_a_terminal_fields_are_asked_for_and_secrets_are_not_shown(db: Database) -> None:
    def typed() -> Terminal:
        adding = Terminal("acquirer", "add", "north", "sandbox", "--json")
        adding.answer("url", "http://127.0.0.1:9")
        adding.answer("key", "a-key-of-sixteen-letters")
        adding.answer("face", "")
        assert adding.ends() == 0, adding.shown
        rotating = Terminal("acquirer", "rotate", "north", "key", "methods", "--json")
        rotating.answer("key", "another-key-of-letters")
        rotating.answer("methods", "card,netbanking")
        assert rotating.ends() == 0, rotating.shown
        adding.shown += rotating.shown
        return adding

    shown = (await asyncio.to_thread(typed)).shown
    assert "http://127.0.0.1:9" in shown
    assert "a-key-of-sixteen-letters" not in shown
    assert "another-key-of-letters" not in shown
    row = await db.fetchrow("SELECT fields, revision FROM acquirer_accounts")
    assert row is not None
    assert (row["fields"], row["revision"]) == (
        {"url": "http://127.0.0.1:9", "methods": "card,netbanking"},
        2,
    )
