"""Exceptions and codes that a docstring names after "Raises" exist."""

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from functools import cache

import asyncpg
import pytest

from hundi.kernel.refusals import RefusalCode
from hundi.wire.codes import Code
from tests.house.reach import module_of
from tests.house.source import Source, assert_kept, ours

_RAISES = re.compile(r"\b[Rr]aises? (?:[^.]|\.(?=\S))*")
_CLASS = re.compile(r"(?<=[Rr]aises )_?[A-Z][a-z]+\b|\b_?[A-Z][a-z]+(?:[A-Z][a-z]+)+\b")
_CODES = re.compile(r"(?<![\w`])[A-Z]+(?:_[A-Z]+)+\b|(?<=\()\d{3}\b")
KNOWN_CODES = {code.name for code in RefusalCode} | {code.value[0] for code in Code}


@cache
def imports() -> Mapping[str, frozenset[str]]:
    """Return the modules of ours that each module of ours imports."""
    modules = {module_of(source) for source in ours()}
    return {
        module_of(source): frozenset(
            name for node in source.nodes for name in _imported(node) if name in modules
        )
        for source in ours()
    }


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def homes() -> Mapping[str, frozenset[str]]:
    """Return the modules that define each class or alias, by its name."""
    defined: dict[str, set[str]] = {}
    for source in ours():
        for node in source.tree.body:
            match node:
                case ast.ClassDef(name=name):
                    defined.setdefault(name, set()).add(module_of(source))
                case ast.Assign(targets=[ast.Name(id=name)]):
                    defined.setdefault(name, set()).add(module_of(source))
                case _:
                    pass
    return {name: frozenset(modules) for name, modules in defined.items()}


@cache
def reached(module: str) -> frozenset[str]:
    """Return the modules that a module imports, directly or not, and itself."""
    seen, ahead = {module}, [module]
    while ahead:
        new = imports().get(ahead.pop(), frozenset()) - seen
        seen |= new
        ahead.extend(new)
    return frozenset(seen)


def is_ours(name: str, source: Source) -> bool:
    """Return whether a file's imports, or its wing, define a class of this name."""
    module = module_of(source)
    wing = ".".join(module.split(".")[:2])
    return any(
        home in reached(module) or home.startswith(f"{wing}.")
        for home in homes().get(name, frozenset())
    )


def sentences(source: Source) -> Iterator[tuple[int, str]]:
    """Yield each sentence that says what a function raises, with its docstring's line."""
    for line, text in source.prose():
        if "aise" in text:
            yield from ((line, sentence) for sentence in _RAISES.findall(" ".join(text.split())))


def unknown_exception(source: Source) -> Iterator[str]:
    """Find an exception in a docstring that its module cannot import."""
    for line, sentence in sentences(source):
        for name in _CLASS.findall(sentence):
            if not (is_ours(name, source) or hasattr(builtins, name) or hasattr(asyncpg, name)):
                yield f"{line} {name} is no exception that this module can import"


def unknown_code(source: Source) -> Iterator[str]:
    """Find a code in a sentence about `Refused` that no refusal has."""
    for line, sentence in sentences(source):
        codes = _CODES.findall(sentence) if "Refused" in sentence else ()
        yield from (
            f"{line} {code} is no code of a refusal" for code in codes if code not in KNOWN_CODES
        )


def test_exceptions_after_raises_exist() -> None:
    assert_kept(unknown_exception, ours())


def test_codes_after_raises_exist() -> None:
    assert_kept(unknown_code, ours())


# --- the rules find what they are for ---


@pytest.mark.parametrize(
    ("raises", "name"),
    [
        ("Raises LostError, OSError.", "LostError"),
        ("Raises Unreadable.", "Unreadable"),
        ("Raises Refused (NO_RECORDS);\n    LostError if it is lost.", "LostError"),
        # The SDK has an error of this name, which the gateway does not import.
        ("Raises UnreachableError.", "UnreachableError"),
    ],
)
def test_an_unknown_exception_is_found(raises: str, name: str) -> None:
    planted = Source("src/hundi/infra/http/client.py", f'def f():\n    """Send. {raises}"""\n')
    assert [found.split()[1] for found in unknown_exception(planted)] == [name]


@pytest.mark.parametrize(
    "raises",
    [
        "Raises asyncpg.UniqueViolationError for a second one. Citus and PostgreSQL are no errors.",
        "Raises AddressRefusedError, NoAnswerError and ValueError.",
    ],
)
def test_known_exceptions_are_left_alone(raises: str) -> None:
    planted = Source("src/hundi/infra/http/client.py", f'def f():\n    """Send. {raises}"""\n')
    assert list(unknown_exception(planted)) == []


@pytest.mark.parametrize(
    ("raises", "code"),
    [
        ("Refused (NO_RECORDS, NO_SUCH).", "NO_SUCH"),
        ("Refused: NO_SUCH for one, NO_RECORDS for another.", "NO_SUCH"),
        ("OrderRefusedError (998).", "998"),
    ],
)
def test_an_unknown_code_is_found(raises: str, code: str) -> None:
    planted = Source("src/hundi/a.py", f'def f():\n    """Send. Raises {raises}"""\n')
    assert list(unknown_code(planted)) == [f"2 {code} is no code of a refusal"]


def test_known_codes_are_left_alone() -> None:
    text = "Send. Raises Refused (NO_RECORDS); StateRefusedError (120) for an old one."
    assert list(unknown_code(Source("src/hundi/a.py", f'def f():\n    """{text}"""\n'))) == []
