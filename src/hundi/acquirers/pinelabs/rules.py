"""Translation of Pine Labs' answers into the port's; see docs/pinelabs.md."""

import uuid
from typing import Any

from hundi.acquirers.calls.aggregators import (
    ADDRESS_MAX,
    RUPEES,
    object_of,
    objects_of,
    pays,
    text_of,
    whole_of,
)
from hundi.acquirers.calls.pages import PaymentRecord, RefundAnswer, UnlessRecorded
from hundi.acquirers.calls.status_answers import StatusAnswer
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.kernel.money import Money

OPEN = frozenset({"CREATED", "ATTEMPTED", "PENDING"})
"""ATTEMPTED: a try failed, and others may follow."""
PAID, HELD, CANCELLED, FAILED = "PROCESSED", "AUTHORIZED", "CANCELLED", "FAILED"
GIVEN_BACK = frozenset({"REFUNDED", "FULLY_REFUNDED", "PARTIALLY_REFUNDED"})
"""States of a paid order that was refunded, whose names no page prints: it was paid."""
PARTLY_CAPTURED = "PARTIALLY_CAPTURED"
REFUND = "REFUND"
_NUMBER_LENGTH_MAX = 64


class PineLabsAnswer(StatusAnswer, frozen=True):
    """One answer of Pine Labs."""

    @property
    def order(self) -> dict[str, Any]:
        """Return the order in an answer; {} where there is none."""
        return (object_of(self.body.get("data")) or self.body) if self.is_done else {}


def key_of(what: str, reference: str) -> str:
    """Return the idempotency key of a call that may move money: a repeat has the same one."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{what} {reference}"))


def money_of(amount: Money) -> dict[str, Any]:
    """Return an amount as Pine Labs writes it: in paise."""
    return {"value": amount.paise, "currency": RUPEES}


def number_of(order: dict[str, Any]) -> str:
    """Return Pine Labs' number of an order, "" where it has none."""
    return text_of(order.get("order_id"), _NUMBER_LENGTH_MAX)


def page(order: dict[str, Any], origins: tuple[str, ...]) -> Redirect | Unknown:
    """Return the page of a new order, if it is at one of the origins."""
    url = text_of(order.get("redirect_url"), ADDRESS_MAX + 1)
    if len(url) > ADDRESS_MAX or not any(url.startswith(f"{origin}/") for origin in origins):
        return Unknown(message="Pine Labs' page is at an address that is not expected")
    return Redirect(url, number_of(order))


def upi_url(answer: PineLabsAnswer, order_amount: Money) -> str | Unknown:
    """Return the UPI link of a payment, if it has a payee and our amount."""
    url = text_of(answer.order.get("challenge_url"), 4_096)
    if not url:
        return answer.unknown()
    return url if pays(url, order_amount) else Unknown(message="Pine Labs' link cannot be used")


def payment_record(answer: PineLabsAnswer, reference: str, unknown_code: str) -> PaymentRecord:
    """Translate the state of an order. unknown_code: Pine Labs' for one that it does not have."""
    if answer.is_absence(unknown_code):
        return PaymentRecord(NothingThere())
    order = answer.order
    if order.get("merchant_order_reference") != reference or not number_of(order):
        return PaymentRecord(answer.unknown())
    return PaymentRecord(_outcome(order), {"order_id": number_of(order)})


def refund_record(answer: PineLabsAnswer, reference: str, unknown_code: str) -> RefundAnswer:
    """Translate the state of a refund, which is an order of its own."""
    if answer.is_absence(unknown_code):
        return NothingThere()
    order = answer.order
    is_ours = order.get("merchant_order_reference") == reference
    if not is_ours or order.get("type") != REFUND:
        return answer.unknown()
    state, paise = text_of(order.get("status"), 64), _paise(order.get("order_amount"))
    if state == PAID and paise:
        return Approved(Money(paise), _rrn(order))
    if state == FAILED:
        code, words = _error(order)
        return Declined(code or state, words or "Pine Labs could not refund.")
    return Unknown(state)


def end_refused(answer: PineLabsAnswer) -> Unknown | Declined:
    """Return why a hold was not captured or cancelled, where it is held still."""
    refusal = answer.refusal()
    return refusal if isinstance(refusal, Declined) else Unknown("QUEUED", refusal.message)


def refund_accepted(
    answer: PineLabsAnswer, reference: str
) -> Approved | Declined | Unknown | UnlessRecorded:
    """Return the outcome of a refund that was sent, or why it was refused."""
    if answer.is_done:
        record = refund_record(answer, reference, "")
        return Unknown() if isinstance(record, NothingThere) else record
    return answer.unless_recorded()


def _outcome(order: dict[str, Any]) -> Approved | Declined | Unknown | Voided:
    state = text_of(order.get("status"), 64)
    if state == HELD and order.get("pre_auth") is True:
        return _approved(order, authorised_only=True)
    if state in {PAID, PARTLY_CAPTURED, *GIVEN_BACK}:
        return _approved(order, authorised_only=False)
    if state == CANCELLED and order.get("pre_auth") is True:
        return Voided(_rrn(order))
    if state in {FAILED, CANCELLED}:
        code, words = _error(order)
        return Declined(code or state, words, left=not objects_of(order.get("payments")))
    return Unknown(state, awaiting_customer=state in OPEN)


def _approved(order: dict[str, Any], *, authorised_only: bool) -> Approved | Unknown:
    """Return what was paid for the order: its amount, where no less was paid, or what was captured.

    Beyond its amount is Pine Labs' convenience fee.
    """
    wanted = {HELD} if authorised_only else {PAID, PARTLY_CAPTURED, *GIVEN_BACK}
    tries = [each for each in objects_of(order.get("payments")) if each.get("status") in wanted]
    asked = _paise(order.get("order_amount"))
    paid = sum(_paise(each.get("payment_amount")) for each in tries)
    captures = [part for each in tries for part in objects_of(each.get("capture_data"))]
    captured = sum(_paise(each.get("capture_amount")) for each in captures)
    is_part = order.get("status") == PARTLY_CAPTURED
    amount = captured if captures or is_part else asked
    if not amount or amount > asked or (tries and paid < amount):
        return Unknown(text_of(order.get("status"), 64), "Pine Labs' amounts contradict each other")
    return Approved(Money(amount), _rrn(order), authorised_only=authorised_only)


def _rrn(order: dict[str, Any]) -> str:
    """Return the bank's reference: of the payment that moved money, if several were tried."""
    payments = sorted(
        objects_of(order.get("payments")),
        key=lambda each: each.get("status") in {FAILED, CANCELLED},
    )
    for payment in payments:
        bank = object_of(payment.get("acquirer_data")) or {}
        for name in ("rrn", "acquirer_reference"):
            if number := text_of(bank.get(name), _NUMBER_LENGTH_MAX):
                return number
    return number_of(order)


def _error(order: dict[str, Any]) -> tuple[str, str]:
    errors = [
        object_of(each.get("error_detail")) or {} for each in objects_of(order.get("payments"))
    ]
    last = errors[-1] if errors else {}
    return text_of(last.get("code"), 64), text_of(last.get("message"))


def _paise(value: object) -> int:
    """Return an amount in paise; 0 for none, or one of another currency."""
    amount = object_of(value) or {}
    return (whole_of(amount.get("value")) or 0) if amount.get("currency") == RUPEES else 0
