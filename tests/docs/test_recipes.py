"""The recipes of CONTRIBUTING name files and names that are there."""

import re
from collections.abc import Iterator

from tests.docs.examples import ROOT
from tests.house.source import everything

RECIPES = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("\n## Recipes\n")[1].split("\n## ")[0]
PLACEHOLDERS = {"0003_noun.py", "page/templates/_CODE.html"}
"""Files that the reader makes."""
_QUOTED = re.compile(r"`([^`]+)`")
_PATH = re.compile(r"(?!\.)[\w./]*(?:/[\w.]+|\.(?:py|md|toml))")
_NAME = re.compile(r"[A-Za-z_]+")


def quoted(text: str) -> Iterator[str]:
    """Yield the words in backquotes, those of a command too."""
    for each in _QUOTED.findall(text):
        yield from each.split()


def lost_paths(text: str) -> list[str]:
    """Return the paths that lead nowhere, from the root or from the product's folder."""
    paths = [each for each in quoted(text) if _PATH.fullmatch(each) and each not in PLACEHOLDERS]
    return [each for each in paths if not ((ROOT / each).exists() or (ROOT / "src" / "hundi" / each).exists())]


def lost_names(text: str) -> list[str]:
    """Return the names, such as `TransactionRecord` or `CHANGED`, that stand in no file."""
    source = "\n".join(each.text for each in everything() if "test_recipes" not in each.name)
    names = [each for each in _QUOTED.findall(text) if _NAME.fullmatch(each) and each != each.lower()]
    return [each for each in names if not re.search(rf"\b{each}\b", source)]


def test_every_path_leads_to_a_file() -> None:
    assert lost_paths(RECIPES) == []


def test_every_name_is_in_the_source() -> None:
    assert lost_names(RECIPES) == []


def test_what_is_gone_is_found() -> None:
    assert lost_paths("`wire/merchant/gone.py`, `tests/gone`, `api/merchant`, `pytest tests/gone.py`") == [
        "wire/merchant/gone.py",
        "tests/gone",
        "tests/gone.py",
    ]
    assert lost_names("`RecordThatIsGone` and `TransactionRecord`") == ["RecordThatIsGone"]
