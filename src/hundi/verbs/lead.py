"""Leads: businesses that partners propose, until they are merchants with credentials."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from hundi.kernel.clock import for_people
from hundi.kernel.refusals import RefusalCode
from hundi.partners.leads import actions, store
from hundi.partners.leads.actions import LeadChange, LeadContext
from hundi.partners.leads.rules import Lead, LeadState
from hundi.staff.people.rules import OPERATOR, Permission
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import ID_MAX, ParameterHints, VerbParameters
from hundi.verbs.partner import partner_of
from hundi.verbs.verb import Result, verb

LISTED_MAX = 500
WORDS_MAX = 200
Affiliate = Annotated[str, Meta(description="The partner's affiliate code.", max_length=20)]
LeadId = Annotated[int, Meta(ge=1, le=ID_MAX, description="The lead's number.")]
_ACTOR = "operator"
_MASKED = "bank_account_number"
_UNKNOWN = {RefusalCode.NO_RECORDS: "{affiliate} has no lead {lead_id}"}
_SEE, _CHANGE = Permission.LEADS_SEE, Permission.MERCHANTS_CHANGE
_BY_NAME = ParameterHints(by="name", masked=True)


class LeadsToList(VerbParameters, frozen=True, kw_only=True):
    """Filters of a list of leads."""

    affiliate: Annotated[
        str,
        Meta(description="Only leads of this partner (affiliate code)."),
        ParameterHints(by="place"),
    ] = ""
    state: Annotated[
        Literal["", "lead", "review", "approved", "rejected"],
        Meta(description="Only those in this state."),
    ] = ""


class NamedLead(VerbParameters, frozen=True, kw_only=True):
    """One lead."""

    affiliate: Affiliate
    lead_id: LeadId


class LeadToReturn(NamedLead, frozen=True, kw_only=True):
    """A lead to return to its partner for changes."""

    why: Annotated[
        str, Meta(description="What the partner has to change; its server receives it."), _BY_NAME
    ]


class LeadToReject(NamedLead, frozen=True, kw_only=True):
    """A lead to reject."""

    why: Annotated[str, Meta(description="The reason, kept with the lead."), _BY_NAME]
    tell: Annotated[
        str,
        Meta(description="The reason that the partner's server receives."),
        ParameterHints(masked=True),
    ] = ""


@verb("lead list", _SEE, at="all", title="Leads", screen="leads")
async def list_of(context: VerbContext, parameters: LeadsToList) -> Result:
    """List leads, newest first."""
    if parameters.affiliate:
        await partner_of(context, parameters.affiliate)
    leads = await store.newest(
        context.db, context.vault, parameters.affiliate, parameters.state, LISTED_MAX
    )
    return [_line(lead) for lead in leads]


def _line(lead: Lead) -> dict[str, Any]:
    return {
        "affiliate": lead.affiliate,
        "lead_id": str(lead.lead_id),
        "state": lead.state,
        "company": lead.content.field("company_info", "company_name"),
        "notes": "; ".join(lead.notes),
        "merchant_id": str(lead.became_merchant or ""),
        "since": lead.created_at,
    }


@verb(
    "lead show",
    _SEE,
    at="all",
    title="Lead",
    screen="leads/{affiliate:str}/{lead_id:int}",
)
async def show(context: VerbContext, parameters: NamedLead) -> Result:
    """Show all of a lead, its bank account's number masked, and what happened to it."""
    lead_key = parameters.affiliate, parameters.lead_id
    lead = await store.select(context.db, context.vault, *lead_key)
    if lead is None:
        message = f"{parameters.affiliate} has no lead {parameters.lead_id}"
        raise VerbProblemError(message)
    groups = {
        f"{group}.{name}": f"…{value[-4:]}" if name == _MASKED else value
        for group, fields in sorted(lead.content.groups.items())
        for name, value in fields.items()
    }
    story = [
        f"{for_people(event.at)}: {event.kind} by {event.actor}"
        + (f", {event.words}" if event.words else "")
        for event in await store.events(context.db, *lead_key)
    ]
    return _line(lead) | groups | {"story": story}


@verb(
    "lead review",
    _CHANGE,
    at="all",
    trail="lead.review",
    title="Lead",
    refusals=_UNKNOWN,
)
async def review(context: VerbContext, parameters: NamedLead) -> Result:
    """Take a lead under review."""
    return await _moved(context, parameters, LeadState.REVIEW, "review", "", "")


@verb(
    "lead return",
    _CHANGE,
    at="all",
    trail="lead.return",
    title="Lead",
    refusals=_UNKNOWN,
)
async def return_to_partner(context: VerbContext, parameters: LeadToReturn) -> Result:
    """Return a lead to its partner."""
    return await _moved(
        context, parameters, LeadState.LEAD, "returned", parameters.why, parameters.why
    )


@verb(
    "lead reject",
    _CHANGE,
    at="all",
    trail="lead.reject",
    title="Lead",
    refusals=_UNKNOWN,
)
async def reject(context: VerbContext, parameters: LeadToReject) -> Result:
    """Reject a lead; the business may send another."""
    return await _moved(
        context, parameters, LeadState.REJECTED, "rejected", parameters.why, parameters.tell
    )


async def _moved(
    context: VerbContext, parameters: NamedLead, state: LeadState, kind: str, why: str, tell: str
) -> Result:
    lead_key = parameters.affiliate, parameters.lead_id
    change = LeadChange(kind, _ACTOR, why[:WORDS_MAX], told=tell[:WORDS_MAX])
    recorded = context.recording(OPERATOR, f"{parameters.affiliate}-{parameters.lead_id}")
    leads = LeadContext(context.db, context.vault)
    await actions.move(leads, *lead_key, state, change, context.now, recorded)
    return {
        "affiliate": parameters.affiliate,
        "lead_id": str(parameters.lead_id),
        "state": state.value,
    }


@verb(
    "lead approve",
    _CHANGE,
    at="all",
    trail="merchant.add",
    title="Merchant",
    refusals=_UNKNOWN,
)
async def approve(context: VerbContext, parameters: NamedLead) -> Result:
    """Make a merchant of a lead under review, and show its secrets, this once."""
    lead_key = parameters.affiliate, parameters.lead_id
    beside = context.recording_change(
        lead=f"{parameters.affiliate} {parameters.lead_id}", mode="live"
    )
    leads = LeadContext(context.db, context.vault)
    merchant_id, keys = await actions.approve(leads, *lead_key, _ACTOR, context.now, beside)
    return {
        "merchant_id": str(merchant_id),
        "username": keys.username,
        "password": keys.password,
        "secret": keys.secret,
        "client_id": keys.client_id,
        "client_secret": keys.client_secret,
        "webhook_key": keys.webhook_keys[0],
    }


VERBS = (list_of, show, review, return_to_partner, reject, approve)
