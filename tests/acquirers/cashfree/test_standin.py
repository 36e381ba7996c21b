"""The stand-in of Cashfree does what its documents say.

What a connector is tested with has to be right itself.
"""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import AsyncIterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import aiohttp
import pytest

from tests.acquirers.cashfree.standin import CLIENT_ID, CLIENT_SECRET, Bank
from tests.acquirers.cashfree.standin_server import running

HEADERS = {
    "x-client-id": CLIENT_ID,
    "x-client-secret": CLIENT_SECRET,
    "x-api-version": "2025-01-01",
}
ASKED = {
    "order_id": "7-1",
    "order_amount": 1499.5,
    "order_currency": "INR",
    "customer_details": {"customer_id": "c7", "customer_phone": "9999999999"},
}
UPI = {"upi": {"channel": "link"}}


@pytest.fixture
async def bank() -> AsyncIterator[Bank]:
    async with running() as one:
        yield one


async def call(
    bank: Bank, method: str, path: str, asked: object = None, **more: str
) -> tuple[int, Any]:
    async with (
        aiohttp.ClientSession() as session,
        session.request(
            method, f"{bank.url}/pg{path}", json=asked, headers={**HEADERS, **more}
        ) as answer,
    ):
        return answer.status, await answer.json()


async def ordered(bank: Bank) -> str:
    status, said = await call(bank, "POST", "/orders", ASKED)
    assert (status, said["order_status"]) == (200, "ACTIVE")
    session: str = said["payment_session_id"]
    return session


async def tried(bank: Bank, session: str) -> str:
    _, said = await call(
        bank, "POST", "/orders/sessions", {"payment_session_id": session, "payment_method": UPI}
    )
    assert said["data"]["payload"]["default"].startswith("upi://pay?")
    payment: str = said["cf_payment_id"]
    return payment


async def test_an_order_id_is_taken_once_and_a_repeat_with_its_key_is_the_first_answer(
    bank: Bank,
) -> None:
    first = await call(bank, "POST", "/orders", ASKED, **{"x-idempotency-key": "k1"})
    assert await call(bank, "POST", "/orders", ASKED, **{"x-idempotency-key": "k1"}) == first
    status, said = await call(bank, "POST", "/orders", ASKED)
    assert (status, said["code"]) == (409, "order_already_exists")
    other = {**ASKED, "order_amount": 1}
    status, said = await call(bank, "POST", "/orders", other, **{"x-idempotency-key": "k1"})
    assert (status, said["type"]) == (422, "idempotency_error")


async def test_a_failed_attempt_is_followed_by_a_paid_one(bank: Bank) -> None:
    session = await ordered(bank)
    await tried(bank, session)
    bank.world.fail("7-1")
    assert (await call(bank, "GET", "/orders/7-1"))[1]["order_status"] == "ACTIVE"
    await tried(bank, session)
    bank.world.pay("7-1")
    _, said = await call(bank, "GET", "/orders/7-1/payments")
    assert [each["payment_status"] for each in said] == ["SUCCESS", "FAILED"]
    assert (await call(bank, "GET", "/orders/7-1"))[1]["order_status"] == "PAID"
    assert bank.world.moved_paise == 149_950


async def test_a_webhook_is_signed_over_time_and_raw_body(bank: Bank) -> None:
    await ordered(bank)
    bank.world.pay("7-1")
    (told,) = bank.world.take_webhooks()
    assert b'"payment_amount":1499.50' in told.body
    signed = told.headers["x-webhook-timestamp"].encode() + told.body
    made = base64.b64encode(
        hmac.new(CLIENT_SECRET.encode(), signed, hashlib.sha256).digest()
    ).decode()
    assert told.headers["x-webhook-signature"] == made
    assert told.reserialised().body != told.body
    assert bank.world.take_webhooks() == []


async def test_a_refund_happens_once_and_may_be_cancelled_later(bank: Bank) -> None:
    await ordered(bank)
    bank.world.pay("7-1")
    asked = {"refund_id": "refund7", "refund_amount": 1000}
    first = await call(bank, "POST", "/orders/7-1/refunds", asked, **{"x-idempotency-key": "r"})
    assert first[1]["refund_status"] == "PENDING"
    assert (
        await call(bank, "POST", "/orders/7-1/refunds", asked, **{"x-idempotency-key": "r"})
        == first
    )
    assert (await call(bank, "POST", "/orders/7-1/refunds", asked))[0] == 409
    assert (await call(bank, "POST", "/orders/7-1/refunds", {**asked, "refund_id": "refund8"}))[
        0
    ] == 400
    bank.world.end_refund("7-1", "refund7", "CANCELLED")
    assert (await call(bank, "GET", "/orders/7-1/refunds/refund7"))[1][
        "refund_status"
    ] == "CANCELLED"
    assert (await call(bank, "POST", "/orders/7-1/refunds", {**asked, "refund_id": "refund8"}))[
        0
    ] == 200


async def test_a_hold_ends_once(bank: Bank) -> None:
    await ordered(bank)
    bank.world.pay("7-1", held=True, group="credit_card")
    (held,) = (await call(bank, "GET", "/orders/7-1/payments"))[1]
    assert (held["payment_status"], held["is_captured"]) == ("SUCCESS", False)
    more = {"action": "CAPTURE", "amount": 1500}
    assert (await call(bank, "POST", "/orders/7-1/authorization", more))[0] == 400
    status, said = await call(bank, "POST", "/orders/7-1/authorization", {**more, "amount": 1000})
    assert (status, said["authorization"]["captured_amount"]) == (200, 1000)
    assert (await call(bank, "POST", "/orders/7-1/authorization", {"action": "VOID"}))[0] == 400
    assert bank.world.moved_paise == 100_000


async def test_an_expired_order_takes_no_attempt_and_late_money_goes_back(bank: Bank) -> None:
    session = await ordered(bank)
    await tried(bank, session)
    bank.world.pass_time(timedelta(days=31))
    assert (await call(bank, "GET", "/orders/7-1"))[1]["order_status"] == "EXPIRED"
    asked = {"payment_session_id": session, "payment_method": UPI}
    assert (await call(bank, "POST", "/orders/sessions", asked))[0] == 400
    bank.world.pay_late("7-1")
    _, (refund,) = await call(bank, "GET", "/orders/7-1/refunds")
    assert (refund["refund_type"], refund["refund_status"]) == ("PAYMENT_AUTO_REFUND", "SUCCESS")
    assert bank.world.moved_paise == 0


async def test_what_the_bank_says_it_moved_need_not_be_the_order(bank: Bank) -> None:
    await ordered(bank)
    bank.world.pay("7-1", amount=Decimal(1), currency="USD")
    ((said),) = (await call(bank, "GET", "/orders/7-1/payments"))[1]
    assert (said["payment_amount"], said["payment_currency"], said["order_amount"]) == (
        1,
        "USD",
        1499.5,
    )


async def test_an_unknown_order_and_expired_credentials_have_their_statuses(bank: Bank) -> None:
    status, said = await call(bank, "GET", "/orders/7-99")
    assert (status, said["code"]) == (404, "order_not_found")
    bank.credentials_hold = False
    assert (await call(bank, "GET", "/orders/7-99"))[0] == 401


async def test_a_lost_answer_is_work_that_was_done(bank: Bank) -> None:
    bank.faults.append(("/orders", "lost"))
    with pytest.raises(aiohttp.ClientError):
        await call(bank, "POST", "/orders", ASKED)
    assert "7-1" in bank.world.orders
    bank.faults.append(("", "429"))
    assert (await call(bank, "GET", "/orders/7-1"))[0] == 429
    bank.faults.append(("", "502"))
    assert (await call(bank, "GET", "/orders/7-1"))[0] == 502


async def test_a_browser_pays_at_the_banks_page(bank: Bank) -> None:
    await call(
        bank,
        "POST",
        "/orders",
        {**ASKED, "order_meta": {"return_url": "http://shop.test/back/{order_id}"}},
    )
    session = bank.world.orders["7-1"].session
    asked = {"payment_session_id": session, "payment_method": {"netbanking": {"channel": "link"}}}
    assert (await call(bank, "POST", "/orders/sessions", asked))[0] == 400
    asked["payment_method"] = {"netbanking": {"channel": "link", "netbanking_bank_code": 3021}}
    _, said = await call(bank, "POST", "/orders/sessions", asked)
    async with (
        aiohttp.ClientSession() as browser,
        browser.post(
            said["data"]["url"], data={"outcome": "SUCCESS"}, allow_redirects=False
        ) as answer,
    ):
        assert answer.headers["Location"] == "http://shop.test/back/7-1"
    assert bank.world.orders["7-1"].status == "PAID"


async def test_two_stand_ins_are_apart() -> None:
    async with running() as one, running() as other:
        await asyncio.gather(ordered(one), ordered(other))
        assert one.url != other.url
