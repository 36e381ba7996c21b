"""How often one order may be tried."""

import pytest

from hundi.attempts import actions as attempts
from hundi.attempts import rules
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.payments import store
from tests.shop import CARD, NOW, Shop


async def test_a_list_of_cards_is_not_tried_out_on_one_order(shop: Shop) -> None:
    payment_id = (await shop.order()).payment.payment_id

    async def press() -> None:
        await attempts.pay_by_card(
            shop.ports, shop.merchant, payment_id, CARD, lambda _: "https://pay.example/3ds", NOW
        )

    for _ in range(rules.ATTEMPTS_MAX - 1):  # the QR that the order came with is the first attempt
        await press()
    with pytest.raises(Refused) as refused:
        await press()
    assert refused.value.refusal.code is RefusalCode.TOO_MANY_REQUESTS
    view = await store.select_view(shop.db, shop.merchant.merchant_id, payment_id)
    assert view is not None
    assert len(view.attempts) == rules.ATTEMPTS_MAX
