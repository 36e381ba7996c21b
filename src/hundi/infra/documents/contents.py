"""Which content a document may have: a whole PDF, PNG or JPEG that is no other file too; pure."""

import io
import struct

from PIL import Image, UnidentifiedImageError

from hundi.infra.documents.pdf import pdf_fault
from hundi.kernel.documents import media_type

SIDE_PIXELS_MIN = 200
"""Pixels of the shorter side of a picture: of fewer nobody reads a name and a number."""
PIXELS_MAX = 25_000_000
"""Pixels of a picture: A4 at 400 dots an inch has 15 million. Opened, each takes up to 4 bytes."""
_PNG_START, _CHUNK_EXTRA = 8, 12
_END_OF_ZIP = b"PK\x05\x06"
_ZIP_END, _ZIP_ENTRY = struct.Struct("<12xLL"), b"PK\x01\x02"
_ELSEWHERE = (b"Rar!\x1a\x07", b"7z\xbc\xaf\x27\x1c")
_TAR = slice(257, 262)
_PDF_WITHIN = 1024
"""A reader looks for the first mark of a PDF in so many bytes."""
_MARKER, _START, _END, _SCAN = 0xFF, 0xD8, 0xD9, 0xDA
_IN_SCAN = {0x00, *range(0xD0, 0xD8)}
_LENGTH = 2


def content_fault(content: bytes) -> str:
    """Return in words why some content is no document, "" for a whole one."""
    kind = media_type(content)
    if not kind:
        return "something else, or a file without its end"
    if _is_archive(content):
        return "an archive as well"
    if kind == "application/pdf":
        return pdf_fault(content)
    if b"%PDF-" in content[:_PDF_WITHIN]:
        return "a picture and a PDF in one file"
    return _picture_fault(content, kind)


def _is_archive(content: bytes) -> bool:
    """Return whether a program for archives finds one in a file that begins as another type."""
    at = content.find(_END_OF_ZIP)
    while at >= 0:
        if len(content) >= at + _ZIP_END.size:
            size, _ = _ZIP_END.unpack_from(content, at)
            if size <= at and content.startswith(_ZIP_ENTRY, at - size):
                return True
        at = content.find(_END_OF_ZIP, at + 1)
    return content[_TAR] == b"ustar" or any(each in content for each in _ELSEWHERE)


def _picture_fault(content: bytes, kind: str) -> str:
    end = _end_of_png(content) if kind == "image/png" else _end_of_jpeg(content)
    if end < 0:
        return "a picture that breaks off"
    if content[end:].strip(b"\r\n\0 "):
        return f"a picture with {len(content) - end} bytes behind its end"
    try:
        with Image.open(io.BytesIO(content), formats=("PNG", "JPEG")) as picture:
            width, height = picture.size
            if min(width, height) < SIDE_PIXELS_MIN or width * height > PIXELS_MAX:
                return (
                    f"a picture of {width} x {height} pixels, not of {SIDE_PIXELS_MIN} a side to"
                    f" {PIXELS_MAX // 1_000_000} million in all"
                )
            picture.load()
    except (OSError, SyntaxError, ValueError, UnidentifiedImageError, Image.DecompressionBombError):
        return "a picture that cannot be opened"
    return ""


def _end_of_png(content: bytes) -> int:
    """Return where the last chunk of a PNG ends, -1 if there is none."""
    at = _PNG_START
    while at + _CHUNK_EXTRA <= len(content):
        size, name = int.from_bytes(content[at : at + 4], "big"), content[at + 4 : at + 8]
        at += _CHUNK_EXTRA + size
        if name == b"IEND":
            return at if at <= len(content) else -1
    return -1


def _end_of_jpeg(content: bytes) -> int:
    """Return where a JPEG ends, with the further pictures that telephones put behind the first."""
    at = 0
    while content[at : at + 2] == bytes((_MARKER, _START)):
        at = _end_of_one_jpeg(content, at + 2)
        if at < 0:
            return -1
    return at


def _end_of_one_jpeg(content: bytes, at: int) -> int:
    """Return where a picture ends whose first segment begins at a place, -1 if it breaks off."""
    while at + 1 < len(content) and content[at] == _MARKER:
        kind = content[at + 1]
        if kind == _END:
            return at + 2
        if kind == _MARKER:
            at += 1  # a filling byte before a marker
            continue
        size = int.from_bytes(content[at + 2 : at + 2 + _LENGTH], "big")
        if size < _LENGTH:
            return -1
        at += 2 + size
        if kind == _SCAN:
            at = _end_of_scan(content, at)
            if at < 0:
                return -1
    return -1


def _end_of_scan(content: bytes, at: int) -> int:
    """Return the place of the first marker behind the points of a picture, -1 for none."""
    while (at := content.find(_MARKER, at)) >= 0 and at + 1 < len(content):
        if content[at + 1] not in _IN_SCAN:
            return at
        at += 2
    return -1
