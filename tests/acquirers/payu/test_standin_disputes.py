"""The stand-in of PayU has disputes as its documents say."""

import base64
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from tests.acquirers.payu.standin import Transaction
from tests.acquirers.payu.standin_disputes import (
    ACCEPT,
    DETAILS,
    MERCHANT_ID,
    PART,
    PROOF,
    REJECT,
    SUM,
    TOKEN,
    DisputedPayU,
    signature,
)
from tests.acquirers.payu.standin_payments import KEY, sha512
from tests.acquirers.playing import running

WEBHOOK = {
    "type",
    "event",
    "reason_code",
    "created_at",
    "updated_at",
    "mid",
    "cb_id",
    "txn_id",
    "cb_type",
    "due_date",
    "cb_amount",
    "cb_status",
}
ATTRIBUTES = {
    "id",
    "chargeback-amount",
    "chargeback-type",
    "chargeback-date",
    "status",
    "reply-before",
    "chargeback-reason",
    "bank-case-no",
    "debit-date",
    "comments",
    "debit-status",
    "credit-date",
    "customer-dispute-docs",
    "transaction-details",
    "customer-details",
}
"""The fields of the published samples."""


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it."""

    payu: DisputedPayU
    http: aiohttp.ClientSession

    def disputed(self, txnid: str = "10001-1", amount: str = "1500.00") -> str:
        form = {"txnid": txnid, "amount": amount, "productinfo": "shoes", "firstname": "Asha"}
        self.payu.transactions[txnid] = Transaction(form, f"4039937155152396{len(txnid)}", "CC")
        self.payu.pay(txnid)
        return self.payu.raise_dispute(txnid)

    async def get(self, place: str, *, token: str = TOKEN, **query: str) -> tuple[int, Any]:
        headers = {"X-Optimus-API-Key": token}
        url = f"{self.payu.url}/api/v1/{place}"
        async with self.http.get(url, params=query, headers=headers) as answer:
            return answer.status, await answer.json()

    async def listed(self, first: str, last: str = "") -> tuple[int, Any]:
        dates = {"from_date": first, "merchant_id": MERCHANT_ID} | (
            {"to_date": last} if last else {}
        )
        return await self.get("chargebacks", **dates)

    async def answer(
        self, number: str, kind: str, reason: str, *fields: dict[str, str]
    ) -> tuple[int, Any]:
        asked = {
            "reason_code": [{"uuid": reason, "form_data": list(fields)}],
            "chargeback_id": number,
            "merchant_key": KEY,
            "dispute_type": kind,
        }
        url = f"{self.payu.url}/api/v1/chargebacks/dispute"
        headers = {"X-Optimus-API-Key": TOKEN}
        async with self.http.patch(url, json=asked, headers=headers) as answer:
            return answer.status, await answer.json()


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with running(DisputedPayU()) as payu, aiohttp.ClientSession() as http:
        yield Merchant(payu, http)


DELIVERED = {"identifier": DETAILS, "value": "Delivered on the 20th"}
FILE = {
    "identifier": PROOF,
    "value": base64.b64encode(b"%PDF-1.7").decode(),
    "filename": "delivery_proof.pdf",
    "content_type": "application/pdf",
}


async def test_webhook_tells_a_dispute(merchant: Merchant) -> None:
    number = merchant.disputed()
    headers, body = merchant.payu.dispute_webhook(number)
    told = json.loads(body)
    assert set(told) == WEBHOOK
    assert (told["event"], told["cb_id"], told["cb_amount"]) == ("dispute", int(number), "1500.0")
    assert told["txn_id"] == merchant.payu.transactions["10001-1"].mihpayid
    assert list(headers) == ["content-type"]


async def test_webhook_can_name_the_merchants_number(merchant: Merchant) -> None:
    number = merchant.disputed()
    merchant.payu.names = "merchant"
    assert json.loads(merchant.payu.dispute_webhook(number)[1])["txn_id"] == "10001-1"


async def test_webhook_can_be_signed(merchant: Merchant) -> None:
    number = merchant.disputed()
    headers, body = merchant.payu.dispute_webhook(number, signs=True)
    assert headers["X-PayU-Dispute-Webhook-Algorithm"] == "SHA512"
    assert headers["X-PayU-Dispute-Webhook-Signature-V1"] == signature(json.loads(body))
    _, another = merchant.payu.dispute_webhook(number, signs=True, cb_amount="1.0")
    assert headers["X-PayU-Dispute-Webhook-Signature-V1"] != signature(json.loads(another))


def test_signature_is_over_the_published_text() -> None:
    told = {
        "txn_id": "403993715515239610",
        "cb_amount": "1500.0",
        "cb_id": 987,
        "cb_type": "Chargeback",
        "cb_status": "Pending Response",
    }
    text = f"{KEY}|403993715515239610|1500.0|987|Chargeback|PendingResponse|awdgfjrfjk"
    assert signature(told, "awdgfjrfjk") == sha512(text)


async def test_disputes_are_listed_by_day(merchant: Merchant) -> None:
    number = merchant.disputed()
    status, answer = await merchant.listed("20-11-2026", "28-11-2026")
    assert status == 200
    [one] = answer["data"]
    assert (one["id"], one["type"]) == (number, "chargebacks")
    assert set(one["attributes"]) == ATTRIBUTES
    assert one["attributes"]["reply-before"] == "02-Dec-2026"
    assert one["attributes"]["transaction-details"]["transaction-id"] == "10001-1"
    assert answer["meta"]["pagination"] == {
        "per-page": 500,
        "total-chargebacks": 1,
        "total-pages": 1,
    }
    assert (await merchant.listed("20-11-2026", "27-11-2026"))[1]["data"] == []


async def test_more_than_five_hundred_disputes_are_two_pages(merchant: Merchant) -> None:
    merchant.disputed()
    for _ in range(500):
        merchant.payu.raise_dispute("10001-1", "1.00")
    _, answer = await merchant.listed("28-11-2026")
    assert len(answer["data"]) == 500
    assert answer["meta"]["pagination"]["total-pages"] == 2
    query = {"from_date": "28-11-2026", "merchant_id": MERCHANT_ID, "page": "2"}
    assert len((await merchant.get("chargebacks", **query))[1]["data"]) == 1


@pytest.mark.parametrize(
    ("first", "last"), [("1-1", ""), ("01-11-2026", "28-11-2026"), ("28-11-2026", "27-11-2026")]
)
async def test_bad_days_are_refused(merchant: Merchant, first: str, last: str) -> None:
    assert (await merchant.listed(first, last))[0] == 422


async def test_dispute_of_a_payment_is_one_object(merchant: Merchant) -> None:
    number = merchant.disputed()
    mihpayid = merchant.payu.transactions["10001-1"].mihpayid
    assert (await merchant.get(f"chargebacks/{mihpayid}"))[1]["data"]["id"] == number
    assert (await merchant.get("chargebacks/1"))[0] == 404


async def test_stranger_is_refused(merchant: Merchant) -> None:
    for place in ("reasons", "chargebacks", "chargebacks/1"):
        assert (await merchant.get(place, token="another"))[0] == 401


async def test_reasons_say_what_they_ask(merchant: Merchant) -> None:
    _, answer = await merchant.get("reasons")
    found = {each["attributes"]["identifier"]: each["attributes"] for each in answer["data"]}
    assert found[ACCEPT]["reason-type"] == "accept"
    assert found[ACCEPT]["form-data"] == []
    assert found[REJECT]["parent-id"] in found
    asks = {each["identifier"]: each for each in found[REJECT]["form-data"]}
    assert asks[DETAILS]["mandatory"]
    assert asks[PROOF]["field-type"] == "file_tag"


async def test_dispute_is_accepted_once(merchant: Merchant) -> None:
    number = merchant.disputed()
    status, answer = await merchant.answer(number, "accept", ACCEPT)
    assert status == 200
    assert answer["data"]["type"] == "chargeback-details"
    assert answer["data"]["attributes"]["status"] == "Closed Customer Favour"
    assert (await merchant.answer(number, "accept", ACCEPT))[0] == 422
    _, listed = await merchant.listed("28-11-2026")
    assert listed["data"][0]["attributes"]["debit-status"] == "Chargeback Debited"


async def test_dispute_is_contested_with_files(merchant: Merchant) -> None:
    number = merchant.disputed()
    status, answer = await merchant.answer(number, "contest", REJECT, DELIVERED, FILE)
    assert status == 200
    assert answer["data"]["attributes"]["status"] == "Pending Doc Review"
    assert merchant.payu.evidence[number] == [b"%PDF-1.7"]


async def test_part_of_a_dispute_is_accepted(merchant: Merchant) -> None:
    number = merchant.disputed()
    whole, part = ({"identifier": SUM, "value": each} for each in ("1500.00", "500.00"))
    assert (await merchant.answer(number, "partially_accept", PART, whole))[0] == 422
    assert (await merchant.answer(number, "partially_accept", PART))[0] == 422
    assert (await merchant.answer(number, "partially_accept", PART, part))[0] == 200


@pytest.mark.parametrize(
    ("kind", "reason", "fields"),
    [
        ("accept", REJECT, (DELIVERED,)),
        ("contest", ACCEPT, ()),
        ("contest", REJECT, (FILE,)),
        ("contest", REJECT, (DELIVERED, FILE | {"value": "%%"})),
        ("accept", ACCEPT, (FILE,)),
        ("another", ACCEPT, ()),
    ],
)
async def test_wrong_answer_is_refused(
    merchant: Merchant, kind: str, reason: str, fields: tuple[dict[str, str], ...]
) -> None:
    number = merchant.disputed()
    assert (await merchant.answer(number, kind, reason, *fields))[0] == 422
    assert merchant.payu.disputes[number]["status"] == "Pending Response"


async def test_late_answer_is_refused(merchant: Merchant) -> None:
    number = merchant.disputed()
    merchant.payu.today = merchant.payu.disputes[number]["due"].replace(day=3)
    assert (await merchant.answer(number, "accept", ACCEPT))[0] == 422
    assert (await merchant.answer("1", "accept", ACCEPT))[0] == 404


@pytest.mark.parametrize(("at_once", "first"), [(True, "28-Nov-2026"), (False, "NA")])
async def test_money_goes_at_once_or_at_a_loss(
    merchant: Merchant, *, at_once: bool, first: str
) -> None:
    merchant.payu.takes_at_once = at_once
    number = merchant.disputed()
    _, before = await merchant.listed("28-11-2026")
    assert before["data"][0]["attributes"]["debit-date"] == first
    merchant.payu.decide(number, "Closed in Merchant Favour")
    _, won = await merchant.listed("28-11-2026")
    assert (won["data"][0]["attributes"]["credit-date"] != "NA") is at_once
