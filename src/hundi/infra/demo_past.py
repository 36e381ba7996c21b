"""Whether a demo's past is being made now: a file that `hundi serve` keeps meanwhile."""

import os
from datetime import datetime
from pathlib import Path

VARIABLE = "HISTORY_IS_MADE"
"""The environment variable with the file's path for the children of `hundi serve`; no setting."""


def begin(file: Path, present: datetime) -> None:
    """Write that the past is being made. present: its end, in whole seconds."""
    file.write_text(present.isoformat())


def present_since() -> datetime | None:
    """Return the end of the past that is being made, or None."""
    file = os.environ.get(VARIABLE)
    if not file:
        return None
    try:
        return datetime.fromisoformat(Path(file).read_text())
    except FileNotFoundError:
        return None
