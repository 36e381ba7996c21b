"""How often an affiliate is asked, and what stands when two open a page at once."""

import asyncio
from datetime import UTC, datetime

import pytest

from hundi.infra.database import Database
from hundi.infra.vault import Vault
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.offers import actions as offers
from hundi.offers.actions import ASKS_A_MINUTE_MAX, Granted
from hundi.partners import actions as partners
from hundi.partners.actions import PartnerDirectory
from hundi.partners.rules import Partner, PartnerSettings

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
VAULT = Vault({"k1": bytes(32)})


@pytest.fixture
async def partner(db: Database) -> Partner:
    affiliate, _ = await partners.add(db, VAULT, name="Malgudi", settings=PartnerSettings(), now=NOW)
    found = await PartnerDirectory(db, VAULT).get(affiliate)
    assert found is not None
    return found


async def no(_partner: Partner, _unique_id: str) -> Granted | None:
    return None


async def test_one_visitor_asks_so_often_and_others_are_not_held_up(db: Database, partner: Partner) -> None:
    for number in range(ASKS_A_MINUTE_MAX):
        assert await offers.opened(db, VAULT, partner, f"a{number}", no, "203.0.113.1", NOW) is None
    with pytest.raises(Refused) as refused:
        await offers.opened(db, VAULT, partner, "one-more", no, "203.0.113.1", NOW)
    assert refused.value.refusal.code is RefusalCode.TOO_MANY_REQUESTS
    assert await offers.opened(db, VAULT, partner, "another", no, "203.0.113.2", NOW) is None
    assert await offers.opened(db, VAULT, partner, "a0", no, "203.0.113.1", NOW) is None, "known to be a no"


async def test_of_two_openings_at_once_both_show_the_first(db: Database, partner: Partner) -> None:
    async def grant(_partner: Partner, _unique_id: str) -> Granted:
        await asyncio.sleep(0)
        return Granted("Asha", 2_500_00, NOW, None)

    shown = await asyncio.gather(
        *(offers.opened(db, VAULT, partner, "both", grant, "203.0.113.3", NOW) for _ in range(4))
    )
    assert len({each.coupons for each in shown if each}) == 1
    assert all(each is not None for each in shown)
