"""`hundi api`, `worker`, `simbank`, `migrate`: the parts of a running gateway, each a process of its own.

Imports stand inside the functions: a part pays for what it runs and for nothing else.
"""

import os
import signal
from importlib import import_module
from typing import Any

from hundi.infra.processes import end_with_parent
from hundi.infra.settings import Settings, load_settings

MIGRATED = "migrated"
_DRAIN_S = 10
_CONNECTIONS_WAITING_MAX = 1_024


def api() -> None:
    """Serve the interfaces and the payment page until told to stop."""
    settings = load_settings()
    _serve_asgi("hundi.app:build", settings.host, settings.port, settings.workers)


def worker() -> None:
    """Run deliveries, inquiries and schedules until told to stop."""
    from hundi.worker import run  # noqa: PLC0415

    run()


def simbank() -> None:
    """Serve the simulated bank network until told to stop; one process, because its dial lives in memory."""
    settings = load_settings()
    _serve_asgi("hundi.simbank.app:build", settings.host, settings.simbank_port, workers=1)


def migrate() -> None:
    """Bring the database to the newest schema."""
    import asyncio  # noqa: PLC0415

    from hundi.infra.embedded_postgres import reach  # noqa: PLC0415
    from hundi.infra.migrate import migrate as bring_up  # noqa: PLC0415

    settings = load_settings()
    if settings.database_url is not None:
        asyncio.run(bring_up(settings.database_url))
        return
    with reach(settings.data_dir, "hundi") as url:
        asyncio.run(bring_up(url))


def prepare() -> None:
    """Migrate and, for a demo, make its merchants and print the content of `demo.json`: a supervisor's first child."""
    settings = load_settings()
    migrate()
    print(MIGRATED, flush=True)  # noqa: T201 (what the supervisor waits for)
    if settings.demo:
        _prepare_demo(settings)


def _prepare_demo(settings: Settings) -> None:
    import asyncio  # noqa: PLC0415
    import json  # noqa: PLC0415

    from hundi.bootstrap import prepare_demo  # noqa: PLC0415

    document = asyncio.run(prepare_demo(settings))
    print(json.dumps(document), flush=True)  # noqa: T201 (what the supervisor waits for)


def _serve_asgi(target: str, host: str, port: int, workers: int) -> None:
    from granian import Granian  # noqa: PLC0415
    from granian.constants import HTTPModes, Interfaces, Loops  # noqa: PLC0415
    from granian.log import LogLevels  # noqa: PLC0415

    Granian(
        target,
        address=host,
        port=port,
        interface=Interfaces.ASGI,
        workers=workers,
        loop=Loops.uvloop,
        http=HTTPModes.http1,
        websockets=False,
        backlog=_CONNECTIONS_WAITING_MAX,
        respawn_failed_workers=True,
        workers_kill_timeout=_DRAIN_S,
        log_access=False,
        log_level=LogLevels.warning,
        # Its lines go where ours go, through the same redaction.
        log_dictconfig={"loggers": {"_granian": {"handlers": [], "propagate": True}}},
    ).serve(target_loader=_load_in_worker)


def _load_in_worker(target: str) -> Any:  # noqa: ANN401 (any ASGI application)
    """Build the application inside granian's worker process, which must not outlive granian's main process."""
    end_with_parent(os.getppid())
    # Inherited from granian's main process, where a signal is only noted; while this one still loads, it must end it.
    for word in (signal.SIGTERM, signal.SIGINT):
        signal.signal(word, signal.SIG_DFL)
    module, _, factory = target.partition(":")
    return getattr(import_module(module), factory)()
