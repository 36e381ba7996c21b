"""People: invitations and resets stay with their merchant, and the last owner stays."""

import asyncio
from datetime import UTC, datetime

import pytest

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.staff.approvals import actions as approvals
from hundi.staff.approvals.actions import end_person, remove_person
from hundi.staff.people import actions, store
from hundi.staff.people.actions import Chosen, Invited
from hundi.staff.people.factors import actions as factors
from hundi.staff.people.passwords.actions import WAITING_MAX, Passwords
from hundi.staff.people.rules import Role
from hundi.staff.sign_in import rules
from hundi.staff.sign_in.actions import Caller, SignIn, SignInRefusal
from hundi.staff.trail import store as trail
from hundi.staff.trail.actions import Who
from tests.staff.members import REFUND, employed

NOW = datetime(2026, 11, 23, 4, 30, tzinfo=UTC)
VAULT = Vault({"k1": bytes(32)})
BY = Who(0, "test (command line)", VAULT)
PASSWORD = "correct horse battery"
FIRST, SECOND = 7, 8


@pytest.fixture
def vault() -> Vault:
    return VAULT


async def _invite(
    db: Database, merchant_id: int, email: str, role: Role = Role.OWNER, *, across: bool = False
) -> Invited:
    return await actions.invite(
        db, merchant_id, email, email.partition("@")[0], role, BY, NOW, across=across
    )


async def _join(db: Database, vault: Vault, link: str) -> tuple[int, list[str]] | None:
    passwords = Passwords()
    chosen = Chosen(PASSWORD, factors.new_totp_secret(), 0)
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


async def test_a_new_role_ends_links_that_were_made_before(db: Database, vault: Vault) -> None:
    """Else an owner would keep a link and open the merchant that the operator adds later."""
    invited = await _invite(db, FIRST, "asha@a.example")
    assert await _join(db, vault, invited.link)
    kept = await actions.reset(db, FIRST, invited.person.person_id, BY, NOW)
    await _invite(db, SECOND, "asha@a.example", across=True)
    assert await _join(db, vault, kept) is None


async def test_of_two_owners_who_invite_one_person_at_once_one_does(db: Database) -> None:
    await _invite(db, FIRST, "owner@a.example")
    person = (await _invite(db, FIRST, "asha@a.example", Role.READER)).person.person_id
    await remove_person(db, FIRST, person, BY, NOW)
    async with db.transaction() as first:
        await store.lock(first, person)
        await first.execute(store.INSERT_MEMBERSHIP, FIRST, person, Role.READER, NOW)
        second = asyncio.create_task(_invite(db, SECOND, "asha@a.example", Role.READER))
        while not second.done() and not await db.fetchval(
            "SELECT count(*) FROM pg_locks WHERE NOT granted"
        ):
            await asyncio.sleep(0)
    with pytest.raises(Refused):
        await second
    assert [each.merchant_id for each in await store.memberships_of(db, person)] == [FIRST]


@pytest.mark.parametrize("name", ["Asha Iyer", "ASHA  IYER", "Asha\u00ad-Iyer", "...", "\u3164"])
async def test_a_colleagues_name_is_taken(db: Database, name: str) -> None:
    await actions.invite(db, FIRST, "asha@a.example", "Asha Iyer", Role.OWNER, BY, NOW)
    with pytest.raises(Refused) as refused:
        await actions.invite(db, FIRST, "second@a.example", name, Role.FINANCE, BY, NOW)
    assert refused.value.refusal.field == "name"
    await actions.invite(db, SECOND, "third@a.example", "Asha Iyer", Role.OWNER, BY, NOW)


async def test_who_made_somebodys_link_is_not_decided_about_by_them(
    db: Database, vault: Vault
) -> None:
    """Who made the link may have used it: then one person would ask and decide."""
    owner, other = Who(1, "Owner", VAULT), Who(2, "Other", VAULT)
    await employed(db, owner.person_id, Role.OWNER, FIRST)
    asked = [
        await approvals.ask(db, FIRST, "refund", "Refund", {}, owner, "late", NOW) for _ in range(2)
    ]
    invited = await actions.invite(db, FIRST, "asha@a.example", "Asha", Role.FINANCE, owner, NOW)
    assert await _join(db, vault, invited.link)
    asha = Who(invited.person.person_id, "Asha", VAULT)
    with pytest.raises(Refused) as refused:
        await approvals.decide(db, REFUND, FIRST, asked[0], asha, NOW, approved=True)
    assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS
    unused = await actions.reset(db, FIRST, asha.person_id, other, NOW)
    with pytest.raises(Refused):
        await approvals.decide(db, REFUND, FIRST, asked[0], asha, NOW, approved=True)
    assert await _join(db, vault, unused)
    assert (
        await approvals.decide(db, REFUND, FIRST, asked[0], asha, NOW, approved=True)
    ).state == "approved"


async def test_tries_at_once_do_not_pass_the_limit(db: Database, vault: Vault) -> None:
    joined = await _join(db, vault, (await _invite(db, FIRST, "asha@a.example")).link)
    assert joined
    sign_in, caller = SignIn(db, vault), Caller("", "")
    half = await sign_in.try_password("asha@a.example", PASSWORD, caller)
    assert not isinstance(half, SignInRefusal)
    codes = await asyncio.gather(
        *(sign_in.try_code(half.session, f"{each:06}x", caller) for each in range(30))
    )
    assert codes.count(SignInRefusal.WRONG_CODE) == rules.CODES_WRONG_MAX
    assert codes.count(SignInRefusal.WAIT) == 30 - rules.CODES_WRONG_MAX
    words = await asyncio.gather(
        *(sign_in.try_password("asha@a.example", f"wrong {each}", caller) for each in range(15))
    )
    assert words.count(SignInRefusal.WRONG) == rules.FAILURES_MAX
    sign_in.close()


async def test_a_strangers_wrong_codes_keep_the_person_from_nothing(
    db: Database, vault: Vault
) -> None:
    """Neither in a session that they have, nor from a browser that they signed in with before."""
    joined = await _join(db, vault, (await _invite(db, FIRST, "asha@a.example")).link)
    assert joined
    sign_in, stranger = SignIn(db, vault), Caller("", "")
    half = await sign_in.try_password("asha@a.example", PASSWORD, stranger)
    assert not isinstance(half, SignInRefusal)
    mine = await sign_in.try_code(half.session, joined[1][0], stranger)
    assert not isinstance(mine, SignInRefusal)
    half = await sign_in.try_password("asha@a.example", PASSWORD, stranger)
    assert not isinstance(half, SignInRefusal)
    for _ in range(rules.CODES_WRONG_MAX + 1):
        refusal = await sign_in.try_code(half.session, "000000x", stranger)
    assert refusal is SignInRefusal.WAIT
    assert await sign_in.show_factor(mine.session, joined[1][1]) is None
    known = Caller("", "", mine.known)
    again = await sign_in.try_password("asha@a.example", PASSWORD, known)
    assert not isinstance(again, SignInRefusal)
    assert not isinstance(await sign_in.try_code(again.session, joined[1][2], known), SignInRefusal)
    sign_in.close()


async def test_the_last_who_may_change_the_people_stays(db: Database) -> None:
    owner = (await _invite(db, FIRST, "asha@a.example")).person.person_id
    await _invite(db, FIRST, "ritu@a.example", Role.READER)
    for change in (
        lambda: end_person(db, FIRST, owner, BY, NOW),
        lambda: remove_person(db, FIRST, owner, BY, NOW),
        lambda: approvals.change_role(db, FIRST, owner, Role.FINANCE, BY, NOW),
    ):
        with pytest.raises(Refused) as refused:
            await change()
        assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS
    other = (await _invite(db, FIRST, "dev@a.example")).person.person_id
    await remove_person(db, FIRST, owner, BY, NOW)
    assert [
        each.person_id for each in await store.members(db, FIRST) if each.role is Role.OWNER
    ] == [other]


async def test_who_is_ended_has_nothing_left_and_never_comes_back(
    db: Database, vault: Vault
) -> None:
    await _invite(db, FIRST, "ritu@a.example")
    invited = await _invite(db, FIRST, "asha@a.example")
    joined = await _join(db, vault, invited.link)
    assert joined
    await _invite(db, SECOND, "dev@a.example")
    await _invite(db, SECOND, "asha@a.example", Role.READER, across=True)
    sign_in, caller, person = SignIn(db, vault), Caller("203.0.113.10", "Firefox/1"), joined[0]
    half = await sign_in.try_password("asha@a.example", PASSWORD, caller)
    assert not isinstance(half, SignInRefusal)
    signed = await sign_in.try_code(half.session, joined[1][0], caller)
    assert not isinstance(signed, SignInRefusal)
    late = await actions.reset(db, FIRST, person, BY, NOW, across=True)
    asked = await approvals.ask(
        db, FIRST, "refund", "Refund", {}, Who(person, "asha", VAULT), "late", NOW
    )
    with pytest.raises(Refused) as refused:
        await end_person(db, FIRST, person, BY, NOW)
    assert refused.value.refusal.code is RefusalCode.NO_RECORDS, (
        "another merchant's owner would lose them, too"
    )
    await end_person(db, 0, person, BY, NOW, across=True)
    assert await store.memberships_of(db, person) == []
    assert await sign_in.find(signed.token) is None
    assert await sign_in.try_password("asha@a.example", PASSWORD, caller) is SignInRefusal.WRONG
    assert await _join(db, vault, late) is None
    assert (
        await db.fetchval("SELECT state FROM approvals WHERE approval_id = $1", asked) == "expired"
    )
    kept = await db.fetchrow(
        "SELECT state, password_hash, sealed_totp FROM people WHERE person_id = $1", person
    )
    assert kept is not None
    assert tuple(kept) == ("ended", "", None)
    for table in ("staff_sessions", "recovery_codes", "passkeys"):
        assert await db.fetchval(f"SELECT count(*) FROM {table} WHERE person_id = $1", person) == 0
    for place in (FIRST, SECOND, 0):
        acts = [
            each.act for each in await trail.select_page(db, place) if each.about == str(person)
        ]
        assert acts[0] == "person.end"
        assert ("person.remove" in acts) == (place != 0)
    for again in (
        lambda: _invite(db, FIRST, "asha@a.example", across=True),
        lambda: end_person(db, 0, person, BY, NOW, across=True),
    ):
        with pytest.raises(Refused):
            await again()
    sign_in.close()


async def test_a_role_of_the_operator_is_none_at_a_merchant(db: Database) -> None:
    with pytest.raises(Refused):
        await _invite(db, FIRST, "asha@a.example", Role.OPERATOR)
    with pytest.raises(Refused):
        await _invite(db, 0, "asha@a.example", Role.OWNER)


async def test_a_recovery_code_counts_once_and_a_reset_ends_the_old_ones(
    db: Database, vault: Vault
) -> None:
    invited = await _invite(db, FIRST, "asha@a.example")
    joined = await _join(db, vault, invited.link)
    assert joined
    sign_in, caller = SignIn(db, vault), Caller("203.0.113.9", "Firefox/1")
    for expected in (True, False):
        half = await sign_in.try_password("asha@a.example", PASSWORD, caller)
        assert not isinstance(half, SignInRefusal)
        signed = await sign_in.try_code(half.session, joined[1][0].upper(), caller)
        assert isinstance(signed, SignInRefusal) is not expected
    assert await db.fetchval(store.COUNT_CODES, joined[0]) == factors.CODES - 1
    again = await actions.reset(db, FIRST, joined[0], BY, NOW)
    assert await _join(db, vault, again)
    half = await sign_in.try_password("asha@a.example", PASSWORD, caller)
    assert not isinstance(half, SignInRefusal)
    assert await sign_in.try_code(half.session, joined[1][1], caller) is SignInRefusal.WRONG_CODE
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
    assert await actions.reseal(db, newer) == 1 + factors.CODES, "with the marks of codes"
    assert await actions.reseal(db, newer) == 0
    kept = await store.secrets_of(db, joined[0])
    assert kept.sealed_totp
    assert newer.is_sealed_with_newest(kept.sealed_totp)
