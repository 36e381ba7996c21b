"""The stand-in of Easebuzz does what its kits say."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import aiohttp
import pytest

from tests.acquirers.easebuzz.standin import HASHED, KEY, Easebuzz, digest, reverse_digest

FIELDS = {
    "key": KEY,
    "txnid": "10001-1",
    "amount": "1100.00",
    "productinfo": "Order",
    "firstname": "Asha",
    "email": "asha@example.com",
    "phone": "9000090000",
    "surl": "https://pay.example.in/done",
    "furl": "https://pay.example.in/failed",
}


@dataclass
class Merchant:
    """Calls the stand-in as its kits do."""

    easebuzz: Easebuzz
    http: aiohttp.ClientSession

    async def call(self, path: str, kind: str, **fields: str) -> Any:
        asked = {"key": KEY} | fields
        asked["hash"] = asked.get("hash") or digest(asked, HASHED[kind])
        async with self.http.post(self.easebuzz.url + path, data=asked) as answer:
            return await answer.json(content_type=None)

    async def begin(self, **changes: str) -> Any:
        return await self.call("/payment/initiateLink", "initiate", **(FIELDS | changes))

    async def transaction(self, txnid: str = "10001-1") -> Any:
        return await self.call("/transaction/v2/retrieve", "transaction", txnid=txnid)


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with Easebuzz.running() as easebuzz, aiohttp.ClientSession() as http:
        yield Merchant(easebuzz, http)


async def test_a_customer_pays_at_the_page(merchant: Merchant) -> None:
    made = await merchant.begin()
    assert re.fullmatch(r"[a-f0-9]{64}", made["data"])
    url = f"{merchant.easebuzz.url}/pay/{made['data']}"
    async with merchant.http.post(url, data={"outcome": "success"}) as page:
        assert "https://pay.example.in/done" in await page.text()
    found = await merchant.transaction()
    assert (found["status"], found["msg"]["status"]) == (True, "success")
    assert found["msg"]["hash"] == reverse_digest(found["msg"])
    (event,) = merchant.easebuzz.webhooks
    told = dict(parse_qsl(event.body.decode(), keep_blank_values=True))
    assert told["hash"] == reverse_digest(told)


async def test_upi_by_call_gets_a_link_and_net_banking_a_page(merchant: Merchant) -> None:
    access = (await merchant.begin())["data"]
    url = f"{merchant.easebuzz.url}/initiate_seamless_payment/"
    asked = {"access_key": access, "payment_mode": "UPI", "request_mode": "SUVA", "upi_qr": "1"}
    async with merchant.http.post(url, data=asked) as answer:
        assert (await answer.json())["intent_link"].startswith("upi://pay")
    assert (await merchant.transaction())["msg"]["status"] == "pending"
    asked = {"access_key": access, "payment_mode": "NB", "bank_code": "HDFB"}
    async with merchant.http.post(url, data=asked) as answer:
        assert (await answer.text()).startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"amount": "1100"}, "Invalid value for amount"),
        ({"amount": "0.99"}, "Amount must be greater than or equal to 1"),
        ({"txnid": "a b"}, "Invalid value for txnid"),
        ({"hash": "0" * 128}, "Hash mismatch"),
        ({"key": "other"}, "Merchant key is invalid"),
    ],
)
async def test_bad_input_is_refused(merchant: Merchant, changes: dict[str, str], said: str) -> None:
    refused = await merchant.begin(**changes)
    assert (refused["status"], refused["error_desc"]) == (0, said)
    assert (await merchant.transaction())["status"] is False


async def test_a_repeated_reference_is_one_payment(merchant: Merchant) -> None:
    await merchant.begin()
    assert (await merchant.begin())["status"] == 0
    merchant.easebuzz.repeated = "again"
    assert (await merchant.begin())["status"] == 1
    assert len(merchant.easebuzz.payments) == 1


async def test_a_refund_is_accepted_and_ends_later(merchant: Merchant) -> None:
    await merchant.begin()
    merchant.easebuzz.pay("10001-1")
    ours = merchant.easebuzz.payments["10001-1"]["easepayid"]
    asked = {"merchant_refund_id": "10001-2", "easebuzz_id": ours, "refund_amount": "100.00"}
    made = await merchant.call("/transaction/v2/refund", "refund", **asked)
    assert (made["status"], made["refund_amount"]) == (True, "100.00")
    again = await merchant.call("/transaction/v2/refund", "refund", **asked)
    assert again["status"] is False
    too_much = asked | {"merchant_refund_id": "3", "refund_amount": "1000.01"}
    assert not (await merchant.call("/transaction/v2/refund", "refund", **too_much))["status"]
    merchant.easebuzz.end_refund("10001-2")
    known = await merchant.call("/refund/v1/retrieve", "refund status", easebuzz_id=ours)
    assert [each["refund_status"] for each in known["refunds"]] == ["refunded"]
