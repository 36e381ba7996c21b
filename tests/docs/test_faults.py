"""Each fault of `docs/faults.md` names a test that is there."""

import ast
import re

from tests.docs.examples import ROOT

_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_each_fault_names_a_test_that_is_there() -> None:
    rows = [
        line
        for line in (ROOT / "docs" / "faults.md").read_text("utf-8").splitlines()
        if line.startswith("| ") and not line.startswith(("| What happens |", "| ---"))
    ]
    assert rows
    for row in rows:
        named = _TEST.findall(row)
        assert named, f"no test in: {row}"
        for path, name in named:
            tree = ast.parse((ROOT / path).read_text("utf-8"))
            there = {
                each.name
                for each in tree.body
                if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
            }
            assert name in there, f"{path} has no {name}"
