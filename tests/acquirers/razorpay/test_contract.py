"""The Razorpay connector keeps every promise of the port, against an independent stand-in."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial

import pytest
from aiohttp import ClientSession

from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.kinds import AcquirerConfigurationError, open_registry
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.cards import AuthenticatesCards, ChargesMoto, TakesCardMandates
from hundi.acquirers.port.checkout import (
    ChargesCards,
    HostsCheckout,
    MakesUpiLinks,
    SendsTriggers,
    UpiLink,
)
from hundi.acquirers.port.disputes import PhaseName, TellsDisputes
from hundi.acquirers.port.instalments import ChargesInstalments, HostsInstalments, OffersInstalments
from hundi.acquirers.port.mandates import TakesMandates
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import (
    Charge,
    CompletesAuthorisations,
    OffersUpi,
    Refunds,
    SendsToBanks,
    SpeaksBack,
)
from hundi.acquirers.port.settlement_reports import ReportsSettlements
from hundi.acquirers.razorpay.api import Account
from hundi.acquirers.razorpay.connector import RazorpayCardConnector, RazorpayConnector
from hundi.acquirers.razorpay.kind import OPENED
from hundi.acquirers.razorpay.mandates import RazorpayMandateConnector
from hundi.instruments.card import CardNumber
from hundi.kernel.clock import business_day
from hundi.kernel.states import DisputePhase
from tests.acquirers.certifying import certified
from tests.acquirers.playing import given_at
from tests.acquirers.razorpay.conftest import Clock
from tests.acquirers.razorpay.standin_recurring import RecurringStandin

CARD = CardNumber("4386289407660153", 12, 2060, "123", "Asha")
LATER_S = 3_600
NOTICE_S = 40 * 3_600
PRESENT = {
    MakesUpiLinks,
    HostsCheckout,
    SendsTriggers,
    CompletesAuthorisations,
    Refunds,
    SendsToBanks,
    ReportsSettlements,
    TellsDisputes,
}
ABSENT = {
    OffersUpi,
    AuthenticatesCards,
    ChargesMoto,
    SpeaksBack,
    OffersInstalments,
    HostsInstalments,
}


@pytest.fixture(params=OPENED.values())
async def connector(
    request: pytest.FixtureRequest, account: Account, memory: ShortMemory, clock: Clock
) -> AsyncIterator[RazorpayConnector]:
    made: RazorpayConnector = request.param("razorpay", account, memory, now=clock)
    yield made
    await made.close()


def payment_at(bank: RecurringStandin, reference: str) -> str:
    order = next(each for each in bank.books.orders.values() if each.receipt == reference)
    return bank.books.payments_of(order.id)[-1].id


async def raise_dispute(bank: RecurringStandin, reference: str) -> PhaseName:
    return PhaseName(
        bank.money.raise_dispute(payment_at(bank, reference))["id"], DisputePhase.CHARGEBACK
    )


async def settle(bank: RecurringStandin) -> date:
    bank.money.settle()
    return business_day(datetime.now(UTC))


def of_mandates(bank: RecurringStandin) -> dict[str, Callable[..., Awaitable[None]]]:
    """Return how the customers and banks of mandates are played."""

    async def pass_notice() -> None:
        bank.pass_time(NOTICE_S)

    async def settled(_reference: str) -> None:
        bank.mandates.run()

    async def at_bank(act: Callable[[str], None], reference: str) -> None:
        act(bank.books.payments[payment_at(bank, reference)].details["token_id"])

    return {
        "settled": settled,
        "pass_notice": pass_notice,
        "pause_at_bank": partial(at_bank, bank.mandates.pause),
        "resume_at_bank": partial(at_bank, bank.mandates.resume),
    }


@pytest.fixture
def given(bank: RecurringStandin, clock: Clock) -> ConnectorCase:
    def payment_of(reference: str) -> str:
        return payment_at(bank, reference)

    async def press(url: str, outcome: str) -> None:
        async with ClientSession() as browser:
            async with browser.get(url) as shown:
                assert shown.status == 200
            async with browser.post(
                f"{url.rpartition('/')[0]}/bank", data={"outcome": outcome}
            ) as ended:
                assert ended.status == 200

    async def pay_at_bank(url: str) -> None:
        await press(url, "success")

    async def leave_bank(url: str) -> None:
        await press(url, "back")
        # Razorpay may still hear from the bank for a while: nothing is declined before that is
        # over.
        clock.ahead_s += LATER_S

    async def pay_link(charge: Charge, link: UpiLink) -> None:
        payment = payment_of(charge.reference)
        assert link.url == bank.books.payments[payment].link
        act = bank.mandates.authorise if charge.mandate else bank.books.pay
        act(payment)

    async def pay_page(_charge: Charge, page: Redirect) -> None:
        async with ClientSession() as browser:
            async with browser.post(page.url, data=dict(page.fields)) as shown:
                assert shown.status == 200
            chosen = {**dict(page.fields), "outcome": "success"}
            async with browser.post(
                f"{bank.url}/checkout/{page.authentication_id}", data=chosen
            ) as paid:
                assert paid.status == 200

    async def lapse_hold(reference: str) -> None:
        bank.books.auto_refund(payment_of(reference))

    def webhook(reference: str) -> tuple[dict[str, str], bytes]:
        told = {"payment": {"entity": {"notes": {"hundi_reference": reference}}}}
        event = bank.signed(
            "payment.captured", json.dumps({"event": "payment.captured", "payload": told}).encode()
        )
        return {name.lower(): value for name, value in event.headers.items()}, event.body

    return given_at(
        bank.seen,
        CARD,
        pass_challenge=pay_at_bank,
        fail_challenge=leave_bank,
        pay_at_bank=pay_at_bank,
        leave_bank=leave_bank,
        pay_link=pay_link,
        pay_page=pay_page,
        webhook=webhook,
        lapse_hold=lapse_hold,
        raise_dispute=partial(raise_dispute, bank),
        settle=partial(settle, bank),
        **of_mandates(bank),
    )


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_the_contract(
    check: suite.Check, connector: RazorpayConnector, given: ConnectorCase
) -> None:
    await check(connector, given)


@pytest.mark.parametrize("check", suite.OF_PAYING, ids=lambda check: check.__name__)
async def test_the_contract_where_customers_bear_the_fee(
    check: suite.Check, connector: RazorpayConnector, given: ConnectorCase, bank: RecurringStandin
) -> None:
    bank.books.customer_fee = 236
    await check(connector, given)


def test_it_has_what_razorpay_does_and_nothing_more(connector: RazorpayConnector) -> None:
    certified = isinstance(connector, RazorpayCardConnector)
    of_typed = {ChargesCards, ChargesInstalments}
    of_mandates = {TakesMandates, TakesCardMandates}
    typed = of_typed if certified else set[type]()
    if isinstance(connector, RazorpayMandateConnector):
        typed |= of_mandates if certified else {TakesMandates}
    every = PRESENT | ABSENT | of_typed | of_mandates
    assert {each for each in every if isinstance(connector, each)} == PRESENT | typed


@pytest.mark.parametrize(
    ("more", "simulated", "typed"),
    [
        ({"key_id": "rzp_live_1"}, False, False),
        ({"key_id": "rzp_live_1", "certified": "true"}, False, True),
        ({"key_id": "rzp_test_1", "mode": "test"}, True, False),
    ],
)
async def test_what_is_configured_is_opened(
    more: dict[str, str], *, simulated: bool, typed: bool
) -> None:
    fields = {"kind": "razorpay", "key_secret": "12345678", **more}
    registry = open_registry(
        {"rzp": fields}, lambda name: f"https://pay.example.in/callbacks/{name}", ShortMemory()
    )
    opened = registry.get("rzp")
    assert (opened.name, opened.simulated, isinstance(opened, ChargesCards)) == (
        "rzp",
        simulated,
        typed,
    )
    await registry.close()


@pytest.mark.parametrize(
    "wrong",
    [
        {"key_id": "rzp_test_1"},
        {"key_id": "rzp_live_1", "mode": "test"},
        {"key_id": "key"},
        {"key_secret": "short"},
    ],
)
def test_a_configuration_that_contradicts_itself_opens_nothing(wrong: dict[str, str]) -> None:
    fields = {"kind": "razorpay", "key_id": "rzp_live_1", "key_secret": "12345678", **wrong}
    with pytest.raises(AcquirerConfigurationError) as refused:
        open_registry({"rzp": fields}, lambda name: name, ShortMemory())
    assert "12345678" not in str(refused.value)


def test_an_accounts_secrets_have_no_readable_form() -> None:
    account = Account(
        key_id="rzp_live_1", key_secret="the key secret", webhook_secrets=("the other one",)
    )
    assert "secret" not in repr(account)
    assert "other" not in repr(account)


async def test_an_account_is_certified_at_the_stand_in(
    connector: RazorpayConnector, given: ConnectorCase
) -> None:
    found = await certified(connector, given, notice=timedelta(seconds=NOTICE_S))
    assert (found.failed(), found.not_ready()) == ({}, [])
    assert found.is_ready()
