"""The drawn QR says exactly what was put in, with the quiet zone that readers need."""

import re

import pytest
import zxingcpp

from hundi.instruments import qr

LINK = "upi://pay?pa=m7@simbank&pn=Asha%20Stores&tr=7-215000000000001&am=1499.50&cu=INR&mode=22"


def dark_modules(svg: bytes) -> tuple[int, set[tuple[int, int]]]:
    """Walk the path the way a browser would.

    Return the side of the picture and the modules that are inked.
    """
    text = svg.decode()
    box = re.search(r'viewBox="0 0 (\d+)', text)
    path = re.search(r'stroke="#000" d="M(\d+) (\d+)\.5([^"]*)"', text)
    assert box is not None
    assert path is not None
    size = int(box[1])
    x, y, commands = path.groups()
    column, row = int(x), int(y)
    inked = set()
    for command, across, down in re.findall(r"([hm])(-?\d+)(?: (\d+))?", commands):
        if command == "h":
            inked |= {(row, column + step) for step in range(int(across))}
        column, row = column + int(across), row + int(down or 0)
    return size, inked


def read_back(svg: bytes) -> str:
    """Let a reader look at the picture, four pixels a module."""
    size, inked = dark_modules(svg)
    scale = 4
    side = size * scale
    pixels = bytes(
        0 if (i // side // scale, i % side // scale) in inked else 255 for i in range(side * side)
    )
    found = zxingcpp.read_barcodes(
        memoryview(pixels).cast("B", (side, side)), formats=zxingcpp.BarcodeFormat.QRCode
    )
    return found[0].text if found else ""


@pytest.mark.parametrize(
    "text", [LINK, LINK + "&tn=" + "%20x" * 30, "a", "upi://pay?pn=%E0%A4%86%E0%A4%B6%E0%A4%BE"]
)
def test_a_reader_reads_what_was_drawn(text):
    assert read_back(qr.svg(text)) == text


def test_the_quiet_zone_is_there():
    size, inked = dark_modules(qr.svg(LINK))
    for places in ([row for row, _ in inked], [column for _, column in inked]):
        assert min(places) == qr.QUIET_MODULES
        assert max(places) == size - qr.QUIET_MODULES - 1


def test_a_second_look_is_not_drawn_again():
    assert qr.svg(LINK) is qr.svg(LINK)
