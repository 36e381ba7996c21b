"""People: invitations and resets reach nobody of another merchant, links are good once, and the last owner stays."""

from datetime import UTC, datetime

import pytest

from hundi.infra.database import Database
from hundi.infra.vault import Vault
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.staff.people import actions, store
from hundi.staff.people.actions import Chosen, Invited
from hundi.staff.people.passwords import WAITING_MAX, Passwords
from hundi.staff.people.rules import Role
from hundi.staff.sign_in.actions import Caller, Refusal, SignIn
from hundi.staff.trail import store as trail
from hundi.staff.trail.actions import Who

NOW = datetime(2026, 11, 23, 4, 30, tzinfo=UTC)
BY = Who(0, "test (command line)")
PASSWORD = "correct horse battery"
FIRST, SECOND = 7, 8


@pytest.fixture
def vault() -> Vault:
    return Vault({"k1": bytes(32)})


async def _invite(
    db: Database, merchant_id: int, email: str, role: Role = Role.OWNER, *, across: bool = False
) -> Invited:
    return await actions.invite(db, merchant_id, email, "Asha Iyer", role, BY, NOW, across=across)


async def _join(db: Database, vault: Vault, link: str) -> tuple[int, list[str]] | None:
    passwords = Passwords()
    chosen = Chosen("Asha Iyer", PASSWORD, actions.new_totp_secret(), 0)
    made = await actions.accept(db, vault, passwords, link, chosen, NOW)
    passwords.close()
    return (made[0].person_id, made[1]) if made else None


async def test_a_link_is_good_once_and_the_newest_alone(db: Database, vault: Vault) -> None:
    invited = await _invite(db, FIRST, "asha@a.example")
    newest = await actions.reset(db, FIRST, invited.person.person_id, BY, NOW)
    assert await _join(db, vault, invited.link) is None
    assert await _join(db, vault, newest)
    assert await _join(db, vault, newest) is None
    acts = [each.act for each in await trail.select_page(db, FIRST)]
    assert acts == ["person.renew", "person.reset", "person.invite"]


async def test_an_owner_reaches_nobody_of_another_merchant(db: Database, vault: Vault) -> None:
    """Else an owner would invite another merchant's, ask for a new link, and be them."""
    for joined in (False, True):
        email = f"asha{joined}@a.example"
        invited = await _invite(db, FIRST, email)
        if joined:
            assert await _join(db, vault, invited.link)
        with pytest.raises(Refused) as refused:
            await _invite(db, SECOND, email)
        assert refused.value.refusal.code is RefusalCode.FIELD_INVALID
        await _invite(db, SECOND, email, across=True)
        for merchant_id in (FIRST, SECOND):
            with pytest.raises(Refused):
                await actions.reset(db, merchant_id, invited.person.person_id, BY, NOW)
        assert await actions.reset(db, SECOND, invited.person.person_id, BY, NOW, across=True)


async def test_the_last_who_may_change_the_people_stays(db: Database) -> None:
    owner = (await _invite(db, FIRST, "asha@a.example")).person.person_id
    await _invite(db, FIRST, "ritu@a.example", Role.READER)
    for role in (None, Role.FINANCE):
        with pytest.raises(Refused) as refused:
            await actions.change_role(db, FIRST, owner, role, BY, NOW)
        assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS
    other = (await _invite(db, FIRST, "dev@a.example")).person.person_id
    await actions.change_role(db, FIRST, owner, None, BY, NOW)
    assert [each.person_id for each in await store.members(db, FIRST) if each.role is Role.OWNER] == [other]


async def test_a_role_of_the_operator_is_none_at_a_merchant(db: Database) -> None:
    with pytest.raises(Refused):
        await _invite(db, FIRST, "asha@a.example", Role.OPERATOR)
    with pytest.raises(Refused):
        await _invite(db, 0, "asha@a.example", Role.OWNER)


async def test_a_recovery_code_counts_once_and_a_reset_ends_the_old_ones(db: Database, vault: Vault) -> None:
    invited = await _invite(db, FIRST, "asha@a.example")
    joined = await _join(db, vault, invited.link)
    assert joined
    sign_in, caller = SignIn(db, vault), Caller("203.0.113.9", "Firefox/1")
    for expected in (True, False):
        half = await sign_in.try_password("asha@a.example", PASSWORD, caller)
        assert not isinstance(half, Refusal)
        signed = await sign_in.try_code(half.session, joined[1][0].upper(), caller)
        assert isinstance(signed, Refusal) is not expected
    assert await db.fetchval(store.COUNT_CODES, joined[0]) == actions.CODES - 1
    again = await actions.reset(db, FIRST, joined[0], BY, NOW)
    assert await _join(db, vault, again)
    half = await sign_in.try_password("asha@a.example", PASSWORD, caller)
    assert not isinstance(half, Refusal)
    assert await sign_in.try_code(half.session, joined[1][1], caller) is Refusal.WRONG_CODE
    sign_in.close()


async def test_who_is_unknown_costs_a_hash_as_who_is_known_and_hashes_wait_in_line() -> None:
    passwords = Passwords()
    assert not await passwords.is_right("", "anything at all")
    passwords._waiting = WAITING_MAX  # noqa: SLF001 (as many as may wait)
    with pytest.raises(Refused) as refused:
        await passwords.is_right("", "anything at all")
    assert refused.value.refusal.code is RefusalCode.TOO_MANY_REQUESTS
    passwords.close()


async def test_second_factors_are_sealed_anew(db: Database, vault: Vault) -> None:
    joined = await _join(db, vault, (await _invite(db, FIRST, "asha@a.example")).link)
    assert joined
    newer = Vault({"k2": b"2" * 32, "k1": bytes(32)})
    assert await actions.reseal(db, newer) == 1
    assert await actions.reseal(db, newer) == 0
    kept = await store.secrets_of(db, joined[0])
    assert kept.sealed_totp
    assert newer.is_sealed_with_newest(kept.sealed_totp)
