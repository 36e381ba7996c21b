"""The connectors' HTTP client, behind a breaker; it repeats calls only where that is safe.

It returns `Unknown` with `sent=False` only when the call certainly never left; see
docs/connectors.md#what-it-answers.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode, urlsplit

import msgspec
import structlog

from hundi.acquirers.calls import exchanges
from hundi.acquirers.calls.breaker import Breaker
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.port.answers import Unknown
from hundi.infra.http.client import ClientSettings, HttpAnswer, NoAnswerError, OutboundClient, Reach
from hundi.kernel.records import replace

KEEP_ALIVE_S = 10.0
"""Seconds.

Below any server's own time, so that we never write into a connection that it is closing.
"""
CONNECTIONS_MAX = 128
ANSWER_BYTES_MAX = 64 * 1024
RETRY_PAUSE_S = 0.1
TRIES_MAX = 2
_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Time limits in seconds.

    An authorisation waits for the issuer, other calls do not.
    """

    authorise_s: float = 8.0
    call_s: float = 5.0
    connect_s: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpCall:
    """One HTTP call.

    headers: added to those that `Sign` returns. repeatable: it moves no money, so it may be
    repeated after silence. silence_counts: a missing answer counts as the acquirer's failure.
    """

    method: str
    path: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float
    repeatable: bool = False
    silence_counts: bool = True

    @property
    def loggable(self) -> str:
        """Return the path without its query, which may hold a token."""
        return self.path.partition("?")[0]


DEFAULT_TIMEOUTS = Timeouts()
Sign = Callable[[str, str, bytes], Mapping[str, str]]
"""Returns the headers that authenticate a call.

They follow from its method, its path with query, and its body.
"""
_NOT_TRUSTED = "the bank's certificate is none that is trusted for its host"
Word = TypeVar("Word")


RefusesCredentials = Callable[[str, HttpAnswer], bool]
"""Returns whether an answer to a path refuses our keys, so that no work was done.

Only an answer that the acquirer's documents name says so: a proxy's 401 may come after the work was
done.
"""
NOT_REACHED = "the bank cannot be reached"
REFUSES_US = "the acquirer does not accept our credentials"


def _as_it_is(body: bytes) -> bytes:
    return body


def _never(_path: str, _answer: HttpAnswer) -> bool:
    return False


class AcquirerClient(Generic[Word]):
    """Calls one acquirer over a connection pool of its own; its answers are JSON, sealed or open.

    opened: makes JSON of a sealed answer; None when its proof fails. read: makes a value of an
    answer; None when that is not possible. readable: the HTTP statuses whose answers are read;
    below 500, because a server's error decides nothing. refuses_credentials: see
    `RefusesCredentials`. origin: scheme, host and port. breaker: its state is this process's own
    view.
    """

    def __init__(
        self,
        base_url: str,
        sign: Sign,
        read: Callable[[HttpAnswer], Word | None],
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        *,
        answer_bytes_max: int = ANSWER_BYTES_MAX,
        readable: Collection[int] = (HTTPStatus.OK,),
        opened: Callable[[bytes], bytes | None] = _as_it_is,
        refuses_credentials: RefusesCredentials = _never,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self._read, self._sign, self._readable, self._opened = (
            read,
            sign,
            frozenset(readable),
            opened,
        )
        self._refuses_credentials = refuses_credentials
        self._why_not_called = NOT_REACHED
        parts = urlsplit(base_url.rstrip("/"))
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.timeouts = timeouts
        self.breaker = Breaker()
        self._path = parts.path
        self._http = OutboundClient(
            ClientSettings(
                reach=Reach.ANY,
                connect_s=timeouts.connect_s,
                answer_bytes_max=answer_bytes_max,
                cut_answers=False,
                keep_alive_s=KEEP_ALIVE_S,
                connections_max=CONNECTIONS_MAX,
                connections_per_host_max=0,
                counted_as=f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}",
            )
        )

    async def close(self) -> None:
        """Close the connection pool."""
        await self._http.close()

    def post(self, path: str, request: dict[str, Any]) -> HttpCall:
        """Return a call that may move money: repeated only if it certainly never left."""
        return HttpCall(
            method="POST",
            path=path,
            body=msgspec.json.encode(request),
            timeout_s=self.timeouts.call_s,
        )

    def form(self, path: str, fields: Mapping[str, str]) -> HttpCall:
        """Return a call like `post`, as a form."""
        return HttpCall(
            method="POST",
            path=path,
            body=urlencode(fields).encode(),
            headers={"Content-Type": _FORM},
            timeout_s=self.timeouts.call_s,
        )

    def question(self, path: str, request: dict[str, Any]) -> HttpCall:
        """Return a call that moves no money."""
        return replace(self.post(path, request), repeatable=True)

    def look(self, path: str) -> HttpCall:
        """Return a call that moves no money and has only an address."""
        return HttpCall(method="GET", path=path, timeout_s=self.timeouts.call_s, repeatable=True)

    async def ask(self, call: HttpCall) -> Word | Unknown:
        """Make one call, and repeat it once where that is safe.

        Safe are a call that moves no money, and one that certainly never left this machine.
        """
        sent = False
        for left in reversed(range(TRIES_MAX)):
            if not self.breaker.admit(time.monotonic()):
                break
            word, reached = await self._admitted(call)
            if word is not None:
                # The repeat was turned away, but the first call may have been accepted.
                return replace(word, sent=True) if sent and isinstance(word, Unknown) else word
            sent = sent or reached
            if not left or (reached and not call.repeatable):
                break
            await asyncio.sleep(RETRY_PAUSE_S)
        return Unknown(
            message="no answer from the bank" if sent else self._why_not_called, sent=sent
        )

    async def _admitted(self, call: HttpCall) -> tuple[Word | Unknown | None, bool]:
        """Return (the answer or None for silence, whether the bank may have received the call)."""
        self._why_not_called = NOT_REACHED
        try:
            answer = await self._send(call)
        except NoAnswerError as error:
            _log.warning(
                "bank_unreachable",
                bank=self.origin,
                path=call.loggable,
                reason=error.reason,
                sent=error.sent,
            )
            if call.silence_counts or not error.sent:
                self.breaker.failed(time.monotonic())
            else:
                self.breaker.abandoned()
            # A repeat would meet the same certificate.
            return (
                Unknown(message=_NOT_TRUSTED, sent=False) if error.reason == "tls" else None
            ), error.sent
        except BaseException:
            self.breaker.abandoned()
            raise
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self.breaker.failed(time.monotonic())
            _log.warning("bank_failed", bank=self.origin, path=call.loggable, status=answer.status)
            return None, True
        if self._refuses_credentials(call.path, answer):
            return self.credentials_refused(call), True
        self.breaker.succeeded()
        return self._word(call.loggable, answer), True

    def credentials_refused(self, call: HttpCall) -> Unknown:
        """Return the answer to a call whose keys were refused: it was not worked on.

        Calls pause for a while. A refused inquiry says nothing about the call in question.
        """
        self.breaker.credentials_refused(time.monotonic())
        self._why_not_called = REFUSES_US
        _log.warning("acquirer_refuses_credentials", bank=self.origin, path=call.loggable)
        return Unknown(message=REFUSES_US, sent=call.repeatable, credentials_refused=True)

    def _word(self, path: str, answer: HttpAnswer) -> Word | Unknown:
        """Read an answer. One that cannot be read decides nothing: an inquiry follows."""
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            # Turned away before any work.
            _log.warning("bank_refuses_more_calls", bank=self.origin, path=path)
            return Unknown(message="the bank takes no more calls now", sent=False)
        if answer.status == HTTPStatus.UNAUTHORIZED:
            # An acquirer's own token may expire as usual; an account's keys the operator has to
            # rotate.
            _log.warning("acquirer_refuses_credentials", bank=self.origin, path=path)
        body = self._opened(answer.body) if answer.status in self._readable else None
        word = (
            self._read(replace(answer, body=body)) if body is not None and is_sound(body) else None
        )
        if word is not None:
            return word
        # The answer itself stays out of the log: a bank may repeat what it was sent.
        _log.warning("bank_answer_unusable", path=path, status=answer.status)
        # Without a code it is no answer of the bank about the payment.
        if answer.status == HTTPStatus.UNAUTHORIZED:
            return Unknown(message="the bank does not accept our credentials (HTTP 401)")
        return Unknown(message=f"the bank's answer cannot be used (HTTP {answer.status})")

    async def _send(self, call: HttpCall) -> HttpAnswer:
        path = self._path + call.path
        headers = {
            "Content-Type": _JSON,
            **call.headers,
            **self._sign(call.method, path, call.body),
        }
        try:
            answer = await self._http.send(
                call.method, self.origin + path, call.body, headers, timeout_s=call.timeout_s
            )
        except NoAnswerError:
            exchanges.note(call.method, path, call.body, 0, b"")
            raise
        exchanges.note(call.method, path, call.body, answer.status, answer.body)
        return answer
