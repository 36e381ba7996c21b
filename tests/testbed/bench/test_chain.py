"""The shop's envelopes are ones the gateway takes, and its inbox believes only what is genuine."""

import asyncio
from datetime import UTC, datetime
from urllib.parse import parse_qs

import msgspec
import pytest

from hundi.sdk.credentials import Credentials
from hundi.wire import cipher
from hundi.wire.envelope import parse_outer
from hundi.wire.merchant import checksum
from hundi.wire.merchant.payments import PaymentRequest
from hundi.wire.merchant.verify import VerifyRequest
from hundi.wire.message import read_request
from hundi_testbed.bench import load
from hundi_testbed.bench.chain import BenchOrder, BenchShop, ShopInbox
from hundi_testbed.bench.load import BrokenChainError

CREDENTIALS = Credentials(
    merchant_id="10001",
    username="user-10001",
    password="pw-1",
    api_secret="api-1",
    oauth_client_id="cid-10001",
    oauth_client_secret="oauth-1",
    webhook_keys=("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3",),
)


def _opened(request: bytes) -> tuple[str, dict, str]:
    """Return the request line, what was sealed, and the privatekey.

    The checksum has been checked.
    """
    message = load.read_message(request)
    assert message is not None
    outer = parse_outer("application/x-www-form-urlencoded", message.body)
    values = cipher.open_json(CREDENTIALS.encryption_key, outer.encdata)
    assert checksum.verify_v4(values, outer.checksum, datetime.now(UTC))
    return message.head.split(b"\r\n")[0].decode(), values, outer.privatekey


def test_a_payment_is_one_the_gateway_reads():
    shop = BenchShop(CREDENTIALS)
    shop.token = "t0"
    line, values, privatekey = _opened(shop.payment("127.0.0.1:1", BenchOrder("b-1", 149_950)))
    asked = read_request(PaymentRequest, values)
    assert (asked.order_id, asked.amount_paise, asked.buyer.city) == ("b-1", 149_950, "Pune")
    assert privatekey == CREDENTIALS.privatekey
    assert parse_qs(line.split(" ")[1].partition("?")[2]) == {"token": ["t0"]}


def test_a_verify_is_one_the_gateway_reads():
    _, values, privatekey = _opened(BenchShop(CREDENTIALS).verify("127.0.0.1:1", "b-1"))
    assert read_request(VerifyRequest, values).order_id == "b-1"
    assert privatekey == CREDENTIALS.privatekey


def _inbox() -> ShopInbox:
    inbox = ShopInbox()
    inbox.shops = {CREDENTIALS.merchant_id: BenchShop(CREDENTIALS)}
    inbox.taken = 1  # the next one is not of the sample, whose signature the SDK checks
    return inbox


def _notification(order_id: str, key: bytes = CREDENTIALS.encryption_key) -> bytes:
    record = {
        "orderid": order_id,
        "amount": "1.00",
        "transaction_status": 200,
        "transaction_payment_status": "SUCCESS",
    }
    sealed = cipher.seal(key, msgspec.json.encode({"status": "success", "data": record}))
    return msgspec.json.encode({"merchant_id": CREDENTIALS.merchant_id, "response": sealed})


async def test_a_notification_wakes_the_chain_that_waits_for_it_and_no_other():
    inbox = _inbox()
    first, second = inbox.expect("b-1"), inbox.expect("b-2")
    inbox.take(b"POST /notifications HTTP/1.1", _notification("b-2"))
    inbox.take(b"POST /notifications HTTP/1.1", _notification("b-2"))
    await asyncio.wait_for(second, 1)
    assert not first.done()
    assert inbox.taken == 3


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b"no JSON",
        _notification("b-1", key=b"0" * 32),
        _notification("b-1").replace(b"10001", b"10002"),
    ],
)
async def test_a_notification_that_nobody_can_read_breaks_the_next_chain(body):
    inbox = _inbox()
    inbox.take(b"POST /notifications HTTP/1.1", body)
    with pytest.raises(BrokenChainError, match="could not be believed"):
        inbox.expect("b-1")


async def test_a_sampled_notification_needs_its_signature():
    inbox = _inbox()
    inbox.taken = 0
    inbox.take(b"POST /notifications HTTP/1.1\r\nwebhook-id: ipn_1", _notification("b-1"))
    with pytest.raises(BrokenChainError, match="Signature"):
        inbox.expect("b-1")
