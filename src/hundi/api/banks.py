"""Get bank list (payment interfaces, Endpoints 4)."""

from hundi.api import replies
from hundi.api.gateway import Gateway
from hundi.api.inbound import Inbound, Reply
from hundi.api.pipeline import Exchange, Operation, answer
from hundi.banks import actions as banks
from hundi.banks.rules import Listed
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.wire import fields
from hundi.wire.operations import parse_banks
from hundi.wire.results import BankRecord, amount_bound, banks_data

BANKS = Operation("banks")


async def bank_list(gateway: Gateway, inbound: Inbound) -> Reply:
    """Return every bank of every channel of the merchant, with its health and bounds."""
    return await answer(gateway, inbound, BANKS, _bank_list)


async def _bank_list(exchange: Exchange) -> dict[str, object]:
    outer = exchange.outer
    asked = parse_banks(exchange.values, outer_chmod=outer.chmod, outer_mer_dom=outer.mer_dom)
    _check_domain(exchange, asked.mer_dom)
    ports, merchant = exchange.gateway.payments, exchange.sender
    lines = await banks.listed(ports, merchant, asked.channels, exchange.now)
    return replies.success(banks_data(map(_record, lines)), f"{len(lines)} records", exchange.request_id)


def _check_domain(exchange: Exchange, mer_dom: str) -> None:
    """Raise Refused (DOMAIN_NOT_REGISTERED) when a merchant with registered domains asks for another one, or none."""
    registered = {fields.origin_of(each) for each in exchange.sender.settings.domains}
    claimed = fields.origin(mer_dom) if mer_dom else "none"
    if registered and claimed not in registered:
        allowed = ", ".join(sorted(registered))
        raise refuse(RefusalCode.DOMAIN_NOT_REGISTERED, field="mer_dom", received=claimed, allowed=allowed)


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
        max_amount=amount_bound(line.channel.maximum_paise),
    )
