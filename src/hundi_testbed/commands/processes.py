"""`hundi simbank`, and the child of `hundi serve` that makes a demo's history.

Imports are inside the functions, so that each process loads only its own code.
"""

import os

from hundi.infra.settings import load_settings


def simbank() -> None:
    """Run the simulated bank network alone.

    It is one process, because it counts injected faults in memory.
    """
    from hundi.infra.processes import load_without_gc
    from hundi.infra.sockets import listen

    load_without_gc()
    from hundi.infra.http import server
    from hundi_testbed.bank.app import build

    settings = load_settings()
    server.serve(
        build,
        server.handed_down() or listen(settings.host, settings.simbank_port, "HUNDI_SIMBANK_PORT"),
    )


def history() -> None:
    """Fill a demo that has no payments with the weeks before today, and print how far that is."""
    import asyncio

    from hundi.infra import logs
    from hundi_testbed.demo.history.run import make_history
    from hundi_testbed.demo.past import DAYS

    days = int(os.environ.pop(DAYS))
    logs.configure("error")

    def told(days_done: int, of: int) -> None:
        print(f"{days_done} {of}", flush=True)  # noqa: T201 (what the supervisor tells the operator)

    asyncio.run(make_history(load_settings(), days, told))
