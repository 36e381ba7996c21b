"""Commands, processes and the demo of other distributions, found by entry points.

`hundi-testbed` brings all three. The gateway imports nothing of it.
"""

from collections.abc import Callable, Coroutine, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hundi.infra.errors import OperatorError

if TYPE_CHECKING:
    from litestar import Router

    from hundi.infra.settings import Settings

COMMANDS = "hundi.commands"
"""The group of commands: `hundi NAME` is a function, or a Typer application of several verbs."""
PROCESSES = "hundi.processes"
"""The group of processes: functions that `hundi NAME` runs without Typer until stopped."""
DEMO = "hundi.demo"
"""The group of the demo's parts: `merchants`, `shop` and `history`."""
TESTBED = "hundi-testbed"
OF_TESTBED = frozenset({"history", "simbank", "simulate"})
"""Commands and processes of the test bed: without it the operator is told what to install."""


class DemoHistory(Protocol):
    """The demo's history, made by a child of the supervisor.

    told: what the other children are told of it. bank_told: and the bank alone. wanted: whether it
    still has to be made.
    """

    told: dict[str, str]
    bank_told: dict[str, str]
    wanted: bool

    def start(self, environment: Mapping[str, str]) -> None:
        """Begin to make the history."""

    def tend(self) -> None:
        """Print the progress, and let the other children continue when it has ended."""

    def stop(self) -> None:
        """Stop making the history."""


def commands() -> Mapping[str, EntryPoint]:
    """Return the entry points of other distributions' commands by name, without loading any."""
    return _points(COMMANDS)


def process(name: str) -> Callable[[], object] | None:
    """Return a process of another distribution by its name, or None."""
    point = _points(PROCESSES).get(name)
    return point.load() if point else None


def check_command(name: str) -> None:
    """Raise OperatorError for a command of the test bed that is not installed."""
    if name in OF_TESTBED and name not in _points(COMMANDS) | _points(PROCESSES):
        raise _missing(f"hundi {name}")


def check_demo() -> None:
    """Raise OperatorError unless a demo is installed."""
    _demo("merchants")


def demo_merchants() -> "Callable[[Settings], Coroutine[Any, Any, dict[str, Any]]]":
    """Return the function that makes the demo's merchants and the content of `demo.json`."""
    return _demo("merchants").load()


def demo_shop() -> "Callable[[Settings], Router]":
    """Return the function that makes the routes of the demo's shop."""
    return _demo("shop").load()


def demo_history() -> Callable[[Path, int], DemoHistory]:
    """Return the function that makes a number of days of history in a data directory."""
    return _demo("history").load()


def _demo(part: str) -> EntryPoint:
    """Return the entry point of a part of the demo. Raises OperatorError."""
    point = _points(DEMO).get(part)
    if point is None:
        what = "a demo"
        raise _missing(what)
    return point


def _points(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=group)}


def _missing(what: str) -> OperatorError:
    message = (
        f"{what} needs the distribution {TESTBED}, which is not installed: "
        f"pip install {TESTBED}, or pip install ./testbed in the repository"
    )
    return OperatorError(message)
