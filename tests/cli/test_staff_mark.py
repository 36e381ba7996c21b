"""An upgrade: the operator takes over, once, what is older than marks and bound seals."""

import json

import pytest

from hundi.gateway import upgrades
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault, open_vault
from hundi.infra.settings import load_settings
from hundi.kernel.clock import utc_now
from hundi.merchants.directory import store as merchant_store
from hundi.money.audit import actions as auditing
from hundi.money.audit.rules import Violation
from hundi.staff.people.proofs import actions as proofs
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import at_command_line
from hundi.staff.trail.rules import RowKind
from tests.cli.conftest import Hundi, Operate

PLAN = (
    "[otherwise]\nfixed_paise = 500\n[[rules]]\nname = 'debit'\nchannels = ['pg']\ncard_types ="
    " ['debit']\n"
)
UNTOLD = {
    *(
        Violation.MERCHANT_UNTOLD,
        Violation.KEYS_UNTOLD,
        Violation.ACCOUNT_UNTOLD,
        Violation.PLAN_UNTOLD,
    ),
    *(
        Violation.TERMS_UNTOLD,
        Violation.LINKED_UNTOLD,
        Violation.PARTNER_UNTOLD,
        Violation.ACQUIRER_UNTOLD,
    ),
}


async def _broken(db: Database) -> set[Violation]:
    report = await auditing.audit(db, [], utc_now())
    return {each.violation for each in report.checked if each.count}


async def _unbind(db: Database, vault: Vault) -> None:
    """Leave the database as the version before left it.

    Secrets of no row, and a trail that tells nothing of these.
    """
    for table, column, purpose, key in (
        ("merchants", "sealed_keys", "merchant-keys", "merchant_id"),
        (
            "bank_accounts",
            "sealed_number",
            "bank-account-number",
            "merchant_id, beneficiary, account_no",
        ),
        (
            "linked_accounts",
            "sealed_number",
            "linked-account-number",
            "merchant_id, identifier, name, ifsc",
        ),
        ("partners", "sealed_keys", "partner-keys", "affiliate"),
    ):
        await db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for row in await db.fetch(f"SELECT {column}, {key} FROM {table}"):
            sealed, *bound = row.values()
            older = vault.seal(vault.open(sealed, purpose, *bound), purpose)
            await db.execute(f"UPDATE {table} SET {column} = $2 WHERE {column} = $1", sealed, older)
    await db.execute("ALTER TABLE trail_entries DISABLE TRIGGER USER")
    await db.execute("DELETE FROM trail_entries")


async def test_rows_that_are_older_than_their_entries_are_taken_over_once(
    db: Database, hundi: Hundi, operate: Operate, refused: Operate
) -> None:
    number = (await operate("merchant", "add", "Chandni Books"))["merchant_id"]
    given = (
        "--holder",
        "Chandni Books",
        "--ifsc",
        "HDFC0000001",
        "--number",
        "50100123450007",
        "--as",
        "Asha",
    )
    await operate("bank-account", "add", number, *given)
    await operate("bank-account", "add", number, *given[:5], "50100123450008", *given[6:])
    plan = load_settings().data_dir / "plan.toml"
    plan.write_text(PLAN)
    await operate("fee", "plan", "set", str(plan), "--merchant", number)
    await operate("settlement", "terms", "set", number, "--working-days", "2")
    await operate(
        "split", "link", number, "W", "Weaver", "HDFC0000001", "--number", "50100123456789"
    )
    affiliate = (await operate("partner", "add", "Chandni Rewards"))["affiliate"]
    account = {"url": "http://127.0.0.1:9", "key": "key-of-an-account"}
    await operate("acquirer", "add", "north", "sandbox", text=json.dumps(account))
    assert await _broken(db) == set()
    assert await operate("staff", "mark") == []

    await _unbind(db, open_vault(load_settings()))
    assert await _broken(db) == UNTOLD
    with pytest.raises(AssertionError, match="sealed for another purpose or row"):
        await hundi("merchant", "list")
    done = await operate("keys", "reseal", "--older")
    assert (done["merchants"], done["bank_accounts"]) == (1, 2)
    shown = await operate("staff", "mark")
    assert [each["what"].split(":")[0] for each in shown] == [
        "Chandni Books",
        "Chandni Books",
        "account 1 of primary",
        "account 2 of primary",
        "price plan 1",
        "settlement terms 1",
        "linked account W",
        f"partner {affiliate}",
        "acquirer north",
    ]
    assert [each["who"] for each in shown] == [number] * 7 + ["the operator"] * 2
    assert await _broken(db) == UNTOLD, "a look changes nothing"
    assert await operate("staff", "mark", "--yes") == shown
    assert await _broken(db) == set()
    assert await operate("staff", "mark") == []
    await operate("partner", "set", affiliate, "--live", "on")
    await operate("merchant", "rotate", number, "secret")
    assert await _broken(db) == set(), "an act after it goes on from there"

    await db.execute("ALTER TABLE bank_accounts DISABLE TRIGGER USER")
    await db.execute("UPDATE bank_accounts SET state = 'verified'")
    assert await operate("staff", "mark") == [], "what the trail contradicts is no older row"
    assert Violation.ACCOUNT_UNTOLD in await _broken(db)
    assert "taken over before" in await refused("staff", "mark", "--yes")
    assert "moved by SQL" in await refused("keys", "reseal", "--older")


async def test_a_demos_start_that_ended_between_two_steps_goes_on(db: Database) -> None:
    by, now = at_command_line("demo", Vault({"k1": bytes(32)})), utc_now()
    await upgrades.reseal_older(db, by, now)
    await upgrades.take_over_demo(db, by, now)
    await upgrades.take_over_demo(db, by, now)
    assert await proofs.is_taken_over(db, by.vault)


async def test_the_first_person_of_an_older_installation_ends_no_upgrade(
    db: Database, operate: Operate
) -> None:
    """Its operator may have worked by commands alone."""
    await operate("merchant", "add", "Chandni Books")
    await db.execute("ALTER TABLE trail_entries DISABLE TRIGGER USER")
    await db.execute("DELETE FROM trail_entries")
    await operate("staff", "invite", "asha@ops.example", "--name", "Asha", "--role", "operator")
    assert len(await operate("staff", "mark", "--yes")) == 2
    assert await _broken(db) == set()


async def test_kinds_that_an_earlier_version_did_not_know_are_taken_over_once_more_and_no_others(
    db: Database, operate: Operate, refused: Operate
) -> None:
    number = (await operate("merchant", "add", "Chandni Books"))["merchant_id"]
    await operate("settlement", "terms", "set", number, "--working-days", "2")
    await operate("partner", "add", "Chandni Rewards")
    vault, now = open_vault(load_settings()), utc_now()
    by, merchant_id = at_command_line("earlier", vault), int(number)
    digests = await merchant_store.digests(db, merchant_id)
    await db.execute("ALTER TABLE trail_entries DISABLE TRIGGER USER")
    await db.execute("DELETE FROM trail_entries")
    told = trail.told(RowKind.MERCHANT, digests["merchant"])
    await trail.record(db, merchant_id, by, "merchant.take_over", merchant_id, now, **told)
    await trail.record(db, 0, by, "person.take_over", "everybody", now, after="none", people=0)
    await db.execute(
        "INSERT INTO fee_plans (merchant_id, plan_no, first_day, document, published_by,"
        " published_at)"
        " VALUES ($1, 1, '2026-11-01', '{}', 'somebody', now())",
        merchant_id,
    )
    assert len(await operate("staff", "mark")) == 4
    marked = [each["what"].split(":")[0] for each in await operate("staff", "mark", "--yes")]
    assert marked[:2] == ["Chandni Books", "settlement terms 1"]
    assert marked[2].startswith("partner AF")
    assert await _broken(db) == {Violation.PLAN_UNTOLD}, "it was written since, by SQL"
    assert "taken over before" in await refused("staff", "mark", "--yes")


async def test_a_merchant_that_sql_changed_is_named_although_its_secrets_are_taken_over(
    db: Database, operate: Operate
) -> None:
    merchant_id = int((await operate("merchant", "add", "Chandni Books"))["merchant_id"])
    by, now = at_command_line("earlier", open_vault(load_settings())), utc_now()
    digests = await merchant_store.digests(db, merchant_id)
    await db.execute("ALTER TABLE trail_entries DISABLE TRIGGER USER")
    await db.execute("DELETE FROM trail_entries")
    told = trail.told(RowKind.MERCHANT, digests["merchant"])
    await trail.record(db, merchant_id, by, "merchant.take_over", merchant_id, now, **told)
    await db.execute("UPDATE merchants SET name = 'A thief'")
    assert [each["what"] for each in await operate("staff", "mark", "--yes")] == [
        "A thief: secrets"
    ]
    assert await _broken(db) == {Violation.MERCHANT_UNTOLD}


async def test_a_merchant_that_sql_added_since_is_named_although_its_secrets_are_taken_over(
    db: Database, operate: Operate
) -> None:
    merchant_id = int((await operate("merchant", "add", "Chandni Books"))["merchant_id"])
    by, now = at_command_line("earlier", open_vault(load_settings())), utc_now()
    digests = await merchant_store.digests(db, merchant_id)
    await db.execute("ALTER TABLE trail_entries DISABLE TRIGGER USER")
    await db.execute("DELETE FROM trail_entries")
    told = trail.told(RowKind.MERCHANT, digests["merchant"])
    await trail.record(db, merchant_id, by, "merchant.take_over", merchant_id, now, **told)
    await trail.record(db, 0, by, "person.take_over", "everybody", now, after="none", people=0)
    await db.execute(
        "INSERT INTO merchants SELECT (jsonb_populate_record(m, $1)).* FROM merchants m",
        {"merchant_id": 10777, "name": "A thief"},
    )
    marked = [each["what"] for each in await operate("staff", "mark", "--yes")]
    assert sorted(marked) == ["A thief: secrets", "Chandni Books: secrets"]
    assert await _broken(db) == {Violation.MERCHANT_UNTOLD}
    assert [each["what"] for each in await operate("staff", "mark")] == [
        "A thief: active, settings"
    ]
