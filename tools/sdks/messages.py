"""Vectors of whole messages: signatures, returns, notifications and replies, right and wrong."""

import base64
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import msgspec
from standardwebhooks import Webhook

from hundi.wire import cipher
from hundi.wire.codes import Code
from hundi.wire.merchant.record import (
    TransactionRecord,
    ipn_form,
    told_data,
    told_envelope,
    with_hash,
)
from tools.sdks.peer import NOW

Case = tuple[str, str, Mapping[str, Any]]
OLD_KEY = "whsec_" + base64.b64encode(b"the key of the year before").decode()
WEBHOOK_KEY = "whsec_" + base64.b64encode(b"a key that signs the vectors").decode()
CREDENTIALS = {
    "merchant_id": "12345",
    "username": "demo-user",
    "password": "demo-pass",
    "api_secret": "demo-secret",
    "oauth_client_id": "cid",
    "oauth_client_secret": "cs",
    "webhook_keys": [WEBHOOK_KEY, OLD_KEY],
}
KEY = cipher.encryption_key("demo-user", "demo-pass")
IV = "0123456789abcdef"
ID = "msg-1"
RECORD = TransactionRecord(
    ap_transactionid="215000000000001",
    orderid="ORD-1001",
    merchant_id="12345",
    amount="1499.50",
    transaction_status=200,
    transaction_payment_status="SUCCESS",
    chmod="upi",
    message="Success}",
    customer_name="आशा राव",
    customer_vpa="asha@okaxis",
    customvar="a=1|b=2 😀",
    transaction_time="15-01-2026 11:59:00",
    rrn="601512345678",
)


def signed_by(key: str, content: str, at: int = NOW, webhook_id: str = ID) -> str:
    """Return the signature of a message."""
    return Webhook(key).sign(webhook_id, datetime.fromtimestamp(at, UTC), content)


def signature_cases() -> Iterator[Case]:
    """Yield signatures, and what is none."""
    content = '{"a":"आशा"}'
    right = {
        "keys": [WEBHOOK_KEY, OLD_KEY],
        "id": ID,
        "timestamp": str(NOW),
        "signatures": signed_by(WEBHOOK_KEY, content),
        "content": content,
        "now": str(NOW),
        "tolerance": "300",
    }
    changes: dict[str, dict[str, str]] = {
        "right": {},
        "the older key": {"signatures": signed_by(OLD_KEY, content)},
        "the second of several": {"signatures": f"v1,AAAA v2,x {right['signatures']}"},
        "another key": {"signatures": signed_by("whsec_AAAA", content)},
        "another version": {"signatures": str(right["signatures"]).replace("v1", "v2")},
        "another content": {"content": content + " "},
        "another id": {"id": "msg-2"},
        "another time": {"timestamp": str(NOW + 1)},
        "no id": {"id": ""},
        "no signature": {"signatures": ""},
        "no time": {"timestamp": ""},
        "time in words": {"timestamp": "now"},
        "a negative time": {"timestamp": "-5"},
        "300 s old": {"now": str(NOW + 300)},
        "301 s old": {"now": str(NOW + 301)},
        "300 s ahead": {"now": str(NOW - 300)},
        "301 s ahead": {"now": str(NOW - 301)},
    }
    for name, change in changes.items():
        yield name, "signature", right | change


def callback_cases() -> Iterator[Case]:
    """Yield returns and notifications."""
    yield from _returns()
    yield from _notifications()


def sealed(envelope: Mapping[str, object]) -> str:
    """Return an envelope as the gateway seals it."""
    return cipher.seal(KEY, msgspec.json.encode(envelope), IV)


def envelope_of(record: TransactionRecord, *, as_text: bool, **more: object) -> dict[str, object]:
    """Return the envelope of a return or notification about a record."""
    codes: dict[str, object] = {"status_code": "200", "response_code": "00", **more}
    return told_envelope(codes, told_data(with_hash(record, "demo-user"), as_text=as_text))


def form_of(response: str, at: int = NOW) -> dict[str, str]:
    """Return the fields of a return."""
    return {
        "merchant_id": "12345",
        "response": response,
        "webhook_id": ID,
        "webhook_timestamp": str(at),
        "webhook_signature": signed_by(WEBHOOK_KEY, response, at),
    }


def _returns() -> Iterator[Case]:
    response = sealed(envelope_of(RECORD, as_text=True))
    right: dict[str, Any] = {
        "credentials": CREDENTIALS,
        "form": form_of(response),
        "order_id": "ORD-1001",
        "amount_paise": "149950",
        "now": str(NOW),
    }
    replace = msgspec.structs.replace
    forged = {**envelope_of(RECORD, as_text=True)}
    bent = told_data(with_hash(RECORD, "demo-user"), as_text=True) | {"amount": "1.00"}
    changes: dict[str, dict[str, Any]] = {
        "paid": {},
        "plus as space": {"form": form_of(response) | {"response": response.replace("+", " ")}},
        "another order": {"order_id": "ORD-1002"},
        "another amount": {"amount_paise": "149951"},
        "another currency": {"currency": "USD"},
        "no response": {"form": form_of(response) | {"response": ""}},
        "no signature": {"form": form_of(response) | {"webhook_signature": ""}},
        "901 s old": {"now": str(NOW + 901)},
        "900 s old": {"now": str(NOW + 900)},
        "another key": {"form": form_of(cipher.seal(b"0" * 32, b"{}", IV))},
        "no record": {"form": form_of(sealed({"data": "x"}))},
        "a bent amount": {"form": form_of(sealed(forged | {"data": bent})), "amount_paise": "100"},
    }
    states = {
        "another merchant": {"merchant_id": "12346"},
        "pending": {"transaction_status": 211, "transaction_payment_status": "INPROCESS"},
        "failed": {"transaction_status": 400, "transaction_payment_status": "FAIL"},
        "unanswered": {"transaction_status": 403, "transaction_payment_status": "INPROCESS"},
        "authorised": {"transaction_payment_status": "AUTHORIZE", "transaction_type": 310},
        "captured": {"transaction_payment_status": "CAPTURE", "transaction_type": 330},
        "voided": {"transaction_status": 400, "transaction_payment_status": "VOIDED"},
        "refund": {"transaction_type": 340, "detailed_status": "REFUNDED"},
        "dispute": {"transaction_type": 350, "transaction_status": 400},
        "excess": {"detailed_status": "EXCESS", "transaction_status": 211},
        "at risk": {"risk": "1"},
        "card, with an address that is not covered": {"chmod": "pg"},
        "an impossible amount": {"amount": "x"},
        "an impossible time": {"transaction_time": "2026"},
        "refunded in part": {"refunds_total": "10.50", "refunds_count": 1},
    }
    for name, change in states.items():
        record = replace(RECORD, **change)
        changes[name] = {"form": form_of(sealed(envelope_of(record, as_text=True)))}
    for name, change in changes.items():
        yield f"return: {name}", "return", right | change


def _notifications() -> Iterator[Case]:
    told = envelope_of(RECORD, as_text=False, event="paid")
    plain = msgspec.json.encode(told).decode()
    form = urlencode(ipn_form(with_hash(RECORD, "demo-user"), "ipn-1", mode="live"))
    bodies: dict[str, str | bytes] = {
        "sealed": json.dumps({"merchant_id": "12345", "response": sealed(told)}),
        "plain": plain,
        "form": form,
        "a form with a bent amount": form.replace("1499.50", "1.00"),
        "no JSON": "{",
        "neither": "hello",
        "nothing": "",
        "another key": json.dumps({"response": cipher.seal(b"0" * 32, plain.encode(), IV)}),
        "a list for data": '{"data":[]}',
    }
    for name, body in bodies.items():
        yield f"notification: {name}", "notification", _notified(str(body))
    unsigned = _notified(plain)
    unsigned["headers"] = {"content-type": "application/json"}
    yield "notification: unsigned", "notification", unsigned
    late = _notified(plain) | {"now": str(NOW + 301)}
    yield "notification: late", "notification", late
    other = _notified(plain)
    other["body"] = base64.b64encode(plain.encode() + b" ").decode()
    yield "notification: one byte more", "notification", other
    raw = _notified(plain) | {"body": base64.b64encode(b"\xff").decode()}
    yield "notification: not UTF-8", "notification", raw


def _notified(body: str) -> dict[str, Any]:
    return {
        "credentials": CREDENTIALS,
        "headers": {
            "Webhook-Id": ID,
            "WEBHOOK-TIMESTAMP": str(NOW),
            "webhook-signature": signed_by(WEBHOOK_KEY, body),
        },
        "body": base64.b64encode(body.encode()).decode(),
        "now": str(NOW),
    }


def reply_cases() -> Iterator[Case]:
    """Yield replies: a success in each form, every code, and what is no reply."""
    success = {"status_code": "200", "response_code": "00", "message": "Success", "data": {"a": 1}}
    both = {"merchant_id": "12345", "response": sealed(success), **success}
    bodies: dict[str, object] = {
        "both": both,
        "sealed": {"merchant_id": "12345", "response": sealed(success)},
        "plain": success,
        "another key": {"response": cipher.seal(b"0" * 32, b"{}", IV)},
        "another key beside a refusal": {
            "response": cipher.seal(b"0" * 32, b"{}", IV),
            "status_code": "400",
            "response_code": "501",
            "message": "Invalid merchant id",
            "request_id": "r-1",
        },
        "a success outside, a refusal inside": both
        | {"response": sealed({"status_code": "400", "response_code": "104", "message": "no"})},
        "an unknown code": {"status_code": "400", "response_code": "777", "message": "new"},
        "no code": {"status_code": "400"},
        "no status": {},
    }
    for code in list(Code)[1:]:
        bodies[f"code {code.wire}"] = {
            "status_code": "400",
            "error_code": code.wire,
            "message": code.words,
        }
    for name, body in bodies.items():
        yield f"reply: {name}", "reply", _replied(msgspec.json.encode(body))
    pages = {"a proxy's page": b"<html>502</html>", "nothing": b"", "a list": b"[]"}
    for name, raw in pages.items():
        yield f"reply: {name}", "reply", _replied(raw)


def _replied(body: bytes) -> dict[str, Any]:
    return {"credentials": CREDENTIALS, "body": base64.b64encode(body).decode()}
