"""Reads the gateway's commands, their arguments and options, from the command line's own parser."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer
from typer.main import get_command

from hundi.cli import application
from hundi.infra import plugins

_LENGTH_MAX = 1_000
"""Of a command's first sentence: the whole of it."""


@dataclass(frozen=True, slots=True)
class CommandOption:
    """One option. names: as typed, such as `--json`. shown: with the kind of its value."""

    names: tuple[str, ...]
    shown: str
    words: str


@dataclass(frozen=True, slots=True)
class Command:
    """One command or group. path: such as ("hundi", "merchant", "add"); below: names under it."""

    path: tuple[str, ...]
    words: str
    text: str
    arguments: tuple[str, ...]
    options: tuple[CommandOption, ...]
    below: tuple[tuple[str, str], ...]


def commands(*, plugged: bool) -> Iterator[Command]:
    """Yield the gateway's commands, each group before what is below it.

    plugged: those of plug-ins, too.
    """
    root: Any = get_command(application())
    for name in () if plugged else plugins.commands():
        root.commands.pop(name, None)
    yield from _described(root, ("hundi",))


def _described(command: Any, path: tuple[str, ...]) -> Iterator[Command]:  # noqa: ANN401 (typer names no type of it)
    below = {
        name: each for name, each in getattr(command, "commands", {}).items() if not each.hidden
    }
    context = typer.Context(command, info_name=path[-1])
    options = [each for each in command.params if each.param_type_name == "option"]
    yield Command(
        path,
        _words(command),
        (command.help or "").strip(),
        tuple(
            piece
            for each in command.params
            if each.param_type_name == "argument"
            for piece in each.get_usage_pieces(context)
        ),
        tuple(_option(each, context) for each in options if not each.hidden),
        tuple((name, _words(each)) for name, each in below.items()),
    )
    for name, each in below.items():
        yield from _described(each, (*path, name))


def _words(command: Any) -> str:  # noqa: ANN401 (as above)
    return command.get_short_help_str(_LENGTH_MAX)


def _option(option: Any, context: typer.Context) -> CommandOption:  # noqa: ANN401 (as above)
    shown, words = option.get_help_record(context) or ("", "")
    return CommandOption(tuple(each for each in option.opts if each.startswith("--")), shown, words)
