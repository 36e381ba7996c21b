"""Who is registered under a GSTIN: asked of the partner's register, remembered for a while."""

from datetime import datetime

from cachetools import TTLCache

from hundi.infra.database import Database
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.registrations import gstin_fault
from hundi.partners import actions as partners
from hundi.partners.rules import Partner
from hundi.providers.port import GstRegister, Nobody, Registration, Silent
from hundi.providers.registers import Registers

KEPT_S = 60.0
"""How long an answer is given again without asking the register. [ours]"""
KEPT_MAX = 4_096
_kept: TTLCache[tuple[str, str], Registration | Nobody, float] = TTLCache(KEPT_MAX, KEPT_S)


async def registration(registers: Registers, db: Database, partner: Partner, gstin: str, now: datetime) -> Registration:
    """Return who is registered under a number.

    Raises Refused: FIELD_INVALID before anybody is asked, TOO_MANY_REQUESTS, INTERFACE_NOT_ENABLED, NO_RECORDS,
    PROVIDER_SILENT.
    """
    allowed = gstin_fault(gstin)
    if allowed:
        raise refuse(RefusalCode.FIELD_INVALID, field="gstin", received=gstin[:64], allowed=allowed)
    await partners.count_lookup(db, partner, now)
    register = registers.of(GstRegister, live=partner.settings.live)
    key = register.name, gstin
    found = _kept.get(key)
    if found is None:
        said = await register.provider.registration(gstin)
        if isinstance(said, Silent):
            raise refuse(RefusalCode.PROVIDER_SILENT, detail=said.reason)
        found = _kept[key] = said
    if isinstance(found, Nobody):
        raise refuse(RefusalCode.NO_RECORDS)
    return found
