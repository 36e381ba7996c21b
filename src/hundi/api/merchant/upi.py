"""Generate UPI QR code (docs/spec/payment-interfaces.md#generateorder)."""

from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.mandates import hashed, terms_of
from hundi.api.merchant.operations import Answer, serving
from hundi.api.merchant.orders import account_restriction, new_order, read_order
from hundi.infra.postgres.database import Beside
from hundi.instruments import qr
from hundi.instruments.methods import UPI_LINK
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import PaymentKind
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders.rules import Attempt, PaymentView, Restrictions
from hundi.payments.subscriptions import actions as subscriptions
from hundi.payments.subscriptions.approvals import actions as approvals
from hundi.wire.merchant.payments import OrderRequest
from hundi.wire.merchant.qr_orders import GENERATE, GenerateOrderRequest, QrData


async def generate(context: MerchantRequest, asked: GenerateOrderRequest) -> Answer[QrData]:
    """Return an order's QR: its text, its picture, and its end."""
    view, attempt, link = await (_mandate_qr if asked.subscription else sale_qr)(context, asked)
    if link is None:
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="chmod", received="upi")
    data = QrData(
        text=link,
        png=qr.png(link),
        transaction_id=str(view.payment.payment_id),
        order_id=view.payment.order_id,
        merchant_id=str(context.sender.merchant_id),
        text_again=link,
        status="200",
        expires_at=attempt.expires_at,
    )
    return Answer(data, "Scan this QR with any UPI app")


async def sale_qr(
    context: MerchantRequest, asked: OrderRequest, beside: Beside | None = None
) -> tuple[PaymentView, Attempt, str | None]:
    """Return the payment of an order, the QR that pays it, and its link if there is one.

    beside: also written with a new order.
    """
    restrictions = Restrictions(payer_account=account_restriction(context, asked.payer_account))
    order = new_order(
        asked, kind=PaymentKind.SALE, channels=("upi",), asked_as="qr", restrictions=restrictions
    )
    payments, merchant = context.gateway.payments, context.sender
    view, attempt = await upi.qr_order(payments, merchant, order, context.now, beside=beside)
    return view, attempt, await upi.pay_link(payments, merchant, view.payment.order_id, attempt)


async def _mandate_qr(
    context: MerchantRequest, asked: GenerateOrderRequest
) -> tuple[PaymentView, Attempt, str | None]:
    """Register the order of a mandate, and return the QR that approves it."""
    assert asked.subscription is not None, "chosen by it"
    payments, merchant, now = context.gateway.payments, context.sender, context.now
    as_asked = f"qr {hashed(asked.subscription)}"
    restrictions = Restrictions(payer_account=account_restriction(context, asked.payer_account))
    order = new_order(
        asked,
        kind=PaymentKind.SUBSCRIPTION,
        channels=("upi",),
        asked_as=as_asked,
        restrictions=restrictions,
    )
    registered = await approvals.register(
        payments, merchant, order, terms_of(asked.subscription, asked.currency, now), now
    )
    known = await subscriptions.find(
        context.gateway.db, merchant.merchant_id, registered.payment.payment_id
    )
    assert known is not None, "it was registered"
    request = approvals.mandate_request(merchant, known.subscription)
    view, attempt = await upi.qr_order(payments, merchant, order, now, mandate=request)
    if attempt.method == UPI_LINK.name:
        return view, attempt, await upi.pay_link(payments, merchant, order.order_id, attempt)
    link = approvals.approval_link(payments, merchant, known.subscription, attempt)
    return view, attempt, link


def read(context: MerchantRequest) -> GenerateOrderRequest:
    """Return the QR order of a request. Raises FieldError."""
    return read_order(GenerateOrderRequest, context, "mer_dom")


HANDLERS = {GENERATE: serving(GENERATE, generate, read=read)}
