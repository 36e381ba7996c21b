"""The sentence that begins a payment's story: what happened, where the money is, what to do; pure.

It speaks to the merchant's people. Each part is decided by the payment's records alone, trouble
first. Whatever the records say, each part has words: nothing to do is said, too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hundi.instruments.methods import CHANNELS
from hundi.kernel.clock import for_people
from hundi.kernel.events import Kind
from hundi.kernel.money import Money, shown
from hundi.kernel.states import AttemptState, CompletionState, DisputeState, EventKind
from hundi.kernel.states import PaymentState as P
from hundi.kernel.states import RefundState as R
from hundi.money.payouts.rules import PAID as PAID_OUT
from hundi.money.settlements.rules import PRIMARY
from hundi.notifications.rules import DeliveryState
from hundi.payments.disputes.rules import Stage
from hundi.payments.orders.rules import Attempt
from hundi.payments.refunds.rules import CAME_TO_NOTHING, Refund
from hundi.payments.refunds.rules import OPEN as ON_ITS_WAY
from hundi.payments.story.rules import Story

_PAID = frozenset({P.PAID, P.CAPTURED})
_DISPUTED = frozenset({DisputeState.OPEN, DisputeState.UNDER_REVIEW, DisputeState.ACCEPTING})
_TAKEN = frozenset({DisputeState.LOST, DisputeState.ACCEPTED, DisputeState.PARTLY_ACCEPTED})
_UNTAKEN = frozenset({DeliveryState.EXHAUSTED, DeliveryState.NO_ENDPOINT})
_OF_SUCCESS = frozenset({Kind.PAID, Kind.LATE_SUCCESS, Kind.CAPTURED, Kind.MANDATE_APPROVED})
_UNKNOWN_ADVICE = (
    "Do not deliver yet. If the customer shows a debit, give its RRN to the operator; a late answer"
    " of the bank still counts here"
)
NOTHING_TO_DO = "There is nothing to do"


@dataclass(frozen=True, slots=True)
class StoryVerdict:
    """What a payment's story comes to, in three parts without a full stop.

    tone: paid, waiting or failed, for a colour beside the words.
    """

    happened: str
    money: str
    todo: str
    tone: str

    @property
    def sentence(self) -> str:
        """Return the three parts as one text."""
        return f"{self.happened}. {self.money}. {self.todo}."


def verdict_of(story: Story) -> StoryVerdict:
    """Return what a payment's story comes to."""
    happened = [_happened(story), *_more_happened(story)]
    money = [_money(story), *_more_money(story)]
    todo = [*_todo(story)] or [NOTHING_TO_DO]
    return StoryVerdict(". ".join(happened), ". ".join(money), ". ".join(todo), _tone(story))


# --- what happened ---


def _happened(story: Story) -> str:
    words = _HAPPENED[story.view.payment.state](story)
    kinds = {event.kind for event in story.events}
    if EventKind.LATE_REFUND_DUE in kinds:
        return (
            f"{words}, but so late that the order had ended: it was debited, the order does not"
            " count as paid in time, and the money goes back"
        )
    if EventKind.LATE_SUCCESS in kinds:
        return f"{words}, after the order had ended: the bank approved it late"
    if EventKind.LATE_HOLD in kinds and story.view.payment.state is P.AUTHORISED:
        return f"{words}, after the order had ended: the hold is given back"
    return words


def _amount(story: Story) -> str:
    return shown(story.view.payment.amount)


def _by(story: Story) -> str:
    method = story.view.payment.method
    return f" by {CHANNELS[method].name}" if method in CHANNELS else ""


def _bank_said(story: Story) -> str:
    payment = story.view.payment
    said = f"{payment.bank_code} {payment.bank_message}".strip()
    return f": {said}" if said else ""


def _open(story: Story) -> str:
    until = for_people(story.view.payment.expires_at)
    latest = story.view.latest
    if any(attempt.awaits_money for attempt in story.view.attempts):
        return (
            f"The customer has an account number or a voucher for {_amount(story)}, and has not"
            " paid it yet"
        )
    if latest is not None and latest.acted and latest.state is AttemptState.FAILED:
        said = f"{latest.bank_code} {latest.bank_message}".strip() or "no reason"
        return (
            f"The customer's last try to pay {_amount(story)} was declined ({said}); another one is"
            f" possible until {until}"
        )
    return f"The customer has not paid the {_amount(story)} yet; the order is open until {until}"


def _in_process(story: Story) -> str:
    live = story.view.live
    if any(attempt.inquiries for attempt in live):
        return (
            f"The bank has not said yet whether the {_amount(story)} were paid, and is asked again"
        )
    return f"The customer is paying {_amount(story)}{_by(story)} now, at a bank or in an app"


def _captured(story: Story) -> str:
    payment = story.view.payment
    taken = shown(Money(payment.captured_paise, payment.amount.currency))
    if payment.captured_paise == payment.amount.paise:
        return f"The customer's {taken} were held{_by(story)} and then captured"
    return f"{taken} of the {_amount(story)} that were held{_by(story)} were captured"


_HAPPENED: Mapping[P, Callable[[Story], str]] = {
    P.OPEN: _open,
    P.IN_PROCESS: _in_process,
    P.AUTHORISED: lambda story: f"The customer's bank holds {_amount(story)}{_by(story)} for you",
    P.CAPTURED: _captured,
    P.PAID: lambda story: f"The customer paid {_amount(story)}{_by(story)}",
    P.UNDER_REVIEW: lambda story: (
        f"The customer paid {_amount(story)}{_by(story)}, and the gateway's operator checks the"
        " payment before it counts"
    ),
    P.FAILED: lambda story: f"The payment of {_amount(story)} was declined{_bank_said(story)}",
    P.NOT_REGISTERED: lambda story: (
        f"The payment of {_amount(story)} was declined: the customer's card or account is not"
        " registered for it"
    ),
    P.EXPIRED: lambda story: f"Nobody paid the {_amount(story)} before the order ended",
    P.UNKNOWN: lambda story: (
        f"The bank never said whether the {_amount(story)} were paid, however often it was asked"
    ),
    P.ABANDONED: lambda story: (
        f"The customer left the bank's page, and the {_amount(story)} were not paid"
    ),
    P.VOIDED: lambda story: (
        f"The customer's bank held {_amount(story)}, and the hold was given back"
    ),
}


def _more_happened(story: Story) -> list[str]:
    """Return what went wrong beside the payment's own state."""
    more = [
        f"Debited, but the order was not paid by it: the bank also moved {shown(each.received)}"
        f" that the order cannot keep ({_why_excess(story, each)})"
        for each in _excess(story)
    ]
    if untaken_news(story):
        more.append("Your server has not taken the news of it, so your shop may show it as unpaid")
    return more


def _excess(story: Story) -> list[Attempt]:
    return [each for each in story.view.attempts if each.state is AttemptState.OVERPAID]


def _why_excess(story: Story, attempt: Attempt) -> str:
    if attempt.received != attempt.amount:
        return "another amount than asked for"
    if story.view.success is not None:
        return "it was paid already"
    return attempt.bank_message or "it ended, or takes other accounts only"


def untaken_news(story: Story) -> bool:
    """Return whether the merchant's server took no news that the order was paid."""
    news = [each for each in story.notifications if each.kind in _OF_SUCCESS]
    return bool(news) and all(each.state in _UNTAKEN for each in news)


# --- where the money is ---


def _money(story: Story) -> str:
    payment = story.view.payment
    if payment.state in _PAID:
        return _money_of_paid(story)
    return {
        P.AUTHORISED: "The money is in the customer's account still, held for you",
        P.UNDER_REVIEW: "The money is with the gateway, and not in your balance yet",
        P.UNKNOWN: "It is not known whether the customer was debited",
        P.IN_PROCESS: "Whether money moves is known when the bank answers",
        P.VOIDED: "The money is the customer's again",
    }.get(
        payment.state,
        "None of the money that moved is the order's" if _excess(story) else "No money moved",
    )


def _money_of_paid(story: Story) -> str:
    payment = story.view.payment
    if payment.refunded_paise and not payment.remaining.paise:
        return "All of it was refunded or is on its way back"
    kept = shown(payment.remaining) if payment.refunded_paise else "The money"
    verb = "are" if payment.refunded_paise else "is"
    own = [out for out in story.paid_out if out.beneficiary == PRIMARY]
    utrs = [out.utr for out in own if out.utr and out.state in PAID_OUT]
    if utrs:
        return f"{kept} {verb} in your bank account, paid out under UTR {', '.join(utrs)}"
    if own:
        number = own[-1].settlement_id
        return f"{kept} {verb} settled (settlement {number}), and not paid out to your bank yet"
    days = [each.settles_on for each in story.charges if each.settles_on]
    if days:
        return f"{kept} {verb} in your balance, and to be settled on {max(days):%-d %b %Y}"
    return f"{kept} {verb} in your balance, and not settled yet"


def _more_money(story: Story) -> list[str]:
    more = [_refund_words(refund) for refund in _standing(story.refunds)]
    refunded = {refund.attempt_id for refund in story.refunds if refund.owed_before}
    more += [
        f"{shown(attempt.received)} are owed to the customer, and refunded without your doing"
        for attempt in _excess(story)
        if attempt.attempt_id not in refunded
    ]
    for stage in _latest_stages(story):
        if stage.state in _DISPUTED and stage.held_settled_paise:
            more.append(f"{shown(stage.held)} of it are held back for a dispute")
        if stage.state in _TAKEN and stage.taken_settled_paise:
            more.append(f"The customer's bank took {shown(stage.taken)} back by a dispute")
    return more


def _standing(refunds: Sequence[Refund]) -> list[Refund]:
    """Return the refunds that say where money is: a newer try stands for the one before it."""
    tried_again = {
        before.refund_id
        for before in refunds
        for after in refunds
        if before.state in CAME_TO_NOTHING
        and after.refund_id > before.refund_id
        and (after.cause, after.attempt_id) == (before.cause, before.attempt_id)
    }
    return [each for each in refunds if each.refund_id not in tried_again]


def _refund_words(refund: Refund) -> str:
    amount = shown(refund.amount)
    if refund.state is R.DONE:
        rrn = f" (RRN {refund.rrn})" if refund.rrn else ""
        return f"{amount} went back to the customer{rrn}"
    if refund.state in ON_ITS_WAY:
        return f"{amount} are on their way back to the customer"
    if refund.owed_before:
        return f"{amount} are still owed to the customer: the bank did not take the refund"
    return f"The bank did not take the refund of {amount}: they are in your balance again"


# --- what to do ---


def _todo(story: Story) -> list[str]:
    payment = story.view.payment
    todo = [
        f"Answer the dispute by {for_people(stage.respond_by)}"
        for stage in _latest_stages(story)
        if stage.state is DisputeState.OPEN
    ]
    todo += [
        "Ask the operator if the refund does not succeed in a day"
        if refund.owed_before
        else "Refund it again, or pay the customer in another way"
        for refund in _standing(story.refunds)
        if refund.state in CAME_TO_NOTHING
    ]
    if untaken_news(story):
        todo.append("Send the notification again, or mark the order as paid in your shop")
    return [*todo, *_todo_by_state(story, payment.state)]


def _todo_by_state(story: Story, state: P) -> list[str]:
    kinds = {event.kind for event in story.events}
    if state is P.AUTHORISED and EventKind.LATE_HOLD not in kinds:
        waiting = any(each.state is not CompletionState.FAILED for each in story.completions)
        return [
            "Wait for the bank: it was asked to end the hold"
            if waiting
            else "Capture it to take the money, or void it; what nobody captures goes back"
        ]
    if state in _PAID and EventKind.LATE_SUCCESS in kinds and not story.view.payment.refunded_paise:
        return ["Deliver the order, or refund it here if nobody wants it any more"]
    return {
        P.OPEN: ["Nothing needs you before the customer pays or the order ends"],
        P.IN_PROCESS: ["Wait: do not ask the customer to pay a second time yet"],
        P.UNKNOWN: [_UNKNOWN_ADVICE],
        P.UNDER_REVIEW: ["Do not deliver before the review ends"],
        P.FAILED: ["The customer can pay again with a new order, or with the same one sent again"],
        P.NOT_REGISTERED: ["The customer can pay again with another card, account or method"],
        P.EXPIRED: ["The customer can pay when your shop sends the order again"],
        P.ABANDONED: ["The customer can pay when your shop sends the order again"],
    }.get(state, [])


def _latest_stages(story: Story) -> list[Stage]:
    """Return the present phase of each dispute."""
    return [*{stage.dispute_id: stage for stage in story.disputes}.values()]


def _tone(story: Story) -> str:
    state = story.view.payment.state
    refunds = _standing(story.refunds)
    if any(each.state in CAME_TO_NOTHING for each in refunds) or untaken_news(story):
        return "failed"
    if any(stage.state in _DISPUTED for stage in story.disputes) or any(
        each.state in ON_ITS_WAY for each in refunds
    ):
        return "waiting"
    if state in _PAID:
        return "paid"
    return "waiting" if state in {P.OPEN, P.IN_PROCESS, P.AUTHORISED, P.UNDER_REVIEW} else "failed"
