"""Take the bank's answers to attempts, by callback and by inquiry."""

from datetime import datetime

import structlog

from hundi.acquirers.port.answers import Approved, BankCallback, Unknown
from hundi.acquirers.port.cards import AuthenticatesCards
from hundi.instruments.methods import METHODS, Flow
from hundi.kernel.ids import parse_reference
from hundi.kernel.moves import LIVE
from hundi.kernel.states import Actor, AttemptState
from hundi.merchants.directory.rules import Merchant
from hundi.payments.attempts import rules
from hundi.payments.attempts.actions import INQUIRY_LEASE, settle
from hundi.payments.attempts.answers import rules as answers
from hundi.payments.attempts.approvals import rules as approvals
from hundi.payments.attempts.authentication.actions import authorise, finish_card
from hundi.payments.attempts.inquiries.actions import ask_soon
from hundi.payments.attempts.transfers import actions as accounts
from hundi.payments.orders import store
from hundi.payments.orders.actions import PaymentCase, PaymentContext, write
from hundi.payments.orders.rules import Attempt, PaymentView, Step

_log = structlog.get_logger(__name__)

_STILL_ASKED = frozenset({*LIVE, AttemptState.OFFERED, AttemptState.UNKNOWN})
_ASKED_ONCE = frozenset({AttemptState.FAILED, AttemptState.NOT_REGISTERED, AttemptState.EXPIRED})
"""States of failed attempts: they are asked about only when their acquirer wants it."""
_CHARGE_ASKED = frozenset({AttemptState.AUTHORISING, AttemptState.PENDING})


async def handle_callback(
    context: PaymentContext, connector: str, word: BankCallback, now: datetime
) -> None:
    """Settle an attempt by an authenticated callback; if acquirer or amount differ, only ask.

    connector: whose callback it is. Its keys prove nothing about attempts at another account. A
    repeated callback changes nothing.
    """
    key = parse_reference(word.reference)
    merchant = await context.directory.get(key[0]) if key else None
    if key is None or merchant is None:
        _log.warning("callback_unknown_reference", event_id=word.event_id)
        return
    view = _opened_here(context, *key, word.answer) or await store.select_by_attempt(
        context.db, *key
    )
    attempt = view.attempt(key[1]) if view else None
    if view is None or attempt is None:
        _log.warning("callback_unknown_attempt", event_id=word.event_id, reference=word.reference)
        return
    answer = word.answer
    case = PaymentCase(context, merchant, view, now)
    if attempt.connector != connector:
        _log.warning("callback_of_another_acquirer", connector=connector, reference=word.reference)
        await ask_soon(context, attempt.connector, word.reference, now)
    elif METHODS[attempt.method].flow is Flow.CREDITED:
        # The callback says only that there is a transfer to ask for.
        await accounts.look(case, attempt)
    elif isinstance(answer, Unknown) and answer.authenticated:
        await finish_card(context, merchant, attempt.attempt_id, now)
    elif isinstance(answer, Approved) and answer.amount != attempt.amount:
        _log.warning("callback_amount_differs", event_id=word.event_id, reference=word.reference)
        await ask_soon(context, connector, word.reference, now)
    else:
        await settle(case, attempt, answer)


def _opened_here(
    context: PaymentContext, merchant_id: int, attempt_id: int, answer: object
) -> PaymentView | None:
    """Return the payment of a QR of this process, when the answer is sure to change it.

    The view may be stale; then the guarded write fails and `write` reads again.
    """
    if not isinstance(answer, Approved) or answer.authorised_only:
        return None
    return context.recent.for_callback(merchant_id, attempt_id)


async def inquire(
    context: PaymentContext, merchant: Merchant, attempt: Attempt, now: datetime
) -> bool:
    """Ask the bank about an attempt and settle its answer.

    Return False when the inquiry could not be sent.

    The caller has claimed the attempt by moving its `inquire_at` (a lease): after a crash it is
    asked about again.
    """
    connector = context.connectors.get(attempt.connector)
    if METHODS[attempt.method].flow is Flow.CREDITED:
        return await accounts.inquire(context, merchant, attempt, now)
    answer = await connector.inquire(attempt.reference)
    if isinstance(answer, Unknown) and not answer.sent:
        # An inquiry that could not be sent says nothing about the charge: do not count it.
        return False
    carries_on = (
        isinstance(answer, Unknown)
        and answer.authenticated
        and attempt.state is not AttemptState.SENT
    )
    held = False
    if carries_on and isinstance(connector, AuthenticatesCards):
        settled = await _carry_on(context, merchant, attempt, connector, now)
    else:
        view = await store.select_by_attempt(context.db, merchant.merchant_id, attempt.attempt_id)
        held = view is not None and approvals.is_surplus_hold(view, attempt, answer)
        case = PaymentCase(context, merchant, view, now) if view else None
        settled = await settle(case, attempt, answer) if case else None
    if settled is not None and settled.inquire_at is not None and settled.state in _STILL_ASKED:
        due = rules.next_inquiry(settled, connector.inquiry_schedule, now)
        if due is None and settled.state is not AttemptState.UNKNOWN:
            due = max(settled.expires_at, now) + INQUIRY_LEASE
        await store.reschedule_inquiry(
            context.db, merchant.merchant_id, attempt.attempt_id, settled.inquire_at, due
        )
    elif settled is not None and settled.state in _ASKED_ONCE and settled.inquire_at is not None:
        # A surplus hold whose void the bank has not confirmed is asked about, and voided, again.
        due = now + rules.LATER_GAP if held else None
        await store.reschedule_inquiry(
            context.db, merchant.merchant_id, attempt.attempt_id, settled.inquire_at, due
        )
    return True


async def _carry_on(
    context: PaymentContext,
    merchant: Merchant,
    attempt: Attempt,
    connector: AuthenticatesCards,
    now: datetime,
) -> Attempt | None:
    """Charge an attempt that the bank has authenticated and not charged.

    The customer did not come back, or our call was lost.

    The bank has just said that it was not charged, and our reference is its key: a repeated call
    moves money once.
    """
    if attempt.state is AttemptState.AUTHENTICATING:
        return await finish_card(context, merchant, attempt.attempt_id, now)
    view = await store.select_by_attempt(context.db, merchant.merchant_id, attempt.attempt_id)
    if view is None:
        return None
    case = PaymentCase(context, merchant, view, now)

    def decide(current: PaymentView) -> Step | None:
        ours = current.attempt(attempt.attempt_id)
        if ours is None or ours.state not in _CHARGE_ASKED or current.success is None:
            return None
        return answers.expire(current, ours, Actor.INQUIRY, now)

    after, _ = await write(case, decide)
    ours = after.attempt(attempt.attempt_id)
    if ours is None or ours.state not in _CHARGE_ASKED:
        return ours
    return await authorise(case.with_view(after), ours, connector)
