"""A PDF is whole when its tables lead to its objects; cut and mended ones do not."""

import re
import zlib
from time import perf_counter

import pytest

from hundi.money.bank_accounts.papers.contents.pdf.rules import OPENED_BYTES_MAX, pdf_fault
from tests.documents import packed_pdf, pdf


def moved(content: bytes, change: int) -> bytes:
    """Return a PDF whose end says that its table stands elsewhere."""
    return re.sub(
        rb"startxref\n(\d+)", lambda found: b"startxref\n%d" % (int(found[1]) + change), content
    )


def changed(content: bytes) -> bytes:
    """Return a PDF to which a program added another version of its page, as they do."""
    start = content.rindex(b"startxref\n") + len(b"startxref\n")
    before = int(content[start:].split(b"\n")[0])
    page = b"3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>\nendobj\n"
    place = len(content) + len(page)
    table = b"xref\n3 1\n%010d 00000 n \ntrailer\n<< /Size 5 /Root 1 0 R /Prev %d >>\n"
    end = b"startxref\n%d\n%%%%EOF\n" % place
    return content + page + table % (len(content), before) + end


def test_a_pdf_that_was_changed_by_a_program_is_whole() -> None:
    assert pdf_fault(changed(pdf())) == ""
    assert pdf_fault(changed(changed(pdf()))) == ""


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (moved(pdf(), 5), "without a table"),
        (moved(pdf(), 10**6), "without a table"),
        (moved(packed_pdf(), 3), "without a table"),
        (pdf().replace(b"/Root 1 0 R", b"/Rood 1 0 R"), "all others hang on"),
        (pdf().replace(b"/Root 1 0 R", b"/Root 9 0 R"), "all others hang on"),
        (pdf().replace(b"/Type /Page ", b"/Type /Pale "), "without a page"),
        (pdf().replace(b"\ntrailer", b"\nTrailer"), "no trailer"),
        (pdf().replace(b" 00000 n", b" 0000 n", 1), "breaks off"),
        (pdf().replace(b"%PDF-1.5\n", b"%PDF-1.5"), "without a table"),
        (pdf() + pdf(), "another one behind it"),
        (changed(pdf()).replace(b"/Prev ", b"/Prev 9"), "without a table"),
        (packed_pdf().replace(b"/Predictor 12", b"/Predictor 15").replace(b"\0", b"\1"), "a PDF"),
        (packed_pdf().replace(b"/Columns 4", b"/Columns 99999999"), "rows without end"),
    ],
)
def test_what_does_not_lead_to_its_objects_is_named(content: bytes, fault: str) -> None:
    assert fault in pdf_fault(content)


@pytest.mark.parametrize("whole", [pdf(), packed_pdf(), changed(pdf())])
def test_a_pdf_that_lost_a_piece_is_not_whole(whole: bytes) -> None:
    """Whatever stands before the last table, a lost piece moves what this table leads to."""
    last = int(re.findall(rb"startxref\n(\d+)", whole)[-1])
    for at in range(9, last):
        assert pdf_fault(whole[:at] + whole[at + 3 :]) != "", at
    for length in range(len(whole) - 1):
        is_version_before = whole[:length].strip() == pdf().strip()
        assert (pdf_fault(whole[:length]) == "") is is_version_before, length


def test_a_pdf_that_grows_without_end_is_not_opened() -> None:
    bomb = zlib.compress(bytes(OPENED_BYTES_MAX + 1), 9)
    head = b"<< /Type /XRef /W [1 2 1] /Size 9 /Root 1 0 R /Filter /FlateDecode >>\nstream\n"
    table = b"1 0 obj\n" + head + bomb + b"\nendstream\nendobj\n"
    content = b"%PDF-1.5\n" + table + b"startxref\n9\n%%EOF\n"
    assert "grows without end" in pdf_fault(content)


@pytest.mark.parametrize(
    "middle",
    [
        b"xref\n0 1\n0000000000 65535 f \ntrailer " * 50_000,
        b"1 0 obj\n" * 250_000,
        b"startxref\n9\n%%EOF\n" * 100_000,
        b"xref\n" + b"0 1\n0000000009 00000 n \n" * 80_000,
    ],
)
def test_a_hostile_pdf_is_refused_at_once(middle: bytes) -> None:
    began = perf_counter()
    assert pdf_fault(b"%PDF-1.4\n" + middle + b"startxref\n9\n%%EOF\n") != ""
    assert perf_counter() - began < 2
