"""The merchant's side of the protocol without I/O: requests, pauses, and the meaning of replies.

Every operation is a generator. It yields a step (`Send`, `Pause` or `TokenNeeded`), is sent the
step's result, and returns the typed result. `client` and `async_client` only perform the steps, so
no rule is written twice.
"""

import hashlib
import hmac
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeAlias, TypeVar
from urllib.parse import urlencode, urlsplit

import msgspec

from hundi.kernel import clock
from hundi.sdk import errors
from hundi.sdk.credentials import Credentials
from hundi.sdk.order import Order, PaymentForm
from hundi.sdk.outgoing import Payload
from hundi.wire import cipher, strict_json
from hundi.wire.fields import FieldError
from hundi.wire.merchant import checksum
from hundi.wire.merchant.token import GRANT_TYPE, ISSUE, AccessToken, TokenRequest
from hundi.wire.message import read_reply, write_request
from hundi.wire.operation import PAGE
from hundi.wire.strict_json import JsonValue

PAUSES_S = (0.2, 0.8)
"""Seconds before the second and the third try of a call that cannot move money twice."""
TOKEN_SPARE_S = 60.0
"""Seconds before its end at which a token is renewed.

A payment form that carries it still has to travel.
"""
SEAL_FIELD = "request_seal"
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


Scope: TypeAlias = Literal["page", "operations"]
"""What a token opens.

A page's token passes through customers' browsers (docs/spec/wire.md#token-scopes).
"""


@dataclass(frozen=True, slots=True)
class Send:
    """POST `body` to `url`; the answer is an HttpReply or a Lost."""

    url: str = field(repr=False)
    body: bytes = field(repr=False)
    content_type: str = field(default=FORM, repr=False)


@dataclass(frozen=True, slots=True)
class Pause:
    """Do nothing for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class TokenNeeded:
    """Run `Calls.issue_token` with these values while no other caller runs it.

    The answer is the token.
    """

    scope: Scope
    rejected: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A reply: HTTP status and body."""

    status: int
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Lost:
    """No usable reply came; reason is for the error message."""

    reason: str


Step: TypeAlias = Send | Pause | TokenNeeded
Answer: TypeAlias = HttpReply | Lost | str | None
Result = TypeVar("Result")
Steps: TypeAlias = Generator[Step, Answer, Result]


async def performed(steps: Steps[Result], perform: Callable[[Step], Awaitable[Answer]]) -> Result:
    """Perform an operation step by step and return its result; raises what the operation raises."""
    answer: Answer = None
    while True:
        try:
            step = steps.send(answer)
        except StopIteration as end:
            return end.value
        answer = await perform(step)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str = field(repr=False)
    renew_at_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """A gateway's addresses, and a caller's time limits.

    base_url: the API host, `https://api.example.in`. payment_page_url: the host of the payment
    page; by default the API host. shop_origin: `https://shop.example`, for merchants that have
    registered their domains. timeout_s: seconds a try may stall, and seconds the whole answer may
    take; a try ends within twice that. pauses_s: seconds before each further try of a call that
    cannot move money twice; empty for one try only. allow_plain_http: accept `http://` for a host
    other than this machine, for private test networks. allow_plain_replies: believe replies without
    an encrypted part, for merchants whose `reply_format` is `plain`.

    Raises ConfigurationError for an address that cannot work.
    """

    base_url: str
    payment_page_url: str = ""
    shop_origin: str = ""
    timeout_s: float = 10.0
    pauses_s: tuple[float, ...] = PAUSES_S
    allow_plain_http: bool = False
    allow_plain_replies: bool = False

    def __post_init__(self) -> None:
        """Refuse addresses that would send values derived from credentials over an open line."""
        for address in (self.base_url, self.payment_page_url or self.base_url):
            parts = urlsplit(address)
            if (
                parts.scheme not in {"http", "https"}
                or not parts.hostname
                or parts.query
                or parts.fragment
            ):
                message = f"not the address of a gateway: {address!r}"
                raise errors.ConfigurationError(message)
            if parts.scheme == "http" and not (
                self.allow_plain_http or parts.hostname in _LOOPBACK
            ):
                message = (
                    f"{address!r} is not https; allow_plain_http=True permits that on a "
                    "private network"
                )
                raise errors.ConfigurationError(message)

    @property
    def is_local(self) -> bool:
        """Whether the gateway runs on this machine, where no proxy belongs in between."""
        return urlsplit(self.base_url).hostname in _LOOPBACK


class Calls:
    """The operations of one merchant at one gateway, and the access token they share.

    wall_clock: returns seconds since 1970, for the checksum's date. ticks: returns seconds of a
    clock that never jumps, for the token.
    """

    def __init__(
        self,
        credentials: Credentials,
        gateway: Gateway,
        *,
        wall_clock: Callable[[], float] = time.time,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start without a token."""
        self._credentials = credentials
        self._gateway = gateway
        self._wall_clock = wall_clock
        self._ticks = ticks
        self._tokens: dict[Scope, _Token] = {}

    @property
    def merchant_id(self) -> str:
        """The merchant of these operations."""
        return self._credentials.merchant_id

    @property
    def username(self) -> str:
        """The merchant's login, which the secure hash covers."""
        return self._credentials.username

    @property
    def shop_origin(self) -> str:
        """The origin of the merchant's shop; "" when not set."""
        return self._gateway.shop_origin

    def payment_form(self, order: Order) -> Steps[PaymentForm]:
        """Return the form that takes the customer to the payment page.

        See docs/spec/payment-interfaces.md#payment.
        """
        fields = order.fields(self._gateway.shop_origin)
        token = yield from self.token("page")
        page = (self._gateway.payment_page_url or self._gateway.base_url).rstrip("/")
        return PaymentForm(f"{page}{PAGE}?{urlencode({'token': token})}", self._envelope(fields))

    def issue_token(self, scope: Scope, rejected: str) -> Steps[str]:
        """Return a usable token of a scope, fetching one unless another caller just has.

        See docs/spec/payment-interfaces.md#token. rejected: a token the gateway refused, or "". The
        caller makes sure that only one of these runs.
        """
        held = self._held_token(scope, rejected)
        if held:
            return held
        asked = TokenRequest(
            client_id=self._credentials.oauth_client_id,
            client_secret=self._credentials.oauth_client_secret,
            grant_type=GRANT_TYPE,
            merchant_id=self._credentials.merchant_id,
            scope=scope,
        )
        form = self._envelope(write_request(asked))
        # Token issuance has no privatekey: it is the one call that proves the OAuth client instead.
        del form["privatekey"]
        asked_at_s = self._ticks()
        envelope = yield from self._exchange(
            Send(self._gateway.base_url.rstrip("/") + ISSUE.address, _form_bytes(form)),
            self._gateway.pauses_s,
        )
        try:
            issued = read_reply(AccessToken, envelope.get("data"))
        except FieldError as problem:
            message = f"the reply to token issuance holds no token: {problem}"
            raise errors.UnreadableReplyError(message) from problem
        # Half of a very short life: a longer spare would make every token old at once.
        spare_s = min(TOKEN_SPARE_S, issued.life_s / 2)
        self._tokens[scope] = _Token(issued.token, asked_at_s + issued.life_s - spare_s)
        return issued.token

    def _held_token(self, scope: Scope, rejected: str) -> str:
        token = self._tokens.get(scope)
        if token is None or token.text == rejected or self._ticks() >= token.renew_at_s:
            return ""
        return token.text

    def token(self, scope: Scope, rejected: str = "") -> Steps[str]:
        """Return a token that is valid for a while.

        Never `rejected`, which the gateway refused.
        """
        held = self._held_token(scope, rejected)
        if held:
            return held
        answer = yield TokenNeeded(scope, rejected)
        assert isinstance(answer, str), "TokenNeeded is answered by a token"
        return answer

    def ask(
        self,
        path: str,
        fields: Payload,
        *,
        as_json: bool = False,
        with_token: bool = True,
        repeats: bool = True,
    ) -> Steps[Mapping[str, JsonValue]]:
        """Return the opened envelope of an operation's reply; raise the error of a refusal.

        repeats: the request may be sent again when no usable answer comes: it moves no money, or
        carries an id that keeps it from moving money twice.
        """
        pauses_s = self._gateway.pauses_s if repeats else ()
        url = self._gateway.base_url.rstrip("/") + path
        body = (msgspec.json.encode if as_json else _form_bytes)(self._envelope(fields))
        content_type = JSON if as_json else FORM
        if not with_token:
            return (yield from self._exchange(Send(url, body, content_type), pauses_s))
        token = yield from self.token("operations")
        try:
            return (
                yield from self._exchange(Send(_with(token, url), body, content_type), pauses_s)
            )
        except errors.TokenRefusedError:
            # Once: the gateway may have forgotten tokens. A refused fresh one is a real refusal.
            token = yield from self.token("operations", rejected=token)
            return (
                yield from self._exchange(Send(_with(token, url), body, content_type), pauses_s)
            )

    def _envelope(self, fields: Payload) -> dict[str, str]:
        sealed = self._with_seal(fields)
        today = clock.business_day(datetime.fromtimestamp(self._wall_clock(), UTC))
        return {
            "merchant_id": self._credentials.merchant_id,
            "privatekey": self._credentials.privatekey,
            "encdata": cipher.seal(self._credentials.encryption_key, msgspec.json.encode(sealed)),
            "checksum": checksum.v4(sealed, today),
        }

    def _with_seal(self, fields: Payload) -> dict[str, JsonValue]:
        # Whoever holds a message can change its first 16 bytes (docs/spec/wire.md#cipher-limits).
        # They hold the name of a field that nobody reads; its value, unknown to whoever holds the
        # message, also keeps them from computing the checksum. It is made of the content, so that
        # the same order stays the same.
        content = msgspec.json.encode(list(fields.items()))
        seal = hmac.new(self._credentials.api_secret.encode(), content, hashlib.sha256).hexdigest()
        return {SEAL_FIELD: seal, **fields}

    def _exchange(
        self, request: Send, pauses_s: tuple[float, ...]
    ) -> Steps[Mapping[str, JsonValue]]:
        """Send until there is an answer or the pauses are used up; return the reply's envelope."""
        for pause_s in pauses_s:
            try:
                return self._read((yield request))
            except (errors.TransportError, errors.GatewayFaultError):
                yield Pause(pause_s)
        return self._read((yield request))

    def _read(self, answer: Answer) -> Mapping[str, JsonValue]:
        if isinstance(answer, Lost):
            message = f"{answer.reason} (at {self._gateway.base_url})"
            raise errors.UnreachableError(message)
        assert isinstance(answer, HttpReply), "Send is answered by Arrived or Lost"
        try:
            envelope = strict_json.parse(answer.body, strict_json.REPLY_VALUES_MAX)
        except strict_json.UnreadableJson as error:
            message = f"an answer with HTTP status {answer.status} that is not the gateway's"
            raise errors.UnreadableReplyError(message) from error
        sealed = envelope.get("response")
        if isinstance(sealed, str):
            envelope = self._open(sealed, envelope)
        if envelope.get("status_code") != "200":
            raise errors.refusal(envelope)
        if not (isinstance(sealed, str) or self._gateway.allow_plain_replies):
            message = (
                "the reply is not encrypted; set reply_format to both, or pass "
                "allow_plain_replies=True"
            )
            raise errors.ConfigurationError(message)
        return envelope

    def _open(self, sealed: str, plain: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        try:
            return cipher.open_json(
                self._credentials.encryption_key, sealed, strict_json.REPLY_VALUES_MAX
            )
        except cipher.UnreadableCipher as error:
            # The plain part beside it proves nothing, but it is the hint a developer needs.
            hint = errors.refusal(plain) if plain.get("status_code") == "400" else None
            said = f"; beside it stands: {hint.message}" if hint else ""
            message = (
                f"the reply is encrypted under another key: username or password is wrong{said}"
            )
            code, reference_id = (hint.code, hint.reference_id) if hint else ("", "")
            raise errors.WrongKeyError(message, code=code, reference_id=reference_id) from error


def _with(token: str, url: str) -> str:
    return f"{url}?{urlencode({'token': token})}"


def _form_bytes(form: Mapping[str, str]) -> bytes:
    return urlencode(form).encode()
