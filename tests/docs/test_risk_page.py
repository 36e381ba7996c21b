"""The page about risk rules names every word that a rule set may have."""

import re
from enum import StrEnum

import pytest

from hundi.payments.risk.faults import RiskFaultCode
from hundi.payments.risk.rules import FIELDS, NUMBER_OPERATORS, Action, Metric, Subject
from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "risk.md").read_text("utf-8")


def first_cells(title: str) -> set[str]:
    """Return the quoted words of the first column of a table, by that column's title."""
    table = re.search(rf"^\| {re.escape(title)} \|.*\n\|[ -|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert table, title
    return {
        word for row in table[1].splitlines() for word in re.findall(r"`(\w+)`", row.split("|")[1])
    }


@pytest.mark.parametrize(
    ("title", "kind"),
    [("`action`", Action), ("`count`", Metric), ("`by`", Subject), ("Code", RiskFaultCode)],
)
def test_tables_have_every_word(title: str, kind: type[StrEnum]) -> None:
    assert first_cells(title) == set(kind)


def test_every_field_is_there() -> None:
    assert first_cells("`field`") == FIELDS


def test_every_comparison_of_numbers_is_there() -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith("| numbers |"))
    assert set(re.findall(r"`(\w+)`", row)) == set(NUMBER_OPERATORS)
