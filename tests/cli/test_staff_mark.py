"""An upgrade: what is older than marks, entries and bound seals is taken over by the operator, once."""

import pytest

from hundi import upgrades
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault, open_vault
from hundi.infra.settings import load_settings
from hundi.kernel.clock import utc_now
from hundi.money.audit import actions as auditing
from hundi.money.audit.rules import Violation
from hundi.staff.people import proofs
from hundi.staff.trail.actions import at_command_line
from tests.cli.conftest import Hundi, Operate

PLAN = "[otherwise]\nfixed_paise = 500\n[[rules]]\nname = 'debit'\nchannels = ['pg']\ncard_types = ['debit']\n"
UNTOLD = {Violation.MERCHANT_UNTOLD, Violation.ACCOUNT_UNTOLD, Violation.PLAN_UNTOLD}


async def _broken(db: Database) -> set[Violation]:
    report = await auditing.audit(db, [], utc_now())
    return {each.violation for each in report.checked if each.count}


async def _unbind(db: Database, vault: Vault) -> None:
    """Leave the database as the version before left it: secrets of no row, and a trail that tells nothing of these."""
    for table, column, purpose, key in (
        ("merchants", "sealed_keys", "merchant-keys", "merchant_id"),
        ("bank_accounts", "sealed_number", "bank-account-number", "merchant_id, beneficiary, account_no"),
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
    given = ("--holder", "Chandni Books", "--ifsc", "HDFC0000001", "--number", "50100123450007", "--as", "Asha")
    await operate("bank-account", "add", number, *given)
    await operate("bank-account", "add", number, *given[:5], "50100123450008", *given[6:])
    plan = load_settings().data_dir / "plan.toml"
    plan.write_text(PLAN)
    await operate("fee", "plan", "set", str(plan), "--merchant", number)
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
        "account 1 of primary",
        "account 2 of primary",
        "price plan 1",
    ]
    assert {each["who"] for each in shown} == {number}
    assert await _broken(db) == UNTOLD, "a look changes nothing"
    assert await operate("staff", "mark", "--yes") == shown
    assert await _broken(db) == set()
    assert await operate("staff", "mark") == []

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


async def test_the_first_person_of_an_older_installation_ends_no_upgrade(db: Database, operate: Operate) -> None:
    """Its operator may have worked by commands alone."""
    await operate("merchant", "add", "Chandni Books")
    await db.execute("ALTER TABLE trail_entries DISABLE TRIGGER USER")
    await db.execute("DELETE FROM trail_entries")
    await operate("staff", "invite", "asha@ops.example", "--name", "Asha", "--role", "operator")
    assert len(await operate("staff", "mark", "--yes")) == 1
    assert await _broken(db) == set()
