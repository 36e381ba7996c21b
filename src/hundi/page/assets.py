"""Static files of the pages, named by their content, and the headers that every page has."""

import base64
import gzip
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

STATIC_PATH = "/pay/v4/static"
_STATIC_FOLDER = Path(__file__).parent / "static"
CSS = "text/css"
SVG = "image/svg+xml; charset=utf-8"
_MEDIA_TYPES = {".css": CSS, ".js": "text/javascript", ".svg": SVG}
_NAME_DIGITS = 12
STATIC_LEVEL = 9
"""Files are compressed once, when a process starts."""
PAGE_LEVEL = 1
"""A page is compressed for each phone: 48 µs, and level 9 takes 120 µs for 7 % fewer bytes (decision 43)."""
# Everything that a page of ours never does is switched off, for our own scripts too.
_PERMISSIONS = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer",
        "camera",
        "display-capture",
        "geolocation",
        "gyroscope",
        "microphone",
        "payment",
        "usb",
    )
)


class Asset(NamedTuple):
    """One static file: where it is, its hash (subresource integrity), its content, plain and packed."""

    href: str
    integrity: str
    media_type: str
    content: bytes
    packed: bytes


def pack(content: bytes, level: int) -> bytes:
    """Return a content as gzip, the same bytes at any time."""
    return gzip.compress(content, level, mtime=0)


def takes_packed(accept_encoding: str) -> bool:
    """Return whether a browser takes gzip."""
    return "gzip" in accept_encoding


def _load(path: Path) -> Asset:
    content = path.read_bytes()
    digest = hashlib.sha384(content).digest()
    name = f"{path.stem}.{digest.hex()[:_NAME_DIGITS]}{path.suffix}"
    integrity = "sha384-" + base64.b64encode(digest).decode()
    return Asset(f"{STATIC_PATH}/{name}", integrity, _MEDIA_TYPES[path.suffix], content, pack(content, STATIC_LEVEL))


ASSETS = {path.name: _load(path) for path in sorted(_STATIC_FOLDER.iterdir()) if path.suffix in _MEDIA_TYPES}
_BY_HREF = {asset.href: asset for asset in ASSETS.values()}


def at(path: str) -> Asset | None:
    """Return the static file at a path, or None when there is none."""
    return _BY_HREF.get(path)


@lru_cache(maxsize=256)
def page_headers(form_targets: tuple[str, ...]) -> dict[str, str]:
    """Return the headers of a page whose forms, and their redirects, go to us and to these origins."""
    targets = " ".join(("'self'", *form_targets))
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        f"form-action {targets}; frame-ancestors 'none'; base-uri 'none'"
    )
    return {
        "content-security-policy": policy,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "cache-control": "no-store",
        "permissions-policy": _PERMISSIONS,
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }
