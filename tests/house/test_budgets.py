"""Files, functions and decision records are short enough to be read at once."""

from collections.abc import Iterator

from tests.house.source import Source, assert_kept, everything, files

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70
DECISION_LINES_MAX = 45


def too_long(source: Source) -> Iterator[str]:
    """Find a file over its budget."""
    if source.lines > FILE_LINES_MAX:
        yield f" has {source.lines} lines"


def too_long_functions(source: Source) -> Iterator[str]:
    """Find functions over their budget."""
    for function in source.functions():
        lines = (function.end_lineno or 0) - function.lineno + 1
        if lines > FUNCTION_LINES_MAX:
            yield f"{function.lineno} {function.name} has {lines} lines"


def too_long_decision(source: Source) -> Iterator[str]:
    """Find a decision record over its budget."""
    if source.lines > DECISION_LINES_MAX:
        yield f" has {source.lines} lines"


def test_files_are_short() -> None:
    assert_kept(too_long, everything())


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
    body = "        pass\n"
    short = Source("a.py", "class A:\n    async def act(self):\n" + body * (FUNCTION_LINES_MAX - 1))
    long = Source("a.py", "class A:\n    async def act(self):\n" + body * FUNCTION_LINES_MAX)
    assert list(too_long_functions(short)) == []
    assert list(too_long_functions(long)) == ["2 act has 71 lines"]


def test_a_long_decision_is_found() -> None:
    assert list(too_long_decision(Source("a.md", "\n" * DECISION_LINES_MAX))) == []
    assert list(too_long_decision(Source("a.md", "\n" * (DECISION_LINES_MAX + 1)))) == [
        " has 46 lines"
    ]
