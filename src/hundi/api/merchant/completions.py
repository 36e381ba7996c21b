"""Capture and void an authorisation; the reply is the transaction record.

See docs/spec/payment-interfaces.md#capture.
"""

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import MerchantRequest, merchant_endpoint
from hundi.api.merchant.record import transaction_record
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import Actor, CompletionKind
from hundi.merchants.directory.api_keys import KeyScope
from hundi.payments.captures import actions as captures
from hundi.payments.captures.rules import OPEN
from hundi.payments.orders.facts import facts_of
from hundi.wire.merchant.operations import parse_capture, parse_void
from hundi.wire.merchant.record import api_data

CAPTURE, VOID = merchant_endpoint("capture", KeyScope.PAGE), merchant_endpoint("void", KeyScope.MANAGE)
_ID_DIGITS_MAX = 15


async def capture(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Capture an authorisation, whole or in part."""
    return await serve(gateway, inbound, CAPTURE, _capture)


async def void(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Void an authorisation."""
    return await serve(gateway, inbound, VOID, _void)


async def _capture(context: MerchantRequest) -> dict[str, object]:
    asked = parse_capture(context.values)
    return await _complete(context, asked.ap_transactionid, CompletionKind.CAPTURE, asked.amount_paise)


async def _void(context: MerchantRequest) -> dict[str, object]:
    return await _complete(context, parse_void(context.values).ap_transactionid, CompletionKind.VOID, None)


async def _complete(context: MerchantRequest, named: str, kind: CompletionKind, paise: int | None) -> dict[str, object]:
    if len(named) > _ID_DIGITS_MAX:
        raise refuse(RefusalCode.NO_RECORDS)
    payments, merchant = context.gateway.payments, context.sender
    ended = await captures.complete(payments, merchant, int(named), kind, paise, Actor.MERCHANT, context.now)
    record = transaction_record(facts_of(ended.view), merchant)
    message = record.message
    if ended.completion.state in OPEN:
        # The record still says AUTHORIZE, which is what we know; verify and a notification tell the outcome.
        message = f"The bank has not answered the {kind} yet and is being asked"
    return replies.success(api_data(record), message, context.request_id)
