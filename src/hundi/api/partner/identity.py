"""Aadhaar XML and Aadhaar verification.

See docs/spec/partner-interfaces.md#aadhaar-xml and docs/spec/partner-interfaces.md#aadhaar-verification.
"""

from dataclasses import asdict
from datetime import datetime

from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.partner.endpoint import Answer, PartnerAuthentication, PartnerRequest, partner_endpoint, partner_reply
from hundi.kernel.clock import ist
from hundi.partners.identity import actions as identity
from hundi.partners.identity import rules
from hundi.partners.identity.actions import Check, IdentityContext, Issued
from hundi.wire.partner import identity as wire
from hundi.wire.partner.envelope import STANDARD
from hundi.wire.partner.identity import OtpMessage

VERIFICATION_BYTES_MAX = 256 * 1024
"""A consent of 10,000 characters in any script and spelling (docs/spec/wire.md#bodies)."""


def _xml_reply(context: PartnerRequest, answer: Answer) -> Reply:
    """Write the status of the first call's replies as text, also of refusals.

    See docs/spec/partner-interfaces.md#replies.
    """
    is_first = context.parameters.json("type") == "otp"
    return partner_reply(context, {**answer, "status": str(answer["status"])} if is_first else answer)


XML = partner_endpoint("aadhaar-xml", PartnerAuthentication(wire.XML), encode_reply=_xml_reply)
VERIFICATION = partner_endpoint(
    "aadhaar-verification", PartnerAuthentication(wire.VERIFICATION), body_bytes_max=VERIFICATION_BYTES_MAX
)


async def xml(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Send a one-time password, or return the document for it."""
    return await serve(gateway, inbound, XML, _xml)


async def verification(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Check a number and its holder's name, with consent."""
    return await serve(gateway, inbound, VERIFICATION, _verification)


def _identity_context(context: PartnerRequest) -> IdentityContext:
    services = context.gateway.partners
    return IdentityContext(context.gateway.db, context.gateway.vault, services.registers, services.signers)


async def _xml(context: PartnerRequest) -> Answer:
    asked, identity_context, partner, now = (
        wire.parse_xml(context.parameters),
        _identity_context(context),
        context.sender,
        context.now,
    )
    headers = context.inbound.headers()
    live = "live" in headers and headers["live"].strip().upper() in {"", "Y"}
    if isinstance(asked, OtpMessage):
        request = await identity.send_otp(identity_context, partner, asked.number, live=live, now=now)
        return wire.otp_sent(request.request_id, request.gateway_txn_id)
    issued = await identity.issue(identity_context, partner, asked.request_id, asked.gateway_txn_id, asked.otp, now)
    if isinstance(issued, Issued):
        return STANDARD.success(_file_data(issued))
    return STANDARD.success(wire.document_data(issued.told, issued.share_code))


def _file_data(issued: Issued) -> dict[str, object]:
    made = issued.document
    return wire.file_data(
        asdict(issued.holder),
        generated=_stamp(made.generated_at),
        masked_number=rules.masked(issued.last4),
        share_code=made.share_code,
        mobile_hash=made.mobile_hash,
        email_hash=made.email_hash,
        file=made.file,
    )


def _stamp(moment: datetime) -> str:
    return ist(moment).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


async def _verification(context: PartnerRequest) -> Answer:
    asked = wire.parse_verification(context.parameters)
    check = Check(asked.name, asked.number, asked.consent)
    told = await identity.check(_identity_context(context), context.sender, check, context.request_id, context.now)
    return STANDARD.success(wire.verification_data(told.age_band, told.gender, told.state, told.mobile))
