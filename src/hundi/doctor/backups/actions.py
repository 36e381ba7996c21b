"""Looks at backups: their age, their log, and what is beside them."""

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from hundi.doctor.backups import store
from hundi.doctor.backups.rules import (
    ARCHIVE_FAILS,
    BACKUP_GOOD,
    BACKUP_MISSING,
    BACKUP_OLD,
    BACKUP_REFUSED,
    BACKUP_UNSEEN,
    KEY_BESIDE,
    LOG_BEHIND,
    LOG_OLD_AFTER,
    OLD_AFTER,
    age_words,
)
from hundi.doctor.context import DoctorContext
from hundi.doctor.rules import DoctorFinding
from hundi.infra.embedded.backups import WAL, BackupError, manifests
from hundi.infra.secrets.key_sources import VaultError, parse
from hundi.kernel.clock import world_now

_KEY_FILE_BYTES_MAX = 16 * 1024
_FILES_MAX = 200
"""How many files beside the copies are read in search of keys."""


async def look_at_backups(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find backups that are missing, old, or beside their key."""
    settings = context.settings
    assert settings is not None
    folder = settings.backup_dir
    if folder is not None:
        return await asyncio.to_thread(_in_folder, folder)
    archiver = await store.select_archiver(context.db) if context.db is not None else None
    if archiver is None or archiver["mode"] == "off":
        return [DoctorFinding(BACKUP_UNSEEN, "backups", "HUNDI_BACKUP_DIR names no folder")]
    if archiver["last_archived_time"] is None and not archiver["fails"]:
        return [DoctorFinding(BACKUP_UNSEEN, "archive", "the server has archived nothing yet")]
    if archiver["fails"]:
        seen = f"the last try failed at {archiver['last_failed_time']:%Y-%m-%d %H:%M} UTC"
        return [DoctorFinding(ARCHIVE_FAILS, "archive", seen)]
    seen = f"the log was archived last at {archiver['last_archived_time']:%Y-%m-%d %H:%M} UTC"
    return [DoctorFinding(BACKUP_GOOD, "archive", seen)]


def _in_folder(folder: Path) -> Sequence[DoctorFinding]:
    try:
        copies = manifests(folder) if folder.is_dir() else []
        others = [*_others(folder)] if folder.is_dir() else []
    except (BackupError, OSError) as error:
        return [DoctorFinding(BACKUP_REFUSED, str(folder), str(error))]
    if not copies:
        seen = "it has no copy" if folder.is_dir() else "there is no such folder"
        return [*others, DoctorFinding(BACKUP_MISSING, str(folder), seen)]
    age = world_now() - copies[-1].ended
    kind = BACKUP_OLD if age > OLD_AFTER else BACKUP_GOOD
    seen = f"the newest of {len(copies)} copies is {age_words(age)} old"
    return [*others, DoctorFinding(kind, str(folder), seen)]


def _others(folder: Path) -> Iterator[DoctorFinding]:
    """Find what else is in the folder: the log, and a key file."""
    written = [path.stat().st_mtime for path in (folder / WAL).glob("*")]
    if written:
        age = world_now() - datetime.fromtimestamp(max(written), UTC)
        if age > LOG_OLD_AFTER:
            yield DoctorFinding(LOG_BEHIND, str(folder / WAL), f"it is {age_words(age)} old")
    small = [path for path in folder.iterdir() if _may_be_keys(path)][:_FILES_MAX]
    for path in small:
        try:
            held = parse(path.read_text("ascii"), str(path))
        except (VaultError, UnicodeDecodeError):
            continue
        if held:
            yield DoctorFinding(KEY_BESIDE, str(path), f"it holds {len(held)} keys")


def _may_be_keys(path: Path) -> bool:
    return path.is_file() and 0 < path.stat().st_size <= _KEY_FILE_BYTES_MAX
