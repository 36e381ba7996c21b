"""Reads CSV by the mapping in an acquirer's terms: columns, formats, signs, row of totals."""

import csv
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import BinaryIO

from hundi.money.reconciliation.rules import (
    CURRENCY,
    Controls,
    CsvMapping,
    Line,
    LineKind,
    StatementError,
    cause_of,
    exact,
    paise_of,
    short,
    wrong,
)

OURS = "our-account"
"""The name of our own bank account where an acquirer's name is expected."""
ROW_BYTES_MAX = 8_192
DAYS_MAX = 4_096
_MARK = b"\xef\xbb\xbf"
_DEBITS = {LineKind.REFUND, LineKind.CHARGEBACK, LineKind.HANDOVER}


def read(file: BinaryIO, mapping: CsvMapping, controls: Controls) -> Iterator[Line]:
    """Yield the lines of a file, fill in its controls, and check them at the end.

    Raises StatementError with the line's number: the whole file is refused.
    """
    rows = csv.reader(_rows(file), delimiter=mapping.delimiter, strict=True)
    try:
        yield from _lines(rows, mapping, controls)
    except csv.Error as error:
        raise wrong(rows.line_num, f"it is no CSV: {error}") from None
    except UnicodeDecodeError:
        raise wrong(rows.line_num + 1, "it is no text in UTF-8") from None
    controls.check()


def _rows(file: BinaryIO) -> Iterator[str]:
    """Yield the rows of a file; refuse a row that is too long, or a last row that is cut off."""
    place = 0
    while row := file.readline(ROW_BYTES_MAX):
        place += 1
        if not row.endswith(b"\n"):
            long = len(row) >= ROW_BYTES_MAX
            raise wrong(
                place,
                "the row is too long" if long else "the file is cut off in the middle of this row",
            )
        if b"\0" in row:
            raise wrong(place, "it is no CSV")
        yield (row.removeprefix(_MARK) if place == 1 else row).decode()


def _lines(rows: Iterator[list[str]], mapping: CsvMapping, controls: Controls) -> Iterator[Line]:
    head = next(rows, [])
    places = {
        ours: head.index(theirs) for ours, theirs in mapping.columns.items() if theirs in head
    }
    missing = [theirs for ours, theirs in mapping.columns.items() if ours not in places]
    if missing:
        raise wrong(1, f"the file has no column {', '.join(missing)}")
    ends = {
        name: head.index(column)
        for name, column in (("count", mapping.trailer_count), ("sum", mapping.trailer_sum))
        if column in head
    }
    reader = _RowReader(mapping, places, controls)
    ended = False
    for place, row in enumerate(rows, start=2):
        if ended:
            raise wrong(place, f"there is a row after the totals ({mapping.trailer})")
        if len(row) != len(head):
            raise wrong(place, f"the row has {len(row)} fields, and the head {len(head)}")
        if mapping.trailer and row[0] == mapping.trailer:
            ended = True
            _totals(place, row, ends, reader, controls)
            continue
        line = reader.line(place, row)
        controls.add(line)
        yield line
    if mapping.trailer and not ended:
        raise wrong(
            controls.lines + 2,
            f"the row of totals ({mapping.trailer}) is missing: the file is cut off",
        )


def _totals(
    place: int, row: Sequence[str], ends: dict[str, int], reader: "_RowReader", controls: Controls
) -> None:
    reader.check_constant(row, place)
    if day := row[reader.day_place]:
        controls.cover(reader.day(day, place))
    if "count" in ends:
        count = row[ends["count"]]
        if not (count.isascii() and count.isdecimal()):
            raise wrong(place, f"{count[:40]!r} is no count")
        controls.stated_lines = int(count[:12])
    if "sum" in ends:
        text = row[ends["sum"]]
        paise = reader.paise(text.removeprefix("-"), place)
        controls.stated_paise = -paise if text.startswith("-") else paise


class _RowReader:
    """Reads the rows of one file. Knows the place of each column, and the days read before."""

    def __init__(self, mapping: CsvMapping, places: dict[str, int], controls: Controls) -> None:
        self._mapping, self._places, self._controls = mapping, places, controls
        self._days: dict[str, date] = {}
        self.day_place = places["day"]
        self._in_rupees = mapping.amounts_in == "rupees"

    def paise(self, text: str, place: int) -> int:
        """Return an amount of this file in paise. Raises StatementError."""
        if self._in_rupees:
            return paise_of(text, place)
        if not (text.isascii() and text.isdecimal()) or len(text) > 15:  # noqa: PLR2004 (digits of AMOUNT_MAX)
            raise wrong(place, f"{text[:40]!r} is no amount in paise")
        return int(text)

    def line(self, place: int, row: Sequence[str]) -> Line:
        """Return the line of a row. Raises StatementError."""
        places = self._places
        self.check_constant(row, place)
        kind_text = row[places["kind"]] if "kind" in places else ""
        kind = self._mapping.kinds.get(kind_text, LineKind.OTHER)
        reference = (
            short(row[places["reference"]], place, "reference") if "reference" in places else ""
        )
        if (
            kind is LineKind.OTHER
            and kind_text not in self._mapping.kinds
            and (cause := cause_of(reference))
        ):
            kind = cause[0]
        if "net" in places:
            credit = self._is_credit(row, kind, place)
            net = self.paise(row[places["net"]].removeprefix("-"), place)
        else:
            credit, net = self._side(row, place)
        fee = self.paise(row[places["fee"]] or "0", place) if "fee" in places else 0
        gross = (
            self.paise(row[places["gross"]], place)
            if "gross" in places
            else net + (fee if credit else -fee)
        )
        rrn = short(row[places["rrn"]], place, "RRN") if "rrn" in places else ""
        utr = short(row[places["utr"]], place, "UTR") if "utr" in places else ""
        return Line(
            place,
            kind,
            credit,
            gross,
            fee,
            net,
            reference,
            rrn,
            utr,
            self.day(row[places["day"]], place),
        )

    def _side(self, row: Sequence[str], place: int) -> tuple[bool, int]:
        """Return whether a row is a credit, and its paise; debit and credit have a column each."""
        out, came = (
            self.paise(row[self._places[name]].strip() or "0", place)
            for name in ("debit", "credit")
        )
        if bool(out) == bool(came):
            raise wrong(
                place, "one of its two amounts, debit and credit, has to be there, and not both"
            )
        return bool(came), out or came

    def _is_credit(self, row: Sequence[str], kind: LineKind, place: int) -> bool:
        below_zero = row[self._places["net"]].startswith("-")
        if "sign" not in self._places:
            return kind not in _DEBITS and not below_zero
        sign = row[self._places["sign"]]
        if sign not in self._mapping.signs:
            raise wrong(place, f"{sign[:40]!r} is no sign that the mapping knows")
        credit = self._mapping.signs[sign] == "credit"
        if credit and below_zero:
            raise wrong(place, "its amount is below zero, and its sign says credit")
        return credit

    def check_constant(self, row: Sequence[str], place: int) -> None:
        """Check the fields that are the same in every row: account and currency."""
        if "currency" in self._places and row[self._places["currency"]] != CURRENCY:
            raise wrong(
                place,
                (
                    f"it is in {row[self._places['currency']][:9]}, and accounts here are in"
                    f" {CURRENCY}"
                ),
            )
        if "account" in self._places:
            account = row[self._places["account"]]
            if not self._controls.account:
                self._controls.account = exact(account, place, "account")
            elif account != self._controls.account:
                raise wrong(
                    place,
                    f"it is of account {account[:40]}, and the file of {self._controls.account}",
                )

    def day(self, text: str, place: int) -> date:
        """Return a day of this file. Raises StatementError."""
        known_day = self._days.get(text)
        if known_day is None:
            try:
                known_day = datetime.strptime(text, self._mapping.day_format).date()  # noqa: DTZ007 (a day has no zone)
            except ValueError:
                message = f"{text[:40]!r} is no day of the form {self._mapping.day_format}"
                raise wrong(place, message) from None
            if len(self._days) < DAYS_MAX:
                self._days[text] = known_day
        return known_day


def need_mapping(mapping: CsvMapping | None, connector: str) -> CsvMapping:
    """Return the mapping. Raises StatementError if the acquirer's terms have none."""
    if mapping is None:
        whose, name = (
            (f"the terms of {connector} have", connector)
            if connector
            else ("our account has", OURS)
        )
        message = f"{whose} no mapping of CSV: `hundi reconcile terms set {name} FILE`"
        raise StatementError(message)
    return mapping
