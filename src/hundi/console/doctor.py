"""What the doctor finds, as this process of the gateway sees it."""

from typing import Any

from litestar import Response

from hundi.console.guard import ConsoleRoute
from hundi.console.visits import ConsoleVisit
from hundi.doctor.actions import examine
from hundi.doctor.context import DoctorContext, Looker
from hundi.doctor.rules import Level
from hundi.staff.people.rules import Permission

_TONES = {
    Level.GOOD: "done",
    Level.NOTE: "",
    Level.WARNING: "waiting",
    Level.FAULT: "failed",
}
"""The look of each level."""


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Look now, and show every finding."""
    gateway = visit.gateway
    report = await examine(
        DoctorContext(
            Looker.CONSOLE,
            gateway.settings,
            addresses=gateway.settings.database_addresses(),
            db=visit.db,
            connectors=tuple(gateway.connectors.all()),
        )
    )
    return visit.page("doctor.html", "Doctor", report=report, tones=_TONES)


ROUTES = (ConsoleRoute("GET", "doctor", show, Permission.DEVELOPERS_SEE, at="all"),)
