"""Rules for a terminal's typed fields, and for the shown status of a sale; pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import msgspec

from hundi_testbed.bank import wording
from hundi_testbed.bank.rules import NEVER

TYPES = ("SALE", "VOID", "REFUND")
UNKNOWN_TERMINAL = "HTTP 409"
"""The gateway's answer while it does not know the terminal."""
_AMOUNT = re.compile(r"([0-9]{1,8})(?:\.([0-9]{1,2}))?\Z")
_FORMS = {
    "merchant_id": (
        re.compile(r"[1-9][0-9]{0,11}\Z"),
        "A merchant's number has 1 to 12 digits, the first no 0.",
    ),
    "terminal_id": (
        re.compile(r"[A-Za-z0-9]{1,16}\Z"),
        "A terminal's name has 1 to 16 letters and digits.",
    ),
    "amount": (_AMOUNT, "An amount is in rupees, as in 149.50, and below 10,00,00,000."),
    "edited": (
        re.compile(r"(?:[0-9]{1,8}(?:\.[0-9]{1,2})?)?\Z"),
        "An amount is in rupees, as in 160.00; leave it empty if nothing was changed.",
    ),
    "table_no": (re.compile(r".{0,20}\Z"), "A table has at most 20 printable characters."),
    "mobile": (
        re.compile(r"(?:[0-9]{10})?\Z"),
        "A mobile number has ten digits; leave it empty if there is none.",
    ),
    "txn_type": (re.compile(r"(?:SALE|VOID|REFUND)\Z"), "Choose SALE, VOID or REFUND."),
}
FIELDS = tuple(_FORMS)


class SaleBody(msgspec.Struct, frozen=True, tag_field="kind", tag="pos_sale"):
    """The callback about a sale; amounts in paise."""

    event_id: str
    merchant_id: int
    terminal_id: str
    txn_type: str
    amount_paise: int
    edited_paise: int
    table_no: str
    mobile: str


@dataclass(frozen=True, slots=True)
class SaleDelivery:
    """The delivery status of a sale.

    mood: done, pending or declined, which chooses colour and icon.
    """

    mood: str
    title: str
    what: str


def problems(typed: Mapping[str, str]) -> dict[str, str]:
    """Return the problems of each field, in words; empty when all can be read."""
    faults = {name: words for name, (form, words) in _FORMS.items() if not _fits(form, typed[name])}
    if "amount" not in faults and not paise(typed["amount"]):
        faults["amount"] = "The amount has to be more than nothing."
    return faults


def _fits(form: re.Pattern[str], text: str) -> bool:
    return text.isprintable() and form.match(text) is not None


def paise(text: str) -> int:
    """Return an amount in rupees as paise; 0 for an empty text."""
    match = _AMOUNT.match(text)
    return int(match[1]) * 100 + int((match[2] or "").ljust(2, "0")) if match else 0


def standing(answer: str, again_at: datetime | None, *, taken: bool) -> SaleDelivery:
    """Return the delivery status of a sale, by the last answer and the time of the next try."""
    if taken:
        return SaleDelivery(
            "done", "The gateway took it", "It is among what the merchant can list."
        )
    if not answer:
        return SaleDelivery(
            "pending", "On its way to the gateway", "Nothing has been answered yet."
        )
    words = {
        UNKNOWN_TERMINAL: "The gateway does not know this terminal yet, or it is closed.",
        NEVER: "The gateway says that it can never keep this sale.",
    }.get(answer, f"What came back: {answer}.")
    if again_at is None:
        return SaleDelivery(
            "declined", "The gateway did not take it", f"{words} It is told no more."
        )
    return SaleDelivery(
        "pending", "Not taken yet", f"{words} It is told again on {wording.ist(again_at)}."
    )
