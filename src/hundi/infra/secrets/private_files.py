"""Files below a folder that may belong to another user, who may swap any name there for a link.

So nothing here follows a link at the end of a path: root would do to the link's target what was
meant for the file.
"""

import os
from pathlib import Path

Owner = tuple[int, int]
"""The numbers of a user and a group."""


def write_private(path: Path, text: str, owner: Owner | None = None) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    write_new(fresh, text + "\n", owner)
    fresh.replace(path)


def write_new(path: Path, text: str, owner: Owner | None = None) -> None:
    """Write a file that was not there and that only its owner can read; it is on disk then."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
        if owner is not None:
            # The file that was made, whatever has its name by now.
            os.fchown(file.fileno(), *owner)


def open_lock(path: Path) -> int:
    """Return a descriptor of a file that is locked; it is made if missing."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)


def mark(path: Path) -> None:
    """Set a file's time to now; it is made if missing."""
    holder = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        os.utime(holder)
    finally:
        os.close(holder)
