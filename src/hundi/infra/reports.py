"""What a process tells whoever started it: our supervisor by a pipe, systemd by its own protocol.

The words are those of sd_notify(3). A process that nobody listens to says nothing.
"""

import os
import socket
import time
from contextlib import suppress

PIPE = "REPORTS_PIPE"
"""The variable with the number of the pipe to a supervisor; no setting."""
BEAT_S = 2
"""How often a process that works says so."""
READY = "READY=1"
ALIVE = "WATCHDOG=1"
RELOADING = "RELOADING=1"
STOPPING = "STOPPING=1"
_HEARS_S_MAX = 1.0
"""How long we wait for room in systemd's queue, which holds ten reports; nobody stops for it."""
_SYSTEMD = "NOTIFY_SOCKET"
_SOCKETS, _SOCKETS_OF = "LISTEN_FDS", "LISTEN_PID"
_SOCKETS_FIRST = 3
OF_THIS_PROCESS = (PIPE, _SYSTEMD, _SOCKETS, _SOCKETS_OF, "LISTEN_FDNAMES", "WATCHDOG_USEC")
"""Variables that are meant for one process and for none of its children."""


def report(state: str) -> None:
    """Tell a state to whoever started this process; one who has gone away is not told."""
    if state == RELOADING:
        state += f"\nMONOTONIC_USEC={time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000}"
    number, address = os.environ.get(PIPE), os.environ.get(_SYSTEMD)
    with suppress(OSError):
        if number:
            os.write(int(number), f"{state}\n".encode())
        elif address:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
                systemd.settimeout(_HEARS_S_MAX)
                # A name that begins with @ is in no file system.
                systemd.connect("\0" + address[1:] if address.startswith("@") else address)
                systemd.send(state.encode())


def sockets_of_systemd() -> list[socket.socket]:
    """Return the open sockets that systemd passes to this process, often none.

    They outlive it: callers wait in their queues while it is started again.
    """
    if os.environ.get(_SOCKETS_OF) != str(os.getpid()):
        return []
    number = int(os.environ.get(_SOCKETS, "0"))
    return [socket.socket(fileno=each) for each in range(_SOCKETS_FIRST, _SOCKETS_FIRST + number)]


def without_addressee(environment: dict[str, str]) -> dict[str, str]:
    """Return an environment for a child: what was meant for this process is left out."""
    return {name: value for name, value in environment.items() if name not in OF_THIS_PROCESS}
