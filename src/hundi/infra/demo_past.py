"""Whether a demo's past is being made at this moment: a file that `hundi serve` keeps meanwhile."""

import os
from datetime import datetime
from pathlib import Path

VARIABLE = "HISTORY_IS_MADE"
"""Environment variable with the file's path, told to the children of `hundi serve`.

No setting of anybody's.
"""


def begin(file: Path, present: datetime) -> None:
    """Write down that the past is made from now on.

    present: where it ends, in whole seconds.
    """
    file.write_text(present.isoformat())


def present_since() -> datetime | None:
    """Return where the past that is being made ends; None when none is made, or no longer."""
    file = os.environ.get(VARIABLE)
    if not file:
        return None
    try:
        return datetime.fromisoformat(Path(file).read_text())
    except FileNotFoundError:
        return None
