"""The doctor's look: every probe is asked, at once, and none can stop the others."""

import asyncio
from collections.abc import Collection, Sequence
from importlib.metadata import version

import asyncpg

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


async def examine(context: DoctorContext, kept: Sequence[ProbedPart] = ()) -> DoctorReport:
    """Ask every probe and return what they found; nothing is changed.

    kept: of an earlier look; these probes are not asked again.
    """
    parts = {part.probe: part for part in kept}
    asked = [probe.name for probe in PROBES if probe.name not in parts]
    parts |= {part.probe: part for part in await probed(context, asked)}
    return DoctorReport(world_now(), version("hundi"), [parts[probe.name] for probe in PROBES])


async def probed(context: DoctorContext, names: Collection[str]) -> list[ProbedPart]:
    """Ask some probes, at once, and return what they found."""
    asked = [probe for probe in PROBES if probe.name in names]
    return await asyncio.gather(*(_asked(probe, context) for probe in asked))


async def _asked(probe: DoctorProbe, context: DoctorContext) -> ProbedPart:
    findings = [
        replace(finding, seen=" ".join(finding.seen.split()))
        for finding in await _found(probe, context)
    ]
    allowed = {kind.code for kind in (*probe.kinds, *OF_ANY_PROBE)}
    assert {finding.kind.code for finding in findings} <= allowed, "a kind that is not declared"
    return ProbedPart(probe.name, probe.title, findings)


async def _found(probe: DoctorProbe, context: DoctorContext) -> tuple[DoctorFinding, ...]:
    if lacks := _lacks(probe, context):
        return (DoctorFinding(UNSEEN, probe.title, lacks),)
    kind, seen = UNSEEN, "the schema is missing or older than this Hundi"
    try:
        async with asyncio.timeout(PROBE_S_MAX):
            return tuple(await probe.look(context))
    except TimeoutError:
        kind, seen = SLOW, f"no end after {PROBE_S_MAX:.0f} s"
    except (OperatorError, PermissionError, asyncpg.InsufficientPrivilegeError) as error:
        seen = str(error)
    except (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError):
        pass
    except Exception as problem:  # noqa: BLE001 (one broken probe must not hide what the others found)
        _log.error("probe_failed", probe=probe.name, exc_info=problem)
        # The words of an error may hold anything; its name does not.
        kind, seen = BROKEN, type(problem).__name__
    return (DoctorFinding(kind, probe.title, seen),)


def _lacks(probe: DoctorProbe, context: DoctorContext) -> str:
    """Return what a probe needs and the installation has not, "" if nothing."""
    if probe.needs_settings and context.settings is None:
        return "the settings cannot be used"
    if probe.needs_database and context.db is None:
        return "no database can be used"
    return ""
