"""A verb is declared once: what neither door makes from a declaration is named here, with why."""

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from hundi.cli import _COMMANDS, application
from hundi.console.guard import Access, ConsoleRoute
from hundi.console.routing import all_routes
from hundi.console.verb_forms import VerbForm
from hundi.console.verb_pages import VerbDeed
from hundi.verbs.parameters import parameters_of
from hundi.verbs.table import all_verbs
from hundi.verbs.verb import OperatorVerb

_PROCESS = "runs a process of the gateway, or prepares one"
_MACHINE = "works on the machine's files and keys, whoever the people are"
_MERCHANT = "calls or reads as a merchant's server: made from the operations of the wire"
_LABORATORY = "changes the simulated registers and cards, which are outside the gateway"
_SECRETS = "asks for secrets one by one on the terminal, which nobody types into a page"
_UPGRADE = "takes over, after an upgrade, what nothing proves"
_FILES = "reads or writes files of the machine"
_NOT_YET = "not declared yet"
COMMANDS_BY_HAND: dict[str, str] = {
    **dict.fromkeys(("serve", "api", "worker", "metrics", "simbank", "migrate"), _PROCESS),
    **dict.fromkeys(("database", "settings", "simulate", "page"), _PROCESS),
    **dict.fromkeys(("keys", "archive", "scrub", "backup", "restore", "audit"), _MACHINE),
    **dict.fromkeys(("call", "listen", "envelope"), _MERCHANT),
    **dict.fromkeys(("register", "card"), _LABORATORY),
    **dict.fromkeys(("acquirer add", "acquirer rotate"), _SECRETS),
    "staff mark": _UPGRADE,
    **dict.fromkeys(("payout export", "payout import"), _FILES),
    **dict.fromkeys(
        ("route", "risk", "acquirer", "reconcile"),
        _NOT_YET,
    ),
    **dict.fromkeys(
        ("dispute", "report"),
        _NOT_YET,
    ),
    **dict.fromkeys(("staff"), _NOT_YET),
}
"""Commands, or all of a noun, that no declaration makes, and why."""


def commands() -> Iterator[tuple[str, Any]]:
    """Yield each command by its whole name."""
    waiting = [(noun, get_command(application(noun)).commands[noun]) for noun in _COMMANDS]
    while waiting:
        name, command = waiting.pop()
        verbs = getattr(command, "commands", {})
        waiting += [(f"{name} {verb}", each) for verb, each in verbs.items()]
        if not verbs:
            yield name, command


def by_hand(name: str) -> str:
    """Return the entry of the list that names a command, "" where none does."""
    words = name.split(" ")
    places = [" ".join(words[:length]) for length in range(1, len(words) + 1)]
    return next((place for place in reversed(places) if place in COMMANDS_BY_HAND), "")


def is_made(command: Any) -> bool:
    """Return whether a command is made from a declaration."""
    return isinstance(getattr(command.callback, "verb", None), OperatorVerb)


def test_every_command_is_made_from_a_verb_or_says_why_not() -> None:
    found = dict(commands())
    assert {
        name for name, each in found.items() if not is_made(each) and not by_hand(name)
    } == set()
    used = {by_hand(name) for name, each in found.items() if not is_made(each)}
    assert used == set(COMMANDS_BY_HAND), "what is declared by now is not by hand any more"
