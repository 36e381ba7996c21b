"""Holds docs/asvs.md to the standard's numbers and to the code.

Each once, with evidence that is there, and counted.

The numbers of levels 1 and 2 of ASVS 5.0.0, each with its level, stand in asvs_levels.txt.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.docs import evidence
from tests.docs.examples import ROOT

PAGE = ROOT / "docs" / "asvs.md"
VERDICTS = ("met", "n/a", "later", "open")
WORDS_MIN = 3
"""Of a row that is not met: what there is not, or what is missing."""
_ROW = re.compile(
    r"^\| (\d[\d.]*)(?: to (\d[\d.]*))? \| ([\d, ]+) \| (.+?) \| (\S+) \| (.+) \|$", re.MULTILINE
)
_SUMMED = re.compile(r"^\| (?:V(\d+) .+?|all) \|((?: \d+ \|)+)$", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """A row of the page.

    numbers: the requirements it answers, of which a range has every one between its ends.
    """

    numbers: tuple[str, ...]
    levels: str
    asked: str
    verdict: str
    proof: str


@cache
def levels() -> dict[str, str]:
    """Return the level of each requirement's number, in the standard's order."""
    return dict(
        line.split()
        for line in Path(__file__).with_name("asvs_levels.txt").read_text("utf-8").splitlines()
    )


def rows(page: str) -> Iterator[Row]:
    """Yield the rows of the chapters.

    Raises ValueError for a number that the standard does not have.
    """
    known = list(levels())
    for first, last, *cells in _ROW.findall(page):
        between = known[known.index(first) : known.index(last or first) + 1]
        yield Row(tuple(between), *cells)


@cache
def read() -> str:
    """Return the page."""
    return PAGE.read_text("utf-8")


def test_every_number_of_both_levels_is_answered_once_and_in_order() -> None:
    answered = [number for row in rows(read()) for number in row.numbers]
    assert answered == list(levels())


def test_a_row_says_the_levels_of_its_numbers() -> None:
    wrong = {
        row.numbers: row.levels
        for row in rows(read())
        if row.levels != ", ".join(sorted({levels()[number] for number in row.numbers}))
    }
    assert wrong == {}


def test_a_range_stays_within_its_section() -> None:
    sections = [{number.rpartition(".")[0] for number in row.numbers} for row in rows(read())]
    assert [each for each in sections if len(each) != 1] == []


def test_a_verdict_is_one_of_four() -> None:
    assert {row.verdict for row in rows(read())} == set(VERDICTS)


def test_what_is_met_names_a_place_and_a_test_that_are_there() -> None:
    met = [row for row in rows(read()) if row.verdict == "met"]
    without = [
        row.numbers
        for row in met
        if not (evidence.tests(row.proof) or "by review" in row.proof or "`make lint`" in row.proof)
    ]
    assert without == []
    assert [row.numbers for row in met if not evidence.places(row.proof)] == []


def test_what_is_named_is_there() -> None:
    assert evidence.missing(read()) == []


def test_what_is_not_met_says_why() -> None:
    bare = [
        row.numbers
        for row in rows(read())
        if row.verdict != "met" and len(row.proof.split()) < WORDS_MIN
    ]
    assert bare == []


def test_the_summary_counts_what_stands_above() -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows(read()):
        chapter = row.numbers[0].partition(".")[0]
        for where in (chapter, ""):
            counts[where, row.verdict] += len(row.numbers)
    summed = {
        chapter: [int(each) for each in cells.strip(" |").split(" | ")]
        for chapter, cells in _SUMMED.findall(read().partition("\n## Summary\n")[2])
    }
    chapters = {number.partition(".")[0] for number in levels()} | {""}
    assert summed == {each: [counts[each, verdict] for verdict in VERDICTS] for each in chapters}


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("`api/headers.py` `OF_NO_PAGE`, `completed`", []),
        ("`api/headers.py` `OF_NO_PAGES`", ["api/headers.py: OF_NO_PAGES"]),
        ("`api/header.py` `OF_NO_PAGE`", ["no file api/header.py"]),
        (
            "`tests/docs/test_pages.py::test_links_lead`",
            ["tests/docs/test_pages.py: def test_links_lead"],
        ),
        ("`tests/docs/nowhere.py::test_it`", ["no file tests/docs/nowhere.py"]),
    ],
)
def test_what_is_not_there_is_found(text: str, lost: list[str]) -> None:
    assert evidence.missing(text) == lost
