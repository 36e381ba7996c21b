"""HTTP replies: JSON, pages under a strict content policy, and broken connections."""

import re
from dataclasses import dataclass, replace  # noqa: TID251 (no structs here)
from typing import Any

import msgspec
from litestar.types import ASGIApp, Receive, Scope, Send

from hundi_testbed.bank.messages import CallProblem

_encoder = msgspec.json.Encoder()
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none';"
)
_SAFE_HEADERS = (
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
)


@dataclass(frozen=True, slots=True)
class BankReply:
    """A complete answer and an ASGI application itself.

    The framework's own answers cost too much here.
    """

    status: int
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...]

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Send it."""
        length = (b"content-length", b"%d" % len(self.body))
        await send(
            {
                "type": "http.response.start",
                "status": self.status,
                "headers": [*self.headers, length],
            }
        )
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


async def broken_off(_scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer with a head and end the connection: the caller learns nothing about the outcome."""
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1")]}
    )


def json(value: object, status: int = 200, *, reference: str = "") -> BankReply:
    """Return a value as JSON.

    reference: of the answer, a field before the others.
    """
    body = _encoder.encode(value)
    if reference and not hasattr(value, "reference"):
        body = b'{"reference":%s,%s' % (_encoder.encode(reference), body[1:])
    return BankReply(status, body, ((b"content-type", b"application/json"),))


TURNED_AWAY = {"409": 409, "429": 429}
"""Odd answers of a server that did not process the call."""


def bent(reply: ASGIApp, odd: str) -> ASGIApp:
    """Return an answer with an injected oddness, "" for none."""
    if not isinstance(reply, BankReply) or not odd:
        return reply
    changes: dict[str, dict[str, Any]] = {
        "garbage": {"body": b"\x00\xff{]"},
        "html": {"body": b"<html><body>Bad gateway</body></html>", "status": 502},
        "truncated": {"body": reply.body[: len(reply.body) // 2]},
        "other_amount": {"body": re.sub(rb'("amount_paise":[0-9]+)', rb"\g<1>7", reply.body)},
    }
    return replace(reply, **changes[odd])


def problem(status: int, text: str) -> BankReply:
    """Return the reason of a refused call."""
    return json(CallProblem(text), status)


def page(html: str, *, form_origins: tuple[str, ...] = (), status: int = 200) -> BankReply:
    """Return a page that loads nothing but our own stylesheet and icon.

    form_origins: where a form's answer may redirect to; browsers apply `form-action` to the
    redirect, too.
    """
    policy = " ".join((_POLICY, "form-action 'self'", *form_origins))
    headers = (
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-security-policy", policy.encode()),
        *_SAFE_HEADERS,
    )
    return BankReply(status, html.encode(), headers)


def mail(html: str) -> BankReply:
    """Return the HTML of a mail: its own styles, and nothing else."""
    headers = (
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-security-policy", b"sandbox; default-src 'none'; style-src 'unsafe-inline'"),
        *_SAFE_HEADERS,
    )
    return BankReply(200, html.encode(), headers)


def see_other(url: str) -> BankReply:
    """Send a browser to another address after a form."""
    return BankReply(303, b"", ((b"location", url.encode("ascii")), *_SAFE_HEADERS))


def asset(body: bytes, media_type: bytes) -> BankReply:
    """Return a file of the pages; short-lived in caches, because it has no version in its name."""
    headers = (
        (b"content-type", media_type),
        (b"cache-control", b"public, max-age=300"),
        (b"x-content-type-options", b"nosniff"),
    )
    return BankReply(200, body, headers)
