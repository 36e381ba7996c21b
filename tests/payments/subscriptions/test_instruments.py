"""Mandates by other instruments than UPI: how they are approved, and what their debits are."""

from hundi.acquirers.port.answers import Approved, Redirect, Unknown
from hundi.instruments.card import CardFacts
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.states import AttemptState, SubscriptionState
from hundi.kernel.states import DebitState as D
from hundi.payments.attempts import actions as attempts
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.methods.card import actions as cards
from hundi.payments.orders.actions import PaymentCase
from hundi.payments.orders.rules import Attempt, PaymentView
from hundi.payments.subscriptions.approvals import actions as approvals
from hundi.payments.subscriptions.debits.rules import debit_payment, new_debit
from hundi.payments.subscriptions.jobs import APPROVAL_LOOK
from hundi.payments.subscriptions.rules import APPROVAL_LIFE
from tests.payments.subscriptions.conftest import TERMS, Plan, ordered
from tests.payments.subscriptions.days import DEBIT_DAY, NOTICE_AT
from tests.shop import CARD, NOW, Shop

FACTS = CardFacts("1111", "Visa", "credit", "Some Bank", "IN", "nt_1")


async def by_card(shop: Shop, answer: Approved | Unknown) -> tuple[Plan, PaymentView, Attempt]:
    """Approve a mandate by card, up to the bank's answer to the charge."""
    view = await ordered(shop)
    plan = Plan(shop, view.payment.payment_id, NOW)
    mandate = approvals.mandate_request(shop.merchant, (await plan.view()).subscription)
    begun = await cards.pay(
        await shop.case(plan.subscription_id), CARD, lambda _: "http://us/3ds", mandate=mandate
    )
    assert isinstance(begun, Redirect)
    assert shop.bank.mandates == [mandate]
    shop.bank.authorisations.append(answer)
    attempt = (await shop.again(view)).live[-1]
    charged = await authentication.finish_card(shop.context, shop.merchant, attempt.attempt_id, NOW)
    assert charged is not None
    return plan, await shop.again(view), charged


async def test_a_cards_mandate_is_debited_by_its_reference_and_reported_with_its_facts(
    shop: Shop,
) -> None:
    plan, _, charged = await by_card(shop, Approved(Money(9_900), "632512340000", card=FACTS))
    await plan.work()
    found = (await plan.view()).subscription
    assert (found.state, found.channel) == (SubscriptionState.ACTIVE, "pg")
    await plan.work(NOTICE_AT)
    await plan.work(DEBIT_DAY)
    assert await plan.states() == [D.DONE]
    (debited,) = shop.bank.debited.values()
    assert debited.mandate == charged.reference
    (paid,) = (await plan.order(1)).attempts
    assert (paid.method, paid.card) == ("card_mandate", replace(FACTS, token=""))
    assert (await plan.order(1)).payment.method == "pg"


async def test_an_approval_that_its_bank_has_not_decided_does_not_fail(shop: Shop) -> None:
    plan, view, charged = await by_card(shop, Unknown("01"))
    assert charged.state is AttemptState.PENDING
    late = NOW + APPROVAL_LIFE
    await plan.work(late)
    assert (await plan.view()).subscription.state is SubscriptionState.CREATED
    await attempts.settle(
        PaymentCase(shop.context, shop.merchant, view, late),
        charged,
        Approved(Money(9_900), "632512340000"),
    )
    await plan.work(late + APPROVAL_LOOK)
    assert (await plan.view()).subscription.state is SubscriptionState.ACTIVE


async def test_a_debit_costs_its_customer_no_surcharge(shop: Shop) -> None:
    view = await ordered(shop)
    subscription = (await Plan(shop, view.payment.payment_id, NOW).view()).subscription
    registered = replace(view.payment, channels=("enach",), surcharges=(500,))
    debit = new_debit(subscription, 1, NOW, NOW)
    order = debit_payment(registered, debit, "A-1", 2, NOW)
    assert (order.amount, order.surcharge_by("enach").paise) == (TERMS.amount, 0)
