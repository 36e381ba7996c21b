"""The stand-in of PhonePe tells settlements as its documents say: their sums, and no lines."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from tests.acquirers.phonepe import standin
from tests.acquirers.phonepe.standin_settlements import DAY_MS, OLDEST_MS, Settlements
from tests.acquirers.playing import running

STATUS = {
    "settlementId",
    "state",
    "utr",
    "amount",
    "merchantId",
    "lastAttemptErrorCode",
    "lastAttemptErrorDescription",
    "lastUpdatedAt",
}


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it."""

    phonepe: Settlements
    http: aiohttp.ClientSession
    token: str

    async def call(self, method: str, path: str, asked: Any = None) -> tuple[int, dict[str, Any]]:
        named = {"Authorization": f"O-Bearer {self.token}", "Content-Type": "application/json"}
        async with self.http.request(
            method, self.phonepe.url + path, json=asked, headers=named
        ) as answer:
            return answer.status, await answer.json()

    async def paid(self, reference: str, amount: int) -> None:
        flow = {"type": "PG_CHECKOUT", "merchantUrls": {"redirectUrl": "https://a.example/"}}
        asked = {"merchantOrderId": reference, "amount": amount, "paymentFlow": flow}
        await self.call("POST", "/checkout/v2/pay", asked)
        self.phonepe.pay(reference)

    async def range(self, **query: int) -> tuple[int, dict[str, Any]]:
        now = self.phonepe.clock_ms
        asked = {"from": now - DAY_MS, "to": now + DAY_MS} | query
        parts = "&".join(f"{name}={each}" for name, each in asked.items())
        return await self.call("GET", f"/settlements/v1/range?{parts}")


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with running(Settlements()) as phonepe, aiohttp.ClientSession() as http:
        form = {"client_id": standin.CLIENT_ID, "client_version": standin.CLIENT_VERSION}
        form |= {"client_secret": standin.CLIENT_SECRET, "grant_type": "client_credentials"}
        async with http.post(f"{phonepe.url}/v1/oauth/token", data=form) as answer:
            token = (await answer.json())["access_token"]
        yield Merchant(phonepe, http, token)


async def test_a_settlement_is_the_sum_of_what_was_paid_less_what_went_back(
    merchant: Merchant,
) -> None:
    merchant.phonepe.fee_bps = 200
    await merchant.paid("o1", 50_000)
    await merchant.paid("o2", 10_000)
    refund = {"merchantRefundId": "r1", "originalMerchantOrderId": "o1", "amount": 5_000}
    await merchant.call("POST", "/payments/v2/refund", refund)
    merchant.phonepe.settle_refund("r1")
    number = merchant.phonepe.initiate()
    _, listed = await merchant.range()
    (line,) = listed["settlements"]
    assert set(line) == {"state", "settlementId", "utr", "date"}
    assert (line["state"], listed["hasNext"]) == ("INITIATED", False)
    _, told = await merchant.call("GET", f"/settlements/v1/{number}/status")
    assert (set(told), told["amount"]) == (STATUS, 49_000 + 9_800 - 5_000)
    assert merchant.phonepe.settlements[merchant.phonepe.initiate()]["amount"] == 0


async def test_a_settlement_fails_and_is_processed_later(merchant: Merchant) -> None:
    await merchant.paid("o1", 50_000)
    number = merchant.phonepe.initiate()
    merchant.phonepe.attempt_failed(number)
    _, failed = await merchant.call("GET", f"/settlements/v1/{number}/status")
    assert (failed["state"], failed["lastAttemptErrorCode"]) == (
        "ATTEMPT_FAILED",
        "BENEFICIARY_ACCOUNT_INVALID",
    )
    merchant.phonepe.process(number)
    _, done = await merchant.call("GET", f"/settlements/v1/{number}/status")
    assert (done["state"], done["lastAttemptErrorCode"]) == ("PROCESSED", "")
    told = [json.loads(body) for _headers, body in merchant.phonepe.told]
    assert [each["event"] for each in told] == [
        "settlement.initiated",
        "settlement.attempt.failed",
        "settlement.processed",
    ]
    assert told[-1]["payload"] == done


async def test_the_list_has_pages(merchant: Merchant) -> None:
    numbers = [merchant.phonepe.initiate() for _ in range(11)]
    _, first = await merchant.range()
    _, second = await merchant.range(offset=10)
    assert (first["hasNext"], second["hasNext"]) == (True, False)
    pages = first["settlements"] + second["settlements"]
    assert [each["settlementId"] for each in pages] == numbers
    assert (await merchant.range(limit=41))[0] == 400
    old = merchant.phonepe.clock_ms - OLDEST_MS - 1
    assert (await merchant.range(**{"from": old}))[0] == 400
    assert (await merchant.call("GET", "/settlements/v1/range?from=1"))[0] == 400
    assert (await merchant.call("GET", "/settlements/v1/nothing/status"))[0] == 400


async def test_a_list_is_lost_or_spoilt(merchant: Merchant) -> None:
    merchant.phonepe.lose_next = 2  # a client asks again by itself
    with pytest.raises(aiohttp.ClientError):
        await merchant.range()
    merchant.phonepe.answer_next = [(503, b"{}")]
    assert (await merchant.range())[0] == 503
    assert (await merchant.range())[0] == 200
