"""Reads the fenced blocks of a page, in order: what `python`, `sh` and `json` examples it shows."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
LANGUAGES = {"python", "sh", "json", "text"}
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One example. where: the page and line it begins at."""

    where: str
    language: str
    text: str


def blocks(page: Path) -> Iterator[Block]:
    """Yield the page's examples."""
    text = page.read_text("utf-8")
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield Block(f"{page.relative_to(ROOT)}:{line}", found[1], found[2])


def shape(value: object) -> object:
    """Return what a reply looks like: keys in their order, and the kind of each value."""
    if isinstance(value, dict):
        return [(name, shape(each)) for name, each in value.items()]
    if isinstance(value, list):
        return [shape(each) for each in value]
    return type(value).__name__


def told(value: object, names: frozenset[str]) -> dict[str, object]:
    """Return the values that a reader may take literally, wherever they stand in a reply."""
    if isinstance(value, dict):
        inner = [told(each, names) for each in value.values()]
        own = {name: each for name, each in value.items() if name in names and not isinstance(each, dict | list)}
        return {name: each for part in (*inner, own) for name, each in part.items()}
    return {}
