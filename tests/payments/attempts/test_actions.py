"""Attempts on a real database.

Every word of the bank is written once, whoever brings it and however many at a time.
"""

import asyncio
from datetime import datetime, timedelta

import pytest

from hundi.acquirers.port.answers import Approved, BankCallback, Declined, Redirect, Unknown
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.kernel.states import Actor, AttemptState, EventKind, PaymentState
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.attempts.inquiries import actions as asking
from hundi.payments.methods.card import actions as cards
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders import actions as payments
from hundi.payments.orders.actions import FOLLOWED_CHANNEL, PaymentCase, new_attempt
from hundi.payments.orders.rules import Attempt, PaymentView, Step
from tests.shop import CARD, NOW, Shop, close_due, inquire_due
from tests.wakeups import woken


def first(view: PaymentView) -> Attempt:
    """Return the QR that was offered at once."""
    assert view.offered is not None
    return view.offered


def paid_word(attempt: Attempt, paise: int | None = None) -> BankCallback:
    """Return the bank's yes about an attempt."""
    answer = Approved(
        Money(paise or attempt.amount.paise), "632512345678", payer_vpa="success@hundi"
    )
    return BankCallback("cb-1", attempt.reference, answer)


async def by_card(shop: Shop, view: PaymentView, now: datetime = NOW) -> Attempt:
    """Bring a card to its challenge."""
    sent = await cards.pay(
        await shop.case(view.payment.payment_id, now), CARD, lambda i: f"http://us/{i}"
    )
    assert isinstance(sent, Redirect)
    challenged = (await shop.again(view)).latest
    assert challenged is not None
    assert challenged.state is AttemptState.AUTHENTICATING
    return challenged


async def test_a_scanned_qr_pays_posts_and_tells(shop: Shop) -> None:
    view = await shop.order()
    await answers.handle_callback(shop.context, "sandbox", paid_word(first(view)), NOW)
    after = await shop.again(view)
    assert (after.payment.state, after.payment.method, after.payment.captured_paise) == (
        PaymentState.PAID,
        "upi",
        149_950,
    )
    assert await shop.postings() == [("payment", "payable", 149_950)]
    assert await shop.told() == ["paid"]


async def test_the_same_callback_thirty_times_at_once_is_one_payment(shop: Shop) -> None:
    view = await shop.order()
    word = paid_word(first(view))
    await asyncio.gather(
        *(answers.handle_callback(shop.context, "sandbox", word, NOW) for _ in range(30))
    )
    assert await shop.postings() == [("payment", "payable", 149_950)]
    assert await shop.told() == ["paid"]
    assert (await shop.again(view)).payment.revision == 2


async def test_a_callback_with_another_amount_only_asks_the_bank(shop: Shop) -> None:
    view = await shop.order()
    await answers.handle_callback(shop.context, "sandbox", paid_word(first(view), 100), NOW)
    assert (await shop.again(view)).payment.state is PaymentState.OPEN
    assert await shop.postings() == []
    assert await inquire_due(shop.context, NOW) == 1
    assert shop.bank.count("inquire") == 1


async def test_money_of_another_amount_is_owed_back_once_the_bank_confirms_it(shop: Shop) -> None:
    view = await shop.order()
    shop.bank.inquiries.appendleft(Approved(Money(100), "632512345678"))
    await answers.handle_callback(shop.context, "sandbox", paid_word(first(view), 100), NOW)
    async with woken(shop.db, FOLLOWED_CHANNEL):
        await inquire_due(shop.context, NOW)
    assert (await shop.again(view)).payment.state is PaymentState.OPEN
    assert await shop.postings() == [("overpaid", "owed_back", 100)]


async def test_two_methods_both_paid_at_the_same_instant_is_one_success_and_one_excess(
    shop: Shop,
) -> None:
    view = await shop.order()
    qr, card = first(view), await by_card(shop, view)
    await asyncio.gather(
        answers.handle_callback(shop.context, "sandbox", paid_word(qr), NOW),
        authentication.finish_card(shop.context, shop.merchant, card.attempt_id, NOW),
    )
    after = await shop.again(view)
    states = sorted(each.state for each in after.attempts)
    if shop.bank.count("authorise"):
        assert states == [AttemptState.OVERPAID, AttemptState.PAID]
        assert sorted(await shop.postings()) == [
            ("overpaid", "owed_back", 149_950),
            ("payment", "payable", 149_950),
        ]
    else:
        assert AttemptState.PAID in states
        assert await shop.postings() == [("payment", "payable", 149_950)]
    assert after.payment.state is PaymentState.PAID


async def test_a_card_is_charged_once_though_browser_callback_and_inquiry_come_together(
    shop: Shop,
) -> None:
    view = await shop.order()
    card = await by_card(shop, view)
    word = BankCallback("cb-2", card.reference, Unknown(authenticated=True))
    shop.bank.inquiries.appendleft(Unknown(authenticated=True))
    await asyncio.gather(
        *(
            authentication.finish_card(shop.context, shop.merchant, card.attempt_id, NOW)
            for _ in range(5)
        ),
        *(answers.handle_callback(shop.context, "sandbox", word, NOW) for _ in range(5)),
        answers.inquire(shop.context, shop.merchant, card, NOW),
    )
    assert shop.bank.count("authorise") == 1
    assert await shop.postings() == [("payment", "payable", 149_950)]


@pytest.mark.parametrize("status", ["N", "U", "A", "R"])
async def test_a_card_is_charged_only_on_y(shop: Shop, status: str) -> None:
    shop.bank.trans_status = status
    view = await shop.order()
    card = await by_card(shop, view)
    await authentication.finish_card(shop.context, shop.merchant, card.attempt_id, NOW)
    assert shop.bank.count("authorise") == 0
    again = await shop.again(view)
    assert (again.payment.state, again.payment.bank_code) == (PaymentState.OPEN, f"3DS-{status}")


async def test_a_silent_issuer_stays_pending_and_is_never_charged_again(shop: Shop) -> None:
    shop.bank.authorisations.append(Unknown())
    view = await shop.order()
    card = await by_card(shop, view)
    await authentication.finish_card(shop.context, shop.merchant, card.attempt_id, NOW)
    assert (await shop.again(view)).payment.state is PaymentState.IN_PROCESS
    with pytest.raises(Refused) as refused:
        await by_card(shop, view)
    assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS
    shop.bank.inquiries.appendleft(Approved(Money(149_950), "632512345678"))
    await inquire_due(shop.context, NOW + timedelta(seconds=10))
    assert (await shop.again(view)).payment.state is PaymentState.PAID
    assert shop.bank.count("authorise") == 1


async def test_a_charge_that_never_reached_the_bank_is_asked_for_again(shop: Shop) -> None:
    shop.bank.authorisations.append(Unknown())
    view = await shop.order()
    card = await by_card(shop, view)
    await authentication.finish_card(shop.context, shop.merchant, card.attempt_id, NOW)
    shop.bank.inquiries[0] = Unknown(authenticated=True)
    await inquire_due(shop.context, NOW + timedelta(seconds=10))
    assert (await shop.again(view)).payment.state is PaymentState.PAID
    assert [reference for verb, reference in shop.bank.calls if verb == "authorise"] == [
        card.reference
    ] * 2


async def test_a_challenge_confirmed_after_the_order_was_paid_otherwise_is_not_charged_and_ends(
    shop: Shop,
) -> None:
    view = await shop.order()
    card = await by_card(shop, view)
    await answers.handle_callback(shop.context, "sandbox", paid_word(first(view)), NOW)
    ended = await authentication.finish_card(shop.context, shop.merchant, card.attempt_id, NOW)
    assert ended is not None
    assert (ended.state, ended.inquire_at) == (AttemptState.EXPIRED, None)
    assert shop.bank.count("authorise") == 0
    assert await shop.postings() == [("payment", "payable", 149_950)]


async def test_a_crash_between_the_bank_and_our_books_is_settled_by_asking(shop: Shop) -> None:
    def power_cut() -> None:
        raise ConnectionError

    shop.bank.before_answer = power_cut
    view = await shop.order()
    card = await by_card(shop, view)
    with pytest.raises(ConnectionError):
        await authentication.finish_card(shop.context, shop.merchant, card.attempt_id, NOW)
    shop.bank.before_answer = None
    shop.bank.inquiries.appendleft(Approved(Money(149_950), "632512345678"))
    assert await inquire_due(shop.context, NOW + timedelta(seconds=14)) == 1  # the QR's own inquiry
    assert await inquire_due(shop.context, NOW + timedelta(seconds=16)) >= 1
    assert (await shop.again(view)).payment.state is PaymentState.PAID
    assert shop.bank.count("authorise") == 1


async def test_an_inquiry_that_never_left_says_nothing_about_the_call_before_the_crash(
    shop: Shop,
) -> None:
    view = await shop.order()
    asked = new_attempt(view.payment, "upi_collect", shop.bank, timedelta(minutes=5), NOW)
    started = replace(view.payment, state=PaymentState.IN_PROCESS)
    step = Step(EventKind.ATTEMPT_STARTED, Actor.CUSTOMER, started, asked, new_attempt=True)
    await payments.write(PaymentCase(shop.context, shop.merchant, view, NOW), lambda _: step)
    shop.bank.inquiries[0] = Unknown(sent=False)
    await inquire_due(shop.context, NOW + timedelta(seconds=4))
    settled = (await shop.again(view)).attempt(asked.attempt_id)
    assert settled is not None
    assert (settled.state, settled.inquiries) == (AttemptState.SENT, 0)
    assert settled.inquire_at is not None


async def test_unproven_messages_do_not_use_up_the_schedule(shop: Shop) -> None:
    shop.bank.inquiries[0] = Unknown()
    view = await shop.order()
    asked = await upi.collect(await shop.case(view.payment.payment_id), "asha@okaxis")
    for tenth in range(20):
        moment = NOW + timedelta(milliseconds=100 * tenth)
        await asking.ask_soon(shop.context, "sandbox", asked.reference, moment)
        await inquire_due(shop.context, moment)
    settled = (await shop.again(view)).attempt(asked.attempt_id)
    assert settled is not None
    assert settled.state is AttemptState.PENDING
    assert settled.inquiries <= 1


async def test_leaving_a_challenge_for_another_try_charges_only_the_second(shop: Shop) -> None:
    view = await shop.order()
    left = await by_card(shop, view)
    second = await by_card(shop, view, NOW + timedelta(seconds=1))
    assert second.attempt_id != left.attempt_id
    await authentication.finish_card(shop.context, shop.merchant, left.attempt_id, NOW)
    assert shop.bank.count("authorise") == 0
    await authentication.finish_card(shop.context, shop.merchant, second.attempt_id, NOW)
    assert await shop.postings() == [("payment", "payable", 149_950)]


async def test_a_declined_attempt_can_be_tried_again_with_a_new_qr(shop: Shop) -> None:
    view = await shop.order()
    word = BankCallback("cb-3", first(view).reference, Declined("Z9", "Insufficient funds"))
    await answers.handle_callback(shop.context, "sandbox", word, NOW)
    assert (await shop.again(view)).payment.state is PaymentState.OPEN
    fresh = await upi.offer_qr(await shop.case(view.payment.payment_id))
    assert fresh.attempt_id != first(view).attempt_id
    assert (
        await upi.offer_qr(await shop.case(view.payment.payment_id))
    ).attempt_id == fresh.attempt_id
    await answers.handle_callback(shop.context, "sandbox", paid_word(fresh), NOW)
    assert await shop.told() == ["paid"]


async def test_an_order_whose_old_qr_is_at_a_bank_is_not_offered_for_a_second_payment(
    shop: Shop,
) -> None:
    view = await shop.order()
    await answers.handle_callback(
        shop.context, "sandbox", BankCallback("cb-no", first(view).reference, Declined("Z9")), NOW
    )
    fresh = await upi.offer_qr(await shop.case(view.payment.payment_id))
    left = await payments.leave(shop.context, shop.merchant, await shop.again(view), NOW)
    assert left.payment.state is PaymentState.FAILED
    await answers.handle_callback(
        shop.context, "sandbox", BankCallback("cb-wait", fresh.reference, Unknown("01")), NOW
    )
    again = await shop.order(order_id=view.payment.order_id)
    assert (again.payment.state, again.offered) == (PaymentState.IN_PROCESS, None)
    await answers.handle_callback(shop.context, "sandbox", paid_word(fresh), NOW)
    assert (await shop.again(view)).payment.state is PaymentState.PAID
    assert await shop.told() == ["failed", "paid"]


async def test_a_new_qr_is_made_when_the_old_one_is_no_longer_shown(shop: Shop) -> None:
    view = await shop.order()
    nearly_over = first(view).expires_at - timedelta(seconds=3)
    fresh = await upi.offer_qr(await shop.case(view.payment.payment_id, nearly_over))
    assert fresh.attempt_id != first(view).attempt_id


async def test_a_collect_request_waits_for_the_bank(shop: Shop) -> None:
    view = await shop.order()
    asked = await upi.collect(await shop.case(view.payment.payment_id), "asha@okaxis")
    assert asked.state is AttemptState.PENDING
    assert (await shop.again(view)).payment.state is PaymentState.IN_PROCESS
    await answers.handle_callback(shop.context, "sandbox", paid_word(asked), NOW)
    assert (await shop.again(view)).payment.state is PaymentState.PAID


async def test_a_payment_after_its_session_is_a_late_success(shop: Shop) -> None:
    view = await shop.order()
    end = NOW + timedelta(minutes=16)
    await inquire_due(shop.context, end)
    await close_due(shop.context, end)
    assert (await shop.again(view)).payment.state is PaymentState.EXPIRED
    await answers.handle_callback(shop.context, "sandbox", paid_word(first(view)), end)
    assert (await shop.again(view)).payment.state is PaymentState.PAID
    assert await shop.told() == ["late_success"]


async def test_nobody_answers_to_the_end_of_the_schedule_and_the_money_is_found_days_later(
    shop: Shop,
) -> None:
    shop.bank.inquiries[0] = Unknown()
    view = await shop.order()
    asked = await upi.collect(await shop.case(view.payment.payment_id), "asha@okaxis")
    for minute in range(1, 12):
        await inquire_due(shop.context, NOW + timedelta(minutes=minute))
    settled = (await shop.again(view)).attempt(asked.attempt_id)
    assert settled is not None
    assert (settled.state, (await shop.again(view)).payment.state) == (
        AttemptState.PENDING,
        PaymentState.IN_PROCESS,
    )
    assert await shop.told() == []
    again = await shop.order(order_id=view.payment.order_id, now=NOW + timedelta(hours=1))
    assert (again.payment.state, len(again.attempts)) == (
        PaymentState.IN_PROCESS,
        len(view.attempts) + 1,
    )
    shop.bank.inquiries[0] = Approved(Money(149_950), "632512345678")
    await inquire_due(shop.context, NOW + timedelta(hours=50))
    assert (await shop.again(view)).payment.state is PaymentState.PAID
    # The bank says yes to the QR, too: found as well, and owed back.
    assert await shop.told() == ["paid", "excess_payment"]


async def test_an_unanswered_attempt_is_asked_about_for_three_days_and_no_longer(
    shop: Shop,
) -> None:
    shop.bank.inquiries[0] = Unknown()
    view = await shop.order()
    await upi.collect(await shop.case(view.payment.payment_id), "asha@okaxis")
    for minute in range(1, 12):
        await inquire_due(shop.context, NOW + timedelta(minutes=minute))
    asked = shop.bank.count("inquire")
    await inquire_due(shop.context, NOW + timedelta(hours=71, minutes=45))
    assert shop.bank.count("inquire") > asked
    await inquire_due(shop.context, NOW + timedelta(hours=72))
    assert (await shop.again(view)).payment.state is PaymentState.UNKNOWN
    asked = shop.bank.count("inquire")
    await inquire_due(shop.context, NOW + timedelta(hours=80))
    assert shop.bank.count("inquire") == asked


async def test_a_bank_that_is_away_for_an_hour_ends_no_schedule(shop: Shop) -> None:
    shop.bank.inquiries[0] = Unknown(sent=False)
    view = await shop.order()
    asked = await upi.collect(await shop.case(view.payment.payment_id), "asha@okaxis")
    for minute in range(1, 61):
        await inquire_due(shop.context, NOW + timedelta(minutes=minute))
    settled = (await shop.again(view)).attempt(asked.attempt_id)
    assert settled is not None
    assert (settled.state, settled.inquiries) == (AttemptState.PENDING, 0)


async def test_two_workers_claim_an_inquiry_once(shop: Shop) -> None:
    await shop.order()
    due = NOW + timedelta(seconds=4)
    assert sum(await asyncio.gather(*(inquire_due(shop.context, due) for _ in range(6)))) == 1
    assert shop.bank.count("inquire") == 1


async def test_a_wish_of_another_acquirer_asks_nobody(shop: Shop) -> None:
    view = await shop.order()
    asked = await upi.collect(await shop.case(view.payment.payment_id), "asha@okaxis")
    for ask in (asking.ask_soon, asking.ask_now):
        await ask(shop.context, "another", asked.reference, NOW)
        assert await inquire_due(shop.context, NOW) == 0
        await ask(shop.context, "sandbox", asked.reference, NOW)
        assert await inquire_due(shop.context, NOW) == (1 if ask is asking.ask_soon else 0)
