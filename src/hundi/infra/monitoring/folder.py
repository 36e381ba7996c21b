"""Where the processes of one machine count: a folder that `hundi serve` names to its children."""

import os
from pathlib import Path

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable with the folder; Prometheus' client library reads it when it is imported."""
NAME = "metrics"
"""In the data directory."""


_FILES = {
    "counter": 256,
    "histogram": 1024,
    "gauge_liveall": 64,
    "gauge_livesum": 64,
    "gauge_livemin": 64,
}
"""The files of one process, and kilobytes of each that are taken from the disk at once."""


def reserve() -> str:
    """Take the disk space that this process counts in; return what failed, "" for nothing.

    To be called before the client library is imported. The files are mapped into memory: without
    space of their own a full disk would kill the process at its next count. Without it the process
    counts for itself alone.
    """
    named = os.environ.get(VARIABLE)
    if named is None:
        return ""
    try:
        for kind, kilobytes in _FILES.items():
            with (Path(named) / f"{kind}_{os.getpid()}.db").open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, kilobytes * 1024)
    except OSError as error:
        for kind in _FILES:
            (Path(named) / f"{kind}_{os.getpid()}.db").unlink(missing_ok=True)
        del os.environ[VARIABLE]
        return (
            f"no space to count in at {named}: {error.strerror}; this process is missing in"
            " /metrics"
        )
    return ""


def empty_folder(data_dir: Path) -> None:
    """Make the folder for the counters of a gateway that starts now."""
    folder = data_dir / NAME
    folder.mkdir(mode=0o700, exist_ok=True)
    for old in folder.glob("*.db"):
        old.unlink()
