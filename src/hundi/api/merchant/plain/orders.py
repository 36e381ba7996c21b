"""Orders of the plain interface: create with its page or QR, show, list."""

from hundi.api.addresses import SESSION_PAGE
from hundi.api.merchant import payment, upi
from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.plain.endpoint import PlainCall
from hundi.api.merchant.plain.facts import order_of, refund_of
from hundi.api.merchant.settlements import ID_ABOVE_ALL
from hundi.api.merchant.verify import utr_of
from hundi.infra.postgres.database import Beside
from hundi.instruments import qr
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import PaymentState
from hundi.payments.orders import actions as payments
from hundi.payments.orders.facts.rules import facts_of
from hundi.payments.orders.finding import store as finding
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds import actions as refunds
from hundi.payments.risk.actions import NOBODY
from hundi.wire.merchant.payments import AUTHORISE, SALE, PaymentRequest
from hundi.wire.plain.orders import (
    CREATE,
    LIST,
    LISTED_MAX,
    QR,
    REFUNDS,
    SHOW,
    PlainOrder,
    PlainOrderName,
    PlainOrderRequest,
    PlainOrders,
    PlainOrdersBefore,
    PlainQrCode,
    PlainRefundsOfOrder,
)

_PAYABLE = {PaymentState.OPEN, PaymentState.IN_PROCESS}


async def _create(call: PlainCall, asked: PlainOrderRequest) -> PlainOrder:
    """Open an order; the same order again opens the same payment."""
    context = call.context

    async def do(beside: Beside | None) -> tuple[int, PlainOrder]:
        view = await payment.opened(context, _as_form(asked), NOBODY, beside)
        return view.payment.payment_id, _order(context, view)

    async def show(payment_id: int) -> PlainOrder:
        return _order(context, await _view(context, payment_id=payment_id))

    return await call.once(do, show)


async def _show(call: PlainCall, asked: PlainOrderName) -> PlainOrder:
    context = call.context
    view = await _view(context, order_id=asked.order_id)
    return _order(context, view, await utr_of(context, view, context.now))


async def _list(call: PlainCall, asked: PlainOrdersBefore) -> PlainOrders:
    context = call.context
    before = min(int(asked.before or ID_ABOVE_ALL), ID_ABOVE_ALL)
    found = await finding.select_page(
        context.gateway.db, context.sender.merchant_id, asked.state or None, before, LISTED_MAX
    )
    return PlainOrders(orders=tuple(_order(context, view) for view in found))


async def _refunds(call: PlainCall, asked: PlainOrderName) -> PlainRefundsOfOrder:
    view = await _view(call.context, order_id=asked.order_id)
    found = await refunds.of_payment(call.context.gateway.payments, view.payment)
    return PlainRefundsOfOrder(refunds=tuple(map(refund_of, found)))


async def _qr(call: PlainCall, asked: PlainOrderRequest) -> PlainQrCode:
    """Open an order that one QR pays; the same order again has the same QR while it counts."""
    context = call.context

    async def do(beside: Beside | None) -> tuple[int, PlainQrCode]:
        view, attempt, link = await upi.sale_qr(context, _as_form(asked), beside)
        if link is None:
            raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="channels", received="upi")
        told = PlainQrCode(
            order_id=view.payment.order_id,
            transaction_id=str(view.payment.payment_id),
            text=link,
            png=qr.png(link),
            expires_at=attempt.expires_at,
        )
        return view.payment.payment_id, told

    async def show(_: int) -> PlainQrCode:
        # The order id makes it the same order, and its QR is drawn anew.
        return (await do(None))[1]

    return await call.once(do, show)


def _as_form(asked: PlainOrderRequest) -> PaymentRequest:
    """Return an order as a payment form has it."""
    return PaymentRequest(
        order_id=asked.order_id,
        amount_paise=asked.amount_paise,
        currency_code=asked.currency,
        iso_currency=asked.currency,
        buyer=asked.buyer,
        channels=asked.channels,
        customvar=asked.note,
        payer_account=asked.payer_account,
        txnsubtype=AUTHORISE if asked.capture == "later" else SALE,
    )


async def _view(
    context: MerchantRequest, *, order_id: str | None = None, payment_id: int | None = None
) -> PaymentView:
    """Return a merchant's payment. Raises Refused (NO_RECORDS)."""
    view = await payments.find(
        context.gateway.payments,
        context.sender.merchant_id,
        order_id=order_id,
        payment_id=payment_id,
        rrn=None,
    )
    if view is None:
        raise refuse(RefusalCode.NO_RECORDS)
    return view


def _order(context: MerchantRequest, view: PaymentView, utr: str = "") -> PlainOrder:
    of, gateway = view.payment, context.gateway
    page_url = ""
    if of.state in _PAYABLE and context.now < of.expires_at:
        session = gateway.sessions.seal(of.merchant_id, of.payment_id)
        page_url = gateway.settings.payment_page_url + SESSION_PAGE + session
    return order_of(facts_of(view), page_url, utr)


ACTS = {CREATE: _create, SHOW: _show, LIST: _list, REFUNDS: _refunds, QR: _qr}
