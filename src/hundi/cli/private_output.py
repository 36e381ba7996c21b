"""A new file that only its owner reads, with what a command wrote."""

import os
from pathlib import Path

from hundi.cli.output import fail


def write_new(file: Path, body: bytes) -> None:
    """Write a file that is not there yet; end the command with one sentence where that fails."""
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as written:
            written.write(body)
    except OSError as error:
        raise fail(f"{file} cannot be written: {error.strerror}") from None
