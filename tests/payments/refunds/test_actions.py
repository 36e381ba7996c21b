"""Refunds on a real database.

Never more than was captured, never sent twice, and every paisa in the books.
"""

import asyncio
from collections import deque
from datetime import datetime, timedelta

import msgspec
import pytest

from hundi.acquirers.port.answers import Approved, BankCallback, Declined, NothingThere, Unknown
from hundi.acquirers.port.payments import RefundOrder
from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode
from hundi.kernel.states import RefundCause, RefundState
from hundi.merchants.directory import actions as merchants
from hundi.money.audit import actions as audit
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds import actions, store
from hundi.payments.refunds.actions import ItemToRefund, RefundOutcome
from hundi.payments.refunds.rules import SENT_GRACE, Refund, RequestKey
from tests.payments.stages import after_all
from tests.recording import RECORDED
from tests.shop import NOW, Shop, refund_due

PAISE = 149_950
LATER = NOW + timedelta(minutes=5)


async def paid(shop: Shop, *, now: datetime = NOW) -> PaymentView:
    """Return a paid order."""
    view = await shop.order(PAISE, now=now)
    assert view.offered is not None
    word = BankCallback("cb-1", view.offered.reference, Approved(Money(PAISE), "632512345678"))
    await answers.handle_callback(shop.context, "sandbox", word, now)
    return await shop.again(view)


def in_parts(shop: Shop) -> None:
    """Let the merchant refund one payment several times."""
    settings = msgspec.structs.replace(shop.merchant.settings, multiple_partial_refunds=True)
    shop.merchant = replace(shop.merchant, settings=settings)


async def ask(
    shop: Shop, view: PaymentView, paise: int | None = None, key: RequestKey | None = None
) -> RefundOutcome:
    request = ItemToRefund(paise, key)
    (answer,) = await actions.request(
        shop.context, shop.merchant, view.payment.payment_id, [request], NOW
    )
    return answer


async def refunds_of(shop: Shop, view: PaymentView) -> list[Refund]:
    return await store.of_payment(shop.db, view.payment.merchant_id, view.payment.payment_id)


async def holds(db: Database) -> None:
    """Every promise of the books holds."""
    report = await audit.audit(db, [], await after_all(db))
    assert report.holds, [each for each in report.checked if each.count]


async def test_a_refund_is_posted_sent_done_and_told(shop: Shop) -> None:
    view = await paid(shop)
    answer = await ask(shop, view, 50_000)
    assert answer.refusal is None
    await holds(shop.db)
    assert await refund_due(shop.context, NOW) == 1
    (refund,) = await refunds_of(shop, view)
    assert (refund.refund_id, refund.state, refund.rrn) == (
        answer.refund_id,
        RefundState.DONE,
        "632512349999",
    )
    order = shop.bank.given_back[refund.reference]
    assert order == RefundOrder(refund.reference, view.attempts[0].reference, Money(50_000))
    after = await shop.again(view)
    assert (after.payment.refunds, after.payment.refunded_paise, after.payment.state) == (
        1,
        50_000,
        "paid",
    )
    assert await shop.told() == ["paid", "refund_done"]
    facts = await shop.db.fetchval("SELECT facts FROM deliveries WHERE kind = 'refund_done'")
    assert (facts["refund"]["amount_paise"], facts["refunded_paise"], facts["refunds"]) == (
        50_000,
        50_000,
        1,
    )
    assert await refund_due(shop.context, LATER) == 0
    await holds(shop.db)


async def test_without_an_amount_all_that_remains_goes_back(shop: Shop) -> None:
    in_parts(shop)
    view = await paid(shop)
    await ask(shop, view, 49_950)
    await ask(shop, view)
    assert sorted(each.amount.paise for each in await refunds_of(shop, view)) == [49_950, 100_000]
    assert (await ask(shop, view)).refusal is not None
    await holds(shop.db)


@pytest.mark.parametrize(
    ("several", "first", "second", "refused"),
    [
        (False, 100, 100, RefusalCode.REFUND_EXISTS),
        (True, PAISE, 1, RefusalCode.MORE_THAN_REMAINS),
        (True, 100_000, 49_951, RefusalCode.MORE_THAN_REMAINS),
        (True, 100_000, 49_950, None),
        (True, 100, 100, None),
    ],
)
async def test_what_the_second_refund_of_a_payment_may_be(
    shop: Shop, *, several: bool, first: int, second: int, refused: RefusalCode | None
) -> None:
    if several:
        in_parts(shop)
    view = await paid(shop)
    begun = await ask(shop, view, first)
    answer = await ask(shop, view, second)
    assert (answer.refusal.code if answer.refusal else None) is refused
    if refused:
        assert answer.refund_id == begun.refund_id
    await holds(shop.db)


async def test_what_is_not_paid_or_not_ours_is_refused(shop: Shop) -> None:
    unpaid = await shop.order()
    for payment_id, code in (
        (unpaid.payment.payment_id, RefusalCode.STATE_FORBIDS),
        (1, RefusalCode.NO_RECORDS),
    ):
        (answer,) = await actions.request(
            shop.context, shop.merchant, payment_id, [ItemToRefund()], NOW
        )
        assert answer.refusal is not None
        assert (answer.refusal.code, answer.refund_id) == (code, 0)


async def test_fifty_partial_refunds_at_once_never_exceed_what_was_captured(shop: Shop) -> None:
    in_parts(shop)
    view = await paid(shop)
    answers = await asyncio.gather(*(ask(shop, view, 10_000) for _ in range(50)))
    assert sum(each.refusal is None for each in answers) == 14
    assert {each.refusal.code for each in answers if each.refusal} == {
        RefusalCode.MORE_THAN_REMAINS
    }
    await refund_due(shop.context, NOW)
    assert sum(order.amount.paise for order in shop.bank.given_back.values()) == 140_000
    assert (await shop.again(view)).payment.refunded_paise == 140_000
    await holds(shop.db)


async def test_the_same_request_again_gives_back_once(shop: Shop) -> None:
    in_parts(shop)
    view = await paid(shop)
    key = RequestKey("R-1", 0, bytes(32))
    answers = await asyncio.gather(*(ask(shop, view, 10_000, key) for _ in range(10)))
    assert len({each.refund_id for each in answers}) == 1
    assert len(await refunds_of(shop, view)) == 1
    assert (await ask(shop, view, 10_000, RequestKey("R-1", 1, bytes(32)))).refund_id != answers[
        0
    ].refund_id
    other = await ask(shop, view, 10_000, RequestKey("R-1", 0, b"x" * 32))
    assert other.refusal is not None
    assert other.refusal.code is RefusalCode.REQUEST_ID_REUSED


async def test_a_refused_item_is_refused_again_alike(shop: Shop) -> None:
    view = await paid(shop)
    key = RequestKey("R-2", 0, bytes(32))
    first = await ask(shop, view, PAISE + 1, key)
    assert first.refusal is not None
    again = await ask(shop, view, PAISE + 1, key)
    assert again.refusal is not None
    assert again.refusal.code is first.refusal.code is RefusalCode.MORE_THAN_REMAINS


async def test_a_refund_the_bank_refuses_gives_the_amount_free_again(shop: Shop) -> None:
    view = await paid(shop)
    shop.bank.refunds = deque([Declined("57", "Not permitted")])
    await ask(shop, view, PAISE)
    await refund_due(shop.context, NOW)
    (refund,) = await refunds_of(shop, view)
    assert (refund.state, refund.bank_code) == (RefundState.FAILED, "57")
    after = await shop.again(view)
    assert (after.payment.refunds, after.payment.refunded_paise) == (0, 0)
    assert await shop.told() == ["paid", "refund_failed"]
    await holds(shop.db)
    assert (await ask(shop, view, PAISE)).refusal is None
    await holds(shop.db)


async def test_a_silent_bank_is_asked_and_the_refund_never_sent_twice(shop: Shop) -> None:
    view = await paid(shop)
    shop.bank.refunds = deque([Unknown()])
    shop.bank.refund_inquiries = deque([Unknown(), Approved(Money(PAISE), "632512340000")])
    await ask(shop, view)
    for minute in range(4):
        await refund_due(shop.context, NOW + timedelta(minutes=minute))
    assert (shop.bank.count("refund"), shop.bank.count("inquire_refund")) == (1, 2)
    (refund,) = await refunds_of(shop, view)
    assert (refund.state, refund.rrn) == (RefundState.DONE, "632512340000")
    await holds(shop.db)


async def test_what_the_bank_never_had_is_sent_again_under_the_same_key(shop: Shop) -> None:
    view = await paid(shop)
    shop.bank.refunds = deque([Unknown()])
    await ask(shop, view)
    await refund_due(shop.context, NOW)
    await refund_due(shop.context, NOW + timedelta(seconds=20))
    assert shop.bank.count("refund") == 1, "the call may still be on its way"
    await refund_due(shop.context, NOW + SENT_GRACE + timedelta(seconds=60))
    keys = {reference for verb, reference in shop.bank.calls if verb == "refund"}
    assert (shop.bank.count("refund"), len(keys)) == (2, 1)
    (refund,) = await refunds_of(shop, view)
    assert refund.state is RefundState.DONE
    await holds(shop.db)


async def test_a_question_that_never_left_says_nothing_about_the_refund(shop: Shop) -> None:
    view = await paid(shop)
    shop.bank.refunds = deque([Unknown()])
    shop.bank.refund_inquiries = deque([Unknown(sent=False)])
    await ask(shop, view)
    for minute in range(30):
        await refund_due(shop.context, NOW + timedelta(minutes=minute))
    (refund,) = await refunds_of(shop, view)
    assert (refund.state, refund.inquiries, shop.bank.count("refund")) == (
        RefundState.UNKNOWN,
        1,
        1,
    )
    shop.bank.refund_inquiries = deque([Approved(Money(PAISE), "632512340000")])
    await refund_due(shop.context, NOW + timedelta(hours=1))
    assert ((await refunds_of(shop, view))[0].state, shop.bank.count("refund")) == (
        RefundState.DONE,
        1,
    )
    await holds(shop.db)


async def test_a_worker_that_died_after_the_call_left_asks_before_anything_else(shop: Shop) -> None:
    view = await paid(shop)
    await ask(shop, view)

    def die() -> None:
        raise asyncio.CancelledError

    shop.bank.before_answer = die
    with pytest.raises(asyncio.CancelledError):
        await refund_due(shop.context, NOW)
    (refund,) = await refunds_of(shop, view)
    assert refund.state is RefundState.SENT
    shop.bank.before_answer = None
    shop.bank.refund_inquiries = deque([Approved(Money(PAISE), "632512340001")])
    assert await refund_due(shop.context, NOW + timedelta(seconds=10)) == 0, "the lease is not over"
    assert await refund_due(shop.context, NOW + timedelta(minutes=2)) == 1
    assert shop.bank.count("refund") == 1
    await holds(shop.db)


async def test_the_banks_word_and_the_answer_at_once_end_a_refund_once(shop: Shop) -> None:
    view = await paid(shop)
    answer = await ask(shop, view, 700)
    shop.bank.refunds = deque([Unknown()])
    await refund_due(shop.context, NOW)
    (refund,) = await refunds_of(shop, view)
    word = BankCallback("cb-9", refund.reference, Approved(Money(700), "632512340002"))
    await asyncio.gather(
        *(actions.handle_callback(shop.context, "sandbox", word, NOW) for _ in range(10))
    )
    assert (await shop.told()).count("refund_done") == 1
    assert (await refunds_of(shop, view))[0].refund_id == answer.refund_id
    await holds(shop.db)


async def test_another_amount_than_was_asked_for_settles_nothing(shop: Shop) -> None:
    view = await paid(shop)
    shop.bank.refunds = deque([Approved(Money(1), "632512340003")])
    await ask(shop, view, 700)
    await refund_due(shop.context, NOW)
    (refund,) = await refunds_of(shop, view)
    assert refund.state is RefundState.UNKNOWN
    assert "1 INR" in refund.bank_message
    await holds(shop.db)


async def test_an_excess_payment_goes_back_by_itself_and_once(shop: Shop) -> None:
    view = await shop.order(PAISE)
    assert view.offered is not None
    wrong = BankCallback("cb-1", view.offered.reference, Approved(Money(PAISE - 1), "632512345678"))
    shop.bank.inquiries = deque([wrong.answer])
    await answers.handle_callback(shop.context, "sandbox", wrong, NOW)
    await answers.inquire(shop.context, shop.merchant, replace(view.offered), NOW)
    assert await shop.postings() == [("overpaid", "owed_back", PAISE - 1)]
    for minute in range(3):
        await asyncio.gather(
            *(refund_due(shop.context, NOW + timedelta(minutes=minute)) for _ in range(3))
        )
    (refund,) = await refunds_of(shop, view)
    assert (refund.cause, refund.amount.paise, refund.state) == (
        RefundCause.OVERPAID,
        PAISE - 1,
        RefundState.DONE,
    )
    assert (await shop.again(view)).payment.refunded_paise == 0
    assert len(shop.bank.given_back) == 1
    await holds(shop.db)


async def test_what_is_owed_back_and_was_refused_is_tried_daily_a_few_times(shop: Shop) -> None:
    view = await shop.order(PAISE)
    assert view.offered is not None
    shop.bank.inquiries = deque([Approved(Money(PAISE - 1), "632512345678")])
    await answers.inquire(shop.context, shop.merchant, view.offered, NOW)
    shop.bank.refunds = deque([Declined("91", "Issuer down")] * 20)
    day = actions.FAILED_AGAIN_AFTER
    await refund_due(shop.context, NOW)
    await refund_due(shop.context, NOW + day - timedelta(seconds=1))
    assert shop.bank.count("refund") == 1
    for number in range(1, 12):
        await refund_due(shop.context, NOW + number * day + timedelta(seconds=number))
    assert shop.bank.count("refund") == actions.FAILED_TRIES_MAX
    assert {each.state for each in await refunds_of(shop, view)} == {RefundState.FAILED}
    await holds(shop.db)


async def test_a_late_payment_goes_back_by_itself_when_the_merchant_keeps_none(shop: Shop) -> None:
    await _keeps_no_late_payments(shop)
    view = await shop.order(PAISE)
    attempt = view.offered
    assert attempt is not None
    shop.bank.inquiries = deque([NothingThere()])
    await answers.inquire(shop.context, shop.merchant, attempt, NOW + timedelta(hours=1))
    word = BankCallback("cb-2", attempt.reference, Approved(Money(PAISE), "632512345678"))
    await answers.handle_callback(shop.context, "sandbox", word, NOW + timedelta(hours=1))
    assert ("late_refund_due", "owed_back", PAISE) in await shop.postings()
    refused = (await ask(shop, view, 100)).refusal
    assert refused is not None, "all of it goes back already"
    assert (refused.code, refused.received) == (RefusalCode.STATE_FORBIDS, "paid too late")
    await refund_due(shop.context, NOW + timedelta(hours=2))
    (refund,) = await refunds_of(shop, view)
    assert (refund.cause, refund.state) == (RefundCause.LATE, RefundState.DONE)
    assert (await shop.again(view)).payment.refunded_paise == PAISE
    assert (await ask(shop, view)).refusal is not None
    await holds(shop.db)


async def test_a_late_payment_whose_refund_failed_is_still_the_gateways_to_give_back(
    shop: Shop,
) -> None:
    await _keeps_no_late_payments(shop)
    view = await shop.order(PAISE)
    attempt = view.offered
    assert attempt is not None
    shop.bank.inquiries = deque([NothingThere()])
    await answers.inquire(shop.context, shop.merchant, attempt, NOW + timedelta(hours=1))
    word = BankCallback("cb-3", attempt.reference, Approved(Money(PAISE), "632512345678"))
    await answers.handle_callback(shop.context, "sandbox", word, NOW + timedelta(hours=1))
    shop.bank.refunds = deque([Declined("91", "Issuer down")])
    await refund_due(shop.context, NOW + timedelta(hours=2))
    assert (await ask(shop, view)).refusal is not None, (
        "it would be taken from the merchant a second time"
    )
    await refund_due(shop.context, NOW + timedelta(hours=3) + actions.FAILED_AGAIN_AFTER)
    assert [each.state for each in await refunds_of(shop, view)] == [
        RefundState.FAILED,
        RefundState.DONE,
    ]
    assert (await shop.again(view)).payment.refunded_paise == PAISE
    await holds(shop.db)


async def _keeps_no_late_payments(shop: Shop) -> None:
    await merchants.change_settings(
        shop.db,
        shop.merchant.merchant_id,
        lambda kept: msgspec.structs.replace(kept, late_success="refund"),
        NOW,
        RECORDED,
    )
    shop.context = replace(shop.context, directory=shop.fresh_directory())
