"""A held payment from its success to its release or rejection, with the books."""

from datetime import datetime, timedelta

import pytest

from hundi.acquirers.port.answers import Approved, Declined, Voided
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.kernel.states import AttemptState, PaymentKind, PaymentState
from hundi.money.audit import actions as audit
from hundi.payments.attempts import actions as attempts
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.methods.card import actions as cards
from hundi.payments.orders import actions as payments
from hundi.payments.orders import store as orders
from hundi.payments.orders.actions import PaymentCase
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds.actions import ItemToRefund
from hundi.payments.reviews import actions as reviews
from hundi.payments.reviews import store
from hundi.payments.reviews.rules import Decision, Reviewed
from hundi.payments.risk import actions as risk
from hundi.payments.risk.actions import RiskControl
from hundi.payments.risk.rules import OPERATOR
from hundi.staff.trail.actions import at_command_line
from tests.payments.stages import after_all
from tests.shop import CARD, NOW, VAULT, Shop, complete_due, refund_due

HOLD_ALL = (
    'rules = [{name = "large", action = "hold", when = [{field = "amount_paise", above = 1}]}]'
)
PAISE = 149_950
RELEASED = Reviewed(Decision.RELEASED, "known customer", "asha")
REJECTED = Reviewed(Decision.REJECTED, "stolen card", "asha")


@pytest.fixture
async def holding(shop: Shop) -> Shop:
    """A shop whose payments are all held."""
    await risk.publish(shop.db, OPERATOR, HOLD_ALL, at_command_line("asha", VAULT), NOW)
    return replace(shop, context=replace(shop.context, risk=RiskControl(shop.db, VAULT)))


async def held_card(shop: Shop, kind: PaymentKind = PaymentKind.SALE) -> PaymentView:
    """Return an order that was paid, or authorised, by card and is held."""
    view = await shop.order(kind=kind)
    payment_id = view.payment.payment_id
    await cards.pay(await shop.case(payment_id), CARD, lambda _: "http://us/3ds")
    (tried,) = [each for each in (await shop.again(view)).attempts if each.method == "card"]
    await authentication.finish_card(shop.context, shop.merchant, tried.attempt_id, NOW)
    after = await shop.again(view)
    assert after.payment.state is PaymentState.UNDER_REVIEW
    return after


async def decide(
    shop: Shop, view: PaymentView, reviewed: Reviewed, now: datetime = NOW
) -> PaymentView:
    return await reviews.decide(
        shop.db, shop.merchant.merchant_id, view.payment.payment_id, reviewed, now
    )


async def assert_books_hold(shop: Shop) -> None:
    report = await audit.audit(shop.db, [], await after_all(shop.db))
    assert report.holds, [each for each in report.checked if each.count]


async def test_a_held_payment_is_the_merchants_only_when_it_is_released(holding: Shop) -> None:
    view = await held_card(holding)
    assert view.payment.captured_paise == 0
    assert await holding.postings() == [("review_held", "held_for_review", PAISE)]
    assert await holding.told() == ["under_review"]
    (waiting,) = await store.select_waiting(holding.db, 10)
    assert (waiting["payment_id"], waiting["rule"]) == (view.payment.payment_id, "large")
    await assert_books_hold(holding)

    after = await decide(holding, view, RELEASED)
    assert (after.payment.state, after.payment.captured_paise) == (PaymentState.PAID, PAISE)
    assert ("review_released", "payable", PAISE) in await holding.postings()
    assert await holding.told() == ["under_review", "paid"]
    (decided,) = await store.select_decisions(
        holding.db, view.payment.merchant_id, view.payment.payment_id
    )
    assert (decided["decision"], decided["reason"], decided["decided_by"]) == (
        "released",
        "known customer",
        "asha",
    )
    assert decided["event_no"] == after.payment.revision
    assert await store.select_waiting(holding.db, 10) == []
    await assert_books_hold(holding)


async def test_a_rejected_payment_is_refunded_and_failed(holding: Shop) -> None:
    view = await held_card(holding)
    after = await decide(holding, view, REJECTED)
    assert after.payment.state is PaymentState.FAILED
    assert await holding.told() == ["under_review", "failed"]
    await assert_books_hold(holding)
    await refund_due(holding.context, NOW)
    assert [kind for kind, _ in holding.bank.calls].count("refund") == 1
    assert await holding.told() == ["under_review", "failed", "excess_refunded"]
    balance = dict.fromkeys(("held_for_review", "owed_back", "refunds_in_flight", "payable"), 0)
    for row in await holding.db.fetch("SELECT debit, credit, amount_paise FROM ledger_postings"):
        for account, sign in ((row["credit"], 1), (row["debit"], -1)):
            if account in balance:
                balance[account] += sign * row["amount_paise"]
    assert set(balance.values()) == {0}
    await assert_books_hold(holding)


async def test_a_rejected_order_can_be_paid_again_once(holding: Shop) -> None:
    view = await held_card(holding)
    await decide(holding, view, REJECTED)
    payment_id = view.payment.payment_id
    # It has failed, so the merchant sends the order again.
    reopened = await holding.order(order_id=view.payment.order_id)
    assert (reopened.payment.payment_id, reopened.payment.state) == (payment_id, PaymentState.OPEN)
    await cards.pay(await holding.case(payment_id), CARD, lambda _: "http://us/3ds")
    (tried,) = (await holding.again(view)).live
    await authentication.finish_card(holding.context, holding.merchant, tried.attempt_id, NOW)
    again = await holding.again(view)
    assert again.payment.state is PaymentState.UNDER_REVIEW
    assert (await decide(holding, again, RELEASED)).payment.state is PaymentState.PAID
    await assert_books_hold(holding)


async def test_a_released_authorisation_can_be_captured(holding: Shop) -> None:
    view = await held_card(holding, PaymentKind.AUTHORISE)
    assert await holding.postings() == []
    after = await decide(holding, view, RELEASED)
    assert after.payment.state is PaymentState.AUTHORISED
    assert await holding.told() == ["under_review", "authorised"]
    await assert_books_hold(holding)


async def test_a_rejected_authorisation_is_voided_by_the_worker(holding: Shop) -> None:
    view = await held_card(holding, PaymentKind.AUTHORISE)
    after = await decide(holding, view, REJECTED)
    assert after.payment.state is PaymentState.UNDER_REVIEW
    with pytest.raises(Refused) as refused:
        await decide(holding, view, RELEASED)
    assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS
    await assert_books_hold(holding)
    holding.bank.inquiries.clear()
    holding.bank.inquiries.append(Approved(Money(PAISE), "632512345678", authorised_only=True))
    holding.bank.completions.append(Voided("632512348888"))
    await complete_due(holding.context, NOW + timedelta(seconds=61))
    assert ("void", view.success.reference if view.success else "") in holding.bank.calls
    assert (await holding.again(view)).payment.state is PaymentState.VOIDED
    assert await holding.told() == ["under_review", "voided"]
    await assert_books_hold(holding)


async def test_a_void_that_the_bank_refused_can_be_asked_for_again(holding: Shop) -> None:
    view = await held_card(holding, PaymentKind.AUTHORISE)
    await decide(holding, view, REJECTED)
    holding.bank.inquiries.clear()
    holding.bank.inquiries.append(Approved(Money(PAISE), "632512345678", authorised_only=True))
    holding.bank.completions.append(Declined("57", "no"))
    await complete_due(holding.context, NOW + timedelta(seconds=61))
    assert (await holding.again(view)).payment.state is PaymentState.UNDER_REVIEW
    assert (
        await decide(holding, view, REJECTED, NOW + timedelta(minutes=5))
    ).payment.state is PaymentState.UNDER_REVIEW


async def test_a_scanned_qr_is_held_too(holding: Shop) -> None:
    view = await holding.order()
    assert view.offered is not None
    paid = Approved(view.payment.amount, "632512345678", payer_vpa="asha@hundi")
    settled = await attempts.settle(
        PaymentCase(holding.context, holding.merchant, view, NOW), view.offered, paid
    )
    assert settled.state is AttemptState.PAID
    assert (await holding.again(view)).payment.state is PaymentState.UNDER_REVIEW
    again = await attempts.settle(
        PaymentCase(holding.context, holding.merchant, view, NOW), view.offered, paid
    )
    assert again.state is AttemptState.PAID
    assert await holding.postings() == [("review_held", "held_for_review", PAISE)]


async def test_a_late_success_is_held_too(holding: Shop) -> None:
    view = await holding.order()
    assert view.offered is not None
    refusing = replace(holding.merchant, settings=holding.merchant.settings)
    await attempts.settle(
        PaymentCase(holding.context, refusing, view, NOW), view.offered, Declined("ZA", "no")
    )
    left = await payments.leave(holding.context, refusing, await holding.again(view), NOW)
    assert left.payment.state is PaymentState.FAILED
    paid = Approved(view.payment.amount, "632512345678")
    await attempts.settle(
        PaymentCase(holding.context, refusing, await holding.again(view), NOW), view.offered, paid
    )
    assert (await holding.again(view)).payment.state is PaymentState.UNDER_REVIEW
    await assert_books_hold(holding)


async def test_nothing_is_refunded_or_decided_twice_while_it_is_held(holding: Shop) -> None:
    view = await held_card(holding)
    (asked,) = await refunds.request(
        holding.context, holding.merchant, view.payment.payment_id, [ItemToRefund(paise=100)], NOW
    )
    assert asked.refusal is not None
    assert asked.refusal.code is RefusalCode.STATE_FORBIDS
    await decide(holding, view, RELEASED)
    with pytest.raises(Refused) as refused:
        await decide(holding, view, REJECTED)
    assert (refused.value.refusal.code, refused.value.refusal.received) == (
        RefusalCode.STATE_FORBIDS,
        "paid",
    )


@pytest.mark.parametrize("reason", ["", "   ", "x" * 501])
async def test_a_decision_needs_a_reason(holding: Shop, reason: str) -> None:
    view = await held_card(holding)
    with pytest.raises(Refused) as refused:
        await decide(holding, view, replace(RELEASED, reason=reason))
    assert (refused.value.refusal.code, refused.value.refusal.field) == (
        RefusalCode.FIELD_INVALID,
        "reason",
    )


async def test_an_unknown_payment_cannot_be_decided(holding: Shop) -> None:
    with pytest.raises(Refused) as refused:
        await reviews.decide(holding.db, holding.merchant.merchant_id, 4711, RELEASED, NOW)
    assert refused.value.refusal.code is RefusalCode.NO_RECORDS


async def test_the_story_tells_of_the_review(holding: Shop) -> None:
    view = await held_card(holding)
    await decide(holding, view, RELEASED)
    events = await orders.select_events(
        holding.db, view.payment.merchant_id, view.payment.payment_id
    )
    assert [(row["kind"], row["actor"]) for row in events][-2:] == [
        ("held", "bank"),
        ("review_released", "operator"),
    ]
