"""A refund at a bank with Juspay's stack goes back once, whichever call is interrupted.

The call that asks about a refund is the call that begins it: so neither may be made for nothing.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from hundi.acquirers.juspay_upi.kind import KIND
from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import refund_reference
from hundi.kernel.records import replace
from hundi.kernel.states import PaymentState
from hundi.merchants.directory.rules import MerchantSettings
from hundi.payments.acquirer_words.actions import KeptWords
from hundi.payments.attempts.inquiries import actions as asking
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds import store
from hundi.payments.refunds.actions import ItemToRefund
from hundi.payments.refunds.rules import SENT_GRACE
from tests.acquirers.juspay_upi.opened import settings
from tests.acquirers.juspay_upi.standin import UpiStack
from tests.acquirers.shared import CALLBACK
from tests.payments.interrupted import (
    Interruption,
    Start,
    shop_on,
    whichever_call_is_interrupted,
)
from tests.shop import Shop, inquire_due, open_shop, refund_due

SOON = timedelta(seconds=10)
TIMES = (timedelta(), timedelta(seconds=31), SENT_GRACE + timedelta(minutes=1), timedelta(hours=1))
"""When a worker looks: now, and when the leases and graces of a killed one are over."""

KINDS = (Interruption.KILLED, Interruption.UNHEARD)


@asynccontextmanager
async def shop_at(shop: Shop, db: Database, stack: UpiStack) -> AsyncIterator[Shop]:
    """Run the shop in a process with this database, in which the connector keeps its words."""
    connector = KIND.open("bank", settings(stack), AcquirerContext(CALLBACK, KeptWords(db)))
    here = shop_on(shop, db)
    try:
        yield replace(here, context=replace(here.context, connectors=Registry([connector])))
    finally:
        await connector.close()


async def paid(shop: Shop, stack: UpiStack, now: datetime) -> PaymentView:
    """Open an order, and pay it by its link."""
    view = await shop.order(now=now)
    attempt = await upi.offer_qr(await shop.case(view.payment.payment_id, now))
    stack.pay(attempt.reference)
    await asking.ask_now(shop.context, attempt.connector, attempt.reference, now)
    await inquire_due(shop.context, now + SOON)
    assert (await shop.again(view)).payment.state is PaymentState.PAID
    return view


async def test_a_refund_of_a_merchant(db: Database) -> None:
    shop, now = await open_shop(db, MerchantSettings(channels=("upi",))), utc_now()
    async with UpiStack.running() as stack, shop_at(shop, db, stack) as here:
        stack.encrypts = True

        async def begin() -> Start:
            stack.refunds.clear()
            payment = (await paid(here, stack, now)).payment
            payment_id, merchant_id = payment.payment_id, payment.merchant_id
            (asked,) = await refunds.request(
                here.context, here.merchant, payment_id, [ItemToRefund()], now
            )

            async def works(process: Database) -> None:
                async with shop_at(shop, process, stack) as there:
                    for after in TIMES:
                        await refund_due(there.context, now + 2 * SOON + after)

            async def end() -> object:
                (refund,) = await store.of_payment(db, merchant_id, payment_id)
                assert list(stack.refunds) == [refund_reference(merchant_id, asked.refund_id)]
                return refund.state.value, [each["refundAmount"] for each in stack.refunds.values()]

            return [works], end

        found = await whichever_call_is_interrupted(db, begin, KINDS)
    assert found == ("done", ["1499.50"])
