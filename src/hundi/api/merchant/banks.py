"""Get bank list (docs/spec/payment-interfaces.md#banks)."""

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import MerchantRequest, merchant_endpoint
from hundi.instruments.methods import channels_named
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory.api_keys import KeyScope
from hundi.payments.availability import actions as banks
from hundi.payments.availability.rules import Listed
from hundi.wire import envelope
from hundi.wire.merchant.operations import parse_banks
from hundi.wire.merchant.results import BankRecord, amount_bound, banks_data

BANKS = merchant_endpoint("banks", KeyScope.READ)


async def bank_list(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return every bank of every channel of the merchant, with its health and bounds."""
    return await serve(gateway, inbound, BANKS, _bank_list)


async def _bank_list(context: MerchantRequest) -> dict[str, object]:
    outer = context.outer
    asked = parse_banks(context.values, outer_chmod=outer.chmod, outer_mer_dom=outer.mer_dom)
    _require_domain(context, asked.mer_dom)
    gateway, merchant = context.gateway, context.sender
    # What UPI carries depends on the trade.
    wanted = channels_named(asked.channels)
    key = (merchant.settings.channels, merchant.settings.mcc, wanted)
    data = gateway.bank_lists.get(key)
    if data is None:
        lines = await banks.listed(gateway.payments, gateway.bank_health, merchant, wanted, context.now)
        data = gateway.bank_lists[key] = envelope.ready(banks_data(map(_record, lines)))
    return replies.success(data, "The channels and banks that are open to you", context.request_id)


def _require_domain(context: MerchantRequest, mer_dom: str) -> None:
    """Raise Refused (DOMAIN_NOT_REGISTERED) when a merchant with registered domains names none."""
    registered = sorted(context.sender.settings.domains)
    if registered and not mer_dom:
        allowed = ", ".join(registered)
        raise refuse(RefusalCode.DOMAIN_NOT_REGISTERED, field="mer_dom", received="none", allowed=allowed)


def _record(line: Listed) -> BankRecord:
    return BankRecord(
        chmod=line.channel.code,
        channel_name=line.channel.name,
        title=line.channel.title,
        description=line.channel.description,
        bank_code=line.code,
        bank_name=line.name,
        health=line.health,
        min_amount=amount_bound(line.minimum_paise),
        max_amount=amount_bound(line.maximum_paise),
    )
