"""Follows what a page names as evidence: files of the project, names in them, and tests."""

import re
from collections.abc import Iterable

from tests.docs.examples import ROOT

_BESIDE = ("src/", "tests/", "requirements/", "tools/", "testbed/")
_PLACE = re.compile(r"`((?:[\w-]+/)*[\w-]+\.(?:py|sql|js|css|html|toml|txt|md))`((?:,? `\w+`)*)")
_TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")


def names_missing(path: str, names: Iterable[str]) -> list[str]:
    """Return what is not there of a file and of names in it.

    path: below `src/hundi` or beside it.
    """
    file = (
        ROOT / path
        if path.startswith(_BESIDE) or path.endswith(".md")
        else ROOT / "src" / "hundi" / path
    )
    if not file.is_file():
        return [f"no file {path}"]
    text = file.read_text("utf-8")
    return [f"{path}: {each}" for each in names if not re.search(rf"\b{each}\b", text)]


def places(text: str) -> list[tuple[str, list[str]]]:
    """Return the files that a text names, each with the names that follow it at once."""
    return [(found[1], re.findall(r"\w+", found[2])) for found in _PLACE.finditer(text)]


def tests(text: str) -> list[tuple[str, str]]:
    """Return file and name of each test that a text names."""
    return [(found[1], found[2]) for found in _TEST.finditer(text)]


def missing(text: str) -> list[str]:
    """Return everything that a text names and that is not there."""
    lost = [each for path, names in places(text) for each in names_missing(path, names)]
    return lost + [
        each for path, name in tests(text) for each in names_missing(path, [f"def {name}"])
    ]
