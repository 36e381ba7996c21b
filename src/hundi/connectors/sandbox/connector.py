"""The acquirer of the simulated bank network: speaks HTTP to simbank, keeps only a breaker and a connection pool."""

import asyncio
import time
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlsplit

import aiohttp
import msgspec
import structlog

from hundi.connectors.breaker import Breaker, BreakerState
from hundi.connectors.port import (
    Approved,
    Authentication,
    BankWord,
    CardNumber,
    Charge,
    Declined,
    InquirySchedule,
    NothingThere,
    Redirect,
    RefundOrder,
    Unknown,
)
from hundi.connectors.sandbox import rules

# Below any server's own keep-alive, so that we never write into a connection the other side is just closing.
KEEPALIVE_S = 10.0
CONNECTIONS_MAX = 128
ANSWER_BYTES_MAX = 64 * 1024
RETRY_PAUSE_S = 0.1
TRIES_MAX = 2
INQUIRY_GAPS_S = (3, 3, 5, 5, 10, 10, 20, 20, 30, 60, 60, 120, 300)
CALLBACK_SIGNATURE = "simbank-signature"
_JSON = "application/json"
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long the bank may take, in seconds: an authorisation waits for the issuer, everything else does not."""

    authorise_s: float = 8.0
    call_s: float = 5.0
    connect_s: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
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


class SandboxConnector:
    """One simulated acquirer, one instance a process.

    base_url: simbank's address; key: the shared signing key of the acquirer protocol.
    breaker: its state is this process's own view, read by health and metrics.
    """

    name = "sandbox"
    simulated = True
    inquiry_schedule = InquirySchedule(INQUIRY_GAPS_S)
    refund_schedule = InquirySchedule(INQUIRY_GAPS_S)

    def __init__(self, base_url: str, key: bytes, timeouts: Timeouts = DEFAULT_TIMEOUTS) -> None:
        """Remember where the bank is; nothing is opened before the first call."""
        self._timeouts = timeouts
        self._base = base_url.rstrip("/")
        parts = urlsplit(self._base)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._path = parts.path
        self._key = key
        self._session: aiohttp.ClientSession | None = None
        self.breaker = Breaker()
        self.browser_origins = (self._origin,)

    async def close(self) -> None:
        """Close the connection pool."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def condition(self) -> BreakerState:
        """Return the breaker's state now, for health answers and metrics."""
        return self.breaker.state(time.monotonic())

    def payee_address(self, merchant_id: int) -> str:
        """Return the UPI address that this merchant's payments go to."""
        return f"m{merchant_id}@simbank"

    def app_link(self, upi_uri: str) -> str:
        """Return the address of the simulated UPI app, opened at a `upi://` link."""
        return f"{self._base}/upi/app?uri={quote(upi_uri, safe='')}"

    async def collect(
        self, charge: Charge, *, payer_vpa: str, payee_name: str, note: str, expires_in_s: int
    ) -> Unknown | Declined:
        """Ask the payer's app for an amount; the outcome comes by callback or inquiry."""
        merchant_id = int(charge.reference.partition("-")[0])
        asked = {
            **_charged(charge),
            "payer_vpa": payer_vpa,
            "payee_vpa": self.payee_address(merchant_id),
            "payee_name": payee_name,
            "note": note,
            "expires_in_s": expires_in_s,
        }
        word = await self._ask(self._post("/acquirer/upi/collect", asked))
        return word if isinstance(word, Unknown) else rules.collect_outcome(word)

    async def authenticate(self, charge: Charge, card: CardNumber, *, return_url: str) -> Redirect | Declined | Unknown:
        """Hand the card to the acquirer and get the address of the challenge."""
        asked = {
            **_charged(charge),
            "card": {
                "number": card.number,
                "expiry_month": card.expiry_month,
                "expiry_year": card.expiry_year,
                "cvv": card.cvv,
                "holder": card.holder,
            },
            "return_url": return_url,
        }
        word = await self._ask(self._post("/acquirer/cards/authenticate", asked))
        return word if isinstance(word, Unknown) else rules.challenge(word, self._origin)

    async def authentication(self, authentication_id: str) -> Authentication | Unknown:
        """Return how the challenge ended, asked of the network and never of the browser."""
        path = f"/acquirer/cards/authentications/{quote(authentication_id, safe='')}"
        question = _Call(method="GET", path=path, timeout_s=self._timeouts.call_s, repeatable=True)
        word = await self._ask(question)
        return word if isinstance(word, Unknown) else rules.challenge_end(word)

    async def authorise(
        self, charge: Charge, *, authentication_id: str, capture: bool
    ) -> Approved | Declined | Unknown:
        """Charge (or hold) the amount; only after an authentication that allows it."""
        asked = {**_charged(charge), "authentication_id": authentication_id, "capture": capture}
        # An issuer that stays silent says nothing about the acquirer, so this time-out does not feed the breaker.
        call = replace(
            self._post("/acquirer/cards/authorise", asked), timeout_s=self._timeouts.authorise_s, silence_counts=False
        )
        word = await self._ask(call)
        return word if isinstance(word, Unknown) else rules.charge_outcome(word)

    async def inquire(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return what the bank believes about a reference; Unknown when it cannot be reached."""
        question = replace(self._post("/acquirer/inquire", {"reference": reference}), repeatable=True)
        word = await self._ask(question)
        return word if isinstance(word, Unknown) else rules.outcome(word)

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Give an amount back; the same reference again moves money once."""
        asked = {
            "reference": order.reference,
            "original": order.original,
            "amount_paise": order.amount_paise,
            "currency": order.currency,
        }
        word = await self._ask(self._post("/acquirer/refund", asked))
        return word if isinstance(word, Unknown) else rules.charge_outcome(word)

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return what the bank believes about a refund's reference; Unknown when it cannot be reached."""
        question = replace(self._post("/acquirer/refund/inquire", {"reference": reference}), repeatable=True)
        word = await self._ask(question)
        return word if isinstance(word, Unknown) else rules.outcome(word)

    def read_callback(self, headers: dict[str, str], body: bytes, *, now_s: int) -> BankWord | None:
        """Return the authenticated word of the bank, or None when signature, age or form is wrong.

        headers: names in lower case.
        """
        if not rules.signature_holds(self._key, headers.get(CALLBACK_SIGNATURE, ""), body, now_s):
            return None
        return rules.read_callback(body)

    def claimed_reference(self, body: bytes) -> str:
        """Return the reference an unauthenticated body talks about, or "": good for an inquiry and nothing else."""
        return rules.claimed_reference(body)

    def _post(self, path: str, asked: dict[str, Any]) -> _Call:
        return _Call(method="POST", path=path, body=msgspec.json.encode(asked), timeout_s=self._timeouts.call_s)

    async def _ask(self, call: _Call) -> rules.Word | Unknown:
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

    async def _admitted(self, call: _Call) -> tuple[rules.Word | Unknown | None, bool]:
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
        return _read(call.path, status, answer), True

    async def _exchange(self, call: _Call) -> tuple[int, bytes]:
        path = self._path + call.path
        signed = call.body if call.method == "POST" else path.encode()
        async with self._open_session().request(
            call.method,
            self._origin + path,
            data=call.body or None,
            headers={"Acquirer-Signature": rules.sign(self._key, int(time.time()), signed), "Content-Type": _JSON},
            allow_redirects=False,
            timeout=aiohttp.ClientTimeout(total=call.timeout_s, sock_connect=self._timeouts.connect_s),
        ) as response:
            return response.status, await _bounded(response.content)

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=CONNECTIONS_MAX, keepalive_timeout=KEEPALIVE_S),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session


def _charged(charge: Charge) -> dict[str, Any]:
    return {"reference": charge.reference, "amount_paise": charge.amount_paise, "currency": charge.currency}


def _read(path: str, status: int, answer: bytes) -> rules.Word | Unknown:
    """Read an answer that arrived. Anything but a readable 200 decides nothing: an inquiry will."""
    word = rules.read_word(answer) if status == HTTPStatus.OK else None
    if word is not None:
        return word
    # The answer itself stays out of the log: a bank may repeat what it was sent.
    _log.warning("bank_answer_unusable", path=path, status=status)
    return Unknown(code=f"http-{status}", message="the bank's answer cannot be used")


async def _bounded(content: aiohttp.StreamReader) -> bytes:
    body = bytearray()
    async for chunk in content.iter_any():
        body += chunk
        if len(body) > ANSWER_BYTES_MAX:
            message = f"answer over {ANSWER_BYTES_MAX} bytes"
            raise aiohttp.ClientPayloadError(message)
    return bytes(body)
