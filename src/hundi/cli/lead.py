"""`hundi lead`: businesses that partners propose, until they are merchants with credentials."""

from typing import Annotated, Any, Literal

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import partner_of, recording_merchant, run
from hundi.cli.output import ID_MAX, DataDir, Json, fail, show
from hundi.kernel.clock import for_people, utc_now
from hundi.kernel.refusals import RefusalCode
from hundi.partners.leads import actions as leads
from hundi.partners.leads import store
from hundi.partners.leads.actions import LeadChange, LeadContext
from hundi.partners.leads.rules import Lead, LeadState

app = typer.Typer(help="Leads: businesses that want to become merchants.", no_args_is_help=True)
Affiliate = Annotated[str, typer.Argument(help="The partner's affiliate code.")]
LeadId = Annotated[int, typer.Argument(min=1, max=ID_MAX, help="The lead's number.")]
LISTED_MAX = 500
WORDS_MAX = 200
_ACTOR = "operator"
_MASKED = "bank_account_number"


@app.command("list")
def list_leads(
    affiliate: Annotated[str, typer.Argument(help="Of one partner; all when left out.")] = "",
    *,
    state: Annotated[
        Literal["", "lead", "review", "approved", "rejected"],
        typer.Option(help="Only those in this state."),
    ] = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List leads, newest first."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        if affiliate:
            await partner_of(context, affiliate)
        return [
            _line(lead)
            for lead in await store.newest(context.db, context.vault, affiliate, state, LISTED_MAX)
        ]

    show(run(data_dir, act, reading=True), json=json, title="Leads")


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


@app.command("show")
def show_lead(
    affiliate: Affiliate, lead_id: LeadId, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Show all of a lead, its bank account's number masked, and what happened to it."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        lead = await store.select(context.db, context.vault, affiliate, lead_id)
        if lead is None:
            raise fail(_unknown(affiliate, lead_id))
        events = await store.events(context.db, affiliate, lead_id)
        groups = {
            f"{group}.{name}": f"…{value[-4:]}" if name == _MASKED else value
            for group, fields in sorted(lead.content.groups.items())
            for name, value in fields.items()
        }
        story = [
            f"{for_people(each.at)}: {each.kind} by {each.actor}"
            + (f", {each.words}" if each.words else "")
            for each in events
        ]
        return _line(lead) | groups | {"story": story}

    show(run(data_dir, act, reading=True), json=json, title="Lead")


def _unknown(affiliate: str, lead_id: int) -> str:
    return f"{affiliate} has no lead {lead_id}"


@app.command()
def review(
    affiliate: Affiliate, lead_id: LeadId, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Take a lead under review."""
    _move(affiliate, lead_id, LeadState.REVIEW, "", "", data_dir, json=json)


@app.command("return")
def return_to_partner(
    affiliate: Affiliate,
    lead_id: LeadId,
    *,
    why: Annotated[str, typer.Option(help="What the partner has to change; its server is told.")],
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Return a lead to its partner."""
    _move(affiliate, lead_id, LeadState.LEAD, why, why, data_dir, json=json)


@app.command()
def reject(
    affiliate: Affiliate,
    lead_id: LeadId,
    *,
    why: Annotated[str, typer.Option(help="For the record.")],
    tell: Annotated[
        str, typer.Option(help="What the partner's server is told as the reason.")
    ] = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Reject a lead; the business may send another."""
    _move(affiliate, lead_id, LeadState.REJECTED, why, tell, data_dir, json=json)


def _move(
    affiliate: str,
    lead_id: int,
    state: LeadState,
    why: str,
    tell: str,
    data_dir: str | None,
    *,
    json: bool,
) -> None:
    kind = "returned" if state is LeadState.LEAD else state.value
    run(
        data_dir,
        lambda context: leads.move(
            LeadContext(context.db, context.vault),
            affiliate,
            lead_id,
            state,
            LeadChange(kind, _ACTOR, why[:WORDS_MAX], told=tell[:WORDS_MAX]),
            utc_now(),
        ),
        {RefusalCode.NO_RECORDS: _unknown(affiliate, lead_id)},
    )
    show(
        {"affiliate": affiliate, "lead_id": str(lead_id), "state": state.value},
        json=json,
        title="Lead",
    )


@app.command()
def approve(
    affiliate: Affiliate, lead_id: LeadId, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Make a merchant of a lead under review, and show its secrets, this once."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        merchant_id, keys = await leads.approve(
            *(LeadContext(context.db, context.vault), affiliate, lead_id, _ACTOR, utc_now()),
            recording_merchant(context, "merchant.add", lead=f"{affiliate} {lead_id}", mode="live"),
        )
        return {
            "merchant_id": str(merchant_id),
            "username": keys.username,
            "password": keys.password,
            "secret": keys.secret,
            "client_id": keys.client_id,
            "client_secret": keys.client_secret,
            "webhook_key": keys.webhook_keys[0],
        }

    told = {RefusalCode.NO_RECORDS: _unknown(affiliate, lead_id)}
    show(run(data_dir, act, told), json=json, title="Merchant")
