"""Meaning of Cashfree's answers: orders, links, refunds, pages, webhooks; pure.

A customer may make several payments of an order. Only a closed order whose payments all ended
without money is `Declined`; see docs/cashfree.md#what-an-answer-means.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlsplit

from hundi.acquirers.cashfree.words import (
    TEXT_MAX,
    CashfreeLink,
    CashfreeOrder,
    CashfreePayment,
    CashfreeRefusal,
    PaymentSession,
    in_paise,
)
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.fees import order_part
from hundi.instruments.card import CardFacts, Scheme
from hundi.kernel.money import Money

CLOSED = frozenset({"EXPIRED", "TERMINATED"})
"""States of an order at which no new payment can begin."""
LINK_CLOSED = frozenset({"EXPIRED", "CANCELLED"})
ENDED = frozenset({"FAILED", "USER_DROPPED", "CANCELLED"})
"""States of a payment that ended without money. Any unknown state is open."""
LEFT = frozenset({"USER_DROPPED", "CANCELLED"})
NOT_BEGUN = "NOT_ATTEMPTED"
ATTEMPT_LIFE_S = 3_600
"""Seconds after an order's expiry in which an untouched payment may still begin.

Not documented.
"""
IST = timezone(timedelta(hours=5, minutes=30))
_SCHEMES = {
    "visa": Scheme.VISA,
    "mastercard": Scheme.MASTERCARD,
    "rupay": Scheme.RUPAY,
    "amex": Scheme.AMEX,
    "diners": Scheme.DINERS,
    "maestro": Scheme.MAESTRO,
    "jcb": Scheme.JCB,
    "discover": Scheme.DISCOVER,
}
_LAST = 4
_FORM = "application/x-www-form-urlencoded"
_PHONE_DIGITS = 10
_PAYLOAD_FIELDS_MAX = 64
_MONTHS = range(2, 121)
"""Numbers of instalments."""


def moment(text: str) -> datetime | None:
    """Return a time of Cashfree's in UTC; without an offset it is Indian.

    None for other text, or a time that India's calendar does not have.
    """
    try:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo else at.replace(tzinfo=IST)).astimezone(IST).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def phone_of(typed: str, otherwise: str) -> str:
    """Return a customer's phone number as Cashfree takes it.

    otherwise: used when it is unknown.
    """
    characters = "".join(
        each for each in typed if each.isascii() and (each.isdigit() or each == "+")
    )
    digits = characters.lstrip("+")
    if "+" in digits or not _PHONE_DIGITS <= len(digits) <= _PHONE_DIGITS + 5:
        return otherwise
    if len(digits) == _PHONE_DIGITS:
        return digits
    if digits.startswith("91") and len(digits) == _PHONE_DIGITS + 2:
        return digits[2:]
    return f"+{digits}" if characters.startswith("+") else otherwise


def refused(answer: int, why: CashfreeRefusal | None) -> Declined | Unknown:
    """Return the meaning of a refusal of a call that Cashfree did not work on.

    Wrong credentials, and what is no error of Cashfree's, say nothing about a payment.
    """
    if why is None:
        return Unknown(message=f"an answer that cannot be used (HTTP {answer})")
    if (
        answer in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
        or why.type == "authentication_error"
    ):
        return Unknown(
            why.type[:TEXT_MAX], "the acquirer does not accept our credentials", sent=False
        )
    if why.type != "invalid_request_error" or answer in {HTTPStatus.CONFLICT, HTTPStatus.NOT_FOUND}:
        return Unknown(why.code[:TEXT_MAX], why.message[:TEXT_MAX])
    return Declined(why.code[:TEXT_MAX] or why.type, why.message[:TEXT_MAX])


def not_found(answer: int, why: CashfreeRefusal | None) -> bool:
    """Return whether Cashfree says that it has no such object.

    A page that is not found says nothing.
    """
    return answer == HTTPStatus.NOT_FOUND and why is not None and why.code.endswith("_not_found")


def fits(order: CashfreeOrder, reference: str, amount: Money) -> bool:
    """Return whether an order has this reference and amount."""
    return (
        order.order_id == reference and in_paise(order.order_amount, order.order_currency) == amount
    )


def link_fits(link: CashfreeLink, reference: str, amount: Money) -> bool:
    """Return whether a payment link has this reference and amount."""
    return link.link_id == reference and in_paise(link.link_amount, link.link_currency) == amount


def same_amount(session: PaymentSession, amount: Money) -> bool:
    """Return whether a payment that was begun charges the customer this amount.

    Its currency is the order's.
    """
    return in_paise(session.payment_amount, amount.currency) == amount


def outcome(
    order: CashfreeOrder, payments: Sequence[CashfreePayment], now: datetime
) -> Approved | Declined | Unknown | Voided:
    """Return the outcome of an order that was read before its payments.

    So no payment can have begun after it was closed.
    """
    if any(each.order_id != order.order_id for each in payments):
        return Unknown(message="the acquirer answered about another order")
    payments = sorted(payments, key=lambda each: each.payment_time or "")
    decided = [each for each in payments if each.payment_status in {"SUCCESS", "VOID"}]
    if decided:
        # Cashfree keeps one of several payments and refunds the others itself: the first one
        # counts.
        return _moved(order, min(decided, key=lambda each: each.payment_completion_time or "9"))
    if order.order_status not in CLOSED:
        waits = order.order_status == "ACTIVE"
        return Unknown(
            payments[-1].payment_status[:TEXT_MAX] if payments else "", awaiting_customer=waits
        )
    still_open = [each for each in payments if not _over(order, each, now)]
    if still_open:
        return Unknown(still_open[0].payment_status[:TEXT_MAX], awaiting_customer=True)
    return _declined(order.order_status, payments)


def can_be_closed(order: CashfreeOrder, payments: Sequence[CashfreePayment]) -> bool:
    """Return whether an order is open though all its payments have ended without money."""
    return (
        order.order_status == "ACTIVE"
        and bool(payments)
        and all(each.payment_status in ENDED for each in payments)
    )


def _over(order: CashfreeOrder, payment: CashfreePayment, now: datetime) -> bool:
    if payment.payment_status in ENDED:
        return True
    expired_at = moment(order.order_expiry_time)
    late = expired_at is not None and now >= expired_at + timedelta(seconds=ATTEMPT_LIFE_S)
    return payment.payment_status == NOT_BEGUN and late


def _declined(closed: str, payments: Sequence[CashfreePayment]) -> Declined:
    tries = [each for each in payments if each.payment_status in ENDED]
    if not tries:
        return Declined(closed, "The payment was not begun in time.", left=True)
    last, why = tries[-1], tries[-1].error_details
    code = (why and (why.error_code or why.error_reason)) or last.payment_status
    message = (why and why.error_description) or last.payment_message or ""
    left = last.payment_status in LEFT
    return Declined(code[:TEXT_MAX], message[:TEXT_MAX], rrn=last.bank_reference or "", left=left)


def _moved(order: CashfreeOrder, payment: CashfreePayment) -> Approved | Unknown | Voided:
    ended = payment.authorization
    action = ended.action if ended is not None else None
    if action is not None and ended is not None and ended.status != "SUCCESS":
        return Unknown(
            f"{action} {ended.status}"[:TEXT_MAX], "the end of the hold is not certain yet"
        )
    rrn = (payment.bank_reference or "")[:TEXT_MAX]
    if payment.payment_status == "VOID" or action == "VOID":
        return Voided(rrn)
    captured = ended.captured_amount if ended is not None and action == "CAPTURE" else None
    rupees = payment.payment_amount if captured is None else captured
    amount = in_paise(rupees, payment.payment_currency)
    if amount is None or amount.paise == 0:
        return Unknown(message="the acquirer said no amount that can be used")
    return Approved(
        amount=order_part(
            amount, in_paise(order.order_amount, order.order_currency), _surcharge_paise(payment)
        ),
        rrn=rrn,
        authorised_only=payment.is_captured is False and action is None,
        payer_vpa=text_of(_method(payment, "upi").get("upi_id")),
        approval_code=str(payment.auth_id or "")[:TEXT_MAX],
        card=_card(payment),
    )


def _surcharge_paise(payment: CashfreePayment) -> int | None:
    """Return the customer's charge with its tax, None where they are missing or no amount."""
    surcharge = payment.payment_surcharge
    if surcharge is None:
        return None
    fees = (surcharge.payment_surcharge_service_charge, surcharge.payment_surcharge_service_tax)
    amount = in_paise(
        sum((each for each in fees if each is not None), Decimal()), payment.payment_currency
    )
    return None if amount is None else amount.paise


def _method(payment: CashfreePayment, name: str) -> Mapping[str, Any]:
    return json_object((payment.payment_method or {}).get(name))


def json_object(value: object) -> Mapping[str, Any]:
    """Return a JSON object, empty for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def text_of(value: object) -> str:
    """Return a text of an answer, shortened; "" for anything else."""
    return value[:TEXT_MAX] if isinstance(value, str) else ""


def _card(payment: CashfreePayment) -> CardFacts | None:
    """Return the card's storable facts: only the last four digits of its number."""
    emi = _method(payment, "emi")
    card = _method(payment, "card") or emi
    if not card:
        return None
    last = text_of(card.get("card_number"))[-_LAST:]
    network, kind = text_of(card.get("card_network")).lower(), text_of(card.get("card_type"))
    return CardFacts(
        last4=last if last.isascii() and last.isdigit() and len(last) == _LAST else "",
        scheme=_SCHEMES.get(network, ""),
        type=kind.removesuffix("_card")
        if kind in {"credit_card", "debit_card", "prepaid_card"}
        else "",
        issuer=text_of(card.get("card_bank_name")),
        country=text_of(card.get("card_country"))[:2],
        emi_months=_months(emi),
    )


def _months(emi: Mapping[str, Any]) -> int:
    """Return the number of instalments, 0 where it is missing.

    The meaning of `emi_interest` is not published.
    """
    tenure = emi.get("emi_tenure") or json_object(emi.get("emi_details")).get("emi_tenure")
    return int(tenure) if isinstance(tenure, int | float) and tenure in _MONTHS else 0


def link_outcome(
    link: CashfreeLink, answers: Sequence[Approved | Declined | Unknown | Voided]
) -> Declined | Unknown:
    """Return the outcome of a payment link without a paid order.

    answers: the outcomes of its orders.
    """
    open_ones = [each for each in answers if isinstance(each, Unknown)]
    if link.link_status not in LINK_CLOSED or open_ones:
        return Unknown(
            open_ones[0].code if open_ones else link.link_status[:TEXT_MAX], awaiting_customer=True
        )
    declined = [each for each in answers if isinstance(each, Declined)]
    return (
        declined[-1]
        if declined
        else Declined(link.link_status, "The payment was not begun in time.", left=True)
    )


def said_amount(amount: Money) -> str:
    """Return an amount as it is stored beside a reference."""
    return f"{amount.paise} {amount.currency}"


def upi_url(session: PaymentSession) -> str | None:
    """Return Cashfree's `upi://` link of a payment, or None when it has none."""
    link = (
        session.data.payload.get("default")
        if session.data is not None and session.data.payload
        else None
    )
    return (
        link if isinstance(link, str) and link.startswith("upi://") and link.isprintable() else None
    )


def page(
    session: PaymentSession, authentication_id: str, origins: Sequence[str]
) -> Redirect | None:
    """Return the customer's next page, or None when we may not send anybody there."""
    data = session.data
    if data is None or not data.url or not at_origin(data.url, origins):
        return None
    if session.action == "link" and (data.method or "get").lower() == "get":
        return Redirect(data.url, authentication_id)
    if session.action not in {"link", "form"} or (data.method or "post").lower() != "post":
        return None
    if (data.content_type or _FORM) != _FORM:
        return None
    fields = tuple((data.payload or {}).items())
    if len(fields) > _PAYLOAD_FIELDS_MAX or not all(isinstance(value, str) for _, value in fields):
        return None
    return Redirect(data.url, authentication_id, fields)


def at_origin(url: str, origins: Sequence[str]) -> bool:
    """Return whether an address is at one of these origins."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return url.isprintable() and " " not in url and f"{parts.scheme}://{parts.netloc}" in origins


def captured_outcome(answer: object, amount: Money) -> Approved | Declined | Unknown:
    """Return the answer to a capture of a hold that stands as `answer`."""
    if isinstance(answer, Approved) and not answer.authorised_only:
        return (
            answer
            if answer.amount == amount
            else Declined("captured", "Another amount was captured already.")
        )
    if isinstance(answer, Voided):
        return Declined("voided", "The hold was given back.")
    return (
        answer
        if isinstance(answer, Unknown)
        else Declined("no-hold", "There is nothing that can be captured.")
    )


def voided_outcome(answer: object) -> Voided | Declined | Unknown:
    """Return the answer to a void of a hold that stands as `answer`."""
    if isinstance(answer, Voided | Unknown):
        return answer
    if isinstance(answer, Approved):
        return Declined("captured", "The amount was captured already.")
    return Declined("no-hold", "There is nothing that can be given back.")


def nothing_or_doubt(words: Mapping[str, str]) -> NothingThere | Unknown:
    """Return the meaning of "no such order".

    It is in doubt if Cashfree once confirmed the order.
    """
    if "order" in words:
        return Unknown(
            message="the acquirer does not know an order it made; are these its credentials?"
        )
    return NothingThere()
