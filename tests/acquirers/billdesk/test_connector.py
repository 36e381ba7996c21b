"""What the BillDesk connector asks, and what it makes of answers that go wrong."""

import pytest
from structlog.testing import capture_logs

from hundi.acquirers.billdesk.connector import BillDeskConnector
from hundi.acquirers.billdesk.jose import Keys
from hundi.acquirers.billdesk.kind import KIND
from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.port.answers import Approved, Declined, Redirect, Unknown
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import RefundOrder
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.billdesk import standin
from tests.acquirers.billdesk.opened import CALLS, paid, settings, visited
from tests.acquirers.billdesk.standin import BillDesk
from tests.acquirers.server import BROKEN
from tests.acquirers.shared import CALLBACK, LIFE_S, RETURN, Clock, charge, page_of

FORGED = [
    (200, standin.envelope(b'{"objectid": "transaction"}', signing="another-key-of-nobody")),
    (200, standin.envelope(b'{"objectid": "transaction"}', alg="none")),
    (200, standin.envelope(b'{"objectid": "transaction"}')[:-20]),
    (200, standin.envelope(b"[]")),
    (200, standin.envelope(b'{"a": 1, "a": 2}')),
    (400, standin.envelope(b'{"objectid": "transaction", "auth_status": "0399"}')),
    (422, standin.envelope(b'{"error_code": "", "message": "no"}')),
    (404, standin.envelope(b'{"error_code": "ANOTHER", "message": "no"}')),
]


async def test_the_page_is_the_form_that_billdesk_names(
    connector: BillDeskConnector, billdesk: BillDesk
) -> None:
    page = await page_of(connector, charge(149_950))
    assert isinstance(page, Redirect)
    asked = billdesk.asked[0][1]
    assert asked.pop("order_date") == "2027-01-15T13:30:00+05:30"
    assert asked == {
        "mercid": standin.MERCID,
        "orderid": "10001-1",
        "amount": "1499.50",
        "currency": "356",
        "ru": RETURN,
        "itemcode": "DIRECT",
        "additional_info": {f"additional_info{place}": "NA" for place in range(1, 8)},
        "device": {
            "init_channel": "internet",
            "ip": "203.0.113.7",
            "user_agent": "Mozilla/5.0 (X11; Linux)",
        },
    }
    billdesk.visit(page.url, page.fields)


async def test_a_page_at_another_host_is_not_opened(
    connector: BillDeskConnector, billdesk: BillDesk
) -> None:
    billdesk.page_url = "https://billdesk.example"
    assert isinstance(await page_of(connector, charge()), Unknown)


async def test_one_reference_is_one_order(connector: BillDeskConnector, billdesk: BillDesk) -> None:
    assert isinstance(await page_of(connector, charge()), Redirect)
    assert isinstance(await page_of(connector, charge()), Unknown), "its trace id is refused"
    assert isinstance(await page_of(connector, charge(1)), Unknown)
    assert [place for place, _said in billdesk.asked] == ["orders/create", "orders/create"]


async def test_what_billdesk_cannot_do_is_declined_without_a_call(
    connector: BillDeskConnector, billdesk: BillDesk
) -> None:
    dollars = replace(charge(), amount=Money(100, "USD"))
    assert isinstance(await page_of(connector, charge(), method="netbanking"), Declined)
    assert isinstance(await page_of(connector, charge(), capture=False), Declined)
    assert isinstance(await page_of(connector, dollars), Declined)
    assert isinstance(
        await connector.refund(RefundOrder("r-1", "10001-1", Money(1, "USD"))), Declined
    )
    assert billdesk.calls == []


async def test_two_amounts_or_another_currency_approve_nothing(
    connector: BillDeskConnector, billdesk: BillDesk
) -> None:
    await visited(connector, billdesk, charge())
    billdesk.pay("10001-1", charge_amount="1020.00")
    assert isinstance(await connector.inquire("10001-1"), Unknown)
    billdesk.pay("10001-1", currency="840")
    assert isinstance(await connector.inquire("10001-1"), Unknown)


@pytest.mark.parametrize(("status", "left"), [("0399", False), ("0398", True)])
async def test_a_try_that_failed_is_declined_when_its_page_is_over(
    status: str,
    left: bool,  # noqa: FBT001 (a table)
    connector: BillDeskConnector,
    billdesk: BillDesk,
    clock: Clock,
) -> None:
    await visited(connector, billdesk, charge())
    billdesk.fail("10001-1", status)
    clock.now_s += LIFE_S
    assert await connector.inquire("10001-1") == Declined(
        "TRPPE0001", "Payment processing error", left=left
    )


async def test_without_its_word_for_it_nothing_is_not_there(
    billdesk: BillDesk, memory: ShortMemory
) -> None:
    unsaid = settings(billdesk, unknown_order_code="", unknown_refund_code="")
    one = KIND.open("billdesk", unsaid, AcquirerContext(CALLBACK, memory))
    assert isinstance(one, BillDeskConnector)
    assert isinstance(await one.inquire("10001-9"), Unknown)
    await one.close()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("status", "body"), [*BROKEN, *FORGED])
async def test_no_broken_answer_is_a_decline(
    call: str, status: int, body: bytes, connector: BillDeskConnector, billdesk: BillDesk
) -> None:
    await paid(connector, billdesk)
    billdesk.answer_next = [(status, body)] * 6
    assert isinstance(await CALLS[call](connector), Unknown)


@pytest.mark.parametrize("call", CALLS)
async def test_another_key_decides_nothing_and_is_in_no_log(
    call: str, billdesk: BillDesk, memory: ShortMemory
) -> None:
    wrong = settings(billdesk, signing_key="another-key-of-nobody")
    one = KIND.open("billdesk", wrong, AcquirerContext(CALLBACK, memory))
    assert isinstance(one, BillDeskConnector)
    with capture_logs() as lines:
        assert isinstance(await CALLS[call](one), Unknown)
    assert "another-key-of-nobody" not in str(lines)
    await one.close()


async def test_the_keys_are_in_no_log_and_no_repr(
    connector: BillDeskConnector, billdesk: BillDesk
) -> None:
    with capture_logs() as lines:
        await paid(connector, billdesk)
        billdesk.answer_next = [(503, standin.SIGNING.encode() + standin.SEALING.encode())] * 6
        for call in CALLS.values():
            await call(connector)
    assert lines
    said = str(lines) + repr(Keys("c", standin.SIGNING, standin.SEALING))
    assert standin.SIGNING not in said
    assert standin.SEALING not in said


async def test_a_lost_refund_is_found_by_our_reference_and_given_once(
    connector: BillDeskConnector, billdesk: BillDesk
) -> None:
    await paid(connector, billdesk)
    order = RefundOrder("10001-5", "10001-1", Money(40_000))
    billdesk.lose = ["/payments/ve1_2/refunds/create"]
    assert isinstance(await connector.refund(order), Unknown)
    billdesk.settle("10001-5", "0799")
    again = await connector.refund(order)
    assert isinstance(again, Approved)
    assert again.amount == Money(40_000)
    assert len(billdesk.orders["10001-1"].refunds) == 1
    assert billdesk.refused_traces == ["refunds/create"], (
        "a repeated refund is refused before it is looked at"
    )


@pytest.mark.parametrize("status", ["0002", "0701", "NA", ""])
async def test_a_refund_in_a_state_that_is_not_published_is_open(
    status: str, connector: BillDeskConnector, billdesk: BillDesk
) -> None:
    await paid(connector, billdesk)
    assert isinstance(
        await connector.refund(RefundOrder("10001-5", "10001-1", Money(500))), Unknown
    )
    billdesk.settle("10001-5", status)
    assert isinstance(await connector.inquire_refund("10001-5"), Unknown)


async def test_a_refund_of_more_than_was_paid_or_of_nothing_is_declined(
    connector: BillDeskConnector, billdesk: BillDesk
) -> None:
    await paid(connector, billdesk)
    answer = await connector.refund(RefundOrder("10001-5", "10001-1", Money(100_001)))
    assert answer == Declined("REFUND-AMOUNT", "more than was paid")
    assert isinstance(await connector.refund(RefundOrder("10001-6", "10001-9", Money(1))), Declined)
    assert [place for place, _said in billdesk.asked].count("refunds/create") == 1


def test_a_webhook_is_believed_by_its_envelope(
    connector: BillDeskConnector, billdesk: BillDesk
) -> None:
    for made in (billdesk.webhook, billdesk.form_webhook):
        headers, body = made("10001-1")
        read = connector.read_trigger(headers, body, now_s=0)
        assert read is not None
        assert read.references == ("10001-1",)
        assert connector.read_trigger(headers, body, now_s=10**9) == read, (
            "a replay only asks again"
        )


def test_a_webhook_about_a_refund_names_the_refund_and_its_payment(
    connector: BillDeskConnector,
) -> None:
    said = (
        b'{"mercid": "STANDINBD", "objectid": "refund", "merc_refund_ref_no": "10001-R5", '
        b'"orderid": "10001-1"}'
    )
    read = connector.read_trigger({}, standin.envelope(said), now_s=0)
    assert read is not None
    assert read.references == ("10001-R5", "10001-1")


@pytest.mark.parametrize(
    "body",
    [
        standin.envelope(
            b'{"mercid": "STANDINBD", "orderid": "10001-1"}', signing="another-key-of-nobody"
        ),
        standin.envelope(b'{"mercid": "STANDINBD", "orderid": "10001-1"}', alg="none"),
        standin.envelope(b'{"mercid": "STANDINBD", "orderid": "10001-1"}', enc="A128GCM"),
        standin.envelope(b'{"mercid": "STANDINBD", "orderid": "10001-1"}', key="AAAA"),
        standin.envelope(b'{"mercid": "OTHER", "orderid": "10001-1"}'),
        standin.envelope(b'{"mercid": "STANDINBD", "orderid": "1", "orderid": "2"}'),
        standin.envelope(b'{"mercid": "STANDINBD", "orderid": "10001-1; drop"}'),
        b'{"mercid": "STANDINBD", "orderid": "10001-1"}',
        b"terminal_state=111&orderid=10001-1",
        b"transaction_response=&orderid=10001-1",
        b"...",
        b"\xff\xfe",
    ],
)
def test_a_forged_webhook_is_not_believed(body: bytes, connector: BillDeskConnector) -> None:
    assert connector.read_trigger({}, body, now_s=0) is None
