"""What acquirer, gateway, customers' apps and readers of the books say to each other: JSON, amounts in paise."""

from typing import Annotated, Literal

import msgspec

from simbank.rules import CardFacts

AMOUNT_PAISE_MAX = 9_999_999_999_999

Reference = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{4,35}\Z")]
AmountPaise = Annotated[int, msgspec.Meta(gt=0, le=AMOUNT_PAISE_MAX)]
Text = Annotated[str, msgspec.Meta(max_length=255)]
Address = Annotated[str, msgspec.Meta(max_length=2_000)]


class CollectRequest(msgspec.Struct, frozen=True):
    """Ask a payer's app for an amount."""

    reference: Reference
    amount_paise: AmountPaise
    currency: Literal["INR"]
    payer_vpa: Text
    payee_vpa: Text
    payee_name: Text = ""
    note: Text = ""
    expires_in_s: Annotated[int, msgspec.Meta(ge=1, le=86_400)] = 480


class CollectAnswer(msgspec.Struct, frozen=True):
    """status: pending (the outcome comes by callback or inquiry) or declined."""

    status: str
    code: str
    message: str
    rrn: str


class Card(msgspec.Struct, frozen=True):
    """A card as typed: lives for one call and has no readable form."""

    number: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{12,19}\Z")]
    expiry_month: Annotated[int, msgspec.Meta(ge=1, le=12)]
    expiry_year: Annotated[int, msgspec.Meta(ge=2000, le=2199)]
    cvv: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{3,4}\Z")]
    holder: Text = ""

    def __repr__(self) -> str:
        """Hide everything: this value reaches tracebacks."""
        return "Card(****)"


class Emi(msgspec.Struct, frozen=True):
    """Instalments that are wished for: of which bank's cards, and how many months."""

    bank_code: Annotated[str, msgspec.Meta(max_length=8)]
    months: Annotated[int, msgspec.Meta(ge=1, le=60)]


class AuthenticateRequest(msgspec.Struct, frozen=True):
    """Start a 3-D Secure challenge."""

    reference: Reference
    amount_paise: AmountPaise
    currency: Literal["INR"]
    card: Card
    return_url: Address
    emi: Emi | None = None


class ChallengeAnswer(msgspec.Struct, frozen=True, tag_field="status", tag="challenge"):
    """Where to redirect the cardholder: challenge_url."""

    authentication_id: str
    challenge_url: str


class DeclinedAnswer(msgspec.Struct, frozen=True, tag_field="status", tag="declined"):
    """The card is refused before any challenge."""

    code: str
    message: str


class AuthenticationAnswer(msgspec.Struct, frozen=True):
    """How a challenge stands. status: pending or done."""

    status: str
    trans_status: str = ""
    eci: str = ""


class AuthoriseRequest(msgspec.Struct, frozen=True):
    """Charge (capture) or hold an amount after a challenge that ended with Y."""

    reference: Reference
    authentication_id: Text
    amount_paise: AmountPaise
    currency: Literal["INR"]
    capture: bool = True


class MotoRequest(msgspec.Struct, frozen=True):
    """Charge (capture) or hold an amount on a card by mail or telephone order (MOTO), without a challenge."""

    reference: Reference
    amount_paise: AmountPaise
    currency: Literal["INR"]
    card: Card
    capture: bool = True


class CardAnswer(msgspec.Struct, frozen=True):
    """What the network tells of a card."""

    last4: str = ""
    scheme: str = ""
    type: str = ""
    issuer: str = ""
    country: str = ""

    @classmethod
    def of(cls, card: CardFacts) -> "CardAnswer":
        """Return what may be told of a card."""
        return cls(card.last4, card.scheme, card.type, card.issuer, card.country)


class AuthoriseAnswer(msgspec.Struct, frozen=True):
    """status: paid, authorised, declined or pending."""

    status: str
    code: str
    message: str
    rrn: str
    approval_code: str
    amount_paise: int
    currency: str
    card: CardAnswer


class AddressRequest(msgspec.Struct, frozen=True):
    """Ask who has a UPI address."""

    vpa: Text


class AddressAnswer(msgspec.Struct, frozen=True):
    """status: registered (name: who it is) or not_registered."""

    status: str
    name: str = ""


class InquireRequest(msgspec.Struct, frozen=True):
    """Ask what became of a reference."""

    reference: Reference


class InquireAnswer(msgspec.Struct, frozen=True, omit_defaults=False):
    """What the bank believes about a reference; status not_found when it never heard of it."""

    status: str
    code: str = ""
    message: str = ""
    rrn: str = ""
    amount_paise: int = 0
    currency: str = "INR"
    method: str = ""
    payer_vpa: str = ""
    trans_status: str = ""
    approval_code: str = ""
    card: CardAnswer | None = None


class CallbackBody(msgspec.Struct, frozen=True):
    """What the acquirer tells by itself. kind: payment or authentication; at: UTC, ISO 8601."""

    event_id: str
    reference: str
    method: str
    kind: str
    status: str
    code: str
    message: str
    rrn: str
    amount_paise: int
    currency: str
    payer_vpa: str
    trans_status: str
    at: str
    approval_code: str = ""
    card: CardAnswer | None = None


class PayRequest(msgspec.Struct, frozen=True):
    """What a customer's UPI app does with a link. ignore_expiry: pay although QRexpire has passed."""

    uri: str
    payer_vpa: str
    ignore_expiry: bool = False


class PayAnswer(msgspec.Struct, frozen=True):
    """What the customer's app shows. status: success, declined, pending or silent."""

    status: str
    code: str
    rrn: str
    message: str = ""


class BookEntry(msgspec.Struct, frozen=True):
    """One movement as the bank believes it. refund_reference: of a refund, whose `reference` is the debit's."""

    id: int
    at: str
    kind: str
    method: str
    reference: str
    rrn: str
    amount_paise: int
    state: str
    refund_reference: str = ""


class BookPage(msgspec.Struct, frozen=True):
    """A page of the books; `next` is what to ask `after` for the following one."""

    entries: list[BookEntry]
    next: int


class Problem(msgspec.Struct, frozen=True):
    """Why a call was refused."""

    error: str
