"""Commands hand amounts on as paise: only `cli/tables.py`, which draws for people, writes them as rupees."""

import ast
from collections.abc import Iterator

from tests.house.source import Source, assert_kept, files

WRITERS_OF_RUPEES = {"shown", "rupees", "text_from_paise", "signed_text_from_paise"}
FOR_PEOPLE = {"tables", "audit"}
"""`audit` prints sentences for people; its --json has `_paise`."""


def amount_in_words(source: Source) -> Iterator[str]:
    """Find a command's file that writes an amount as text: its --json would have it, too."""
    if source.stem in FOR_PEOPLE:
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            ("hundi.kernel.money", "hundi.wire.fields")
        ):
            for each in node.names:
                if each.name in WRITERS_OF_RUPEES:
                    yield f"{node.lineno} {each.name}: --json has whole paise, tables draw rupees"
        if isinstance(node, ast.Attribute) and node.attr in {"text_from_paise", "signed_text_from_paise"}:
            yield f"{node.lineno} {node.attr}: --json has whole paise"
        if (
            isinstance(node, ast.FormattedValue)
            and "paise" in ast.unparse(node.value)
            and "/" in ast.unparse(node.value)
        ):
            yield f"{node.lineno} an amount is divided: --json has whole paise"


def test_commands_hand_amounts_on_as_paise() -> None:
    assert_kept(amount_in_words, files("src/hundi/cli/*.py"))


def test_an_amount_in_words_is_found() -> None:
    planted = 'from hundi.kernel.money import shown\ntext = f"{paise / 100}"\n'
    assert len(list(amount_in_words(Source("src/hundi/cli/a.py", planted)))) == 2
