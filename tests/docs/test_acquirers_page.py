"""The overview of acquirers says what the page of each says, and how long each connector is."""

import re

import pytest

from tests.docs.examples import ROOT

DOCS = ROOT / "docs"
PROOFS = {"example", "vector", "stand-in"}
LINES_OFF_MAX = 0.15


def rows(page: str) -> list[list[str]]:
    text = (DOCS / page).read_text("utf-8")
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]


HEADER, _, *TABLE = rows("acquirers.md")
CAPABILITIES = [cell.strip("`") for cell in HEADER[1:-1]]
NAMES = [re.sub(r"\[.*\]\((.*)\.md\)", r"\1", row[0]) for row in TABLE]


@pytest.mark.parametrize("row", TABLE, ids=NAMES)
def test_a_row_has_what_the_acquirers_own_page_has(row: list[str]) -> None:
    own = {cells[0].strip("`") for cells in rows(f"{NAMES[TABLE.index(row)]}.md")}
    told = dict(zip(CAPABILITIES, row[1:-1], strict=True))
    assert {name for name, cell in told.items() if cell} == own & set(CAPABILITIES)
    assert all(set(cell.split(", ")) <= PROOFS for cell in told.values() if cell)


@pytest.mark.parametrize("row", TABLE, ids=NAMES)
def test_a_connector_is_about_as_long_as_told(row: list[str]) -> None:
    package = ROOT / "src/hundi/acquirers" / NAMES[TABLE.index(row)]
    lines = sum(len(each.read_text("utf-8").splitlines()) for each in package.glob("*.py"))
    assert lines == pytest.approx(int(row[-1].replace(",", "")), rel=LINES_OFF_MAX)
