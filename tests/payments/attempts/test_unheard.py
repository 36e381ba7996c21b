"""A connection that is lost between commit and answer: what was written counts, and counts once.

A write of unknown outcome raises, so nothing is decided on it. Were it sent again all the same, the
payment's revision would refuse it, and the decision would see what the first one wrote.
"""

from datetime import timedelta

import pytest
from asyncpg import ConnectionDoesNotExistError

from hundi.acquirers.port.answers import Approved, BankCallback, Unknown
from hundi.kernel.money import Money
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.kernel.states import AttemptState, PaymentState
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.attempts.authentication.actions import AUTHORISE_GRACE, finish_card
from hundi.payments.attempts.rules import CHALLENGE_LOST
from hundi.payments.methods.card import actions as cards
from hundi.payments.orders import store
from hundi.payments.orders.rules import Attempt, PaymentView
from tests.payments.unheard import not_hearing
from tests.shop import CARD, NOW, Shop, inquire_due

RESENT = pytest.mark.parametrize("again", [False, True], ids=["lost", "sent twice"])


async def by_card(shop: Shop, view: PaymentView, after: timedelta = timedelta()) -> Attempt:
    """Bring a card to its challenge."""
    payment_id = view.payment.payment_id
    await cards.pay(await shop.case(payment_id, NOW + after), CARD, lambda i: f"http://us/{i}")
    latest = (await shop.again(view)).latest
    assert latest is not None
    return latest


async def states_of(shop: Shop, view: PaymentView) -> list[AttemptState]:
    """Return how a payment's attempts by card stand."""
    return [each.state for each in (await shop.again(view)).attempts if each.method == "card"]


@RESENT
async def test_an_attempt_is_begun_once_and_no_bank_is_called_for_it(
    shop: Shop, *, again: bool
) -> None:
    view = await shop.order()
    with pytest.raises(Refused if again else ConnectionDoesNotExistError):
        await by_card(not_hearing(shop, store.START_ATTEMPT, again=again), view)
    with pytest.raises(Refused) as refused:
        await by_card(shop, view)
    assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS
    assert await states_of(shop, view) == [AttemptState.SENT]
    assert shop.bank.calls == []

    await inquire_due(shop.context, NOW + CHALLENGE_LOST)
    card = await by_card(shop, view, CHALLENGE_LOST)
    await finish_card(shop.context, shop.merchant, card.attempt_id, NOW + CHALLENGE_LOST)
    assert await states_of(shop, view) == [AttemptState.EXPIRED, AttemptState.PAID]
    assert shop.bank.count("authorise") == 1
    assert await shop.postings() == [("payment", "payable", 149_950)]


@RESENT
async def test_a_success_is_posted_and_told_once(shop: Shop, *, again: bool) -> None:
    view = await shop.order()
    assert view.offered is not None
    word = BankCallback("cb-1", view.offered.reference, Approved(Money(149_950), "632512345678"))
    deaf = not_hearing(shop, store.WRITE_STEP, again=again)
    if again:
        await answers.handle_callback(deaf.context, "sandbox", word, NOW)
    else:
        with pytest.raises(ConnectionDoesNotExistError):
            await answers.handle_callback(deaf.context, "sandbox", word, NOW)
    await answers.handle_callback(shop.context, "sandbox", word, NOW)
    assert (await shop.again(view)).payment.state is PaymentState.PAID
    assert await shop.postings() == [("payment", "payable", 149_950)]
    assert await shop.told() == ["paid"]


@RESENT
async def test_a_card_is_charged_once_by_the_inquiry(shop: Shop, *, again: bool) -> None:
    view = await shop.order()
    card = await by_card(shop, view)
    deaf = not_hearing(shop, store.WRITE_STEP, again=again)
    if again:
        await finish_card(deaf.context, shop.merchant, card.attempt_id, NOW)
    else:
        with pytest.raises(ConnectionDoesNotExistError):
            await finish_card(deaf.context, shop.merchant, card.attempt_id, NOW)
    assert await states_of(shop, view) == [AttemptState.AUTHORISING]
    assert shop.bank.count("authorise") == 0

    shop.bank.inquiries[0] = Unknown(authenticated=True)
    await inquire_due(shop.context, NOW + AUTHORISE_GRACE)
    assert await states_of(shop, view) == [AttemptState.PAID]
    assert shop.bank.count("authorise") == 1
    assert await shop.postings() == [("payment", "payable", 149_950)]
