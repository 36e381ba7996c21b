"""Reads MT940 with the library `mt-940`: the statement of our own bank account, which is small."""

import re
from collections.abc import Iterator
from datetime import date
from typing import BinaryIO

import mt940

from hundi.money.reconciliation.rules import CURRENCY, Controls, Line, LineKind, StatementError, cause_of, short, wrong

BYTES_MAX = 16 * 1024 * 1024
_NOT_GIVEN = {"NONREF", "NOTPROVIDED", None}
_TAG = re.compile(r"^:([0-9]{2}[A-Z]?):", re.MULTILINE)


def read(file: BinaryIO, controls: Controls) -> Iterator[Line]:
    """Yield the lines of a statement and fill in its controls, which are checked at the end.

    Raises StatementError: the file is refused whole.
    """
    text = _text(file)
    tags = _TAG.findall(text)
    if tags.count("20") != 1:
        message = f"a file holds one statement (:20:), and this one holds {tags.count('20')}"
        raise StatementError(message)
    if not {"60F", "62F"} <= set(tags):
        raise wrong(text.count("\n") + 1, "the statement is cut off: opening (:60F:) and closing (:62F:) are needed")
    try:
        found = mt940.parse(text)
    except Exception as error:  # noqa: BLE001 (the library raises whatever its patterns meet)
        raise wrong(0, f"it is no MT940: {str(error)[:200]}") from None
    said = found.data
    controls.account = short(str(said.get("account_identification", "")), 0, "account")
    controls.statement = short(str(said.get("transaction_reference", "")), 0, "reference")
    controls.opening_paise = _balance(said.get("final_opening_balance"))
    controls.closing_paise = _balance(said.get("final_closing_balance"))
    if tags.count("61") != len(found):
        raise wrong(0, f"{tags.count('61')} lines (:61:), of which {len(found)} can be read")
    places = [text.count("\n", 0, each.start()) + 1 for each in _TAG.finditer(text) if each[1] == "61"]
    for place, each in zip(places, found, strict=True):
        line = _line(place, each.data)
        controls.add(line)
        yield line
    controls.check()


def _text(file: BinaryIO) -> str:
    content = file.read(BYTES_MAX + 1)
    if len(content) > BYTES_MAX:
        message = f"an MT940 statement has at most {BYTES_MAX:,} bytes"
        raise StatementError(message)
    try:
        return content.decode("ascii").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise wrong(content.count(b"\n", 0, error.start) + 1, "MT940 has only characters of SWIFT's own set") from None


def _balance(said: object) -> int:
    amount = getattr(said, "amount", None)
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


def _line(place: int, said: dict[str, object]) -> Line:
    net = _paise(place, said["amount"])
    references = [
        str(said.get(name)) for name in ("bank_reference", "customer_reference") if said.get(name) not in _NOT_GIVEN
    ]
    reference = short(references[0] if references else "", place, "reference")
    booked = said.get("entry_date") or said["date"]
    day = date(booked.year, booked.month, booked.day) if isinstance(booked, date) else date.min
    kind = LineKind.OTHER if cause_of(reference) is None else LineKind.PAYMENT
    # The library's sign is in the amount: a debit is below zero.
    return Line(place, kind, net > 0, abs(net), 0, abs(net), reference, "", reference, day)
