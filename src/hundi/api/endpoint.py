"""The one entrance for every call: from merchants, partners, terminals and the payment page's form.

The steps are always the same: begin, read the body, authenticate, open, act, record, count, reply.
The differences of endpoints are values of `EndpointPolicy`.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, lru_cache
from ipaddress import ip_address, ip_network
from typing import Any, Generic, Protocol, TypeVar

import structlog
from prometheus_client import Counter, Histogram

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.inbound import DisconnectedError, Inbound, Reply
from hundi.infra.http.turns import Turn
from hundi.infra.monitoring.counters import REQUEST_SECONDS, REQUESTS
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import request_reference
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, refuse
from hundi.merchants.access.rules import network_of
from hundi.payments.risk.actions import PayerTrace
from hundi.wire.codes import Code
from hundi.wire.envelope import OuterEnvelope, UnreadableEnvelope, parse_outer
from hundi.wire.partner.envelope import Parameters, parameters_of

BODY_BYTES_MAX = 64 * 1024
"""Largest body of an endpoint that names no other limit (docs/spec/wire.md#bodies)."""
_JSON = (b"content-type", b"application/json")
_NOT_STORED = (b"cache-control", b"no-store")
_NAME_LENGTH_MAX = 32
_UNPROVEN = frozenset(
    {
        RefusalCode.MERCHANT_UNKNOWN,
        RefusalCode.TOKEN_UNKNOWN,
        RefusalCode.PRIVATEKEY_WRONG,
        RefusalCode.CREDENTIALS_WRONG,
        RefusalCode.SENDER_UNPROVEN,
        RefusalCode.ENCDATA_UNREADABLE,
        RefusalCode.CHECKSUM_WRONG,
        RefusalCode.PARTNER_UNPROVEN,
        RefusalCode.ADDRESS_NOT_LISTED,
    }
)
"""Refusals of senders that did not show the keys of whom they named."""
_NOT_GUESSED = (b"x-content-type-options", b"nosniff")
"""A reply may repeat received text: no browser may take it for a page."""

_log = structlog.get_logger(__name__)

Sender = TypeVar("Sender")
Answer = TypeVar("Answer")
Handler = Callable[[GatewayContext, Inbound], Awaitable[Reply]]
"""Answers the requests of one address."""


@dataclass(slots=True)
class RequestContext(Generic[Sender]):
    """One request, and what is known of it so far.

    endpoint: the name of its policy. address: the caller's. began_s: on the clock that measures
    latency. claimed: the named sender; `authenticated` says whether that is proven. body: as
    received. outer: its fields. values: the decrypted fields, of endpoints that encrypt them.
    within: the refusal of a part of a request that is answered as a whole, only for the log.
    """

    gateway: GatewayContext
    inbound: Inbound
    endpoint: str
    request_id: str
    address: str
    now: datetime
    began_s: float
    claimed: Sender | None = None
    authenticated: bool = False
    body: bytes = field(default=b"", repr=False)
    outer: OuterEnvelope = field(default_factory=OuterEnvelope)
    values: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    within: Refusal | None = None

    @property
    def sender(self) -> Sender:
        """Return the authenticated sender, whom every action has."""
        if self.claimed is None or not self.authenticated:
            message = "the sender is not authenticated"
            raise AssertionError(message)
        return self.claimed

    @property
    def parameters(self) -> Parameters:
        """Return the fields of the body as the partners' interfaces read them."""
        return parameters_of(self.outer)


class SenderAuthentication(Protocol[Sender]):
    """The authentication of one kind of sender, and the checks before an action runs."""

    async def authenticate(self, context: RequestContext[Sender]) -> None:
        """Fill `claimed` and set `authenticated`. Raises Refused."""
        ...

    async def open(self, context: RequestContext[Sender]) -> None:
        """Check the rights of an authenticated sender, and open or verify its fields.

        Raises Refused.
        """
        ...

    def sender_id(self, sender: Sender) -> str:
        """Return the sender's name in log lines."""
        ...

    async def record(self, context: RequestContext[Sender], refusal: Refusal | None) -> None:
        """Record how the request ended, for the sender's developer or the operator."""
        ...


async def same_refusal(_: RequestContext[Any], refusal: Refusal) -> Refusal:
    """Return a refusal unchanged: the `on_refusal` of an endpoint without one of its own."""
    return refusal


def outer_fields(inbound: Inbound, body: bytes) -> OuterEnvelope:
    """Return the fields of a body. Raises Refused (ENVELOPE_UNREADABLE)."""
    try:
        return parse_outer(inbound.header(b"content-type"), body)
    except UnreadableEnvelope as error:
        raise refuse(RefusalCode.ENVELOPE_UNREADABLE, field="body", received=error.reason) from None


@dataclass(frozen=True, slots=True)
class EndpointPolicy(Generic[Sender, Answer]):
    """An endpoint's demands on its callers, and its form of answers.

    name: as logs, metrics and partners' settings spell it. authentication: how its callers prove
    who they are. encode_refusal: makes the answer to a refusal; it gets the exception too.
    encode_reply: makes the HTTP reply. on_refusal: sees each refusal before it is answered, and
    returns the one to answer with. from_browsers: customers send it, without a proof of their own.
    read_outer: reads the fields that say who calls; raises Refused.
    """

    name: str
    authentication: SenderAuthentication[Sender]
    encode_refusal: Callable[[RequestContext[Sender], Refusal, Exception], Answer]
    encode_reply: Callable[[RequestContext[Sender], Answer], Reply]
    on_refusal: Callable[[RequestContext[Sender], Refusal], Awaitable[Refusal]] = same_refusal
    body_bytes_max: int = BODY_BYTES_MAX
    from_browsers: bool = False
    read_outer: Callable[[Inbound, bytes], OuterEnvelope] = outer_fields


async def serve(
    gateway: GatewayContext,
    inbound: Inbound,
    policy: EndpointPolicy[Sender, Answer],
    act: Callable[[RequestContext[Sender]], Awaitable[Answer]],
) -> Reply:
    """Return the reply of one endpoint; every problem becomes a reply in the endpoint's own form.

    act: gets the authenticated request and returns the whole answer; raises Refused and FieldError.
    """
    address = caller_address(inbound, gateway)
    # The class itself: calling the alias with its parameter, `RequestContext[Sender]`, goes through
    # `typing`.
    context: RequestContext[Sender] = RequestContext(
        gateway, inbound, policy.name, request_reference(), address, utc_now(), time.perf_counter()
    )
    try:
        context.body = await _read_body(inbound, policy.body_bytes_max)
        context.outer = policy.read_outer(inbound, context.body)
        async with gateway.admission.turn(
            _claimed_sender(context), address, len(context.body)
        ) as turn:
            return await _served(context, policy, act, turn)
    except Exception as problem:  # noqa: BLE001 (as below: every problem becomes a reply)
        return await _refused(context, policy, problem)


async def _served(
    context: RequestContext[Sender],
    policy: EndpointPolicy[Sender, Answer],
    act: Callable[[RequestContext[Sender]], Awaitable[Answer]],
    turn: Turn,
) -> Reply:
    """Return the reply to a request whose turn it is."""
    try:
        await policy.authentication.authenticate(context)
        await policy.authentication.open(context)
        turn.is_read()
        answer = await act(context)
    except Exception as problem:  # noqa: BLE001 (every problem becomes a reply; a fault of ours is logged with its trace)
        return await _refused(context, policy, problem)
    if not policy.from_browsers:
        context.gateway.admission.learn(_claimed_sender(context), context.address, proven=True)
    return await _replied(context, policy, answer, None)


async def _refused(
    context: RequestContext[Sender], policy: EndpointPolicy[Sender, Answer], problem: Exception
) -> Reply:
    refusal = await _refusal_for(context, policy, problem)
    if refusal.code in _UNPROVEN:
        context.gateway.admission.learn(_claimed_sender(context), context.address, proven=False)
    reply = await _replied(
        context, policy, policy.encode_refusal(context, refusal, problem), refusal
    )
    return retried_after(reply, refusal)


async def _replied(
    context: RequestContext[Sender],
    policy: EndpointPolicy[Sender, Answer],
    answer: Answer,
    refusal: Refusal | None,
) -> Reply:
    """Record and count how a request ended, and return its reply."""
    try:
        await policy.authentication.record(context, refusal or context.within)
    except Exception:  # noqa: BLE001 (a record that cannot be written must never be why a reply is lost)
        _log.exception("request_not_recorded", endpoint=policy.name, request_id=context.request_id)
    code = Code.SUCCESS if refusal is None else replies.CODE_OF[refusal.code]
    _counter(policy.name, code.wire).inc()
    _clock(policy.name).observe(time.perf_counter() - context.began_s)
    return policy.encode_reply(context, answer)


@cache
def _counter(endpoint: str, code: str) -> Counter:
    """Return the counter of one endpoint and code.

    Finding it by its labels costs more than counting.
    """
    return REQUESTS.labels(endpoint, code)


@cache
def _clock(endpoint: str) -> Histogram:
    return REQUEST_SECONDS.labels(endpoint)


def retried_after(reply: Reply, refusal: Refusal) -> Reply:
    """Return a reply that says when to ask again, where the refusal knows (RFC 9110, 10.2.3)."""
    if not refusal.retry_after_s:
        return reply
    return replace(reply, headers=(*reply.headers, (b"retry-after", b"%d" % refusal.retry_after_s)))


def _claimed_sender(context: RequestContext[Any]) -> str:
    """Return a request's claimed sender, not yet proven.

    Without one, its endpoint and network.
    """
    named = context.outer.merchant_id.strip() or context.inbound.header(b"affiliate").strip()
    return named[:_NAME_LENGTH_MAX] or f"{context.endpoint} {network_of(context.address)}"


def json_reply(context: RequestContext[Any], body: bytes) -> Reply:
    """Return a JSON reply with the request's id: HTTP 200, whatever it says."""
    return Reply(
        body,
        headers=(_JSON, _NOT_STORED, _NOT_GUESSED, (b"x-request-id", context.request_id.encode())),
    )


def caller_address(inbound: Inbound, gateway: GatewayContext) -> str:
    """Return the caller's address; `X-Forwarded-For` counts only from a trusted proxy."""
    return sender_address(inbound, gateway) or inbound.peer


def sender_address(inbound: Inbound, gateway: GatewayContext) -> str:
    """Return the caller's address as a proof of identity.

    "" behind a proxy that is not named as trusted: all its callers have its address, so that
    customers would pass for the merchant's servers.
    """
    peer, forwarded = inbound.peer, inbound.last_of(b"x-forwarded-for")
    if not forwarded:
        return peer
    # A proxy may add a line of its own after the caller's: only the very last entry is the proxy's.
    return forwarded if _is_trusted(peer, gateway.settings.trusted_proxies) else ""


BROWSER_HEADERS = (b"user-agent", b"accept-language", b"sec-ch-ua", b"sec-ch-ua-platform")
"""Headers that one browser sends alike with every request.

With its network they identify the device for the risk rules.
"""


def payer_of(inbound: Inbound, gateway: GatewayContext) -> PayerTrace:
    """Return the payer's trace, from a request of the customer's own browser."""
    return PayerTrace(
        caller_address(inbound, gateway), tuple(inbound.header(name) for name in BROWSER_HEADERS)
    )


@lru_cache(maxsize=1024)
def _is_trusted(peer: str, proxies: tuple[str, ...]) -> bool:
    try:
        address = ip_address(peer)
    except ValueError:
        return False
    return any(address in ip_network(each) for each in proxies)


async def _read_body(inbound: Inbound, bytes_max: int) -> bytes:
    """Return a request's body. Raises Refused (ENVELOPE_UNREADABLE, BODY_TOO_LARGE)."""
    try:
        body = await inbound.body(bytes_max)
    except DisconnectedError:
        raise refuse(
            RefusalCode.ENVELOPE_UNREADABLE, field="body", received="a broken connection"
        ) from None
    if body is None:
        received = inbound.header(b"content-length")
        received = f"{received} bytes" if received else "a longer stream"
        raise refuse(
            RefusalCode.BODY_TOO_LARGE,
            field="body",
            received=received,
            allowed=f"{bytes_max} bytes",
        )
    return body


async def _refusal_for(
    context: RequestContext[Sender], policy: EndpointPolicy[Sender, Any], problem: Exception
) -> Refusal:
    """Return the refusal that answers an exception, logged."""
    refusal = replies.refusal_from_exception(problem)
    if refusal is None:
        _log.error(
            "request_failed", endpoint=policy.name, request_id=context.request_id, exc_info=problem
        )
        refusal = Refusal(RefusalCode.OURS)
    try:
        refusal = await policy.on_refusal(context, refusal)
    except Exception:  # noqa: BLE001 (what watches refusals must never be why a reply is lost)
        _log.exception("refusal_not_counted", endpoint=policy.name, request_id=context.request_id)
    sender = context.claimed
    _log.info(
        "request_refused",
        endpoint=policy.name,
        code=refusal.code.log_name,
        request_id=context.request_id,
        sender=policy.authentication.sender_id(sender) if sender is not None else None,
        address=context.address,
    )
    return refusal
