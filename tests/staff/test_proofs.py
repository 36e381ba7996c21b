"""What somebody who can write every row, and has no key, cannot make: a password, a factor, a code, a role."""

from dataclasses import dataclass

import pytest
from pyotp.totp import TOTP

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import world_now
from hundi.staff.people import actions, proofs, store
from hundi.staff.people.passwords import Passwords
from hundi.staff.people.rules import OPERATOR, Role
from hundi.staff.sign_in.actions import Caller, Refusal, Signed, SignIn
from hundi.staff.trail import store as trail
from hundi.staff.trail.actions import Who

VAULT = Vault({"k1": bytes(32)})
ROTATED = Vault({"k2": b"2" * 32, "k1": bytes(32)})
NEWEST = Vault({"k2": b"2" * 32})
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
        """INSERT INTO memberships (merchant_id, person_id, role, added_at, mark)
        SELECT 0, $1, role, now(), mark FROM memberships WHERE role = 'operator'""",
        "UPDATE memberships SET role = 'owner' WHERE person_id = $1",
        """UPDATE memberships m SET role = 'owner', mark = o.mark FROM memberships o
        WHERE m.person_id = $1 AND o.merchant_id = 7 AND o.role = 'owner'""",
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
    assert isinstance(await _code(db, asha.email, "asha", _now(asha.secret), NEWEST), Signed)
    assert isinstance(await _code(db, asha.email, "asha", asha.codes[1], NEWEST), Signed)
    assert await proofs.role_at(db, NEWEST, PLACE, asha.person_id) is Role.OWNER


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
    roles = [
        await proofs.role_at(db, ROTATED, PLACE, row["person_id"]) for row in await db.fetch(store.SELECT_UNMARKED)
    ]
    assert roles == []


async def test_what_is_older_than_the_marks_is_taken_over_once_and_what_was_changed_is_not(db: Database) -> None:
    asha, changed = await _member(db, "asha"), await _member(db, "ritu", role=Role.READER)
    await db.execute("UPDATE people SET mark = ''")
    await db.execute("UPDATE recovery_codes SET mark = ''")
    await db.execute("UPDATE memberships SET mark = '' WHERE person_id = $1", asha.person_id)
    await db.execute("UPDATE memberships SET role = 'owner' WHERE person_id = $1", changed.person_id)
    assert await _password(db, asha.email, f"{PASSWORD} asha") is Refusal.WRONG
    shown = [(row["email"], row["role"]) for row in await db.fetch(store.SELECT_UNMARKED)]
    assert shown == [(asha.email, "owner"), (changed.email, "owner")]
    assert await proofs.take_over(db, VAULT, BY, world_now()) == 2 + 2 * actions.CODES + 1
    assert isinstance(await _code(db, asha.email, "asha", asha.codes[0]), Signed)
    assert await proofs.role_at(db, VAULT, PLACE, asha.person_id) is Role.OWNER
    assert await proofs.role_at(db, VAULT, PLACE, changed.person_id) is None
    assert (await trail.select_page(db, OPERATOR))[0].act == "person.take_over"
    assert await proofs.take_over(db, VAULT, BY, world_now()) == 0
