"""Card details (docs/spec/partner-interfaces.md#card-details)."""

from hundi.api.partner.endpoint import PartnerRequest
from hundi.api.partner.operations import serving
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.wire.partner.prepaid_cards import DETAILS, CardRecord, CardRecords, CardsRequest


async def _by_token(context: PartnerRequest) -> None:
    """Prove a partner by its card token, which is found by its hash.

    No comparison reveals anything by its time.
    """
    token = context.inbound.header(b"token").strip()
    context.claimed = (
        await context.gateway.partners.directory.with_card_token(token) if token else None
    )
    if context.claimed is None:
        raise refuse(RefusalCode.TOKEN_UNKNOWN)


async def _details(context: PartnerRequest, asked: CardsRequest) -> CardRecords:
    """Return the cards of a customer, numbers masked."""
    found = await context.gateway.partners.cards.find(context.sender, asked.entity_id)
    return CardRecords(
        cards=tuple(
            CardRecord(
                number=each.number,
                kit_no=each.kit_no,
                expiry=each.expiry,
                status=each.status,
                kind=each.kind,
            )
            for each in found
        )
    )


HANDLERS = {DETAILS: serving(DETAILS, _details, _by_token)}
