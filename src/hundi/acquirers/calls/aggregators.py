"""Shared parts of aggregators' connectors: amounts, forms, links, and answers for an open page."""

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast
from urllib.parse import parse_qsl

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi.kernel.money import PAISE_PER_RUPEE, Money

NOT_IN_INSTALMENTS = Declined("no-instalments", "This amount is not paid in instalments here.")
RUPEES = "INR"
AMOUNT_PAISE_MAX = 9_999_999_999_999
"""The largest amount of one movement that is accepted from an acquirer."""
MESSAGE_MAX = 255
ADDRESS_MAX = 2_048
FORM_FIELDS_MAX = 200
UPI_LINK = "upi://pay?"
UPI_MANDATE = "upi://mandate?"
_DIGITS = re.compile(r"[0-9]{1,19}\Z")
_AMOUNT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,4})?\Z")


def while_open(
    answer: Approved | Declined | Unknown | NothingThere | Voided,
) -> Approved | Declined | Unknown | NothingThere | Voided:
    """Return an answer's meaning while a customer may still pay: a failed try ends nothing.

    An aggregator begins a transaction when the browser comes, and its page lets customers try
    again.
    """
    if isinstance(answer, Declined):
        return Unknown(answer.code, answer.message, awaiting_customer=True)
    return Unknown(awaiting_customer=True) if isinstance(answer, NothingThere) else answer


def read_json(body: bytes) -> object:
    """Return a JSON answer with its numbers as text, or None when it is no JSON."""
    try:
        return json.loads(body, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None


def read_object(body: bytes) -> dict[str, Any] | None:
    """Return a JSON answer with its numbers as text, or None when it is no object."""
    return object_of(read_json(body))


def object_of(value: object) -> dict[str, Any] | None:
    """Return an object of an answer, or None; some acquirers write an empty one as a list."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def objects_of(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list of an answer; [] for any other value."""
    entries = cast("list[object]", value) if isinstance(value, list) else []
    return [each for each in map(object_of, entries) if each is not None]


def text_of(value: object, length_max: int = MESSAGE_MAX) -> str:
    """Return a text of an answer, cut to a length; "" for any other value."""
    return value[:length_max] if isinstance(value, str) else ""


def rupees_text(amount: Money) -> str:
    """Return an amount in rupees with two decimals, as it is hashed."""
    whole, rest = divmod(amount.paise, PAISE_PER_RUPEE)
    return f"{whole}.{rest:02d}"


def paise_of(text: object) -> int:
    """Return an amount in paise; 0 for no amount, or one finer than a paisa."""
    if not isinstance(text, str) or not _AMOUNT.match(text):
        return 0
    paise = Decimal(text) * PAISE_PER_RUPEE
    return int(paise) if paise == int(paise) and paise <= AMOUNT_PAISE_MAX else 0


def signed_paise_of(text: object) -> int | None:
    """Return an amount of a report in paise; None for no amount. A debit may have a sign."""
    if not isinstance(text, str) or not _AMOUNT.match(text.removeprefix("-")):
        return None
    paise = paise_of(text.removeprefix("-"))
    if not paise and text.strip("-0."):
        return None
    return -paise if text.startswith("-") else paise


def whole_of(text: object, largest: int = AMOUNT_PAISE_MAX) -> int | None:
    """Return a whole number in a text; None for any other value, or a larger number.

    str.isdigit alone takes digits that int refuses, and int refuses very long ones.
    """
    if not isinstance(text, str) or not _DIGITS.match(text):
        return None
    return number if (number := int(text)) <= largest else None


def pays(url: str, order_amount: Money) -> bool:
    """Return whether an address is a UPI link with a payee and this amount."""
    named = _link_fields(url, UPI_LINK)
    return bool(named.get("pa")) and paise_of(named.get("am")) == order_amount.paise


def approves(url: str, first_amount: Money) -> bool:
    """Return whether an address is the UPI link of a mandate with a payee.

    `fam` is what such a link asks for at once; one without it asks for the order's amount.
    """
    named = _link_fields(url, UPI_MANDATE)
    first = named.get("fam")
    return bool(named.get("pa")) and (first is None or paise_of(first) == first_amount.paise)


def _link_fields(url: str, begins: str) -> dict[str, str]:
    """Return the fields of a link, none of one that no app opens."""
    is_link = (
        url.startswith(begins) and len(url) <= ADDRESS_MAX and url.isascii() and url.isprintable()
    )
    return dict(parse_qsl(url.partition("?")[2])) if is_link and " " not in url else {}


@dataclass(frozen=True, slots=True)
class PlainWords:
    """What an acquirer accepts in a text. letters: the allowed ones, as in a regular expression."""

    letters: str

    def text(self, text: str, length_max: int, otherwise: str = "") -> str:
        """Return the accepted part of a text. otherwise: used if nothing of it is left."""
        accepted = re.sub(rf"[^{self.letters}]", " ", text)
        return " ".join(accepted.split())[:length_max].strip() or otherwise


def form_fields(body: bytes) -> dict[str, str] | None:
    """Return the fields of a webhook, or None when it is no form with each field once."""
    try:
        pairs = parse_qsl(
            body.decode(),
            keep_blank_values=True,
            strict_parsing=True,
            max_num_fields=FORM_FIELDS_MAX,
        )
    except ValueError:
        return None
    form = dict(pairs)
    return form if form and len(form) == len(pairs) else None
