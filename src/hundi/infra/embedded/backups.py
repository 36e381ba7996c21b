"""Backups of the embedded database: base copies and the log after them, sealed (decision 0020).

The target folder has `base-TIME.tar.sealed`, `base-TIME.json` (when, which part of the log,
checksum), and `wal/SEGMENT.sealed`, the log since. Every file is sealed before it is written there;
the keys are never among them.
"""

import hashlib
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, cast

import msgspec

from hundi.infra.embedded.cluster import (
    ENVIRONMENT,
    PORT,
    read_pid_file,
    socket_folder,
    wheel_binaries,
)
from hundi.infra.embedded.roles import password_of
from hundi.infra.errors import OperatorError
from hundi.infra.postgres.roles import DatabaseRole
from hundi.infra.processes import end_with_parent, say
from hundi.infra.secrets.sealed_stream import StreamKeys, seal

BASE_SUFFIX = ".tar.sealed"
SEALED = ".sealed"
PARTIAL = ".partial"
WAL = "wal"
_STAGING = "backup-wal"
"""The private folder in the data directory where the log arrives before it is sealed."""
_SLOT = "hundi_backup"
"""The replication slot: the server keeps the log until a follower has fetched it."""
_POLL_S = 0.5
_PAUSE_S = 2.0
"""Before a server that is away is asked for its log again."""
_STOP_S_MAX = 10
_LOST_LOG = re.compile(r"invalidat|no longer|has already been removed")
"""PostgreSQL's words when the slot lost the log: it exceeded `max_slot_wal_keep_size`."""
_SEGMENT_NAME_LENGTH = 24
Progress = Callable[[int, int], None]
"""Called with the bytes copied, and the approximate total."""


class BackupError(OperatorError):
    """A backup cannot be made or restored; the text says why and what helps."""


class CopyManifest(msgspec.Struct, frozen=True):
    """The facts about one base copy that need no key. Times are UTC."""

    name: str
    began: datetime
    ended: datetime
    sha256: str
    bytes: int
    key_id: str
    segment: str
    """The first log segment that it needs."""


@dataclass(frozen=True, slots=True)
class CopiedServer:
    """A running server of a data directory, for PostgreSQL's own copying programs."""

    data_dir: Path

    def command(self, program: str, *arguments: str) -> list[str]:
        """Return the command of a program that connects as the backup's role."""
        folder = self.data_dir.absolute() / "postgres"
        state = read_pid_file(folder)
        port = str(state.port if state else PORT)
        return [
            str(wheel_binaries() / program),
            *(
                "-h",
                str(socket_folder(folder)),
                "-p",
                port,
                "-U",
                DatabaseRole.BACKUP,
                "-w",
                *arguments,
            ),
        ]

    @property
    def environment(self) -> dict[str, str]:
        """Return the program's environment with the password.

        As an argument, every process of the machine could read it.
        """
        return {**ENVIRONMENT, "PGPASSWORD": password_of(self.data_dir, DatabaseRole.BACKUP)}


def make_base(
    server: CopiedServer, target: Path, keys: StreamKeys, progress: Progress
) -> CopyManifest:
    """Copy the whole running server, sealed, and return the manifest. Raises BackupError."""
    began = datetime.now(UTC)
    name = f"base-{began:%Y%m%dT%H%M%SZ}"
    target.mkdir(parents=True, exist_ok=True)
    folder = server.data_dir / "postgres"
    total = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    command = server.command(
        "pg_basebackup",
        "-Ft",
        "-D",
        "-",
        "-X",
        "fetch",
        "-c",
        "fast",
        "--manifest-checksums=sha256",
    )
    with tempfile.TemporaryFile() as messages, _written(target / (name + BASE_SUFFIX)) as file:
        digest = _Hashing(file)
        with subprocess.Popen(  # noqa: S603 (our own arguments)
            command,
            env=server.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=messages,
            preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509 (takes no lock)
        ) as copying:
            copied = _Counting(
                cast("IO[bytes]", copying.stdout), lambda done: progress(min(done, total), total)
            )
            seal(cast("BinaryIO", copied), cast("BinaryIO", digest), name + BASE_SUFFIX, keys)
        if copying.returncode != 0:
            message = f"the database could not be copied: {_text(messages)}"
            if "COPY stream ended before" in message:
                message += (
                    "\nMore log may have been written meanwhile than the server keeps: try in a"
                    " quieter hour"
                )
            raise BackupError(message)
    progress(total, total)
    segment = _first_segment(copied.head)
    manifest = CopyManifest(
        name + BASE_SUFFIX,
        began,
        datetime.now(UTC),
        digest.hex,
        digest.size,
        keys.newest_id,
        segment,
    )
    with _written(target / f"{name}.json") as file:
        file.write(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
    return manifest


def follow(
    server: CopiedServer, target: Path, keys: StreamKeys, every_s: float, stop: threading.Event
) -> int:
    """Keep the target's log up to date until stopped, and return the number of sealed segments.

    every_s: how often the current segment is sealed as it is, in seconds: a lost machine loses that
    much. Raises BackupError.
    """
    staging = server.data_dir / _STAGING
    staging.mkdir(mode=0o700, exist_ok=True)
    (target / WAL).mkdir(parents=True, exist_ok=True)
    count, since_s, pause_s = 0, every_s, 0.0
    with tempfile.TemporaryFile() as messages, ExitStack() as running:
        receiving: subprocess.Popen[bytes] | None = None
        while not stop.wait(_POLL_S):
            pause_s -= _POLL_S
            if receiving is None and pause_s <= 0:
                receiving = running.enter_context(_receiving(server, staging, messages))
            if receiving is not None and receiving.poll() is not None:
                running.close()
                receiving, pause_s = None, _PAUSE_S
                _explain_end(server, staging, _text(messages))
            count += _seal_whole(staging, target, keys)
            since_s += _POLL_S
            if since_s >= every_s:
                since_s = 0
                _seal_partial(staging, target, keys)
        running.close()
        count += _seal_whole(staging, target, keys)
        _seal_partial(staging, target, keys)
    return count


@contextmanager
def _receiving(
    server: CopiedServer, staging: Path, messages: IO[bytes]
) -> Iterator[subprocess.Popen[bytes]]:
    """Receive the log into the staging folder for a block; the program's messages go to a file."""
    messages.seek(0)
    messages.truncate()
    slot = server.command("pg_receivewal", "-D", str(staging), "--slot", _SLOT)
    result = subprocess.run(  # noqa: S603 (our own arguments)
        [*slot, "--create-slot", "--if-not-exists"],
        env=server.environment,
        stderr=messages,
        check=False,
    )
    process = subprocess.Popen(  # noqa: S603 (our own arguments)
        [*slot, "--synchronous", "--no-loop"],
        env=server.environment,
        stdin=subprocess.DEVNULL,
        stderr=messages if result.returncode == 0 else subprocess.DEVNULL,
        preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509 (takes no lock)
    )
    with _ended(process):
        yield process


def _explain_end(server: CopiedServer, staging: Path, messages: str) -> None:
    """Say why no log arrives. Raises BackupError if the server no longer has the next part."""
    if _LOST_LOG.search(messages) is None:
        reason = messages.splitlines()[-1] if messages else "no reason given"
        say(f"the log is not received: {reason}; it is tried again")
        return
    drop = server.command("pg_receivewal", "--slot", _SLOT, "--drop-slot")
    subprocess.run(drop, env=server.environment, capture_output=True, check=False)  # noqa: S603 (our own arguments)
    for path in staging.iterdir():
        path.unlink()
    message = (
        "the server no longer has the log that comes next, because nobody fetched it for too long; "
        "follow it anew and make a new copy, from which on every moment can be restored again."
        f" PostgreSQL said: {messages}"
    )
    raise BackupError(message)


def _text(messages: IO[bytes]) -> str:
    messages.seek(0)
    return messages.read().decode(errors="replace").strip()[-2000:]


def manifests(target: Path) -> list[CopyManifest]:
    """Return the base copies in a folder, oldest first. Raises BackupError."""
    return sorted(
        (_manifest(path) for path in target.glob("base-*.json")), key=lambda each: each.ended
    )


def _manifest(path: Path) -> CopyManifest:
    """Read the manifest of a base copy; it may name no other file. Raises BackupError."""
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=CopyManifest)
    except (msgspec.DecodeError, RecursionError) as error:
        message = f"{path} does not describe a base copy: {error}"
        raise BackupError(message) from error
    if manifest.name != path.stem + BASE_SUFFIX:
        message = f"{path} describes {manifest.name}, which is not the copy beside it"
        raise BackupError(message)
    return manifest


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a process at the end of the block: it first writes everything it received."""
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(_STOP_S_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _seal_whole(staging: Path, target: Path, keys: StreamKeys) -> int:
    """Seal complete segments into the target, then remove them here."""
    whole = [path for path in sorted(staging.iterdir()) if path.suffix != PARTIAL]
    for path in whole:
        _seal_file(path, target, path.name, keys)
        (target / WAL / (path.name + PARTIAL + SEALED)).unlink(missing_ok=True)
        path.unlink()
    return len(whole)


def _seal_partial(staging: Path, target: Path, keys: StreamKeys) -> None:
    for path in staging.glob(f"*{PARTIAL}"):
        _seal_file(path, target, path.name, keys)


def _seal_file(path: Path, target: Path, name: str, keys: StreamKeys) -> None:
    sealed_name = f"{WAL}/{name}{SEALED}"
    try:
        with path.open("rb") as source, _written(target / sealed_name) as file:
            seal(source, file, sealed_name, keys)
    except FileNotFoundError:
        return  # the segment became complete in this moment, and has another name


@contextmanager
def _written(path: Path) -> Iterator[BinaryIO]:
    """Write a private file that gets its name only once it is whole and on the disk."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def _first_segment(head: bytes) -> str:
    """Return the segment in the copy's first file, `backup_label`.

    Its line is START WAL LOCATION 0/2000028 (file …).
    """
    _, _, after = head.partition(b"START WAL LOCATION: ")
    name = after.partition(b"(file ")[2][:_SEGMENT_NAME_LENGTH].decode("ascii", "replace")
    if len(name) < _SEGMENT_NAME_LENGTH:
        message = (
            "the copy does not begin with backup_label: this PostgreSQL writes another form than"
            " we know"
        )
        raise BackupError(message)
    return name


class _Hashing:
    """Writes to a file, and counts and hashes the bytes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        self._digest.update(data)
        self.size += len(data)
        return self._file.write(data)

    @property
    def hex(self) -> str:
        return self._digest.hexdigest()


class _Counting:
    """Reads from a file, counts the bytes and keeps the first ones."""

    _HEAD_BYTES = 4096

    def __init__(self, file: IO[bytes], progress: Callable[[int], None]) -> None:
        self._file = file
        self._told = progress
        self._done = 0
        self.head = b""

    def read(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(self.head) < self._HEAD_BYTES:
            self.head += data[: self._HEAD_BYTES - len(self.head)]
        self._done += len(data)
        self._told(self._done)
        return data


def check_sums(target: Path, copies: Sequence[CopyManifest]) -> list[str]:
    """Return the names of base copies whose file was changed. Needs no key."""
    wrong: list[str] = []
    for each in copies:
        path = target / each.name
        digest = hashlib.sha256()
        if path.exists():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256")
        if digest.hexdigest() != each.sha256:
            wrong.append(each.name)
    return wrong
