"""A number that an acquirer wrote is read in one place, which refuses what int would raise for.

"²".isdigit() is true and int("²") raises; so does int of 5,000 digits. A webhook with either would
be an error of ours in place of an unknown answer.
"""

import ast
from collections.abc import Iterator

from tests.house.source import Source, assert_kept, files

_LOOKS = {"isdigit", "isdecimal", "isnumeric"}
_OURS = {
    ("src/hundi/acquirers/juspay/rules.py", "order_id"),
    ("src/hundi/acquirers/iso8583/kind.py", "_fields"),
}
"""Functions that read our own reference, and an operator's setting."""


def number_read_by_hand(source: Source) -> Iterator[str]:
    """Find a function that trusts isdigit before int, and catches nothing."""
    for function in source.functions():
        if (source.name, function.name) in _OURS:
            continue
        inside = list(ast.walk(function))
        looked = {node.attr for node in inside if isinstance(node, ast.Attribute)}
        calls = {ast.unparse(node.func) for node in inside if isinstance(node, ast.Call)}
        caught = any(isinstance(node, ast.ExceptHandler) for node in inside)
        if looked & _LOOKS and "int" in calls and "isascii" not in looked and not caught:
            yield f"{function.lineno} {function.name}: take whole_of of calls.aggregators"


def test_numbers_of_acquirers_are_read_in_one_place() -> None:
    assert_kept(number_read_by_hand, files("src/hundi/acquirers/**/*.py"))


def test_a_number_read_by_hand_is_found() -> None:
    text = "def paise(text):\n    return int(text) if text.isdigit() else 0\n"
    offence = "1 paise: take whole_of of calls.aggregators"
    assert list(number_read_by_hand(Source("src/hundi/acquirers/a.py", text))) == [offence]
    for safe in (text.replace("text.isdigit", "text.isascii() and text.isdigit"), "int('1')"):
        assert list(number_read_by_hand(Source("src/hundi/acquirers/a.py", safe))) == []
