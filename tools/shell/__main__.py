"""Writes the manual page and the shells' completions: `python -m tools.shell FOLDER`.

The folder is what others call `share`. The page bears the version's day, from SOURCE_DATE_EPOCH.
"""

import os
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from hundi.cli.completions import SHARED, completion
from hundi.cli.described import commands
from tools.shell.manual import manual


def write(folder: Path) -> None:
    """Write all files below a folder."""
    described = list(commands(plugged=False))
    day = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), UTC)
    texts = {
        "man/man1/hundi.1": manual(described, version("hundi"), day),
        **{place: completion(shell, described) for shell, place in SHARED.items()},
    }
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
