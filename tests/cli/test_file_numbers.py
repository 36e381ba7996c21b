"""Numbers of cards and people in files that commands read.

No table keeps one, and no command prints one.
"""

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from hundi.cli import _COMMANDS, application
from hundi.gateway.scrub import store
from hundi.infra import plugins
from hundi.infra.postgres.database import Database
from tests.cli.conftest import Hundi
from tests.cli.test_fee import PLAN
from tests.cli.test_route import PLAN as ROUTES
from tests.money.payouts.test_routing import PLAN as PAYOUT_PLAN
from tests.money.reconciliation.test_files import ACCOUNT_CAMT, ACCOUNT_MT940, CSV

CARD, GROUPED, AADHAAR = "4532987610345214", "4532 9876 1034 5214", "9832 1406 5774"
NUMBERS = (CARD, GROUPED, AADHAAR)
TYPED = f"of {GROUPED} or {CARD} of {AADHAAR}"
_RULES = 'note = "a note"\n[[rules]]\nname = "one"\nnote = "why"\naction = "block"\n'
_RULES += 'when = [{ field = "email", in = ["a@b.in"] }]\n'
_TERMS = (
    files("hundi.money.reconciliation")
    .joinpath("sandbox.toml")
    .read_text("utf-8")
    .partition("[[fees]]")[0]
)
_REPORT = "H,payouts.txt,1,100.00\nD,10001-P1,declined,UTR1,100.00,57,no such account\n"
_ANSWER = 'HTTP/1.1 200 OK\n\nNotice: Undefined index: TRANSACTIONID in "ipn.php"\n'
_LINKS = "reference,description,amount,email,phone,items\n"
_LINKS += "FEES-101,School fees,12500.00,asha@example.in,9876543210,\n"
_LINKS += "FEES-102,School fees and bus,,,,School fees; 1; 12500.00|Bus; 3; 4500\n"
DOCUMENTS: dict[tuple[str, ...], tuple[str, tuple[str, ...]]] = {
    ("fee", "plan", "set"): (PLAN, ("--merchant", "MERCHANT")),
    ("risk", "check"): (_RULES, ()),
    ("risk", "publish"): (_RULES, ()),
    ("risk", "try"): (_RULES, ()),
    ("payout", "plan", "set"): (PAYOUT_PLAN, ()),
    ("route", "set"): (ROUTES, ()),
    ("route", "try"): (ROUTES, ()),
    ("reconcile", "terms", "set"): (_TERMS, ("sandbox",)),
    ("reconcile", "import"): (CSV.decode(), ("--format", "csv", "--connector", "sandbox")),
    ("reconcile", "import", "camt053"): (ACCOUNT_CAMT.decode(), ("--format", "camt053")),
    ("reconcile", "import", "mt940"): (ACCOUNT_MT940.decode(), ("--format", "mt940")),
    ("payout", "import"): (_REPORT, ("--as", "Asha")),
    ("client", "detect"): (_ANSWER, ()),
    ("link", "import"): (_LINKS, ("MERCHANT",)),
    ("reconcile", "upload"): (CSV.decode(), ("--format", "csv", "--connector", "sandbox")),
}
"""Files that are read, by the command that reads them, and what it is given before the file."""
_PICTURES = "contents of a dispute's documents are sealed as they came (docs/gaps.md)"
_OURS = "what a command of ours wrote"
_WRITTEN = "a place to write to"
_CALLER = "credentials of a merchant, who keeps nothing; what it sends is masked where it comes in"
OTHERWISE: dict[tuple[str, ...], str] = {
    **dict.fromkeys((("dispute", "contest"), ("dispute", "evidence", "add")), _PICTURES),
    ("bank-account", "papers", "add"): _PICTURES,
    ("bank-account", "papers", "export"): "writes a paper as it came",
    ("merchant", "brand", "change"): "a logo is drawn anew: nothing but its points is kept",
    **dict.fromkeys((("archive", "read"), ("restore",), ("simulate",), ("audit",)), _OURS),
    **dict.fromkeys(
        (("archive",), ("backup",), ("dispute", "evidence", "export"), ("payout", "export")),
        _WRITTEN,
    ),
    **dict.fromkeys((("report",), ("listen",), ("acquirer", "certify")), _WRITTEN),
    **dict.fromkeys((("call",), ("envelope",)), _CALLER),
}
"""Commands, or all of a noun, whose paths are of another kind, and what they are."""


def texts_in(document: str) -> Iterator[str]:
    """Yield a document with numbers in each text, in a comment, and at each line's end."""
    for text in re.finditer(r'"([^"\n]*)"', document):
        if document[: text.start()].rpartition("\n")[2] == "account = ":
            continue  # the number of the operator's own account is compared, and stays
        yield f"{document[: text.start(1)]}{TYPED}{document[text.end(1) :]}"
    for line in re.finditer(r"[^\r\n]+", document):
        yield f"{document[: line.end()]} {TYPED}{document[line.end() :]}"
        yield f"{document[: line.start()]}{TYPED}{document[line.end() :]}"
    for cell in re.finditer(r"(?<=,)[^,\r\n]+", document):
        yield f"{document[: cell.start()]}{TYPED}{document[cell.end() :]}"
    yield f"# {TYPED}\n{document}"


def seen_in(text: str) -> list[str]:
    """Return the numbers that stand in a text."""
    return [each for each in NUMBERS if each in text]


async def kept(db: Database) -> str:
    """Return every row of every table, as text."""
    tables = dict.fromkeys(column.table for column in await store.columns(db))
    rows = [row[0] for name in tables for row in await db.fetch(f'SELECT t::text FROM "{name}" t')]
    return "\n".join(rows)


@pytest.mark.parametrize("command", DOCUMENTS)
async def test_a_file_leaves_no_number_behind(
    hundi: Hundi,
    db: Database,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    command: tuple[str, ...],
) -> None:
    document, options = DOCUMENTS[command]
    words = [each for each in command if each not in {"camt053", "mt940"}]
    merchant = re.search(
        r'"merchant_id": "(\d+)"', (await hundi("merchant", "add", "Asha", "--json")).stdout
    )
    assert merchant is not None
    given = [merchant[1] if each == "MERCHANT" else each for each in options]
    for number, content in enumerate(texts_in(document)):
        (file := tmp_path / f"{number}.txt").write_text(content)
        ended = await hundi(*words, *given, str(file))
        assert seen_in(ended.output + ended.stderr) == [], content
    assert seen_in("".join(capfd.readouterr())) == []
    assert [row for row in (await kept(db)).split("\n") if seen_in(row)] == []


def reading() -> Iterator[tuple[str, ...]]:
    """Yield the commands that are given a path which is there already."""
    waiting: list[tuple[tuple[str, ...], Any]] = [
        ((noun,), get_command(application(noun)).commands[noun])
        for noun in (*_COMMANDS, *plugins.commands())
    ]
    while waiting:
        name, command = waiting.pop()
        waiting += [
            ((*name, verb), each) for verb, each in getattr(command, "commands", {}).items()
        ]
        if any(each.type_descriptor.annotation in {Path, list[Path]} for each in command.params):
            yield name


def test_every_command_that_reads_a_file_is_tried_or_says_why_not() -> None:
    tried = {
        tuple(each for each in command if each not in {"camt053", "mt940"}) for command in DOCUMENTS
    }
    known = {*reading()}
    assert tried <= known
    assert {
        name for name in known - tried if name not in OTHERWISE and name[:1] not in OTHERWISE
    } == set()
