"""Commands print whole paise for scripts; only tables for people have amounts in words."""

import ast
from collections.abc import Iterator

from tests.house.source import Source, assert_kept, files

FOR_PEOPLE = {
    "src/hundi/verbs/results.py": "draws every table and every page",
    "src/hundi/verbs/context.py": "what the trail says of an amount",
    "src/hundi/verbs/parameters.py": "the least and the most that a form takes",
    "src/hundi/cli/audit.py": "its report for people; scripts get the figures as they are",
}
"""Files that may turn amounts into words, and the reasons."""


def amount_in_words(source: Source) -> Iterator[str]:
    """Find a command that turns an amount into words, which `--json` would print."""
    for node in source.nodes:
        if isinstance(node, ast.ImportFrom) and node.module == "hundi.kernel.money":
            words = {each.name for each in node.names} & {"rupees", "shown"}
            if words and source.name not in FOR_PEOPLE:
                yield (
                    f"{node.lineno} {', '.join(sorted(words))}: give `…_paise`, which tables show"
                    " in rupees"
                )
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "₹" in node.value:
            yield f"{node.lineno} ₹ in a text of a command"


def test_commands_leave_amounts_to_the_tables() -> None:
    assert_kept(amount_in_words, files("src/hundi/cli/*.py"))
    assert_kept(amount_in_words, files("src/hundi/verbs/*.py"))


def test_an_amount_in_words_is_found() -> None:
    planted = Source(
        "src/hundi/cli/a.py", "from hundi.kernel.money import Money, rupees\nX = '₹5'\n"
    )
    offences = list(amount_in_words(planted))
    assert [each[:2] for each in offences] == ["1 ", "2 "]
