"""Serves the documentation's site at `/docs/`: the files of `make docs` (decision 0094)."""

from pathlib import Path

from litestar import Response, Router
from litestar.static_files import create_static_files_router

PATH = "/docs"
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
        " connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "public, max-age=300",
}
"""The pages run scripts and styles of their own files only, and load nothing from elsewhere."""


def router(folder: Path) -> Router:
    """Return the routes of a site.

    folder: absolute; a missing file is a 404, and may be added later.
    """

    def with_headers(response: Response[bytes]) -> Response[bytes]:
        response.headers.update(_HEADERS)
        return response

    return create_static_files_router(PATH, [folder], html_mode=True, after_request=with_headers)
