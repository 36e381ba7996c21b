"""The one way a partner's call comes in.

In this order: limits, body, who it is (every key in constant time), what it may, how often, checksum, fields. Whatever
happens is answered with HTTP 200 and the interface's own failure shape, and written down without what it was about.
"""

import hmac
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from prometheus_client import Counter

from hundi.api import replies
from hundi.api.gateway import Gateway
from hundi.api.inbound import DisconnectedError, Inbound, Reply
from hundi.api.merchant.pipeline import caller_address
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import request_reference
from hundi.kernel.refusals import Refusal, RefusalCode, refuse
from hundi.partners.directory.rules import Partner
from hundi.partners.directory.store import Call
from hundi.wire.codes import Code
from hundi.wire.envelope import Unreadable
from hundi.wire.partner import envelope as wire
from hundi.wire.partner.envelope import Parameters

BODY_BYTES_MAX = 64 * 1024
"""Largest body of an interface that names no other (docs/spec/wire.md#bodies)."""
UNPROVEN_A_MINUTE_MAX = 10
"""Calls with a partner's code and a wrong key that are written down: anybody may make them.

See docs/spec/partner-interfaces.md#limits.
"""
JSON_HEADERS = (b"content-type", b"application/json"), (b"cache-control", b"no-store")
_NOBODY = "nobody's key"
ANSWERED = Counter("hundi_partner_calls", "Calls of partners, by interface and code.", ["interface", "code"])
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Interface:
    """What the pipeline asks of one interface's callers.

    name: as a partner's settings spell it. documented: parameters in documented order, for the checksum
    (docs/spec/wire.md#partner-checksum).
    failure: words a refusal (code, sentence, the problem itself). dress: what the reply becomes on its way out.
    body_bytes_max: the largest body.
    """

    name: str
    documented: tuple[str, ...] = ()
    failure: Callable[[str, str, Exception], dict[str, object]] = lambda code, words, _: wire.failure(code, words)
    dress: "Callable[[PartnerCall, dict[str, object]], dict[str, object]]" = lambda _, reply: reply
    body_bytes_max: int = BODY_BYTES_MAX


@dataclass(slots=True)
class PartnerCall:
    """One call on its way: what is known of it so far. partner: who has proven to be it. claimed: who says to be it."""

    gateway: Gateway
    inbound: Inbound
    interface: Interface
    request_id: str
    address: str
    now: datetime
    partner: Partner | None = None
    claimed: Partner | None = None
    parameters: Parameters = field(default_factory=lambda: Parameters({}))

    @property
    def sender(self) -> Partner:
        """Return the partner, who is known once the pipeline is through."""
        if self.partner is None:
            message = "the pipeline has not named the partner"
            raise AssertionError(message)
        return self.partner


Prove = Callable[[PartnerCall], Awaitable[None]]
"""Names the partner and proves that it speaks: fills `partner`, raises Refused."""
Act = Callable[[PartnerCall], Awaitable[dict[str, object]]]
"""An interface: gets the opened call, returns the whole reply, raises Refused and FieldError."""


async def answer(
    gateway: Gateway, inbound: Inbound, interface: Interface, act: Act, prove: Prove | None = None
) -> Reply:
    """Return the reply of one interface: HTTP 200, whatever happens."""
    began = time.perf_counter()
    address = caller_address(inbound, gateway)
    call = PartnerCall(gateway, inbound, interface, request_reference(), address, utc_now())
    code, detail = Code.SUCCESS.wire, ""
    try:
        await _open(call, prove or by_headers)
        reply = await act(call)
    except Exception as problem:  # noqa: BLE001 (every problem becomes a reply; ours is logged with its trace)
        refusal = _refusal(call, problem)
        # What the field is called is ours to say where it is known, and never what came in it.
        code, detail = replies.CODE_OF[refusal.code].wire, refusal.detail or refusal.field
        reply = interface.failure(code, replies.words(refusal), problem)
    ANSWERED.labels(interface.name, code).inc()
    if (known := call.partner or _claimed(call)) is not None:
        latency_ms = round((time.perf_counter() - began) * 1000)
        noted = Call(
            known.affiliate, call.request_id, call.now, interface.name, code, detail[:200], latency_ms, address
        )
        gateway.partners.calls.note(noted)
    return Reply(
        wire.encode(interface.dress(call, reply)), headers=(*JSON_HEADERS, (b"x-request-id", call.request_id.encode()))
    )


def _claimed(call: PartnerCall) -> Partner | None:
    """Return whose code came with a wrong key, as long as that may be written down."""
    rates, claimed = call.gateway.partners.rates, call.claimed
    if claimed is None:
        return None
    has_room = rates.has_room(claimed.affiliate, "unproven", UNPROVEN_A_MINUTE_MAX, call.now.timestamp())
    return claimed if has_room else None


async def _open(call: PartnerCall, prove: Prove) -> None:
    call.parameters = await read_parameters(call.inbound, call.interface.body_bytes_max)
    await prove(call)
    partner, interface = call.sender, call.interface
    if partner.suspended:
        raise refuse(RefusalCode.PARTNER_SUSPENDED)
    if interface.name not in partner.settings.interfaces:
        raise refuse(RefusalCode.INTERFACE_NOT_ENABLED, detail=interface.name)
    most = partner.settings.calls_a_minute
    call.gateway.partners.rates.count(partner.affiliate, interface.name, most, call.now.timestamp())
    if interface.documented:
        _check_sum(call, partner)


async def by_headers(call: PartnerCall) -> None:
    """Prove a partner by affiliate, api-key and processor-key. Raises Refused (PARTNER_UNPROVEN)."""
    await prove_keys(call, {b"api-key": "api_key", b"processor-key": "processor_key"})


async def prove_keys(call: PartnerCall, wanted: dict[bytes, str]) -> None:
    """Prove a partner by affiliate code and the headers named, each the partner's key of that name.

    Raises Refused (PARTNER_UNPROVEN), with the same words whatever is wrong: an affiliate code is no secret, a key is.
    """
    affiliate = call.inbound.header(b"affiliate").strip()
    known = await call.gateway.partners.directory.get(affiliate) if affiliate else None
    right = [
        same(call.inbound.header(header), str(getattr(known.keys, name)) if known else _NOBODY)
        for header, name in wanted.items()
    ]
    if known is None or not all(right):
        call.claimed = known
        wrong = " ".join(header.decode() for header, fits in zip(wanted, right, strict=True) if not fits)
        raise refuse(RefusalCode.PARTNER_UNPROVEN, detail=f"wrong or missing: {wrong}")
    call.partner = known


def same(given: str, wanted: str) -> bool:
    """Compare a secret in constant time."""
    return hmac.compare_digest(given.strip().encode("latin-1", "replace"), wanted.encode())


def _check_sum(call: PartnerCall, partner: Partner) -> None:
    given = call.inbound.header(b"checksum")
    if not given:
        raise refuse(RefusalCode.CHECKSUM_WRONG, allowed="the header checksum is required")
    if wire.checksum_form(call.parameters, call.interface.documented, given, partner.keys.secret) is None:
        order = " + ".join((*call.interface.documented, "shared secret"))
        raise refuse(RefusalCode.CHECKSUM_WRONG, detail=f"sha256 of {order} gives another value")


async def read_parameters(inbound: Inbound, bytes_max: int = BODY_BYTES_MAX) -> Parameters:
    """Return the parameters of a request's body. Raises Refused (ENVELOPE_UNREADABLE, BODY_TOO_LARGE)."""
    try:
        body = await inbound.body(bytes_max)
    except DisconnectedError:
        raise refuse(RefusalCode.ENVELOPE_UNREADABLE, allowed="a whole body; the connection broke") from None
    if body is None:
        raise refuse(RefusalCode.BODY_TOO_LARGE, allowed=f"{bytes_max} bytes")
    try:
        return wire.parse_parameters(inbound.header(b"content-type"), body)
    except Unreadable as error:
        raise refuse(RefusalCode.ENVELOPE_UNREADABLE, field="body", received=error.reason) from None


def _refusal(call: PartnerCall, problem: Exception) -> Refusal:
    refusal = replies.refusal_of(problem)
    if refusal is None:
        _log.error("partner_call_failed", interface=call.interface.name, request_id=call.request_id, exc_info=problem)
        refusal = Refusal(RefusalCode.OURS)
    known = call.partner or call.claimed
    affiliate = known.affiliate if known else None
    _log.info(
        "partner_refused",
        interface=call.interface.name,
        code=refusal.code.log_name,
        request_id=call.request_id,
        affiliate=affiliate,
    )
    return refusal
