"""Ports, environment and processes of the machine that tests run gateways on."""

import os
import random
import socket
import ssl
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import psutil

from tests import citus

LIVELY: Mapping[str, str] = {
    "HUNDI_SIMBANK_PENDING_SECONDS": "2",
    "HUNDI_SIMBANK_DEEMED_SECONDS": "2.5",
    "HUNDI_SIMBANK_ENACH_SECONDS": "1",
    "HUNDI_SIMBANK_COLLECT_SECONDS": "0.3",
    "HUNDI_SIMBANK_HOLD_SECONDS": "1",
}
"""The simulator's waits, cut short, so that they end before the first inquiry at 3 seconds.

What they end in stays the same.
"""

TRUSTED = ssl.create_default_context(cafile=Path(__file__).parents[1] / "certificates.pem")
"""Whom clients trust that take nothing from the environment: nobody.

Each would read the world's certificates otherwise, in a fiftieth of a second of a core.
"""


def database_on_cluster(data_dir: Path, given: Mapping[str, str]) -> dict[str, str]:
    """Return the setting of a database on the tests' Citus cluster, if the test takes one."""
    cluster = citus.cluster()
    if cluster is None or "HUNDI_DATABASE_URL" in given:
        return {}
    return {"HUNDI_DATABASE_URL": cluster.url_of(str(data_dir))}


def last_word(process: psutil.Process) -> str:
    """Return the last argument of a process, "" when it has ended since it was found.

    Sessions of PostgreSQL come and go.
    """
    try:
        return (process.cmdline() or [""])[-1]
    except psutil.NoSuchProcess:
        return ""


_RESERVED: list[socket.socket] = []
"""Names in the kernel's list that end with this process.

Who has one has the port of that number.
"""


def free_port() -> int:
    """Return a port nobody listens on, which no other process of tests is given meanwhile.

    It is below the range the kernel gives to outgoing connections, so that none takes it meanwhile.
    """
    for port in random.sample(range(20_000, 32_000), 200):
        with ExitStack() as given_up, socket.socket() as probe:
            name = given_up.enter_context(socket.socket(socket.AF_UNIX))
            try:
                name.bind(f"\0hundi-test-port-{port}")
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            given_up.pop_all()
            _RESERVED.append(name)
            return port
    message = "no free port"
    raise RuntimeError(message)


def clean_environment() -> dict[str, str]:
    """Return this process's environment without any setting of a gateway."""
    return {name: value for name, value in os.environ.items() if not name.startswith("HUNDI_")}
