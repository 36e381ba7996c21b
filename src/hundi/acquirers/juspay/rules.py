"""Translation of Juspay's answers and webhooks into the port's; see docs/juspay.md."""

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from hundi.acquirers.calls.address_checks import AddressAnswer, address_answer
from hundi.acquirers.calls.aggregators import (
    ADDRESS_MAX,
    RUPEES,
    UPI_LINK,
    object_of,
    objects_of,
    paise_of,
    pays,
    read_object,
    text_of,
)
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.calls.pages import PaymentRecord, RefundAnswer, UnlessRecorded
from hundi.acquirers.calls.status_answers import StatusAnswer
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.checkout import Trigger
from hundi.kernel.ids import in_base_36
from hundi.kernel.ids import reference as attempt_reference
from hundi.kernel.money import Money

PAID, NOT_FOUND = "CHARGED", "NOT_FOUND"
FAILED = frozenset(
    {"JUSPAY_DECLINED", "AUTHENTICATION_FAILED", "AUTHORIZATION_FAILED", "AUTO_REFUNDED"}
)
"""AUTO_REFUNDED: what was paid too late went back by itself."""
VOIDED = "VOIDED"
OPEN = frozenset({"NEW", "STARTED", "PENDING_VBV", "VBV_SUCCESSFUL", "AUTHORIZING"})
REFUND_DONE, REFUND_FAILED = "SUCCESS", "FAILURE"
_VALID = {"VALID": True, "INVALID": False}
"""Juspay's words for whether a UPI address exists."""
REFERENCES_MAX, ORDER_ID_LENGTH_MAX = 20, 21
_LINK_FIELDS = {
    "pa": "merchant_vpa",
    "pn": "merchant_name",
    "mc": "mcc",
    "tid": "tid",
    "tr": "tr",
    "tn": "tn",
    "am": "amount",
    "cu": "currency",
}
"""Fields of a UPI link, and Juspay's names of their values."""
_ORDER_ID = re.compile(r"([0-9a-z]{1,8})X([0-9a-z]{1,12})\Z")
_REFERENCE = re.compile(r"[A-Za-z0-9_-]{1,50}\Z")


class JuspayAnswer(StatusAnswer, frozen=True):
    """One answer of Juspay."""

    code_names = ("error_code",)
    word_names = ("error_message", "user_message")


def address_outcome(answer: JuspayAnswer, vpa: str) -> AddressAnswer:
    """Return whose a UPI address is; a refused call says nothing of it."""
    body = answer.body
    exists = _VALID.get(text_of(body.get("status"))) if answer.is_done else None
    if exists is None:
        return answer.unknown()
    return address_answer(vpa, about=body.get("vpa"), exists=exists, name=body.get("customer_name"))


def order_id(reference: str) -> str:
    """Return our reference as Juspay takes it: at most 21 letters and digits."""
    merchant, _, attempt = reference.partition("-")
    if merchant.isdigit() and attempt.isdigit():
        short = f"{in_base_36(int(merchant))}X{in_base_36(int(attempt))}"
        if len(short) <= ORDER_ID_LENGTH_MAX:
            return short
    return hashlib.sha256(reference.encode()).hexdigest()[:ORDER_ID_LENGTH_MAX]


def reference_of(text: str) -> str:
    """Return our reference of an order's id, "" for an order that is not ours."""
    match = _ORDER_ID.match(text)
    return attempt_reference(int(match[1], 36), int(match[2], 36)) if match else ""


def page(answer: JuspayAnswer, reference: str, origins: tuple[str, ...]) -> Redirect | Unknown:
    """Return the page of a new order, if it is ours and at one of the origins."""
    url = text_of((object_of(answer.body.get("payment_links")) or {}).get("web"), ADDRESS_MAX + 1)
    if not answer.is_done or answer.body.get("order_id") != order_id(reference) or not url:
        return answer.unknown()
    if len(url) > ADDRESS_MAX or not any(url.startswith(f"{origin}/") for origin in origins):
        return Unknown(message="Juspay's page is at an address that is not expected")
    return Redirect(url, text_of(answer.body.get("id"), 64))


def upi_url(answer: JuspayAnswer, order_amount: Money) -> str | Unknown:
    """Return the UPI link that Juspay's fields make, if it has a payee and our amount."""
    payment = object_of(answer.body.get("payment")) or answer.body
    given = object_of(payment.get("sdk_params"))
    if not answer.is_done or given is None:
        return answer.unknown()
    values = {name: text_of(given.get(theirs)) for name, theirs in _LINK_FIELDS.items()}
    fields = {name: value for name, value in values.items() if value}
    url = UPI_LINK + urlencode({"cu": RUPEES, **fields}, quote_via=quote, safe="@")
    return url if pays(url, order_amount) else Unknown(message="Juspay's link cannot be used")


def payment_record(answer: JuspayAnswer, reference: str) -> PaymentRecord:
    """Translate the state of an order; it may be tried several times."""
    state = text_of(answer.body.get("status"), 64)
    if state == NOT_FOUND:
        return PaymentRecord(NothingThere())
    if not _is_ours(answer, reference):
        return PaymentRecord(answer.unknown())
    if state == PAID:
        return PaymentRecord(_approved(answer.body), {"paid": "1"})
    if state == VOIDED:
        return PaymentRecord(Voided(_rrn(answer.body)))
    if state in FAILED:
        code, words = _error(answer.body)
        # Without a transaction nobody was asked for money.
        return PaymentRecord(Declined(code or state, words, left=not answer.body.get("txn_id")))
    return PaymentRecord(Unknown(state, awaiting_customer=state in OPEN))


def refund_outcome(answer: JuspayAnswer, original: str, reference: str) -> RefundAnswer:
    """Return the outcome of our refund, among those of an order."""
    if not _is_ours(answer, original):
        return answer.unknown()
    ours = [
        each
        for each in objects_of(answer.body.get("refunds"))
        if each.get("unique_request_id") == reference
    ]
    if not ours:
        return NothingThere()
    state, paise = text_of(ours[0].get("status"), 64), paise_of(ours[0].get("amount"))
    if state == REFUND_DONE and paise and len(ours) == 1:
        return Approved(Money(paise), text_of(ours[0].get("id"), 64) or reference)
    if state == REFUND_FAILED and len(ours) == 1:
        words = text_of(ours[0].get("error_message"))
        return Declined(text_of(ours[0].get("error_code"), 64) or state, words)
    # MANUAL_REVIEW is one of these: people at Juspay decide.
    return Unknown(state)


def refund_accepted(
    answer: JuspayAnswer, original: str, reference: str
) -> Approved | Declined | Unknown | UnlessRecorded:
    """Return the outcome of a refund that was sent, or why it was refused."""
    if answer.is_done:
        outcome = refund_outcome(answer, original, reference)
        return answer.unknown() if isinstance(outcome, NothingThere) else outcome
    return answer.unless_recorded()


def authentic(username: str, password: str, header: str) -> bool:
    """Return whether a webhook has this user and password; without a user none is believed."""
    expected = b"Basic " + base64.b64encode(f"{username}:{password}".encode())
    return bool(username and password) and hmac.compare_digest(expected, header.encode())


def trigger(body: bytes) -> Trigger | None:
    """Return the trigger of a webhook: its order, and the refunds that it lists."""
    event = read_object(body) if is_sound(body) else None
    order = object_of((object_of((event or {}).get("content")) or {}).get("order")) or {}
    reference = reference_of(text_of(order.get("order_id"), 64))
    if event is None or not reference:
        return None
    refunds = (
        text_of(each.get("unique_request_id"), 64) for each in objects_of(order.get("refunds"))
    )
    named = [reference, *(each for each in refunds if _REFERENCE.match(each))]
    return Trigger(text_of(event.get("id"), 64), tuple(named[:REFERENCES_MAX]))


def _is_ours(answer: JuspayAnswer, reference: str) -> bool:
    is_order = answer.body.get("order_id") == order_id(reference)
    return answer.is_done and is_order and answer.body.get("currency", RUPEES) == RUPEES


def _approved(order: Mapping[str, Any]) -> Approved | Unknown:
    """Return what was paid for the order: its amount, unless an offer lowered it.

    Juspay writes its surcharge apart from the amount.
    """
    amount, effective = paise_of(order.get("amount")), order.get("effective_amount")
    if not amount or (effective is not None and paise_of(effective) < amount):
        return Unknown(PAID, "Juspay's amounts contradict each other")
    return Approved(Money(amount), _rrn(order))


def _rrn(order: Mapping[str, Any]) -> str:
    """Return the bank's reference, else Juspay's number of the transaction."""
    bank = object_of(order.get("payment_gateway_response")) or {}
    candidates = (bank.get("rrn"), bank.get("epg_txn_id"), order.get("txn_id"), order.get("id"))
    return next((each for each in (text_of(one, 64) for one in candidates) if each), "")


def _error(order: Mapping[str, Any]) -> tuple[str, str]:
    bank = object_of(order.get("payment_gateway_response")) or {}
    return text_of(bank.get("resp_code"), 64), text_of(bank.get("resp_message"))
