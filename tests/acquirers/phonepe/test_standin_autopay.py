"""The stand-in of PhonePe takes AutoPay mandates as its documents say."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from tests.acquirers.phonepe import standin
from tests.acquirers.phonepe.standin_autopay import AutoPay
from tests.acquirers.playing import running

HOUR_S = 3600
TERMS = {
    "merchantSubscriptionId": "10001-M1",
    "authWorkflowType": "PENNY_DROP",
    "amountType": "VARIABLE",
    "maxAmount": 49900,
    "frequency": "MONTHLY",
}
SETUP: dict[str, Any] = {
    "merchantOrderId": "10001-M1-0",
    "amount": 200,
    "expireAt": None,
    "paymentFlow": {
        "type": "SUBSCRIPTION_SETUP",
        **TERMS,
        "paymentMode": {"type": "UPI_INTENT", "targetApp": "com.phonepe.app"},
    },
    "deviceContext": {"deviceOS": "ANDROID"},
}
AT_PAGE: dict[str, Any] = {
    "merchantOrderId": "10001-M1-0",
    "amount": 200,
    "expireAfter": None,
    "paymentFlow": {
        "type": "SUBSCRIPTION_CHECKOUT_SETUP",
        "merchantUrls": {"redirectUrl": "https://pay.example.in/done"},
        "subscriptionDetails": {
            **TERMS,
            "subscriptionType": "RECURRING",
            "productType": "UPI_MANDATE",
        },
    },
}


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it. base: custom or hosted."""

    phonepe: AutoPay
    http: aiohttp.ClientSession
    token: str
    base: str = "/subscriptions/v2"

    async def call(self, method: str, path: str, asked: Any = None) -> tuple[int, Any]:
        named = {"Authorization": f"O-Bearer {self.token}"}
        async with self.http.request(
            method, self.phonepe.url + path, json=asked, headers=named
        ) as answer:
            said = await answer.text()
            return answer.status, json.loads(said) if said else None

    async def notice(self, order: str = "C1", **flow: Any) -> tuple[int, Any]:
        hosted = self.base.startswith("/checkout")
        kind = "SUBSCRIPTION_CHECKOUT_REDEMPTION" if hosted else "SUBSCRIPTION_REDEMPTION"
        asked = {"type": kind, "merchantSubscriptionId": "10001-M1"} | flow
        body = {"merchantOrderId": order, "amount": 47900, "paymentFlow": asked}
        return await self.call("POST", f"{self.base}/notify", body)

    async def redeem(self, order: str = "C1") -> tuple[int, Any]:
        return await self.call("POST", f"{self.base}/redeem", {"merchantOrderId": order})

    async def state(self, order: str = "C1") -> str:
        product = "checkout" if self.base.startswith("/checkout") else "subscriptions"
        return (await self.call("GET", f"/{product}/v2/order/{order}/status"))[1]["state"]


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with running(AutoPay()) as phonepe, aiohttp.ClientSession() as http:
        form = {
            "client_id": standin.CLIENT_ID,
            "client_version": standin.CLIENT_VERSION,
            "client_secret": standin.CLIENT_SECRET,
            "grant_type": "client_credentials",
        }
        async with http.post(f"{phonepe.url}/v1/oauth/token", data=form) as answer:
            token = (await answer.json())["access_token"]
        yield Merchant(phonepe, http, token)


@pytest.mark.parametrize("face", ["custom", "hosted"])
async def test_a_mandate_is_set_up_noticed_and_redeemed(merchant: Merchant, face: str) -> None:
    hosted = face == "hosted"
    if hosted:
        merchant.base = "/checkout/v2/subscriptions"
        _, made = await merchant.call("POST", "/checkout/v2/pay", AT_PAGE)
        assert made["redirectUrl"].startswith("http")
    else:
        _, made = await merchant.call("POST", "/subscriptions/v2/setup", SETUP)
        assert made["intentUrl"].startswith("upi://mandate")
    merchant.phonepe.approve("10001-M1")
    assert await merchant.state("10001-M1-0") == "COMPLETED"
    _, known = await merchant.call("GET", f"{merchant.base}/10001-M1/status")
    assert (known["state"], known["frequency"]) == ("ACTIVE", "MONTHLY")
    _, told = await merchant.notice()
    assert told["state"] == ("NOTIFICATION_IN_PROGRESS" if hosted else "PENDING")
    assert await merchant.state() == "NOTIFIED"
    assert (await merchant.redeem())[1]["code"] == "REDEMPTION_TOO_EARLY"
    merchant.phonepe.pass_time(25 * HOUR_S)
    assert (await merchant.redeem())[1]["state"] == "PENDING"
    merchant.phonepe.take("C1")
    assert await merchant.state() == "COMPLETED"
    status, _ = await merchant.call("POST", f"{merchant.base}/10001-M1/cancel")
    assert status == (204 if hosted else 200)
    assert (await merchant.notice("C2"))[1]["code"] == "SUBSCRIPTION_NOT_ACTIVE"


async def test_a_mandate_is_paused_and_revoked_between_notice_and_debit(merchant: Merchant) -> None:
    await merchant.call("POST", "/subscriptions/v2/setup", SETUP)
    play = merchant.phonepe
    play.approve("10001-M1")
    await merchant.notice()
    play.pass_time(25 * HOUR_S)
    play.put("10001-M1", "PAUSED")
    assert (await merchant.redeem())[1]["code"] == "SUBSCRIPTION_NOT_ACTIVE"
    play.put("10001-M1", "ACTIVE")
    assert (await merchant.redeem())[1]["code"] == "ORDER_NOT_NOTIFIED"
    await merchant.notice("C2")
    play.put("10001-M1", "REVOKED")
    play.pass_time(25 * HOUR_S)
    assert (await merchant.redeem("C2"))[1]["code"] == "SUBSCRIPTION_NOT_ACTIVE"
    events = [json.loads(body)["event"] for _headers, body in play.webhooks]
    assert events[-1] == "subscription.revoked"


async def test_tries_of_our_own_are_few_and_far_apart(merchant: Merchant) -> None:
    await merchant.call("POST", "/subscriptions/v2/setup", SETUP)
    play = merchant.phonepe
    play.approve("10001-M1")
    await merchant.notice(redemptionRetryStrategy="CUSTOM")
    play.pass_time(25 * HOUR_S)
    await merchant.redeem()
    play.refuse("C1", last=False)
    assert (await merchant.redeem())[1]["code"] == "RETRY_NOT_ALLOWED"
    play.pass_time(2 * HOUR_S)
    assert (await merchant.redeem())[0] == 200
    play.refuse("C1")
    assert await merchant.state() == "FAILED"


async def test_phonepe_debits_by_itself_and_lets_orders_end(merchant: Merchant) -> None:
    await merchant.call("POST", "/subscriptions/v2/setup", SETUP)
    merchant.phonepe.approve("10001-M1")
    await merchant.notice(autoDebit=True)
    await merchant.notice("C2")
    assert (await merchant.redeem())[1]["code"] == "BAD_REQUEST"
    merchant.phonepe.pass_time(25 * HOUR_S)
    assert await merchant.state() == "COMPLETED"
    merchant.phonepe.pass_time(24 * HOUR_S)
    assert await merchant.state("C2") == "EXPIRED"


async def test_what_does_not_fit_is_refused(merchant: Merchant) -> None:
    path = "/subscriptions/v2/setup"
    dear = SETUP | {"paymentFlow": SETUP["paymentFlow"] | {"maxAmount": 1_500_001}}
    assert (await merchant.call("POST", path, dear))[0] == 417
    assert (await merchant.call("POST", path, SETUP | {"amount": 201}))[0] == 400
    await merchant.call("POST", path, SETUP)
    again = SETUP | {"merchantOrderId": "other"}
    assert (await merchant.call("POST", path, again))[1]["code"] == "DUPLICATE_REQUEST_ID"
    merchant.phonepe.decline("10001-M1")
    assert await merchant.state("10001-M1-0") == "FAILED"
    assert (await merchant.call("GET", "/subscriptions/v2/none/status"))[0] == 400
