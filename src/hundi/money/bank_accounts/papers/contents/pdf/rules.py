"""Whether a PDF is whole: its tables lead to its objects, and it has a page; pure.

Structure as in ISO 32000-1, 7.5: a header, objects, tables that say where these are, and at the end
where the newest table is. A file that was cut, or mended by hand, does not lead to its objects.
"""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

TABLES_MAX = 64
"""Tables of one file: each change of it adds one."""
OPENED_BYTES_MAX = 16 * 1024 * 1024
"""Bytes that compressed parts of one file may have when they are opened."""
_END = re.compile(rb"startxref\s+(\d{1,10})\s+%%EOF[\s\0]*\Z")
_ANY_END = re.compile(rb"startxref\s+\d{1,10}\s+%%EOF")
_TABLE = re.compile(rb"xref\s+(?=\d)")
_SECTION = re.compile(rb"(\d{1,10}) (\d{1,10})[ \r\n]+")
_ROW = re.compile(rb"(\d{10}) (\d{5}) ([nf])(?:\r\n| \r| \n|\n|\r)")
_OBJECT = re.compile(rb"\s{0,2}(\d{1,10})\s+(\d{1,5})\s+obj\b")
_STREAM = re.compile(rb"stream\r?\n")
_TRAILER = re.compile(rb"\s*trailer\b(.*?)\bstartxref\b", re.DOTALL)
_ROOT = re.compile(rb"/Root\s+(\d{1,10})\s+(\d{1,5})\s+R\b")
_PREVIOUS = re.compile(rb"/(?:Prev|XRefStm)\s+(\d{1,10})\b")
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_NUMBERS = {
    name: re.compile(rb"/" + name.encode() + rb"\s*\[([\d\s]+)\]") for name in ("W", "Index")
}
_NUMBER = {
    name: re.compile(rb"/" + name.encode() + rb"\s+(\d{1,10})\b")
    for name in ("Size", "Predictor", "Columns")
}
_FREE, _PLACED, _PACKED = range(3)
_NO_FILTER, _SUB, _UP = range(3)
_PREDICTED = 10
"""From this predictor on, each row begins with the number of its filter."""
_COLUMNS = 3
_ROW_BYTES_MAX = 64


class _BrokenError(Exception):
    """A PDF is not whole; the words say where."""


@dataclass(slots=True)
class _Tables:
    """What the tables of a file say: the newest one first.

    placed: where an object begins. packed: the object that an object is packed into. budget: bytes
    that compressed parts may still have when they are opened.
    """

    placed: dict[int, int] = field(default_factory=dict[int, int])
    packed: dict[int, int] = field(default_factory=dict[int, int])
    free: set[int] = field(default_factory=set[int])
    root: int = -1
    is_encrypted: bool = False
    budget: int = OPENED_BYTES_MAX

    def take(self, number: int, kind: int, value: int) -> None:
        """Keep what a table says of an object, unless a newer one has said it."""
        if number in self.placed or number in self.packed or number in self.free:
            return
        if kind == _PACKED:
            self.packed[number] = value
        elif kind == _PLACED and value:
            self.placed[number] = value
        else:
            self.free.add(number)

    def opened(self, packed: bytes) -> bytes:
        """Return a compressed part as it was. Raises _BrokenError."""
        opener = zlib.decompressobj()
        try:
            body = opener.decompress(packed, self.budget + 1)
        except zlib.error:
            problem = "a PDF with a part that cannot be opened"
            raise _BrokenError(problem) from None
        self.budget -= len(body)
        if self.budget < 0:
            problem = "a PDF that grows without end when it is opened"
            raise _BrokenError(problem)
        if not opener.eof:
            problem = "a PDF with a part that breaks off"
            raise _BrokenError(problem)
        return body


def pdf_fault(content: bytes) -> str:
    """Return in words why a PDF is not whole, "" for a whole one."""
    try:
        _check(content)
    except _BrokenError as broken:
        return str(broken)
    return ""


def _check(content: bytes) -> None:
    """Raise _BrokenError for a PDF that is not whole."""
    end = _END.search(content, max(0, content.rfind(b"startxref")))
    if end is None:
        problem = "a PDF that does not end as one, or with something behind its end"
        raise _BrokenError(problem)
    tables = _read(content, int(end[1]))
    for number, place in tables.placed.items():
        found = _OBJECT.match(content, place)
        if found is None or int(found[1]) != number:
            problem = f"a PDF without the object {number} where its table says"
            raise _BrokenError(problem)
    missing = set(tables.packed.values()) - set(tables.placed)
    if tables.root not in tables.placed and tables.root not in tables.packed:
        problem = "a PDF without the object that all others hang on"
        raise _BrokenError(problem)
    if missing:
        problem = f"a PDF without the object {min(missing)}"
        raise _BrokenError(problem)
    if not any(_PAGE.search(each) for each in _parts(content, tables)):
        problem = "a PDF without a page"
        raise _BrokenError(problem)


def _parts(content: bytes, tables: _Tables) -> Iterator[bytes]:
    """Yield what may tell of a page: each object, and those that are packed into others."""
    places = sorted(tables.placed.values())
    for place, end in pairwise((*places, len(content))):
        yield content[place:end].partition(b"stream")[0]
    if tables.is_encrypted and tables.packed:
        yield b"/Type /Page"  # a packed page of a file with a password: nobody else reads it
        return
    for number in sorted(set(tables.packed.values())):
        head, stream = _stream_at(content, tables.placed[number])
        yield tables.opened(stream) if b"/FlateDecode" in head else stream


def _read(content: bytes, place: int) -> _Tables:
    """Return what the tables say from the newest one on. Raises _BrokenError."""
    tables, waiting, seen = _Tables(), [place], set[int]()
    while waiting:
        place = waiting.pop(0)
        if place in seen:
            continue
        seen.add(place)
        if len(seen) > TABLES_MAX:
            problem = f"a PDF with more than {TABLES_MAX} tables"
            raise _BrokenError(problem)
        is_plain = _TABLE.match(content, place) is not None
        trailer = (_take_plain if is_plain else _take_stream)(content, place, tables)
        root = _ROOT.search(trailer)
        if root is not None and tables.root < 0:
            tables.root = int(root[1])
        tables.is_encrypted |= b"/Encrypt" in trailer
        waiting += [int(each) for each in _PREVIOUS.findall(trailer)]
    if len(_ANY_END.findall(content, max(seen))) > 1:
        problem = "a PDF and another one behind it"
        raise _BrokenError(problem)
    return tables


def _take_plain(content: bytes, place: int, tables: _Tables) -> bytes:
    """Take in a table in plain text, and return its trailer. Raises _BrokenError."""
    start = _TABLE.match(content, place)
    at = start.end() if start else place
    while section := _SECTION.match(content, at):
        at, first, rows = section.end(), int(section[1]), int(section[2])
        for number in range(first, first + rows):
            row = _ROW.match(content, at)
            if row is None:
                problem = "a PDF whose table breaks off"
                raise _BrokenError(problem)
            tables.take(number, _PLACED if row[3] == b"n" else _FREE, int(row[1]))
            at = row.end()
    trailer = _TRAILER.match(content, at)
    if trailer is None:
        problem = "a PDF whose table has no trailer"
        raise _BrokenError(problem)
    return trailer[1]


def _take_stream(content: bytes, place: int, tables: _Tables) -> bytes:
    """Take in a table that is compressed, and return its dictionary. Raises _BrokenError."""
    head, stream = _stream_at(content, place)
    sizes = _numbers(head, "W")
    if b"/XRef" not in head or len(sizes) != _COLUMNS:
        problem = "a PDF without a table where its end says"
        raise _BrokenError(problem)
    body = _unpredicted(tables.opened(stream) if b"/FlateDecode" in head else stream, head)
    index = _numbers(head, "Index") or [0, _number(head, "Size")]
    at, width = 0, sum(sizes)
    for first, rows in zip(index[::2], index[1::2], strict=False):
        for number in range(first, first + rows):
            row = body[at : at + width]
            if len(row) < width or not width:
                problem = "a PDF whose table breaks off"
                raise _BrokenError(problem)
            kind = int.from_bytes(row[: sizes[0]], "big") if sizes[0] else _PLACED
            value = int.from_bytes(row[sizes[0] : sizes[0] + sizes[1]], "big")
            tables.take(number, kind, value)
            at += width
    return head


def _stream_at(content: bytes, place: int) -> tuple[bytes, bytes]:
    """Return dictionary and stream of an object. Raises _BrokenError."""
    start = _OBJECT.match(content, place)
    begins = _STREAM.search(content, place) if start else None
    ends = content.find(b"endstream", begins.end()) if begins else -1
    if start is None or begins is None or ends < 0:
        problem = "a PDF without a table or a part where it says"
        raise _BrokenError(problem)
    return content[start.end() : begins.start()], content[begins.end() : ends]


def _unpredicted(body: bytes, head: bytes) -> bytes:
    """Return the rows of a table without their filters. Raises _BrokenError."""
    if _number(head, "Predictor") < _PREDICTED:
        return body
    columns, rows = _number(head, "Columns") or 1, list[bytes]()
    if columns > _ROW_BYTES_MAX:
        problem = "a PDF whose table has rows without end"
        raise _BrokenError(problem)
    before = bytes(columns)
    for at in range(0, len(body), columns + 1):
        kind, row = body[at], bytearray(body[at + 1 : at + 1 + columns])
        if kind not in {_NO_FILTER, _SUB, _UP}:
            problem = "a PDF whose table has another filter than none, sub and up"
            raise _BrokenError(problem)
        for number in range(len(row)):
            left = row[number - 1] if number else 0
            row[number] = (row[number] + {_SUB: left, _UP: before[number]}.get(kind, 0)) & 0xFF
        before = bytes(row).ljust(columns, b"\0")
        rows.append(bytes(row))
    return b"".join(rows)


def _numbers(head: bytes, name: str) -> list[int]:
    found = _NUMBERS[name].search(head)
    return [int(each) for each in found[1].split()] if found else []


def _number(head: bytes, name: str) -> int:
    found = _NUMBER[name].search(head)
    return int(found[1]) if found else 0
