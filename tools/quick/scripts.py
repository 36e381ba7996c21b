"""The Python files of tests and tools: their imports, their texts and their fixtures."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("tests", "tools")
"""Folders of Python files that are no packages."""
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Script:
    """One file of the tests or tools.

    path: from the root. imports: dotted names. texts: all string constants. fixtures, tests: by
    name, the fixtures that each takes. always: fixtures that need no naming.
    """

    path: str
    imports: frozenset[str]
    texts: frozenset[str]
    fixtures: Mapping[str, frozenset[str]]
    tests: Mapping[str, frozenset[str]]
    always: frozenset[str]

    @property
    def folder(self) -> str:
        """Its folder, from the root."""
        return self.path.rpartition("/")[0]

    @property
    def is_test_file(self) -> bool:
        """Whether pytest collects tests from it."""
        return self.path.startswith("tests/") and Path(self.path).name.startswith("test_")

    @property
    def is_conftest(self) -> bool:
        """Whether its fixtures are for every test of its folder."""
        return self.path.endswith("/conftest.py")


def scripts(root: Path) -> Sequence[Script]:
    """Return the tests and tools."""
    paths = sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.py"))
    return [script(path.relative_to(root).as_posix(), path.read_text("utf-8")) for path in paths]


def script(path: str, source: str) -> Script:
    """Read one file."""
    nodes = tuple(ast.walk(ast.parse(source, path)))
    functions = [node for node in nodes if isinstance(node, _FUNCTION)]
    fixtures = [node for node in functions if any(map(_is_fixture, node.decorator_list))]
    used_by_all = _used(node for node in nodes if isinstance(node, ast.Assign) and _is_mark(node))
    return Script(
        path,
        frozenset(_imports(nodes)),
        frozenset(text for node in nodes for text in _text(node)),
        {_name(node): _taken(node) for node in fixtures},
        {
            node.name: _taken(node) | used_by_all
            for node in functions
            if node.name.startswith("test_")
        },
        frozenset(_name(node) for node in fixtures if any(map(_is_always, node.decorator_list))),
    )


def _imports(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _text(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _is_fixture(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Attribute) and called.attr == "fixture"


def _is_always(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and any(
        keyword.arg == "autouse" for keyword in decorator.keywords
    )


def _is_mark(node: ast.Assign) -> bool:
    return any(
        isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets
    )


def _name(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the name of a fixture: its function's, or the one in its decorator."""
    for decorator in node.decorator_list:
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                return str(keyword.value.value)
    return node.name


def _taken(node: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """Return names of fixtures that a function may take: its arguments, and its marks'."""
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    return frozenset(argument.arg for argument in arguments) | _used(iter(node.decorator_list))


def _used(marks: Iterator[ast.AST]) -> frozenset[str]:
    """Return every text in marks, where `usefixtures` names fixtures."""
    return frozenset(text for mark in marks for node in ast.walk(mark) for text in _text(node))
