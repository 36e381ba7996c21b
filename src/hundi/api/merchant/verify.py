"""Verify / order confirmation (docs/spec/payment-interfaces.md#verify)."""

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import MerchantAuthentication, MerchantRequest, merchant_endpoint
from hundi.api.merchant.record import transaction_record
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.orders import actions as payments
from hundi.payments.orders.rules import facts_of
from hundi.wire.merchant.payments import parse_verify
from hundi.wire.merchant.record import api_data

VERIFY = merchant_endpoint("verify", MerchantAuthentication(live_only=True))
_ID_DIGITS_MAX = 15


async def verify(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return the transaction record found by `orderid`, `ap_transactionid`, `rrn` or several that agree."""
    return await serve(gateway, inbound, VERIFY, _verify)


async def _verify(context: MerchantRequest) -> dict[str, object]:
    asked = parse_verify(context.values)
    merchant = context.sender
    if asked.merchant_id and asked.merchant_id.lstrip("0") != str(merchant.merchant_id):
        raise refuse(
            RefusalCode.FIELD_INVALID, field="merchant_id", received=asked.merchant_id, allowed="the outer merchant_id"
        )
    if len(asked.ap_transactionid) > _ID_DIGITS_MAX:
        raise refuse(RefusalCode.NO_RECORDS)
    found = await payments.find(
        context.gateway.payments,
        merchant.merchant_id,
        order_id=asked.order_id or None,
        payment_id=int(asked.ap_transactionid) if asked.ap_transactionid else None,
        rrn=asked.rrn or None,
    )
    if found is None:
        raise refuse(RefusalCode.NO_RECORDS)
    record = transaction_record(facts_of(found), merchant)
    return replies.success(api_data(record), record.message, context.request_id)
