"""Bounds of single fields, and the only conversion between amounts and text.

Each function takes the received text and returns the value, or raises FieldError. The bounds are
those of docs/spec/wire.md#field-bounds.
"""

import base64
import re
from datetime import date
from urllib.parse import urlsplit

from hundi.kernel.masking import holds_card, is_card_as_phone, masked

RECEIVED_MAX = 64
"""Characters of a refused value that a FieldError repeats."""
EMAIL_MAX = 254
NAME_MAX = 100
ADDRESS_MAX = 255
TEXT_MAX = 255
"""Characters of any optional field that has no bound of its own."""
CUSTOMVAR_MAX = 4096
RRN_MAX = 35
REFERENCE_DIGITS_MAX = 20

CURRENCIES = {
    "INR": "356",
    "AED": "784",
    "AUD": "036",
    "CAD": "124",
    "EUR": "978",
    "GBP": "826",
    "SGD": "702",
    "USD": "840",
}
"""ISO 4217 letters and numbers of the currencies that may be enabled
(docs/spec/wire.md#currencies).
"""

CHANNELS = frozenset(
    (
        "pg",
        "pgcc",
        "pgdc",
        "nb",
        "ppc",
        "pp",
        "upi",
        "btqr",
        "emi",
        "payltr",
        "va",
        "enach",
        "cash",
        "rtgs",
        "remit",
    )
)
"""Channel codes of `chmod` (docs/spec/states-and-codes.md#channels)."""


PAISE_MAX = 10**12 - 1
"""Paise of the largest amount: ten digits of rupees, and two places."""
_AMOUNT = re.compile(r"([0-9]{1,10})(?:\.([0-9]{1,2}))?\Z", re.ASCII)
_ORDER_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}\Z")
_EMAIL = re.compile(r"[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+\Z")
_PHONE_MARKS = str.maketrans("", "", "+-() ")
_PHONE = re.compile(r"[0-9]{8,15}\Z")
_VPA = re.compile(r"(?!.{256})[A-Za-z0-9][A-Za-z0-9._-]{1,252}@[A-Za-z][A-Za-z0-9]{1,63}\Z")
_ACCOUNT = re.compile(r"[A-Za-z0-9]{6,18}\Z")
_IFSC = re.compile(r"[A-Z]{4}0[A-Z0-9]{6}\Z")
_DIGITS = re.compile(r"[0-9]+\Z")
_SLASHED_DATE = re.compile(r"([0-9]{2})/([0-9]{2})/([0-9]{4})\Z")
# C0, DEL, C1, line separators, direction overrides (they make a page show another text than was
# sent), lone surrogates.
_CONTROL = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")


class FieldError(ValueError):
    """A field is missing or out of bounds.

    field: its name as the specification spells it. received: the value; empty for a missing field
    and for secrets. Both are cut to RECEIVED_MAX characters, control characters shown escaped.
    allowed: the bound, in words. cure: the merchant's setting and its value with which the field is
    accepted, None where no setting helps.
    """

    def __init__(
        self, field: str, received: str, allowed: str, cure: tuple[str, str] | None = None
    ) -> None:
        """Keep the values; the message joins the first three into one sentence."""
        # The sender made up the name of an unknown field.
        self.field: str = _shown(field)
        self.received: str = _shown(received)
        self.allowed: str = allowed
        self.cure: tuple[str, str] | None = cure
        got = f"received {self.received!r}" if received else "it is missing"
        super().__init__(f"{self.field}: {got}, allowed is {allowed}")

    def inside(self, name: str) -> "FieldError":
        """Return the same of a field within another one, such as `items[2].amount`."""
        return FieldError(f"{name}.{self.field}", self.received, self.allowed, self.cure)


def _shown(text: str) -> str:
    return _CONTROL.sub(_escaped, masked(text)[:RECEIVED_MAX])[:RECEIVED_MAX]


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def paise_from_text(text: str, field: str = "amount") -> int:
    """Return a plain decimal in whole paise.

    1 to 10 ASCII digits, at most two places, above zero.
    """
    match = _AMOUNT.match(text)
    paise = int(match[1]) * 100 + int((match[2] or "").ljust(2, "0")) if match else 0
    if paise == 0:
        raise FieldError(
            field,
            text,
            "a decimal above zero: at most 10 digits, then at most two places, as in 1499.50",
        )
    return paise


def text_from_paise(paise: int) -> str:
    """Return an amount with two places: 149950 is `1499.50`. Raises ValueError below zero."""
    if paise < 0:
        message = "amounts on the wire are never negative"
        raise ValueError(message)
    return f"{paise // 100}.{paise % 100:02d}"


def signed_text_from_paise(paise: int) -> str:
    """Return an amount that may be below zero: -149950 is `-1499.50`."""
    return f"-{text_from_paise(-paise)}" if paise < 0 else text_from_paise(paise)


def order_id(text: str, field: str = "orderid") -> str:
    """Return an order id: 1 to 64 of letters, digits, `-`, `_`, `.`."""
    if not _ORDER_ID.match(text):
        raise FieldError(field, text, "1 to 64 characters of A-Z a-z 0-9 - _ .")
    return text


def email(text: str, field: str = "buyer_email") -> str:
    """Return an e-mail address of at most 254 characters; only its form is checked."""
    if len(text) > EMAIL_MAX or not _EMAIL.match(text) or _CONTROL.search(text):
        raise FieldError(field, text, f"an e-mail address of at most {EMAIL_MAX} characters")
    if holds_card(text):
        raise FieldError(field, "(not shown)", "no card number")
    return text


def phone(text: str, field: str = "buyer_phone") -> str:
    """Return the 8 to 15 digits of a phone number, `+ - ( )` and spaces removed."""
    digits = text.translate(_PHONE_MARKS)
    if not _PHONE.match(digits):
        raise FieldError(field, text, "8 to 15 digits; + - ( ) and spaces may stand between them")
    if is_card_as_phone(digits):
        raise FieldError(field, "(not shown)", "a telephone number, no card number")
    return digits


def vpa(text: str, field: str = "vpa") -> str:
    """Return a UPI address of the form `local@handle`.

    Handles are not checked against a list: lists go out of date.
    """
    if not _VPA.match(text):
        raise FieldError(field, text, "a UPI address like name@bank")
    return text


def free_text(text: str, field: str, length_max: int = TEXT_MAX) -> str:
    """Return text of any script without control characters."""
    if len(text) > length_max or _CONTROL.search(text):
        raise FieldError(field, text, f"at most {length_max} characters, no control characters")
    return text


def words(text: str, field: str, length_max: int = TEXT_MAX) -> str:
    """Return people's free text, without the card and Aadhaar numbers in it."""
    return masked(free_text(text, field, length_max))


def name(text: str, field: str) -> str:
    """Return a person's name as `words`: 1 to 100 characters, not all spaces."""
    if not text.strip():
        raise FieldError(field, text, f"1 to {NAME_MAX} characters of any script")
    return words(text, field, NAME_MAX)


def digits(text: str, field: str, length_max: int = REFERENCE_DIGITS_MAX) -> str:
    """Return text of 1 to `length_max` ASCII digits."""
    if len(text) > length_max or not _DIGITS.match(text):
        raise FieldError(field, text, f"1 to {length_max} digits")
    return text


def customer(text: str) -> str:
    """Return the merchant's own name of its customer, "" for none.

    A name without letter or digit, or with outer spaces, is refused.
    """
    if text and (text != text.strip() or not any(map(str.isalnum, text))):
        raise FieldError("UID", text, "a name with a letter or digit, without spaces at its ends")
    return free_text(text, "UID")


def count(text: str, field: str, highest: int, lowest: int = 0) -> int:
    """Return a whole number from `lowest` to `highest`."""
    if (
        len(text) > len(str(highest))
        or not _DIGITS.match(text)
        or not lowest <= int(text) <= highest
    ):
        raise FieldError(field, text, f"a whole number from {lowest} to {highest}")
    return int(text)


def one_of(text: str, field: str, allowed: tuple[str, ...]) -> str:
    """Return `text` if it is one of the allowed words."""
    if text not in allowed:
        raise FieldError(field, text, "one of " + " ".join(allowed))
    return text


def channels(text: str, field: str = "chmod") -> tuple[str, ...]:
    """Return the channel codes of `chmod`, each once, in the order sent; () means all."""
    codes = tuple(dict.fromkeys(text.split("_"))) if text else ()
    if not CHANNELS.issuperset(codes):
        raise FieldError(
            field, text, "channel codes joined by _ , each one of " + " ".join(sorted(CHANNELS))
        )
    return codes


def account_number(text: str, field: str) -> str:
    """Return the number of a bank account; a refused one is not repeated."""
    if not _ACCOUNT.match(text):
        raise FieldError(
            field, "(not shown)", "6 to 18 letters and digits, the number of a bank account"
        )
    return text


def ifsc(text: str, field: str) -> str:
    """Return the IFSC of a bank's branch, in capitals."""
    if not _IFSC.match(text.upper()):
        raise FieldError(field, text, "an IFSC: four letters, a zero, six letters or digits")
    return text.upper()


def currency(code: str, letters: str) -> str:
    """Return the ISO letters on which `currency_code` and `iso_currency` agree.

    The first may be a number or letters, the second has any case.
    """
    named = letters.upper()
    if named not in CURRENCIES:
        raise FieldError(
            field="iso_currency",
            received=letters,
            allowed="an ISO 4217 code: INR, or one enabled for the merchant",
        )
    if code.upper() not in (named, CURRENCIES[named]):
        raise FieldError(
            field="currency_code",
            received=code,
            allowed=f"{CURRENCIES[named]}, the number of {named}",
        )
    return named


def day(text: str, field: str, *, day_first: bool = False) -> date:
    """Return a date written MM/DD/YYYY, or DD/MM/YYYY where the merchant's setting says so."""
    match = _SLASHED_DATE.match(text)
    # A text of another form becomes day 0, so that it is refused together with dates that do not
    # exist.
    first, second, year = map(int, match.groups()) if match else (0, 0, 0)
    month, day_of_month = (second, first) if day_first else (first, second)
    try:
        return date(year, month, day_of_month)
    except ValueError:
        form = "DD/MM/YYYY" if day_first else "MM/DD/YYYY"
        raise FieldError(field, text, f"a date that exists, written {form}") from None


def origin(text: str, field: str = "mer_dom") -> str:
    """Return the origin in `mer_dom`: Base64 of the address of the merchant's page or site."""
    padded = text.replace(" ", "+").rstrip("=") + "=" * (-len(text.rstrip("=")) % 4)
    try:
        return origin_of(base64.b64decode(padded, validate=True).decode("ascii"), field)
    except ValueError:
        raise FieldError(field, text, "base64 of an origin like https://shop.example") from None


def origin_of(address: str, field: str = "origin") -> str:
    """Return scheme, host and non-default port of an address, in lower case.

    The address is an Origin or Referer header.
    """
    try:
        parts = urlsplit(address.strip().lower())
        usual = {"http": 80, "https": 443}[parts.scheme]
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        port = "" if parts.port in (None, usual) else f":{parts.port}"
    except (ValueError, KeyError):
        host, port, parts = None, "", None
    if not host or parts is None:
        raise FieldError(field, address, "an address like https://shop.example")
    return f"{parts.scheme}://{host}{port}"
