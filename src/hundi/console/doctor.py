"""What the doctor finds, as this process of the gateway sees it."""

from datetime import timedelta
from typing import Any

from litestar import Response

from hundi.console.guard import ConsoleRoute
from hundi.console.visits import ConsoleVisit
from hundi.doctor.actions import examine
from hundi.doctor.certificates import actions as certificates
from hundi.doctor.context import DoctorContext, Looker
from hundi.doctor.rules import Level
from hundi.doctor.table import ASK_OTHERS
from hundi.kernel.clock import world_now
from hundi.staff.people.rules import Permission

_TONES = {
    Level.GOOD: "done",
    Level.NOTE: "",
    Level.WARNING: "waiting",
    Level.FAULT: "failed",
}
"""The look of each level."""
KEPT = timedelta(minutes=1)
"""How long what was seen of servers of others is shown: no visitor makes us ask them at will."""


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Look now, and show every finding."""
    gateway, looks = visit.gateway, visit.gateway.doctor_looks
    context = DoctorContext(
        Looker.CONSOLE,
        gateway.settings,
        addresses=gateway.settings.database_addresses(),
        db=visit.db,
        connectors=tuple(gateway.connectors.all()),
    )
    async with looks.turn:
        is_fresh = looks.looked_at is not None and world_now() - looks.looked_at < KEPT
        report = await examine(context, looks.parts if is_fresh else ())
        if not is_fresh:
            looks.parts = [part for part in report.parts if part.probe in ASK_OTHERS]
            looks.looked_at = report.looked_at
            await certificates.keep(visit.db, report.parts, report.looked_at)
    return visit.page("doctor.html", "Doctor", report=report, tones=_TONES)


ROUTES = (ConsoleRoute("GET", "doctor", show, Permission.DEVELOPERS_SEE, at="all"),)
