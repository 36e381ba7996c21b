"""Webhooks about disputes name their phase and prove nothing more."""

from datetime import UTC, datetime, timedelta

import pytest

from hundi.acquirers.port.disputes import PhaseName, Standing
from hundi.kernel.states import DisputePhase as P
from tests.acquirers.cashfree import published
from tests.acquirers.cashfree.account import Shop, paid
from tests.acquirers.cashfree.disputed import raised, standing
from tests.acquirers.cashfree.standin_disputes import move, tell
from tests.acquirers.cashfree.world import Webhook


def told(shop: Shop) -> list[Webhook]:
    return [each for each in shop.bank.world.take_webhooks() if b'"DISPUTE_' in each.body]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (published.DISPUTE_CREATED, PhaseName("433475258", P.CHARGEBACK)),
        (published.DISPUTE_UPDATED, PhaseName("433475257", P.PRE_ARBITRATION)),
        (published.DISPUTE_CLOSED, PhaseName("433475257", P.CHARGEBACK)),
    ],
)
async def test_the_published_webhooks_name_their_phase(
    shop: Shop, body: bytes, name: PhaseName
) -> None:
    webhook = shop.bank.world.signed(body)
    assert shop.connector.read_dispute(webhook.headers, webhook.body, now_s=0) == (name, "")


async def test_a_webhook_names_its_dispute_and_proves_nothing_more(shop: Shop) -> None:
    dispute, name = await raised(shop)
    original = dispute["order_details"]["order_id"]
    (webhook,) = told(shop)
    assert shop.connector.read_dispute(webhook.headers, webhook.body, now_s=0) == (name, original)
    for forged in (webhook.forged(), webhook.reserialised()):
        assert shop.connector.read_dispute(forged.headers, forged.body, now_s=0) is None
    assert shop.connector.read_dispute(webhook.headers, webhook.body + b" ", now_s=0) is None
    await paid(shop)
    (payment,) = shop.bank.world.take_webhooks()
    assert shop.connector.read_dispute(payment.headers, payment.body, now_s=0) is None


async def test_webhooks_that_come_late_twice_and_in_any_order_all_ask_about_now(shop: Shop) -> None:
    dispute, name = await raised(shop)
    move(shop.bank.world, dispute, "DOCS_RECEIVED")
    move(shop.bank.world, dispute, "MERCHANT_WON")
    move(shop.bank.world, dispute, "CREATED", kind="PRE_ARBITRATION")
    webhooks = told(shop)
    assert len(webhooks) == 4
    later_s = int((datetime.now(UTC) + timedelta(days=3)).timestamp())
    for webhook in (*reversed(webhooks), webhooks[0]):
        read = shop.connector.read_dispute(webhook.headers, webhook.body, now_s=later_s)
        assert read is not None
        expected = Standing.WON if read[0] == name else Standing.OPEN
        assert await standing(shop, read[0]) == (expected, 0)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'"DISPUTE_CREATED"',
        b'{"type":"DISPUTE_CREATED"}',
        b'{"type":"DISPUTE_CREATED","data":[]}',
        b'{"type":"DISPUTE_CREATED","data":{"dispute":7}}',
        b'{"type":"DISPUTE_CREATED","data":{"dispute":{"dispute_id":{},"dispute_type":"CHARGEBACK"}}}',
        b'{"type":"DISPUTE_CREATED","data":{"dispute":{"dispute_id":"1","dispute_type":["CHARGEBACK"]}}}',
        b'{"type":"DISPUTE_CREATED","data":{"dispute":{"dispute_id":"../x","dispute_type":"CHARGEBACK"}}}',
        b'{"type":"DISPUTE_CREATED","data":{"dispute":{"dispute_id":"1","dispute_id":"2","dispute_type":"CHARGEBACK"}}}',
        b'{"type":["DISPUTE_CREATED"],"data":{"dispute":{"dispute_id":"1","dispute_type":"CHARGEBACK"}}}',
        b'{"type":"DISPUTE_MERGED","data":{"dispute":{"dispute_id":"1","dispute_type":"CHARGEBACK"}}}',
    ],
)
async def test_signed_garbage_is_about_no_dispute(shop: Shop, body: bytes) -> None:
    webhook = shop.bank.world.signed(body)
    assert shop.connector.read_dispute(webhook.headers, webhook.body, now_s=0) is None


async def test_a_webhook_signed_with_the_secret_before_is_proven(shop: Shop) -> None:
    dispute, name = await raised(shop, told=False)
    connector = shop.reopened(
        client_secret="another-secret-of-16", previous_client_secret=shop.bank.world.secret
    )
    tell(shop.bank.world, dispute, "DISPUTE_CREATED")
    (webhook,) = told(shop)
    read = connector.read_dispute(webhook.headers, webhook.body, now_s=0)
    assert read is not None
    assert read[0] == name
    await connector.close()
