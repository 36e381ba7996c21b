"""The sentence that begins a page: what happened, where the money is, and what to do; pure.

Of a refund, a payout, a dispute and a subscription; that of a payment is made beside its story.
"""

from collections.abc import Sequence
from datetime import datetime

from hundi.kernel.clock import for_people
from hundi.kernel.money import Money, shown
from hundi.kernel.states import (
    DebitState,
    DisputePhase,
    DisputeState,
    RefundState,
    SubscriptionState,
)
from hundi.money.payouts.rules import CAME_TO_NOTHING as PAYOUT_CAME_TO_NOTHING
from hundi.money.payouts.rules import PAID, UNDER_WAY, PayoutState, PayoutTry
from hundi.payments.disputes.rules import ENDED, Stage
from hundi.payments.refunds.rules import CAME_TO_NOTHING
from hundi.payments.story.verdicts.rules import NOTHING_TO_DO, StoryVerdict
from hundi.payments.subscriptions.rules import Debit, Subscription

_P = PayoutState
_REFUND_HAPPENED = {
    RefundState.INITIATED: "was asked for, and has not left yet",
    RefundState.SENT: "was sent to the bank",
    RefundState.UNKNOWN: "was sent to the bank",
    RefundState.DONE: "was made",
    RefundState.FAILED: "was refused by the bank",
    RefundState.REVERSED: "was made, and came back",
}
_PAYOUT_NEXT_ACT = {
    _P.PREPARED: "Propose it, and let another person approve it",
    _P.PROPOSED: "Let another person approve it",
    _P.AWAITING_BALANCE: "Fill the balance of its provider",
    _P.AWAITING_PROVIDER: "Look at the routing of payouts",
    _P.AWAITING_APPROVAL: "Approve it at the provider",
    _P.PAID_TWICE: "Ask the merchant to give one of them back",
}
"""What a person may do next about a payout; nothing in every other state."""
_DISPUTE_HAPPENED = {
    DisputePhase.RETRIEVAL: (
        "asks",
        "asked",
        "The customer's bank {verb} for papers about {paise}",
    ),
    DisputePhase.CHARGEBACK: ("wants", "wanted", "The customer's bank {verb} {paise} back"),
    DisputePhase.PRE_ARBITRATION: (
        *("does", "did"),
        "The customer's bank {verb} not accept that you won {paise}",
    ),
    DisputePhase.ARBITRATION: (
        *("decides", "decided"),
        "The card network {verb} about {paise}, for good",
    ),
}
"""What a phase is, with its verb while it goes on, and after it ended."""
_SUBSCRIPTION_NEXT_ACT = {
    SubscriptionState.CREATED: "Ask the customer to approve it on the payment page of its order",
    SubscriptionState.PAUSED: "Resume it when the customer wants to go on",
    SubscriptionState.FAILED: "Offer the customer another one",
}
"""What a person may do next about a subscription; nothing in every other state."""
_FAILED_DEBITS = frozenset({DebitState.FAILED, DebitState.MISSED})


def of_refund(state: RefundState, amount: str, becomes: str, rrn: str, todo: str) -> StoryVerdict:
    """Return what a refund comes to.

    becomes: where its money is, with full stops. todo: what the person may do, "" for nothing.
    """
    said = todo or NOTHING_TO_DO
    if state is RefundState.DONE and rrn:
        said = f"If the customer misses it after that day, tell them its RRN {rrn}"
    happened = f"A refund of {amount} {_REFUND_HAPPENED[state]}"
    tone = "paid" if state is RefundState.DONE else "waiting"
    return StoryVerdict(
        happened, becomes.removesuffix("."), said, "failed" if state in CAME_TO_NOTHING else tone
    )


def of_payout(payout: PayoutTry, whose: str, means: str, *, is_paid_anew: bool) -> StoryVerdict:
    """Return what a payout comes to. whose: the merchant. means: its state, with full stops."""
    amount, state = shown(payout.amount), payout.state
    todo = _PAYOUT_NEXT_ACT.get(state, NOTHING_TO_DO)
    tone = "waiting"
    if state in PAYOUT_CAME_TO_NOTHING:
        happened, tone = f"{amount} were not paid out to {whose}", "failed"
        if not is_paid_anew:
            todo = "Look at the bank account, then pay its share anew"
    elif state is _P.PAID_TWICE:
        happened, tone = f"{amount} were paid out to {whose} twice", "failed"
    elif state in PAID:
        happened, tone = f"{amount} were paid out to {whose}", "paid"
        if payout.paid_utr:
            todo = f"If the merchant misses it, tell them its UTR {payout.paid_utr}"
    elif state in UNDER_WAY:
        happened = f"{amount} are on their way to {whose}"
    else:
        happened = f"{amount} have not left for {whose} yet"
        if state in {_P.PREPARED, _P.PROPOSED}:
            means = "They lie in our bank account."
    return StoryVerdict(happened, means.removesuffix("."), todo, tone)


def of_dispute(stage: Stage, means: str, left: str) -> StoryVerdict:
    """Return what a dispute comes to. means: its state, with full stops. left: time to answer."""
    now, then, words = _DISPUTE_HAPPENED[stage.phase]
    verb = then if stage.state in ENDED else now
    happened = words.format(verb=verb, paise=shown(stage.amount))
    money, todo, tone = means.removesuffix("."), NOTHING_TO_DO, "waiting"
    if stage.state is DisputeState.OPEN:
        held = Money(stage.held_settled_paise)
        money = f"{shown(held)} are held until it is decided" if held.paise else "Nothing is held"
        money += "; unanswered, the bank decides without you"
        todo, tone = f"Answer until {for_people(stage.respond_by)}: {left}", "failed"
    elif stage.state is DisputeState.WON:
        tone = "paid"
    elif stage.state not in {DisputeState.UNDER_REVIEW, DisputeState.ACCEPTING}:
        tone = "failed" if stage.taken_settled_paise else "paid"
    return StoryVerdict(happened, money, todo, tone)


def of_subscription(
    one: Subscription, every: str, debits: Sequence[Debit], following: datetime | None, means: str
) -> StoryVerdict:
    """Return what a subscription comes to.

    every: its period in words. debits: newest first. following: the next debit. means: its state,
    with full stops.
    """
    if one.state is not SubscriptionState.ACTIVE:
        happened = f"A subscription of {shown(one.amount)} {every} is {one.state}"
        todo = _SUBSCRIPTION_NEXT_ACT.get(one.state, NOTHING_TO_DO)
        tone = "failed" if one.state is SubscriptionState.FAILED else "waiting"
        return StoryVerdict(happened, means.removesuffix("."), todo, tone)
    made = sum(each.state is DebitState.DONE for each in debits)
    paid = "1 debit was" if made == 1 else f"{made} debits were"
    money = f"{paid} paid so far" if made else "No debit was paid yet"
    if following:
        money += f"; the next one is on {for_people(following)}"
    happened = f"The customer lets you debit {shown(one.amount)} {every}"
    ended = next((each for each in debits if each.settled_at), None)
    if ended is None or ended.state not in _FAILED_DEBITS:
        return StoryVerdict(happened, money, NOTHING_TO_DO, "paid")
    todo = f"Ask the customer why the debit of period {ended.period_no} failed"
    return StoryVerdict(happened, money, todo, "waiting")
