"""The stand-in of Cashfree keeps subscriptions as its documents say."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

import aiohttp
import pytest

from tests.acquirers.cashfree.standin import CLIENT_ID, CLIENT_SECRET, Bank
from tests.acquirers.cashfree.standin_mandates import running_with_mandates
from tests.acquirers.cashfree.standin_subscriptions import IST, Subscriptions, busy_until

ASKED: dict[str, Any] = {
    "subscription_id": "10001_M1",
    "customer_details": {"customer_email": "a@example.com", "customer_phone": "9999999999"},
    "plan_details": {"plan_name": "Milk", "plan_type": "ON_DEMAND", "plan_max_amount": 5000},
    "authorization_details": {"authorization_amount": 1, "payment_methods": ["upi"]},
}
NOTICE = {
    "subscription_id": "10001_M1",
    "payment_id": "M1_1",
    "notification_id": "M1_1_n",
    "payment_amount": 499.5,
}


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it."""

    bank: Bank
    play: Subscriptions
    http: aiohttp.ClientSession

    async def call(self, method: str, path: str, asked: Any = None) -> tuple[int, Any]:
        named = {"x-client-id": CLIENT_ID, "x-client-secret": CLIENT_SECRET}
        named["x-api-version"] = "2026-01-01"
        async with self.http.request(
            method, f"{self.bank.url}/pg/subscriptions{path}", json=asked, headers=named
        ) as answer:
            return answer.status, await answer.json(content_type=None)

    async def begin(self, method: str = "upi") -> dict[str, Any]:
        _, made = await self.call("POST", "", ASKED)
        asked = {
            "subscription_id": made["subscription_id"],
            "subscription_session_id": made["subscription_session_id"],
            "payment_id": "M1_auth",
            "payment_type": "AUTH",
            "payment_method": {method: {"channel": "link"}},
        }
        status, begun = await self.call("POST", "/pay", asked)
        assert status == 200, begun
        return begun

    def wait_until(self, hour: int, days: int = 1) -> None:
        """Let time pass to an hour of IST some days on."""
        now = self.bank.world.now().astimezone(IST)
        then = datetime.combine(now.date() + timedelta(days=days), time(hour), IST)
        self.bank.world.pass_time(then - now)


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with (
        running_with_mandates() as (bank, play),
        aiohttp.ClientSession() as http,
    ):
        yield Merchant(bank, play, http)


async def test_a_mandate_is_approved_noticed_and_executed(merchant: Merchant) -> None:
    begun = await merchant.begin()
    assert begun["data"]["payload"]["default"].startswith("upi://mandate")
    merchant.play.approve("10001_M1")
    _, known = await merchant.call("GET", "/10001_M1")
    assert known["subscription_status"] == "ACTIVE"
    assert known["authorisation_details"]["authorization_reference"].endswith("@upi")
    _, told = await merchant.call("POST", "/pay/controlled/notify-mandate", NOTICE)
    assert (told["notification_status"], told["payment_status"]) == ("INITIALIZED", "INITIALIZED")
    _, seen = await merchant.call("GET", "/payments/M1_1/controlled/notifications/M1_1_n")
    assert seen["notification_status"] == "SUCCESS"
    asked = {"payment_id": "M1_1", "execution_id": "M1_1_e"}
    assert (await merchant.call("POST", "/pay/controlled/execute-mandate", asked))[0] == 400
    merchant.wait_until(22, days=2)
    status, executed = await merchant.call("POST", "/pay/controlled/execute-mandate", asked)
    assert (status, executed["payment_status"]) == (200, "PENDING")
    merchant.play.take("M1_1")
    _, paid = await merchant.call("GET", "/10001_M1/payments/M1_1")
    assert (paid["payment_status"], paid["payment_amount"]) == ("SUCCESS", 499.5)
    _, all_of_it = await merchant.call("GET", "/payments/M1_1/controlled/executions")
    assert [each["execution_status"] for each in all_of_it] == ["SUCCESS"]


async def test_a_debit_waits_for_a_quiet_hour_and_a_standing_mandate(merchant: Merchant) -> None:
    await merchant.begin()
    merchant.play.approve("10001_M1")
    await merchant.call("POST", "/pay/controlled/notify-mandate", NOTICE)
    asked = {"payment_id": "M1_1", "execution_id": "M1_1_e"}
    merchant.wait_until(18, days=2)
    _, refused = await merchant.call("POST", "/pay/controlled/execute-mandate", asked)
    assert refused["code"] == "execution_blackout"
    merchant.wait_until(22, days=0)
    merchant.play.put("10001_M1", "CUSTOMER_PAUSED")
    _, refused = await merchant.call("POST", "/pay/controlled/execute-mandate", asked)
    assert refused["code"] == "subscription_not_active"


async def test_what_does_not_fit_is_refused(merchant: Merchant) -> None:
    await merchant.begin()
    path = "/pay/controlled/notify-mandate"
    assert (await merchant.call("POST", path, NOTICE))[1]["code"] == "subscription_not_active"
    merchant.play.approve("10001_M1")
    too_much = NOTICE | {"payment_amount": 5000.01}
    assert (await merchant.call("POST", path, too_much))[1]["code"] == "payment_amount_invalid"
    merchant.play.notices_succeed = False
    await merchant.call("POST", path, NOTICE)
    assert (await merchant.call("POST", path, NOTICE))[0] == 409
    merchant.play.deliver("M1_1", "FAILED")
    asked = {"payment_id": "M1_1", "execution_id": "M1_1_e"}
    _, refused = await merchant.call("POST", "/pay/controlled/execute-mandate", asked)
    assert refused["code"] == "notification_not_successful"
    assert (await merchant.call("POST", "", ASKED))[0] == 409
    assert (await merchant.call("POST", "/10001_M1/manage", {"action": "PAUSE"}))[0] == 400


async def test_enach_waits_for_the_bank_and_a_refused_debit_holds_it(merchant: Merchant) -> None:
    await merchant.begin("enach")
    merchant.play.approve("10001_M1", bank=True)
    assert (await merchant.call("GET", "/10001_M1"))[1]["subscription_status"] == (
        "BANK_APPROVAL_PENDING"
    )
    merchant.play.confirm("10001_M1")
    asked = {"subscription_id": "10001_M1", "payment_id": "M1_1", "payment_type": "CHARGE"}
    status, made = await merchant.call("POST", "/pay", asked | {"payment_amount": 100})
    assert (status, made["payment_type"]) == (200, "CHARGE")
    merchant.play.refuse("M1_1")
    _, failed = await merchant.call("GET", "/10001_M1/payments/M1_1")
    assert failed["failure_details"]["failure_reason"] == "Insufficient balance"
    assert merchant.play.one("10001_M1").status == "ON_HOLD"


async def test_the_merchant_ends_it_and_refunds(merchant: Merchant) -> None:
    await merchant.begin()
    merchant.play.approve("10001_M1")
    await merchant.call("POST", "/pay/controlled/notify-mandate", NOTICE)
    merchant.play.take("M1_1")
    asked = {"payment_id": "M1_1", "refund_id": "R1", "refund_amount": 10}
    assert (await merchant.call("POST", "/10001_M1/refunds", asked))[1]["refund_status"] == (
        "SUCCESS"
    )
    assert (await merchant.call("GET", "/10001_M1/refunds/R1"))[0] == 200
    _, over = await merchant.call("POST", "/10001_M1/manage", {"action": "CANCEL"})
    assert over["subscription_status"] == "CANCELLED"
    kinds = [b'"type":"' in each.body for each in merchant.bank.world.take_webhooks()]
    assert all(kinds)


def test_busy_hours_end_at_one_and_at_half_past_nine() -> None:
    noon = datetime(2026, 11, 28, 6, 30, tzinfo=UTC)
    evening, night = noon + timedelta(hours=8), noon + timedelta(hours=10)
    assert [
        ends and ends.strftime("%H:%M")
        for ends in (busy_until(noon), busy_until(evening), busy_until(night))
    ] == ["13:00", "21:30", None]
