"""A standby server that replicates the first one, and can take its place."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from hundi.infra.embedded.cluster import (
    ENVIRONMENT,
    give_to_account,
    read_pid_file,
    wheel_binaries,
)
from hundi.infra.embedded.roles import PASSWORDS, password_of
from hundi.infra.embedded.server import EmbeddedPostgresError
from hundi.infra.postgres.roles import DatabaseRole
from hundi.infra.secrets.private_files import mark

_COPY_S_MAX = 24 * 3600
_PROMOTE_S_MAX = 60.0
_POLL_S = 0.02
_IS_STANDBY = "standby.signal"

SYNCHRONOUS = {"synchronous_standby_names": "*", "synchronous_commit": "on"}
"""A commit is acknowledged once a standby has it on its disk; without a standby, never."""


def copy_primary(data_dir: Path, host: str, port: int) -> None:
    """Create the data directory of a standby from its running primary.

    Raises EmbeddedPostgresError. The primary's folder of passwords must be in the data directory: a
    standby has the primary's roles.
    """
    folder, fresh = data_dir / "postgres", data_dir / "postgres.copied"
    if folder.exists():
        message = (
            f"{folder} is there already; a primary that was replaced is moved away before it"
            " becomes a standby"
        )
        raise EmbeddedPostgresError(message)
    if not (data_dir / PASSWORDS).is_dir():
        message = (
            f"copy the primary's folder {PASSWORDS} into {data_dir} first: a standby has the"
            " primary's roles"
        )
        raise EmbeddedPostgresError(message)
    shutil.rmtree(fresh, ignore_errors=True)
    command = [
        str(wheel_binaries() / "pg_basebackup"),
        "-h",
        host,
        "-p",
        str(port),
        "-U",
        DatabaseRole.BACKUP,
        "-w",
    ]
    result = subprocess.run(  # noqa: S603 (our own arguments)
        [*command, "-D", str(fresh), "-X", "stream", "-R", "-c", "fast"],
        env={**ENVIRONMENT, "PGPASSWORD": password_of(data_dir, DatabaseRole.BACKUP)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_COPY_S_MAX,
        check=False,
    )
    if result.returncode != 0:
        shutil.rmtree(fresh, ignore_errors=True)
        message = f"the primary could not be copied: {result.stderr.strip()[-2000:]}"
        raise EmbeddedPostgresError(message)
    give_to_account(fresh)
    fresh.rename(folder)


def promote(data_dir: Path) -> None:
    """Promote a running standby, and return when it takes writes. Raises EmbeddedPostgresError."""
    folder = data_dir.absolute() / "postgres"
    state = read_pid_file(folder)
    if state is None or not (folder / _IS_STANDBY).exists():
        message = f"no standby runs in {data_dir}"
        raise EmbeddedPostgresError(message)
    # The way of `pg_ctl promote`, which root may not run.
    mark(folder / "promote")
    os.kill(state.pid, signal.SIGUSR1)
    give_up = time.monotonic() + _PROMOTE_S_MAX
    while (folder / _IS_STANDBY).exists():
        if time.monotonic() > give_up:
            message = (
                f"the standby was not promoted within {_PROMOTE_S_MAX:.0f} s; its log:"
                f" {data_dir / 'postgres.log'}"
            )
            raise EmbeddedPostgresError(message)
        time.sleep(_POLL_S)
