"""What can be wrong with the standbys of the database."""

from hundi.doctor.rules import FindingKind, Level

STANDBY_GOOD = FindingKind("standby_good", Level.GOOD, "A standby follows the database.")
STANDBY_NONE = FindingKind(
    "standby_none",
    Level.NOTE,
    "The server knows of no standby: a lost disk costs what came since the log was copied last.",
    "Have a standby (docs/database.md#replica), or a provider who has one that cannot be seen.",
)
STANDBY_LOST = FindingKind(
    "standby_lost",
    Level.WARNING,
    "A standby does not follow: nothing can take the database's place, and the server keeps its"
    " log for the standby until the disk is full.",
    "Start the standby; when it does not come back, make it anew, or drop its slot"
    " (docs/runbooks/standby-lost.md).",
)
COMMITS_WAIT = FindingKind(
    "commits_wait",
    Level.FAULT,
    "The server acknowledges a commit only with a standby, and none is connected: payments wait.",
    "Start the standby, or take the demand away (docs/runbooks/commits-wait.md).",
)
