"""Rules of attempts: when one may begin, and when to ask the bank; pure."""

from datetime import datetime, timedelta
from math import ceil

from hundi.acquirers.port.answers import (
    NEVER_SENT_CODE,
)
from hundi.acquirers.port.payments import InquirySchedule
from hundi.instruments.methods import (
    BHARAT_QR,
    CARD_MANDATE,
    ENACH,
    ENACH_DEBIT,
    METHODS,
    UPI,
    Flow,
    methods_of,
)
from hundi.kernel.refusals import Cure, Refusal, RefusalCode
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentKind
from hundi.kernel.states import PaymentState as P
from hundi.merchants.directory.rules import Merchant
from hundi.payments.orders.rules import (
    Attempt,
    Payment,
    PaymentView,
)
from hundi.payments.risk.rules import Action

SENT_GRACE = timedelta(seconds=60)
"""The age of a call after which "the bank has no record" is believed.

Our calls end far sooner.
"""
QR_LIFE_LEFT_MIN = timedelta(seconds=5)
"""A QR with less time left is not shown, nor kept when a new one is requested."""
CHALLENGE_LOST = timedelta(seconds=15)
"""A challenge without a stored address after this time was lost.

Our calls end sooner.
"""
LATER_GAP = timedelta(minutes=30)
"""The gap between inquiries about an undecided attempt after the connector's schedule.

See docs/spec/payment-interfaces.md#limits.
"""
LATER_MAX = timedelta(hours=72)
"""The age at which an undecided attempt is left to reconciliation.

See docs/spec/payment-interfaces.md#limits.
"""
CLEARED_LATER = frozenset({ENACH.name, ENACH_DEBIT.name, CARD_MANDATE.name})
CLEARING_MAX = timedelta(days=10)
"""The same for debits by card mandates, and all of eNACH: banks take days, also over holidays."""
ATTEMPTS_WINDOW = timedelta(hours=1)
"""The time in which one payment's attempts are counted (docs/spec/payment-interfaces.md#limits)."""
CHARGED_BY_US = methods_of(Flow.CHALLENGED)
"""Methods whose challenge moves no money: only we charge afterwards."""
CARD_TYPE_CODE, CARD_ISSUER_CODE = "card_type", "card_issuer"
"""Codes for a card that the order, or the lender of its instalments, does not accept.

We refuse it before its bank is called.
"""
OTHER_ACCOUNT_CODE = "other_account"
OTHER_CURRENCY_CODE = "other_currency"
"""The code for an attempt that the bank says it took in another currency."""
NEVER_SENT = "The bank could not be reached; nothing was paid."


def is_declined(attempt: Attempt) -> bool:
    """Return whether the bank declined; a call that never reached it is no decline."""
    return attempt.state is A.FAILED and attempt.bank_code not in {
        NEVER_SENT_CODE,
        CARD_TYPE_CODE,
        CARD_ISSUER_CODE,
    }


def goes_on(view: PaymentView, failed: Attempt, now: datetime) -> bool:
    """Return whether an attempt that never reached its acquirer may be made at another one."""
    over = view.payment.state is not P.OPEN or view.payment.expires_at <= now or view.live
    return failed.state is A.FAILED and failed.bank_code == NEVER_SENT_CODE and not over


def is_blocked(action: Action, method: str) -> bool:
    """Return whether a risk action ends a try: a challenge does where no customer is present."""
    return action is Action.BLOCK or (
        action is Action.CHALLENGE and METHODS[method].flow is Flow.UNATTENDED
    )


def scannable(view: PaymentView, now: datetime) -> Attempt | None:
    """Return the attempt whose QR can still be scanned, or None."""
    offered = view.offered
    return offered if offered is not None and offered.expires_at - now > QR_LIFE_LEFT_MIN else None


def next_inquiry(attempt: Attempt, schedule: InquirySchedule, now: datetime) -> datetime | None:
    """Return when to ask the bank next, or None when inquiries have ended.

    A QR on offer is asked about at its end at the latest: money may have moved without a callback.
    After the schedule, inquiries about an undecided attempt go on slowly for days, because only the
    bank knows whether money moved.
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


def switched_off(merchant: Merchant, payment: Payment, channel: str) -> Refusal | None:
    """Return why an open page may no longer use a channel.

    The merchant has switched off the channel or the currency.
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

    attempts_max: the limit within ATTEMPTS_WINDOW.
    """
    payment = view.payment
    if payment.state in {P.PAID, P.AUTHORISED, P.CAPTURED}:
        return Refusal(RefusalCode.ORDER_ALREADY_PAID)
    # A challenge that the customer left does not block: its card is not charged any more, and what
    # a bank still takes at its own page is refunded.
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
    # Attempts repeated at another acquirer are not tries of the customer.
    own = (each for each in view.attempts if not each.route.instead_of)
    recent = sorted(each.created_at for each in own if each.created_at > now - ATTEMPTS_WINDOW)
    if len(recent) >= attempts_max:
        # The oldest attempt within the limit leaves the window then.
        wait = recent[-attempts_max] + ATTEMPTS_WINDOW - now
        cures = (Cure("attempts_an_hour", str(len(recent) + 1)),)
        return Refusal(
            RefusalCode.TOO_MANY_REQUESTS, retry_after_s=ceil(wait.total_seconds()), cures=cures
        )
    return None
