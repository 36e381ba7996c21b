"""The stand-in of Cashfree Payouts does what its documents say."""

import base64
import hashlib
import hmac
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from tests.acquirers.cashfree_payouts.standin import (
    API_VERSION,
    CLIENT_ID,
    CLIENT_SECRET,
    OAEP,
    CashfreePayouts,
)
from tests.acquirers.cashfree_payouts.standin_checks import INVALID, PRICE, Held
from tests.acquirers.stage import Trouble

TO = {
    "beneficiary_name": "John Doe",
    "beneficiary_instrument_details": {
        "bank_account_number": "7766671501729",
        "bank_ifsc": "SBIN0000003",
    },
}
WHOLE = 100_000 + 118


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it."""

    cashfree: CashfreePayouts
    http: aiohttp.ClientSession

    async def call(
        self, method: str, path: str, asked: Any = None, **headers: str
    ) -> tuple[int, dict[str, Any]]:
        known = {"x-client-id": CLIENT_ID, "x-client-secret": CLIENT_SECRET}
        named = known | {"x-api-version": API_VERSION} | headers
        async with self.http.request(
            method, self.cashfree.url + path, json=asked, headers=named
        ) as answer:
            return answer.status, await answer.json(content_type=None)

    async def transfer(self, name: str = "10001_P1", **changes: Any) -> tuple[int, dict[str, Any]]:
        asked = {"transfer_id": name, "transfer_amount": 1000, "transfer_mode": "imps"}
        return await self.call(
            "POST", "/payout/transfers", asked | {"beneficiary_details": TO} | changes
        )

    async def status(self, name: str = "10001_P1") -> tuple[int, dict[str, Any]]:
        return await self.call("GET", f"/payout/transfers?transfer_id={name}")


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with (
        CashfreePayouts.running(sandbox=True, paise=1_000_000) as cashfree,
        aiohttp.ClientSession() as http,
    ):
        yield Merchant(cashfree, http)


async def test_a_transfer_is_debited_then_credited_then_sent_back(merchant: Merchant) -> None:
    play = merchant.cashfree.transfers
    status, made = await merchant.transfer()
    assert (status, made["status"], made["transfer_amount"]) == (200, "RECEIVED", 1000)
    play.process("10001_P1")
    play.send_on("10001_P1", "UTR1")
    _, sent = await merchant.status()
    assert (sent["status"], sent["status_code"], sent["transfer_utr"]) == (
        "SUCCESS",
        "SENT_TO_BENEFICIARY",
        "UTR1",
    )
    assert (sent["transfer_service_charge"], sent["transfer_service_tax"]) == (1, 0.18)
    play.settle("10001_P1")
    assert (await merchant.status())[1]["status_code"] == "COMPLETED"
    assert merchant.cashfree.books.paise == 1_000_000 - WHOLE
    merchant.cashfree.pass_time(2 * 86_400)
    play.reverse("10001_P1")
    assert (await merchant.status())[1]["status"] == "REVERSED"
    assert merchant.cashfree.books.paise == 1_000_000
    assert [each.name for each in merchant.cashfree.events()] == [
        "TRANSFER_SUCCESS",
        "TRANSFER_ACKNOWLEDGED",
        "TRANSFER_REVERSED",
    ]


@pytest.mark.parametrize(
    ("repeated", "status"), [("conflict", 409), ("refused", 400), ("same", 200)]
)
async def test_a_reference_is_never_paid_twice(
    merchant: Merchant, repeated: str, status: int
) -> None:
    await merchant.transfer()
    merchant.cashfree.books.repeated = repeated
    assert (await merchant.transfer(transfer_amount=2))[0] == status
    assert len(merchant.cashfree.books.transfers) == 1


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"transfer_id": "10001-P1"}, "transfer_id_invalid"),
        ({"transfer_id": None}, "transfer_id_missing"),
        ({"transfer_amount": 0.99}, "transfer_amount_invalid"),
        ({"transfer_amount": 1.001}, "transfer_amount_invalid"),
        ({"transfer_amount": None}, "transfer_amount_missing"),
        ({"transfer_mode": "IMPS"}, "transfer_mode_invalid"),
        ({"beneficiary_details": {"beneficiary_id": "nobody"}}, "beneficiary_not_found"),
        (
            {"beneficiary_details": TO | {"beneficiary_name": "R2 D2"}},
            "beneficiary_details.beneficiary_name_invalid",
        ),
    ],
)
async def test_bad_input_is_refused(merchant: Merchant, changes: dict[str, Any], code: str) -> None:
    status, refused = await merchant.transfer(**changes)
    assert (status // 100, refused["code"]) == (4, code)


async def test_nothing_is_found_of_what_was_never_sent(merchant: Merchant) -> None:
    status, refused = await merchant.status("nothing")
    assert (status, refused["code"]) == (404, "transfer_id_not_found")
    status, refused = await merchant.call(
        "GET", "/payout/transfers?transfer_id=x", **{"x-client-secret": "other"}
    )
    assert (status, refused["type"]) == (500, "authentication_error")


async def test_the_accounts_of_their_sandbox_have_their_fates(merchant: Merchant) -> None:
    details = {"bank_account_number": "02014457596969", "bank_ifsc": "CITI0000001"}
    _, made = await merchant.transfer(
        beneficiary_details=TO | {"beneficiary_instrument_details": details}
    )
    assert made["status"] == "SUCCESS"
    merchant.cashfree.transfers.later("10001_P1")
    assert (await merchant.status())[1]["status"] == "REVERSED"


async def test_people_and_the_balance_hold_transfers_back(merchant: Merchant) -> None:
    books, play = merchant.cashfree.books, merchant.cashfree.transfers
    assert (await merchant.transfer("P1", transfer_amount=20_000))[1]["status"] == "REJECTED"
    books.queues = True
    assert (await merchant.transfer("P2", transfer_amount=20_000))[1]["status"] == "QUEUED"
    play.add_money(5_000_000)
    assert (await merchant.status("P2"))[1]["status"] == "PENDING"
    books.approval = True
    assert (await merchant.transfer("P3"))[1]["status"] == "APPROVAL_PENDING"
    assert play.reject_by_hand("P3").status == "MANUALLY_REJECTED"
    await merchant.transfer("P4")
    assert play.approve("P4").status == "RECEIVED"


async def test_a_call_is_lost_after_the_money_moved(merchant: Merchant) -> None:
    merchant.cashfree.trouble("/transfers", Trouble.LOST_AFTER, Trouble.UNAVAILABLE)
    with pytest.raises(aiohttp.ClientError):
        await merchant.transfer()
    assert (await merchant.transfer("P2"))[0] == 503
    assert (await merchant.status())[1]["status"] == "RECEIVED"
    assert (await merchant.status("P2"))[0] == 404


async def test_a_batch_and_beneficiaries(merchant: Merchant) -> None:
    asked = {"beneficiary_id": "JOHN_1"} | TO
    assert (await merchant.call("POST", "/payout/beneficiary", asked))[0] == 201
    assert (await merchant.call("POST", "/payout/beneficiary", asked))[0] == 409
    each = {"transfer_amount": 1.5, "beneficiary_details": {"beneficiary_id": "JOHN_1"}}
    batch = {
        "batch_transfer_id": "B1",
        "transfers": [{"transfer_id": f"P{n}"} | each for n in "12"],
    }
    assert (await merchant.call("POST", "/payout/transfers/batch", batch))[1]["status"] == (
        "RECEIVED"
    )
    assert (await merchant.call("POST", "/payout/transfers/batch", batch))[0] == 409
    _, found = await merchant.call("GET", "/payout/transfers/batch?batch_transfer_id=B1")
    assert [one["transfer_amount"] for one in found["transfers"]] == [1.5, 1.5]
    query = "?beneficiary_id=JOHN_1"
    assert (await merchant.call("DELETE", "/payout/beneficiary" + query))[0] == 200
    assert (await merchant.call("GET", "/payout/beneficiary" + query))[0] == 404


async def test_the_balance_is_told_for_a_token(merchant: Merchant) -> None:
    _, given = await merchant.call("POST", "/payout/v1/authorize")
    bearer = {"Authorization": f"Bearer {given['data']['token']}"}
    await merchant.transfer()
    _, told = await merchant.call("GET", "/payout/v1/getBalance", **bearer)
    assert told["data"] == {"balance": "10000.00", "availableBalance": "8998.82"}
    merchant.cashfree.pass_time(400)
    assert (await merchant.call("GET", "/payout/v1/getBalance", **bearer))[1]["subCode"] == "403"


async def test_an_address_that_is_not_listed_signs(merchant: Merchant) -> None:
    merchant.cashfree.addresses = set()
    key = load_pem_public_key(merchant.cashfree.public_key.encode())
    assert isinstance(key, rsa.RSAPublicKey)
    assert (await merchant.transfer())[0] == 403
    made = key.encrypt(f"{CLIENT_ID}.{int(time.time())}".encode(), OAEP)
    signed = {"x-cf-signature": base64.b64encode(made).decode()}
    assert (await merchant.call("GET", "/payout/transfers?transfer_id=a", **signed))[0] == 404


async def test_webhooks_are_signed_with_the_oldest_secret(merchant: Merchant) -> None:
    merchant.cashfree.active_secrets.append("newer")
    await merchant.transfer()
    merchant.cashfree.transfers.settle("10001_P1")
    (event,) = merchant.cashfree.events()
    signed = event.headers["x-webhook-timestamp"].encode() + event.body
    made = hmac.new(CLIENT_SECRET.encode(), signed, hashlib.sha256).digest()
    assert event.headers["x-webhook-signature"] == base64.b64encode(made).decode()
    assert event.said["data"]["transfer_id"] == "10001_P1"


async def test_an_account_is_checked_once_for_a_reference(merchant: Merchant) -> None:
    checks, books = merchant.cashfree.checks, merchant.cashfree.books
    asked = {"user_id": "M_V1", "bank_account": "7766671501729", "ifsc": "SBIN0000003"}
    path = "/verification/bank-account"
    _, begun = await merchant.call("POST", f"{path}/async", asked | {"name": "John Doe"})
    assert (begun["account_status"], begun["user_id"]) == ("RECEIVED", "M_V1")
    _, again = await merchant.call("POST", f"{path}/async", asked)
    assert again["account_status_code"] == "VERIFICATION_ALREADY_UNDER_PROCESS"
    assert books.paise == 1_000_000 - PRICE
    checks.complete("M_V1", Held("MR JOHN DOE", 90))
    _, known = await merchant.call("GET", f"{path}?user_id=M_V1")
    assert (known["account_status"], known["name_match_score"], known["name_match_result"]) == (
        "VALID",
        "90.00",
        "GOOD_PARTIAL_MATCH",
    )
    checks.bank["1234567890"] = INVALID
    _, bad = await merchant.call("POST", f"{path}/sync", asked | {"bank_account": "1234567890"})
    assert (bad["account_status"], bad["name_at_bank"]) == ("INVALID", None)
    assert (await merchant.call("GET", f"{path}?user_id=other"))[0] == 404
    (event,) = merchant.cashfree.events()
    assert event.said["event_type"] == "BANK_ACCOUNT_VERIFICATION_SUCCESS"
    _, address = await merchant.call("POST", "/verification/upi", {"vpa": "asha@okaxis"})
    assert (address["status"], address["name_at_bank"]) == ("VALID", "JOHN DOE")
