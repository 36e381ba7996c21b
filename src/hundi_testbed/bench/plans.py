"""How much a run of the benchmark measures, and what it has measured so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hundi_testbed.bench.measures import Run, Spans
from hundi_testbed.bench.processes import Component, MemoryUse


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """The size of a measurement.

    rounds: runs of each measurement. starts: number of starts from an empty directory, and of warm
    ones. settled: payments to settle, and in another measurement to search. paid_out: payouts.
    """

    spans: Spans
    rounds: int
    starts: int
    settled: int
    paid_out: int


FULL = BenchPlan(
    Spans(warm_up_s=1.5, payments_s=10, fixed_s=10, verify_s=5, skew_s=6, baseline_s=4),
    rounds=3,
    starts=3,
    settled=1_000_000,
    paid_out=100_000,
)
SHORT = BenchPlan(
    Spans(warm_up_s=1, payments_s=6, fixed_s=5, verify_s=3, skew_s=4, baseline_s=2),
    rounds=2,
    starts=1,
    settled=20_000,
    paid_out=1_000,
)
"""Under 5 minutes: figures to compare, of payments and verify alone."""
QUICK = BenchPlan(
    Spans(warm_up_s=0.5, payments_s=2, fixed_s=2, verify_s=2, skew_s=1.5, baseline_s=1),
    rounds=1,
    starts=1,
    settled=20_000,
    paid_out=1_000,
)


@dataclass(slots=True)
class BenchRecord:
    """What a run has measured so far, and where it stands.

    step: what it does now, in words. stopped_in: the step in which somebody or a limit stopped it,
    "" otherwise. audited: None until the books were audited.
    """

    runs: dict[str, list[Run]] = field(default_factory=dict)
    memory: Mapping[Component, MemoryUse] = field(default_factory=dict)
    audited: Mapping[str, Any] | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    step: str = ""
    stopped_in: str = ""

    def add(self, name: str, run: Run) -> None:
        """Keep one run of a measurement."""
        self.runs.setdefault(name, []).append(run)

    def stop(self) -> None:
        """Note that the step of now did not end."""
        self.stopped_in = self.step
