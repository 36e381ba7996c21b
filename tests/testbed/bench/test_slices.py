"""Two builds in slices: the ratios of pairs, what is printed of them, and an agent that serves."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hundi_testbed.bench import slices
from hundi_testbed.bench.comparison import ComparisonError

PAIRS = [
    ({"rate": 400.0, "gateway": 2.0, "worker": 0.0}, {"rate": 500.0, "gateway": 1.5}),
    ({"rate": 200.0, "gateway": 4.0, "worker": 1.0}, {"rate": 240.0, "gateway": 3.2}),
]


def test_ratios_are_of_the_slices_of_one_pair() -> None:
    assert slices.ratios(PAIRS, "rate") == [1.25, 1.2]
    assert slices.ratios(PAIRS, "gateway") == [0.75, 0.8]
    assert slices.ratios(PAIRS, "worker") == [], "nothing divides by what a build did not need"


def test_the_table_says_how_far_a_ratio_may_be_off(capsys: pytest.CaptureFixture[str]) -> None:
    slices.show(PAIRS, "v0.1.0 and this build: payments, 2 pairs of 2 s")
    printed = capsys.readouterr().out
    assert "v0.1.0 and this build" in printed
    assert all(number in printed for number in ("0.775", "±0.025", "1.225"))
    assert "CPU of worker" not in printed


def test_checks_that_found_something_are_named() -> None:
    audited = {
        "checked": [{"name": "event_differs", "violations": 2}, {"name": "root", "violations": 0}]
    }
    assert slices.broken(audited) == ["event_differs"]


@pytest.fixture
def build() -> Iterator[slices.Build]:
    with slices.serving(Path(sys.executable), Path.cwd(), "this build") as started:
        started.until_ready()
        yield started


def test_an_agent_pays_verifies_and_ends_with_an_audit(build: slices.Build) -> None:
    paid = build.tell("payments 0.5 1\n")
    verified = build.tell("verify 0.5 0\n")
    assert min(paid["rate"], verified["rate"]) > 0
    assert paid["p50"] <= paid["p99"]
    assert slices.broken(build.audited()) == []


def test_a_build_that_does_not_start_gives_no_figures(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    with (
        slices.serving(broken, tmp_path, "the other build") as started,
        pytest.raises(ComparisonError, match="the other build gave no figures"),
    ):
        started.until_ready()
