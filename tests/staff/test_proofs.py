"""What somebody who can write every row, and has no key, cannot make: a password, a factor, a code, a role."""

from dataclasses import dataclass

import pytest
from pyotp.totp import TOTP

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.key_sources import Key
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import world_now
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.staff.approvals.actions import end_person
from hundi.staff.people import actions, proofs, store
from hundi.staff.people.passwords import Passwords
from hundi.staff.people.rules import OPERATOR, Person, Role
from hundi.staff.sign_in.actions import Caller, Refusal, Signed, SignIn
from hundi.staff.trail.actions import Who

VAULT = Vault({"k1": bytes(32)})
ROTATED = Vault({"k2": b"2" * 32, "k1": bytes(32)})
RETIRED = Vault({"k2": Key.of(b"2" * 32), "k1": replace(Key.of(bytes(32)), secret=None)})
BY = Who(0, "test (command line)", VAULT)
CALLER = Caller("203.0.113.9", "Firefox/1")
PLACE = 7
PASSWORD = "correct horse battery"
OF_THIEF = "FROM people t WHERE t.email = 'thief@a.example'"


@dataclass(frozen=True)
class Member:
    """Somebody who can sign in, and what they know."""

    email: str
    person_id: int
    secret: str
    codes: list[str]


async def _member(db: Database, name: str, place: int = PLACE, role: Role = Role.OWNER) -> Member:
    email, secret, passwords = f"{name}@a.example", actions.new_totp_secret(), Passwords()
    invited = await actions.invite(db, VAULT, place, email, name, role, BY, world_now())
    made = await actions.accept(
        db, VAULT, passwords, invited.link, actions.Chosen(f"{PASSWORD} {name}", secret, 0), world_now()
    )
    passwords.close()
    assert made
    return Member(email, made[0].person_id, secret, made[1])


async def _password(db: Database, email: str, password: str, vault: Vault = VAULT) -> Signed | Refusal:
    sign_in = SignIn(db, vault)
    try:
        return await sign_in.try_password(email, password, CALLER)
    finally:
        sign_in.close()


async def _code(db: Database, email: str, name: str, code: str, vault: Vault = VAULT) -> Signed | Refusal:
    sign_in = SignIn(db, vault)
    try:
        shown = await sign_in.try_password(email, f"{PASSWORD} {name}", CALLER)
        assert isinstance(shown, Signed)
        return await sign_in.try_code(shown.session, code, CALLER)
    finally:
        sign_in.close()


def _now(secret: str) -> str:
    return TOTP(secret).now()


async def test_a_password_taken_from_ones_own_row_signs_nobody_in(db: Database) -> None:
    await _member(db, "thief", role=Role.READER)
    asha = await _member(db, "asha")
    await db.execute(
        "UPDATE people SET password_hash = t.password_hash FROM people t WHERE t.email = 'thief@a.example'"
    )
    assert await _password(db, asha.email, f"{PASSWORD} thief") is Refusal.WRONG
    await db.execute(f"UPDATE people SET mark = t.mark {OF_THIEF}")
    assert await _password(db, asha.email, f"{PASSWORD} thief") is Refusal.WRONG, "nor with the mark of that row"
    await db.execute("UPDATE people SET mark = ''")
    assert await _password(db, asha.email, f"{PASSWORD} thief") is Refusal.WRONG, "nor with none"


async def test_a_second_factor_taken_from_ones_own_row_is_none(db: Database) -> None:
    thief, asha = await _member(db, "thief", role=Role.READER), await _member(db, "asha")
    assert isinstance(await _code(db, asha.email, "asha", _now(asha.secret)), Signed)
    sign_in = SignIn(db, VAULT)
    shown = await sign_in.try_password(asha.email, f"{PASSWORD} asha", CALLER)
    assert isinstance(shown, Signed)
    await db.execute("UPDATE people SET totp_step = 0")
    await db.execute(
        "UPDATE people p SET sealed_totp = t.sealed_totp FROM people t WHERE t.person_id = $1", thief.person_id
    )
    assert await sign_in.try_code(shown.session, _now(thief.secret), CALLER) is Refusal.WRONG_CODE
    sign_in.close()


async def test_a_recovery_code_that_somebody_wrote_lets_nobody_in(db: Database) -> None:
    asha = await _member(db, "asha")
    await db.execute(
        "INSERT INTO recovery_codes (person_id, code_hash) VALUES ($1, $2)",
        *(asha.person_id, actions.hash_of("mine")),
    )
    assert await _code(db, asha.email, "asha", "mine") is Refusal.WRONG_CODE
    assert isinstance(await _code(db, asha.email, "asha", asha.codes[0]), Signed)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO memberships (merchant_id, person_id, role, added_at) VALUES (0, $1, 'operator', now())",
        "UPDATE memberships SET role = 'owner' WHERE person_id = $1",
        """WITH told AS (INSERT INTO trail_entries
            SELECT 0, entry_no + 2, at, person_id, person, act, $1::bigint::text, detail, network, digest, mark
            FROM trail_entries WHERE merchant_id = 0 AND act = 'person.invite')
        INSERT INTO memberships VALUES (0, $1, 'operator', now())""",
    ],
)
async def test_a_role_that_somebody_wrote_opens_nothing(db: Database, statement: str) -> None:
    await _member(db, "omkar", OPERATOR, Role.OPERATOR)
    await _member(db, "asha")
    thief = (await _member(db, "thief", role=Role.READER)).person_id
    await db.execute(statement, thief)
    roles = [await proofs.role_at(db, VAULT, place, thief) for place in (OPERATOR, PLACE)]
    assert roles in ([None, Role.READER], [None, None]), "what was given here, or nothing"
    assert Role.OPERATOR not in [each.role for each in await proofs.memberships_of(db, VAULT, thief)]


async def test_marks_outlive_the_key_they_were_made_with(db: Database) -> None:
    asha = await _member(db, "asha")
    assert isinstance(await _code(db, asha.email, "asha", asha.codes[0], ROTATED), Signed)
    await actions.reseal(db, ROTATED)
    assert await actions.reseal(db, ROTATED) == 0
    assert isinstance(await _code(db, asha.email, "asha", _now(asha.secret), RETIRED), Signed)
    assert isinstance(await _code(db, asha.email, "asha", asha.codes[1], RETIRED), Signed)
    assert await proofs.role_at(db, RETIRED, PLACE, asha.person_id) is Role.OWNER


async def test_a_rotation_marks_nothing_that_somebody_changed(db: Database) -> None:
    thief = await _member(db, "thief", role=Role.READER)
    asha = await _member(db, "asha")
    await db.execute(
        "UPDATE people SET password_hash = t.password_hash FROM people t WHERE t.email = 'thief@a.example'"
    )
    await db.execute("UPDATE memberships SET role = 'owner'")
    await actions.reseal(db, ROTATED)
    assert await _password(db, asha.email, f"{PASSWORD} thief", ROTATED) is Refusal.WRONG
    assert await proofs.role_at(db, ROTATED, PLACE, thief.person_id) is None


async def test_what_is_older_than_the_marks_is_taken_over_once_and_what_was_changed_is_not(db: Database) -> None:
    asha, ritu, dev = await _member(db, "asha"), await _member(db, "ritu"), await _member(db, "dev")
    await _before_the_marks(db)
    assert await _password(db, asha.email, f"{PASSWORD} asha") is Refusal.WRONG
    shown = await proofs.unproved(db, VAULT)
    assert [(each.person.email, each.password, each.codes, each.roles) for each in shown] == [
        (f"{name}@a.example", True, actions.CODES, {PLACE: Role.OWNER}) for name in ("asha", "dev", "ritu")
    ]
    await db.execute("UPDATE memberships SET role = 'reader' WHERE person_id = $1", ritu.person_id)
    await db.execute("INSERT INTO memberships VALUES (0, $1, 'operator', now())", ritu.person_id)
    looked_at = [each for each in shown if each.person.person_id != dev.person_id]
    assert await proofs.take_over(db, looked_at, BY, world_now()) == 2
    assert isinstance(await _code(db, asha.email, "asha", asha.codes[0]), Signed)
    assert await proofs.role_at(db, VAULT, PLACE, asha.person_id) is Role.OWNER
    roles = [await proofs.role_at(db, VAULT, place, ritu.person_id) for place in (PLACE, OPERATOR)]
    assert roles == [None, None], "not what was shown"
    assert await _password(db, dev.email, f"{PASSWORD} dev") is Refusal.WRONG, "nobody looked at it"
    with pytest.raises(Refused) as refused:
        await proofs.take_over(db, await proofs.unproved(db, VAULT), BY, world_now())
    assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS


async def _before_the_marks(db: Database) -> None:
    """Make a database as the version before the marks left it."""
    await db.execute("UPDATE people SET mark = '', generation = 0")
    await db.execute("UPDATE recovery_codes SET mark = ''")
    await db.execute("ALTER TABLE trail_entries DISABLE TRIGGER USER")
    await db.execute("ALTER TABLE trail_entries DROP CONSTRAINT trail_entries_marked")
    await db.execute("UPDATE trail_entries SET mark = '', detail = '{}'")


async def test_an_older_password_that_is_put_back_signs_nobody_in(db: Database) -> None:
    """Whoever knows it, or had the person's row once, has nothing."""
    asha = await _member(db, "asha")
    copied = "UPDATE people SET password_hash = $2, sealed_totp = $3, mark = $4, generation = $5 WHERE person_id = $1"
    old = await db.fetchrow(
        "SELECT password_hash, sealed_totp, mark, generation FROM people WHERE email = $1", asha.email
    )
    assert old
    passwords = Passwords()
    kept = await proofs.secrets_of(db, VAULT, asha.person_id)
    by = Who(asha.person_id, "asha", VAULT)
    hashed = await passwords.hashed(f"{PASSWORD} another")
    assert await proofs.change_password(db, by, kept, hashed, world_now())
    assert not await proofs.change_password(db, by, kept, hashed, world_now()), "it was changed meanwhile"
    assert isinstance(await _password(db, asha.email, f"{PASSWORD} another"), Signed)
    await db.execute(copied, asha.person_id, *old)
    assert await _password(db, asha.email, f"{PASSWORD} asha") is Refusal.WRONG
    await db.execute("UPDATE people SET generation = 2")
    assert await _password(db, asha.email, f"{PASSWORD} asha") is Refusal.WRONG
    link = await actions.reset(db, VAULT, PLACE, asha.person_id, BY, world_now())
    chosen = actions.Chosen(f"{PASSWORD} third", asha.secret, 0)
    assert await actions.accept(db, VAULT, passwords, link, chosen, world_now())
    assert isinstance(await _password(db, asha.email, f"{PASSWORD} third"), Signed)
    passwords.close()


async def test_an_older_role_that_is_put_back_opens_nothing(db: Database) -> None:
    await _member(db, "asha")
    ritu = await _member(db, "ritu")
    await actions.change_role(db, PLACE, ritu.person_id, Role.READER, BY, world_now())
    await db.execute("UPDATE memberships SET role = 'owner' WHERE person_id = $1", ritu.person_id)
    assert await proofs.role_at(db, VAULT, PLACE, ritu.person_id) is None
    members = await actions.members(db, VAULT, PLACE)
    assert {each.person.email: each.is_given for each in members} == {"asha@a.example": True, ritu.email: False}
    with pytest.raises(Refused) as refused:
        await actions.change_role(db, PLACE, (await _of(db, "asha")).person_id, Role.READER, BY, world_now())
    assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS, "a role that counts for nothing is no second owner"


async def _of(db: Database, name: str) -> Person:
    found = await store.select_by_email(db, f"{name}@a.example")
    assert found
    return found


async def test_who_hides_where_somebody_belongs_gets_no_link_of_theirs(db: Database) -> None:
    """An owner who moves the operator into their own shop by SQL would sign in as the operator."""
    omkar = await _member(db, "omkar", OPERATOR, Role.OPERATOR)
    owner = Who((await _member(db, "asha")).person_id, "asha", VAULT)
    await db.execute("UPDATE memberships SET merchant_id = 7, role = 'reader' WHERE person_id = $1", omkar.person_id)
    await db.execute("UPDATE people SET state = 'invited' WHERE person_id = $1", omkar.person_id)
    with pytest.raises(Refused):
        await actions.reset(db, VAULT, PLACE, omkar.person_id, owner, world_now())
    await db.execute("DELETE FROM memberships WHERE person_id = $1", omkar.person_id)
    with pytest.raises(Refused):
        await actions.invite(db, VAULT, PLACE, omkar.email, "omkar", Role.READER, owner, world_now())
    with pytest.raises(Refused):
        await end_person(db, PLACE, omkar.person_id, owner, world_now())


async def test_a_swapped_address_gets_no_link(db: Database) -> None:
    """Else the operator would hand another's link to whoever asks for their own."""
    thief, asha = await _member(db, "thief", role=Role.READER), await _member(db, "asha")
    await db.execute("UPDATE people SET email = 'x@a.example' WHERE person_id = $1", thief.person_id)
    await db.execute("UPDATE people SET email = $2 WHERE person_id = $1", asha.person_id, thief.email)
    with pytest.raises(Refused) as refused:
        await actions.reset(db, VAULT, PLACE, (await _of(db, "thief")).person_id, BY, world_now(), across=True)
    assert (refused.value.refusal.code, refused.value.refusal.field) == (RefusalCode.FIELD_INVALID, "email")
    with pytest.raises(Refused):
        await actions.invite(db, VAULT, 8, thief.email, "asha", Role.READER, BY, world_now(), across=True)


async def test_a_link_lives_no_longer_than_it_was_made_for(db: Database) -> None:
    invited = await actions.invite(db, VAULT, PLACE, "asha@a.example", "asha", Role.OWNER, BY, world_now())
    assert await actions.find_link(db, VAULT, invited.link)
    await db.execute("UPDATE one_time_links SET ends_at = ends_at + interval '1 year'")
    assert await actions.find_link(db, VAULT, invited.link) is None


async def test_who_made_ones_link_is_told_by_the_trail(db: Database) -> None:
    maker = Who((await _member(db, "maker")).person_id, "maker", VAULT)
    invited = await actions.invite(db, VAULT, PLACE, "asha@a.example", "asha", Role.FINANCE, maker, world_now())
    passwords = Passwords()
    chosen = actions.Chosen(f"{PASSWORD} asha", actions.new_totp_secret(), 0)
    assert await actions.accept(db, VAULT, passwords, invited.link, chosen, world_now())
    passwords.close()
    await db.execute("UPDATE one_time_links SET made_by = 0")
    await db.execute("DELETE FROM one_time_links")
    assert await proofs.linkers_of(db, VAULT, invited.person.person_id) == {maker.person_id}
