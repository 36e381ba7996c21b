"""What can be wrong with disks, the gateway's port and the keeping of time."""

from dataclasses import dataclass

from hundi.doctor.rules import FindingKind, Level

DISK_GOOD = FindingKind("disk_good", Level.GOOD, "A disk has room.")
DISK_LOW = FindingKind(
    "disk_low",
    Level.WARNING,
    "A disk has less than 10 % or 2 GB free, of bytes or of files.",
    "Make room or give the disk more of it, before payments stop.",
)
DISK_FULL = FindingKind(
    "disk_full",
    Level.FAULT,
    "A disk has less than 2 % or 256 MB free: the database stops when it cannot write.",
    "Make room now: move old backups and logs elsewhere, or give the disk more of it.",
)
DISK_UNSEEN = FindingKind(
    "disk_unseen",
    Level.NOTE,
    "The database is on a server of yours, whose disk cannot be seen from here.",
    "Watch the disk of the database's server there.",
)
PORT_OURS = FindingKind("port_good", Level.GOOD, "A gateway answers at the port.")
PORT_FREE = FindingKind(
    "gateway_stopped",
    Level.NOTE,
    "Nobody listens at the gateway's port on this machine.",
    "Start the gateway, unless it runs on another machine or behind another port.",
)
PORT_TAKEN = FindingKind(
    "port_taken",
    Level.FAULT,
    "Another program listens at the gateway's port.",
    "Choose another port with HUNDI_PORT, or end the other program.",
)
PORT_FORBIDDEN = FindingKind(
    "port_forbidden",
    Level.FAULT,
    "The user who runs this command may not listen at so low a port.",
    "Choose a port of 1024 or more, and let the proxy listen at 443.",
)
CLOCK_KEPT = FindingKind("clock_kept", Level.GOOD, "This machine's clock follows a time server.")
CLOCK_ALONE = FindingKind(
    "clock_alone",
    Level.NOTE,
    "The system does not say that this machine's clock follows a time server; a host may set it.",
    "Install one that does, such as systemd-timesyncd or chrony, unless this machine's host does.",
)

_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class DiskRoom:
    """The room on a disk, for users who are not root. files: 0 where it has no limit of its own."""

    free_bytes: int
    bytes: int
    free_files: int
    files: int

    def kind(self) -> FindingKind:
        """Return what the room means."""
        share = self.free_bytes / max(self.bytes, 1)
        of_files = self.free_files / self.files if self.files else 1.0
        if self.free_bytes < 256 * _MEGABYTE or min(share, of_files) < 0.02:  # noqa: PLR2004 (as the kinds say)
            return DISK_FULL
        if self.free_bytes < 2_000 * _MEGABYTE or min(share, of_files) < 0.1:  # noqa: PLR2004 (as the kinds say)
            return DISK_LOW
        return DISK_GOOD

    def words(self) -> str:
        """Return the room in words."""
        files = f", {self.free_files:,} files more" if self.files else ""
        return f"{self.free_bytes / _MEGABYTE:,.0f} of {self.bytes / _MEGABYTE:,.0f} MB free{files}"
