"""Settles merchants: new postings become items with fees, and ready items a settlement."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

import structlog
from asyncpg import (
    IntegrityConstraintViolationError,
    LockNotAvailableError,
    QueryCanceledError,
)

from hundi.infra.postgres.database import Connection, Database
from hundi.infra.postgres.looks import NodeLostError
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.calendar.rules import Calendar
from hundi.money.calendar.store import calendar_of
from hundi.money.ledger.chart import rules as chart
from hundi.money.ledger.rules import PostingKind
from hundi.money.settlements import rules, store
from hundi.money.settlements.collecting.actions import CalendarOf, collect
from hundi.money.settlements.rules import (
    PRIMARY,
    Amounts,
    ItemSums,
    SettlementKind,
    SettlementTerms,
)
from hundi.money.settlements.writing import store as writing
from hundi.money.settlements.writing.store import NewSettlement

AT_ONCE = 3
"""Merchants that are settled side by side: one waits for the disk, one for the database."""
_PAGE = 500
FAULTS_KEPT = 20
"""Faults of single merchants that a run raises at its end, after all others are settled."""
_log = structlog.get_logger(__name__)


class DayOutcome(StrEnum):
    """The outcome of a merchant's day."""

    SETTLED = "settled"
    """The day was settled now."""
    ALREADY = "already_settled"
    """The day was settled before; nothing was done."""
    NOTHING = "nothing_ready"
    """No item is ready, or banks do not work that day."""
    SUSPENDED = "suspended"
    """The merchant is suspended: its items wait."""
    HELD = "held"
    """The merchant's terms hold settlements back: its items wait."""
    PASSED = "day_passed"
    """A later day is settled, or the month invoiced: ready items are for the next day."""
    NOT_DUE = "not_due"
    """It is too early for that day."""
    BUSY = "busy"
    """Another process settles this merchant; the next run tries again."""


class DayResult(NamedTuple):
    """The outcome of a merchant's day. waiting: ready items that wait."""

    merchant_id: int
    day: date
    outcome: DayOutcome
    settlement_id: int | None = None
    waiting: int = 0


Progress = Callable[[DayResult], None]


@dataclass(slots=True)
class _Calendars:
    """The calendars of one run, each read once."""

    db: Database
    read: dict[str, Calendar]

    async def of(self, centre: str) -> Calendar:
        if centre not in self.read:
            self.read[centre] = await calendar_of(self.db, centre)
        return self.read[centre]


async def run(
    db: Database,
    now: datetime,
    day: date | None = None,
    progress: Progress = lambda _: None,
    at_once: int = AT_ONCE,
) -> int:
    """Collect and settle every merchant, and return how many settlements were made.

    day: the day to settle; None for each merchant's newest due day. The job may run at any time, in
    several processes, and be killed: the next run continues to the same result.
    """
    calendars, settlements, faults = _Calendars(db, {}), 0, list[Exception]()
    # One query finds idle merchants and skips them, unless the caller names a day and expects every
    # merchant's outcome.
    merchants = _merchants(db, None if day else rules.business_day(now))

    async def work() -> None:
        nonlocal settlements
        async for merchant_id in merchants:
            try:
                result = await run_one(db, merchant_id, now, day, calendars.of)
            except (LockNotAvailableError, QueryCanceledError, NodeLostError):
                _log.warning("settlement_waits", merchant_id=merchant_id)
                result = DayResult(
                    merchant_id, day or rules.day_due(now, rules.DEFAULT_TERMS), DayOutcome.BUSY
                )
            except (
                IntegrityConstraintViolationError,
                ArithmeticError,
                AssertionError,
                LookupError,
                ValueError,
            ) as fault:
                # One merchant's rows or days are wrong: all others are settled all the same.
                _log.error("settlement_failed", merchant_id=merchant_id, fault=type(fault).__name__)
                faults.append(fault)
                continue
            settlements += result.outcome is DayOutcome.SETTLED
            progress(result)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(at_once):
            tasks.create_task(work())
    if faults:
        raise ExceptionGroup(f"{len(faults)} merchants could not be settled", faults[:FAULTS_KEPT])
    return settlements


class _merchants:  # noqa: N801 (an iterator that several tasks share; a generator must not be entered twice)
    def __init__(self, db: Database, due_on: date | None) -> None:
        self._db, self._found, self._last, self._lock = db, list[int](), 0, asyncio.Lock()
        self._due_on = due_on

    def __aiter__(self) -> AsyncIterator[int]:
        return self

    async def __anext__(self) -> int:
        async with self._lock:
            if not self._found:
                self._found = (
                    await store.merchants_after(self._db, self._last, _PAGE, self._due_on)
                )[::-1]
            if not self._found:
                raise StopAsyncIteration
            self._last = self._found.pop()
            return self._last


async def run_one(
    db: Database,
    merchant_id: int,
    now: datetime,
    day: date | None = None,
    calendar: CalendarOf | None = None,
) -> DayResult:
    """Collect a merchant's new postings, and settle its day if that is due."""
    calendars = calendar or _Calendars(db, {}).of
    await collect(db, merchant_id, calendars)
    terms = rules.terms_at(await store.terms_of(db, merchant_id), now)
    days = await calendars(terms.centre)
    settled_day = day or rules.last_working(rules.day_due(now, terms), days)
    return await _settle_if_ready(db, merchant_id, settled_day, terms, now, days)


# --- settling ---


async def _settle_if_ready(
    db: Database,
    merchant_id: int,
    day: date,
    terms: SettlementTerms,
    now: datetime,
    calendar: Calendar,
) -> DayResult:
    if rules.due_at(day, terms) > now:
        return DayResult(merchant_id, day, DayOutcome.NOT_DUE)
    if existing_id := await store.settlement_on(db, merchant_id, day, SettlementKind.DAILY):
        return DayResult(merchant_id, day, DayOutcome.ALREADY, existing_id)
    if not calendar.is_working(day):
        return DayResult(merchant_id, day, DayOutcome.NOTHING)
    active = await store.is_active(db, merchant_id)
    if terms.held or not active:
        waiting = await store.count_waiting(db, merchant_id, day)
        outcome = DayOutcome.SUSPENDED if not active else DayOutcome.HELD
        return DayResult(
            merchant_id, day, outcome if waiting else DayOutcome.NOTHING, None, waiting
        )
    async with db.transaction() as conn:
        return await _settle(
            conn,
            merchant_id,
            SettlementOrder(day, SettlementKind.DAILY, rules.due_at(day, terms), day),
            terms,
        )


class SettlementOrder(NamedTuple):
    """A settlement to make. at: its moment, UTC. upto: items ready by that day are taken."""

    day: date
    kind: SettlementKind
    at: datetime
    upto: date


async def settle_now(db: Database, merchant_id: int, now: datetime) -> DayResult:
    """Settle at once all that a merchant is owed, at its terms' price; once a day.

    Takes items that are not ready as well. Raises Refused: MERCHANT_SUSPENDED, FIELD_INVALID.
    """
    calendars = _Calendars(db, {})
    await collect(db, merchant_id, calendars.of)
    terms = rules.terms_at(await store.terms_of(db, merchant_id), now)
    if not await store.is_active(db, merchant_id):
        raise refuse(RefusalCode.MERCHANT_SUSPENDED)
    if terms.held or terms.instant_bps is None:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="instant",
            allowed="a merchant whose terms allow it and hold nothing back",
        )
    day = rules.business_day(now)
    async with db.transaction() as conn:
        return await _settle(
            conn, merchant_id, SettlementOrder(day, SettlementKind.INSTANT, now, date.max), terms
        )


async def _settle(
    conn: Connection, merchant_id: int, order: SettlementOrder, terms: SettlementTerms
) -> DayResult:
    """Make the settlement, unless it exists or there is nothing to settle."""
    await store.lock_mark(conn, merchant_id)
    day, kind = order.day, order.kind
    if existing_id := await store.settlement_on(conn, merchant_id, day, kind):
        return DayResult(merchant_id, day, DayOutcome.ALREADY, existing_id)
    before = await store.last(conn, merchant_id)
    # A month's invoice never changes: fees of that month are charged on the next day.
    month = rules.business_day(order.at).replace(day=1)
    if before.day > day or await store.is_invoiced(conn, merchant_id, month):
        return DayResult(
            merchant_id,
            day,
            DayOutcome.PASSED,
            None,
            await store.count_waiting(conn, merchant_id, day),
        )
    due = await store.reserve_due(conn, merchant_id, before.day, day) if before.settlement_no else 0
    before = replace(before, reserve_due_paise=due)
    sums, parts = await store.ready(conn, merchant_id, order.upto)
    amounts = rules.settle(sums, parts, before, terms, kind)
    if not (sums.items or due or amounts.shares) or (
        kind is SettlementKind.INSTANT and not amounts.shares
    ):
        # An instant settlement has a price: if it pays nothing out, it costs nothing and takes no
        # items early.
        return DayResult(merchant_id, day, DayOutcome.NOTHING)
    settlement_id = rules.id_of(day, kind)
    until = day + timedelta(days=terms.reserve_days) if amounts.reserve_held_paise else None
    shares = [
        (rules.share_id_of(settlement_id, place), name, paise)
        for place, (name, paise) in enumerate(amounts.shares)
    ]
    settlement = NewSettlement(
        settlement_id=settlement_id,
        day=day,
        kind=kind,
        at=order.at,
        upto=order.upto,
        terms=terms,
        reserve_until=until,
        sums=sums,
        before=before,
        amounts=amounts,
        parts=parts,
        shares=shares,
        postings=postings(settlement_id, sums, amounts),
    )
    await writing.write(conn, merchant_id, settlement)
    return DayResult(merchant_id, day, DayOutcome.SETTLED, settlement_id)


def postings(
    settlement_id: int, sums: ItemSums, amounts: Amounts
) -> list[tuple[int, str, str, str, int]]:
    """Return the postings of a settlement: cause, kind, debit, credit, paise."""
    kinds, payable = PostingKind, chart.PAYABLE.code
    listed = [
        (
            settlement_id,
            kinds.SETTLEMENT_FEE,
            payable,
            chart.FEE_INCOME.code,
            sums.fee_paise + amounts.price_paise,
        ),
        (
            settlement_id,
            kinds.SETTLEMENT_TAX,
            payable,
            chart.TAX_PAYABLE.code,
            sums.tax_paise + amounts.price_tax_paise,
        ),
        (
            settlement_id,
            kinds.RESERVE_HELD,
            payable,
            chart.RESERVE.code,
            amounts.reserve_held_paise,
        ),
        (
            settlement_id,
            kinds.RESERVE_RELEASED,
            chart.RESERVE.code,
            payable,
            amounts.reserve_released_paise,
        ),
    ]
    for place, (name, paise) in enumerate(amounts.shares):
        account = chart.SETTLEMENT_DUE if name == PRIMARY else chart.PAYABLE_LINKED
        listed.append(
            (rules.share_id_of(settlement_id, place), kinds.SHARE_DUE, payable, account.code, paise)
        )
    return [each for each in listed if each[-1]]
