"""`python -m hundi_testbed.bench.comparison REV`: this build and an older one, in turns."""

import argparse
import asyncio
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from hundi_testbed.bench.processes import Component
from hundi_testbed.bench.progress import Step, progress
from hundi_testbed.bench.report import FIGURES, WIDTH

ROOT = Path(__file__).parents[3]
"""The clone that this file stands in."""
BUILDS = ROOT / "build" / "compared"
"""Older builds stay here, each in the folder of its commit."""
TURN_S_MAX = 1_800
_WORDS = {each.name: each.words.strip() for each in FIGURES}


class ComparisonError(Exception):
    """A build could not be made or measured; the text says why."""


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """One figure of both builds. ratios: of this build to the other, one for each pair of turns."""

    words: str
    unit: str
    other: float
    this: float
    ratios: Sequence[float]

    @property
    def verdict(self) -> str:
        """Return whether every pair of turns said the same; "" of one pair."""
        if len(self.ratios) == 1:
            return ""
        if all(ratio > 1 for ratio in self.ratios):
            return "more in every pair"
        return "less in every pair" if all(ratio < 1 for ratio in self.ratios) else ""


def build(revision: str) -> Path:
    """Return the folder of a build of a revision, made once. Raises ComparisonError."""
    if not (ROOT / ".git").exists():
        message = f"{ROOT} is not a clone: an older build comes from its history"
        raise ComparisonError(message)
    named = _git("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    folder = BUILDS / named.decode().strip()
    if not folder.exists():
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        _git("clone", "--quiet", "--shared", "--no-checkout", str(ROOT), str(unfinished))
        _git("-C", str(unfinished), "checkout", "--quiet", "--detach", folder.name)
        unfinished.rename(folder)
    _command(["make", "--silent", ".venv/test.stamp"], folder)
    return folder


def _git(*arguments: str) -> bytes:
    return _command(["git", *arguments], ROOT)


def _command(command: Sequence[str], folder: Path) -> bytes:
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        message = f"{' '.join(command)} in {folder} ended with {done.returncode}: {said[-500:]}"
        raise ComparisonError(message)
    return done.stdout


async def measure(python: Path, arguments: Sequence[str], folder: Path) -> dict[str, Any]:
    """Return the report of one build's own benchmark. Raises ComparisonError."""
    process = await asyncio.create_subprocess_exec(
        str(python),
        *("-m", "hundi_testbed.bench", "--json"),
        *arguments,
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(TURN_S_MAX):
            report, said = await process.communicate()
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    if process.returncode:
        message = f"the build in {folder} was not measured: {said.decode(errors='replace')[-500:]}"
        raise ComparisonError(message)
    return msgspec.json.decode(report)


async def take_turns(
    other: Path,
    arguments: Sequence[str],
    pairs: int,
    step: Step,
    reports: list[tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    """Measure both builds in turns, and the later first in every second pair.

    reports: takes (the other's, this one's) of each pair as it ends. Raises ComparisonError.
    """
    pythons = (other / ".venv" / "bin" / "python", Path(sys.executable))
    folders, words = (other, ROOT), ("the other build", "this build")
    for pair in range(pairs):
        measured: dict[int, dict[str, Any]] = {}
        for turn in (0, 1) if pair % 2 == 0 else (1, 0):
            step(f"{words[turn]}, pair {pair + 1} of {pairs}")
            measured[turn] = await measure(pythons[turn], arguments, folders[turn])
        reports.append((measured[0], measured[1]))


def compare(
    reports: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
) -> dict[str, ComparedFigure]:
    """Return what both builds measured, by name; figures that are 0 are left out."""
    values = [(_values(other), _values(this)) for other, this in reports]
    compared: dict[str, ComparedFigure] = {}
    for name, (_, unit) in values[0][0].items():
        pairs = [(other.get(name), this.get(name)) for other, this in values]
        numbers = [(other[0], this[0]) for other, this in pairs if other and this]
        if len(numbers) == len(pairs) and all(other and this for other, this in numbers):
            compared[name] = ComparedFigure(
                _WORDS.get(name, name),
                unit,
                median(other for other, _ in numbers),
                median(this for _, this in numbers),
                [this / other for other, this in numbers],
            )
    return compared


def _values(report: Mapping[str, Any]) -> dict[str, tuple[float, str]]:
    """Return (value, unit) of each figure, of each component's cost, and of the yardstick."""
    values = {name: (each["median"], each["unit"]) for name, each in report["figures"].items()}
    for name, costs in report["cpu_ms"].items():
        for component in (*Component, "yardstick_ms"):
            values[f"{name}: {component}".removesuffix("_ms")] = (costs.get(component, 0), "ms")
    return values


def show(compared: Mapping[str, ComparedFigure], revision: str, pairs: int) -> None:
    """Print the table."""
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH
    table = Table(title=f"{revision} and this build, {pairs} pairs of turns", title_justify="left")
    for name in ("figure", "the other", "this", "this to the other", "lowest", "highest", ""):
        table.add_column(name, justify="left" if name in {"figure", ""} else "right")
    for each in compared.values():
        numbers = (each.other, each.this)
        ratios = (median(each.ratios), min(each.ratios), max(each.ratios))
        table.add_row(
            each.words,
            *(f"{number:,.2f} {each.unit}".strip() for number in numbers),
            *(f"{ratio:.2f}" for ratio in ratios),
            each.verdict,
        )
    console.print(table)
    console.print(
        "The same build, twice, differs by up to a tenth. A yardstick that differs between the"
        " builds says that the machine changed.",
        highlight=False,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare; return 0, or 1 when there is not one pair of figures."""
    parser = argparse.ArgumentParser(prog="hundi_testbed.bench.comparison", description=__doc__)
    parser.add_argument("revision", metavar="REV", help="a commit, tag or branch of this clone")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="measure only this (default: payments)"
    )
    parser.add_argument("--pairs", type=int, default=3, help="pairs of turns (default: 3)")
    options = parser.parse_args(arguments)
    chosen = [word for name in options.only or ["payments"] for word in ("--only", name)]
    reports: list[tuple[dict[str, Any], dict[str, Any]]] = []
    status = 0
    try:
        with progress(2 * options.pairs + 1) as step:
            step(f"building {options.revision}")
            other = build(options.revision)
            asyncio.run(take_turns(other, chosen, options.pairs, step, reports))
    except ComparisonError as failed:
        print(f"bench: {failed}", file=sys.stderr)
        status = 1
    except KeyboardInterrupt:
        print("bench: stopped; these are the pairs that had ended", file=sys.stderr)
    if not reports:
        return 1
    show(compare(reports), options.revision, len(reports))
    return status


if __name__ == "__main__":
    sys.exit(main())
