"""The stand-in of Razorpay's eNACH has the days that its documents say banks take."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import aiohttp
import pytest

from tests.acquirers.razorpay.published_mandates import ENACH_TOKEN
from tests.acquirers.razorpay.standin import KEY_ID, KEY_SECRET
from tests.acquirers.razorpay.standin_enach import EnachStandin, processed_at
from tests.acquirers.razorpay.standin_mandates import IST
from tests.acquirers.razorpay.test_standin import press

DAY_S = 86_400
WHO = {"name": "Gaurav Kumar", "email": "gaurav.kumar@example.com", "contact": "+919876543210"}
ACCOUNT = "1121431121541121"
ORDER: dict[str, Any] = {
    "amount": 0,
    "currency": "INR",
    "payment_capture": True,
    "method": "emandate",
    "receipt": "Receipt No. 1",
    "token": {
        "auth_type": "netbanking",
        "max_amount": 9_999_900,
        "expire_at": 2_900_000_000,
        "bank_account": {
            "beneficiary_name": "Gaurav Kumar",
            "account_number": ACCOUNT,
            "account_type": "savings",
            "ifsc_code": "HDFC0000001",
        },
    },
}
"""The published example, with a life of fewer than 40 years."""
PAYMENT: dict[str, Any] = {
    "amount": 0,
    "currency": "INR",
    "contact": 9876543210,
    "email": "gaurav.kumar@example.com",
    "recurring": True,
    "method": "emandate",
    "bank": "HDFC",
    "auth_type": "netbanking",
    "callback_url": "https://pay.example.in/back",
    "bank_account": {
        "name": "Gaurav Kumar",
        "account_number": ACCOUNT,
        "account_type": "savings",
        "ifsc": "HDFC0000001",
    },
}


def ist(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=IST).timestamp())


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it."""

    razorpay: EnachStandin
    http: aiohttp.ClientSession

    async def call(self, method: str, path: str, asked: Any = None) -> tuple[int, dict[str, Any]]:
        named = {"Authorization": aiohttp.encode_basic_auth(KEY_ID, KEY_SECRET)}
        url = self.razorpay.url + path
        async with self.http.request(method, url, json=asked, headers=named) as answer:
            return answer.status, await answer.json(content_type=None)

    async def customer(self) -> str:
        return (await self.call("POST", "/customers", WHO | {"fail_existing": "0"}))[1]["id"]

    async def order(self, **token: Any) -> str:
        asked = ORDER | {"customer_id": await self.customer(), "receipt": None}
        _, order = await self.call("POST", "/orders", asked | {"token": ORDER["token"] | token})
        return order["id"]

    async def begin(self, order: str, **changes: Any) -> tuple[int, dict[str, Any]]:
        asked = PAYMENT | {"order_id": order, "customer_id": await self.customer()} | changes
        return await self.call("POST", "/payments/create/json", asked)

    async def registered(self, **changes: Any) -> str:
        """Register at the bank's page, and return the token."""
        _, begun = await self.begin(await self.order(), **changes)
        async with self.http.get(begun["next"][0]["url"]) as answer:
            page = await answer.text()
        assert "razorpay_signature" in (await press(self.http, page, "success"))[2]
        payment = (await self.call("GET", f"/payments/{begun['razorpay_payment_id']}"))[1]
        return payment["token_id"]

    async def token(self, number: str) -> dict[str, Any]:
        path = f"/customers/{await self.customer()}/tokens/{number}"
        return (await self.call("GET", path))[1]

    async def charge(self, token: str, amount: int = 1000, order: str = "") -> Any:
        """Charge on an order, a new one by default, and return the payment."""
        if not order:
            asked = {"amount": amount, "currency": "INR", "payment_capture": True}
            order = (await self.call("POST", "/orders", asked))[1]["id"]
        asked = {"email": WHO["email"], "contact": WHO["contact"], "amount": amount}
        asked |= {"currency": "INR", "order_id": order, "token": token, "recurring": True}
        asked |= {"customer_id": await self.customer()}
        status, made = await self.call("POST", "/payments/create/recurring", asked)
        return await self.payment(made["razorpay_payment_id"]) if status == 200 else made

    async def payment(self, number: str) -> dict[str, Any]:
        return (await self.call("GET", f"/payments/{number}"))[1]

    def told(self) -> list[str]:
        return [each.name for each in self.razorpay.events()]


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with EnachStandin.running() as razorpay, aiohttp.ClientSession() as http:
        razorpay.clock = ist("2026-11-27T08:30")  # a Friday
        yield Merchant(razorpay, http)


@pytest.mark.parametrize(
    ("at", "on", "working_days"),
    [
        ("2026-11-27T08:59", "2026-11-27", True),
        ("2026-11-27T09:00", "2026-11-30", True),
        ("2026-11-27T09:00", "2026-11-28", False),
    ],
)
def test_a_request_before_nine_is_worked_on_that_day(
    at: str, on: str, *, working_days: bool
) -> None:
    done = processed_at(ist(at), 17, working_days=working_days)
    assert datetime.fromtimestamp(done, IST).date().isoformat() == on


async def test_a_bank_of_npci_confirms_at_once(merchant: Merchant) -> None:
    token = await merchant.token(await merchant.registered())
    assert set(ENACH_TOKEN) <= set(token)
    assert token["recurring_details"] == {"status": "confirmed", "failure_reason": None}
    assert (token["bank"], token["bank_details"]["ifsc"]) == ("HDFC", "HDFC0000001")
    told = json.loads(merchant.razorpay.events()[-1].body)
    assert {"token.confirmed", "payment.authorized"} <= set(merchant.told())
    assert told["payload"]


@pytest.mark.parametrize("changes", [{"auth_type": "aadhaar"}, {"bank": "HDFC"}])
async def test_some_registrations_wait_for_the_next_working_day(
    merchant: Merchant, changes: dict[str, str]
) -> None:
    merchant.razorpay.enach.direct = {"HDFC"}
    merchant.razorpay.clock = ist("2026-11-27T10:00")
    merchant.razorpay.enach.rejecting = {"42": "Rejected by bank"}
    number = await merchant.registered(**changes, bank_account={"account_number": ACCOUNT})
    other = await merchant.registered(**changes, bank_account={"account_number": "42"})
    assert (await merchant.token(number))["recurring_details"]["status"] == "initiated"
    early = await merchant.charge(number)
    assert (early["status"], early["error_reason"]) == ("failed", "payment_mandate_not_active")
    merchant.razorpay.pass_time(2 * DAY_S)
    assert (await merchant.token(number))["recurring_details"]["status"] == "initiated"
    merchant.razorpay.pass_time(2 * DAY_S)
    assert (await merchant.token(number))["recurring_details"]["status"] == "confirmed"
    assert (await merchant.token(other))["recurring_details"] == {
        "status": "rejected",
        "failure_reason": "Rejected by bank",
    }
    assert {"token.confirmed", "token.rejected"} <= set(merchant.told())


async def test_a_registration_is_paid_only_when_the_bank_confirms_it(merchant: Merchant) -> None:
    number = await merchant.registered(auth_type="aadhaar")
    (payment,) = (await merchant.call("GET", "/payments"))[1]["items"]
    assert (payment["status"], payment["acquirer_data"]) == ("authorized", {})
    merchant.razorpay.pass_time(DAY_S)
    assert (await merchant.payment(payment["id"]))["status"] == "captured"
    assert (await merchant.token(number))["recurring"] is True


async def test_debits_are_answered_two_days_later(merchant: Merchant) -> None:
    number = await merchant.registered()
    merchant.razorpay.clock = ist("2026-11-28T10:00")
    paid = await merchant.charge(number)
    assert paid["status"] == "created"
    merchant.razorpay.pass_time(DAY_S)
    assert (await merchant.payment(paid["id"]))["status"] == "created"
    merchant.razorpay.pass_time(2 * DAY_S)
    assert (await merchant.payment(paid["id"]))["status"] == "captured"
    much = await merchant.charge(number, 10_000_000)
    assert much["error_reason"] == "transaction_limit_exceeded"
    merchant.razorpay.enach.cancel_at_bank(number)
    assert (await merchant.charge(number))["error_reason"] == "mandate_not_active"


async def test_a_debit_without_funds_is_tried_again_after_three_days(merchant: Merchant) -> None:
    number = await merchant.registered()
    merchant.razorpay.enach.refusing[number] = "insufficient_funds"
    first = await merchant.charge(number)
    merchant.razorpay.pass_time(2 * DAY_S)
    failed = await merchant.payment(first["id"])
    assert (failed["status"], failed["error_reason"]) == ("failed", "insufficient_funds")
    again = await merchant.charge(number, order=failed["order_id"])
    assert again["error"]["code"] == "BAD_REQUEST_ERROR"
    merchant.razorpay.enach.refusing.clear()
    merchant.razorpay.pass_time(DAY_S)
    second = await merchant.charge(number, order=failed["order_id"])
    merchant.razorpay.pass_time(3 * DAY_S)
    assert (await merchant.payment(second["id"]))["status"] == "captured"


async def test_a_first_debit_meets_a_bank_that_has_not_finished(merchant: Merchant) -> None:
    merchant.razorpay.enach.bank_lag_days = 2
    number = await merchant.registered()
    first = await merchant.charge(number)
    merchant.razorpay.pass_time(2 * DAY_S)
    failed = await merchant.payment(first["id"])
    assert failed["error_reason"] == "payment_mandate_not_active"
    later = await merchant.charge(number, order=failed["order_id"])
    merchant.razorpay.pass_time(3 * DAY_S)
    assert (await merchant.payment(later["id"]))["status"] == "captured"


async def test_a_deleted_token_is_cancelled_on_the_next_working_day(merchant: Merchant) -> None:
    number = await merchant.registered()
    path = f"/customers/{await merchant.customer()}/tokens/{number}"
    assert (await merchant.call("DELETE", path))[1] == {"deleted": True}
    merchant.razorpay.pass_time(2 * DAY_S)
    assert "token.cancelled" not in merchant.told(), "a weekend"
    merchant.razorpay.pass_time(2 * DAY_S)
    assert merchant.told()[-1] == "token.cancelled"


@pytest.mark.parametrize(
    "changes",
    [
        {"bank": "ICIC"},
        {"bank": None},
        {"bank_account": {}},
        {"auth_type": "card"},
        {"method": "netbanking"},
    ],
)
async def test_a_registration_is_refused(merchant: Merchant, changes: dict[str, Any]) -> None:
    assert (await merchant.begin(await merchant.order(), **changes))[0] == 400


async def test_an_order_is_registered_on_its_day_and_within_its_bank_s_limit(
    merchant: Merchant,
) -> None:
    order = await merchant.order(max_amount=10_000_001)
    merchant.razorpay.enach.direct = {"HDFC"}
    assert (await merchant.begin(order))[0] == 400
    merchant.razorpay.enach.direct = set()
    merchant.razorpay.pass_time(DAY_S)
    assert (await merchant.begin(order))[0] == 400


async def test_a_customer_who_leaves_the_bank_has_no_mandate(merchant: Merchant) -> None:
    _, begun = await merchant.begin(await merchant.order())
    async with merchant.http.get(begun["next"][0]["url"]) as answer:
        page = await answer.text()
    _, _, callback = await press(merchant.http, page, "back")
    assert 'name="error[reason]" value="payment_cancelled"' in callback
    assert merchant.razorpay.enach.tokens == {}
