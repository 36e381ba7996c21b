"""Translation of BillDesk's answers and webhooks into the port's; see docs/billdesk.md."""

import hashlib
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from hundi.acquirers.billdesk.answers import BillDeskAnswer
from hundi.acquirers.billdesk.jose import Keys, opened
from hundi.acquirers.calls.aggregators import (
    ADDRESS_MAX,
    form_fields,
    object_of,
    objects_of,
    paise_of,
    pays,
    read_object,
    text_of,
)
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.calls.pages import UnlessRecorded
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown
from hundi.acquirers.port.checkout import Trigger
from hundi.acquirers.port.fees import order_told
from hundi.acquirers.port.payments import Charge
from hundi.kernel.money import Money

RUPEES_CODE = "356"
PAID, FAILED, CANCELLED = "0300", "0399", "0398"
REFUNDED = frozenset({"0699", "0799"})
"""Codes of a refund in full, begun before the payment was settled, and of any other one."""
TRACE_LENGTH = 32
LEVELS_MAX = 4
_REFERENCE = re.compile(r"[A-Za-z0-9-]{1,50}\Z")
_TOKEN_MAX = 4_096


def page(
    answer: BillDeskAnswer, reference: str, mercid: str, amount: Money, origins: tuple[str, ...]
) -> Redirect | Unknown:
    """Return the form that opens BillDesk's page.

    Unknown unless the form is for our order and at one of BillDesk's origins.
    """
    link = _redirect(answer.body.get("links"))
    words = object_of(link.get("parameters")) or {}
    href, rdata, order_id = (
        text_of(link.get("href"), ADDRESS_MAX),
        text_of(words.get("rdata"), _TOKEN_MAX),
        text_of(answer.body.get("bdorderid"), 64),
    )
    parts = urlsplit(href)
    is_ours = (
        _is_ours(answer, "orderid", reference, mercid)
        and paise_of(answer.body.get("amount")) == amount.paise
    )
    if not answer.is_done or not is_ours or not rdata or not order_id:
        return answer.unknown()
    if f"{parts.scheme}://{parts.netloc}" not in origins:
        return Unknown(message="BillDesk's page is at another host than its documents say")
    return Redirect(
        href, order_id, (("merchantid", mercid), ("bdorderid", order_id), ("rdata", rdata))
    )


def bank_page(
    answer: BillDeskAnswer, charge: Charge, mercid: str, origins: tuple[str, ...]
) -> Redirect | Unknown:
    """Return the form that opens a bank's page, wherever its link sends the customer first."""
    link = _redirect(answer.body.get("links"))
    href = text_of(link.get("href"), ADDRESS_MAX)
    parameters = object_of(link.get("parameters")) or {}
    fields = tuple((name, text_of(value, _TOKEN_MAX)) for name, value in parameters.items())
    if not answer.is_done or not _is_ours(answer, "orderid", charge.reference, mercid) or not href:
        return answer.unknown()
    if not any(href.startswith(f"{origin}/") for origin in origins):
        return Unknown(message="BillDesk's page is at another host than its documents say")
    number = text_of(answer.body.get("transactionid"), 64) or charge.reference
    return Redirect(href, number, fields)


def upi_url(answer: BillDeskAnswer, order_amount: Money) -> str | Unknown:
    """Return the UPI link of a transaction, in whichever field it is."""
    texts = (text_of(each, ADDRESS_MAX) for each in _values(answer.body, LEVELS_MAX))
    link = next((each for each in texts if pays(each, order_amount)), None)
    return link or Unknown(message="BillDesk gives no link that can be used")


def _values(value: object, levels: int) -> Iterator[object]:
    """Return the values of an answer, some levels deep."""
    inner = object_of(value)
    if inner is None or not levels:
        yield value
        return
    for each in inner.values():
        yield from _values(each, levels - 1)
        for part in objects_of(each):
            yield from _values(part, levels - 1)


def payment_outcome(
    answer: BillDeskAnswer,
    reference: str,
    mercid: str,
    unknown_code: str,
    order_amount: Money | None = None,
) -> Approved | Declined | Unknown | NothingThere:
    """Translate the state of an order's transaction.

    unknown_code: BillDesk's for an order that it does not have. order_amount: None if unknown.
    """
    if not answer.is_done:
        return NothingThere() if answer.is_absence(unknown_code) else answer.unknown()
    if answer.body.get("objectid") != "transaction" or not _is_ours(
        answer, "orderid", reference, mercid
    ):
        return answer.unknown()
    transaction_id = text_of(answer.body.get("transactionid"), 64)
    match answer.body.get("auth_status"):
        case str(state) if state == PAID and transaction_id:
            amount = _amount(answer, order_amount)
            rrn = text_of(answer.body.get("bank_ref_no"), 64) or transaction_id
            return (
                Approved(amount, rrn)
                if amount
                else Unknown(PAID, "BillDesk's amounts contradict each other")
            )
        case str(state) if state in {FAILED, CANCELLED}:
            words = text_of(answer.body.get("transaction_error_desc"))
            return Declined(answer.code or state, words, left=state == CANCELLED)
        case _:
            return answer.unknown()


def paid_words(answer: BillDeskAnswer) -> dict[str, str]:
    """Return the fields of a paid transaction that its refund must name; {} when one is missing."""
    names = {"transaction": "transactionid", "at": "transaction_date", "amount": "amount"}
    words = {name: text_of(answer.body.get(field), 64) for name, field in names.items()}
    return words if all(words.values()) else {}


def refund_outcome(
    answer: BillDeskAnswer, reference: str, mercid: str, unknown_code: str
) -> Approved | Declined | Unknown | NothingThere:
    """Translate the state of a refund.

    unknown_code: BillDesk's for a refund that it does not have.
    """
    if not answer.is_done:
        return NothingThere() if answer.is_absence(unknown_code) else answer.unknown()
    if answer.body.get("objectid") != "refund" or not _is_ours(
        answer, "merc_refund_ref_no", reference, mercid
    ):
        return answer.unknown()
    paise = paise_of(answer.body.get("refund_amount"))
    if (
        text_of(answer.body.get("refund_status")) in REFUNDED
        and paise
        and answer.body.get("currency", RUPEES_CODE) == RUPEES_CODE
    ):
        return Approved(Money(paise), text_of(answer.body.get("refundid"), 64) or reference)
    return answer.unknown()


def refund_accepted(
    answer: BillDeskAnswer, reference: str, mercid: str
) -> Approved | Unknown | UnlessRecorded:
    """Return the outcome of a refund that was sent, or why it was refused."""
    if answer.is_done:
        outcome = refund_outcome(answer, reference, mercid, "")
        return outcome if isinstance(outcome, Approved) else answer.unknown()
    return answer.unless_recorded()


def trigger(body: bytes, mercid: str, keys: Keys) -> Trigger | None:
    """Return the trigger of an authentic webhook: an envelope, or a form with one."""
    envelope = (
        body
        if b"=" not in body
        else (form_fields(body) or {}).get("transaction_response", "").encode()
    )
    inner = opened(envelope, keys)
    answer = read_object(inner) if inner is not None and is_sound(inner) else None
    if answer is None or answer.get("mercid") != mercid:
        return None
    named = (answer.get(name) for name in ("merc_refund_ref_no", "orderid"))
    references = tuple(each for each in named if isinstance(each, str) and _REFERENCE.match(each))
    return Trigger("", references) if references else None


def trace(what: str, reference: str) -> str:
    """Return the trace id of a call that may move money: BillDesk refuses a repeat for 24 hours."""
    return hashlib.sha256(f"{what} {reference}".encode()).hexdigest()[:TRACE_LENGTH]


def _redirect(links: object) -> dict[str, Any]:
    """Return the link for the browser; {} where there is none."""
    nothing: dict[str, Any] = {}
    entries = objects_of(links)
    return next((each for each in entries if each.get("rel") == "redirect"), nothing)


def _amount(answer: BillDeskAnswer, order_amount: Money | None) -> Money | None:
    """Return what was paid for the order, in rupees.

    None where surcharge and discount do not explain the difference. BillDesk charges the amount
    with its surcharge, less its discount: a greater discount leaves less than the order.
    """
    words = {
        name: paise_of(answer.body[name])
        for name in ("amount", "charge_amount")
        if name in answer.body
    }
    if (
        not words
        or not min(words.values())
        or answer.body.get("currency", RUPEES_CODE) != RUPEES_CODE
    ):
        return None
    amounts = {name: Money(paise) for name, paise in words.items()}
    fee = paise_of(answer.body.get("surcharge")) - paise_of(answer.body.get("discount"))
    return order_told(
        amounts.values(), (order_amount, amounts.get("amount", amounts.get("charge_amount"))), fee
    )


def _is_ours(answer: BillDeskAnswer, name: str, reference: str, mercid: str) -> bool:
    return answer.body.get(name) == reference and answer.body.get("mercid") == mercid
