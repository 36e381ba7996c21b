"""Aadhaar XML and Aadhaar verification.

See docs/spec/partner-interfaces.md#aadhaar-xml and
docs/spec/partner-interfaces.md#aadhaar-verification.
"""

import base64
from datetime import datetime
from typing import cast

from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.partner.endpoint import (
    Answer,
    PartnerAuthentication,
    PartnerRequest,
    partner_endpoint,
    refused_as,
)
from hundi.api.partner.operations import serving
from hundi.kernel.clock import ist
from hundi.kernel.refusals import Refusal
from hundi.partners.identity import actions as identity
from hundi.partners.identity import rules
from hundi.partners.identity.actions import Check, IdentityContext, IssuedDocument
from hundi.partners.registers.port import Holder
from hundi.wire.message import write_reply
from hundi.wire.partner.identity import (
    DOCUMENT,
    OTP,
    VERIFICATION,
    AddressParts,
    DocumentRequest,
    HolderAddress,
    HolderCheck,
    HolderDocument,
    HolderRequest,
    OfflineDocument,
    OtpRequest,
    OtpSent,
)
from hundi.wire.parts import names


def _is_first(context: PartnerRequest) -> bool:
    """Return whether it is the first call of two.

    All its replies, refusals too, have a text as status. See
    docs/spec/partner-interfaces.md#replies.
    """
    return context.parameters.json("type") == "otp"


def _xml_refused(context: PartnerRequest, refusal: Refusal, problem: Exception) -> Answer:
    shape = OTP.shape if _is_first(context) else DOCUMENT.shape
    return refused_as(shape.failure)(context, refusal, problem)


_XML = partner_endpoint(
    OTP.name,
    # The checksum covers the parameters of both calls, without the missing ones.
    PartnerAuthentication(tuple(dict.fromkeys((*names(OtpRequest), *names(DocumentRequest))))),
    encode_refusal=_xml_refused,
)


async def _xml(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Send a one-time password, or return the document for it."""
    return await serve(gateway, inbound, _XML, _of_two)


async def _of_two(context: PartnerRequest) -> Answer:
    if _is_first(context):
        return OTP.answer(await _send_otp(context, OTP.asked(context.parameters)))
    return DOCUMENT.answer(await _issue(context, DOCUMENT.asked(context.parameters)))


def _identity_context(context: PartnerRequest) -> IdentityContext:
    services = context.gateway.partners
    return IdentityContext(
        context.gateway.db, context.gateway.vault, services.registers, services.signers
    )


async def _send_otp(context: PartnerRequest, asked: OtpRequest) -> OtpSent:
    headers = context.inbound.headers()
    live = "live" in headers and headers["live"].strip().upper() in {"", "Y"}
    request = await identity.send_otp(
        _identity_context(context), context.sender, asked.number, live=live, now=context.now
    )
    return OtpSent(request.request_id, request.gateway_txn_id)


async def _issue(context: PartnerRequest, asked: DocumentRequest) -> OfflineDocument:
    issued = await identity.issue(
        _identity_context(context),
        context.sender,
        asked.request_id,
        asked.gateway_txn_id,
        asked.otp,
        context.now,
    )
    if isinstance(issued, IssuedDocument):
        told = cast("dict[str, object]", write_reply(_document(issued)))
        share_code = issued.document.share_code
    else:
        told, share_code = issued.told, issued.share_code
    return OfflineDocument(told=told, message="Aadhaar XML file generated", share_code=share_code)


def _document(issued: IssuedDocument) -> HolderDocument:
    made, holder = issued.document, issued.holder
    return HolderDocument(
        generated=_stamp(made.generated_at),
        masked_number=rules.masked(issued.last4),
        name=holder.name,
        dob="XX-XX-" + holder.dob[-4:],
        gender=holder.gender,
        mobile_hash=made.mobile_hash,
        email_hash=made.email_hash or None,
        relative=holder.careof or None,
        address=_address(holder),
        image=holder.photo,
        masked_vid="X" * 12 + holder.vid_last4,
        file=base64.b64encode(made.file).decode(),
    )


def _address(holder: Holder) -> HolderAddress:
    lines = (
        holder.house,
        holder.street,
        holder.landmark,
        holder.location,
        holder.vtc,
        holder.post_office,
    )
    regions = holder.subdistrict, holder.district, holder.state, holder.country
    whole = ", ".join(dict.fromkeys(filter(None, (*lines, *regions))))
    parts = AddressParts(
        house=holder.house or None,
        street=holder.street or None,
        landmark=holder.landmark or None,
        subdistrict=holder.subdistrict or None,
        district=holder.district or None,
        vtc=holder.vtc or None,
        location=holder.location or None,
        post_office=holder.post_office or None,
        state=holder.state or None,
        country=holder.country or None,
        pincode=holder.pincode or None,
    )
    return HolderAddress(parts=parts, whole=f"{whole} - {holder.pincode}")


def _stamp(moment: datetime) -> str:
    return ist(moment).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


async def _verification(context: PartnerRequest, asked: HolderRequest) -> HolderCheck:
    """Check a number and its holder's name, with consent."""
    check = Check(asked.name, asked.number, asked.consent)
    told = await identity.check(
        _identity_context(context), context.sender, check, context.request_id, context.now
    )
    return HolderCheck(
        age_band=told.age_band, gender=told.gender, state=told.state, mobile=told.mobile
    )


HANDLERS = {OTP: _xml, DOCUMENT: _xml, VERIFICATION: serving(VERIFICATION, _verification)}
