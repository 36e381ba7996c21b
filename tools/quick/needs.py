"""The needs of each Python file of the repository: imports, modules loaded by name, and packages.

grimp knows the imports of packages, as for the import contracts. It does not read folders without
`__init__.py`, so imports of tests and tools are read from their text.
"""

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import grimp

from tools.quick.scripts import Script

_LOADERS = ("import_module", "entry_points")
"""Functions that load modules by name."""

Needs = Mapping[str, frozenset[str]]
"""The files that each file directly needs."""


def needs_of(root: Path, scripts: Sequence[Script]) -> Needs:
    """Return the needs of each Python file, by paths from the root. scripts: tests and tools."""
    settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    roots = settings["tool"]["importlinter"]["root_packages"]
    folders = {name: f"src/{name}" for name in roots}
    graph = grimp.build_graph(*folders, exclude_type_checking_imports=True, cache_dir=None)
    paths = {name: _path(root, folders, name) for name in graph.modules}
    paths |= {_dotted(script.path): script.path for script in scripts}
    entry_points = _entry_points(root)
    needed: dict[str, set[str]] = defaultdict(set)
    for module in graph.modules:
        names = {
            *graph.find_modules_directly_imported_by(module),
            *_loaded_by_name((root / paths[module]).read_text("utf-8"), paths, entry_points),
        }
        needed[paths[module]] |= {*_known(paths, names)}
    for script in scripts:
        needed[script.path] |= {*_known(paths, script.imports)}
    for name, path in paths.items():
        needed[path] |= {*_known(paths, _packages(name))}
    return {path: frozenset(others - {path}) for path, others in needed.items()}


def _entry_points(root: Path) -> Mapping[str, Mapping[str, str]]:
    """Return the entry points of all distributions of the repository, by group and name."""
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for file in (root / "pyproject.toml", *root.glob("*/pyproject.toml")):
        project = tomllib.loads(file.read_text("utf-8")).get("project", {})
        for group, points in project.get("entry-points", {}).items():
            groups[group] |= points
    return groups


def _path(root: Path, folders: Mapping[str, str], module: str) -> str:
    """Return the path of a package's module."""
    package, *rest = module.split(".")
    path = "/".join((folders[package], *rest))
    return f"{path}/__init__.py" if (root / path / "__init__.py").exists() else f"{path}.py"


def _dotted(path: str) -> str:
    """Return the module name of a script; a package has its folder's."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _known(paths: Mapping[str, str], names: Iterable[str]) -> Iterator[str]:
    return (paths[name] for name in names if name in paths)


def _packages(name: str) -> Iterator[str]:
    """Yield the packages around a module, which are loaded before it."""
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def _loaded_by_name(
    source: str, names: Iterable[str], entry_points: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Yield the modules that a module loads by name, by a name's beginning, or by entry point."""
    if not any(loader in source for loader in _LOADERS):
        return
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        text = node.value
        yield text.partition(":")[0]
        yield from (point.partition(":")[0] for point in entry_points.get(text, {}).values())
        if text.endswith("."):
            yield from (name for name in names if name.startswith(text))
