"""JSON Schemas of what partners are answered and told."""

from collections.abc import Mapping
from typing import Any

from hundi.api.description.fields import NOTHING, Schema, one_of, ref, sealed, text, written
from hundi.partners.leads.rules import LeadNews, LeadState
from hundi.partners.pos.rules import KINDS, LISTED_MAX
from hundi.wire.codes import Code
from hundi.wire.message import schema_of, with_those_inside
from hundi.wire.partner.envelope import Shape
from hundi.wire.partner.operation import PartnerOperation
from hundi.wire.partner.pos_entries import ENTRIES_MAX
from hundi.wire.partner.table import OPERATIONS
from hundi.wire.strict_json import JsonValue

_TEXT: Schema = {"type": "string"}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
_NUMBER: Schema = {"type": "integer"}
_RUPEES = written("Rupees, two places", r"^[0-9]+\.[0-9]{2}$", "1499.50")
_TAX = written("Rupees, two places; empty where this tax does not apply", r"^([0-9]+\.[0-9]{2})?$", "269.91")
_TEXTS: Schema = {"type": "array", "items": _TEXT}
ENTRY_CODES = (Code.FIELD_INVALID, Code.NO_RECORDS, Code.REQUEST_ID_REUSED)
"""Why an entry of a terminal can be refused."""


def _told(description: str = "", **properties: Schema) -> Schema:
    """Return the schema of an object that has all of these fields; later versions may add others."""
    said = {"description": description} if description else {}
    return {"type": "object", **said, "required": list(properties), "properties": properties}


def _texts(*names: str, **others: Schema) -> Schema:
    return _told("", **dict.fromkeys(names, _TEXT), **others)


def _done(data: Schema, message: str = "success") -> Schema:
    return _told("What was done", status={"const": 200}, message={"const": message}, data=data)


def _refusal(**around: Schema) -> Schema:
    return _told(
        "Every refusal, with HTTP status 200",
        **around,
        error_code=one_of("See x-response-codes", *(code.wire for code in Code if code is not Code.SUCCESS)),
        error={"type": "string", "description": "What is wrong and, of a field, what is allowed"},
    )


def _fixed(values: Mapping[str, JsonValue]) -> dict[str, Schema]:
    """Return the schemas of fields that never change."""
    return {name: NOTHING if value == [] else {"const": value} for name, value in values.items()}


def refused(shape: Shape) -> Schema:
    """Return the schema of the refusals of a shape, with every code."""
    return _refusal(**_fixed(shape.refused))


def reply_name(operation: PartnerOperation[Any, Any]) -> str:
    """Return what the description calls an operation's reply."""
    return operation.request.__name__.removesuffix("Request") + "Reply"


def _reply(operation: PartnerOperation[Any, Any]) -> Schema:
    """Return the schema of what an operation answers."""
    shape, around = operation.shape, _fixed(operation.shape.done)
    if shape.within:
        return _told("What was done", **around, **{shape.within: ref(operation.reply.__name__)})
    return _told("What was done", **around, **schema_of(operation.reply)["properties"])


def _declared() -> dict[str, Schema]:
    """Return the replies of the operations that `wire` declares, and the messages in them."""
    inside = (inner for each in OPERATIONS for inner in with_those_inside(each.reply))
    # What stands beside the status is no message of its own.
    beside = {each.reply for each in OPERATIONS if not each.shape.within}
    return {each.__name__: schema_of(each) for each in inside if each not in beside} | {
        reply_name(each): _reply(each) for each in OPERATIONS
    }


_FAILED: Schema = {"const": "Failed"}
_SPLIT_ADDRESS = (
    "houseNumber",
    "street",
    "landmark",
    "subdistrict",
    "district",
    "vtcName",
    "location",
    "postOffice",
    "state",
    "country",
    "pincode",
)
_DOCUMENT = _texts(
    "generatedDateTime",
    "maskedAadhaarNumber",
    "name",
    "dob",
    "gender",
    "mobileHash",
    emailHash=_TEXT_OR_NULL,
    relativeName=_TEXT_OR_NULL,
    address=_told(splitAddress=_told("", **dict.fromkeys(_SPLIT_ADDRESS, _TEXT_OR_NULL)), combinedAddress=_TEXT),
    image={"type": "string", "contentEncoding": "base64", "contentMediaType": "image/jpeg"},
    maskedVID=_TEXT,
    file={"type": "string", "contentEncoding": "base64", "contentMediaType": "application/zip"},
)
_ROW = _texts(
    "TRANSACTIONID", "TABLENO", "MOBILENO", AMOUNT=_RUPEES, EDITAMOUNT=_RUPEES, TXNTYPE=one_of("What it was", *KINDS)
)
_ENTRY_RESULT = _texts(
    "terminalid",
    "reference",
    "transactionid",
    "error",
    result=one_of("What became of the entry", "recorded", "repeated", "refused"),
    error_code=one_of("Empty unless it is refused", "", *(code.wire for code in ENTRY_CODES)),
)

REPLIES: dict[str, Schema] = {
    **_declared(),
    "OtpReply": _told(
        "The password is sent; the status is text",
        status={"const": "200"},
        message={"const": "success"},
        requstId=_TEXT,
        requestId=_TEXT,
        gateway_txn_id=_NUMBER,
        airpay_txn_id=_NUMBER,
    ),
    "DocumentReply": _done(_told(dataFromAadhaar=_DOCUMENT, message=_TEXT, shareCode=_TEXT)),
    "HolderReply": _done(_texts("ageBand", "gender", "state", "mobile")),
    "LeadTaken": _done(_told(message=_TEXT, lead_id=_NUMBER, notes=_TEXTS), "Success"),
    "LeadReply": _told(
        query=sealed(
            {"anyOf": [ref("LeadTaken"), ref("LeadRefusal")]}, "The answer, encrypted", "affiliate ~:~ shared secret"
        ),
    ),
    "SalesReply": _told(
        "What was sold",
        status={"const": 200},
        MERCHANTID=_NUMBER,
        UNIQUEID={"type": ["integer", "string"]},
        DATA={"type": "array", "items": _ROW, "maxItems": LISTED_MAX},
    ),
    "EntriesReply": _done(
        _told(
            recorded=_NUMBER,
            repeated=_NUMBER,
            refused=_NUMBER,
            entries={"type": "array", "items": _ENTRY_RESULT, "minItems": 1, "maxItems": ENTRIES_MAX},
        )
    ),
    "Refusal": _refusal(status={"const": 400}, message=_FAILED, data={"const": ""}),
    "DocumentRefusal": _refusal(
        status={"anyOf": [{"const": 400}, {"const": "400"}]}, message=_FAILED, data={"const": ""}
    ),
    "LeadRefusal": _refusal(
        status={"const": 400},
        message=_FAILED,
        data=_told(error=_TEXT, errors={"type": "array", "items": _texts("group", "field", "problem")}),
    ),
    "SalesRefusal": _refusal(status={"const": 502}, message=NOTHING),
    "LeadNews": _told(
        "What became of a lead",
        event=one_of("The news", *LeadNews),
        affiliate=_TEXT,
        lead_id=_NUMBER,
        state=one_of("Where the lead stands", *LeadState),
        reason=text("The operator's words"),
        merchant_id=written("Empty until the lead is a merchant", r"^[0-9]*$", "10001"),
        at=_TEXT,
    ),
}
