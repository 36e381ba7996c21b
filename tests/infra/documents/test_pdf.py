"""A PDF is taken when it is whole and only there to be read."""

import re
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from time import perf_counter

import pytest
from pypdf import PdfWriter
from pypdf.annotations import Link
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, TextStringObject

from hundi.infra.documents.bounded import MEMORY_BYTES_MAX, fault_of
from hundi.infra.documents.pdf import DEPTH_MAX, OPENED_BYTES_MAX, pdf_fault
from tests.documents import packed_pdf, pdf

BOUND_S = 4
"""The longest that a hostile file may take on a busy machine; each takes less than one second."""


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


def written(change: Callable[[PdfWriter], object]) -> bytes:
    """Return a PDF of one page that a program changed before it wrote it."""
    writer, file = PdfWriter(), BytesIO()
    writer.add_blank_page(300, 200)
    change(writer)
    writer.write(file)
    return file.getvalue()


def launch(writer: PdfWriter) -> None:
    """Let the document start a program when it is opened."""
    action = {NameObject("/S"): NameObject("/Launch"), NameObject("/F"): TextStringObject("x.exe")}
    writer.root_object[NameObject("/OpenAction")] = DictionaryObject(action)


def script(writer: PdfWriter) -> None:
    """Let the document run a script when it is opened."""
    action = {
        NameObject("/S"): NameObject("/JavaScript"),
        NameObject("/JS"): TextStringObject("app.alert('hello')"),
    }
    writer.root_object[NameObject("/OpenAction")] = DictionaryObject(action)


def nested(writer: PdfWriter) -> None:
    """Put arrays into arrays, deeper than any program does."""
    value = ArrayObject()
    for _ in range(DEPTH_MAX + 1):
        value = ArrayObject([value])
    writer.root_object[NameObject("/Deep")] = value


def bomb(parts: int = 1, size: int = OPENED_BYTES_MAX + 1) -> bytes:
    """Return a PDF with parts that are large when they are opened."""
    packed, file, places = zlib.compress(bytes(size), 9), bytearray(pdf()), list[int]()
    before = int(re.findall(rb"startxref\n(\d+)", pdf())[0])
    for number in range(parts):
        places.append(len(file))
        head = b"%d 0 obj\n<< /Filter /FlateDecode /Length %d >>\nstream\n"
        file += head % (10 + number, len(packed)) + packed + b"\nendstream\nendobj\n"
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    table = b"xref\n10 %d\n%strailer\n<< /Size %d /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n"
    return bytes(file) + table % (parts, rows, 10 + parts, before, len(file))


@pytest.mark.parametrize(
    "content",
    [
        pdf(),
        packed_pdf(),
        changed(pdf()),
        changed(changed(pdf())),
        bomb(3, 1000),
        written(lambda _: None),
        written(lambda writer: writer.add_metadata({"/Title": "JavaScript and /JS"})),
        written(
            lambda writer: writer.add_annotation(
                0, Link(rect=(0, 0, 9, 9), url="https://bank.example.in")
            )
        ),
    ],
    ids=["plain", "packed", "changed", "changed twice", "parts", "program", "words", "link"],
)
def test_a_whole_pdf_is_taken(content: bytes) -> None:
    assert pdf_fault(content) == ""


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (moved(pdf(), 5), "does not lead to its parts"),
        (moved(pdf(), 10**6), "does not lead to its parts"),
        (moved(packed_pdf(), 3), "does not lead to its parts"),
        (pdf().replace(b"/Root 1 0 R", b"/Rood 1 0 R"), "all others hang on"),
        (pdf().replace(b"/Root 1 0 R", b"/Root 9 0 R"), "a PDF "),
        (pdf().replace(b"/Type /Page ", b"/Type /Pale "), "without a page"),
        (pdf().replace(b"\ntrailer", b"\nTrailer"), "does not lead to its parts"),
        (pdf().replace(b" 00000 n", b" 0000 n", 1), "does not lead to its parts"),
        (pdf().replace(b"%PDF-1.5\n", b"%PDF-1.5"), "does not lead to its parts"),
        (pdf() + pdf(), "another one behind it"),
        (changed(pdf()).replace(b"/Prev ", b"/Prev 9"), "does not lead to its parts"),
        (packed_pdf().replace(b"/Predictor 12", b"/Predictor 15").replace(b"\0", b"\1"), "a PDF"),
        (packed_pdf().replace(b"/Columns 4", b"/Columns 99999999"), "a PDF"),
        (bomb(), "grows without end"),
        (bomb(3, OPENED_BYTES_MAX // 2), "grows without end"),
        (written(nested), "too deep"),
        (written(script), "with scripts"),
        (written(lambda writer: writer.add_attachment("run.exe", b"MZ")), "another file in it"),
        (written(lambda writer: writer.encrypt("secret", algorithm="RC4-128")), "a password"),
        (written(lambda writer: writer.encrypt("", algorithm="RC4-128")), "a password"),
        (written(launch), "a program to start"),
    ],
)
def test_what_is_not_whole_or_more_than_to_be_read_is_named(content: bytes, fault: str) -> None:
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


@pytest.mark.parametrize(
    "middle",
    [
        b"xref\n0 1\n0000000000 65535 f \ntrailer " * 50_000,
        b"1 0 obj\n" * 250_000,
        b"startxref\n9\n%%EOF\n" * 100_000,
        b"xref\n" + b"0 1\n0000000009 00000 n \n" * 80_000,
        b"<<" * 1_000_000,
        b"[" * 2_000_000,
    ],
)
def test_a_hostile_pdf_is_refused_at_once(middle: bytes) -> None:
    began = perf_counter()
    assert pdf_fault(b"%PDF-1.4\n" + middle + b"startxref\n9\n%%EOF\n") != ""
    assert perf_counter() - began < BOUND_S


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (pdf(), ""),
        (packed_pdf(), ""),
        (written(script), "a PDF with scripts"),
        (b"MZ", "something else, or a file without its end"),
    ],
)
async def test_a_document_is_opened_in_a_process_of_its_own(content: bytes, fault: str) -> None:
    assert await fault_of(content) == fault


@pytest.mark.parametrize(
    ("act", "within_s", "fault"),
    [
        (f"len(bytearray({MEMORY_BYTES_MAX}))", 60, "cannot be opened within its bounds"),
        ("os.write(os.open(folder, os.O_WRONLY | os.O_TMPFILE), b'x')", 60, "within its bounds"),
        ("time.sleep(60)", 1, "takes too long"),
        ("os.environ", 60, "environ({'LC_CTYPE': 'C.UTF-8'})"),
    ],
    ids=["memory", "files", "time", "settings"],
)
async def test_the_process_that_opens_documents_is_bounded(
    act: str, within_s: float, fault: str, tmp_path: Path
) -> None:
    """Its bounds are those of the system: no library can lift them."""
    script = (
        f"import os, time; from hundi.infra.documents import bounded, contents;"
        f" folder = {str(tmp_path)!r}; contents.content_fault = lambda _: str({act});"
        f" bounded.main()"
    )
    assert fault in await fault_of(pdf(), ("-c", script), within_s=within_s)
