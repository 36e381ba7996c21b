"""The trail: each entry chained to its predecessor, unchangeable, and proved by the audit."""

import asyncio
from datetime import UTC, datetime, timedelta

import asyncpg
import msgspec
import pytest
from asyncpg.exceptions import CheckViolationError

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.marks import mark_of
from hundi.infra.secrets.vault import Vault
from hundi.kernel.records import replace
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.rules import MerchantSettings
from hundi.money.audit import actions as audit
from hundi.money.audit.rules import Note, Violation
from hundi.money.audit.trail.store import CHECKS
from hundi.money.fees import actions as fees
from hundi.payments.risk import actions as risk
from hundi.payments.routing import actions as routing
from hundi.staff.approvals import actions as approvals
from hundi.staff.people import actions as people
from hundi.staff.people.rules import Role
from hundi.staff.trail import actions, rules, store
from hundi.staff.trail.actions import Who
from hundi.staff.trail.rules import Entry
from tests.staff.members import REFUND, employed

VAULT = Vault({"k1": bytes(32)})
NOW = datetime(2026, 11, 23, 4, 30, 0, 123456, tzinfo=UTC)
ASHA, RITU = Who(1, "Asha", VAULT, "203.0.113.7"), Who(2, "Ritu", VAULT, "203.0.113.8")
PLAN = '[[rules]]\nname = "all"\nuse = [{ acquirer = "sandbox" }]'
PRICES = (
    "[otherwise]\nfixed_paise = 500\n[[rules]]\nname = 'debit'\nchannels = ['pg']\ncard_types ="
    " ['debit']\n"
)


async def _broken(db: Database, violation: Violation) -> list[str]:
    return [row["subject"] for row in await db.fetch(CHECKS[violation])]


async def _unguarded(db: Database, statement: str) -> None:
    """Write past the trigger, as somebody who owns the table could."""
    async with db.transaction() as conn:
        await conn.execute("ALTER TABLE trail_entries DISABLE TRIGGER USER")
        await conn.execute(statement)


async def _three(db: Database) -> None:
    for number in range(3):
        await actions.record(
            db, 7, ASHA, "payment.note", number, NOW + timedelta(minutes=number), words="₹ “x”"
        )


async def test_entries_are_numbered_and_chained_for_each_merchant(db: Database) -> None:
    await _three(db)
    await actions.record(db, 8, RITU, "payment.note", 1, NOW)
    newest = await store.select_page(db, 7)
    assert [each.entry_no for each in newest] == [3, 2, 1]
    before = rules.NOTHING
    for each in reversed(newest):
        assert each.digest == rules.digest_of(each, before)
        before = each.digest
    assert await _broken(db, Violation.TRAIL_BROKEN) == []
    assert [each.entry_no for each in await store.select_page(db, 7, before=3, about="1")] == [2]
    assert await store.select_page(db, 7, person_id=2) == []
    assert len(await store.select_page(db, 7, act="payment")) == 3


async def test_many_at_once_are_one_chain(db: Database) -> None:
    await asyncio.gather(
        *(actions.record(db, 7, ASHA, "payment.note", each, NOW) for each in range(20))
    )
    assert [each.entry_no for each in await store.select_page(db, 7)] == list(range(20, 0, -1))
    assert await _broken(db, Violation.TRAIL_BROKEN) == []


@pytest.mark.parametrize(
    "statement", ["UPDATE trail_entries SET act = 'a.b'", "DELETE FROM trail_entries"]
)
async def test_nobody_changes_an_entry(db: Database, statement: str) -> None:
    await _three(db)
    with pytest.raises(asyncpg.PostgresError):
        await db.execute(statement)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("UPDATE trail_entries SET about = '9' WHERE entry_no = 2", ["7 entry 2"]),
        ("UPDATE trail_entries SET person_id = 2 WHERE entry_no = 1", ["7 entry 1"]),
        (
            "UPDATE trail_entries SET at = at + interval '1 microsecond' WHERE entry_no = 3",
            ["7 entry 3"],
        ),
        (
            "UPDATE trail_entries SET digest = sha256('x') WHERE entry_no = 1",
            ["7 entry 1", "7 entry 2"],
        ),
        ("DELETE FROM trail_entries WHERE entry_no = 1", ["7 entry 2", "7 entry 3"]),
    ],
)
async def test_the_audit_names_the_first_bent_entry(
    db: Database, change: str, named: list[str]
) -> None:
    await _three(db)
    await _unguarded(db, change)
    assert await _broken(db, Violation.TRAIL_BROKEN) == named


async def test_a_decision_that_the_trail_does_not_tell_is_named(db: Database) -> None:
    await employed(db, ASHA.person_id, Role.SUPPORT)
    number = await approvals.ask(
        db, 7, "refund", "Refund of ₹5", {"amount_paise": 500}, ASHA, "late", NOW
    )
    await approvals.decide(db, REFUND, 7, number, RITU, NOW, approved=True)
    assert await _broken(db, Violation.DECISION_UNTOLD) == []
    async with db.transaction() as conn:
        await conn.execute("ALTER TABLE approvals DISABLE TRIGGER USER")
        await conn.execute("UPDATE approvals SET payload = '{\"amount_paise\": 900}'")
    # Each of the two entries tells of another content.
    assert await _broken(db, Violation.DECISION_UNTOLD) == [f"7 approval {number}"] * 2
    await db.execute("UPDATE approvals SET payload = '{\"amount_paise\": 500}'")
    assert await _broken(db, Violation.DECISION_UNTOLD) == []
    await _unguarded(db, "DELETE FROM trail_entries WHERE entry_no = 2")
    assert await _broken(db, Violation.DECISION_UNTOLD) == [f"7 approval {number}"]


@pytest.mark.parametrize(
    ("table", "owner"), [("routing_plans", 0), ("operator_rule_sets", 0), ("risk_rule_sets", 7)]
)
@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("UPDATE {table} SET document = 'rules = [] '", True),
        ("UPDATE {table} SET published_by = 'Ritu'", True),
        ("UPDATE {table} SET published_at = published_at + interval '1 microsecond'", True),
        ("UPDATE {table} SET version = 2", True),
        ("DELETE FROM {table}", True),
        (
            (
                "INSERT INTO {table} SELECT (jsonb_populate_record(p, '{{\"version\": 2}}')).*"
                " FROM {table} p"
            ),
            True,
        ),
        ("DELETE FROM trail_entries WHERE act IN ('routing.publish', 'risk.publish')", True),
        (
            'UPDATE trail_entries SET detail = replace(detail, \'"sha256":"\', \'"sha256":"0\')',
            True,
        ),
        ("UPDATE {table} SET version = version", False),
    ],
)
async def test_what_was_published_otherwise_than_the_trail_tells_is_named(
    db: Database, table: str, owner: int, change: str, *, named: bool
) -> None:
    if table == "routing_plans":
        await routing.publish(db, PLAN, ["sandbox"], ASHA, NOW)
    else:
        await risk.publish(db, owner, "rules = []", ASHA, NOW)
    assert await _broken(db, Violation.PUBLISHED_UNTOLD) == []
    async with db.transaction() as conn:
        for each in (table, "trail_entries"):
            await conn.execute(f"ALTER TABLE {each} DISABLE TRIGGER USER")
        await conn.execute(change.format(table=table))
    noun = "routing" if table == "routing_plans" else "risk"
    found = await _broken(db, Violation.PUBLISHED_UNTOLD)
    assert {each.rpartition(" ")[0] for each in found} == (
        {f"{owner} {noun}.publish"} if named else set()
    )


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("UPDATE memberships SET role = 'finance' WHERE role = 'reader'", True),
        ("DELETE FROM memberships WHERE role = 'reader'", True),
        (
            (
                "INSERT INTO memberships SELECT 8, person_id, role, added_at FROM memberships"
                " WHERE role = 'reader'"
            ),
            True,
        ),
        ("UPDATE memberships SET added_at = now()", False),
    ],
)
async def test_a_role_that_the_trail_does_not_tell_is_named(
    db: Database, change: str, *, found: bool
) -> None:
    made = {}
    for name, role in (("asha", Role.OWNER), ("ritu", Role.SUPPORT), ("dev", Role.FINANCE)):
        invited = await people.invite(db, 7, f"{name}@a.example", name, role, ASHA, NOW)
        made[name] = invited.person.person_id
    await approvals.change_role(db, 7, made["ritu"], Role.READER, ASHA, NOW)
    await approvals.remove_person(db, 7, made["dev"], ASHA, NOW)
    assert await _broken(db, Violation.ROLE_UNTOLD) == []
    await db.execute(change)
    place = 8 if "INSERT" in change else 7
    assert await _broken(db, Violation.ROLE_UNTOLD) == (
        [f"{place} person {made['ritu']}"] if found else []
    )


@pytest.mark.parametrize(
    "change", ["name = 'Asha'", "email = 'asha@a.example'", "name = 'Ritu \u00ad'"]
)
async def test_a_person_of_another_name_or_address_than_the_trail_tells_is_named(
    db: Database, change: str
) -> None:
    invited = await people.invite(
        db, 7, "ritu@a.example", 'Ritu "R" \\ घोष', Role.READER, ASHA, NOW
    )
    assert await _broken(db, Violation.PERSON_UNTOLD) == []
    await db.execute(f"UPDATE people SET {change}")
    assert await _broken(db, Violation.PERSON_UNTOLD) == [f"person {invited.person.person_id}"]


@pytest.mark.parametrize(
    "change",
    [
        """settings = settings || '{"success_url": "https://thief.example"}'""",
        "state = 'suspended'",
        "name = 'Another'",
    ],
)
async def test_a_merchant_that_the_trail_does_not_tell_so_is_named(
    db: Database, change: str
) -> None:
    settings, told = (
        MerchantSettings(mcc="5651"),
        actions.recording_merchant(ASHA, "merchant.add", NOW),
    )
    number, _ = await merchants.add(
        db, VAULT, name="Asha", mode="live", settings=settings, now=NOW, beside=told
    )
    changed = actions.recording_merchant(ASHA, "settings.change", NOW)
    await merchants.change_settings(
        db, number, lambda was: msgspec.structs.replace(was, moto=True), NOW, changed
    )
    await merchants.set_state(
        db, number, "active", NOW, actions.recording_merchant(ASHA, "merchant.resume", NOW)
    )
    assert await _broken(db, Violation.MERCHANT_UNTOLD) == []
    await db.execute(f"UPDATE merchants SET {change}")
    assert await _broken(db, Violation.MERCHANT_UNTOLD) == [f"merchant {number}"]


@pytest.mark.parametrize(
    "change",
    [
        """UPDATE fee_plans SET document = jsonb_set(document, '{otherwise,fixed_paise}', '1')""",
        "UPDATE fee_plans SET first_day = first_day - 1",
        "DELETE FROM fee_plans",
        (
            "INSERT INTO fee_plans SELECT merchant_id, 2, first_day, document, published_by,"
            " published_at FROM fee_plans"
        ),
    ],
)
async def test_a_price_plan_that_the_trail_does_not_tell_is_named(
    db: Database, change: str
) -> None:
    await fees.publish(db, 7, PRICES, None, "asha", ASHA, NOW)
    assert await _broken(db, Violation.PLAN_UNTOLD) == []
    await db.execute("ALTER TABLE fee_plans DISABLE TRIGGER USER")
    await db.execute(change)
    assert await _broken(db, Violation.PLAN_UNTOLD) == [
        f"7 fee_plan {2 if 'INSERT' in change else 1}"
    ]


async def test_a_digest_stays_as_it_is_and_a_number_in_words_does_not(db: Database) -> None:
    digest = "6913c42d98d7da814805826112d29a048f1a23a0dab8cd4a5a608edc44903a4b"
    await actions.record(
        db,
        7,
        ASHA,
        "books.root",
        "2026-03-10",
        NOW,
        root=digest,
        words=f"root {digest} of 2341 2341 2346",
    )
    said = (await store.select_page(db, 7))[0].detail
    assert f'"root":"{digest}"' in said
    assert f'"root {digest} of [aadhaar]"' in said


@pytest.mark.parametrize("mark", ["an older entry's", "random", "under another key"])
async def test_an_entry_written_without_the_key_is_named_by_the_audit(
    db: Database, mark: str
) -> None:
    """Its digest fits: anybody can compute that."""
    await actions.record(db, 7, ASHA, "payment.refund", "1", NOW)
    assert (await _forged(db), await _forged(db, Vault({"k2": b"2" * 32, "k1": bytes(32)}))) == (
        [],
        [],
    )
    newest = await db.fetchrow("SELECT digest, mark FROM trail_entries WHERE merchant_id = 7")
    assert newest
    entry = Entry(7, 2, NOW, 1, "Asha", "payment.refund", "2", "{}", "")
    digest = rules.digest_of(entry, newest["digest"])
    marks = {"an older entry's": newest["mark"], "random": bytes(32)}
    forged = marks.get(mark) or mark_of(Vault({"k1": b"1" * 32}), rules.MARK, digest)
    assert await store.insert(db, replace(entry, digest=digest, mark=forged))
    assert await _broken(db, Violation.TRAIL_BROKEN) == []
    assert await _forged(db) == ["7 entry 2"]
    assert (await audit.audit(db, [], NOW)).notes[Note.TRAIL_NOT_CHECKED] == 2, "without the keys"


async def test_an_entry_without_a_mark_is_of_before_the_marks_alone(db: Database) -> None:
    """Nobody writes one now; those that are older are bound to the first entry with a mark."""
    first = Entry(7, 1, NOW, 1, "Asha", "payment.refund", "1", "{}", "")
    with pytest.raises(CheckViolationError):
        await store.insert(db, replace(first, digest=rules.digest_of(first, rules.NOTHING)))
    await db.execute("ALTER TABLE trail_entries DROP CONSTRAINT trail_entries_marked")
    assert await store.insert(db, replace(first, digest=rules.digest_of(first, rules.NOTHING)))
    await actions.record(db, 7, ASHA, "payment.refund", "2", NOW)
    assert await _forged(db) == []
    newest = await db.fetchval(
        "SELECT digest FROM trail_entries WHERE merchant_id = 7 AND entry_no = 2"
    )
    late = replace(first, entry_no=3)
    assert await store.insert(db, replace(late, digest=rules.digest_of(late, newest)))
    assert await _forged(db) == ["7 entry 3"]


async def _forged(db: Database, vault: Vault = VAULT) -> list[str]:
    report = await audit.audit(db, [], NOW, vault=vault)
    found = next(each for each in report.checked if each.violation is Violation.TRAIL_FORGED)
    return [each.subject for each in found.samples]
