"""Every reference to the specification is a link that leads to an existing anchor."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.examples import ROOT
from tests.docs.spec import FOLDER, PAGES, anchors

REFERENCES_MIN = {"src": 200, "tests": 10, "docs": 250}
"""Fewer would mean that references were lost, or that the search below no longer finds them."""

TEXTS = {
    ".py",
    ".md",
    ".toml",
    ".sql",
    ".html",
    ".css",
    ".js",
    ".yml",
    ".yaml",
    ".txt",
    ".json",
    "",
}
FOLDERS = ("src", "tests", "tools", "docs")
NOT_OURS = {"__pycache__", ".pytest_cache", "transcripts", "images"}

IN_TEXT = re.compile(r"docs/spec/([\w-]+\.md)(?:#([\w-]+))?")
IN_PAGE = re.compile(r"\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]*))?\)")


# A blank is written as [ ], so that this file does not hold what it forbids.
BANNED = re.compile(
    r"wire[ -]decisions|(?:payment|auxiliary)-interfaces,|domain[ ]facts|product["
    r" ]contract|\[ours[\],]"
    r"|\bendpoints?[ ][0-9]|\binterface[ ][0-9]"
    r"|\bspecification,?["
    r" ](?:section|resources|errors|authentication|(?:transaction|token|payment)[ ]re)",
    re.IGNORECASE,
)


class Reference(NamedTuple):
    """One link to a statement: where it stands, and what it names."""

    place: str
    page: Path
    anchor: str


def _texts() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in TEXTS and not NOT_OURS & set(path.parts) and path.is_file():
                yield path
    yield from sorted([*ROOT.glob("*.md"), *ROOT.glob("*.toml"), ROOT / "Makefile"])


def _references(path: Path) -> Iterator[Reference]:
    name = path.relative_to(ROOT)
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        found = [(FOLDER / page, anchor) for page, anchor in IN_TEXT.findall(line)]
        if path.suffix == ".md":
            # A link from the root names the folder as well: it was found above.
            links = [
                (page, anchor)
                for page, anchor in IN_PAGE.findall(line)
                if not page.startswith("docs/spec/")
            ]
            targets = [
                ((path.parent / page).resolve() if page else path, anchor) for page, anchor in links
            ]
            found += [(page, anchor) for page, anchor in targets if page.parent == FOLDER]
        yield from (Reference(f"{name}:{number}", page, anchor) for page, anchor in found)


REFERENCES = [reference for path in _texts() for reference in _references(path)]


def test_every_reference_leads_to_a_statement() -> None:
    known = {page: {"", *anchors(page)} for page in PAGES}
    lost = [each for each in REFERENCES if each.anchor not in known.get(each.page, set())]
    assert [f"{each.place}: {each.page.name}#{each.anchor}" for each in lost] == []


def test_a_reference_in_code_names_a_statement_and_not_a_whole_page() -> None:
    assert [
        each.place for each in REFERENCES if each.place.startswith("src/") and not each.anchor
    ] == []


FOLLOWED = Counter(each.place.partition("/")[0] for each in REFERENCES)


@pytest.mark.parametrize(
    "folder", REFERENCES_MIN, ids=lambda folder: f"{FOLLOWED[folder]} in {folder}"
)
def test_references_are_followed(folder: str) -> None:
    """Say in the test's name how many there are, so that a search that finds nothing is noticed."""
    assert FOLLOWED[folder] >= REFERENCES_MIN[folder]


def test_nothing_refers_to_a_document_that_is_not_here() -> None:
    """A name that is cut by a line's end is found, too."""
    banned = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in _texts()
        for found in BANNED.finditer(" ".join(path.read_text("utf-8").split()))
    ]
    assert banned == []


def test_every_choice_is_settled_by_a_statement() -> None:
    """A row that names a constant of ours begins with a link into the specification."""
    rows = re.findall(
        r"^\|.*`\w.*` \|$", (ROOT / "docs" / "choices.md").read_text("utf-8"), re.MULTILINE
    )
    named = [row for row in rows if re.search(r"\.(?:py|sql)` ", row)]
    assert len(named) > 100
    assert [
        row for row in named if not re.match(r"\| \[.*\]\(spec/[\w-]+\.md#[\w-]+\) \|", row)
    ] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_anchors_are_told_apart_and_in_use(page: Path) -> None:
    names = anchors(page)
    assert [name for name, times in Counter(names).items() if times > 1] == []
    # A heading without an anchor could not be referred to.
    headings = re.findall(r"^(.*)\n##+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    assert [heading for before, heading in headings if not before.startswith("<a id=")] == []
