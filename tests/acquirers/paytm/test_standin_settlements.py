"""The stand-in of Paytm tells settlements and disputes as its documents say."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from tests.acquirers.paytm.standin import MID, Order, holds, signature
from tests.acquirers.paytm.standin_settlements import SettlingPaytm
from tests.acquirers.playing import running

DAY = "2026-11-27"
WEBHOOK = {
    "transactionId",
    "orderId",
    "disputeAmount",
    "disputeDueDate",
    "bankReferenceNo",
    "disputeType",
    "message",
    "extSerialNo",
    "mid",
    "merchantName",
    "custId",
    "transactionDateTime",
    "transactionAmount",
    "disputeId",
    "disputeStatus",
}
"""The fields of the published webhook."""
LINE = {
    "txnId",
    "txnType",
    "txnDate",
    "txnAmount",
    "bankName",
    "custId",
    "paymentMode",
    "mid",
    "merchantName",
    "orderId",
    "mercUnqRefVal",
    "utrProcessedTime",
    "utr",
    "settleAmount",
    "payoutDate",
    "gst",
    "commission",
}


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it."""

    paytm: SettlingPaytm
    http: aiohttp.ClientSession

    def paid(self, order_id: str, amount: str = "1000.00") -> None:
        asked = {"userInfo": {"custId": "CUST001"}}
        self.paytm.orders[order_id] = Order(asked, amount, "token")
        self.paytm.pay(order_id)

    async def settlements(self, *, as_text: bool = False, **change: Any) -> dict[str, Any]:
        asked: dict[str, Any] = {"MID": MID, "utrProcessedStartTime": DAY, "pageNum": 1}
        asked |= {"pageSize": 20} | change
        values = "|".join(str(asked[name]) for name in sorted(asked))
        text = json.dumps(asked, separators=(",", ":"))
        signed = asked | {"checksumHash": signature(text if as_text else values)}
        return await self.posted("/merchant-settlement-service/settlement/list", json=signed)

    async def posted(self, path: str, **what: Any) -> dict[str, Any]:
        async with self.http.post(self.paytm.url + path, **what) as answer:
            return await answer.json()

    async def dispute(self, number: str) -> dict[str, Any]:
        body = json.dumps({"mid": MID, "disputeId": number})
        head = {"requestTimestamp": "1588402269", "tokenType": "CHECKSUM"}
        head["signature"] = signature(body)
        text = f'{{"head":{json.dumps(head)},"body":{body}}}'
        return (await self.posted("/dispute/status", data=text))["body"]

    async def act(self, number: str, action: str, proof: bytes = b"") -> str:
        """Answer a dispute; proof: of a defence, whose order was delivered."""
        form = aiohttp.FormData(default_to_multipart=True)
        asked = {"mid": MID, "requestTimestamp": "1", "disputeId": number, "action": action}
        asked["checksum"] = signature(f"{action}|{number}|{MID}|1")
        for name, value in (asked | ({"orderStatus": "DELIVERED"} if proof else {})).items():
            form.add_field(name, value)
        if proof:
            form.add_field("files", proof, filename="proof.pdf")
        told = await self.posted("/dispute/action", data=form)
        return told["body"]["resultInfo"]["resultStatus"]


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with running(SettlingPaytm()) as paytm, aiohttp.ClientSession() as http:
        yield Merchant(paytm, http)


@pytest.mark.parametrize("as_text", [False, True])
async def test_a_day_is_told_line_by_line(merchant: Merchant, *, as_text: bool) -> None:
    merchant.paid("10001-1")
    merchant.paytm.orders["10001-1"].refunds["r1"] = {"amount": "100.00", "status": "TXN_SUCCESS"}
    merchant.paytm.hand_over(DAY)
    told = await merchant.settlements(as_text=as_text)
    assert (told["status"], told["resultCode"], told["totalCount"]) == ("SUCCESS", "00000000", 2)
    sale, refund = told["settlementDetailList"]
    assert set(sale) == LINE
    known = [sale[name] for name in ("txnType", "commission", "gst", "settleAmount")]
    assert known == ["SALE", "20.00", "3.60", "976.40"]
    known = [refund[name] for name in ("txnType", "mercUnqRefVal", "settleAmount")]
    assert known == ["REFUND", "r1", "-100.00"]
    assert merchant.paytm.signed_as == ["text" if as_text else "values"]


async def test_a_day_has_pages_and_another_has_nothing(merchant: Merchant) -> None:
    for number in range(21):
        merchant.paid(f"10001-{number}")
    merchant.paytm.hand_over(DAY)
    first, second = [await merchant.settlements(pageNum=page) for page in (1, 2)]
    assert (first["count"], second["count"], first["paginatorTotalPage"]) == (20, 1, 2)
    nothing = await merchant.settlements(utrProcessedStartTime="2026-11-20")
    assert nothing["status"] == "RECORD_NOT_FOUND"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"pageSize": 21}, "00000004"),
        ({"utrProcessedEndTime": "2026-11-29"}, "00000004"),
        ({"utrProcessedStartTime": "27-11-2026"}, "00000004"),
        ({"utrProcessedStartTime": "2026-01-01"}, "12014162"),
        ({"MID": "ANOTHER"}, "12014163"),
    ],
)
async def test_a_list_is_refused(merchant: Merchant, change: dict[str, Any], code: str) -> None:
    told = await merchant.settlements(**change)
    assert (told["status"], told["resultCode"]) == ("FAILURE", code)


async def test_an_unsigned_list_is_refused(merchant: Merchant) -> None:
    asked = {"MID": MID, "utrProcessedStartTime": DAY, "pageNum": 1, "pageSize": 20}
    path = "/merchant-settlement-service/settlement/list"
    told = await merchant.posted(path, json=asked | {"checksumHash": signature("another")})
    assert told["errorMessage"] == "CHECKSUM_VALIDATION_FAILED"


async def test_a_dispute_is_told_and_defended_once(merchant: Merchant) -> None:
    merchant.paid("10001-1")
    number = merchant.paytm.raise_dispute("10001-1", "20.00")
    _headers, content = merchant.paytm.dispute_webhook(number)
    told = json.loads(content)
    assert (set(told["body"]), told["body"]["disputeStatus"]) == (WEBHOOK, "NEW")
    assert holds(json.dumps(told["body"]), told["head"]["signature"])
    assert (await merchant.dispute(number))["disputeAmount"] == "20.00"
    assert await merchant.act(number, "DEFEND") == "F"
    assert await merchant.act(number, "DEFEND", b"%PDF") == "S"
    assert (await merchant.dispute(number))["disputeStatus"] == "DEFENDED"
    assert await merchant.act(number, "ACCEPT") == "F"


async def test_an_accepted_dispute_is_a_line_of_the_next_settlement(merchant: Merchant) -> None:
    merchant.paid("10001-1")
    merchant.paytm.hand_over("2026-11-26")
    number = merchant.paytm.raise_dispute("10001-1")
    assert await merchant.act(number, "ACCEPT") == "S"
    merchant.paytm.hand_over(DAY)
    (line,) = (await merchant.settlements())["settlementDetailList"]
    assert (line["txnType"], line["settleAmount"]) == ("CHARGEBACK", "-1000.00")
    unknown = await merchant.dispute("nothing")
    assert unknown["resultInfo"]["resultStatus"] == "F"


async def test_a_list_whose_answer_is_lost_is_asked_again(merchant: Merchant) -> None:
    merchant.paid("10001-1")
    merchant.paytm.hand_over(DAY)
    merchant.paytm.lose = ["/merchant-settlement-service/settlement/list"]
    with pytest.raises(aiohttp.ClientError):
        await merchant.settlements()
    assert (await merchant.settlements())["count"] == 1
