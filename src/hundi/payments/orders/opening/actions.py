"""Open orders: a new payment, or the same order again."""

from datetime import datetime

from asyncpg import UniqueViolationError

from hundi.infra.monitoring import traces
from hundi.infra.postgres.database import Beside
from hundi.instruments.methods import SCANNED
from hundi.instruments.surcharge import surcharges
from hundi.kernel.ids import ID_TRIES_MAX, new_id
from hundi.kernel.moves import REOPENABLE
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import Actor, EventKind, PaymentKind, PaymentState
from hundi.merchants.directory.rules import Merchant
from hundi.payments.orders import store
from hundi.payments.orders.actions import (
    PaymentCase,
    PaymentContext,
    is_blocked,
    new_qr,
    write,
    write_block,
)
from hundi.payments.orders.channels.rules import channels_of
from hundi.payments.orders.finding import store as finding
from hundi.payments.orders.rules import Attempt, NewOrder, Payment, PaymentView, Step
from hundi.payments.risk.actions import NOBODY, PayerTrace


async def initiate(
    context: PaymentContext,
    merchant: Merchant,
    order: NewOrder,
    now: datetime,
    payer: PayerTrace = NOBODY,
    beside: Beside | None = None,
) -> PaymentView:
    """Open a payment for an order, or reopen the same unpaid one.

    If UPI is enabled, a QR is offered at once unless the risk rules block it. beside: also written
    in the transaction of a new payment; it gets the payment's id.

    Raises Refused: CHANNEL_NOT_ENABLED, NO_CHANNEL_SERVED, ORDER_CONTENT_DIFFERS,
    ORDER_ALREADY_PAID.
    """
    channels = channels_of(context.connectors, merchant, order)
    for _ in range(ID_TRIES_MAX):
        payment = _new_payment(merchant, order, channels, now + context.session, now)
        view = PaymentView(payment, ())
        case = PaymentCase(context, merchant, view, now, payer)
        attempt = await new_qr(case) if SCANNED & set(channels) else None
        attempt, blocked = (None, attempt) if is_blocked(attempt) else (attempt, None)
        try:
            created = await _created(context, payment, attempt, beside)
        except UniqueViolationError:
            continue  # another payment of this second has this id: 6 of its 15 digits are random
        if created:
            traces.note(merchant.merchant_id, payment.payment_id, root=True)
            if blocked:
                return await write_block(case, blocked) or view
            return context.recent.keep(PaymentView(payment, (attempt,)) if attempt else view)
        existing = await finding.select_by_references(
            context.db, merchant.merchant_id, order.order_id, None, None
        )
        if existing is None:
            raise refuse(RefusalCode.ORDER_ALREADY_PAID)  # its archive month is gone
        return await _reopen(case.with_view(existing), order)
    message = "no free payment id found"
    raise RuntimeError(message)


async def _created(
    context: PaymentContext, payment: Payment, offer: Attempt | None, beside: Beside | None
) -> bool:
    """Write a new payment; False when the order id is taken."""
    if beside is None:
        return await store.insert_payment(context.db.shared, payment, offer)
    async with context.db.transaction() as conn:
        created = await store.insert_payment(conn, payment, offer)
        if created:
            await beside(conn, payment.payment_id)
    return created


def _new_payment(
    merchant: Merchant, order: NewOrder, channels: tuple[str, ...], ends: datetime, now: datetime
) -> Payment:
    return Payment(
        merchant_id=merchant.merchant_id,
        payment_id=new_id(now),
        order_id=order.order_id,
        content_hash=order.content_hash,
        amount=order.amount,
        kind=order.kind,
        state=PaymentState.OPEN,
        captured_paise=0,
        method="",
        buyer=order.buyer,
        custom_var=order.custom_var,
        channels=channels,
        bank_code="",
        bank_message="",
        revision=1,
        created_at=now,
        expires_at=ends,
        emi_months=order.emi_months,
        restrictions=order.restrictions,
        # Fixed now, so that the customer pays what the page showed.
        surcharges=surcharges(merchant.settings.surcharges, channels, order.amount.paise)
        if order.kind is PaymentKind.SALE
        else (),
    )


async def _reopen(case: PaymentCase, order: NewOrder) -> PaymentView:
    context, view, now = case.context, case.view, case.now
    payment = view.payment
    if payment.content_hash != order.content_hash:
        raise refuse(RefusalCode.ORDER_CONTENT_DIFFERS, field="orderid", received=payment.order_id)
    if payment.state in {PaymentState.PAID, PaymentState.AUTHORISED, PaymentState.CAPTURED}:
        raise refuse(RefusalCode.ORDER_ALREADY_PAID, field="orderid", received=payment.order_id)
    if payment.state is PaymentState.IN_PROCESS or (
        # After a declined attempt the page starts again, without the decline's message.
        payment.state is PaymentState.OPEN
        and payment.expires_at > now + context.qr
        and not payment.method
    ):
        return view

    offer = await new_qr(case) if SCANNED & set(payment.channels) else None
    if offer is not None and is_blocked(offer):
        view = await write_block(case, offer) or view
        offer = None

    def decide(current: PaymentView) -> Step | None:
        if current.payment.state not in REOPENABLE:
            return None
        again = replace(
            current.payment,
            # A bank that is asked about an old QR may have the money: nothing else is offered
            # beside it.
            state=PaymentState.IN_PROCESS if current.live else PaymentState.OPEN,
            expires_at=now + context.session,
            method="",
            bank_code="",
            bank_message="",
        )
        needs_qr = not current.live and (
            current.offered is None or current.offered.expires_at <= now
        )
        attempt = replace(offer, attempt_id=new_id(now)) if offer is not None and needs_qr else None
        return Step(
            EventKind.REOPENED, Actor.MERCHANT, again, attempt, new_attempt=attempt is not None
        )

    after, _ = await write(case.with_view(view), decide)
    return after
