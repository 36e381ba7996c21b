"""Whatever leaves the console as a file leaves by one door, which writes who took what away."""

import ast
import importlib
import inspect
from collections.abc import AsyncIterator, Iterator
from types import FunctionType
from typing import TYPE_CHECKING, cast

import pytest

from hundi.console import downloads, verb_pages
from hundi.console.downloads import Download
from hundi.console.guard import ConsoleRoute
from hundi.console.routing import PAGES, all_routes
from hundi.console.trail_words import act_words
from tests.house.source import ROOT

if TYPE_CHECKING:
    from hundi.console.visits import ConsoleVisit

CONSOLE = ROOT / "src" / "hundi" / "console"
NOTHING_OF_ANYBODY = {"links/file/example": "a file of made-up customers, to be filled in"}
PICTURES = {"brand", "link_page"}
"""Modules that answer with pictures for pages: a logo, and the QR of a link that is shared."""
LEAVE, UNRECORDED = "leave", "unrecorded"


def _calls(module: str, name: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the doors that a function reaches, also by functions of its module or of `lists`."""
    path = CONSOLE / f"{module}.py"
    if name in seen or not path.exists():
        return
    for part in ast.walk(ast.parse(path.read_text())):
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) or part.name != name:
            continue
        for call in ast.walk(part):
            if not isinstance(call, ast.Call):
                continue
            target = call.func
            called = target.id if isinstance(target, ast.Name) else getattr(target, "attr", "")
            if called in {LEAVE, UNRECORDED}:
                yield called
            elif called == "exported":
                yield from _calls("lists", called, seen | {name})
            elif isinstance(target, ast.Name):
                yield from _calls(module, called, seen | {name})


def doors() -> dict[str, set[str]]:
    """Return the doors of each route by which a file leaves."""
    found: dict[str, set[str]] = {}
    for route in all_routes():
        handler = getattr(route.handler, "__func__", route.handler)
        if not isinstance(handler, FunctionType):
            continue
        module = handler.__module__.rpartition(".")[2]
        if reached := set(_calls(module, handler.__name__)):
            found[route.path] = reached
    return found


def test_every_route_with_a_file_writes_into_the_trail() -> None:
    found = doors()
    assert len(found) >= 10, "the walk finds the lists' exports, reports, papers and evidence"
    assert any(path.startswith("reports/") for path in found)
    quiet = {path for path, reached in found.items() if reached != {LEAVE}}
    assert quiet == set(NOTHING_OF_ANYBODY)
    named = {route.path for route in all_routes() if route.path.endswith(("/export", "/file"))}
    assert {path for path in named if _is_read(path)} <= set(found)


def _is_read(path: str) -> bool:
    return any(
        route.method == "GET" and route.path == path and route.path != "links/file"
        for route in all_routes()
    )


def test_no_file_leaves_by_another_door() -> None:
    for path in sorted(CONSOLE.rglob("*.py")):
        text = path.read_text()
        if path.stem == "downloads":
            continue
        assert "content-disposition" not in text.lower(), path.stem
        assert "Stream(" not in text, path.stem
        if path.stem not in PICTURES | {"render"}:
            assert "media_type=" not in text, path.stem


def test_every_act_of_taking_away_is_said_in_words() -> None:
    acts = {
        part.value
        for module in PAGES
        for part in ast.walk(ast.parse(inspect.getsource(importlib.import_module(module.__name__))))
        if isinstance(part, ast.Constant)
        and isinstance(part.value, str)
        and part.value.endswith((".export", ".fetch", ".read", ".read_paper"))
    }
    assert {"report.fetch", "link.export", "dispute.read"} <= acts
    for act in acts:
        assert ": " not in act_words(act), act


class _Visit:
    """Keeps what is recorded."""

    def __init__(self) -> None:
        self.entries: list[tuple[object, ...]] = []

    async def record(self, act: str, about: object, **detail: object) -> None:
        self.entries.append((act, about, detail))


@pytest.mark.parametrize("size", [None, 3])
async def test_a_file_is_recorded_and_never_run(size: int | None) -> None:
    async def parts() -> AsyncIterator[bytes]:
        yield b"a,b"

    visit = _Visit()
    file = Download("x.csv", downloads.CSV, parts(), size)
    answer = await downloads.leave(cast("ConsoleVisit", visit), file, "x.export", 7, days="2")
    assert visit.entries == [("x.export", 7, {"days": "2"})]
    assert answer.headers["content-disposition"] == 'attachment; filename="x.csv"'
    assert answer.headers.get("content-length") == (str(size) if size else None)


def test_routes_are_declared_as_functions_or_forms() -> None:
    for route in all_routes():
        assert isinstance(route, ConsoleRoute)
        if route.method == "GET":
            handler = getattr(route.handler, "__func__", route.handler)
            # What verbs are made into draws pages alone.
            is_of_verb = type(handler).__module__ == verb_pages.__name__
            assert is_of_verb or isinstance(handler, FunctionType), route.path
