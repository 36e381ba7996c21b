"""A whole gateway as an operator runs it: `hundi serve --demo` on free ports, for tests that come from outside."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

READY_S_MAX = 60.0
STOP_S_MAX = 30.0
_POLL_S = 0.05
_HUNDI = (sys.executable, "-m", "hundi.cli")


@dataclass(frozen=True)
class Running:
    """A gateway that answers. demo: the content of its `demo.json`."""

    process: subprocess.Popen[bytes]
    data_dir: Path
    demo: Mapping[str, Any]

    def hundi(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the operator on this gateway's data."""
        command = [*_HUNDI, *arguments, "--data-dir", str(self.data_dir)]
        return subprocess.run(
            command, env=clean_environment(), capture_output=True, text=True, timeout=STOP_S_MAX, check=False
        )


@contextmanager
def running_gateway(data_dir: Path, *arguments: str, **settings: str) -> Iterator[Running]:
    """Start `hundi serve --demo`, yield it once it is ready, and stop it with everything it started.

    arguments: further options of the command. settings: further `HUNDI_*` variables by their full names.
    """
    port, simbank_port = free_ports()
    options = (
        "--demo",
        "--port",
        str(port),
        "--simbank-port",
        str(simbank_port),
        "--data-dir",
        str(data_dir),
        *arguments,
    )
    ready = data_dir / "demo.json"
    ready.unlink(missing_ok=True)
    data_dir.mkdir(parents=True, exist_ok=True)
    with (data_dir / "serve.log").open("ab") as log:
        process = subprocess.Popen(
            [*_HUNDI, "serve", *options], env=clean_environment() | settings, stdout=log, stderr=log
        )
        try:
            _await(process, ready, data_dir / "serve.log")
            yield Running(process, data_dir, json.loads(ready.read_text()))
        finally:
            _stop(process)


def _await(process: subprocess.Popen[bytes], ready: Path, log: Path) -> None:
    give_up = time.monotonic() + READY_S_MAX
    while not ready.exists():
        if process.poll() is not None or time.monotonic() > give_up:
            raise AssertionError("the gateway did not get ready:\n" + log.read_text(errors="replace"))
        time.sleep(_POLL_S)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_S_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


def free_ports() -> tuple[int, int]:
    """Return two ports that nobody listens on."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2)]
        first, second = (each.getsockname()[1] for each in sockets)
        return first, second


def clean_environment() -> dict[str, str]:
    """Return this process's environment without settings of a gateway, which would reach the one under test."""
    return {name: value for name, value in os.environ.items() if not name.startswith("HUNDI_")}
