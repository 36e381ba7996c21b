"""People who can sign in, for tests of what proves them."""

from dataclasses import dataclass

from pyotp.totp import TOTP

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.key_sources import EncryptionKey
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import world_now
from hundi.kernel.records import replace
from hundi.staff.approvals.actions import ApprovalKind
from hundi.staff.people import actions
from hundi.staff.people import store as people
from hundi.staff.people.factors import actions as factors
from hundi.staff.people.passwords.actions import Passwords
from hundi.staff.people.rules import Permission, Role
from hundi.staff.sign_in.actions import Caller, Signed, SignIn, SignInRefusal
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

VAULT = Vault({"k1": bytes(32)})
ROTATED = Vault({"k2": b"2" * 32, "k1": bytes(32)})
RETIRED = Vault(
    {"k2": EncryptionKey.of(b"2" * 32), "k1": replace(EncryptionKey.of(bytes(32)), secret=None)}
)
BY = Who(0, "test (command line)", VAULT)
CALLER = Caller("203.0.113.9", "Firefox/1")
PLACE = 7
PASSWORD = "correct horse battery"
OF_THIEF = "FROM people t WHERE t.email = 'thief@a.example'"
REFUND: ApprovalKind[None] = ApprovalKind(
    "refund", "Refund", Permission.REFUNDS_APPROVE, Permission.REFUNDS_MAKE
)


@dataclass(frozen=True)
class Member:
    """Somebody who can sign in, and what they know."""

    email: str
    person_id: int
    secret: str
    codes: list[str]


async def member(db: Database, name: str, place: int = PLACE, role: Role = Role.OWNER) -> Member:
    email, secret, passwords = f"{name}@a.example", factors.new_totp_secret(), Passwords()
    invited = await actions.invite(db, place, email, name, role, BY, world_now())
    made = await actions.accept(
        db,
        VAULT,
        passwords,
        invited.link,
        actions.Chosen(f"{PASSWORD} {name}", secret, 0),
        world_now(),
    )
    passwords.close()
    assert made
    return Member(email, made[0].person_id, secret, made[1])


async def employed(db: Database, person_id: int, role: Role, place: int = PLACE) -> None:
    """Give the person of an id a role, as an invitation does: in the rows and in the trail."""
    number = str(person_id)
    person = person_id, f"p{number}@a.example", f"P {number}", number.zfill(32).encode()
    async with db.transaction() as conn:
        await people.insert_person(conn, *person, world_now())
        await people.insert_membership(conn, place, person_id, role, world_now())
        await trail.record(conn, place, BY, "person.invite", person_id, world_now(), role=role)


async def try_password(
    db: Database, email: str, password: str, vault: Vault = VAULT
) -> Signed | SignInRefusal:
    sign_in = SignIn(db, vault)
    try:
        return await sign_in.try_password(email, password, CALLER)
    finally:
        sign_in.close()


async def try_code(
    db: Database, email: str, name: str, code: str, vault: Vault = VAULT
) -> Signed | SignInRefusal:
    sign_in = SignIn(db, vault)
    try:
        shown = await sign_in.try_password(email, f"{PASSWORD} {name}", CALLER)
        assert isinstance(shown, Signed)
        return await sign_in.try_code(shown.session, code, CALLER)
    finally:
        sign_in.close()


def code_now(secret: str) -> str:
    return TOTP(secret).now()
