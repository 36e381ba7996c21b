"""Proves a release: installs it into an empty environment, runs the demo and one payment there."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from tools.release.run import ReleaseError, bare_environment, run, step

PAYMENT = Path(__file__).with_name("payment.py")
_DRAIN_S = 60
_LOG_LAST = 4_000


def prove(out: Path, version: str, folder: Path) -> None:
    """Install the wheels of a release into a folder outside any clone, and pay.

    Raises ReleaseError.
    """
    environment = bare_environment(HOME=str(folder), HUNDI_DATA_DIR=str(folder / "data"))
    python = folder / "environment" / "bin" / "python"
    with step("installing the wheels into an empty environment"):
        run([sys.executable, "-m", "venv", "--without-pip", python.parents[1]], folder)
        listed = out / f"hundi-{version}-requirements.txt"
        wanted = ["--require-hashes", "--find-links", out, "-r", listed]
        quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
        run([*_pip(python), "install", *quiet, *wanted], folder, environment)
    with step("running the demo and one payment from it"):
        hundi = python.with_name("hundi")
        told = run([hundi, "--version"], folder, environment).strip()
        if told != f"hundi {version}":
            message = f"hundi --version says {told}"
            raise ReleaseError(message)
        with _demo(hundi, folder, environment) as places:
            pay = [python, "-I", PAYMENT, places["demo_file"], places["docs_url"]]
            run(pay, folder, environment)
            run([hundi, "audit", "--data-dir", folder / "data"], folder, environment)


def _pip(python: Path) -> list[str | Path]:
    """Return the command of a pip that installs into an environment without one."""
    own = [sys.executable, "-m", "pip"]
    has = subprocess.run([*own, "--version"], capture_output=True, check=False).returncode == 0  # noqa: S603 (our own)
    first = own if has else [os.environ.get("PYTHON", "python3"), "-m", "pip"]
    return [*first, "--python", python]


@contextmanager
def _demo(hundi: Path, folder: Path, environment: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """Run the demo meanwhile; yield its addresses."""
    ports = ["--port", str(_free_port()), "--simbank-port", str(_free_port())]
    log = folder / "demo.log"
    with (
        log.open("w") as lines,
        subprocess.Popen(  # noqa: S603 (our own)
            [hundi, "serve", "--demo", "--json", *ports],
            cwd=folder,
            env=dict(environment),
            stdout=subprocess.PIPE,
            stderr=lines,
            text=True,
        ) as gateway,
    ):
        try:
            line = cast("IO[str]", gateway.stdout).readline()
            if not line:
                message = f"the demo did not start:\n{log.read_text()[-_LOG_LAST:]}"
                raise ReleaseError(message)
            yield json.loads(line)
        finally:
            gateway.send_signal(signal.SIGTERM)
            gateway.wait(_DRAIN_S)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]
