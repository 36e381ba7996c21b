"""A demo's history beside its start: made once, by a child process that reports its progress."""

import os
import subprocess
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from hundi.infra import demo_past
from hundi.infra.plugins import DemoHistory
from hundi.infra.processes import PYTHON, end_with_parent, say
from hundi.kernel.clock import world_now

HISTORY_FILE, HOLD_FILE = "demo_history", "demo_history_is_made"
WAITS_FOR = "HUNDI_SIMBANK_WAITS_FOR"
DAYS = "HISTORY_DAYS"
"""Environment variable with the number of days to make; no operator's setting."""
_TOLD_EVERY = 0.25
"""The part of the history between two reports to the operator."""


class HistoryProcess(DemoHistory):
    """The child process that fills an empty demo, and the other children's variables about it.

    Until it is done, its own clock works on the past; the worker works on the present, and the
    bank's later work waits.
    """

    def __init__(self, data_dir: Path, days: int = 0) -> None:
        """Look whether it was made before.

        wanted: whether it is still to make. told: the number of days and the end of the past, for
        children. bank_told: for the bank alone, the file that it waits for.
        """
        self._hold = data_dir / HOLD_FILE
        self.told = {DAYS: str(days), demo_past.VARIABLE: str(self._hold)}
        self.bank_told = {WAITS_FOR: str(self._hold)}
        self._days = days
        self._done = data_dir / HISTORY_FILE
        self.wanted = not self._done.exists()
        self._process: subprocess.Popen[bytes] | None = None
        self._read = b""
        self._told = 0.0
        self._hold.unlink(missing_ok=True)
        if self.wanted:
            demo_past.begin(self._hold, world_now().replace(microsecond=0))

    def start(self, environment: Mapping[str, str]) -> None:
        """Start the process."""
        self._process = subprocess.Popen(  # noqa: S603 (our own arguments)
            [*PYTHON, "history"],
            env={**environment, **self.told},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            process_group=0,
            preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509 (takes no lock)
        )
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        say(
            f"{self._days} days of demo data are made in the background; everything can be used"
            " meanwhile"
        )

    def tend(self) -> None:
        """Report its progress, and release the others when it has ended."""
        process = self._process
        if process is None or process.stdout is None:
            return
        self._tell((self._read + (process.stdout.read() or b"")).decode().split("\n"))
        status = process.poll()
        if status is None:
            return
        process.stdout.close()
        self._process = None
        if status == 0:
            self._done.touch()
            say("the demo data is there")
        else:
            say(f"the demo data could not be made (status {status}); everything else works")
        self._hold.unlink(missing_ok=True)

    def _tell(self, lines: list[str]) -> None:
        whole = [each for each in lines[:-1] if each]
        self._read = lines[-1].encode()
        if not whole:
            return
        days_done, of = map(int, whole[-1].split())
        if days_done / of >= self._told + _TOLD_EVERY and days_done < of:
            self._told = days_done / of
            say(f"demo data: {days_done} of {of} days")

    def stop(self) -> None:
        """End it early: finished days stay, and the rest is never made."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._hold.unlink(missing_ok=True)
