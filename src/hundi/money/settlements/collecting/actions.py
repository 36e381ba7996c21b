"""Makes an item of each posting, with its cost and the day it is ready."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import structlog
from asyncpg import Record

from hundi.infra.postgres.database import Database
from hundi.instruments.methods import CHANNEL_OF_METHOD
from hundi.money.calendar.rules import Calendar
from hundi.money.fees import rules as fees
from hundi.money.fees.rules import FeeFacts, PaymentFee, Plans
from hundi.money.fees.store import plans_of
from hundi.money.ledger.rules import PostingKind
from hundi.money.settlements import rules, store
from hundi.money.settlements.rules import SALE_KINDS, SettlementTerms
from hundi.money.settlements.store import Item

if TYPE_CHECKING:
    from datetime import date

_log = structlog.get_logger(__name__)
CHUNK = 20_000
"""Postings that one transaction collects."""

NO_FEE = "none"
"""The rule of an item without a fee: not a payment, or one whose money went back at once."""

CalendarOf = Callable[[str], Awaitable[Calendar]]


async def collect(db: Database, merchant_id: int, calendar: CalendarOf) -> int:
    """Make an item of each posting without one, and return how many were made.

    Each chunk has its own transaction.
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
        async with db.transaction_of(merchant_id) as conn:
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
    """The costs and days of a merchant's postings, by its terms, plans and calendars."""

    def __init__(
        self,
        merchant_id: int,
        versions: tuple[SettlementTerms, ...],
        plans: Plans,
        calendars: dict[str, Calendar],
    ) -> None:
        """Store the terms, plans and calendars, and start an empty cache of days."""
        self._merchant_id, self._versions, self._plans, self._calendars = (
            merchant_id,
            versions,
            plans,
            calendars,
        )
        self._days: dict[tuple[int, bool, date], date] = {}

    def items(self, rows: list[Record]) -> list[Item]:
        """Return the items of postings; those of one cause must follow each other."""
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
