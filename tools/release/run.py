"""Runs the programs of a release, and tells a person who waits what is being done."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
_STEP_S_MAX = 1_200
_LAST_BYTES = 4_000


class ReleaseError(Exception):
    """The release cannot be made; the text says why."""


def run(
    command: Sequence[str | Path], folder: Path = ROOT, environment: Mapping[str, str] | None = None
) -> str:
    """Run a program to its end and return what it printed. Raises ReleaseError."""
    done = subprocess.run(  # noqa: S603 (our own arguments)
        [str(each) for each in command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_STEP_S_MAX,
        check=False,
        umask=0o022,
    )
    if done.returncode != 0:
        last = (done.stdout + done.stderr)[-_LAST_BYTES:]
        message = f"{' '.join(map(str, command))} ended with status {done.returncode}:\n{last}"
        raise ReleaseError(message)
    return done.stdout


def bare_environment(**more: str) -> dict[str, str]:
    """Return an environment without settings of a gateway, of Python or of a virtual one."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HUNDI_", "PYTHON", "VIRTUAL_ENV", "PIP_TARGET"))
    }
    return kept | more


@contextmanager
def step(words: str) -> Iterator[None]:
    """Say what is being done, and how long it took."""
    began = time.monotonic()
    sys.stdout.write(f"{words} ...")
    sys.stdout.flush()
    yield
    sys.stdout.write(f" {time.monotonic() - began:.0f} s\n")
    sys.stdout.flush()
