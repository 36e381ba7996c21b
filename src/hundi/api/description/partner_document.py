"""The OpenAPI 3.1 document of the partners' interfaces."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import msgspec

from hundi.api.addresses import (
    AADHAAR_VERIFICATION,
    AADHAAR_XML,
    CREATE_LEAD,
    GATEWAY,
    POS_DETAIL,
    POS_ENTRIES,
    POS_LISTING,
)
from hundi.api.description.fields import (
    AS_FORM,
    FORM,
    JSON,
    MULTIPART,
    REQUEST_ID,
    SIGNED,
    Schema,
    Tag,
    openapi,
    ref,
    written,
)
from hundi.api.description.partner_messages import REQUESTS
from hundi.api.description.partner_replies import REPLIES, refused, reply_name
from hundi.wire.codes import Code
from hundi.wire.partner import gst, prepaid_cards
from hundi.wire.partner.operation import PartnerOperation, Proof
from hundi.wire.partner.table import operations_of

VERSION = "1.0.0"
_EVERYBODY = (
    Code.ENVELOPE_UNREADABLE,
    Code.FIELD_INVALID,
    Code.BODY_TOO_LARGE,
    Code.TOO_MANY_REQUESTS,
    Code.HOME_UNREACHABLE,
    Code.OURS,
)
_PERMITTED = (*_EVERYBODY, Code.PARTNER_SUSPENDED, Code.INTERFACE_NOT_ENABLED)
_PROVEN = (*_PERMITTED, Code.PARTNER_UNPROVEN)
_CHECKED = (*_PROVEN, Code.CHECKSUM_WRONG)
_REGISTERS = (Code.NO_RECORDS, Code.PROVIDER_SILENT)
_TERMINALS = (*_EVERYBODY, Code.ADDRESS_NOT_LISTED, Code.MERCHANT_SUSPENDED, Code.NO_RECORDS)
_IDENTITY = Tag("Aadhaar", "Who somebody is, by the Aadhaar number and with consent.", "aadhaar-verification")
_GST = Tag("GST", "Who is registered for GST, and how much it comes to.", "gst-verification")
_CARDS = Tag("Prepaid cards", "Cards of a card programme.", "card-details")
_LEADS = Tag("Leads", "Businesses that a partner brings.", "createlead")
_POS = Tag("Terminals", "What terminals sold.", "pos")
_PRINTABLE = r"^[!-~]{1,200}$"


def _header(name: str, schema: Schema, *, required: bool = True) -> Schema:
    return {
        "name": name,
        "in": "header",
        "required": required,
        "schema": schema,
        "description": schema["description"],
    }


_AFFILIATE = _header("affiliate", written("The partner's code", r"^[A-Z0-9]{4,10}$", "AF000001"))
_API_KEY = _header("api-key", written("A key of the partner", _PRINTABLE))
_PROCESSOR_KEY = _header("processor-key", written("A key of the partner", _PRINTABLE))
_CHECKSUM = _header(
    "checksum",
    written("Hex SHA-256 of the parameters' values and the shared secret, joined", r"^[0-9a-f]{64}$"),
)
_LEAD_CHECKSUM = _header("checksum", written("Hex SHA-256 of query, affiliate and shared secret", r"^[0-9a-f]{64}$"))
_LIVE = _header("live", written("Y, or blank: asks the live provider", r"^Y?$", "Y"), required=False)
_GATEWAY_KEY = _header(
    "GATEWAYKEY", written("Where the operator has set one; AIRPAYKEY, too", r"^[!-~]{8,200}$"), required=False
)
_CARD_TOKEN = _header("token", written("The partner's card token", r"^[A-Za-z0-9]{10}$"))
_TIMESTAMP = _header(
    "timestamp", written("Seconds since 1970, at most 300 s from the gateway's", r"^[0-9]{1,11}$", "1763800000")
)
_SIGNATURE = _header(
    "signature",
    written("Hex HMAC-SHA256 of timestamp, a full stop and the body, under the shared secret", r"^[0-9a-f]{64}$"),
)
_KEYS = (_AFFILIATE, _API_KEY, _PROCESSOR_KEY, _CHECKSUM)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    requests, replies: names of schemas, which are alternatives. codes: why it may refuse. refusal: how, without its
    codes. forms: what a form holds, where it is not what JSON holds. kib_max: size of a body.
    """

    name: str
    tag: Tag
    summary: str
    headers: tuple[Schema, ...]
    requests: tuple[str, ...]
    replies: tuple[str, ...]
    codes: tuple[Code, ...]
    refusal: Schema
    forms: tuple[str, ...] = ()
    kib_max: int = 64


_PROOFS: Mapping[Proof, tuple[tuple[Schema, ...], tuple[Code, ...]]] = {
    "keys": (_KEYS, _CHECKED),
    "card token": ((_CARD_TOKEN, _CHECKSUM), (*_PERMITTED, Code.TOKEN_UNKNOWN, Code.CHECKSUM_WRONG)),
}
"""The headers of each proof, and why a caller with it may be refused."""


def _described(room: ModuleType, tag: Tag) -> dict[str, Operation]:
    """Return the operations that a module declares, by their addresses."""
    return {f"{GATEWAY}{each.paths[0]}": _operation(each, tag) for each in operations_of(room)}


def _operation(declared: PartnerOperation[Any, Any], tag: Tag) -> Operation:
    headers, codes = _PROOFS[declared.proof]
    return Operation(
        declared.identity,
        tag,
        declared.title,
        headers,
        (declared.request.__name__,),
        (reply_name(declared),),
        (*codes, *declared.codes),
        refused(declared.shape),
        kib_max=declared.kib_max,
    )


OPERATIONS: Mapping[str, Operation] = {
    f"{GATEWAY}{AADHAAR_XML}": Operation(
        "aadhaarXml",
        _IDENTITY,
        "Send a one-time password to a holder, then fetch the signed document",
        (*_KEYS, _LIVE),
        ("OtpRequest", "DocumentRequest"),
        ("OtpReply", "DocumentReply"),
        (*_CHECKED, *_REGISTERS, Code.OTP_WRONG, Code.OTP_OVER),
        refusal=REPLIES["DocumentRefusal"],
    ),
    f"{GATEWAY}{AADHAAR_VERIFICATION}": Operation(
        "aadhaarVerification",
        _IDENTITY,
        "Check a number and its holder's name, with consent",
        _KEYS,
        ("HolderRequest",),
        ("HolderReply",),
        (*_CHECKED, *_REGISTERS, Code.NAME_DIFFERS),
        REPLIES["Refusal"],
        kib_max=256,
    ),
    **_described(gst, _GST),
    **_described(prepaid_cards, _CARDS),
    f"{GATEWAY}{CREATE_LEAD}": Operation(
        "createLead",
        _LEADS,
        "Bring a business, or change its lead. Refusals are plain until the caller is proven, then sealed",
        (_AFFILIATE, _PROCESSOR_KEY, _LEAD_CHECKSUM, _GATEWAY_KEY),
        ("LeadRequest",),
        ("LeadReply",),
        (*_CHECKED, Code.ENCDATA_UNREADABLE, Code.NO_RECORDS, Code.LEAD_EXISTS, Code.LEAD_CLOSED),
        refusal=REPLIES["LeadRefusal"],
    ),
    f"{GATEWAY}{POS_LISTING}": Operation(
        "listSales",
        _POS,
        "List what a terminal sold in the last 24 hours. The merchant lists the addresses that may ask",
        (),
        ("SalesRequest",),
        ("SalesReply",),
        _TERMINALS,
        refusal=REPLIES["SalesRefusal"],
    ),
    f"{GATEWAY}{POS_DETAIL}": Operation(
        "showSale",
        _POS,
        "Show one sale of a terminal. The merchant lists the addresses that may ask",
        (),
        ("SaleRequest",),
        ("SalesReply",),
        _TERMINALS,
        refusal=REPLIES["SalesRefusal"],
    ),
    f"{GATEWAY}{POS_ENTRIES}": Operation(
        "recordSales",
        _POS,
        "Record what terminals sold, each entry once and by itself",
        (_AFFILIATE, _TIMESTAMP, _SIGNATURE),
        ("EntriesRequest",),
        ("EntriesReply",),
        _PROVEN,
        REPLIES["Refusal"],
        forms=("EntriesForm",),
        kib_max=256,
    ),
}


def _one(names: tuple[str, ...]) -> Schema:
    return ref(names[0]) if len(names) == 1 else {"anyOf": [ref(name) for name in names]}


def refusal_of(operation: Operation) -> Schema:
    """Return the schema of an operation's refusals, with its own codes."""
    every = operation.refusal
    code = every["properties"]["error_code"] | {"enum": [code.wire for code in operation.codes]}
    return every | {"properties": every["properties"] | {"error_code": code}}


def _refused(operation: Operation) -> str:
    """Return the name of an operation's refusals."""
    return operation.name[0].upper() + operation.name[1:] + "Refused"


def _taken(operation: Operation) -> Iterator[str]:
    """Yield for each request that an operation takes what it is."""
    for name in operation.requests:
        yield f"`{name}`: {REQUESTS[name]['description']}"


def _path(operation: Operation) -> Schema:
    form: Schema = {"schema": _one(operation.forms or operation.requests)}
    replies = [*(ref(name) for name in operation.replies), ref(_refused(operation))]
    return {
        "post": {
            "operationId": operation.name,
            "tags": [operation.tag.name],
            "summary": operation.summary,
            "description": "\n\n".join(_taken(operation)),
            "parameters": list(operation.headers),
            "requestBody": {
                "required": True,
                "description": f"At most {operation.kib_max} KiB",
                "content": {JSON: {"schema": _one(operation.requests)}},
                "x-also-accepts": {FORM: form, MULTIPART: form},
            },
            "responses": {
                "200": {
                    "description": "What was done, or why not",
                    "headers": REQUEST_ID,
                    "content": {JSON: {"schema": {"anyOf": replies}}},
                },
            },
        }
    }


def _news() -> Schema:
    return {
        "post": {
            "summary": "News of a lead, signed by the Standard Webhooks rules; any 2xx is delivered",
            "parameters": SIGNED,
            "requestBody": {"content": {JSON: {"schema": ref("LeadNews")}}},
            "responses": {"2XX": {"description": "Taken"}},
        }
    }


@cache
def document() -> Schema:
    """Return the whole document."""
    refusals = {_refused(operation): refusal_of(operation) for operation in OPERATIONS.values()}
    return openapi(
        "Hundi interfaces for partners",
        VERSION,
        f"Calls prove themselves by headers; {AS_FORM}",
        tags=[tag.schema for tag in dict.fromkeys(operation.tag for operation in OPERATIONS.values())],
        paths={path: _path(operation) for path, operation in OPERATIONS.items()},
        webhooks={"lead": _news()},
        components={"schemas": {**REQUESTS, **REPLIES, **refusals}},
    )


@cache
def document_json() -> bytes:
    """Return the document as it is served."""
    return msgspec.json.encode(document())
