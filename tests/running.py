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
STOP_S_MAX = 60.0
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
def running_gateway(data_dir: Path, **settings: str) -> Iterator[Running]:
    """Start `hundi serve --demo`, yield it once it is ready, and stop it with everything it started.

    settings: `HUNDI_*` variables by their full names.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    process = _started(data_dir, clean_environment() | settings)
    try:
        yield Running(process, data_dir, json.loads((data_dir / "demo.json").read_text()))
    finally:
        _stop(process)


def _started(data_dir: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    ready, log = data_dir / "demo.json", data_dir / "serve.log"
    ready.unlink(missing_ok=True)
    give_up = time.monotonic() + READY_S_MAX
    while True:
        port, simbank_port = free_ports()
        ports = ("--port", str(port), "--simbank-port", str(simbank_port))
        with log.open("wb") as output:
            command = [*_HUNDI, "serve", "--demo", *ports, "--data-dir", str(data_dir)]
            process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
        while process.poll() is None and time.monotonic() < give_up:
            if ready.exists():
                return process
            time.sleep(_POLL_S)
        _stop(process)
        said = log.read_text(errors="replace")
        # Somebody took a port between our look and the start: that, and only that, is worth another try.
        assert "cannot listen on" in said, f"the gateway did not get ready:\n{said}"
        assert time.monotonic() < give_up, said


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
