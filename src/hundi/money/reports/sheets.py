"""Writes the lines of a report as CSV, XLSX or PDF, one after the other.

The texts of amounts, moments and days that a report writes are numbers and dates in a workbook.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.reports.rules import MONEY

PDF_LINES_MAX = 5_000
"""The most lines of a PDF: more are read by a program, from CSV or XLSX."""
XLSX_LINES_MAX = 1_000_000
"""The most lines of a workbook; Excel reads 1,048,576."""
MOMENTS = frozenset({"at", "booked_ist", "created_ist"})
"""The columns with moments, in Indian time."""
DAYS = frozenset({"day"})
Row = Sequence[str]


class Sheet:
    """A file that a report is written into, line by line; the first line has the columns.

    Lines are kept as CSV, which takes no time; `close` makes the form that was asked for, in a
    thread of its own.
    """

    LINES_MAX = 0
    """The most lines, 0 for any number."""
    FORM = "csv"

    def __init__(self, path: Path) -> None:
        """Open the file."""
        self.rows = 0
        self._path = path
        self._lines = path if self.FORM == "csv" else path.with_suffix(".lines")
        self._file = self._lines.open("w", encoding="utf-8", newline="")
        self._writer = csv.writer(self._file)

    def writerow(self, row: Row) -> None:
        """Write a line. Raises Refused (FIELD_INVALID) for one too many."""
        self.writerows([row])

    def writerows(self, rows: Iterable[Row]) -> None:
        """Write some lines. Raises Refused (FIELD_INVALID) for one too many."""
        for row in rows:
            self.rows += 1
            self._writer.writerow(row)
        if self.LINES_MAX and self.rows > self.LINES_MAX:
            raise refuse(
                RefusalCode.FIELD_INVALID,
                field="form",
                received=self.FORM,
                allowed=f"{self.LINES_MAX} lines at most: choose CSV, or fewer days",
            )

    def abandon(self) -> None:
        """Close what is open; the file is not whole."""
        self._file.close()

    def close(self) -> None:
        """Make the file; it is whole then."""
        self._file.close()
        if self.FORM != "csv":
            with self._lines.open(encoding="utf-8", newline="") as lines:
                self._make(csv.reader(lines))

    def _make(self, lines: Iterator[Row]) -> None:
        """Make the file of the lines, the first of which has the columns."""


class CsvSheet(Sheet):
    """A file of comma-separated values (RFC 4180), UTF-8."""


class XlsxSheet(Sheet):
    """A workbook with one sheet. A text is always written as a text, so no formula can be in it."""

    LINES_MAX = XLSX_LINES_MAX
    FORM = "xlsx"

    def __init__(self, path: Path, title: str) -> None:
        """Open the file. title: a property of the workbook."""
        super().__init__(path)
        self._title = title

    def _make(self, lines: Iterator[Row]) -> None:
        # Only who writes a workbook pays for loading it.
        from hundi.money.reports.workbooks import write_workbook  # noqa: PLC0415

        write_workbook(self._path, self._title, lines)


class PdfSheet(Sheet):
    """A document for printing, with a title and the lines as a table."""

    LINES_MAX = PDF_LINES_MAX
    FORM = "pdf"

    def __init__(self, path: Path, title: str, facts: Sequence[str]) -> None:
        """Open the file. title, facts: above the table."""
        super().__init__(path)
        self._title, self._facts = title, facts

    def _make(self, lines: Iterator[Row]) -> None:
        from hundi.money.reports.table_pages import table_pdf  # noqa: PLC0415 (as above)

        head, *rows = lines
        self._path.write_bytes(table_pdf(self._title, self._facts, head, rows, MONEY))
