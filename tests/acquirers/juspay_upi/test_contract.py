"""The connector of Juspay's UPI merchant stack keeps every promise of the port."""

from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import EXPIRES_IN_S, ConnectorCase
from hundi.acquirers.juspay_upi.connector import UNDER_WAY_S, JuspayUpiConnector
from hundi.acquirers.juspay_upi.envelopes import AnswerForm
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.capabilities import abilities
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.kernel.money import Money
from tests.acquirers.certifying import certified
from tests.acquirers.juspay_upi.opened import callback, connector_at, keys
from tests.acquirers.juspay_upi.standin import UDIR_AFTER, UpiStack
from tests.acquirers.playing import given_at
from tests.acquirers.shared import LIFE_S, Clock, charge
from tests.acquirers.stage import Trouble

PAID, PART = Money(100_000), RefundOrder("10001-R5", "10001-1", Money(500))
REFUNDS = "/refund360"


@pytest.fixture
async def stack() -> AsyncIterator[UpiStack]:
    async with UpiStack.running() as running:
        running.encrypts = True
        yield running


@pytest.fixture
async def connector(
    stack: UpiStack, memory: ShortMemory, clock: Clock
) -> AsyncIterator[JuspayUpiConnector]:
    one = connector_at(stack, memory, clock)
    yield one
    await one.close()


@pytest.fixture
def given(stack: UpiStack) -> ConnectorCase:
    async def pay(charge: Charge, _link: object) -> None:
        stack.pay(charge.reference)
        stack.pass_time(UDIR_AFTER)

    async def refund_settled(reference: str) -> None:
        if reference in stack.refunds:
            stack.end_refund(reference)

    return given_at(
        stack.calls,
        pay_link=pay,
        refund_settled=refund_settled,
        webhook=lambda reference: callback(merchantRequestId=reference),
        forge=lambda body: body.replace(b"STANDIN", b"ANOTHER"),
    )


async def paid(connector: JuspayUpiConnector, stack: UpiStack) -> None:
    link = await connector.upi_link(charge(), expires_in_s=LIFE_S)
    assert isinstance(link, UpiLink)
    stack.pay("10001-1")


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_the_contract(
    check: suite.Check, connector: JuspayUpiConnector, given: ConnectorCase
) -> None:
    await check(connector, given)


@pytest.mark.parametrize("refunds", ["offline", "udir"])
@pytest.mark.parametrize("check", suite.OF_PAYING, ids=lambda check: check.__name__)
async def test_the_contract_with_other_refunds(
    refunds: str,
    check: suite.Check,
    stack: UpiStack,
    memory: ShortMemory,
    clock: Clock,
    given: ConnectorCase,
) -> None:
    stack.refunds_end = "JPREFD"
    one = connector_at(stack, memory, clock, refunds=refunds)
    await check(one, given)
    await one.close()


@pytest.mark.parametrize("answers", ["signed", "plain"])
@pytest.mark.parametrize("check", suite.OF_PAYING, ids=lambda check: check.__name__)
async def test_the_contract_with_answers_that_are_not_encrypted(
    answers: AnswerForm,
    check: suite.Check,
    stack: UpiStack,
    memory: ShortMemory,
    clock: Clock,
    given: ConnectorCase,
) -> None:
    stack.encrypts = False
    one = connector_at(stack, memory, clock, signs=keys(answers))
    await check(one, given)
    await one.close()


def test_it_has_what_the_stack_does_and_nothing_more(connector: JuspayUpiConnector) -> None:
    assert set(abilities(connector)) == {"MakesUpiLinks", "Refunds", "SendsTriggers"}


async def test_an_account_is_certified_at_the_stand_in(
    connector: JuspayUpiConnector, given: ConnectorCase
) -> None:
    found = await certified(connector, given)
    assert (found.failed(), found.not_ready()) == ({}, [])
    assert found.is_ready()


@pytest.mark.parametrize("trouble", Trouble)
async def test_a_link_whose_answer_is_lost_is_undecided(
    connector: JuspayUpiConnector, stack: UpiStack, trouble: Trouble
) -> None:
    if trouble is Trouble.SILENT:
        stack.released.set()
    stack.trouble("/registerIntent", trouble)
    assert isinstance(await connector.upi_link(charge(), expires_in_s=LIFE_S), Unknown | UpiLink)
    assert not isinstance(await connector.inquire("10001-1"), Approved | Declined)


@pytest.mark.parametrize("trouble", Trouble)
async def test_an_inquiry_that_goes_wrong_decides_nothing(
    connector: JuspayUpiConnector, stack: UpiStack, clock: Clock, trouble: Trouble
) -> None:
    await paid(connector, stack)
    clock.now_s += LIFE_S + UNDER_WAY_S
    if trouble is Trouble.SILENT:
        stack.released.set()
    stack.trouble("/status360", trouble, trouble)
    answer = await connector.inquire("10001-1")
    assert isinstance(answer, Unknown) or answer.amount == PAID


@pytest.mark.parametrize("trouble", Trouble)
async def test_a_refund_whose_answer_is_lost_is_made_once(
    connector: JuspayUpiConnector, stack: UpiStack, trouble: Trouble
) -> None:
    await paid(connector, stack)
    if trouble is Trouble.SILENT:
        stack.released.set()
    stack.trouble(REFUNDS, trouble)
    first = await connector.refund(PART)
    assert not isinstance(first, Declined)
    answer = await connector.inquire_refund(PART.reference)
    assert isinstance(answer, Approved)
    assert (answer.amount, await connector.refund(PART)) == (PART.amount, answer)
    assert [each["refundAmount"] for each in stack.refunds.values()] == ["5.00"]


async def test_a_link_has_what_the_stack_registered(
    connector: JuspayUpiConnector, stack: UpiStack
) -> None:
    link = await connector.upi_link(charge(), expires_in_s=EXPIRES_IN_S - 1)
    assert isinstance(link, UpiLink)
    number = stack.intents["10001-1"]["gatewayTransactionId"]
    assert link.url == (
        "upi://pay?pa=standin@axisbank&pn=Stand-in&mc=5411"
        f"&tid={number}&tr=10001-1&am=1000.00&cu=INR&mode=00"
    )
    assert link.expires_at.timestamp() == 1_800_000_000 + EXPIRES_IN_S, "whole minutes"
    assert stack.intents["10001-1"]["expires"] == stack.now + EXPIRES_IN_S


async def test_a_failed_try_may_be_followed_by_a_paid_one(
    connector: JuspayUpiConnector, stack: UpiStack, clock: Clock
) -> None:
    await connector.upi_link(charge(), expires_in_s=LIFE_S)
    stack.fail("10001-1")
    open_still = await connector.inquire("10001-1")
    assert open_still == Unknown("ZA", "outcome ZA", awaiting_customer=True)
    stack.pay("10001-1")
    clock.now_s += LIFE_S + UNDER_WAY_S
    answer = await connector.inquire("10001-1")
    assert isinstance(answer, Approved)
    assert answer.payer_vpa


async def test_an_unpaid_link_ends_after_what_may_be_under_way(
    connector: JuspayUpiConnector, stack: UpiStack, clock: Clock
) -> None:
    await connector.upi_link(charge(), expires_in_s=LIFE_S)
    clock.now_s += LIFE_S
    stack.pass_time(LIFE_S)
    assert await connector.inquire("10001-1") == Unknown(awaiting_customer=True)
    clock.now_s += UNDER_WAY_S
    assert await connector.inquire("10001-1") == NothingThere()


async def test_a_payment_that_the_bank_does_not_know_is_open(
    connector: JuspayUpiConnector, stack: UpiStack, clock: Clock
) -> None:
    await connector.upi_link(charge(), expires_in_s=LIFE_S)
    stack.hold("10001-1")
    clock.now_s += LIFE_S + UNDER_WAY_S
    answer = await connector.inquire("10001-1")
    assert isinstance(answer, Unknown)
    assert not isinstance(await connector.refund(PART), Approved)
    assert stack.called(REFUNDS) == []


async def test_a_reference_has_one_use(connector: JuspayUpiConnector, stack: UpiStack) -> None:
    await paid(connector, stack)
    assert isinstance(await connector.upi_link(charge(1), expires_in_s=LIFE_S), Unknown)
    again = await connector.upi_link(charge(), expires_in_s=LIFE_S)
    assert again == Unknown("DUPLICATE_REQUEST", "Duplicate merchantRequestId")


async def test_a_refused_refund_begins_never(
    connector: JuspayUpiConnector, stack: UpiStack
) -> None:
    await paid(connector, stack)
    whole = RefundOrder("10001-R6", "10001-1", PAID)
    assert isinstance(await connector.refund(whole), Approved)
    refused = await connector.refund(PART)
    assert refused == Declined("INVALID_REFUND_AMOUNT", "More than was paid")
    stack.end_refund(whole.reference, "U30")
    calls = len(stack.called(REFUNDS))
    assert await connector.inquire_refund(PART.reference) == Declined("INVALID_REFUND_AMOUNT")
    assert await connector.refund(PART) == Declined("INVALID_REFUND_AMOUNT")
    assert (len(stack.called(REFUNDS)), list(stack.refunds)) == (calls, [whole.reference])


async def test_a_refusal_after_a_lost_answer_decides_nothing(
    connector: JuspayUpiConnector, stack: UpiStack
) -> None:
    await paid(connector, stack)
    stack.trouble(REFUNDS, Trouble.LOST_AFTER)
    assert isinstance(await connector.refund(PART), Unknown)
    refusal = {"status": "FAILURE", "responseCode": "INVALID_REFUND_AMOUNT", "payload": {}}
    stack.change(REFUNDS, lambda _answer: refusal)
    assert await connector.refund(PART) == Unknown("INVALID_REFUND_AMOUNT")
    assert isinstance(await connector.refund(PART), Approved)


async def test_a_refund_by_complaint_waits_for_its_time(
    stack: UpiStack, memory: ShortMemory, clock: Clock
) -> None:
    one = connector_at(stack, memory, clock, refunds="udir")
    await paid(one, stack)
    assert await one.refund(PART) == Unknown("INVALID_DATA", "Too late, or too early")
    stack.pass_time(UDIR_AFTER)
    assert isinstance(await one.inquire_refund(PART.reference), Approved)
    await one.close()


async def test_a_refund_that_came_back_is_declined(
    connector: JuspayUpiConnector, stack: UpiStack
) -> None:
    await paid(connector, stack)
    assert isinstance(await connector.refund(PART), Approved)
    stack.end_refund(PART.reference, "U30")
    answer = await connector.inquire_refund(PART.reference)
    assert isinstance(answer, Declined)
    assert (answer.code, bool(answer.rrn)) == ("U30", True)


async def test_a_refund_that_was_never_sent_is_not_there_without_a_call(
    connector: JuspayUpiConnector, stack: UpiStack
) -> None:
    assert await connector.inquire_refund("10001-R9") == NothingThere()
    assert stack.calls == []


async def test_an_answer_without_its_envelope_is_not_read(
    stack: UpiStack, memory: ShortMemory, clock: Clock
) -> None:
    stack.encrypts = False
    one = connector_at(stack, memory, clock)
    assert isinstance(await one.upi_link(charge(), expires_in_s=LIFE_S), Unknown)
    stack.pay("10001-1")
    assert isinstance(await one.inquire("10001-1"), Unknown)
    await one.close()


async def test_a_changed_answer_is_not_read(
    stack: UpiStack, memory: ShortMemory, clock: Clock
) -> None:
    stack.encrypts = False
    one = connector_at(stack, memory, clock, signs=keys("signed"))
    # What is written anew loses its signature.
    stack.change("/registerIntent", lambda answer: answer)
    assert isinstance(await one.upi_link(charge(), expires_in_s=LIFE_S), Unknown)
    await one.close()


async def test_an_account_whose_key_is_refused_decides_nothing(
    stack: UpiStack, memory: ShortMemory, clock: Clock
) -> None:
    one = connector_at(stack, memory, clock, signs=keys(owner="another"))
    answer = await one.upi_link(charge(), expires_in_s=LIFE_S)
    assert isinstance(answer, Unknown)
    assert (answer.credentials_refused, answer.sent) == (True, False)
    assert not one.reachable()
    await one.close()


def test_only_callbacks_of_this_account_are_believed(connector: JuspayUpiConnector) -> None:
    def named(headers: dict[str, str], body: bytes) -> tuple[str, ...] | None:
        trigger = connector.read_trigger(headers, body, now_s=0)
        return trigger and trigger.references

    assert named(*callback(merchantRequestId="10001-1", amount="1.00")) == ("10001-1",)
    assert named(*callback(refundRequestId="10001-R5")) == ("10001-R5",)
    assert named(*callback(merchantRequestId="10001-1", payerName="आशा")) == ("10001-1",)
    assert named(*callback(merchantRequestId="a/b")) is None
    assert named(*callback(merchantRequestId="10001-1", merchantId="ANOTHER")) is None
    headers, body = callback(merchantRequestId="10001-1")
    assert named(headers, body.replace(b"10001-1", b"10001-2")) is None
    assert named({}, body) is None
    assert named(dict.fromkeys(headers, "no base64!"), body) is None
