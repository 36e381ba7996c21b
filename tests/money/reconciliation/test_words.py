"""Numbers of cards and people in every text of a statement.

Nothing of them is kept, and no refusal repeats one.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from hundi.gateway.scrub import store
from hundi.infra.postgres.database import Database
from hundi.kernel.masking import is_aadhaar, is_card, masked_reference
from hundi.money.reconciliation import actions
from hundi.money.reconciliation.importing import actions as importing
from hundi.money.reconciliation.importing.actions import Source
from hundi.money.reconciliation.rules import COLUMNS, OUR_ACCOUNT, StatementError, short, terms_of
from tests.money.reconciliation.test_actions import NOW
from tests.money.reconciliation.test_files import ACCOUNT_MT940, CAMT

CARD, GROUPED, AADHAAR = "4532987610345214", "4532 9876 1034 5214", "9832 1406 5774"
HYPHENED = GROUPED.replace(" ", "-")
NUMBERS = (CARD, GROUPED, HYPHENED, AADHAAR)
TYPED = (GROUPED, HYPHENED, AADHAAR, f"by {CARD}", f"paid with {GROUPED} of {AADHAAR}")
"""What stands in a statement.

One word of digits without a gap may be a bank's own number, and stays.
"""
ACCOUNTS = "5000 0000 0006", "5000 0000 0009 0000"
"""Numbers of bank accounts, in groups.

One has the form of an Aadhaar number, the other that of a card's.
"""
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
    """Yield CSV statements with numbers in each column in turn, but the account's own."""
    for name in _FITTING.keys() - {"account"}:
        for text in TYPED:
            row = {**_FITTING, name: text}
            yield f"{','.join(row)}\n{','.join(row.values())}\n"


def camt_files() -> Iterator[str]:
    """Yield statements in XML with numbers in one element, each element that has a text in turn."""
    for place in range(len(_texts(etree.fromstring(CAMT)))):
        for text in TYPED:
            root = etree.fromstring(CAMT)
            _texts(root)[place].text = text
            yield etree.tostring(root, encoding="unicode")


def _texts(root: Any) -> list[Any]:
    """Return the elements that have a text, without the number of the account."""
    accounts = root.findall(".//{*}Stmt/{*}Acct/{*}Id//{*}Id")
    return [each for each in root.iter() if (each.text or "").strip() and each not in accounts]


def mt940_files() -> Iterator[str]:
    """Yield MT940 statements with numbers at the end, or in place, of each line in turn."""
    count = len(ACCOUNT_MT940.splitlines())
    for number, (place, text, instead) in enumerate(
        itertools.product(range(count), TYPED, (False, True))
    ):
        # Each of an account of its own: the same lines of one account are refused.
        lines = in_mt940(f"502000{number:05}").splitlines()
        if not lines[place].startswith(":25:"):
            lines[place] = (
                re.sub(r"^(:\w+:)?.*", rf"\g<1>{text}", lines[place])
                if instead
                else f"{lines[place]} {text}"
            )
            yield "\r\n".join([*lines, ""])


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
async def test_no_text_of_a_statement_is_kept_with_a_number(
    books: Database, tmp_path: Path, form: str
) -> None:
    whose = OUR_ACCOUNT if form == "mt940" else "sandbox"
    mapping = terms_of(_TERMS.encode(), whose).csv if form == "csv" else None
    taken, refused = 0, list[str]()
    for number, content in enumerate(FILES[form]()):
        file = tmp_path / f"{number} {GROUPED}.txt"
        file.write_text(content)
        try:
            await importing.import_file(books, Source(file, form, whose, "Asha", mapping), NOW)
            taken += 1
        except StatementError as refusal:
            refused.append(str(refusal))
    assert [each for each in refused if seen_in(each)] == []
    assert taken >= len(TYPED)
    rows = await kept(books)
    assert [row for row in rows.split("\n") if seen_in(row)] == []
    # References of MT940 have 16 characters.
    assert ("[aadhaar]" if form == "mt940" else "by [card]") in rows, (
        "what stood in it, not in its file's name alone"
    )


@pytest.mark.parametrize("account", [CARD, *ACCOUNTS])
async def test_terms_keep_no_number_but_that_of_an_account(books: Database, account: str) -> None:
    document = f'account = "{account}"\n{_TERMS}'.replace('"rrn"', f'"RRN of {GROUPED}"')
    await actions.set_terms(books, "sandbox", document.encode(), "Asha", NOW)
    terms = await actions.terms_for(books, "sandbox")
    assert terms.account == account
    assert terms.csv is not None
    assert terms.csv.columns["rrn"] == "RRN of [card]"


def in_csv(account: str) -> str:
    rows = ({**_FITTING, "account": account, "reference": f"A-{place}"} for place in range(2))
    return "\n".join([",".join(_FITTING), *(",".join(row.values()) for row in rows), ""])


def in_camt(account: str) -> str:
    root: Any = etree.fromstring(CAMT)
    root.find(".//{*}Stmt/{*}Acct/{*}Id//{*}Id").text = account
    return etree.tostring(root, encoding="unicode")


def in_mt940(account: str) -> str:
    return re.sub(r"(?m)^:25:[^\r\n]*", f":25:{account}", ACCOUNT_MT940.decode())


@pytest.mark.parametrize("account", ACCOUNTS)
@pytest.mark.parametrize(
    ("form", "content"), [("csv", in_csv), ("camt053", in_camt), ("mt940", in_mt940)]
)
async def test_the_number_of_an_account_is_compared_as_it_came(
    books: Database, tmp_path: Path, form: str, content: Callable[[str], str], account: str
) -> None:
    whose = OUR_ACCOUNT if form == "mt940" else "sandbox"
    if form != "mt940":
        await actions.set_terms(
            books, whose, f'account = "{account}"\n{_TERMS}'.encode(), "Asha", NOW
        )
    file = tmp_path / "statement.txt"
    file.write_bytes(content(account).encode())
    mapping = terms_of(_TERMS.encode(), whose).csv if form == "csv" else None
    await importing.import_file(books, Source(file, form, whose, "Asha", mapping), NOW)
    assert await books.fetchval("SELECT account FROM statement_files") == account


async def test_two_accounts_of_one_form_are_two(books: Database, tmp_path: Path) -> None:
    await actions.set_terms(books, "sandbox", _TERMS.encode(), "Asha", NOW)
    for place, (whose, account) in enumerate((("sandbox", ACCOUNTS[0]), ("", "5000 0000 0010"))):
        file = tmp_path / f"{place}.txt"
        file.write_text(in_csv(account) if whose else in_mt940(account))
        mapping = terms_of(_TERMS.encode(), whose).csv if whose else None
        await importing.import_file(
            books, Source(file, "csv" if whose else "mt940", whose, "Asha", mapping), NOW
        )
    assert await books.fetchval("SELECT count(DISTINCT account) FROM statement_files") == 2


@pytest.mark.parametrize(
    "reference",
    [
        *(
            "10001-217000000000001",
            "10001-R217000000000003",
            "UTR0001",
            "632412345678",
            CARD,
            "HDFCR5202611264532",
        ),
        *(
            "550e8400-e29b-41d4-a716-446655440000",
            "INV/2026/11/20-0001",
            "4532-20261126-0042",
            "NOTPROVIDED",
            "",
        ),
        *(
            "UPI 828447956374",
            "UPI CR 828447956374",
            "NEFT HDFCR4532987610345214",
            "828447956374 10001-217000000000001",
        ),
    ],
)
def test_a_reference_stays_exact(reference: str) -> None:
    assert short(reference, 1, "reference") == reference


@pytest.mark.parametrize("reference", [" 828447956374", "828447956374 ", f" {CARD} "])
def test_a_blank_beside_a_reference_takes_nothing_of_it(reference: str) -> None:
    assert masked_reference(reference) == reference
    assert short(reference, 1, "reference") == reference.strip()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("refund to Asha, Aadhaar 828447956374", "refund to Asha, Aadhaar [aadhaar]"),
        (f"UPI {AADHAAR}", "UPI [aadhaar]"),
        (f"UPI 828447956374 by {GROUPED}", "UPI [aadhaar] by [card]"),
        (f"by {CARD}", "by [card]"),
        ("UPI 632412345678 cvv 123", "UPI 632412345678 cvv ***"),
    ],
)
def test_what_somebody_wrote_into_a_reference_is_masked(text: str, kept: str) -> None:
    assert short(text, 1, "reference") == kept


def test_every_column_is_tried() -> None:
    """The two sides of an account stand in place of an amount."""
    assert set(_FITTING) == COLUMNS - {"debit", "credit"}


def test_the_numbers_of_accounts_would_be_masked_as_words() -> None:
    bare = [each.replace(" ", "") for each in (*ACCOUNTS, "5000 0000 0010")]
    assert [is_aadhaar(bare[0]), is_card(bare[1]), is_aadhaar(bare[2])] == [True, True, True]
