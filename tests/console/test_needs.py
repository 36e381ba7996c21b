"""Every kind of thing that can need somebody is on Home for who may act, one click from it."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from urllib.parse import urlsplit

import pytest

from hundi.console import needs
from hundi.console.assets import PREFIX
from hundi.console.needs import NEEDS, Need, NeedKind
from hundi.console.routing import all_routes
from hundi.console.visits import ALL, ConsoleVisit
from hundi.doctor.certificates import actions as certificates
from hundi.doctor.certificates.rules import LOOK_EVERY, OLD, PROBED, is_known
from hundi.doctor.certificates.store import looks
from hundi.doctor.context import DoctorContext, Looker
from hundi.doctor.rules import DoctorFinding, ProbedPart
from hundi.doctor.site.rules import CERTIFICATE_ENDS_SOON
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import world_now
from hundi.kernel.ids import new_id
from hundi.staff.people.rules import OPERATOR, OPERATORS, Permission, Person, Role, may
from tests.money.settlements.books import MERCHANT, NOON, open_merchant, pay
from tests.recording import BY

NOW = datetime.now(UTC)
SOON = NOW + timedelta(days=1)
_ME, _OTHER = 7, 8
_FACTS: Mapping[str, object] = {
    "bigint": 1, "integer": 1, "text": "x", "jsonb": {}, "bytea": b"", "date": NOON.date(),
    "timestamp with time zone": NOW,
}  # fmt: skip


async def plant(db: Database, table: str, **given: object) -> None:
    """Write a row as it stands there in such a state; what is not given is as plain as can be."""
    columns = await db.fetch(
        "SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE"
        " table_name = $1 AND is_nullable = 'NO' AND column_default IS NULL"
        " AND is_generated = 'NEVER'",
        table,
    )
    row = {each["name"]: _FACTS.get(each["type"], 1) for each in columns} | given
    listed, holes = ", ".join(row), ", ".join(f"${place}" for place in range(1, len(row) + 1))
    # What led to such a row, in other tables, is of no interest here.
    await db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    for name in await db.fetch(
        "SELECT conname FROM pg_constraint WHERE conrelid = $1::text::regclass AND contype = 'f'",
        table,
    ):
        await db.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name['conname']}")
    await db.execute(f"INSERT INTO {table} ({listed}) VALUES ({holes})", *row.values())


async def _dispute(db: Database, merchant_id: int) -> None:
    await plant(
        db, "dispute_stages", merchant_id=merchant_id, phase="chargeback", state="open",
        currency="INR", respond_by=SOON, bank_case="C1", rate_micros=1_000_000, held_paise=0,
        held_settled_paise=0,
    )  # fmt: skip


async def _complaint(db: Database, merchant_id: int) -> None:
    # Beyond its day, because the operator sees no other one.
    await plant(
        db, "complaints", merchant_id=merchant_id, kind="other", state="open", language="en",
        answer_by=NOW - timedelta(days=1),
    )  # fmt: skip


async def _approval(db: Database, place: int) -> None:
    await plant(
        db, "approvals", merchant_id=place, kind="refund", state="waiting", made_by=_OTHER,
        ends_at=SOON, title="Something",
    )  # fmt: skip


async def _payout(db: Database, merchant_id: int, state: str, number: int) -> None:
    people = {"maker": "Meera", "checker": "Chetan", "sent_at": NOW, "settled_at": NOW}
    people = {} if state == "prepared" else people
    await plant(
        db, "payouts", merchant_id=merchant_id, payout_id=new_id(NOW) + number, share_id=number,
        state=state, channel="api", rail="imps", source="settlement_due", **people,
    )  # fmt: skip


async def _payout_back(db: Database, merchant_id: int) -> None:
    await _payout(db, merchant_id, "returned", 1)


async def _payout_release(db: Database, merchant_id: int) -> None:
    await _payout(db, merchant_id, "prepared", 2)


async def _review(db: Database, merchant_id: int) -> None:
    await pay(db, 1, 100_00, merchant_id=merchant_id)
    await db.execute("ALTER TABLE payments DISABLE TRIGGER USER")
    await db.execute("UPDATE payments SET state = 'under_review', captured_paise = 0")


async def _server_failing(db: Database, merchant_id: int) -> None:
    await plant(db, "failing_endpoints", merchant_id=merchant_id, problem="answered 500")


async def _notification_lost(db: Database, merchant_id: int) -> None:
    await plant(db, "deliveries", merchant_id=merchant_id, state="exhausted")


async def _unknown(db: Database, merchant_id: int) -> None:
    await plant(db, "hour_tallies", merchant_id=merchant_id, what="payment", state="unknown")


async def _bearer_key(db: Database, merchant_id: int) -> None:
    await plant(
        db, "bearer_keys", merchant_id=merchant_id, name="warehouse", digest=bytes(32),
        scopes=["read"], refund_paise=0, made_at=NOON, expires_at=SOON,
    )  # fmt: skip


async def _assistant_key(db: Database, place: int) -> None:
    await plant(
        db, "assistant_keys", merchant_id=place, name="clerk", scopes=["read"],
        secret_hash=bytes(32), made_at=NOON, ends_at=SOON,
    )  # fmt: skip


async def _certificate(db: Database, _: int) -> None:
    finding = DoctorFinding(CERTIFICATE_ENDS_SOON, "pay.shop.example", "ends on Tuesday")
    parts = [ProbedPart(name, name, [finding] if name == "site" else []) for name in PROBED]
    await certificates.keep(db, parts, world_now())


PLANTED: Mapping[NeedKind, Callable[[Database, int], Awaitable[None]]] = {
    NeedKind.DISPUTE: _dispute,
    NeedKind.COMPLAINT: _complaint,
    NeedKind.APPROVAL: _approval,
    NeedKind.PAYOUT_BACK: _payout_back,
    NeedKind.PAYOUT_RELEASE: _payout_release,
    NeedKind.REVIEW: _review,
    NeedKind.SERVER_FAILING: _server_failing,
    NeedKind.NOTIFICATION_LOST: _notification_lost,
    NeedKind.UNKNOWN: _unknown,
    NeedKind.BEARER_KEY: _bearer_key,
    NeedKind.ASSISTANT_KEY: _assistant_key,
    NeedKind.CERTIFICATE: _certificate,
}
"""How each kind comes to be: a kind that is not here fails the first test."""
OF_OPERATOR = {NeedKind.REVIEW, NeedKind.CERTIFICATE}
"""What is no merchant's own."""


@dataclass(frozen=True)
class _Gateway:
    vault: Vault = BY.vault


@dataclass(frozen=True)
class Visit:
    """What Home reads of a visit."""

    db: Database
    role: Role
    merchant_id: int
    now: datetime = NOW
    gateway: _Gateway = field(default_factory=_Gateway)
    person: Person = field(
        default_factory=lambda: Person(_ME, "me@shop.example", "Me", b"", "active", NOON)
    )

    def may(self, permission: Permission) -> bool:
        return may(self.role, permission)

    def href(self, path: str = "") -> str:
        return f"{PREFIX}{self.merchant_id or ALL}/{path}"


async def seen(db: Database, role: Role, place: int) -> list[Need]:
    visit = cast("ConsoleVisit", Visit(db, role, place))
    return await needs.of_visit(visit, [MERCHANT])


def opens(need: Need, role: Role) -> bool:
    """Return whether a click opens a page that is there, for somebody in this role."""
    place, _, path = urlsplit(need.href).path.removeprefix(PREFIX).partition("/")
    at = "all" if place == ALL else "merchant"
    return any(
        re.fullmatch(re.sub(r"{\w+:(int|str)}", r"[^/]+", route.path), path)
        and (not isinstance(route.needs, Permission) or may(role, route.needs))
        for route in all_routes()
        if route.method == "GET" and route.at in {at, "both"}
    )


def test_every_kind_is_told_and_planted() -> None:
    assert set(NEEDS) == set(PLANTED) == set(NeedKind)


@pytest.mark.parametrize("kind", NeedKind)
async def test_who_may_act_sees_it_and_nobody_else_and_is_one_click_from_it(
    db: Database, kind: NeedKind
) -> None:
    await open_merchant(db)
    quiet = {
        (role, place): {need.kind for need in await seen(db, role, place)} - {NeedKind.CERTIFICATE}
        for role, place in _seats()
    }
    assert not any(quiet.values())
    await PLANTED[kind](db, MERCHANT)
    # Of the requests that somebody may see they decide those of some kinds.
    permission = Permission.REFUNDS_APPROVE if kind is NeedKind.APPROVAL else NEEDS[kind][0]
    told = 0
    for role, place in _seats():
        found = [need for need in await seen(db, role, place) if need.kind is kind]
        expected = may(role, permission) and not (place and kind in OF_OPERATOR)
        assert bool(found) == expected, (role, place)
        for need in found:
            told += 1
            assert need.title
            assert opens(need, role), (role, need.href)
    assert told


def _seats() -> list[tuple[Role, int]]:
    return [
        (role, place)
        for role in Role
        for place in ((MERCHANT, OPERATOR) if role in OPERATORS else (MERCHANT,))
    ]


async def test_the_operators_own_approvals_and_keys_are_at_its_place(db: Database) -> None:
    await _assistant_key(db, OPERATOR)
    (need,) = [each for each in await seen(db, Role.OPERATOR, OPERATOR) if "key" in each.kind]
    assert need.href.startswith(f"{PREFIX}{ALL}/")
    assert await seen(db, Role.OWNER, MERCHANT) == []


async def test_a_key_that_has_ended_or_is_good_for_long_needs_nobody(db: Database) -> None:
    for number, ends_at in enumerate((NOW - timedelta(days=1), NOW + timedelta(days=60)), 1):
        made_at = NOW - timedelta(days=30)
        values: dict[str, Any] = {"scopes": ["read"], "secret_hash": bytes(32), "key_id": number}
        await plant(
            db, "assistant_keys", merchant_id=MERCHANT, name="clerk", made_at=made_at,
            ends_at=ends_at, **values,
        )  # fmt: skip
    assert await seen(db, Role.OWNER, MERCHANT) == []


async def test_a_complaint_within_its_day_is_the_merchants_alone(db: Database) -> None:
    await open_merchant(db)
    await _complaint(db, MERCHANT)
    await db.execute("UPDATE complaints SET answer_by = $1", SOON)
    (need,) = await seen(db, Role.SUPPORT, MERCHANT)
    assert need.title == "Answer a payer: something else"
    assert need.is_urgent
    kinds = {need.kind for need in await seen(db, Role.OPERATOR, OPERATOR)}
    assert NeedKind.COMPLAINT not in kinds


async def test_a_certificate_is_asked_about_until_a_worker_looked_and_when_none_does(
    db: Database,
) -> None:
    (asked,) = await seen(db, Role.OPERATOR, OPERATOR)
    assert asked.title == "Let the doctor look at certificates"
    good = [ProbedPart(name, name, []) for name in PROBED]
    await certificates.keep(db, good, world_now())
    assert await seen(db, Role.OPERATOR, OPERATOR) == []
    kept = await looks(db)
    assert not await certificates.look(DoctorContext(Looker.CONSOLE), db), "once a day"
    assert is_known(kept, world_now() + LOOK_EVERY)
    assert not is_known(kept, world_now() + OLD)
    ends = DoctorFinding(CERTIFICATE_ENDS_SOON, "pay.example", "soon")
    await certificates.keep(
        db, [ProbedPart("site", "Site", [ends])], world_now() - timedelta(hours=1)
    )
    assert await seen(db, Role.OPERATOR, OPERATOR) == [], "an older look changes nothing"
