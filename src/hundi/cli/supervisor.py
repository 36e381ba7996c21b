"""Watches over the processes that serve the interfaces and the payment page: `hundi api`."""

import os
import signal
import sys
import time
from contextlib import ExitStack
from types import FrameType

from hundi.infra.processes import (
    DRAIN_S,
    LEAVE,
    PYTHON,
    ProcessGroup,
    exempt_loaded_objects_from_gc,
    leaving_when_asked,
    say,
)
from hundi.infra.reports import (
    ALIVE,
    BEAT_S,
    READY,
    RELOADING,
    STOPPING,
    report,
    sockets_of_systemd,
)
from hundi.infra.settings import Settings, SettingsError
from hundi.infra.sockets import listen_each

_SILENCE_S_MAX = 60.0
"""How long a process that serves may report nothing before it is started again."""


class Supervisor:
    """The processes that serve, and how to put new ones in their place while all is served."""

    def __init__(self, group: ProcessGroup) -> None:
        """Watch over a group whose children serve already."""
        self._group = group
        self._reload_wanted = False
        self._reported_at = 0.0

    def ask_for_reload(self, _number: int, _frame: FrameType | None) -> None:
        """Remember a signal that asks for new processes."""
        self._reload_wanted = True

    def stay(self) -> None:
        """Keep every process running until an exception is raised."""
        report(READY)
        self._group.stay(self._look)

    def _look(self) -> None:
        self._beat()
        if self._reload_wanted:
            self._reload_wanted = False
            report(RELOADING)
            self._group.replace(self._beat)
            report(READY)

    def _beat(self) -> None:
        now = time.monotonic()
        if now - self._reported_at > BEAT_S:
            report(ALIVE)
            self._reported_at = now


def watch_over(settings: Settings) -> None:
    """Run the processes that serve, each on a socket of its own, until told to stop.

    SIGHUP puts new ones in their place. Ends with the status of one that cannot start.
    """
    with leaving_when_asked(), ExitStack() as stack:
        passed = sockets_of_systemd()
        opened = passed or listen_each(settings.host, settings.port, settings.workers)
        sockets = [stack.enter_context(each) for each in opened]
        if len(sockets) > settings.workers:
            message = (
                f"systemd passes {len(sockets)} sockets to {settings.workers} processes: set"
                f" HUNDI_WORKERS to {len(sockets)} or more"
            )
            raise SettingsError(message)
        group = ProcessGroup(os.environ, say, _SILENCE_S_MAX)
        # Sockets of systemd outlive this process: whoever waits there is served by the next one.
        stack.callback(group.stop, DRAIN_S, LEAVE if passed else signal.SIGTERM)
        # First of all at the end: while this process holds a socket open, callers are let into its
        # queue after the last child has left it.
        for each in sockets:
            stack.callback(each.close)
        for number in range(settings.workers):
            group.start("api", [*PYTHON, "api"], sockets[number % len(sockets)])
        status = group.await_ready()
        if status is not None:
            sys.exit(status if status > 0 else 1)
        stack.callback(report, STOPPING)
        supervisor = Supervisor(group)
        # Closing a terminal sends this signal, too; there it ends the gateway.
        if not sys.stdin.isatty():
            signal.signal(signal.SIGHUP, supervisor.ask_for_reload)
        exempt_loaded_objects_from_gc()
        supervisor.stay()
