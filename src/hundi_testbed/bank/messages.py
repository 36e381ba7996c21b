"""The JSON messages of acquirer, gateway, customers' apps and readers of the books; in paise."""

from datetime import date
from typing import Annotated, Any, Literal

import msgspec

from hundi_testbed.bank.rates import ONE, Currency, rate_micros
from hundi_testbed.bank.rules import BankCardFacts, account_of, challenge_cancel
from hundi_testbed.bank.states import BankPayment

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
    """The answer to a collect request.

    status: pending (the outcome comes by callback or inquiry) or declined.
    """

    status: str
    code: str
    message: str
    rrn: str


class CardInput(msgspec.Struct, frozen=True):
    """A card as the customer typed it; it lives for one call and its repr hides everything."""

    number: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{12,19}\Z")]
    expiry_month: Annotated[int, msgspec.Meta(ge=1, le=12)]
    expiry_year: Annotated[int, msgspec.Meta(ge=2000, le=2199)]
    cvv: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{3,4}\Z")]
    holder: Text = ""

    def __repr__(self) -> str:
        """Hide everything: this value reaches tracebacks."""
        return "CardInput(****)"


class Emi(msgspec.Struct, frozen=True):
    """The instalments that the customer chose: the card's bank and the number of months."""

    bank_code: Annotated[str, msgspec.Meta(max_length=8)]
    months: Annotated[int, msgspec.Meta(ge=1, le=60)]


class BankMandateRequest(msgspec.Struct, frozen=True):
    """A mandate to approve beside a payment. recur: how often a debit may be."""

    payee_name: Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
    max_paise: AmountPaise
    recur: Literal["DAILY", "WEEKLY", "MONTHLY", "YEARLY", "ASPRESENTED"]
    valid_from: date
    valid_until: date


class AuthenticateRequest(msgspec.Struct, frozen=True):
    """Start a 3-D Secure challenge. tokenise: the holder lets the merchant keep the card."""

    reference: Reference
    amount_paise: AmountPaise
    currency: Currency
    card: CardInput
    return_url: Address
    emi: Emi | None = None
    tokenise: bool = False
    mandate: BankMandateRequest | None = None
    payee_name: Text = ""


class ChallengeAnswer(msgspec.Struct, frozen=True, tag_field="status", tag="challenge"):
    """The challenge's address, to redirect the cardholder to: challenge_url."""

    authentication_id: str
    challenge_url: str


class DeclinedAnswer(msgspec.Struct, frozen=True, tag_field="status", tag="declined"):
    """The card is refused before any challenge."""

    code: str
    message: str


class AuthenticationAnswer(msgspec.Struct, frozen=True):
    """The state of a challenge. status: pending or done."""

    status: str
    trans_status: str = ""
    eci: str = ""
    challenge_cancel: str = ""


class AuthoriseRequest(msgspec.Struct, frozen=True):
    """Charge (capture) or hold an amount after a challenge that ended with Y."""

    reference: Reference
    authentication_id: Text
    amount_paise: AmountPaise
    currency: Currency
    capture: bool = True


class MotoRequest(msgspec.Struct, frozen=True):
    """A charge or a hold on a card by mail or telephone order (MOTO), without a challenge."""

    reference: Reference
    amount_paise: AmountPaise
    currency: Currency
    card: CardInput
    capture: bool = True


class CardAnswer(msgspec.Struct, frozen=True):
    """The network's facts about a card for the gateway."""

    last4: str = ""
    scheme: str = ""
    type: str = ""
    issuer: str = ""
    country: str = ""
    token: str = ""

    @classmethod
    def of(cls, card: BankCardFacts) -> "CardAnswer":
        """Return the answer with these facts."""
        return cls(card.last4, card.scheme, card.type, card.issuer, card.country, card.token)


class AuthoriseAnswer(msgspec.Struct, frozen=True):
    """The result of a charge or hold.

    status: paid, authorised, declined or pending. rate_micros: of the currency.
    """

    status: str
    code: str
    message: str
    rrn: str
    approval_code: str
    amount_paise: int
    currency: str
    card: CardAnswer
    rate_micros: int = ONE


class IdentifyRequest(msgspec.Struct, frozen=True):
    """Ask for the card of some first digits. bin: the first eight digits of its number."""

    bin: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{8}\Z")]


class IdentifyAnswer(msgspec.Struct, frozen=True):
    """The card of some first digits. status: done (with the card) or not_found."""

    status: str
    card: CardAnswer | None = None


class AddressRequest(msgspec.Struct, frozen=True):
    """Ask for the name registered for a UPI address."""

    vpa: Text


class AddressAnswer(msgspec.Struct, frozen=True):
    """The holder of a UPI address. status: registered (with the name) or not_registered."""

    status: str
    name: str = ""


class InquireRequest(msgspec.Struct, frozen=True):
    """Ask for the status of a reference."""

    reference: Reference


class InquireAnswer(msgspec.Struct, frozen=True, omit_defaults=False):
    """The bank's record of a reference; status not_found when there is none."""

    status: str
    code: str = ""
    message: str = ""
    rrn: str = ""
    amount_paise: int = 0
    currency: str = "INR"
    method: str = ""
    payer_vpa: str = ""
    payer_account: str = ""
    payer_ifsc: str = ""
    trans_status: str = ""
    approval_code: str = ""
    card: CardAnswer | None = None
    rate_micros: int = ONE
    challenge_cancel: str = ""

    @classmethod
    def of(cls, payment: BankPayment, card: BankCardFacts | None) -> "InquireAnswer":
        """Return the record of a payment. card: the one that pays it."""
        account, ifsc = account_of(payment.payer_vpa)
        return cls(
            status=payment.status,
            code=payment.code,
            message=payment.message,
            rrn=payment.ended_rrn or payment.rrn,
            amount_paise=payment.captured_paise or payment.amount_paise,
            currency=payment.currency,
            method=payment.method,
            payer_vpa=payment.payer_vpa,
            payer_account=account,
            payer_ifsc=ifsc,
            trans_status=payment.trans_status,
            approval_code=payment.approval_code,
            card=CardAnswer.of(card) if card else None,
            rate_micros=rate_micros(payment.currency, payment.at),
            challenge_cancel=challenge_cancel(payment.message),
        )


class CallbackBody(msgspec.Struct, frozen=True):
    """A callback to the gateway. kind: payment or authentication; at: UTC, ISO 8601."""

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
    payer_account: str = ""
    payer_ifsc: str = ""
    rate_micros: int = ONE
    challenge_cancel: str = ""

    @classmethod
    def of(
        cls,
        event_id: str,
        payment: BankPayment,
        kind: str = "payment",
        card: BankCardFacts | None = None,
        account: str = "",
    ) -> "CallbackBody":
        """Return the callback about a payment's new status.

        account: the reference whose account or voucher got a transfer, "" for a payment of our own
        reference.
        """
        facts: dict[str, Any] = msgspec.structs.asdict(InquireAnswer.of(payment, card))
        facts["rrn"] = payment.reference if account else payment.rrn
        return cls(
            event_id=event_id,
            reference=account or payment.reference,
            kind="transfer" if account else kind,
            at=payment.at.isoformat(timespec="milliseconds"),
            **facts,
        )


class PayRequest(msgspec.Struct, frozen=True):
    """A payment by a customer's UPI app. ignore_expiry: pay although QRexpire has passed."""

    uri: str
    payer_vpa: str
    ignore_expiry: bool = False


class PayAnswer(msgspec.Struct, frozen=True):
    """The result in the customer's app. status: success, declined, pending or silent."""

    status: str
    code: str
    rrn: str
    message: str = ""


class BankBookEntry(msgspec.Struct, frozen=True):
    """One movement of money.

    refund_reference: of a refund, whose `reference` is that of the payment.

    settled_paise: the amount in rupees.
    """

    id: int
    at: str
    kind: str
    method: str
    reference: str
    rrn: str
    amount_paise: int
    state: str
    refund_reference: str = ""
    currency: str = "INR"
    settled_paise: int = 0


class BankBookPage(msgspec.Struct, frozen=True):
    """A page of the books; `next` is the `after` of the following one."""

    entries: list[BankBookEntry]
    next: int


class MadeDue(msgspec.Struct, frozen=True):
    """The number of waiting payments that a control made due."""

    made_due: int


class CallProblem(msgspec.Struct, frozen=True):
    """The reason of a refused call."""

    error: str


def reference_of(question: object) -> str:
    """Return a call's reference, which its answer repeats; "" for a call about no payment."""
    references = (getattr(question, name, "") for name in ("reference", "original", "mandate"))
    return next((each for each in references if isinstance(each, str) and each), "")
