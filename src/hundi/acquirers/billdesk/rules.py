"""Translation of BillDesk's answers and webhooks into the port's; see docs/billdesk.md."""

import hashlib
import re
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec

from hundi.acquirers.billdesk.jose import Keys, opened
from hundi.acquirers.calls.aggregators import (
    ADDRESS_MAX,
    form_fields,
    object_of,
    paise_of,
    read_object,
    text_of,
)
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown
from hundi.acquirers.port.checkout import Trigger
from hundi.acquirers.port.fees import order_told
from hundi.kernel.money import Money

RUPEES_CODE = "356"
PAID, FAILED, CANCELLED = "0300", "0399", "0398"
REFUNDED = frozenset({"0699", "0799"})
"""Codes of money refunded on the day of the payment, or later."""
REFUSED = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
TRACE_LENGTH = 32
_REFERENCE = re.compile(r"[A-Za-z0-9-]{1,50}\Z")
_TOKEN_MAX = 4_096


class Answer(msgspec.Struct, frozen=True):
    """One answer of BillDesk. status: of HTTP. body: its fields, numbers as text."""

    status: int
    body: dict[str, Any]

    @property
    def code(self) -> str:
        """Return the code of an error or of a transaction; "" where there is none."""
        return text_of(self.body.get("error_code") or self.body.get("transaction_error_code"), 64)

    def unknown(self) -> Unknown:
        """Return Unknown, for an answer that decides nothing."""
        words = self.body.get("message") or self.body.get("transaction_error_desc")
        return Unknown(self.code, text_of(words))


def read(status: int, body: bytes) -> Answer | None:
    """Return an answer whose envelope was opened, or None when it is no object."""
    said = read_object(body)
    return None if said is None else Answer(status, said)


def page(
    said: Answer, reference: str, mercid: str, amount: Money, origins: tuple[str, ...]
) -> Redirect | Unknown:
    """Return the form that opens BillDesk's page.

    Unknown unless the form is for our order and at one of BillDesk's origins.
    """
    link = _redirect(said.body.get("links"))
    words = object_of(link.get("parameters")) or {}
    href, rdata, order_id = (
        text_of(link.get("href"), ADDRESS_MAX),
        text_of(words.get("rdata"), _TOKEN_MAX),
        text_of(said.body.get("bdorderid"), 64),
    )
    parts = urlsplit(href)
    is_ours = (
        _is_ours(said, "orderid", reference, mercid)
        and paise_of(said.body.get("amount")) == amount.paise
    )
    if said.status != HTTPStatus.OK or not is_ours or not rdata or not order_id:
        return said.unknown()
    if f"{parts.scheme}://{parts.netloc}" not in origins:
        return Unknown(message="BillDesk's page is at another host than its documents say")
    return Redirect(
        href, order_id, (("merchantid", mercid), ("bdorderid", order_id), ("rdata", rdata))
    )


def payment_outcome(
    said: Answer, reference: str, mercid: str, unknown_code: str, asked: Money | None = None
) -> Approved | Declined | Unknown | NothingThere:
    """Translate the state of an order's transaction.

    unknown_code: BillDesk's for an order that it does not have. asked: the order's amount, None if
    unknown.
    """
    if said.status != HTTPStatus.OK:
        return NothingThere() if unknown_code and said.code == unknown_code else said.unknown()
    if said.body.get("objectid") != "transaction" or not _is_ours(
        said, "orderid", reference, mercid
    ):
        return said.unknown()
    transaction_id = text_of(said.body.get("transactionid"), 64)
    match said.body.get("auth_status"):
        case str(state) if state == PAID and transaction_id:
            amount = _amount(said, asked)
            rrn = text_of(said.body.get("bank_ref_no"), 64) or transaction_id
            return (
                Approved(amount, rrn)
                if amount
                else Unknown(PAID, "BillDesk's amounts contradict each other")
            )
        case str(state) if state in {FAILED, CANCELLED}:
            words = text_of(said.body.get("transaction_error_desc"))
            return Declined(said.code or state, words, left=state == CANCELLED)
        case _:
            return said.unknown()


def paid_words(said: Answer) -> dict[str, str]:
    """Return the fields of a paid transaction that its refund must name; {} when one is missing."""
    names = {"transaction": "transactionid", "at": "transaction_date", "amount": "amount"}
    words = {name: text_of(said.body.get(field), 64) for name, field in names.items()}
    return words if all(words.values()) else {}


def refund_outcome(
    said: Answer, reference: str, mercid: str, unknown_code: str
) -> Approved | Declined | Unknown | NothingThere:
    """Translate the state of a refund.

    unknown_code: BillDesk's for a refund that it does not have.
    """
    if said.status != HTTPStatus.OK:
        return NothingThere() if unknown_code and said.code == unknown_code else said.unknown()
    if said.body.get("objectid") != "refund" or not _is_ours(
        said, "merc_refund_ref_no", reference, mercid
    ):
        return said.unknown()
    paise = paise_of(said.body.get("refund_amount"))
    if (
        text_of(said.body.get("refund_status")) in REFUNDED
        and paise
        and said.body.get("currency", RUPEES_CODE) == RUPEES_CODE
    ):
        return Approved(Money(paise), text_of(said.body.get("refundid"), 64) or reference)
    return said.unknown()


def refund_refused(
    said: Answer, found: Approved | Declined | Unknown | NothingThere
) -> Approved | Declined | Unknown:
    """Return the answer to a refund that BillDesk refused, after reading its own record of it."""
    if not isinstance(found, NothingThere):
        return found
    unknown = said.unknown()
    return (
        Declined(unknown.code, unknown.message)
        if said.status in REFUSED and unknown.code
        else unknown
    )


def trigger(body: bytes, mercid: str, keys: Keys) -> Trigger | None:
    """Return the trigger of an authentic webhook: an envelope, or a form with one."""
    envelope = (
        body
        if b"=" not in body
        else (form_fields(body) or {}).get("transaction_response", "").encode()
    )
    inner = opened(envelope, keys)
    said = read_object(inner) if inner is not None and is_sound(inner) else None
    if said is None or said.get("mercid") != mercid:
        return None
    named = (said.get(name) for name in ("merc_refund_ref_no", "orderid"))
    references = tuple(each for each in named if isinstance(each, str) and _REFERENCE.match(each))
    return Trigger("", references) if references else None


def trace(what: str, reference: str) -> str:
    """Return the trace id of a call that may move money: BillDesk refuses a repeat for 24 hours."""
    return hashlib.sha256(f"{what} {reference}".encode()).hexdigest()[:TRACE_LENGTH]


def _redirect(links: object) -> dict[str, Any]:
    """Return the link for the browser; {} where there is none."""
    nothing: dict[str, Any] = {}
    listed = cast("list[object]", links) if isinstance(links, list) else []
    found = (object_of(each) or {} for each in listed)
    return next((each for each in found if each.get("rel") == "redirect"), nothing)


def _amount(said: Answer, asked: Money | None) -> Money | None:
    """Return what was paid for the order, in rupees.

    None where surcharge and discount do not explain the difference. BillDesk charges the amount
    with its surcharge, less its discount: a greater discount leaves less than the order.
    """
    words = {
        name: paise_of(said.body[name]) for name in ("amount", "charge_amount") if name in said.body
    }
    if (
        not words
        or not min(words.values())
        or said.body.get("currency", RUPEES_CODE) != RUPEES_CODE
    ):
        return None
    told = {name: Money(paise) for name, paise in words.items()}
    fee = paise_of(said.body.get("surcharge")) - paise_of(said.body.get("discount"))
    return order_told(told.values(), (asked, told.get("amount", told.get("charge_amount"))), fee)


def _is_ours(said: Answer, name: str, reference: str, mercid: str) -> bool:
    return said.body.get(name) == reference and said.body.get("mercid") == mercid
