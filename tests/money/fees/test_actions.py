"""Price plans on PostgreSQL."""

from datetime import UTC, date, datetime

import asyncpg
import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.refusals import Refused
from hundi.money.fees import actions, store
from hundi.money.fees.rules import FeeFacts, PaymentFee
from tests.recording import BY

NOW = datetime(2026, 11, 20, 20, 0, tzinfo=UTC)  # already the 21st in India
TODAY, TOMORROW = date(2026, 11, 21), date(2026, 11, 22)
FLAT = (
    "[otherwise]\nfixed_paise = {}\n[[rules]]\nname = 'debit'\nchannels = ['pg']\ncard_types ="
    " ['debit']\n"
)


def facts(day: date) -> FeeFacts:
    return FeeFacts("nb", "", "", 100_00, day)


async def test_a_version_is_in_force_from_its_day_on(db: Database) -> None:
    assert await actions.quoted(db, 7, facts(TODAY)) == PaymentFee(0, 0, "no_plan", 0)
    assert await actions.publish(db, 7, FLAT.format(500), None, "asha", BY, NOW) == (1, TODAY)
    assert await actions.publish(db, 7, FLAT.format(700), None, "asha", BY, NOW) == (2, TOMORROW)
    plans = await store.plans_of(db, 7)
    assert [
        plans.on(day) and plans.on(day).plan_no for day in (date(2026, 11, 20), TODAY, TOMORROW)
    ] == [None, 1, 2]  # type: ignore[union-attr]
    assert await actions.quoted(db, 7, facts(TOMORROW)) == PaymentFee(7_00, 1_26, "otherwise", 2)
    assert await actions.quoted(db, 8, facts(TOMORROW)) == PaymentFee(0, 0, "no_plan", 0)


@pytest.mark.parametrize("day", [date(2026, 11, 20), date(2027, 12, 1)])
async def test_no_plan_begins_in_the_past_or_in_years(db: Database, day: date) -> None:
    with pytest.raises(Refused) as refused:
        await actions.publish(db, 7, FLAT.format(500), day, "asha", BY, NOW)
    assert refused.value.refusal.field == "first_day"


async def test_a_version_never_changes(db: Database) -> None:
    await actions.publish(db, 7, FLAT.format(500), None, "asha", BY, NOW)
    for statement in (
        "UPDATE fee_plans SET first_day = '2026-01-01'",
        "DELETE FROM fee_plans",
        "TRUNCATE fee_plans",
    ):
        with pytest.raises(asyncpg.RestrictViolationError):
            await db.execute(statement)


async def test_what_is_wrong_is_not_written(db: Database) -> None:
    faults = await actions.publish(
        db, 7, "[otherwise]\nbasis_points = 200\n", None, "asha", BY, NOW
    )
    assert [each.code for each in faults] == ["over_debit_cap"]  # type: ignore[union-attr]
    assert await store.select_heads(db, 7) == []
