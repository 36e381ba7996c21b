"""A gateway whose acquirer is Cashfree.

A payment is disputed, contested with a document, escalated and lost.
"""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from hundi.acquirers.port.disputes import TellsDisputes
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import utc_now
from hundi.kernel.states import Actor, PaymentState
from hundi.merchants.directory.rules import MerchantSettings
from hundi.payments.attempts.inquiries import actions as asking
from hundi.payments.disputes import actions as disputes
from hundi.payments.disputes import jobs
from hundi.payments.disputes.answers import actions as answers
from hundi.payments.disputes.answers.actions import DisputeReply
from hundi.payments.disputes.rules import Stage
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.risk.actions import RiskControl
from tests.acquirers.cashfree import account as accounts
from tests.acquirers.cashfree.standin_disputes import move, raise_dispute
from tests.documents import pdf
from tests.shop import VAULT, Shop, inquire_due, open_shop

SOON, LATER = timedelta(seconds=10), timedelta(hours=1)
PDF = pdf("bill of delivery")


@pytest.fixture
async def there() -> AsyncIterator[accounts.Shop]:
    async with accounts.account() as opened:
        yield opened


@pytest.fixture
async def shop(db: Database, there: accounts.Shop) -> Shop:
    shop = await open_shop(db, MerchantSettings(channels=("upi",)))
    shop.context = PaymentContext(
        db,
        shop.context.directory,
        Registry([there.connector]),
        RiskControl(db, VAULT),
        LATER,
        timedelta(minutes=8),
    )
    return shop


async def paid(shop: Shop, there: accounts.Shop) -> str:
    """Pay an order by its UPI link, and return our reference of the attempt."""
    now = utc_now()
    view = await shop.order(now=now)
    attempt = await upi.offer_qr(await shop.case(view.payment.payment_id, now))
    await upi.pay_link(shop.context, shop.merchant, view.payment.order_id, attempt)
    there.bank.world.pay(attempt.reference)
    there.bank.world.take_webhooks()
    await asking.ask_now(shop.context, attempt.connector, attempt.reference, now)
    await inquire_due(shop.context, now + SOON)
    assert (await shop.again(view)).payment.state is PaymentState.PAID
    return attempt.reference


async def told(shop: Shop, there: accounts.Shop) -> bool:
    """Deliver the webhooks that wait, the last one first, each twice."""
    (connector,) = shop.context.connectors.all()
    assert isinstance(connector, TellsDisputes)
    taken = []
    for webhook in reversed(there.bank.world.take_webhooks() * 2):
        named = connector.read_dispute(webhook.headers, webhook.body, now_s=0)
        assert named is not None
        taken.append(await disputes.handle_callback(shop.context, "cashfree", named, utc_now()))
    return bool(taken) and all(taken)


async def phases(shop: Shop) -> list[Stage]:
    (latest,) = await answers.list_of(shop.db, shop.merchant.merchant_id, None, None, 10)
    found = await answers.find(shop.db, latest.merchant_id, latest.dispute_id)
    assert found is not None
    return list(found.stages)


async def test_a_dispute_is_contested_with_a_document_won_raised_again_and_lost(
    shop: Shop, there: accounts.Shop
) -> None:
    dispute = raise_dispute(there.bank.world, await paid(shop, there))
    assert await told(shop, there)
    (stage,) = await phases(shop)
    assert (stage.bank_case, stage.reason, stage.held_paise) == (
        str(dispute["dispute_id"]),
        "13.1",
        149_950,
    )
    owner, now = stage.merchant_id, utc_now()
    await answers.add_evidence(shop.db, VAULT, owner, stage.dispute_id, "bill.pdf", PDF, now)
    await answers.answer(
        shop.db, owner, stage.dispute_id, DisputeReply(0, "signed for"), Actor.MERCHANT, now
    )
    assert await jobs.disputes(shop.context, VAULT).once(now) == 1
    (sent,) = [each for each in there.bank.bodies if "content" in each]
    assert (sent["content"], sent["note"]) == (PDF, "signed for")
    move(there.bank.world, dispute, "MERCHANT_WON")
    move(there.bank.world, dispute, "CREATED", kind="PRE_ARBITRATION")
    assert await told(shop, there)
    assert [(each.phase, each.state) for each in await phases(shop)] == [
        ("chargeback", "won"),
        ("pre_arbitration", "open"),
    ]
    move(there.bank.world, dispute, "MERCHANT_LOST", told=False)
    assert await disputes.look(shop.context, now) == 1
    lost = (await phases(shop))[-1]
    assert (lost.state, lost.taken_paise, lost.rrn) == ("lost", 149_950, stage.bank_case)
    posted = [
        (kind, paise) for kind, _, paise in await shop.postings() if kind.startswith("dispute")
    ]
    assert sorted(posted) == [("dispute_held", 149_950)] * 2 + [
        ("dispute_lost", 149_950),
        ("dispute_won", 149_950),
    ]


async def test_a_dispute_whose_webhook_was_lost_is_found_in_the_books(
    shop: Shop, there: accounts.Shop
) -> None:
    raise_dispute(there.bank.world, await paid(shop, there), told=False)
    for _ in range(2):
        assert await disputes.look(shop.context, utc_now()) == 1
    (stage,) = await phases(shop)
    assert (stage.state, stage.held_paise) == ("open", 149_950)


async def test_a_dispute_of_nobody_here_is_told_again_and_opens_nothing(
    shop: Shop, there: accounts.Shop
) -> None:
    raise_dispute(there.bank.world, await paid(shop, there))
    there.bank.world.take_webhooks()
    strange = await accounts.paid(there)
    there.bank.world.take_webhooks()
    raise_dispute(there.bank.world, strange.reference)
    assert not await told(shop, there)
    assert await answers.list_of(shop.db, shop.merchant.merchant_id, None, None, 10) == []
