"""Writes the minutes of the tests into `docs/checks.md` (`make minutes`).

python -m tools.write_minutes build/minutes.json [another.json ...]

Several runs, of some rooms each, count as one. Seconds are elapsed time; several tests run at once,
so their sum is more than the run took. Core seconds are those of the test's process and of all
processes that it started.
"""

import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

PAGE = Path(__file__).parents[1] / "docs" / "checks.md"
_FILES, _FIXTURES = 15, 8
"""Lines of a table; the rest is one more line."""
_PHASES = {"setup": "making fixtures", "call": "tests", "teardown": "ending fixtures"}

Phase = Mapping[str, Any]
"""One phase of a test, as `tests/minutes.py` writes it."""


class Spent(NamedTuple):
    """The time of one row of a table. tests: how many."""

    tests: int
    seconds: float
    cores_s: float


def room(phase: Phase) -> str:
    """Return the folder below `tests` of a test; `tests` for those beside the folders."""
    parts = phase["test"].partition("::")[0].split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]  # noqa: PLR2004 (tests/room/file)


def file(phase: Phase) -> str:
    """Return the file of a test."""
    return str(phase["test"].partition("::")[0])


def spent_by(phases: Iterable[Phase], part: Callable[[Phase], str]) -> dict[str, Spent]:
    """Return the time of each part, the most core seconds first."""
    spent: dict[str, Spent] = defaultdict(lambda: Spent(0, 0, 0))
    for phase in phases:
        so_far, is_test = spent[part(phase)], phase["phase"] == "call"
        spent[part(phase)] = Spent(
            so_far.tests + is_test,
            so_far.seconds + phase["seconds"],
            so_far.cores_s + phase["cpu_s"],
        )
    return dict(sorted(spent.items(), key=lambda part: -part[1].cores_s))


def fixtures(phases: Iterable[Phase]) -> dict[str, Spent]:
    """Return the time to make fixtures, the longest first, and how often each was made."""
    spent: dict[str, Spent] = defaultdict(lambda: Spent(0, 0, 0))
    for phase in phases:
        for name, seconds in phase["fixtures"].items():
            spent[name] = Spent(spent[name].tests + 1, spent[name].seconds + seconds, 0)
    return dict(sorted(spent.items(), key=lambda part: -part[1].seconds))


def idle_s(phases: Iterable[Phase], ended: float) -> float:
    """Return for how long processes were idle while others still ran, all together."""
    last: dict[str, float] = defaultdict(float)
    for phase in phases:
        last[phase["process"]] = max(last[phase["process"]], phase["began"] + phase["seconds"])
    return sum(ended - end for end in last.values())


def tables(runs: Sequence[Mapping[str, Any]], cores: int) -> str:
    """Return the part of the page about the runs."""
    phases: list[Phase] = [phase for run in runs for phase in run["phases"]]
    passed_s = sum(run["ended"] - run["began"] for run in runs)
    waited_s = sum(idle_s(run["phases"], run["ended"]) for run in runs)
    total = Spent(*map(sum, zip(*spent_by(phases, room).values(), strict=True)))
    day = datetime.fromtimestamp(runs[-1]["began"], UTC)
    processes = {phase["process"] for phase in phases}
    text = (
        f"On {day.day} {day:%B %Y}: {total.tests:,} tests in",
        f"{_minutes(passed_s)} minutes, by {len(processes)} test processes on",
        f"{cores} cores. Together the tests took {_minutes(total.seconds)} minutes, and",
        f"{_minutes(total.cores_s)} minutes of a core. At the end processes had nothing left to do",
        f"for {_minutes(waited_s)} minutes together.",
    )
    lines = [
        " ".join(text),
        *_table("Room", spent_by(phases, room), total, 99),
        *_table("File", spent_by(phases, file), total, _FILES),
        *_table("Part", spent_by(phases, lambda each: _PHASES[each["phase"]]), total, 3),
        "",
        "| Fixture | Made | Seconds |",
        "| --- | ---: | ---: |",
        *(
            f"| `{name}` | {spent.tests:,} | {spent.seconds / total.seconds:.1%} |"
            for name, spent in [*fixtures(phases).items()][:_FIXTURES]
        ),
    ]
    return "\n".join(lines)


def _table(head: str, parts: Mapping[str, Spent], total: Spent, most: int) -> Iterator[str]:
    yield from ("", f"| {head} | Tests | Seconds | Core seconds |", "| --- | ---: | ---: | ---: |")
    rows = [*parts.items()]
    rest = [spent for _, spent in rows[most:]]
    if rest:
        rows[most:] = [(f"{len(rest)} others", Spent(*map(sum, zip(*rest, strict=True))))]
    for name, spent in rows:
        yield (
            f"| {f'`{name}`' if '/' in name else name} | {spent.tests:,}"
            f" | {spent.seconds / total.seconds:.1%} | {spent.cores_s / total.cores_s:.1%} |"
        )


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f}"


def main(measured: Sequence[str]) -> None:
    """Write the part of the page. measured: files of runs."""
    runs = [json.loads(Path(name).read_text("utf-8")) for name in measured]
    page_part = tables(runs, os.cpu_count() or 1)
    between = re.compile(r"(<!-- minutes: measured -->\n).*?(<!-- minutes: end -->)", re.DOTALL)
    page = PAGE.read_text("utf-8")
    PAGE.write_text(between.sub(lambda part: f"{part[1]}\n{page_part}\n\n{part[2]}", page), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
