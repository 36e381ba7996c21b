"""`hundi audit` as scripts use it: figures in JSON, and the exit status."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from hundi.cli import application
from hundi.infra.postgres.database import Database
from hundi.money.audit import actions
from hundi.money.audit.since.scopes.store import SCOPES
from hundi.money.chain import actions as chain
from tests.money.audit import books
from tests.recording import record_linked, record_merchant

NOBODY_LISTENS = "http://127.0.0.1:9"


async def run(*options: str) -> Result:
    """Run the command beside the test's own event loop."""
    return await asyncio.to_thread(CliRunner().invoke, application("audit"), ["audit", *options])


async def audit(*options: str) -> tuple[int, str]:
    """Return exit status and output of the command while no simulated bank listens."""
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
    assert (broken["name"], broken["samples"][0]["subject"]) == (
        "paid_amount_differs",
        f"{books.MERCHANT}-1",
    )


async def test_a_person_reads_which_promise_is_broken_and_what_is_owed_back(db: Database) -> None:
    await books.write(db)
    await db.execute("UPDATE payments SET captured_paise = 1 WHERE payment_id = 1")
    status, printed = await audit()
    assert status == 1
    for words in (
        "paid amount differs",
        f"{books.MERCHANT}-1",
        "₹0.00",
        f"1 of {len(actions.CHECKS) + 2} promises are broken.",
    ):
        assert words in printed


async def test_an_audit_since_a_mistyped_year_proves_nothing_and_says_so(db: Database) -> None:
    await books.write(db)
    await db.execute("UPDATE payments SET captured_paise = 1 WHERE payment_id = 1")
    ended = await run("--without-acquirer", "sandbox", "--since", "2062-11-29")
    assert (ended.exit_code, "proves nothing" in ended.stderr) == (2, True)


async def test_a_stopped_audit_in_parts_goes_on_where_its_file_says(
    db: Database, tmp_path: Path
) -> None:
    await books.write(db)
    file = tmp_path / "audit.parts"
    options = ("--simbank-url", NOBODY_LISTENS, "--without-acquirer", "sandbox")
    in_parts = ("--parts", str(file), "--json")
    once = await run(*options, *in_parts)
    assert once.exit_code == 0
    assert "part 1 of 1, all days: broken promises: 0" in once.stderr
    assert sums(once.stdout) == sums((await audit("--json"))[1])
    again = await run(*options, *in_parts)
    assert (again.exit_code, "Remove it to begin a new audit" in again.stderr) == (2, True)

    # As if it had been stopped after the first of three parts.
    kept = json.loads(file.read_bytes())
    day = f"{books.AT:%Y-%m-%d}"
    days = ["2000-01-01", day, "2026-11-21", None]
    kept["plan"] = [{"since": days[each], "before": days[each + 1]} for each in range(3)]
    checked = [{"violation": name, "count": 0, "samples": []} for name in SCOPES]
    kept["done"] = [{"days": kept["plan"][0], "at": "2026-11-20T08:35:00Z", "checked": checked}]
    stopped = json.dumps(kept | {"report": None})
    file.write_text(stopped)
    await db.execute("UPDATE payments SET captured_paise = 1 WHERE payment_id = 1")
    ended = await run(*options, *in_parts)
    assert ended.exit_code == 1
    assert words_of(ended).splitlines()[:3] == [
        "goes on with part 2 of 3",
        "part 2 of 3, from 20 Nov 2026 up to 20 Nov 2026: broken promises: 1",
        "part 3 of 3, from 21 Nov 2026: broken promises: 0",
    ]
    (broken,) = (each for each in json.loads(ended.stdout)["checked"] if each["violations"])
    assert broken["name"] == "paid_amount_differs"
    assert names_in(tmp_path) == {"audit.parts"}, "nothing is left beside the file"


async def test_the_last_part_is_done_again_where_an_acquirer_did_not_answer(
    db: Database, tmp_path: Path
) -> None:
    await books.write(db)
    file = tmp_path / "audit.parts"
    silent = ("--simbank-url", NOBODY_LISTENS, "--parts", str(file))
    for _ in range(2):
        ended = await run(*silent)
        assert ended.exit_code == 1
        assert "part 1 of 1 is not kept: run this again when sandbox answers" in ended.stderr
    assert (await run(*silent, "--without-acquirer", "sandbox")).exit_code == 0
    assert (await run(*silent)).exit_code == 2, "the audit is done"


async def test_a_file_that_has_no_audit_of_these_books_proves_nothing(
    db: Database, tmp_path: Path
) -> None:
    await books.write(db)
    file = tmp_path / "audit.parts"
    assert (await run("--without-acquirer", "sandbox", "--parts", str(file))).exit_code == 0
    kept = json.loads(file.read_bytes()) | {"report": None}
    for content, word in (
        (json.dumps(kept | {"oldest": "00" * 32}), "other books"),
        (json.dumps(kept | {"checks": "others"}), "other checks"),
        (json.dumps(kept | {"plan": []}), "not those of an audit"),
        ("no audit", "no audit as"),
    ):
        file.write_text(content)
        ended = await run("--parts", str(file))
        assert (ended.exit_code, word in ended.stderr) == (2, True), ended.stderr
    both = await run("--parts", str(file), "--since", "root")
    assert (both.exit_code, "without --since" in both.stderr) == (2, True)
    nowhere = await run("--parts", str(tmp_path / "nowhere" / "audit.parts"))
    assert (nowhere.exit_code, "cannot be written" in nowhere.stderr) == (2, True)


def names_in(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir() if each.name.startswith("audit")}


def sums(printed: str) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return the checks and figures of a report."""
    report = json.loads(printed)
    return report["checked"], report["figures"]


def words_of(ended: Result) -> str:
    """Return what people read on standard error: all but the log's lines, which are JSON."""
    return "".join(
        line for line in ended.stderr.splitlines(keepends=True) if not line.startswith("{")
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--simbank-url", NOBODY_LISTENS), "they could not be read"),
        ((), "it is not configured here"),
    ],
)
async def test_the_acquirer_that_was_not_compared_is_named(
    db: Database, options: tuple[str, ...], reason: str
) -> None:
    await books.write(db)
    for form in ((), ("--json",)):
        ended = await run(*options, *form)
        left_out = f"The books of sandbox were not compared with ours: {reason}.\n"
        assert ended.exit_code == 1
        assert words_of(ended) == left_out + (
            "That is no audit. To leave them out on purpose: hundi audit --without-acquirer"
            " sandbox\n"
        )
        excused = await run(*options, *form, "--without-acquirer", "sandbox")
        assert (excused.exit_code, words_of(excused)) == (0, left_out)


async def test_roots_that_were_kept_elsewhere_find_a_chain_that_was_made_anew(
    db: Database, tmp_path: Path
) -> None:
    await books.write(db)
    await chain.seal(db, books.VAULT, books.AT + timedelta(days=1))
    printed = (await run("roots", "--json")).stdout
    assert set(json.loads(printed)["roots"]) == {"2026-11-20"}
    assert json.loads(printed)["roots"]["2026-11-20"]["root"] in (
        await run("roots")
    ).stdout.replace("\n", "")
    kept = tmp_path / "roots.json"
    kept.write_text(printed)
    assert (await audit("--roots", str(kept)))[0] == 0
    for table in ("payment_events", "chain_links", "chain_blocks", "chain_roots", "trail_entries"):
        await db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    await db.execute("UPDATE attempts SET bank_name = 'another' WHERE attempt_id = 11")
    for table in ("chain_links", "chain_blocks", "chain_roots", "trail_entries"):
        await db.execute(f"DELETE FROM {table}")
    await record_merchant(db, books.MERCHANT)
    await record_linked(db, books.MERCHANT, "V1")
    for days in (0, 1):
        await chain.seal(db, books.VAULT, books.AT + timedelta(days=days))
    assert (await audit())[0] == 0
    status, found = await audit("--json", "--roots", str(kept))
    broken = [each["name"] for each in json.loads(found)["checked"] if each["violations"]]
    assert (status, broken) == (1, ["kept_root_differs"])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"roots": {"2026-11-20": {"root": "x", "heads": 1, "signature": "", "certificate": ""}}}',
    ],
)
async def test_a_file_without_roots_is_refused_in_words(text: str, tmp_path: Path) -> None:
    (tmp_path / "roots.json").write_text(text)
    ended = await run("--roots", str(tmp_path / "roots.json"))
    assert ended.exit_code == 2
    assert "has no roots as `hundi audit roots --json` prints them" in ended.stderr
    assert (await run("--roots", str(tmp_path / "nothing.json"))).exit_code == 2
