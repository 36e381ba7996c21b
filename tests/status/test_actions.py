"""What a look writes, that one of several workers writes it, and what is deleted."""

from datetime import UTC, datetime, timedelta

from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.status import actions, store
from hundi.status.announcements import store as announcements
from hundi.status.announcements.rules import AnnouncementKind, StatusAnnouncement
from hundi.status.rules import GAP, KEPT, OWN_NAMES, WATCH, ComponentSpell, ComponentState

NOW = datetime(2026, 11, 28, 8, 0, tzinfo=UTC)
NOBODY = Registry(())
S = ComponentState


async def test_a_look_writes_each_component_once(db: Database) -> None:
    await actions.look(db, NOBODY, NOW)
    picture = await actions.read(db, NOW)
    assert picture.looked_at == NOW
    assert {each.component for each in picture.spells} == set(OWN_NAMES)
    await actions.look(db, NOBODY, NOW + WATCH)
    again = await actions.read(db, NOW + WATCH)
    assert again.looked_at == NOW + WATCH
    assert again.spells == picture.spells


async def test_the_look_of_another_worker_just_before_counts_for_both(db: Database) -> None:
    await actions.look(db, NOBODY, NOW)
    await actions.look(db, NOBODY, NOW + WATCH / 4)
    assert await store.looked_at(db) == NOW


async def test_an_announcement_is_written_as_a_state(db: Database) -> None:
    said = StatusAnnouncement(
        7, AnnouncementKind.MAINTENANCE, "payments", "Tea.", NOW, NOW + timedelta(hours=1)
    )
    async with db.transaction() as conn:
        await announcements.insert(conn, said)
    await actions.look(db, NOBODY, NOW)
    assert (await store.going_on(db))["payments"].state is S.MAINTENANCE


async def test_a_gap_right_after_the_first_look_keeps_one_spell_a_beginning(db: Database) -> None:
    await actions.look(db, NOBODY, NOW)
    later = NOW + GAP + WATCH
    await actions.look(db, NOBODY, later, was_lost=True)
    picture = await actions.read(db, later)
    of_payments = [each for each in picture.spells if each.component == "payments"]
    assert of_payments == [
        ComponentSpell("payments", later, S.OPERATIONAL),
        ComponentSpell("payments", NOW, S.OUTAGE, later),
    ]


async def test_what_ended_before_the_days_that_are_shown_is_deleted(db: Database) -> None:
    old, kept = NOW - KEPT - timedelta(days=1), NOW - KEPT + timedelta(days=1)
    async with db.transaction() as conn:
        for number, ended in enumerate((old, kept), start=1):
            began = ended - timedelta(hours=1)
            await store.write(conn, ComponentSpell("payments", began, S.OUTAGE, ended))
            said = StatusAnnouncement(number, AnnouncementKind.INCIDENT, "", "Tea.", began, ended)
            await announcements.insert(conn, said)
    await actions.sweep(db, NOW)
    picture = await actions.read(db, NOW)
    assert [each.ended_at for each in picture.spells] == [kept]
    assert [each.ends_at for each in picture.announcements] == [kept]
