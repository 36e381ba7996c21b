"""Customers end, pause and resume mandates at the bank, and approve more than one of an order."""

import pytest

from hundi.acquirers.port.answers import Approved, Declined
from hundi.acquirers.port.mandates import MandateStanding, MandateState
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.kernel.states import Actor, SubscriptionState
from hundi.kernel.states import DebitState as D
from hundi.payments.subscriptions import actions
from hundi.payments.subscriptions.rules import APPROVAL_LIFE
from hundi.payments.subscriptions.standings import actions as standings
from hundi.payments.subscriptions.standings.rules import (
    ASK_GAP,
    ASKED_FOR,
    LINK_GRACE,
    PAUSED_GAP,
)
from tests.payments.subscriptions.conftest import Approve, Plan, ordered
from tests.payments.subscriptions.days import DEBIT_DAY, NOTICE_AT
from tests.payments.subscriptions.test_instruments import by_card
from tests.shop import NOW, Shop


async def news(shop: Shop, plan: Plan, state: MandateState) -> None:
    """Let the acquirer say that a mandate has news, and how it stands."""
    mandate = (await plan.view()).subscription.mandate_reference
    shop.bank.standings[mandate] = MandateStanding(state)
    assert await standings.ask_soon(shop.db, "sandbox", mandate, plan.now)
    await plan.work()


async def state_of(plan: Plan) -> SubscriptionState:
    return (await plan.view()).subscription.state


async def test_only_its_own_acquirer_says_that_a_mandate_has_news(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve()
    mandate = (await plan.view()).subscription.mandate_reference
    assert await standings.ask_soon(shop.db, "another", mandate, NOTICE_AT)
    assert (await plan.view()).subscription.ask_at is None
    assert await standings.ask_soon(shop.db, "sandbox", "token_of_another", NOTICE_AT)
    await news(shop, plan, MandateState.ENDED)
    assert await state_of(plan) is SubscriptionState.CANCELLED


async def test_an_acquirer_says_it_by_its_own_name_of_the_mandate(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve()
    mandate = (await plan.view()).subscription.mandate_reference
    named = MandateStanding(MandateState.ACTIVE, name="token_1")
    shop.bank.standings[mandate] = named
    await standings.ask_soon(shop.db, "sandbox", mandate, plan.now)
    await plan.work()
    assert (await plan.view()).subscription.mandate_name == "token_1"
    shop.bank.standings[mandate] = replace(named, state=MandateState.ENDED)
    assert await standings.ask_soon(shop.db, "another", "token_1", plan.now)
    await plan.work()
    assert await state_of(plan) is SubscriptionState.ACTIVE
    assert await standings.ask_soon(shop.db, "sandbox", "token_1", plan.now)
    await plan.work()
    assert await state_of(plan) is SubscriptionState.CANCELLED


async def test_news_before_the_approval_is_known_is_sent_again(shop: Shop) -> None:
    view = await ordered(shop)
    assert view.offered is not None
    assert not await standings.ask_soon(shop.db, "sandbox", view.offered.reference, NOW)
    assert await standings.ask_soon(shop.db, "sandbox", "nobody", NOW)


async def test_a_mandate_ended_between_notice_and_debit_is_not_debited(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve()
    await plan.work(NOTICE_AT)
    await news(shop, plan, MandateState.ENDED)
    await plan.work(DEBIT_DAY)
    assert (await plan.states(), shop.bank.debited) == ([D.SKIPPED], {})


async def test_a_mandate_paused_at_the_bank_is_resumed_there_alone(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve()
    await plan.work(NOTICE_AT)
    await news(shop, plan, MandateState.PAUSED)
    paused = (await plan.view()).subscription
    assert (paused.state, paused.paused_at_bank) == (SubscriptionState.PAUSED, True)
    assert await plan.states() == [D.SKIPPED]
    with pytest.raises(Refused, match="state_forbids"):
        await actions.resume(shop.db, *plan.key, Actor.MERCHANT, plan.now)
    await plan.work(DEBIT_DAY)
    assert shop.bank.debited == {}
    shop.bank.standings[paused.mandate_reference] = MandateStanding(MandateState.ACTIVE)
    await plan.work(DEBIT_DAY + PAUSED_GAP)
    resumed = (await plan.view()).subscription
    assert (resumed.state, resumed.paused_at_bank) == (SubscriptionState.ACTIVE, False)
    assert (resumed.next_period, resumed.ask_at) == (2, None)


async def test_a_pause_of_the_merchant_is_not_resumed_by_the_bank(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve()
    await actions.pause(shop.db, *plan.key, Actor.MERCHANT, plan.now)
    for standing in (MandateState.PAUSED, MandateState.ACTIVE):
        await news(shop, plan, standing)
        assert await state_of(plan) is SubscriptionState.PAUSED
    await news(shop, plan, MandateState.ENDED)
    assert await state_of(plan) is SubscriptionState.CANCELLED


STOPPED = (
    (Declined("M5", mandate_paused=True), SubscriptionState.PAUSED),
    (Declined("M1", mandate_over=True), SubscriptionState.CANCELLED),
)


@pytest.mark.parametrize(("answer", "state"), STOPPED)
async def test_an_acquirer_says_it_in_place_of_a_notice(
    shop: Shop, approve: Approve, answer: Declined, state: SubscriptionState
) -> None:
    plan = await approve()
    shop.bank.notice_answers.append(answer)
    await plan.work(NOTICE_AT)
    assert (await state_of(plan), await plan.states()) == (state, [D.SKIPPED])


@pytest.mark.parametrize(("answer", "state"), STOPPED)
async def test_an_acquirer_says_it_in_place_of_a_debit(
    shop: Shop, approve: Approve, answer: Declined, state: SubscriptionState
) -> None:
    plan = await approve()
    await plan.work(NOTICE_AT)
    shop.bank.debits.append(answer)
    await plan.work(DEBIT_DAY)
    assert (await state_of(plan), await plan.states()) == (state, [D.FAILED])


async def test_a_mandate_whose_first_payment_failed_is_ended_at_its_bank(shop: Shop) -> None:
    view = await ordered(shop)
    assert view.offered is not None
    mandate = view.offered.reference
    shop.bank.standings[mandate] = MandateStanding(MandateState.ACTIVE)
    plan = Plan(shop, view.payment.payment_id, NOW)
    await plan.work(NOW + APPROVAL_LIFE)
    assert await state_of(plan) is SubscriptionState.FAILED
    assert [key for call, key in shop.bank.calls if call == "end_mandate"] == [mandate]
    assert (await plan.view()).subscription.ask_at is None


async def test_a_mandate_that_may_still_be_registered_is_asked_about_for_two_weeks(
    shop: Shop,
) -> None:
    view = await ordered(shop)
    assert view.offered is not None
    shop.bank.standings[view.offered.reference] = MandateStanding(MandateState.PENDING)
    plan = Plan(shop, view.payment.payment_id, NOW)
    failed_at = NOW + APPROVAL_LIFE
    await plan.work(failed_at)
    assert (await plan.view()).subscription.ask_at == failed_at + ASK_GAP
    await plan.work(failed_at + ASKED_FOR)
    assert (await plan.view()).subscription.ask_at is None
    assert shop.bank.count("end_mandate") == 0


async def test_a_second_approval_of_an_order_is_ended(shop: Shop) -> None:
    answer = Approved(Money(9_900), "632512340000")
    plan, view, charged = await by_card(shop, answer)
    assert view.offered is not None
    also = view.offered
    shop.bank.standings[also.reference] = MandateStanding(MandateState.PENDING)
    await plan.work()
    asked_at = also.expires_at + LINK_GRACE
    assert (await plan.view()).subscription.ask_at == asked_at
    shop.bank.standings[also.reference] = MandateStanding(MandateState.ACTIVE)
    await plan.work(asked_at)
    subscription = (await plan.view()).subscription
    assert (subscription.state, subscription.ask_at) == (SubscriptionState.ACTIVE, None)
    assert subscription.mandate_reference == charged.reference
    assert [key for call, key in shop.bank.calls if call == "end_mandate"] == [also.reference]
