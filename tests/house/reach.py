"""Which of our functions can call which, by name: from a process's start to its statements.

A mentioned name counts as a call, also in an annotation; so callbacks and the classes of values are
followed. A method counts as called when its class is reached and reached code mentions its name
after a dot. So every call is found, and a few that are never made.
"""

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from tests.house.source import Source, ours

_PACKAGE = "hundi"
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


class Name(NamedTuple):
    """A function, class or constant of a module, or a method of a class."""

    module: str
    own: str
    method: str = ""

    def __str__(self) -> str:
        """Return the whole dotted name."""
        return ".".join(part for part in self if part)


class _Module:
    """The top-level definitions of a module, and its imports of ours by name."""

    def __init__(self, tree: ast.Module) -> None:
        self.defined: dict[str, ast.AST] = {}
        self.imported: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_PACKAGE):
                self.imported |= {
                    each.asname or each.name: f"{node.module}.{each.name}" for each in node.names
                }
        for node in tree.body:
            match node:
                case (
                    ast.FunctionDef(name=name)
                    | ast.AsyncFunctionDef(name=name)
                    | ast.ClassDef(name=name)
                ):
                    self.defined[name] = node
                case ast.Assign(targets=targets):
                    names = (
                        each
                        for target in targets
                        for each in ast.walk(target)
                        if isinstance(each, ast.Name)
                    )
                    self.defined |= dict.fromkeys((each.id for each in names), node)
                case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
                    self.defined[name] = node
                case _:
                    pass


@cache
def _modules() -> Mapping[str, _Module]:
    return {module_of(source): _Module(source.tree) for source in ours()}


def module_of(source: Source) -> str:
    """Return the import name of a file of ours."""
    parts = source.name.removeprefix("src/").removesuffix(".py").split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def meant(module: str, node: ast.AST) -> Name | str | None:
    """Return the meaning of a name, or of a module's attribute, within a module of ours.

    None for anything else.
    """
    known = _modules()[module]
    if isinstance(node, ast.Name):
        return Name(module, node.id) if node.id in known.defined else _meant(known, node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return _resolved(f"{_meant(known, node.value.id)}.{node.attr}")
    return None


def _resolved(dotted: str) -> Name | str | None:
    """Return the meaning of a dotted name: a module, or a name in one; None outside our code."""
    modules = _modules()
    if dotted in modules:
        return dotted
    module, _, own = dotted.rpartition(".")
    known = modules.get(module)
    if known is None:
        return None
    if own in known.defined:
        return Name(module, own)
    return _resolved(known.imported[own]) if own in known.imported else None


def _is_method(node: ast.AST) -> bool:
    """Return whether a part of a class runs only when it is called by name."""
    return isinstance(node, _FUNCTION) and not (
        node.name.startswith("__") and node.name.endswith("__")
    )


@cache
def _methods(name: Name) -> Mapping[str, list[ast.AST]]:
    """Return the methods of a class by name; a property and its setter share one."""
    node = _modules()[name.module].defined[name.own]
    methods: dict[str, list[ast.AST]] = {}
    for each in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(each, _FUNCTION) and _is_method(each):
            methods.setdefault(each.name, []).append(each)
    return methods


def _parts(name: Name) -> Iterable[ast.AST]:
    """Return the code of a name; for a class the code that runs without a call by name."""
    node = _modules()[name.module].defined[name.own]
    if name.method:
        return _methods(Name(name.module, name.own))[name.method]
    if isinstance(node, ast.ClassDef):
        return [
            *node.bases,
            *node.decorator_list,
            *(each for each in node.body if not _is_method(each)),
        ]
    return [node]


@cache
def _mentioned(name: Name) -> tuple[frozenset[Name], frozenset[str]]:
    """Return the names and the attributes that the code of a name mentions."""
    module = _modules()[name.module]
    names: set[Name] = set()
    attributes: set[str] = set()
    for node in (node for part in _parts(name) for node in ast.walk(part)):
        if isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        if isinstance(node, ast.Name) and node.id in module.defined:
            names.add(Name(name.module, node.id))
        elif isinstance(node, ast.Name) and isinstance(meant := _meant(module, node.id), Name):
            names.add(meant)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            whole = _meant(module, node.value.id)
            meant = _resolved(f"{whole}.{node.attr}") if isinstance(whole, str) else whole
            if isinstance(meant, Name):
                names.add(meant)
    return frozenset(names), frozenset(attributes)


def _meant(module: _Module, name: str) -> Name | str | None:
    return _resolved(module.imported[name]) if name in module.imported else None


def is_below(dotted: str, folders: Iterable[str]) -> bool:
    """Return whether a dotted name is, or is in, one of some folders, modules or names."""
    return any(f"{dotted}.".startswith(f"{folder}.") for folder in folders)


def of(*folders: str, but: tuple[str, ...] = ()) -> list[Name]:
    """Return every top-level name in the modules of some folders, where processes begin.

    but: modules left out.
    """
    return [
        Name(module, own)
        for module, known in _modules().items()
        if is_below(module, folders) and module not in but
        for own in known.defined
    ]


class Reach:
    """The names that code can call from its starting places, each with its caller.

    stop: folders and names that are not followed.
    """

    def __init__(self, begin: Iterable[Name], stop: tuple[str, ...] = ()) -> None:
        """Follow every name from the starting places."""
        self.callers: dict[Name, Name | None] = dict.fromkeys(begin)
        self._stop = stop
        self._left = list(self.callers)
        self._attributes: set[str] = set()
        self._waiting: dict[str, list[Name]] = {}
        while self._left:
            self._follow(self._left.pop())

    def _follow(self, caller: Name) -> None:
        names, attributes = _mentioned(caller)
        for each in names:
            self._add(each, caller)
        for method in () if caller.method else _methods(caller):
            if method in self._attributes:
                self._add(caller._replace(method=method), caller)
            else:
                self._waiting.setdefault(method, []).append(caller)
        for attribute in attributes - self._attributes:
            self._attributes.add(attribute)
            for each in self._waiting.pop(attribute, ()):
                self._add(each._replace(method=attribute), caller)

    def _add(self, name: Name, caller: Name) -> None:
        if name not in self.callers and not is_below(str(name), self._stop):
            self.callers[name] = caller
            self._left.append(name)

    def way(self, dotted: str) -> str:
        """Return the chain of callers from the start to a name."""
        steps = [Name(*dotted.rsplit(".", 1))]
        while (caller := self.callers.get(steps[-1])) is not None:
            steps.append(caller)
        return " → ".join(map(str, reversed(steps)))
