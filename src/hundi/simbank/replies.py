"""How the bank answers over HTTP: JSON, pages under a strict policy, and replies that break off."""

from typing import Any

import msgspec
from litestar import Response
from litestar.types import Receive, Scope, Send

from hundi.simbank.messages import Problem

_encoder = msgspec.json.Encoder()
_PAGE_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class BrokenOff(Response[bytes]):
    """A reply that never comes: its head goes out and the connection ends, so the caller learns nothing."""

    def __init__(self) -> None:
        """Have no content."""
        super().__init__(b"")

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401  (Litestar's own signature)
        """Return the application that sends it."""
        return _break_off


async def _break_off(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1")]})


def json(value: object, status: int = 200) -> Response[bytes]:
    """Return a value as JSON."""
    return Response(_encoder.encode(value), status_code=status, media_type="application/json")


def problem(status: int, text: str) -> Response[bytes]:
    """Return why a call was refused."""
    return json(Problem(text), status)


def page(html: str, *, form_origins: tuple[str, ...] = (), status: int = 200) -> Response[bytes]:
    """Return a page that loads nothing but our own stylesheet and icon.

    form_origins: where a form's answer may redirect to; browsers apply `form-action` to the redirect, too.
    """
    form_action = " ".join(("'self'", *form_origins))
    policy = f"default-src 'none'; style-src 'self'; img-src 'self'; form-action {form_action}; base-uri 'none'; frame-ancestors 'none'"
    headers = {"Content-Security-Policy": policy, **_PAGE_HEADERS}
    return Response(html.encode(), status_code=status, media_type="text/html; charset=utf-8", headers=headers)
