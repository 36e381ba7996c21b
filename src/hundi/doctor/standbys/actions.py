"""Looks at the standbys of the database."""

from collections.abc import Sequence

from hundi.doctor.context import DoctorContext
from hundi.doctor.rules import DoctorFinding
from hundi.doctor.standbys.rules import COMMITS_WAIT, STANDBY_GOOD, STANDBY_LOST, STANDBY_NONE
from hundi.infra.monitoring.store import StandbyState, count_synchronous, select_standbys


async def look_at_standbys(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find standbys that do not follow, and commits that wait for one."""
    db = context.db
    assert db is not None
    findings = [_found(standby) for standby in await select_standbys(db)]
    if await count_synchronous(db) == 0:
        seen = "synchronous_standby_names is set, and none of them is connected"
        findings.append(DoctorFinding(COMMITS_WAIT, "commits", seen))
    return findings or [DoctorFinding(STANDBY_NONE, "standby", "no slot, and none is connected")]


def _found(standby: StandbyState) -> DoctorFinding:
    if standby.follows:
        return DoctorFinding(STANDBY_GOOD, standby.name, "it is connected")
    seen = f"it is not connected; {standby.kept_bytes / 1_000_000:,.0f} MB of the log wait for it"
    return DoctorFinding(STANDBY_LOST, standby.name, seen)
