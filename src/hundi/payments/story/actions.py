"""Tell the story of one payment: the same for the console and for `hundi payment show`."""

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from asyncpg import Record
from msgspec import convert

from hundi.infra.postgres.database import Database, Queries
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money
from hundi.money.fees import store as fees
from hundi.money.fees.rules import CHARGED, FeeFacts, PaymentFee, facts_of, quote
from hundi.money.ledger import store as ledger
from hundi.money.settlements.finding import store as settlements
from hundi.notifications.rules import DeliveryKey, DeliveryOutcome, DeliveryState, DeliveryTry
from hundi.payments.archive import store as archive
from hundi.payments.captures import store as captures
from hundi.payments.disputes import store as disputes
from hundi.payments.orders import store as orders
from hundi.payments.orders.rules import Attempt, PaymentView
from hundi.payments.refunds import store as refunds
from hundi.payments.reviews import store as reviews
from hundi.payments.risk import store as risk
from hundi.payments.risk.rules import RiskRecord
from hundi.payments.story import store
from hundi.payments.story.rules import (
    Blocked,
    PaidOut,
    ReviewDecision,
    SaleCost,
    Story,
    StoryEvent,
    StoryNotification,
    StoryPosting,
)

Rows = Callable[[Queries, int, int], Coroutine[Any, Any, list[Record]]]


async def story_of(db: Database, view: PaymentView) -> Story:
    """Return all that is known of a payment, archived or not."""
    whose = view.payment.merchant_id, view.payment.payment_id
    events, postings = await orders.select_events(db, *whose), list[StoryPosting]()
    given_back = await refunds.of_payment(db, *whose)
    disputed = await disputes.of_payment(db, *whose)
    completions = await captures.of_payment(db, *whose)
    causes = [
        *(each.attempt_id for each in view.attempts),
        *(each.refund_id for each in given_back),
        *(each.stage_id for each in disputed),
    ]
    if events:
        notifications = await _notifications(db, whose, store.deliveries, store.tries)
        postings = [
            StoryPosting(each.cause_id, each.kind, each.debit, each.credit, each.amount, each.at)
            for each in await ledger.postings_of(db, whose[0], causes)
        ]
    else:
        events = await archive.select_events(db, *whose)
        notifications = await _notifications(
            db, whose, archive.select_deliveries, archive.select_tries
        )
        completions = await captures.archived(db, *whose)
        postings = [
            StoryPosting(
                row["cause_id"],
                row["kind"],
                row["debit"],
                row["credit"],
                Money(row["amount_paise"], row["currency"]),
                row["at"],
            )
            for row in await archive.select_postings(db, *whose)
        ]
    return Story(
        view,
        await _charges(db, view, postings),
        completions,
        given_back,
        disputed,
        [
            Blocked(row["at"], row["method"], convert(row["risk"], RiskRecord))
            for row in await risk.select_blocks(db, *whose)
        ],
        [ReviewDecision(**row) for row in await reviews.select_decisions(db, *whose)],
        [StoryEvent(**row) for row in events],
        postings,
        notifications,
        [PaidOut(**row) for row in await store.paid_out(db, whose[0], causes)],
    )


async def notifications_of(db: Queries, whose: tuple[int, int]) -> list[StoryNotification]:
    """Return the notifications about a payment, archived or not. whose: merchant and payment."""
    notifications = await _notifications(db, whose, store.deliveries, store.tries)
    return notifications or await _notifications(
        db, whose, archive.select_deliveries, archive.select_tries
    )


async def _notifications(
    db: Queries, whose: tuple[int, int], deliveries: Rows, tries: Rows
) -> list[StoryNotification]:
    by_delivery = {
        number: tuple(
            DeliveryTry(
                row["attempt_no"],
                row["at"],
                DeliveryOutcome(
                    row["url"], row["status"], row["latency_ms"], row["answer"], row["problem"]
                ),
            )
            for row in rows
        )
        for number, rows in groupby(await tries(db, *whose), lambda row: row["event_no"])
    }
    return [
        StoryNotification(
            DeliveryKey(*whose, row["event_no"]),
            row["kind"],
            DeliveryState(row["state"]),
            row["created_at"],
            row["due_at"],
            row["facts"],
            by_delivery.get(row["event_no"], ()),
        )
        for row in await deliveries(db, *whose)
    ]


async def _charges(
    db: Queries, view: PaymentView, postings: Sequence[StoryPosting]
) -> list[SaleCost]:
    """Return what each sale costs: as it was settled, or as it would be now."""
    merchant_id, attempts = (
        view.payment.merchant_id,
        {each.attempt_id: each for each in view.attempts},
    )
    plans = await fees.plans_of(db, merchant_id)
    settled = await settlements.costs_of(db, merchant_id, list(attempts), CHARGED)
    sales = [
        SaleCost(
            PaymentFee(item["fee_paise"], item["tax_paise"], item["rule"], item["plan_no"]),
            item["gross_paise"],
            _facts(attempts[item["cause_id"]], item["gross_paise"], item["at"]),
            plans.numbered(item["plan_no"]),
            item["ready_on"],
            item["settlement_id"] or 0,
        )
        for item in settled
    ]
    has_item = {item["cause_id"] for item in settled}
    for sale in postings:
        if sale.kind in CHARGED and sale.cause_id not in has_item:
            facts = _facts(attempts[sale.cause_id], sale.amount.paise, sale.at)
            plan = plans.on(facts.day)
            sales.append(SaleCost(quote(plan, facts), sale.amount.paise, facts, plan))
    return sales


def _facts(attempt: Attempt, paise: int, at: datetime) -> FeeFacts:
    facts = {"scheme": attempt.card.scheme, "type": attempt.card.type}
    return facts_of(attempt.method, facts, paise, business_day(at), attempt.emi.discount_paise)
