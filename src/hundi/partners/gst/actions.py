"""The registration of a GSTIN: read from the partner's register, cached for a while."""

from datetime import datetime

from hundi.infra.postgres.database import Database
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.registrations import gstin_fault
from hundi.partners.directory import actions as partners
from hundi.partners.directory.rules import Partner
from hundi.partners.registers.port import GstRegister, RegisterEntry
from hundi.partners.registers.routing import AnswerCache, Registers

KEPT_S = 60.0
"""Seconds for which an answer is repeated without asking the register.

See docs/spec/partner-interfaces.md#gst-verification.
"""
KEPT_MAX = 4_096


class Registrations:
    """GST registrations, as the registers of this gateway have them."""

    def __init__(self, db: Database, registers: Registers) -> None:
        """Keep the dependencies."""
        self._db = db
        self._registers = registers
        self._cache: AnswerCache[tuple[str, str], RegisterEntry] = AnswerCache(KEPT_MAX, KEPT_S)

    async def find(self, partner: Partner, gstin: str, now: datetime) -> RegisterEntry:
        """Return the registration of a number.

        Raises Refused: FIELD_INVALID before the register is asked, TOO_MANY_REQUESTS,
        INTERFACE_NOT_ENABLED, NO_RECORDS, PROVIDER_SILENT.
        """
        allowed = gstin_fault(gstin)
        if allowed:
            raise refuse(
                RefusalCode.FIELD_INVALID, field="gstin", received=gstin[:64], allowed=allowed
            )
        await partners.count_lookup(self._db, partner, now)
        register = self._registers.of(GstRegister, live=partner.settings.live)
        return await self._cache.get(
            (register.name, gstin), lambda: register.provider.registration(gstin)
        )
