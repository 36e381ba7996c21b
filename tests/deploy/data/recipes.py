"""The commands of docs/database.md, by the section they stand in."""

import re
from dataclasses import dataclass

from tests.docs.examples import ROOT

PAGE = ROOT / "docs" / "database.md"
_SECTION = re.compile(r"^##+ (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```bash\n# as (postgres|hundi)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class RecipeStep:
    """The commands of one block. user: who runs them, postgres or hundi."""

    user: str
    script: str


def steps(section: str) -> list[RecipeStep]:
    """Return the steps of a section of the page, in order."""
    return sections()[section]


def sections() -> dict[str, list[RecipeStep]]:
    """Return the steps of each section that has any."""
    _, *parts = _SECTION.split(PAGE.read_text("utf-8"))
    found = {
        name: [RecipeStep(*block) for block in _BLOCK.findall(text)]
        for name, text in zip(parts[::2], parts[1::2], strict=True)
    }
    return {name: found for name, found in found.items() if found}
