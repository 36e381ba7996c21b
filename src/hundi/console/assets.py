"""The console's static files, named by their content, and the headers that each of its pages has."""

import base64
import hashlib
from pathlib import Path
from typing import NamedTuple

PREFIX = "/console/"
STATIC_PATH = "/console/static"
_FOLDER = Path(__file__).parent / "static"
_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml; charset=utf-8"}
_NAME_DIGITS = 12
_OFF = ("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "microphone", "payment", "usb")
_PERMISSIONS = ", ".join(f"{feature}=()" for feature in _OFF)
HEADERS = {
    # Nothing of another origin, nothing inline, no frame around it; forms go to us alone.
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    # Our own forms name their origin, others learn nothing.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
    "permissions-policy": f"{_PERMISSIONS}, publickey-credentials-get=(self), publickey-credentials-create=(self)",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
LASTING = {"cache-control": "public, max-age=31536000, immutable", "x-content-type-options": "nosniff"}
"""The headers of a file, whose name changes with its content."""


class Asset(NamedTuple):
    """One static file: where it is, what it must hash to (subresource integrity), and its content."""

    href: str
    integrity: str
    media_type: str
    content: bytes


def _load(path: Path) -> Asset:
    content = path.read_bytes()
    digest = hashlib.sha384(content).digest()
    name = f"{path.stem}.{digest.hex()[:_NAME_DIGITS]}{path.suffix}"
    integrity = "sha384-" + base64.b64encode(digest).decode()
    return Asset(f"{STATIC_PATH}/{name}", integrity, _MEDIA_TYPES[path.suffix], content)


ASSETS = {path.name: _load(path) for path in sorted(_FOLDER.iterdir()) if path.suffix in _MEDIA_TYPES}
BY_HREF = {asset.href: asset for asset in ASSETS.values()}
