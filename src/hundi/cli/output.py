"""How commands take their common options, show results and fail: tables for people, JSON for scripts."""

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
import typer

from hundi.kernel.refusals import Refusal

DataDir = Annotated[str | None, typer.Option("--data-dir", help="Where the gateway's data lives (default .hundi).")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]

COPIED_MAX = 50
"""Characters of a value that is shown in one piece on the narrowest terminal."""


def fail(reason: str) -> typer.Exit:
    """Print why a command cannot be carried out and return the exit to raise (status 2)."""
    sys.stderr.write(reason + "\n")
    return typer.Exit(2)


def refused_words(refusal: Refusal) -> str:
    """Return why a command was refused, for whoever typed it."""
    return f"{refusal.field}: {refusal.received!r} cannot be used; {refusal.allowed or refusal.code.log_name}"


def show(result: Mapping[str, Any] | Sequence[Mapping[str, Any]], *, json: bool, title: str = "") -> None:
    """Print a result: one object as two columns, a list of objects as a table, or either as JSON."""
    if json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(result), indent=1).decode() + "\n")
        return
    from rich.console import Console  # noqa: PLC0415 (a JSON caller does not pay for it)
    from rich.table import Table  # noqa: PLC0415

    table = Table(title=title or None, title_justify="left", show_header=not isinstance(result, Mapping))
    if isinstance(result, Mapping):
        table.add_column("", style="bold")
        rows = [(str(name), _text(value)) for name, value in result.items()]
        # What is copied stays on one line, so in a narrow terminal the names are what is wrapped.
        table.add_column(
            "", overflow="fold", min_width=min(max((len(text) for _, text in rows), default=0), COPIED_MAX)
        )
        for row in rows:
            table.add_row(*row)
    else:
        names = list(result[0]) if result else ["nothing yet"]
        for name in names:
            table.add_column(name, overflow="fold")
        for row in result:
            table.add_row(*(_text(row[name]) for name in names))
    Console().print(table)


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return "\n".join(f"{name}: {each}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
