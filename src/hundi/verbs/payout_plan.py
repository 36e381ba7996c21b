"""Plans of payouts: which provider pays one out."""

from dataclasses import asdict
from typing import Annotated

from msgspec import Meta

from hundi.money.payouts.routing import actions, store
from hundi.money.payouts.routing.actions import rails_of
from hundi.staff.people.rules import Permission
from hundi.verbs.context import DocumentFault, DocumentFaultsError, VerbContext, VerbProblemError
from hundi.verbs.parameters import ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb


class PayoutPlanVersion(VerbParameters, frozen=True, kw_only=True):
    """A version of the plan of payouts."""

    version: Annotated[int, Meta(ge=0, description="A version (default: the one in force).")] = 0


class PayoutPlanToPublish(VerbParameters, frozen=True, kw_only=True):
    """A plan of payouts to put into force."""

    file: Annotated[str, Meta(description="The plan: TOML or JSON."), ParameterHints(document=True)]
    by: Annotated[
        str,
        Meta(description="Who sets it (default: the user of this machine)."),
        ParameterHints(signs=True),
    ] = ""
    seen: (
        Annotated[int, Meta(ge=0, description="Refuse unless this version is in force; 0: none.")]
        | None
    ) = None


@verb(
    "payout plan show",
    Permission.CHANNELS_SEE,
    at="all",
    screen="payout-routing/{version:int}",
    plain="document",
)
async def show_plan(context: VerbContext, parameters: PayoutPlanVersion) -> Result:
    """Show the plan of payouts as it was written; without --json, the document alone."""
    version = parameters.version
    row = await (
        store.select_version(context.db, version) if version else store.select_live(context.db)
    )
    if row is None:
        message = "there is no such plan of payouts: the configured order counts"
        raise VerbProblemError(message)
    return dict(row)


@verb(
    "payout plan set",
    Permission.ACQUIRERS_CHANGE,
    at="all",
    trail="payout.plan",
    screen="payout-routing",
    title="Plan of payouts",
    notice=("plan_published", "Published. It is in force in every process."),
)
async def set_plan(context: VerbContext, parameters: PayoutPlanToPublish) -> Result:
    """Put a plan of payouts into force, as a new version, or say everything that is wrong."""
    carried = {each.name: rails_of(each) for each in await context.acquirers()}
    who = context.signed(parameters.by)
    publication = await actions.publish(
        context.db, parameters.file, carried, who, context.now, parameters.seen
    )
    if not isinstance(publication, int):
        raise DocumentFaultsError(
            [DocumentFault(each.code, each.place, each.words, asdict(each)) for each in publication]
        )
    return {"version": publication}


VERBS = (show_plan, set_plan)
