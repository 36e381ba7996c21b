"""Translation of PayU's answers and webhooks into the port's; see docs/payu.md."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from hundi.acquirers.calls.address_checks import AddressAnswer, address_answer
from hundi.acquirers.calls.aggregators import (
    MESSAGE_MAX,
    UPI_LINK,
    UPI_MANDATE,
    PlainWords,
    approves,
    object_of,
    paise_of,
    pays,
)
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi.acquirers.port.fees import order_part, order_told
from hundi.instruments.card import CardFacts
from hundi.kernel.ids import in_base_36, parse_refund_reference, refund_reference
from hundi.kernel.money import Money

TOKEN_LENGTH_MAX = 23
NOT_FOUND = "Not Found"
NO_ACTION = "No action status found"
LEFT = frozenset({"usercancelled", "bounced"})
"""Published: the customer cancelled, or never finished."""
FINAL_REFUSALS = frozenset({"105", "110", "111", "113", "116", "117", "128", "303"})
"""Error codes after which PayU does nothing with a refund or a capture.

Amount, state, transaction, kind of payment.
"""
SCHEMES = {
    "VISA": "Visa",
    "MAST": "Mastercard",
    "RUPAY": "RuPay",
    "AMEX": "American Express",
    "MAES": "Maestro",
}
_VALID = {"1": True, "0": False}
"""PayU's words for whether a UPI address exists."""
CARD_TYPES = {"CC": "credit", "DC": "debit"}
INSTALMENTS = "EMI"
"""The mode of a payment in instalments; its bank code ends with their number (EMIA3, SBI12)."""
MONTHS = range(2, 121)
_SHORT_TOKEN = re.compile(r"R([0-9a-z]{1,10})X([0-9a-z]{1,12})\Z")
_PLAIN_TOKEN = re.compile(r"R[0-9]+-R?[0-9]+\Z")
_MONTHS_OF_CODE = re.compile(r"[A-Z]([0-9]{1,3})\Z")
_REFERENCE = re.compile(r"[A-Za-z0-9_-]{1,50}\Z")
PLAIN = PlainWords("A-Za-z0-9 .,_@+-")
"""PayU bars other characters, and `|` separates the fields of its hash."""


class Detail(msgspec.Struct, frozen=True):
    """A transaction at PayU. Numbers are read as text: PayU sends both."""

    mihpayid: str
    status: str
    unmappedstatus: str | None = None
    txnid: str | None = None
    amt: str | None = None
    transaction_amount: str | None = None
    additional_charges: str | None = None
    net_amount_debit: str | None = None
    bank_ref_num: str | None = None
    mode: str | None = None
    bankcode: str | None = None
    card_type: str | None = None
    card_no: str | None = None
    error_code: str | None = None
    message: str | None = msgspec.field(default=None, name="error_Message")

    @property
    def state(self) -> str:
        """Return the finer state in small letters."""
        return (self.unmappedstatus or "").strip().lower()

    @property
    def succeeded(self) -> bool:
        """Return whether the money moved or is held."""
        return self.status.strip().lower() == "success"


class PayUAction(msgspec.Struct, frozen=True):
    """A capture, a cancel or a refund at PayU."""

    action: str
    status: str
    amt: str | None = None
    token: str | None = None
    request_id: str | None = None
    bank_ref_num: str | None = None

    @property
    def done(self) -> bool:
        """Return whether it happened."""
        return self.status.strip().lower() == "success"

    @property
    def failed(self) -> bool:
        """Return whether it will not happen."""
        return self.status.strip().lower() in {"failure", "failed"}


_Entry = TypeVar("_Entry", Detail, PayUAction)


def succeeded(answer: Mapping[str, Any]) -> bool:
    """Return whether a command was carried out; a refusal has HTTP 200, too."""
    return _text(answer.get("status", answer.get("Status"))) == "1"


def refusal(answer: Mapping[str, Any]) -> tuple[str, str]:
    """Return code and words of a refusal; "" for a missing code."""
    return _text(answer.get("error_code"))[:64], _text(answer.get("msg"))[:MESSAGE_MAX]


def address_outcome(answer: Mapping[str, Any], vpa: str) -> AddressAnswer:
    """Return whose a UPI address is. This command alone answers SUCCESS in place of 1."""
    exists = _VALID.get(_text(answer.get("isVPAValid")))
    if answer.get("status") != "SUCCESS" or exists is None:
        return Unknown(*refusal(answer))
    name = answer.get("payerAccountName")
    return address_answer(vpa, about=answer.get("vpa"), exists=exists, name=name)


def detail(answer: Mapping[str, Any], txnid: str) -> Detail | NothingThere | Unknown:
    """Return our transaction in an answer, and no other."""
    body = object_of(_listed(answer, txnid))
    if body is not None:
        if (
            not succeeded(answer)
            and body.get("mihpayid") == NOT_FOUND
            and body.get("status") == NOT_FOUND
        ):
            return NothingThere()
        entry = _converted(body, Detail)
        if (
            succeeded(answer)
            and entry is not None
            and entry.txnid in {None, txnid}
            and entry.mihpayid.isdigit()
        ):
            return entry
    code, words = refusal(answer)
    return Unknown(code, words)


def actions(answer: Mapping[str, Any], number: str) -> tuple[PayUAction, ...] | Unknown:
    """Return the captures, cancels and refunds of a transaction, or the one of a request."""
    value = _listed(answer, number)
    if not succeeded(answer) and isinstance(value, str) and value.startswith(NO_ACTION):
        return ()
    body = object_of(value)
    if succeeded(answer) and body is not None:
        entries = [_converted(each, PayUAction) for each in body.values()]
        readable = tuple(each for each in entries if each is not None)
        if len(readable) == len(entries):
            return readable
    code, words = refusal(answer)
    return Unknown(code, words)


def payment_outcome(
    entry: Detail, order_amount: Money | None = None
) -> Approved | Declined | Unknown:
    """Translate a transaction's state; one that PayU gave up waiting for (`dropped`) is no decline.

    order_amount: None if unknown.
    """
    status = entry.status.strip().lower()
    match status, entry.state:
        case "success", "captured" | "auth":
            return _approved(entry, order_amount)
        case "failure", "failed":
            return Declined(_code(entry), _short(entry.message))
        case "failure", state if state in LEFT:
            return Declined(_code(entry), _short(entry.message), left=True)
        case _, state:
            return Unknown(state[:64], awaiting_customer=status == "pending")


def hold_outcome(
    entry: Detail, ends: tuple[PayUAction, ...], order_amount: Money | None = None
) -> Approved | Declined | Unknown | Voided:
    """Translate the state of an amount that was to be held, with its capture or cancel."""
    captured = [each for each in ends if each.action == "capture" and each.done]
    if captured:
        amount = order_part(
            Money(paise_of(captured[0].amt)), order_amount, paise_of(entry.additional_charges)
        )
        return Approved(amount, _rrn(captured[0], entry)) if amount.paise else Unknown("capture")
    cancelled = [each for each in ends if each.action == "cancel" and each.done]
    if cancelled:
        return Voided(_rrn(cancelled[0], entry))
    if any(each.action in {"capture", "cancel"} and not each.failed for each in ends):
        return Unknown("QUEUED")
    return payment_outcome(entry, order_amount)


def capture_outcome(
    answer: Mapping[str, Any], entry: Detail, ends: tuple[PayUAction, ...], order_amount: Money
) -> Approved | Declined | Unknown:
    """Return the outcome of a capture, from its answer and from PayU's records."""
    outcome = hold_outcome(entry, ends, order_amount)
    if isinstance(outcome, Voided):
        return Declined("cancelled", "The hold was given back.")
    if isinstance(outcome, Approved) and not outcome.authorised_only:
        return (
            outcome
            if outcome.amount == order_amount
            else Unknown("captured", "another amount was captured")
        )
    return _not_ended(answer, outcome)


def void_outcome(
    answer: Mapping[str, Any], entry: Detail, ends: tuple[PayUAction, ...]
) -> Voided | Declined | Unknown:
    """Return the outcome of a void, from its answer and from PayU's records."""
    outcome = hold_outcome(entry, ends)
    if isinstance(outcome, Voided):
        return outcome
    if isinstance(outcome, Approved) and not outcome.authorised_only:
        return Declined("captured", "The amount was captured.")
    return _not_ended(answer, outcome)


def refund_outcome(
    entries: tuple[PayUAction, ...], token: str
) -> Approved | Declined | Unknown | NothingThere:
    """Return the outcome of the refund with our token."""
    ours = next((each for each in entries if each.token == token), None)
    if ours is None:
        return NothingThere()
    amount = paise_of(ours.amt)
    if ours.action != "refund" or not amount:
        return Unknown(ours.status[:64], "PayU speaks of something else than a refund")
    if ours.done:
        return Approved(Money(amount), ours.bank_ref_num or ours.request_id or token)
    if ours.failed:
        return Declined("failure", "PayU could not refund.")
    return Unknown(ours.status[:64])


def refund_refused(answer: Mapping[str, Any]) -> Declined | Unknown:
    """Return the answer to a refund that PayU refused, and has no record of."""
    code, words = refusal(answer)
    return Declined(code, words) if code in FINAL_REFUSALS else Unknown(code, words)


def upi_url(
    answer: Mapping[str, Any], txnid: str, order_amount: Money, *, mandate: bool = False
) -> str | Unknown:
    """Return the UPI link of an answer to our call.

    Unknown unless it is a UPI link with a payee and our amount. mandate: it approves one.
    """
    head, result = object_of(answer.get("metaData")), object_of(answer.get("result"))
    if head is None or result is None or head.get("txnId") != txnid:
        code, words = refusal(answer)
        return Unknown(code, words or "PayU gives no link")
    data = _text(result.get("intentURIData"))
    # In samples the note has blanks, which no link can have; nothing else is changed.
    begins = UPI_MANDATE if mandate else UPI_LINK
    url = data if data.startswith(begins) else begins + quote(data, safe="!#$%&'()*+,/:;=?@[]~")
    fits = approves(url, order_amount) if mandate else pays(url, order_amount)
    return url if fits else Unknown(message="PayU's link cannot be used")


def is_reference(text: str) -> bool:
    """Return whether a text can be one of our references."""
    return _REFERENCE.match(text) is not None


def token(kind: str, reference: str) -> str:
    """Return our token of an action.

    The same reference has the same token, of at most 23 characters.
    """
    plain = f"{kind}{reference}"
    if len(plain) <= TOKEN_LENGTH_MAX:
        return plain
    named = parse_refund_reference(reference)
    short = f"{kind}{in_base_36(named[0])}X{in_base_36(named[1])}" if named else plain
    if len(short) <= TOKEN_LENGTH_MAX:
        return short
    return hashlib.sha256(plain.encode()).hexdigest()[:TOKEN_LENGTH_MAX]


def refund_of_token(text: str) -> str:
    """Return the refund's reference in a token of ours, "" for any other token."""
    if short := _SHORT_TOKEN.match(text):
        return refund_reference(int(short[1], 36), int(short[2], 36))
    return text[1:] if _PLAIN_TOKEN.match(text) else ""


def _not_ended(
    answer: Mapping[str, Any], outcome: Approved | Declined | Unknown
) -> Declined | Unknown:
    code, words = refusal(answer)
    if isinstance(outcome, Unknown) or succeeded(answer) or code not in FINAL_REFUSALS:
        return Unknown(code, words)
    return Declined(code, words)


def _approved(entry: Detail, order_amount: Money | None) -> Approved | Unknown:
    amount = _amount(entry, order_amount)
    if amount is None:
        return Unknown(entry.state[:64], "PayU's amounts contradict each other")
    return Approved(
        amount,
        (entry.bank_ref_num or entry.mihpayid)[:64],
        authorised_only=entry.state == "auth",
        card=_card(entry),
    )


def _amount(entry: Detail, order_amount: Money | None) -> Money | None:
    """Return what was paid for the order.

    None where PayU's charge does not explain the difference, or nothing was debited. PayU adds a
    charge to the amount, and its documents do not say to which of the two. Where both amounts are
    the order's, the payer's debit does not contradict it: the payer's app may have raised it, and
    an offer lowered it.
    """
    amounts = {paise_of(text) for text in (entry.amt, entry.transaction_amount) if text is not None}
    if not amounts or not min(amounts):
        return None
    stated, likeliest = {Money(each) for each in amounts}, Money(min(amounts))
    if None not in {entry.amt, entry.transaction_amount} and stated == {order_amount or likeliest}:
        return likeliest
    values = stated | {Money(each) for each in (paise_of(entry.net_amount_debit),) if each}
    return order_told(values, (order_amount, likeliest), paise_of(entry.additional_charges))


def _card(entry: Detail) -> CardFacts | None:
    if entry.mode != INSTALMENTS and entry.mode not in CARD_TYPES:
        return None
    shown, months = (entry.card_no or "")[-4:], _months(entry)
    last4 = shown if shown.isascii() and shown.isdigit() else ""
    scheme, kind = SCHEMES.get(entry.card_type or "", ""), CARD_TYPES.get(entry.mode, "")
    return CardFacts(last4, scheme, kind, emi_months=months) if last4 or months else None


def _months(entry: Detail) -> int:
    """Return the number of instalments, 0 where there are none or the code has no number."""
    match = _MONTHS_OF_CODE.search(entry.bankcode or "") if entry.mode == INSTALMENTS else None
    return int(match[1]) if match and int(match[1]) in MONTHS else 0


def _rrn(action: PayUAction, entry: Detail) -> str:
    return (action.bank_ref_num or action.request_id or entry.mihpayid)[:64]


def _code(entry: Detail) -> str:
    """Return the code of a failure; E000 is "no error", which a failure is not."""
    code = (entry.error_code or "").strip()[:64]
    return entry.state if code in {"", "E000"} else code


def _listed(value: Mapping[str, Any], name: str) -> object:
    details = object_of(value.get("transaction_details"))
    return details.get(name) if details is not None else None


def _converted(entry: object, kind: type[_Entry]) -> _Entry | None:
    try:
        return msgspec.convert(entry, kind)
    except msgspec.ValidationError:
        return None


def _short(message: str | None) -> str:
    return (message or "")[:MESSAGE_MAX]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
