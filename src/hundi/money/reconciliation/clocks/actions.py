"""Reads the clocks: running, ending within a day, over, and the compensation due."""

from datetime import datetime
from typing import Any

from hundi.infra.postgres.database import Queries
from hundi.kernel.clock import business_day
from hundi.money.reconciliation.clocks import store
from hundi.money.reconciliation.clocks.rules import CLOCKS, ClockName, ClockStage, Hanging, clock_of

READ_MAX = 100_000
LISTED_MAX = 200


async def read_clocks(db: Queries, now: datetime) -> dict[str, Any]:
    """Return every clock with its counts, and the oldest of the cases that are over or end soon."""
    today = business_day(now)
    cases: list[Hanging] = []
    for row in await store.hanging(db, READ_MAX):
        what = row["what"]
        clock = (
            CLOCKS[ClockName(what)]
            if what in {ClockName.EXCESS, ClockName.REFUND}
            else clock_of(what)
        )
        paise = row["received"] or row["amount"]
        cases.append(
            Hanging(row["merchant_id"], row["cause_id"], clock, paise, business_day(row["began"]))
        )
    clocks: dict[str, dict[str, Any]] = {}
    for name, clock in CLOCKS.items():
        own = [each for each in cases if each.clock is clock]
        clocks[name] = {
            "days": clock.days,
            "a_day_paise": clock.a_day_paise,
            "source": clock.source,
        }
        clocks[name] |= {
            stage: sum(each.stage(today) is stage for each in own) for stage in ClockStage
        }
        clocks[name]["compensation_paise"] = sum(
            clock.compensation_paise(each.began, today) for each in own
        )
    urgent = [each for each in cases if each.stage(today) is not ClockStage.RUNNING]
    urgent.sort(key=lambda each: each.clock.ends_on(each.began))
    items = [
        {
            "merchant_id": each.merchant_id,
            "cause_id": each.cause_id,
            "clock": each.clock.name,
            "stage": each.stage(today),
            "amount_paise": each.amount_paise,
            "began": each.began,
            "ends": each.clock.ends_on(each.began),
            "compensation_paise": each.clock.compensation_paise(each.began, today),
        }
        for each in urgent[:LISTED_MAX]
    ]
    return {"today": today, "clocks": clocks, "items": items}
