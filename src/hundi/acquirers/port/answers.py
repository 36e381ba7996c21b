"""Answers of acquirers.

There are four answers to a call about money, and smaller ones beside them. A decline is an answer,
never an exception. A bank's words are masked when the answer is made, whichever connector makes it
(docs/spec/wire.md#words); references stay as they came.
"""

from dataclasses import dataclass
from enum import StrEnum

import msgspec

from hundi.instruments.card import CardFacts
from hundi.kernel.masking import mask_fields, masked_address
from hundi.kernel.money import RATE_ONE, Money

NEVER_SENT_CODE = "unreachable"
"""The code of a call that certainly never reached the acquirer, where the acquirer gave none."""


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


@dataclass(frozen=True, slots=True)
class ProviderFee:
    """What a provider took for a payout. amount: with tax. tax: the part of it that is tax."""

    amount: Money
    tax: Money


class Approved(msgspec.Struct, frozen=True):
    """The bank moved or holds the money.

    amount: what the bank says it moved for the order, never an echo of our own request; without a
    fee that it added for the customer (`port.fees`). authorised_only: the amount is authorised and
    waits for a capture. rrn: the bank's retrieval reference number. payer_account: the account that
    paid, where the bank says it. rate_micros: rupees for one unit of another currency, in
    millionths (docs/spec/domain.md#currencies). provider_fee: for a payout, where the provider says
    it.
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
    provider_fee: ProviderFee | None = None

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in the bank's words."""
        mask_fields(self, "code", "message", put=msgspec.structs.force_setattr)
        mask_fields(self, "payer_vpa", by=masked_address, put=msgspec.structs.force_setattr)


@dataclass(frozen=True, slots=True)
class Declined:
    """The bank declined and moved nothing. code: its own code (UPI or DE39).

    not_registered: there is nobody to debit. left: the customer left the bank's page; nobody was
    asked for money. mandate_over: the customer has no such mandate any more. mandate_paused: its
    customer paused it at the bank. card: the facts of the declined card, where they are known.
    never_accepted: about a payout that the provider refused when it came, so that no later answer
    can change it and another provider may be asked.
    """

    code: str
    message: str = ""
    rrn: str = ""
    not_registered: bool = False
    left: bool = False
    mandate_over: bool = False
    mandate_paused: bool = False
    card: CardFacts | None = None
    never_accepted: bool = False

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in the bank's words."""
        mask_fields(self, "code", "message")


@dataclass(frozen=True, slots=True)
class Unknown:
    """The outcome is unknown: silence, a time-out, a pending or deemed code. It is never a decline.

    sent: False only when the bank certainly never received the call (so no money can move).
    awaiting_customer: the bank waits for the customer (page, app). authenticated: it waits for our
    authorisation call. credentials_refused: the acquirer refused our keys, and worked on nothing.
    """

    code: str = ""
    message: str = ""
    sent: bool = True
    awaiting_customer: bool = False
    authenticated: bool = False
    credentials_refused: bool = False

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in the bank's words."""
        mask_fields(self, "code", "message")


@dataclass(frozen=True, slots=True)
class NothingThere:
    """Inquiry only: the bank has no record of this reference, so nothing was paid so far."""


@dataclass(frozen=True, slots=True)
class Voided:
    """The bank has released a hold: nothing was and nothing will be debited."""

    rrn: str = ""
    code: str = "00"
    message: str = ""

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in the bank's words."""
        mask_fields(self, "code", "message")


class PayoutStage(StrEnum):
    """Where a payout waits that the provider has, and that has not ended."""

    APPROVAL = "approval"
    """People at the provider have to approve it."""
    QUEUED = "queued"
    """The provider keeps it until the balance suffices, or the bank works again."""
    PROCESSING = "processing"
    """The provider or its bank works on it."""
    DEEMED = "deemed"
    """Our account was debited; the credit of the other account is not confirmed."""


@dataclass(frozen=True, slots=True)
class Underway:
    """The provider has a payout, and it has not ended. utr: the bank's, where it is known."""

    stage: PayoutStage
    code: str = ""
    message: str = ""
    utr: str = ""

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in the bank's words."""
        mask_fields(self, "code", "message")


@dataclass(frozen=True, slots=True)
class SentBack:
    """A payout came back: the account did not take it.

    utr: the payout's, if it had one. fee_back: the provider gives back what it took for it.
    """

    code: str
    message: str = ""
    utr: str = ""
    fee_back: bool = False

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in the bank's words."""
        mask_fields(self, "code", "message")


@dataclass(frozen=True, slots=True)
class Accepted:
    """The bank did as requested, and no money moved."""


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

    3-D Secure `transStatus`, ECI, and whether its cardholder cancelled it. See
    docs/spec/domain.md#three-ds.
    """

    trans_status: str
    eci: str = ""
    cancelled: bool = False


CANCELLED_CODE = "3DS-cancelled"
"""The code of a challenge that its cardholder cancelled (docs/spec/domain.md#three-ds)."""


def not_authenticated(trans_status: str, *, cancelled: bool = False) -> Declined:
    """Return the decline of a challenge that ended without authentication.

    cancelled: by its cardholder.
    """
    if cancelled:
        return Declined(CANCELLED_CODE, "The cardholder cancelled the confirmation.")
    return Declined(f"3DS-{trans_status}", "The card's bank did not confirm that it was you.")


SCORE_MAX = 100
"""The score of names that are the same."""


@dataclass(frozen=True, slots=True)
class RegisteredName:
    """A registered address or account. name: its holder's, as the network says it.

    score: how far that name is the one we gave, 0 to 100, where the provider says so. cost: what
    the provider took for the check, with tax, where it says so.
    """

    name: str
    score: int | None = None
    cost: Money | None = None

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in the bank's words."""
        mask_fields(self, "name")


class AccountFault(StrEnum):
    """Why nothing can be paid into a bank account."""

    CLOSED = "closed"
    FROZEN = "frozen"
    """Blocked by its bank, an authority or a court."""
    ABSENT = "absent"
    """The bank has no such account, or no such branch."""
    NOT_PAYABLE = "not_payable"
    """It exists, and takes no such payments: of a non-resident, a loan, a deposit."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class NotRegistered:
    """A well-formed address or account that nobody has, or that takes no money.

    fault, code, message: of a bank account, code and message in the provider's words. cost: as in
    `RegisteredName`.
    """

    fault: AccountFault = AccountFault.OTHER
    code: str = ""
    message: str = ""
    cost: Money | None = None

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in the bank's words."""
        mask_fields(self, "code", "message")


class BankCallback(msgspec.Struct, frozen=True):
    """An authenticated callback, translated: its reference, and the bank's answer."""

    event_id: str
    reference: str
    answer: Approved | Declined | Unknown
