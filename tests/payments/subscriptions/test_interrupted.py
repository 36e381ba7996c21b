"""A mandate is approved and each period debited once, whichever call is interrupted."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from itertools import count

from hundi.acquirers.port.answers import Approved, BankCallback, Declined
from hundi.infra.postgres.database import Database
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, DebitState
from hundi.money.audit import actions as audit
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.orders.finding import store as finding
from hundi.payments.orders.rules import PaymentView
from hundi.payments.subscriptions import actions, store
from hundi.payments.subscriptions.debits import jobs as debit_jobs
from hundi.payments.subscriptions.jobs import LEASE
from tests.payments.interrupted import Start, Step, shop_on, whichever_call_is_interrupted
from tests.payments.subscriptions.conftest import TERMS, Approve, Plan, ordered
from tests.payments.subscriptions.days import DEBIT_DAY, NOTICE_AT
from tests.shop import NOW, Shop

ONCE = replace(TERMS, debits_max=1)


def beginning(shop: Shop) -> Callable[[], Awaitable[tuple[list[Step], str]]]:
    """Return what begins a subscription: registered, approved and activated."""
    numbers = count(1)

    async def begin() -> tuple[list[Step], str]:
        order_id = f"PLAN-{next(numbers)}"

        async def registers(db: Database) -> None:
            await ordered(shop_on(shop, db), ONCE, order_id)

        async def approves(db: Database) -> None:
            qr = (await order(shop, order_id)).attempts[0]
            approved = Approved(qr.amount, "632512340000", payer_vpa="asha@hundi")
            word = BankCallback("cb-1", qr.reference, approved)
            await answers.handle_callback(shop_on(shop, db).context, "sandbox", word, NOW)

        return [registers, approves, worked(shop, order_id, NOW)], order_id

    return begin


def worked(shop: Shop, order_id: str, at: datetime) -> Step:
    """Return the work of a worker at a time, and when the lease of a killed one is over."""

    async def works(db: Database) -> None:
        plan = Plan(shop_on(shop, db), (await order(shop, order_id)).payment.payment_id, at)
        for after in (timedelta(), LEASE):
            await plan.work(at + after)

    return works


async def order(shop: Shop, order_id: str) -> PaymentView:
    merchant_id = shop.merchant.merchant_id
    view = await finding.select_by_references(shop.db, merchant_id, order_id, None, None)
    assert view is not None
    return view


async def told(shop: Shop, order_id: str) -> list[str]:
    rows = await shop.db.fetch(
        "SELECT kind FROM deliveries WHERE payment_id = $1 ORDER BY event_no",
        (await order(shop, order_id)).payment.payment_id,
    )
    return [row["kind"] for row in rows]


async def test_a_debit(shop: Shop) -> None:
    start = beginning(shop)

    async def begin() -> Start:
        steps, order_id = await start()
        shop.bank.debited.clear()

        async def end() -> object:
            plan = Plan(shop, (await order(shop, order_id)).payment.payment_id, NOW)
            (debit,) = await plan.debits()
            assert debit.payment_id is not None
            paid = await plan.order(1)
            return (
                (await plan.view()).subscription.state,
                (debit.state, debit.tries, len(shop.bank.debited)),
                (paid.payment.captured_paise, [each.state for each in paid.attempts]),
                await told(shop, order_id),
            )

        days = (NOTICE_AT, DEBIT_DAY)
        return [*steps, *(worked(shop, order_id, day) for day in days)], end

    assert await whichever_call_is_interrupted(shop.db, begin) == (
        "completed",
        (DebitState.DONE, 1, 1),
        (TERMS.amount.paise, ["paid"]),
        ["mandate_approved", "debit_announced", "mandate_completed"],
    )
    assert (await audit.audit(shop.db, [], DEBIT_DAY + timedelta(days=1))).holds


async def test_a_cancellation_that_drops_an_announced_debit(shop: Shop) -> None:
    start = beginning(shop)

    async def begin() -> Start:
        steps, order_id = await start()
        for step in [*steps, worked(shop, order_id, NOTICE_AT)]:
            await step(shop.db)

        async def cancels(db: Database) -> None:
            view = await order(shop, order_id)
            key = view.payment.merchant_id, view.payment.payment_id
            at = NOTICE_AT + timedelta(hours=1)
            await actions.cancel(shop_on(shop, db).db, *key, Actor.MERCHANT, at)

        async def end() -> object:
            plan = Plan(shop, (await order(shop, order_id)).payment.payment_id, NOW)
            subscription = (await plan.view()).subscription
            ended = ("end_mandate", subscription.mandate_reference) in shop.bank.calls
            return await plan.states(), subscription.state, ended, await told(shop, order_id)

        return [cancels, worked(shop, order_id, DEBIT_DAY)], end

    assert await whichever_call_is_interrupted(shop.db, begin) == (
        [DebitState.SKIPPED],
        "cancelled",
        True,
        ["mandate_approved", "debit_announced", "mandate_cancelled", "debit_skipped"],
    )
    assert (await audit.audit(shop.db, [], DEBIT_DAY + timedelta(days=1))).holds


async def test_a_worker_that_stood_still_does_not_try_again_before_its_time(
    shop: Shop, approve: Approve
) -> None:
    """Its lease was over, another worker tried, and the debit waits for the next day."""
    plan = await approve(debits_max=1)
    await plan.work(NOTICE_AT)
    shop.bank.debits.extend([Declined("51")] * 3)
    await plan.work(DEBIT_DAY)
    debit = (await plan.debits())[0]
    again_at = debit.due_at
    assert again_at is not None
    key = (debit.merchant_id, [debit.debit_id])
    (claimed,) = await store.claim_debits(shop.db, *key, again_at, again_at + LEASE)
    await plan.work(again_at + LEASE)
    assert shop.bank.count("debit_mandate") == 2
    await debit_jobs.debits(shop.context)._work.act(claimed, again_at + LEASE)  # noqa: SLF001 (what the loop does with a claimed row)
    assert shop.bank.count("debit_mandate") == 2
    assert await plan.states() == [DebitState.RETRYING]
