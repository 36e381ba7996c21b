"""`hundi mcp serve`: the server for assistants."""

import asyncio
import os
from functools import partial
from typing import Annotated

import typer

from hundi.cli.context import is_demo, verb_context
from hundi.cli.output import DataDir, check_data, fail
from hundi.gateway.bootstrap import (
    OperatorContext,
    following,
    open_directory,
    open_keys,
    open_operator_database,
)
from hundi.infra.demo_clock import actions as demo_clock
from hundi.infra.postgres.roles import DatabaseRole
from hundi.infra.settings import Settings, load_settings
from hundi.verbs.payment import list_of

KEY = "HUNDI_MCP_KEY"
"""The variable with the key of the assistant on standard input and output."""
PORT = 8808
HostNames = Annotated[
    list[str] | None,
    typer.Option(
        "--host-name", help="A value of Host that is allowed besides; repeat for several."
    ),
]
Origins = Annotated[
    list[str] | None,
    typer.Option("--origin", help="A value of Origin that is allowed; repeat for several."),
]


def serve(
    *,
    http: Annotated[
        bool, typer.Option("--http", help="Over HTTP, for several assistants, with bearer keys.")
    ] = False,
    host: Annotated[str, typer.Option(help="With --http: the address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=1, max=65_535, help="With --http: the port to listen on.")
    ] = PORT,
    host_names: HostNames = None,
    origin: Origins = None,
    data_dir: DataDir = None,
) -> None:
    """Serve assistants by the Model Context Protocol, over standard input and output.

    The assistant's key is in HUNDI_MCP_KEY; over HTTP each request brings its own as a bearer key.
    Tools read the books, and propose what another person decides in the console.
    """
    settings = load_settings(data_dir=data_dir)
    check_data(settings)
    key = os.environ.get(KEY, "")
    if not http and not key:
        raise fail(f"{KEY} is not set: `hundi mcp key add` makes a key")
    try:
        asyncio.run(
            _serve(settings, key, (host, port, host_names or [], origin or []) if http else None)
        )
    except KeyboardInterrupt:
        return


async def _serve(
    settings: Settings, key: str, http: tuple[str, int, list[str], list[str]] | None
) -> None:
    # The server with its library is loaded here: `hundi mcp key` works without the extra.
    from hundi.assistants.calls import AssistantDesk
    from hundi.assistants.server import serve_http, serve_stdio

    async with open_operator_database(settings, DatabaseRole.CONSOLE) as db:
        vault = await open_keys(settings, db)
        if is_demo(settings):
            await demo_clock.follow(db)
        context = OperatorContext(settings, db, vault, open_directory(db, vault))
        desk = AssistantDesk(db, vault, partial(verb_context, context, list_of))
        async with following(vault.follow()):
            if http is None:
                await serve_stdio(desk, key)
            else:
                await serve_http(desk, *http)


COMMANDS = {"serve": serve}
