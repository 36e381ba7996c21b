"""Every reader of JSON from outside expects too deep nesting, which is no error of the library."""

import ast
from collections.abc import Iterator

from tests.house.source import Source, assert_kept, ours

_OF_THE_LIBRARY = {"DecodeError", "MsgspecError"}


def shallow_reader(source: Source) -> Iterator[str]:
    """Find a handler of the library's errors that misses too deep nesting."""
    for node in source.nodes:
        if isinstance(node, ast.ExceptHandler) and node.type is not None:
            names = {each.attr for each in ast.walk(node.type) if isinstance(each, ast.Attribute)}
            names |= {each.id for each in ast.walk(node.type) if isinstance(each, ast.Name)}
            if names & _OF_THE_LIBRARY and "RecursionError" not in names:
                yield f"{node.lineno} JSON nested 1,000 deep raises RecursionError: name it, too"


def test_every_reader_expects_any_depth() -> None:
    assert_kept(shallow_reader, ours())


def test_a_shallow_reader_is_found() -> None:
    planted = "try:\n    x()\nexcept (msgspec.DecodeError, UnicodeDecodeError):\n    pass\n"
    assert len(list(shallow_reader(Source("a.py", planted)))) == 1
