"""The sentence that begins a payment's story: for every state and every kind of trouble."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import product

import pytest

from hundi.kernel.events import Kind
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.states import (
    AttemptState,
    DisputePhase,
    DisputeState,
    EventKind,
    PaymentState,
    RefundCause,
    RefundState,
)
from hundi.notifications.rules import DeliveryKey, DeliveryState
from hundi.payments.disputes.rules import Stage
from hundi.payments.orders.rules import Attempt, PaymentView
from hundi.payments.refunds.rules import Refund
from hundi.payments.story.rules import PaidOut, Story, StoryEvent, StoryNotification
from hundi.payments.story.verdicts.rules import NOTHING_TO_DO, verdict_of
from tests.payments.stages import AMOUNT, NOW, TAKEN, attempt, view

P, A, R = PaymentState, AttemptState, RefundState


def refund(state: R, cause: RefundCause = RefundCause.MERCHANT, number: int = 1) -> Refund:
    return Refund(
        merchant_id=12345,
        refund_id=number,
        payment_id=900,
        attempt_id=1,
        cause=cause,
        amount=Money(20_000),
        connector="sandbox",
        state=state,
        created_at=NOW,
        settled_paise=20_000,
    )


def stage(state: DisputeState) -> Stage:
    return Stage(
        merchant_id=12345,
        stage_id=7,
        dispute_id=7,
        payment_id=900,
        attempt_id=1,
        connector="sandbox",
        bank_case="C1",
        phase=DisputePhase.CHARGEBACK,
        amount=Money(AMOUNT),
        held_paise=AMOUNT,
        held_settled_paise=AMOUNT,
        rate_micros=1_000_000,
        reason="13.1",
        state=state,
        opened_at=NOW,
        respond_by=NOW + timedelta(days=3),
        taken_settled_paise=AMOUNT if state in {DisputeState.LOST, DisputeState.ACCEPTED} else 0,
    )


def news(kind: Kind, state: DeliveryState) -> StoryNotification:
    return StoryNotification(DeliveryKey(12345, 900, 3), kind, state, NOW, NOW, {}, ())


def paid_out(state: str, utr: str) -> PaidOut:
    return PaidOut(11, date(2026, 11, 21), "primary", 5, state, utr)


def event(kind: EventKind) -> StoryEvent:
    return StoryEvent(2, NOW, kind, "paid", "bank", 1)


def story(
    payment: PaymentView,
    *,
    refunds: Sequence[Refund] = (),
    disputes: Sequence[Stage] = (),
    events: Sequence[EventKind] = (),
    notifications: Sequence[StoryNotification] = (),
    out: Sequence[PaidOut] = (),
) -> Story:
    return Story(
        view=payment,
        charges=(),
        completions=(),
        refunds=refunds,
        disputes=disputes,
        blocked=(),
        decisions=(),
        events=[event(each) for each in events],
        postings=(),
        notifications=notifications,
        paid_out=out,
    )


def paid(refunded: int = 0) -> PaymentView:
    one = view(P.PAID, attempt(A.PAID))
    payment = replace(one.payment, method="upi", refunded_paise=refunded, refunds=1)
    return replace(one, payment=payment)


def excess(received: int = AMOUNT) -> Attempt:
    return replace(attempt(A.OVERPAID, 2), received_paise=received)


TABLE = [
    (story(paid()), "The customer paid ₹1,499.50 by UPI", "in your balance", NOTHING_TO_DO),
    (
        story(paid(), out=[paid_out("done", "UTR77")]),
        "The customer paid",
        "in your bank account, paid out under UTR UTR77",
        NOTHING_TO_DO,
    ),
    (
        story(paid(), out=[paid_out("returned", "UTR77")]),
        "The customer paid",
        "settled (settlement 11), and not paid out",
        NOTHING_TO_DO,
    ),
    (
        story(paid(20_000), refunds=[refund(R.DONE)]),
        "The customer paid",
        "₹1,299.50 are in your balance, and not settled yet. ₹200.00 went back to the customer",
        NOTHING_TO_DO,
    ),
    (
        story(paid(AMOUNT), refunds=[refund(R.SENT)]),
        "The customer paid",
        "All of it was refunded or is on its way back",
        NOTHING_TO_DO,
    ),
    (
        story(paid(), refunds=[refund(R.FAILED)]),
        "The customer paid",
        "did not take the refund of ₹200.00: they are in your balance again",
        "Refund it again",
    ),
    (
        story(paid(), refunds=[refund(R.FAILED), refund(R.DONE, number=2)]),
        "The customer paid",
        "₹200.00 went back to the customer",
        NOTHING_TO_DO,
    ),
    (
        story(paid(), events=[EventKind.LATE_SUCCESS]),
        "after the order had ended: the bank approved it late",
        "in your balance",
        "Deliver the order, or refund it here",
    ),
    (
        story(
            paid(AMOUNT),
            events=[EventKind.LATE_REFUND_DUE],
            refunds=[refund(R.INITIATED, RefundCause.LATE)],
        ),
        "so late that the order had ended",
        "on their way back to the customer",
        NOTHING_TO_DO,
    ),
    (
        story(PaymentView(paid().payment, (attempt(A.PAID), excess()))),
        "Debited, but the order was not paid by it: the bank also moved ₹1,499.50",
        "₹1,499.50 are owed to the customer, and refunded without your doing",
        NOTHING_TO_DO,
    ),
    (
        story(PaymentView(paid().payment, (attempt(A.PAID), excess()))),
        "that the order cannot keep (it was paid already)",
        "",
        NOTHING_TO_DO,
    ),
    (
        story(view(P.EXPIRED, excess(100_000))),
        "the bank also moved ₹1,000.00 that the order cannot keep (another amount than asked for)",
        "None of the money that moved is the order's",
        "when your shop sends the order again",
    ),
    (
        story(paid(), notifications=[news(Kind.PAID, DeliveryState.EXHAUSTED)]),
        "Your server has not taken the news of it, so your shop may show it as unpaid",
        "in your balance",
        "Send the notification again",
    ),
    (
        story(paid(), disputes=[stage(DisputeState.OPEN)]),
        "The customer paid",
        "₹1,499.50 of it are held back for a dispute",
        "Answer the dispute by 23 Nov 2026, 13:30 IST",
    ),
    (
        story(paid(), disputes=[stage(DisputeState.LOST)]),
        "The customer paid",
        "took ₹1,499.50 back by a dispute",
        NOTHING_TO_DO,
    ),
    (
        story(view(P.UNKNOWN, attempt(A.UNKNOWN))),
        "The bank never said whether",
        "not known whether the customer was debited",
        "Do not deliver yet",
    ),
    (
        story(view(P.AUTHORISED, attempt(A.AUTHORISED))),
        "The customer's bank holds ₹1,499.50",
        "in the customer's account still",
        "Capture it to take the money",
    ),
    (
        story(view(P.UNDER_REVIEW, attempt(A.PAID))),
        "checks the payment before it counts",
        "not in your balance yet",
        "Do not deliver before the review ends",
    ),
    (
        story(view(P.OPEN, replace(attempt(A.FAILED), method="card", bank_code="51"))),
        "last try to pay ₹1,499.50 was declined (51)",
        "No money moved",
        "Nothing needs you",
    ),
    (
        story(view(P.IN_PROCESS, replace(attempt(A.PENDING), inquiries=2))),
        "has not said yet whether",
        "known when the bank answers",
        "do not ask the customer to pay a second time",
    ),
]


@pytest.mark.parametrize(("told", "happened", "money", "todo"), TABLE)
def test_trouble_is_said_with_the_place_of_the_money_and_what_to_do(
    told: Story, happened: str, money: str, todo: str
) -> None:
    verdict = verdict_of(told)
    assert happened in verdict.happened
    assert money in verdict.money
    assert todo in verdict.todo


def test_no_state_lacks_a_sentence() -> None:
    """Every state of the payment, with every state of attempt, refund, dispute and delivery."""
    refunds = [(), *([refund(state, cause)] for state, cause in product(R, RefundCause))]
    disputes = [(), *([stage(state)] for state in DisputeState)]
    notifications = [(), *([news(Kind.PAID, state)] for state in DeliveryState)]
    beside = [
        *({"refunds": each} for each in refunds),
        *({"disputes": each} for each in disputes),
        *({"notifications": each} for each in notifications),
        *({"events": [each]} for each in EventKind),
    ]
    for state, tried, more in product(P, [None, *A], beside):
        told = verdict_of(story(view(state, *([attempt(tried)] if tried else ())), **more))
        for part in (told.happened, told.money, told.todo):
            assert part, (state, tried, more)
            assert not part.endswith("."), part
            assert not re.search(r"[a-z]_[a-z]|\bNone\b(?! of)|\{|\}", part), part
        assert told.tone in {"paid", "waiting", "failed"}
        assert told.sentence.count("..") == 0
        assert (NOTHING_TO_DO in told.todo) <= (told.todo == NOTHING_TO_DO)
        moved = state in TAKEN or any(
            each.state is A.OVERPAID for each in [attempt(tried or A.SENT)]
        )
        assert (told.money.startswith("No money moved")) <= (not moved)
