"""The return leg: the form that takes the browser back to the merchant with the outcome.

See docs/spec/wire.md#return-leg.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from standardwebhooks import Webhook

from hundi.api.merchant.record import is_refunded_in_full, told, transaction_record
from hundi.merchants.directory.rules import Merchant
from hundi.page.screens import ReturnForm
from hundi.payments.orders.facts.rules import facts_of
from hundi.payments.orders.rules import PaymentView
from hundi.wire import cipher
from hundi.wire.envelope import reply_bytes
from hundi.wire.merchant import old_kits
from hundi.wire.merchant.record import TransactionRecord, kit_fields

TRANSACTION_SUCCESS = 200


def return_form(view: PaymentView, merchant: Merchant, now: datetime) -> ReturnForm | None:
    """Return the form that sends the browser to the merchant, or None.

    None without an address for this outcome, and for a fully refunded order, because its success is
    over. Everything but `transaction_status` 200 goes to the failure address, pending included. The
    signature covers the `response` text; its id stays the same when a customer reloads the page at
    the same point of the payment.
    """
    facts = facts_of(view)
    record = transaction_record(facts, merchant)
    settings = merchant.settings
    action = (
        settings.success_url
        if record.transaction_status == TRANSACTION_SUCCESS
        else settings.failure_url
    )
    if not action or is_refunded_in_full(facts):
        return None
    response = cipher.seal(
        merchant.keys.encryption_key, reply_bytes(told(record, merchant, as_text=True))
    )
    webhook_id = f"ret_{merchant.merchant_id}_{view.payment.payment_id}_{view.payment.revision}"
    signatures = [
        Webhook(key).sign(webhook_id, now, response) for key in merchant.keys.webhook_keys
    ]
    fields: dict[str, Any] = {
        "merchant_id": str(merchant.merchant_id),
        "response": response,
        **_in_capitals(record, merchant, webhook_id),
        "webhook_id": webhook_id,
        "webhook_timestamp": str(int(now.timestamp())),
        "webhook_signature": " ".join(signatures),
    }
    return ReturnForm(action, tuple(fields.items()))


def _in_capitals(
    record: TransactionRecord, merchant: Merchant, return_id: str
) -> Mapping[str, str]:
    """Return the fields beside the sealed message; kits that read no other get all of them."""
    left_out = merchant.settings.left_out
    if merchant.settings.kit_versions:
        return old_kits.kit_form(record, return_id, mode=merchant.mode, left_out=left_out)
    return kit_fields(record, left_out)


def origin_of(url: str) -> str:
    """Return scheme and authority of an address, as in a content policy."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
