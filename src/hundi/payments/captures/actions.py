"""The actions of completions: capture, void, inquire, and void what was not captured in time.

Decide, write the intention, call, settle: the intention is committed before the bank is called.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from asyncpg import UniqueViolationError

from hundi.acquirers.port.answers import Declined, Unknown
from hundi.acquirers.port.payments import CompletesAuthorisations
from hundi.infra.monitoring import traces
from hundi.infra.postgres.database import Beside, Connection
from hundi.kernel.ids import ID_TRIES_MAX, new_id
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused, refuse, wrong_state
from hundi.kernel.states import Actor, CompletionKind, CompletionState, PaymentState
from hundi.merchants.directory.rules import Merchant
from hundi.notifications.actions import CHANNEL as DELIVERIES_DUE
from hundi.payments.captures import rules, store
from hundi.payments.captures.rules import Answer, Completion
from hundi.payments.orders import store as payments
from hundi.payments.orders.actions import PaymentContext, write_locked
from hundi.payments.orders.rules import Payment, PaymentView

LEASE = timedelta(seconds=30)
"""How long a worker holds a claimed completion; longer than any call to a bank takes."""
DUE_CHANNEL = "completions_due"
"""NOTIFY channel: whoever commits a completion that is due soon sends it."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A request to capture or void an authorised amount.

    paise: of a capture, None for all of it. beside: what is written with the intention, in its
    transaction; it gets the completion's id.
    """

    kind: CompletionKind
    actor: Actor
    paise: int | None = None
    beside: Beside | None = None


@dataclass(frozen=True, slots=True)
class CompletionResult:
    """The payment and its completion after a request."""

    view: PaymentView
    completion: Completion


async def complete(
    context: PaymentContext,
    merchant: Merchant,
    payment_id: int,
    request: CompletionRequest,
    now: datetime,
) -> CompletionResult:
    """Capture an authorised amount or void all of it.

    The same request while one is under way gets that one; of two different ones at once, one wins.
    Raises Refused: NO_RECORDS, STATE_FORBIDS, MORE_THAN_REMAINS, BANK_REFUSED, BANK_UNREACHABLE.
    """
    view = await payments.select_view(context.db, merchant.merchant_id, payment_id)
    if view is None:
        raise refuse(RefusalCode.NO_RECORDS)
    refusal = rules.completion_refusal(view.payment, request.kind, request.paise)
    if refusal is not None:
        raise Refused(refusal)
    completion = await _begin(context, view, request, now)
    if completion is None:
        return await _standing(context, view.payment, request)
    return await _ask(context, completion, now)


async def _begin(
    context: PaymentContext, view: PaymentView, request: CompletionRequest, now: datetime
) -> Completion | None:
    """Write the intention.

    None when another completion stands or the authorisation ended meanwhile.
    """
    for _ in range(ID_TRIES_MAX):
        new = _new(view, request, now)
        _completer(context, new.connector)
        try:
            async with context.db.transaction() as conn:
                locked = await payments.lock_view(conn, new.merchant_id, new.payment_id)
                if locked is None or locked.payment.state is not PaymentState.AUTHORISED:
                    return None
                if await store.standing(conn, new.merchant_id, new.payment_id):
                    return None
                await store.insert(conn, new)
                await write_locked(conn, locked, rules.step_asked(locked.payment, new), now)
                if request.beside is not None:
                    await request.beside(conn, new.completion_id)
                return new
        except UniqueViolationError:
            continue  # the id is a duplicate
    message = "no free completion id found"
    raise RuntimeError(message)


def _new(view: PaymentView, request: CompletionRequest, now: datetime) -> Completion:
    attempt, amount = view.success, view.payment.amount
    if attempt is None:
        message = f"payment {view.payment.payment_id} is authorised and no attempt holds it"
        raise AssertionError(message)
    return Completion(
        merchant_id=view.payment.merchant_id,
        completion_id=new_id(now),
        payment_id=view.payment.payment_id,
        attempt_id=attempt.attempt_id,
        kind=request.kind,
        amount=amount if request.paise is None else Money(request.paise, amount.currency),
        connector=attempt.connector,
        state=CompletionState.SENT,
        actor=request.actor,
        created_at=now,
        due_at=now + LEASE,
    )


async def begin_void(
    conn: Connection, locked: PaymentView, actor: Actor, now: datetime
) -> PaymentView:
    """Write a worker's intention to void in the caller's transaction, and return the payment.

    After the commit the caller wakes `DUE_CHANNEL`.
    """
    new = replace(_new(locked, CompletionRequest(CompletionKind.VOID, actor), now), due_at=now)
    await store.insert(conn, new)
    return await write_locked(conn, locked, rules.step_asked(locked.payment, new), now)


async def is_ending(conn: Connection, merchant_id: int, payment_id: int) -> bool:
    """Return whether a capture or void of a payment is under way or done."""
    return await store.standing(conn, merchant_id, payment_id) is not None


async def _standing(
    context: PaymentContext, payment: Payment, request: CompletionRequest
) -> CompletionResult:
    """Return the completion that is under way, if it is the same as the one requested."""
    key = payment.merchant_id, payment.payment_id
    current = await store.standing(context.db, *key)
    view = await payments.select_view(context.db, *key)
    if view is None:
        raise refuse(RefusalCode.NO_RECORDS)
    paise = view.payment.amount.paise if request.paise is None else request.paise
    if (
        current is None
        or current.state not in rules.OPEN
        or (current.kind, current.amount.paise) != (request.kind, paise)
    ):
        state = f"{current.kind} {current.state}" if current else view.payment.state
        raise Refused(wrong_state("payment", state, PaymentState.AUTHORISED))
    return CompletionResult(view, current)


def _completer(context: PaymentContext, connector: str) -> CompletesAuthorisations:
    completer = context.connectors.get(connector)
    if not isinstance(completer, CompletesAuthorisations):
        raise refuse(RefusalCode.STATE_FORBIDS, detail=f"{connector} ends no authorisations")
    return completer


async def _call(context: PaymentContext, completion: Completion) -> Answer:
    bank = _completer(context, completion.connector)
    if completion.kind is CompletionKind.VOID:
        return await bank.void(completion.original)
    return await bank.capture(completion.original, completion.amount)


async def _ask(context: PaymentContext, completion: Completion, now: datetime) -> CompletionResult:
    answer = known = await _call(context, completion)
    if isinstance(answer, Declined):
        # A decline may mean that the hold has ended: what the bank says about the hold decides.
        hold = await context.connectors.get(completion.connector).inquire(completion.original)
        known = hold if rules.has_ended(hold) else answer
    after = await _settle(context, completion, known, now, refused=isinstance(answer, Declined))
    if after.state is CompletionState.FAILED:
        if isinstance(answer, Declined):
            raise refuse(RefusalCode.BANK_REFUSED, detail=answer.message or after.bank_message)
        raise refuse(RefusalCode.BANK_UNREACHABLE, detail=after.bank_message)
    if after.state in rules.OPEN:
        context.db.wake(DUE_CHANNEL)
    view = await payments.select_view(context.db, completion.merchant_id, completion.payment_id)
    if view is None:
        message = f"payment {completion.payment_id} disappeared"
        raise AssertionError(message)
    return CompletionResult(view, after)


async def work_on(context: PaymentContext, completion: Completion, now: datetime) -> bool:
    """Ask about a claimed completion, and repeat the call if the bank still holds the amount.

    Return False when the inquiry could not be sent.

    The caller has claimed it by moving its `due_at` (a lease): after a crash it is asked about,
    never sent blindly.
    """
    traces.note(completion.merchant_id, completion.payment_id)
    answer: Answer = await context.connectors.get(completion.connector).inquire(completion.original)
    if isinstance(answer, Unknown) and not answer.sent:
        # An inquiry that could not be sent says nothing about the completion: do not count it.
        return False
    if rules.sends_again(completion, answer, now):
        if not await store.is_backed(context.db, completion):
            # Somebody changed the books: nothing is sent, and the audit names what is wrong.
            _log.error(
                "completion_not_backed",
                merchant_id=completion.merchant_id,
                completion_id=completion.completion_id,
            )
            return True
        answer = await _call(context, completion)
        if isinstance(answer, Unknown):
            answer = replace(answer, sent=True)  # an earlier call of ours may have reached the bank
    await _settle(context, completion, answer, now)
    return True


async def _settle(
    context: PaymentContext,
    completion: Completion,
    answer: Answer,
    now: datetime,
    *,
    refused: bool = False,
) -> Completion:
    """Apply the bank's answer exactly once.

    The posting, the event and the notification are written with the end.
    """
    schedule = context.connectors.get(completion.connector).inquiry_schedule
    verdict = rules.after_answer(completion, answer, schedule, now, refused=refused)
    after = verdict.completion
    if after.state in rules.OPEN:
        await store.update(context.db, completion, after)
        return after
    async with context.db.transaction() as conn:
        locked = await payments.lock_view(conn, completion.merchant_id, completion.payment_id)
        if locked is None:
            message = f"the payment of completion {completion.completion_id} disappeared"
            raise AssertionError(message)
        if await store.update(conn, completion, after):
            await write_locked(conn, locked, rules.step_ended(locked.payment, verdict, now), now)
    context.db.wake(DELIVERIES_DUE, str(completion.merchant_id))
    return after


async def void_uncaptured(
    context: PaymentContext, merchant_id: int, payment_id: int, now: datetime
) -> bool:
    """Void an authorisation that was not captured in time; return whether the bank was asked."""
    merchant = await context.directory.get(merchant_id)
    if merchant is None:
        return False
    try:
        request = CompletionRequest(CompletionKind.VOID, Actor.GATEWAY)
        await complete(context, merchant, payment_id, request, now)
    except Refused as refused:
        _log.warning("void_refused", payment_id=payment_id, reason=refused.refusal.code.log_name)
        return False
    return True
