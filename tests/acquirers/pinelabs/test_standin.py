"""The stand-in of Pine Labs does what its documents say."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from tests.acquirers.pinelabs import published
from tests.acquirers.pinelabs.standin import CLIENT_ID, CLIENT_SECRET, PineLabs
from tests.acquirers.pinelabs.standin_books import WEBHOOK_SECRET, sign
from tests.acquirers.stage import Trouble

ORDER: dict[str, Any] = {
    "merchant_order_reference": "10001-1",
    "order_amount": {"value": 110_000, "currency": "INR"},
    "pre_auth": False,
    "callback_url": "https://pay.example.in/done",
}


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it."""

    pine: PineLabs
    http: aiohttp.ClientSession
    token: str = ""

    async def call(
        self, method: str, path: str, asked: Any = None, **headers: str
    ) -> tuple[int, dict[str, Any]]:
        named = {"Authorization": f"Bearer {self.token}"} | headers
        async with self.http.request(
            method, f"{self.pine.url}/api{path}", json=asked, headers=named
        ) as answer:
            return answer.status, await answer.json(content_type=None)

    async def state(self, reference: str = "10001-1") -> str:
        _, found = await self.call("GET", f"/pay/v1/orders/reference/{reference}")
        return found["data"]["status"]


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with PineLabs.running() as pine, aiohttp.ClientSession() as http:
        merchant = Merchant(pine, http)
        asked = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
        asked["grant_type"] = "client_credentials"
        _, given = await merchant.call("POST", "/auth/v1/token", asked)
        merchant.token = given["access_token"]
        yield merchant


def test_the_printed_vector_is_signed_as_printed() -> None:
    made = sign(
        published.WEBHOOK_SECRET,
        published.WEBHOOK_ID,
        published.WEBHOOK_TIMESTAMP,
        published.WEBHOOK_BODY,
    )
    assert made == published.WEBHOOK_SIGNATURE


async def test_a_customer_pays_at_the_page_after_a_try_that_failed(merchant: Merchant) -> None:
    _, made = await merchant.call("POST", "/checkout/v1/orders", ORDER)
    async with merchant.http.post(made["redirect_url"], data={"outcome": "retry"}):
        assert await merchant.state() == "ATTEMPTED"
    async with merchant.http.post(made["redirect_url"], data={"outcome": "success"}) as page:
        assert "https://pay.example.in/done" in await page.text()
    _, found = await merchant.call("GET", f"/pay/v1/orders/{made['order_id']}")
    assert found["data"]["status"] == "PROCESSED"
    assert [each["status"] for each in found["data"]["payments"]] == ["FAILED", "PROCESSED"]
    (event,) = merchant.pine.webhooks
    assert event.headers["webhook-signature"] == sign(
        WEBHOOK_SECRET,
        event.headers["webhook-id"],
        event.headers["webhook-timestamp"],
        event.body,
    )


async def test_upi_gets_a_link(merchant: Merchant) -> None:
    _, made = await merchant.call("POST", "/pay/v1/orders", ORDER)
    payment = {
        "merchant_payment_reference": "10001-1-p",
        "payment_method": "UPI",
        "payment_amount": ORDER["order_amount"],
        "payment_option": {"upi_details": {"txn_mode": "INTENT", "upi_qr": True}},
    }
    path = f"/pay/v1/orders/{made['data']['order_id']}/payments"
    _, begun = await merchant.call("POST", path, {"payments": [payment]})
    assert begun["data"]["challenge_url"].startswith("upi://pay")
    assert begun["data"]["image_url"].endswith(".png")
    merchant.pine.pay("10001-1", "UPI")
    assert await merchant.state() == "PROCESSED"


async def test_a_key_and_a_reference_are_taken_once(merchant: Merchant) -> None:
    key = {"Idempotency-Key": "one"}
    _, first = await merchant.call("POST", "/pay/v1/orders", ORDER, **key)
    assert (await merchant.call("POST", "/pay/v1/orders", ORDER, **key))[1] == first
    other = ORDER | {"notes": "other"}
    assert (await merchant.call("POST", "/pay/v1/orders", other, **key))[0] == 409
    status, refused = await merchant.call("POST", "/pay/v1/orders", ORDER)
    assert (status, refused["code"]) == (422, "DUPLICATE_REQUEST")
    assert len(merchant.pine.orders) == 1


async def test_a_hold_is_captured_or_cancelled(merchant: Merchant) -> None:
    for reference, call in (("10001-1", "capture"), ("10001-2", "cancel")):
        asked = ORDER | {"merchant_order_reference": reference, "pre_auth": True}
        _, made = await merchant.call("POST", "/pay/v1/orders", asked)
        path = f"/pay/v1/orders/{made['data']['order_id']}/{call}"
        assert (await merchant.call("PUT", path, {}))[0] == 422
        assert merchant.pine.pay(reference)["status"] == "AUTHORIZED"
        assert (await merchant.call("PUT", path, {"merchant_capture_reference": "c"}))[0] == 200
    assert [await merchant.state(each) for each in ("10001-1", "10001-2")] == [
        "PROCESSED",
        "CANCELLED",
    ]


async def test_a_refund_is_an_order_of_its_own(merchant: Merchant) -> None:
    _, made = await merchant.call("POST", "/pay/v1/orders", ORDER)
    merchant.pine.pay("10001-1")
    merchant.pine.refunds_wait = True
    path = f"/pay/v1/refunds/{made['data']['order_id']}"
    asked = {
        "merchant_order_reference": "10001-2",
        "order_amount": {"value": 10_000, "currency": "INR"},
    }
    _, refund = await merchant.call("POST", path, asked)
    assert (refund["data"]["status"], refund["data"]["type"]) == ("PENDING", "REFUND")
    merchant.pine.end_refund("10001-2")
    assert await merchant.state("10001-2") == "PROCESSED"
    assert await merchant.state() == "PARTIALLY_REFUNDED"
    too_much = asked | {"merchant_order_reference": "3", "order_amount": ORDER["order_amount"]}
    assert (await merchant.call("POST", path, too_much))[0] == 422


async def test_settlements_are_told_by_utr(merchant: Merchant) -> None:
    await merchant.call("POST", "/pay/v1/orders", ORDER)
    merchant.pine.pay("10001-1")
    merchant.pine.settle("UTR1", "10001-1", deduction=12.5)
    _, listed = await merchant.call(
        "GET", "/settlements/v1/list?start_date=2026-11-01&end_date=2026-11-28"
    )
    assert listed["data"][0]["total_amount"] == 1087.5
    _, detail = await merchant.call("GET", "/settlements/v1/detail/UTR1")
    assert detail["transactions"][0]["total_deduction_amount"] == 12.5


async def test_a_lost_answer_is_found_by_our_reference(merchant: Merchant) -> None:
    merchant.pine.trouble("/pay/v1/orders", Trouble.LOST_AFTER)
    with pytest.raises(aiohttp.ClientError):
        await merchant.call("POST", "/pay/v1/orders", ORDER)
    assert await merchant.state() == "CREATED"
    assert (await merchant.call("GET", "/pay/v1/orders/reference/nothing"))[0] == 404
    merchant.pine.pass_time(4000)
    assert (await merchant.call("GET", "/pay/v1/orders/x"))[0] == 401
