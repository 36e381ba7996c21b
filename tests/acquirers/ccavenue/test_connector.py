"""What the CCAvenue connector asks, and what it makes of answers that go wrong."""

from urllib.parse import urlencode

import pytest
from structlog.testing import capture_logs

from hundi.acquirers.ccavenue import rules
from hundi.acquirers.ccavenue.connector import CCAvenueAccount, CCAvenueConnector
from hundi.acquirers.ccavenue.kind import KIND
from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.port.answers import Approved, Declined, Redirect, Unknown, Voided
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import RefundOrder
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.ccavenue import standin
from tests.acquirers.ccavenue.opened import CALLS, paid, settings, visited
from tests.acquirers.ccavenue.standin import CCAvenue
from tests.acquirers.server import BROKEN
from tests.acquirers.shared import CALLBACK, LIFE_S, RETURN, Clock, charge, page_of

REFUND = RefundOrder("10001-5", "10001-1", Money(40_000))
SEALED_BROKEN = [
    (200, b"status=0&enc_response=&enc_error_code="),
    (200, b"status=0&enc_response=00&enc_error_code="),
    (200, f"status=0&enc_response={standin.seal('{}', 'another-working-key')}".encode()),
    (200, f"status=0&enc_response={standin.seal('[]')}".encode()),
    (200, f"status=0&enc_response={standin.seal('null')}".encode()),
    (200, f"status=0&enc_response={standin.seal('<xml/>')}".encode()),
    (200, f"status=0&enc_response={standin.seal('x' * 40_000)}".encode()),
    (200, b"status=1&enc_response=Access_code: Invalid Parameter&enc_error_code=51407."),
    (200, b"status=1&enc_response=No records found&enc_error_code=51407"),
    (200, b"status=7"),
]


def asked_for(ccavenue: CCAvenue) -> list[str]:
    return [command for command, _asked in ccavenue.commands]


async def test_the_page_is_an_encrypted_form_and_ccavenue_is_not_called(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    page = await page_of(connector, charge(149_950))
    assert isinstance(page, Redirect)
    assert ccavenue.calls == []
    assert ccavenue.visit(page.url, page.fields).asked == {
        "merchant_id": standin.MERCHANT,
        "order_id": "10001-1",
        "currency": "INR",
        "amount": "1499.50",
        "redirect_url": RETURN,
        "cancel_url": RETURN,
        "language": "EN",
        "billing_name": "Asha Rao",
        "billing_email": "asha@example.in",
        "billing_tel": "9876543210",
    }
    assert standin.KEY not in str(page)


async def test_no_name_adds_a_field_to_the_form(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    mean = Customer("Asha&amount=1.00", "a@x.in&order_id=2", "+91 98765&x=1", "", "")
    page = await page_of(connector, replace(charge(), customer=mean))
    asked = ccavenue.visit(page.url, page.fields).asked
    assert (asked["amount"], asked["order_id"]) == ("1000.00", "10001-1")
    assert "x" not in asked


async def test_a_return_address_that_would_be_read_in_two_ways_is_not_sent(
    connector: CCAvenueConnector,
) -> None:
    page = await connector.start_checkout(
        charge(), method="card", return_url=f"{RETURN}?a=1&b=2", expires_in_s=LIFE_S, capture=True
    )
    assert isinstance(page, Unknown)


async def test_one_reference_is_for_one_amount_and_one_purpose(
    connector: CCAvenueConnector,
) -> None:
    assert await page_of(connector, charge()) == await page_of(connector, charge())
    assert isinstance(await page_of(connector, charge(1)), Unknown)
    assert isinstance(await page_of(connector, charge(), capture=False), Unknown)


async def test_what_ccavenue_cannot_do_is_declined_without_a_call(
    connector: CCAvenueConnector, ccavenue: CCAvenue, memory: ShortMemory
) -> None:
    dollars = replace(charge(), amount=Money(100, "USD"))
    assert isinstance(await page_of(connector, charge(), method="netbanking"), Declined)
    assert isinstance(await page_of(connector, dollars), Declined)
    assert isinstance(await connector.refund(replace(REFUND, amount=Money(1, "USD"))), Declined)
    by_itself = KIND.open(
        "ccavenue", settings(ccavenue, holds=False), AcquirerContext(CALLBACK, memory)
    )
    assert isinstance(by_itself, CCAvenueConnector)
    assert isinstance(await page_of(by_itself, charge(), capture=False), Declined)
    await by_itself.close()
    assert ccavenue.calls == []


async def test_what_was_paid_is_confirmed_by_the_inquiry_once(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    await paid(connector, ccavenue)
    first = await connector.inquire("10001-1")
    assert first == await connector.inquire("10001-1") == Approved(Money(100_000), "035944")
    assert asked_for(ccavenue).count("confirmOrder") == 1
    assert ccavenue.orders["10001-1"].captured == "1000.00"


async def test_an_account_that_confirms_by_itself_is_not_told_to(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    ccavenue.confirms_by_itself, ccavenue.wrapped = True, True
    await paid(connector, ccavenue)
    assert await connector.inquire("10001-1") == Approved(Money(100_000), "035944")
    assert asked_for(ccavenue) == ["orderStatusTracker"]


async def test_what_is_paid_and_not_confirmed_is_open_because_it_may_go_back(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    await paid(connector, ccavenue)
    ccavenue.risk_pending = True
    assert isinstance(await connector.inquire("10001-1"), Unknown)
    ccavenue.end("10001-1", "Auto-Cancelled")
    assert isinstance(await connector.inquire("10001-1"), Voided)


async def test_a_lost_confirmation_is_found(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    await paid(connector, ccavenue)
    ccavenue.lose_commands = ["confirmOrder"]
    assert isinstance(await connector.inquire("10001-1"), Approved)
    assert asked_for(ccavenue).count("confirmOrder") == 1


async def test_another_amount_is_said_as_it_is_and_not_confirmed(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    await visited(connector, ccavenue, charge())
    ccavenue.pay("10001-1", amount="900.00")
    answer = await connector.inquire("10001-1")
    assert isinstance(answer, Approved)
    assert answer.amount == Money(90_000)
    assert "confirmOrder" not in asked_for(ccavenue)


@pytest.mark.parametrize(("field", "value"), [("gross", "1020.00"), ("currency", "USD")])
async def test_two_amounts_or_another_currency_approve_nothing(
    field: str, value: str, connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    await paid(connector, ccavenue)
    setattr(ccavenue.orders["10001-1"], field, value)
    assert isinstance(await connector.inquire("10001-1"), Unknown)
    assert "confirmOrder" not in asked_for(ccavenue)


@pytest.mark.parametrize(
    ("state", "left"), [("Unsuccessful", False), ("Aborted", True), ("Invalid", False)]
)
async def test_what_ended_unpaid_is_declined_when_its_page_is_over(
    state: str,
    left: bool,  # noqa: FBT001 (a table)
    connector: CCAvenueConnector,
    ccavenue: CCAvenue,
    clock: Clock,
) -> None:
    await visited(connector, ccavenue, charge())
    ccavenue.end("10001-1", state)
    clock.now_s += LIFE_S
    assert await connector.inquire("10001-1") == Declined(state, "Do not honour", left=left)


@pytest.mark.parametrize(
    "state", ["Initiated", "Awaited", "Fraud", "Chargeback", "System refund", "Auto-Reversed", ""]
)
async def test_a_state_that_is_no_end_or_a_matter_for_people_is_undecided(
    state: str, connector: CCAvenueConnector, ccavenue: CCAvenue, clock: Clock
) -> None:
    await visited(connector, ccavenue, charge())
    ccavenue.end("10001-1", state)
    clock.now_s += LIFE_S
    assert isinstance(await connector.inquire("10001-1"), Unknown)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("status", "body"), [*BROKEN, *SEALED_BROKEN])
async def test_no_broken_answer_is_a_decline(
    call: str, status: int, body: bytes, connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    await paid(connector, ccavenue, capture=call not in {"capture", "void"})
    ccavenue.answer_next = [(status, body)] * 8
    assert isinstance(await CALLS[call](connector), Unknown)


@pytest.mark.parametrize("call", CALLS)
async def test_another_key_decides_nothing_and_is_in_no_log(
    call: str, ccavenue: CCAvenue, memory: ShortMemory
) -> None:
    wrong = settings(ccavenue, working_key="another-working-key")
    one = KIND.open("ccavenue", wrong, AcquirerContext(CALLBACK, memory))
    assert isinstance(one, CCAvenueConnector)
    await page_of(one, charge(), capture=call not in {"capture", "void"})
    with capture_logs() as lines:
        assert isinstance(await CALLS[call](one), Unknown)
    assert "another-working-key" not in str(lines)
    await one.close()


async def test_the_key_is_in_no_log_and_no_repr(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    with capture_logs() as lines:
        await paid(connector, ccavenue)
        ccavenue.answer_next = [(503, standin.KEY.encode())] * 6
        for call in CALLS.values():
            await call(connector)
    assert lines
    assert standin.KEY not in str(lines) + repr(
        CCAvenueAccount(standin.MERCHANT, standin.ACCESS, standin.KEY)
    )


async def test_a_hold_is_not_confirmed_before_it_is_asked_for(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    await paid(connector, ccavenue, capture=False)
    held = await connector.inquire("10001-1")
    assert isinstance(held, Approved)
    assert held.authorised_only
    assert asked_for(ccavenue) == ["orderStatusTracker"]
    ccavenue.lose_commands = ["confirmOrder"]
    captured = await connector.capture("10001-1", Money(40_000))
    assert (
        captured
        == await connector.capture("10001-1", Money(40_000))
        == Approved(Money(40_000), "035944")
    )
    assert asked_for(ccavenue).count("confirmOrder") == 1


async def test_a_capture_that_waits_for_people_is_open(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    await paid(connector, ccavenue, capture=False)
    ccavenue.risk_pending = True
    answer = await connector.capture("10001-1", Money(100_000))
    assert isinstance(answer, Unknown)
    assert answer.code == "51307"


async def test_a_hold_that_lapsed_is_void_and_cannot_be_captured(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    await paid(connector, ccavenue, capture=False)
    ccavenue.end("10001-1", "Auto-Cancelled")
    assert isinstance(await connector.inquire("10001-1"), Voided)
    assert isinstance(await connector.capture("10001-1", Money(100_000)), Declined)
    assert isinstance(await connector.void("10001-1"), Voided)
    assert {"confirmOrder", "cancelOrder"}.isdisjoint(asked_for(ccavenue))


async def test_a_lost_refund_is_found_by_its_token_and_given_once(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    await paid(connector, ccavenue)
    ccavenue.lose_commands = ["refundOrder"]
    assert isinstance(await connector.refund(REFUND), Unknown)
    ccavenue.settle(rules.token("10001-5"))
    assert await connector.refund(REFUND) == Approved(Money(40_000), "2492")
    assert len(ccavenue.orders["10001-1"].refunds) == 1


@pytest.mark.parametrize(
    ("state", "kind"),
    [("TS-REFC", Approved), ("TS-REFA", Unknown), ("TS-REFF", Declined), ("TS-REFD", Declined)],
)
async def test_a_refund_is_what_its_state_says(
    state: str, kind: type, connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    await paid(connector, ccavenue)
    assert isinstance(await connector.refund(REFUND), Unknown)
    ccavenue.settle(rules.token("10001-5"), state)
    assert isinstance(await connector.inquire_refund("10001-5"), kind)


async def test_a_refund_of_more_than_was_paid_or_of_nothing_is_declined(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    await paid(connector, ccavenue)
    answer = await connector.refund(replace(REFUND, amount=Money(100_001)))
    assert isinstance(answer, Declined)
    assert answer.code == "51314"
    assert isinstance(await connector.refund(RefundOrder("10001-6", "10001-9", Money(1))), Declined)
    assert asked_for(ccavenue).count("refundOrder") == 1


async def test_a_refund_of_a_hold_is_not_sent(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    await paid(connector, ccavenue, capture=False)
    assert isinstance(await connector.refund(REFUND), Declined)
    assert "refundOrder" not in asked_for(ccavenue)


def test_a_callback_that_our_key_opens_only_asks(
    connector: CCAvenueConnector, ccavenue: CCAvenue
) -> None:
    headers, body = ccavenue.webhook("10001-1")
    read = connector.read_trigger(headers, body, now_s=0)
    assert read is not None
    assert read.references == ("10001-1",)
    assert connector.read_trigger(headers, body, now_s=10**9) == read, "a replay only asks again"


@pytest.mark.parametrize(
    "body",
    [
        CCAvenue().webhook("10001-1", key="another-working-key")[1],
        CCAvenue().webhook("10001-1", order_id="10001-1;drop")[1],
        urlencode({"encResp": standin.seal("order_id=10001-1")}).encode(),
        urlencode({"encResp": standin.seal("order_id=\u20b9")}).encode("ascii"),
        b"encResp=&order_id=10001-1",
        b"encResp=zz",
        b"order_id=10001-1&order_status=Success&tracking_id=1",
        b"encResp=" + CCAvenue().webhook("10001-1")[1][8:60],
        b"{}",
        b"\xff",
    ],
)
def test_a_callback_that_our_key_does_not_open_asks_nothing(
    body: bytes, connector: CCAvenueConnector
) -> None:
    assert connector.read_trigger({}, body, now_s=0) is None
