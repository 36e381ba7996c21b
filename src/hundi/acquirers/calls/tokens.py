"""Access tokens of acquirers: fetched once for all waiters, and kept until before their end."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.client import AcquirerClient, HttpCall
from hundi.acquirers.port.answers import Unknown
from hundi.kernel.records import replace

TRIES = 2
"""A call is repeated once, with a new token, when the acquirer refuses the first one."""
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class AcquirerToken:
    """A token, without a readable form. until_s: when it is renewed, in Unix seconds."""

    text: str
    until_s: float

    def __repr__(self) -> str:
        """Hide the token: this value reaches tracebacks."""
        return "AcquirerToken(****)"

    @property
    def usable(self) -> bool:
        """Return whether a header can have it."""
        text = self.text
        return bool(text) and text.isascii() and text.isprintable() and " " not in text


NO_TOKEN = AcquirerToken("", 0.0)


class AccessTokens:
    """The token of one connector.

    acquirer: its name in sentences. request: asks for a token. scheme: of the Authorization header.
    now_s: returns the time in Unix seconds.
    """

    def __init__(
        self,
        acquirer: str,
        http: AcquirerClient[AcquirerToken],
        request: HttpCall,
        scheme: str,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        """Keep the configuration; the first call requests a token."""
        self._acquirer, self._http, self._request = acquirer, http, request
        self._scheme, self._now_s = scheme, now_s
        self._token = NO_TOKEN
        self._under_way: asyncio.Task[str | Unknown] | None = None

    @property
    def until_s(self) -> float:
        """Return when the token is renewed, in Unix seconds."""
        return self._token.until_s

    async def close(self) -> None:
        """Close the connection pool."""
        await self._http.close()

    def reachable(self) -> bool:
        """Return whether tokens are requested: not after failures in a row, or a refused secret."""
        return self._http.breaker.state(time.monotonic()) is not BreakerState.OPEN

    async def current(self) -> str | Unknown:
        """Return a valid token.

        Unknown when there is none; nothing is sent to the payment interface then.
        """
        if self._token.text and self._now_s() < self._token.until_s:
            return self._token.text
        if self._under_way is None:
            self._under_way = asyncio.create_task(self._fetched())
            self._under_way.add_done_callback(self._ended)
        return await asyncio.shield(self._under_way)

    def refused(self, token: str) -> None:
        """Forget a token that the acquirer refuses; another one may be there already."""
        if token == self._token.text:
            self._token = NO_TOKEN

    async def ask(
        self,
        http: AcquirerClient[_Answer],
        call: HttpCall,
        is_refused: Callable[[_Answer], bool],
    ) -> _Answer | Unknown:
        """Make a call with a token; repeat it with a new one when the first one is refused."""
        for _ in range(TRIES):
            token = await self.current()
            if isinstance(token, Unknown):
                return token
            headers = {**call.headers, "Authorization": f"{self._scheme} {token}"}
            answer = await http.ask(replace(call, headers=headers))
            if isinstance(answer, Unknown) or not is_refused(answer):
                return answer
            self.refused(token)
        # A new token was refused as well.
        return http.credentials_refused(call)

    async def _fetched(self) -> str | Unknown:
        token = await self._http.ask(self._request)
        if isinstance(token, Unknown):
            words = f"{self._acquirer} gives no token: {token.message}"
            return replace(token, message=words, sent=False)
        self._token = token
        return token.text

    def _ended(self, _task: asyncio.Task[str | Unknown]) -> None:
        self._under_way = None
