"""The stand-in of Razorpay takes mandates as its documents say."""

from base64 import b64encode
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from tests.acquirers.razorpay.standin import KEY_ID, KEY_SECRET
from tests.acquirers.razorpay.standin_recurring import RecurringStandin

HOUR_S = 3600
WHO = {"name": "Gaurav Kumar", "email": "gaurav.kumar@example.com", "contact": "+919876543210"}
TOKENS: dict[str, dict[str, Any]] = {
    "upi": {"max_amount": 200_000, "frequency": "monthly"},
    "card": {"max_amount": 100_000, "frequency": "monthly", "expire_at": 2_709_971_120},
    "emandate": {
        "max_amount": 9_999_900,
        "auth_type": "netbanking",
        "bank_account": {
            "beneficiary_name": "Gaurav Kumar",
            "account_number": "1121431121541121",
            "account_type": "savings",
            "ifsc_code": "HDFC0000001",
        },
    },
}


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it."""

    razorpay: RecurringStandin
    http: aiohttp.ClientSession

    async def call(self, method: str, path: str, asked: Any = None) -> tuple[int, dict[str, Any]]:
        pair = b64encode(f"{KEY_ID}:{KEY_SECRET}".encode()).decode()
        named = {"Authorization": f"Basic {pair}"}
        async with self.http.request(
            method, self.razorpay.url + path, json=asked, headers=named
        ) as answer:
            return answer.status, await answer.json(content_type=None)

    async def customer(self) -> str:
        return (await self.call("POST", "/customers", WHO | {"fail_existing": "0"}))[1]["id"]

    async def begun(self, method: str = "upi", **token: Any) -> str:
        """Begin a registration, and return its payment."""
        customer, amount = await self.customer(), 0 if method == "emandate" else 100
        asked = {"amount": amount, "currency": "INR", "customer_id": customer, "method": method}
        _, order = await self.call("POST", "/orders", asked | {"token": TOKENS[method] | token})
        asked = {"order_id": order["id"], "recurring": "1", "upi": {"flow": "intent"}} | asked
        if method == "upi":
            _, made = await self.call("POST", "/payments/create/upi", asked)
            assert made["link"].startswith("upi://mandate?")
        else:
            _, made = await self.call(
                "POST", "/payments/create/json", asked | {"card": {"number": "4"}}
            )
            assert made["next"][0]["action"] == "redirect"
        return made["razorpay_payment_id"]

    async def token(self, method: str = "upi") -> str:
        return self.razorpay.mandates.authorise(await self.begun(method)).id

    async def notice(self, token: str, amount: int = 50_000) -> str:
        asked = {"amount": amount, "currency": "INR", "payment_capture": True}
        notification = {
            "token_id": token,
            "payment_after": int(self.razorpay.clock) + 24 * HOUR_S,
        }
        _, order = await self.call("POST", "/orders", asked | {"notification": notification})
        assert set(order["notification"]) == {"token_id", "payment_after", "id"}
        return order["id"]

    async def charge(self, token: str, order: str, amount: int = 50_000) -> dict[str, Any]:
        """Charge, and return the payment as GET shows it."""
        asked = {"email": WHO["email"], "contact": WHO["contact"], "amount": amount}
        asked |= {"currency": "INR", "order_id": order, "customer_id": await self.customer()}
        status, made = await self.call(
            "POST", "/payments/create/recurring", asked | {"token": token, "recurring": True}
        )
        assert status == 200, made
        return (await self.call("GET", f"/payments/{made['razorpay_payment_id']}"))[1]


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with RecurringStandin.running() as razorpay, aiohttp.ClientSession() as http:
        yield Merchant(razorpay, http)


@pytest.mark.parametrize("method", ["upi", "card", "emandate"])
async def test_a_mandate_is_registered_noticed_and_debited(merchant: Merchant, method: str) -> None:
    token = await merchant.token(method)
    _, listed = await merchant.call("GET", f"/customers/{await merchant.customer()}/tokens")
    assert listed["items"][0]["recurring_details"]["status"] == "confirmed"
    order = await merchant.notice(token)
    _, seen = await merchant.call("GET", f"/orders/{order}")
    assert seen["notification"]["status"] == "delivered"
    merchant.razorpay.pass_time(25 * HOUR_S)
    payment = await merchant.charge(token, order)
    assert (payment["status"], payment["token_id"]) == ("created", token)
    merchant.razorpay.mandates.take(order)
    _, paid = await merchant.call("GET", f"/payments/{payment['id']}")
    assert paid["status"] == "captured"


async def test_a_debit_that_the_mandate_does_not_carry_fails(merchant: Merchant) -> None:
    mandates, token = merchant.razorpay.mandates, await merchant.token()
    early = await merchant.charge(token, await merchant.notice(token))
    assert early["error_reason"] == "pre_debit_notification_failed"
    orders = [await merchant.notice(token) for _ in range(4)]
    merchant.razorpay.pass_time(24 * HOUR_S)
    await merchant.charge(token, orders[0])
    mandates.take(orders[0])
    second = await merchant.charge(token, orders[1])
    assert second["error_reason"] == "mandate_current_cycle_allowed_debit_exceeds"
    mandates.pause(token)
    assert (await merchant.charge(token, orders[2]))["error_reason"] == "mandate_paused"
    mandates.resume(token)
    mandates.cancel_at_bank(token)
    assert (await merchant.charge(token, orders[3]))["error_reason"] == "mandate_cancelled"
    names = [each.name for each in merchant.razorpay.events()]
    assert {"token.confirmed", "token.paused", "token.cancelled"} <= set(names)


async def test_a_registration_reads_failed_while_the_mandate_stands(merchant: Merchant) -> None:
    payment = await merchant.begun()
    token = merchant.razorpay.mandates.authorise(payment, dummy=True)
    _, seen = await merchant.call("GET", f"/payments/{payment}")
    assert (seen["status"], seen["error_reason"]) == ("failed", "upi_dummy_payment")
    path = f"/customers/{await merchant.customer()}/tokens/{token.id}"
    assert (await merchant.call("GET", path))[1]["recurring_details"]["status"] == "confirmed"


async def test_a_bank_confirms_days_later_or_rejects(merchant: Merchant) -> None:
    mandates = merchant.razorpay.mandates
    kept = mandates.authorise(await merchant.begun("emandate", auth_type="aadhaar"), "initiated")
    other = mandates.authorise(await merchant.begun("emandate", auth_type="aadhaar"), "initiated")
    mandates.confirm(kept)
    mandates.reject(other)
    assert [each.status for each in mandates.tokens.values()] == ["confirmed", "rejected"]
    assert other.document()["recurring"] is False


async def test_razorpay_notifies_and_debits_by_itself_without_a_notice(merchant: Merchant) -> None:
    token = await merchant.token()
    _, order = await merchant.call("POST", "/orders", {"amount": 50_000, "currency": "INR"})
    payment = await merchant.charge(token, order["id"])
    merchant.razorpay.pass_time(24 * HOUR_S)
    assert (await merchant.call("GET", f"/payments/{payment['id']}"))[1]["status"] == "created"
    merchant.razorpay.pass_time(2 * HOUR_S)
    assert (await merchant.call("GET", f"/payments/{payment['id']}"))[1]["status"] == "captured"


async def test_the_merchant_ends_a_mandate(merchant: Merchant) -> None:
    token = await merchant.token()
    path = f"/customers/{await merchant.customer()}/tokens/{token}"
    merchant.razorpay.mandates.cancels = False
    assert (await merchant.call("PUT", f"{path}/cancel"))[1]["status"] == "cancellation_initiated"
    assert (await merchant.call("GET", path))[1]["recurring_details"]["status"] == "confirmed"
    merchant.razorpay.mandates.cancel_at_bank(token)
    assert (await merchant.call("GET", path))[1]["recurring_details"]["status"] == "cancelled"
    assert (await merchant.call("DELETE", path))[1] == {"deleted": True}
    assert (await merchant.call("GET", path))[0] == 400


async def test_a_customer_registers_at_a_link(merchant: Merchant) -> None:
    asked = {
        "customer": WHO,
        "type": "link",
        "amount": "100",
        "currency": "INR",
        "subscription_registration": {"method": "upi", "max_amount": "500"},
    }
    _, link = await merchant.call("POST", "/subscription_registration/auth_links", asked)
    async with merchant.http.get(link["short_url"]) as page:
        merchant.razorpay.mandates.authorise(await page.text())
    _, paid = await merchant.call("GET", f"/invoices/{link['id']}")
    assert paid["status"] == "paid"


@pytest.mark.parametrize(
    ("method", "token"),
    [
        ("upi", {"max_amount": 20_000_001}),
        ("upi", {"frequency": "daily"}),
        ("card", {"frequency": None}),
        ("card", {"max_amount": 1_500_001}),
        ("emandate", {"bank_account": None}),
    ],
)
async def test_a_bad_registration_is_refused(
    merchant: Merchant, method: str, token: dict[str, Any]
) -> None:
    amount = 0 if method == "emandate" else 100
    asked = {"amount": amount, "currency": "INR", "customer_id": await merchant.customer()}
    asked |= {"method": method, "token": TOKENS[method] | token}
    assert (await merchant.call("POST", "/orders", asked))[0] == 400
