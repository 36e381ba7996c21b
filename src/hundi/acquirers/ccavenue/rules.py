"""Translation of CCAvenue's answers and callbacks into the port's; see docs/ccavenue.md."""

import hashlib
import re
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from hundi.acquirers.calls.aggregators import (
    MESSAGE_MAX,
    PlainWords,
    form_fields,
    object_of,
    objects_of,
    paise_of,
    pays,
    read_object,
    text_of,
)
from hundi.acquirers.calls.pages import UnlessRecorded
from hundi.acquirers.ccavenue import envelope
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi.acquirers.port.checkout import Trigger
from hundi.kernel.money import Money

RUPEES_CODE = "INR"
UPI = "OPTUPI"
OPTIONS = {
    "OPTNBK": {"payment_option": "OPTNBK", "card_type": "NBK"},
    UPI: {"payment_option": UPI, "card_type": "UPI", "card_name": "UPI"},
}
"""Fields of a form that choose a payment option, by CCAvenue's word for it."""
PAID, CONFIRMED, REFUNDED = "Successful", "Shipped", "Refunded"
CANCELLED = frozenset({"Cancelled", "Auto-Cancelled"})
ABORTED = "Aborted"
FAILED = frozenset({"Unsuccessful", ABORTED, "Invalid"})
OPEN = frozenset({"Initiated", "Awaited"})
NO_ORDER = frozenset({"51308", "51313"})
"""Published: no record was found for the given criteria; no records found."""
NO_REFUNDS = "51419"
FINAL_ENDS = frozenset({"51303", "51304", "51306"})
"""Codes that end a confirmation or a cancellation: state, order, amount."""
FINAL_REFUNDS = frozenset({"51308", "51310", "51311", "51312", "51314", "51315", "51328"})
"""Codes after which CCAvenue refunds nothing.

Order, not allowed, several refunds, limit, dispute.
"""
REFUND_DONE, REFUND_ENDED = "TS-REFC", frozenset({"TS-REFF", "TS-REFD"})
TOKEN_LENGTH = 30
_REFERENCE = re.compile(r"[A-Za-z0-9_-]{1,30}\Z")
_NUMBER = re.compile(r"[0-9]{1,25}\Z")
PLAIN = PlainWords("A-Za-z0-9 .,_@-")
_TOKEN = re.compile(r"(?=.{1,30}\Z)[0-9]+XR?[0-9]+\Z")
_ADDRESS = re.compile(r"https?://[A-Za-z0-9./:_~-]+\Z")
"""An address that is the same with and without encoding: CCAvenue's own kits disagree."""


class CCAvenueOrder(msgspec.Struct, frozen=True):
    """An order at CCAvenue. number: its own of the transaction."""

    number: str
    state: str
    amount: int
    captured: int
    rrn: str
    words: str

    def is_paid(self, asked: Money | None) -> bool:
        """Return whether this amount was paid, and neither confirmed nor cancelled."""
        return self.state == PAID and asked == Money(self.amount)


def opened(body: bytes, key: str) -> bytes | None:
    """Return the JSON in an answer.

    For a refusal, which is not encrypted, its code and words as JSON. It is a form, but for the
    answer to a UPI intent.
    """
    form = read_object(body) if body[:1] == b"{" else _form_of(body)
    if form is None:
        return None
    words = text_of(form.get("enc_response"), len(body))
    if form.get("status") == "0":
        return envelope.opened(words, key)
    code = text_of(form.get("enc_error_code"), 64)
    return msgspec.json.encode({"error_code": code[:64], "error_desc": words[:MESSAGE_MAX]})


def _form_of(body: bytes) -> dict[str, Any] | None:
    try:
        return dict(
            parse_qsl(
                body.decode("ascii"), keep_blank_values=True, strict_parsing=True, max_num_fields=5
            )
        )
    except ValueError:
        return None


def read(body: bytes) -> dict[str, Any] | None:
    """Return the object of an answer; some versions have it inside another one."""
    answer = read_object(body)
    if (
        answer is not None
        and len(answer) == 1
        and (inner := object_of(next(iter(answer.values())))) is not None
    ):
        return inner
    return answer


def refused(answer: dict[str, Any]) -> Unknown:
    """Return Unknown, for an answer that decides nothing."""
    words = answer.get("error_desc") or answer.get("reason")
    return Unknown(text_of(answer.get("error_code"), 64).strip(), text_of(words))


def order(answer: dict[str, Any], reference: str) -> CCAvenueOrder | NothingThere | Unknown:
    """Return our order in an answer, and no other."""
    code = text_of(answer.get("error_code"), 64).strip()
    number, currency = (
        text_of(answer.get("reference_no"), 64),
        answer.get("order_currncy", answer.get("order_curr")),
    )
    if code in NO_ORDER and not number:
        return NothingThere()
    amounts = {
        paise_of(answer.get(name)) for name in ("order_amt", "order_gross_amt") if name in answer
    }
    is_ours = (
        answer.get("order_no") == reference and _NUMBER.match(number) and currency == RUPEES_CODE
    )
    if code or not is_ours or len(amounts) != 1 or not min(amounts):
        return refused(answer)
    rrn = text_of(answer.get("order_bank_ref_no"), 64)
    captured = paise_of(answer.get("order_capt_amt"))
    state, words = (
        text_of(answer.get("order_status"), 64),
        text_of(answer.get("order_bank_response")),
    )
    return CCAvenueOrder(
        number, state, min(amounts), captured, rrn if rrn and rrn != "null" else number, words
    )


def outcome(record: CCAvenueOrder) -> Approved | Declined | Unknown | Voided:
    """Translate an order's state.

    A paid, unconfirmed order is a hold: CCAvenue ends it after 12 days.
    """
    if record.state == PAID:
        return Approved(Money(record.amount), record.rrn, authorised_only=True)
    if record.state in {CONFIRMED, REFUNDED}:
        return Approved(Money(record.captured or record.amount), record.rrn)
    if record.state in CANCELLED:
        return Voided(record.rrn)
    if record.state in FAILED:
        return Declined(record.state, record.words, left=record.state == ABORTED)
    return Unknown(record.state, awaiting_customer=record.state in OPEN)


def upi_url(answer: dict[str, Any], order_amount: Money) -> str | Unknown:
    """Return the UPI link of an intent, if it has a payee and our amount."""
    url = text_of(answer.get("intentUrl"), 4096)
    if not url:
        code, words = text_of(answer.get("errorCode"), 64), text_of(answer.get("errorMessage"))
        return Unknown(code, words) if code or words else refused(answer)
    return url if pays(url, order_amount) else Unknown(message="CCAvenue's link cannot be used")


def end_refused(answer: dict[str, Any], number: str) -> Unknown | Declined:
    """Return why an order was not confirmed or cancelled: finally, or for a passing reason."""
    rows = objects_of(answer.get("failed_List"))
    mine = [each for each in rows if each.get("reference_no") == number]
    unknown = refused(mine[0] if mine else answer)
    return Declined(unknown.code, unknown.message) if unknown.code in FINAL_ENDS else unknown


def refund_outcome(
    answer: dict[str, Any], number: str, token: str
) -> Approved | Declined | Unknown | NothingThere:
    """Return the outcome of the refund with our token, among those of a transaction."""
    code = text_of(answer.get("error_code"), 64).strip()
    if code:
        return NothingThere() if code == NO_REFUNDS else refused(answer)
    value = answer.get("refund_list")
    if (
        answer.get("reference_no") != number
        or not isinstance(value, list)
        or answer.get("order_curr") != RUPEES_CODE
    ):
        return refused(answer)
    refunds = objects_of(answer.get("refund_list"))
    ours = next((each for each in refunds if each.get("refund_mer_ref_no") == token), None)
    if ours is None:
        return NothingThere()
    state, paise = text_of(ours.get("refund_status"), 64), paise_of(ours.get("refund_amt"))
    if state == REFUND_DONE and paise:
        return Approved(Money(paise), text_of(ours.get("refund_bank_ref_no"), 64) or token)
    return (
        Declined(state, "CCAvenue could not refund.") if state in REFUND_ENDED else Unknown(state)
    )


def refund_answered(answer: dict[str, Any]) -> UnlessRecorded:
    """Return the answer to a refund, unless CCAvenue has a record of our token."""
    unknown = refused(answer)
    is_no = answer.get("refund_status") == "1" and unknown.code in FINAL_REFUNDS
    return UnlessRecorded(Declined(unknown.code, unknown.message) if is_no else unknown)


def trigger(body: bytes, key: str) -> Trigger | None:
    """Return the trigger of an encrypted callback.

    It has no signature, so nothing else of it is read.
    """
    form = form_fields(body) or {}
    text = envelope.opened(form.get("encResp", form.get("encResponse", "")), key)
    try:
        fields = dict(parse_qsl((text or b"").decode(), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        return None
    order_id = fields.get("order_id", "")
    is_whole = {"tracking_id", "order_status"} <= fields.keys()
    return Trigger("", (order_id,)) if is_whole and _REFERENCE.match(order_id) else None


def request(fields: dict[str, str]) -> bytes | None:
    """Return the order as the form of CCAvenue's page.

    None when a field would change its meaning there.
    """
    if any(set("&=+%#") & set(value) for value in fields.values()):
        return None
    return "&".join(f"{name}={value}" for name, value in fields.items()).encode()


def is_plain_address(url: str) -> bool:
    """Return whether an address means the same, however CCAvenue decodes it."""
    return _ADDRESS.match(url) is not None


def token(reference: str) -> str:
    """Return our reference of a refund as CCAvenue takes it: letters and digits, one for each."""
    plain = reference.replace("-", "X", 1)
    if _TOKEN.match(plain):
        return plain
    return hashlib.sha256(reference.encode()).hexdigest()[:TOKEN_LENGTH]


def reference_of(text: str) -> str:
    """Return the refund's reference in a token of ours, "" for any other token."""
    return text.replace("X", "-", 1) if _TOKEN.match(text) else ""


def refund_line_reference(answer: dict[str, Any], paise: int, bank_number: str) -> str:
    """Return our reference of a settled refund, among those of its transaction.

    "" where amount and the bank's number do not tell them apart.
    """
    same = [
        each
        for each in objects_of(answer.get("refund_list"))
        if paise_of(each.get("refund_amt")) == paise
    ]
    at_bank = [
        each for each in same if bank_number and each.get("refund_bank_ref_no") == bank_number
    ]
    ours = at_bank or same
    return reference_of(text_of(ours[0].get("refund_mer_ref_no"), 64)) if len(ours) == 1 else ""
