"""Card details (docs/spec/partner-interfaces.md#card-details)."""

from hundi.api.gateway import Gateway
from hundi.api.inbound import Inbound, Reply
from hundi.api.partner.pipeline import Interface, PartnerCall, answer
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.wire.partner import prepaid_cards as wire

DETAILS = Interface("card-details", wire.DOCUMENTED, failure=lambda code, words, _: wire.failure(code, words))


async def details(gateway: Gateway, inbound: Inbound) -> Reply:
    """Return the cards of a customer, numbers masked."""
    return await answer(gateway, inbound, DETAILS, _details, _by_token)


async def _by_token(call: PartnerCall) -> None:
    """Prove a partner by its card token, which is found by its hash: no comparison tells anything by its time."""
    token = call.inbound.header(b"token").strip()
    call.partner = await call.gateway.partners.directory.with_card_token(token) if token else None
    if call.partner is None:
        raise refuse(RefusalCode.TOKEN_UNKNOWN)


async def _details(call: PartnerCall) -> dict[str, object]:
    entity_id = wire.parse(call.parameters)
    found = await call.gateway.partners.cards.find(call.sender, entity_id)
    return wire.success(wire.record(each.number, each.kit_no, each.expiry, each.status, each.kind) for each in found)
