"""Every code of the doctor appears in a test by a real fault, or has a reason here."""

import ast
from collections.abc import Iterator
from pathlib import Path

from hundi.doctor.rules import OF_ANY_PROBE
from hundi.doctor.table import PROBES
from tests.house.source import ROOT

PLACES = (
    *ROOT.glob("tests/cli/test_doctor*.py"),
    *ROOT.glob("tests/system/test_doctor*.py"),
    *ROOT.glob("tests/deploy/test_walk*.py"),
    ROOT / "tests" / "system" / "test_replica.py",
    ROOT / "tests" / "deploy" / "data" / "test_failover.py",
)
"""Tests that call the doctor where something is really wrong; `tests/doctor` has values alone."""
NOT_MADE = {
    "database_old": "Debian 12 and the package index have no server before PostgreSQL 15",
    "probe_slow": "nothing that a probe asks is silent for 20 s without a time-out of its own",
    "probe_failed": "it says that Hundi has a fault; whoever finds one mends it",
}


def test_every_code_appears_in_a_test_or_has_a_reason() -> None:
    codes = {kind.code for probe in PROBES for kind in probe.kinds}
    codes |= {kind.code for kind in OF_ANY_PROBE}
    named = {word for path in PLACES for word in _words_of_tests(path)}
    assert sorted(codes - named - NOT_MADE.keys()) == []
    assert NOT_MADE.keys() <= codes


def _words_of_tests(path: Path) -> Iterator[str]:
    """Yield each text in a test of a file, and in what its parameters are."""
    for part in ast.parse(path.read_text("utf-8")).body:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) and part.name.startswith(
            "test_"
        ):
            for node in ast.walk(part):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value
