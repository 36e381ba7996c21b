"""Easebuzz, Pine Labs and Juspay, whose pages a call makes, keep every promise of the port."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from hundi.acquirers.calls.banks import ANY_BANK, BANK_PAGE_LIFE_S
from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown
from hundi.acquirers.port.checkout import HostsCheckout, MakesUpiLinks, SendsTriggers
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import (
    Charge,
    CompletesAuthorisations,
    RefundOrder,
    Refunds,
    SendsToBanks,
)
from hundi.kernel.money import Money
from tests.acquirers.certifying import certified
from tests.acquirers.players import PLAYERS, Player
from tests.acquirers.playing import given_at, running
from tests.acquirers.shared import LIFE_S, RETURN, Clock, charge, page_of
from tests.acquirers.stage import Trouble

EVERY = {HostsCheckout, SendsTriggers, Refunds, SendsToBanks, MakesUpiLinks}
ASKED = EVERY | {CompletesAuthorisations}
PAID, PART = Money(100_000), RefundOrder("10001-R5", "10001-1", Money(500))


@pytest.fixture(params=PLAYERS)
async def player(request: pytest.FixtureRequest) -> AsyncIterator[Player]:
    played = PLAYERS[request.param]()
    async with running(played.stage):
        yield played


@pytest.fixture
async def connector(player: Player, memory: ShortMemory, clock: Clock) -> AsyncIterator[Any]:
    one = player.connector_at(memory, clock)
    yield one
    await one.close()


@pytest.fixture
def given(player: Player, clock: Clock, memory: ShortMemory) -> ConnectorCase:
    async def pay_at_bank(url: str) -> None:
        player.pay(player.reference_at(url))

    async def leave_bank(url: str) -> None:
        player.leave(player.reference_at(url))
        clock.now_s += BANK_PAGE_LIFE_S

    async def pay(charge: Charge, _at: object) -> None:
        player.pay(charge.reference)

    async def refund_settled(reference: str) -> None:
        if player.has_refund(reference):
            player.end_refund((await memory.known(reference))["of"], reference)

    return given_at(
        player.stage.calls,
        pay_at_bank=pay_at_bank,
        leave_bank=leave_bank,
        refund_settled=refund_settled,
        pay_link=pay,
        pay_page=pay,
        webhook=player.webhook,
        forge=lambda body: body.replace(b"hash=", b"hash=0"),
    )


async def paid(connector: Any, player: Player) -> None:
    assert isinstance(await page_of(connector, charge()), Redirect)
    player.pay("10001-1")


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_the_contract(check: suite.Check, connector: Any, given: ConnectorCase) -> None:
    await check(connector, given)


def test_it_has_what_its_acquirer_does_and_nothing_more(connector: Any, player: Player) -> None:
    assert {each for each in ASKED if isinstance(connector, each)} == EVERY | player.has


async def test_a_page_asked_for_twice_is_the_same_one(connector: Any, player: Player) -> None:
    first = await page_of(connector, charge())
    assert await page_of(connector, charge()) == first
    assert len(player.stage.called(player.page_call)) == 1
    assert isinstance(await page_of(connector, charge(1)), Unknown)


@pytest.mark.parametrize("trouble", Trouble)
async def test_a_page_whose_answer_is_lost_is_undecided(
    connector: Any, player: Player, trouble: Trouble
) -> None:
    if trouble is Trouble.SILENT:
        player.stage.released.set()
    player.stage.trouble(player.page_call, trouble)
    page = await page_of(connector, charge())
    # Before anything was done, a call that certainly never left is repeated.
    assert isinstance(page, Unknown | Redirect)
    assert not isinstance(await connector.inquire("10001-1"), Approved | Declined)


@pytest.mark.parametrize("trouble", Trouble)
async def test_an_inquiry_that_goes_wrong_decides_nothing(
    connector: Any, player: Player, clock: Clock, trouble: Trouble
) -> None:
    await paid(connector, player)
    clock.now_s += LIFE_S
    if trouble is Trouble.SILENT:
        player.stage.released.set()
    player.stage.trouble(player.inquiry_call, trouble, trouble)
    answer = await connector.inquire("10001-1")
    # A question is repeated where that is safe, and its second answer may be whole.
    assert isinstance(answer, Unknown) or answer.amount == PAID
    player.stage.troubles.clear()
    assert (await connector.inquire("10001-1")).amount == PAID


@pytest.mark.parametrize("trouble", Trouble)
async def test_a_refund_whose_answer_is_lost_goes_back_once(
    connector: Any, player: Player, trouble: Trouble
) -> None:
    await paid(connector, player)
    if trouble is Trouble.SILENT:
        player.stage.released.set()
    player.stage.trouble(player.refund_call, trouble)
    assert isinstance(await connector.refund(PART), Unknown)
    await connector.refund(PART)
    assert player.given_back("10001-1") == 1
    player.end_refund("10001-1", PART.reference)
    answer = await connector.inquire_refund(PART.reference)
    assert isinstance(answer, Approved)
    assert answer.amount == PART.amount


async def test_a_refund_that_failed_is_declined_and_others_are_apart(
    connector: Any, player: Player
) -> None:
    await paid(connector, player)
    other = RefundOrder("10001-R6", "10001-1", Money(700))
    await connector.refund(PART)
    await connector.refund(other)
    player.end_refund("10001-1", PART.reference, failed=True)
    player.end_refund("10001-1", other.reference)
    assert isinstance(await connector.inquire_refund(PART.reference), Declined)
    done = await connector.inquire_refund(other.reference)
    assert isinstance(done, Approved)
    assert done.amount == Money(700)


async def test_a_refund_that_was_never_sent_is_not_there_without_a_call(
    connector: Any, player: Player
) -> None:
    assert await connector.inquire_refund("10001-R9") == NothingThere()
    assert player.stage.calls == []


async def test_a_failed_try_may_be_followed_by_a_paid_one(
    connector: Any, player: Player, clock: Clock
) -> None:
    await page_of(connector, charge())
    player.fail("10001-1")
    open_still = await connector.inquire("10001-1")
    assert isinstance(open_still, Unknown)
    assert open_still.awaiting_customer
    player.pay("10001-1")
    clock.now_s += LIFE_S
    assert isinstance(await connector.inquire("10001-1"), Approved)


async def test_less_than_the_amount_is_no_success_and_more_is_the_acquirers_charge(
    connector: Any, player: Player
) -> None:
    await page_of(connector, charge())
    player.pay("10001-1", 90_000)
    assert isinstance(await connector.inquire("10001-1"), Unknown)
    await page_of(connector, charge(reference="10001-2"))
    player.pay("10001-2", 102_360)
    answer = await connector.inquire("10001-2")
    assert isinstance(answer, Approved)
    assert answer.amount == PAID


async def test_banks_are_chosen_on_its_page(connector: Any) -> None:
    listed = {(each.method, each.code) for each in await connector.banks()}
    assert listed == {(method, ANY_BANK) for method in ("netbanking", "wallet", "pay_later")}
    page = await connector.start_redirect(
        charge(), method="netbanking", bank_code=ANY_BANK, return_url=RETURN
    )
    assert isinstance(page, Redirect)


async def test_an_account_is_certified_at_the_stand_in(
    connector: Any, given: ConnectorCase
) -> None:
    found = await certified(connector, given)
    assert (found.failed(), found.not_ready()) == ({}, [])
    assert found.is_ready()
