"""Lines of reports in workbooks and documents: numbers are numbers, and nothing is a formula."""

import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from hundi.kernel.refusals import Refused
from hundi.money.reports.rules import cell
from hundi.money.reports.sheets import PDF_LINES_MAX, CsvSheet, PdfSheet, Sheet, XlsxSheet

_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
HEAD = ("at", "order_id", "amount", "day", "items")
EVIL = (
    '=HYPERLINK("http://x")',
    "+1",
    "-1+2",
    "@SUM(A1)",
    "\t=1",
    "https://evil.example",
    "mailto:x",
)


def cells(path: Path) -> list[list[tuple[str, str]]]:
    """Return the cells of a workbook: the kind of each, and its text."""
    with zipfile.ZipFile(path) as book:
        sheet = ET.fromstring(book.read("xl/worksheets/sheet1.xml"))  # noqa: S314 (ours)
        assert "hyperlink" not in ET.tostring(sheet, "unicode")
    assert not list(sheet.iter(f"{_S}f"))
    return [
        [(each.get("t", "n"), "".join(each.itertext())) for each in row.iter(f"{_S}c")]
        for row in sheet.iter(f"{_S}row")
    ]


def write(sheet: Sheet, *rows: tuple[str, ...]) -> None:
    sheet.writerow(HEAD)
    sheet.writerows(rows)
    sheet.close()


def test_a_workbook_has_amounts_to_the_paisa_and_no_formula(tmp_path: Path) -> None:
    rows = [("2026-11-20 14:05:00", text, "1499.50", "2026-11-20", "3") for text in EVIL]
    rows.append(("", "order-7", "-9999999999.99", "", ""))
    write(XlsxSheet(tmp_path / "a.xlsx", "Report"), *rows)
    head, *lines = cells(tmp_path / "a.xlsx")
    assert [text for _, text in head] == ["at", "order id", "amount", "day", "items"]
    for line, text in zip(lines, EVIL, strict=False):
        kinds = {kind for kind, value in line if value == text}
        assert kinds <= {"inlineStr", "str"}, text
        assert kinds, text
        assert line[2] == ("n", "1499.50")
        assert line[0][0] == "n"
    assert lines[-1] == [("inlineStr", "order-7"), ("n", "-9999999999.99")]
    write(XlsxSheet(tmp_path / "b.xlsx", "Report"), *rows)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


@pytest.mark.parametrize("text", EVIL[:5])
def test_a_csv_has_no_formula_and_no_card(tmp_path: Path, text: str) -> None:
    assert cell(text) == f"'{text}"
    assert "4111" not in cell("card 4111 1111 1111 1111 of Asha")
    write(CsvSheet(tmp_path / "a.csv"), ("", cell(text), "1.00", "", ""))
    assert not re.search(r"(^|,)\"?[=+@\t-]", (tmp_path / "a.csv").read_text().splitlines()[1])


def test_a_pdf_is_drawn_alike_and_has_no_more_lines_than_people_read(tmp_path: Path) -> None:
    row = ("2026-11-20 14:05:00", "order-7", "149900.50", "2026-11-20", "3")
    for name in ("a", "b"):
        write(PdfSheet(tmp_path / f"{name}.pdf", "Report", ["November."]), row)
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()
    sheet = PdfSheet(tmp_path / "c.pdf", "Report", [])
    with pytest.raises(Refused, match="field_invalid"):
        sheet.writerows([row] * (PDF_LINES_MAX + 1))
    sheet.abandon()
    assert not (tmp_path / "c.pdf").exists()
