"""The stand-in of PayU keeps standing instructions as its documents say."""

import itertools
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl

import aiohttp
import pytest

from tests.acquirers.payu.standin_mandates import card_hash, upi_hash
from tests.acquirers.payu.standin_payments import COMMANDS, KEY, SALT, forward, sha512
from tests.acquirers.payu.standin_si import StandingPayU
from tests.acquirers.playing import running

DEBIT = {
    "authpayuid",
    "transactionid",
    "amount",
    "user_credentials",
    "card_token",
    "payuid",
    "status",
    "field9",
    "udf1",
    "udf2",
    "udf3",
    "udf4",
    "udf5",
    "phone",
    "email",
}
"""The fields of the published answer to a debit."""
WAYS = {
    "UPI": {"pg": "UPI", "bankcode": "UPI"},
    "INTENT": {"pg": "UPI", "bankcode": "INTENT"},
    "CC": {"pg": "CC", "bankcode": "CC"},
    "ENACH": {"pg": "ENACH", "bankcode": "HDFCENCC"},
}


@dataclass
class Merchant:
    """Calls the stand-in as its documents show it."""

    payu: StandingPayU
    http: aiohttp.ClientSession
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    def fields(self, way: str, **details: str) -> dict[str, str]:
        standing = {
            "billingAmount": "500.00",
            "billingCurrency": "INR",
            "billingCycle": "MONTHLY",
            "billingInterval": 1,
            "paymentStartDate": "2026-11-28",
            "paymentEndDate": "2027-12-01",
        }
        form = {
            "key": KEY,
            "txnid": f"consent-{way}",
            "amount": "1.00",
            "productinfo": "milk",
            "firstname": "Asha",
            "email": "asha@example.org",
            "phone": "9876543210",
            "surl": "https://shop.example/back",
            "furl": "https://shop.example/back",
            "si": "1",
            "api_version": "7",
            "si_details": json.dumps(standing | details),
        } | WAYS[way]
        return form | {"hash": forward(form)}

    def stands(self, way: str, **details: str) -> str:
        """Make a mandate and return its number."""
        self.payu.visit(tuple(self.fields(way, **details).items()))
        made = self.payu.consent(f"consent-{way}")
        if way == "ENACH":
            self.payu.register(f"consent-{way}")
        return made.number

    async def call(self, command: str, **asked: Any) -> dict[str, Any]:
        return await self.say(command, json.dumps(asked))

    async def say(self, command: str, var1: str) -> dict[str, Any]:
        form = {"key": KEY, "command": command, "var1": var1}
        form["hash"] = sha512(KEY, command, var1, SALT)
        async with self.http.post(f"{self.payu.url}{COMMANDS}?form=2", data=form) as answer:
            return json.loads(await answer.text())

    def id(self) -> str:
        return f"R{next(self.numbers)}"

    async def notice(self, number: str, days: int = 2, amount: str = "100.00", **more: Any) -> Any:
        day = (self.payu.now + timedelta(days=days)).date()
        asked = {"authpayuid": number, "requestId": self.id(), "debitDate": str(day)}
        return await self.call("pre_debit_SI", **asked, amount=amount, **more)

    async def debit(self, number: str, txnid: str, amount: str = "100.00", **more: Any) -> Any:
        asked = {"authpayuid": number, "amount": amount, "txnid": txnid, "phone": "9876543210"}
        answer = await self.call("si_transaction", **asked, email="asha@example.org", **more)
        return answer["details"][txnid] if answer["status"] == 1 else answer

    async def verified(self, txnid: str) -> dict[str, Any]:
        return (await self.say("verify_payment", txnid))["transaction_details"][txnid]


@pytest.fixture
async def merchant() -> AsyncIterator[Merchant]:
    async with running(StandingPayU()) as payu, aiohttp.ClientSession() as http:
        yield Merchant(payu, http)


def test_consents_hash_has_the_details() -> None:
    form, nothing = {"key": KEY, "txnid": "1"}, [""] * 14
    assert forward(form) == sha512(KEY, "1", *nothing, SALT)
    assert forward(form | {"si_details": "{}"}) == sha512(KEY, "1", *nothing, "{}", SALT)


@pytest.mark.parametrize(
    "details",
    [
        {"billingCycle": "FORTNIGHTLY"},
        {"billingAmount": "15000.01"},
        {"billingCurrency": "USD"},
        {"paymentEndDate": ""},
        {"paymentEndDate": "2026-11-27"},
    ],
)
def test_consent_with_wrong_details_is_refused(details: dict[str, str]) -> None:
    payu = StandingPayU()
    merchant = Merchant(payu, None)  # type: ignore[arg-type]
    with pytest.raises(AssertionError):
        payu.visit(tuple(merchant.fields("UPI", **details).items()))


async def test_status_of_each_way_is_its_own(merchant: Merchant) -> None:
    upi, card = merchant.stands("UPI"), merchant.stands("CC")
    assert await merchant.call("upi_mandate_status", authPayuId=upi, requestId="1") == {
        "status": "active",
        "action": "MANDATE_STATUS",
        "authpayuid": upi,
        "amount": "500.00",
        "mandateStartDate": "2026-11-28 00:00:00",
        "mandateEndDate": "2027-12-01 00:00:00",
    }
    told = await merchant.call("check_mandate_status", authPayuId=card, requestId="1")
    assert (told["authpayuid"], told["mandateEndDate"]) == (int(card), "2027-12-01")
    told = await merchant.call("upi_mandate_status", authPayuId=card, requestId="1")
    assert told["message"] == "Consent is Not Mandated"
    told = await merchant.call("check_mandate_status", authPayuId=upi, requestId="1")
    assert told["code"] == "ER0816"


async def test_bank_registers_a_mandate_later(merchant: Merchant) -> None:
    merchant.payu.visit(tuple(merchant.fields("ENACH").items()))
    number = merchant.payu.consent("consent-ENACH").number
    asked = {"authPayuId": number, "requestId": "1"}
    assert (await merchant.call("NB_mandate_status", **asked))["status"] == "INITIATED"
    assert (await merchant.debit(number, "D1"))["status"] == "failed"
    merchant.payu.register("consent-ENACH")
    assert (await merchant.call("NB_mandate_status", **asked))["status"] == "SUCCESS"
    assert (await merchant.debit(number, "D2"))["status"] == "pending"


async def test_upi_debit_ends_later(merchant: Merchant) -> None:
    number = merchant.stands("UPI")
    assert (await merchant.notice(number))["action"] == "MANDATE_PRE_DEBIT"
    merchant.payu.now += timedelta(days=2)
    told = await merchant.debit(number, "D1", udf1="of an order")
    assert set(told) == DEBIT
    assert (told["status"], told["udf1"]) == ("pending", "of an order")
    assert (await merchant.verified("D1"))["unmappedstatus"] == "pending"
    merchant.payu.pay("D1")
    assert (await merchant.verified("D1"))["unmappedstatus"] == "captured"


async def test_upi_debit_can_end_in_failure(merchant: Merchant) -> None:
    number = merchant.stands("UPI")
    await merchant.notice(number)
    merchant.payu.now += timedelta(days=2)
    await merchant.debit(number, "D1")
    merchant.payu.end("D1", "failed", "E1903", "Insufficient funds")
    assert (await merchant.verified("D1"))["error_code"] == "E1903"


@pytest.mark.parametrize(
    ("cycle", "hours", "ends"),
    [
        ("MONTHLY", 48, "pending"),
        ("MONTHLY", 47, "failed"),
        ("ADHOC", 24, "pending"),
        ("DAILY", 23, "failed"),
    ],
)
async def test_upi_notice_comes_in_time(
    merchant: Merchant, cycle: str, hours: int, ends: str
) -> None:
    number = merchant.stands("UPI", billingCycle=cycle)
    then = merchant.payu.now + timedelta(hours=hours)
    await merchant.notice(number, (then.date() - merchant.payu.now.date()).days)
    merchant.payu.now = then
    assert (await merchant.debit(number, "D1"))["status"] == ends


@pytest.mark.parametrize("amount", ["99.99", "100.01", "600.00"])
async def test_debit_is_of_the_announced_amount(merchant: Merchant, amount: str) -> None:
    number = merchant.stands("UPI")
    await merchant.notice(number)
    merchant.payu.now += timedelta(days=2)
    assert (await merchant.debit(number, "D1", amount))["status"] == "failed"


async def test_deleted_notice_announces_nothing(merchant: Merchant) -> None:
    number = merchant.stands("UPI")
    await merchant.notice(number)
    await merchant.notice(number, action="delete")
    merchant.payu.now += timedelta(days=2)
    assert (await merchant.debit(number, "D1"))["status"] == "failed"


async def test_card_is_debited_at_once(merchant: Merchant) -> None:
    number = merchant.stands("CC", billingAmount="20000.00")
    assert (await merchant.notice(number, 1))["status"] == 0
    told = await merchant.notice(number, 1, invoiceDisplayNumber="I1")
    assert (told["invoiceStatus"], told["approvedStatus"]) == ("unpaid", "na")
    again = await merchant.notice(number, 1, invoiceDisplayNumber="I1", action="retrieve")
    assert again["invoiceid"] == told["invoiceid"]
    merchant.payu.now += timedelta(days=1)
    assert (await merchant.debit(number, "D1", invoiceDisplayNumber="I2"))["status"] == "failed"
    assert (await merchant.debit(number, "D2", invoiceDisplayNumber="I1"))["status"] == "captured"


async def test_debits_number_is_used_once(merchant: Merchant) -> None:
    number = merchant.stands("ENACH")
    assert (await merchant.debit(number, "D1"))["status"] == "pending"
    assert (await merchant.debit(number, "D1"))["status"] == 0
    assert (await merchant.debit("1", "D2"))["status"] == 0


async def test_debit_by_bank_is_not_given_back(merchant: Merchant) -> None:
    number = merchant.stands("ENACH")
    await merchant.debit(number, "D1")
    merchant.payu.pay("D1")
    form = {"key": KEY, "command": "cancel_refund_transaction"}
    form |= {"var1": merchant.payu.transactions["D1"].mihpayid, "var2": "T1", "var3": "1.00"}
    form["hash"] = sha512(KEY, form["command"], form["var1"], SALT)
    url = f"{merchant.payu.url}{COMMANDS}?form=2"
    async with merchant.http.post(url, data=form) as answer:
        assert json.loads(await answer.text())["error_code"] == "232"


async def test_notice_about_a_mandate_that_does_not_stand_is_refused(merchant: Merchant) -> None:
    number = merchant.stands("UPI")
    merchant.payu.pause("consent-UPI")
    assert (await merchant.notice(number))["message"] == "Mandate is not active"
    merchant.payu.revoke("consent-UPI")
    told = await merchant.notice(number)
    assert (told["status"], told["message"]) == ("QC", "MANDATE HAS BEEN REVOKED")
    assert (await merchant.notice(merchant.stands("ENACH")))["status"] == 0


async def test_request_id_is_used_once(merchant: Merchant) -> None:
    number = merchant.stands("UPI")
    asked = {"authPayuId": number, "requestId": "1", "debitDate": "2026-12-01", "amount": "1.00"}
    assert (await merchant.call("pre_debit_SI", **asked))["status"] == 1
    assert (await merchant.call("pre_debit_SI", **asked))["status"] == 0


async def test_upi_mandate_is_modified(merchant: Merchant) -> None:
    number = merchant.stands("UPI")
    told = await merchant.call("upi_mandate_modify", authPayuId=number, requestId="1", amount=700)
    assert told == {
        "status": 1,
        "action": "MANDATE_UPDATE",
        "message": "Mandate modify request processed successfully",
    }
    assert str(merchant.payu.mandates[number].limit) == "700"


async def test_modification_can_wait_for_the_customer(merchant: Merchant) -> None:
    number = merchant.stands("UPI")
    merchant.payu.asks_customers = True
    asked = {"authPayuId": number, "requestId": "1", "endDate": "2028-01-01"}
    assert "pending at PG" in (await merchant.call("upi_mandate_modify", **asked))["message"]
    status = {"authPayuId": number, "requestId": "2"}
    before = await merchant.call("upi_mandate_status", **status)
    merchant.payu.approve("consent-UPI")
    after = await merchant.call("upi_mandate_status", **status)
    assert [each["mandateEndDate"][:10] for each in (before, after)] == ["2027-12-01", "2028-01-01"]


@pytest.mark.parametrize(
    ("way", "change", "words"),
    [
        ("UPI", {"authPayuId": ""}, "authPayuId is mandatory "),
        ("UPI", {"requestId": ""}, "requestId is mandatory"),
        ("UPI", {"amount": None}, "amount or endDate required to update"),
        ("UPI", {"amount": 15001}, "Invalid Data "),
        ("INTENT", {}, "Invalid Data "),
        ("CC", {}, "Invalid Data "),
    ],
)
async def test_wrong_modification_is_refused(
    merchant: Merchant, way: str, change: dict[str, Any], words: str
) -> None:
    asked = {"authPayuId": merchant.stands(way), "requestId": "1", "amount": 700} | change
    told = await merchant.call("upi_mandate_modify", **asked)
    assert (told["status"], told["message"]) == (0, words)


@pytest.mark.parametrize(
    ("way", "command", "status", "ends"),
    [
        ("UPI", "upi_mandate_revoke", "upi_mandate_status", "revoked"),
        ("CC", "mandate_revoke", "check_mandate_status", "cancelled"),
        ("ENACH", "mandate_revoke", "NB_mandate_status", "CANCEL_INITIATED"),
    ],
)
async def test_mandate_is_revoked(
    merchant: Merchant, way: str, command: str, status: str, ends: str
) -> None:
    number = merchant.stands(way)
    told = await merchant.call(command, authPayuId=number, requestId="1")
    assert told["message"] == "Request Initiated"
    assert (await merchant.call(status, authPayuId=number, requestId="2"))["status"] == ends
    again = await merchant.call(command, authPayuId=number, requestId="3")
    assert again == {"status": 0, "action": "MANDATE_REVOKE", "message": "Mandate is not active"}


async def test_upi_webhook_tells_what_customers_do(merchant: Merchant) -> None:
    number = merchant.stands("UPI")
    merchant.payu.pause("consent-UPI")
    told = json.loads(merchant.payu.mandate_webhook("consent-UPI")[1])
    assert (told["status"], told["action"]) == ("pause", "MANDATE_PAUSE")
    assert told["authpayuid"] == int(number)
    assert {"pauseStartDate", "pauseEndDate"} <= set(told)
    assert told["hash"] == upi_hash(told)
    merchant.payu.unpause("consent-UPI")
    told = json.loads(merchant.payu.mandate_webhook("consent-UPI")[1])
    assert (told["status"], told["action"]) == ("active", "MANDATE_UNPAUSE")
    merchant.payu.revoke("consent-UPI")
    headers, body = merchant.payu.mandate_webhook("consent-UPI", form=True)
    assert headers["content-type"] == "application/x-www-form-urlencoded"
    assert upi_hash(dict(parse_qsl(body.decode()))) == dict(parse_qsl(body.decode()))["hash"]


async def test_card_webhook_is_signed(merchant: Merchant) -> None:
    merchant.stands("CC")
    merchant.payu.revoke("consent-CC")
    told = json.loads(merchant.payu.mandate_webhook("consent-CC")[1])
    assert (told["status"], told["notificationType"]) == ("deleted", "MANDATE_DELETION")
    assert told["hash"] == card_hash(told)
    told = json.loads(merchant.payu.mandate_webhook("consent-CC", status="active")[1])
    assert told["hash"] != card_hash(told)


async def test_banks_webhook_is_not_signed(merchant: Merchant) -> None:
    number = merchant.stands("ENACH")
    await merchant.call("mandate_revoke", authPayuId=number, requestId="1")
    merchant.payu.drop("consent-ENACH")
    assert json.loads(merchant.payu.mandate_webhook("consent-ENACH")[1]) == {
        "statusCode": 1,
        "notificationType": "MANDATE_CANCELLATION",
        "status": "CANCEL_SUCCESS",
        "authPayuid": number,
    }
