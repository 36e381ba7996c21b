"""A customer's cards, as the partner's card programme has them now."""

from cachetools import TTLCache

from hundi.kernel.refusals import RefusalCode, refuse
from hundi.partners.rules import Partner
from hundi.providers.port import Card, CardRegister, Nobody, Silent
from hundi.providers.registers import Registers

KEPT_S = 5.0
"""How long cards are told again without asking the programme: so late is a lock seen at the most. [ours]"""
KEPT_MAX = 16_384
_kept: TTLCache[tuple[str, str, str], tuple[Card, ...] | Nobody, float] = TTLCache(KEPT_MAX, KEPT_S)


async def cards(registers: Registers, partner: Partner, entity_id: str) -> tuple[Card, ...]:
    """Return the cards of a customer.

    Raises Refused: INTERFACE_NOT_ENABLED, NO_RECORDS when the programme has no such customer, PROVIDER_SILENT.
    """
    register = registers.of(CardRegister, live=partner.settings.live)
    key = register.name, partner.card_programme, entity_id
    found = _kept.get(key)
    if found is None:
        said = await register.provider.cards(partner.card_programme, entity_id)
        if isinstance(said, Silent):
            raise refuse(RefusalCode.PROVIDER_SILENT, detail=said.reason)
        found = _kept[key] = said
    if isinstance(found, Nobody):
        raise refuse(RefusalCode.NO_RECORDS)
    return found
