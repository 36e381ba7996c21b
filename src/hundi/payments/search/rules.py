"""What a text in the search box may mean, and the keys of a payment; pure."""

import hmac
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256

from hundi.kernel.money import PAISE_PER_RUPEE

TEXT_MAX = 100
"""The longest text that is searched for: longer than every reference."""
_PHONE_DIGITS = 10
"""An Indian number without country code and leading zeros."""
_PHONE_DIGITS_MAX = 15
_ENDING_DIGITS = 4
_ID_DIGITS = 15
_AMOUNT_DIGITS_MAX = 13
_KEY_BYTES = 8
_SPACES = re.compile(r"[\s-]+")
_AMOUNT = re.compile(r"(?:₹|rs\.?|inr)?\s*([0-9][0-9,]*)(?:\.([0-9]{1,2}))?\Z", re.IGNORECASE)
"""ASCII digits only: `[0-9]`."""
_REFERENCE = re.compile(r"[0-9]{1,15}-([0-9]{15})\Z")
_WEBHOOK_ID = re.compile(r"ipn_[0-9]{1,15}_([0-9]{15})_[0-9]{1,9}\Z")


class SearchKeyKind(IntEnum):
    """The kind of a key of the index. The database stores the numbers: they never change."""

    AMOUNT = 1
    """The order's amount, in the smallest unit of its currency."""
    CARD_ENDING = 2
    """The last four digits of a card that was tried."""
    PHONE = 3
    """A keyed hash of the customer's phone number."""
    EMAIL = 4
    """A keyed hash of the customer's e-mail address."""
    UPI_ADDRESS = 5
    """A keyed hash of the UPI address that paid."""
    REFUND_RRN = 6
    """A keyed hash of a refund's RRN; those of attempts have an index of their own."""
    REFUND_REQUEST = 7
    """A keyed hash of the merchant's own id of a refund."""
    CUSTOMER = 8
    """A keyed hash of the merchant's own name of its customer."""


@dataclass(frozen=True, slots=True)
class Meanings:
    """What a text may be. text: as an order id or another reference. gateway_id: one of ours.

    keys: the index's keys, as text before it is hashed, or as a number.
    """

    text: str
    gateway_id: int | None
    keys: dict[SearchKeyKind, str | int]

    def text_of(self, kind: SearchKeyKind) -> str | None:
        """Return a meaning as text, None where the text cannot mean that."""
        value = self.keys.get(kind)
        return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class PaymentTraces:
    """The index's input for one payment: its customer, attempts and refunds."""

    payment_id: int
    amount_paise: int
    phone: str
    email: str
    upi_addresses: tuple[str, ...]
    card_endings: tuple[str, ...]
    refund_rrns: tuple[str, ...]
    refund_requests: tuple[str, ...]
    customer: str = ""


def meanings_of(text: str) -> Meanings:
    """Return everything that a text may mean."""
    text = text.strip()[:TEXT_MAX]
    keys: dict[SearchKeyKind, str | int] = {}
    digits = _SPACES.sub("", text)
    if "@" in text:
        keys[SearchKeyKind.UPI_ADDRESS] = folded(text)
        keys[SearchKeyKind.EMAIL] = folded(text)
    elif text:
        keys[SearchKeyKind.REFUND_RRN] = folded(text)
        keys[SearchKeyKind.REFUND_REQUEST] = folded(text)
    if text:
        keys[SearchKeyKind.CUSTOMER] = text
    if phone := _phone_in(digits):
        keys[SearchKeyKind.PHONE] = phone
    if (paise := _paise_in(text)) is not None:
        keys[SearchKeyKind.AMOUNT] = paise
    if digits.isascii() and digits.isdigit() and len(digits) == _ENDING_DIGITS:
        keys[SearchKeyKind.CARD_ENDING] = int(digits)
    return Meanings(text, _gateway_id_in(text), keys)


def keys_of(traces: PaymentTraces, secret: bytes) -> Iterator[tuple[SearchKeyKind, int]]:
    """Yield every key by which a payment is found."""
    yield SearchKeyKind.AMOUNT, traces.amount_paise
    for ending in traces.card_endings:
        if ending.isascii() and ending.isdigit():
            yield SearchKeyKind.CARD_ENDING, int(ending)
    texts = (
        (SearchKeyKind.PHONE, (phone_folded(traces.phone),)),
        (SearchKeyKind.EMAIL, (folded(traces.email),)),
        (SearchKeyKind.UPI_ADDRESS, map(folded, traces.upi_addresses)),
        (SearchKeyKind.REFUND_RRN, map(folded, traces.refund_rrns)),
        (SearchKeyKind.REFUND_REQUEST, map(folded, traces.refund_requests)),
        (SearchKeyKind.CUSTOMER, (traces.customer.strip(),)),
    )
    for kind, values in texts:
        for value in values:
            if value:
                yield kind, hashed(kind, value, secret)


def key_of(kind: SearchKeyKind, value: str | int, secret: bytes) -> int:
    """Return the index's key of a meaning."""
    return value if isinstance(value, int) else hashed(kind, value, secret)


def hashed(kind: SearchKeyKind, text: str, secret: bytes) -> int:
    """Return the key of a text.

    Without the secret nobody can read the text from it, or try texts.
    """
    digest = hmac.digest(secret, f"{kind.value}\n{text}".encode(), sha256)
    return int.from_bytes(digest[:_KEY_BYTES], signed=True)


def folded(text: str) -> str:
    """Return a text for comparison, without case and outer spaces."""
    return text.strip().casefold()


def phone_folded(phone: str) -> str:
    """Return the last ten digits of a phone number: with and without +91 or 0 it is the same."""
    return "".join(each for each in phone if each.isascii() and each.isdigit())[-_PHONE_DIGITS:]


def _phone_in(text: str) -> str:
    digits = text.removeprefix("+")
    is_number = (
        digits.isascii() and digits.isdigit() and _PHONE_DIGITS <= len(digits) <= _PHONE_DIGITS_MAX
    )
    return phone_folded(digits) if is_number else ""


def _paise_in(text: str) -> int | None:
    match = _AMOUNT.match(text)
    if match is None or len(match[1]) > _AMOUNT_DIGITS_MAX:
        return None
    return int(match[1].replace(",", "")) * PAISE_PER_RUPEE + int((match[2] or "0").ljust(2, "0"))


def _gateway_id_in(text: str) -> int | None:
    if len(text) == _ID_DIGITS and text.isascii() and text.isdigit():
        return int(text)
    match = _REFERENCE.match(text) or _WEBHOOK_ID.match(text)
    return int(match[1]) if match else None
