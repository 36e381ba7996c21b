"""Browser returns and notifications as the gateway's double seals them."""

import time
from datetime import UTC, datetime
from urllib.parse import urlencode

from standardwebhooks import Webhook

from hundi.sdk import Credentials
from hundi.wire import cipher, envelope
from hundi.wire.merchant.record import (
    TransactionRecord,
    ipn_form,
    kit_fields,
    told_data,
    told_envelope,
)
from tests.sdk.gateway_double import CREDENTIALS, WEBHOOK_KEY


def browser_return(
    record: TransactionRecord,
    *,
    credentials: Credentials = CREDENTIALS,
    at: float | None = None,
    hook_id: str = "msg_r1",
) -> dict[str, str]:
    """Return the form a customer's browser POSTs to the merchant."""
    codes: dict[str, object] = {"status_code": "200", "status": "success", "response_code": "00"}
    whole = told_envelope(codes, told_data(record, as_text=True))
    response = cipher.seal(credentials.encryption_key, envelope.reply_bytes(whole))
    moment = int(time.time() if at is None else at)
    signature = Webhook(credentials.webhook_keys[0]).sign(
        hook_id, datetime.fromtimestamp(moment, UTC), response
    )
    return {
        "merchant_id": credentials.merchant_id,
        "response": response,
        **kit_fields(record),
        "webhook_id": hook_id,
        "webhook_timestamp": str(moment),
        "webhook_signature": signature,
    }


def notification(
    record: TransactionRecord,
    form: str = "json-encrypted",
    *,
    key: str = WEBHOOK_KEY,
    at: float | None = None,
    hook_id: str = "msg_n1",
    event: str = "paid",
) -> tuple[dict[str, str], bytes]:
    """Return headers and body of a notification in one of the three forms."""
    codes: dict[str, object] = {
        "status_code": "200",
        "status": "success",
        "response_code": "00",
        "event": event,
    }
    plain = told_envelope(codes, told_data(record, as_text=False))
    if form == "form":
        body = urlencode(ipn_form(record, hook_id, mode="live")).encode()
    elif form == "json":
        body = envelope.reply_bytes(plain)
    else:
        body = envelope.wrap_reply(
            "encrypted", CREDENTIALS.merchant_id, plain, CREDENTIALS.encryption_key
        )
    moment = int(time.time() if at is None else at)
    signature = Webhook(key).sign(hook_id, datetime.fromtimestamp(moment, UTC), body.decode())
    headers = {
        "Webhook-Id": hook_id,
        "Webhook-Timestamp": str(moment),
        "Webhook-Signature": signature,
    }
    return headers, body
