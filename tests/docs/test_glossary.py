"""The glossary names what the code has.

Every state with its docstring, and no name that is gone.
"""

import ast
import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from itertools import pairwise
from pathlib import PurePath

import pytest

from hundi.kernel import states
from hundi.notifications.rules import DeliveryState
from hundi.partners.leads.rules import LeadNews
from hundi.status.rules import ComponentState
from tests.docs.examples import ROOT
from tests.house.source import Source, ours

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text("utf-8")
STATES = [
    each
    for each in vars(states).values()
    if isinstance(each, type) and each.__module__ == states.__name__
]
ENUMS = [*STATES, DeliveryState, LeadNews, ComponentState]
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _docstrings(kind: type[StrEnum]) -> dict[str, str]:
    """Return the docstring under each member of an enum, by the member's value."""
    file = f"src/{kind.__module__.replace('.', '/')}.py"
    tree = next(source.tree for source in ours() if source.name == file)
    body = next(
        each.body
        for each in tree.body
        if isinstance(each, ast.ClassDef) and each.name == kind.__name__
    )
    told: dict[str, str] = {}
    for member, text in pairwise(body):
        match member, text:
            case ast.Assign(value=ast.Constant(value=str(value))), ast.Expr(
                value=ast.Constant(value=str(sentence))
            ):
                told[value] = " ".join(sentence.split())
            case _:
                pass
    return told


def _rows(glossary: str, name: str) -> dict[str, str]:
    """Return the meaning of each value in the glossary's table of an enum."""
    table = re.search(
        rf"^\| `{name}` \| Meaning \|\n\| --- \| --- \|\n((?:\|.*\|\n)+)", glossary, re.MULTILINE
    )
    return dict(re.findall(r"^\| `(.+?)` \| (.+) \|$", table[1], re.MULTILINE)) if table else {}


def _words(source: Source) -> Iterator[str]:
    """Yield the words of a file's names and of its strings, docstrings left out."""
    prose = {id(node.value) for node in source.nodes if isinstance(node, ast.Expr)}
    for node in source.nodes:
        match node:
            case (
                ast.Name(id=name)
                | ast.Attribute(attr=name)
                | ast.arg(arg=name)
                | ast.alias(name=name)
            ):
                yield from name.split(".")
            case (
                ast.ClassDef(name=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
            ):
                yield name
            case ast.Constant(value=str(text)) if id(node) not in prose:
                yield from _WORD.findall(text)
            case _:
                pass


@cache
def _known() -> frozenset[str]:
    words = {word for source in ours() for word in _words(source)}
    return frozenset(
        words.union(*(PurePath(source.name).with_suffix("").parts for source in ours()))
    )


def _gone(glossary: str) -> list[str]:
    """Return each text in backquotes that has a word which is nowhere in the source."""
    quoted = re.findall(r"`([^`\n]+)`", glossary)
    # `_paise` is the end of names.
    known = _known() | {f"_{word.rpartition('_')[2]}" for word in _known()}
    return [text for text in quoted if not {*_WORD.findall(text)} <= known]


@pytest.mark.parametrize("kind", ENUMS)
def test_every_member_is_there_with_its_docstring(kind: type[StrEnum]) -> None:
    told = _docstrings(kind)
    assert {*told} == {each.value for each in kind}
    assert _rows(GLOSSARY, kind.__name__) == told


def test_every_name_is_in_the_source() -> None:
    assert _gone(GLOSSARY) == []


@pytest.mark.parametrize("page", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_the_glossary_is_linked(page: str) -> None:
    assert "(docs/glossary.md)" in (ROOT / page).read_text("utf-8")


# --- the checks find what they are for ---


def test_a_name_that_is_gone_is_found() -> None:
    assert _gone("`payment_bounced`, `PaymentState` and `PaymentState.BOUNCED_BACK`") == [
        "payment_bounced",
        "PaymentState.BOUNCED_BACK",
    ]


def test_a_changed_sentence_is_found() -> None:
    planted = GLOSSARY.replace("| Paid in one step. |", "| Paid in two steps. |", 1)
    assert _rows(planted, "PaymentKind") != _docstrings(states.PaymentKind)


def test_a_member_without_a_row_is_found() -> None:
    planted = re.sub(r"^\| `moto` \|.*\n", "", GLOSSARY, count=1, flags=re.MULTILINE)
    assert _rows(planted, "PaymentKind") != _docstrings(states.PaymentKind)
