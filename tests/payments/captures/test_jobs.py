"""The loop over completions on a real database.

A silent bank, a worker that hangs, and several workers at once.
"""

import asyncio
from collections import deque
from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import Approved, Unknown
from hundi.infra.background.due_rows import NOT_SENT_GAP, DueQuery
from hundi.kernel.money import Money
from hundi.kernel.states import Actor, CompletionKind, CompletionState, PaymentKind
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.captures import store
from hundi.payments.captures.actions import DUE_CHANNEL, LEASE, CompletionRequest, complete
from hundi.payments.captures.jobs import completions
from hundi.payments.methods.card import actions as cards
from hundi.payments.orders.rules import PaymentView
from tests.shop import CARD, NOW, Shop
from tests.wakeups import woken

PAISE = 149_950
DUE = NOW + timedelta(seconds=5)
COLLECTED = Approved(Money(PAISE), "632512347777")


async def captured_silently(shop: Shop) -> PaymentView:
    """Return an order whose capture the bank did not answer."""
    view = await shop.order(PAISE, kind=PaymentKind.AUTHORISE)
    await cards.pay(await shop.case(view.payment.payment_id), CARD, lambda each: f"http://g/{each}")
    view = await shop.again(view)
    await authentication.finish_card(shop.context, shop.merchant, view.attempts[-1].attempt_id, NOW)
    shop.bank.completions = deque([Unknown()])
    request = CompletionRequest(CompletionKind.CAPTURE, Actor.MERCHANT)
    await complete(shop.context, shop.merchant, view.payment.payment_id, request, NOW)
    return await shop.again(view)


async def states(shop: Shop, views: list[PaymentView]) -> list[str]:
    return [(await shop.again(each)).payment.state for each in views]


async def test_one_silent_bank_does_not_hold_up_other_completions(shop: Shop) -> None:
    views = [await captured_silently(shop) for _ in range(4)]
    shop.bank.inquiries = deque([COLLECTED])
    shop.bank.silent = {views[0].attempts[-1].reference}
    stop = asyncio.Event()
    running = asyncio.create_task(completions(shop.context, clock=lambda: DUE).forever(stop))
    async with asyncio.timeout(60):
        while await states(shop, views) != ["authorised", "captured", "captured", "captured"]:
            await asyncio.sleep(0.01)
    late = await captured_silently(shop)
    async with asyncio.timeout(60):
        while await states(shop, [late]) != ["captured"]:
            await asyncio.sleep(0.01)
    assert await states(shop, views[:1]) == ["authorised"]
    stop.set()
    shop.bank.speaks.set()
    await asyncio.wait_for(running, 10)
    assert await states(shop, views[:1]) == ["captured"], (
        "told to stop, it finishes what is under way"
    )


async def test_when_the_lease_of_a_worker_that_hangs_ends_another_takes_over(shop: Shop) -> None:
    view = await captured_silently(shop)
    shop.bank.inquiries = deque([COLLECTED])
    shop.bank.silent = {view.attempts[-1].reference}
    hanging = asyncio.create_task(completions(shop.context).once(DUE))
    async with asyncio.timeout(60):
        while not shop.bank.count("inquire"):
            await asyncio.sleep(0.01)
    shop.bank.silent = set()
    assert await completions(shop.context).once(DUE + LEASE - timedelta(seconds=1)) == 0
    assert await completions(shop.context).once(DUE + LEASE) == 1
    assert await states(shop, [view]) == ["captured"]
    shop.bank.speaks.set()
    assert await hanging == 1
    assert await shop.postings() == [("capture", "payable", PAISE)], "heard twice, posted once"
    assert await shop.told() == ["authorised", "captured"]


async def test_a_question_that_was_never_sent_is_given_back_and_counts_for_nothing(
    shop: Shop,
) -> None:
    view = await captured_silently(shop)
    shop.bank.inquiries = deque([Unknown(sent=False)])
    for turn in range(5):
        assert await completions(shop.context).once(DUE + turn * NOT_SENT_GAP) == 1
    (kept,) = await store.of_payment(shop.db, view.payment.merchant_id, view.payment.payment_id)
    assert (kept.state, kept.inquiries, kept.due_at) == (
        CompletionState.UNKNOWN,
        0,
        DUE + 5 * NOT_SENT_GAP,
    )


@pytest.mark.parametrize("workers", [2, 6])
async def test_of_several_workers_one_claims_each_completion(shop: Shop, workers: int) -> None:
    views = [await captured_silently(shop) for _ in range(5)]
    shop.bank.inquiries = deque([COLLECTED])
    counts = await asyncio.gather(*(completions(shop.context).once(DUE) for _ in range(workers)))
    assert (sum(counts), shop.bank.count("inquire")) == (5, 5)
    assert await states(shop, views) == ["captured"] * 5


async def test_a_capture_that_the_bank_left_open_wakes_the_workers(shop: Shop) -> None:
    async with woken(shop.db, DUE_CHANNEL):
        await captured_silently(shop)


async def test_a_look_tells_when_the_next_one_is_due(shop: Shop) -> None:
    view = await captured_silently(shop)
    (kept,) = await store.of_payment(shop.db, view.payment.merchant_id, view.payment.payment_id)
    assert kept.due_at is not None
    (soon,) = await store.due(shop.db, DueQuery(NOW, kept.due_at, [], 10))
    assert (soon.key, soon.at) == (kept.completion_id, kept.due_at)


async def test_a_claim_names_its_merchant(shop: Shop) -> None:
    view = await captured_silently(shop)
    (due,) = await store.due(shop.db, DueQuery(DUE, DUE, [], 10))
    assert (due.merchant_id, due.peer) == (view.payment.merchant_id, shop.bank.name)
    assert await store.due(shop.db, DueQuery(DUE, DUE, [shop.bank.name], 10)) == []
    assert await store.claim(shop.db, due.merchant_id + 1, [due.key], DUE, DUE + LEASE) == []
    (claimed,) = await store.claim(shop.db, due.merchant_id, [due.key], DUE, DUE + LEASE)
    assert (claimed.completion_id, claimed.due_at, claimed.inquiries) == (due.key, DUE + LEASE, 1)
    assert await store.claim(shop.db, due.merchant_id, [due.key], DUE, DUE + LEASE) == [], (
        "its lease is not over"
    )
