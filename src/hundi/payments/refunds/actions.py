"""The business verbs of refunds: request, send, take callbacks; and refund what is owed to customers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import msgspec
import structlog
from asyncpg import DeadlockDetectedError, UniqueViolationError

from hundi.acquirers.port import Approved, BankCallback, Declined, NothingThere, RefundOrder, Refunds, Unknown
from hundi.infra.database import Connection
from hundi.kernel.ids import new_id, parse_refund_reference, reference
from hundi.kernel.money import Money
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.kernel.states import Actor, EventKind, RefundCause, RefundState
from hundi.merchants.directory.rules import Merchant
from hundi.money.ledger import rules as ledger
from hundi.notifications.actions import CHANNEL as DELIVERIES_DUE
from hundi.payments.orders import store as payments
from hundi.payments.orders.actions import ID_TRIES_MAX, PaymentContext
from hundi.payments.orders.rules import RefundFacts, facts_of
from hundi.payments.refunds import rules, store
from hundi.payments.refunds.rules import Refund, Target

LEASE = timedelta(seconds=30)
"""How long a claimed refund stays with its worker; longer than any call to a bank takes."""
FAILED_AGAIN_AFTER = timedelta(days=1)
"""Before what is owed to a customer, and whose refund the bank refused, is tried once more.

See docs/spec/payment-interfaces.md#refund-rules.
"""
FAILED_TRIES_MAX = 7
"""Refunds of one debt that may fail before it is left to people.

See docs/spec/payment-interfaces.md#refund-rules.
"""
DUE_CHANNEL = "refunds_due"
_NEWS = {RefundState.DONE: EventKind.REFUND_DONE, RefundState.FAILED: EventKind.REFUND_FAILED}
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Key:
    """What makes a repeated request harmless. content_hash: 32 bytes over the item as it was asked for."""

    request_id: str
    item_no: int
    content_hash: bytes


@dataclass(frozen=True, slots=True)
class RefundRequest:
    """One refund that is asked for. paise: None means all that remains."""

    paise: int | None = None
    key: Key | None = None


@dataclass(frozen=True, slots=True)
class RefundResult:
    """What became of one item.

    refund_id: of the refund begun, or of the one that stands in the way, else 0. paise: of the refund begun.
    """

    refund_id: int
    refusal: Refusal | None = None
    paise: int = 0


async def request(
    context: PaymentContext, merchant: Merchant, payment_id: int, requests: Sequence[RefundRequest], now: datetime
) -> list[RefundResult]:
    """Begin the refunds of one payment that its merchant asks for, in order, or say of each why not.

    They are begun together; the same key again gets the same answer, and is refused (REQUEST_ID_REUSED) for other
    content.
    """
    for _ in range(ID_TRIES_MAX):
        try:
            async with context.db.transaction() as conn:
                target = await store.lock_target(conn, merchant.merchant_id, payment_id)
                answers: list[RefundResult] = []
                for request in requests:
                    answer, target = await _answer(conn, context, merchant, target, request, now)
                    answers.append(answer)
        except (UniqueViolationError, DeadlockDetectedError):
            continue  # an id met its twin, or a request id is being used for another payment at this moment
        if any(each.refusal is None for each in answers):
            context.db.wake(DUE_CHANNEL)
        return answers
    message = "no free refund id found"
    raise RuntimeError(message)


async def _answer(  # noqa: PLR0913 (the world, who asks, what of, what for, and when)
    conn: Connection,
    context: PaymentContext,
    merchant: Merchant,
    target: Target | None,
    request: RefundRequest,
    now: datetime,
) -> tuple[RefundResult, Target | None]:
    """Return what becomes of one request, and the payment as it is then."""
    known = await _known(conn, merchant, request.key)
    if known is not None:
        return known, target
    answer = await _ask(conn, context, merchant, target, request.paise, now)
    if request.key is not None:
        await _keep(conn, merchant, request.key, answer, now)
    if target is None or answer.refusal is not None:
        return answer, target
    return answer, replace(target, refunds=target.refunds + 1, refunded_paise=target.refunded_paise + answer.paise)


async def _ask(  # noqa: PLR0913 (as above)
    conn: Connection,
    context: PaymentContext,
    merchant: Merchant,
    target: Target | None,
    paise: int | None,
    now: datetime,
) -> RefundResult:
    if target is None:
        return RefundResult(0, Refusal(RefusalCode.NO_RECORDS))
    refusal = rules.refund_refusal(target, paise, several=merchant.settings.multiple_partial_refunds)
    if refusal is None and _refunder(context, target) is None:
        refusal = Refusal(RefusalCode.STATE_FORBIDS, detail=f"{target.connector} gives nothing back")
    if refusal is not None:
        return RefundResult(await store.latest(conn, target) if target.refunds else 0, refusal)
    paise = target.remaining_paise if paise is None else paise
    begun = _new(target, RefundCause.MERCHANT, Money(paise, target.currency), now)
    await store.begin(conn, begun, ledger.entry_for_refund_begun(begun, now), Actor.MERCHANT)
    return RefundResult(begun.refund_id, paise=paise)


def _refunder(context: PaymentContext, target: Target) -> Refunds | None:
    connector = context.connectors.get(target.connector) if target.connector else None
    return connector if isinstance(connector, Refunds) else None


def _new(target: Target, cause: RefundCause, amount: Money, now: datetime) -> Refund:
    if target.attempt_id is None or target.connector is None:
        message = f"payment {target.payment_id} is paid and no attempt paid it"
        raise AssertionError(message)
    return Refund(
        merchant_id=target.merchant_id,
        refund_id=new_id(now),
        payment_id=target.payment_id,
        attempt_id=target.attempt_id,
        cause=cause,
        amount=amount,
        connector=target.connector,
        state=RefundState.INITIATED,
        created_at=now,
        due_at=now,
    )


async def _known(conn: Connection, merchant: Merchant, key: Key | None) -> RefundResult | None:
    if key is None:
        return None
    row = await conn.fetchrow(store.SELECT_ANSWER, merchant.merchant_id, key.request_id, key.item_no, key.content_hash)
    if row is None:
        return None
    if row["content_hash"] != key.content_hash:
        reused = Refusal(RefusalCode.REQUEST_ID_REUSED, field="refund_request_id", received=key.request_id)
        return RefundResult(0, reused)
    refusal = Refusal(RefusalCode[row["code"]], detail=row["words"]) if row["code"] else None
    return RefundResult(row["refund_id"] or 0, refusal, row["amount_paise"] or 0)


async def _keep(conn: Connection, merchant: Merchant, key: Key, answer: RefundResult, now: datetime) -> None:
    code = answer.refusal.code.name if answer.refusal else ""
    words = answer.refusal.detail if answer.refusal else ""
    await conn.execute(
        store.INSERT_ANSWER,
        merchant.merchant_id,
        key.request_id,
        key.item_no,
        key.content_hash,
        answer.refund_id or None,
        code,
        words,
        now,
    )


async def refund_what_is_owed(context: PaymentContext, now: datetime, limit: int) -> int:
    """Begin a refund for everything that is owed back to customers and has none; return how many were begun."""
    begun = 0
    for debt in await store.refunds_owed(context.db, now - FAILED_AGAIN_AFTER, FAILED_TRIES_MAX, limit):
        try:
            begun += await _give_back(context, Money(debt["received_paise"], debt["currency"]), dict(debt), now)
        except UniqueViolationError:
            continue  # another worker was first, or the id met its twin: the next look finds what is left
        except Exception:  # noqa: BLE001 (logged; one debt that cannot be paid must not stop the others)
            _log.exception("debt_not_given_back", merchant_id=debt["merchant_id"], attempt_id=debt["attempt_id"])
    return begun


async def _give_back(context: PaymentContext, amount: Money, debt: dict[str, object], now: datetime) -> bool:
    async with context.db.transaction() as conn:
        target = await store.lock_target(conn, int(str(debt["merchant_id"])), int(str(debt["payment_id"])))
        if target is None:
            return False
        cause = RefundCause(str(debt["cause"]))
        if cause is RefundCause.LATE and amount.paise > target.remaining_paise:
            return False  # the merchant has begun to give it back itself
        paid = replace(target, attempt_id=int(str(debt["attempt_id"])), connector=str(debt["connector"]))
        begun = _new(paid, cause, amount, now)
        await store.begin(conn, begun, ledger.entry_for_refund_begun(begun, now), Actor.GATEWAY)
    return True


async def work_on(context: PaymentContext, refund: Refund, now: datetime) -> bool:
    """Send a claimed refund, or ask what became of it; False when the question could not be sent.

    The caller has claimed it by moving its `due_at` (a lease): after a crash it is asked about, never sent blindly.
    """
    connector = context.connectors.get(refund.connector)
    if not isinstance(connector, Refunds):
        _log.error("refund_without_connector", merchant_id=refund.merchant_id, refund_id=refund.refund_id)
        return True
    if refund.state is not RefundState.INITIATED:
        answer = await connector.inquire_refund(refund.reference)
        if isinstance(answer, Unknown) and not answer.sent:
            # That our question never left says nothing about the refund it is about.
            return False
        if not rules.sends_again(refund, answer, now):
            await _settle(context, refund, answer, connector, now)
            return True
    sent = rules.moved(refund, RefundState.SENT, sent_at=now)
    if await store.update(context.db, refund, sent):
        original = reference(refund.merchant_id, refund.attempt_id)
        order = RefundOrder(refund.reference, original, refund.amount.paise, refund.amount.currency)
        await _settle(context, sent, await connector.refund(order), connector, now)
    return True


async def handle_callback(context: PaymentContext, word: BankCallback, now: datetime) -> None:
    """Take an authenticated callback about a refund."""
    named = parse_refund_reference(word.reference)
    refund = await store.select(context.db, *named) if named else None
    connector = context.connectors.get(refund.connector) if refund else None
    if refund is None or not isinstance(connector, Refunds):
        _log.warning("callback_unknown_refund", event_id=word.event_id)
        return
    await _settle(context, refund, word.answer, connector, now)


async def _settle(
    context: PaymentContext,
    refund: Refund,
    answer: Approved | Declined | Unknown | NothingThere,
    connector: Refunds,
    now: datetime,
) -> None:
    """Write the bank's word, once, whoever brings it: with the end come the entry, the event and the announcement."""
    after = rules.after_answer(refund, answer, connector.refund_schedule, now)
    if after == refund:
        return
    if after.state not in _NEWS:
        await store.update(context.db, refund, after)
        return
    async with context.db.transaction() as conn:
        await store.lock_target(conn, refund.merchant_id, refund.payment_id)
        if not await store.update(conn, refund, after):
            return
        await _end(conn, after, now)
    context.db.wake(DELIVERIES_DUE, str(refund.merchant_id))


async def _end(conn: Connection, ended: Refund, now: datetime) -> None:
    view = await payments.select_view(conn, ended.merchant_id, ended.payment_id)
    if view is None:
        message = f"the payment of refund {ended.refund_id} disappeared"
        raise AssertionError(message)
    failed = ended.state is RefundState.FAILED
    if failed and ended.counts_on_payment:
        left = view.payment.refunded_paise - ended.amount.paise
        view = replace(view, payment=replace(view.payment, refunds=view.payment.refunds - 1, refunded_paise=left))
    news = RefundFacts(ended.refund_id, ended.amount.paise, ended.state, ended.bank_message)
    facts = msgspec.structs.replace(facts_of(view), refund=news)
    entry = ledger.entry_for_refund_failed if failed else ledger.entry_for_refund_done
    await store.end(conn, ended, entry(ended, now), _NEWS[ended.state], facts, now)
