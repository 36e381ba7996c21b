"""Rules of attempts: when one may begin, and what each answer of the bank changes; pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from hundi.acquirers.port.answers import (
    NEVER_SENT_CODE,
    Approved,
    Declined,
    NothingThere,
    Unknown,
    Voided,
)
from hundi.acquirers.port.payments import InquirySchedule
from hundi.instruments.methods import (
    AT_ONCE,
    BHARAT_QR,
    ENACH,
    ENACH_DEBIT,
    METHODS,
    UPI,
    Flow,
    methods_of,
)
from hundi.kernel.events import Kind
from hundi.kernel.moves import LIVE, MOVED, PAYMENT_MOVES, UNPAID_AND_ENDED
from hundi.kernel.records import replace
from hundi.kernel.refusals import Cure, Refusal, RefusalCode
from hundi.kernel.states import Actor, EventKind, PaymentKind
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.merchants.directory.rules import Merchant
from hundi.money.ledger.rules import (
    entries_for_held,
    entries_for_late_refund_due,
    entries_for_overpayment,
    entries_for_success,
)
from hundi.payments.orders.rules import (
    NEWS_OF_ENDING,
    Attempt,
    Payment,
    PaymentView,
    Step,
    channel_of,
    unpaid_state,
)
from hundi.payments.risk.rules import Action

SENT_GRACE = timedelta(seconds=60)
"""After this, "the bank has no record" of a call we may have made is believed.

Our calls end far sooner.
"""
QR_LIFE_LEFT_MIN = timedelta(seconds=5)
"""A QR that ends sooner is not worth scanning.

It is neither shown nor kept when a new one is asked for.
"""
CHALLENGE_LOST = timedelta(seconds=15)
"""A challenge whose address we have not written down by now was lost on its way to us.

Our calls end sooner.
"""
LATER_GAP = timedelta(minutes=30)
"""Between the questions about an undecided attempt, once the connector's schedule has ended.

See docs/spec/payment-interfaces.md#limits.
"""
LATER_MAX = timedelta(hours=72)
"""After this, an undecided attempt is left to reconciliation.

See docs/spec/payment-interfaces.md#limits.
"""
CLEARED_LATER = frozenset({ENACH.name, ENACH_DEBIT.name})
CLEARING_MAX = timedelta(days=10)
"""The same for what banks answer in days: registrations and debits of eNACH, also over holidays."""
ATTEMPTS_WINDOW = timedelta(hours=1)
"""In which the attempts of one payment are counted (docs/spec/payment-interfaces.md#limits)."""
CHARGED_BY_US = methods_of(Flow.CHALLENGED)
"""Methods whose challenge moves nothing: only we could charge afterwards."""
_HARMLESS_UNTIL_AUTHENTICATING = methods_of(Flow.CHALLENGED, Flow.REDIRECTED) - AT_ONCE
"""Methods that move nothing before the customer was at a page whose address we would have written
down.

Not of a card that an acquirer charges in one step: some banks ask its holder nothing.
"""
CARD_TYPE_CODE, CARD_ISSUER_CODE = "card_type", "card_issuer"
"""Of a card that the order, or the lender of its instalments, does not accept.

We refuse before its bank is asked.
"""
OTHER_ACCOUNT_CODE = "other_account"
OTHER_CURRENCY_CODE = "other_currency"
"""Of an attempt that the bank says it took another currency for."""
OTHER_ACCOUNT = "The order accepts money from another bank account only; this money goes back"
NEVER_SENT = "The bank could not be reached; nothing was paid."
NEVER_HAD = Declined(NEVER_SENT_CODE, NEVER_SENT)
"""Of a call that the bank certainly never had, so that nothing can move."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What a decision needs beside the payment.

    The merchant's settings and the connector's schedule.

    payer_account: fingerprint of the account the bank says the money came from, "" where it says
    nothing.
    """

    refund_late_success: bool
    schedule: InquirySchedule
    payer_account: str = ""


def is_declined(attempt: Attempt) -> bool:
    """Return whether the bank said no; what we did not ask it for was nobody's decline."""
    return attempt.state is A.FAILED and attempt.bank_code not in {
        NEVER_SENT_CODE,
        CARD_TYPE_CODE,
        CARD_ISSUER_CODE,
    }


def goes_on(view: PaymentView, failed: Attempt, now: datetime) -> bool:
    """Return whether an attempt that its acquirer never had may be made again at another one."""
    over = view.payment.state is not P.OPEN or view.payment.expires_at <= now or view.live
    return failed.state is A.FAILED and failed.bank_code == NEVER_SENT_CODE and not over


def is_blocked(action: Action, method: str) -> bool:
    """Return whether a risk action ends a try here: nobody can be challenged who is not there."""
    return action is Action.BLOCK or (
        action is Action.CHALLENGE and METHODS[method].flow is Flow.UNATTENDED
    )


def scannable(view: PaymentView, now: datetime) -> Attempt | None:
    """Return the attempt whose QR can still be scanned, or None."""
    offered = view.offered
    return offered if offered is not None and offered.expires_at - now > QR_LIFE_LEFT_MIN else None


def next_inquiry(attempt: Attempt, schedule: InquirySchedule, now: datetime) -> datetime | None:
    """Return when to ask the bank next, or None when asking has ended.

    A QR that is still offered is asked about at its end at the latest: money may have moved though
    no callback came. After the schedule, an undecided attempt is asked about slowly for days,
    because only the bank can say that no money is lost in it.
    """
    on_show = attempt.state is A.OFFERED and now < attempt.expires_at
    if attempt.state is not A.UNKNOWN and attempt.inquiries < len(schedule.gaps_s):
        due = now + timedelta(seconds=schedule.gaps_s[attempt.inquiries])
        return min(due, attempt.expires_at) if on_show else due
    if on_show:
        return attempt.expires_at
    later = now + LATER_GAP
    until = attempt.created_at + (CLEARING_MAX if attempt.method in CLEARED_LATER else LATER_MAX)
    return later if attempt.state is not A.OFFERED and later <= until else None


def _moved(attempt: Attempt, state: A, now: datetime, **changes: object) -> Attempt:
    return replace(attempt, state=state, settled_at=None if state in LIVE else now, **changes)  # type: ignore[arg-type]


def _payment_becomes(view: PaymentView, state: P, attempt: Attempt) -> Payment:
    return replace(
        view.payment,
        state=state,
        captured_paise=view.payment.amount.paise
        if state is P.PAID
        else view.payment.captured_paise,
        method=channel_of(view.payment, attempt.method),
        bank_code=attempt.bank_code,
        bank_message=attempt.bank_message,
    )


def _state_with(view: PaymentView, closed: Attempt, now: datetime) -> P:
    """Return where the payment stands once an attempt has come to nothing."""
    if view.payment.state not in {P.OPEN, P.IN_PROCESS, P.UNKNOWN}:
        return view.payment.state
    attempts = tuple(
        closed if each.attempt_id == closed.attempt_id else each for each in view.attempts
    )
    state = unpaid_state(PaymentView(view.payment, attempts), now)
    return state if state in PAYMENT_MOVES[view.payment.state] else view.payment.state


def _news(view: PaymentView, state: P, otherwise: Kind | None = None) -> Kind | None:
    """Return what the merchant is told of an attempt that came to nothing.

    otherwise: where the payment goes on.
    """
    return (
        otherwise
        if state is view.payment.state or state not in NEWS_OF_ENDING
        else NEWS_OF_ENDING[state]
    )


def after_approval(
    view: PaymentView, attempt: Attempt, answer: Approved, policy: Policy, now: datetime
) -> Step | None:
    """Return what a bank's yes does; None when it says what is already known.

    A yes that this order cannot keep (it is paid, or the amount is another) is an excess payment:
    posted as owed back.
    """
    if attempt.state in MOVED:
        return None
    facts = {
        "received_paise": answer.amount.paise,
        "rrn": answer.rrn,
        "bank_code": answer.code,
        "bank_message": answer.message,
        "payer_vpa": answer.payer_vpa or attempt.payer_vpa,
        "approval_code": answer.approval_code,
        "card": answer.card or attempt.card,
        "rate_micros": answer.rate_micros,
        "inquire_at": None,
    }
    foreign = is_foreign(view.payment, policy.payer_account)
    if foreign or exceeds_order(view, attempt, answer):
        if answer.authorised_only:
            return _surplus_hold(view, attempt, now)
        overpaid = _moved(attempt, A.OVERPAID, now, **facts)
        if foreign:
            overpaid = replace(overpaid, bank_code=OTHER_ACCOUNT_CODE, bank_message=OTHER_ACCOUNT)
        state = _state_with(view, overpaid, now) if view.success is None else view.payment.state
        payment = replace(view.payment, state=state)
        posted = entries_for_overpayment(overpaid)
        return Step(
            EventKind.EXCESS_PAYMENT,
            Actor.BANK,
            payment,
            overpaid,
            postings=posted,
            announce=Kind.EXCESS_PAYMENT,
        )
    if attempt.risk.verdict.action is Action.HOLD:
        return _held(
            view, _moved(attempt, A.AUTHORISED if answer.authorised_only else A.PAID, now, **facts)
        )
    late = view.payment.state in UNPAID_AND_ENDED
    if answer.authorised_only:
        held = _moved(attempt, A.AUTHORISED, now, **facts)
        # A late hold of a merchant who keeps no late payment is given back by the job that finds
        # this event.
        kind = EventKind.LATE_HOLD if late and policy.refund_late_success else EventKind.AUTHORISED
        return Step(
            kind,
            Actor.BANK,
            _payment_becomes(view, P.AUTHORISED, held),
            held,
            announce=Kind.AUTHORISED,
        )
    paid = _moved(attempt, A.PAID, now, **facts)
    postings = entries_for_success(paid)
    on_time = Kind.MANDATE_APPROVED if view.payment.kind is PaymentKind.SUBSCRIPTION else Kind.PAID
    kind, news = (EventKind.LATE_SUCCESS, Kind.LATE_SUCCESS) if late else (EventKind.PAID, on_time)
    if late and policy.refund_late_success:
        # An event of its own: a refund is sent only for a cause that the books can show.
        kind, postings = EventKind.LATE_REFUND_DUE, postings + entries_for_late_refund_due(paid)
    return Step(
        kind,
        Actor.BANK,
        _payment_becomes(view, P.PAID, paid),
        paid,
        postings=postings,
        announce=news,
    )


def is_foreign(payment: Payment, payer_account: str) -> bool:
    """Return whether money came from another account than the one that may pay, or from an unnamed
    one.
    """
    return payment.restrictions.payer_account not in {"", payer_account}


def _held(view: PaymentView, success: Attempt) -> Step:
    """Return the step of a success that a risk rule holds, also a late one.

    An operator decides what it becomes.
    """
    posted = entries_for_held(success) if success.state is A.PAID else ()
    payment = _payment_becomes(view, P.UNDER_REVIEW, success)
    return Step(
        EventKind.HELD, Actor.BANK, payment, success, postings=posted, announce=Kind.UNDER_REVIEW
    )


def exceeds_order(view: PaymentView, attempt: Attempt, answer: Approved) -> bool:
    """Return whether an order cannot keep an approved amount.

    It is paid, over, or of another amount.
    """
    other_amount = answer.amount != attempt.amount
    return (
        view.success is not None or other_amount or view.payment.state in {P.VOIDED, P.UNDER_REVIEW}
    )


def is_surplus_hold(view: PaymentView, attempt: Attempt, answer: object) -> bool:
    """Return whether the bank holds an amount that the order cannot keep, so that it has to be
    voided.
    """
    if (
        not isinstance(answer, Approved)
        or not answer.authorised_only
        or attempt.state is A.AUTHORISED
    ):
        return False
    return exceeds_order(view, attempt, answer)


def _surplus_hold(view: PaymentView, attempt: Attempt, now: datetime) -> Step | None:
    """Return the step that records a hold to be voided, and when to ask the bank again whether it
    was.
    """
    if attempt.inquire_at is not None and attempt.inquire_at > now:
        return None
    return Step(
        EventKind.SURPLUS_HOLD,
        Actor.BANK,
        view.payment,
        replace(attempt, inquire_at=now + LATER_GAP),
    )


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
    """Return what a bank's no does.

    None when the attempt has ended already (a no never undoes a yes).
    """
    if attempt.state not in LIVE and attempt.state not in {A.OFFERED, A.UNKNOWN}:
        return None
    if answer.left:
        # A code on an offer that ended unused would say that somebody had tried to pay by it.
        told = (
            replace(attempt, bank_code=answer.code, bank_message=answer.message)
            if attempt.acted
            else attempt
        )
        return expire(view, told, Actor.BANK, now)
    failed = _moved(
        attempt,
        A.NOT_REGISTERED if answer.not_registered else A.FAILED,
        now,
        rrn=answer.rrn or attempt.rrn,
        bank_code=answer.code,
        bank_message=answer.message,
        card=answer.card or attempt.card,
        inquire_at=None,
    )
    state = _state_with(view, failed, now)
    if state not in {P.OPEN, P.IN_PROCESS} and state is view.payment.state:
        return Step(EventKind.ATTEMPT_FAILED, Actor.BANK, view.payment, failed)
    kind = EventKind.FAILED if state in UNPAID_AND_ENDED else EventKind.ATTEMPT_FAILED
    news = _news(view, state, Kind.ATTEMPT_FAILED)
    return Step(kind, Actor.BANK, _payment_becomes(view, state, failed), failed, announce=news)


def after_silence(
    view: PaymentView, attempt: Attempt, answer: Unknown, policy: Policy, now: datetime
) -> Step | None:
    """Return the step for an open answer: the attempt stays pending until the schedule ends."""
    if attempt.state not in LIVE and attempt.state is not A.OFFERED:
        return None
    if not answer.sent and attempt.state is A.SENT:
        # Certain that the bank never had it, so nothing can move: the customer may try again at
        # once.
        return after_decline(view, attempt, NEVER_HAD, now)
    harmless = attempt.state is A.SENT and attempt.method in _HARMLESS_UNTIL_AUTHENTICATING
    # Pending where a question before this one was lost as well: the acquirer waits for a customer
    # whom nobody sent.
    unseen = attempt.state in {A.SENT, A.PENDING} and not attempt.authentication_id
    if harmless or (unseen and attempt.method in AT_ONCE and answer.awaiting_customer):
        # No money moves before the customer was at the bank's page, whose address we would have
        # written down. Whatever the bank says or does not say of it: once our call is over, the
        # customer may try again.
        return (
            expire(view, attempt, Actor.INQUIRY, now)
            if now >= attempt.created_at + CHALLENGE_LOST
            else None
        )
    # A scanned QR begins the schedule anew: it was asked about while nobody had acted on it.
    asked = replace(attempt, inquiries=0) if attempt.state is A.OFFERED and answer.code else attempt
    inquire_at = next_inquiry(asked, policy.schedule, now)
    if inquire_at is None:
        # A QR that nobody seems to have scanned ends nothing; as somebody may have, it is asked
        # about for days.
        silent = _moved(
            attempt,
            A.UNKNOWN,
            now,
            inquire_at=now + LATER_GAP if attempt.state is A.OFFERED else None,
        )
        state = _state_with(view, silent, now)
        payment = replace(view.payment, state=state)
        return Step(EventKind.UNKNOWN, Actor.INQUIRY, payment, silent, announce=_news(view, state))
    # What a bank has not decided at its own page is pending; after a challenge of ours nothing
    # moves without us.
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
    pending = _moved(
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
        EventKind.PENDING, Actor.BANK, _payment_becomes(view, P.IN_PROCESS, pending), pending
    )


def after_nothing_there(view: PaymentView, attempt: Attempt, now: datetime) -> Step | None:
    """Return what "the bank has no record" does: closes what can no longer be paid, else waits."""
    settled = attempt.state not in LIVE and attempt.state not in {A.OFFERED, A.UNKNOWN}
    if settled or now < _waits_until(attempt):
        return None
    return expire(view, attempt, Actor.INQUIRY, now)


def _waits_until(attempt: Attempt) -> datetime:
    """Return until when the bank may still receive an attempt it has no record of."""
    if attempt.state in {A.OFFERED, A.AUTHENTICATING}:
        return attempt.expires_at
    # As above: a card that was not sent to its challenge moves no money, whatever may still reach
    # the bank.
    harmless = attempt.state is A.SENT and attempt.method in _HARMLESS_UNTIL_AUTHENTICATING
    return (attempt.charged_at or attempt.created_at) + (CHALLENGE_LOST if harmless else SENT_GRACE)


def expire(view: PaymentView, attempt: Attempt, actor: Actor, now: datetime) -> Step:
    """Return the step that closes an unpaid attempt, as the bank or the customer said."""
    expired = _moved(attempt, A.EXPIRED, now, inquire_at=None)
    state = _state_with(view, expired, now)
    if not expired.acted:
        payment = replace(view.payment, state=state)
        return Step(EventKind.QR_EXPIRED, actor, payment, expired, announce=_news(view, state))
    if state not in {P.OPEN, P.IN_PROCESS} and state is view.payment.state:
        return Step(EventKind.ATTEMPT_EXPIRED, actor, view.payment, expired)
    news = _news(view, state, Kind.ATTEMPT_FAILED)
    return Step(
        EventKind.ABANDONED, actor, _payment_becomes(view, state, expired), expired, announce=news
    )


def after_answer(
    view: PaymentView,
    attempt: Attempt,
    answer: Approved | Declined | Unknown | NothingThere | Voided,
    policy: Policy,
    now: datetime,
) -> Step | None:
    """Return what any word of the bank does to a payment; None when it changes nothing."""
    match answer:
        case Approved() if in_other_currency(attempt, answer):
            # No figure of it can be set beside ours: people have to look at it, and the bank is
            # asked again meanwhile.
            said = f"the bank speaks of {answer.amount.paise} {answer.amount.currency}"
            return after_silence(view, attempt, Unknown(OTHER_CURRENCY_CODE, said), policy, now)
        case Approved():
            return after_approval(view, attempt, answer, policy, now)
        case Declined():
            return after_decline(view, attempt, answer, now)
        case Unknown():
            return after_silence(view, attempt, answer, policy, now)
        case NothingThere():
            return after_nothing_there(view, attempt, now)
        case Voided():
            # A hold that we did not want, or never heard of, and that the bank has given back:
            # nobody was debited.
            return after_release(view, attempt, answer, now)


def in_other_currency(attempt: Attempt, answer: object) -> bool:
    """Return whether the bank speaks of money in another currency than it was asked for."""
    return isinstance(answer, Approved) and answer.amount.currency != attempt.amount.currency


def switched_off(merchant: Merchant, payment: Payment, channel: str) -> Refusal | None:
    """Return why an open page may no longer use a channel.

    It, or the currency, was switched off.
    """
    settings, currency = merchant.settings, payment.amount.currency
    code = RefusalCode.CHANNEL_NOT_ENABLED
    if currency not in settings.currencies:
        allowed, cures = ", ".join(settings.currencies), (Cure("currencies", currency),)
        return Refusal(code, "currency_code", currency, allowed, cures=cures)
    is_on, unattended = (
        channel in settings.channels,
        payment.kind is PaymentKind.MOTO and not settings.moto,
    )
    if is_on and not unattended:
        return None
    cures = (Cure("moto", "on"),) if is_on else () if unattended else (Cure("channels", channel),)
    return Refusal(code, "chmod", channel, "_".join(settings.channels), cures=cures)


def may_start(view: PaymentView, channel: str, attempts_max: int, now: datetime) -> Refusal | None:
    """Return why the customer may not begin an attempt by a channel now, or None when it may.

    attempts_max: how many the payment may have within ATTEMPTS_WINDOW.
    """
    payment = view.payment
    if payment.state in {P.PAID, P.AUTHORISED, P.CAPTURED}:
        return Refusal(RefusalCode.ORDER_ALREADY_PAID)
    # A challenge that the customer turned away from is no obstacle: a card of it is not charged any
    # more, and what a bank still takes at its own page is given back.
    if payment.state not in {P.OPEN, P.IN_PROCESS} or any(
        each.state is not A.AUTHENTICATING for each in view.live
    ):
        return Refusal(RefusalCode.STATE_FORBIDS, detail=f"payment is {payment.state}")
    if payment.expires_at <= now:
        return Refusal(RefusalCode.STATE_FORBIDS, detail="the session is over")
    by_bharat_qr = channel == UPI.code and BHARAT_QR.code in payment.channels
    if payment.channels and channel not in payment.channels and not by_bharat_qr:
        return Refusal(
            RefusalCode.CHANNEL_NOT_ENABLED, "chmod", channel, "_".join(payment.channels)
        )
    # What is made again at another acquirer is no try of the customer's.
    own = (each for each in view.attempts if not each.route.instead_of)
    recent = sorted(each.created_at for each in own if each.created_at > now - ATTEMPTS_WINDOW)
    if len(recent) >= attempts_max:
        # Once the oldest of the last so many no longer counts.
        wait = recent[-attempts_max] + ATTEMPTS_WINDOW - now
        cures = (Cure("attempts_an_hour", str(len(recent) + 1)),)
        return Refusal(
            RefusalCode.TOO_MANY_REQUESTS, retry_after_s=ceil(wait.total_seconds()), cures=cures
        )
    return None
