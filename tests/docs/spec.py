"""Reads the pages of `docs/spec`: their anchors, and the text that stands under each."""

import re
from pathlib import Path

from tests.docs.examples import ROOT

FOLDER = ROOT / "docs" / "spec"
PAGES = sorted(FOLDER.glob("*.md"))
_ANCHOR = re.compile(r'^<a id="([a-z0-9-]+)"></a>$', re.MULTILINE)


def anchors(page: Path) -> list[str]:
    """Return the page's anchors in their order."""
    return _ANCHOR.findall(page.read_text("utf-8"))


def sections(page: Path) -> dict[str, str]:
    """Return what stands under each anchor, up to the next one."""
    _, *parts = _ANCHOR.split(page.read_text("utf-8"))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def section(place: str) -> str:
    """Return what stands under an anchor; place: as `wire.md#cipher`."""
    page, _, anchor = place.partition("#")
    return sections(FOLDER / page)[anchor]


def rows(place: str) -> list[list[str]]:
    """Return the cells of the tables under an anchor, row by row, without the head.

    Backquotes left out.
    """
    lines = re.findall(r"^\|(.*)\|$", section(place).replace("`", ""), re.MULTILINE)
    ruled = [index for index, line in enumerate(lines) if set(line) <= set("|- ")]
    heads = {*ruled, *(index - 1 for index in ruled)}
    return [
        [cell.strip() for cell in line.split("|")]
        for index, line in enumerate(lines)
        if index not in heads
    ]
