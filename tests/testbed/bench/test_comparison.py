"""Two builds in turns: ratios pair by pair, and what is said of them."""

import subprocess

import pytest

from hundi_testbed.bench import comparison


def _report(rate: float, cpu_ms: float) -> dict:
    return {
        "figures": {"payments_rate": {"median": rate, "unit": "/s"}},
        "cpu_ms": {"payments": {"gateway": cpu_ms, "supervisor": 0.0, "yardstick_ms": 0.3}},
    }


def test_ratios_are_of_the_turns_of_one_pair():
    # The machine is half as fast in the second pair: the medians say less than the ratios.
    pairs = [(_report(400, 1.0), _report(500, 0.8)), (_report(200, 2.0), _report(260, 1.5))]
    compared = comparison.compare(pairs)
    rate, cost = compared["payments_rate"], compared["payments: gateway"]
    assert list(rate.ratios) == [1.25, 1.3]
    assert list(cost.ratios) == [0.8, 0.75]
    assert (rate.other, rate.this) == (300, 380)
    assert (rate.verdict, cost.verdict) == ("more in every pair", "less in every pair")
    assert compared["payments: yardstick"].verdict == ""
    assert "payments: supervisor" not in compared, "nothing divides by 0"


def test_pairs_that_disagree_have_no_verdict():
    pairs = [(_report(400, 1.0), _report(410, 1.0)), (_report(400, 1.0), _report(390, 1.0))]
    assert comparison.compare(pairs)["payments_rate"].verdict == ""


def test_a_figure_that_one_build_lacks_is_left_out():
    older = _report(400, 1.0)
    del older["figures"]["payments_rate"]
    assert set(comparison.compare([(older, _report(400, 1.0))])) == {
        "payments: gateway",
        "payments: yardstick",
    }


def test_the_table_shows_lowest_and_highest(capsys):
    pairs = [(_report(400, 1.0), _report(500, 0.8)), (_report(200, 2.0), _report(260, 1.5))]
    comparison.show(comparison.compare(pairs), "v0.1.0", len(pairs))
    printed = capsys.readouterr().out
    assert "v0.1.0 and this build, 2 pairs of turns" in printed
    assert all(number in printed for number in ("1.25", "1.30", "0.75", "more in every pair"))


def test_a_revision_that_is_not_there_is_named():
    if subprocess.run(["git", "rev-parse"], cwd=comparison.ROOT, check=False).returncode:
        with pytest.raises(comparison.ComparisonError, match="not a clone"):
            comparison.build("no-such-revision")
        return
    with pytest.raises(comparison.ComparisonError, match="no-such-revision"):
        comparison.build("no-such-revision")
