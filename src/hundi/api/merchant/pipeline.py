"""The one way a merchant's request comes in.

In this order: limits, outer envelope, merchant, token, privatekey, encdata, checksum.

Authentication comes before decryption, and everything after decryption fails alike, so that nothing here is an oracle.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import Any, Literal

import structlog
from prometheus_client import Counter

from hundi.api import replies
from hundi.api.gateway import Gateway
from hundi.api.inbound import DisconnectedError, Inbound, Reply
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import request_reference
from hundi.kernel.refusals import Refusal, RefusalCode, refuse
from hundi.merchants.access import actions as access
from hundi.merchants.directory.rules import Merchant
from hundi.wire import cipher
from hundi.wire.envelope import OuterEnvelope, Unreadable, parse_outer, wrap_reply
from hundi.wire.merchant import checksum, privatekey
from hundi.wire.merchant.inner import refuse_reply

BODY_BYTES_MAX = 64 * 1024
"""Largest body of an operation without a limit of its own (docs/spec/wire.md#bodies)."""
MERCHANT_ID_DIGITS_MAX = 12
_TYPE = (b"content-type", b"application/json")
_NOT_KEPT = (b"cache-control", b"no-store")

ANSWERED = Counter("hundi_requests", "Requests of merchants, by operation and response code.", ["operation", "code"])
FITTED = Counter(
    "hundi_checksums", "Checksums that fitted, by operation and form: what clients send.", ["operation", "form"]
)

_log = structlog.get_logger(__name__)

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FlatForm:
    """A body whose fields stand unencrypted. is_one: recognises it; is_proven: whether it comes from the merchant."""

    is_one: Callable[[OuterEnvelope], bool]
    is_proven: "Callable[[Exchange, Inbound], bool]"


@dataclass(frozen=True, slots=True)
class Operation:
    """What the pipeline asks of one operation's callers.

    token, privatekey: whether they are required (if_sent: checked when there is one). checksum: whether it is required
    (it is verified whenever it is sent).
    live_only: whether sandbox merchants are refused. payment_page: whether the mobile kits' checksum counts.
    flat: the form of a body without `encdata`, where there is one.
    refusal: how a "no" is worded. weigh: may turn one refusal into another, having counted it.
    """

    name: str
    token: bool = True
    privatekey: Literal["required", "if_sent", "ignored"] = "required"
    checksum: bool = False
    live_only: bool = False
    payment_page: bool = False
    body_bytes_max: int = BODY_BYTES_MAX
    refusal: Callable[[Refusal, str], dict[str, object]] = replies.refused
    flat: "FlatForm | None" = None
    weigh: "Callable[[Exchange, Refusal], Awaitable[Refusal]] | None" = None


@dataclass(slots=True)
class Exchange:
    """One request on its way: what is known of it so far, for the reply and for the merchant's log.

    authenticated: whether the reply may be sealed with the merchant's key. values: the opened `encdata`.
    """

    gateway: Gateway
    operation: Operation
    request_id: str
    address: str
    now: datetime
    merchant: Merchant | None = None
    authenticated: bool = False
    outer: OuterEnvelope = field(default_factory=OuterEnvelope)
    values: Values = field(default_factory=dict[str, Any])

    @property
    def sender(self) -> Merchant:
        """Return the merchant, who is known once the pipeline is through."""
        if self.merchant is None:
            message = "the pipeline has not named the merchant"
            raise AssertionError(message)
        return self.merchant


Act = Callable[[Exchange], Awaitable[dict[str, object]]]
"""An operation: gets the opened exchange, returns the whole envelope, raises Refused."""


async def answer(gateway: Gateway, inbound: Inbound, operation: Operation, act: Act) -> Reply:
    """Return the reply of one operation: HTTP 200 with an envelope, whatever happens."""
    exchange = begin(gateway, inbound, operation)
    try:
        await open_request(exchange, inbound)
        envelope = await act(exchange)
    except Exception as problem:  # noqa: BLE001 (every problem becomes an envelope; ours is logged with its trace)
        envelope = operation.refusal(await refusal_of(exchange, problem), exchange.request_id)
    ANSWERED.labels(operation.name, envelope["response_code"]).inc()
    named = (b"x-request-id", exchange.request_id.encode())
    return Reply(_sealed(exchange, envelope), headers=(_TYPE, _NOT_KEPT, named))


async def refusal_of(exchange: Exchange, problem: Exception) -> Refusal:
    """Return what to answer to a problem, having logged it and kept it for the merchant."""
    refusal = replies.refusal_of(problem)
    if refusal is None:
        _log.error(
            "request_failed", operation=exchange.operation.name, request_id=exchange.request_id, exc_info=problem
        )
        refusal = Refusal(RefusalCode.OURS)
    try:
        if exchange.operation.weigh is not None:
            refusal = await exchange.operation.weigh(exchange, refusal)
        await _remember(exchange, refusal)
    except Exception:  # noqa: BLE001 (the log of refusals must never be why a reply is lost)
        _log.exception("refusal_not_kept", request_id=exchange.request_id)
    return refusal


def begin(gateway: Gateway, inbound: Inbound, operation: Operation) -> Exchange:
    """Return a fresh exchange with its request id and the caller's address."""
    return Exchange(gateway, operation, request_reference(), caller_address(inbound, gateway), utc_now())


def caller_address(inbound: Inbound, gateway: Gateway) -> str:
    """Return the address of the caller; a proxy's word is taken only from a proxy the settings trust."""
    peer = inbound.peer
    if _is_trusted(peer, gateway.settings.trusted_proxies):
        # A proxy may add a line of its own after what the caller sent: only the very last entry is the proxy's word.
        return inbound.last_of(b"x-forwarded-for") or peer
    return peer


@lru_cache(maxsize=1024)
def _is_trusted(peer: str, proxies: tuple[str, ...]) -> bool:
    try:
        address = ip_address(peer)
    except ValueError:
        return False
    return any(address in ip_network(each) for each in proxies)


def _sealed(exchange: Exchange, envelope: dict[str, object]) -> bytes:
    merchant = exchange.merchant
    if merchant is None or not exchange.authenticated:
        return wrap_reply("plain", "", envelope, None)
    return wrap_reply(merchant.settings.reply_format, str(merchant.merchant_id), envelope, merchant.keys.encryption_key)


async def open_request(exchange: Exchange, inbound: Inbound) -> None:
    """Fill the exchange: merchant, opened values. Raises Refused at the first check that fails."""
    operation = exchange.operation
    body = await _body(inbound, operation.body_bytes_max)
    exchange.outer = _outer(inbound.header(b"content-type"), body)
    flat = operation.flat if operation.flat is not None and operation.flat.is_one(exchange.outer) else None
    merchant = await _merchant(exchange, sealed=flat is None)
    exchange.merchant = merchant
    if operation.token:
        await exchange.gateway.tokens.check(merchant.merchant_id, inbound.query("token"), exchange.now)
    if flat is None:
        _check_privatekey(exchange, merchant)
    elif not flat.is_proven(exchange, inbound):
        raise refuse(RefusalCode.PRIVATEKEY_WRONG, detail="Api-Key or TOKEN is wrong or missing")
    # Token issuance has nothing but the cipher: its replies are sealed for whoever can open them.
    exchange.authenticated = True
    if merchant.suspended:
        raise refuse(RefusalCode.MERCHANT_SUSPENDED)
    if operation.live_only and merchant.mode == "sandbox":
        raise refuse(RefusalCode.SANDBOX_MERCHANT)
    if flat is None:
        exchange.values = _values(exchange, merchant)
        refuse_reply(exchange.values)


def _check_privatekey(exchange: Exchange, merchant: Merchant) -> None:
    given, rule = exchange.outer.privatekey, exchange.operation.privatekey
    wanted = rule == "required" or (rule == "if_sent" and given)
    if wanted and not privatekey.matches(merchant.keys.privatekey, given):
        raise refuse(RefusalCode.PRIVATEKEY_WRONG, detail=_privatekey_hint(merchant, given))


async def _body(inbound: Inbound, bytes_max: int) -> bytes:
    try:
        body = await inbound.body(bytes_max)
    except DisconnectedError:
        raise refuse(RefusalCode.ENVELOPE_UNREADABLE, field="body", received="a broken connection") from None
    if body is None:
        received = inbound.header(b"content-length")
        received = f"{received} bytes" if received else "a longer stream"
        raise refuse(RefusalCode.BODY_TOO_LARGE, field="body", received=received, allowed=f"{bytes_max} bytes")
    return body


def _outer(content_type: str, body: bytes) -> OuterEnvelope:
    try:
        return parse_outer(content_type, body)
    except Unreadable as error:
        raise refuse(RefusalCode.ENVELOPE_UNREADABLE, field="body", received=error.reason) from None


async def _merchant(exchange: Exchange, *, sealed: bool) -> Merchant:
    outer = exchange.outer
    if not outer.merchant_id:
        raise refuse(RefusalCode.ENVELOPE_UNREADABLE, field="merchant_id", allowed="the numeric merchant id")
    given = outer.merchant_id.strip()
    known = None
    if given.isascii() and given.isdigit() and len(given) <= MERCHANT_ID_DIGITS_MAX:
        known = await exchange.gateway.directory.get(int(given))
    if known is None:
        raise refuse(RefusalCode.MERCHANT_UNKNOWN, field="merchant_id", received=given[:32])
    if sealed and not outer.encdata:
        exchange.merchant = known
        raise refuse(RefusalCode.ENVELOPE_UNREADABLE, field="encdata", allowed="the encrypted JSON payload")
    return known


def _privatekey_hint(merchant: Merchant, given: str) -> str:
    if not given:
        return "privatekey is missing"
    keys = merchant.keys
    mistaken = {
        "the OAuth client secret in place of the API secret": (keys.client_secret, keys.username, keys.password),
        "username and password swapped": (keys.secret, keys.password, keys.username),
        "the merchant id in place of the username": (keys.secret, str(merchant.merchant_id), keys.password),
    }
    for mistake, parts in mistaken.items():
        if privatekey.matches(privatekey.derive(*parts), given):
            return f"privatekey was made with {mistake}"
    return "privatekey is not sha256(API secret @ username :|: password)"


def _values(exchange: Exchange, merchant: Merchant) -> Values:
    outer, keys = exchange.outer, merchant.keys
    try:
        values = cipher.open_json(keys.encryption_key, outer.encdata)
    except cipher.Unreadable:
        raise refuse(RefusalCode.ENCDATA_UNREADABLE) from None
    if outer.checksum:
        form = checksum.match(
            values,
            outer.checksum,
            exchange.now,
            username=keys.username,
            password=keys.password,
            payment_page=exchange.operation.payment_page,
        )
        if form is None:
            raise refuse(RefusalCode.CHECKSUM_WRONG, detail=_checksum_story(values, outer.checksum, exchange.now))
        FITTED.labels(exchange.operation.name, form).inc()
    elif exchange.operation.checksum:
        raise refuse(RefusalCode.CHECKSUM_WRONG, field="checksum", allowed="required on this operation")
    return values


def _checksum_story(values: Values, given: str, now: datetime) -> str:
    lines = [f"you sent {given[:80]}"]
    lines += [
        f"{each.form}: {each.value} over {each.text[:400]!r}" for each in checksum.canonical_texts(values, now)[:12]
    ]
    return "\n".join(lines)


async def _remember(exchange: Exchange, refusal: Refusal) -> None:
    """Log a refusal, and keep it where the merchant's developer reads why."""
    code = refusal.code.log_name
    merchant_id = exchange.merchant.merchant_id if exchange.merchant else None
    _log.info(
        "refused", operation=exchange.operation.name, code=code, request_id=exchange.request_id, merchant_id=merchant_id
    )
    if merchant_id is not None:
        await access.keep_refusal(
            exchange.gateway.db,
            merchant_id,
            exchange.request_id,
            exchange.operation.name,
            replace(refusal, detail=_masked(exchange.sender, refusal.detail)),
            _masked(exchange.sender, replies.words(refusal)),
            exchange.address,
            exchange.now,
            proven=exchange.authenticated and exchange.operation.privatekey != "ignored",
        )


def _masked(merchant: Merchant, text: str) -> str:
    """Take the merchant's own secrets out of a text that is kept: they may have been sent in a wrong field."""
    keys = merchant.keys
    secrets = (keys.secret, keys.password, keys.client_secret, keys.privatekey, *keys.webhook_keys)
    for secret in secrets:
        text = text.replace(secret, checksum.MASK)
    return text
