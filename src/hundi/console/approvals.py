"""Requests that a second person decides; the kinds of requests are listed here."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from asyncpg import Record
from litestar import Response

from hundi.api.context import GatewayContext
from hundi.console import list_tables, second_person
from hundi.console.acquirer_requests import ADDITION, CHANGE
from hundi.console.agreements import BANK_ACCOUNT, PRICE_PLAN
from hundi.console.approval_facts import facts_of
from hundi.console.assistant_acts import PROPOSED_LINK, PROPOSED_RESEND
from hundi.console.customer_erasures import ERASURE
from hundi.console.guard import ConsoleRoute, message
from hundi.console.key_requests import KEY, can_make
from hundi.console.list_pages import ListKind
from hundi.console.list_tables import (
    ListCell,
    ListColumn,
    ListField,
    ListTable,
    column_of,
    names_of,
    tag,
)
from hundi.console.lists import ListAddress, id_of, words
from hundi.console.queries import approvals as queries
from hundi.console.queries.approvals import ApprovalFilters
from hundi.console.refund_form import REFUND
from hundi.console.verb_pages import kind_of
from hundi.console.visits import ConsoleVisit
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.reports.rules import cell
from hundi.payments.orders.finding import store as finding
from hundi.payments.story.actions import story_of
from hundi.payments.story.verdicts.rules import verdict_of
from hundi.staff.approvals import actions, store
from hundi.staff.approvals.actions import ApprovalKind
from hundi.staff.approvals.rules import Approval, ApprovalState, decision_fault
from hundi.staff.people import store as people
from hundi.staff.people.rules import Permission
from hundi.verbs.table import all_verbs

_NOTICE_OF = {"done": "approved", "failed": "approved_in_vain", "rejected": "rejected"}
"""The page's notice by the outcome of a request."""
KINDS: Mapping[str, ApprovalKind[GatewayContext]] = {
    each.name: each
    for each in (
        *(REFUND, BANK_ACCOUNT, PRICE_PLAN, KEY, ADDITION, CHANGE),
        *(PROPOSED_LINK, PROPOSED_RESEND, ERASURE),
        *(kind_of(verb) for verb in all_verbs() if verb.path and verb.second),
    )
}
"""The kinds of requests by name (`hundi.staff.approvals.actions` says how a kind is made)."""


_STATES = get_args(ApprovalState)


def _maker(row: dict[str, Any]) -> ListCell:
    return ListCell(text=row["maker"], under=(ListCell(text=row["maker_email"]),))


def _checker(row: dict[str, Any]) -> ListCell:
    name = row["checker"] or "Nobody yet"
    return ListCell(text=name, under=(ListCell(text=row["checker_email"]),))


_COLUMNS = (
    ListColumn(
        head="What",
        cell=lambda row: ListCell(text=row["title"], href=f"approvals/{row['approval_id']}"),
        file={
            "approval_id": lambda row: str(row["approval_id"]),
            "kind": lambda row: row["kind"],
            "title": lambda row: cell(row["title"]),
        },
    ),
    ListColumn(
        head="State",
        cell=lambda row: tag(row["state"], tone=row["state"]),
        file={"state": lambda row: row["state"]},
    ),
    ListColumn(
        head="Asked for by",
        cell=_maker,
        file={
            "asked_by": lambda row: cell(row["maker"]),
            "reason": lambda row: cell(row["reason"]),
        },
    ),
    ListColumn(
        head="Decided by",
        cell=_checker,
        file={
            "decided_by": lambda row: cell(row["checker"]),
            "decided_ist": column_of("decided_at"),
            "note": lambda row: cell(row["note"]),
        },
    ),
    ListColumn(
        head="When",
        cell=lambda row: ListCell(at=row["made_at"]),
        file={"asked_ist": column_of("made_at")},
        order="time",
    ),
)
_FIELDS = (
    ListField(name="state", label="State", options=[(each, words(each)) for each in _STATES]),
    ListField(
        name="kind",
        label="Kind",
        options=sorted((each.name, each.title) for each in KINDS.values()),
    ),
)


def _filters_of(address: ListAddress) -> ApprovalFilters:
    return ApprovalFilters(
        state=address.one_of("state", _STATES),
        kind=address.one_of("kind", KINDS),
        **address.unbounded,
    )


async def _with_emails(visit: ConsoleVisit, rows: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the rows with the addresses of both people, whose names may look alike."""
    emails = await _emails(visit, *((row["made_by"], row["decided_by"]) for row in rows))
    return [
        {
            **row,
            "maker_email": emails.get(row["made_by"], ""),
            "checker_email": emails.get(row["decided_by"], ""),
        }
        for row in rows
    ]


_TABLE = ListTable(
    kind=ListKind(
        path="approvals",
        noun=("request", "requests"),
        filters=names_of(_FIELDS),
        key=("approval_id",),
        select_page=queries.select_page,
        is_bounded=False,
        export=Permission.APPROVALS_SEE,
    ),
    title="Approvals",
    noun="approval",
    columns=_COLUMNS,
    fields=_FIELDS,
    filters_of=_filters_of,
    empty=(
        "Nothing was asked for yet. What needs two people, such as a large refund, waits here for"
        " the second one."
    ),
    prepared=_with_emails,
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
        about=await _payment_of(visit, approval),
        asked=await facts_of(visit, approval),
        state=words(approval.state),
        emails=await _emails(visit, (approval.made_by, approval.decided_by)),
        kind=kind.title if kind else approval.kind,
        fault=fault if approval.state == "waiting" else "",
        can_decide=fault is None and approval.state == "waiting",
        can_repeat=approval.state == "approved"
        and kind is not None
        and kind.perform
        and visit.may(kind.permission),
        can_make=can_make(visit, approval),
    )


async def _payment_of(visit: ConsoleVisit, approval: Approval) -> dict[str, Any] | None:
    """Return the payment that a request is about, with what became of it; None for none."""
    number = id_of(str(approval.payload.get("payment_id", "")))
    if number is None or not visit.may(Permission.PAYMENTS_SEE):
        return None
    view = await finding.select_by_references(visit.db, visit.merchant_id, None, number, None)
    if view is None:
        return None
    return {
        "id": number,
        "order": view.payment.order_id,
        "sentence": verdict_of(await story_of(visit.db, view)).sentence,
    }


async def _emails(visit: ConsoleVisit, *pairs: tuple[int, int | None]) -> dict[int, str]:
    """Return the e-mail addresses of requesters and deciders.

    Two people may have names that look alike.
    """
    ids = {each for pair in pairs for each in pair if each}
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
        kind,
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
    *list_tables.routes_of(_TABLE, Permission.APPROVALS_SEE, at="both"),
    ConsoleRoute("GET", _ONE, show, Permission.APPROVALS_SEE, at="both"),
    ConsoleRoute("POST", f"{_ONE}/decide", decide, Permission.APPROVALS_SEE, fresh=True, at="both"),
    ConsoleRoute("POST", f"{_ONE}/repeat", repeat, Permission.APPROVALS_SEE, fresh=True, at="both"),
)
