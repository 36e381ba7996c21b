"""The stand-in of BillDesk tells vouchers and their lines as its documents say."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import aiohttp
import pytest

from tests.acquirers.billdesk.standin import MERCID, Order, envelope, read
from tests.acquirers.billdesk.standin_settlements import SettlingBillDesk
from tests.acquirers.playing import running

_traces = count(1)


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it."""

    billdesk: SettlingBillDesk
    http: aiohttp.ClientSession

    def paid(self, order_id: str, amount: str = "1000.00") -> Order:
        order = Order({"orderid": order_id, "amount": amount}, f"OA{order_id}")
        self.billdesk.orders[order_id] = order
        self.billdesk.pay(order_id)
        return order

    async def call(self, act: str, **said: Any) -> Any:
        named = {"Content-Type": "application/jose", "Accept": "application/jose"}
        named |= {"BD-Timestamp": "20261127120000", "BD-Traceid": f"trace{next(_traces)}"}
        url = f"{self.billdesk.url}/pasettlements/v1_2/settlements/{act}"
        body = envelope(json.dumps({"mercid": MERCID} | said).encode())
        async with self.http.post(url, data=body, headers=named) as answer:
            return answer.status, read(await answer.read())


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with running(SettlingBillDesk()) as billdesk, aiohttp.ClientSession() as http:
        yield Merchant(billdesk, http)


async def test_a_voucher_has_sums_and_lines_in_pages(merchant: Merchant) -> None:
    for number in range(2):
        merchant.paid(f"10001-{number}")
    order = merchant.paid("10001-2", "500.00")
    refund = {"refund_status": "0799", "refundid": "R1", "refund_amount": "100.00"}
    order.refunds["10001-R1"] = refund
    number = merchant.billdesk.hand_over("20261127")
    merchant.billdesk.credit(number)
    _, (voucher,) = await merchant.call("get", from_date="20261125", to_date="20261128")
    assert voucher["amount_details"]["settlement"] == "2500.00"
    assert voucher["amount_details"]["refund"] == "100.00"
    known = [voucher[name] for name in ("charges", "taxes", "payout_amount", "status")]
    assert known == ["50.00", "9.00", "2341.00", "SETTLED"]
    _, first = await merchant.call("details", pv_number=number, page_number=1)
    (link,) = first["links"]
    _, second = await merchant.call("details", **link["parameters"])
    lines = first["records"] + second["records"]
    assert [each["merc_ref_id"] for each in lines] == [
        "10001-0",
        "10001-1",
        "10001-2",
        "10001-R1",
    ]
    assert (second["links"], second["total_record_count"]) == ([], 4)
    assert lines[0]["net_amount"] == "976.40"
    again = merchant.billdesk.hand_over("20261128")
    _, (empty,) = await merchant.call("get", pv_number=again)
    assert (empty["payout_amount"], empty["status"], empty["utr"]) == ("0.00", "PENDING", None)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"from_date": "20261101", "to_date": "20261108"}, 422),
        ({"from_date": "2026-11-01", "to_date": "2026-11-02"}, 422),
        ({}, 422),
        ({"pv_number": "OPCIT0"}, 404),
    ],
)
async def test_a_list_is_refused(merchant: Merchant, said: dict[str, str], status: int) -> None:
    assert (await merchant.call("get", **said))[0] == status


async def test_a_day_without_a_voucher_is_an_empty_list(merchant: Merchant) -> None:
    assert await merchant.call("get", from_date="20261101", to_date="20261107") == (200, [])
    assert (await merchant.call("details", pv_number="OPCIT0", page_number=1))[0] == 404


async def test_a_list_whose_answer_is_lost_is_asked_again(merchant: Merchant) -> None:
    merchant.billdesk.lose = ["/pasettlements/v1_2/settlements/get"]
    asked = {"from_date": "20261101", "to_date": "20261107"}
    with pytest.raises(aiohttp.ClientError):
        await merchant.call("get", **asked)
    assert (await merchant.call("get", **asked))[0] == 200
