"""The roadmap names what is not here, and nothing that is."""

from tests.docs.examples import ROOT


def _lines(page: str, heading: str) -> list[str]:
    """Return the first column of a page's tables with this first heading."""
    rows = [
        line.split(" | ")[0].removeprefix("| ")
        for line in (ROOT / "docs" / page).read_text("utf-8").splitlines()
        if line.startswith("| ") and not line.startswith("| ---")
    ]
    return [row for row in rows if row != heading]


def test_every_line_of_the_roadmap_is_one_of_what_is_not_here() -> None:
    planned = _lines("roadmap.md", "Line")
    assert len(planned) > 10
    assert set(planned) - set(_lines("gaps.md", "Not here")) == set()


def test_no_line_is_planned_twice() -> None:
    planned = _lines("roadmap.md", "Line")
    assert sorted(planned) == sorted(set(planned))
