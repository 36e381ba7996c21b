"""Static files of pages: named by content, compressed once, stylesheets with tokens in front."""

import base64
import gzip
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

CSS = "text/css"
SVG = "image/svg+xml; charset=utf-8"
_MEDIA_TYPES = {".css": CSS, ".js": "text/javascript", ".svg": SVG}
_TOKENS = (Path(__file__).parent / "tokens.css").read_bytes()
_CSS_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
_NAME_DIGITS = 12
_LEVEL = 9
"""Files are compressed once, when a process starts."""
_LASTING = {
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    "vary": "accept-encoding",
}
"""The headers of a file whose name changes with its content."""


class Asset(NamedTuple):
    """A static file: path, hash (subresource integrity), content plain and compressed."""

    href: str
    integrity: str
    media_type: str
    content: bytes
    packed: bytes


def load(folder: Path, static_path: str) -> Mapping[str, Asset]:
    """Return the static files of a folder by their names. static_path: the address above them."""
    return {
        path.name: _loaded(path, static_path)
        for path in sorted(folder.iterdir())
        if path.suffix in _MEDIA_TYPES
    }


def _loaded(path: Path, static_path: str) -> Asset:
    content = _bare((_TOKENS if path.suffix == ".css" else b"") + path.read_bytes(), path.suffix)
    digest = hashlib.sha384(content).digest()
    href = f"{static_path}/{path.stem}.{digest.hex()[:_NAME_DIGITS]}{path.suffix}"
    integrity = "sha384-" + base64.b64encode(digest).decode()
    return Asset(href, integrity, _MEDIA_TYPES[path.suffix], content, pack(content, _LEVEL))


def _bare(content: bytes, suffix: str) -> bytes:
    """Return a script or stylesheet without its comments and indentation, a fifth of its bytes.

    A script's comment is removed if it has a line of its own; none of our scripts has a text of
    several lines.
    """
    if suffix == ".css":
        content = _CSS_COMMENT.sub(b"", content)
    elif suffix != ".js":
        return content
    lines = (each.strip() for each in content.splitlines())
    return (
        b"\n".join(
            each for each in lines if each and not (suffix == ".js" and each.startswith(b"//"))
        )
        + b"\n"
    )


def lasting(asset: Asset, accept_encoding: str) -> tuple[bytes, dict[str, str]]:
    """Return a file's content in the browser's encoding, and the headers that cache it for good."""
    if takes_packed(accept_encoding):
        return asset.packed, {**_LASTING, "content-encoding": "gzip"}
    return asset.content, dict(_LASTING)


def made(content: bytes, media_type: str) -> Asset:
    """Return a file that we make on request, in the form of a file in a folder."""
    return Asset("", "", media_type, content, pack(content, _LEVEL))


def pack(content: bytes, level: int) -> bytes:
    """Return content as gzip; the same content always gives the same bytes."""
    return gzip.compress(content, level, mtime=0)


def takes_packed(accept_encoding: str) -> bool:
    """Return whether a browser takes gzip."""
    return "gzip" in accept_encoding
