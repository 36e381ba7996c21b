"""A gateway whose acquirer is Razorpay.

An order is paid by its link, on its page, and given back, once.
"""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.disputes import TellsDisputes
from hundi.acquirers.razorpay.api import Account
from hundi.acquirers.razorpay.connector import RazorpayConnector
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import utc_now
from hundi.kernel.states import AttemptState, PaymentState
from hundi.merchants.directory.rules import MerchantSettings
from hundi.payments.acquirer_words.actions import KeptWords
from hundi.payments.attempts.inquiries import actions as asking
from hundi.payments.disputes import actions as disputes
from hundi.payments.disputes.answers import actions as answers
from hundi.payments.methods.card import actions as cards
from hundi.payments.methods.redirect import actions as redirects
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds.actions import ItemToRefund
from hundi.payments.risk.actions import RiskControl
from tests.acquirers.razorpay.conftest import Clock
from tests.acquirers.razorpay.standin import Standin
from tests.shop import VAULT, Shop, inquire_due, open_shop, refund_due

SOON, LATER = timedelta(seconds=10), timedelta(hours=1)


@pytest.fixture
async def shop(db: Database, account: Account, clock: Clock) -> AsyncIterator[Shop]:
    shop = await open_shop(db, MerchantSettings(channels=("upi", "pg", "ppc")))
    connector = RazorpayConnector("razorpay", account, KeptWords(db), now=clock)
    shop.context = PaymentContext(
        db,
        shop.context.directory,
        Registry([connector]),
        RiskControl(db, VAULT),
        LATER,
        timedelta(minutes=8),
    )
    yield shop
    await connector.close()


def back(attempt_id: int) -> str:
    return f"https://pay.example.in/back/{attempt_id}"


async def test_an_order_is_paid_by_its_link_and_given_back(shop: Shop, bank: Standin) -> None:
    now = utc_now()
    view = await shop.order(now=now)
    attempt = await upi.offer_qr(await shop.case(view.payment.payment_id, now))
    link = await upi.pay_link(shop.context, shop.merchant, view.payment.order_id, attempt)
    (payment,) = bank.books.payments.values()
    assert link == payment.link
    bank.books.fail(payment.id)
    await asking.ask_now(shop.context, attempt.connector, attempt.reference, now)
    assert await inquire_due(shop.context, now + SOON) == 1
    assert (await shop.again(view)).payment.state is not PaymentState.FAILED
    bank.books.pay(payment.id)
    for later in (2, 3):
        await asking.ask_now(shop.context, attempt.connector, attempt.reference, now + later * SOON)
        await inquire_due(shop.context, now + later * SOON)
    paid = await shop.again(view)
    assert paid.payment.state is PaymentState.PAID
    assert (
        sum(paise for _, credit, paise in await shop.postings() if credit == "payable") == 149_950
    )

    (asked,) = await refunds.request(
        shop.context, shop.merchant, view.payment.payment_id, [ItemToRefund()], now
    )
    for later in (4, 5):
        await refund_due(shop.context, now + later * SOON)
    (refund,) = bank.books.refunds.values()
    assert (refund.amount, refund.receipt) == (
        149_950,
        f"{shop.merchant.merchant_id}-R{asked.refund_id}",
    )
    assert refund.key == f"hundi-refund-{refund.receipt}"


async def test_an_order_whose_customer_bears_the_fee_is_paid_and_does_not_go_back(
    shop: Shop, bank: Standin
) -> None:
    now = utc_now()
    bank.books.customer_fee = 2_360
    view = await shop.order(now=now)
    attempt = await upi.offer_qr(await shop.case(view.payment.payment_id, now))
    await upi.pay_link(shop.context, shop.merchant, view.payment.order_id, attempt)
    (payment,) = bank.books.payments.values()
    bank.books.pay(payment.id)
    await asking.ask_now(shop.context, attempt.connector, attempt.reference, now)
    await inquire_due(shop.context, now + SOON)
    paid = await shop.again(view)
    assert (paid.payment.state, paid.attempts[0].state) == (PaymentState.PAID, AttemptState.PAID)
    assert (
        sum(paise for _, credit, paise in await shop.postings() if credit == "payable") == 149_950
    )
    await refund_due(shop.context, now + LATER)
    assert not bank.books.refunds


async def test_an_order_is_paid_on_razorpays_page_after_a_try_that_failed(
    shop: Shop, bank: Standin
) -> None:
    now = utc_now()
    view = await shop.order(now=now)
    page = await cards.pay_at_page(await shop.case(view.payment.payment_id, now), back)
    assert isinstance(page, Redirect)
    fields = dict(page.fields)
    wanted = {
        **fields,
        "amount": int(fields["amount"]),
        "email": "a@b.in",
        "contact": "9",
        "method": "card",
    }
    bank.books.fail(bank.books.create_payment(wanted, {}).id)
    bank.books.pay(bank.books.create_payment(wanted, {}).id)
    (attempt,) = (await shop.again(view)).attempts
    await asking.ask_now(shop.context, attempt.connector, attempt.reference, now)
    await inquire_due(shop.context, now + SOON)
    assert (await shop.again(view)).payment.state is PaymentState.PAID


async def test_a_customer_who_left_the_banks_page_may_try_again(
    shop: Shop, bank: Standin, clock: Clock
) -> None:
    now = utc_now()
    view = await shop.order(now=now)
    page = await redirects.start(
        await shop.case(view.payment.payment_id, now), "wallet", "MBKW", back
    )
    assert isinstance(page, Redirect)
    (payment,) = bank.books.payments.values()
    bank.books.fail(
        payment.id, {"error_code": "BAD_REQUEST_ERROR", "error_reason": "payment_cancelled"}
    )
    (attempt,) = (await shop.again(view)).attempts
    await asking.ask_now(shop.context, attempt.connector, attempt.reference, now)
    await inquire_due(shop.context, now + SOON)
    assert (await shop.again(view)).attempts[0].state is AttemptState.AUTHENTICATING
    clock.ahead_s += LATER.total_seconds()
    await asking.ask_now(shop.context, attempt.connector, attempt.reference, now + LATER)
    await inquire_due(shop.context, now + LATER + SOON)
    assert (await shop.again(view)).attempts[0].state is AttemptState.EXPIRED


async def test_a_dispute_is_held_by_a_webhook_contested_and_lost(shop: Shop, bank: Standin) -> None:
    now = utc_now()
    view = await shop.order(now=now)
    attempt = await upi.offer_qr(await shop.case(view.payment.payment_id, now))
    await upi.pay_link(shop.context, shop.merchant, view.payment.order_id, attempt)
    (payment,) = bank.books.payments.values()
    bank.books.pay(payment.id)
    await asking.ask_now(shop.context, attempt.connector, attempt.reference, now)
    await inquire_due(shop.context, now + SOON)
    dispute = bank.money.raise_dispute(payment.id, 40_000)
    (connector,) = shop.context.connectors.all()
    assert isinstance(connector, TellsDisputes)
    event = bank.events()[-1]
    headers = {name.lower(): value for name, value in event.headers.items()}
    told = connector.read_dispute(headers, event.body, now_s=0)
    assert told is not None
    for _ in range(2):
        assert await disputes.handle_callback(shop.context, "razorpay", told, now)
    assert await disputes.look(shop.context, now) == 1
    ((stage,),) = [
        await answers.list_of(shop.context.db, shop.merchant.merchant_id, None, None, 10)
    ]
    assert (stage.bank_case, stage.held.paise) == (dispute["id"], 40_000)
    bank.money.decide(dispute["id"], "lost")
    assert await disputes.look(shop.context, now) == 1
    posted = [
        (kind, paise) for kind, _, _, paise in await kinds(shop) if kind.startswith("dispute")
    ]
    assert posted == [("dispute_held", 40_000), ("dispute_lost", 40_000)]


async def kinds(shop: Shop) -> list[tuple[str, str, str, int]]:
    query = "SELECT kind, debit, credit, amount_paise FROM ledger_postings ORDER BY at, kind"
    return [tuple(row) for row in await shop.context.db.fetch(query)]
