"""Reads the fenced blocks of a page, in order: what `python`, `sh` and `json` examples it shows.

`bash` is for an administrator of a machine: tests/deploy run it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "runbooks").glob("*.md")),
)
LANGUAGES = {"python", "sh", "json", "text", "bash"}
"""What is `bash` is run by tests/deploy."""
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^##+ (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One example.

    where: the page and line it begins at. section: the heading that it stands under.
    """

    where: str
    language: str
    text: str
    section: str


def blocks(page: Path) -> Iterator[Block]:
    """Yield the page's examples."""
    text = page.read_text("utf-8")
    for found in _BLOCK.finditer(text):
        before = text[: found.start()]
        # A comment in a block looks like a heading.
        headings = _HEADING.findall(_BLOCK.sub("", before))
        line = before.count("\n") + 1
        section = headings[-1] if headings else ""
        yield Block(f"{page.relative_to(ROOT)}:{line}", found[1], found[2], section)


def likeness(value: object, varying: frozenset[str]) -> object:
    """Return what a page says of a reply.

    Keys in their order and every value, but only the kind of those that vary.

    varying: names whose values differ from run to run or from day to day, wherever they stand.
    """
    if isinstance(value, dict):
        return [
            (name, type(each).__name__ if name in varying else likeness(each, varying))
            for name, each in value.items()
        ]
    if isinstance(value, list):
        return [likeness(each, varying) for each in value]
    return type(value).__name__, value
