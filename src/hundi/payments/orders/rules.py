"""What a payment and its attempts are, and their changes; pure.

Every change is a `Step` decided from a whole `PaymentView` and written only if the payment's
revision is still the one that was read. So two writers never mix: the second one reads again and
decides again.
"""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from hundi.acquirers.port.answers import NEVER_SENT_CODE
from hundi.instruments.card import NO_CARD, CardFacts
from hundi.instruments.methods import BHARAT_QR, CHANNEL_OF_METHOD, METHODS, ON_OFFER, UPI, Flow
from hundi.kernel.events import Kind
from hundi.kernel.ids import reference
from hundi.kernel.money import RATE_ONE, Money, in_rupees
from hundi.kernel.moves import ATTEMPT_MOVES, LIVE, PAYMENT_MOVES, SUCCESSFUL
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, EventKind, PaymentKind
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.money.ledger.rules import Posting
from hundi.payments.orders.news.rules import DisputeFacts, MandateFacts, RefundFacts
from hundi.payments.risk.rules import NOT_CHECKED, RiskRecord
from hundi.payments.routing.rules import NOT_ROUTED, Routed

_PERHAPS_UNUSED = frozenset({A.OFFERED, A.EXPIRED, A.UNKNOWN})
"""States of a QR that perhaps nobody scanned."""


class Buyer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The payer, as the merchant gave it. customer: the merchant's own name of its customer."""

    email: str = ""
    phone: str = ""
    firstname: str = ""
    lastname: str = ""
    address: str = ""
    city: str = ""
    state: str = ""
    country: str = ""
    pincode: str = ""
    customer: str = ""


@dataclass(frozen=True, slots=True)
class Restrictions:
    """What an order may be paid with, beside its channels.

    card_types: credit, debit; () for any card. payer_account: fingerprint of the one bank account
    that may pay by UPI; "" for any.
    """

    card_types: tuple[str, ...] = ()
    payer_account: str = ""


NO_RESTRICTIONS = Restrictions()


class NewOrder(msgspec.Struct, frozen=True):
    """A merchant's order.

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
    restrictions: Restrictions = NO_RESTRICTIONS


class Payment(msgspec.Struct, frozen=True):
    """One order. Amounts in paise, times in UTC.

    method: channel code, empty until chosen. revision: counts its events. refunds, refunded_paise:
    refunds that were begun and did not fail. settled_at: when the merchant was paid out.
    surcharges: what each of the channels adds, in their order, fixed when the order came; () for
    nothing.
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
    restrictions: Restrictions = NO_RESTRICTIONS
    surcharges: tuple[int, ...] = ()

    def surcharge_by(self, channel: str) -> Money:
        """Return what paying by a channel costs on top of the order's amount."""
        added = dict(zip(self.channels, self.surcharges, strict=False)).get(channel, 0)
        return Money(added, self.amount.currency)

    @property
    def remaining(self) -> Money:
        """Return what was captured and not refunded."""
        return Money(self.captured_paise - self.refunded_paise, self.amount.currency)


@dataclass(frozen=True, slots=True)
class EmiTerms:
    """The instalments of an attempt.

    rate_bps: yearly, in basis points, 0 where unknown. discount_paise: the merchant's share of a
    no-cost plan.
    """

    months: int = 0
    rate_bps: int = 0
    discount_paise: int = 0


NO_EMI = EmiTerms()


class Attempt(msgspec.Struct, frozen=True):
    """One try at paying an order.

    method: a key of CHANNEL_OF_METHOD. received_paise: what the bank says it moved, in the currency
    of `amount`. charged_at: when the charge of a card was first requested. bank, bank_name: code
    and name of the chosen bank or wallet, "" for none. risk: the payer's traces, and the verdict of
    the risk rules. route: why this connector was chosen. saved_card: the token of the saved card
    that pays, or that is to be saved once it has paid. surcharge_paise: the part of `amount` above
    the order's. rate_micros: rupees for one unit of another currency, in millionths, as the
    acquirer said when it charged. voucher: the number of a voucher that is paid in cash, "" until
    it was issued.
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
    bank_name: str = ""
    emi: EmiTerms = NO_EMI
    risk: RiskRecord = NOT_CHECKED
    saved_card: str = ""
    surcharge_paise: int = 0
    voucher: str = ""
    rate_micros: int = RATE_ONE
    route: Routed = NOT_ROUTED

    @property
    def instalments(self) -> EmiTerms:
        """Return the acquirer's instalments, else the chosen ones."""
        months, rate_bps = self.card.emi_months, self.card.emi_rate_bps
        if not months:
            return self.emi
        chosen_bps = self.emi.rate_bps if months == self.emi.months else 0
        return replace(self.emi, months=months, rate_bps=rate_bps or chosen_bps)

    @property
    def settled(self) -> Money:
        """Return the amount in rupees."""
        return in_rupees(self.received, self.rate_micros)

    @property
    def received(self) -> Money:
        """Return what the bank says it moved."""
        return Money(self.received_paise, self.amount.currency)

    @property
    def acted(self) -> bool:
        """Return whether the customer did anything with it.

        An unused offer is no try at paying.
        """
        unused = self.state in _PERHAPS_UNUSED and self.bank_code in {"", NEVER_SENT_CODE}
        return not (unused and METHODS[self.method].flow in ON_OFFER)

    @property
    def awaits_money(self) -> bool:
        """Return whether it is an account number or voucher that may still receive money."""
        return self.state is A.OFFERED and METHODS[self.method].flow is Flow.CREDITED

    @property
    def reference(self) -> str:
        """Return our reference at the bank."""
        return reference(self.merchant_id, self.attempt_id)


class PaymentView(msgspec.Struct, frozen=True):
    """A payment with its attempts, oldest first."""

    payment: Payment
    attempts: tuple[Attempt, ...]

    def attempt(self, attempt_id: int) -> Attempt | None:
        """Return one attempt by id."""
        for each in self.attempts:
            if each.attempt_id == attempt_id:
                return each
        return None

    @property
    def latest(self) -> Attempt | None:
        """Return the newest attempt that the customer acted on, else the newest."""
        acted = [each for each in self.attempts if each.acted]
        return (acted or [*self.attempts] or [None])[-1]

    @property
    def success(self) -> Attempt | None:
        """Return the one attempt that paid (or holds) this order."""
        for each in self.attempts:
            if each.state in SUCCESSFUL:
                return each
        return None

    @property
    def live(self) -> tuple[Attempt, ...]:
        """Return the attempts whose outcome is open at a bank."""
        return tuple(each for each in self.attempts if each.state in LIVE)

    @property
    def offered(self) -> Attempt | None:
        """Return the newest QR or link nobody has acted on yet."""
        offers = (each for each in reversed(self.attempts) if each.state is A.OFFERED)
        return next((each for each in offers if METHODS[each.method].flow is Flow.SCANNED), None)

    def awaiting(self, method: str) -> Attempt | None:
        """Return the account number or voucher that awaits money by a method, if any."""
        for each in reversed(self.attempts):
            if each.method == method and each.awaits_money:
                return each
        return None


def channel_of(payment: Payment, method: str) -> str:
    """Return the channel reported for an attempt: a QR of an order without UPI is a Bharat QR."""
    channel = CHANNEL_OF_METHOD[method]
    only_bharat = (
        channel is UPI and UPI.code not in payment.channels and BHARAT_QR.code in payment.channels
    )
    return BHARAT_QR.code if only_bharat else channel.code


@dataclass(frozen=True, slots=True)
class Disputed:
    """What customers' banks demand of a payment or took, in its currency.

    open: a dispute about money has not ended.
    """

    paise: int = 0
    open: bool = False


NOT_DISPUTED = Disputed()


class Step(msgspec.Struct, frozen=True):
    """One decided change of a payment and one attempt, with its postings and its notification.

    announce: the notification, None for none. new_attempt: the attempt does not exist yet. about:
    the event's attempt, if none changes. refund, mandate, dispute: details of the news.
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
    dispute: DisputeFacts | None = None

    @property
    def attempt_id(self) -> int | None:
        """Return the attempt that the event is about."""
        return self.attempt.attempt_id if self.attempt else self.about


def view_after(view: PaymentView, step: Step) -> PaymentView:
    """Return the view after a step is written.

    Raises AssertionError on a move that the tables do not have: that is our bug, and nothing is
    written.
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
