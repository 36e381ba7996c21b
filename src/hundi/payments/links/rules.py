"""Rules of payment links: their bounds, what may be paid now, and how orders count; pure.

Each payment under a link is an order of its own. An order is counted once, when it is paid, in the
order in which that is noticed: what fits into the link's amount counts; the merchant chose whether
the rest is refunded or kept (docs/spec/payment-interfaces.md#payment-links).
"""

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Literal, get_args

import msgspec

from hundi.kernel.clock import INDIA
from hundi.kernel.masking import holds_card, is_card_as_phone, masked
from hundi.kernel.money import PAISE_PER_RUPEE, Money, rupees
from hundi.kernel.names import is_name, name_words
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.kernel.states import PaymentKind
from hundi.kernel.states import PaymentState as P
from hundi.payments.links.items.rules import LinkItem, check_items
from hundi.payments.links.reminders.rules import NO_REMINDERS, ReminderPlan
from hundi.payments.orders.rules import Buyer, NewOrder, Payment

AMOUNT_PAISE_MAX = 10**12
"""The protocol's bound: ten digits of rupees (docs/spec/wire.md#field-bounds)."""
PART_PAISE_MIN = PAISE_PER_RUPEE
"""The smallest part payment, in paise."""
DESCRIPTION_LENGTH_MAX = 200
LIFE = timedelta(days=30)
"""The default life of a link."""
LIFE_MAX = timedelta(days=366)
OPEN_MAX = 500
"""Payable orders under one link at the same time: whoever has its address can begin them.

Those whose session is over do not count, so that nobody can block a link by opening it.
"""
LOOK_GAP_MIN = timedelta(seconds=2)
LOOKS_END = timedelta(days=120)
"""The age after which unpaid orders are not looked at.

Banks and transfers have decided long before.
"""
BACK_GAP = timedelta(hours=6)
"""The gap between two looks at a refund."""
BACK_TRIES_MAX = 7
"""Failed refunds of one surplus before it is left to operators."""
CODE_LENGTH = 16
_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
"""Without letters that look alike; 16 of 32 letters are 80 bits."""
_ADDRESS = re.compile(rf"([1-9][0-9]{{0,11}})\.([0-9a-z]{{{CODE_LENGTH}}})(?:\.[a-z]{{2}})?\Z")
ORDER_BEGINS = "link-"
"""The prefix of the ids of orders under links, and of the refunds of surpluses."""
_ORDER = re.compile(ORDER_BEGINS + r"([1-9][0-9]{0,14})-([1-9][0-9]{0,5})\Z")
_REFERENCE = re.compile(r"[A-Za-z0-9_.-]{1,64}\Z")
_EMAIL = re.compile(r"[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+")
_PHONE_MARKS = str.maketrans("", "", "+-() ")
_PHONE = re.compile(r"[0-9]{8,15}")
NOBODY = Buyer()
PAID = frozenset({P.PAID, P.CAPTURED})
"""States of an order whose money has arrived."""

Surplus = Literal["refund", "keep"]
SURPLUS: tuple[Surplus, ...] = get_args(Surplus)


class LinkState(StrEnum):
    """The state of a link; it follows from its sum, its end and its cancellation."""

    OPEN = "open"
    """Nothing of it is paid."""
    PARTLY_PAID = "partly_paid"
    """A part of it is paid, and more can be."""
    PAID = "paid"
    """All of it is paid."""
    EXPIRED = "expired"
    """Its time is over; what was paid of it stays paid."""
    CANCELLED = "cancelled"
    """Its merchant ended it; what was paid of it stays paid."""


PAYABLE = frozenset({LinkState.OPEN, LinkState.PARTLY_PAID})


@dataclass(frozen=True, slots=True)
class NewLink:
    """A merchant's request for a link. Amounts in paise.

    reference: the merchant's own name of it. minimum_paise: 0 for a link that is paid at once.
    surplus: what happens to money beyond the amount. expiry: the requested end, where that is no
    moment; repeats are compared by it. items: what it is for, line by line, or (). reminders: the
    days on which the customer is reminded.
    """

    reference: str
    amount_paise: int
    description: str
    expires_at: datetime
    minimum_paise: int = 0
    surplus: Surplus = "refund"
    buyer: Buyer = NOBODY
    expiry: str = ""
    items: tuple[LinkItem, ...] = ()
    reminders: ReminderPlan = NO_REMINDERS


@dataclass(frozen=True, slots=True)
class Link:
    """A payment link. Amounts in paise, times in UTC. made_by: who made it, in words.

    paid_paise: the counted sum of its orders.
    """

    merchant_id: int
    link_id: int
    code: str
    reference: str
    content_hash: bytes
    amount_paise: int
    minimum_paise: int
    paid_paise: int
    description: str
    surplus: Surplus
    buyer: Buyer
    made_by: str
    created_at: datetime
    expires_at: datetime
    cancelled_at: datetime | None = None
    items: tuple[LinkItem, ...] = ()

    @property
    def left_paise(self) -> int:
        """Return what is still to be paid."""
        return max(0, self.amount_paise - self.paid_paise)

    @property
    def address(self) -> str:
        """Return the last part of its address."""
        return f"{self.merchant_id}.{self.code}"


@dataclass(frozen=True, slots=True)
class LinkOrder:
    """An order that a customer began under a link.

    payment_id: None until its payment was opened. counted_at: when it was found paid.
    counted_paise: its part of the link's sum. back_paise: its part that is refunded. tries: refunds
    begun for that. due_at: the next look.
    """

    merchant_id: int
    link_id: int
    order_no: int
    amount_paise: int
    created_at: datetime
    payment_id: int | None = None
    counted_at: datetime | None = None
    counted_paise: int = 0
    back_paise: int = 0
    tries: int = 0
    due_at: datetime | None = None

    @property
    def order_id(self) -> str:
        """Return the order's id, which names its link."""
        return f"{ORDER_BEGINS}{self.link_id}-{self.order_no}"


def state_of(link: Link, now: datetime) -> LinkState:
    """Return the state of a link."""
    if link.paid_paise >= link.amount_paise:
        return LinkState.PAID
    if link.cancelled_at is not None:
        return LinkState.CANCELLED
    if link.expires_at <= now:
        return LinkState.EXPIRED
    return LinkState.PARTLY_PAID if link.paid_paise else LinkState.OPEN


def check(new: NewLink, now: datetime) -> None:
    """Raise Refused (FIELD_INVALID) unless a link can be created as requested."""
    if not _REFERENCE.match(new.reference):
        raise _wrong("reference", new.reference, "1 to 64 characters of A-Z a-z 0-9 - _ .")
    if not 0 < new.amount_paise < AMOUNT_PAISE_MAX:
        raise _wrong(
            "amount", rupees(new.amount_paise), f"above zero, below {rupees(AMOUNT_PAISE_MAX)}"
        )
    if not is_name(new.description, DESCRIPTION_LENGTH_MAX):
        raise _wrong("description", new.description, name_words(DESCRIPTION_LENGTH_MAX))
    if new.minimum_paise and not PART_PAISE_MIN <= new.minimum_paise <= new.amount_paise:
        raise _wrong(
            "minimum", rupees(new.minimum_paise), f"{rupees(PART_PAISE_MIN)} to the amount, or none"
        )
    if not now < new.expires_at <= now + LIFE_MAX:
        raise _wrong(
            "expires_at",
            new.expires_at.isoformat(),
            f"in the future, {LIFE_MAX.days} days ahead at most",
        )
    if new.surplus not in SURPLUS:
        raise _wrong("surplus", new.surplus, " ".join(SURPLUS))
    check_items(new.items, new.amount_paise)
    _check_buyer(new.buyer)


def _check_buyer(buyer: Buyer) -> None:
    """Check values typed in the console or as options.

    The interface has the same bounds of its own.
    """
    if buyer.email and (not _EMAIL.fullmatch(buyer.email) or holds_card(buyer.email)):
        raise _wrong("email", "(not shown)", "an e-mail address without a card number")
    digits = buyer.phone.translate(_PHONE_MARKS)
    if digits and (not _PHONE.fullmatch(digits) or is_card_as_phone(digits)):
        raise _wrong(
            "phone",
            "(not shown)",
            "8 to 15 digits of no card; + - ( ) and spaces may stand between them",
        )


def _wrong(field: str, received: str, allowed: str) -> Refused:
    return refuse(RefusalCode.FIELD_INVALID, field=field, received=received[:64], allowed=allowed)


def end_of(day: date) -> datetime:
    """Return the last minute of a day in India: a link's end, by its last day."""
    return datetime.combine(day, time(23, 59), INDIA)


def content_hash(new: NewLink) -> bytes:
    """Return the hash of what a link asks for: a repeat under its reference has the same."""
    content = (new.amount_paise, new.minimum_paise, new.description, new.surplus, new.buyer)
    until = new.expiry or new.expires_at.isoformat()
    # Links of before had neither, and their repeats must still be the same.
    more = (new.items, new.reminders) if new.items or new.reminders != NO_REMINDERS else ()
    return hashlib.sha256(msgspec.json.encode((*content, until, *more))).digest()


def _new_code(merchant_id: int) -> str:
    """Return a code that nobody can guess.

    Behind the merchant's number its digits have not the form of a card's or a person's number:
    words with the address would be masked, and lead nowhere.
    """
    while True:
        code = "".join(secrets.choice(_LETTERS) for _ in range(CODE_LENGTH))
        if masked(address := f"{merchant_id}.{code}") == address:
            return code


def new_link(merchant_id: int, link_id: int, new: NewLink, made_by: str, now: datetime) -> Link:
    """Return the link to write, under a code that nobody can guess."""
    return Link(
        merchant_id=merchant_id,
        link_id=link_id,
        code=_new_code(merchant_id),
        reference=new.reference,
        content_hash=content_hash(new),
        amount_paise=new.amount_paise,
        minimum_paise=new.minimum_paise,
        paid_paise=0,
        description=new.description,
        surplus=new.surplus,
        buyer=new.buyer,
        made_by=made_by,
        created_at=now,
        expires_at=new.expires_at,
        items=new.items,
    )


def parse_address(text: str) -> tuple[int, str] | None:
    """Parse the last part of a link's address into (merchant_id, code); None if it is no such part.

    The customer's language may follow it: `7.k3m9….ta`.
    """
    match = _ADDRESS.match(text)
    return (int(match[1]), match[2]) if match else None


def amount_now(link: Link, paise: int | None, now: datetime) -> int:
    """Return what a customer may pay now, in paise. paise: as chosen, None for all that is left.

    Raises Refused (STATE_FORBIDS, FIELD_INVALID).
    """
    state = state_of(link, now)
    if state not in PAYABLE:
        raise refuse(
            RefusalCode.STATE_FORBIDS,
            field="link",
            received=state,
            allowed=", ".join(sorted(PAYABLE)),
        )
    left = link.left_paise
    if paise is None or paise == left:
        return left
    least = min(link.minimum_paise, left)
    if not link.minimum_paise or not least <= paise <= left:
        allowed = f"{rupees(least)} to {rupees(left)}" if link.minimum_paise else rupees(left)
        raise _wrong("amount", rupees(paise), allowed)
    return paise


def order_of(link: Link, began: LinkOrder) -> NewOrder:
    """Return the order that a customer begins.

    Its notifications carry the link's id as `customvar`.
    """
    return NewOrder(
        order_id=began.order_id,
        amount=Money(began.amount_paise),
        kind=PaymentKind.SALE,
        buyer=link.buyer,
        content_hash=_mark(began.link_id, began.order_no),
        custom_var=str(link.link_id),
    )


def _mark(link_id: int, order_no: int) -> bytes:
    return hashlib.sha256(
        f"an order under payment link {link_id}, number {order_no}".encode()
    ).digest()


def link_of(payment: Payment) -> int | None:
    """Return the link of an order, None for a shop's order, whatever its id looks like."""
    match = _ORDER.match(payment.order_id)
    if match is None or payment.content_hash != _mark(int(match[1]), int(match[2])):
        return None
    return int(match[1])


@dataclass(frozen=True, slots=True)
class LinkCount:
    """How a paid order is counted: its part of the link's sum, and its part that is refunded."""

    counted_paise: int
    back_paise: int


def count(link: Link, amount_paise: int, paid_at: datetime) -> LinkCount:
    """Return how a paid order counts after the earlier ones.

    If it is paid after the link's cancellation, all is surplus; one begun in time counts after the
    link's end, too.
    """
    late = link.cancelled_at is not None and paid_at > link.cancelled_at
    fits = 0 if late else min(link.left_paise, amount_paise)
    if link.surplus == "keep":
        return LinkCount(amount_paise, 0)
    return LinkCount(fits, amount_paise - fits)


def next_look(created_at: datetime, now: datetime) -> datetime | None:
    """Return when to look at an unpaid order next; None when no payment can come.

    The gaps grow.
    """
    age = now - created_at
    return None if age > LOOKS_END else now + max(LOOK_GAP_MIN, age / 4)
