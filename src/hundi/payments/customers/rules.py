"""Who a customer is: the marks that their rows share, and the row that a page is named by; pure."""

import hmac
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from hundi.kernel.records import replace
from hundi.letters.mobile.rules import mobile_number
from hundi.letters.rules import masked_address
from hundi.payments.orders.rules import Buyer
from hundi.payments.search.rules import Meanings, SearchKeyKind, folded, phone_folded

_ANCHOR = re.compile(r"(payment|link)-([1-9][0-9]{0,14})\Z")


class CustomerMark(StrEnum):
    """What rows of one customer share."""

    PHONE = "phone"
    """The last ten digits of a phone number."""
    EMAIL = "email"
    """An e-mail address, without regard to case."""
    REFERENCE = "reference"
    """The merchant's own name of its customer, exactly as it was given."""


@dataclass(frozen=True, slots=True)
class CustomerMarks:
    """The marks of one customer; "" for none. They are compared, and never shown unmasked."""

    phone: str = field(default="", repr=False)
    email: str = field(default="", repr=False)
    reference: str = field(default="", repr=False)

    def __bool__(self) -> bool:
        """Return whether there is any mark."""
        return bool(self.known)

    @property
    def known(self) -> Mapping[CustomerMark, str]:
        """Return the marks that are there."""
        marks = {each: str(getattr(self, each.value)) for each in CustomerMark}
        return {each: text for each, text in marks.items() if text}

    @property
    def masked(self) -> Mapping[CustomerMark, str]:
        """Return the marks for people who gave no reason to see them."""
        return {
            mark: text
            if mark is CustomerMark.REFERENCE and not _is_address(text)
            else masked_address(text)
            for mark, text in self.known.items()
        }

    @property
    def meanings(self) -> Meanings:
        """Return what the search has to look for."""
        kinds = {
            CustomerMark.PHONE: SearchKeyKind.PHONE,
            CustomerMark.EMAIL: SearchKeyKind.EMAIL,
            CustomerMark.REFERENCE: SearchKeyKind.CUSTOMER,
        }
        return Meanings("", None, {kinds[each]: text for each, text in self.known.items()})

    def only(self, marks: Collection[str]) -> "CustomerMarks":
        """Return these marks without those that are not named."""
        left_out = {each.value: "" for each in CustomerMark if each not in marks}
        return replace(self, **left_out)

    def digest(self, secret: bytes) -> str:
        """Return a keyed hash that tells these marks from others. secret: 32 bytes for it alone."""
        text = "\n".join(f"{mark}\t{words}" for mark, words in self.known.items())
        return hmac.digest(secret, text.encode("utf-8", "surrogatepass"), sha256).hex()

    def shares(self, other: "CustomerMarks") -> bool:
        """Return whether another row is of the same customer: it shares a mark."""
        return any(text == other.known.get(each) for each, text in self.known.items())


class AnchorKind(StrEnum):
    """The kinds of rows that a customer's page is named by."""

    PAYMENT = "payment"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class CustomerAnchor:
    """The row that names a customer in an address: no phone, no e-mail stands there."""

    kind: AnchorKind
    number: int

    def __str__(self) -> str:
        """Return it as addresses have it."""
        return f"{self.kind}-{self.number}"


@dataclass(frozen=True, slots=True)
class CustomerTrace:
    """The contact data of one row."""

    anchor: CustomerAnchor
    buyer: Buyer = field(repr=False)
    at: datetime

    @property
    def marks(self) -> CustomerMarks:
        """Return its marks."""
        return marks_of(self.buyer)


@dataclass(frozen=True, slots=True)
class KnownCustomer:
    """A customer in a list: the newest row with these marks, and how many rows there are."""

    newest: CustomerTrace
    rows: int


def anchor_of(text: str) -> CustomerAnchor | None:
    """Return the row that an address names, None for any other text."""
    match = _ANCHOR.match(text)
    return CustomerAnchor(AnchorKind(match[1]), int(match[2])) if match else None


def marks_of(buyer: Buyer) -> CustomerMarks:
    """Return the marks of a row's contact data."""
    return CustomerMarks(phone_folded(buyer.phone), folded(buyer.email), buyer.customer.strip())


def each_once(traces: Iterable[CustomerTrace]) -> list[KnownCustomer]:
    """Return the customers of some rows, newest first, each once.

    A row that has fewer marks, and no other ones, is of the customer that has more: a payment link
    never has the merchant's own name of its customer.
    """
    newest: dict[CustomerMarks, CustomerTrace] = {}
    rows: Counter[CustomerMarks] = Counter()
    named = {trace.anchor: trace for trace in traces}.values()
    for trace in sorted(named, key=lambda each: each.at, reverse=True):
        if trace.marks:
            newest.setdefault(trace.marks, trace)
            rows[trace.marks] += 1
    wider = {marks: _widest(marks, newest) for marks in newest}
    counted: Counter[CustomerMarks] = Counter()
    for marks, number in rows.items():
        counted[wider[marks]] += number
    return [KnownCustomer(newest[marks], counted[marks]) for marks in newest if counted[marks]]


def widened(marks: CustomerMarks, traces: Iterable[CustomerTrace]) -> CustomerMarks:
    """Return the marks of a customer by those of its rows that have all of them and more.

    Two people may share a phone: where rows disagree about what is missing, nothing is added.
    """
    known = marks.known.items()
    wider = [each.marks for each in traces if known <= each.marks.known.items()]
    widest = max(wider, key=_size, default=marks)
    agree = all(each.known.items() <= widest.known.items() for each in wider)
    return widest if agree else marks


def _widest(marks: CustomerMarks, others: Iterable[CustomerMarks]) -> CustomerMarks:
    """Return the marks with the most beside these, these themselves where none has more."""
    known = marks.known.items()
    return max((each for each in others if known <= each.known.items()), key=_size, default=marks)


def _size(marks: CustomerMarks) -> int:
    return len(marks.known)


def _is_address(text: str) -> bool:
    """Return whether a merchant names its customer by an e-mail address or a phone number."""
    return "@" in text or bool(mobile_number(text))
