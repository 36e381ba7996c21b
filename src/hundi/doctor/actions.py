"""The doctor's look: every probe is asked, at once, and none can stop the others."""

import asyncio
from importlib.metadata import version

from hundi.doctor.context import DoctorContext, DoctorProbe
from hundi.doctor.rules import (
    BROKEN,
    OF_ANY_PROBE,
    SLOW,
    UNSEEN,
    DoctorFinding,
    DoctorReport,
    ProbedPart,
)
from hundi.doctor.table import PROBES
from hundi.infra.errors import OperatorError
from hundi.infra.logs import get_logger
from hundi.kernel.clock import world_now
from hundi.kernel.records import replace

PROBE_S_MAX = 20.0
"""How long a probe may take, in seconds."""
_log = get_logger(__name__)


async def examine(context: DoctorContext) -> DoctorReport:
    """Ask every probe and return what they found; nothing is changed."""
    parts = await asyncio.gather(*(_asked(probe, context) for probe in PROBES))
    return DoctorReport(world_now(), version("hundi"), parts)


async def _asked(probe: DoctorProbe, context: DoctorContext) -> ProbedPart:
    findings = [
        replace(finding, seen=" ".join(finding.seen.split()))
        for finding in await _found(probe, context)
    ]
    allowed = {kind.code for kind in (*probe.kinds, *OF_ANY_PROBE)}
    assert {finding.kind.code for finding in findings} <= allowed, "a kind that is not declared"
    return ProbedPart(probe.name, probe.title, findings)


async def _found(probe: DoctorProbe, context: DoctorContext) -> tuple[DoctorFinding, ...]:
    if probe.needs_settings and context.settings is None:
        return (DoctorFinding(UNSEEN, probe.title, "the settings cannot be used"),)
    if probe.needs_database and context.db is None:
        return (DoctorFinding(UNSEEN, probe.title, "no database can be used"),)
    try:
        async with asyncio.timeout(PROBE_S_MAX):
            return tuple(await probe.look(context))
    except TimeoutError:
        seen = f"no end after {PROBE_S_MAX:.0f} s"
        return (DoctorFinding(SLOW, probe.title, seen),)
    except OperatorError as error:
        return (DoctorFinding(UNSEEN, probe.title, str(error)),)
    except Exception as problem:  # noqa: BLE001 (one broken probe must not hide what the others found)
        _log.warning("probe_failed", probe=probe.name, exc_info=problem)
        # The words of an error may hold anything; its name does not.
        return (DoctorFinding(BROKEN, probe.title, type(problem).__name__),)
