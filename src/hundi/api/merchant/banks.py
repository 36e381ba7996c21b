"""Get bank list (docs/spec/payment-interfaces.md#banks)."""

from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.operations import Answer, Ready, serving
from hundi.instruments.methods import channels_named
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.availability import actions as banks
from hundi.payments.availability.rules import MethodLine
from hundi.wire import envelope, fields
from hundi.wire.merchant.banks import BANKS, Bank, Banks, BanksRequest
from hundi.wire.message import write_reply


async def _bank_list(context: MerchantRequest, asked: BanksRequest) -> Answer[Banks]:
    """Return every bank of every channel of the merchant, with its health and bounds.

    Outer fields replace empty inner ones.
    """
    channels = asked.channels or fields.channels(context.outer.chmod)
    _require_domain(context, asked.shop or fields.free_text(context.outer.mer_dom, "mer_dom"))
    gateway, merchant = context.gateway, context.sender
    # UPI's limits depend on the trade.
    wanted = channels_named(tuple(channels))
    key = (merchant.settings.channels, merchant.settings.mcc, wanted)
    encoded = gateway.bank_lists.get(key)
    if encoded is None:
        lines = await banks.listed(
            gateway.payments, gateway.bank_health, merchant, wanted, context.now
        )
        encoded = gateway.bank_lists[key] = envelope.ready(
            write_reply(Banks(banks=tuple(map(_bank, lines))))
        )
    listed: Ready[Banks] = Ready(encoded)
    return Answer(listed, "The channels and banks that are open to you")


def _require_domain(context: MerchantRequest, mer_dom: str) -> None:
    """Raise Refused (DOMAIN_NOT_REGISTERED) when a merchant with registered domains names none."""
    registered = sorted(context.sender.settings.domains)
    if registered and not mer_dom:
        allowed = ", ".join(registered)
        raise refuse(
            RefusalCode.DOMAIN_NOT_REGISTERED, field="mer_dom", received="none", allowed=allowed
        )


def _bank(line: MethodLine) -> Bank:
    return Bank(
        channel=line.channel.code,
        channel_name=line.channel.name,
        title=line.channel.title,
        description=line.channel.description,
        code=line.code,
        name=line.name,
        health=line.health,
        minimum_paise=line.minimum_paise,
        maximum_paise=line.maximum_paise,
    )


HANDLERS = {BANKS: serving(BANKS, _bank_list)}
