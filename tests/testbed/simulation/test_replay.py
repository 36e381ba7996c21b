"""A seed replays exactly, whatever ran before in the process, and by no real clock."""

import random
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from types import FrameType

import pytest

from hundi.kernel import clock
from hundi.kernel.records import replace
from hundi_testbed.simulation.life import SimulationPlan
from hundi_testbed.simulation.trace import ExpectedTrace
from tests.testbed.simulation.conftest import Run

PLAN = SimulationPlan(3, hours=0.1, orders_an_hour=60, days=0.0)


@pytest.fixture(scope="module")
def expected(run: Run) -> list[str]:
    lines: list[str] = []
    run(replace(PLAN, heard=lines.append))
    return lines


def demo_clock_was_moved(_run: Run, _patch: pytest.MonkeyPatch) -> None:
    clock.set_ahead(timedelta(days=31, hours=5))


def another_seed_ran(run: Run, _patch: pytest.MonkeyPatch) -> None:
    run(replace(PLAN, seed=4))
    random.seed(99)


def settings_are_in_the_environment(_run: Run, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("HUNDI_REQUESTS_A_MINUTE", "1")
    patch.setenv("HUNDI_SESSION_SECONDS", "120")


@pytest.fixture
def at_the_worlds_hour() -> Iterator[None]:
    yield
    clock.set_ahead(timedelta())


@pytest.mark.usefixtures("at_the_worlds_hour")
@pytest.mark.parametrize(
    "before",
    [demo_clock_was_moved, another_seed_ran, settings_are_in_the_environment],
    ids=lambda each: each.__name__,
)
def test_what_was_before_reaches_no_run(
    run: Run,
    expected: list[str],
    monkeypatch: pytest.MonkeyPatch,
    before: Callable[[Run, pytest.MonkeyPatch], None],
) -> None:
    before(run, monkeypatch)
    ahead = clock.utc_now() - clock.world_now()
    trace = ExpectedTrace(expected)
    outcome = run(replace(PLAN, heard=trace.hear))
    assert not trace.difference()
    assert outcome.steps == len(expected)
    assert abs(clock.utc_now() - clock.world_now() - ahead) < timedelta(seconds=1), (
        "a run leaves the clock as it was"
    )


SOURCES = frozenset(
    {
        "datetime.now",
        "datetime.utcnow",
        "date.today",
        "time",
        "time_ns",
        "monotonic",
        "monotonic_ns",
        "urandom",
        "SystemRandom.getrandbits",
        "SystemRandom.random",
        "uuid1",
        "uuid4",
    }
)
"""What the world decides.

`perf_counter` measures how long something took, and counters say when they were made.
"""
MAY_ASK = {
    "hundi_testbed/simulation/run.py:simulate": "how long a run really took, for the report",
    "hundi/kernel/ids.py:request_reference": "a request's name in logs and refusals",
    "hundi/infra/secrets/certificates.py:self_signed": "the number of a certificate",
    "hundi/infra/secrets/vault.py:seal": "the nonce of what is sealed",
    "hundi/wire/cipher.py:seal": "the initial vector of a reply",
    "hundi/merchants/access/rules.py:new_token": "a token's letters",
}
"""Functions of ours that ask the world, and what the answer decides: nothing that happens."""


def asked_of_the_world(work: Callable[[], object]) -> set[str]:
    """Return our functions that read the real clock or chance, also through a library."""
    asked: set[str] = set()

    def look(frame: FrameType, event: str, called: object) -> None:
        if event != "c_call" or getattr(called, "__qualname__", "") not in SOURCES:
            return
        asker: FrameType | None = frame
        while asker is not None and "prometheus_client" not in asker.f_code.co_filename:
            _, inside, file = asker.f_code.co_filename.partition("/src/")
            if inside and file.startswith(("hundi/", "hundi_testbed/")):
                asked.add(f"{file}:{asker.f_code.co_name}")
                return
            asker = asker.f_back

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return asked


def test_a_run_asks_the_world_for_neither_time_nor_chance(run: Run) -> None:
    assert asked_of_the_world(lambda: run(replace(PLAN, days=2.0))) == MAY_ASK.keys()


def test_whoever_asks_the_world_is_named() -> None:
    assert asked_of_the_world(clock.utc_now) == {"hundi/kernel/clock.py:_world"}
