"""`hundi api`, `worker`, `migrate`: the processes of a running gateway.

Imports are inside the functions, so that each process loads only its own code.
"""

import os
from pathlib import Path

from hundi.infra import plugins
from hundi.infra.monitoring.folder import reserve
from hundi.infra.postgres.roles import DATABASE, SIMBANK_DATABASE, DatabaseRole
from hundi.infra.processes import leave_no_core, load_without_gc, say
from hundi.infra.settings import Settings, SettingsError, load_settings
from hundi.infra.sockets import listen

MIGRATED = "migrated"
SPREAD = "--citus"
"""The option of `migrate` that spreads the tables over the workers of a Citus cluster."""


_DATABASES = {
    "api": {
        "HUNDI_DATABASE_URL": (DATABASE, DatabaseRole.GATEWAY),
        "HUNDI_CONSOLE_DATABASE_URL": (DATABASE, DatabaseRole.CONSOLE),
    },
    "metrics": {"HUNDI_DATABASE_URL": (DATABASE, DatabaseRole.GATEWAY)},
    "worker": {"HUNDI_DATABASE_URL": (DATABASE, DatabaseRole.WORKER)},
    "simbank": {"HUNDI_SIMBANK_DATABASE_URL": (SIMBANK_DATABASE, DatabaseRole.SIMBANK)},
}
"""Variable → (database, role) of the embedded server, for parts started alone beside it."""


def place(part: str, options: list[str]) -> dict[str, bool]:
    """Read `--data-dir DIR` and take its database, unless the settings name another.

    Return the arguments of the part's function: `migrate` also has `--citus`.
    """
    called_with = {"citus": True} if part == "migrate" and SPREAD in options else {}
    _take_folder(part, [option for option in options if not called_with or option != SPREAD])
    return called_with


def _take_folder(part: str, options: list[str]) -> None:
    if not options:
        return
    name, _, joined = options[0].partition("=")
    values = [joined, *options[1:]] if joined else options[1:]
    if name != "--data-dir" or len(values) != 1:
        message = (
            f"{' '.join(options)}: the only option is --data-dir DIR; everything else is a setting"
        )
        raise SettingsError(message)
    os.environ["HUNDI_DATA_DIR"] = values[0]
    from hundi.infra.embedded.server import running_url

    for variable, (database, role) in _DATABASES.get(part, {}).items():
        url = running_url(Path(values[0]), database, role)
        if url is not None:
            os.environ.setdefault(variable, url)


def _begin() -> None:
    """Prepare what every process of a running gateway needs before other imports."""
    leave_no_core()
    load_without_gc()
    if problem := reserve():
        say(problem)


def api() -> None:
    """Serve the interfaces and the payment page until stopped; SIGHUP puts new processes in place.

    This process watches those that serve, and is one of them where a supervisor passed a socket.
    """
    from hundi.cli.supervisor import watch_over
    from hundi.infra.http import server as http_server

    settings = load_settings()
    if settings.demo:
        plugins.check_demo()
    listening = http_server.handed_down()
    if listening is None:
        leave_no_core()
        watch_over(settings)
        return
    _begin()
    from hundi.gateway.app import build

    http_server.serve(build, listening)


def metrics() -> None:
    """Serve the counters of this machine's processes on a port of its own until stopped."""
    _begin()
    settings = load_settings()
    if not settings.metrics_port:
        message = "HUNDI_METRICS_PORT is not set: the gateway itself answers /metrics"
        raise SettingsError(message)
    from hundi.gateway.app import build_metrics
    from hundi.infra.http import server as http_server

    listening = http_server.handed_down() or listen(
        settings.host, settings.metrics_port, "HUNDI_METRICS_PORT"
    )
    http_server.serve(build_metrics, listening)


def worker() -> None:
    """Run deliveries, inquiries and schedules until stopped."""
    _begin()
    from hundi.gateway.worker import run

    run()


def migrate(*, citus: bool = False) -> None:
    """Migrate the database to the newest schema and rights; return the states before and after.

    citus: also spread its tables over the workers of its Citus cluster.
    """
    print(_bring_up(load_settings(), citus=citus, exact=True), flush=True)  # noqa: T201 (the command's result)


def _bring_up(settings: Settings, *, citus: bool = False, exact: bool = False) -> str:
    """Migrate the database of the settings; return the states. Raises OperatorError.

    exact: look at each right. A start does not, because its role may be unable to grant any.
    """
    import asyncio

    from hundi.cli.environments import SERVED_URL
    from hundi.infra.embedded.server import reach
    from hundi.infra.postgres.counter import check_counter
    from hundi.infra.postgres.database import connect
    from hundi.infra.postgres.migrate import check_same_database, newest
    from hundi.infra.postgres.migrate import migrate as bring_up

    others = {
        "HUNDI_DATABASE_URL": os.environ.get(SERVED_URL) or settings.database_url,
        "HUNDI_CONSOLE_DATABASE_URL": settings.console_database_url,
    }

    async def act(url: str) -> str:
        if url == settings.owner_database_url:
            await check_same_database(
                url, {name: other for name, other in others.items() if other and other != url}
            )
        before = await bring_up(url, spread=citus, exact=exact)
        connection = await connect(url)
        try:
            await check_counter(connection)
        finally:
            await connection.close()
        if not before.current:
            return f"migrated: from {before.revision or 'nothing'} to {newest()}"
        if citus:
            return f"nothing to migrate, at {newest()}; the tables are divided"
        return (
            f"nothing to do, at {newest()}"
            if before.granted
            else f"granted the roles their rights, at {newest()}"
        )

    url = settings.owner_database_url or settings.database_url
    if url is not None:
        return asyncio.run(act(url))
    with reach(settings.data_dir, DATABASE) as url:
        return asyncio.run(act(url))


def check_acquirers(settings: Settings) -> None:
    """Raise SettingsError unless every configured acquirer can be opened; none is called."""
    from hundi.acquirers.port.memory import ShortMemory
    from hundi.gateway.bootstrap import open_connectors

    open_connectors(settings, ShortMemory())


def prepare() -> None:
    """Migrate, prepare the keys and, for a demo, create its merchants and print `demo.json`.

    It is the first child of a supervisor, and ends before there is garbage worth a look.
    """
    load_without_gc()
    settings = load_settings()
    check_acquirers(settings)
    _bring_up(settings)
    print(MIGRATED, flush=True)  # noqa: T201 (what the supervisor waits for)
    _prepare_keys(settings)
    if settings.demo:
        _prepare_demo(settings)


def _prepare_keys(settings: Settings) -> None:
    """Create the first key of an empty database and open every acquirer.

    An error stops the start once, and not every child again and again.
    """
    import asyncio

    from hundi.acquirers.port.memory import ShortMemory
    from hundi.gateway.bootstrap import open_every_connector, open_keys
    from hundi.infra.postgres.database import STARTING_S_MAX, open_database

    async def act() -> None:
        url = settings.database_url or ""
        async with await open_database(url, pool_size=1, starting_s_max=STARTING_S_MAX) as db:
            vault = await open_keys(settings, db)
            async with open_every_connector(settings, db, vault, ShortMemory()):
                pass

    asyncio.run(act())


def _prepare_demo(settings: Settings) -> None:
    import asyncio
    import json

    document = asyncio.run(plugins.demo_merchants()(settings))
    print(json.dumps(document), flush=True)  # noqa: T201 (what the supervisor waits for)
