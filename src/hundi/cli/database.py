"""`hundi database`: the embedded server alone, its standby, and roles on your server."""

import asyncio
import sys
import time
from contextlib import ExitStack
from functools import partial
from typing import Annotated
from urllib.parse import quote

import typer

from hundi.cli.output import DataDir, Json, fail, show
from hundi.cli.progress import bar
from hundi.infra.embedded import exports, standbys
from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.embedded.cluster import PORT
from hundi.infra.embedded.roles import password_of
from hundi.infra.embedded.server import Listening, reach
from hundi.infra.postgres import counter
from hundi.infra.postgres.counter import TransactionCounter
from hundi.infra.postgres.database import connect
from hundi.infra.postgres.roles import DATABASE, SIMBANK_DATABASE, DatabaseRole, setup_text
from hundi.infra.processes import leave_if_asked, leaving_when_asked, say
from hundi.infra.settings import load_settings

app = typer.Typer(
    help="The database alone: run it, with a standby; its roles; move it.", no_args_is_help=True
)
_CHECK_S = 0.25
Place = Annotated[str, typer.Option(help="HOST:PORT to take connections on.")]


@app.command()
def roles(
    *, name: Annotated[str, typer.Option(help="The name of the database.")] = DATABASE
) -> None:
    """Print the SQL that makes the roles and the database.

    The rights are granted by `hundi migrate`.
    """
    sys.stdout.write(setup_text(name))


@app.command()
def serve(
    *,
    listen: Place,
    allow: Annotated[
        list[str],
        typer.Option(help="A network, such as 10.0.0.0/24, from which roles may connect."),
    ],
    standby_of: Annotated[
        str | None, typer.Option(help="HOST:PORT of the primary to follow.")
    ] = None,
    synchronous: Annotated[
        bool,
        typer.Option("--synchronous", help="Acknowledge a commit only when a standby has it, too."),
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Run the embedded database alone, as a primary or as a standby, until told to stop."""
    folder = load_settings(data_dir=data_dir).data_dir
    folder.mkdir(parents=True, exist_ok=True)
    host, port = _place(listen)
    if standby_of is not None and not (folder / "postgres").exists():
        say(f"copying the primary at {standby_of}")
        standbys.copy_primary(folder, *_place(standby_of))
    options = standbys.SYNCHRONOUS if synchronous else {}
    with (
        leaving_when_asked(),
        embedded_postgres.start(
            folder,
            databases=(DATABASE,),
            options=options,
            listening=Listening(host, port, tuple(allow)),
        ) as server,
    ):
        sys.stdout.write(f"ready on {host}:{port}\n")
        sys.stdout.flush()
        while True:
            server.keep_running(say)
            leave_if_asked()
            time.sleep(_CHECK_S)


@app.command()
def promote(*, data_dir: DataDir = None) -> None:
    """Make the standby that runs in a data directory the primary.

    The old one must not run any more.
    """
    folder = load_settings(data_dir=data_dir).data_dir
    began = time.monotonic()
    standbys.promote(folder)
    sys.stdout.write(f"promoted after {time.monotonic() - began:.2f} s\n")


@app.command()
def address(
    role: Annotated[DatabaseRole, typer.Argument(help="Whose address.")],
    *,
    servers: Annotated[
        str, typer.Option(help="HOST:PORT of each server, with commas between them.")
    ],
    data_dir: DataDir = None,
) -> None:
    """Print a role's address, password and all, for HUNDI_DATABASE_URL.

    It is that of the server which takes writes.
    """
    folder = load_settings(data_dir=data_dir).data_dir
    for each in servers.split(","):
        _place(each)
    if role is DatabaseRole.BACKUP:
        raise fail("this role opens no database")
    database = SIMBANK_DATABASE if role is DatabaseRole.SIMBANK else DATABASE
    sys.stdout.write(
        f"postgresql://{role}:{password_of(folder, role)}@{servers}/{quote(database)}\n"
    )


@app.command()
def export(*, data_dir: DataDir = None) -> None:
    """Write the embedded database as SQL for a server of your own; the gateway is stopped.

    After it: advance, migrate, audit (docs/database.md#move).
    """
    for line in exports.export(load_settings(data_dir=data_dir).data_dir):
        sys.stdout.buffer.write(line)


@app.command()
def advance(*, data_dir: DataDir = None, json: Json = False) -> None:
    """Bring the server's counter of transactions beyond the books, after they were copied as SQL.

    Nothing is written, and it may run at any time; where nothing is to be done, nothing is.
    """
    settings = load_settings(data_dir=data_dir)

    async def act(url: str) -> TransactionCounter:
        connection = await connect(url, statement_timeout="0")
        try:
            with bar("advancing", quiet=json) as move:
                return await counter.advance(connection, partial(move, "advancing"))
        finally:
            await connection.close()

    url = settings.owner_database_url or settings.database_url
    with ExitStack() as server:
        reached = url or server.enter_context(reach(settings.data_dir, DATABASE))
        state = asyncio.run(act(reached))
    show({"next": state.next, "books": state.newest}, json=json, title="Transactions")


def _place(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":") if ":" in text else (text, "", str(PORT))
    if not host or not port.isdigit():
        raise fail(f"{text} is not of the form HOST:PORT")
    return host, int(port)
