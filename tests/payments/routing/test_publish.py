"""Publishing a plan: whose it is, which one it follows, and its entry in the trail."""

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from asyncpg import PostgresError
from typer.testing import CliRunner

from hundi.acquirers.plans.document import RoutingFault, RoutingFaultCode
from hundi.cli import application
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.payments.routing import actions, store
from hundi.staff.trail import store as trail
from hundi.staff.trail.actions import Who, at_command_line
from tests.shop import NOW

VAULT = Vault({"k1": bytes(32)})

PLAN = """
[[rules]]
name = "all"
use = [{ acquirer = "sandbox" }]
"""
ACQUIRERS = ("sandbox",)
ASHA, OMKAR = Who(7, "Asha Iyer", VAULT, "198.51.100.7"), at_command_line("omkar", VAULT)


async def versions(db: Database) -> list[tuple[int, str]]:
    return [(each["version"], each["published_by"]) for each in await store.select_heads(db, 9)]


async def told(db: Database) -> list[tuple[str, str, str, dict[str, object]]]:
    """Return the entries of the operator's trail, newest first."""
    found = await trail.select_page(db, actions.OPERATOR)
    return [(each.person, each.act, each.about, msgspec.json.decode(each.detail)) for each in found]


def codes(found: int | Sequence[RoutingFault]) -> list[str]:
    assert not isinstance(found, int)
    return [each.code for each in found]


async def test_a_plan_is_in_force_with_its_entry_in_the_trail(db: Database) -> None:
    assert await actions.publish(db, PLAN, ACQUIRERS, ASHA, NOW) == 1
    said = {"rules": 1, "sha256": sha256(PLAN.encode()).hexdigest()}
    assert await told(db) == [("Asha Iyer", "routing.publish", "1", said)]
    assert await versions(db) == [(1, "Asha Iyer")]
    assert codes(await actions.publish(db, "rules = 1", ACQUIRERS, ASHA, NOW)) == ["wrong_shape"]
    assert len(await told(db)) == 1, "nothing happened"


async def test_a_plan_whose_entry_cannot_be_written_is_not_in_force(db: Database) -> None:
    await db.execute(
        "CREATE TRIGGER untold BEFORE INSERT ON trail_entries FOR EACH ROW EXECUTE "
        "FUNCTION refuse_change()"
    )
    with pytest.raises(PostgresError):
        await actions.publish(db, PLAN, ACQUIRERS, ASHA, NOW)
    await db.execute("DROP TRIGGER untold ON trail_entries")
    assert await versions(db) == []


async def test_who_has_not_seen_the_plan_in_force_does_not_replace_it(db: Database) -> None:
    assert await actions.publish(db, PLAN, ACQUIRERS, ASHA, NOW, seen=0) == 1
    (fault,) = await faults(db, seen=0)
    assert fault.code is RoutingFaultCode.PUBLISHED_MEANWHILE
    assert "version 1 was published by Asha Iyer" in fault.words
    assert await versions(db) == [(1, "Asha Iyer")]
    assert await actions.publish(db, PLAN, ACQUIRERS, OMKAR, NOW, seen=1) == 2
    assert await actions.publish(db, PLAN, ACQUIRERS, OMKAR, NOW) == 3, (
        "who names none replaces whichever there is"
    )


async def faults(db: Database, seen: int) -> tuple[RoutingFault, ...]:
    found = await actions.publish(db, PLAN, ACQUIRERS, OMKAR, NOW, seen=seen)
    assert not isinstance(found, int)
    return found


async def test_of_many_who_saw_the_same_plan_one_replaces_it(db: Database) -> None:
    at_once = [actions.publish(db, PLAN, ACQUIRERS, ASHA, NOW, seen=0) for _ in range(8)]
    found = await asyncio.gather(*at_once)
    assert [each for each in found if isinstance(each, int)] == [1]
    assert await versions(db) == [(1, "Asha Iyer")]
    at_once = [actions.publish(db, PLAN, ACQUIRERS, OMKAR, NOW) for _ in range(8)]
    assert sorted(map(str, await asyncio.gather(*at_once))) == [str(each) for each in range(2, 10)]
    assert [about for _, _, about, _ in await told(db)] == [str(each) for each in range(9, 0, -1)]


@pytest.mark.parametrize(("seen", "status"), [("0", 2), ("1", 0)])
async def test_the_command_names_the_version_it_has_seen(
    db: Database,
    fresh_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seen: str,
    status: int,
) -> None:
    monkeypatch.setenv("HUNDI_DATABASE_URL", fresh_url)
    monkeypatch.setenv("HUNDI_DATA_DIR", str(tmp_path))
    (file := tmp_path / "plan.toml").write_text("rules = []")
    await actions.publish(db, PLAN, ACQUIRERS, ASHA, NOW)
    arguments = ("route", "set", str(file), "--by", "omkar", "--seen", seen, "--json")
    ended = await asyncio.to_thread(CliRunner().invoke, application("route"), arguments)
    assert ended.exit_code == status, ended.output
    if status:
        assert "published_meanwhile" in ended.output
        assert await versions(db) == [(1, "Asha Iyer")]
    else:
        assert await versions(db) == [(2, OMKAR.name), (1, "Asha Iyer")]
