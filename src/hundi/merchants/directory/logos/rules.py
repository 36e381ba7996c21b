"""Rules of logos: which pictures are taken, what is kept of them, and how pages name one; pure."""

import hashlib
import io
import re
from dataclasses import dataclass, field

from PIL import Image, UnidentifiedImageError

from hundi.kernel.refusals import RefusalCode, Refused, refuse

LOGO_BYTES_MAX = 1024 * 1024
"""Bytes of an uploaded picture."""
SIDE_PIXELS_MIN, PIXELS_MAX = 32, 16_000_000
ASPECT_MAX = 8
"""How many times longer the long side may be: of a longer strip nobody reads anything."""
WIDTH_KEPT, HEIGHT_KEPT = 480, 144
"""Pixels of the kept picture at most: pages show 32 high, and phones have three for each."""
_BYTES_UNREDUCED = 12_000
"""Bytes of a picture in all of its colours; a larger one gets 256 of them."""
_COLOURS = 256
_MARK_DIGITS = 16
_NAME = re.compile(r"([0-9a-f]{16})\.([1-9][0-9]{0,2})x([1-9][0-9]{0,2})\Z")
ALLOWED = (
    f"a PNG, JPEG or WebP of up to 1 MB, {SIDE_PIXELS_MIN} pixels a side or more,"
    f" at most {ASPECT_MAX} times as long as high"
)


@dataclass(frozen=True, slots=True)
class LogoPicture:
    """A logo as it is kept: a PNG that we wrote, so that nothing but its pixels is of the upload.

    mark: of its bytes. width, height: in pixels.
    """

    content: bytes = field(repr=False)
    mark: str
    width: int
    height: int

    @property
    def name(self) -> str:
        """Return the name by which a merchant's settings and pages call it."""
        return f"{self.mark}.{self.width}x{self.height}"


def picture_of(content: bytes) -> LogoPicture:
    """Return what is kept of an uploaded picture. Raises Refused (FIELD_INVALID)."""
    if not 0 < len(content) <= LOGO_BYTES_MAX:
        raise _wrong(f"{len(content)} bytes")
    try:
        with Image.open(io.BytesIO(content), formats=("PNG", "JPEG", "WEBP")) as opened:
            width, height = opened.size
            if min(width, height) < SIDE_PIXELS_MIN or width * height > PIXELS_MAX:
                raise _wrong(f"a picture of {width} x {height} pixels")
            if max(width, height) > ASPECT_MAX * min(width, height):
                raise _wrong(f"a picture of {width} x {height} pixels")
            picture = opened.convert("RGBA")
    except (OSError, SyntaxError, ValueError, UnidentifiedImageError, Image.DecompressionBombError):
        raise _wrong("something else, or a picture that cannot be opened") from None
    picture.thumbnail((WIDTH_KEPT, HEIGHT_KEPT), Image.Resampling.LANCZOS)
    kept = _png(picture)
    if len(kept) > _BYTES_UNREDUCED:
        kept = _png(picture.quantize(_COLOURS, Image.Quantize.FASTOCTREE))
    mark = hashlib.sha256(kept).hexdigest()[:_MARK_DIGITS]
    return LogoPicture(kept, mark, *picture.size)


def _png(picture: Image.Image) -> bytes:
    written = io.BytesIO()
    picture.save(written, "PNG", optimize=True)
    return written.getvalue()


def parse_name(name: str) -> tuple[str, int, int] | None:
    """Return (mark, width, height) of a logo's name, None for no such name."""
    match = _NAME.match(name)
    return (match[1], int(match[2]), int(match[3])) if match else None


def _wrong(received: str) -> Refused:
    return refuse(RefusalCode.FIELD_INVALID, field="logo", received=received, allowed=ALLOWED)
