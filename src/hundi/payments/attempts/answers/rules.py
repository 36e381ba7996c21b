"""What each answer of the bank changes in an attempt and its payment; pure."""

from datetime import datetime

from hundi.acquirers.port.answers import (
    NEVER_SENT_CODE,
    Approved,
    Declined,
    NothingThere,
    Unknown,
    Voided,
)
from hundi.instruments.methods import AT_ONCE, Flow, methods_of
from hundi.kernel.events import Kind
from hundi.kernel.moves import LIVE, UNPAID_AND_ENDED
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, EventKind
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.payments.attempts.approvals.rules import (
    Policy,
    after_approval,
    moved,
    news_of,
    payment_becomes,
    state_with,
)
from hundi.payments.attempts.rules import (
    CHALLENGE_LOST,
    CHARGED_BY_US,
    LATER_GAP,
    NEVER_SENT,
    OTHER_CURRENCY_CODE,
    SENT_GRACE,
    next_inquiry,
)
from hundi.payments.orders.rules import Attempt, PaymentView, Step

_HARMLESS_UNTIL_AUTHENTICATING = methods_of(Flow.CHALLENGED, Flow.REDIRECTED) - AT_ONCE
"""Methods that move no money before the customer is at a page whose address we have stored.

Excludes a card charged in one step: some banks do not ask the cardholder.
"""
NEVER_HAD = Declined(NEVER_SENT_CODE, NEVER_SENT)
"""The answer for a call that certainly never reached the bank, so that no money can move."""


def after_release(
    view: PaymentView, attempt: Attempt, answer: Voided, now: datetime
) -> Step | None:
    """Return the step that records a voided authorisation.

    The bank is not asked about it any more.
    """
    closed = after_decline(view, attempt, Declined(answer.code, answer.message, answer.rrn), now)
    if closed is not None or attempt.inquire_at is None:
        return closed
    return Step(
        EventKind.HOLD_RELEASED, Actor.BANK, view.payment, replace(attempt, inquire_at=None)
    )


def after_decline(
    view: PaymentView, attempt: Attempt, answer: Declined, now: datetime
) -> Step | None:
    """Return the step for a bank's decline.

    None when the attempt has ended: a decline never undoes an approval.
    """
    if attempt.state not in LIVE and attempt.state not in {A.OFFERED, A.UNKNOWN}:
        return None
    if answer.left:
        # A code on an offer that ended unused would say that somebody tried to pay with it.
        left = (
            replace(attempt, bank_code=answer.code, bank_message=answer.message)
            if attempt.acted
            else attempt
        )
        return expire(view, left, Actor.BANK, now)
    failed = moved(
        attempt,
        A.NOT_REGISTERED if answer.not_registered else A.FAILED,
        now,
        rrn=answer.rrn or attempt.rrn,
        bank_code=answer.code,
        bank_message=answer.message,
        card=answer.card or attempt.card,
        inquire_at=None,
    )
    state = state_with(view, failed, now)
    if state not in {P.OPEN, P.IN_PROCESS} and state is view.payment.state:
        return Step(EventKind.ATTEMPT_FAILED, Actor.BANK, view.payment, failed)
    kind = EventKind.FAILED if state in UNPAID_AND_ENDED else EventKind.ATTEMPT_FAILED
    news = news_of(view, state, Kind.ATTEMPT_FAILED)
    return Step(kind, Actor.BANK, payment_becomes(view, state, failed), failed, announce=news)


def after_silence(
    view: PaymentView, attempt: Attempt, answer: Unknown, policy: Policy, now: datetime
) -> Step | None:
    """Return the step for an open answer: the attempt stays pending until the schedule ends."""
    if attempt.state not in LIVE and attempt.state is not A.OFFERED:
        return None
    if not answer.sent and attempt.state is A.SENT:
        # The call never reached the bank, so no money can move: the customer may try again at once.
        return after_decline(view, attempt, NEVER_HAD, now)
    harmless = attempt.state is A.SENT and attempt.method in _HARMLESS_UNTIL_AUTHENTICATING
    # Also PENDING, when an earlier inquiry was lost as well: the acquirer waits for a customer who
    # never came.
    unseen = attempt.state in {A.SENT, A.PENDING} and not attempt.authentication_id
    if harmless or (unseen and attempt.method in AT_ONCE and answer.awaiting_customer):
        # No money moves before the customer reaches the bank's page, whose address we would have
        # written down. Once our call is over the customer may try again, whatever the bank says.
        return (
            expire(view, attempt, Actor.INQUIRY, now)
            if now >= attempt.created_at + CHALLENGE_LOST
            else None
        )
    # A scanned QR starts the schedule again: earlier inquiries came before the scan.
    scanned = (
        replace(attempt, inquiries=0) if attempt.state is A.OFFERED and answer.code else attempt
    )
    inquire_at = next_inquiry(scanned, policy.schedule, now)
    if inquire_at is None:
        # A QR that nobody seems to have scanned blocks nothing; somebody may have, so inquiries go
        # on for days.
        silent = moved(
            attempt,
            A.UNKNOWN,
            now,
            inquire_at=now + LATER_GAP if attempt.state is A.OFFERED else None,
        )
        state = state_with(view, silent, now)
        payment = replace(view.payment, state=state)
        return Step(
            EventKind.UNKNOWN, Actor.INQUIRY, payment, silent, announce=news_of(view, state)
        )
    # An undecided attempt at the bank's own page is pending; after our challenge nothing moves
    # without us.
    at_bank = attempt.state is A.AUTHENTICATING and (
        attempt.method in CHARGED_BY_US or not answer.code
    )
    waits = (
        attempt.state is A.PENDING or at_bank or (attempt.state is A.OFFERED and not answer.code)
    )
    if answer.awaiting_customer or waits:
        return None
    return _pending(view, attempt, answer, inquire_at, now)


def _pending(
    view: PaymentView, attempt: Attempt, answer: Unknown, inquire_at: datetime, now: datetime
) -> Step:
    pending = moved(
        attempt,
        A.PENDING,
        now,
        bank_code=answer.code,
        bank_message=answer.message,
        inquire_at=inquire_at,
    )
    if view.payment.state not in {P.OPEN, P.IN_PROCESS}:
        return Step(EventKind.ATTEMPT_PENDING, Actor.BANK, view.payment, pending)
    return Step(
        EventKind.PENDING, Actor.BANK, payment_becomes(view, P.IN_PROCESS, pending), pending
    )


def after_nothing_there(view: PaymentView, attempt: Attempt, now: datetime) -> Step | None:
    """Return the step for "the bank has no record": close what can no longer be paid, else wait."""
    settled = attempt.state not in LIVE and attempt.state not in {A.OFFERED, A.UNKNOWN}
    if settled or now < _waits_until(attempt):
        return None
    return expire(view, attempt, Actor.INQUIRY, now)


def _waits_until(attempt: Attempt) -> datetime:
    """Return until when the bank may still receive an attempt that it has no record of."""
    if attempt.state in {A.OFFERED, A.AUTHENTICATING}:
        return attempt.expires_at
    # As above: a card without its challenge moves no money, even if the bank still receives the
    # call.
    harmless = attempt.state is A.SENT and attempt.method in _HARMLESS_UNTIL_AUTHENTICATING
    return (attempt.charged_at or attempt.created_at) + (CHALLENGE_LOST if harmless else SENT_GRACE)


def expire(view: PaymentView, attempt: Attempt, actor: Actor, now: datetime) -> Step:
    """Return the step that closes an unpaid attempt, as the bank or the customer said."""
    expired = moved(attempt, A.EXPIRED, now, inquire_at=None)
    state = state_with(view, expired, now)
    if not expired.acted:
        payment = replace(view.payment, state=state)
        return Step(EventKind.QR_EXPIRED, actor, payment, expired, announce=news_of(view, state))
    if state not in {P.OPEN, P.IN_PROCESS} and state is view.payment.state:
        return Step(EventKind.ATTEMPT_EXPIRED, actor, view.payment, expired)
    news = news_of(view, state, Kind.ATTEMPT_FAILED)
    return Step(
        EventKind.ABANDONED, actor, payment_becomes(view, state, expired), expired, announce=news
    )


def after_answer(
    view: PaymentView,
    attempt: Attempt,
    answer: Approved | Declined | Unknown | NothingThere | Voided,
    policy: Policy,
    now: datetime,
) -> Step | None:
    """Return the step for any answer of the bank; None when it changes nothing."""
    match answer:
        case Approved() if in_other_currency(attempt, answer):
            # The amounts cannot be compared: operators must look, and inquiries go on.
            words = f"the bank speaks of {answer.amount.paise} {answer.amount.currency}"
            return after_silence(view, attempt, Unknown(OTHER_CURRENCY_CODE, words), policy, now)
        case Approved():
            return after_approval(view, attempt, answer, policy, now)
        case Declined():
            return after_decline(view, attempt, answer, now)
        case Unknown():
            return after_silence(view, attempt, answer, policy, now)
        case NothingThere():
            return after_nothing_there(view, attempt, now)
        case Voided():
            # The bank released a hold that we did not want or did not know: nobody was debited.
            return after_release(view, attempt, answer, now)


def in_other_currency(attempt: Attempt, answer: object) -> bool:
    """Return whether the bank's answer has another currency than the charge."""
    return isinstance(answer, Approved) and answer.amount.currency != attempt.amount.currency
