"""Cells that no spreadsheet runs, and extracts whose lines add up."""

import csv
import io
from datetime import UTC, date, datetime, timedelta
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.money.reports.rules import (
    CLOSING,
    OPENING,
    TOTAL,
    DayBook,
    DaySpan,
    Ledger,
    PostingExtract,
    PostingSide,
    amount,
    balance,
    cell,
    moment,
)

AT = datetime(2026, 11, 20, 8, 35, tzinfo=UTC)
ACCOUNTS = ("payable", "receivable:sandbox", "fee_income", "tax_payable")


@pytest.mark.parametrize(
    "text", ["=1+1", "+91", "-2", "@SUM(A1)", "\tx", "\rx", "\n=1", "\uff1d1", "\uff0b1"]
)
def test_what_could_be_a_formula_is_none(text: str) -> None:
    assert cell(text) == f"'{text}"


@given(st.text())
def test_no_cell_begins_like_a_formula(text: str) -> None:
    file = io.StringIO()
    csv.writer(file).writerow([cell(text), cell("x")])
    (read,) = csv.reader(io.StringIO(file.getvalue(), newline=""))
    assert not read[0].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert read[0].removeprefix("'") == text.removeprefix("'")


def test_amounts_and_moments_are_as_a_spreadsheet_reads_them() -> None:
    assert [amount(each) for each in (0, 5, 1_499_50, 10**12)] == [
        "0.00",
        "0.05",
        "1499.50",
        "10000000000.00",
    ]
    assert moment(AT) == "2026-11-20 14:05:00"
    assert balance("payable", 100, 350) == ("2.50", "Cr")
    assert balance("receivable:sandbox", 100, 350) == ("2.50", "Cr")
    assert balance("receivable:sandbox", 0, 0) == ("0.00", "Dr")


def test_a_span_is_whole_indian_days() -> None:
    span = DaySpan(date(2026, 11, 20), date(2026, 11, 21))
    assert (span.begins, span.ends) == (
        datetime(2026, 11, 19, 18, 30, tzinfo=UTC),
        datetime(2026, 11, 21, 18, 30, tzinfo=UTC),
    )
    assert span.fault() == ""
    assert DaySpan(date(2026, 11, 20), date(2026, 11, 19)).fault()
    assert DaySpan(date(2026, 11, 20), date(2027, 11, 21)).fault()


def moved(number: int, debit: str, credit: str, paise: int) -> PostingExtract:
    return PostingExtract(
        AT + timedelta(seconds=number), "payment", number, debit, credit, paise, "INR"
    )


def sides(postings: list[PostingExtract]) -> list[PostingSide]:
    both = [
        PostingSide(account, each.currency, each.at, each.kind, each.cause_id, *paise)
        for each in postings
        for account, paise in (
            (each.debit, (each.amount_paise, 0)),
            (each.credit, (0, each.amount_paise)),
        )
    ]
    return sorted(both)


def paise_of(text: str) -> int:
    return int(text.replace(".", "") or 0)


DRAWN = st.lists(st.tuples(st.permutations(ACCOUNTS), st.integers(1, 10**9)), max_size=20)
POSTINGS = DRAWN.map(
    lambda drawn: [moved(no, order[0], order[1], paise) for no, (order, paise) in enumerate(drawn)]
)
OPENINGS = st.dictionaries(
    st.sampled_from(ACCOUNTS), st.tuples(st.integers(0, 10**9), st.integers(0, 10**9))
)


@given(POSTINGS, OPENINGS, st.integers(1, 7))
def test_a_ledger_adds_up_however_it_is_cut(
    postings: list[PostingExtract], opening: dict[str, tuple[int, int]], size: int
) -> None:
    ledger = Ledger({(account, "INR"): sums for account, sums in opening.items()})
    entries = sides(postings)
    lines = [
        line
        for at in range(0, len(entries), size)
        for line in ledger.lines(entries[at : at + size])
    ]
    lines += ledger.end()
    touched = {each.account for each in entries} | set(opening)
    assert [account for account, _ in groupby(line[0] for line in lines)] == sorted(touched)
    total = 0
    for account in touched:
        own = [line for line in lines if line[0] == account]
        debit, credit = (sum(paise_of(line[place]) for line in own) for place in (5, 6))
        before = opening.get(account, (0, 0))
        left = before[0] - before[1] + debit - credit
        assert own[-1][3] == CLOSING
        assert paise_of(own[-1][7]) == abs(left)
        assert own[-1][8] == ("Dr" if left > 0 else "Cr") or left == 0
        total += debit - credit
    assert total == 0, "every entry is on two accounts"


@given(OPENINGS, POSTINGS)
def test_a_day_book_has_every_posting_between_the_balances_of_each_account(
    opening: dict[str, tuple[int, int]], postings: list[PostingExtract]
) -> None:
    book = DayBook({(account, "INR"): sums for account, sums in opening.items()})
    before, lines = [*book.begin()], [*book.lines(postings)]
    ends = [*book.end()]
    assert [paise_of(line[5]) for line in lines] == [each.amount_paise for each in postings]
    sides = {(each.debit, 3) for each in postings} | {(each.credit, 4) for each in postings}
    totals = {
        (line[column], column): paise_of(line[5])
        for line in ends
        for column in (3, 4)
        if line[1] == TOTAL and line[column]
    }
    assert totals == {
        (account, column): sum(
            each.amount_paise
            for each in postings
            if (each.debit, each.credit)[column - 3] == account
        )
        for account, column in sides
    }
    begins, closes = _balances(before), _balances(ends)
    for account in set(opening) | {account for account, _ in sides}:
        moved = totals.get((account, 3), 0) - totals.get((account, 4), 0)
        assert closes[account] == begins.get(account, 0) + moved, account


def _balances(lines: list[tuple[str, ...]]) -> dict[str, int]:
    """Return the balance of each account in a day book's lines; of the credit side below zero."""
    return {
        line[3] or line[4]: paise_of(line[5]) if line[3] else -paise_of(line[5])
        for line in lines
        if line[1] in {OPENING, CLOSING}
    }
