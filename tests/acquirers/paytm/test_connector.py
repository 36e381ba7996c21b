"""What the Paytm connector asks, and what it makes of answers that go wrong."""

import json
from typing import Any

import pytest
from structlog.testing import capture_logs

from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.paytm.connector import PaytmAccount, PaytmConnector
from hundi.acquirers.paytm.kind import KIND
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.customers import NOBODY
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import RefundOrder
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.paytm import standin
from tests.acquirers.paytm.opened import CALLS, paid, settings, visited
from tests.acquirers.paytm.standin import Paytm
from tests.acquirers.server import BROKEN
from tests.acquirers.shared import CALLBACK, LIFE_S, RETURN, Clock, charge, page_of


def asked(paytm: Paytm, path: str) -> dict[str, Any]:
    return next(json.loads(body) for at, body in paytm.calls if at == path)


async def test_the_page_is_a_form_with_a_token_and_offers_cards(
    connector: PaytmConnector, paytm: Paytm
) -> None:
    page = await page_of(connector, charge(149_950))
    assert isinstance(page, Redirect)
    body = asked(paytm, "/theia/api/v1/initiateTransaction")["body"]
    assert body == {
        "requestType": "Payment",
        "mid": standin.MID,
        "websiteName": "DEFAULT",
        "orderId": "10001-1",
        "callbackUrl": RETURN,
        "txnAmount": {"value": "1499.50", "currency": "INR"},
        "userInfo": {
            "custId": "10001-1",
            "mobile": "9876543210",
            "email": "asha@example.in",
            "firstName": "Asha Rao",
        },
        "enablePaymentMode": [{"mode": "CREDIT_CARD"}, {"mode": "DEBIT_CARD"}],
    }
    paytm.visit(page.url, page.fields)


async def test_a_customer_who_said_nothing_is_sent_without_contact(
    connector: PaytmConnector, paytm: Paytm
) -> None:
    await page_of(connector, replace(charge(), customer=NOBODY))
    assert asked(paytm, "/theia/api/v1/initiateTransaction")["body"]["userInfo"] == {
        "custId": "10001-1"
    }


async def test_the_same_page_again_is_the_same_address(connector: PaytmConnector) -> None:
    assert await page_of(connector, charge()) == await page_of(connector, charge())


async def test_a_qr_ends_when_our_page_does(
    connector: PaytmConnector, paytm: Paytm, clock: Clock
) -> None:
    link = await connector.upi_link(charge(), expires_in_s=900)
    assert isinstance(link, UpiLink)
    assert link.expires_at.timestamp() == clock.now_s + 900
    said = asked(paytm, "/paymentservices/qr/create")
    assert said["head"]["clientId"] == "C11"
    # 2027-01-15 13:30 IST is the clock's time; Paytm wants its own zone.
    assert said["body"]["expiryDate"] == "2027-01-15 13:45:00"


async def test_one_reference_is_for_one_amount_and_one_purpose(
    connector: PaytmConnector, paytm: Paytm
) -> None:
    assert isinstance(await page_of(connector, charge()), Redirect)
    calls = len(paytm.calls)
    assert isinstance(await page_of(connector, charge(1)), Unknown)
    assert isinstance(await connector.upi_link(charge(), expires_in_s=900), Unknown)
    assert len(paytm.calls) == calls


async def test_what_paytm_cannot_do_is_declined_without_a_call(
    connector: PaytmConnector, paytm: Paytm
) -> None:
    dollars = replace(charge(), amount=Money(100, "USD"))
    assert isinstance(await page_of(connector, charge(), method="netbanking"), Declined)
    assert isinstance(await page_of(connector, charge(), capture=False), Declined)
    assert isinstance(await page_of(connector, dollars), Declined)
    assert isinstance(await connector.upi_link(dollars, expires_in_s=900), Declined)
    assert isinstance(
        await connector.refund(RefundOrder("r-1", "10001-1", Money(1, "USD"))), Declined
    )
    assert paytm.calls == []


async def test_a_try_that_failed_is_declined_when_its_page_is_over(
    connector: PaytmConnector, paytm: Paytm, clock: Clock
) -> None:
    await visited(connector, paytm, charge())
    paytm.fail("10001-1", "141", "Cancelled")
    clock.now_s += LIFE_S
    assert await connector.inquire("10001-1") == Declined("141", "Cancelled", left=True)


async def test_a_page_that_nobody_opened_is_open_as_long_as_its_token_lives(
    connector: PaytmConnector, clock: Clock
) -> None:
    await connector.start_checkout(
        charge(), method="card", return_url=RETURN, expires_in_s=60, capture=True
    )
    clock.now_s += 899
    assert await connector.inquire("10001-1") == Unknown(awaiting_customer=True)
    clock.now_s += 1
    assert await connector.inquire("10001-1") == NothingThere()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("status", "body"), BROKEN)
async def test_no_broken_answer_is_a_decline(
    call: str, status: int, body: bytes, connector: PaytmConnector, paytm: Paytm
) -> None:
    await paid(connector, paytm)
    paytm.answer_next = [(status, body)] * 6
    assert isinstance(await CALLS[call](connector), Unknown)


@pytest.mark.parametrize("call", CALLS)
async def test_another_key_decides_nothing_and_is_in_no_log(
    call: str, paytm: Paytm, memory: ShortMemory
) -> None:
    one = KIND.open(
        "paytm", settings(paytm, merchant_key="another-key-0002"), AcquirerContext(CALLBACK, memory)
    )
    assert isinstance(one, PaytmConnector)
    with capture_logs() as lines:
        answer = await CALLS[call](one)
    assert isinstance(answer, Unknown)
    assert answer.code in {"330", "2005", "QR_1020"}, "Paytm's words for a wrong checksum"
    assert "another-key-0002" not in str(lines)
    await one.close()


async def test_the_key_is_in_no_log_and_no_repr(connector: PaytmConnector, paytm: Paytm) -> None:
    with capture_logs() as lines:
        await paid(connector, paytm)
        paytm.answer_next = [(503, standin.KEY.encode())] * 6
        for call in CALLS.values():
            await call(connector)
    assert lines
    assert standin.KEY not in str(lines) + repr(PaytmAccount(standin.MID, standin.KEY, "", ""))


async def test_a_lost_link_is_not_asked_for_again(connector: PaytmConnector, paytm: Paytm) -> None:
    paytm.lose = ["/paymentservices/qr/create"]
    answer = await connector.upi_link(charge(), expires_in_s=900)
    assert isinstance(answer, Unknown)
    assert answer.sent
    assert paytm.called() == ["/paymentservices/qr/create"]
    paytm.pay("10001-1")
    assert isinstance(await connector.inquire("10001-1"), Approved)


async def test_a_lost_refund_is_found_by_our_id_and_given_once(
    connector: PaytmConnector, paytm: Paytm
) -> None:
    await paid(connector, paytm)
    order = RefundOrder("10001-5", "10001-1", Money(40_000))
    paytm.lose = ["/refund/apply"]
    assert isinstance(await connector.refund(order), Unknown)
    paytm.settle("10001-5")
    again = await connector.refund(order)
    assert isinstance(again, Approved)
    assert again.amount == Money(40_000)
    assert len(paytm.orders["10001-1"].refunds) == 1


async def test_a_refund_that_the_bank_refuses_later_is_declined(
    connector: PaytmConnector, paytm: Paytm
) -> None:
    await paid(connector, paytm)
    assert isinstance(
        await connector.refund(RefundOrder("10001-5", "10001-1", Money(500))), Unknown
    )
    paytm.settle("10001-5", "TXN_FAILURE", "628")
    assert isinstance(await connector.inquire_refund("10001-5"), Unknown)
    paytm.settle("10001-5", "TXN_FAILURE", "620")
    assert isinstance(await connector.inquire_refund("10001-5"), Declined)


async def test_a_refund_of_more_than_was_paid_or_of_nothing_is_declined(
    connector: PaytmConnector, paytm: Paytm
) -> None:
    await paid(connector, paytm)
    answer = await connector.refund(RefundOrder("10001-5", "10001-1", Money(100_001)))
    assert isinstance(answer, Declined)
    assert answer.code == "619"
    assert isinstance(await connector.refund(RefundOrder("10001-6", "10001-9", Money(1))), Declined)
    assert paytm.called().count("/refund/apply") == 1


def test_a_webhook_is_believed_by_the_checksum_of_its_very_bytes(
    connector: PaytmConnector, paytm: Paytm
) -> None:
    for made in (paytm.webhook, paytm.form_webhook):
        headers, body = made("10001-1")
        read = connector.read_trigger(headers, body, now_s=0)
        assert read is not None
        assert read.references == ("10001-1",)
        assert connector.read_trigger(headers, body, now_s=10**9) == read, (
            "a replay only asks again"
        )
    reserialised = json.dumps(json.loads(paytm.webhook("10001-1")[1])).encode()
    assert connector.read_trigger({}, reserialised, now_s=0) is None


@pytest.mark.parametrize(
    "change", [{"orderId": "10001-2"}, {"mid": "OTHER"}, {"status": "TXN_FAILURE"}]
)
def test_a_forged_webhook_is_not_believed(
    change: dict[str, str], connector: PaytmConnector, paytm: Paytm
) -> None:
    assert connector.read_trigger({}, paytm.webhook("10001-1", **change)[1], now_s=0) is None
    in_capitals = {name.upper(): value for name, value in change.items()}
    assert (
        connector.read_trigger({}, paytm.form_webhook("10001-1", **in_capitals)[1], now_s=0) is None
    )


def test_a_webhook_about_a_refund_names_the_refund_and_its_payment(
    connector: PaytmConnector, paytm: Paytm
) -> None:
    read = connector.read_trigger(*paytm.refund_webhook("10001-R5"), now_s=0)
    assert read is not None
    assert read.references == ("10001-R5", "10001-1")


def test_another_merchants_webhook_is_not_believed(paytm: Paytm, memory: ShortMemory) -> None:
    one = KIND.open(
        "paytm", settings(paytm, merchant_id="OTHER"), AcquirerContext(CALLBACK, memory)
    )
    assert isinstance(one, PaytmConnector)
    assert one.read_trigger(*paytm.webhook("10001-1"), now_s=0) is None
