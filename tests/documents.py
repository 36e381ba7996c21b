"""Documents that people give: whole PDFs and pictures, as small as they can be."""

import io
import zlib
from collections.abc import Mapping
from hashlib import shake_256

from PIL import Image

_SIDES = (300, 200)


def pdf(words: str = "A cheque, crossed out") -> bytes:
    """Return a whole PDF of one page, with its table in plain text."""
    return _written(_objects(words), {})


def packed_pdf(words: str = "A statement") -> bytes:
    """Return a whole PDF as today's programs write it: pages and table are compressed."""
    objects = _objects(words)
    stream = objects.pop(4)
    head = " ".join(
        f"{number} {sum(len(objects[each]) + 1 for each in objects if each < number)}"
        for number in objects
    )
    body = f"{head}\n".encode() + b"".join(each + b"\n" for each in objects.values())
    first = len(head) + 1
    attributes = f"/Type /ObjStm /N {len(objects)} /First {first}"
    return _written({4: stream, 5: _stream(body, attributes)}, dict.fromkeys(objects, 5))


def _objects(words: str) -> dict[int, bytes]:
    line = f"BT /F1 12 Tf 50 700 Td ({words}) Tj ET"
    return {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>",
        4: _stream(line.encode(), ""),
    }


def _stream(body: bytes, attributes: str) -> bytes:
    packed = zlib.compress(body)
    head = f"<< {attributes} /Filter /FlateDecode /Length {len(packed)} >>\nstream\n"
    return head.encode() + packed + b"\nendstream"


def _written(objects: Mapping[int, bytes], packed: Mapping[int, int]) -> bytes:
    """Return a file of objects. packed: the object that others are packed into."""
    file, places = bytearray(b"%PDF-1.5\n"), dict[int, int]()
    for number, body in objects.items():
        places[number] = len(file)
        file += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start, size = len(file), max(*objects, *packed, 0) + 1
    if not packed:
        rows = ["0000000000 65535 f ", *(f"{places[each]:010} 00000 n " for each in range(1, size))]
        table = "\n".join(("xref", f"0 {size}", *rows, f"trailer\n<< /Size {size} /Root 1 0 R >>"))
        return bytes(file) + f"{table}\nstartxref\n{start}\n%%EOF\n".encode()
    places[size] = start
    rows = [
        bytes((2, 0, packed[each], 0))
        if each in packed
        else bytes((1, *places[each].to_bytes(2, "big"), 0))
        for each in range(1, size + 1)
    ]
    attributes = f"/Type /XRef /Size {size + 1} /Index [1 {size}] /W [1 2 1] /Root 1 0 R"
    attributes += " /DecodeParms << /Predictor 12 /Columns 4 >>"
    body = _stream(_predicted(rows), attributes)
    table = f"{size} 0 obj\n".encode() + body + b"\nendobj\n"
    return bytes(file) + table + f"startxref\n{start}\n%%EOF\n".encode()


def _predicted(rows: list[bytes]) -> bytes:
    """Return rows as differences from the row above, each behind the number of that filter."""
    before, written = bytes(4), b""
    for row in rows:
        written += b"\x02" + bytes((a - b) & 0xFF for a, b in zip(row, before, strict=True))
        before = row
    return written


def picture(form: str = "PNG", sides: tuple[int, int] = _SIDES) -> bytes:
    """Return a picture of noise: as a scan, it cannot be packed well. form: PNG or JPEG."""
    width, height = sides
    points = shake_256(b"a scan").digest(width * height)
    file = io.BytesIO()
    Image.frombytes("L", sides, points).save(file, form)
    return file.getvalue()
