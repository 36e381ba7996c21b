"""Python's answers to what vectors and random messages ask of every SDK.

A request is `{"do": …, "with": {…}}`, an answer `{"gives": …}` or `{"refused": {…}}`. The test
program of each SDK (`peer`) reads requests, one a line, and has to answer them byte for byte alike.
"""

import base64
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

import msgspec
from standardwebhooks import Webhook

from hundi.sdk import errors, signed, transaction
from hundi.sdk.callback import Callbacks
from hundi.sdk.calls import Calls, Gateway, HttpReply
from hundi.sdk.credentials import Credentials
from hundi.sdk.transaction import Transaction
from hundi.wire import cipher, fields, kinds, strict_json
from hundi.wire.fields import FieldError
from hundi.wire.merchant import checksum, privatekey, securehash
from tools.sdks.model import kind_of

Values = Mapping[str, Any]
SHOWN = (
    "transaction_id",
    "order_id",
    "merchant_id",
    "amount_paise",
    "status_code",
    "channel",
    "customer_name",
    "message",
    "custom_var",
    "rrn",
    "refunded_paise",
    "created_at",
    "at_risk",
)
FLAGS = (
    "is_paid",
    "is_pending",
    "is_failed",
    "is_authorised",
    "is_voided",
    "is_refund",
    "is_final",
)


def answer(asked: Values) -> dict[str, Any]:
    """Return Python's answer to one request."""
    try:
        return {"gives": _ANSWERS[asked["do"]](asked["with"])}
    except (cipher.UnreadableCipher, strict_json.UnreadableJson):
        return {"refused": {"kind": "unreadable"}}
    except FieldError as refused:
        return {"refused": _field(refused.field, refused.received, refused.allowed)}
    except errors.HundiError as refused:
        return {"refused": _error(refused)}


def _field(field: str, received: str, allowed: str) -> dict[str, str]:
    return {"kind": "invalid_request", "field": field, "received": received, "allowed": allowed}


def _error(refused: errors.HundiError) -> dict[str, str]:
    told = {"kind": kind_of(type(refused)), "code": refused.code, "retry": refused.retry}
    if isinstance(refused, errors.MismatchError):
        told |= {"field": refused.field, "received": refused.received, "allowed": refused.expected}
    return told


def credentials_of(values: Values) -> Credentials:
    """Return the credentials that a request carries."""
    return Credentials(**{**values, "webhook_keys": tuple(values["webhook_keys"])})


def _seal(given: Values) -> object:
    key = cipher.encryption_key(given["username"], given["password"])
    return cipher.seal(key, given["text"].encode(), given["iv"])


def _open(given: Values) -> object:
    key = cipher.encryption_key(given["username"], given["password"])
    return base64.b64encode(cipher.open_(key, given["encdata"])).decode()


def _open_json(given: Values) -> object:
    key = cipher.encryption_key(given["username"], given["password"])
    return strict_json.compact(cipher.open_json(key, given["encdata"]))


def _json(given: Values) -> object:
    return strict_json.compact(strict_json.parse(base64.b64decode(given["base64"])))


def _checksum(given: Values) -> object:
    forms = checksum.crc32_forms(given["fields"])
    return {
        "v4": checksum.v4(given["fields"], date.fromisoformat(given["day"])),
        **{name: forms[name] for name in forms if name.count("-") == _OF_PLAIN_NULLS},
    }


_OF_PLAIN_NULLS = 3
"""Hyphens in the name of a form whose nulls are empty: `crc32-by-key-hex`."""


def _envelope(given: Values) -> object:
    credentials = credentials_of(given["credentials"])
    calls = Calls(credentials, Gateway(base_url="https://api.example"))
    sealed = calls._with_seal(given["fields"])  # noqa: SLF001 (no caller but the vectors gives an IV)
    return {
        "merchant_id": credentials.merchant_id,
        "privatekey": credentials.privatekey,
        "encdata": cipher.seal(
            credentials.encryption_key, msgspec.json.encode(sealed), given["iv"]
        ),
        "checksum": checksum.v4(sealed, date.fromisoformat(given["day"])),
    }


def _signature(given: Values) -> object:
    hooks = [Webhook(key) for key in given["keys"]]
    named = (given["id"], given["timestamp"], given["signatures"], given["content"])
    moment = signed.sent_at(hooks, *named)
    signed.check_age(moment, int(given["now"]), int(given["tolerance"]))
    return str(int(moment.timestamp()))


def _read(given: Values) -> object:
    kind = _KINDS[given["kind"]]
    try:
        found = kind.read(given["text"], "field")
    except FieldError as refused:
        raise errors.UnreadableReplyError(str(refused)) from refused
    return canonical(found)


def _record_time(given: Values) -> object:
    record = {"amount": "1.00", "transaction_status": "200", "transaction_time": given["text"]}
    return canonical(transaction.read(record).created_at)


def canonical(value: object) -> str:
    """Return a value as every SDK's test program writes it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value.timestamp())) if isinstance(value, datetime) else str(value)


def _callbacks(given: Values) -> Callbacks:
    return Callbacks(credentials_of(given["credentials"]), clock=lambda: float(given["now"]))


def summary(told: Transaction) -> dict[str, str]:
    """Return what vectors compare of a transaction."""
    return {name: canonical(getattr(told, name)) for name in (*SHOWN, *FLAGS)}


def _return(given: Values) -> object:
    told = _callbacks(given).read_return(
        given["form"],
        order_id=given["order_id"],
        amount_paise=int(given["amount_paise"]),
        currency=given.get("currency", "INR"),
    )
    return {"webhook_id": told.webhook_id, **summary(told.transaction)}


def _notification(given: Values) -> object:
    told = _callbacks(given).read_notification(given["headers"], base64.b64decode(given["body"]))
    about = {"webhook_id": told.webhook_id, "event": told.event}
    return about | {"sent_at": canonical(told.sent_at)} | summary(told.transaction)


def _reply(given: Values) -> object:
    calls = Calls(credentials_of(given["credentials"]), Gateway(base_url="https://api.example"))
    read = calls._read(HttpReply(200, base64.b64decode(given["body"])))  # noqa: SLF001 (as above)
    return strict_json.compact(dict(read))


def _secure_hash(given: Values) -> object:
    return securehash.secure_hash(*given["values"], given["payer_vpa"] or None)


_KINDS = {
    "money": kinds.MONEY,
    "balance": kinds.BALANCE,
    "money_or_none": kinds.MONEY_OR_NONE,
    "limit": kinds.LIMIT,
    "moment": kinds.MOMENT,
    "day": kinds.DAY,
    "whole": kinds.WHOLE,
    "number": kinds.NUMBER,
    "yes_or_no": kinds.YES_OR_NO,
}
_ANSWERS: Mapping[str, Callable[[Values], object]] = {
    "key": lambda given: cipher.encryption_key(given["username"], given["password"]).decode(),
    "seal": _seal,
    "open": _open,
    "open_json": _open_json,
    "json": _json,
    "checksum": _checksum,
    "privatekey": lambda given: privatekey.derive(
        given["secret"], given["username"], given["password"]
    ),
    "secure_hash": _secure_hash,
    "envelope": _envelope,
    "signature": _signature,
    "paise": lambda given: canonical(fields.paise_from_text(given["text"])),
    "amount_text": lambda given: fields.text_from_paise(int(given["paise"])),
    "read": _read,
    "record_time": _record_time,
    "return": _return,
    "notification": _notification,
    "reply": _reply,
}
NOW = int(datetime(2026, 1, 15, 6, 30, tzinfo=UTC).timestamp())
"""The moment of the vectors."""
