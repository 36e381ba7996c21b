"""The stand-in of Razorpay does what its documents say, so that a connector is judged by them."""

import asyncio
import hashlib
import hmac
import json
import re
from base64 import b64encode
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from tests.acquirers.razorpay.standin import KEY_ID, KEY_SECRET, WEBHOOK_SECRET, Standin
from tests.acquirers.razorpay.standin_answers import Fault

RETURN_URL = "https://pay.example.in/pay/v4/return"
_receipts = count(1)


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it."""

    standin: Standin
    http: aiohttp.ClientSession

    async def call(
        self, method: str, path: str, asked: dict[str, Any] | None = None, **headers: str
    ) -> tuple[int, dict[str, Any]]:
        pair = b64encode(f"{KEY_ID}:{KEY_SECRET}".encode()).decode()
        named = {"Authorization": f"Basic {pair}"} | headers
        async with self.http.request(
            method, self.standin.url + path, json=asked, headers=named
        ) as answer:
            return answer.status, await answer.json(content_type=None)

    async def order(self, **changes: Any) -> str:
        asked = {
            "amount": 149_950,
            "currency": "INR",
            "receipt": f"10001-{next(_receipts)}",
        } | changes
        status, order = await self.call("POST", "/orders", asked)
        assert status == 200, order
        return order["id"]

    async def pay_by(
        self, order_id: str, method: str, **changes: Any
    ) -> tuple[int, dict[str, Any]]:
        who = {
            "email": "gaurav.kumar@example.com",
            "contact": "9000090000",
            "callback_url": RETURN_URL,
        }
        asked = (
            {"amount": 149_950, "currency": "INR", "order_id": order_id, "method": method}
            | who
            | changes
        )
        return await self.call("POST", "/payments/create/json", asked)

    async def paid(self, **changes: Any) -> str:
        _, begun = await self.pay_by(await self.order(**changes), "upi", upi={"flow": "intent"})
        return self.standin.books.pay(begun["razorpay_payment_id"]).id


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with Standin.running() as standin, aiohttp.ClientSession() as http:
        yield Merchant(standin, http)


async def press(http: aiohttp.ClientSession, page: str, outcome: str) -> tuple[int, str, str]:
    """Press a button of a page, and return status, where it leads and the page that came."""
    [action] = re.findall(r'action="([^"]+)"', page)
    fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)">', page))
    async with http.post(
        action, data=fields | {"outcome": outcome}, allow_redirects=False
    ) as answer:
        return answer.status, answer.headers.get("Location", ""), await answer.text()


async def test_a_receipt_makes_one_order_and_finds_it(merchant: Merchant) -> None:
    order_id = await merchant.order(receipt="10001-4711")
    status, refused = await merchant.call(
        "POST", "/orders", {"amount": 100, "currency": "INR", "receipt": "10001-4711"}
    )
    assert (status, refused["error"]["code"], refused["error"]["reason"]) == (
        400,
        "BAD_REQUEST_ERROR",
        "input_validation_failed",
    )
    assert [
        each["id"]
        for each in (await merchant.call("GET", "/orders?receipt=10001-4711"))[1]["items"]
    ] == [order_id]
    assert (await merchant.call("GET", "/orders?receipt=nothing"))[1] == {
        "entity": "collection",
        "count": 0,
        "items": [],
    }
    assert (await merchant.call("GET", "/orders/order_nothing0000000"))[0] == 400


@pytest.mark.parametrize("amount", [99, "100", 1.5, True])
async def test_an_amount_is_a_whole_number_of_at_least_100(merchant: Merchant, amount: Any) -> None:
    status, refused = await merchant.call("POST", "/orders", {"amount": amount, "currency": "INR"})
    assert (status, refused["error"]["field"]) == (400, "amount")


async def test_a_failed_try_is_followed_by_a_paid_one_and_then_by_none(merchant: Merchant) -> None:
    order_id = await merchant.order()
    _, first = await merchant.pay_by(order_id, "upi", upi={"flow": "intent"})
    merchant.standin.books.fail(first["razorpay_payment_id"])
    _, second = await merchant.pay_by(order_id, "upi", upi={"flow": "intent"})
    assert second["next"][0]["url"].startswith("upi://pay?pa=")
    merchant.standin.books.pay(second["razorpay_payment_id"])
    _, found = await merchant.call("GET", f"/orders/{order_id}/payments")
    assert [
        (each["status"], each["captured"], each["error_reason"]) for each in found["items"]
    ] == [
        ("failed", False, "payment_failed"),
        ("captured", True, None),
    ]
    _, order = await merchant.call("GET", f"/orders/{order_id}")
    assert (order["status"], order["attempts"], order["amount_due"]) == ("paid", 2, 0)
    assert (await merchant.pay_by(order_id, "netbanking", bank="HDFC"))[0] == 400


async def test_a_failed_payment_is_authorised_late_and_refunded_by_itself(
    merchant: Merchant,
) -> None:
    _, begun = await merchant.pay_by(
        await merchant.order(payment={"capture": "manual"}), "netbanking", bank="HDFC"
    )
    payment_id = begun["razorpay_payment_id"]
    merchant.standin.books.fail(payment_id)
    assert merchant.standin.books.pay(payment_id).status == "authorized"
    merchant.standin.books.auto_refund(payment_id)
    _, payment = await merchant.call("GET", f"/payments/{payment_id}")
    assert (payment["status"], payment["amount_refunded"], payment["captured"]) == (
        "refunded",
        149_950,
        False,
    )
    _, refunds = await merchant.call("GET", f"/payments/{payment_id}/refunds")
    assert [each["receipt"] for each in refunds["items"]] == [None]


async def test_a_hold_is_captured_once_and_whole(merchant: Merchant) -> None:
    _, begun = await merchant.pay_by(
        await merchant.order(payment={"capture": "manual"}), "card", card={"number": "1"}
    )
    payment_id = begun["razorpay_payment_id"]
    merchant.standin.books.pay(payment_id)
    part = {"amount": 100, "currency": "INR"}
    assert (await merchant.call("POST", f"/payments/{payment_id}/capture", part))[0] == 400
    whole = {"amount": 149_950, "currency": "INR"}
    assert (await merchant.call("POST", f"/payments/{payment_id}/capture", whole))[1][
        "status"
    ] == "captured"
    assert (await merchant.call("POST", f"/payments/{payment_id}/capture", whole))[0] == 400


async def test_a_customer_pays_another_amount(merchant: Merchant) -> None:
    _, begun = await merchant.pay_by(await merchant.order(), "upi", upi={"flow": "intent"})
    merchant.standin.books.pay(begun["razorpay_payment_id"], amount=149_900, currency="USD")
    _, payment = await merchant.call("GET", f"/payments/{begun['razorpay_payment_id']}")
    assert (payment["amount"], payment["currency"]) == (149_900, "USD")


async def test_a_refund_with_a_key_happens_once(merchant: Merchant) -> None:
    path = f"/payments/{await merchant.paid()}/refund"
    key = {"X-Refund-Idempotency": "10001-00000001"}
    first, again = [
        await merchant.call("POST", path, {"amount": 50_000, "receipt": "r1"}, **key)
        for _ in range(2)
    ]
    assert first == again
    assert first[0] == 200
    status, refused = await merchant.call("POST", path, {"amount": 50_001, "receipt": "r1"}, **key)
    assert (status, refused["error"]["description"]) == (
        400,
        "Different request with the same idempotency key has already been processed.",
    )
    assert (await merchant.call("POST", path, {"amount": 1}, **{"X-Refund-Idempotency": "short"}))[
        0
    ] == 400
    assert (await merchant.call("POST", path, {"amount": 100_000}))[0] == 400, "more than is left"
    merchant.standin.books.end_refund(first[1]["id"], "failed")
    assert (await merchant.call("GET", f"/refunds/{first[1]['id']}"))[1]["status"] == "failed"
    assert (await merchant.call("POST", path, {"amount": 149_950}))[0] == 200, (
        "its amount is free again"
    )


async def test_a_refund_in_progress_is_a_conflict(merchant: Merchant) -> None:
    path, key = (
        f"/payments/{await merchant.paid()}/refund",
        {"X-Refund-Idempotency": "10001-00000002"},
    )
    merchant.standin.held = asyncio.Event()
    waiting = asyncio.create_task(merchant.call("POST", path, {"amount": 100}, **key))
    while not merchant.standin.keys:
        await asyncio.sleep(0)
    assert (await merchant.call("POST", path, {"amount": 100}, **key))[0] == 409
    merchant.standin.held.set()
    assert (await waiting)[0] == 200


async def test_a_customer_fails_tries_again_and_pays_on_the_hosted_page(merchant: Merchant) -> None:
    order_id = await merchant.order()
    asked = {
        "key_id": KEY_ID,
        "order_id": order_id,
        "name": "Acme",
        "amount": "149950",
        "currency": "INR",
    }
    asked |= {"prefill[email]": "a@example.com", "prefill[contact]": "9000090000", "method": "card"}
    asked |= {"callback_url": RETURN_URL, "cancel_url": RETURN_URL + "?left"}
    async with merchant.http.post(
        merchant.standin.url + "/checkout/embedded", data=asked
    ) as answer:
        page = await answer.text()
    assert (await press(merchant.http, page, "back"))[:2] == (302, RETURN_URL + "?left")
    _, _, page = await press(merchant.http, page, "retry")
    _, _, callback = await press(merchant.http, page, "success")
    payment = next(
        each for each in merchant.standin.books.payments.values() if each.status == "captured"
    )
    signed = hmac.new(
        KEY_SECRET.encode(), f"{order_id}|{payment.id}".encode(), hashlib.sha256
    ).hexdigest()
    assert f'value="{signed}"' in callback
    assert f'action="{RETURN_URL}"' in callback
    statuses = [each.status for each in merchant.standin.books.payments_of(order_id)]
    assert statuses == ["failed", "captured"]


async def test_a_bank_page_ends_with_an_error_when_its_customer_leaves(merchant: Merchant) -> None:
    _, begun = await merchant.pay_by(await merchant.order(), "netbanking", bank="HDFC")
    async with merchant.http.get(begun["next"][0]["url"]) as answer:
        page = await answer.text()
    _, _, callback = await press(merchant.http, page, "back")
    assert 'name="error[reason]" value="payment_cancelled"' in callback
    assert (await merchant.pay_by(await merchant.order(), "netbanking", bank="NOBK"))[0] == 400


async def test_webhooks_are_signed_over_their_bytes_and_sent_as_the_test_likes(
    merchant: Merchant,
) -> None:
    heard: list[tuple[str, bytes]] = []

    async def hear(request: web.Request) -> web.Response:
        heard.append((request.headers["X-Razorpay-Signature"], await request.read()))
        return web.Response(status=204)

    app = web.Application()
    app.router.add_post("/callbacks/razorpay", hear)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    await merchant.paid()
    events = merchant.standin.events()
    assert [each.name for each in events] == [
        "payment.authorized",
        "payment.captured",
        "order.paid",
    ]
    for event in (events[2], events[0], events[0]):
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/callbacks/razorpay"
        assert await merchant.standin.send(event, url) == 204
    await runner.cleanup()
    assert [json.loads(body)["event"] for _, body in heard] == ["order.paid"] + [
        "payment.authorized"
    ] * 2
    for signature, body in heard:
        assert hmac.new(WEBHOOK_SECRET.encode(), body, hashlib.sha256).hexdigest() == signature


@pytest.mark.parametrize(
    ("fault", "status"),
    [(Fault.UNAUTHORIZED, 401), (Fault.TOO_MANY, 429), (Fault.FAILED, 500), (Fault.EMPTY, 200)],
)
async def test_faults_answer_one_call(merchant: Merchant, fault: Fault, status: int) -> None:
    merchant.standin.faults["/orders"] = deque([fault])
    asked = {"amount": 100, "currency": "INR", "receipt": "10001-f"}
    assert (await merchant.call("POST", "/orders", asked))[0] == status
    assert len(merchant.standin.books.orders) == (fault is Fault.EMPTY)
    assert (await merchant.call("GET", "/orders"))[0] == 200


async def test_answers_are_lost_before_and_after_the_work(merchant: Merchant) -> None:
    merchant.standin.faults["/orders"] = deque(
        [Fault.LOST_BEFORE, Fault.LOST_AFTER, Fault.HTML, Fault.CUT]
    )
    asked = {"amount": 100, "currency": "INR"}
    for made in (0, 1):
        with pytest.raises(aiohttp.ClientError):
            await merchant.call("POST", "/orders", asked)
        assert len(merchant.standin.books.orders) == made
    for made in (1, 2):
        with pytest.raises(json.JSONDecodeError):
            await merchant.call("POST", "/orders", asked)
        assert len(merchant.standin.books.orders) == made


async def test_methods_are_asked_with_the_key_alone(merchant: Merchant) -> None:
    assert (await merchant.call("GET", "/methods"))[0] == 401
    alone = {"Authorization": "Basic " + b64encode(f"{KEY_ID}:".encode()).decode()}
    assert "HDFC" in (await merchant.call("GET", "/methods", None, **alone))[1]["netbanking"]
