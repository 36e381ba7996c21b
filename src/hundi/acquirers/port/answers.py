"""What an acquirer answers.

The four answers to a call about money, and the smaller ones beside them.

A business "no" is an answer, never an exception. What a bank says in words is masked when the
answer is made, whichever connector makes it (docs/spec/wire.md#words); references stay as they
came.
"""

from dataclasses import dataclass

import msgspec

from hundi.instruments.card import CardFacts
from hundi.kernel.money import RATE_ONE, Money
from hundi.masking import mask_fields, masked_address

NEVER_SENT_CODE = "unreachable"
"""Kept with what an acquirer certainly never had, where the acquirer gave no code of its own."""


@dataclass(frozen=True, slots=True)
class BankAccount:
    """A customer's or merchant's account: in memory only, without a readable form.

    number: as its bank writes it.
    """

    number: str
    ifsc: str

    def __repr__(self) -> str:
        """Hide the number: this value reaches tracebacks."""
        return f"BankAccount(****, {self.ifsc})"


class Approved(msgspec.Struct, frozen=True):
    """The bank moved or holds the money.

    amount: what the bank says it moved for the order, never an echo of our own request. A fee that
    it added for the customer is not in it (`port.fees`). authorised_only: the amount is authorised
    and waits for a capture. rrn: the bank's retrieval reference number. payer_account: where the
    money came from, where the bank says so. rate_micros: at which it pays another currency out in
    rupees (docs/spec/domain.md#currencies).
    """

    amount: Money
    rrn: str
    authorised_only: bool = False
    code: str = "00"
    message: str = ""
    payer_vpa: str = ""
    approval_code: str = ""
    card: CardFacts | None = None
    payer_account: BankAccount | None = None
    rate_micros: int = RATE_ONE

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in what the bank says."""
        mask_fields(self, "code", "message", put=msgspec.structs.force_setattr)
        mask_fields(self, "payer_vpa", by=masked_address, put=msgspec.structs.force_setattr)


@dataclass(frozen=True, slots=True)
class Declined:
    """The bank said no and moved nothing. code: its own code (UPI or DE39).

    not_registered: nobody there to debit. left: the customer left the bank's page; nobody was asked
    for money. mandate_over: the customer has no such mandate any more. card: the facts of the
    refused card, where they are known.
    """

    code: str
    message: str = ""
    rrn: str = ""
    not_registered: bool = False
    left: bool = False
    mandate_over: bool = False
    card: CardFacts | None = None

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in what the bank says."""
        mask_fields(self, "code", "message")


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody knows yet: silence, a time-out, a pending or deemed code. Never treated as a no.

    sent: False only when it is certain that the bank never received the call (so nothing can move).
    awaiting_customer: the bank waits for the customer (page, app). authenticated: it waits for us
    to ask for the authorisation. credentials_refused: the acquirer did not accept our keys, and
    worked on nothing.
    """

    code: str = ""
    message: str = ""
    sent: bool = True
    awaiting_customer: bool = False
    authenticated: bool = False
    credentials_refused: bool = False

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in what the bank says."""
        mask_fields(self, "code", "message")


@dataclass(frozen=True, slots=True)
class NothingThere:
    """Inquiry only: the bank has no record of this reference, so nothing was paid so far."""


@dataclass(frozen=True, slots=True)
class Voided:
    """The bank has given a hold back to the customer: nothing was and nothing will be debited."""

    rrn: str = ""
    code: str = "00"
    message: str = ""

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in what the bank says."""
        mask_fields(self, "code", "message")


@dataclass(frozen=True, slots=True)
class SentBack:
    """A payout came back: the account did not take it. utr: of the payout, where it had one."""

    code: str
    message: str = ""
    utr: str = ""

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in what the bank says."""
        mask_fields(self, "code", "message")


@dataclass(frozen=True, slots=True)
class Accepted:
    """The bank did what it was asked, and no money moved."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """The customer has to go to the bank's page. authentication_id: the bank's name for that visit.

    fields: what the browser posts there as a form; () for an address that is opened.
    """

    url: str
    authentication_id: str
    fields: tuple[tuple[str, str], ...] = ()


PROCEED_ONLY_ON = "Y"
"""The 3-D Secure status after which a domestic card is charged (docs/spec/domain.md#three-ds)."""


@dataclass(frozen=True, slots=True)
class Authentication:
    """How the challenge ended.

    3-D Secure `transStatus`, ECI, and whether its cardholder cancelled it.

    See docs/spec/domain.md#three-ds.
    """

    trans_status: str
    eci: str = ""
    cancelled: bool = False


CANCELLED_CODE = "3DS-cancelled"
"""Of a challenge that its cardholder cancelled (docs/spec/domain.md#three-ds)."""


def not_authenticated(trans_status: str, *, cancelled: bool = False) -> Declined:
    """Return the decline of a challenge that ended without authentication.

    cancelled: by its cardholder.
    """
    if cancelled:
        return Declined(CANCELLED_CODE, "The cardholder cancelled the confirmation.")
    return Declined(f"3DS-{trans_status}", "The card's bank did not confirm that it was you.")


@dataclass(frozen=True, slots=True)
class RegisteredName:
    """An address that somebody can be paid at or debited from; name: who, as the network says."""

    name: str

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in what the bank says."""
        mask_fields(self, "name")


@dataclass(frozen=True, slots=True)
class NotRegistered:
    """A well-formed address that nobody has."""


class BankCallback(msgspec.Struct, frozen=True):
    """An authenticated callback, translated: about which reference, and what the bank says."""

    event_id: str
    reference: str
    answer: Approved | Declined | Unknown
