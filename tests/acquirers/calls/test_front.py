"""Every call to an acquirer is counted in one place, by its outcome."""

import asyncio
from collections import deque
from contextlib import suppress
from typing import Any, cast

import pytest
from prometheus_client import REGISTRY

from hundi.acquirers.calls import front
from hundi.acquirers.calls.front import outcome_of
from hundi.acquirers.port.answers import (
    Accepted,
    Approved,
    Declined,
    NothingThere,
    Redirect,
    RegisteredName,
    SentBack,
    Unknown,
    Voided,
)
from hundi.acquirers.port.payments import Charge
from hundi.acquirers.registry import Registry
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from tests.acquirer import ScriptedAcquirer

TEST_CARD = CardNumber("4242424242424242", 12, 2060, "123")
CARD = CardNumber("4539578763621486", 12, 2060, "123")
CHARGE = Charge("10001-1", Money(100))


def counted(acquirer: str, call: str, outcome: str) -> float:
    """Return how often a call of an acquirer came to an outcome."""
    labels = {"acquirer": acquirer, "call": call, "outcome": outcome}
    return REGISTRY.get_sample_value("hundi_acquirer_calls_total", labels) or 0


def timed(acquirer: str, call: str) -> float:
    """Return how many calls of an acquirer a latency is known of."""
    labels = {"acquirer": acquirer, "call": call}
    return REGISTRY.get_sample_value("hundi_acquirer_call_seconds_count", labels) or 0


def reached(acquirer: str) -> float | None:
    """Return what the gauge says of an acquirer."""
    return REGISTRY.get_sample_value("hundi_acquirer_reachable", {"acquirer": acquirer})


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Approved(Money(1), "1"), "approved"),
        (Declined("05"), "declined"),
        (Unknown(), "unknown_sent"),
        (Unknown(sent=False), "unknown_not_sent"),
        (Unknown(awaiting_customer=True), "awaiting_customer"),
        (NothingThere(), "nothing_there"),
        (Voided(), "voided"),
        (SentBack("53"), "sent_back"),
        (Redirect("https://bank.test", "1"), "redirect"),
        (RegisteredName("Asha"), "answered"),
        (Accepted(), "answered"),
        ((), "answered"),
    ],
)
def test_each_answer_has_one_name(answer: object, outcome: str) -> None:
    assert outcome_of(answer) == outcome


async def test_calls_are_counted_by_what_came_of_them() -> None:
    bank = ScriptedAcquirer("counting_answers")
    bank.inquiries = deque(
        [Approved(Money(100), "1"), Unknown(), Unknown(sent=False), NothingThere()]
    )
    front = Registry([bank]).get("counting_answers")
    for outcome in ("approved", "unknown_sent", "unknown_not_sent", "nothing_there"):
        assert counted(bank.name, "inquire", outcome) == 0
        await front.inquire("10001-1")
        assert counted(bank.name, "inquire", outcome) == 1
    assert timed(bank.name, "inquire") == 3, (
        "a call that never left says nothing about the acquirer's speed"
    )


async def test_what_is_refused_here_is_no_call() -> None:
    bank = ScriptedAcquirer("counting_refusals", simulated=False)
    front = cast("Any", Registry([bank]).get(bank.name))
    await front.authenticate(CHARGE, TEST_CARD, return_url="")
    assert counted(bank.name, "authenticate", "refused_here") == 1
    assert timed(bank.name, "authenticate") == 0
    await front.authenticate(CHARGE, CARD, return_url="")
    assert counted(bank.name, "authenticate", "redirect") == 1
    assert bank.calls == [("authenticate", "10001-1")]


class Failing(ScriptedAcquirer):
    """A connector with a bug, and with calls that nobody answers."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.is_reached = True

    async def inquire(self, reference: str) -> Any:
        if reference == "silent":
            await asyncio.Event().wait()
        raise ZeroDivisionError

    def reachable(self) -> bool:
        return self.is_reached


async def test_a_bug_and_a_call_that_was_given_up_are_counted_and_stay_what_they_are() -> None:
    front = Registry([Failing("counting_bugs")]).get("counting_bugs")
    with pytest.raises(ZeroDivisionError):
        await front.inquire("10001-1")
    assert counted("counting_bugs", "inquire", "error") == 1
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(front.inquire("silent"), 0.01)
    assert counted("counting_bugs", "inquire", "cancelled") == 1


class Troubled(ScriptedAcquirer):
    """An acquirer that answers an inquiry with what a test says, or raises it."""

    def __init__(self, *says: Unknown | Declined | Exception) -> None:
        super().__init__()
        self.name, self.says, self.is_reached = "troubled", deque(says), True

    def reachable(self) -> bool:
        return self.is_reached

    async def inquire(self, reference: str) -> Any:
        said = self.says.popleft()
        if isinstance(said, Exception):
            raise said
        return said


async def test_the_gauge_says_0_until_the_acquirer_has_answered_again() -> None:
    silence, said = Unknown(message="no answer"), Declined("51")
    bank = Troubled(said, silence, silence, RuntimeError("of ours"), said)
    asked = Registry([bank])
    assert (reached(bank.name), asked.answers(bank.name)) == (1, True)
    # By the fourth call the breaker lets one through again, and nobody has answered it.
    for is_reached, told in ((True, 1), (False, 0), (True, 0), (True, 0), (True, 1)):
        bank.is_reached = is_reached
        with suppress(RuntimeError):
            await asked.get(bank.name).inquire("10001-1")
        assert (reached(bank.name), asked.answers(bank.name)) == (told, told == 1)


async def test_why_a_call_failed_is_there_until_it_was_kept() -> None:
    refused = Unknown(
        message="the acquirer does not accept our credentials", credentials_refused=True
    )
    theirs = (
        Unknown("U69", "pending"),
        Unknown(message="at its page", awaiting_customer=True),
        Declined("51"),
    )
    bank = Registry([Troubled(refused, *theirs, RuntimeError("of a customer"))]).get("troubled")
    for _ in range(4):
        await bank.inquire("10001-1")
        assert front.troubles()["troubled"].error == refused.message, (
            "the acquirer's own words are no trouble"
        )
    first = front.troubles()
    with pytest.raises(RuntimeError):
        await bank.inquire("10001-1")
    front.forget(first)
    last = front.troubles()
    assert last["troubled"].error == "RuntimeError", (
        "what came meanwhile is not forgotten, and no text is kept"
    )
    front.forget(last)
    assert "troubled" not in front.troubles()


async def test_a_call_that_the_breaker_kept_back_hides_no_trouble() -> None:
    refused = Unknown(
        message="the acquirer does not accept our credentials", sent=False, credentials_refused=True
    )
    troubled = Troubled(refused, Unknown(message="the bank cannot be reached", sent=False))
    bank = Registry([troubled]).get("troubled")
    await bank.inquire("10001-1")
    troubled.is_reached = False
    await bank.inquire("10001-1")
    kept = front.troubles()
    assert kept["troubled"].error == refused.message
    front.forget(kept)
