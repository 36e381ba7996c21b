"""`python -m hundi_testbed.bench.slices REV`: this build and an older one in slices of seconds.

Both serve side by side, and only one is loaded at a time. So both meet the same minutes of the
machine: a difference of a twentieth shows within two minutes, where whole runs in turns need an
hour.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median, stdev
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from hundi_testbed.bench import slice_agent
from hundi_testbed.bench.comparison import ROOT, ComparisonError, build
from hundi_testbed.bench.measures import TOKEN_AGE_S_MAX
from hundi_testbed.bench.processes import Component
from hundi_testbed.bench.progress import progress
from hundi_testbed.bench.report import WIDTH

WORKS = ("payments", "verify")
PAIRS, SLICE_S = 20, 2.0
WARM_UP_S = 3.0
_WORDS = {
    "rate": "a second",
    "p50": "median, ms",
    "p99": "p99, ms",
    **{str(each): f"CPU of {each}, ms" for each in Component},
    "together": "gateway, worker, PostgreSQL, ms",
    "yardstick": "yardstick, ms",
}
_TOGETHER = (Component.GATEWAY, Component.WORKER, Component.POSTGRESQL)
Slice = Mapping[str, float]


class Build:
    """One build that serves, and is loaded when it is told."""

    def __init__(self, process: "subprocess.Popen[str]", name: str) -> None:
        """Take a started agent."""
        self._process = process
        self._name = name

    def tell(self, line: str) -> dict[str, Any]:
        """Send one line and return the answer. Raises ComparisonError."""
        assert self._process.stdin is not None, "it was started with a pipe"
        self._process.stdin.write(line)
        self._process.stdin.flush()
        return self._answer()

    def until_ready(self) -> None:
        """Wait until it serves. Raises ComparisonError."""
        if self._line() != slice_agent.READY:
            self._fail()

    def audited(self) -> dict[str, Any]:
        """End the work and return the audit of its books. Raises ComparisonError."""
        assert self._process.stdin is not None, "it was started with a pipe"
        self._process.stdin.close()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        try:
            return msgspec.json.decode(self._line())
        except (msgspec.DecodeError, RecursionError):
            self._fail()
            raise

    def _line(self) -> str:
        assert self._process.stdout is not None, "it was started with a pipe"
        return self._process.stdout.readline().strip()

    def _fail(self) -> None:
        message = f"{self._name} gave no figures; its lines above say why"
        raise ComparisonError(message)


@contextmanager
def serving(python: Path, folder: Path, name: str) -> Iterator[Build]:
    """Serve the build of a Python; end it afterwards."""
    process = subprocess.Popen(
        [python, "-P", slice_agent.__file__],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None, "it was started with a pipe"
    assert process.stdout is not None, "it was started with a pipe"
    try:
        yield Build(process, name)
    finally:
        process.stdin.close()
        _ = process.stdout.read()  # an audit that nobody asked for must not fill the pipe
        process.stdout.close()
        process.wait()


def measure(
    builds: tuple[Build, Build], work: str, pairs: int, seconds: float
) -> Iterator[tuple[Slice, Slice]]:
    """Yield the slices of each pair: the other build's and this one's.

    Every second pair begins with this build.
    """
    for each in builds:
        each.tell(f"payments {WARM_UP_S} 1\n")  # what is verified was paid
    renewed_at = time.monotonic()
    for pair in range(pairs):
        renews = int(time.monotonic() - renewed_at > TOKEN_AGE_S_MAX)
        renewed_at = time.monotonic() if renews else renewed_at
        got: dict[int, Slice] = {}
        for place in (0, 1) if pair % 2 == 0 else (1, 0):
            got[place] = _with_sum(builds[place].tell(f"{work} {seconds} {renews}\n"))
        yield got[0], got[1]


def _with_sum(told: Mapping[str, float]) -> Slice:
    return {**told, "together": sum(told.get(str(each), 0.0) for each in _TOGETHER)}


def ratios(pairs: Sequence[tuple[Slice, Slice]], name: str) -> list[float]:
    """Return this build's figure to the other's, of each pair that has both."""
    return [this[name] / other[name] for other, this in pairs if other.get(name) and this.get(name)]


def show(pairs: Sequence[tuple[Slice, Slice]], title: str) -> None:
    """Print the table: medians, the median of the ratios, and how far it may be off."""
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH
    table = Table(title=title, title_justify="left")
    for name in ("figure", "the other", "this", "this to the other", "error"):
        table.add_column(name, justify="left" if name == "figure" else "right")
    for name, words in _WORDS.items():
        found = ratios(pairs, name)
        if len(found) == len(pairs) > 1:
            table.add_row(
                words,
                f"{median(other[name] for other, _ in pairs):.3f}",
                f"{median(this[name] for _, this in pairs):.3f}",
                f"{median(found):.3f}",
                f"±{stdev(found) / len(found) ** 0.5:.3f}",
            )
    console.print(table)


def broken(audited: Mapping[str, Any]) -> list[str]:
    """Return the checks of an audit that found something."""
    return [each["name"] for each in audited["checked"] if each["violations"]]


def _compared(other: Path, options: argparse.Namespace) -> int:
    work, pairs, seconds = options.work, options.pairs, options.seconds
    places = ((other / ".venv/bin/python", other), (Path(sys.executable), ROOT))
    names = ("the other build", "this build")
    measured: list[tuple[Slice, Slice]] = []
    with ExitStack() as stack, progress(pairs + 2) as step:
        step("starting both")
        first, second = (
            stack.enter_context(serving(*place, name))
            for place, name in zip(places, names, strict=True)
        )
        for each in (first, second):
            each.until_ready()
        for number, pair in enumerate(measure((first, second), work, pairs, seconds), 1):
            measured.append(pair)
            step(f"pair {number} of {pairs}")
        wrong = [name for each in (first, second) for name in broken(each.audited())]
    if wrong:
        print(f"bench: no figures: the audit found {', '.join(wrong)}", file=sys.stderr)
        return 1
    show(measured, f"{options.revision} and this build: {work}, {pairs} pairs of {seconds:g} s")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare; return 0, or 1 without figures."""
    parser = argparse.ArgumentParser(prog="hundi_testbed.bench.slices", description=__doc__)
    parser.add_argument("revision", metavar="REV", help="a commit, tag or branch of this clone")
    parser.add_argument("--work", choices=WORKS, default=WORKS[0], help="(default: payments)")
    parser.add_argument("--pairs", type=int, default=PAIRS, help=f"(default: {PAIRS})")
    parser.add_argument("--seconds", type=float, default=SLICE_S, help=f"(default: {SLICE_S:g})")
    options = parser.parse_args(arguments)
    try:
        return _compared(build(options.revision), options)
    except ComparisonError as failed:
        print(f"bench: {failed}", file=sys.stderr)
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
