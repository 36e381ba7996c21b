"""Orders: opened, opened again, refused, found, closed."""

import asyncio
from datetime import timedelta

import msgspec
import pytest

from hundi.acquirers.port.answers import Approved, BankCallback
from hundi.acquirers.registry import Registry
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.kernel.states import PaymentKind, PaymentState
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.orders import actions as payments
from hundi.payments.orders import store
from hundi.payments.orders.opening import actions as opening
from hundi.payments.orders.rules import Buyer, NewOrder, PaymentView
from tests.shop import NOW, Shop, close_due

OTHER = b"\1" * 32


async def pay(shop: Shop, view: PaymentView) -> None:
    """Let the bank say that the offered QR was paid."""
    assert view.offered is not None
    answer = Approved(view.payment.amount, "632512345678")
    await answers.handle_callback(
        shop.context, "sandbox", BankCallback("cb", view.offered.reference, answer), NOW
    )


async def test_a_new_order_is_open_and_offers_a_qr(shop: Shop) -> None:
    view = await shop.order(order_id="A-1")
    again = await shop.again(view)
    assert again == view
    assert (again.payment.state, again.payment.revision, len(again.attempts)) == (
        PaymentState.OPEN,
        1,
        1,
    )


async def test_the_same_order_thirty_times_at_once_is_one_payment(shop: Shop) -> None:
    views = await asyncio.gather(*(shop.order(order_id="A-1") for _ in range(30)))
    assert len({each.payment.payment_id for each in views}) == 1
    assert await shop.db.fetchval("SELECT count(*) FROM attempts") == 1


async def test_the_same_order_with_other_content_is_refused(shop: Shop) -> None:
    await shop.order(order_id="A-1")
    with pytest.raises(Refused) as refused:
        await shop.order(order_id="A-1", content=OTHER)
    assert refused.value.refusal.code is RefusalCode.ORDER_CONTENT_DIFFERS


async def test_an_order_id_of_a_month_that_was_dropped_from_the_archive_stays_used(
    shop: Shop,
) -> None:
    dropped = (
        "INSERT INTO archived_orders (merchant_id, order_id, payment_id, marked_at) VALUES "
        "($1, $2, $3, now())"
    )
    await shop.db.execute(dropped, shop.merchant.merchant_id, "A-1", 215_373_998_123_456)
    with pytest.raises(Refused) as refused:
        await shop.order(order_id="A-1")
    assert refused.value.refusal.code is RefusalCode.ORDER_ALREADY_PAID


async def test_a_paid_order_is_refused(shop: Shop) -> None:
    await pay(shop, await shop.order(order_id="A-1"))
    with pytest.raises(Refused) as refused:
        await shop.order(order_id="A-1")
    assert refused.value.refusal.code is RefusalCode.ORDER_ALREADY_PAID


async def test_an_order_whose_session_ended_opens_again_with_a_new_qr(shop: Shop) -> None:
    view = await shop.order(order_id="A-1")
    end = NOW + timedelta(minutes=16)
    again = await shop.order(order_id="A-1", now=end)
    assert again.payment.payment_id == view.payment.payment_id
    assert (again.payment.state, again.payment.expires_at) == (
        PaymentState.OPEN,
        end + shop.context.session,
    )
    assert again.offered is not None
    assert view.offered is not None
    assert again.offered.attempt_id != view.offered.attempt_id


async def test_an_order_is_found_by_each_reference_and_only_when_all_agree(shop: Shop) -> None:
    view = await shop.order(order_id="A-1")
    other = await shop.order(order_id="A-2")
    await pay(shop, view)
    merchant_id, payment_id = shop.merchant.merchant_id, view.payment.payment_id

    async def find(
        order_id: str | None = None, number: int | None = None, rrn: str | None = None
    ) -> str | None:
        found = await payments.find(
            shop.context, merchant_id, order_id=order_id, payment_id=number, rrn=rrn
        )
        return found.payment.order_id if found else None

    assert (
        await find(order_id="A-1")
        == await find(number=payment_id)
        == await find(rrn="632512345678")
        == "A-1"
    )
    assert await find("A-1", payment_id, "632512345678") == "A-1"
    assert await find("A-2", payment_id) is None
    assert await find(number=other.payment.payment_id, rrn="632512345678") is None
    assert (
        await payments.find(
            shop.context, merchant_id + 1, order_id="A-1", payment_id=None, rrn=None
        )
        is None
    )


async def test_a_channel_that_is_not_enabled_is_refused_by_name(shop: Shop) -> None:
    order = NewOrder("A-1", Money(100), PaymentKind.SALE, Buyer(), bytes(32), channels=("nb",))
    with pytest.raises(Refused) as refused:
        await opening.initiate(shop.context, shop.merchant, order, NOW)
    assert (refused.value.refusal.field, refused.value.refusal.received) == ("chmod", "nb")


async def test_a_merchant_that_no_acquirer_serves_is_refused_for_that(shop: Shop) -> None:
    order = NewOrder("A-1", Money(100), PaymentKind.SALE, Buyer(), bytes(32))
    with pytest.raises(Refused) as refused:
        await opening.initiate(
            replace(shop.context, connectors=Registry([])), shop.merchant, order, NOW
        )
    assert refused.value.refusal.code is RefusalCode.NO_CHANNEL_SERVED
    upi_only = replace(
        shop.merchant, settings=msgspec.structs.replace(shop.merchant.settings, channels=("upi",))
    )
    with pytest.raises(Refused) as refused:
        await opening.initiate(shop.context, upi_only, replace(order, kind=PaymentKind.MOTO), NOW)
    assert refused.value.refusal.code is RefusalCode.CHANNEL_NOT_ENABLED, (
        "UPI is served, and cannot do this"
    )


async def test_a_cards_only_order_offers_no_qr(shop: Shop) -> None:
    order = NewOrder("A-1", Money(100), PaymentKind.SALE, Buyer(), bytes(32), channels=("pg",))
    view = await opening.initiate(shop.context, shop.merchant, order, NOW)
    assert view.attempts == ()
    await close_due(shop.context, NOW + timedelta(minutes=16))
    assert (await shop.again(view)).payment.state is PaymentState.EXPIRED


async def test_the_story_of_a_payment_has_no_gaps(shop: Shop) -> None:
    view = await shop.order()
    await pay(shop, view)
    events = await store.select_events(shop.db, shop.merchant.merchant_id, view.payment.payment_id)
    assert [(row["event_no"], row["kind"], row["state"]) for row in events] == [
        (1, "created", "open"),
        (2, "paid", "paid"),
    ]
    assert (await shop.again(view)).payment.revision == 2


@pytest.mark.parametrize("turn", range(6))
async def test_of_paying_and_expiring_at_the_same_instant_the_money_wins(
    shop: Shop, turn: int
) -> None:
    views = [await shop.order() for _ in range(8)]
    late = NOW + timedelta(minutes=16)
    # What the network says of QRs that nobody paid: only then a session can end while its QR is
    # paid.
    await shop.db.execute(
        "UPDATE attempts SET state = 'expired', settled_at = now(), inquire_at = NULL"
    )

    async def pay_late(view: PaymentView) -> None:
        await asyncio.sleep(0.001 * turn)
        word = BankCallback(
            "cb", view.attempts[0].reference, Approved(view.payment.amount, "632512345678")
        )
        await answers.handle_callback(shop.context, "sandbox", word, late)

    await asyncio.gather(*map(pay_late, views), close_due(shop.context, late))
    states = [(await shop.again(view)).payment.state for view in views]
    assert states == [PaymentState.PAID] * len(views)
    posted = await shop.postings()
    assert [kind for kind, _, _ in posted] == ["payment"] * len(views)
