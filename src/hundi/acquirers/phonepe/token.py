"""PhonePe's OAuth token: fetched once for all waiters, kept until a minute before its end."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.client import AcquirerClient, Timeouts
from hundi.acquirers.port.answers import Unknown
from hundi.infra.http.client import HttpAnswer
from hundi.kernel.records import replace

PATH = "/v1/oauth/token"
EARLY_S = 60
"""Seconds before its end at which a token is renewed (phonepe-pg-skills, Authentication)."""
TOKEN_TYPE = "O-Bearer"  # noqa: S105 (the name of a kind of token)


class _TokenAnswer(msgspec.Struct, frozen=True):
    access_token: str
    expires_at: int


class _TokenRefusal(msgspec.Struct, frozen=True):
    code: str


@dataclass(frozen=True, slots=True)
class PhonePeCredentials:
    """Our identity at PhonePe: in memory only, without a readable form."""

    client_id: str
    client_secret: str
    client_version: str

    def __repr__(self) -> str:
        """Hide the secret: this value reaches tracebacks."""
        return "PhonePeCredentials(****)"


class PhonePeTokens:
    """The token of one connector, used until `until_s`.

    now_s: returns the time; both in Unix seconds.
    """

    def __init__(
        self,
        url: str,
        credentials: PhonePeCredentials,
        timeouts: Timeouts,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        """Keep the configuration; the first call requests a token."""
        self._http = AcquirerClient(
            url, lambda *_call: {}, _read, timeouts, refuses_credentials=_refuses
        )
        self._credentials = credentials
        self._now_s = now_s
        self._token, self.until_s = "", 0.0
        self._under_way: asyncio.Task[str | Unknown] | None = None

    async def close(self) -> None:
        """Close the connection pool."""
        await self._http.close()

    async def current(self) -> str | Unknown:
        """Return a valid token.

        Unknown when there is none; nothing is sent to the payment interface then.
        """
        if self._token and self._now_s() < self.until_s:
            return self._token
        if self._under_way is None:
            self._under_way = asyncio.create_task(self._fetched())
            self._under_way.add_done_callback(self._ended)
        return await asyncio.shield(self._under_way)

    def reachable(self) -> bool:
        """Return whether tokens are requested: not after failures in a row, or a refused secret."""
        return self._http.breaker.state(time.monotonic()) is not BreakerState.OPEN

    def refused(self, token: str) -> None:
        """Forget a token that PhonePe refuses; another one may be there already."""
        if token == self._token:
            self._token = ""

    async def _fetched(self) -> str | Unknown:
        request = self._http.form(
            PATH,
            {
                "client_id": self._credentials.client_id,
                "client_version": self._credentials.client_version,
                "client_secret": self._credentials.client_secret,
                "grant_type": "client_credentials",
            },
        )
        token = await self._http.ask(request)
        if isinstance(token, Unknown):
            return replace(token, message=f"PhonePe gives no token: {token.message}", sent=False)
        self._token, self.until_s = token.access_token, token.expires_at - EARLY_S
        return token.access_token

    def _ended(self, _task: asyncio.Task[str | Unknown]) -> None:
        self._under_way = None


def _refuses(_path: str, answer: HttpAnswer) -> bool:
    """Return whether PhonePe rejects our secret, as in test_token_service.py of its SDK."""
    try:
        return msgspec.json.decode(answer.body, type=_TokenRefusal).code == "INVALID_CLIENT"
    except (msgspec.MsgspecError, RecursionError):
        return False


def _read(answer: HttpAnswer) -> _TokenAnswer | None:
    try:
        token = msgspec.json.decode(answer.body, type=_TokenAnswer)
    except (msgspec.MsgspecError, RecursionError):
        return None
    usable = (
        token.access_token.isascii()
        and token.access_token.isprintable()
        and " " not in token.access_token
    )
    return token if token.access_token and usable else None
