"""Translation of Paytm's answers and webhooks into the port's; see docs/paytm.md."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from hundi.acquirers.calls.aggregators import (
    form_fields,
    object_of,
    paise_of,
    pays,
    read_object,
    text_of,
)
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.calls.pages import PaymentRecord, UnlessRecorded
from hundi.acquirers.paytm import checksums
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.checkout import Trigger
from hundi.acquirers.port.payments import Charge
from hundi.kernel.money import Money

CARD_MODES = [{"mode": "CREDIT_CARD"}, {"mode": "DEBIT_CARD"}]
UPI_MODES = [{"mode": "UPI"}]
QR_BUSINESS = "UPI_QR_CODE"
NO_SUCH_ORDER = frozenset({"331", "334"})
"""Published: no record found; invalid order id."""
NO_SUCH_REFUND = "631"
LEFT = "141"
"""Published: the customer cancelled at the bank's page."""
NO_WORD_ABOUT_MONEY = frozenset({"330", "335", "400", "402", "501"})
"""Codes that come with TXN_FAILURE or PENDING and say nothing of the transaction.

Checksum, merchant, system.
"""
NO_END_OF_A_REFUND = NO_WORD_ABOUT_MONEY | {"617", "626", "628", "629"}
"""Codes that come with TXN_FAILURE for refunds that were accepted, wait at a bank, or are done."""
FINAL_REFUSALS = frozenset(
    {"600", "607", "619", "627", "635", "INVALID_REFUND_AMOUNT", "INVALID_TXN_STATE"}
)
"""Codes after which Paytm does nothing with a refund.

Request, state, amount, order, less than a rupee; the two words are those of paytm-agent-skills.
"""
_REFERENCE = re.compile(r"[A-Za-z0-9@_.-]{1,50}\Z")
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,128}\Z")


class PaytmAnswer(msgspec.Struct, frozen=True):
    """One answer of Paytm. body: its fields, numbers as text."""

    status: str
    code: str
    message: str
    body: dict[str, Any]

    def unknown(self) -> Unknown:
        """Return Unknown, for an answer that decides nothing."""
        return Unknown(self.code, self.message, awaiting_customer=self.status == "PENDING")


class _Webhook(msgspec.Struct, frozen=True):
    """A webhook in JSON; its checksum is over the raw bytes of its body."""

    head: dict[str, Any]
    body: msgspec.Raw


def read(body: bytes) -> PaytmAnswer | None:
    """Return an answer, or None when it does not have Paytm's form."""
    inner = object_of((read_object(body) or {}).get("body")) or {}
    info = object_of(inner.get("resultInfo"))
    if info is None or not isinstance(info.get("resultStatus"), str):
        return None
    return PaytmAnswer(
        info["resultStatus"],
        text_of(info.get("resultCode"), 64),
        text_of(info.get("resultMsg")),
        inner,
    )


def page_token(answer: PaytmAnswer) -> str | Unknown:
    """Return the token of a page; a repeated call (0002) has the same one."""
    token = text_of(answer.body.get("txnToken"), 256)
    return token if answer.status == "S" and _TOKEN.match(token) else answer.unknown()


def upi_url(answer: PaytmAnswer, order_amount: Money) -> str | Unknown:
    """Return the UPI link of a QR code, if it has a payee and our amount."""
    if answer.status != "SUCCESS":
        return answer.unknown()
    url = text_of(answer.body.get("qrData"), 4096)
    return url if pays(url, order_amount) else Unknown(message="Paytm's link cannot be used")


def intent_url(answer: PaytmAnswer, charge: Charge) -> str | Unknown:
    """Return the UPI link of an intent, if it is about our order and has a payee and our amount."""
    link = object_of(answer.body.get("deepLinkInfo")) or {}
    url = text_of(link.get("deepLink"), 4096)
    if answer.status != "S" or link.get("orderId", charge.reference) != charge.reference:
        return answer.unknown()
    return url if pays(url, charge.amount) else Unknown(message="Paytm's link cannot be used")


def payment_outcome(
    answer: PaytmAnswer, reference: str, mid: str
) -> Approved | Declined | Unknown | NothingThere:
    """Translate the state of an order.

    A failure without a transaction of ours says nothing about money.
    """
    txn_id = text_of(answer.body.get("txnId"), 64)
    if (
        not txn_id
        and answer.status in {"TXN_FAILURE", "NO_RECORD_FOUND"}
        and answer.code in NO_SUCH_ORDER
    ):
        return NothingThere()
    if not _ID.match(txn_id) or not _is_ours(answer.body, "orderId", reference, mid):
        return answer.unknown()
    if answer.status == "TXN_SUCCESS":
        paise = paise_of(answer.body.get("txnAmount"))
        return (
            Approved(Money(paise), text_of(answer.body.get("bankTxnId"), 64) or txn_id)
            if paise
            else answer.unknown()
        )
    if answer.status == "TXN_FAILURE" and answer.code not in NO_WORD_ABOUT_MONEY:
        return Declined(answer.code, answer.message, left=answer.code == LEFT)
    return answer.unknown()


def payment_record(answer: PaytmAnswer, reference: str, mid: str) -> PaymentRecord:
    """Return the state of an order, with Paytm's id of a paid transaction."""
    outcome = payment_outcome(answer, reference, mid)
    return PaymentRecord(outcome, {"txn_id": text_of(answer.body.get("txnId"), 64)})


def refund_outcome(
    answer: PaytmAnswer, reference: str, mid: str
) -> Approved | Declined | Unknown | NothingThere:
    """Translate the state of a refund."""
    refund_id = text_of(answer.body.get("refundId"), 64)
    if answer.status == "TXN_FAILURE" and answer.code == NO_SUCH_REFUND and not refund_id:
        return NothingThere()
    if not _is_ours(answer.body, "refId", reference, mid):
        return answer.unknown()
    if answer.status == "TXN_SUCCESS":
        paise = paise_of(answer.body.get("refundAmount"))
        return Approved(Money(paise), refund_id or reference) if paise else answer.unknown()
    if answer.status == "TXN_FAILURE" and answer.code not in NO_END_OF_A_REFUND:
        return Declined(answer.code, answer.message)
    return answer.unknown()


def refund_accepted(answer: PaytmAnswer) -> Unknown | UnlessRecorded:
    """Return what a refund that was sent waits for, or why it was refused."""
    if answer.status == "PENDING":
        return Unknown(answer.code, answer.message)
    is_final = answer.code in FINAL_REFUSALS
    refusal = Declined(answer.code, answer.message) if is_final else answer.unknown()
    return UnlessRecorded(refusal)


def trigger(body: bytes, mid: str, key: str) -> Trigger | None:
    """Return the trigger of an authentic webhook.

    JSON with `head.signature`, or a form with CHECKSUMHASH.
    """
    fields = signed_fields(body, key) if body[:1] == b"{" else _form_of(body, key)
    if fields is None or text_of(fields.get("mid", fields.get("MID"))) != mid:
        return None
    named = (fields.get(name) for name in ("refId", "orderId", "ORDERID"))
    references = tuple(each for each in named if isinstance(each, str) and _REFERENCE.match(each))
    return Trigger("", references) if references else None


def signed_fields(body: bytes, key: str) -> Mapping[str, Any] | None:
    """Return the fields of a webhook in JSON; None where its checksum does not hold."""
    if not is_sound(body):
        return None
    try:
        webhook = msgspec.json.decode(body, type=_Webhook)
    except (msgspec.MsgspecError, RecursionError):
        return None
    inner = bytes(webhook.body)
    return (
        read_object(inner)
        if checksums.holds(inner, key, text_of(webhook.head.get("signature")))
        else None
    )


def _form_of(body: bytes, key: str) -> Mapping[str, Any] | None:
    form = form_fields(body)
    checksum = form.pop("CHECKSUMHASH", "") if form else ""
    return form if form and checksums.holds(checksums.form_text(form), key, checksum) else None


def _is_ours(body: Mapping[str, Any], name: str, reference: str, mid: str) -> bool:
    return body.get(name) == reference and body.get("mid", mid) == mid
