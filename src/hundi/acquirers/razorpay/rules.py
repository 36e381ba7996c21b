"""The form and the meaning of Razorpay's answers.

docs/razorpay.md names the sources. When in doubt the answer is Unknown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import cast
from urllib.parse import parse_qs, urlsplit

from hundi.acquirers.calls.aggregators import UPI_LINK, UPI_MANDATE
from hundi.acquirers.calls.razorpay_wire import MESSAGE_MAX, REFERENCE_NOTE, RazorpayRefusal
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi.acquirers.port.fees import order_part
from hundi.acquirers.razorpay.messages import (
    PaymentStart,
    RazorpayCard,
    RazorpayOrder,
    RazorpayPayment,
    RazorpayRefund,
)
from hundi.acquirers.razorpay.reasons import CANCELLED, REFUSED, TIMED_OUT
from hundi.instruments.card import CARD_TYPES, NO_CARD, CardFacts, Scheme
from hundi.kernel.money import Money

CAPTURED_WITHIN_MIN = 12
"""The shortest time in which Razorpay captures by itself, in minutes.

It fails a silent payment after 10.

A later authorisation is not captured, and is released.
"""
HOLD_MIN = 3 * 24 * 60
"""How long a hold waits to be captured, in minutes.

Razorpay's documents name three days, and five.
"""
GRACE_S = 120
"""Seconds from the end of a period at Razorpay until its records are complete."""


class RazorpayWay(StrEnum):
    """How an attempt can be paid at Razorpay; it decides when its order ends."""

    ONCE = "once"
    """A payment that we began by a card, bank or wallet: it is tried once."""
    LINK = "link"
    """A UPI link, which may be opened again after a failed try."""
    PAGE = "page"
    """Razorpay's page: customers try as often as they like."""
    REGISTRATION = "registration"
    """A page that registers a bank account's mandate; its first amount is debited later."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The stored terms of an order.

    until_s: until when customers are sent to it, in Unix seconds. order: its amount, None if
    unknown.
    """

    way: RazorpayWay
    hold: bool
    until_s: int
    order: Money | None = None


def declined(refusal: RazorpayRefusal) -> Declined | Unknown:
    """Return the meaning of a refused call to begin a payment.

    The customer has not been sent anywhere yet, so no money can have moved. But only a published
    reason is a decline: wrong credentials, a call that the account may not make and a technical
    fault say nothing of the payment.
    """
    reason, words = refusal.reason or "", _cut(refusal.description)
    if refusal.code == "BAD_REQUEST_ERROR" and reason in REFUSED:
        return Declined(reason, words)
    return Unknown(refusal.code or "refused", words)


def same_order(order: RazorpayOrder, reference: str, amount: Money) -> bool:
    """Return whether an order has our reference and amount."""
    return order.receipt == reference and (order.amount, order.currency) == (
        amount.paise,
        amount.currency,
    )


def outcome(
    payments: tuple[RazorpayPayment, ...], terms: Terms, now_s: int
) -> Approved | Declined | Unknown | NothingThere | Voided:
    """Return the outcome of all payments of a reference together.

    One may be paid after others failed.
    """
    is_decided = {"created", "authorized", "captured", "refunded", "failed"}
    strange = next((each.status for each in payments if each.status not in is_decided), "")
    paid = [each for each in payments if _was_captured(each)]
    if paid:
        return _approved(paid, terms)
    if strange:
        return Unknown(strange)
    authorised = [each for each in payments if each.status == "authorized"]
    if authorised:
        return _authorised(authorised, terms)
    if any(each.status == "created" for each in payments):
        return Unknown(awaiting_customer=True)
    returned = [each for each in payments if each.status == "refunded"]
    if returned:
        return Voided(
            _rrn(returned[-1]), message="Razorpay gave the amount back without capturing it."
        )
    return _failed(payments, terms, now_s) if payments else _untouched(terms, now_s)


def captured(payments: tuple[RazorpayPayment, ...], amount: Money) -> Approved | Unknown | None:
    """Return the approval of payments that brought us money, None where none did."""
    paid = [each for each in payments if _was_captured(each)]
    return (
        _approved(paid, Terms(RazorpayWay.ONCE, hold=False, until_s=0, order=amount))
        if paid
        else None
    )


def noted(payment: RazorpayPayment) -> str:
    """Return our reference in a payment's notes, "" without one."""
    return texts(payment.notes).get(REFERENCE_NOTE, "")


def paid_by(payments: tuple[RazorpayPayment, ...]) -> RazorpayPayment:
    """Return the payment that an approval is about."""
    captured = next((each for each in payments if _was_captured(each)), None)
    return captured or next(each for each in payments if each.status == "authorized")


def link_of(payment: PaymentStart, amount: Money, *, mandate: bool = False) -> str:
    """Return the UPI link of a payment, and of the mandate that it approves.

    "" if it has none, or one with another amount. `fam` is what a mandate's link asks for at once.
    """
    link = payment.link or payment.url("intent")
    begins, name = (UPI_MANDATE, "fam") if mandate else (UPI_LINK, "am")
    try:
        named = parse_qs(urlsplit(link).query).get(name, [])
        asks = all(Decimal(each) * 100 == amount.paise for each in named)
    except (ValueError, ArithmeticError):
        asks = False
    return link if asks and link.startswith(begins) else ""


def _was_captured(payment: RazorpayPayment) -> bool:
    """Return whether a payment brought us money.

    A refunded one that was never captured brought none.
    """
    return payment.status == "captured" or (
        payment.status == "refunded" and payment.captured is not False
    )


def _approved(
    paid: list[RazorpayPayment], terms: Terms, *, held: bool = False
) -> Approved | Unknown:
    """Return the approval of all payments of one order, which should be one."""
    first = paid[0]
    if len({each.currency for each in paid}) > 1:
        return Unknown("currencies", "several payments in several currencies")
    parts = [order_part(Money(each.amount, each.currency), terms.order, each.fee) for each in paid]
    return Approved(
        Money(sum(part.paise for part in parts), first.currency),
        _rrn(first),
        authorised_only=held,
        payer_vpa=first.vpa or "",
        approval_code=_data(first).get("auth_code", ""),
        card=_facts(first.card),
    )


def _authorised(authorised: list[RazorpayPayment], terms: Terms) -> Approved | Unknown:
    """Return the answer for authorised payments.

    A hold where we wanted one, else soon captured or released.
    """
    if terms.hold and len(authorised) == 1:
        return _approved(authorised, terms, held=True)
    return Unknown("authorized", "authorised, and neither captured nor given back yet")


def _failed(payments: tuple[RazorpayPayment, ...], terms: Terms, now_s: int) -> Declined | Unknown:
    """Return the answer when every payment failed.

    A failed payment may be authorised late, for as long as the bank is polled; it is captured only
    within the order's own time. Until that is over, only an explicit decline of a payment that is
    tried once is a decline.
    """
    last = max(payments, key=lambda each: each.created_at)
    reason, words = last.error_reason or last.error_code or "failed", _cut(last.error_description)
    once = terms.way is RazorpayWay.ONCE and all(each.error_reason in REFUSED for each in payments)
    unopened = terms.way is RazorpayWay.LINK and reason == TIMED_OUT
    begun_s = max(last.created_at, 0 if terms.way is RazorpayWay.ONCE else terms.until_s)
    if once or now_s >= begun_s + 60 * CAPTURED_WITHIN_MIN + GRACE_S:
        return Declined(reason, words, left=reason == CANCELLED or unopened)
    # A customer who left, or may try again at the page, may choose another way meanwhile.
    open_to_customer = terms.way is not RazorpayWay.ONCE or reason == CANCELLED
    return Unknown(
        "" if unopened else reason, "" if unopened else words, awaiting_customer=open_to_customer
    )


def _untouched(terms: Terms, now_s: int) -> Unknown | Declined | NothingThere:
    """Return the answer for an order without payments: its customer is away, or has left."""
    if now_s < terms.until_s + GRACE_S:
        return Unknown(awaiting_customer=True)
    if terms.way is RazorpayWay.PAGE:
        return Declined("no_payment", "The customer did not pay.", left=True)
    return NothingThere()


def refund_outcome(
    refund: RazorpayRefund, amount: Money | None = None
) -> Approved | Declined | Unknown:
    """Return Razorpay's state of a refund.

    amount: the requested one; another amount is no answer.
    """
    refunded = Money(refund.amount, refund.currency)
    if amount is not None and refunded != amount:
        return Unknown("other_amount", "Razorpay speaks of another amount")
    if refund.status == "processed":
        return Approved(refunded, _numbers(refund.acquirer_data) or refund.id)
    if refund.status == "failed":
        return Declined("refund_failed", "Razorpay could not give the amount back.")
    return Unknown(refund.status)


def _rrn(payment: RazorpayPayment) -> str:
    """Return the bank's reference number; Razorpay's own id where there is none."""
    return _numbers(payment.acquirer_data) or payment.id


def _numbers(answer: object) -> str:
    data = texts(answer)
    return next(
        (data[name] for name in ("rrn", "utr", "arn", "bank_transaction_id") if data.get(name)), ""
    )


def _data(payment: RazorpayPayment) -> Mapping[str, str]:
    return texts(payment.acquirer_data)


def texts(answer: object) -> dict[str, str]:
    """Return the short texts of an object; Razorpay writes an empty one as a list."""
    if not isinstance(answer, dict):
        return {}
    every = cast("dict[str, object]", answer)
    return {
        name: value
        for name, value in every.items()
        if isinstance(value, str) and len(value) <= _NUMBER_LENGTH_MAX
    }


_NUMBER_LENGTH_MAX = 64
_SCHEMES = {
    "Visa": Scheme.VISA,
    "MasterCard": Scheme.MASTERCARD,
    "RuPay": Scheme.RUPAY,
    "American Express": Scheme.AMEX,
    "Diners Club": Scheme.DINERS,
    "Maestro": Scheme.MAESTRO,
}


def _facts(card: RazorpayCard | None) -> CardFacts | None:
    if card is None:
        return None
    facts = CardFacts(
        last4=card.last4 or "",
        scheme=_SCHEMES.get(card.network or "", ""),
        type=card.type if card.type in CARD_TYPES else "",
        issuer=card.issuer or "",
        country="IN" if card.international is False else "",
    )
    return None if facts == NO_CARD else facts


def _cut(words: str | None) -> str:
    return (words or "")[:MESSAGE_MAX]
