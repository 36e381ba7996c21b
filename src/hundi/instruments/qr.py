"""QR codes as pictures: a small SVG for our page, a PNG for merchants who show it themselves."""

import io
from functools import lru_cache
from math import isqrt

import png as pypng
import zxingcpp

# The QR of one attempt lives for minutes in one browser; this many take a few megabytes.
DRAWINGS_KEPT_MAX = 512
# The standard asks for four light modules around the code, by which readers find its edge.
QUIET_MODULES = 4
PNG_PIXELS_A_MODULE = 6
# The lowest level of repair: a screen has no dirt, and fewer modules are larger ones for a bad
# camera.
_EC_LEVEL = "L"
# Any of the eight masks can be read; comparing all of them is seven eighths of the encoder's work.
_MASK = 2
# Level 9 makes a picture of 850 bytes two bytes smaller and takes twice as long.
_PNG_COMPRESSION = 6
_DARK_LIGHT = bytes.maketrans(b"\x00\xff", b"DL")
_BITS = str.maketrans("DL", "01")
# Dark modules are drawn, light ones skipped; a longer run becomes several commands. Replacing in
# the whole string, the longest first, costs half of iterating over the runs.
_COMMANDS = tuple(
    (kind * length, command)
    for length in range(7, 0, -1)
    for kind, command in (("D", f"h{length}"), ("L", f"m{length} 0"))
)


def _rows(text: str) -> list[str]:
    """Return the code's rows of modules, D for dark and L for light."""
    barcode = zxingcpp.create_barcode(
        text, zxingcpp.BarcodeFormat.QRCode, ec_level=_EC_LEVEL, data_mask=_MASK
    )
    # The library's stub does not know that an image is a buffer.
    pixels = bytes(barcode.to_image(scale=1, add_quiet_zones=False))  # pyright: ignore[reportArgumentType]
    side = isqrt(len(pixels))
    letters = pixels.translate(_DARK_LIGHT).decode()
    return [letters[start : start + side] for start in range(0, side * side, side)]


@lru_cache(maxsize=DRAWINGS_KEPT_MAX)
def svg(text: str) -> bytes:
    """Return the QR of a text as an SVG document.

    It is dark on white in every theme, because scanners need that. One stroked path in module
    units; the page decides the size.
    """
    rows = _rows(text)
    path = f"m-{len(rows)} 1".join(rows)
    for run, command in _COMMANDS:
        path = path.replace(run, command)
    size = len(rows) + 2 * QUIET_MODULES
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" '
        'shape-rendering="crispEdges">'
        f'<path fill="#fff" d="M0 0h{size}v{size}H0z"/>'
        f'<path stroke="#000" d="M{QUIET_MODULES} {QUIET_MODULES}.5{path}"/></svg>'
    ).encode()


def png(text: str) -> bytes:
    """Return the QR of a text as a black and white PNG, with its quiet zone."""
    quiet = "L" * QUIET_MODULES
    rows = [f"{quiet}{row}{quiet}" for row in _rows(text)]
    light = "L" * len(rows[0])
    pixel_rows = [
        packed
        for row in (*[light] * QUIET_MODULES, *rows, *[light] * QUIET_MODULES)
        for packed in _stretched(row)
    ]
    side = len(light) * PNG_PIXELS_A_MODULE
    picture = io.BytesIO()
    # The library's annotations take its defaults' type for the parameters'.
    writer = pypng.Writer(side, side, greyscale=True, bitdepth=1, compression=_PNG_COMPRESSION)  # pyright: ignore[reportArgumentType]
    writer.write_packed(picture, pixel_rows)
    return picture.getvalue()


def _stretched(row: str) -> list[bytes]:
    """Return a row of modules as rows of pixels, one bit each, padded to whole bytes."""
    bits = "".join(module * PNG_PIXELS_A_MODULE for module in row.translate(_BITS))
    whole = -(-len(bits) // 8)
    return [int(bits.ljust(whole * 8, "0"), 2).to_bytes(whole, "big")] * PNG_PIXELS_A_MODULE
