"""The stand-in of Juspay does what its documents say."""

import base64
from collections.abc import AsyncIterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import aiohttp
import pytest

from tests.acquirers.juspay.standin import API_KEY, CLIENT_ID, MERCHANT_ID, Juspay, sign

SESSION = {
    "order_id": "1000101",
    "amount": "1100.50",
    "customer_id": "guest",
    "payment_page_client_id": CLIENT_ID,
    "action": "paymentPage",
    "return_url": "https://pay.example.in/done",
}


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it."""

    juspay: Juspay
    http: aiohttp.ClientSession

    async def call(self, method: str, path: str, **more: Any) -> tuple[int, dict[str, Any]]:
        pair = base64.b64encode(f"{API_KEY}:".encode()).decode()
        named = {"Authorization": f"Basic {pair}", "x-merchantid": MERCHANT_ID}
        async with self.http.request(
            method, self.juspay.url + path, headers=named, **more
        ) as answer:
            return answer.status, await answer.json(content_type=None)

    async def order(self) -> dict[str, Any]:
        return (await self.call("GET", "/orders/1000101"))[1]

    async def refund(self, **fields: str) -> tuple[int, dict[str, Any]]:
        return await self.call("POST", "/orders/1000101/refunds", data=fields)


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with Juspay.running() as juspay, aiohttp.ClientSession() as http:
        yield Merchant(juspay, http)


async def test_a_customer_pays_at_the_page_and_returns_signed(merchant: Merchant) -> None:
    _, made = await merchant.call("POST", "/session", json=SESSION)
    link = made["payment_links"]["web"]
    async with merchant.http.post(link, data={"outcome": "retry"}):
        assert (await merchant.order())["status"] == "AUTHENTICATION_FAILED"
    async with merchant.http.post(link, data={"outcome": "success"}, allow_redirects=False) as page:
        fields = dict(parse_qsl(urlsplit(page.headers["Location"]).query))
    signature = unquote(fields.pop("signature"))
    assert fields.pop("signature_algorithm") == "HMAC-SHA256"
    assert signature == sign(fields)
    order = await merchant.order()
    assert (order["status"], order["status_id"], order["amount"]) == ("CHARGED", 21, 1100.5)
    assert [each.name for each in merchant.juspay.webhooks] == ["TXN_FAILED", "ORDER_SUCCEEDED"]


async def test_upi_by_call_tells_what_a_link_is_made_of(merchant: Merchant) -> None:
    await merchant.call("POST", "/session", json=SESSION)
    asked = {"order_id": "1000101", "merchant_id": MERCHANT_ID, "payment_method": "UPI_PAY"}
    asked |= {"payment_method_type": "UPI", "sdk_params": "true", "format": "json"}
    _, begun = await merchant.call("POST", "/txns", data=asked)
    assert begun["payment"]["sdk_params"]["amount"] == "1100.50"
    merchant.juspay.pay("1000101")
    order = await merchant.order()
    assert order["txn_id"] == begun["payment"]["sdk_params"]["tr"]


async def test_refunds_end_later_and_a_reference_is_one(merchant: Merchant) -> None:
    await merchant.call("POST", "/session", json=SESSION)
    assert (await merchant.refund(unique_request_id="1"))[0] == 400
    merchant.juspay.pay("1000101")
    await merchant.refund(unique_request_id="1", amount="100.50")
    _, order = await merchant.refund(unique_request_id="1", amount="100.50")
    assert [each["status"] for each in order["refunds"]] == ["PENDING"]
    assert (await merchant.refund(unique_request_id="2", amount="1000.01"))[0] == 400
    merchant.juspay.end_refund("1000101", "1")
    order = await merchant.order()
    assert (order["amount_refunded"], order["refunded"]) == (100.5, False)
    _, order = await merchant.refund(unique_request_id="3")
    assert order["refunds"][1]["amount"] == 1000.0


async def test_what_does_not_fit_is_refused(merchant: Merchant) -> None:
    for changes in ({"order_id": "10001-1"}, {"amount": "1.001"}, {"customer_id": ""}):
        status, _ = await merchant.call("POST", "/session", json=SESSION | changes)
        assert status == 400
    await merchant.call("POST", "/session", json=SESSION)
    status, _ = await merchant.call("POST", "/session", json=SESSION | {"amount": "2"})
    assert status == 400
    status, unknown = await merchant.call("GET", "/orders/none")
    assert (status, unknown["status_id"]) == (404, 40)
    merchant.juspay.pay("1000101", amount=Decimal(1))
    assert (await merchant.order())["txn_detail"]["txn_amount"] == 1
