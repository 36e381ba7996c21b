"""Settling: new postings become items with their fees, and ready items a settlement."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

import structlog
from asyncpg import (
    IntegrityConstraintViolationError,
    LockNotAvailableError,
    QueryCanceledError,
    Record,
)

from hundi.infra.postgres.database import Connection, Database
from hundi.infra.postgres.looks import NodeLostError
from hundi.instruments.methods import CHANNEL_OF_METHOD
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.calendar.rules import Calendar
from hundi.money.calendar.store import calendar_of
from hundi.money.fees import rules as fees
from hundi.money.fees.rules import FeeFacts, PaymentFee, Plans
from hundi.money.fees.store import plans_of
from hundi.money.ledger import chart
from hundi.money.ledger.rules import PostingKind
from hundi.money.settlements import rules, store
from hundi.money.settlements.rules import (
    PRIMARY,
    SALE_KINDS,
    Amounts,
    ItemSums,
    SettlementKind,
    SettlementTerms,
)
from hundi.money.settlements.store import Item, NewSettlement
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who
from hundi.staff.trail.rules import RowKind

CHUNK = 20_000
"""Postings that one transaction collects."""
AT_ONCE = 3
"""Merchants that are worked on side by side.

One waits for the disk, one for the database, one for Python.
"""
_PAGE = 500
FAULTS_KEPT = 20
"""Faults of single merchants that a run raises at its end, after everybody else is settled."""
NO_FEE = "none"
"""The rule of an item that bears no fee: no payment, or one whose money went back at once."""
_log = structlog.get_logger(__name__)


class DayOutcome(StrEnum):
    """What became of a merchant's day."""

    SETTLED = "settled"
    """It was settled now."""
    ALREADY = "already_settled"
    """It was settled before; nothing was done."""
    NOTHING = "nothing_ready"
    """Nothing is ready, or banks do not work that day."""
    SUSPENDED = "suspended"
    """The merchant is suspended: its items wait."""
    HELD = "held"
    """Its terms hold settlements back: its items wait."""
    PASSED = "day_passed"
    """A later day was settled, or its month invoiced: what is ready is for the next one."""
    NOT_DUE = "not_due"
    """It is too early for that day."""
    BUSY = "busy"
    """Somebody else settles this merchant; the next run looks again."""


class DayResult(NamedTuple):
    """What became of a merchant's day. waiting: items that were ready and wait."""

    merchant_id: int
    day: date
    outcome: DayOutcome
    settlement_id: int | None = None
    waiting: int = 0


Progress = Callable[[DayResult], None]
CalendarOf = Callable[[str], Awaitable[Calendar]]


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
    told: Progress = lambda _: None,
    at_once: int = AT_ONCE,
) -> int:
    """Collect and settle every merchant, and return how many settlements were made.

    day: the one to settle; otherwise each merchant's newest that is due. Safe to run at any time
    and anywhere at once, and to be killed in the middle: the next run goes on where it was, to the
    same result.
    """
    calendars, made, faults = _Calendars(db, {}), 0, list[Exception]()
    # Of an idle merchant one query for all knows; whoever names a day hears of everybody.
    merchants = _merchants(db, None if day else rules.business_day(now))

    async def work() -> None:
        nonlocal made
        async for merchant_id in merchants:
            try:
                done = await run_one(db, merchant_id, now, day, calendars.of)
            except (LockNotAvailableError, QueryCanceledError, NodeLostError):
                _log.warning("settlement_waits", merchant_id=merchant_id)
                done = DayResult(
                    merchant_id, day or rules.day_due(now, rules.DEFAULT_TERMS), DayOutcome.BUSY
                )
            except (
                IntegrityConstraintViolationError,
                ArithmeticError,
                AssertionError,
                LookupError,
                ValueError,
            ) as fault:
                # One merchant's rows or days are wrong: everybody else is settled all the same.
                _log.error("settlement_failed", merchant_id=merchant_id, fault=type(fault).__name__)
                faults.append(fault)
                continue
            made += done.outcome is DayOutcome.SETTLED
            told(done)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(at_once):
            tasks.create_task(work())
    if faults:
        raise ExceptionGroup(f"{len(faults)} merchants could not be settled", faults[:FAULTS_KEPT])
    return made


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
    chosen = day or rules.last_working(rules.day_due(now, terms), days)
    return await _settle_if_ready(db, merchant_id, chosen, terms, now, days)


# --- collecting ---


async def collect(db: Database, merchant_id: int, calendar: CalendarOf) -> int:
    """Make an item of each posting that has none, and return how many were made.

    One transaction a chunk.
    """
    if not await store.has_new(db, merchant_id):
        return 0
    versions, plans, collected = (
        await store.terms_of(db, merchant_id),
        await plans_of(db, merchant_id),
        0,
    )
    calendars = {
        each.centre: await calendar(each.centre) for each in (rules.DEFAULT_TERMS, *versions)
    }
    pricing = Pricing(merchant_id, versions, plans, calendars)
    while True:
        async with db.transaction() as conn:
            mark = await store.lock_mark(conn, merchant_id)
            rows = await store.new_postings(conn, merchant_id, mark, CHUNK)
            await store.insert_items(conn, pricing.items(rows))
            collected += len(rows)
            if mark.is_foreign and mark.cluster:
                _log.info(
                    "books_compared_whole",
                    merchant_id=merchant_id,
                    found=len(rows),
                    counted_by=mark.cluster,
                )
            if len(rows) < CHUNK:
                await store.move_mark(conn, merchant_id, mark.horizon, -1, mark.in_cluster)
                return collected
            if not mark.is_foreign:
                await store.move_mark(
                    conn, merchant_id, rows[-1]["xact"], rows[-1]["cause_id"], mark.in_cluster
                )


class Pricing:
    """What a merchant's postings cost and when they are ready, by its terms, plans and calendars."""

    def __init__(
        self,
        merchant_id: int,
        versions: tuple[SettlementTerms, ...],
        plans: Plans,
        calendars: dict[str, Calendar],
    ) -> None:
        """Keep them, and days that were worked out already."""
        self._merchant_id, self._versions, self._plans, self._calendars = (
            merchant_id,
            versions,
            plans,
            calendars,
        )
        self._days: dict[tuple[int, bool, date], date] = {}

    def items(self, rows: list[Record]) -> list[Item]:
        """Return the items of postings; those of one cause are next to each other."""
        returned = {row["cause_id"] for row in rows if row["kind"] == PostingKind.LATE_REFUND_DUE}
        return [self._item(row, bears_fee=row["cause_id"] not in returned) for row in rows]

    def _item(self, row: Record, *, bears_fee: bool) -> Item:
        cause_id, kind, paise, at, _, method, network, card_type, discount_paise = row
        terms = rules.terms_at(self._versions, at)
        day, is_sale = rules.paid_on(at, terms), kind in SALE_KINDS
        key = (terms.terms_no, is_sale, day)
        ready_on = self._days.get(key)
        if ready_on is None:
            find = rules.sale_ready_on if is_sale else rules.other_ready_on
            ready_on = self._days[key] = find(day, terms, self._calendars[terms.centre])
        fee = PaymentFee(0, 0, NO_FEE, 0)
        if is_sale and bears_fee:
            channel = CHANNEL_OF_METHOD[method].code
            facts = FeeFacts(
                channel, network or "", card_type or "", paise, day, discount_paise or 0
            )
            fee = fees.quote(self._plans.on(day), facts)
        net = paise - fee.fee_paise - fee.tax_paise
        return Item(
            self._merchant_id,
            cause_id,
            kind,
            at,
            ready_on,
            paise,
            fee.fee_paise,
            fee.tax_paise,
            net,
            fee.rule,
            fee.plan_no,
            terms.terms_no,
        )


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
    if found := await store.settlement_on(db, merchant_id, day, SettlementKind.DAILY):
        return DayResult(merchant_id, day, DayOutcome.ALREADY, found)
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
    """Which settlement is asked for. at: its moment, UTC. upto: what is ready by then is taken."""

    day: date
    kind: SettlementKind
    at: datetime
    upto: date


async def settle_now(db: Database, merchant_id: int, now: datetime) -> DayResult:
    """Settle at once what a merchant is owed, ready or not, at the price of its terms; once a day.

    Raises Refused: MERCHANT_SUSPENDED, FIELD_INVALID.
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
    conn: Connection, merchant_id: int, asked: SettlementOrder, terms: SettlementTerms
) -> DayResult:
    """Make the settlement, unless it is there or there is nothing to settle."""
    await store.lock_mark(conn, merchant_id)
    day, kind = asked.day, asked.kind
    if found := await store.settlement_on(conn, merchant_id, day, kind):
        return DayResult(merchant_id, day, DayOutcome.ALREADY, found)
    before = await store.last(conn, merchant_id)
    # A month's invoice never changes: what would be charged in that month is for the next day.
    month = rules.business_day(asked.at).replace(day=1)
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
    taken, parts = await store.ready(conn, merchant_id, asked.upto)
    amounts = rules.settle(taken, parts, before, terms, kind)
    if not (taken.items or due or amounts.shares) or (
        kind is SettlementKind.INSTANT and not amounts.shares
    ):
        # At once is paid for: what pays nothing out costs nothing, and takes nothing before its
        # day.
        return DayResult(merchant_id, day, DayOutcome.NOTHING)
    settlement_id = rules.id_of(day, kind)
    until = day + timedelta(days=terms.reserve_days) if amounts.reserve_held_paise else None
    made = NewSettlement(settlement_id, day, kind, asked.at, terms, until, taken, before, amounts)
    shares = [
        (rules.share_id_of(settlement_id, place), name, paise)
        for place, (name, paise) in enumerate(amounts.shares)
    ]
    await store.write(
        conn, merchant_id, made, asked.upto, parts, shares, postings(settlement_id, taken, amounts)
    )
    return DayResult(merchant_id, day, DayOutcome.SETTLED, settlement_id)


def postings(
    settlement_id: int, taken: ItemSums, amounts: Amounts
) -> list[tuple[int, str, str, str, int]]:
    """Return what a settlement posts: cause, kind, debit, credit, paise."""
    kinds, payable = PostingKind, chart.PAYABLE.code
    listed = [
        (
            settlement_id,
            kinds.SETTLEMENT_FEE,
            payable,
            chart.FEE_INCOME.code,
            taken.fee_paise + amounts.price_paise,
        ),
        (
            settlement_id,
            kinds.SETTLEMENT_TAX,
            payable,
            chart.TAX_PAYABLE.code,
            taken.tax_paise + amounts.price_tax_paise,
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


async def set_terms(
    db: Database, merchant_id: int, terms: SettlementTerms, by: Who, now: datetime
) -> SettlementTerms:
    """Agree on new terms from now on, and return them with their number. Raises Refused."""
    rules.check_terms(terms)
    versions = await store.terms_of(db, merchant_id)
    if not versions and await db.fetchval(store.SELECT_STATE, merchant_id) is None:
        raise refuse(RefusalCode.MERCHANT_UNKNOWN, received=str(merchant_id))
    since = max([now, *(each.set_at + timedelta(microseconds=1) for each in versions[-1:])])
    new = replace(terms, terms_no=len(versions) + 1, set_at=since)
    async with db.transaction() as conn:
        if not await store.insert_terms(conn, merchant_id, new):
            allowed = "one change at a time: another was just made"
            raise refuse(RefusalCode.FIELD_INVALID, field="terms", allowed=allowed)
        await record_terms(conn, by, "agree", merchant_id, new.terms_no, now)
    return new


async def record_terms(
    conn: Connection, by: Who, verb: str, merchant_id: int, terms_no: int, now: datetime
) -> None:
    """Record in the merchant's trail which terms there are from now on."""
    said = trail.told(RowKind.TERMS, await store.digest(conn, merchant_id, terms_no))
    await trail.record(conn, merchant_id, by, f"settlement_terms.{verb}", terms_no, now, **said)
