"""The places that `make quick` leaves out are named: only there may tests start our servers."""

import ast
from collections.abc import Iterator

import pytest

from tests.house.source import ROOT, Source, assert_kept, files
from tests.places import PROGRAMS, RELEASE, SERVERS, SLOWEST

STARTERS = (
    "tests.system.running",
    "tests.testbed.bank.harness",
    "tests.docs.commands",
    "playwright",
)
"""Modules that start a gateway, a bank or a browser."""


def unnamed_starter(source: Source) -> Iterator[str]:
    """Find a test that starts a server outside the places of servers."""
    if source.name.removeprefix("tests/").startswith(SERVERS) or not source.stem.startswith(
        "test_"
    ):
        return
    for node in source.nodes:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(STARTERS):
            yield f"{node.lineno} {node.module} starts servers: name this file in tests/places.py"


def test_who_starts_a_server_is_in_a_place_of_servers() -> None:
    assert_kept(unnamed_starter, files("tests/**/*.py"))


def test_every_place_is_there() -> None:
    places = {*SERVERS, *PROGRAMS, *RELEASE, *SLOWEST}
    assert [place for place in places if not (ROOT / "tests" / place).exists()] == []


@pytest.mark.parametrize("module", STARTERS)
def test_a_starter_elsewhere_is_found(module: str) -> None:
    text = f"import os\nfrom {module} import anything\n"
    offences = [f"2 {module} starts servers: name this file in tests/places.py"]
    assert list(unnamed_starter(Source("tests/kernel/test_money.py", text))) == offences
    assert list(unnamed_starter(Source("tests/system/test_money.py", text))) == []
