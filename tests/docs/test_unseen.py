"""What the audit cannot name stands in the documentation.

The list of each test that bends rows, with reasons.
"""

import importlib
import re
from collections.abc import Mapping

from tests.house.source import ROOT

PAGE = "docs/audit-limits.md"
_PLACE = r"`[a-z_]+(?: [a-z]+)?(?:\.[a-z0-9_]+| [-+])`"
_ROW = re.compile(rf"^\| ({_PLACE}(?:, {_PLACE})*) \| (.+) \|$", re.MULTILINE)


def _listed() -> dict[str, Mapping[str, str]]:
    """Return the list of each test that has one, by the test's file."""
    paths = sorted(each.relative_to(ROOT) for each in (ROOT / "tests").glob("**/test_bent*.py"))
    lists = {
        str(each): importlib.import_module(".".join(each.with_suffix("").parts)) for each in paths
    }
    return {path: module.UNSEEN for path, module in lists.items()}


def _documented() -> list[tuple[str, str]]:
    rows = _ROW.findall((ROOT / PAGE).read_text("utf-8"))
    return [(place.strip("`"), reason) for places, reason in rows for place in places.split(", ")]


def test_what_no_audit_names_is_in_the_documentation_with_the_reason() -> None:
    lists = _listed()
    assert all(lists.values()), "a test that bends rows has such a list"
    unseen = [row for each in lists.values() for row in each.items()]
    assert sorted(_documented()) == sorted(unseen)


def test_the_documentation_names_each_test_that_bends_rows() -> None:
    page = (ROOT / PAGE).read_text("utf-8")
    assert [path for path in _listed() if f"`{path}`" not in page] == []
