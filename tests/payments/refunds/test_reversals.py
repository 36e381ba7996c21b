"""Refunds that came back after they were done.

Booked once, whoever says it, and refundable again.
"""

import asyncio
from collections import deque
from datetime import datetime, timedelta

import pytest

from hundi.acquirers.port.answers import Approved, BankCallback, Declined, NothingThere, Unknown
from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money
from hundi.kernel.refusals import RefusalCode
from hundi.kernel.states import RefundState
from hundi.money.audit import actions as audit
from hundi.money.chain import actions as chain
from hundi.money.ledger import store as ledger
from hundi.money.settlements import actions as settlements
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds import actions, store
from hundi.payments.refunds.actions import ItemToRefund, RefundOutcome
from hundi.payments.refunds.rules import Refund
from tests.payments.stages import after_all
from tests.shop import NOW, VAULT, Shop, inquire_due, refund_due

PAISE = 149_950
DAYS_LATER = NOW + timedelta(days=4)
CLOSED = Declined("M3", "The account is closed")


async def ask(shop: Shop, view: PaymentView, now: datetime = NOW) -> RefundOutcome:
    (answer,) = await actions.request(
        shop.context, shop.merchant, view.payment.payment_id, [ItemToRefund(100_000)], now
    )
    return answer


async def done(shop: Shop) -> tuple[PaymentView, Refund]:
    """Return a paid order with a refund that is done."""
    view = await shop.order(PAISE)
    assert view.offered is not None
    word = BankCallback("cb-1", view.offered.reference, Approved(Money(PAISE), "632512345678"))
    await answers.handle_callback(shop.context, "sandbox", word, NOW)
    await ask(shop, view)
    await refund_due(shop.context, NOW)
    refund = await the_refund(shop, view)
    assert refund.state is RefundState.DONE
    return view, refund


async def the_refund(shop: Shop, view: PaymentView) -> Refund:
    """Return the first refund of a payment."""
    return (await store.of_payment(shop.db, view.payment.merchant_id, view.payment.payment_id))[0]


async def comes_back(shop: Shop, refund: Refund) -> None:
    """Have the acquirer say that a refund came back."""
    shop.bank.refund_inquiries = deque([CLOSED])
    await actions.ask_now(shop.context, "sandbox", refund.reference, DAYS_LATER)
    await refund_due(shop.context, DAYS_LATER)


async def owed(shop: Shop) -> dict[str, int]:
    """Return the merchant's accounts that are not at nothing."""
    found = await ledger.balances(shop.db, shop.merchant.merchant_id)
    return {each.account: each.paise for each in found if each.paise}


async def holds(db: Database) -> None:
    """Every promise of the books holds."""
    report = await audit.audit(db, [], await after_all(db))
    assert report.holds, [each for each in report.checked if each.count]


async def test_money_that_came_back_is_the_merchants_again_and_can_be_given_back_again(
    shop: Shop,
) -> None:
    view, refund = await done(shop)
    assert await owed(shop) == {"payable": PAISE - 100_000, "receivable:sandbox": PAISE - 100_000}
    await comes_back(shop, refund)
    back = await the_refund(shop, view)
    assert (back.state, back.reversed_at, back.reversed_code) == (
        RefundState.REVERSED,
        DAYS_LATER,
        "M3",
    )
    assert (back.rrn, back.settled_at) == (refund.rrn, refund.settled_at), (
        "what was said when it was done stays"
    )
    assert await owed(shop) == {"payable": PAISE, "receivable:sandbox": PAISE}
    assert await shop.told() == ["paid", "refund_done", "refund_reversed"]
    facts = await shop.db.fetchval("SELECT facts FROM deliveries WHERE kind = 'refund_reversed'")
    assert (facts["refund"]["state"], facts["refund"]["amount_paise"]) == ("reversed", 100_000)
    assert facts["refund"]["bank_message"] == CLOSED.message
    after = (await shop.again(view)).payment
    assert (after.state, after.refunds, after.refunded_paise) == ("paid", 0, 0)
    await holds(shop.db)
    again = await ask(shop, view, DAYS_LATER)
    assert again.refusal is None, "one refund a payment, and this one is none any more"
    await refund_due(shop.context, DAYS_LATER)
    assert (await shop.again(view)).payment.refunded_paise == 100_000
    assert await owed(shop) == {"payable": PAISE - 100_000, "receivable:sandbox": PAISE - 100_000}
    await holds(shop.db)


async def test_the_word_heard_again_changes_nothing(shop: Shop) -> None:
    view, refund = await done(shop)
    await comes_back(shop, refund)
    asked, after = shop.bank.count("inquire_refund"), await the_refund(shop, view)
    for _ in range(3):
        await comes_back(shop, refund)
    word = BankCallback("cb-2", refund.reference, Approved(Money(100_000), "632512349999"))
    await actions.handle_callback(shop.context, "sandbox", word, DAYS_LATER)
    assert shop.bank.count("inquire_refund") == asked, "what came back is not asked about"
    assert await the_refund(shop, view) == after
    assert (await shop.told()).count("refund_reversed") == 1
    await holds(shop.db)


async def test_of_many_who_hear_it_at_once_one_books_it(shop: Shop) -> None:
    view, refund = await done(shop)
    shop.bank.refund_inquiries = deque([CLOSED] * 10)
    await asyncio.gather(*(actions.work_on(shop.context, refund, DAYS_LATER) for _ in range(10)))
    assert (await shop.told()).count("refund_reversed") == 1
    assert (await shop.again(view)).payment.refunded_paise == 0
    assert await owed(shop) == {"payable": PAISE, "receivable:sandbox": PAISE}
    await holds(shop.db)


async def test_a_message_that_says_no_after_a_yes_only_has_it_asked_about(shop: Shop) -> None:
    """It may be an old one: of a refund that is done, the acquirer's own books are asked."""
    view, refund = await done(shop)
    await actions.handle_callback(
        shop.context, "sandbox", BankCallback("cb-2", refund.reference, CLOSED), DAYS_LATER
    )
    assert (await the_refund(shop, view)).state is RefundState.DONE
    shop.bank.refund_inquiries = deque([Approved(Money(100_000), "632512349999")])
    assert await refund_due(shop.context, DAYS_LATER) == 1
    after = await the_refund(shop, view)
    assert (after.state, after.due_at, after.rrn) == (RefundState.DONE, None, refund.rrn)
    assert await shop.told() == ["paid", "refund_done"]
    await holds(shop.db)


@pytest.mark.parametrize("said", [Unknown(), NothingThere()])
async def test_who_says_nothing_clear_is_asked_to_the_end_of_the_schedule(
    shop: Shop, said: Unknown
) -> None:
    view, refund = await done(shop)
    shop.bank.refund_inquiries = deque([said] * 20)
    await actions.ask_now(shop.context, "sandbox", refund.reference, DAYS_LATER)
    for minute in range(10):
        await refund_due(shop.context, DAYS_LATER + timedelta(minutes=minute))
    after = await the_refund(shop, view)
    assert (after.state, after.due_at) == (RefundState.DONE, None)
    assert (shop.bank.count("inquire_refund"), shop.bank.count("refund")) == (3, 1), (
        "and nothing is sent again"
    )
    await holds(shop.db)


async def test_a_worker_that_died_while_it_asked_asks_again(shop: Shop) -> None:
    view, refund = await done(shop)

    def die() -> None:
        raise asyncio.CancelledError

    shop.bank.before_answer = die
    with pytest.raises(asyncio.CancelledError):
        await comes_back(shop, refund)
    assert (await the_refund(shop, view)).state is RefundState.DONE
    shop.bank.before_answer = None
    assert await refund_due(shop.context, DAYS_LATER + actions.LEASE + timedelta(seconds=1)) == 1
    assert (await the_refund(shop, view)).state is RefundState.REVERSED
    assert (await shop.told()).count("refund_reversed") == 1
    await holds(shop.db)


async def test_what_an_order_could_not_keep_is_owed_again_and_tried_a_day_later(shop: Shop) -> None:
    view = await shop.order(PAISE)
    assert view.offered is not None
    shop.bank.inquiries = deque([Approved(Money(PAISE - 1), "632512345678")])
    await inquire_due(shop.context, NOW + timedelta(seconds=10))
    await refund_due(shop.context, NOW)
    first = await the_refund(shop, view)
    assert first.state is RefundState.DONE
    await comes_back(shop, first)
    assert (await owed(shop))["owed_back"] == PAISE - 1
    assert await shop.told() == ["excess_payment", "excess_refunded", "excess_refund_failed"]
    await holds(shop.db)
    day = actions.FAILED_AGAIN_AFTER
    assert await refund_due(shop.context, DAYS_LATER + day - timedelta(seconds=1)) == 0
    assert await refund_due(shop.context, DAYS_LATER + day + timedelta(seconds=1)) == 1
    assert "owed_back" not in await owed(shop)
    assert len(shop.bank.given_back) == 2
    await holds(shop.db)


@pytest.mark.parametrize("sealed_between", [True, False])
async def test_what_was_sealed_of_it_stays_as_it_was(shop: Shop, *, sealed_between: bool) -> None:
    view, refund = await done(shop)
    if sealed_between:
        await chain.seal(shop.db, VAULT, NOW)
    before = await shop.db.fetch(
        "SELECT part, digest FROM chain_links WHERE id = $1", refund.refund_id
    )
    await comes_back(shop, refund)
    await chain.seal(shop.db, VAULT, DAYS_LATER)
    links = {row["part"]: row["digest"] for row in await shop.db.fetch(
        "SELECT part, digest FROM chain_links WHERE id = $1", refund.refund_id
    )}  # fmt: skip
    assert {row["part"]: row["digest"] for row in before}.items() <= links.items()
    assert set(links) == {
        "refund", "refund end", "refund reversal", "refund_begun", "refund_done", "refund_reversed"
    }  # fmt: skip
    await holds(shop.db)
    await shop.db.execute(
        "UPDATE refunds SET reversed_message = 'bent' WHERE refund_id = $1", refund.refund_id
    )
    report = await audit.audit(shop.db, [], await after_all(shop.db))
    assert not report.holds, "a reversal that was changed after it was sealed is found"
    assert (await the_refund(shop, view)).reversed_message == "bent"


async def test_a_settlement_gives_the_merchant_what_came_back(shop: Shop) -> None:
    _, refund = await done(shop)
    await comes_back(shop, refund)
    await settlements.run(shop.db, DAYS_LATER + timedelta(days=10))
    rows = await shop.db.fetch("SELECT kind::text, gross_paise FROM settlement_items ORDER BY kind")
    assert [tuple(row) for row in rows] == [
        ("payment", PAISE), ("refund_begun", -100_000), ("refund_reversed", 100_000)
    ]  # fmt: skip
    await holds(shop.db)


async def test_a_refund_that_failed_is_not_asked_about_again(shop: Shop) -> None:
    view = await shop.order(PAISE)
    assert view.offered is not None
    word = BankCallback("cb-1", view.offered.reference, Approved(Money(PAISE), "632512345678"))
    await answers.handle_callback(shop.context, "sandbox", word, NOW)
    shop.bank.refunds = deque([CLOSED])
    assert (await ask(shop, view)).refusal is None
    await refund_due(shop.context, NOW)
    refund = await the_refund(shop, view)
    await actions.ask_now(shop.context, "sandbox", refund.reference, DAYS_LATER)
    assert await refund_due(shop.context, DAYS_LATER) == 0
    assert (await ask(shop, view)).refusal is None
    refused = await ask(shop, view)
    assert refused.refusal is not None
    assert refused.refusal.code is RefusalCode.REFUND_EXISTS
