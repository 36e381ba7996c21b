"""Names and first sentences: a file says what it is for."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.house.source import Source, assert_kept, everything, ours

VAGUE_NAMES = re.compile(r"(^|_)(utils?|helpers?|managers?|misc|common)(_|$)")


def vague_name(source: Source) -> Iterator[str]:
    """Find a file whose name says nothing."""
    if VAGUE_NAMES.search(source.stem):
        yield f" {source.stem} says nothing"


def no_opening(source: Source) -> Iterator[str]:
    """Find a module without a sentence that says what it is for."""
    if not ast.get_docstring(source.tree):
        yield "1 no sentence says what this module is for"


def test_there_is_something_to_check() -> None:
    assert len(ours()) > 50
    assert len(everything()) > len(ours())


def test_no_vague_names() -> None:
    assert_kept(vague_name, everything())


def test_a_module_opens_with_one_sentence() -> None:
    assert_kept(no_opening, ours())


# --- the rules find what they are for ---


@pytest.mark.parametrize("stem", ["utils", "http_util", "helpers_of_tests", "card_manager", "misc", "common"])
def test_a_vague_name_is_found(stem: str) -> None:
    assert list(vague_name(Source(f"src/{stem}.py", ""))) == [f" {stem} says nothing"]


def test_other_names_are_left_alone() -> None:
    assert list(vague_name(Source("src/utilisation.py", ""))) == []


def test_a_module_without_a_sentence_is_found() -> None:
    assert list(no_opening(Source("a.py", "import os\n"))) == ["1 no sentence says what this module is for"]
    assert list(no_opening(Source("a.py", '"""Cards."""\nimport os\n'))) == []
