"""Card details (docs/spec/partner-interfaces.md#card-details)."""

from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.partner.endpoint import PartnerAuthentication, PartnerRequest, partner_endpoint, refused_as
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.wire.partner import prepaid_cards as wire


async def _by_token(context: PartnerRequest) -> None:
    """Prove a partner by its card token, which is found by its hash: no comparison tells anything by its time."""
    token = context.inbound.header(b"token").strip()
    context.claimed = await context.gateway.partners.directory.with_card_token(token) if token else None
    if context.claimed is None:
        raise refuse(RefusalCode.TOKEN_UNKNOWN)


DETAILS = partner_endpoint(
    "card-details", PartnerAuthentication(wire.DOCUMENTED, _by_token), encode_refusal=refused_as(wire.failure)
)


async def details(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return the cards of a customer, numbers masked."""
    return await serve(gateway, inbound, DETAILS, _details)


async def _details(context: PartnerRequest) -> dict[str, object]:
    entity_id = wire.parse(context.parameters)
    found = await context.gateway.partners.cards.find(context.sender, entity_id)
    return wire.success(wire.record(each.number, each.kit_no, each.expiry, each.status, each.kind) for each in found)
