"""Hours of faults by a seed.

The money is right, a seed repeats exactly, and a fault of ours is found.
"""

import asyncio
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import msgspec
import pytest

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi_testbed.bank.messages import InquireAnswer
from hundi_testbed.simulation.acquirer import SimulatedAcquirer
from hundi_testbed.simulation.auditor import judge_callbacks
from hundi_testbed.simulation.bank import SimulatedBank
from hundi_testbed.simulation.faults import USUAL, Fault, Faults
from hundi_testbed.simulation.life import SimulationPlan
from hundi_testbed.simulation.run import RunOutcome
from hundi_testbed.simulation.trace import ExpectedTrace
from hundi_testbed.simulation.virtual_time import SpinningError, StalledError, VirtualLoop
from hundi_testbed.simulation.world import World
from tests.testbed.simulation.conftest import Run

SEEDS = range(1, 5)
SEEDS_MAX = 6
"""Within so many seeds a fault of ours has to be found."""


def _words(outcome: RunOutcome) -> str:
    stories = ["\n".join([about, *story]) for about, story in outcome.stories.items()]
    return "\n".join([f"seed {outcome.seed}", *map(str, outcome.findings), *stories[:3]])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_money_is_right_after_half_an_hour_of_faults(run: Run, seed: int) -> None:
    outcome = run(SimulationPlan(seed, hours=0.5, orders_an_hour=40, days=2.0))
    assert not outcome.findings, _words(outcome)
    assert outcome.orders > 5
    assert sum(outcome.faults.values()) > 20


def test_a_seed_repeats_exactly(run: Run) -> None:
    lines: list[str] = []
    plan = SimulationPlan(3, hours=0.2, orders_an_hour=40, days=1.0, heard=lines.append)
    first = run(plan)
    expected = ExpectedTrace(lines)
    again = run(replace(plan, heard=expected.hear))
    other = run(SimulationPlan(4, hours=0.1, orders_an_hour=40, days=0.0))
    assert expected.difference() == ""
    assert first.trace == again.trace
    assert (first.steps, first.done, first.faults) == (again.steps, again.done, again.faults)
    assert first.trace != other.trace


class HasteAcquirer(SimulatedAcquirer):
    """Takes silence for a "no"."""

    async def _in_vain(self) -> msgspec.Struct | Unknown:
        await super()._in_vain()
        return InquireAnswer("declined", "timeout")


class DeafAcquirer(SimulatedAcquirer):
    """Never hears what the bank says of a charge when it is asked."""

    async def inquire(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        await super().inquire(reference)
        return NothingThere()


@pytest.mark.parametrize("acquirer", [HasteAcquirer, DeafAcquirer])
def test_a_fault_of_ours_is_found(run: Run, acquirer: type[SimulatedAcquirer]) -> None:
    weights = {**USUAL, Fault.BANK_REPLY_LOST: 0.3, Fault.CALLBACK_LOST: 0.6}
    found = (
        run(
            SimulationPlan(
                seed, hours=0.5, orders_an_hour=60, weights=weights, acquirer=acquirer, days=0.0
            )
        )
        for seed in range(SEEDS_MAX)
    )
    assert any(each.findings for each in found)


def test_hours_pass_in_no_time_and_in_order() -> None:
    loop, heard = VirtualLoop(), []

    async def wait(seconds: float) -> None:
        await asyncio.sleep(seconds)
        heard.append((seconds, loop.time()))

    async def all_of_them() -> None:
        await asyncio.gather(*(wait(each) for each in (7200, 3600, 5)))

    loop.run_until_complete(all_of_them())
    assert [each[0] for each in heard] == [5, 3600, 7200]
    assert all(abs(seconds - at) < 0.001 for seconds, at in heard)
    loop.close()


def test_a_task_group_cancels_in_the_order_of_the_start() -> None:
    ended: list[int] = []

    async def wait(number: int) -> None:
        try:
            await asyncio.sleep(60.0)
        finally:
            ended.append(number)

    async def fail() -> None:
        await asyncio.sleep(1.0)
        raise RuntimeError

    async def together() -> None:
        async with asyncio.TaskGroup() as tasks:
            for number in range(50):
                tasks.create_task(wait(number))
            tasks.create_task(fail())

    with closing(VirtualLoop()) as loop, pytest.raises(ExceptionGroup):
        loop.run_until_complete(together())
    assert ended == sorted(ended)


def test_waiting_for_what_never_comes_is_told() -> None:
    loop = VirtualLoop()

    async def forever() -> None:
        await asyncio.Event().wait()

    task = loop.create_task(forever())
    with pytest.raises(StalledError):
        loop.run_until_complete(task)
    task.cancel()
    loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
    loop.close()


@pytest.mark.parametrize("seconds", [0, 1e-6])
def test_whoever_spins_is_ended_and_named(seconds: float) -> None:
    loop = VirtualLoop()

    async def spins() -> None:
        while True:
            await asyncio.sleep(seconds)

    async def waits() -> None:
        await asyncio.sleep(3600)

    tasks = [loop.create_task(each) for each in (waits(), spins())]
    with pytest.raises(SpinningError, match=r"rounds in 1 s of virtual time") as told:
        loop.run_until_complete(tasks[1])
    assert "spins" in str(told.value)
    assert "waits" not in str(told.value)
    for each in tasks:
        each.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
    loop.close()


def test_a_callback_that_is_refused_is_found() -> None:
    loop = VirtualLoop()
    bank = SimulatedBank(World(1, loop, Faults(Random(1), {})), lambda *_: None, Path())  # noqa: S311 (nothing is drawn)
    taken, recovered = [204], [503, 204]
    unheard = [503, 0, 0]
    assert not list(judge_callbacks(bank, {"a": taken, "b": recovered, "c": unheard}))
    for answers in ([404], [404, 204], [503, 500]):
        (finding,) = judge_callbacks(bank, {"a": answers})
        assert str(answers) in finding.words
    loop.close()
