"""What can be wrong with backups."""

from datetime import timedelta

from hundi.doctor.rules import FindingKind, Level

BACKUP_AGE_MAX = timedelta(hours=26)
"""A copy every night may be late by two hours. The alarm BackupOld has the same limit."""
BACKUP_GOOD = FindingKind("backup_good", Level.GOOD, "The newest copy is young enough.")
BACKUP_UNSEEN = FindingKind(
    "backup_unseen",
    Level.NOTE,
    "Whether there are backups cannot be seen.",
    "Make a copy every night with `hundi backup`, and name its folder in HUNDI_BACKUP_DIR; on a"
    " server of yours, archive its log.",
)
BACKUP_MISSING = FindingKind(
    "backup_missing",
    Level.FAULT,
    "The folder of backups is not there or has no copy.",
    "Make a copy with `hundi backup`, and have cron make one every night.",
)
BACKUP_OLD = FindingKind(
    "backup_old",
    Level.WARNING,
    f"The newest copy is older than {BACKUP_AGE_MAX // timedelta(hours=1)} hours.",
    "Look at the log of the job that makes copies, and make one with `hundi backup`.",
)
BACKUP_REFUSED = FindingKind(
    "backup_refused",
    Level.FAULT,
    "The folder of backups cannot be read, or a file of it is not what it says.",
    "Let the user who runs this command read the folder, or make a new copy with `hundi backup`.",
)
LOG_BEHIND = FindingKind(
    "backup_log_behind",
    Level.WARNING,
    "The log in the folder of backups is older than 10 minutes: what came since would be lost.",
    "Start `hundi backup --follow` again and look at what it says.",
)
KEY_BESIDE = FindingKind(
    "key_beside_backup",
    Level.FAULT,
    "The key file is in the folder of backups: whoever has the one opens the other.",
    "Move the copy of the key file to a place apart from the backups.",
)
ARCHIVE_FAILS = FindingKind(
    "archive_fails",
    Level.FAULT,
    "The database's server cannot archive its log: its last try failed.",
    "Look at the server's log for what archive_command said.",
)

LOG_OLD_AFTER = timedelta(minutes=10)


def age_words(age: timedelta) -> str:
    """Return an age in words."""
    hours = age / timedelta(hours=1)
    return f"{age / timedelta(minutes=1):.0f} minutes" if hours < 2 else f"{hours:.0f} hours"  # noqa: PLR2004 (hours)
