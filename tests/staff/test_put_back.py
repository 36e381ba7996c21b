"""Rows that somebody kept and puts back, hides or swaps: none of them counts."""

import asyncpg
import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.clock import world_now
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.money.audit.rules import Violation
from hundi.money.audit.trail.store import CHECKS
from hundi.staff.approvals.actions import change_role, end_person, remove_person
from hundi.staff.people import actions, store
from hundi.staff.people.factors import actions as factors
from hundi.staff.people.history.actions import history_of
from hundi.staff.people.links import actions as links
from hundi.staff.people.listing import actions as listing
from hundi.staff.people.passwords.actions import Passwords
from hundi.staff.people.proofs import actions as proofs
from hundi.staff.people.rules import OPERATOR, Person, Role
from hundi.staff.sign_in.actions import Signed, SignInRefusal
from hundi.staff.trail.actions import Who
from tests.staff.members import BY, PASSWORD, PLACE, VAULT, member, try_password


async def test_an_older_password_that_is_put_back_signs_nobody_in(db: Database) -> None:
    """Whoever knows it, or had the person's row once, has nothing."""
    asha = await member(db, "asha")
    copied = (
        "UPDATE people SET password_hash = $2, sealed_totp = $3, mark = $4, generation = $5 WHERE"
        " person_id = $1"
    )
    old = await db.fetchrow(
        "SELECT password_hash, sealed_totp, mark, generation FROM people WHERE email = $1",
        asha.email,
    )
    assert old
    passwords = Passwords()
    kept = await proofs.secrets_of(db, VAULT, asha.person_id)
    by = Who(asha.person_id, "asha", VAULT)
    hashed = await passwords.hashed(f"{PASSWORD} another")
    assert await proofs.change_password(db, by, kept, hashed, world_now())
    assert not await proofs.change_password(db, by, kept, hashed, world_now()), (
        "it was changed meanwhile"
    )
    assert isinstance(await try_password(db, asha.email, f"{PASSWORD} another"), Signed)
    await db.execute(copied, asha.person_id, *old)
    assert await try_password(db, asha.email, f"{PASSWORD} asha") is SignInRefusal.WRONG
    await db.execute("UPDATE people SET generation = 2")
    assert await try_password(db, asha.email, f"{PASSWORD} asha") is SignInRefusal.WRONG
    link = await actions.reset(db, PLACE, asha.person_id, BY, world_now())
    chosen = actions.Chosen(f"{PASSWORD} third", asha.secret, 0)
    assert await actions.accept(db, VAULT, passwords, link, chosen, world_now())
    assert isinstance(await try_password(db, asha.email, f"{PASSWORD} third"), Signed)
    passwords.close()


async def test_an_older_role_that_is_put_back_opens_nothing(db: Database) -> None:
    await member(db, "asha")
    ritu = await member(db, "ritu")
    await change_role(db, PLACE, ritu.person_id, Role.READER, BY, world_now())
    await db.execute("UPDATE memberships SET role = 'owner' WHERE person_id = $1", ritu.person_id)
    assert await proofs.role_at(db, VAULT, PLACE, ritu.person_id) is None
    members = await listing.members(db, VAULT, PLACE)
    assert {each.person.email: each.is_given for each in members} == {
        "asha@a.example": True,
        ritu.email: False,
    }
    with pytest.raises(Refused) as refused:
        await change_role(
            db, PLACE, (await _of(db, "asha")).person_id, Role.READER, BY, world_now()
        )
    assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS, (
        "a role that counts for nothing is no second owner"
    )


async def _of(db: Database, name: str) -> Person:
    found = await store.select_by_email(db, f"{name}@a.example")
    assert found
    return found


async def test_who_hides_where_somebody_belongs_gets_no_link_of_theirs(db: Database) -> None:
    """An owner who moves the operator into their own shop by SQL would sign in as the operator."""
    omkar = await member(db, "omkar", OPERATOR, Role.OPERATOR)
    owner = Who((await member(db, "asha")).person_id, "asha", VAULT)
    await db.execute(
        "UPDATE memberships SET merchant_id = 7, role = 'reader' WHERE person_id = $1",
        omkar.person_id,
    )
    await db.execute("UPDATE people SET state = 'invited' WHERE person_id = $1", omkar.person_id)
    with pytest.raises(Refused):
        await actions.reset(db, PLACE, omkar.person_id, owner, world_now())
    await db.execute("DELETE FROM memberships WHERE person_id = $1", omkar.person_id)
    with pytest.raises(Refused):
        await actions.invite(db, PLACE, omkar.email, "omkar", Role.READER, owner, world_now())
    with pytest.raises(Refused):
        await end_person(db, PLACE, omkar.person_id, owner, world_now())


async def test_a_swapped_address_gets_no_link(db: Database) -> None:
    """Else the operator would hand another's link to whoever asks for their own."""
    thief, asha = await member(db, "thief", role=Role.READER), await member(db, "asha")
    await db.execute(
        "UPDATE people SET email = 'x@a.example' WHERE person_id = $1", thief.person_id
    )
    await db.execute(
        "UPDATE people SET email = $2 WHERE person_id = $1", asha.person_id, thief.email
    )
    with pytest.raises(Refused) as refused:
        await actions.reset(
            db, PLACE, (await _of(db, "thief")).person_id, BY, world_now(), across=True
        )
    assert (refused.value.refusal.code, refused.value.refusal.field) == (
        RefusalCode.FIELD_INVALID,
        "email",
    )
    with pytest.raises(Refused):
        await actions.invite(db, 8, thief.email, "asha", Role.READER, BY, world_now(), across=True)


async def test_a_link_lives_no_longer_than_it_was_made_for(db: Database) -> None:
    invited = await actions.invite(db, PLACE, "asha@a.example", "asha", Role.OWNER, BY, world_now())
    assert await links.find_link(db, VAULT, invited.link)
    await db.execute("UPDATE one_time_links SET ends_at = ends_at + interval '1 year'")
    assert await links.find_link(db, VAULT, invited.link) is None


async def test_who_made_ones_link_is_told_by_the_trail(db: Database) -> None:
    maker = Who((await member(db, "maker")).person_id, "maker", VAULT)
    invited = await actions.invite(
        db, PLACE, "asha@a.example", "asha", Role.FINANCE, maker, world_now()
    )
    passwords = Passwords()
    chosen = actions.Chosen(f"{PASSWORD} asha", factors.new_totp_secret(), 0)
    assert await actions.accept(db, VAULT, passwords, invited.link, chosen, world_now())
    passwords.close()
    await db.execute("UPDATE one_time_links SET made_by = 0")
    await db.execute("DELETE FROM one_time_links")
    assert (await history_of(db, VAULT, invited.person.person_id)).linkers() == {maker.person_id}


_KEPT = (
    "SELECT state, password_hash, sealed_totp, mark, generation FROM people WHERE person_id = $1"
)
_PUT_BACK = """
UPDATE people SET state = $2, password_hash = $3, sealed_totp = $4, mark = $5, generation = $6
    WHERE person_id = $1
"""


async def test_who_was_ended_does_not_come_back_by_an_older_row(db: Database) -> None:
    await member(db, "asha")
    thief = await member(db, "thief", role=Role.FINANCE)
    row = await db.fetchrow(_KEPT, thief.person_id)
    assert row
    await db.execute("DELETE FROM memberships WHERE person_id = $1", thief.person_id)
    await end_person(db, PLACE, thief.person_id, BY, world_now())
    await db.execute(_PUT_BACK, thief.person_id, *row)
    await db.execute(
        "INSERT INTO memberships VALUES ($1, $2, 'finance', now())", PLACE, thief.person_id
    )
    assert await try_password(db, thief.email, f"{PASSWORD} thief") is SignInRefusal.WRONG
    assert await proofs.role_at(db, VAULT, PLACE, thief.person_id) is None


@pytest.mark.parametrize("change", ["remove", "change_role"])
async def test_a_hidden_role_is_taken_all_the_same(db: Database, change: str) -> None:
    await member(db, "asha")
    thief = (await member(db, "thief", role=Role.FINANCE)).person_id
    await db.execute("DELETE FROM memberships WHERE person_id = $1", thief)
    if change == "remove":
        await remove_person(db, PLACE, thief, BY, world_now())
    else:
        await change_role(db, PLACE, thief, Role.READER, BY, world_now())
    await db.execute("INSERT INTO memberships VALUES ($1, $2, 'finance', now())", PLACE, thief)
    assert await proofs.role_at(db, VAULT, PLACE, thief) is None


async def _accept(db: Database, link: str, password: str) -> bool:
    passwords = Passwords()
    chosen = actions.Chosen(password, factors.new_totp_secret(), 0)
    try:
        return await actions.accept(db, VAULT, passwords, link, chosen, world_now()) is not None
    finally:
        passwords.close()


@pytest.mark.parametrize("before", ["used", "withdrawn"])
async def test_a_link_that_is_over_and_put_back_opens_nothing(db: Database, before: str) -> None:
    owner = Who((await member(db, "owner")).person_id, "owner", VAULT)
    invited = await actions.invite(
        db, PLACE, "boss@a.example", "boss", Role.READER, owner, world_now()
    )
    row = await db.fetchrow("SELECT * FROM one_time_links WHERE used_at IS NULL")
    assert row
    if before == "used":
        assert await _accept(db, invited.link, f"{PASSWORD} boss")
        await db.execute("UPDATE one_time_links SET used_at = NULL")
    else:
        await actions.invite(
            db, OPERATOR, "boss@a.example", "boss", Role.OPERATOR, BY, world_now(), across=True
        )
        await db.execute("DELETE FROM one_time_links")
        places = ", ".join(f"${number}" for number in range(1, len(row) + 1))
        await db.execute(
            f"INSERT INTO one_time_links ({', '.join(row.keys())}) VALUES ({places})", *row.values()
        )
    assert not await _accept(db, invited.link, f"{PASSWORD} thief")


async def test_no_role_with_the_operator_for_whom_somebody_else_may_be(db: Database) -> None:
    """An owner who invited the address first and used the link would be the operator."""
    owner = Who((await member(db, "owner")).person_id, "owner", VAULT)
    invited = await actions.invite(
        db, PLACE, "ceo@a.example", "ceo", Role.READER, owner, world_now()
    )
    assert await _accept(db, invited.link, f"{PASSWORD} owner")
    given = "ceo@a.example", "ceo", Role.OPERATOR, BY
    with pytest.raises(Refused) as refused:
        await actions.invite(db, OPERATOR, *given, world_now(), across=True)
    assert "make them a new one first" in str(refused.value.refusal.allowed)
    link = await actions.reset(db, PLACE, invited.person.person_id, BY, world_now(), across=True)
    assert await _accept(db, link, f"{PASSWORD} ceo")
    await actions.invite(db, OPERATOR, *given, world_now(), across=True)
    assert await proofs.role_at(db, VAULT, OPERATOR, invited.person.person_id) is Role.OPERATOR


@pytest.mark.parametrize("act", ["change_role", "remove", "end"])
async def test_swapped_rows_mislead_no_act(db: Database, act: str) -> None:
    await member(db, "asha")
    thief, vera = (
        await member(db, "thief", role=Role.READER),
        await member(db, "vera", role=Role.READER),
    )
    await db.execute(
        "UPDATE people SET email = 'x@a.example' WHERE person_id = $1", thief.person_id
    )
    await db.execute(
        "UPDATE people SET email = $2 WHERE person_id = $1", vera.person_id, thief.email
    )
    found = (await _of(db, "thief")).person_id
    doing = {
        "change_role": lambda: change_role(db, PLACE, found, Role.FINANCE, BY, world_now()),
        "remove": lambda: remove_person(db, PLACE, found, BY, world_now()),
        "end": lambda: end_person(db, PLACE, found, BY, world_now()),
    }
    with pytest.raises(Refused) as refused:
        await doing[act]()
    assert refused.value.refusal.field == "email"


async def test_a_new_installation_takes_nothing_over_and_no_forged_entry_says_so(
    db: Database,
) -> None:
    await db.execute(
        "INSERT INTO trail_entries VALUES (0, 1, now(), 0, 'x', 'person.take_over', 'everybody',"
        " '{}', '',"
        " sha256('x'), sha256('x'))"
    )
    assert not await proofs.is_taken_over(db, VAULT)
    asha = await member(db, "asha")
    assert await proofs.is_taken_over(db, VAULT), "nobody was there before the first person"
    await db.execute("INSERT INTO memberships VALUES (0, $1, 'operator', now())", asha.person_id)
    with pytest.raises(Refused):
        async with db.transaction() as conn:
            await proofs.take_over(conn, await proofs.unproved(conn, VAULT), BY, world_now())


async def test_what_the_trail_contradicts_is_no_older_row(db: Database) -> None:
    await member(db, "asha")
    thief = await member(db, "thief")
    await remove_person(db, PLACE, thief.person_id, BY, world_now())
    await db.execute(
        "INSERT INTO memberships VALUES ($1, $2, 'owner', now())", PLACE, thief.person_id
    )
    assert await proofs.unproved(db, VAULT) == []


async def test_an_address_that_looks_like_a_number_stays_exact(db: Database) -> None:
    email = "499118665246@a.example"
    invited = await actions.invite(db, PLACE, email, "asha", Role.OWNER, BY, world_now())
    assert await actions.reset(db, PLACE, invited.person.person_id, BY, world_now())
    assert await db.fetch(CHECKS[Violation.PERSON_UNTOLD]) == []


@pytest.mark.parametrize(
    "detail", ['{"role": []}', '{"generation": "x"}', '{"email": {}}', '{"link": 7}']
)
async def test_a_forged_entry_hinders_nobody(db: Database, detail: str) -> None:
    asha, thief = await member(db, "asha"), await member(db, "thief", role=Role.READER)
    number = await db.fetchval(
        "SELECT max(entry_no) FROM trail_entries WHERE merchant_id = $1", PLACE
    )
    await db.execute(
        "INSERT INTO trail_entries VALUES ($1, $2, now(), 0, 'x', 'person.invite', $3, $4, '',"
        " sha256('x'), sha256('x'))",
        *(PLACE, number + 1, str(thief.person_id), detail),
    )
    assert isinstance(await try_password(db, asha.email, f"{PASSWORD} asha"), Signed)
    await end_person(db, PLACE, thief.person_id, BY, world_now())
    assert await try_password(db, thief.email, f"{PASSWORD} thief") is SignInRefusal.WRONG


@pytest.mark.parametrize(
    ("number", "at", "detail"),
    [
        ("2147483647", "now()", "{}"),
        ("2", "'4000-01-01 BC'", "{}"),
        ("2", "'infinity'", "{}"),
        ("2", "now()", "[]"),
    ],
)
async def test_what_would_stop_a_trail_is_not_written(
    db: Database, number: str, at: str, detail: str
) -> None:
    await member(db, "asha", OPERATOR, Role.OPERATOR)
    forged = (
        f"{number} + max(entry_no) - 1, {at}, 0, 'x', 'a.b', '', '{detail}', '', sha256('x'),"
        " sha256('x')"
    )
    with pytest.raises(asyncpg.PostgresError):
        await db.execute(
            f"INSERT INTO trail_entries SELECT 0, {forged} FROM trail_entries WHERE merchant_id = 0"
        )
