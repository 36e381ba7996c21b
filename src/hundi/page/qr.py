"""The QR of one attempt as a small SVG: drawn once, when somebody looks at it, and kept for those who look again."""

from functools import lru_cache
from math import isqrt

import zxingcpp

# One attempt's QR lives for minutes and is looked at by one browser; this many are a few megabytes.
DRAWINGS_KEPT_MAX = 512
# Four light modules around the code are part of the standard: readers find its edge by them.
QUIET_MODULES = 4
# The lowest level of repair: a screen has no dirt, and fewer modules are larger ones to a bad camera.
_EC_LEVEL = "L"
# Any of the eight masks reads; trying them all for the prettiest is seven eighths of the encoder's work.
_MASK = 2
_LETTERS = bytes.maketrans(b"\x00\xff", b"DL")
# Dark modules are drawn, light ones stepped over; a longer run becomes several commands. Replacing in the whole string,
# the longest first, costs half of walking the runs.
_COMMANDS = tuple(
    (kind * length, command)
    for length in range(7, 0, -1)
    for kind, command in (("D", f"h{length}"), ("L", f"m{length} 0"))
)


@lru_cache(maxsize=DRAWINGS_KEPT_MAX)
def svg(text: str) -> bytes:
    """Return the QR of a text as an SVG document, always dark on white whatever the page's theme: scanners need that.

    One stroked path in module units; the page decides the size.
    """
    barcode = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode, ec_level=_EC_LEVEL, data_mask=_MASK)
    # The library's stub does not know that an image is a buffer.
    pixels = bytes(barcode.to_image(scale=1, add_quiet_zones=False))  # pyright: ignore[reportArgumentType]
    side = isqrt(len(pixels))
    letters = pixels.translate(_LETTERS).decode()
    path = f"m-{side} 1".join(letters[start : start + side] for start in range(0, side * side, side))
    for run, command in _COMMANDS:
        path = path.replace(run, command)
    size = side + 2 * QUIET_MODULES
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" shape-rendering="crispEdges">'
        f'<path fill="#fff" d="M0 0h{size}v{size}H0z"/>'
        f'<path stroke="#000" d="M{QUIET_MODULES} {QUIET_MODULES}.5{path}"/></svg>'
    ).encode()
