"""`hundi audit` as scripts use it: figures in JSON, and the exit status."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from hundi.cli import application
from hundi.infra.database import Database
from hundi.money.audit import store
from tests.money.audit import books

NOBODY_LISTENS = "http://127.0.0.1:9"


async def run(*options: str) -> Result:
    """Run the command beside the test's own event loop."""
    return await asyncio.to_thread(CliRunner().invoke, application("audit"), ["audit", *options])


async def audit(*options: str) -> tuple[int, str]:
    """Return exit status and output of the command while nobody listens where the simulated bank should."""
    ended = await run("--simbank-url", NOBODY_LISTENS, "--without-acquirer", "sandbox", *options)
    return ended.exit_code, ended.stdout


@pytest.fixture(autouse=True)
def _at_this_database(monkeypatch: pytest.MonkeyPatch, fresh_url: str, tmp_path: Path) -> None:
    monkeypatch.setenv("HUNDI_DATABASE_URL", fresh_url)
    monkeypatch.setenv("HUNDI_DATA_DIR", str(tmp_path))


async def test_sound_books_end_with_0_and_broken_ones_with_1(db: Database) -> None:
    await books.write(db)
    status, printed = await audit("--json")
    report: dict[str, Any] = json.loads(printed)
    assert (status, report["holds"], report["figures"]["payments"]) == (0, True, 10)
    assert report["notes"]["bank_not_compared"] == 1

    await db.execute("UPDATE payments SET captured_paise = 1 WHERE payment_id = 1")
    status, printed = await audit("--json")
    report = json.loads(printed)
    assert (status, report["holds"]) == (1, False)
    (broken,) = (each for each in report["checked"] if each["violations"])
    assert (broken["name"], broken["samples"][0]["subject"]) == ("paid_amount_differs", f"{books.MERCHANT}-1")


async def test_a_person_reads_which_promise_is_broken_and_what_is_owed_back(db: Database) -> None:
    await books.write(db)
    await db.execute("UPDATE payments SET captured_paise = 1 WHERE payment_id = 1")
    status, printed = await audit()
    assert status == 1
    for words in (
        "paid amount differs",
        f"{books.MERCHANT}-1",
        "₹500.00",
        f"1 of {len(store.CHECKS)} promises are broken.",
    ):
        assert words in printed


@pytest.mark.parametrize(
    ("options", "reason"),
    [(("--simbank-url", NOBODY_LISTENS), "they could not be read"), ((), "it is not configured here")],
)
async def test_the_acquirer_that_was_not_compared_is_named(db: Database, options: tuple[str, ...], reason: str) -> None:
    await books.write(db)
    for form in ((), ("--json",)):
        ended = await run(*options, *form)
        left_out = f"The books of sandbox were not compared with ours: {reason}.\n"
        assert ended.exit_code == 1
        assert ended.stderr == left_out + (
            "That is no audit. To leave them out on purpose: hundi audit --without-acquirer sandbox\n"
        )
        excused = await run(*options, *form, "--without-acquirer", "sandbox")
        assert (excused.exit_code, excused.stderr) == (0, left_out)
