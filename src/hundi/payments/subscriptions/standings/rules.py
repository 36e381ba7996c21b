"""What follows from how a mandate stands at its acquirer; pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import Enum, auto

from hundi.acquirers.port.mandates import MandateStanding, MandateState
from hundi.instruments.methods import CHANNEL_OF_METHOD
from hundi.kernel.records import replace
from hundi.kernel.states import SubscriptionState as S
from hundi.payments.orders.rules import Attempt, PaymentView
from hundi.payments.subscriptions.rules import Subscription

ASKED_FOR = timedelta(days=14)
"""How long after an approval, or its failure, other approvals of the order are asked about.

A bank may register a mandate days after its customer approved it.
"""
ASK_GAP = timedelta(hours=6)
"""Between two questions about a mandate that nobody has decided about."""
PAUSED_GAP = timedelta(hours=24)
"""Between two questions about a mandate that its customer paused at the bank.

Its acquirer says by a webhook when it is resumed; this finds what a webhook did not bring.
"""
LINK_GRACE = timedelta(minutes=5)
"""After the end of another link or page of the order, before the acquirer is asked about it."""


class StandingStep(Enum):
    """What a subscription does because of its mandate."""

    NONE = auto()
    CANCEL = auto()
    PAUSE = auto()
    RESUME = auto()


def step_of(subscription: Subscription, standing: MandateState) -> StandingStep:
    """Return what a subscription does when its mandate stands so at the acquirer.

    One that its merchant or customer paused here stays paused.
    """
    match standing:
        case MandateState.ENDED | MandateState.FAILED if subscription.state in {S.ACTIVE, S.PAUSED}:
            return StandingStep.CANCEL
        case MandateState.PAUSED if subscription.state is S.ACTIVE:
            return StandingStep.PAUSE
        case MandateState.ACTIVE if subscription.paused_at_bank:
            return StandingStep.RESUME
        case _:
            return StandingStep.NONE


def named(subscription: Subscription, standing: MandateStanding) -> Subscription:
    """Return a subscription with what its acquirer calls the mandate."""
    return replace(subscription, mandate_name=standing.name or subscription.mandate_name)


def beside(view: PaymentView, subscription: Subscription) -> Sequence[Attempt]:
    """Return the attempts by which a customer may have approved another mandate of the order."""
    return [
        attempt
        for attempt in view.attempts
        if attempt.reference != subscription.mandate_reference
        and CHANNEL_OF_METHOD[attempt.method].debits is not None
    ]


def next_question(
    view: PaymentView, subscription: Subscription, now: datetime, *, undecided: bool
) -> datetime | None:
    """Return when to ask again. undecided: a bank may still register a mandate of the order."""
    if subscription.paused_at_bank:
        return now + PAUSED_GAP
    ends = [each.expires_at + LINK_GRACE for each in beside(view, subscription)]
    if any(end > now for end in ends):
        return max(ends)
    decided_at = subscription.activated_at or subscription.ended_at or now
    return now + ASK_GAP if undecided and now < decided_at + ASKED_FOR else None
