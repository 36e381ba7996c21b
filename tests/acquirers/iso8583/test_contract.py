"""The connector keeps every promise of the port, against the simulated switch in both versions."""

from itertools import count

import pytest

from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.port.cards import AuthenticatesCards, ChargesMoto
from hundi.acquirers.port.checkout import ChargesCards, HostsCheckout, MakesUpiLinks, SendsTriggers
from hundi.acquirers.port.lines import AnswersEcho
from hundi.acquirers.port.payments import CompletesAuthorisations, Refunds, SendsToBanks, SpeaksBack
from hundi_testbed.switch.cards import Play
from tests.acquirers.certifying import certified
from tests.acquirers.iso8583.line import Line, card

PRESENT = {AnswersEcho, ChargesMoto, CompletesAuthorisations, Refunds}
ABSENT = {AuthenticatesCards, SpeaksBack, SendsToBanks, MakesUpiLinks, ChargesCards, HostsCheckout}


@pytest.fixture
def given(line: Line) -> ConnectorCase:
    numbers = count(200_000_000_000_000)

    async def nothing(_of: str) -> None:
        """A switch decides at once and sends no customer anywhere."""

    return ConnectorCase(
        new_reference=lambda: f"10001-{next(numbers)}",
        good_card=card(),
        declined_card=card(Play.NO_FUNDS),
        card_of=lambda _bank: card(),
        good_vpa="asha@okaxis",
        nobody_vpa="nobody@okaxis",
        pass_challenge=nothing,
        fail_challenge=nothing,
        pay_at_bank=nothing,
        leave_bank=nothing,
        settled=nothing,
        refund_settled=nothing,
        calls_made=lambda: line.host.counts.messages,
    )


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_the_contract(check: suite.Check, line: Line, given: ConnectorCase) -> None:
    await check(line.process(), given)


def test_it_has_what_a_switch_does_and_nothing_more(line: Line) -> None:
    assert {
        each for each in PRESENT | ABSENT | {SendsTriggers} if isinstance(line.process(), each)
    } == PRESENT


async def test_an_account_is_certified_at_the_stand_in(line: Line, given: ConnectorCase) -> None:
    found = await certified(line.process(), given)
    assert (found.failed(), found.not_ready()) == ({}, [])
    assert found.is_ready()
