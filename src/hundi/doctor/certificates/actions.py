"""Looks at certificates once a day, and keeps what was seen."""

from collections.abc import Iterable
from datetime import datetime

from hundi.doctor.actions import probed
from hundi.doctor.certificates import store
from hundi.doctor.certificates.rules import LOOK_EVERY, PROBED, is_known, look_of
from hundi.doctor.context import DoctorContext
from hundi.doctor.rules import ProbedPart
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import world_now


async def look(context: DoctorContext, db: Database) -> bool:
    """Ask the probes that see certificates once a day, and keep what they found.

    Return whether they were asked.
    """
    if is_known(await store.looks(db), world_now(), LOOK_EVERY):
        return False
    parts = await probed(context, PROBED)
    await keep(db, parts, world_now())
    return True


async def keep(db: Database, parts: Iterable[ProbedPart], looked_at: datetime) -> None:
    """Keep what a look found about certificates, for the pages that tell it."""
    for part in parts:
        if part.probe in PROBED:
            await store.write(db, look_of(part, looked_at))
