"""Who of a merchant's people is told what, and that nobody is told twice."""

from datetime import UTC, datetime, timedelta

import pytest

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.records import replace
from hundi.letters import store as letters
from hundi.letters.rules import CUSTOMER, Attachment, LetterKind
from hundi.staff.approvals import actions as approvals
from hundi.staff.people.rules import Permission, Role
from hundi.staff.people.telling import actions, rules, store
from hundi.staff.people.telling.rules import NewsReader, StaffNews
from hundi.staff.trail.actions import Who

NOW = datetime(2026, 11, 29, 10, tzinfo=UTC)
VAULT = Vault({"k1": bytes(32)})
OWNER, FINANCE, SUPPORT = 217_000_000_000_001, 217_000_000_000_002, 217_000_000_000_003
PEOPLE = (
    (OWNER, "owner@shop.example", Role.OWNER),
    (FINANCE, "finance@shop.example", Role.FINANCE),
    (SUPPORT, "support@shop.example", Role.SUPPORT),
)


async def with_people(db: Database) -> None:
    for person_id, email, role in PEOPLE:
        await db.execute(
            "INSERT INTO people (person_id, email, name, handle, state, password_hash, sealed_totp,"
            " created_at, changed_at)"
            " VALUES ($1, $2, 'Somebody', $3, 'active', 'x', '\\x00', $4, $4)",
            person_id,
            email,
            person_id.to_bytes(32),
            NOW,
        )
        await db.execute(
            "INSERT INTO memberships (merchant_id, person_id, role, added_at)"
            " VALUES (7, $1, $2, $3)",
            person_id,
            role,
            NOW,
        )


async def told(db: Database) -> set[str]:
    return {each.address for each in await letters.newest(db, 7, None, 50)}


def test_each_kind_goes_to_those_who_can_act() -> None:
    readers = [NewsReader(number, "x@y.example", role) for number, role in enumerate(Role, 1)]
    for kind in rules.NEEDED:
        roles = {each.role for each in rules.told(kind, readers, ())}
        assert Role.READER not in roles
        assert Role.OWNER in roles
    assert rules.NEEDED.keys() == rules.WORDS.keys()
    assert Permission.PAYMENTS_SEE not in rules.NEEDED.values()


async def test_an_approval_is_told_to_those_who_may_decide_but_not_to_who_asked(
    db: Database,
) -> None:
    await with_people(db)
    by = Who(OWNER, "Asha", VAULT)
    await approvals.ask(db, 7, "refund", "Refund of ₹5", {"amount_paise": 500}, by, "late", NOW)
    assert await told(db) == {"finance@shop.example"}
    (letter,) = await letters.newest(db, 7, None, 50)
    assert (letter.kind, letter.facts["what"]) == (LetterKind.APPROVAL_WAITING, "Refund of ₹5")
    assert letter.facts["by"] == "Asha"


async def test_who_turned_a_kind_off_is_not_told(db: Database) -> None:
    await with_people(db)
    news = StaffNews(7, LetterKind.DISPUTE_DUE, "dispute:1", {"merchant": "Asha"})
    async with db.transaction() as conn:
        await store.choose(conn, FINANCE, LetterKind.DISPUTE_DUE, wanted=False)
        assert await store.turned_off(conn, FINANCE) == {"dispute_due"}
        assert await actions.tell(conn, news, NOW) == 2
        assert await actions.tell(conn, news, NOW) == 0, "the same cause"
        await store.choose(conn, FINANCE, LetterKind.DISPUTE_DUE, wanted=True)
        assert await actions.tell(conn, news, NOW) == 1
    assert await told(db) == {email for _, email, _ in PEOPLE}


async def with_merchant(db: Database) -> None:
    await db.execute(
        "INSERT INTO merchants (merchant_id, mode, state, name, sealed_keys, settings, created_at,"
        " changed_at) VALUES (7, 'live', 'active', 'Asha', '', '{}', $1, $1)",
        NOW,
    )


async def test_a_complaint_is_told_once_to_those_who_may_answer_it(db: Database) -> None:
    await with_people(db)
    await db.execute("UPDATE memberships SET role = 'reader' WHERE person_id = $1", SUPPORT)
    await with_merchant(db)
    complaint = (
        "INSERT INTO complaints (merchant_id, complaint_id, payment_id, kind, words, language,"
        " state, made_at, answer_by, answer, answered_by)"
        " VALUES (7, $1, $1, 'other', 'It broke.', 'en', 'open', $2, $2, '', '')"
    )
    later = NOW + timedelta(days=5)
    for number, answer_by in ((1, later), (2, later), (3, NOW)):
        await db.execute(complaint, number, answer_by)
    await db.execute(
        "UPDATE complaints SET state = 'closed', closed_at = $1 WHERE complaint_id = 2", NOW
    )
    assert await actions.look(db, NOW) == len(await told(db))
    assert await told(db) == {"owner@shop.example", "finance@shop.example"}
    letter, *_ = await letters.newest(db, 7, None, 50)
    assert letter.kind is LetterKind.COMPLAINT_WAITING
    assert letter.facts["path"] == "/console/7/complaints/1"
    assert letter.facts["payment"] == "1"
    assert "It broke" not in str(letter.facts), "what the payer wrote stays in the console"
    assert await actions.look(db, NOW) == 0


async def test_a_server_that_fails_is_told_once(db: Database) -> None:
    await with_people(db)
    await with_merchant(db)
    await db.execute(
        "INSERT INTO failing_endpoints (merchant_id, since, problem, probe_at)"
        " VALUES (7, $1, 'answered 500', $1)",
        NOW,
    )
    assert await actions.look(db, NOW + rules.FAILING_FOR) == 0, "not yet for long enough"
    later = NOW + 2 * rules.FAILING_FOR
    assert await actions.look(db, later) == 1
    assert await actions.look(db, later) == 0
    assert await told(db) == {"owner@shop.example"}


@pytest.mark.parametrize(
    ("change", "may"),
    [
        ("UPDATE memberships SET role = 'finance'", True),
        ("UPDATE memberships SET role = 'developer'", False),
        ("DELETE FROM memberships", False),
    ],
)
async def test_a_report_is_sent_again_to_those_who_still_may_read_it(
    db: Database, *, change: str, may: bool
) -> None:
    await with_people(db)
    report = "Day book", Attachment("day-book.csv", b"a,b\n")
    async with db.transaction() as conn:
        await actions.send_report(conn, 7, [OWNER], "report:1", report, NOW)
    (letter,) = await letters.newest(db, 7, None, 50)
    assert await actions.may_have(db, letter)
    await db.execute(f"{change} WHERE person_id = $1", OWNER)
    assert await actions.may_have(db, letter) is may
    to_customer = replace(letter, kind=LetterKind.RECEIPT, person_id=CUSTOMER)
    assert await actions.may_have(db, to_customer)


async def test_a_report_is_sent_once_a_run_with_its_file(db: Database) -> None:
    await with_people(db)
    report = "Day book", Attachment("day-book.csv", b"a,b\n")
    strangers = 10**12
    async with db.transaction() as conn:
        for expected in (1, 0):
            people = {OWNER, strangers}
            assert await actions.send_report(conn, 7, people, "report:1", report, NOW) == expected
    (letter,) = await letters.newest(db, 7, None, 50)
    assert (letter.attachment_name, letter.attachment) == ("day-book.csv", b"a,b\n")
