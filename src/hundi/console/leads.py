"""The operator's leads: businesses that want to become merchants, and their data."""

from typing import Any
from urllib.parse import urlencode

from litestar import Response

from hundi.console.guard import ConsoleRoute, message
from hundi.console.list_pages import PLAIN, ListLink
from hundi.console.lists import ID_DIGITS, PAGE_ROWS, asked_of, tone_of, words
from hundi.console.payment_acts import text_asked
from hundi.console.visits import ConsoleVisit
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.partners.leads import store
from hundi.partners.leads.rules import Lead, LeadState
from hundi.staff.people.rules import Permission

OPEN_GROUPS = frozenset({"company_info", "business_info"})
"""Groups about the business itself; all others are about persons and accounts."""
_OF_PERSONS = ("pan", "phone", "email", "aadhaar", "dob", "account", "mobile")
_STARS = "•••"
_REASON_LENGTH_MIN = 5
STATES = {
    LeadState.LEAD: "Its partner sent it, and may still change it.",
    LeadState.REVIEW: "Somebody of the operator looks at it.",
    LeadState.APPROVED: "It has become a merchant.",
    LeadState.REJECTED: "It will not become a merchant; the business may send another.",
}


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show a page of leads, newest first."""
    address = asked_of(visit)
    state, partner = address.one_of("state", LeadState) or "", address.text("partner") or ""
    rows = await store.page_of(
        visit.db,
        visit.gateway.vault,
        partner,
        state,
        address.id("before") or 10**ID_DIGITS,
        PAGE_ROWS + 1,
    )
    filters = {name: text for name, text in (("state", state), ("partner", partner)) if text}
    older = (
        urlencode({**filters, "before": rows[PAGE_ROWS - 1].lead_id})
        if len(rows) > PAGE_ROWS
        else ""
    )
    return visit.page(
        "leads.html",
        "Leads",
        rows=[_row_of(each) for each in rows[:PAGE_ROWS]],
        states=[(each.value, words(each)) for each in LeadState],
        chosen={"state": state, "partner": partner},
        narrowed=bool(filters),
        **PLAIN,
        later=ListLink("Older", f"?{older}") if older else None,
    )


def _row_of(lead: Lead) -> dict[str, Any]:
    return {
        "path": f"leads/{lead.affiliate}/{lead.lead_id}",
        "id": lead.lead_id,
        "partner": lead.affiliate,
        "company": lead.content.field("company_info", "company_name") or "without a name",
        "city": lead.content.field("business_info", "business_city"),
        "state": words(lead.state),
        "tone": tone_of(lead.state),
        "notes": len(lead.notes),
        "merchant": lead.became_merchant,
        "at": lead.created_at,
    }


async def _found(visit: ConsoleVisit) -> Lead:
    affiliate, number = str(visit.params["affiliate"]), int(visit.params["lead_id"])
    is_id = 0 < number < 10**ID_DIGITS
    lead = await store.select(visit.db, visit.gateway.vault, affiliate, number) if is_id else None
    if lead is None:
        raise refuse(RefusalCode.NO_RECORDS, field="lead", received=str(number))
    return lead


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show one lead, personal data masked."""
    return await _shown(visit, revealed=False)


async def reveal(visit: ConsoleVisit) -> Response[Any]:
    """Show one lead unmasked, this once, and record who wanted it and why."""
    if not visit.may(Permission.LEADS_SEE):
        return message(visit, "Not for your role", "Your role does not include leads.", 403)
    reason = text_asked(visit, "reason")
    if len(reason) < _REASON_LENGTH_MIN:
        allowed = f"{_REASON_LENGTH_MIN} characters or more"
        raise refuse(RefusalCode.FIELD_INVALID, field="reason", received=reason, allowed=allowed)
    lead = await _found(visit)
    await visit.record("lead.reveal", f"{lead.affiliate}-{lead.lead_id}", reason=reason)
    return await _shown(visit, revealed=True)


async def _shown(visit: ConsoleVisit, *, revealed: bool) -> Response[Any]:
    lead = await _found(visit)
    return visit.page(
        "lead.html",
        lead.content.field("company_info", "company_name") or f"Lead {lead.lead_id}",
        lead=lead,
        state=words(lead.state),
        tone=tone_of(lead.state),
        state_words=STATES[lead.state],
        groups=[
            (
                words(group.replace(".", " ")),
                [(words(name), _text(group, name, text, revealed)) for name, text in each],
            )
            for group, each in (
                (group, fields.items()) for group, fields in sorted(lead.content.groups.items())
            )
        ],
        events=await store.events(visit.db, lead.affiliate, lead.lead_id),
        can_reveal=not revealed and visit.may(Permission.PERSONAL_REVEAL),
        lead_href=visit.href(f"leads/{lead.affiliate}/{lead.lead_id}"),
    )


def _text(group: str, name: str, text: str, revealed: bool) -> str:  # noqa: FBT001 (one of many values)
    """Return a text of a lead for the page.

    Personal data and accounts show only their end, unless revealed.
    """
    secret = group not in OPEN_GROUPS or any(part in name for part in _OF_PERSONS)
    return text if revealed or not secret else f"{_STARS}{text[-4:] if len(text) > 8 else ''}"  # noqa: PLR2004 (of 8)


_ONE = "leads/{affiliate:str}/{lead_id:int}"
ROUTES = (
    ConsoleRoute("GET", "leads", show_list, Permission.LEADS_SEE, at="all"),
    ConsoleRoute("GET", _ONE, show, Permission.LEADS_SEE, at="all"),
    ConsoleRoute("POST", f"{_ONE}/reveal", reveal, Permission.PERSONAL_REVEAL, at="all"),
)
