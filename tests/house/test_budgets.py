"""Files, functions and decision records are short enough to read in one go."""

import ast
from collections.abc import Iterator

from tests.house.source import Source, assert_kept, everything, files

FILE_LINES_MAX = 400
STATEMENTS_MAX = 40
TEST_STATEMENTS_MAX = 50
DECISION_LINES_MAX = 45
GENERATED = {"src/hundi/sdk/methods.py", "src/hundi/sdk/async_methods.py"}
"""Generated files: as long as the table of operations (`make clients`)."""


def too_long(source: Source) -> Iterator[str]:
    """Find a file over its budget."""
    if source.lines > FILE_LINES_MAX:
        yield f" has {source.lines} lines"


def too_long_functions(source: Source) -> Iterator[str]:
    """Find functions over their budget."""
    most = TEST_STATEMENTS_MAX if source.name.startswith("tests/") else STATEMENTS_MAX
    for function in source.functions():
        has_docstring = ast.get_docstring(function) is not None
        statements = sum(isinstance(node, ast.stmt) for node in ast.walk(function))
        statements -= 1 + has_docstring
        if statements > most:
            yield f"{function.lineno} {function.name} has {statements} statements"


def too_long_decision(source: Source) -> Iterator[str]:
    """Find a decision record over its budget."""
    if source.lines > DECISION_LINES_MAX:
        yield f" has {source.lines} lines"


def test_files_are_short() -> None:
    assert_kept(too_long, (source for source in everything() if source.name not in GENERATED))


def test_functions_are_short() -> None:
    assert_kept(too_long_functions, everything())


def test_decisions_are_short() -> None:
    records = files("docs/decisions/*.md")
    assert len(records) > 3
    assert_kept(too_long_decision, records)


# --- the rules find what they are for ---


def test_a_long_file_is_found() -> None:
    assert list(too_long(Source("a.py", "\n" * FILE_LINES_MAX))) == []
    assert list(too_long(Source("a.py", "\n" * (FILE_LINES_MAX + 1)))) == [" has 401 lines"]


def test_a_long_function_is_found() -> None:
    head = 'class A:\n    async def act(self):\n        """Act."""\n'
    short = head + "        pass\n" * STATEMENTS_MAX
    long = short + "        pass\n"
    assert list(too_long_functions(Source("a.py", short))) == []
    assert list(too_long_functions(Source("a.py", long))) == ["2 act has 41 statements"]
    assert list(too_long_functions(Source("tests/a.py", long))) == []


def test_a_long_decision_is_found() -> None:
    assert list(too_long_decision(Source("a.md", "\n" * DECISION_LINES_MAX))) == []
    assert list(too_long_decision(Source("a.md", "\n" * (DECISION_LINES_MAX + 1)))) == [
        " has 46 lines"
    ]
