"""Requests that a second person decides; the kinds of requests are listed here."""

from collections.abc import Mapping
from typing import Any

from litestar import Response

from hundi.api.context import GatewayContext
from hundi.console import second_person
from hundi.console.acquirer_requests import ADDITION, CHANGE
from hundi.console.agreements import BANK_ACCOUNT, PRICE_PLAN
from hundi.console.assistant_acts import PROPOSED_LINK, PROPOSED_RESEND
from hundi.console.guard import ConsoleRoute, message
from hundi.console.key_requests import KEY, can_make
from hundi.console.refund_form import REFUND
from hundi.console.verb_pages import kind_of
from hundi.console.visits import ConsoleVisit
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.staff.approvals import actions, store
from hundi.staff.approvals.actions import ApprovalKind
from hundi.staff.approvals.rules import Approval, decision_fault
from hundi.staff.people import store as people
from hundi.staff.people.rules import Permission
from hundi.verbs.table import all_verbs

PAGE_ROWS = 50
ID_DIGITS_MAX = 15
_NOTICE_OF = {"done": "approved", "failed": "approved_in_vain", "rejected": "rejected"}
"""The page's notice by the outcome of a request."""
KINDS: Mapping[str, ApprovalKind[GatewayContext]] = {
    each.name: each
    for each in (
        *(REFUND, BANK_ACCOUNT, PRICE_PLAN, KEY, ADDITION, CHANGE),
        *(PROPOSED_LINK, PROPOSED_RESEND),
        *(kind_of(verb) for verb in all_verbs() if verb.path and verb.second),
    )
}
"""The kinds of requests by name (`hundi.staff.approvals.actions` says how a kind is made)."""


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """List the open requests, then the decided ones."""
    before = visit.query.get("before", "")
    newest = int(before) if before.isdecimal() and len(before) <= ID_DIGITS_MAX else None
    rows = await store.select_page(visit.db, visit.merchant_id, newest, PAGE_ROWS)
    older = rows[-1].approval_id if len(rows) == PAGE_ROWS else None
    emails = await _emails(visit, *rows)
    return visit.page(
        "approvals.html", "Approvals", rows=rows, older=older, kinds=KINDS, emails=emails
    )


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show one request, with buttons for a person who may decide it."""
    approval = await _found(visit)
    kind = KINDS.get(approval.kind)
    me = visit.person.person_id
    fault = decision_fault(approval, me, await second_person.linkers(visit), visit.now)
    if fault is None and (kind is None or not visit.may(kind.permission)):
        fault = "Your role does not include deciding about this."
    return visit.page(
        "approval.html",
        approval.title,
        approval=approval,
        emails=await _emails(visit, approval),
        kind=kind.title if kind else approval.kind,
        fault=fault if approval.state == "waiting" else "",
        can_decide=fault is None and approval.state == "waiting",
        can_repeat=approval.state == "approved"
        and kind is not None
        and kind.perform
        and visit.may(kind.permission),
        can_make=can_make(visit, approval),
    )


async def _emails(visit: ConsoleVisit, *approval: Approval) -> dict[int, str]:
    """Return the e-mail addresses of requester and decider.

    Two people may have names that look alike.
    """
    ids = {each for request in approval for each in (request.made_by, request.decided_by) if each}
    return {
        number: person.email
        for number, person in (await people.people_of(visit.db, [*ids])).items()
    }


async def decide(visit: ConsoleVisit) -> Response[Any]:
    """Record a second person's decision, and do the approved act."""
    approval = await _found(visit)
    kind = KINDS.get(approval.kind)
    if kind is None or not visit.may(kind.permission):
        return message(
            visit, "Not for your role", "Your role does not include deciding about this.", 403
        )
    approved = visit.form.get("decision") == "approve"
    outcome = await actions.decide(
        visit.db,
        visit.merchant_id,
        approval.approval_id,
        visit.who,
        visit.now,
        approved=approved,
        note=visit.form.get("note", ""),
    )
    if approved:
        outcome = await actions.perform(visit.db, visit.gateway.vault, kind, visit.gateway, outcome)
    return visit.see(f"approvals/{approval.approval_id}", _NOTICE_OF.get(outcome.state, ""))


async def repeat(visit: ConsoleVisit) -> Response[Any]:
    """Repeat an approved act whose process ended before it recorded the result."""
    approval = await _found(visit)
    kind = KINDS.get(approval.kind)
    if kind is None or not visit.may(kind.permission):
        return message(
            visit, "Not for your role", "Your role does not include deciding about this.", 403
        )
    outcome = await actions.perform(visit.db, visit.gateway.vault, kind, visit.gateway, approval)
    return visit.see(f"approvals/{approval.approval_id}", _NOTICE_OF.get(outcome.state, ""))


async def _found(visit: ConsoleVisit) -> Approval:
    number = visit.params["approval_id"]
    approval = (
        await store.select(visit.db, visit.merchant_id, number) if 0 < number < 10**15 else None
    )
    if approval is None:
        raise refuse(RefusalCode.NO_RECORDS, field="approval", received=str(number))
    return approval


_ONE = "approvals/{approval_id:int}"
ROUTES = (
    ConsoleRoute("GET", "approvals", show_list, Permission.APPROVALS_SEE, at="both"),
    ConsoleRoute("GET", _ONE, show, Permission.APPROVALS_SEE, at="both"),
    ConsoleRoute("POST", f"{_ONE}/decide", decide, Permission.APPROVALS_SEE, fresh=True, at="both"),
    ConsoleRoute("POST", f"{_ONE}/repeat", repeat, Permission.APPROVALS_SEE, fresh=True, at="both"),
)
