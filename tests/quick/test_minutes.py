"""Where the minutes of the tests went, told from runs of a few tests."""

from collections.abc import Mapping
from typing import Any

from tests.minutes import processor_s
from tools.write_minutes import idle_s, tables


def phase(test: str, when: str, seconds: float, **more: Any) -> Mapping[str, Any]:
    return {
        "test": test,
        "phase": when,
        "process": "gw0",
        "began": 0.0,
        "seconds": seconds,
        "cpu_s": seconds / 2,
        "fixtures": {},
    } | more


LATE = "tests/system/test_late.py::test_a_late_success"
FEE = "tests/test_fees.py::test_a_fee"
RUNS = [
    {
        "began": 1_795_824_000.0,
        "ended": 1_795_824_060.0,
        "phases": [
            phase(LATE, "setup", 30.0, fixtures={"gateway": 29.0, "shop": 1.0}),
            phase(LATE, "call", 60.0),
            phase(FEE, "call", 10.0, process="gw1"),
        ],
    }
]


def test_each_part_has_its_share() -> None:
    told = tables(RUNS, 2)
    assert told.startswith(
        "On 28 November 2026: 2 tests in 1.0 minutes, by 2 test processes on 2 cores."
    )
    assert "| `tests/system` | 1 | 90.0% | 90.0% |\n| tests | 1 | 10.0% | 10.0% |" in told
    assert "| tests | 2 | 70.0% | 70.0% |\n| making fixtures | 0 | 30.0% | 30.0% |" in told
    assert "| `gateway` | 1 | 29.0% |\n| `shop` | 1 | 1.0% |" in told


def test_who_is_ready_before_the_others_is_idle() -> None:
    phases = [phase(LATE, "call", 60.0), phase(FEE, "call", 10.0, process="gw1")]
    assert idle_s(phases, 60.0) == 50.0


def test_the_time_of_a_core_is_this_processs_and_grows() -> None:
    before = processor_s()
    assert sum(number * number for number in range(2_000_000))
    assert processor_s() > before > 0
