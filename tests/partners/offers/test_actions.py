"""How often an affiliate is asked, and what stands when two open a page at once."""

import asyncio
from datetime import UTC, datetime

import pytest

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.partners.directory import actions as partners
from hundi.partners.directory.actions import PartnerDirectory
from hundi.partners.directory.rules import Partner, PartnerSettings
from hundi.partners.offers.actions import ASKS_A_MINUTE_MAX, Granted, Openings
from hundi.partners.offers.rules import COUPON_LENGTH, COUPON_LETTERS
from tests.recording import BY

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
VAULT = Vault({"k1": bytes(32)})


@pytest.fixture
async def partner(db: Database) -> Partner:
    affiliate, _ = await partners.add(db, BY, name="Malgudi", settings=PartnerSettings(), now=NOW)
    found = await PartnerDirectory(db, VAULT).get(affiliate)
    assert found is not None
    return found


async def no(_partner: Partner, _unique_id: str) -> Granted | None:
    return None


async def test_one_visitor_asks_so_often_and_others_are_not_held_up(
    db: Database, partner: Partner
) -> None:
    openings = Openings(db, VAULT, no)
    for number in range(ASKS_A_MINUTE_MAX):
        assert await openings.open(partner, f"a{number}", "203.0.113.1", NOW) is None
    with pytest.raises(Refused) as refused:
        await openings.open(partner, "one-more", "203.0.113.1", NOW)
    assert refused.value.refusal.code is RefusalCode.TOO_MANY_REQUESTS
    assert await openings.open(partner, "another", "203.0.113.2", NOW) is None
    assert await openings.open(partner, "a0", "203.0.113.1", NOW) is None, "known to be a no"


async def test_of_many_who_open_a_page_at_once_one_asks_and_all_see_the_same(
    db: Database, partner: Partner
) -> None:
    asked: list[str] = []

    async def grant(_partner: Partner, unique_id: str) -> Granted:
        asked.append(unique_id)
        await asyncio.sleep(0)
        return Granted("Asha", 2_500_00, NOW, None)

    openings = Openings(db, VAULT, grant)
    shown = await asyncio.gather(
        *(openings.open(partner, "both", "203.0.113.3", NOW) for _ in range(20))
    )
    assert len({each.coupons for each in shown if each}) == 1
    assert all(each is not None for each in shown)
    assert asked == ["both"]


async def test_of_two_processes_that_ask_at_once_the_first_grant_stands(
    db: Database, partner: Partner
) -> None:
    async def grant(_partner: Partner, _unique_id: str) -> Granted:
        await asyncio.sleep(0)
        return Granted("Asha", 2_500_00, NOW, None)

    processes = [Openings(db, VAULT, grant) for _ in range(4)]
    shown = await asyncio.gather(
        *(each.open(partner, "both", "203.0.113.3", NOW) for each in processes)
    )
    assert len({each.coupons for each in shown if each}) == 1
    assert all(each is not None for each in shown)


async def test_a_code_is_not_guessed_and_reads_well(db: Database, partner: Partner) -> None:
    async def grant(_partner: Partner, _unique_id: str) -> Granted:
        return Granted("Asha", 2_500_00, NOW, None)

    codes: list[str] = []
    for number in range(50):
        shown = await Openings(db, VAULT, grant).open(partner, f"c{number}", "203.0.113.4", NOW)
        assert shown is not None
        codes += shown.coupons
    assert len(set(codes)) == len(codes) == 400
    assert all(len(code) == COUPON_LENGTH and set(code) <= set(COUPON_LETTERS) for code in codes)
    assert not set(COUPON_LETTERS) & set("01IO")


async def test_of_many_who_open_a_page_of_a_silent_affiliate_nobody_waits_for_the_others(
    db: Database, partner: Partner
) -> None:
    asked: list[str] = []

    async def silent(_partner: Partner, unique_id: str) -> Granted | None:
        asked.append(unique_id)
        await asyncio.sleep(0.1)
        raise refuse(RefusalCode.PROVIDER_SILENT)

    openings = Openings(db, VAULT, silent)
    opened = (openings.open(partner, "both", "203.0.113.5", NOW) for _ in range(20))
    told = await asyncio.gather(*opened, return_exceptions=True)
    assert all(isinstance(each, Refused) for each in told)
    assert len(asked) < len(told), "one question was everybody's who came while it was under way"
    count = len(asked)
    with pytest.raises(Refused):
        await openings.open(partner, "both", "203.0.113.5", NOW)
    assert len(asked) == count + 1, "who comes later asks again"
