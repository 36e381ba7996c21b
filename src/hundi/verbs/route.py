"""Routing: the plan in force, which chooses the acquirer of a payment."""

from dataclasses import asdict
from typing import Annotated

from msgspec import Meta

from hundi.acquirers.plans.document import RoutingFault
from hundi.payments.acquirer_accounts import store as accounts
from hundi.payments.routing import actions, store
from hundi.payments.routing.document import read
from hundi.payments.routing.rules import RoutingPlan
from hundi.payments.routing.warnings.rules import warnings
from hundi.staff.people.rules import Permission
from hundi.verbs.context import DocumentFault, DocumentFaultsError, VerbContext, VerbProblemError
from hundi.verbs.parameters import NoParameters, ParameterHints, VerbParameters
from hundi.verbs.verb import RemarkedResult, Result, verb

VERSIONS_SHOWN = 100
_UNREADABLE = "this release cannot read it; while it is the newest, the configured order counts"


class PlanVersion(VerbParameters, frozen=True, kw_only=True):
    """A version of the routing plan."""

    version: Annotated[int, Meta(ge=0, description="A version (default: the one in force).")] = 0


class PlanToPublish(VerbParameters, frozen=True, kw_only=True):
    """A routing plan to put into force."""

    file: Annotated[
        str, Meta(description="The routing plan: TOML or JSON."), ParameterHints(document=True)
    ]
    by: Annotated[
        str,
        Meta(description="Who sets it (default: the user of this machine)."),
        ParameterHints(signs=True),
    ] = ""
    seen: (
        Annotated[int, Meta(ge=0, description="Refuse unless this version is in force; 0: none.")]
        | None
    ) = None


def fault_line(fault: RoutingFault, file: str = "") -> str:
    """Return a line about a fault of a plan, or a probable mistake. file: the plan's name."""
    kind = "warning " if fault.is_warning else ""
    return f"{kind}{fault.code}: {fault.place or file}: {fault.words}"


@verb(
    "route show",
    Permission.CHANNELS_SEE,
    at="all",
    screen="routing/{version:int}",
    plain="document",
)
async def show(context: VerbContext, parameters: PlanVersion) -> RemarkedResult:
    """Show the routing plan as it was written; without --json, the document alone.

    One that this release cannot read is in force nowhere, and a line beside it says so.
    """
    version = parameters.version
    row = await (
        store.select_version(context.db, version) if version else store.select_live(context.db)
    )
    if row is None:
        suffix = f" with version {version}" if version else ""
        message = f"there is no routing plan{suffix}: set one"
        raise VerbProblemError(message)
    plan, remark = read(row["document"]), ""
    if not isinstance(plan, RoutingPlan):
        remark = f"version {row['version']}: {_UNREADABLE}: {fault_line(plan[0])}"
    return RemarkedResult(dict(row), remark)


@verb("route history", Permission.CHANNELS_SEE, at="all", screen="routing", title="Versions")
async def history(context: VerbContext, _: NoParameters) -> Result:
    """List the versions of the routing plan, newest first: the first one is in force."""
    return [dict(row) for row in await store.select_heads(context.db, VERSIONS_SHOWN)]


@verb(
    "route set",
    Permission.ACQUIRERS_CHANGE,
    at="all",
    trail="routing.publish",
    screen="routing",
    title="Routing plan",
    notice=("plan_published", "Published. It is in force in every process."),
)
async def set_plan(context: VerbContext, parameters: PlanToPublish) -> RemarkedResult:
    """Put a routing plan into force, as a new version.

    Exit with 2 and say everything that is wrong where it is refused.
    """
    document, who = parameters.file, context.signed(parameters.by)
    names = [each.name for each in await context.acquirers()]
    publication = await actions.publish(
        context.db, document, names, who, context.now, parameters.seen
    )
    if not isinstance(publication, int):
        raise DocumentFaultsError([_fault(each) for each in publication])
    plan = read(document)
    assert isinstance(plan, RoutingPlan), "it was read when it was published"
    notes = warnings(plan, await accounts.disabled(context.db))
    result = {"version": publication, "rules": len(plan.rules), "warnings": len(notes)}
    return RemarkedResult(result, "\n".join(map(fault_line, notes)))


def _fault(fault: RoutingFault) -> DocumentFault:
    return DocumentFault(fault.code, fault.place, fault.words, asdict(fault))


VERBS = (show, history, set_plan)
