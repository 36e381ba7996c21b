"""Aadhaar XML and Aadhaar verification: the operations and their messages.

See docs/spec/partner-interfaces.md#aadhaar-xml and
docs/spec/partner-interfaces.md#aadhaar-verification.
"""

import re
from collections.abc import Mapping
from typing import Any

from hundi.wire import fields, kinds
from hundi.wire.codes import Code
from hundi.wire.fields import FieldError
from hundi.wire.message import message, sent
from hundi.wire.partner import kinds as own
from hundi.wire.partner.envelope import FIRST_OF_XML
from hundi.wire.partner.operation import PartnerOperation
from hundi.wire.parts import FieldKind
from hundi.wire.strict_json import JsonValue

NAME_MIN, NAME_MAX = 4, 50
CONSENT_MAX = 10_000
CONSENT_KIB_MAX = 256
"""A consent of 10,000 characters in any script and spelling (docs/spec/wire.md#bodies)."""
_OTP = re.compile(r"[0-9]{6}\Z")
_TXN = re.compile(r"[0-9]{1,15}\Z")


def _length(text: str) -> str:
    """Return what is shown of a text that may be somebody's number or consent."""
    return f"{len(text)} characters" if text else ""


def _call(word: str) -> FieldKind[str]:
    """Return the kind of the field that distinguishes the two calls."""

    def read(text: str, name: str) -> str:
        if text != word:
            raise FieldError(name, text, "otp or file")
        return text

    return FieldKind(
        read,
        lambda text, _: text,
        {"type": "string", "description": "Always this value", "enum": [word]},
    )


def _read_otp(text: str, name: str) -> str:
    # Somebody may have typed a sensitive number into the wrong field.
    if not _OTP.match(text):
        raise FieldError(name, _length(text), "6 digits")
    return text


def _read_txn(text: str, name: str) -> int:
    if not _TXN.match(text):
        raise FieldError(name, _length(text), "what the first call returned")
    return int(text)


def _read_name(text: str, name: str) -> str:
    text = text.strip()
    if not NAME_MIN <= len(text) <= NAME_MAX:
        raise FieldError(name, _length(text), f"{NAME_MIN} to {NAME_MAX} characters")
    return fields.free_text(text, name, NAME_MAX)


def _read_consent(text: str, name: str) -> str:
    if not 1 <= len(text) <= CONSENT_MAX:
        raise FieldError(name, _length(text), f"1 to {CONSENT_MAX} characters")
    return text


_NUMBER = kinds.written(
    lambda text, _: text.strip(), "12 digits, the last one a check digit", r"^[2-9][0-9]{11}$"
)
"""As sent; partners/identity checks its form."""
_RETURNED = "What the first call returned"


@message()
class OtpRequest:
    """The first call, which sends a one-time password to the holder."""

    type: str = sent(_call("otp"))
    number: str = sent(_NUMBER, "aadhaarNo", hidden=True)


@message()
class DocumentRequest:
    """The second call, for the document."""

    type: str = sent(_call("file"))
    request_id: str = sent(
        kinds.described(
            kinds.matching(r"[A-Za-z0-9_-]{1,64}", "what the first call returned"), _RETURNED
        ),
        "requestId",
        older=("requstId",),
    )
    otp: str = sent(
        kinds.written(_read_otp, "What the holder received", r"^[0-9]{6}$"), hidden=True
    )
    gateway_txn_id: int = sent(
        FieldKind(
            _read_txn,
            lambda number, _: str(number),
            {
                "type": "string",
                "description": _RETURNED,
                "pattern": r"^[0-9]{1,15}$",
                "examples": [],
            },
        ),
        older=("airpay_txn_id",),
    )


@message()
class HolderRequest:
    """A number and a name to check, with consent."""

    name: str = sent(
        FieldKind(_read_name, lambda text, _: text, kinds.text(NAME_MAX, NAME_MIN).schema),
        meaning="The holder's name",
        hidden=True,
    )
    consent: str = sent(
        FieldKind(
            _read_consent,
            lambda text, _: text,
            {
                "type": "string",
                "description": "The text that the holder agreed to",
                "minLength": 1,
                "maxLength": CONSENT_MAX,
            },
        ),
        "consentText",
        hidden=True,
    )
    number: str = sent(_NUMBER, "aadhaarNo", hidden=True)


@message(kw_only=False)
class OtpSent:
    """A one-time password is on its way to the holder of a number.

    Both ids go into the second call.
    """

    # The specification's spelling is `requstId`; the right one is our addition
    # (docs/spec/partner-interfaces.md#aadhaar-xml).
    request_id: str = sent(kinds.NAME, "requstId")
    gateway_txn_id: int = sent(kinds.WHOLE)


@message()
class AddressParts:
    """A holder's address in its parts."""

    house: str | None = sent(own.TEXT_OR_NULL, "houseNumber")
    street: str | None = sent(own.TEXT_OR_NULL)
    landmark: str | None = sent(own.TEXT_OR_NULL)
    subdistrict: str | None = sent(own.TEXT_OR_NULL)
    district: str | None = sent(own.TEXT_OR_NULL)
    vtc: str | None = sent(own.TEXT_OR_NULL, "vtcName")
    location: str | None = sent(own.TEXT_OR_NULL)
    post_office: str | None = sent(own.TEXT_OR_NULL, "postOffice")
    state: str | None = sent(own.TEXT_OR_NULL)
    country: str | None = sent(own.TEXT_OR_NULL)
    pincode: str | None = sent(own.TEXT_OR_NULL)


@message()
class HolderAddress:
    """A holder's address, in its parts and as one text."""

    parts: AddressParts = sent(own.one(AddressParts), "splitAddress")
    whole: str = sent(kinds.WORDS, "combinedAddress")


def _base64(media_type: str) -> FieldKind[str]:
    schema = {"type": "string", "contentEncoding": "base64", "contentMediaType": media_type}
    return FieldKind(lambda text, _: text, lambda text, _: text, schema)


@message()
class HolderDocument:
    """A document's facts about its holder."""

    generated: str = sent(kinds.WORDS, "generatedDateTime")
    masked_number: str = sent(kinds.WORDS, "maskedAadhaarNumber")
    name: str = sent(kinds.WORDS)
    dob: str = sent(kinds.WORDS)
    gender: str = sent(kinds.WORDS)
    mobile_hash: str = sent(kinds.WORDS, "mobileHash")
    email_hash: str | None = sent(own.TEXT_OR_NULL, "emailHash")
    relative: str | None = sent(own.TEXT_OR_NULL, "relativeName")
    address: HolderAddress = sent(own.one(HolderAddress))
    image: str = sent(_base64("image/jpeg"))
    masked_vid: str = sent(kinds.WORDS, "maskedVID")
    file: str = sent(_base64("application/zip"))


def _read_document(value: Any, name: str) -> Mapping[str, Any]:  # noqa: ANN401 (any JSON value)
    if not isinstance(value, Mapping) or not isinstance(value.get("file"), str):  # pyright: ignore[reportUnknownMemberType]
        raise FieldError(name, "", "an object with a file")
    return value  # pyright: ignore[reportUnknownVariableType]


def _write_document(told: Mapping[str, Any], _: str) -> JsonValue:
    return dict(told)


@message()
class OfflineDocument:
    """A holder's document. told: `dataFromAadhaar`, as its issuer gives it."""

    told: Mapping[str, Any] = sent(
        FieldKind(
            _read_document, _write_document, own.one(HolderDocument).schema, "raw", HolderDocument
        ),
        "dataFromAadhaar",
        hidden=True,
    )
    message: str = sent(kinds.WORDS, hidden=True)
    share_code: str = sent(kinds.WORDS, "shareCode", hidden=True)

    @property
    def file(self) -> str:
        """Base64 of an encrypted zip that the share code opens."""
        return self.told["file"]


@message()
class HolderCheck:
    """The facts about the holder of a number whose name was right.

    mobile: masked, "" for none.
    """

    age_band: str = sent(kinds.WORDS, "ageBand")
    gender: str = sent(kinds.WORDS)
    state: str = sent(kinds.WORDS)
    mobile: str = sent(kinds.WORDS)


_REGISTERS = (Code.NO_RECORDS, Code.PROVIDER_SILENT)
_TITLE = "Send a one-time password to a holder, then fetch the signed document"
_XML_CODES = (*_REGISTERS, Code.OTP_WRONG, Code.OTP_OVER)
OTP = PartnerOperation(
    "aadhaar-xml",
    "aadhaarXml",
    "request_otp",
    _TITLE,
    "partner-interfaces.md#aadhaar-xml",
    ("/ms/baas/api/aadhaar-xml",),
    OtpRequest,
    OtpSent,
    "keys",
    codes=_XML_CODES,
    shape=FIRST_OF_XML,
    live=True,
    copies={"requstId": "requestId", "gateway_txn_id": "airpay_txn_id"},
)
DOCUMENT = PartnerOperation(
    "aadhaar-xml",
    "aadhaarXml",
    "fetch_document",
    _TITLE,
    "partner-interfaces.md#aadhaar-xml",
    ("/ms/baas/api/aadhaar-xml",),
    DocumentRequest,
    OfflineDocument,
    "keys",
    codes=_XML_CODES,
    live=True,
)
VERIFICATION = PartnerOperation(
    "aadhaar-verification",
    "aadhaarVerification",
    "check_holder",
    "Check a number and its holder's name, with consent",
    "partner-interfaces.md#aadhaar-verification",
    ("/ms/baas/api/aadhaar-verification",),
    HolderRequest,
    HolderCheck,
    "keys",
    codes=(*_REGISTERS, Code.NAME_DIFFERS),
    body="json",
    kib_max=CONSENT_KIB_MAX,
)
