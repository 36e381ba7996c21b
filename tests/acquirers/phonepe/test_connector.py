"""What the PhonePe connector asks, and what it makes of answers that go wrong."""

import hashlib

import pytest

from hundi.acquirers.kinds import AcquirerConfigurationError, AcquirerContext
from hundi.acquirers.phonepe.connector import PhonePeConnector
from hundi.acquirers.phonepe.kind import KIND
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import RefundOrder
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.phonepe.opened import CALLS, RETURN, charge, page_of, paid, settings
from tests.acquirers.phonepe.standin import PhonePe


async def test_a_link_is_asked_for_in_paise_with_a_life_that_phonepe_allows(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    await connector.upi_link(charge(149_950), expires_in_s=60)
    assert phonepe.calls == [
        (
            "POST",
            "/payments/v2/pay",
            {
                "merchantOrderId": "10001-1",
                "amount": 149_950,
                "expireAfter": 300,
                "paymentFlow": {"type": "PG", "paymentMode": {"type": "UPI_QR"}},
            },
        )
    ]


async def test_the_page_offers_cards_only_and_comes_back_to_us(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    page = await page_of(connector, charge())
    assert isinstance(page, Redirect)
    assert page.fields == ()
    asked = phonepe.calls[0][2]
    assert asked["expireAfter"] == 3_600
    assert asked["paymentFlow"] == {
        "type": "PG_CHECKOUT",
        "merchantUrls": {"redirectUrl": RETURN},
        "paymentModeConfig": {
            "enabledPaymentModes": [{"type": "CARD", "cardTypes": ["DEBIT_CARD", "CREDIT_CARD"]}]
        },
    }


async def test_an_order_of_the_page_is_asked_about_where_it_was_made(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    await page_of(connector, charge())
    await connector.inquire("10001-1")
    assert (
        phonepe.calls[-1][1] == "/checkout/v2/order/10001-1/status?details=true&errorContext=true"
    )


async def test_where_to_ask_is_kept_before_the_call_that_may_move_money(
    connector: PhonePeConnector, phonepe: PhonePe, memory: ShortMemory
) -> None:
    phonepe.lose_next = 1
    answer = await page_of(connector, charge())
    assert isinstance(answer, Unknown)
    assert answer.sent
    assert await memory.known("10001-1") == {"product": "checkout"}
    phonepe.pay("10001-1")
    found = await connector.inquire("10001-1")
    assert isinstance(found, Approved)
    assert len([call for call in phonepe.calls if call[0] == "POST"]) == 1, (
        "what may move money is not sent twice"
    )


async def test_what_phonepe_cannot_do_is_declined_without_a_call(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    dollars = replace(charge(), amount=Money(100, "USD"))
    assert isinstance(await page_of(connector, charge(), capture=False), Declined)
    assert isinstance(await page_of(connector, charge(), method="netbanking"), Declined)
    assert isinstance(await connector.upi_link(dollars, expires_in_s=900), Declined)
    assert isinstance(
        await connector.refund(RefundOrder("r-1", "10001-1", Money(1, "USD"))), Declined
    )
    assert phonepe.calls == []


async def test_a_page_elsewhere_is_not_where_a_customer_is_sent(
    phonepe: PhonePe, memory: ShortMemory
) -> None:
    opened = KIND.open(
        "p",
        settings(phonepe, checkout_origins=("https://mercury.phonepe.com",)),
        AcquirerContext("", memory),
    )
    assert isinstance(opened, PhonePeConnector)
    assert isinstance(await page_of(opened, charge()), Unknown)
    await opened.close()


async def test_another_amount_than_asked_is_said_as_it_is(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    await connector.upi_link(charge(100_000), expires_in_s=900)
    phonepe.pay("10001-1", amount=90_000)
    answer = await connector.inquire("10001-1")
    assert isinstance(answer, Approved)
    assert answer.amount == Money(90_000)


async def test_a_failed_try_leaves_the_order_open_and_a_later_one_pays_it(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    await connector.upi_link(charge(), expires_in_s=900)
    phonepe.fail_try("10001-1")
    assert isinstance(await connector.inquire("10001-1"), Unknown)
    phonepe.pay("10001-1")
    assert isinstance(await connector.inquire("10001-1"), Approved)


async def test_an_order_that_ended_unpaid_is_declined(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    await connector.upi_link(charge(), expires_in_s=900)
    phonepe.fail("10001-1")
    assert await connector.inquire("10001-1") == Declined("ZM", "AUTHORIZATION_ERROR")


async def test_an_answer_about_another_order_decides_nothing(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    await paid(connector, phonepe)
    phonepe.orders["10001-1"].order_id = "OMO-of-somebody-else"
    assert isinstance(await connector.inquire("10001-1"), Unknown)


BROKEN = [
    (200, b"<html><body>Service temporarily unavailable</body></html>"),
    (200, b'{"orderId": "OMO1", "state": "FAILED", "amou'),
    (200, b""),
    (200, b"null"),
    (200, b'{"state": "FAILED", "state": "COMPLETED", "orderId": "OMO1"}'),
    (400, b"<html>Bad Request</html>"),
    (404, b'{"code": "404", "message": "Api Mapping Not Found"}'),
    (429, b'{"code": "TOO_MANY_REQUESTS"}'),
    (500, b'{"success": false, "code": "INTERNAL_SERVER_ERROR"}'),
    (503, b""),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("status", "body"), BROKEN)
async def test_no_broken_answer_is_a_decline(
    call: str, status: int, body: bytes, connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    await paid(connector, phonepe)
    phonepe.answer_next = [(status, body)] * 3
    assert isinstance(await CALLS[call](connector), Unknown)


async def test_a_refund_that_was_lost_on_its_way_back_is_given_once(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    await paid(connector, phonepe)
    order = RefundOrder("10001-5", "10001-1", Money(40_000))
    phonepe.lose_next = 1
    assert isinstance(await connector.refund(order), Unknown)
    phonepe.settle_refund("10001-5")
    again = await connector.refund(order)
    assert isinstance(again, Approved)
    assert again.amount == Money(40_000)
    assert len(phonepe.refunds) == 1


async def test_without_the_word_for_an_unknown_refund_nothing_is_concluded(
    phonepe: PhonePe, memory: ShortMemory
) -> None:
    opened = KIND.open("p", settings(phonepe, unknown_refund_code=""), AcquirerContext("", memory))
    assert isinstance(opened, PhonePeConnector)
    assert isinstance(await opened.inquire_refund("10001-9"), Unknown)
    assert isinstance(await opened.refund(RefundOrder("10001-9", "10001-1", Money(5))), Unknown)
    await opened.close()


async def test_a_failed_refund_is_declined(connector: PhonePeConnector, phonepe: PhonePe) -> None:
    await paid(connector, phonepe)
    await connector.refund(RefundOrder("10001-5", "10001-1", Money(40_000)))
    phonepe.settle_refund("10001-5", "FAILED")
    assert isinstance(await connector.inquire_refund("10001-5"), Declined)


async def test_a_bank_that_needs_enabling_is_there_only_when_listed(
    phonepe: PhonePe, memory: ShortMemory
) -> None:
    opened = [
        KIND.open("p", settings(phonepe, banks=codes), AcquirerContext("", memory))
        for codes in ((), ("HDFC", "ICIC"))
    ]
    codes = [
        [each.code for each in await one.banks()]
        for one in opened
        if isinstance(one, PhonePeConnector)
    ]
    assert "HDFC" not in codes[0]
    assert "SBIN" not in codes[0]
    assert "ICIC" in codes[0]
    assert sorted(codes[1]) == ["HDFC", "ICIC"]
    for one in opened:
        await one.close()


def test_a_bank_that_phonepe_does_not_have_stops_the_start(
    phonepe: PhonePe, memory: ShortMemory
) -> None:
    with pytest.raises(AcquirerConfigurationError, match="HDFB is none of PhonePe's"):
        KIND.open("p", settings(phonepe, banks=("HDFB",)), AcquirerContext("", memory))


def test_a_webhook_is_believed_by_user_and_password_and_names_only_its_reference(
    connector: PhonePeConnector, phonepe: PhonePe
) -> None:
    headers, body = phonepe.webhook(
        "pg.refund.completed", {"merchantRefundId": "10001-5", "amount": 1}
    )
    read = connector.read_trigger(headers, body, now_s=0)
    assert read is not None
    assert read.references == ("10001-5",)
    assert connector.read_trigger(headers, body, now_s=10**9) == read, "a replay only asks again"
    other = hashlib.sha256(b"hundi_hooks:other").hexdigest()
    assert connector.read_trigger({**headers, "authorization": other}, body, now_s=0) is None


def test_without_a_webhook_user_no_webhook_is_believed(
    phonepe: PhonePe, memory: ShortMemory
) -> None:
    bare = settings(phonepe, webhook_username="", webhook_password="")
    opened = KIND.open("p", bare, AcquirerContext("", memory))
    assert isinstance(opened, PhonePeConnector)
    empty = {"authorization": hashlib.sha256(b":").hexdigest()}
    _, body = phonepe.webhook("pg.order.completed", {"merchantOrderId": "10001-1"})
    assert opened.read_trigger(empty, body, now_s=0) is None


async def test_an_order_that_phonepe_does_not_have_is_not_there(
    connector: PhonePeConnector,
) -> None:
    assert await connector.inquire("10001-404") == NothingThere()
