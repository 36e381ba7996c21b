"""What a payment and its attempts are, and which moves they may make; pure.

Every change is a `Step` decided from a whole `PaymentView` and written only if the payment's revision is still the one
that was read. So two writers never mix: the second one reads again and decides again.
The moves are those of docs/spec/states-and-codes.md#payment-moves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from hundi.instruments.card import NO_CARD, CardFacts
from hundi.instruments.methods import BHARAT_QR, CHANNEL_OF_METHOD, UPI
from hundi.kernel.ids import reference
from hundi.kernel.money import Money
from hundi.kernel.states import Actor, EventKind, PaymentKind, RefundState, SubscriptionState
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.money.ledger.rules import Posting
from hundi.notifications.rules import Kind
from hundi.payments.risk.rules import NOT_CHECKED, Checked

LIVE = frozenset({A.SENT, A.AUTHENTICATING, A.AUTHORISING, A.PENDING})
"""An attempt at a bank: its outcome is open."""
CLOSED = frozenset({A.FAILED, A.EXPIRED, A.UNKNOWN})
"""An attempt that came to nothing so far; only a late success moves it."""
SUCCESSFUL = frozenset({A.PAID, A.AUTHORISED})
MOVED = SUCCESSFUL | {A.OVERPAID}
"""An attempt of which the bank has said that it moved or holds the money: nothing it says later changes that."""

ATTEMPT_MOVES: Mapping[A, frozenset[A]] = {
    A.OFFERED: frozenset({A.PENDING, A.PAID, A.AUTHORISED, A.OVERPAID, A.FAILED, A.EXPIRED, A.UNKNOWN}),
    A.SENT: frozenset({A.AUTHENTICATING, A.PENDING, A.PAID, A.AUTHORISED, A.OVERPAID, A.FAILED, A.EXPIRED, A.UNKNOWN}),
    A.AUTHENTICATING: frozenset(
        {A.AUTHORISING, A.PENDING, A.PAID, A.AUTHORISED, A.OVERPAID, A.FAILED, A.EXPIRED, A.UNKNOWN}
    ),
    A.AUTHORISING: frozenset({A.PENDING, A.PAID, A.AUTHORISED, A.OVERPAID, A.FAILED, A.EXPIRED, A.UNKNOWN}),
    A.PENDING: frozenset({A.PAID, A.AUTHORISED, A.OVERPAID, A.FAILED, A.EXPIRED, A.UNKNOWN}),
    A.FAILED: frozenset({A.PAID, A.AUTHORISED, A.OVERPAID}),
    A.EXPIRED: frozenset({A.PAID, A.AUTHORISED, A.OVERPAID}),
    A.UNKNOWN: frozenset({A.PAID, A.AUTHORISED, A.OVERPAID, A.FAILED, A.EXPIRED}),
    A.PAID: frozenset({A.OVERPAID}),  # only a review that rejects the payment
    A.AUTHORISED: frozenset(),
    A.OVERPAID: frozenset(),
}

_TO_SUCCESS = frozenset({P.PAID, P.AUTHORISED, P.UNDER_REVIEW})
_ENDINGS = frozenset({P.FAILED, P.NOT_REGISTERED, P.ABANDONED, P.UNKNOWN, P.EXPIRED})
PAYMENT_MOVES: Mapping[P, frozenset[P]] = {
    P.OPEN: frozenset({P.IN_PROCESS}) | _TO_SUCCESS | _ENDINGS,
    P.IN_PROCESS: frozenset({P.OPEN}) | _TO_SUCCESS | _ENDINGS,
    P.FAILED: frozenset({P.OPEN, P.IN_PROCESS, P.NOT_REGISTERED, P.ABANDONED}) | _TO_SUCCESS,
    P.NOT_REGISTERED: frozenset({P.OPEN, P.IN_PROCESS, P.FAILED, P.ABANDONED}) | _TO_SUCCESS,
    P.ABANDONED: frozenset({P.OPEN, P.IN_PROCESS, P.FAILED, P.NOT_REGISTERED}) | _TO_SUCCESS,
    P.EXPIRED: frozenset({P.OPEN, P.IN_PROCESS}) | _TO_SUCCESS,
    P.UNKNOWN: frozenset({P.FAILED, P.NOT_REGISTERED, P.ABANDONED, P.EXPIRED}) | _TO_SUCCESS,
    P.UNDER_REVIEW: frozenset({P.PAID, P.AUTHORISED, P.FAILED, P.CAPTURED, P.VOIDED}),
    P.AUTHORISED: frozenset({P.CAPTURED, P.VOIDED}),
    P.PAID: frozenset(),
    P.CAPTURED: frozenset(),
    P.VOIDED: frozenset(),
}
RETRYABLE = frozenset({P.OPEN, P.FAILED, P.NOT_REGISTERED, P.ABANDONED})
"""States in which the customer may choose a method."""
REOPENABLE = RETRYABLE | {P.EXPIRED}
"""States that the same order, sent again, opens once more. An unanswered one is not: the bank may have the money."""
UNPAID_AND_ENDED = frozenset({P.EXPIRED, P.UNKNOWN})
"""States in which nobody could pay any more: money that comes now is late.

See docs/spec/states-and-codes.md#late-success.
An abandoned payment is not among them: its QR can still be paid.
"""


class Buyer(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who pays, as the merchant said."""

    email: str = ""
    phone: str = ""
    firstname: str = ""
    lastname: str = ""
    address: str = ""
    city: str = ""
    state: str = ""
    country: str = ""
    pincode: str = ""


@dataclass(frozen=True, slots=True)
class NewOrder:
    """What a merchant asks to be paid.

    content_hash: 32 bytes over all its fields; it differs when a repeat has other content.

    channels: the channel codes the merchant restricts this order to; empty means all of its own.
    emi_months: the instalments the merchant asks for, 0 where the customer chooses.
    """

    order_id: str
    amount: Money
    kind: PaymentKind
    buyer: Buyer
    content_hash: bytes
    custom_var: str = ""
    channels: tuple[str, ...] = ()
    emi_months: int = 0


@dataclass(frozen=True, slots=True)
class Payment:
    """One order. Amounts in paise, times in UTC.

    method: channel code, empty until chosen. revision: counts its events.
    refunds, refunded_paise: those that were begun and did not fail. settled_at: when the merchant was paid out.
    """

    merchant_id: int
    payment_id: int
    order_id: str
    content_hash: bytes
    amount: Money
    kind: PaymentKind
    state: P
    captured_paise: int
    method: str
    buyer: Buyer
    custom_var: str
    channels: tuple[str, ...]
    bank_code: str
    bank_message: str
    revision: int
    created_at: datetime
    expires_at: datetime
    refunds: int = 0
    refunded_paise: int = 0
    emi_months: int = 0
    settled_at: datetime | None = None

    @property
    def remaining(self) -> Money:
        """Return what was captured and not given back."""
        return Money(self.captured_paise - self.refunded_paise, self.amount.currency)


@dataclass(frozen=True, slots=True)
class EmiTerms:
    """The instalments of an attempt.

    months; rate_bps: yearly, in basis points; discount_paise: the merchant's share of a no-cost plan.
    """

    months: int = 0
    rate_bps: int = 0
    discount_paise: int = 0


NO_EMI = EmiTerms()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at paying an order.

    method: a key of CHANNEL_OF_METHOD. received_paise: what the bank says it moved, in the currency of `amount`.
    charged_at: when we began to ask for the charge of a card. bank: code of the chosen bank or wallet, "" where
    none was. risk: what was seen of the payer, and what the risk rules said.
    """

    merchant_id: int
    attempt_id: int
    payment_id: int
    method: str
    state: A
    amount: Money
    connector: str
    created_at: datetime
    expires_at: datetime
    received_paise: int = 0
    rrn: str = ""
    bank_code: str = ""
    bank_message: str = ""
    approval_code: str = ""
    payer_vpa: str = ""
    card: CardFacts = NO_CARD
    authentication_id: str = ""
    settled_at: datetime | None = None
    inquire_at: datetime | None = None
    inquiries: int = 0
    charged_at: datetime | None = None
    bank: str = ""
    emi: EmiTerms = NO_EMI
    risk: Checked = NOT_CHECKED

    @property
    def received(self) -> Money:
        """Return what the bank says it moved."""
        return Money(self.received_paise, self.amount.currency)

    @property
    def reference(self) -> str:
        """Return what the bank sees as our reference."""
        return reference(self.merchant_id, self.attempt_id)


@dataclass(frozen=True, slots=True)
class PaymentView:
    """A payment with its attempts, oldest first."""

    payment: Payment
    attempts: tuple[Attempt, ...]

    def attempt(self, attempt_id: int) -> Attempt | None:
        """Return one attempt by id."""
        return next((each for each in self.attempts if each.attempt_id == attempt_id), None)

    @property
    def latest(self) -> Attempt | None:
        """Return the newest attempt that somebody acted on, else the newest."""
        acted = [each for each in self.attempts if each.state is not A.OFFERED]
        return (acted or [*self.attempts] or [None])[-1]

    @property
    def success(self) -> Attempt | None:
        """Return the one attempt that paid (or holds) this order."""
        return next((each for each in self.attempts if each.state in SUCCESSFUL), None)

    @property
    def live(self) -> tuple[Attempt, ...]:
        """Return the attempts whose outcome is open at a bank."""
        return tuple(each for each in self.attempts if each.state in LIVE)

    @property
    def offered(self) -> Attempt | None:
        """Return the newest QR or link nobody has acted on yet."""
        return next((each for each in reversed(self.attempts) if each.state is A.OFFERED), None)


def channel_of(payment: Payment, method: str) -> str:
    """Return the channel an attempt is reported as: a QR of an order without UPI is a Bharat QR."""
    channel = CHANNEL_OF_METHOD[method]
    only_bharat = channel is UPI and UPI.code not in payment.channels and BHARAT_QR.code in payment.channels
    return BHARAT_QR.code if only_bharat else channel.code


class RefundFacts(msgspec.Struct, frozen=True):
    """One refund, where a refund is the news. amount_paise: of this refund alone."""

    refund_id: int
    amount_paise: int
    state: RefundState
    bank_message: str = ""


class MandateFacts(msgspec.Struct, frozen=True):
    """One subscription, where it or a debit of it is the news.

    period_no, amount_paise, debit_at: of the debit; 0 and None where the news is about the mandate alone.
    """

    subscription_id: int
    state: SubscriptionState
    period_no: int = 0
    amount_paise: int = 0
    debit_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One decided change: what the payment and one attempt become, what is posted and who is told.

    announce: what the merchant is told, None for nothing. new_attempt: the attempt does not exist yet.
    about: the attempt that the event is about, where none changes. refund, mandate: what the news is about.
    """

    kind: EventKind
    actor: Actor
    payment: Payment
    attempt: Attempt | None = None
    new_attempt: bool = False
    postings: tuple[Posting, ...] = ()
    announce: Kind | None = None
    about: int | None = None
    refund: RefundFacts | None = None
    mandate: MandateFacts | None = None

    @property
    def attempt_id(self) -> int | None:
        """Return the attempt that the event is about."""
        return self.attempt.attempt_id if self.attempt else self.about


def close_session(view: PaymentView, now: datetime) -> Step | None:
    """Return the step that ends a session, or None while the payment can still be paid.

    It ends expired when nothing was attempted, and unknown when the bank gave no answer.
    """
    if view.payment.state is not P.OPEN or view.payment.expires_at > now or view.live or view.offered:
        return None
    unanswered = any(each.state is A.UNKNOWN for each in view.attempts)
    ending = P.UNKNOWN if unanswered else P.EXPIRED
    return Step(EventKind(ending), Actor.CLOCK, replace(view.payment, state=ending))


class PaymentFacts(msgspec.Struct, frozen=True):
    """What outsiders read of a payment, in verify replies, returns and notifications alike.

    kept with every announcement, so that a redelivery says what was true then. Amounts in paise, time in UTC.
    """

    merchant_id: int
    payment_id: int
    order_id: str
    state: P
    kind: PaymentKind
    method: str
    amount_paise: int
    currency: str
    buyer: Buyer
    custom_var: str
    bank_code: str
    bank_message: str
    created_at: datetime
    attempts: int
    rrn: str = ""
    payer_vpa: str = ""
    card: CardFacts | None = None
    captured_paise: int = 0
    refunds: int = 0
    refunded_paise: int = 0
    refund: RefundFacts | None = None
    bank: str = ""
    mandate: MandateFacts | None = None


def facts_of(view: PaymentView, refund: RefundFacts | None = None, mandate: MandateFacts | None = None) -> PaymentFacts:
    """Return what outsiders read of a payment, with bank facts of its successful or latest attempt.

    refund, mandate: where one of them is the news.
    """
    payment = view.payment
    spoken = view.success or view.latest
    return PaymentFacts(
        merchant_id=payment.merchant_id,
        payment_id=payment.payment_id,
        order_id=payment.order_id,
        state=payment.state,
        kind=payment.kind,
        method=payment.method,
        amount_paise=payment.amount.paise,
        currency=payment.amount.currency,
        buyer=payment.buyer,
        custom_var=payment.custom_var,
        bank_code=payment.bank_code,
        bank_message=payment.bank_message,
        created_at=payment.created_at,
        attempts=sum(each.state is not A.OFFERED for each in view.attempts),
        rrn=spoken.rrn if spoken else "",
        payer_vpa=spoken.payer_vpa if spoken else "",
        card=spoken.card if spoken and spoken.card.last4 else None,
        captured_paise=payment.captured_paise,
        refunds=payment.refunds,
        refunded_paise=payment.refunded_paise,
        refund=refund,
        bank=spoken.bank if spoken else "",
        mandate=mandate,
    )


def view_after(view: PaymentView, step: Step) -> PaymentView:
    """Return the view as a step leaves it, once it is written.

    Raises AssertionError on a move that the tables do not have: it would be our bug, and nothing is written.
    """
    before, after = view.payment.state, step.payment.state
    if after is not before and after not in PAYMENT_MOVES[before]:
        message = f"payment {view.payment.payment_id}: {before} may not become {after}"
        raise AssertionError(message)
    payment = replace(step.payment, revision=view.payment.revision + 1)
    if step.attempt is None:
        return PaymentView(payment, view.attempts)
    if step.new_attempt:
        return PaymentView(payment, (*view.attempts, step.attempt))
    return PaymentView(payment, tuple(_changed(each, step.attempt) for each in view.attempts))


def _changed(attempt: Attempt, after: Attempt) -> Attempt:
    if attempt.attempt_id != after.attempt_id:
        return attempt
    if after.state is not attempt.state and after.state not in ATTEMPT_MOVES[attempt.state]:
        message = f"attempt {attempt.attempt_id}: {attempt.state} may not become {after.state}"
        raise AssertionError(message)
    return after
