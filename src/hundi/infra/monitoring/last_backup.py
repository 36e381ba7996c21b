"""When the last whole backup was made: one answer for the doctor and the alarm."""

from datetime import UTC, datetime

from hundi.infra.settings import LAST_BACKUP_FILE, Settings


def last_backup_at(settings: Settings) -> datetime | None:
    """Return the time of the mark in the folder of backups, or in the data directory; None: never.

    Raises OSError if the folder cannot be read.
    """
    folder = settings.backup_dir or settings.data_dir
    try:
        return datetime.fromtimestamp((folder / LAST_BACKUP_FILE).stat().st_mtime, UTC)
    except FileNotFoundError:
        return None
