"""A database on a full disk, and what commands say of it: run where the disk is mounted.

`python -m tests.deploy.data.full_disk DISK` prints what each command said, as JSON.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.deploy.data.recipes import steps
from tests.deploy.data.servers import OwnServer, give, operators_folder, own_server
from tests.patience import PATIENCE_S
from tests.system.machine import clean_environment
from tests.system.running import HUNDI

_BLOCK_BYTES = 4_096
_OF_A_CONNECTION_BYTES = 512 * 1024
"""What the first connection to a database writes has room here, and a schema has none."""


@contextmanager
def _full(disk: Path, room_bytes: int = 0) -> Iterator[None]:
    """Leave no other room on a disk meanwhile."""
    ballast = disk / "ballast"
    with suppress(OSError), ballast.open("wb", buffering=0) as file:
        while file.write(bytes(_BLOCK_BYTES)):
            pass
    os.truncate(ballast, ballast.stat().st_size - room_bytes)
    try:
        yield
    finally:
        ballast.unlink()


def _moved(server: OwnServer, disk: Path) -> None:
    """Move the database to the disk; the log of the server stays where it is."""
    space = disk / "space"
    space.mkdir()
    give(space)
    server.sql(f"CREATE TABLESPACE small LOCATION '{space}'", "postgres")
    server.sql("ALTER DATABASE hundi SET TABLESPACE small", "postgres")


def told(disk: Path) -> dict[str, str]:
    """Migrate and add a merchant, each without room and with room; return what they said."""
    found: dict[str, str] = {}
    with operators_folder() as folder, own_server(folder) as server:
        server.carry_out(steps("A server of your own"))
        _moved(server, disk)
        addresses = server.addresses()

        def said(role: str, *command: str) -> str:
            settings = {
                "HUNDI_DATABASE_URL": addresses[role],
                "HUNDI_DATA_DIR": str(folder / "gateway"),
            }
            done = subprocess.run(
                [str(HUNDI), *command],
                env={**clean_environment(), **settings},
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )
            return f"{done.returncode} {done.stdout}{done.stderr}".strip()

        with _full(disk):
            found["connect"] = said("owner", "migrate")
        for role, command in (("owner", "migrate"), ("operator", "merchant add Shop")):
            with _full(disk, _OF_A_CONNECTION_BYTES if command == "migrate" else 0):
                found[command] = said(role, *command.split())
            found[f"{command} with room"] = said(role, *command.split())
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(told(Path(sys.argv[1]))) + "\n")
