"""Numbers of cards and people in every text of a statement: nothing of them is kept, and no refusal repeats one."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from hundi.infra.postgres.database import Database
from hundi.money.reconciliation import actions
from hundi.money.reconciliation.actions import Source
from hundi.money.reconciliation.rules import COLUMNS, OUR_ACCOUNT, StatementError, short, terms_of
from hundi.scrub import store
from tests.money.reconciliation.test_actions import NOW
from tests.money.reconciliation.test_files import ACCOUNT_MT940, CAMT

CARD, GROUPED, AADHAAR = "4532987610345214", "4532 9876 1034 5214", "9832 1406 5774"
HYPHENED = GROUPED.replace(" ", "-")
NUMBERS = (CARD, GROUPED, HYPHENED, AADHAAR)
TYPED = (GROUPED, HYPHENED, AADHAAR, f"by {CARD}", f"paid with {GROUPED} of {AADHAAR}")
"""What stands in a statement: one word of digits without a gap may be a bank's own number, and stays."""
_FITTING = {
    "kind": "PAYMENT",
    "reference": "A-1",
    "rrn": "632412345678",
    "utr": "UTR1",
    "account": "SANDBOX-SETTLEMENT",
    "day": "2026-11-20",
    "sign": "C",
    "currency": "INR",
    "net": "100.00",
    "gross": "100.00",
    "fee": "0.00",
}
"""A line that is taken, by what its columns are for us."""
_TERMS = "[csv.columns]\n" + "".join(f'{name} = "{name}"\n' for name in _FITTING)
_TERMS += '[csv.kinds]\nPAYMENT = "payment"\n[csv.signs]\nC = "credit"\n'


def csv_files() -> Iterator[str]:
    """Yield statements in CSV with numbers in one column of their line, each column in turn."""
    for name in _FITTING:
        for text in TYPED:
            row = {**_FITTING, name: text}
            yield f"{','.join(row)}\n{','.join(row.values())}\n"


def camt_files() -> Iterator[str]:
    """Yield statements in XML with numbers in one element, each element that has a text in turn."""
    count = sum(1 for each in etree.fromstring(CAMT).iter() if (each.text or "").strip())
    for place in range(count):
        for text in TYPED:
            root = etree.fromstring(CAMT)
            [each for each in root.iter() if (each.text or "").strip()][place].text = text
            yield etree.tostring(root, encoding="unicode")


def mt940_files() -> Iterator[str]:
    """Yield statements of our account with numbers at the end of one line, or in its place, each line in turn."""
    lines = ACCOUNT_MT940.decode().splitlines()
    for place, line in enumerate(lines):
        for text in TYPED:
            for changed in (f"{line} {text}", re.sub(r"^(:\w+:)?.*", rf"\g<1>{text}", line)):
                yield "\r\n".join([*lines[:place], changed, *lines[place + 1 :], ""])


FILES = {"csv": csv_files, "camt053": camt_files, "mt940": mt940_files}


def seen_in(text: str) -> list[str]:
    """Return the numbers that stand in a text."""
    return [each for each in NUMBERS if each in text]


async def kept(db: Database) -> str:
    """Return every row of every table, as text."""
    tables = dict.fromkeys(column.table for column in await store.columns(db))
    rows = [row[0] for name in tables for row in await db.fetch(f'SELECT t::text FROM "{name}" t')]
    return "\n".join(rows)


@pytest.mark.parametrize("form", FILES)
async def test_no_text_of_a_statement_is_kept_with_a_number(books: Database, tmp_path: Path, form: str) -> None:
    whose = OUR_ACCOUNT if form == "mt940" else "sandbox"
    mapping = terms_of(_TERMS.encode(), whose).csv if form == "csv" else None
    taken, refused = 0, list[str]()
    for number, content in enumerate(FILES[form]()):
        file = tmp_path / f"{number} {GROUPED}.txt"
        file.write_text(content)
        try:
            await actions.import_file(books, Source(file, form, whose, "Asha", mapping), NOW)
            taken += 1
        except StatementError as refusal:
            refused.append(str(refusal))
    assert [each for each in refused if seen_in(each)] == []
    assert taken >= len(TYPED)
    rows = await kept(books)
    assert [row for row in rows.split("\n") if seen_in(row)] == []
    assert "by [card]" in rows, "what stood in a line, and not in the name of its file alone"


async def test_terms_keep_no_number_but_that_of_an_account(books: Database) -> None:
    document = f'account = "{CARD}"\n{_TERMS}'.replace('"rrn"', f'"RRN of {GROUPED}"')
    await actions.set_terms(books, "sandbox", document.encode(), "Asha", NOW)
    terms = await actions.terms_for(books, "sandbox")
    assert terms.account == CARD
    assert terms.csv is not None
    assert terms.csv.columns["rrn"] == "RRN of [card]"


@pytest.mark.parametrize(
    "reference",
    [
        *("10001-217000000000001", "10001-R217000000000003", "UTR0001", "632412345678", CARD, "HDFCR5202611264532"),
        *("550e8400-e29b-41d4-a716-446655440000", "INV/2026/11/20-0001", "4532-20261126-0042", "NOTPROVIDED", ""),
    ],
)
def test_a_reference_stays_exact(reference: str) -> None:
    assert short(reference, 1, "reference") == reference


def test_every_column_is_tried() -> None:
    """The two sides of an account stand in place of an amount."""
    assert set(_FITTING) == COLUMNS - {"debit", "credit"}
