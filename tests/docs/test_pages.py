"""What no example shows.

Links lead somewhere, named files and names exist, generated parts are current.
"""

import re
from pathlib import Path

import pytest

from tests.docs.evidence import names_missing
from tests.docs.examples import ROOT
from tools.write_tables import generated

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PAGES_OF_SITE = sorted((ROOT / "docs").rglob("*.md"))
_FILE_NAMED = re.compile(r"\[`?[\w./-]+\.md`?\]\([^)]*\)")
_LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#]+)(#[^)]*)?\)")


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_to_files(page: Path) -> None:
    targets = [match[1] for match in _LINK.finditer(page.read_text("utf-8"))]
    assert [each for each in targets if not (page.parent / each).exists()] == []


@pytest.mark.parametrize("page", PAGES_OF_SITE, ids=_name)
def test_a_link_to_a_page_says_its_title_not_its_file(page: Path) -> None:
    assert _FILE_NAMED.findall(page.read_text("utf-8")) == []


def test_choices_name_constants_that_are_there() -> None:
    """Each choice says in which file our answer stands and what it is called there."""
    rows = re.findall(r"^\|.*\|$", (ROOT / "docs" / "choices.md").read_text("utf-8"), re.MULTILINE)
    missing: list[str] = []
    for row in rows:
        place = row.strip("|").split("|")[-1]
        path = re.search(r"`([\w/]+\.(?:py|sql))`", place)
        if path is None:
            continue
        names = [each for each in re.findall(r"`(\w+)`", place) if each not in path[1]]
        missing += names_missing(path[1], names) if names else [f"no name in {row[:60]}"]
    assert missing == []


@pytest.mark.parametrize("page", generated(), ids=_name)
def test_generated_parts_are_current(page: Path) -> None:
    assert page.read_text("utf-8") == generated()[page], "run: make tables"
