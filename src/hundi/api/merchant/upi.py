"""Generate UPI QR code and validate UPI address.

See docs/spec/payment-interfaces.md#generateorder and docs/spec/payment-interfaces.md#validatevpa.
"""

from hundi.api import replies
from hundi.api.gateway import Gateway
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.orders import new_order
from hundi.api.merchant.pipeline import Exchange, Operation, answer
from hundi.instruments import qr
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import PaymentKind
from hundi.payments.methods.upi import actions as upi
from hundi.wire.merchant.operations import parse_generate_order, parse_validate_vpa
from hundi.wire.merchant.results import qr_data, vpa_data

# One real client leaves the privatekey out here; one that is sent has to be right (docs/spec/wire.md#privatekey).
GENERATE_ORDER = Operation("generateorder", privatekey="if_sent")
VALIDATE_VPA = Operation("validatevpa")


async def generate_order(gateway: Gateway, inbound: Inbound) -> Reply:
    """Return an order's QR: what it holds, its picture, and until when it can be paid."""
    return await answer(gateway, inbound, GENERATE_ORDER, _generate_order)


async def validate_vpa(gateway: Gateway, inbound: Inbound) -> Reply:
    """Return whether a UPI address is registered, and whose it is."""
    return await answer(gateway, inbound, VALIDATE_VPA, _validate_vpa)


async def _generate_order(exchange: Exchange) -> dict[str, object]:
    asked = parse_generate_order(exchange.values, outer_mer_dom=exchange.outer.mer_dom)
    order = new_order(asked, kind=PaymentKind.SALE, channels=("upi",), asked_as="qr")
    context, merchant = exchange.gateway.payments, exchange.sender
    view, attempt = await upi.qr_order(context, merchant, order, exchange.now)
    link = upi.pay_link(context, merchant, view.payment.order_id, attempt)
    if link is None:
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="chmod", received="upi")
    data = qr_data(link, qr.png(link), str(view.payment.payment_id), view.payment.order_id, attempt.expires_at)
    return replies.success(data, "Scan this QR with any UPI app", exchange.request_id)


async def _validate_vpa(exchange: Exchange) -> dict[str, object]:
    asked = parse_validate_vpa(exchange.values)
    name = await upi.check_address(exchange.gateway.payments, exchange.sender, asked.vpa, exchange.now)
    data = vpa_data(asked.vpa, name)
    return replies.success(data, str(data["message"]), exchange.request_id)
