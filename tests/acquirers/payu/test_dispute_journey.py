"""A gateway whose acquirer is PayU: what is answered here, and what in PayU's dashboard."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.payu.kind import KIND
from hundi.acquirers.port.disputes import TellsDisputes
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import business_day, utc_now
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.kernel.states import Actor, PaymentState
from hundi.merchants.directory.rules import MerchantSettings
from hundi.money.audit import actions as audit
from hundi.payments.attempts.inquiries import actions as asking
from hundi.payments.disputes import actions as disputes
from hundi.payments.disputes import jobs
from hundi.payments.disputes.answers import actions as answers
from hundi.payments.disputes.answers.actions import DisputeReply, DisputeView
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.risk.actions import RiskControl
from tests.acquirers.payu.opened import CALLBACK, settings
from tests.acquirers.payu.standin_disputes import MERCHANT_ID, TOKEN, DisputedPayU
from tests.acquirers.playing import running
from tests.shop import VAULT, Shop, inquire_due, open_shop

SOON, LATER = timedelta(seconds=10), timedelta(hours=1)
PAISE = 149_950


@pytest.fixture
async def payu() -> AsyncIterator[DisputedPayU]:
    async with running(DisputedPayU()) as opened:
        opened.today = business_day(utc_now())
        yield opened


@pytest.fixture
async def shop(db: Database, payu: DisputedPayU) -> AsyncIterator[Shop]:
    shop = await open_shop(db, MerchantSettings(channels=("upi",)))
    fields = settings(
        payu,
        dispute_token=TOKEN,
        dispute_merchant_id=MERCHANT_ID,
        dispute_url=f"{payu.url}/api/v1",
    )
    connector = KIND.open("payu", fields, AcquirerContext(CALLBACK, ShortMemory()))
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


async def disputed(shop: Shop, payu: DisputedPayU) -> str:
    """Pay an order by its link, have it disputed, and return the dispute's number at PayU."""
    now = utc_now()
    view = await shop.order(now=now)
    attempt = await upi.offer_qr(await shop.case(view.payment.payment_id, now))
    await upi.pay_link(shop.context, shop.merchant, view.payment.order_id, attempt)
    payu.pay(attempt.reference)
    await asking.ask_now(shop.context, attempt.connector, attempt.reference, now)
    await inquire_due(shop.context, now + SOON)
    assert (await shop.again(view)).payment.state is PaymentState.PAID
    return payu.raise_dispute(attempt.reference)


async def told(shop: Shop, payu: DisputedPayU, number: str) -> None:
    """Deliver a signed webhook twice."""
    (connector,) = shop.context.connectors.all()
    assert isinstance(connector, TellsDisputes)
    headers, body = payu.dispute_webhook(number, signs=True)
    lower = {name.lower(): value for name, value in headers.items()}
    for _ in range(2):
        named = connector.read_dispute(lower, body, now_s=0)
        assert named is not None
        assert await disputes.handle_callback(shop.context, "payu", named, utc_now())


async def view_of(shop: Shop) -> DisputeView:
    (latest,) = await answers.list_of(shop.db, shop.merchant.merchant_id, None, None, 10)
    found = await answers.find(shop.db, latest.merchant_id, latest.dispute_id)
    assert found is not None
    return found


async def taken(shop: Shop, reply: DisputeReply) -> None:
    answers.check_taken(await view_of(shop), reply, shop.context.connectors.all())


async def posted(shop: Shop) -> list[tuple[str, int]]:
    found = [(kind, paise) for kind, _, paise in await shop.postings() if kind[:7] == "dispute"]
    return sorted(found)


async def test_a_dispute_is_accepted_here(shop: Shop, payu: DisputedPayU) -> None:
    number = await disputed(shop, payu)
    await told(shop, payu, number)
    stage = (await view_of(shop)).latest
    assert (stage.state, stage.held_paise) == ("open", PAISE)
    for reply in (DisputeReply(0, "delivered"), DisputeReply(50_000, "one came back")):
        with pytest.raises(Refused) as refused:
            await taken(shop, reply)
        assert refused.value.refusal.code is RefusalCode.DISPUTE_ELSEWHERE
        assert refused.value.refusal.received == "payu"
    await taken(shop, DisputeReply())
    owner, now = stage.merchant_id, utc_now()
    await answers.answer(shop.db, owner, stage.dispute_id, DisputeReply(), Actor.MERCHANT, now)
    assert await jobs.disputes(shop.context, VAULT).once(now) == 1
    stage = (await view_of(shop)).latest
    assert (stage.state, stage.taken_paise, stage.rrn) == ("accepted", PAISE, number)
    assert await posted(shop) == [("dispute_held", PAISE), ("dispute_lost", PAISE)]
    await taken(shop, DisputeReply(0, "too late: the state says so"))
    assert (await audit.audit(shop.db, [], utc_now())).holds


async def test_what_is_contested_in_the_dashboard_is_seen_and_decided(
    shop: Shop, payu: DisputedPayU
) -> None:
    number = await disputed(shop, payu)
    assert await disputes.look(shop.context, utc_now()) == 1
    payu.decide(number, "Pending Doc Review")
    for _ in range(2):
        await told(shop, payu, number)
    stage = (await view_of(shop)).latest
    assert (stage.state, stage.accepted_paise) == ("under_review", 0)
    assert stage.answered_at is not None
    assert stage.sent_at == stage.answered_at
    assert await jobs.disputes(shop.context, VAULT).once(utc_now()) == 1
    assert (await audit.audit(shop.db, [], utc_now())).holds
    payu.decide(number, "Closed in Merchant Favour")
    await disputes.look(shop.context, utc_now())
    assert (await view_of(shop)).latest.state == "won"
    assert await posted(shop) == [("dispute_held", PAISE), ("dispute_won", PAISE)]
    assert await shop.told() == ["paid", "dispute_opened", "dispute_contested", "dispute_won"]
    assert (await audit.audit(shop.db, [], utc_now())).holds
