"""The expected next settlement, from the items collected so far."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from hundi.infra.postgres.database import Queries
from hundi.kernel.records import replace
from hundi.money.calendar.store import calendar_of
from hundi.money.settlements import rules, store
from hundi.money.settlements.finding import store as finding
from hundi.money.settlements.rules import Amounts, SettlementKind


@dataclass(frozen=True, slots=True)
class ExpectedSettlement:
    """A settlement that is not made yet. day, due_at: None if no item waits."""

    day: date | None
    due_at: datetime | None
    items: int
    amounts: Amounts
    held: bool


async def expected(db: Queries, merchant_id: int, now: datetime) -> ExpectedSettlement:
    """Return a merchant's expected next daily settlement.

    Postings that the worker has not collected yet are missing in it.
    """
    terms = rules.terms_at(await store.terms_of(db, merchant_id), now)
    before, first = await store.last(db, merchant_id), await finding.first_ready(db, merchant_id)
    if first is None:
        nothing = Amounts(0, 0, 0, 0, (), before.carried_paise, before.linked_carried)
        return ExpectedSettlement(None, None, 0, nothing, terms.held)
    calendar = await calendar_of(db, terms.centre)
    day = max(first, rules.last_working(rules.day_due(now, terms), calendar))
    if before.day > day or await store.settlement_on(db, merchant_id, day, SettlementKind.DAILY):
        day = max(day, before.day) + timedelta(days=1)
    day = calendar.after(day, 0)
    due = await store.reserve_due(db, merchant_id, before.day, day) if before.settlement_no else 0
    sums, parts = await finding.ready_by(db, merchant_id, day)
    amounts = rules.settle(
        sums, parts, replace(before, reserve_due_paise=due), terms, SettlementKind.DAILY
    )
    return ExpectedSettlement(day, rules.due_at(day, terms), sums.items, amounts, terms.held)
