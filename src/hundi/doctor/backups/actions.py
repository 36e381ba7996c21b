"""Looks at backups: their age, their log, and what is beside them."""

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from hundi.doctor.backups import store
from hundi.doctor.backups.rules import (
    ARCHIVE_FAILS,
    BACKUP_AGE_MAX,
    BACKUP_GOOD,
    BACKUP_MISSING,
    BACKUP_OLD,
    BACKUP_REFUSED,
    BACKUP_UNSEEN,
    KEY_BESIDE,
    LOG_BEHIND,
    LOG_OLD_AFTER,
    age_words,
)
from hundi.doctor.context import DoctorContext
from hundi.doctor.rules import DoctorFinding
from hundi.infra.embedded.backups import WAL, BackupError, manifests
from hundi.infra.monitoring.last_backup import last_backup_at
from hundi.infra.secrets.key_sources import VaultError, parse
from hundi.infra.settings import Settings
from hundi.kernel.clock import world_now

_KEY_FILE_BYTES_MAX = 16 * 1024
_FILES_MAX = 200
"""How many files beside the copies are read in search of keys."""


async def look_at_backups(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find backups that are missing, old, or beside their key."""
    settings = context.settings
    assert settings is not None
    if settings.backup_dir is not None:
        return await asyncio.to_thread(_in_folder, settings, settings.backup_dir)
    findings = [*await _of_archive(context), *_of_mark(settings, "backups")]
    return findings or [DoctorFinding(BACKUP_UNSEEN, "backups", "HUNDI_BACKUP_DIR names no folder")]


async def _of_archive(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find how the server archives its log, if it does."""
    archiver = await store.select_archiver(context.db) if context.db is not None else None
    if archiver is None or archiver["mode"] == "off":
        return []
    if archiver["last_archived_time"] is None and not archiver["fails"]:
        return [DoctorFinding(BACKUP_UNSEEN, "archive", "the server has archived nothing yet")]
    if archiver["fails"]:
        seen = f"the last try failed at {archiver['last_failed_time']:%Y-%m-%d %H:%M} UTC"
        return [DoctorFinding(ARCHIVE_FAILS, "archive", seen)]
    seen = f"the log was archived last at {archiver['last_archived_time']:%Y-%m-%d %H:%M} UTC"
    return [DoctorFinding(BACKUP_GOOD, "archive", seen)]


def _of_mark(settings: Settings, about: str) -> Sequence[DoctorFinding]:
    """Find how old the newest copy is, by what the alarm BackupOld looks at; nothing without it."""
    made_at = last_backup_at(settings)
    if made_at is None:
        return []
    age = world_now() - made_at
    kind = BACKUP_OLD if age > BACKUP_AGE_MAX else BACKUP_GOOD
    return [DoctorFinding(kind, about, f"the newest copy is {age_words(age)} old")]


def _in_folder(settings: Settings, folder: Path) -> Sequence[DoctorFinding]:
    try:
        if not folder.is_dir():
            return [DoctorFinding(BACKUP_MISSING, str(folder), "there is no such folder")]
        manifests(folder)
        others = [*_others(folder)]
        found = _of_mark(settings, str(folder))
    except (BackupError, OSError) as error:
        return [DoctorFinding(BACKUP_REFUSED, str(folder), str(error))]
    return [*others, *(found or [DoctorFinding(BACKUP_MISSING, str(folder), "it has no copy")])]


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
