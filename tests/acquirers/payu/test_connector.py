"""What the PayU connector asks, and what it makes of answers that go wrong."""

from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.payu.connector import PayUAccount, PayUConnector
from hundi.acquirers.payu.kind import KIND
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.customers import NOBODY
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import RefundOrder
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.payu import standin_payments
from tests.acquirers.payu.opened import (
    CALLBACK,
    CALLS,
    RETURN,
    charge,
    connector_at,
    page_of,
    paid,
    settings,
    visited,
)
from tests.acquirers.payu.standin import PayU
from tests.acquirers.shared import Clock


async def test_the_page_is_a_signed_form_that_the_browser_posts_and_payu_is_not_called(
    connector: PayUConnector, payu: PayU
) -> None:
    page = await page_of(connector, charge(149_950))
    assert isinstance(page, Redirect)
    form = dict(page.fields)
    assert page.url == f"{payu.url}/_payment"
    assert form.pop("hash") == standin_payments.forward(form)
    assert form == {
        "key": standin_payments.KEY,
        "txnid": "10001-1",
        "amount": "1499.50",
        "productinfo": "Asha Handlooms",
        "firstname": "Asha Rao",
        "email": "asha@example.in",
        "phone": "9876543210",
        "surl": RETURN,
        "furl": RETURN,
        "enforce_paymethod": "creditcard|debitcard",
    }
    assert standin_payments.SALT not in str(page)
    assert payu.calls == []


async def test_instalments_are_asked_for_alone_and_from_an_agreed_amount(
    payu: PayU, memory: ShortMemory
) -> None:
    one = KIND.open(
        "payu", settings(payu, instalments_from_rupees=1_000), AcquirerContext(CALLBACK, memory)
    )
    assert isinstance(one, PayUConnector)
    page = await page_of(one, charge(100_000), method="emi")
    assert isinstance(page, Redirect)
    assert dict(page.fields)["enforce_paymethod"] == "emi"
    assert isinstance(await page_of(one, charge(99_999, "10001-2"), method="emi"), Declined)
    payu.visit(page.fields)
    payu.pay("10001-1", "1020.10")
    answer = await one.inquire("10001-1")
    assert isinstance(answer, Approved)
    assert answer.amount == Money(102_010), "what PayU says it moved, never what was asked"
    await one.close()


async def test_without_an_agreed_amount_there_are_none(connector: PayUConnector) -> None:
    assert isinstance(await page_of(connector, charge(10_000_000), method="emi"), Declined)


async def test_a_hold_is_asked_for_in_the_form(connector: PayUConnector) -> None:
    page = await page_of(connector, charge(), capture=False)
    assert ("pre_authorize", "1") in page.fields


async def test_a_customer_who_said_nothing_is_the_operators_contact(
    connector: PayUConnector,
) -> None:
    page = await page_of(connector, replace(charge(), customer=NOBODY, payee_name=""))
    form = dict(page.fields)
    who = {name: form[name] for name in ("firstname", "email", "phone", "productinfo")}
    assert who == {
        "firstname": "Customer",
        "email": "shop@example.in",
        "phone": "9000000000",
        "productinfo": "Payment",
    }


async def test_a_link_is_asked_for_with_the_customers_device(
    connector: PayUConnector, payu: PayU
) -> None:
    link = await connector.upi_link(charge(), expires_in_s=900)
    assert isinstance(link, UpiLink)
    asked = payu.calls[0][1]
    wanted = {
        "pg": "UPI",
        "bankcode": "INTENT",
        "txn_s2s_flow": "4",
        "s2s_client_ip": "203.0.113.7",
        "s2s_device_info": "Mozilla 5.0 X11 Linux",
        "surl": CALLBACK,
    }
    assert {name: asked[name] for name in wanted} == wanted


async def test_one_reference_is_for_one_amount_and_one_purpose(
    connector: PayUConnector, payu: PayU
) -> None:
    assert isinstance(await page_of(connector, charge()), Redirect)
    assert isinstance(await page_of(connector, charge()), Redirect)
    assert isinstance(await page_of(connector, charge(1)), Unknown)
    assert isinstance(await page_of(connector, charge(), capture=False), Unknown)
    assert isinstance(await connector.upi_link(charge(), expires_in_s=900), Unknown)
    assert payu.calls == []


@pytest.fixture
async def timed(payu: PayU, memory: ShortMemory, clock: Clock) -> AsyncIterator[PayUConnector]:
    one = connector_at(payu, memory, clock)
    yield one
    await one.close()


async def test_a_page_that_nobody_opened_is_open_until_it_is_over(
    timed: PayUConnector, clock: Clock
) -> None:
    await page_of(timed, charge())
    assert await timed.inquire("10001-1") == Unknown(awaiting_customer=True)
    clock.now_s += 900
    assert await timed.inquire("10001-1") == NothingThere()


async def test_what_payu_cannot_do_is_declined_without_a_call(
    connector: PayUConnector, payu: PayU
) -> None:
    dollars = replace(charge(), amount=Money(100, "USD"))
    assert isinstance(await page_of(connector, charge(), method="netbanking"), Declined)
    assert isinstance(await page_of(connector, dollars), Declined)
    assert isinstance(
        await connector.refund(RefundOrder("r-1", "10001-1", Money(1, "USD"))), Declined
    )
    assert payu.calls == []


async def test_another_amount_than_asked_is_said_as_it_is(
    connector: PayUConnector, payu: PayU
) -> None:
    await visited(connector, payu, charge())
    payu.pay("10001-1", amount="900.00")
    answer = await connector.inquire("10001-1")
    assert isinstance(answer, Approved)
    assert answer.amount == Money(90_000)


@pytest.mark.parametrize(
    ("state", "left"), [("failed", False), ("userCancelled", True), ("bounced", True)]
)
async def test_a_transaction_that_ended_unpaid_is_declined_when_its_page_is_over(
    state: str,
    left: bool,  # noqa: FBT001 (a table)
    timed: PayUConnector,
    payu: PayU,
    clock: Clock,
) -> None:
    await visited(timed, payu, charge())
    payu.end("10001-1", state)
    open_still = await timed.inquire("10001-1")
    assert open_still == Unknown("E1632", "Transaction failed", awaiting_customer=True)
    clock.now_s += 900
    assert await timed.inquire("10001-1") == Declined("E1632", "Transaction failed", left=left)


async def test_a_failed_try_may_be_followed_by_a_paid_one(
    timed: PayUConnector, payu: PayU, clock: Clock
) -> None:
    page = await page_of(timed, charge())
    payu.visit(page.fields)
    payu.end("10001-1", "failed")
    assert isinstance(await timed.inquire("10001-1"), Unknown)
    payu.visit(page.fields)
    payu.pay("10001-1")
    clock.now_s += 900
    assert isinstance(await timed.inquire("10001-1"), Approved)


async def test_what_payu_gave_up_waiting_for_is_asked_about_again(
    timed: PayUConnector, payu: PayU, clock: Clock
) -> None:
    await visited(timed, payu, charge())
    payu.end("10001-1", "dropped")
    clock.now_s += 900
    assert isinstance(await timed.inquire("10001-1"), Unknown)


BROKEN = [
    (200, b"<html><body>Service temporarily unavailable</body></html>"),
    (200, b'{"status": 0, "msg": "0 out of 1 Transactions Fetched Suc'),
    (200, b""),
    (200, b"[]"),
    (200, b'{"status": 0, "Status": 0}'),
    (200, b'{"status": 0, "msg": "Invalid Hash."}'),
    (200, b'{"status": 0, "msg": "Requests limit reached"}'),
    (200, b'{"status": 0, "error_code": "225", "msg": "try tomorrow"}'),
    (200, b'{"status": 1, "status": 0}'),
    (200, b'{"status": 1, "transaction_details": {"10001-1": {"status": "failure"}}}'),
    (404, b"{}"),
    (429, b"{}"),
    (500, b"{}"),
    (503, b""),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("status", "body"), BROKEN)
async def test_no_broken_answer_is_a_decline(
    call: str, status: int, body: bytes, connector: PayUConnector, payu: PayU
) -> None:
    await paid(connector, payu, capture=call not in {"capture", "void"})
    payu.answer_next = [(status, body)] * 6
    assert isinstance(await CALLS[call](connector), Unknown)


@pytest.mark.parametrize("call", CALLS)
async def test_a_wrong_salt_decides_nothing(call: str, payu: PayU, memory: ShortMemory) -> None:
    one = KIND.open("payu", settings(payu, salt="another"), AcquirerContext(CALLBACK, memory))
    assert isinstance(one, PayUConnector)
    await page_of(one, charge(), capture=call not in {"capture", "void"})
    with capture_logs() as lines:
        assert isinstance(await CALLS[call](one), Unknown)
    assert "another" not in str(lines)
    await one.close()


async def test_the_salt_is_in_no_log_and_no_repr(connector: PayUConnector, payu: PayU) -> None:
    with capture_logs() as lines:
        await paid(connector, payu)
        payu.answer_next = [(503, standin_payments.SALT.encode())] * 6
        for call in CALLS.values():
            await call(connector)
    assert lines
    assert standin_payments.SALT not in str(lines) + repr(
        PayUAccount(standin_payments.KEY, standin_payments.SALT, "", "")
    )


async def test_a_lost_link_is_not_asked_for_again(connector: PayUConnector, payu: PayU) -> None:
    payu.lose = ["_payment"]
    answer = await connector.upi_link(charge(), expires_in_s=900)
    assert isinstance(answer, Unknown)
    assert answer.sent
    assert len(payu.calls) == 1
    payu.pay("10001-1")
    assert isinstance(await connector.inquire("10001-1"), Approved)


async def test_a_lost_capture_is_found_and_not_made_twice(
    connector: PayUConnector, payu: PayU
) -> None:
    await paid(connector, payu, capture=False)
    held = await connector.inquire("10001-1")
    assert isinstance(held, Approved)
    assert held.authorised_only
    one = payu.transactions["10001-1"]
    payu.lose = ["capture_transaction"]
    assert isinstance(await connector.capture("10001-1", Money(40_000)), Unknown)
    again = await connector.capture("10001-1", Money(40_000))
    assert isinstance(again, Approved)
    assert again.amount == Money(40_000)
    assert [each["action"] for each in one.actions.values()] == ["capture"]


async def test_a_void_uses_the_command_that_cannot_refund(
    connector: PayUConnector, payu: PayU
) -> None:
    await paid(connector, payu, capture=False)
    assert isinstance(await connector.void("10001-1"), Voided)
    commands = [name for name, _form in payu.calls]
    assert "cancel_transaction" in commands
    assert "cancel_refund_transaction" not in commands


async def test_a_refund_of_a_hold_is_not_sent_because_it_would_end_the_hold(
    connector: PayUConnector, payu: PayU
) -> None:
    await paid(connector, payu, capture=False)
    assert isinstance(await connector.refund(RefundOrder("10001-5", "10001-1", Money(5))), Declined)
    assert "cancel_refund_transaction" not in [name for name, _form in payu.calls]


async def test_a_capture_of_what_was_not_held_is_not_sent(
    connector: PayUConnector, payu: PayU
) -> None:
    await paid(connector, payu)
    assert isinstance(await connector.capture("10001-1", Money(100_000)), Declined)
    assert isinstance(await connector.void("10001-1"), Declined)
    assert {name for name, _form in payu.calls} == {"verify_payment"}


async def test_a_lost_refund_is_found_by_its_token_and_given_once(
    connector: PayUConnector, payu: PayU, memory: ShortMemory
) -> None:
    await paid(connector, payu)
    await connector.refund(RefundOrder("10001-4", "10001-1", Money(1)))
    order = RefundOrder("10001-5", "10001-1", Money(40_000))
    payu.lose = ["cancel_refund_transaction"]
    assert isinstance(await connector.refund(order), Unknown)
    assert "request_id" not in await memory.known("10001-5")
    payu.settle("R10001-5")
    again = await connector.refund(order)
    assert isinstance(again, Approved)
    assert again.amount == Money(40_000)
    found = await connector.inquire_refund("10001-5")
    assert isinstance(found, Approved)
    assert len(payu.transactions["10001-1"].actions) == 2


async def test_a_refund_is_asked_about_by_its_request(connector: PayUConnector, payu: PayU) -> None:
    await paid(connector, payu)
    await connector.refund(RefundOrder("10001-5", "10001-1", Money(40_000)))
    assert isinstance(await connector.inquire_refund("10001-5"), Unknown)
    payu.settle("R10001-5", "failure")
    assert isinstance(await connector.inquire_refund("10001-5"), Declined)
    assert "var2" not in payu.calls[-1][1]


async def test_a_refund_that_was_never_sent_is_not_there_without_a_call(
    connector: PayUConnector, payu: PayU
) -> None:
    assert await connector.inquire_refund("10001-9") == NothingThere()
    assert payu.calls == []


async def test_a_refund_of_more_than_was_paid_is_declined(
    connector: PayUConnector, payu: PayU
) -> None:
    await paid(connector, payu)
    answer = await connector.refund(RefundOrder("10001-5", "10001-1", Money(100_001)))
    assert isinstance(answer, Declined)
    assert answer.code == "105"


def test_a_webhook_is_believed_by_its_hash_alone(connector: PayUConnector, payu: PayU) -> None:
    headers, body = payu.webhook("10001-1")
    read = connector.read_trigger(headers, body, now_s=0)
    assert read is not None
    assert read.references == ("10001-1",)
    assert connector.read_trigger(headers, body, now_s=10**9) == read, "a replay only asks again"
    for change in (
        {"txnid": "10001-2"},
        {"amount": "10.0"},
        {"status": "failure"},
        {"key": "OTHER"},
        {"hash": ""},
    ):
        forged = payu.webhook("10001-1", **change)[1]
        assert connector.read_trigger(headers, forged, now_s=0) is None, change


def test_a_webhook_about_a_refund_has_no_hash_and_triggers_nothing(
    connector: PayUConnector,
) -> None:
    body = (
        b'{"action": "refund", "merchantTxnId": "10001-1", "token": "R10001-5", "status": '
        b'"success"}'
    )
    assert connector.read_trigger({"content-type": "application/json"}, body, now_s=0) is None
