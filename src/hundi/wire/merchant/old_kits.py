"""What kits of versions 3 and 2 call and read, beside the operations of version 4.

Each is an operation of version 4 at an older address, with older names of its fields
(docs/old-kits.md).
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from xml.sax.saxutils import escape

import msgspec

from hundi.wire import strict_json
from hundi.wire.fields import FieldError
from hundi.wire.merchant.payments import INITIATE, SUBSCRIPTION
from hundi.wire.merchant.qr_orders import GENERATE, QrData
from hundi.wire.merchant.record import TransactionRecord, ipn_form
from hundi.wire.merchant.refunds import ITEMS_MAX, MODE, REFUND, RefundResult, RefundResults
from hundi.wire.merchant.upi_address import VALIDATE
from hundi.wire.merchant.verify import VERIFY
from hundi.wire.message import write_reply
from hundi.wire.operation import Operation
from hundi.wire.strict_json import JsonValue

ORDER_ID_MAX = 25
"""Characters of an order id in the form of an old kit."""
ITEM_VALUES_MAX = 8
"""Average number of values per item of a refund, itself counted."""
_NOT_IN_XML = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ud800-\\udfff\\ufffe\\uffff]")
"""Characters that XML 1.0 does not have, not even escaped."""
_PERIODS = {"DAY": "D", "WEEK": "W", "MONTH": "M", "YEAR": "Y"}
"""Periods that some kits write out."""


@dataclass(frozen=True, slots=True, eq=False)
class KitOperation:
    """An operation as kits before version 4 call it.

    operation: that of version 4, with its messages, scope and action. paths: below a prefix. names:
    of version 4, by the kits' own names of fields. joined: names of the fields that the checksum
    joins, in the kits' order. checksum: required. sealed: its fields travel in `encData`.
    """

    operation: Operation[Any, Any]
    paths: tuple[str, ...]
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    joined: tuple[str, ...] = ()
    checksum: bool = True
    sealed: bool = False

    @property
    def name(self) -> str:
        """Its name in logs, metrics and refusals."""
        return f"kit-{self.operation.name}"

    def renamed(self, values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Return fields under their names of version 4, where both came under the newer one."""
        older = {self.names[name]: value for name, value in values.items() if name in self.names}
        return older | {name: value for name, value in values.items() if name not in self.names}


START = KitOperation(INITIATE, ("/pay/", "/pay/index.php"))
"""The form that a customer's browser posts, in plain fields."""
KIT_VERIFY = KitOperation(
    VERIFY,
    ("/order/verify.php",),
    {
        "merchant_txn_id": "orderid",
        "merchant_txnId": "orderid",
        "processor_id": "ap_transactionid",
        "airpayId": "ap_transactionid",
    },
    ("merchant_id", "merchant_txn_id", "processor_id", "rrn", "terminal_id", "txn_type"),
    # Version 2 has none here.
    checksum=False,
)
KIT_REFUND = KitOperation(
    REFUND,
    ("/api/refundtxn.php",),
    {"processor_id": "ap_transactionid", "airpayid": "ap_transactionid"},
)
KIT_VALIDATE = KitOperation(VALIDATE, ("/api/vpa_validate.php",), sealed=True)
KIT_GENERATE = KitOperation(
    GENERATE,
    ("/api/generateOrder", "/api/generateorder", "/api/generateOrder.php"),
    {},
    (
        "mercid",
        "orderid",
        "amount",
        "tid",
        "buyerPhone",
        "buyerEmail",
        "mer_dom",
        "customvar",
        "call_type",
    ),
    sealed=True,
)
KIT_OPERATIONS = (KIT_VERIFY, KIT_REFUND, KIT_VALIDATE, KIT_GENERATE)
"""The operations that servers call."""
_OLDER_ID = "airpayid"
"""The name of a refund's transaction by which kits read an array in the reply."""


def order_values(sent: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a kit's form as version 4 reads them. Raises FieldError."""
    order_id = sent.get("orderid", "")
    if len(order_id) > ORDER_ID_MAX:
        allowed = f"1 to {ORDER_ID_MAX} characters in the form of an old kit"
        raise FieldError("orderid", order_id, allowed)
    values = dict(sent)
    if period := sent.get("sb_period"):
        values["sb_period"] = _PERIODS.get(period.upper(), period)
        if not sent.get("txnsubtype"):
            values["txnsubtype"] = SUBSCRIPTION
    return values


def return_address(sent: Mapping[str, str]) -> str:
    """Return the address to which a form wants its customer back, "" for none."""
    return next(
        (
            value.strip()
            for name, value in sent.items()
            if name.lower().replace("_", "") == "returnurl" and value.strip()
        ),
        "",
    )


def refund_values(sent: Mapping[str, str]) -> tuple[dict[str, JsonValue], bool]:
    """Return a kit's refund as version 4 reads it, and whether its reply is an array.

    Raises FieldError.
    """
    listed = sent.get("transactions", "")
    try:
        items = strict_json.parse_array(listed.encode(), ITEMS_MAX * ITEM_VALUES_MAX)
    except strict_json.UnreadableJson as error:
        allowed = f"a JSON array of objects with processor_id and amount; {error}"
        raise FieldError("transactions", listed, allowed) from None
    older = any(isinstance(item, dict) and _OLDER_ID in item for item in items)
    renamed: JsonValue = [
        KIT_REFUND.renamed(item) if isinstance(item, dict) else item for item in items
    ]
    packed = base64.b64encode(strict_json.compact(renamed).encode()).decode()
    return {"mode": sent.get("mode", ""), "transactions": packed}, older


def refund_texts(merchant_id: str, sent: Mapping[str, str], body: bytes) -> tuple[str, ...]:
    """Return what kits join of a refund: the array as it was sent, and as compact JSON.

    Some kits make its text before they put the array into the body, which then has spaces.
    """
    head, listed = merchant_id + sent.get("mode", ""), sent.get("transactions", "")
    raw = _raw_of(body, "transactions") or listed
    return tuple(dict.fromkeys(head + text for text in (raw, listed)))


def _raw_of(body: bytes, name: str) -> str:
    """Return a value of a JSON object as it was written, "" if it cannot be read."""
    try:
        raws = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return ""
    return bytes(raws.get(name, msgspec.Raw(b""))).decode("utf-8", "replace")


def kit_form(
    record: TransactionRecord, ipn_id: str, *, mode: str, left_out: tuple[str, ...] = ()
) -> dict[str, str]:
    """Return the fields in capitals that kits read on return, in notifications and in verify."""
    fields = ipn_form(record, ipn_id, mode=mode, left_out=left_out)
    extra = {"BANKRESPONSEMSG": record.bank_response_msg}
    return fields | {name: value for name, value in extra.items() if name not in left_out}


def qr_reply(data: QrData) -> dict[str, object]:
    """Return what kits read in the sealed reply to a QR order, beside the fields of version 4."""
    fields = cast("dict[str, object]", write_reply(data))
    kit = {"QRCODE_STRING": data.text, "MID": data.merchant_id, "RID": data.transaction_id}
    return {**fields, "status": 200, **kit}


def refund_array(merchant_id: str, message: str, told: RefundResults) -> list[dict[str, object]]:
    """Return the array that kits with `airpayid` read: one object with its transactions."""
    results = [_refunded(result) for result in told.results]
    begun = any(result.accepted for result in told.results)
    return [
        {
            "merchant_id": merchant_id,
            "mode": MODE,
            "success": begun,
            "message": message,
            "transactions": results,
        }
    ]


def _refunded(result: RefundResult) -> dict[str, object]:
    written = cast("dict[str, object]", write_reply(result))
    return {
        _OLDER_ID: result.transaction_id,
        "amount": written["amount"],
        "success": result.accepted,
        "message": result.message,
        "refundairpayid": result.refund_id,
    }


def xml(told: Mapping[str, object]) -> bytes:
    """Return a reply as XML: a RESPONSE whose elements have the names and texts of the fields."""
    return f'<?xml version="1.0" encoding="UTF-8"?><RESPONSE>{_elements(told)}</RESPONSE>'.encode()


def _elements(told: Mapping[str, object]) -> str:
    return "".join(f"<{name}>{_content(value)}</{name}>" for name, value in told.items())


def _content(value: object) -> str:
    if isinstance(value, Mapping):
        return _elements(cast("Mapping[str, object]", value))
    return escape(_NOT_IN_XML.sub(" ", str(value)))
