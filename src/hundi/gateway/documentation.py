"""Serves the documentation's site at `/docs/`: the files of `make docs` (decision 0044)."""

import base64
import hashlib
import re
from functools import lru_cache
from pathlib import Path

from litestar import Response, Router
from litestar.static_files import create_static_files_router

PATH = "/docs"
_KEPT = "public, max-age=300"
_INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def router(folder: Path) -> Router:
    """Return the routes of a site.

    folder: absolute; a missing file is a 404, and may be added later.
    """

    def with_headers(response: Response[bytes]) -> Response[bytes]:
        response.headers.update(_headers(folder, _built_at(folder)))
        return response

    return create_static_files_router(PATH, [folder], html_mode=True, after_request=with_headers)


def _built_at(folder: Path) -> int:
    first = folder / "index.html"
    return first.stat().st_mtime_ns if first.exists() else 0


@lru_cache(maxsize=1)
def _headers(folder: Path, _built: int) -> dict[str, str]:
    """Return the headers of every file of a site, as built at a time.

    The generator writes a few scripts into its pages. They are allowed by their hashes in the files
    at the first request; no other script runs. The site's search makes its style sheet in the
    browser, so inline styles are allowed: these pages have nothing that a style could read.
    """
    inline = {
        digest
        for page in folder.rglob("*.html")
        for digest in map(_digest, _INLINE.findall(page.read_bytes()))
    }
    scripts = " ".join(("'self'", *sorted(f"'sha256-{digest}'" for digest in inline)))
    policy = (
        f"default-src 'none'; script-src {scripts}; style-src 'self' 'unsafe-inline'; img-src"
        " 'self' data:; "
        "connect-src 'self'; worker-src 'self'; form-action 'none'; frame-ancestors 'none';"
        " base-uri 'none'"
    )
    return {
        "content-security-policy": policy,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cache-control": _KEPT,
    }


def _digest(script: bytes) -> str:
    return base64.b64encode(hashlib.sha256(script).digest()).decode()
