"""Writes the lines of a report as a workbook."""

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from hundi.money.reports.rules import COUNTS, MONEY
from hundi.money.reports.sheets import DAYS, MOMENTS, Row

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)
"""When every workbook says it was made, so that the same lines give the same bytes."""
_WIDTH_MIN, _WIDTH_MAX, _WIDTH_MOMENT = 10, 40, 20


def write_workbook(path: Path, title: str, lines: Iterator[Row]) -> None:
    """Write a workbook with one sheet. lines: the first has the columns."""
    options = {"constant_memory": True, "tmpdir": str(path.parent)}
    with Workbook(str(path), options) as book:
        book.set_properties({"title": title, "created": _EPOCH})
        sheet = book.add_worksheet("Report")
        sheet.freeze_panes(1, 0)
        formats = _Formats(book)
        head = next(lines)
        for place, name in enumerate(head):
            width = _WIDTH_MOMENT if name in MOMENTS else len(name) + 4
            sheet.set_column(place, place, min(max(width, _WIDTH_MIN), _WIDTH_MAX))
            sheet.write_string(0, place, name.replace("_", " "), formats.bold)
        for number, line in enumerate(lines, 1):
            for place, text in enumerate(line):
                if text:
                    _write_cell(sheet, (number, place), head[place], text, formats)


class _Formats:
    """The looks of cells in one workbook."""

    def __init__(self, book: Workbook) -> None:
        self.bold = book.add_format({"bold": True, "bottom": 1})
        self.money = book.add_format({"num_format": "#,##0.00;[Red]-#,##0.00"})
        self.moment = book.add_format({"num_format": "dd mmm yyyy, hh:mm:ss"})
        self.day = book.add_format({"num_format": "dd mmm yyyy"})


def _write_cell(
    sheet: Worksheet, at: tuple[int, int], name: str, text: str, formats: _Formats
) -> None:
    """Write a text, or what it stands for in a column of this name."""
    row, column = at
    if name in MONEY:
        sheet.write_number(row, column, _number(text), formats.money)
    elif name in COUNTS:
        sheet.write_number(row, column, int(text))
    elif name in MOMENTS:
        sheet.write_datetime(row, column, datetime.fromisoformat(text), formats.moment)
    elif name in DAYS:
        sheet.write_datetime(row, column, datetime.fromisoformat(text), formats.day)
    else:
        sheet.write_string(row, column, text)


def _number(text: str) -> Any:  # noqa: ANN401 (the library writes a Decimal, and its types say float)
    """Return the amount of a text such as `1499.50`."""
    return Decimal(text)
