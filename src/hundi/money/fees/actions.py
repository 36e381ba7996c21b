"""The actions of fees: publish a price plan, and quote a payment's price."""

from datetime import date, datetime, timedelta

from asyncpg import UniqueViolationError

from hundi.infra.postgres.database import Database, Queries
from hundi.kernel.clock import business_day
from hundi.kernel.masking import masked
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.fees import store
from hundi.money.fees.document.rules import PlanFault, read
from hundi.money.fees.rules import FeeFacts, PaymentFee, quote
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who
from hundi.staff.trail.rules import RowKind

_PUBLISH_TRIES_MAX = 5
AHEAD_MAX = timedelta(days=366)
"""How far ahead a plan may begin."""


async def publish(
    db: Database,
    merchant_id: int,
    text: str,
    first_day: date | None,
    published_by: str,
    by: Who,
    now: datetime,
) -> tuple[int, date] | tuple[PlanFault, ...]:
    """Write a merchant's next price plan; return its number and first day, or its faults.

    first_day: today or later, so that no past payment changes its price; None means today for the
    first plan and tomorrow for others. published_by: the name stored with the plan. by: the same
    person, for the trail. Raises Refused: FIELD_INVALID.
    """
    document = read(masked(text))
    if isinstance(document, tuple):
        return document
    today = business_day(now)
    if first_day is None:
        first_day = (
            today + timedelta(days=1) if await store.select_heads(db, merchant_id) else today
        )
    if not today <= first_day <= today + AHEAD_MAX:
        allowed = f"{today} to {today + AHEAD_MAX}"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="first_day", received=str(first_day), allowed=allowed
        )
    for tried in range(_PUBLISH_TRIES_MAX):
        try:
            async with db.transaction() as conn:
                plan_no = await store.insert_plan(
                    conn, merchant_id, document, first_day, published_by, now
                )
                await record_plan(conn, by, "publish", merchant_id, plan_no, now)
        except UniqueViolationError:
            if tried == _PUBLISH_TRIES_MAX - 1:
                raise
        else:
            return plan_no, first_day
    raise AssertionError("the loop returns or raises")


async def record_plan(
    source: Queries, by: Who, act: str, merchant_id: int, plan_no: int, now: datetime
) -> None:
    """Record a merchant's price plan in its trail. act: a verb."""
    detail = trail.told(RowKind.PLAN, await store.digest(source, merchant_id, plan_no))
    await trail.record(source, merchant_id, by, f"fee_plan.{act}", plan_no, now, **detail)


async def quoted(db: Queries, merchant_id: int, facts: FeeFacts) -> PaymentFee:
    """Return what a payment would cost a merchant."""
    return quote((await store.plans_of(db, merchant_id)).on(facts.day), facts)
