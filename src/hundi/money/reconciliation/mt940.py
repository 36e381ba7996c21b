"""Reads MT940 with the library `mt-940`: the statement of our own bank account, which is small."""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import BinaryIO

import mt940

from hundi.money.reconciliation.rules import (
    CURRENCY,
    Controls,
    Line,
    LineKind,
    StatementError,
    cause_of,
    exact,
    short,
    wrong,
)

BYTES_MAX = 16 * 1024 * 1024
_OPTIONS = mt940.Options.all()
"""Corrections of what the library did wrong up to 5.0, such as a reversed credit as a credit."""
# It logs the lines that it cannot read, which name people and may hold a card.
logging.getLogger("mt940").setLevel(logging.CRITICAL + 1)
_NOT_GIVEN = {"NONREF", "NOTPROVIDED", None}
_TAG = re.compile(r"^:([0-9]{2}[A-Z]?):", re.MULTILINE)
_AFTER_TEXT = re.compile(r"^(?:-\s*$|-\}|\{)", re.MULTILINE)
"""The end of a message's text: a dash, or the headers of the next message."""
_BEGINS = {"60F": "final_opening_balance", "60M": "intermediate_opening_balance"}
_ENDS = {"62F": "final_closing_balance", "62M": "intermediate_closing_balance"}
_WHOLE = ("60F", "62F")


@dataclass(frozen=True, slots=True)
class _Page:
    """One message of a statement.

    place: the number of the line before it. begins, ends: the tags of its two balances.
    """

    place: int
    text: str
    begins: str
    ends: str


def read(file: BinaryIO, controls: Controls) -> Iterator[Line]:
    """Yield the lines of a statement, which may have several pages, and fill in its controls.

    Raises StatementError: the whole file is refused.
    """
    before: dict[str, object] = {}
    for page in _pages(_text(file)):
        statement = _parsed(page)
        fields = statement.data
        _join(page, fields, before, controls)
        places = [
            page.text.count("\n", 0, each.start()) + 1
            for each in _TAG.finditer(page.text)
            if each[1] == "61"
        ]
        if len(places) != len(statement):
            raise wrong(0, f"{len(places)} lines (:61:), of which {len(statement)} can be read")
        for place, each in zip(places, statement, strict=True):
            line = _line(page.place + place, each.data)
            controls.add(line)
            yield line
        controls.closing_paise = _balance(fields.get(_ENDS[page.ends]))
        before = fields
    controls.check()


def _pages(text: str) -> list[_Page]:
    """Return the messages of a statement in order. Raises StatementError unless it is whole."""
    starts = [each.start() for each in _TAG.finditer(text) if each[1] == "20"]
    pages = [_page(text, start, end) for start, end in pairwise([*starts, len(text)])]
    statements = sum(page.begins == "60F" for page in pages)
    if statements > 1 or not pages:
        message = f"a file holds one statement (:20:), and this one holds {statements}"
        raise StatementError(message)
    if (pages[0].begins, pages[-1].ends) != _WHOLE:
        message = (
            "the statement is cut off: its first page opens with :60F: and its last one closes"
            " with :62F:"
        )
        raise wrong(text.count("\n") + 1, message)
    for page, following in pairwise(pages):
        if page.ends != "62M":
            raise wrong(following.place + 1, "a page follows the end of the statement (:62F:)")
    return pages


def _page(text: str, start: int, end: int) -> _Page:
    tags = [(each[1], each.start()) for each in _TAG.finditer(text, start, end)]
    begins = [tag for tag, _ in tags if tag in _BEGINS]
    ends = [(tag, at) for tag, at in tags if tag in _ENDS]
    if len(begins) != 1 or len(ends) != 1:
        message = (
            "the statement is cut off: a page has one opening (:60F:, :60M:) and one closing"
            " (:62F:, :62M:)"
        )
        raise wrong(text.count("\n", 0, end) + 1, message)
    after = _AFTER_TEXT.search(text, ends[0][1], end)
    return _Page(
        text.count("\n", 0, start),
        text[start : after.start() if after else end],
        begins[0],
        ends[0][0],
    )


def _parsed(page: _Page) -> mt940.models.Transactions:
    statement = mt940.models.Transactions(options=_OPTIONS)
    try:
        statement.parse(page.text)
    except Exception as error:  # noqa: BLE001 (the library raises whatever its patterns meet)
        raise wrong(page.place, f"it is no MT940 ({type(error).__name__})") from None
    return statement


def _join(
    page: _Page, fields: dict[str, object], before: dict[str, object], controls: Controls
) -> None:
    """Take account and opening balance from the first page.

    Raises StatementError for a page that does not follow the one before.
    """
    account = exact(str(fields.get("account_identification", "")), page.place, "account")
    opening = _balance(fields.get(_BEGINS[page.begins]))
    if page.begins == "60F":
        controls.account, controls.opening_paise = account, opening
        controls.statement = short(
            str(fields.get("transaction_reference", "")), page.place, "reference"
        )
        return
    place = page.place + 1
    if account != controls.account:
        raise wrong(
            place, f"the page is of account {account}, and the one before of {controls.account}"
        )
    if fields.get("statement_number") != before.get("statement_number"):
        raise wrong(place, "the page is of another statement (:28C:) than the one before")
    number, last = (str(each.get("sequence_number") or "") for each in (fields, before))
    if number.isdecimal() and last.isdecimal() and int(number) != int(last) + 1:
        raise wrong(place, f"page {int(number)} follows page {int(last)} (:28C:)")
    if opening != controls.closing_paise:
        message = f"the page opens with {opening} paise (:60M:), and the one before closed with "
        raise wrong(place, f"{message}{controls.closing_paise} (:62M:)")


def _text(file: BinaryIO) -> str:
    """Return the text of a file.

    SWIFT's own character set is ASCII; banks write names in UTF-8 or Windows-1252 (Latin-1).
    """
    content = file.read(BYTES_MAX + 1)
    if len(content) > BYTES_MAX:
        message = f"an MT940 statement has at most {BYTES_MAX:,} bytes"
        raise StatementError(message)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        try:
            text = content.decode("cp1252")
        except UnicodeDecodeError as error:
            place = content.count(b"\n", 0, error.start) + 1
            raise wrong(place, "it is no text in UTF-8 or Windows-1252") from None
    return text.replace("\r\n", "\n")


def _balance(balance: object) -> int:
    amount = getattr(balance, "amount", None)
    if amount is None:
        raise wrong(0, "the statement lacks a balance")
    return _paise(0, amount)


def _paise(place: int, amount: object) -> int:
    """Return the library's amount, a decimal with a currency, in paise."""
    currency = str(getattr(amount, "currency", ""))
    if currency != CURRENCY:
        raise wrong(place, f"it is in {currency[:9]}, and accounts here are in {CURRENCY}")
    paise = getattr(amount, "amount") * 100  # noqa: B009 (the library has no types)
    if paise != int(paise):
        raise wrong(place, f"{amount} has more than two decimal places")
    return int(paise)


def _line(place: int, fields: dict[str, object]) -> Line:
    net = _paise(place, fields["amount"])
    references = [
        str(fields.get(name))
        for name in ("bank_reference", "customer_reference")
        if fields.get(name) not in _NOT_GIVEN
    ]
    reference = short(references[0] if references else "", place, "reference")
    booked = fields.get("entry_date") or fields["date"]
    day = date(booked.year, booked.month, booked.day) if isinstance(booked, date) else date.min
    kind = LineKind.OTHER if cause_of(reference) is None else LineKind.PAYMENT
    # The library's sign is in the amount: a debit is below zero.
    return Line(place, kind, net > 0, abs(net), 0, abs(net), reference, "", reference, day)
