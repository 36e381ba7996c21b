"""Translation of PhonePe's answers and webhooks into the port's; see docs/phonepe.md."""

import hashlib
import hmac
import re
from datetime import UTC, datetime
from decimal import Decimal
from http import HTTPStatus
from urllib.parse import parse_qs, urlsplit

import msgspec

from hundi.acquirers.calls.address_checks import AddressAnswer, address_answer
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.phonepe.messages import (
    WEBHOOK,
    AnswerBody,
    PhonePeAnswer,
    PhonePeAttempt,
    PhonePeInstrument,
    PhonePePart,
    PhonePeRail,
)
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.fees import order_part
from hundi.instruments.card import CardFacts
from hundi.kernel.money import PAISE_PER_RUPEE, Money

NO_SUCH_ORDER = "INVALID_MERCHANT_ORDER_ID"
"""Published with HTTP 400 for an order that PhonePe does not have.

Source: phonepe-pg-skills, Order Status.
"""
BAD_REQUEST = "BAD_REQUEST"
"""Published with HTTP 400 for a refused payload: nothing was made of it."""
RUPEES = "INR"
AMOUNT_PAISE_MAX = 9_999_999_999_999
"""The largest amount of one movement that is accepted from PhonePe."""
MESSAGE_MAX = 255
ADDRESS_MAX = 2_048
LINK_LIFE_S = (300, 5_184_000)
PAGE_LIFE_S = (300, 3_600)
"""Shortest and longest life of an order in seconds, of custom and of standard checkout."""
CARD_TYPES = {"CREDIT_CARD": "credit", "DEBIT_CARD": "debit"}
SCHEMES = {
    "VISA": "Visa",
    "MASTERCARD": "Mastercard",
    "MASTER_CARD": "Mastercard",
    "RUPAY": "RuPay",
    "AMEX": "American Express",
    "DINERS": "Diners Club",
    "MAESTRO": "Maestro",
}
ORDER_EVENTS = frozenset(
    f"{product}.{what}"
    for product in ("pg", "checkout")
    for what in ("order.completed", "order.failed", "transaction.attempt.failed")
)
SETUP_EVENTS = frozenset(f"subscription.setup.order.{what}" for what in ("completed", "failed"))
MANDATE_EVENTS = frozenset(
    f"subscription.{what}" for what in ("paused", "unpaused", "revoked", "cancelled")
)
REFUND_EVENTS = frozenset({"pg.refund.accepted", "pg.refund.completed", "pg.refund.failed"})
_REFERENCE = re.compile(r"[A-Za-z0-9_-]{1,63}\Z")
_PRINTABLE = re.compile(r"[!-~]+\Z")
_EPOCH_MS_MAX = 4_102_444_800_000
"""The year 2100."""


def order_of(answer: PhonePeAnswer) -> AnswerBody | Declined | Unknown:
    """Return the order that a call created.

    Only a published refusal of its payload is a decline.
    """
    word = answer.word
    if answer.status == HTTPStatus.BAD_REQUEST and word.code == BAD_REQUEST:
        return Declined(BAD_REQUEST, short(word.message))
    if answer.status != HTTPStatus.OK or not word.order_id or word.state != "PENDING":
        # A reused reference is one of these: its order can be paid, so it is no decline.
        return Unknown(word.code or "", short(word.message), sent=not answer.refused)
    return word


def upi_link(word: AnswerBody, order_amount: Money) -> UpiLink | Unknown:
    """Return the link of a new order, if it has one with our amount."""
    expires_at = _time(word.expire_at)
    url = word.intent_url or ""
    if (
        expires_at is None
        or not is_address(url)
        or not url.startswith("upi://pay?")
        or not _asks_for(url, order_amount)
    ):
        return Unknown(message="PhonePe's link cannot be used")
    return UpiLink(url, expires_at)


def page(word: AnswerBody, origins: tuple[str, ...]) -> Redirect | Unknown:
    """Return the page of a new order, if it is at one of the origins."""
    url = word.redirect_url or ""
    if not is_address(url) or not any(url.startswith(origin + "/") for origin in origins):
        return Unknown(message="PhonePe's page is at an address that is not expected")
    return Redirect(url, word.order_id or "")


def order_outcome(
    answer: PhonePeAnswer, reference: str, order_id: str = ""
) -> Approved | Declined | Unknown | NothingThere:
    """Translate an order's status: its root state alone decides.

    order_id: PhonePe's id of it, "" if we have none.
    """
    word = answer.word
    if answer.is_absence(NO_SUCH_ORDER):
        return NothingThere()
    if answer.status != HTTPStatus.OK:
        return Unknown(word.code or "", short(word.message))
    if word.merchant_order_id not in {None, reference} or (order_id and word.order_id != order_id):
        return Unknown(message="PhonePe answered about another order")
    return _by_state(word)


def _by_state(word: AnswerBody) -> Approved | Declined | Unknown:
    attempts = word.payment_details or ()
    match word.state:
        case "COMPLETED":
            return _paid(word, attempts)
        # A try that is pending or completed contradicts the root: inquiries go on.
        case "FAILED" if not {each.state for each in attempts} & {"COMPLETED", "PENDING"}:
            code = word.detailed_error_code or word.error_code or "FAILED"
            return Declined(code, _reason(word), left=not attempts)
        case "PENDING" | "CREATED":
            return Unknown(awaiting_customer=True)
        case state:
            return Unknown(state or "")


def refund_outcome(
    answer: PhonePeAnswer, reference: str, unknown_code: str = ""
) -> Approved | Declined | Unknown | NothingThere:
    """Translate PhonePe's answer to a refund or to an inquiry about one.

    unknown_code: the sandbox's code for a refund that PhonePe does not have; it is not published.
    """
    word = answer.word
    if answer.is_absence(unknown_code):
        return NothingThere()
    if answer.status != HTTPStatus.OK:
        return Unknown(word.code or "", short(word.message), sent=not answer.refused)
    if word.merchant_refund_id not in {None, reference}:
        return Unknown(message="PhonePe answered about another refund")
    match word.state:
        case "COMPLETED" if _is_amount(word.amount):
            rrn = _utr(_parts(word)) or word.refund_id or _transaction(word)
            return Approved(Money(word.amount or 0), rrn)
        case "FAILED":
            return Declined(word.detailed_error_code or word.error_code or "FAILED", _reason(word))
        case state:
            return Unknown(state or "")


def refund_refused(
    answer: PhonePeAnswer, record: Approved | Declined | Unknown | NothingThere
) -> Approved | Declined | Unknown:
    """Return the answer to a refund that PhonePe refused, after reading its own record of it.

    An existing refund of this id was accepted before. A missing one was refused, if its payload
    was.
    """
    if not isinstance(record, NothingThere):
        return record
    word = answer.word
    if answer.status == HTTPStatus.BAD_REQUEST and word.code == BAD_REQUEST:
        return Declined(BAD_REQUEST, short(word.message))
    return Unknown(word.code or "", short(word.message))


def authentic(username: str, password: str, header: str) -> bool:
    """Return whether a webhook's Authorization header is SHA-256 of `username:password`, in hex."""
    expected = hashlib.sha256(f"{username}:{password}".encode()).hexdigest()
    return hmac.compare_digest(expected.encode(), header.strip().lower().encode())


def trigger(body: bytes) -> Trigger | None:
    """Return the trigger of a webhook; None when it is about no order and no refund of ours."""
    try:
        webhook = WEBHOOK.decode(body) if is_sound(body) else None
    except (msgspec.MsgspecError, RecursionError):
        return None
    if webhook is None:
        return None
    mandate = webhook.payload.merchant_subscription_id
    if webhook.event in MANDATE_EVENTS and mandate and _REFERENCE.match(mandate):
        return Trigger("", (), (mandate,))
    if webhook.event in ORDER_EVENTS | SETUP_EVENTS:
        named = webhook.payload.merchant_order_id
    elif webhook.event in REFUND_EVENTS:
        named = webhook.payload.merchant_refund_id
    else:
        named = None
    return Trigger("", (named,)) if named and _REFERENCE.match(named) else None


def life_s(wanted_s: int, bounds: tuple[int, int]) -> int:
    """Return the life of an order in seconds, within PhonePe's bounds."""
    return min(max(wanted_s, bounds[0]), bounds[1])


def _paid(word: AnswerBody, attempts: tuple[PhonePeAttempt, ...]) -> Approved | Unknown:
    done = [each for each in attempts if each.state == "COMPLETED"]
    order = Money(word.amount or 0)
    if not _is_amount(word.amount) or (
        done and not any(_pays(each, order, word.fee_amount) for each in done)
    ):
        return Unknown("COMPLETED", "PhonePe's amounts contradict each other")
    parts = [part for each in done for part in (each, *(each.split_instruments or ()))]
    rrn = _utr(parts) or next(
        (each.transaction_id for each in done if each.transaction_id), word.order_id or ""
    )
    vpa = next((part.rail.vpa for part in parts if part.rail and part.rail.vpa), "")
    return Approved(
        order,
        rrn,
        # A masked address does not say who paid.
        payer_vpa="" if "*" in vpa or "@" not in vpa else vpa,
        approval_code=next((each.rail.authorization_code for each in parts if each.rail), None)
        or "",
        card=next((_card(part.instrument) for part in parts if part.instrument), None),
    )


def _pays(attempt: PhonePeAttempt, order: Money, fee_paise: int | None) -> bool:
    """Return whether a try paid the order's amount.

    It is not published whether the try's amount includes the fee.
    """
    fee = fee_paise if attempt.fee_amount is None else attempt.fee_amount
    return attempt.amount is not None and order_part(Money(attempt.amount), order, fee) == order


def _card(instrument: PhonePeInstrument) -> CardFacts | None:
    if instrument.type not in CARD_TYPES:
        return None
    last4 = (instrument.masked_card_number or "")[-4:]
    return CardFacts(
        last4 if last4.isascii() and last4.isdigit() else "",
        SCHEMES.get(instrument.card_network or "", ""),
        CARD_TYPES[instrument.type],
        instrument.bank_id or "",
        "IN" if instrument.geo_scope == "DOMESTIC" else "",
    )


def _parts(word: AnswerBody) -> list[PhonePePart]:
    attempts = word.payment_details or ()
    return [
        *(word.split_instruments or ()),
        *attempts,
        *(part for one in attempts for part in one.split_instruments or ()),
    ]


def _transaction(word: AnswerBody) -> str:
    return next(
        (each.transaction_id for each in word.payment_details or () if each.transaction_id), ""
    )


def _utr(parts: list[PhonePePart]) -> str:
    """Return the bank's reference: UTR of UPI, BRN of a card, the bank's number of net banking."""
    for part in parts:
        rail, instrument = part.rail or PhonePeRail(), part.instrument or PhonePeInstrument()
        number = rail.utr or instrument.brn or rail.transaction_id or rail.service_transaction_id
        if number:
            return number
    return ""


def _reason(word: AnswerBody) -> str:
    context = word.error_context
    return short(context.description if context and context.description else word.error_code)


def short(message: str | None) -> str:
    """Return as much of a message as is kept."""
    return (message or "")[:MESSAGE_MAX]


def _is_amount(paise: int | None) -> bool:
    return paise is not None and 0 < paise <= AMOUNT_PAISE_MAX


def is_address(url: str) -> bool:
    """Return whether a text can be an address: not too long, and without blanks."""
    return len(url) <= ADDRESS_MAX and _PRINTABLE.match(url) is not None


def _time(epoch_ms: int | None) -> datetime | None:
    if epoch_ms is None or not 0 < epoch_ms < _EPOCH_MS_MAX:
        return None
    return datetime.fromtimestamp(epoch_ms / 1000, UTC)


def _asks_for(url: str, order_amount: Money) -> bool:
    """Return whether a UPI link names our amount, or none."""
    named = parse_qs(urlsplit(url).query).get("am", [])
    try:
        return all(Decimal(each) * PAISE_PER_RUPEE == order_amount.paise for each in named)
    except ArithmeticError:
        return False


def address_outcome(answer: PhonePeAnswer, vpa: str) -> AddressAnswer:
    """Return whose a UPI address is; PhonePe's answer does not repeat the address."""
    word = answer.word
    if answer.status != HTTPStatus.OK or word.valid is None:
        return Unknown(word.code or "", word.message or "")
    return address_answer(vpa, about=vpa, exists=word.valid, name=word.name)
