"""Generate UPI QR code (docs/spec/payment-interfaces.md#generateorder)."""

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import MerchantAuthentication, MerchantRequest, merchant_endpoint
from hundi.api.merchant.mandates import terms_of
from hundi.api.merchant.orders import account_restriction, new_order
from hundi.instruments import qr
from hundi.kernel.clock import business_day
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import PaymentKind
from hundi.merchants.directory.api_keys import KeyScope
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders.rules import Attempt, PaymentView, Restrictions
from hundi.payments.subscriptions import actions as subscriptions
from hundi.payments.subscriptions.approvals import actions as approvals
from hundi.wire.merchant.operations import GenerateOrderRequest, parse_generate_order
from hundi.wire.merchant.results import qr_data

# One real client leaves the privatekey out here; one that is sent has to be right
# (docs/spec/wire.md#privatekey).
GENERATE_ORDER = merchant_endpoint(
    "generateorder", MerchantAuthentication(KeyScope.PAGE, privatekey="if_sent")
)


async def generate_order(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return an order's QR: its text, its picture, and until when it can be paid."""
    return await serve(gateway, inbound, GENERATE_ORDER, _generate_order)


async def _generate_order(context: MerchantRequest) -> dict[str, object]:
    today = business_day(context.now)
    day_first = context.sender.settings.dates == "day-first"
    mer_dom = context.outer.mer_dom
    asked = parse_generate_order(
        context.values, outer_mer_dom=mer_dom, today=today, day_first=day_first
    )
    view, attempt, link = await (_mandate_qr if asked.subscription else _sale_qr)(context, asked)
    if link is None:
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="chmod", received="upi")
    data = qr_data(
        str(context.sender.merchant_id),
        link,
        qr.png(link),
        str(view.payment.payment_id),
        view.payment.order_id,
        attempt.expires_at,
    )
    return replies.success(data, "Scan this QR with any UPI app", context.request_id)


async def _sale_qr(
    context: MerchantRequest, asked: GenerateOrderRequest
) -> tuple[PaymentView, Attempt, str | None]:
    restrictions = Restrictions(payer_account=account_restriction(context, asked.payer_account))
    order = new_order(
        asked, kind=PaymentKind.SALE, channels=("upi",), asked_as="qr", restrictions=restrictions
    )
    payments, merchant = context.gateway.payments, context.sender
    view, attempt = await upi.qr_order(payments, merchant, order, context.now)
    return view, attempt, await upi.pay_link(payments, merchant, view.payment.order_id, attempt)


async def _mandate_qr(
    context: MerchantRequest, asked: GenerateOrderRequest
) -> tuple[PaymentView, Attempt, str | None]:
    """Register the order of a mandate, and return the QR that approves it."""
    assert asked.subscription is not None, "chosen by it"
    payments, merchant, now = context.gateway.payments, context.sender, context.now
    as_asked = f"qr {asked.subscription}"
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
    view, attempt = await upi.qr_order(payments, merchant, order, now)
    known = await subscriptions.find(
        context.gateway.db, merchant.merchant_id, registered.payment.payment_id
    )
    link = known and approvals.approval_link(payments, merchant, known.subscription, attempt)
    return view, attempt, link
