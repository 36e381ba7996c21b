"""The embedded database as SQL that any server takes which the gateway can use."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast
from urllib.parse import unquote, urlsplit, urlunsplit

from hundi.infra.embedded.cluster import ENVIRONMENT, wheel_binaries
from hundi.infra.embedded.server import EmbeddedPostgresError, start
from hundi.infra.postgres.roles import DATABASE

_NEWER = b"SET transaction_timeout"
"""A setting of the embedded server that older ones do not know."""
_HEAD_LINES = 64
"""The settings are among the first lines; those of rows are never looked at."""
_WITHOUT = ("--no-owner", "--no-privileges", "--no-comments")
"""Owners and rights come from `hundi migrate`.

A comment would tell it that the rights are there already.
"""


def export(data_dir: Path) -> Iterator[bytes]:
    """Yield the lines of the database as SQL. Raises EmbeddedPostgresError.

    Nothing may run in the data directory: what is written meanwhile would be missing. Raises
    DataDirectoryInUseError.
    """
    if not (data_dir / "postgres").is_dir():
        message = f"there is no embedded database in {data_dir}"
        raise EmbeddedPostgresError(message)
    with start(data_dir, databases=(DATABASE,)) as server:
        url = urlsplit(server.url(DATABASE))
        place = urlunsplit(url._replace(netloc=f"{url.username}@"))
        command = [str(wheel_binaries() / "pg_dump"), *_WITHOUT, "-d", place]
        with subprocess.Popen(  # noqa: S603 (our own arguments)
            command,
            # As an argument, every process of the machine could read the password.
            env={**ENVIRONMENT, "PGPASSWORD": unquote(url.password or "")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        ) as dumping:
            for number, line in enumerate(cast("IO[bytes]", dumping.stdout)):
                if number > _HEAD_LINES or not line.startswith(_NEWER):
                    yield line
        if dumping.returncode != 0:
            message = "the database was not exported in full; the lines above say why"
            raise EmbeddedPostgresError(message)
