"""Papers are whole PDFs and pictures; what is two files in one, or a part of one, is refused."""

import io
import struct
import tarfile
import zipfile
import zlib

import pytest

from hundi.infra.documents.contents import PIXELS_MAX, content_fault
from tests.documents import packed_pdf, pdf, picture

_ENDS = {"PNG": b"IEND\xaeB`\x82", "JPEG": b"\xff\xd9"}


def archive(before: bytes = b"") -> bytes:
    """Return an archive with a program in it, behind something else."""
    file = io.BytesIO()
    file.write(before)
    with zipfile.ZipFile(file, "a") as made:
        made.writestr("run.exe", b"MZ")
    return file.getvalue()


def chunk(name: bytes, body: bytes) -> bytes:
    """Return a chunk of a PNG."""
    return struct.pack(">L", len(body)) + name + body + struct.pack(">L", zlib.crc32(name + body))


def with_chunk(body: bytes) -> bytes:
    """Return a PNG with words between its parts."""
    whole = picture()
    at = whole.index(b"IDAT") - 4
    return whole[:at] + chunk(b"tEXt", b"Comment\0" + body) + whole[at:]


def with_comment(body: bytes) -> bytes:
    """Return a JPEG with words before its parts."""
    whole = picture("JPEG")
    return whole[:2] + b"\xff\xfe" + struct.pack(">H", len(body) + 2) + body + whole[2:]


@pytest.mark.parametrize(
    "content",
    [
        pdf(),
        packed_pdf(),
        picture(),
        picture("JPEG"),
        picture("JPEG") * 2,
        with_comment(b"Taken with a telephone"),
        with_chunk(b"Scanned"),
        pdf() + b"\r\n\0\n",
    ],
    ids=["pdf", "packed", "png", "jpeg", "two jpegs", "comment", "chunk", "line ends"],
)
def test_a_whole_document_is_taken(content: bytes) -> None:
    assert content_fault(content) == ""


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "something else"),
        (b"GIF89a", "something else"),
        (b"MZ" + pdf(), "something else"),
        (b"%PDF-1.4\nA cheque\n%%EOF\n", "does not end as one"),
        (pdf() + b"MZ", "does not end as one"),
        (archive(pdf())[:-3] + b"\n%%EOF", "an archive as well"),
        (pdf().replace(b"/Contents", b"/C") + archive() + pdf(), "an archive as well"),
        (with_chunk(archive()), "an archive as well"),
        (with_comment(archive()), "an archive as well"),
        (with_comment(b"Rar!\x1a\x07\x01\0"), "an archive as well"),
        (with_comment(pdf()), "a picture and a PDF"),
        (picture() + b"hello" + _ENDS["PNG"], "13 bytes behind its end"),
        (picture("JPEG") + b"hello" + _ENDS["JPEG"], "7 bytes behind its end"),
        (picture()[:2000] + _ENDS["PNG"], "breaks off"),
        (picture("JPEG")[:300] + _ENDS["JPEG"], "a picture that"),
        (picture().replace(b"IDAT", b"IDAU"), "cannot be opened"),
        (picture(sides=(199, 400)), "199 x 400 pixels"),
        (picture("JPEG", (400, 60)), "400 x 60 pixels"),
    ],
)
def test_what_is_no_whole_document_is_named(content: bytes, fault: str) -> None:
    assert fault in content_fault(content)


def test_an_archive_of_tapes_with_the_beginning_of_a_pdf_is_none() -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as tape:
        tape.addfile(tarfile.TarInfo("%PDF-1.4 run.exe"), io.BytesIO())
    assert content_fault(file.getvalue() + pdf()) == "an archive as well"


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_a_picture_that_breaks_off_anywhere_is_not_taken(form: str) -> None:
    whole = picture(form)
    for length in range(0, len(whole), 997):
        assert content_fault(whole[:length]) != "", length


def test_a_picture_that_would_fill_the_memory_is_not_opened() -> None:
    side = int(PIXELS_MAX**0.5) + 1
    head = struct.pack(">LLBBBBB", side, side, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes(side * (side // 8 + 1)), 9)
    bomb = b"\x89PNG\r\n\x1a\n" + b"".join(
        chunk(*each) for each in ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b""))
    )
    assert f"{side} x {side} pixels" in content_fault(bomb)
