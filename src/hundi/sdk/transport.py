"""Both clients' settings of httpx.

Bounded time and size, no redirects, and no access token in any log.
"""

import time
from importlib.metadata import version
from typing import TypedDict

import httpx

from hundi.sdk.calls import Gateway, Lost, Send
from hundi.sdk.errors import UnreadableReplyError

REPLY_BYTES_MAX = 2 * 1024 * 1024
"""Bytes; room for the answers to a batch of 1,000 refunds, sealed and in plain."""


class HttpOptions(TypedDict):
    """The settings both clients share."""

    timeout: float
    headers: dict[str, str]
    follow_redirects: bool
    trust_env: bool


def http_options(gateway: Gateway) -> HttpOptions:
    """Return the settings of the HTTP connection."""
    return {
        "timeout": gateway.timeout_s,
        "headers": {
            "user-agent": f"hundi-python/{version('hundi')}",
            # Compressed bodies could grow past the limit that ReplyBody counts.
            "accept-encoding": "identity",
        },
        # A redirect would turn the POST into a GET, and carry the token to another host.
        "follow_redirects": False,
        "trust_env": not gateway.is_local,
    }


def content_type(request: Send) -> dict[str, str]:
    """Return the header that names the body's form."""
    return {"content-type": request.content_type}


class HiddenUrl(httpx.URL):
    """An address that is sent whole and shown without its query, which has the access token."""

    def __str__(self) -> str:
        """Return the address without its query."""
        return str(httpx.URL(self, query=None))


def hide_token(request: httpx.Request) -> None:
    """Keep the token out of logs: httpx writes the address of every request at level INFO."""
    request.url = HiddenUrl(request.url)


class ReplyBody:
    """Collects a reply under both limits, bytes and time.

    httpx's own timeout starts anew with every byte that arrives, so it cannot bound the whole.
    """

    def __init__(self, timeout_s: float) -> None:
        """Start the clock; timeout_s is in seconds."""
        self._deadline = time.monotonic() + timeout_s
        self._body = bytearray()

    def add(self, chunk: bytes) -> None:
        """Add the next piece.

        Raises UnreadableReplyError when too large, TimeoutError when too late.
        """
        self._body += chunk
        if len(self._body) > REPLY_BYTES_MAX:
            message = f"the reply is longer than {REPLY_BYTES_MAX} bytes"
            raise UnreadableReplyError(message)
        if time.monotonic() > self._deadline:
            message = "the reply took too long"
            raise TimeoutError(message)

    def whole(self) -> bytes:
        """Return the collected bytes."""
        return bytes(self._body)


def lost(error: Exception) -> Lost:
    """Return the core's value of an exception of the transport."""
    return Lost(f"{type(error).__name__}: {error}".rstrip(": "))
