"""The stand-in of Razorpay splits payments as the documents of Route say."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from tests.acquirers.razorpay.standin import KEY_ID, KEY_SECRET
from tests.acquirers.razorpay.standin_answers import Fault
from tests.acquirers.razorpay.standin_linked import COOLING_S
from tests.acquirers.razorpay.standin_route import transfer_fee
from tests.acquirers.razorpay.standin_splits import BANK, SELLER, RouteStandin

DAY_S = 24 * 3600
KEY = "fbdabb70-9548-4cfe-8da1-c9bbf39e96b0"
BEGUN = {
    "id",
    "entity",
    "status",
    "source",
    "recipient",
    "amount",
    "currency",
    "amount_reversed",
    "notes",
    "linked_account_notes",
    "on_hold",
    "on_hold_until",
    "recipient_settlement_id",
    "created_at",
    "processed_at",
    "error",
}
DONE = BEGUN | {"fees", "tax", "settlement_status"}
"""The fields of the published samples; that of a direct transfer has no settlement_status."""
REVERSAL = {
    "id",
    "entity",
    "transfer_id",
    "amount",
    "fee",
    "tax",
    "currency",
    "notes",
    "initiator_id",
    "customer_refund_id",
    "created_at",
}
NEEDS = "field_missing", "required"
Answer = tuple[int, dict[str, Any]]


@dataclass
class Marketplace:
    """Calls the stand-in as its documents show it."""

    razorpay: RouteStandin
    http: aiohttp.ClientSession

    async def call(self, method: str, path: str, asked: Any = None, **headers: str) -> Answer:
        url = self.razorpay.url.removesuffix("/v1") + path
        named = {"Authorization": aiohttp.encode_basic_auth(KEY_ID, KEY_SECRET)} | headers
        async with self.http.request(method, url, json=asked, headers=named) as answer:
            return answer.status, await answer.json(content_type=None)

    async def refused(self, method: str, path: str, asked: Any = None) -> str:
        status, told = await self.call(method, path, asked)
        assert status == 400, told
        return told["error"]["description"]

    def part(self, paise: int, account: str = "", **more: Any) -> dict[str, Any]:
        account = account or self.razorpay.opened_account()
        return {"account": account, "amount": paise, "currency": "INR"} | more

    async def paid(self, *parts: dict[str, Any], paise: int = 100_000) -> str:
        """Pay an order that has parts, and return the payment."""
        asked = {"amount": paise, "currency": "INR"}
        asked |= {"transfers": list(parts)} if parts else {}
        _, order = await self.call("POST", "/v1/orders", asked)
        who = {"email": "g@example.com", "contact": "9", "method": "upi", "upi": {"flow": "intent"}}
        asked = {"order_id": order["id"], "amount": paise, "currency": "INR"} | who
        payment = self.razorpay.books.create_payment(asked, {})
        return self.razorpay.books.pay(payment.id).id

    async def transfers(self, payment: str) -> list[dict[str, Any]]:
        return (await self.call("GET", f"/v1/payments/{payment}/transfers"))[1]["items"]

    def names(self) -> list[str]:
        return [each.name for each in self.razorpay.events()]


@pytest.fixture
async def market() -> AsyncIterator[Marketplace]:
    async with RouteStandin.running() as razorpay, aiohttp.ClientSession() as http:
        yield Marketplace(razorpay, http)


async def test_an_account_is_opened_with_a_stakeholder_and_a_product(market: Marketplace) -> None:
    _, account = await market.call("POST", "/v2/accounts", SELLER)
    assert account["id"].startswith("acc_")
    assert (account["status"], account["customer_facing_business_name"]) == ("created", "Acme Corp")
    path = f"/v2/accounts/{account['id']}"
    person = {"name": "Gaurav Kumar", "email": "gaurav.kumar@example.com"}
    _, stakeholder = await market.call("POST", f"{path}/stakeholders", person)
    assert stakeholder["entity"] == "stakeholder"
    said = "Stakeholders cannot be more than one for Route product."
    assert await market.refused("POST", f"{path}/stakeholders", person) == said
    asked = {"product_name": "route", "tnc_accepted": True}
    _, product = await market.call("POST", f"{path}/products", asked)
    assert product["activation_status"] == "needs_clarification"
    assert {(each["reason_code"], each["status"]) for each in product["requirements"]} == {NEEDS}
    product_path = f"{path}/products/{product['id']}/"
    asked = {"settlements": BANK, "tnc_accepted": True}
    _, changed = await market.call("PATCH", product_path, asked)
    assert (changed["activation_status"], changed["requirements"]) == ("activated", [])
    assert (await market.call("GET", product_path))[1] == changed
    assert market.names() == ["product.route.under_review", "product.route.activated"]
    told = market.razorpay.events()[-1]
    assert account["id"] in told.body.decode()


async def test_bank_details_that_fail_the_test_need_clarification(market: Marketplace) -> None:
    market.razorpay.linked.penny_test = None
    _, account = await market.call("POST", "/v2/accounts", SELLER)
    path = f"/v2/accounts/{account['id']}/products"
    _, product = await market.call("POST", path, {"product_name": "route", "tnc_accepted": True})
    path = f"{path}/{product['id']}"
    for _try in range(3):
        _, waits = await market.call("PATCH", path, {"settlements": BANK})
        assert waits["activation_status"] == "under_review"
        locked = await market.refused("PATCH", path, {"settlements": BANK})
        assert locked == "Merchant activation form has been locked for editing by admin."
        market.razorpay.linked.review(product["id"], good=False)
    _, failed = await market.call("GET", path)
    assert failed["requirements"][0]["description"].startswith("Max retry exceeded")
    wrong = BANK | {"ifsc_code": "HDFC1"}
    assert await market.refused("PATCH", path, {"settlements": wrong}) == "Invalid IFSC Code"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"business_type": "xyz"}, "Invalid business type: xyz"),
        ({"type": "standard"}, "Invalid type: standard"),
        ({"reference_id": "12"}, "The code must be at least 3 characters."),
        ({"legal_info": {"pan": "AAAPL1234C"}}, "The pan field is invalid."),
        ({"email": ""}, "The email field is required."),
    ],
)
async def test_an_account_is_refused(
    market: Marketplace, change: dict[str, Any], said: str
) -> None:
    assert await market.refused("POST", "/v2/accounts", SELLER | change) == said
    status, told = await market.call("GET", "/v2/accounts/acc_nothing00000000")
    assert (status, told["error"]["reason"]) == (400, "linked_account_id_does_not_exist")


async def test_the_parts_of_an_order_move_when_it_is_paid_and_are_settled(
    market: Marketplace,
) -> None:
    held = market.part(1_000, on_hold=True, notes={"branch": "South"})
    held["linked_account_notes"] = ["branch"]
    parts = [market.part(1_000, market.razorpay.opened_account("two@example.com")), held]
    _, order = await market.call(
        "POST", "/v1/orders", {"amount": 2_000, "currency": "INR", "transfers": parts}
    )
    assert [set(each) for each in order["transfers"]] == [BEGUN] * 2
    assert [each["status"] for each in order["transfers"]] == ["created"] * 2
    market.razorpay.route.deposit = 100
    who = {"email": "g@example.com", "contact": "9", "method": "upi"}
    asked = {"order_id": order["id"], "amount": 2_000, "currency": "INR"} | who
    market.razorpay.books.pay(market.razorpay.books.create_payment(asked, {}).id)
    _, seen = await market.call("GET", f"/v1/orders/{order['id']}/?expand[]=transfers")
    items = seen["transfers"]["items"]
    assert [set(each) for each in items] == [DONE] * 2
    assert [(each["status"], each["settlement_status"], each["fees"]) for each in items] == [
        ("processed", "pending", 3),
        ("processed", "on_hold", 3),
    ]
    market.razorpay.pass_time(5 * DAY_S)
    _, first = await market.call("GET", f"/v1/transfers/{items[0]['id']}")
    settlement = first["recipient_settlement_id"]
    _, found = await market.call("GET", f"/v1/transfers?recipient_settlement_id={settlement}")
    assert [each["id"] for each in found["items"]] == [items[0]["id"]]
    _, every = await market.call("GET", "/v1/transfers?expand[]=recipient_settlement")
    assert [each["settlement_status"] for each in every["items"]] == ["on_hold", "settled"]
    assert every["items"][1]["recipient_settlement"]["amount"] == 1_000
    path = f"/v1/transfers/{items[1]['id']}"
    assert (await market.call("PATCH", path, {"on_hold": False}))[1]["on_hold"] is False
    market.razorpay.pass_time(0)
    assert (await market.call("GET", path))[1]["settlement_status"] == "settled"
    assert market.names()[-3:] == ["transfer.processed", *["settlement.processed"] * 2]


async def test_a_payment_is_split_later_and_no_more_than_it_has(market: Marketplace) -> None:
    payment, account = await market.paid(), market.razorpay.opened_account()
    path = f"/v1/payments/{payment}/transfers"
    _, made = await market.call("POST", path, {"transfers": [market.part(60_000, account)]})
    assert (made["items"][0]["status"], set(made["items"][0])) == ("pending", BEGUN)
    assert [each["status"] for each in await market.transfers(payment)] == ["processed"]
    said = "The sum of amount requested for transfer is greater than the captured amount"
    asked = {"transfers": [market.part(40_001, account)]}
    assert await market.refused("POST", path, asked) == said
    asked = {"transfers": [market.part(40_000, account)]}
    said = "Transfer cannot be made due to insufficient balance"
    assert await market.refused("POST", path, asked) == said
    asked = {"transfers": [market.part(99, account)]}
    said = "The transfers.0.amount must be at least 100."
    assert await market.refused("POST", path, asked) == said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"currency": "USD"}, "The currency should be INR for transfers"),
        ({"linked_account_notes": ["a"]}, "Keys sent in linked_account_notes must exist in notes"),
        ({"on_hold_until": 1}, "on_hold_until must be between 946684800 and 4765046400"),
        ({"account": "acc_nothing00000000"}, "The id provided does not exist"),
    ],
)
async def test_a_part_is_refused(market: Marketplace, change: dict[str, Any], said: str) -> None:
    asked = {"amount": 1_000, "currency": "INR", "transfers": [market.part(1_000) | change]}
    assert await market.refused("POST", "/v1/orders", asked) == said


async def test_a_new_account_gets_nothing_for_a_day(market: Marketplace) -> None:
    account = market.razorpay.opened_account()
    market.razorpay.linked.accounts[account]["created_at"] += COOLING_S
    asked = {"amount": 1_000, "currency": "INR", "transfers": [market.part(1_000, account)]}
    await market.refused("POST", "/v1/orders", asked)
    market.razorpay.pass_time(COOLING_S)
    assert (await market.call("POST", "/v1/orders", asked))[0] == 200


async def test_a_part_that_the_balance_does_not_cover_fails_and_is_tried_again(
    market: Marketplace,
) -> None:
    """The published example: of 1,000 rupees two parts of 300 and 700 want 26.56 more."""
    account = market.razorpay.opened_account()
    parts = [market.part(paise, account) for paise in (30_000, 70_000)]
    payment = await market.paid(*parts)
    done, failed = await market.transfers(payment)
    assert (done["fees"], market.razorpay.route.balance) == (89, 67_551)
    assert (failed["status"], failed["settlement_status"]) == ("failed", None)
    assert failed["error"]["reason"] == "insufficient_balance"
    market.razorpay.route.deposit = 2_656
    market.razorpay.pass_time(DAY_S)
    assert (await market.transfers(payment))[1]["status"] == "processed"
    assert market.razorpay.route.balance == 0
    assert [each for each in market.names() if each.startswith("transfer")] == [
        "transfer.processed",
        "transfer.failed",
        "transfer.processed",
    ]


@pytest.mark.parametrize(("paise", "fee"), [(90_000, 266), (70_000, 207), (1_000, 3), (100, 1)])
def test_fees_are_those_of_the_published_examples(paise: int, fee: int) -> None:
    assert transfer_fee(paise)[0] == fee


async def test_a_direct_transfer_with_a_key_happens_once(market: Marketplace) -> None:
    market.razorpay.route.deposit = 1_000
    asked, key = market.part(100), {"X-Transfer-Idempotency": KEY}
    first, again = [await market.call("POST", "/v1/transfers", asked, **key) for _ in range(2)]
    assert (first, set(first[1])) == (again, DONE)
    assert (first[1]["status"], market.razorpay.route.balance) == ("processed", 899)
    other = await market.call("POST", "/v1/transfers", asked | {"amount": 101}, **key)
    assert other[0] == 400
    short = {"X-Transfer-Idempotency": "abc"}
    assert (await market.call("POST", "/v1/transfers", asked, **short))[0] == 400
    await market.call("POST", "/v1/transfers", asked)
    assert market.razorpay.route.balance == 798, "without a key it happens again"


async def test_a_direct_transfer_in_progress_is_a_conflict(market: Marketplace) -> None:
    market.razorpay.route.deposit, market.razorpay.held = 1_000, asyncio.Event()
    asked, key = market.part(100), {"X-Transfer-Idempotency": KEY}
    waiting = asyncio.create_task(market.call("POST", "/v1/transfers", asked, **key))
    while not market.razorpay.transfer_keys and not waiting.done():
        await asyncio.sleep(0.01)
    assert (await market.call("POST", "/v1/transfers", asked, **key))[0] == 409
    market.razorpay.held.set()
    assert (await waiting)[1]["amount"] == 100


async def test_a_lost_answer_leaves_one_transfer(market: Marketplace) -> None:
    market.razorpay.route.deposit = 1_000
    market.razorpay.faults["/transfers"] = deque([Fault.LOST_BEFORE, Fault.LOST_AFTER])
    asked, key = market.part(100), {"X-Transfer-Idempotency": KEY}
    for made in (0, 1):
        with pytest.raises(aiohttp.ClientError):
            await market.call("POST", "/v1/transfers", asked, **key)
        assert len(market.razorpay.route.transfers) == made
    assert (await market.call("POST", "/v1/transfers", asked, **key))[0] == 200
    assert len(market.razorpay.route.transfers) == 1


async def test_a_transfer_is_reversed_in_parts_while_its_account_has_money(
    market: Marketplace,
) -> None:
    payment = await market.paid(market.part(50_000))
    (transfer,) = await market.transfers(payment)
    path = f"/v1/transfers/{transfer['id']}/reversals"
    _, made = await market.call("POST", path, {"amount": 100, "notes": {"name": "Gaurav"}})
    assert (set(made), made["id"][:6]) == (REVERSAL, "rvrsl_")
    (seen,) = await market.transfers(payment)
    assert (seen["status"], seen["amount_reversed"]) == ("partially_reversed", 100)
    said = "The amount must be at least INR 1.00"
    assert await market.refused("POST", path, {"amount": 99}) == said
    await market.refused("POST", path, {"amount": 50_000})
    market.razorpay.pass_time(5 * DAY_S)
    said = "The linked account does not have sufficient balance to process reversal."
    assert await market.refused("POST", path) == said
    assert (await market.call("GET", path))[1]["items"][0]["utr"] is None


async def test_a_refund_takes_its_parts_back_once(market: Marketplace) -> None:
    account = market.razorpay.opened_account()
    payment = await market.paid(market.part(30_000, account), market.part(40_000, account))
    await market.transfers(payment)
    path, key = f"/v1/payments/{payment}/refund", {"X-Refund-Idempotency": "10001-00000009"}
    part = {"amount": 100, "reverse_all": True}
    assert (await market.call("POST", path, part))[0] == 400, "which of the two is not said"
    asked = {"amount": 100_000, "reverse_all": True}
    first, again = [await market.call("POST", path, asked, **key) for _ in range(2)]
    assert first == again
    assert {each["status"] for each in await market.transfers(payment)} == {"reversed"}
    kept = {each["customer_refund_id"] for each in market.razorpay.route.reversals}
    assert (kept, len(market.razorpay.route.reversals)) == ({first[1]["id"]}, 2)
    assert market.razorpay.route.balance_of(account) == 0
