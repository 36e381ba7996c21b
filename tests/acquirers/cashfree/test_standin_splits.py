"""The stand-in of Cashfree splits orders as the documents of Easy Split say."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from json import loads
from typing import Any

import aiohttp
import pytest

from tests.acquirers.cashfree.standin import CLIENT_ID, CLIENT_SECRET, Bank
from tests.acquirers.cashfree.standin_money import settle as settle_merchant
from tests.acquirers.cashfree.standin_splits import reverse, run, running_with_splits
from tests.acquirers.cashfree.standin_vendors import Splits

VENDOR: dict[str, Any] = {
    "vendor_id": "vendortest123",
    "status": "ACTIVE",
    "name": "customer",
    "email": "johndoe@cashfree.com",
    "phone": 9876543210,
    "verify_account": True,
    "dashboard_access": True,
    "schedule_option": 1,
    "bank": {
        "account_number": 12345678890,
        "account_holder": "John Doe",
        "ifsc": "HDFC0019345",
    },
    "kyc_details": {
        "account_type": "BUSINESS",
        "business_type": "NBFC",
        "uidai": 753624181019,
        "gst": "11AAAAA1111A1Z0",
        "cin": "L00000Aa0000AaA000000",
        "pan": "BIAPA2934N",
        "passport_number": "L6892603",
    },
}
"""The published example, whose IFSC has 10 characters, with one of 11."""
MADE = {
    "email",
    "status",
    "bank",
    "upi",
    "phone",
    "name",
    "vendor_id",
    "schedule_option",
    "kyc_details",
    "dashboard_access",
    "bank_details",
}
DAYS = timedelta(days=2)


@dataclass
class Marketplace:
    """Calls the stand-in as its documents show it."""

    bank: Bank
    splits: Splits
    http: aiohttp.ClientSession

    async def call(
        self, method: str, path: str, asked: Any = None, **headers: str
    ) -> tuple[int, Any]:
        named = {"x-client-id": CLIENT_ID, "x-client-secret": CLIENT_SECRET}
        named["x-api-version"] = "2025-01-01"
        async with self.http.request(
            method, f"{self.bank.url}/pg{path}", json=asked, headers=named | headers
        ) as answer:
            return answer.status, await answer.json(content_type=None)

    async def refused(self, method: str, path: str, asked: Any = None) -> tuple[int, str]:
        status, told = await self.call(method, path, asked)
        return status, told["code"]

    async def order(self, order_id: str, *splits: dict[str, Any]) -> dict[str, Any]:
        asked = {"order_id": order_id, "order_amount": 1000, "order_currency": "INR"}
        asked["customer_details"] = {"customer_id": "c10", "customer_phone": "9999999999"}
        return (await self.call("POST", "/orders", asked | {"order_splits": list(splits)}))[1]

    async def vendors(self, *names: str) -> None:
        for name in names:
            await self.call("POST", "/easy-split/vendors", VENDOR | {"vendor_id": name})

    async def unsettled(self, name: str) -> float:
        _, told = await self.call("GET", f"/easy-split/vendors/{name}/balances")
        return told["vendor_unsettled"]

    def told(self) -> list[dict[str, Any]]:
        return [loads(each.body) for each in self.bank.world.take_webhooks()]


@pytest.fixture
async def market() -> AsyncIterator[Marketplace]:
    async with running_with_splits() as (bank, splits), aiohttp.ClientSession() as http:
        yield Marketplace(bank, splits, http)


async def test_a_vendor_is_made_checked_and_changed(market: Marketplace) -> None:
    market.splits.verifies = None
    _, made = await market.call("POST", "/easy-split/vendors", VENDOR)
    assert (set(made), made["status"]) == (MADE, "IN_BENE_CREATION")
    schedule = {"settlement_schedule_message": "T+1 settlement at 11:00 AM", "schedule_id": 1}
    assert made["schedule_option"] == [schedule | {"merchant_default": False}]
    market.splits.verify("vendortest123", good=False)
    (told,) = market.told()
    assert (told["type"], told["data"]["updated_status"], told["data"]["past_status"]) == (
        "VENDOR_STATUS_UPDATE",
        "ACTION_REQUIRED",
        "IN_BENE_CREATION",
    )
    market.splits.verifies = True
    path = "/easy-split/vendors/vendortest123"
    bank = {"account_number": "26291800001191", "account_holder": "J", "ifsc": "YESB0000262"}
    await market.call("PATCH", path, {"bank": [bank]})
    _, read = await market.call("GET", path)
    assert (read["status"], read["bank"]) == ("ACTIVE", [bank])
    assert (await market.call("PATCH", path, {"status": "BLOCKED"}))[1]["status"] == "BLOCKED"
    again = await market.refused("POST", "/easy-split/vendors", VENDOR)
    assert again == (409, "vendor_already_exists")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"vendor_id": "v-1"}, "vendor_id_invalid"),
        ({"name": "A_B"}, "name_invalid"),
        ({"phone": "123"}, "phone_invalid"),
        ({"bank": None}, "bank_missing"),
        ({"bank": {"account_number": "1", "ifsc": "HDFC1"}}, "bank_details_invalid"),
        ({"kyc_details": {"account_type": "BUSINESS"}}, "kyc_details_missing"),
    ],
)
async def test_a_vendor_is_refused(market: Marketplace, change: dict[str, Any], code: str) -> None:
    assert await market.refused("POST", "/easy-split/vendors", VENDOR | change) == (400, code)


async def test_an_order_is_split_when_it_is_paid_and_settled_the_next_day(
    market: Marketplace,
) -> None:
    await market.vendors("v1", "v2")
    parts = [{"vendor_id": "v1", "amount": 850}, {"vendor_id": "v2", "percentage": 10}]
    made = await market.order("o_1", *parts)
    assert made["order_splits"] == parts
    assert (await market.call("GET", "/orders/o_1"))[1]["order_splits"] == parts
    assert await market.unsettled("v1") == 0
    market.bank.world.pay("o_1")
    assert [await market.unsettled(each) for each in ("v1", "v2")] == [850, 100]
    market.told()
    assert run(market.splits) == []
    market.bank.world.pass_time(DAYS)
    first, _second = run(market.splits)
    told = market.told()
    assert [each["type"] for each in told[:2]] == [
        "VENDOR_SETTLEMENT_INITIATED",
        "VENDOR_SETTLEMENT_SUCCESS",
    ]
    settled = told[1]["data"]["settlement"]
    assert (settled["vendor_id"], settled["amount_settled"]) == ("v1", 850)
    assert await market.unsettled("v1") == 0
    _, details = await market.call("GET", "/easy-split/orders/o_1")
    assert [each["settlement_amount"] for each in details["vendors"]] == [850, 100]
    assert details["vendors"][0]["settlement_id"] == first
    asked = {"filters": {"settlement_id": first}, "pagination": {"limit": 10}}
    _, rows = await market.call("POST", "/recon/vendor", asked)
    assert [(each["credit"], each["settlement_utr"]) for each in rows["data"]] == [
        ("850.00", settled["utr"])
    ]
    reverse(market.splits, first)
    assert (market.told()[0]["type"], await market.unsettled("v1")) == (
        "VENDOR_SETTLEMENT_REVERSED",
        850,
    )


async def test_a_report_of_an_order_has_its_row_and_one_of_each_vendor(
    market: Marketplace,
) -> None:
    await market.vendors("vendor20Lakh")
    await market.order("o_1", {"vendor_id": "vendor20Lakh", "percentage": 90})
    market.bank.world.pay("o_1")
    path, asked = "/split/order/vendor/recon", {"filters": {"order_ids": ["o_1"]}}
    _, found = await market.call("POST", path, asked)
    order, vendor = found["data"]
    assert order["order_splits"][0]["split"] == [
        {"merchant_vendor_id": "vendor20Lakh", "percentage": 90, "tags": None}
    ]
    known = {name: order[name] for name in ("merchant_vendor_commission", "split_service_charge")}
    assert known == {"merchant_vendor_commission": "900.00", "split_service_charge": "1.00"}
    assert (vendor["entity_type"], vendor["amount"], vendor["settled"]) == (
        "vendor_commission",
        900,
        "NO",
    )
    assert await market.refused("POST", path, {"filters": {}}) == (400, "request_failed")
    asked = {"filters": {"order_ids": ["nothing"]}}
    assert await market.refused("POST", path, asked) == (404, "order_not_found")


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ([{"vendor_id": "v1", "amount": 1000.01}], "splits_exceed_order_amount"),
        ([{"vendor_id": "v1", "percentage": 60}] * 2, "splits_exceed_order_amount"),
        ([{"vendor_id": "v1", "percentage": 60, "amount": 1}], "order_splits_invalid"),
        ([{"vendor_id": "nobody", "amount": 1}], "vendor_not_found"),
        ([{"vendor_id": "v2", "amount": 1}], "vendor_not_active"),
    ],
)
async def test_a_split_is_refused(
    market: Marketplace, parts: list[dict[str, Any]], code: str
) -> None:
    await market.vendors("v1", "v2")
    market.splits.put("v2", "BLOCKED")
    assert (await market.order("o_1", *parts))["code"] == code


async def test_a_payment_is_split_later_until_it_is_closed_or_settled(
    market: Marketplace,
) -> None:
    await market.vendors("test03")
    path = "/easy-split/orders/o_1/split"
    asked = {"split": [{"vendor_id": "test03", "percentage": 10}], "disable_split": False}
    await market.order("o_1")
    assert await market.refused("POST", path, asked) == (400, "order_not_paid")
    market.bank.world.pay("o_1")
    assert await market.refused("POST", path, asked) == (400, "request_failed"), "too soon"
    market.bank.world.pass_time(timedelta(minutes=2))
    made = {"message": "Order split created", "status": "OK"}
    assert (await market.call("POST", path, asked))[1] == made
    much = {"split": [{"vendor_id": "test03", "amount": 900.01}]}
    assert await market.refused("POST", path, much) == (400, "splits_exceed_order_amount")
    assert (await market.call("POST", path, asked | {"disable_split": True}))[0] == 200
    closed = (409, "api_request_failed")
    assert await market.refused("POST", path, asked) == closed
    await market.order("o_2")
    market.bank.world.pay("o_2")
    settle_merchant(market.bank.world)
    assert await market.refused("POST", path.replace("o_1", "o_2"), asked) == closed


async def test_a_refund_takes_its_parts_and_a_cancelled_one_nothing(market: Marketplace) -> None:
    await market.vendors("v1", "v2")
    parts = [{"vendor_id": "v1", "amount": 850}, {"vendor_id": "v2", "amount": 100}]
    await market.order("o_1", *parts)
    market.bank.world.pay("o_1")
    asked = {"refund_id": "r_1", "refund_amount": 500}
    splits = [{"vendor_id": "v1", "amount": 425}, {"vendor_id": "v2", "amount": 50}]
    path = "/orders/o_1/refunds"
    much = [{"vendor_id": "v1", "amount": 501}]
    for wrong in (much, [{"vendor_id": "v3", "amount": 1}]):
        refused = await market.refused("POST", path, asked | {"refund_splits": wrong})
        assert refused == (400, "refund_splits_invalid")
    _, made = await market.call("POST", path, asked | {"refund_splits": splits})
    assert made["refund_splits"] == splits
    assert [await market.unsettled(each) for each in ("v1", "v2")] == [425, 50]
    market.bank.world.end_refund("o_1", "r_1", "CANCELLED")
    assert [await market.unsettled(each) for each in ("v1", "v2")] == [850, 100]
    await market.call("POST", path, {"refund_id": "r_2", "refund_amount": 100})
    assert [await market.unsettled(each) for each in ("v1", "v2")] == [765, 90]


async def test_balances_are_adjusted_and_paid_on_demand(market: Marketplace) -> None:
    await market.vendors("test_123")
    await market.order("o_1", {"vendor_id": "test_123", "amount": 400})
    market.bank.world.pay("o_1")
    path = "/easy-split/vendors/test_123"
    asked = {"vendor_id": "test_123", "adjustment_id": 1234567, "amount": 10, "type": "CREDIT"}
    assert (await market.call("POST", f"{path}/adjustment", asked))[1]["status"] == "OK"
    again = await market.refused("POST", f"{path}/adjustment", asked)
    assert (again[0], await market.unsettled("test_123")) == (409, 410)
    asked |= {"adjustment_id": 2, "type": "DEBIT", "amount": 410.01}
    assert await market.refused("POST", f"{path}/adjustment", asked) == (
        400,
        "insufficient_balance",
    )
    asked = {"transfer_from": "VENDOR", "transfer_type": "ON_DEMAND", "transfer_amount": 100}
    key = {"x-idempotency-key": "5d6f1c4e-0000-4000-8000-000000000001"}
    first, second = [await market.call("POST", f"{path}/transfer", asked, **key) for _ in range(2)]
    assert (first, first[1]["balances"]["vendor_unsettled"]) == (second, 310)
    asked |= {"transfer_amount": 310.01}
    assert await market.refused("POST", f"{path}/transfer", asked) == (400, "insufficient_balance")


async def test_a_settlement_that_fails_is_tried_again(market: Marketplace) -> None:
    await market.vendors("v1")
    await market.order("o_1", {"vendor_id": "v1", "amount": 400})
    market.bank.world.pay("o_1")
    market.bank.world.pass_time(DAYS)
    market.splits.failing.add("v1")
    run(market.splits)
    assert market.told()[-1]["type"] == "VENDOR_SETTLEMENT_FAILED"
    market.splits.failing.clear()
    (number,) = run(market.splits)
    assert market.splits.settlements[number]["amount_settled"] == Decimal("400.00")


async def test_an_answer_that_is_lost_leaves_one_split(market: Marketplace) -> None:
    await market.vendors("v1")
    await market.order("o_1")
    market.bank.world.pay("o_1")
    market.bank.world.pass_time(timedelta(minutes=2))
    asked = {"split": [{"vendor_id": "v1", "amount": 400}]}
    key = {"x-idempotency-key": "5d6f1c4e-0000-4000-8000-000000000002"}
    market.bank.faults.append(("/split", "lost"))
    with pytest.raises(aiohttp.ClientError):
        await market.call("POST", "/easy-split/orders/o_1/split", asked, **key)
    assert (await market.call("POST", "/easy-split/orders/o_1/split", asked, **key))[0] == 200
    assert await market.unsettled("v1") == 400
