"""Orders under a link count and a surplus goes back once, whichever call is interrupted."""

from datetime import timedelta
from itertools import count

import pytest

from hundi.acquirers.port.answers import Approved, BankCallback
from hundi.infra.postgres.database import Database
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.links import actions
from hundi.payments.links.jobs import links
from hundi.payments.links.rules import LIFE, NewLink
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds import store as refunds
from tests.payments.interrupted import Start, Step, shop_on, whichever_call_is_interrupted
from tests.payments.refunds.test_actions import holds
from tests.shop import NOW, Shop, open_shop, refund_due

PAISE = 149_950
TIMES = tuple(timedelta(seconds=each) for each in (60, 120, 300, 7 * 3600, 14 * 3600))
"""When a worker looks: soon, when the leases of a killed one are over, and at the refund again."""


@pytest.fixture
async def shop(db: Database) -> Shop:
    """One merchant with UPI and cards, on this test's own database."""
    return await open_shop(db)


async def test_a_link_that_two_customers_pay(shop: Shop) -> None:
    merchant_id, numbers = shop.merchant.merchant_id, count(1)

    async def begin() -> Start:
        new = NewLink(f"REF-{next(numbers)}", PAISE, "A saree", NOW + LIFE)
        orders = dict[str, PaymentView]()

        async def makes(db: Database) -> None:
            await actions.make(shop_on(shop, db).db, merchant_id, new, "Asha", NOW)

        def pays(customer: str) -> Step:
            async def begins(db: Database) -> None:
                context = shop_on(shop, db).context
                link = await actions.find(context, merchant_id, NOW, reference=new.reference)
                assert link is not None
                orders[customer] = await actions.begin(context, shop.merchant, link.link, None, NOW)

            return begins

        def approves(customer: str) -> Step:
            async def calls_back(db: Database) -> None:
                view = orders[customer]
                assert view.offered is not None
                approved = Approved(view.payment.amount, f"63251234567{len(customer)}")
                word = BankCallback("cb-1", view.offered.reference, approved)
                await answers.handle_callback(shop_on(shop, db).context, "sandbox", word, NOW)

            return calls_back

        async def works(db: Database) -> None:
            context = shop_on(shop, db).context
            for after in TIMES:
                await links(context).once(NOW + after)
                await refund_due(context, NOW + after)

        async def end() -> object:
            view = await actions.find(shop.context, merchant_id, NOW, reference=new.reference)
            assert view is not None
            paid = [each for each in view.orders if each.counted_at is not None]
            back = [
                (each.state, each.amount.paise)
                for order in orders.values()
                for each in await refunds.of_payment(shop.db, merchant_id, order.payment.payment_id)
            ]
            counts = sorted((each.counted_paise, each.back_paise, each.due_at) for each in paid)
            return view.link.paid_paise, counts, back

        customers = ("Asha", "Bina!")
        return [
            makes,
            *map(pays, customers),
            *map(approves, customers),
            works,
        ], end

    assert await whichever_call_is_interrupted(shop.db, begin) == (
        PAISE,
        [(0, PAISE, None), (PAISE, 0, None)],
        [("done", PAISE)],
    )
    await holds(shop.db)
