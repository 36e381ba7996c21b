"""The folder for the counters of one machine's processes; `hundi serve` names it to them.

A process holds a lock on its first file while it lives. So who reads the folder need not see the
other processes, which may be hidden from it (`deploy/systemd`).
"""

import fcntl
import os
from pathlib import Path
from typing import BinaryIO

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable with the folder; Prometheus' client library reads it at import."""
NAME = "metrics"
"""The folder's name in the data directory."""


_FILES = {
    "counter": 256,
    "histogram": 1024,
    "gauge_liveall": 64,
    "gauge_livesum": 64,
    "gauge_livemin": 64,
    "gauge_livemax": 64,
}
"""The files of one process, and the kilobytes of each that are reserved at once."""
_LOCKED = "counter"
"""The kind of the file that a living process has locked; it is made first and removed last."""
_UNFINISHED = ".reserved"
"""The ending of a file that has no space yet."""
_held: list[BinaryIO] = []
"""The file that this process has locked, open until it ends."""


def reserve() -> str:
    """Reserve the disk space for this process's counters; return the error, "" for none.

    To be called before the client library is imported. The files are mapped into memory: without
    reserved space a full disk would kill the process at its next count. If it fails, the process
    counts for itself alone.
    """
    folder_name = os.environ.get(VARIABLE)
    if folder_name is None:
        return ""
    try:
        for kind, kilobytes in _FILES.items():
            place = Path(folder_name) / f"{kind}_{os.getpid()}.db"
            unfinished = place.with_suffix(_UNFINISHED)
            with unfinished.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, kilobytes * 1024)
            if kind == _LOCKED:
                _hold(unfinished)
            # Whoever asks for the counters meanwhile cannot read a file that is still empty.
            unfinished.replace(place)
    except OSError as error:
        for kind in _FILES:
            for ending in (".db", _UNFINISHED):
                (Path(folder_name) / f"{kind}_{os.getpid()}{ending}").unlink(missing_ok=True)
        del os.environ[VARIABLE]
        return (
            f"no space to count in at {folder_name}: {error.strerror}; this process is missing in"
            " /metrics"
        )
    return ""


def _hold(file: Path) -> None:
    """Lock a file until this process ends."""
    held = file.open("rb")
    fcntl.flock(held, fcntl.LOCK_EX)
    _held.append(held)


def lives(folder: Path, pid: int) -> bool:
    """Return whether the process that counts under this number lives."""
    try:
        with (folder / f"{_LOCKED}_{pid}.db").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    return False


def empty_folder(data_dir: Path) -> None:
    """Create the empty folder for the counters of a gateway that starts now."""
    folder = data_dir / NAME
    folder.mkdir(mode=0o700, exist_ok=True)
    for old in (*folder.glob("*.db"), *folder.glob(f"*{_UNFINISHED}")):
        old.unlink()
