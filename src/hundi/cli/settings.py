"""`hundi settings`: the settings of the gateway, and a sample of their file."""

import sys
from typing import Annotated

import typer

from hundi.cli.output import DataDir, Json, show
from hundi.infra.settings import load_settings


def settings(
    *,
    example: Annotated[
        bool, typer.Option("--example", help="Print a sample of the settings file instead.")
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show every setting as it is read from environment, credentials and file, secrets masked."""
    if example:
        from hundi.infra.settings_described import sample

        sys.stdout.write(sample())
        return
    show(load_settings(data_dir=data_dir).masked(), json=json, title="Settings")
