"""Maker and checker: two people, one decision, one act."""

import asyncio
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import world_now
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.staff.approvals import actions, rules, store
from hundi.staff.approvals.actions import ApprovalKind
from hundi.staff.approvals.rules import Approval
from hundi.staff.people import store as people
from hundi.staff.people.rules import Permission, Role, roles_for
from hundi.staff.trail import actions as trail_of
from hundi.staff.trail import store as trail
from hundi.staff.trail.actions import Who
from tests.staff.members import REFUND, employed

VAULT = Vault({"k1": bytes(32)})

NOW = datetime(2026, 11, 23, 4, 30, tzinfo=UTC)
ASHA, RITU, DEV = Who(1, "Asha", VAULT), Who(2, "Ritu", VAULT), Who(3, "Dev", VAULT)


async def _asked(db: Database) -> int:
    await employed(db, ASHA.person_id, Role.SUPPORT)
    return await actions.ask(
        db, 7, "refund", "Refund of ₹5", {"amount_paise": 500}, ASHA, "late parcel", NOW
    )


async def test_who_asked_does_not_decide(db: Database) -> None:
    number = await _asked(db)
    with pytest.raises(Refused) as refused:
        await actions.decide(db, REFUND, 7, number, ASHA, NOW, approved=True)
    assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS
    with pytest.raises(asyncpg.CheckViolationError):
        await db.execute(
            "UPDATE approvals SET state = 'approved', decided_by = made_by, decided_at = made_at"
        )


async def test_one_person_decides_once(db: Database) -> None:
    number = await _asked(db)
    decided = await actions.decide(db, REFUND, 7, number, RITU, NOW, approved=False, note="no")
    assert (decided.state, decided.checker) == ("rejected", "Ritu")
    with pytest.raises(Refused):
        await actions.decide(db, REFUND, 7, number, DEV, NOW, approved=True)
    assert await store.select_open(db, 7, 10) == []


async def test_a_request_that_waited_too_long_is_over(db: Database) -> None:
    number = await _asked(db)
    with pytest.raises(Refused):
        await actions.decide(db, REFUND, 7, number, RITU, NOW + rules.LIFE, approved=True)


async def test_another_merchants_request_is_unknown(db: Database) -> None:
    number = await _asked(db)
    with pytest.raises(Refused) as refused:
        await actions.decide(db, REFUND, 8, number, RITU, NOW, approved=True)
    assert refused.value.refusal.code is RefusalCode.NO_RECORDS


async def test_the_act_is_done_and_what_it_came_to_is_kept(db: Database) -> None:
    done: list[int] = []

    async def perform(_context: None, approval: Approval) -> str:
        done.append(approval.approval_id)
        return "Refund 71 was made."

    kind = ApprovalKind(
        "refund", "Refund", Permission.REFUNDS_APPROVE, Permission.REFUNDS_MAKE, perform
    )
    number = await _asked(db)
    waiting = await store.select(db, 7, number)
    assert waiting
    with pytest.raises(Refused):
        await actions.perform(db, VAULT, kind, None, waiting)
    approved = await actions.decide(db, REFUND, 7, number, RITU, NOW, approved=True)
    assert [each.approval_id for each in await store.select_open(db, 7, 10)] == [number], (
        "until its act is done"
    )
    after = await actions.perform(db, VAULT, kind, None, approved)
    assert (after.state, after.result, done) == ("done", "Refund 71 was made.", [number])
    assert await store.select(db, 7, number) == after


async def test_an_act_that_is_refused_has_failed(db: Database) -> None:
    async def perform(_context: None, _approval: Approval) -> str:
        raise refuse(RefusalCode.MORE_THAN_REMAINS, allowed="₹3.00")

    number = await _asked(db)
    approved = await actions.decide(db, REFUND, 7, number, RITU, NOW, approved=True)
    kind = ApprovalKind(
        "refund", "Refund", Permission.REFUNDS_APPROVE, Permission.REFUNDS_MAKE, perform
    )
    assert (await actions.perform(db, VAULT, kind, None, approved)).state == "failed"


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
async def test_a_request_says_why(db: Database, reason: str) -> None:
    with pytest.raises(Refused):
        await actions.ask(db, 7, "refund", "Refund", {}, ASHA, reason, NOW)


def test_what_is_over_by_its_hour() -> None:
    asked = Approval(
        7, 1, "refund", "Refund", {}, "waiting", 1, "Asha", "x", NOW, NOW + timedelta(days=7)
    )
    assert rules.decision_fault(asked, 2, {0}, NOW) is None
    assert rules.decision_fault(asked, 1, {0}, NOW)
    assert rules.decision_fault(asked, 2, {0}, NOW + timedelta(days=7))
    assert rules.decision_fault(asked, 2, {1}, NOW), "who asked made the other's link"


@pytest.mark.parametrize(
    "change",
    [
        "SET payload = '{\"amount_paise\": 1}'",
        "SET title = 'bent'",
        "SET reason = 'bent'",
        "SET state = 'waiting'",
        "SET note = 'bent'",
        "SET decided_by = 3",
        "SET state = 'done', checker = 'Dev'",
    ],
)
async def test_what_was_asked_and_decided_stays(db: Database, change: str) -> None:
    number = await _asked(db)
    await actions.decide(db, REFUND, 7, number, RITU, NOW, approved=True)
    for statement in (f"UPDATE approvals {change}", "DELETE FROM approvals"):
        with pytest.raises(asyncpg.RestrictViolationError):
            await db.execute(statement)


async def test_what_a_removed_person_asked_for_is_over(db: Database) -> None:
    """A removed person's requests end where they had the role.

    One of the operator loses them at every merchant but where they have a role.
    """
    numbers = {}
    for place, role in ((7, Role.SUPPORT), (0, Role.OPERATOR_FINANCE)):
        other = Who(place + 100, "Owner", VAULT)
        for person, given in ((place + 1, role), (other.person_id, roles_for(place)[0])):
            await people.insert_person(
                db,
                person,
                f"p{person}@a.example",
                f"P {person}",
                str(person).zfill(32).encode(),
                NOW,
            )
            await db.execute(people.INSERT_MEMBERSHIP, place, person, given, NOW)
        numbers[place] = await actions.ask(
            db, 7, "refund", "Refund", {}, Who(place + 1, "P", VAULT), "late", NOW
        )
        await actions.remove_person(db, place, place + 1, other, NOW)
        after = await store.select(db, 7, numbers[place])
        assert after
        assert after.state == "expired"
        with pytest.raises(Refused):
            await actions.decide(db, REFUND, 7, numbers[place], RITU, NOW, approved=True)
    acts = [each.act for each in await trail.select_page(db, 7)]
    assert acts == [
        "approval.withdraw",
        "approval.ask",
        "approval.withdraw",
        "person.remove",
        "approval.ask",
    ]


async def _changed(db: Database, role: Role) -> None:
    await actions.change_role(db, 7, ASHA.person_id, role, RITU, NOW)


async def test_a_role_with_less_ends_what_waits_and_one_with_more_does_not(db: Database) -> None:
    number = await _asked(db)
    await employed(db, RITU.person_id, Role.OWNER)
    await _changed(db, Role.FINANCE)
    kept = await store.select(db, 7, number)
    assert kept
    assert kept.state == "waiting"
    await _changed(db, Role.READER)
    ended = await store.select(db, 7, number)
    assert ended
    assert (ended.state, "includes less" in ended.note) == ("expired", True)
    (newest, *_) = await trail.select_page(db, 7)
    assert newest.act == "approval.withdraw"


@pytest.mark.parametrize("after", [Role.READER, None])
async def test_a_request_needs_a_maker_who_still_may_ask(db: Database, after: Role | None) -> None:
    """Also one that no change of a role ended: rows that SQL changed, or a raced change."""
    first = await _asked(db)
    await employed(db, RITU.person_id, Role.OWNER)
    decided = await actions.decide(db, REFUND, 7, first, RITU, NOW, approved=True)
    second = await actions.ask(db, 7, "refund", "Refund of ₹6", {}, ASHA, "late", NOW)
    await db.execute(
        "UPDATE memberships SET role = $2 WHERE person_id = $1", ASHA.person_id, Role.READER
    )
    if after:
        await trail_of.record(db, 7, RITU, "person.change_role", ASHA.person_id, NOW, after=after)
    with pytest.raises(Refused) as refused:
        await actions.decide(db, REFUND, 7, second, RITU, NOW, approved=True)
    assert "may still ask" in str(refused.value.refusal.allowed)
    kind = replace(REFUND, perform=_never)
    done = await actions.perform(db, VAULT, kind, None, decided)
    assert (done.state, "may still ask" in done.result) == ("failed", True)
    rejected = await actions.decide(db, REFUND, 7, second, RITU, NOW, approved=False)
    assert rejected.state == "rejected"


async def test_of_two_who_do_an_act_at_one_moment_one_does_it(db: Database) -> None:
    begun, go, acts = asyncio.Event(), asyncio.Event(), list[int]()

    async def perform(_context: None, approval: Approval) -> str:
        acts.append(approval.approval_id)
        begun.set()
        await go.wait()
        return "Done."

    number = await _asked(db)
    decided = await actions.decide(db, REFUND, 7, number, RITU, NOW, approved=True)
    kind = replace(REFUND, perform=perform)
    first = asyncio.create_task(actions.perform(db, VAULT, kind, None, decided))
    await begun.wait()
    with pytest.raises(Refused) as refused:
        await actions.perform(db, VAULT, kind, None, decided)
    assert refused.value.refusal.received == "claimed"
    go.set()
    assert (await first).state == "done"
    with pytest.raises(Refused):
        await actions.perform(db, VAULT, kind, None, decided)
    assert acts == [number]


async def test_an_act_that_broke_off_is_repeated_at_once_and_a_lost_one_later(
    db: Database,
) -> None:
    async def broken(_context: None, _approval: Approval) -> str:
        raise OSError

    async def perform(_context: None, _approval: Approval) -> str:
        return "Done."

    number = await _asked(db)
    decided = await actions.decide(db, REFUND, 7, number, RITU, NOW, approved=True)
    with pytest.raises(OSError):  # noqa: PT011 (the act's own)
        await actions.perform(db, VAULT, replace(REFUND, perform=broken), None, decided)
    now = world_now()
    assert await store.claim(db, decided, now - actions.PERFORMING_MAX, now)
    again = await actions.perform(db, VAULT, replace(REFUND, perform=perform), None, decided)
    assert again.state == "done"


@pytest.mark.parametrize("forged", ["asked by another", "approved", "decided by another"])
async def test_a_request_that_sql_wrote_is_decided_and_done_by_nobody(
    db: Database, forged: str
) -> None:
    number = await _asked(db)
    kind: actions.ApprovalKind[None] = actions.ApprovalKind(
        "refund", "Refund", Permission.REFUNDS_APPROVE, Permission.REFUNDS_MAKE, _never
    )
    columns = "kind, title, payload, made_by, maker, reason, made_at, ends_at"
    if forged == "asked by another":
        await db.execute(
            f"INSERT INTO approvals (merchant_id, approval_id, state, {columns}) SELECT"
            " merchant_id, approval_id + 1,"
            " 'waiting', kind, title, payload, 99, 'Owner', reason, made_at, ends_at FROM"
            " approvals"
        )
        with pytest.raises(Refused) as refused:
            await actions.decide(db, REFUND, 7, number + 1, RITU, NOW, approved=True)
    else:
        if forged == "decided by another":
            await actions.decide(db, REFUND, 7, number, RITU, NOW, approved=False)
            await db.execute("ALTER TABLE approvals DISABLE TRIGGER USER")
        await db.execute(
            "UPDATE approvals SET state = 'approved', decided_by = 98, checker = 'Omkar',"
            " decided_at = now()"
        )
        found = await store.select(db, 7, number)
        assert found
        with pytest.raises(Refused) as refused:
            await actions.perform(db, VAULT, kind, None, found)
    assert refused.value.refusal.received == "written by SQL"


async def _never(_context: None, _approval: Approval) -> str:
    raise AssertionError
