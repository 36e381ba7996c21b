"""Asks the system whether this machine's clock follows a time server."""

import ctypes
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

_TIMESYNCD = Path("/run/systemd/timesync/synchronized")
"""systemd-timesyncd sets this file's time each time that it has set the clock."""
_FRESH_S = 32_000
"""Seconds, as long as the kernel takes a clock for right without another word.

It counts 0.5 ms of error a second, to 16 s.
"""
_adjtimex = ctypes.CDLL(None, use_errno=True).adjtimex if sys.platform == "linux" else None
_TIMEX_BYTES = 256
"""More than the kernel's record of the clock has. Zeros in it change nothing."""
_UNSYNCHRONISED = 5
"""The kernel's answer when no program has told it lately that the clock is right (TIME_ERROR)."""


def follows_time_server() -> bool:
    """Return whether timesyncd, or any other program of a time server, keeps the clock right.

    Raises PermissionError where a sandbox lets nobody ask the kernel.
    """
    with suppress(FileNotFoundError):
        if time.time() - _TIMESYNCD.stat().st_mtime < _FRESH_S:
            return True
    state = -1 if _adjtimex is None else _adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    if state < 0:
        message = f"the kernel does not tell about its clock: {os.strerror(ctypes.get_errno())}"
        raise PermissionError(message)
    return state != _UNSYNCHRONISED
