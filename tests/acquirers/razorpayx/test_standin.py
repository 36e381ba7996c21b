"""The stand-in of RazorpayX does what its documents say, so that a connector is judged by them."""

import hashlib
import hmac
from base64 import b64encode
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from tests.acquirers.razorpayx.published import REASONS
from tests.acquirers.razorpayx.standin import (
    ACCOUNT_NUMBER,
    KEY_ID,
    KEY_SECRET,
    WEBHOOK_SECRET,
    RazorpayX,
)
from tests.acquirers.razorpayx.standin_books import FEES
from tests.acquirers.razorpayx.standin_checks import PRICE, Held
from tests.acquirers.stage import Trouble

DAY_S = 86_400
BENEFICIARY = {
    "account_type": "bank_account",
    "bank_account": {
        "name": "Gaurav Kumar",
        "ifsc": "HDFC0001234",
        "account_number": "1121431121541121",
    },
    "contact": {"name": "Gaurav Kumar", "type": "vendor"},
}


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it."""

    x: RazorpayX
    http: aiohttp.ClientSession

    async def call(
        self, method: str, path: str, asked: Any = None, **headers: str
    ) -> tuple[int, dict[str, Any]]:
        pair = b64encode(f"{KEY_ID}:{KEY_SECRET}".encode()).decode()
        named = {"Authorization": f"Basic {pair}"} | headers
        async with self.http.request(
            method, self.x.base + path, json=asked, headers=named
        ) as answer:
            return answer.status, await answer.json(content_type=None)

    async def pay(self, key: str = "10001_P1", **changes: Any) -> tuple[int, dict[str, Any]]:
        asked = {
            "account_number": ACCOUNT_NUMBER,
            "amount": 100_000,
            "currency": "INR",
            "mode": "IMPS",
            "purpose": "payout",
            "fund_account": BENEFICIARY,
            "reference_id": key,
            "narration": "Acme Corp Fund Transfer",
        }
        return await self.call("POST", "/payouts", asked | changes, **{"X-Payout-Idempotency": key})

    async def of_reference(self, reference: str) -> list[dict[str, Any]]:
        query = f"?account_number={ACCOUNT_NUMBER}&reference_id={reference}"
        return (await self.call("GET", f"/payouts{query}"))[1]["items"]


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with RazorpayX.running() as x, aiohttp.ClientSession() as http:
        x.new_account(paise=1_000_000)
        yield Merchant(x, http)


async def test_a_payout_is_paid_and_days_later_sent_back(merchant: Merchant) -> None:
    x = merchant.x
    _, begun = await merchant.pay()
    assert (begun["status"], begun["utr"], begun["fees"]) == ("processing", None, FEES)
    x.payouts.settle("10001_P1")
    (paid,) = await merchant.of_reference("10001_P1")
    assert (paid["status"], paid["utr"]) == ("processed", "632500000001")
    x.pass_time(3 * DAY_S)
    x.payouts.reverse("10001_P1", "bank_account_frozen")
    _, back = await merchant.call("GET", f"/payouts/{begun['id']}")
    assert (back["status"], back["status_details"]["reason"]) == (
        "reversed",
        "bank_account_frozen",
    )
    assert x.books.accounts[ACCOUNT_NUMBER].balance == 1_000_000
    assert [each.name for each in x.events()] == [
        "payout.initiated",
        "transaction.created",
        "payout.processed",
        "payout.reversed",
        "transaction.created",
    ]


async def test_a_key_answers_with_the_present_state_and_refuses_another_body(
    merchant: Merchant,
) -> None:
    _, begun = await merchant.pay()
    merchant.x.payouts.settle("10001_P1")
    status, again = await merchant.pay()
    assert (status, again["id"], again["status"]) == (200, begun["id"], "processed")
    status, other = await merchant.pay(amount=100_001)
    assert status == 400
    assert other["error"]["description"].startswith("Different request body")
    assert (await merchant.call("POST", "/payouts", {}))[0] == 400
    assert len(merchant.x.books.payouts) == 1
    merchant.x.pass_time(8 * DAY_S)
    await merchant.pay()
    assert len(await merchant.of_reference("10001_P1")) == 2


async def test_a_short_balance_queues_or_fails(merchant: Merchant) -> None:
    x = merchant.x
    _, failed = await merchant.pay("10001_P1", amount=2_000_000)
    assert (failed["status"], failed["status_details"]["reason"]) == (
        "failed",
        "insufficient_funds",
    )
    _, waits = await merchant.pay("10001_P2", amount=2_000_000, queue_if_low_balance=True)
    _, goes = await merchant.pay("10001_P3", amount=300_000, queue_if_low_balance=True)
    assert (waits["status"], goes["status"]) == ("queued", "processing")
    x.payouts.add_money(ACCOUNT_NUMBER, 5_000_000)
    (begun,) = await merchant.of_reference("10001_P2")
    assert begun["status"] == "processing"
    x.books.short_balance = "refused"
    assert (await merchant.pay("10001_P4", amount=90_000_000, mode="NEFT"))[0] == 400
    assert await merchant.of_reference("10001_P4") == []


async def test_only_what_is_queued_is_cancelled(merchant: Merchant) -> None:
    _, waits = await merchant.pay(amount=2_000_000, queue_if_low_balance=True)
    status, over = await merchant.call("POST", f"/payouts/{waits['id']}/cancel")
    assert (status, over["status"]) == (200, "cancelled")
    _, goes = await merchant.pay("10001_P2")
    assert (await merchant.call("POST", f"/payouts/{goes['id']}/cancel"))[0] == 400


async def test_a_failed_payout_whose_money_left_is_reversed_later(merchant: Merchant) -> None:
    x = merchant.x
    await merchant.pay()
    x.payouts.fail("10001_P1", "npci_beneficiary_timeout", debited=True)
    assert x.books.accounts[ACCOUNT_NUMBER].balance == 1_000_000 - 100_000 - FEES
    x.payouts.reverse("10001_P1")
    assert x.books.accounts[ACCOUNT_NUMBER].balance == 1_000_000
    assert x.books.of_reference("10001_P1")[0].history == ["processing", "failed", "reversed"]


async def test_people_approve_first(merchant: Merchant) -> None:
    merchant.x.books.approval = True
    _, waits = await merchant.pay("10001_P1")
    assert waits["status"] == "pending"
    assert merchant.x.payouts.approve("10001_P1").status == "processing"
    await merchant.pay("10001_P2")
    assert merchant.x.payouts.reject("10001_P2").status == "rejected"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"amount": 99}, "amount"),
        ({"amount": "100"}, "amount"),
        ({"mode": "imps"}, "mode"),
        ({"mode": "UPI"}, "mode"),
        ({"mode": "RTGS"}, "amount"),
        ({"narration": "Acme, Corp"}, "narration"),
        ({"reference_id": "x" * 41}, "reference_id"),
        ({"purpose": "fun"}, "purpose"),
        ({"account_number": "1"}, "account_number"),
    ],
)
async def test_bad_input_is_refused(
    merchant: Merchant, changes: dict[str, Any], field: str
) -> None:
    status, refused = await merchant.pay(**changes)
    assert (status, refused["error"]["field"]) == (400, field)


async def test_calls_go_wrong_after_the_money_moved(merchant: Merchant) -> None:
    merchant.x.trouble("/payouts", Trouble.LOST_AFTER, Trouble.FAILED_BEFORE)
    with pytest.raises(aiohttp.ClientError):
        await merchant.pay()
    assert (await merchant.pay("10001_P2"))[0] == 500
    assert len(await merchant.of_reference("10001_P1")) == 1
    assert await merchant.of_reference("10001_P2") == []
    merchant.x.addresses = {"10.0.0.1"}
    status, refused = await merchant.pay("10001_P3")
    assert (status, refused["error"]["description"][:27]) == (400, "Transactions from this IP a")


async def test_webhooks_are_signed_over_the_raw_body(merchant: Merchant) -> None:
    await merchant.pay()
    event = merchant.x.events()[0]
    expected = hmac.new(WEBHOOK_SECRET.encode(), event.body, hashlib.sha256).hexdigest()
    assert event.headers["X-Razorpay-Signature"] == expected
    assert event.said["payload"]["payout"]["entity"]["status"] == "processing"


async def test_an_account_is_checked_each_time_it_is_asked(merchant: Merchant) -> None:
    x = merchant.x
    asked = {"source_account_number": "LITE1", "reference_id": "M-V1", "fund_account": BENEFICIARY}
    x.new_account("LITE1", 10_000, "razorpayx_lite")
    _, made = await merchant.call("POST", "/fund_accounts/validations", asked)
    assert (made["status"], made["validation_results"]["account_status"]) == ("created", None)
    x.checks.complete(made["id"], Held("GAURAV KUMAR", score=92))
    _, known = await merchant.call("GET", f"/fund_accounts/validations/{made['id']}")
    assert known["validation_results"]["name_match_score"] == 92
    await merchant.call("POST", "/fund_accounts/validations", asked)
    assert len(x.checks.of_reference("M-V1")) == 2
    assert x.books.accounts["LITE1"].balance == 10_000 - 2 * PRICE
    refused = asked | {"source_account_number": ACCOUNT_NUMBER}
    assert (await merchant.call("POST", "/fund_accounts/validations", refused))[0] == 400


async def test_contacts_accounts_balances_and_the_statement(merchant: Merchant) -> None:
    _, contact = await merchant.call("POST", "/contacts", BENEFICIARY["contact"])
    asked = {"contact_id": contact["id"]} | BENEFICIARY
    _, account = await merchant.call("POST", "/fund_accounts", asked)
    assert (await merchant.call("POST", "/fund_accounts", asked))[1]["id"] == account["id"]
    _, paid = await merchant.pay(fund_account=None, fund_account_id=account["id"])
    assert paid == (await merchant.call("GET", f"/payouts/{paid['id']}"))[1]
    _, balances = await merchant.call("GET", "/banking_balances?account_type=current_account")
    assert balances["items"][0]["available_amount"] == 1_000_000 - 100_000 - FEES
    _, lines = await merchant.call("GET", f"/transactions?account_number={ACCOUNT_NUMBER}")
    assert [(each["debit"], each["source"]["id"]) for each in lines["items"]] == [
        (100_000 + FEES, paid["id"])
    ]
    await merchant.call("PATCH", f"/fund_accounts/{account['id']}", {"active": False})
    assert (await merchant.pay("10001_P9"))[0] == 400


@pytest.mark.parametrize(("status", "reason", "source"), REASONS)
async def test_every_published_reason_is_told(
    merchant: Merchant, status: str, reason: str, source: str
) -> None:
    await merchant.pay()
    play = merchant.x.payouts
    if status == "failed":
        play.fail("10001_P1", reason)
    elif status == "processing":
        play.deem("10001_P1", reason)
    elif status == "queued":
        play.queue("10001_P1", reason)
    elif status == "processed":
        play.settle("10001_P1")
    else:
        merchant.x.books.of_reference("10001_P1")[0].reason = reason
    (told,) = await merchant.of_reference("10001_P1")
    details = told["status_details"]
    assert (details["reason"], details["source"]) == (reason, source)
    assert details["description"].endswith(".")
