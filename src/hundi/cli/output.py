"""Common options, results and failures of commands.

Tables for people, JSON for scripts.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
import typer

from hundi.infra.settings import Settings

ID_MAX = 10**15
"""The largest number of anything; every column holds it."""
_DATABASE_FOLDER = "postgres"

DataDir = Annotated[
    str | None, typer.Option("--data-dir", help="Where the gateway's data lives (default .hundi).")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
MerchantId = Annotated[int, typer.Argument(min=1, max=ID_MAX, help="The merchant's id.")]


def fail(reason: str) -> typer.Exit:
    """Print why a command cannot be done and return the exit to raise (status 2)."""
    sys.stderr.write(reason + "\n")
    return typer.Exit(2)


def has_data(settings: Settings) -> bool:
    """Return whether a gateway's database exists."""
    return settings.database_url is not None or (settings.data_dir / _DATABASE_FOLDER).exists()


def check_data(settings: Settings) -> None:
    """Exit unless a gateway's database exists: a mistyped folder must not create another."""
    if not has_data(settings):
        raise fail(
            f"there is no gateway's data in {settings.data_dir}: say where it is with --data-dir"
        )


def show(
    result: Mapping[str, Any] | Sequence[Mapping[str, Any]], *, json: bool, title: str = ""
) -> None:
    """Print a result for people, or as JSON with times as ISO 8601 in UTC."""
    if json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(result), indent=1).decode() + "\n")
        return
    from hundi.cli import tables

    tables.draw(result, title)
