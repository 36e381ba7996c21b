"""Restores a sealed backup of the embedded database to a moment (decision 0020)."""

import hashlib
import io
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, BinaryIO, cast

import msgspec

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.embedded.backups import (
    PARTIAL,
    SEALED,
    WAL,
    BackupError,
    CopyManifest,
    Progress,
    check_sums,
    manifests,
)
from hundi.infra.embedded.cluster import give_to_account
from hundi.infra.embedded.roles import forget_roles
from hundi.infra.embedded.server import EmbeddedPostgres, EmbeddedPostgresError
from hundi.infra.postgres.database import Database
from hundi.infra.postgres.roles import DATABASE
from hundi.infra.secrets.private_files import mark
from hundi.infra.secrets.sealed_stream import Reader, StreamKeys, unseal

_LOG_OF_COPY = "pg_wal/"
"""The files of a copy that are not in the server's list."""
_LOG_FOLDER = "restored_wal"
_REPLAY_S_MAX = 6 * 3600.0
_TIMELINE_LENGTH = 8
_TARGET_MISSED = "recovery ended before configured recovery target was reached"


def choose(source: Path, to: datetime | None) -> CopyManifest:
    """Return the newest base copy that ended before the moment. Raises BackupError."""
    copies = [each for each in manifests(source) if to is None or each.ended <= to]
    if not copies:
        message = f"there is no base copy in {source}" + (
            f" that ended before {to.isoformat()}" if to else ""
        )
        raise BackupError(message)
    return copies[-1]


@contextmanager
def restored(
    source: Path, data_dir: Path, to: datetime | None, keys: StreamKeys, progress: Progress
) -> Iterator[EmbeddedPostgres]:
    """Make a database from a backup and run it for this block; a failure leaves nothing.

    to: the last moment whose commits count; None for the whole backup. Raises BackupError,
    SealedFileError.
    """
    base = choose(source, to)
    if wrong := check_sums(source, [base]):
        message = f"{wrong[0]} is not the file that was written: its checksum is another"
        raise BackupError(message)
    folder, fresh = data_dir / "postgres", data_dir / "postgres.restored"
    if folder.exists():
        message = f"{folder} is there already: restore into another folder, or move it away"
        raise BackupError(message)
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True, mode=0o700)
    try:
        _unpack(source, base, fresh, keys, progress)
        _check_files(fresh)
        _fetch_log(source, base, fresh / _LOG_FOLDER, keys)
        forget_roles(fresh)
        mark(fresh / "recovery.signal")
        give_to_account(fresh)
        fresh.rename(folder)
        with _replayed(data_dir, to) as server:
            yield server
        shutil.rmtree(folder / _LOG_FOLDER)
    except BaseException:
        for each in (fresh, folder):
            shutil.rmtree(each, ignore_errors=True)
        raise


def _unpack(
    source: Path, base: CopyManifest, folder: Path, keys: StreamKeys, progress: Progress
) -> None:
    with (source / base.name).open("rb") as file:
        reader = _Watched(file, lambda done: progress(done, base.bytes))
        content = io.BufferedReader(Reader(unseal(cast("BinaryIO", reader), base.name, keys)))
        with tarfile.open(fileobj=content, mode="r|") as archive:
            for member in archive:
                _write_out(archive, member, folder)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)


def _write_out(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Write one file or folder of the copy.

    Raises BackupError for any other kind of member, or a path outside the folder.
    """
    # The archive's own filter came with Python 3.11.4; Debian 12 has 3.11.2.
    path = folder / member.name
    if not path.resolve().is_relative_to(folder.resolve()) or not (
        member.isfile() or member.isdir()
    ):
        message = f"the copy has {member.name}, which is no file or folder of a database"
        raise BackupError(message)
    if member.isdir():
        path.mkdir(exist_ok=True)
        return
    with cast("IO[bytes]", archive.extractfile(member)) as content, path.open("wb") as target:
        shutil.copyfileobj(content, target)


def _check_files(folder: Path) -> None:
    """Compare the files with the server's list of them."""
    # `pg_verifybackup` would do it; the wheel's crashes.
    servers_list = msgspec.json.decode((folder / "backup_manifest").read_bytes(), type=_ServersList)
    expected = {each.Path for each in servers_list.Files} | {"backup_manifest"}
    present = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
    if more := sorted(each for each in present - expected if not each.startswith(_LOG_OF_COPY)):
        # An extra file could be a setting, and a setting can name a command.
        message = f"the copy has {more[0]}, which the server did not list"
        raise BackupError(message)
    for each in servers_list.Files:
        path = folder / each.Path
        if not path.is_file():
            message = f"the copy lacks {each.Path}, which the server listed"
            raise BackupError(message)
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != each.Checksum:
                message = f"{each.Path} is not as the server had it"
                raise BackupError(message)


class _ServersFile(msgspec.Struct, frozen=True):
    """A file in PostgreSQL's `backup_manifest`, with its field names."""

    Path: str
    Checksum: str


class _ServersList(msgspec.Struct, frozen=True):
    """The files in PostgreSQL's `backup_manifest`, without the log."""

    Files: list[_ServersFile]


def _fetch_log(source: Path, base: CopyManifest, folder: Path, keys: StreamKeys) -> None:
    """Open the segments that the base copy needs and those after it, incomplete ones too."""
    folder.mkdir(mode=0o700)
    names = {path.name.removesuffix(SEALED) for path in (source / WAL).glob(f"*{SEALED}")}
    for name in sorted(names):
        whole = name.removesuffix(PARTIAL)
        if whole != name and whole in names:
            continue
        if whole[_TIMELINE_LENGTH:] < base.segment[_TIMELINE_LENGTH:] and not whole.endswith(
            ".history"
        ):
            continue
        sealed_name = f"{WAL}/{name}{SEALED}"
        with (source / sealed_name).open("rb") as file, (folder / whole).open("wb") as target:
            for piece in unseal(file, sealed_name, keys):
                target.write(piece)


@contextmanager
def _replayed(data_dir: Path, to: datetime | None) -> Iterator[EmbeddedPostgres]:
    options = {
        "restore_command": f'cp "{_LOG_FOLDER}/%f" "%p"',
        "recovery_target_action": "promote",
    }
    options["hot_standby"] = "off"  # otherwise it could be read before everything is replayed
    if to is not None:
        options["recovery_target_time"] = to.astimezone(UTC).isoformat()
    try:
        server = embedded_postgres.start(
            data_dir, databases=(DATABASE,), options=options, ready_s_max=_REPLAY_S_MAX
        )
    except EmbeddedPostgresError as error:
        if to is None or _TARGET_MISSED not in str(error):
            raise
        message = (
            f"the backup ends before {to.isoformat()}: leave out --to to have all of it, or follow"
            " the log longer"
        )
        raise BackupError(message) from error
    with server:
        yield server


async def last_commit(db: Database) -> datetime | None:
    """Return the commit time of the last replayed transaction."""
    return await db.fetchval("SELECT pg_last_xact_replay_timestamp()")


class _Watched:
    """Reads from a file and reports its progress."""

    def __init__(self, file: BinaryIO, progress: Callable[[int], None]) -> None:
        self._file = file
        self._told = progress

    def read(self, size: int) -> bytes:
        data = self._file.read(size)
        self._told(self._file.tell())
        return data
