"""The stand-in of Juspay's UPI merchant stack does what its documents say."""

import base64
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from tests.acquirers.juspay_upi.sealing import envelope, key, unsealed
from tests.acquirers.juspay_upi.standin import (
    BASE,
    CHANNEL_ID,
    MERCHANT_ID,
    UpiStack,
    callback_holds,
)
from tests.acquirers.stage import Trouble

IAT = "1796918882000"
DEEPLINK = {"payeeVpa", "payeeName", "payeeMcc", "gatewayTransactionId", "orderId"}
DEEPLINK |= {"amount", "currency", "TxnInitiationMode"}
"""The mandatory parts of the published deeplink."""


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it."""

    stack: UpiStack
    http: aiohttp.ClientSession

    async def post(self, call: str, body: Any, routed: str, **headers: str) -> tuple[int, Any]:
        named = {"x-merchant-id": MERCHANT_ID, "x-merchant-channel-id": CHANNEL_ID}
        named |= {"x-timestamp": IAT, "x-api-version": "3", "jpupi-routing-id": routed} | headers
        url = f"{self.stack.url}{BASE}/merchants/transactions/{call}"
        async with self.http.post(url, json=body, headers=named) as answer:
            if answer.ok and "x-response-signature" in answer.headers:
                signed = base64.b64decode(answer.headers["x-response-signature"])
                public = key("juspay").public_key()
                public.verify(signed, await answer.read(), padding.PKCS1v15(), hashes.SHA256())
            return answer.status, await answer.json()

    async def register(self, name: str = "10001", **more: Any) -> tuple[int, Any]:
        asked = {"merchantRequestId": name, "upiRequestId": name, "amount": "100.00"}
        asked |= {"flow": "TRANSACTION", "iat": IAT} | more
        return await self.post("registerIntent", envelope(asked), name)

    async def status(self, name: str = "10001", **more: Any) -> Any:
        asked = {"merchantRequestId": name, "iat": IAT}
        asked |= {"transactionType": "MERCHANT_CREDITED_VIA_PAY"} | more
        return (await self.post("status360", envelope(asked), name))[1]

    async def refund(self, name: str = "R1", **more: Any) -> Any:
        asked = {"originalMerchantRequestId": "10001", "refundRequestId": name, "iat": IAT}
        asked |= {"refundType": "ONLINE", "merchantRefundVpa": "standin@axisbank"}
        asked |= {"refundAmount": "40.00", "remarks": "returned"} | more
        return (await self.post("refund360", envelope(asked), "10001"))[1]


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with UpiStack.running() as stack, aiohttp.ClientSession() as http:
        yield Merchant(stack, http)


UDIR = {"refundType": "UDIR", "adjFlag": "REF", "adjCode": "1064"}


async def test_intent_has_all_that_a_link_needs(merchant: Merchant) -> None:
    status, answer = await merchant.register(remarks="Pay for Intent")
    assert (status, answer["responseCode"]) == (200, "SUCCESS")
    assert set(answer["payload"]) >= DEEPLINK
    assert answer["payload"]["orderId"] == "10001"
    assert answer["payload"]["remarks"] == "Pay for Intent"


async def test_intent_is_registered_once(merchant: Merchant) -> None:
    await merchant.register()
    assert (await merchant.register())[1]["responseCode"] == "DUPLICATE_REQUEST"


@pytest.mark.parametrize(
    "change",
    [
        {"amount": "100"},
        {"amount": "0.00"},
        {"flow": "COLLECT"},
        {"intentRequestExpiryMinutes": "soon"},
        {"iat": "1796918882"},
        {"merchantRequestId": "a/b"},
    ],
)
async def test_wrong_intent_is_refused(merchant: Merchant, change: dict[str, str]) -> None:
    status, answer = await merchant.register(**change)
    assert (status, answer["responseCode"]) == (400, "BAD_REQUEST")
    assert merchant.stack.intents == {}


async def test_call_is_signed_by_the_merchant(merchant: Merchant) -> None:
    asked = {"merchantRequestId": "10001", "amount": "100.00", "iat": IAT}
    forged = envelope(asked) | {"payload": envelope(asked | {"amount": "1.00"})["payload"]}
    for body in (asked, forged, envelope(asked, "another"), envelope(asked, owner="juspay")):
        status, answer = await merchant.post("registerIntent", body, "10001")
        assert (status, answer["responseCode"]) == (401, "UNAUTHORIZED")
    headers = {"x-merchant-id": "ANOTHER"}
    _, answer = await merchant.post("registerIntent", envelope(asked), "10001", **headers)
    assert answer["responseCode"] == "INVALID_MERCHANT"
    status, _ = await merchant.post("registerIntent", envelope(asked), "10002")
    assert status == 400


async def test_status_tells_a_payment(merchant: Merchant) -> None:
    _, made = await merchant.register()
    assert (await merchant.status())["responseCode"] == "REQUEST_PENDING"
    merchant.stack.hold("10001")
    assert (await merchant.status())["payload"]["gatewayResponseCode"] == "01"
    merchant.stack.pay("10001")
    told = (await merchant.status())["payload"]
    assert (told["gatewayResponseCode"], told["gatewayResponseStatus"]) == ("00", "SUCCESS")
    assert told["gatewayTransactionId"] == made["payload"]["gatewayTransactionId"]
    assert told["amount"] == "100.00"
    assert told["transactionTimestamp"].endswith("+05:30")


async def test_status_tells_what_is_not_paid(merchant: Merchant) -> None:
    assert (await merchant.status())["responseCode"] == "REQUEST_NOT_FOUND"
    await merchant.register()
    told = await merchant.status(transactionType="MERCHANT_CREDITED_VIA_COLLECT")
    assert told["responseCode"] == "REQUEST_NOT_FOUND"
    assert (await merchant.status(transactionType="ANOTHER"))["responseCode"] == "BAD_REQUEST"
    merchant.stack.pass_time(300)
    assert (await merchant.status())["responseCode"] == "REQUEST_EXPIRED"
    merchant.stack.drop("10001")
    assert (await merchant.status())["responseCode"] == "DROPOUT"


async def test_late_or_wrong_payment_is_refused(merchant: Merchant) -> None:
    await merchant.register(intentRequestExpiryMinutes="10")
    merchant.stack.pay("10001", "99.00")
    assert (await merchant.status())["payload"]["gatewayResponseCode"] == "YG"
    merchant.stack.pass_time(600)
    merchant.stack.pay("10001")
    assert (await merchant.status())["payload"]["gatewayResponseCode"] == "X1"
    merchant.stack.fail("10001")
    assert (await merchant.status())["payload"]["gatewayResponseStatus"] == "FAILURE"


async def test_refund_is_begun_and_asked_for_by_one_call(merchant: Merchant) -> None:
    await merchant.register()
    merchant.stack.pay("10001")
    merchant.stack.refunds_end = "01"
    first = await merchant.refund()
    assert first["payload"]["gatewayResponseStatus"] == "PENDING"
    assert (await merchant.refund(refundAmount="60.00"))["payload"]["refundAmount"] == "40.00"
    merchant.stack.end_refund("R1")
    assert (await merchant.refund())["payload"]["gatewayResponseStatus"] == "SUCCESS"
    assert len(merchant.stack.refunds) == 1


async def test_refunds_are_not_more_than_was_paid(merchant: Merchant) -> None:
    await merchant.register()
    merchant.stack.pay("10001")
    await merchant.refund()
    refused = await merchant.refund("R2", refundAmount="60.01")
    assert refused["responseCode"] == "INVALID_REFUND_AMOUNT"
    merchant.stack.end_refund("R1", "U30")
    assert (await merchant.refund("R3", refundAmount="100.00"))["responseCode"] == "SUCCESS"


async def test_refund_of_nothing_is_refused(merchant: Merchant) -> None:
    assert (await merchant.refund())["responseCode"] == "INVALID_TRANSACTION_ID"
    await merchant.register()
    assert (await merchant.refund())["responseCode"] == "UNINITIATED_REQUEST"


@pytest.mark.parametrize(
    "change",
    [
        {"merchantRefundVpa": ""},
        {"refundType": "UDIR"},
        UDIR | {"adjCode": "1065"},
        {"refundType": "ANOTHER"},
        {"refundAmount": "40"},
        {"remarks": ""},
        {"remarks": "no #!"},
        {"refundRequestId": "x" * 36},
    ],
)
async def test_wrong_refund_is_refused(merchant: Merchant, change: dict[str, str]) -> None:
    await merchant.register()
    merchant.stack.pay("10001")
    assert (await merchant.refund(**change))["responseCode"] == "BAD_REQUEST"


async def test_refund_has_its_time(merchant: Merchant) -> None:
    await merchant.register()
    merchant.stack.pay("10001")
    assert (await merchant.refund(**UDIR))["responseCode"] == "INVALID_DATA"
    merchant.stack.pass_time(300)
    told = (await merchant.refund(**UDIR))["payload"]
    assert (told["adjFlag"], told["adjCode"], told["refundType"]) == ("REF", "1064", "UDIR")
    merchant.stack.pass_time(181 * 86400)
    assert (await merchant.refund("R2"))["responseCode"] == "INVALID_DATA"


async def test_offline_refund_waits(merchant: Merchant) -> None:
    await merchant.register()
    merchant.stack.pay("10001")
    told = await merchant.refund(refundType="OFFLINE", merchantRefundVpa="")
    assert told["payload"]["gatewayResponseStatus"] == "PENDING"


async def test_deemed_refund_is_not_final(merchant: Merchant) -> None:
    await merchant.register()
    merchant.stack.pay("10001")
    merchant.stack.refunds_end = "RB"
    assert (await merchant.refund())["payload"]["gatewayResponseStatus"] == "DEEMED"


async def test_callbacks_are_signed(merchant: Merchant) -> None:
    await merchant.register()
    merchant.stack.pay("10001")
    await merchant.refund()
    merchant.stack.end_refund("R1")
    paid, given_back = merchant.stack.webhooks
    assert paid.said["type"] == "MERCHANT_CREDITED_VIA_PAY"
    assert (given_back.said["refundRequestId"], given_back.said["refundAmount"]) == ("R1", "40.00")
    for each in (paid, given_back, paid.reserialised()):
        assert callback_holds(each.body, each.headers["x-merchant-payload-signature"])
    forged = paid.saying(amount="1.00")
    assert not callback_holds(forged.body, forged.headers["x-merchant-payload-signature"])
    assert json.loads(paid.body)["gatewayResponseCode"] == "00"


async def test_refund_whose_answer_is_lost_was_made(merchant: Merchant) -> None:
    await merchant.register()
    merchant.stack.pay("10001")
    merchant.stack.trouble("/refund360", Trouble.LOST_AFTER)
    with pytest.raises(aiohttp.ClientError):
        await merchant.refund()
    assert (await merchant.refund())["payload"]["gatewayResponseStatus"] == "SUCCESS"
    assert len(merchant.stack.refunds) == 1


async def test_banks_can_encrypt_their_answers(merchant: Merchant) -> None:
    merchant.stack.encrypts = True
    _, answer = await merchant.register()
    assert set(answer) == {"cipherText", "encryptedKey", "iv", "protected", "tag"}
    assert unsealed(answer)["payload"]["orderId"] == "10001"
    _, refused = await merchant.register()
    assert refused["responseCode"] == "DUPLICATE_REQUEST"
    with pytest.raises(InvalidTag):
        unsealed(answer | {"tag": "AAAAAAAAAAAAAAAAAAAAAA"})
