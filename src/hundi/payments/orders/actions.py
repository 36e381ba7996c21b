"""The actions of payments: initiate, find, close; and `write` and `write_locked`, which change one.

Both write a `Step` by the same guarded call. `write` reads and decides again when another writer
was first; `write_locked` is for a change that belongs to a row of its own (a refund, a capture, a
split) in one transaction.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache

import structlog
from asyncpg import UniqueViolationError
from prometheus_client import Counter

from hundi.acquirers.port.payments import Connector
from hundi.acquirers.registry import Registry
from hundi.infra.monitoring import traces
from hundi.infra.monitoring.counters import ATTEMPTS
from hundi.infra.postgres.database import Connection, Database
from hundi.instruments.card import CardNumber, scheme_of
from hundi.instruments.methods import (
    CHANNEL_OF_METHOD,
    CHANNELS,
    METHODS,
    ON_OFFER,
    SCANNED,
    UPI_QR,
    Method,
)
from hundi.kernel.clock import ist
from hundi.kernel.events import WRITTEN_WHEN_WANTED
from hundi.kernel.ids import new_id
from hundi.kernel.moves import OUTCOMES
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, AttemptState, EventKind, PaymentKind, PaymentState
from hundi.letters.actions import DUE_CHANNEL as LETTERS_DUE
from hundi.merchants.directory.actions import Directory
from hundi.merchants.directory.rules import Merchant
from hundi.notifications.actions import CHANNEL as DELIVERIES_DUE
from hundi.payments.orders import rules, store
from hundi.payments.orders.channels.rules import needs_of
from hundi.payments.orders.endings import rules as endings
from hundi.payments.orders.finding import store as finding
from hundi.payments.orders.recent.store import RecentViews
from hundi.payments.orders.rules import Attempt, Payment, PaymentView, Step
from hundi.payments.orders.telling.actions import tell
from hundi.payments.orders.telling.rules import recipients_of
from hundi.payments.risk import store as blocks
from hundi.payments.risk.actions import NOBODY, PayerTrace, RiskControl
from hundi.payments.risk.rules import Action, Facts, RiskRecord
from hundi.payments.routing.actions import NOBODY_CANNOT, Router
from hundi.payments.routing.rules import AttemptRoute, RoutingCase

WRITE_TRIES_MAX = 20
"""Decisions repeated after losing a race before giving up.

Each loss means that another writer made progress.
"""
REVISION_OF_BLOCKS_MAX = 200
"""The revision from which on blocked tries of a payment are not recorded any more.

Somebody may go on for hours.
"""
FOLLOWED_CHANNEL = "payments_followed"
"""NOTIFY channel: a step made other work due that has no due time of its own."""
_FOLLOWED = frozenset({EventKind.EXCESS_PAYMENT, EventKind.LATE_REFUND_DUE, EventKind.LATE_HOLD})
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PaymentContext:
    """Dependencies of the payment actions.

    session, qr: lives of a payment session and of one QR. recent: payments that this process has
    just opened. connectors: for existing attempts; `route` chooses one for a new attempt.
    """

    db: Database
    directory: Directory
    connectors: Registry
    risk: RiskControl
    session: timedelta
    qr: timedelta
    recent: RecentViews = field(default_factory=RecentViews)
    router: Router = field(default_factory=Router)


@dataclass(frozen=True, slots=True)
class PaymentCase:
    """The payment of an action, with its merchant and the time.

    view: it may be stale; then the guarded write fails and `write` reads again. payer: the traces
    of the customer who acts.
    """

    context: PaymentContext
    merchant: Merchant
    view: PaymentView
    now: datetime
    payer: PayerTrace = NOBODY

    @property
    def payment(self) -> Payment:
        """Return the order itself."""
        return self.view.payment

    def with_view(self, view: PaymentView) -> "PaymentCase":
        """Return the case with the view after a step."""
        return replace(self, view=view)


async def view(context: PaymentContext, merchant_id: int, payment_id: int) -> PaymentView | None:
    """Return a payment with its attempts, for reading only."""
    return await find(context, merchant_id, order_id=None, payment_id=payment_id, rrn=None)


async def find(
    context: PaymentContext,
    merchant_id: int,
    *,
    order_id: str | None,
    payment_id: int | None,
    rrn: str | None,
) -> PaymentView | None:
    """Return the payment that every given reference agrees on, or None."""
    payment_view = await finding.select_by_references(
        context.db, merchant_id, order_id, payment_id, rrn
    )
    if payment_view is not None:
        traces.note(merchant_id, payment_view.payment.payment_id)
    return payment_view


async def by_attempt(
    context: PaymentContext, merchant_id: int, attempt_id: int
) -> PaymentView | None:
    """Return the payment that an attempt belongs to, for reading only."""
    return await store.select_by_attempt(context.db, merchant_id, attempt_id)


def new_attempt(
    payment: Payment, method: str, connector: Connector, life: timedelta, now: datetime
) -> Attempt:
    """Return a new attempt.

    It is OFFERED when it waits for the customer, SENT when the bank is called next.
    """
    surcharge = payment.surcharge_by(CHANNEL_OF_METHOD[method].code)
    return Attempt(
        merchant_id=payment.merchant_id,
        attempt_id=new_id(now),
        payment_id=payment.payment_id,
        method=method,
        state=AttemptState.OFFERED if METHODS[method].flow in ON_OFFER else AttemptState.SENT,
        amount=payment.amount + surcharge,
        surcharge_paise=surcharge.paise,
        connector=connector.name,
        created_at=now,
        expires_at=now + life,
        inquire_at=now + timedelta(seconds=connector.inquiry_schedule.gaps_s[0]),
    )


async def route(
    case: PaymentCase,
    among: Sequence[Method],
    *,
    bank: str = "",
    card: CardNumber | None = None,
    cannot: Mapping[str, str] = NOBODY_CANNOT,
) -> AttemptRoute:
    """Return the ways to begin an attempt, in the order in which they are tried.

    among: methods of one channel. bank: the chosen one's code. cannot: by acquirer, why it cannot
    take the attempt.
    """
    payment = case.payment
    routing_case = RoutingCase(
        payment.merchant_id,
        needs_of(payment),
        payment.payment_id,
        len(case.view.attempts),
        CHANNEL_OF_METHOD[among[0].name].code,
        (scheme_of(card.number) or "") if card else "",
        bank,
        payment.amount.paise,
        case.now,
    )
    return await case.context.router.route(case.context.connectors, routing_case, among, cannot)


async def new_qr(case: PaymentCase) -> Attempt | None:
    """Return a QR attempt to write, None when no connector offers UPI without a link.

    The caller must not offer one that `is_blocked`.
    """
    for code in case.payment.channels:
        if code in SCANNED:
            attempt_route = await route(case, CHANNELS[code].first_steps)
            if attempt_route.first is not None and attempt_route.first.method is UPI_QR:
                return await new_offer(case, attempt_route)
    return None


async def new_offer(case: PaymentCase, attempt_route: AttemptRoute) -> Attempt:
    """Return an attempt to write, for a QR to be scanned.

    The caller must not offer one that `is_blocked`.
    """
    context, payment, now, way = case.context, case.payment, case.now, attempt_route.first
    assert way is not None, "somebody can"
    attempt = replace(
        new_attempt(payment, way.method.name, way.connector, context.qr, now),
        route=attempt_route.routed,
    )
    record = RiskRecord(context.risk.seen(case.payer))
    verdict = await context.risk.check_offer(
        facts_of_try(payment, replace(attempt, risk=record), now), now
    )
    # The payer's traces are kept only where a rule matched: most QRs are scanned elsewhere than the
    # page that shows them.
    return replace(attempt, risk=RiskRecord(record.seen, verdict)) if verdict.rule else attempt


def is_blocked(attempt: Attempt | None) -> bool:
    """Return whether a risk rule blocks an attempt."""
    return attempt is not None and attempt.risk.verdict.action is Action.BLOCK


def facts_of_try(payment: Payment, attempt: Attempt, at: datetime) -> Facts:
    """Return the facts for the risk rules: one try at paying an order, and its payer."""
    seen = attempt.risk.seen
    return Facts(
        amount_paise=payment.amount.paise,
        currency=payment.amount.currency,
        channel=rules.channel_of(payment, attempt.method),
        method=attempt.method,
        kind=payment.kind,
        hour=ist(at).hour,
        email=payment.buyer.email,
        phone=payment.buyer.phone,
        ip_address=seen.ip_address,
        device=seen.device,
        card=seen.card,
        card_bin=seen.card_bin,
        card_scheme=seen.card_scheme,
        upi_address=attempt.payer_vpa,
        bank=attempt.bank,
        order=str(payment.payment_id),
        merchant=str(payment.merchant_id),
    )


async def write_block(case: PaymentCase, blocked: Attempt) -> PaymentView | None:
    """Record a blocked try as an event of the payment, and return the payment."""
    payment, now = case.payment, case.now
    async with case.context.db.transaction() as conn:
        locked = await store.lock_view(conn, payment.merchant_id, payment.payment_id)
        if locked is None or locked.payment.revision >= REVISION_OF_BLOCKS_MAX:
            return locked
        await blocks.insert_block(conn, locked.payment.revision + 1, blocked, now)
        return await write_locked(
            conn, locked, Step(EventKind.RISK_BLOCKED, Actor.GATEWAY, locked.payment), now
        )


async def write(
    case: PaymentCase, decide: Callable[[PaymentView], Step | None]
) -> tuple[PaymentView, Step | None]:
    """Write the step that `decide` returns; return the payment after it, and the step.

    If the payment changed meanwhile, read and decide again. Without a step nothing is written.
    """
    context, merchant, current, now = case.context, case.merchant, case.view, case.now
    payment_id = current.payment.payment_id
    traces.note(merchant.merchant_id, payment_id)
    for _ in range(WRITE_TRIES_MAX):
        step = decide(current)
        if step is None:
            return current, None
        if (
            step.announce
            and step.announce in WRITTEN_WHEN_WANTED
            and not merchant.settings.is_written(step.announce)
        ):
            step = replace(step, announce=None)
        after = rules.view_after(current, step)
        context.recent.forget(current)
        try:
            if await _write_told(context, merchant, current, step, after, now):
                _count_outcome(current, step)
                if step.announce is not None:
                    context.db.wake(DELIVERIES_DUE, str(merchant.merchant_id))
                if _is_followed(step, after, now):
                    context.db.wake(FOLLOWED_CHANNEL)
                return after, step
        except UniqueViolationError as conflict:
            # Another success of this order was committed in between, or an id is a duplicate: read
            # and decide again.
            _log.info("step_conflict", conflict=str(conflict), merchant_id=merchant.merchant_id)
        fresh = await store.select_view(context.db, merchant.merchant_id, payment_id)
        if fresh is None:
            message = "a payment disappeared"
            raise AssertionError(message)
        current = fresh
    message = f"payment {payment_id} kept changing"
    raise RuntimeError(message)


async def _write_told(
    context: PaymentContext,
    merchant: Merchant,
    before: PaymentView,
    step: Step,
    after: PaymentView,
    now: datetime,
) -> bool:
    """Write a step, with its customer's letters if the merchant chose some; False if it lost."""
    revision = before.payment.revision
    if not recipients_of(step, merchant.settings):
        return await store.write_step(context.db.shared, revision, step, after, now)
    async with context.db.transaction() as conn:
        if not await store.write_step(conn, revision, step, after, now):
            return False
        told = await tell(conn, after, step, now)
    if told:
        context.db.wake(LETTERS_DUE)
    return True


def _is_followed(step: Step, after: PaymentView, now: datetime) -> bool:
    """Return whether a step makes other work due that has no due time of its own."""
    payment = after.payment
    approved = payment.kind is PaymentKind.SUBSCRIPTION and payment.state is PaymentState.PAID
    session_over = (
        payment.state is PaymentState.OPEN and payment.expires_at <= now and not after.live
    )
    return step.kind in _FOLLOWED or approved or session_over


def _count_outcome(before: PaymentView, step: Step) -> None:
    """Count the final outcome of an attempt in the metrics."""
    attempt = step.attempt
    attempt_before = attempt and before.attempt(attempt.attempt_id)
    if (
        attempt is not None
        and attempt.state in OUTCOMES
        and (attempt_before is None or attempt_before.state is not attempt.state)
    ):
        _counter(attempt.connector, attempt.method, attempt.state).inc()


@cache
def _counter(connector: str, method: str, state: str) -> Counter:
    return ATTEMPTS.labels(connector, method, state)


async def write_locked(
    conn: Connection, locked: PaymentView, step: Step, now: datetime
) -> PaymentView:
    """Write a step decided on `store.lock_view`'s result, in the caller's transaction.

    The caller must wake the deliveries after the commit if the step announces something.
    """
    after = rules.view_after(locked, step)
    if not await store.write_step(conn, locked.payment.revision, step, after, now):
        message = f"payment {locked.payment.payment_id} changed under its lock"
        raise AssertionError(message)
    await tell(conn, after, step, now)
    return after


async def leave(
    context: PaymentContext, merchant: Merchant, payment_view: PaymentView, now: datetime
) -> PaymentView:
    """End a payment whose customer returns to the merchant after a declined attempt."""
    case = PaymentCase(context, merchant, payment_view, now)
    after, _ = await write(case, lambda current: endings.leave_page(current, now))
    return after


async def close(context: PaymentContext, merchant_id: int, payment_id: int, now: datetime) -> bool:
    """Close an open payment after its session if it cannot be paid.

    Return whether it is closed.
    """
    merchant = await context.directory.get(merchant_id)
    payment_view = await store.select_view(context.db, merchant_id, payment_id)
    if merchant is None or payment_view is None:
        return False
    case = PaymentCase(context, merchant, payment_view, now)
    after, _ = await write(case, lambda current: endings.close_session(current, now))
    return after.payment.state is not PaymentState.OPEN
