"""What a refund is, when it may begin, and what the bank's answers change; pure.

A refund goes to where the money came from, through the connector that took it, under its own
reference.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.payments import InquirySchedule
from hundi.kernel.events import Kind
from hundi.kernel.ids import refund_reference
from hundi.kernel.money import Money, in_rupees
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.kernel.states import Actor, EventKind, RefundCause
from hundi.kernel.states import RefundState as R
from hundi.money.ledger import rules as ledger
from hundi.payments.orders.news.rules import RefundFacts
from hundi.payments.orders.rules import Attempt, Payment, Step

REFUND_MOVES: Mapping[R, frozenset[R]] = {
    R.INITIATED: frozenset({R.SENT}),
    R.SENT: frozenset({R.INITIATED, R.UNKNOWN, R.DONE, R.FAILED}),
    R.UNKNOWN: frozenset({R.SENT, R.DONE, R.FAILED}),
    R.DONE: frozenset({R.REVERSED}),
    R.FAILED: frozenset(),
    R.REVERSED: frozenset(),
}
"""Back to INITIATED only when the call certainly never left."""
OPEN = frozenset({R.INITIATED, R.SENT, R.UNKNOWN})
CAME_TO_NOTHING = frozenset({R.FAILED, R.REVERSED})
"""States in which the customer got nothing.

The refund uses up nothing of the payment, and may be made again.
"""
SENT_GRACE = timedelta(seconds=60)
"""How long a bank that has no record of a refund may still receive it.

Then it is sent again under the same key.
"""
LATER_GAP = timedelta(minutes=30)
"""The gap between inquiries after the connector's schedule: money is under way, so they never end.

See docs/spec/payment-interfaces.md#refund-rules.
"""


@dataclass(frozen=True, slots=True)
class Refund:
    """One refund.

    owed_before: the customer was owed the money already, so the merchant's balance does not change.
    request_id: the merchant's `refund_request_id`, "" without one. surcharge_paise: the part of
    `amount` above the order's, for a late payment that is refunded. settled_paise: the amount in
    rupees. reversed_at, reversed_code, reversed_message: when and why it came back; the bank's
    earlier words stay.
    """

    merchant_id: int
    refund_id: int
    payment_id: int
    attempt_id: int
    cause: RefundCause
    amount: Money
    connector: str
    state: R
    created_at: datetime
    settled_paise: int
    rrn: str = ""
    bank_code: str = ""
    bank_message: str = ""
    sent_at: datetime | None = None
    settled_at: datetime | None = None
    due_at: datetime | None = None
    inquiries: int = 0
    request_id: str = ""
    surcharge_paise: int = 0
    reversed_at: datetime | None = None
    reversed_code: str = ""
    reversed_message: str = ""

    @property
    def settled(self) -> Money:
        """Return the amount in rupees."""
        return Money(self.settled_paise)

    @property
    def reference(self) -> str:
        """Return our reference at the bank.

        It is the bank's key, so that a repeat moves money once.
        """
        return refund_reference(self.merchant_id, self.refund_id)

    @property
    def owed_before(self) -> bool:
        """Return whether the ledger has the money as owed back already."""
        return self.cause is not RefundCause.MERCHANT

    @property
    def counts_on_payment(self) -> bool:
        """Return whether it uses up what the order captured.

        An overpayment was never the order's.
        """
        return self.cause is not RefundCause.OVERPAID


@dataclass(frozen=True, slots=True)
class RefundOwed:
    """One refund owed: money of an attempt that the order or the merchant does not keep."""

    merchant_id: int
    payment_id: int
    attempt_id: int
    amount: Money
    cause: RefundCause


@dataclass(frozen=True, slots=True)
class RequestKey:
    """The key that makes a repeated request harmless.

    content_hash: 32 bytes over the requested item.
    """

    request_id: str
    item_no: int
    content_hash: bytes


GOES_BACK = Refusal(
    RefusalCode.STATE_FORBIDS,
    field="payment",
    received="paid too late",
    allowed="none: as you keep no late payments, it goes back in full by itself",
)
"""The refusal for a payment that the gateway itself refunds.

It applies before that refund begins and after it failed, too.
"""


@dataclass(frozen=True, slots=True)
class RefundTotals:
    """The totals of an attempt's refunds that did not fail, in its own currency and in rupees."""

    paise: int = 0
    settled_paise: int = 0


def settled_paise(attempt: Attempt, amount: Money, before: RefundTotals) -> int:
    """Return a refund's amount in rupees, so that all refunds add up to the attempt's.

    Each takes up the rounding left by those before it.
    """
    together = in_rupees(Money(before.paise + amount.paise, amount.currency), attempt.rate_micros)
    return max(together.paise - before.settled_paise, 1)


def new_refund(
    refund_id: int,
    attempt: Attempt,
    cause: RefundCause,
    amount: Money,
    before: RefundTotals,
    now: datetime,
    request_id: str = "",
) -> Refund:
    """Return a refund of an attempt, due at once.

    before: the attempt's other refunds.
    """
    return Refund(
        merchant_id=attempt.merchant_id,
        refund_id=refund_id,
        payment_id=attempt.payment_id,
        attempt_id=attempt.attempt_id,
        cause=cause,
        amount=amount,
        connector=attempt.connector,
        state=R.INITIATED,
        created_at=now,
        settled_paise=settled_paise(attempt, amount, before),
        due_at=now,
        request_id=request_id,
        surcharge_paise=attempt.surcharge_paise if cause is RefundCause.LATE else 0,
    )


def step_begun(payment: Payment, refund: Refund, actor: Actor, now: datetime) -> Step:
    """Return what the beginning of a refund does to its payment and the books."""
    return Step(
        EventKind.REFUND_BEGUN,
        actor,
        _counted(payment, refund, 1),
        about=refund.attempt_id,
        postings=(ledger.entry_for_refund_begun(refund, now),),
    )


def facts_of_refund(refund: Refund) -> RefundFacts:
    """Return what outsiders read of a refund."""
    return RefundFacts(
        refund.refund_id,
        refund.amount.paise,
        refund.state,
        refund.bank_message if refund.state is not R.REVERSED else refund.reversed_message,
        refund.rrn,
        refund.request_id,
        refund.settled_paise,
        refund.bank_code if refund.state is not R.REVERSED else refund.reversed_code,
    )


def step_ended(payment: Payment, refund: Refund, now: datetime) -> Step:
    """Return what a refund's end or reversal does to its payment, the books and the merchant."""
    facts = facts_of_refund(refund)
    excess = refund.cause is RefundCause.OVERPAID
    if refund.state is R.DONE:
        return Step(
            EventKind.REFUND_DONE,
            Actor.BANK,
            payment,
            about=refund.attempt_id,
            postings=(ledger.entry_for_refund_done(refund, now),),
            announce=Kind.EXCESS_REFUNDED if excess else Kind.REFUND_DONE,
            refund=facts,
        )
    kind, posting, news = (
        EventKind.REFUND_FAILED,
        ledger.entry_for_refund_failed(refund, now),
        Kind.REFUND_FAILED,
    )
    if refund.state is R.REVERSED:
        kind, news = EventKind.REFUND_REVERSED, Kind.REFUND_REVERSED
        posting = ledger.entry_for_refund_reversed(refund, now)
    return Step(
        kind,
        Actor.BANK,
        _counted(payment, refund, -1),
        about=refund.attempt_id,
        postings=(posting,),
        announce=Kind.EXCESS_REFUND_FAILED if excess else news,
        refund=facts,
    )


def _counted(payment: Payment, refund: Refund, sign: int) -> Payment:
    if not refund.counts_on_payment:
        return payment
    refunded = payment.refunded_paise + sign * (refund.amount.paise - refund.surcharge_paise)
    return replace(payment, refunds=payment.refunds + sign, refunded_paise=refunded)


def moved(refund: Refund, state: R, **changes: object) -> Refund:
    """Return the refund in another state; a move that the table lacks is our bug."""
    if state is not refund.state and state not in REFUND_MOVES[refund.state]:
        message = f"refund {refund.refund_id}: {refund.state} may not become {state}"
        raise AssertionError(message)
    return replace(refund, state=state, **changes)  # type: ignore[arg-type]


def due_after(refund: Refund, schedule: InquirySchedule, now: datetime) -> datetime:
    """Return when to ask next."""
    if refund.inquiries < len(schedule.gaps_s):
        return now + timedelta(seconds=schedule.gaps_s[refund.inquiries])
    return now + LATER_GAP


def after_answer(
    refund: Refund,
    answer: Approved | Declined | Unknown | NothingThere,
    schedule: InquirySchedule,
    now: datetime,
) -> Refund:
    """Return the refund after the bank's answer.

    One that failed or came back stays so.
    """
    if refund.state not in OPEN:
        return _after_done(refund, answer, schedule, now) if refund.state is R.DONE else refund
    match answer:
        case Approved():
            if answer.amount != refund.amount:
                # An amount that we did not ask for: nothing is settled automatically; it stays open
                # for operators.
                words = f"the bank speaks of {answer.amount.paise} {answer.amount.currency}"
                due = due_after(refund, schedule, now)
                return moved(refund, R.UNKNOWN, bank_message=words, due_at=due)
            facts = {"rrn": answer.rrn, "bank_code": answer.code, "bank_message": answer.message}
            return moved(refund, R.DONE, settled_at=now, due_at=None, **facts)
        case Declined():
            facts = {"rrn": answer.rrn, "bank_code": answer.code, "bank_message": answer.message}
            return moved(refund, R.FAILED, settled_at=now, due_at=None, **facts)
        case Unknown(sent=False) if refund.state is R.SENT:
            return moved(refund, R.INITIATED, due_at=due_after(refund, schedule, now))
        case Unknown() | NothingThere():
            return moved(refund, R.UNKNOWN, due_at=due_after(refund, schedule, now))


def _after_done(
    refund: Refund,
    answer: Approved | Declined | Unknown | NothingThere,
    schedule: InquirySchedule,
    now: datetime,
) -> Refund:
    """Return a done refund after the answer to another inquiry.

    Only a clear no says that it came back.

    A yes ends the inquiries, and so does the end of the schedule: the refund stands as long as the
    bank does not deny it.
    """
    if isinstance(answer, Declined):
        words = {"reversed_code": answer.code, "reversed_message": answer.message}
        return moved(refund, R.REVERSED, reversed_at=now, due_at=None, **words)
    over = isinstance(answer, Approved) or refund.inquiries >= len(schedule.gaps_s)
    return replace(refund, due_at=None if over else due_after(refund, schedule, now))


def sends_again(refund: Refund, answer: object, now: datetime) -> bool:
    """Return whether to send a refund again that the bank does not know.

    The call was lost or never left.
    """
    if refund.state not in OPEN or not isinstance(answer, NothingThere) or refund.sent_at is None:
        return False
    return now >= refund.sent_at + SENT_GRACE
