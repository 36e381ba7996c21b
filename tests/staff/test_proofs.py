"""What somebody who can write every row, and has no key, cannot make.

A password, a factor, a code, a role.
"""

import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.clock import world_now
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.staff.people import actions
from hundi.staff.people.factors import actions as factors
from hundi.staff.people.proofs import actions as proofs
from hundi.staff.people.rules import OPERATOR, Role
from hundi.staff.sign_in.actions import Signed, SignIn, SignInRefusal
from tests.staff.members import (
    BY,
    CALLER,
    OF_THIEF,
    PASSWORD,
    PLACE,
    RETIRED,
    ROTATED,
    VAULT,
    code_now,
    member,
    try_code,
    try_password,
)


async def test_a_password_taken_from_ones_own_row_signs_nobody_in(db: Database) -> None:
    await member(db, "thief", role=Role.READER)
    asha = await member(db, "asha")
    await db.execute(
        "UPDATE people SET password_hash = t.password_hash FROM people t WHERE t.email ="
        " 'thief@a.example'"
    )
    assert await try_password(db, asha.email, f"{PASSWORD} thief") is SignInRefusal.WRONG
    await db.execute(f"UPDATE people SET mark = t.mark {OF_THIEF}")
    assert await try_password(db, asha.email, f"{PASSWORD} thief") is SignInRefusal.WRONG, (
        "nor with the mark of that row"
    )
    await db.execute("UPDATE people SET mark = ''")
    assert await try_password(db, asha.email, f"{PASSWORD} thief") is SignInRefusal.WRONG, (
        "nor with none"
    )


async def test_a_second_factor_taken_from_ones_own_row_is_none(db: Database) -> None:
    thief, asha = await member(db, "thief", role=Role.READER), await member(db, "asha")
    assert isinstance(await try_code(db, asha.email, "asha", code_now(asha.secret)), Signed)
    sign_in = SignIn(db, VAULT)
    shown = await sign_in.try_password(asha.email, f"{PASSWORD} asha", CALLER)
    assert isinstance(shown, Signed)
    await db.execute("UPDATE people SET totp_step = 0")
    await db.execute(
        "UPDATE people p SET sealed_totp = t.sealed_totp FROM people t WHERE t.person_id = $1",
        thief.person_id,
    )
    assert (
        await sign_in.try_code(shown.session, code_now(thief.secret), CALLER)
        is SignInRefusal.WRONG_CODE
    )
    sign_in.close()


async def test_a_recovery_code_that_somebody_wrote_lets_nobody_in(db: Database) -> None:
    asha = await member(db, "asha")
    await db.execute(
        "INSERT INTO recovery_codes (person_id, code_hash) VALUES ($1, $2)",
        *(asha.person_id, factors.hash_of("mine")),
    )
    assert await try_code(db, asha.email, "asha", "mine") is SignInRefusal.WRONG_CODE
    assert isinstance(await try_code(db, asha.email, "asha", asha.codes[0]), Signed)


@pytest.mark.parametrize(
    "statement",
    [
        (
            "INSERT INTO memberships (merchant_id, person_id, role, added_at) VALUES (0, $1,"
            " 'operator', now())"
        ),
        "UPDATE memberships SET role = 'owner' WHERE person_id = $1",
        """WITH told AS (INSERT INTO trail_entries
            SELECT 0, entry_no + 2, at, person_id, person, act, $1::bigint::text, detail, network,
            digest, mark
            FROM trail_entries WHERE merchant_id = 0 AND act = 'person.invite')
        INSERT INTO memberships VALUES (0, $1, 'operator', now())""",
    ],
)
async def test_a_role_that_somebody_wrote_opens_nothing(db: Database, statement: str) -> None:
    await member(db, "omkar", OPERATOR, Role.OPERATOR)
    await member(db, "asha")
    thief = (await member(db, "thief", role=Role.READER)).person_id
    await db.execute(statement, thief)
    roles = [await proofs.role_at(db, VAULT, place, thief) for place in (OPERATOR, PLACE)]
    assert roles in ([None, Role.READER], [None, None]), "what was given here, or nothing"
    assert Role.OPERATOR not in [
        each.role for each in await proofs.memberships_of(db, VAULT, thief)
    ]


async def test_marks_outlive_the_key_they_were_made_with(db: Database) -> None:
    asha = await member(db, "asha")
    assert isinstance(await try_code(db, asha.email, "asha", asha.codes[0], ROTATED), Signed)
    await actions.reseal(db, ROTATED)
    assert await actions.reseal(db, ROTATED) == 0
    assert isinstance(
        await try_code(db, asha.email, "asha", code_now(asha.secret), RETIRED), Signed
    )
    assert isinstance(await try_code(db, asha.email, "asha", asha.codes[1], RETIRED), Signed)
    assert await proofs.role_at(db, RETIRED, PLACE, asha.person_id) is Role.OWNER


async def test_a_rotation_marks_nothing_that_somebody_changed(db: Database) -> None:
    thief = await member(db, "thief", role=Role.READER)
    asha = await member(db, "asha")
    await db.execute(
        "UPDATE people SET password_hash = t.password_hash FROM people t WHERE t.email ="
        " 'thief@a.example'"
    )
    await db.execute("UPDATE memberships SET role = 'owner'")
    await actions.reseal(db, ROTATED)
    assert await try_password(db, asha.email, f"{PASSWORD} thief", ROTATED) is SignInRefusal.WRONG
    assert await proofs.role_at(db, ROTATED, PLACE, thief.person_id) is None


async def test_what_is_older_than_the_marks_is_taken_over_once_and_what_was_changed_is_not(
    db: Database,
) -> None:
    asha, ritu, dev = await member(db, "asha"), await member(db, "ritu"), await member(db, "dev")
    await _before_the_marks(db)
    assert await try_password(db, asha.email, f"{PASSWORD} asha") is SignInRefusal.WRONG
    shown = await proofs.unproved(db, VAULT)
    assert [(each.person.email, each.password, each.codes, each.roles) for each in shown] == [
        (f"{name}@a.example", True, factors.CODES, {PLACE: Role.OWNER})
        for name in ("asha", "dev", "ritu")
    ]
    await db.execute("UPDATE memberships SET role = 'reader' WHERE person_id = $1", ritu.person_id)
    await db.execute("INSERT INTO memberships VALUES (0, $1, 'operator', now())", ritu.person_id)
    looked_at = [each for each in shown if each.person.person_id != dev.person_id]
    async with db.transaction() as conn:
        await proofs.take_over(conn, looked_at, BY, world_now())
    assert isinstance(await try_code(db, asha.email, "asha", asha.codes[0]), Signed)
    assert await proofs.role_at(db, VAULT, PLACE, asha.person_id) is Role.OWNER
    roles = [await proofs.role_at(db, VAULT, place, ritu.person_id) for place in (PLACE, OPERATOR)]
    assert roles == [None, None], "not what was shown"
    assert await try_password(db, dev.email, f"{PASSWORD} dev") is SignInRefusal.WRONG, (
        "nobody looked at it"
    )
    with pytest.raises(Refused) as refused:
        async with db.transaction() as conn:
            await proofs.take_over(conn, await proofs.unproved(conn, VAULT), BY, world_now())
    assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS


async def _before_the_marks(db: Database) -> None:
    """Make a database as the version before the marks left it."""
    await db.execute("UPDATE people SET mark = '', generation = 0")
    await db.execute("UPDATE recovery_codes SET mark = ''")
    await db.execute("ALTER TABLE trail_entries DISABLE TRIGGER USER")
    await db.execute("ALTER TABLE trail_entries DROP CONSTRAINT trail_entries_marked")
    await db.execute("UPDATE trail_entries SET mark = '', detail = '{}'")
