"""How often one order may be tried."""

from datetime import datetime, timedelta

import pytest

from hundi.acquirers.port.answers import Redirect, Unknown
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.kernel.states import AttemptState
from hundi.merchants.directory.rules import ATTEMPTS_AN_HOUR_MIN, MerchantSettings
from hundi.payments.attempts import rules
from hundi.payments.attempts.actions import payable
from hundi.payments.attempts.answers import rules as answers
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.attempts.inquiries import actions as asking
from hundi.payments.methods.card import actions as cards
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders import store
from tests.shop import CARD, NOW, Shop


@pytest.mark.parametrize(
    "settings",
    [MerchantSettings(), MerchantSettings(attempts_an_hour=ATTEMPTS_AN_HOUR_MIN)],
    ids=["default", "fewest"],
)
async def test_a_list_of_cards_is_not_tried_out_on_one_order(
    shop: Shop, settings: MerchantSettings
) -> None:
    payment_id = (await shop.order()).payment.payment_id
    merchant = replace(shop.merchant, settings=settings)

    async def press(now: datetime = NOW) -> None:
        await cards.pay(
            await payable(shop.context, merchant, payment_id, now),
            CARD,
            lambda _: "https://pay.example/3ds",
        )

    async def tried() -> int:
        view = await store.select_view(shop.db, shop.merchant.merchant_id, payment_id)
        assert view is not None
        return len(view.attempts)

    most = settings.attempts_an_hour
    for _ in range(most - 1):  # the QR that the order came with is the first attempt
        await press()
    with pytest.raises(Refused) as refused:
        await press()
    assert refused.value.refusal.code is RefusalCode.TOO_MANY_REQUESTS
    assert await tried() == most
    with pytest.raises(Refused):
        await upi.offer_qr(await payable(shop.context, merchant, payment_id, NOW))
    await shop.db.execute("UPDATE payments SET expires_at = $1", NOW + 2 * rules.ATTEMPTS_WINDOW)
    await press(NOW + rules.ATTEMPTS_WINDOW)
    assert await tried() == most + 1


async def test_nothing_new_begins_at_a_suspended_merchant(shop: Shop) -> None:
    payment_id = (await shop.order()).payment.payment_id
    suspended = replace(shop.merchant, state="suspended")
    with pytest.raises(Refused) as refused:
        await payable(shop.context, suspended, payment_id, NOW)
    assert refused.value.refusal.code is RefusalCode.MERCHANT_SUSPENDED


async def test_unproven_messages_cause_one_question_in_a_while(shop: Shop) -> None:
    view = await shop.order()
    assert view.offered is not None

    async def due_at() -> object:
        return await shop.db.fetchval("SELECT inquire_at FROM attempts")

    await asking.ask_soon(shop.context, "sandbox", view.offered.reference, NOW)
    assert await due_at() == NOW
    await shop.db.execute("UPDATE attempts SET inquire_at = $1", NOW + timedelta(minutes=1))
    await asking.ask_soon(
        shop.context, "sandbox", view.offered.reference, NOW + timedelta(seconds=4)
    )
    assert await due_at() == NOW + timedelta(minutes=1)
    await asking.ask_soon(shop.context, "sandbox", view.offered.reference, NOW + asking.HASTEN_GAP)
    assert await due_at() == NOW + asking.HASTEN_GAP


async def test_a_charge_has_its_grace_from_when_it_was_asked_for(shop: Shop) -> None:
    view = await shop.order()
    begun = await cards.pay(
        await shop.case(view.payment.payment_id), CARD, lambda _: "https://pay.example/3ds"
    )
    assert isinstance(begun, Redirect)
    (card,) = (each for each in (await shop.again(view)).attempts if each.method == "card")
    # The customer takes five minutes at the challenge; then the bank is silent.
    confirmed = NOW + timedelta(minutes=5)
    shop.bank.authorisations.append(Unknown())
    await authentication.finish_card(shop.context, shop.merchant, card.attempt_id, confirmed)
    pending = (await shop.again(view)).attempt(card.attempt_id)
    assert pending is not None
    assert (pending.state, pending.charged_at) == (AttemptState.PENDING, confirmed)
    after = answers.after_nothing_there(
        await shop.again(view), pending, confirmed + timedelta(seconds=59)
    )
    assert after is None, "the bank may still receive it"
    assert (
        answers.after_nothing_there(await shop.again(view), pending, confirmed + rules.SENT_GRACE)
        is not None
    )
