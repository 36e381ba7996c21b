"""How the sandbox connector calls its acquirer: signed, bounded, behind a breaker, repeated only where it is safe."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

import aiohttp
import msgspec
import structlog

from hundi.acquirers.breaker import Breaker
from hundi.acquirers.port import Unknown
from hundi.acquirers.sandbox import rules

# Below any server's own keep-alive, so that we never write into a connection the other side is just closing.
KEEPALIVE_S = 10.0
CONNECTIONS_MAX = 128
ANSWER_BYTES_MAX = 64 * 1024
RETRY_PAUSE_S = 0.1
TRIES_MAX = 2
_JSON = "application/json"
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long the bank may take, in seconds: an authorisation waits for the issuer, everything else does not."""

    authorise_s: float = 8.0
    call_s: float = 5.0
    connect_s: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One HTTP call.

    repeatable: a question that moves nothing, so silence may be asked again.
    silence_counts: no reply in time is held against the acquirer.
    """

    method: str
    path: str
    body: bytes = b""
    timeout_s: float
    repeatable: bool = False
    silence_counts: bool = True


DEFAULT_TIMEOUTS = Timeouts()


Word = TypeVar("Word")


class Transport(Generic[Word]):
    """The way to one acquirer: a connection pool, opened at the first call, and a breaker.

    read: makes a word of an answer's body; None for one that cannot be used.
    origin: scheme, host and port. breaker: its state is this process's own view.
    """

    def __init__(
        self,
        base_url: str,
        key: bytes,
        timeouts: Timeouts,
        read: Callable[[bytes], Word | None],
        answer_bytes_max: int = ANSWER_BYTES_MAX,
    ) -> None:
        """Remember where the acquirer is; nothing is opened before the first call."""
        self._read, self._answer_bytes_max = read, answer_bytes_max
        parts = urlsplit(base_url.rstrip("/"))
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.timeouts = timeouts
        self.breaker = Breaker()
        self._path = parts.path
        self._key = key
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Close the connection pool."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def post(self, path: str, asked: dict[str, Any]) -> Call:
        """Return a call that may move money: made again only if it certainly never left."""
        return Call(method="POST", path=path, body=msgspec.json.encode(asked), timeout_s=self.timeouts.call_s)

    def question(self, path: str, asked: dict[str, Any]) -> Call:
        """Return a call that moves nothing."""
        return replace(self.post(path, asked), repeatable=True)

    def look(self, path: str) -> Call:
        """Return a question that is nothing but an address."""
        return Call(method="GET", path=path, timeout_s=self.timeouts.call_s, repeatable=True)

    async def ask(self, call: Call) -> Word | Unknown:
        """Make one call, twice at most: again only if it is a question, or if it certainly never left this machine."""
        sent = False
        for left in reversed(range(TRIES_MAX)):
            if not self.breaker.admit(time.monotonic()):
                break
            word, reached = await self._admitted(call)
            sent = sent or reached
            if word is not None:
                return word
            if not left or (reached and not call.repeatable):
                break
            await asyncio.sleep(RETRY_PAUSE_S)
        return Unknown(message="no answer from the bank" if sent else "the bank cannot be reached", sent=sent)

    async def _admitted(self, call: Call) -> tuple[Word | Unknown | None, bool]:
        """Return (the answer or None for silence, whether the bank may have received the call)."""
        try:
            status, answer = await self._exchange(call)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
            self.breaker.failed(time.monotonic())
            return None, False
        except (aiohttp.ClientError, TimeoutError):
            if call.silence_counts:
                self.breaker.failed(time.monotonic())
            else:
                self.breaker.abandoned()
            return None, True
        except BaseException:
            self.breaker.abandoned()
            raise
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self.breaker.failed(time.monotonic())
            return None, True
        self.breaker.succeeded()
        return self._word(call.path, status, answer), True

    def _word(self, path: str, status: int, answer: bytes) -> Word | Unknown:
        """Read an answer that arrived. Anything but a readable 200 decides nothing: an inquiry will."""
        word = self._read(answer) if status == HTTPStatus.OK else None
        if word is not None:
            return word
        # The answer itself stays out of the log: a bank may repeat what it was sent.
        _log.warning("bank_answer_unusable", path=path, status=status)
        # Without a code: it is no word of the bank's about the payment.
        return Unknown(message=f"the bank's answer cannot be used (HTTP {status})")

    async def _exchange(self, call: Call) -> tuple[int, bytes]:
        path = self._path + call.path
        signed = call.body if call.method == "POST" else path.encode()
        async with self._open_session().request(
            call.method,
            self.origin + path,
            data=call.body or None,
            headers={"Acquirer-Signature": rules.sign(self._key, int(time.time()), signed), "Content-Type": _JSON},
            allow_redirects=False,
            timeout=aiohttp.ClientTimeout(total=call.timeout_s, sock_connect=self.timeouts.connect_s),
        ) as response:
            return response.status, await _bounded(response.content, self._answer_bytes_max)

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=CONNECTIONS_MAX, keepalive_timeout=KEEPALIVE_S),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session


async def _bounded(content: aiohttp.StreamReader, bytes_max: int) -> bytes:
    body = bytearray()
    async for chunk in content.iter_any():
        body += chunk
        if len(body) > bytes_max:
            message = f"answer over {bytes_max} bytes"
            raise aiohttp.ClientPayloadError(message)
    return bytes(body)
