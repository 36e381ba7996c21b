"""A docstring begins with one line that fits a list of names."""

import ast
from collections.abc import Iterator

from tests.house.source import Source, assert_kept, files

FIRST_LINE_MAX = 100

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def _public(node: Documented) -> Iterator[Documented]:
    """Yield a module, class or function and what is public inside it."""
    yield node
    for inner in node.body:
        is_named = isinstance(inner, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if is_named and (not inner.name.startswith("_") or inner.name.endswith("__")):
            yield from _public(inner)


def long_first_line(source: Source) -> Iterator[str]:
    """Find a public docstring whose first line is too long for a list."""
    for node in _public(source.tree):
        first = (ast.get_docstring(node) or "").partition("\n")[0]
        if len(first) > FIRST_LINE_MAX:
            line = 1 if isinstance(node, ast.Module) else node.lineno
            yield f"{line} a docstring begins with {len(first)} characters"


def test_a_docstring_begins_with_a_short_line() -> None:
    assert_kept(long_first_line, files("src/**/*.py", "tools/**/*.py"))


# --- the rule finds what it is for ---


def test_a_long_first_line_is_found() -> None:
    fits, long = "x" * FIRST_LINE_MAX, "x" * (FIRST_LINE_MAX + 1)
    planted = (
        f'"""{long}"""\nclass A:\n    """{fits}"""\n    def act(self):\n        """{long}\n\n     '
        '   More."""\n'
    )
    assert list(long_first_line(Source("a.py", planted))) == [
        "1 a docstring begins with 101 characters",
        "4 a docstring begins with 101 characters",
    ]


def test_private_names_are_left_alone() -> None:
    planted = f'"""Cards."""\ndef _act():\n    """{"x" * (FIRST_LINE_MAX + 1)}"""\n'
    assert list(long_first_line(Source("a.py", planted))) == []
