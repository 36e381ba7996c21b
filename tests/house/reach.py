"""Which of our functions can call which, by name: from where a process begins to the statements that it can run.

A name that is mentioned counts as called, so callbacks that are handed over are followed. Methods are reached with
their class. The narrow look follows no annotations: what it finds can be called, but a call of a value's method is not
seen. The wide look follows them: it finds every call, and some that are never made.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from tests.house.source import Source, ours

_PACKAGE = "hundi"
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


class Name(NamedTuple):
    """A function, class or constant of a module."""

    module: str
    own: str

    def __str__(self) -> str:
        """Return the whole dotted name."""
        return f"{self.module}.{self.own}"


class _Module:
    """What a module defines on its top, and what it imports of ours by which name."""

    def __init__(self, tree: ast.Module) -> None:
        self.defined: dict[str, ast.AST] = {}
        self.imported: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_PACKAGE):
                self.imported |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
        for node in tree.body:
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    self.defined[name] = node
                case ast.Assign(targets=targets):
                    names = (each for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))
                    self.defined |= dict.fromkeys((each.id for each in names), node)
                case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
                    self.defined[name] = node
                case _:
                    pass


@cache
def _modules() -> Mapping[str, _Module]:
    return {module_of(source): _Module(source.tree) for source in ours()}


def module_of(source: Source) -> str:
    """Return by which name a file of ours is imported."""
    parts = source.name.removeprefix("src/").removesuffix(".py").split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def meant(module: str, node: ast.AST) -> Name | str | None:
    """Return what a name, or one of a module of ours, means within a module; None for anything else."""
    known = _modules()[module]
    if isinstance(node, ast.Name):
        return Name(module, node.id) if node.id in known.defined else _meant(known, node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return _resolved(f"{_meant(known, node.value.id)}.{node.attr}")
    return None


def _resolved(dotted: str) -> Name | str | None:
    """Return what a dotted name means: a module, or something in one; None for what is not ours."""
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


def _bodies(node: ast.AST, *, wide: bool) -> Iterator[ast.AST]:
    """Yield what runs: bodies, defaults and decorators; with a wide look annotations, too."""
    if wide:
        yield node
        return
    if isinstance(node, _FUNCTION):
        yield from node.body
        yield from node.decorator_list
        yield from (each for each in (*node.args.defaults, *node.args.kw_defaults) if each is not None)
    elif isinstance(node, ast.ClassDef):
        yield from node.bases
        for each in node.body:
            yield from _bodies(each, wide=wide)
    elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        yield node.value


@cache
def _mentioned(name: Name, *, wide: bool) -> frozenset[Name]:
    module = _modules()[name.module]
    found: set[Name] = set()
    for body in _bodies(module.defined[name.own], wide=wide):
        for node in ast.walk(body):
            if isinstance(node, ast.Name) and node.id in module.defined:
                found.add(Name(name.module, node.id))
            elif isinstance(node, ast.Name) and isinstance(meant := _meant(module, node.id), Name):
                found.add(meant)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                whole = _meant(module, node.value.id)
                meant = _resolved(f"{whole}.{node.attr}") if isinstance(whole, str) else whole
                if isinstance(meant, Name):
                    found.add(meant)
    return frozenset(found)


def _meant(module: _Module, name: str) -> Name | str | None:
    return _resolved(module.imported[name]) if name in module.imported else None


def of(*folders: str, but: tuple[str, ...] = ()) -> list[Name]:
    """Return everything on top of the modules of some folders, where processes begin. but: modules left out."""
    return [
        Name(module, own)
        for module, known in _modules().items()
        if any(f"{module}.".startswith(f"{folder}.") for folder in folders) and module not in but
        for own in known.defined
    ]


def reached(
    begin: Iterable[Name], stop: frozenset[str] = frozenset(), *, wide: bool = False
) -> dict[Name, Name | None]:
    """Return everything that can be called from some places, with who calls it. stop: names that are not followed."""
    found: dict[Name, Name | None] = dict.fromkeys(begin)
    left = list(found)
    while left:
        caller = left.pop()
        for each in _mentioned(caller, wide=wide):
            if each not in found and str(each) not in stop:
                found[each] = caller
                left.append(each)
    return found


def way(found: Mapping[Name, Name | None], name: Name) -> str:
    """Return how a name is reached, from where the process begins."""
    steps = [name]
    while (caller := found.get(steps[-1])) is not None:
        steps.append(caller)
    return " → ".join(map(str, reversed(steps)))
