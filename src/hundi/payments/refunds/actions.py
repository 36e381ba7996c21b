"""The actions of refunds: request, send, take callbacks; and refund what is owed to customers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from asyncpg import DeadlockDetectedError, UniqueViolationError

from hundi.acquirers.port.answers import Approved, BankCallback, Declined, NothingThere, Unknown
from hundi.acquirers.port.payments import RefundOrder, Refunds
from hundi.acquirers.port.splits import RefundsShares
from hundi.infra.background.due import ALWAYS, WorkSpan
from hundi.infra.monitoring import traces
from hundi.infra.postgres.database import Beside, Connection, Queries
from hundi.instruments.methods import METHODS, Flow
from hundi.kernel.ids import ID_TRIES_MAX, new_id, parse_refund_reference, reference
from hundi.kernel.money import RATE_ONE, Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.kernel.states import Actor, RefundCause, RefundState
from hundi.merchants.directory.rules import Merchant
from hundi.notifications.actions import CHANNEL as DELIVERIES_DUE
from hundi.payments.direct_shares import store as direct_shares
from hundi.payments.direct_shares.reversals import actions as reversals
from hundi.payments.direct_shares.reversals import store as reversals_store
from hundi.payments.orders import store as payments
from hundi.payments.orders.actions import PaymentContext, write_locked
from hundi.payments.orders.rules import Attempt, Payment, PaymentView
from hundi.payments.refunds import rules, store
from hundi.payments.refunds.limits import rules as limits
from hundi.payments.refunds.rules import Refund, RefundOwed, RefundTotals, RequestKey
from hundi.payments.refunds.store import KeptAnswer

LEASE = timedelta(seconds=30)
"""How long a worker holds a claimed refund; longer than any call to a bank takes."""
FAILED_AGAIN_AFTER = timedelta(days=1)
"""The delay before a refund owed that the bank refused is tried again.

See docs/spec/payment-interfaces.md#refund-rules.
"""
FAILED_TRIES_MAX = 7
"""Failed tries of one refund owed before it is left to operators.

See docs/spec/payment-interfaces.md#refund-rules.
"""
DUE_CHANNEL = "refunds_due"
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ItemToRefund:
    """A request for one refund.

    paise: None means all that remains. alone: no second person has agreed, where the merchant wants
    that above its limit (`limits.alone_paise_max`). beside: what is written with a new refund, in
    its transaction; it gets the refund's id.
    """

    paise: int | None = None
    key: RequestKey | None = None
    alone: bool = False
    beside: Beside | None = None


@dataclass(frozen=True, slots=True)
class RefundOutcome:
    """The outcome of one request.

    refund_id: the refund begun, or the one that stands in the way, else 0. paise: of the refund
    begun.
    """

    refund_id: int
    refusal: Refusal | None = None
    paise: int = 0


async def request(
    context: PaymentContext,
    merchant: Merchant,
    payment_id: int,
    requests: Sequence[ItemToRefund],
    now: datetime,
) -> list[RefundOutcome]:
    """Begin a merchant's refunds of one payment, in order; say why any is not begun.

    They share a transaction. The same key again gets the same answer, and is refused
    (REQUEST_ID_REUSED) for other content.
    """
    for _ in range(ID_TRIES_MAX):
        try:
            async with context.db.transaction() as conn:
                locked = await payments.lock_view(conn, merchant.merchant_id, payment_id)
                asking = _Asking(conn, context, merchant, now)
                answers: list[RefundOutcome] = []
                for request in requests:
                    answer, locked = await _answer(asking, locked, request)
                    answers.append(answer)
        except (UniqueViolationError, DeadlockDetectedError):
            continue  # a duplicate id, or a request id used for another payment right now
        if any(each.refusal is None for each in answers):
            context.db.wake(DUE_CHANNEL)
        return answers
    message = "no free refund id found"
    raise RuntimeError(message)


@dataclass(frozen=True, slots=True)
class _Asking:
    """One transaction that answers a merchant's requests."""

    conn: Connection
    context: PaymentContext
    merchant: Merchant
    now: datetime


async def _answer(
    asking: _Asking, locked: PaymentView | None, request: ItemToRefund
) -> tuple[RefundOutcome, PaymentView | None]:
    """Return the outcome of one request, and the payment after it."""
    earlier = await _known(asking.conn, asking.merchant.merchant_id, request.key)
    if earlier is not None:
        return earlier, locked
    answer, after = await _ask(asking, locked, request)
    if request.key is not None:
        refusal = answer.refusal
        code, words = (refusal.code.name, refusal.detail) if refusal else ("", "")
        stored = KeptAnswer(request.key.content_hash, answer.refund_id, answer.paise, code, words)
        await store.insert_answer(
            asking.conn, asking.merchant.merchant_id, request.key, stored, asking.now
        )
    if request.beside is not None and answer.refusal is None:
        await request.beside(asking.conn, answer.refund_id)
    return answer, after


async def _ask(
    asking: _Asking, locked: PaymentView | None, request: ItemToRefund
) -> tuple[RefundOutcome, PaymentView | None]:
    paise = request.paise
    if locked is None:
        return RefundOutcome(0, Refusal(RefusalCode.NO_RECORDS)), None
    payment, paid = locked.payment, locked.success
    several = asking.merchant.settings.multiple_partial_refunds
    disputed = await payments.disputed(asking.conn, payment.merchant_id, payment.payment_id)
    refusal = limits.refund_refusal(payment, paise, several=several, disputed=disputed)
    if refusal is None and (
        paid is None or not isinstance(asking.context.connectors.get(paid.connector), Refunds)
    ):
        refusal = Refusal(
            RefusalCode.STATE_FORBIDS, detail=f"{paid and paid.connector} gives nothing back"
        )
    if refusal is None and paid is not None and await store.goes_back(asking.conn, paid):
        # The customer is owed its money already: a second refund would be at the merchant's own
        # cost.
        refusal = rules.GOES_BACK
    if refusal is None and request.alone:
        refusal = limits.alone_refusal(asking.merchant.settings, payment, paise)
    key = asking.merchant.key
    if refusal is None and key is not None:
        refusal = limits.altogether_refusal(
            payment, paise, limits.key_paise_max(key, payment), f"by the key {key.name}"
        )
    if refusal is not None or paid is None:
        standing = (
            await store.latest(asking.conn, payment.merchant_id, payment.payment_id)
            if payment.refunds
            else 0
        )
        return RefundOutcome(standing, refusal), locked
    left = payment.remaining.paise - disputed.paise
    amount = Money(left if paise is None else paise, payment.amount.currency)
    request_id = request.key.request_id if request.key else ""
    before = await _given_back(asking.conn, paid)
    refund = rules.new_refund(
        new_id(asking.now), paid, RefundCause.MERCHANT, amount, before, asking.now, request_id
    )
    after = await _begin(asking.conn, locked, refund, Actor.MERCHANT, asking.now)
    return RefundOutcome(refund.refund_id, paise=amount.paise), after


async def _given_back(conn: Connection, attempt: Attempt) -> RefundTotals:
    """Return the totals of an attempt's other refunds, for the rounding to rupees."""
    return (
        RefundTotals() if attempt.rate_micros == RATE_ONE else await store.given_back(conn, attempt)
    )


async def _begin(
    conn: Connection, locked: PaymentView, refund: Refund, actor: Actor, now: datetime
) -> PaymentView:
    await store.insert(conn, refund)
    return await write_locked(
        conn, locked, rules.step_begun(locked.payment, refund, actor, now), now
    )


async def answered(
    context: PaymentContext, merchant_id: int, key: RequestKey
) -> RefundOutcome | None:
    """Return the earlier answer to a request with this key, or None.

    REQUEST_ID_REUSED where the earlier request had other content.
    """
    return await _known(context.db, merchant_id, key)


async def _known(source: Queries, merchant_id: int, key: RequestKey | None) -> RefundOutcome | None:
    stored = None if key is None else await store.select_answer(source, merchant_id, key)
    if key is None or stored is None:
        return None
    if stored.content_hash != key.content_hash:
        reused = Refusal(
            RefusalCode.REQUEST_ID_REUSED, field="refund_request_id", received=key.request_id
        )
        return RefundOutcome(0, reused)
    refusal = Refusal(RefusalCode[stored.code], detail=stored.words) if stored.code else None
    return RefundOutcome(stored.refund_id, refusal, stored.paise)


async def refund_what_is_owed(
    context: PaymentContext, now: datetime, limit: int, within: WorkSpan = ALWAYS
) -> int:
    """Begin a refund for each refund owed that has none; return how many were begun.

    within: only of attempts that began in this span.
    """
    count = 0
    for owed in await store.refunds_owed(
        context.db, now - FAILED_AGAIN_AFTER, FAILED_TRIES_MAX, limit
    ):
        if not within.has(owed.attempt_id):
            continue
        try:
            count += await _refund_one_owed(context, owed, now)
        except UniqueViolationError:
            continue  # another worker was first, or a duplicate id: the next poll finds it
        except Exception:  # noqa: BLE001 (logged; one that cannot be begun must not stop the others)
            _log.exception(
                "refund_owed_not_begun", merchant_id=owed.merchant_id, attempt_id=owed.attempt_id
            )
    return count


async def _refund_one_owed(context: PaymentContext, owed: RefundOwed, now: datetime) -> bool:
    async with context.db.transaction() as conn:
        locked = await payments.lock_view(conn, owed.merchant_id, owed.payment_id)
        attempt = locked.attempt(owed.attempt_id) if locked else None
        if locked is None or attempt is None:
            return False
        before = await _given_back(conn, attempt)
        refund = rules.new_refund(new_id(now), attempt, owed.cause, owed.amount, before, now)
        await _begin(conn, locked, refund, Actor.GATEWAY, now)
    return True


async def work_on(context: PaymentContext, refund: Refund, now: datetime) -> bool:
    """Send a claimed refund, or ask for its outcome; False when the inquiry could not be sent.

    The caller has claimed it by moving its `due_at` (a lease): after a crash it is asked about,
    never sent blindly.
    """
    traces.note(refund.merchant_id, refund.payment_id)
    connector = context.connectors.get(refund.connector)
    if not isinstance(connector, Refunds):
        _log.error(
            "refund_without_connector", merchant_id=refund.merchant_id, refund_id=refund.refund_id
        )
        return True
    if refund.state is not RefundState.INITIATED:
        answer = await connector.inquire_refund(refund.reference)
        if isinstance(answer, Unknown) and not answer.sent:
            # An inquiry that could not be sent says nothing about the refund: do not count it.
            return False
        if not rules.sends_again(refund, answer, now):
            await _settle(context, refund, answer, connector, now)
            return True
    if not await store.is_backed(context.db, refund):
        # Somebody changed the books: nothing is sent, and the audit names what is wrong.
        _log.error("refund_not_backed", merchant_id=refund.merchant_id, refund_id=refund.refund_id)
        return True
    rupees = refund.settled if refund.amount.currency != refund.settled.currency else None
    order = RefundOrder(refund.reference, await _original(context, refund), refund.amount, rupees)
    if isinstance(connector, RefundsShares):
        await _send_with_shares(context, refund, order, connector, now)
        return True
    after = rules.moved(refund, RefundState.SENT, sent_at=now)
    if await store.update(context.db, refund, after):
        await _settle(context, after, await connector.refund(order), connector, now)
    return True


async def _send_with_shares(
    context: PaymentContext,
    refund: Refund,
    order: RefundOrder,
    connector: RefundsShares,
    now: datetime,
) -> None:
    """Send a refund with what it takes of direct shares, or wait until those are decided."""
    after = rules.moved(refund, RefundState.SENT, sent_at=now)
    async with context.db.transaction() as conn:
        view = await payments.lock_view(conn, refund.merchant_id, refund.payment_id)
        if view is None or await reversals.is_held_back(conn, view, refund.attempt_id):
            later = replace(refund, due_at=now + reversals.WAITS_FOR_SHARE)
            await store.update(conn, refund, later)
            return
        if not await store.update(conn, refund, after):
            return
        carrying = reversals.RefundToCarry(
            refund.refund_id, refund.attempt_id, refund.amount.paise, refund.sent_at is None
        )
        parts = await reversals.carried_by(conn, view, carrying, now)
    answer = await connector.refund_with_shares(order, parts)
    await _settle(context, after, answer, connector, now)


async def _original(context: PaymentContext, refund: Refund) -> str:
    """Return the bank's name of the money: our reference, or the UTR of a transfer."""
    view = await payments.select_by_attempt(context.db, refund.merchant_id, refund.attempt_id)
    attempt = view.attempt(refund.attempt_id) if view else None
    if attempt is not None and METHODS[attempt.method].flow is Flow.CREDITED:
        return attempt.rrn
    return reference(refund.merchant_id, refund.attempt_id)


async def of_payment(context: PaymentContext, payment: Payment) -> list[Refund]:
    """Return every refund of a payment, oldest first."""
    return await store.of_payment(context.db, payment.merchant_id, payment.payment_id)


async def find(context: PaymentContext, merchant_id: int, refund_id: int) -> Refund | None:
    """Return one refund of a merchant, or None."""
    return await store.select(context.db, merchant_id, refund_id)


async def handle_callback(
    context: PaymentContext, connector: str, word: BankCallback, now: datetime
) -> None:
    """Take an authenticated callback about a refund. connector: the sender."""
    key = parse_refund_reference(word.reference)
    refund = await store.select(context.db, *key) if key else None
    acquirer = context.connectors.get(connector)
    if refund is None or refund.connector != connector or not isinstance(acquirer, Refunds):
        _log.warning("callback_unknown_refund", event_id=word.event_id)
        return
    if refund.state is RefundState.DONE:
        # An old message could undo what happened since: a decline only causes an inquiry.
        if isinstance(word.answer, Declined):
            await ask_now(context, connector, word.reference, now)
        return
    await _settle(context, refund, word.answer, acquirer, now)


async def ask_now(context: PaymentContext, connector: str, reference: str, now: datetime) -> None:
    """Request an inquiry about a refund, as a proven message asks. It is stored on return.

    A refund that is done may have come back. One that failed or came back is not asked about: no
    rule withdraws what was announced of it.
    """
    key = parse_refund_reference(reference)
    if key is not None:
        await store.ask_now(context.db, connector, *key, now)
        context.db.wake(DUE_CHANNEL)


async def _settle(
    context: PaymentContext,
    refund: Refund,
    answer: Approved | Declined | Unknown | NothingThere,
    connector: Refunds,
    now: datetime,
) -> None:
    """Apply the bank's answer exactly once.

    The posting, the event and the notification are written with the end.

    Money that comes back later is booked in the same way.
    """
    after = rules.after_answer(refund, answer, connector.refund_schedule, now)
    if after == refund:
        return
    if after.state in rules.OPEN or after.state is refund.state:
        await store.update(context.db, refund, after)
        return
    async with context.db.transaction() as conn:
        locked = await payments.lock_view(conn, refund.merchant_id, refund.payment_id)
        if locked is None:
            message = f"the payment of refund {refund.refund_id} disappeared"
            raise AssertionError(message)
        if not await store.update(conn, refund, after):
            return
        await write_locked(conn, locked, rules.step_ended(locked.payment, after, now), now)
        if after.state is RefundState.DONE:
            await direct_shares.refund_ended(conn, refund.merchant_id, refund.payment_id, now)
        elif after.state is RefundState.FAILED:
            await reversals_store.refund_failed(conn, refund.merchant_id, refund.refund_id, now)
    context.db.wake(DELIVERIES_DUE, str(refund.merchant_id))
