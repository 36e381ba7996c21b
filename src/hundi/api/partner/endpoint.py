"""Authentication of partners: keys or card token, permission, rate limit, and checksum.

Each call is recorded without its contents.
"""

import hmac
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hundi.api import replies
from hundi.api.endpoint import BODY_BYTES_MAX, EndpointPolicy, RequestContext, json_reply
from hundi.api.inbound import Reply
from hundi.kernel.masking import masked
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, refuse
from hundi.partners.directory.rules import Partner, Rotatable
from hundi.partners.directory.store import RecordedCall
from hundi.wire.codes import Code
from hundi.wire.partner import envelope as wire

UNPROVEN_A_MINUTE_MAX = 10
"""Recorded calls per minute with a partner's code and a wrong key: anybody may make them.

See docs/spec/partner-interfaces.md#limits.
"""
_NOBODY = "nobody's key"

Answer = Mapping[str, object]
PartnerRequest = RequestContext[Partner]
PartnerEndpoint = EndpointPolicy[Partner, Answer]
Prove = Callable[[PartnerRequest], Awaitable[None]]
"""Fills `claimed` with the partner, and raises Refused unless it is proven."""


async def by_headers(context: PartnerRequest) -> None:
    """Prove a partner by affiliate, api-key and processor-key.

    Raises Refused (PARTNER_UNPROVEN).
    """
    await prove_keys(context, {b"api-key": "api_key", b"processor-key": "processor_key"})


async def prove_keys(context: PartnerRequest, wanted: Mapping[bytes, Rotatable]) -> None:
    """Prove a partner by affiliate code and the named headers, each the partner's key of that name.

    Raises Refused (PARTNER_UNPROVEN), with the same words whatever is wrong: an affiliate code is
    no secret, a key is.
    """
    affiliate = context.inbound.header(b"affiliate").strip()
    known = context.claimed = (
        await context.gateway.partners.directory.get(affiliate) if affiliate else None
    )
    right: dict[bytes, str] = {}
    for header, name in wanted.items():
        for key in known.keys.valid(name) if known else (_NOBODY,):
            if same(context.inbound.header(header), key):
                right[header] = key
    if known is None or len(right) < len(wanted):
        raise unproven(*(header for header in wanted if header not in right))
    for header, key in right.items():
        known = context.claimed = known.using(wanted[header], key)


def unproven(*wrong: bytes) -> Exception:
    """Return the refusal of an unproven partner.

    Only the operator reads which headers were wrong.
    """
    return refuse(
        RefusalCode.PARTNER_UNPROVEN, detail=f"wrong or missing: {b' '.join(wrong).decode()}"
    )


def same(given: str, wanted: str) -> bool:
    """Return whether a secret is right, compared in constant time."""
    return hmac.compare_digest(given.strip().encode("latin-1", "replace"), wanted.encode())


@dataclass(frozen=True, slots=True)
class PartnerAuthentication:
    """One endpoint's demands on partners.

    documented: parameters in documented order, for the checksum
    (docs/spec/wire.md#partner-checksum); without any, no checksum is verified. prove: finds the
    partner and checks its keys.
    """

    documented: tuple[str, ...] = ()
    prove: Prove = by_headers

    async def authenticate(self, context: PartnerRequest) -> None:
        """Prove the partner. Raises Refused."""
        await self.prove(context)
        context.authenticated = True

    async def open(self, context: PartnerRequest) -> None:
        """Check that the partner may call this endpoint now, then its checksum. Raises Refused."""
        partner = context.sender
        if partner.suspended:
            raise refuse(RefusalCode.PARTNER_SUSPENDED)
        if context.endpoint not in partner.settings.interfaces:
            raise refuse(RefusalCode.INTERFACE_NOT_ENABLED, detail=context.endpoint)
        most = partner.settings.calls_a_minute
        context.gateway.partners.rates.count(
            partner.affiliate, context.endpoint, most, context.now.timestamp()
        )
        if self.documented:
            self._check_checksum(context, partner)

    def sender_id(self, sender: Partner) -> str:
        """Return the affiliate code."""
        return sender.affiliate

    async def record(self, context: PartnerRequest, refusal: Refusal | None) -> None:
        """Record who called, when, how it ended and how long it took; no content is stored."""
        partner = context.claimed
        if partner is None or not (context.authenticated or _has_room(context, partner)):
            return
        latency_ms = round((time.perf_counter() - context.began_s) * 1000)
        code = replies.CODE_OF[refusal.code] if refusal else Code.SUCCESS
        # A known field has our name for it; its received value is never recorded.
        detail = masked(refusal.detail or refusal.field)[:200] if refusal else _older(partner)
        call = RecordedCall(
            partner.affiliate,
            context.request_id,
            context.now,
            context.endpoint,
            code.wire,
            detail,
            latency_ms,
            context.address,
        )
        context.gateway.partners.calls.note(call)

    def _check_checksum(self, context: PartnerRequest, partner: Partner) -> None:
        given = context.inbound.header(b"checksum")
        if not given:
            raise refuse(RefusalCode.CHECKSUM_WRONG, allowed="the header checksum is required")
        for secret in partner.keys.valid("secret"):
            if wire.checksum_form(context.parameters, self.documented, given, secret) is not None:
                context.claimed = partner.using("secret", secret)
                return
        order = " + ".join((*self.documented, "shared secret"))
        raise refuse(RefusalCode.CHECKSUM_WRONG, detail=f"sha256 of {order} gives another value")


def _older(partner: Partner) -> str:
    """Return a note for the operator on an accepted call: whether older keys are still in use."""
    return f"with the older {' '.join(partner.by_older)}" if partner.by_older else ""


def _has_room(context: PartnerRequest, claimed: Partner) -> bool:
    """Return whether another call with a wrong key may be recorded in this minute."""
    rates, now_s = context.gateway.partners.rates, context.now.timestamp()
    return rates.has_room(claimed.affiliate, "unproven", UNPROVEN_A_MINUTE_MAX, now_s)


async def limit_alone(_: RequestContext[Any], refusal: Refusal) -> Refusal:
    """Remove the received size from the refusal of a too large body.

    Partners read only the limit.
    """
    return (
        replace(refusal, field="", received="")
        if refusal.code is RefusalCode.BODY_TOO_LARGE
        else refusal
    )


def refused_as(
    failure: Callable[[str, str], Answer],
) -> Callable[[RequestContext[Any], Refusal, Exception], Answer]:
    """Return the `encode_refusal` that passes code and sentence in an interface's own form."""

    def encode_refusal(_: RequestContext[Any], refusal: Refusal, __: Exception) -> Answer:
        return failure(replies.CODE_OF[refusal.code].wire, replies.words(refusal))

    return encode_refusal


def partner_reply(context: RequestContext[Any], answer: Answer) -> Reply:
    """Return an answer as plain JSON."""
    return json_reply(context, wire.encode(answer))


STANDARD_REFUSAL = refused_as(wire.STANDARD.failure)


def partner_endpoint(
    name: str,
    authentication: PartnerAuthentication,
    *,
    encode_refusal: Callable[[PartnerRequest, Refusal, Exception], Answer] = STANDARD_REFUSAL,
    encode_reply: Callable[[PartnerRequest, Answer], Reply] = partner_reply,
    body_bytes_max: int = BODY_BYTES_MAX,
) -> PartnerEndpoint:
    """Return the policy of an endpoint that partners call.

    name: as a partner's settings spell it.
    """
    return EndpointPolicy(
        name, authentication, encode_refusal, encode_reply, limit_alone, body_bytes_max
    )
