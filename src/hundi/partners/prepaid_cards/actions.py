"""A customer's cards, as the partner's card programme has them now."""

from hundi.partners.directory.rules import Partner
from hundi.partners.registers.port import CardRegister, ProgrammeCard
from hundi.partners.registers.routing import AnswerCache, Registers

KEPT_S = 5.0
"""Seconds for which cards are repeated without asking the programme.

So a lock shows at most this late. See docs/spec/partner-interfaces.md#card-letters.
"""
KEPT_MAX = 16_384


class CustomerCards:
    """Customers' cards, as the registers of this gateway have them."""

    def __init__(self, registers: Registers) -> None:
        """Keep the registers."""
        self._registers = registers
        self._cache: AnswerCache[tuple[str, str, str], tuple[ProgrammeCard, ...]] = AnswerCache(
            KEPT_MAX, KEPT_S
        )

    async def find(self, partner: Partner, entity_id: str) -> tuple[ProgrammeCard, ...]:
        """Return the cards of a customer.

        Raises Refused: INTERFACE_NOT_ENABLED, NO_RECORDS when the programme has no such customer,
        PROVIDER_SILENT.
        """
        register = self._registers.of(CardRegister, live=partner.settings.live)
        programme = partner.card_programme
        key = register.name, programme, entity_id
        return await self._cache.get(key, lambda: register.provider.cards(programme, entity_id))
