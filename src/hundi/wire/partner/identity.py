"""Aadhaar XML and Aadhaar verification.

See docs/spec/partner-interfaces.md#aadhaar-xml and docs/spec/partner-interfaces.md#aadhaar-verification.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from hundi.wire import fields
from hundi.wire.fields import FieldError
from hundi.wire.partner.envelope import Parameters

XML = ("type", "aadhaarNo", "requestId", "otp", "gateway_txn_id")
VERIFICATION = ("name", "consentText", "aadhaarNo")
"""Parameters in documented order, as a checksum takes them."""
NAME_MIN, NAME_MAX = 4, 50
CONSENT_MAX = 10_000
_OTP = re.compile(r"[0-9]{6}\Z")
_REQUEST = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_TXN = re.compile(r"[0-9]{1,15}\Z")


@dataclass(frozen=True, slots=True)
class OtpMessage:
    """The first call, which asks for a password. number: as sent; partners/identity checks its form."""

    number: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class FileMessage:
    """The second call, which asks for the document."""

    request_id: str
    gateway_txn_id: int
    otp: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class VerificationMessage:
    """A number to be checked, with consent."""

    name: str = field(repr=False)
    consent: str = field(repr=False)
    number: str = field(repr=False)


def parse_xml(parameters: Parameters) -> OtpMessage | FileMessage:
    """Return one of the two calls. Raises FieldError."""
    kind = parameters.text("type")
    if kind == "otp":
        return OtpMessage(parameters.text("aadhaarNo").strip())
    if kind != "file":
        raise FieldError("type", kind, "otp or file")
    request_id, otp = parameters.text("requestId", "requstId"), parameters.text("otp")
    if not _REQUEST.match(request_id):
        raise FieldError("requestId", request_id, "what the first call returned")
    if not _OTP.match(otp):
        # Somebody may have typed a number that matters into the wrong field.
        raise FieldError("otp", f"{len(otp)} characters" if otp else "", "6 digits")
    txn = parameters.text("gateway_txn_id", "airpay_txn_id")
    if not _TXN.match(txn):
        raise FieldError("gateway_txn_id", f"{len(txn)} characters" if txn else "", "what the first call returned")
    return FileMessage(request_id, int(txn), otp)


def parse_verification(parameters: Parameters) -> VerificationMessage:
    """Return a check. Raises FieldError."""
    name, consent = parameters.text("name").strip(), parameters.text("consentText")
    if not NAME_MIN <= len(name) <= NAME_MAX:
        raise FieldError("name", f"{len(name)} characters" if name else "", f"{NAME_MIN} to {NAME_MAX} characters")
    fields.free_text(name, "name", NAME_MAX)
    if not 1 <= len(consent) <= CONSENT_MAX:
        shown = f"{len(consent)} characters" if consent else ""
        raise FieldError("consentText", shown, f"1 to {CONSENT_MAX} characters")
    return VerificationMessage(name, consent, parameters.text("aadhaarNo").strip())


def otp_sent(request_id: str, gateway_txn_id: int) -> dict[str, object]:
    """Return the reply of the first call; its status is text.

    See docs/spec/partner-interfaces.md#aadhaar-xml.
    """
    return {
        "status": "200",
        "message": "success",
        "requstId": request_id,
        "requestId": request_id,
        "gateway_txn_id": gateway_txn_id,
        "airpay_txn_id": gateway_txn_id,
    }


_SPLIT = {
    "houseNumber": "house",
    "street": "street",
    "landmark": "landmark",
    "subdistrict": "subdistrict",
    "district": "district",
    "vtcName": "vtc",
    "location": "location",
    "postOffice": "post_office",
    "state": "state",
    "country": "country",
    "pincode": "pincode",
}
_COMBINED = (
    "house",
    "street",
    "landmark",
    "location",
    "vtc",
    "post_office",
    "subdistrict",
    "district",
    "state",
    "country",
)


def file_data(  # noqa: PLR0913 (what a document says)
    holder: Mapping[str, str],
    *,
    generated: str,
    masked_number: str,
    share_code: str,
    mobile_hash: str,
    email_hash: str,
    file: bytes,
) -> dict[str, object]:
    """Return `data` of the second call's reply (docs/spec/partner-interfaces.md#aadhaar-xml).

    holder: by our names. generated: the timestamp as text. file: the encrypted zip.
    """
    combined = ", ".join(dict.fromkeys(holder[name] for name in _COMBINED if holder[name]))
    told = {
        "generatedDateTime": generated,
        "maskedAadhaarNumber": masked_number,
        "name": holder["name"],
        "dob": "XX-XX-" + holder["dob"][-4:],
        "gender": holder["gender"],
        "mobileHash": mobile_hash,
        "emailHash": email_hash or None,
        "relativeName": holder["careof"] or None,
        "address": {
            "splitAddress": {name: holder[own] or None for name, own in _SPLIT.items()},
            "combinedAddress": f"{combined} - {holder['pincode']}",
        },
        "image": holder["photo"],
        "maskedVID": "X" * 12 + holder["vid_last4"],
        "file": base64.b64encode(file).decode(),
    }
    return document_data(told, share_code)


def document_data(told: Mapping[str, object], share_code: str) -> dict[str, object]:
    """Return the reply's data of the second call around what is told of a document."""
    return {"dataFromAadhaar": told, "message": "Aadhaar XML file generated", "shareCode": share_code}


def verification_data(age_band: str, gender: str, state: str, mobile: str) -> dict[str, object]:
    """Return `data` of a check (docs/spec/partner-interfaces.md#aadhaar-verification)."""
    return {"ageBand": age_band, "gender": gender, "state": state, "mobile": mobile}
