"""`hundi database`: the database's roles on a server of your own."""

import sys
from typing import Annotated

import typer

from hundi.infra.roles import setup_text

app = typer.Typer(help="The database: its roles on a server of your own.", no_args_is_help=True)


@app.callback()
def database() -> None:
    """Keep the verb's name while there is only one."""


@app.command()
def roles(*, name: Annotated[str, typer.Option(help="The name of the database.")] = "hundi") -> None:
    """Print the SQL that makes the roles and the database; the rights are granted by `hundi migrate`."""
    sys.stdout.write(setup_text(name))
