"""The commands of docs/database.md, by the section they stand in."""

import re
from dataclasses import dataclass

from tests.docs.examples import ROOT, blocks

PAGE = ROOT / "docs" / "database.md"
_USER = re.compile(r"# as (postgres|hundi)\n")


@dataclass(frozen=True)
class RecipeStep:
    """The commands of one block. user: who runs them, postgres or hundi."""

    user: str
    script: str


def steps(section: str) -> list[RecipeStep]:
    """Return the steps of a section of the page, in order."""
    return sections()[section]


def sections() -> dict[str, list[RecipeStep]]:
    """Return the steps of each section that has any; each block begins with its user."""
    found: dict[str, list[RecipeStep]] = {}
    for block in blocks(PAGE):
        if block.language == "bash":
            user = _USER.match(block.text)
            assert user, f"{block.where} does not say whose its commands are"
            step = RecipeStep(user[1], block.text[user.end() :])
            found.setdefault(block.section, []).append(step)
    return found
