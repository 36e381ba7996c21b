"""Complaints of payers: the list, and one with its words, its deadline and the answer's form."""

from typing import Any

from litestar import Response

from hundi.console import list_tables
from hundi.console.disputes import left
from hundi.console.guard import ConsoleRoute
from hundi.console.list_pages import ListKind
from hundi.console.list_tables import (
    ListCell,
    ListColumn,
    ListField,
    ListTable,
    column_of,
    names_of,
    state_field,
    tag,
)
from hundi.console.lists import ListAddress, named, tone_of, words
from hundi.console.queries import complaints as queries
from hundi.console.queries.complaints import ComplaintFilters
from hundi.console.verb_forms import form_of
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import for_people
from hundi.money.reports.rules import cell
from hundi.payments.complaints import store
from hundi.payments.complaints.rules import (
    WORDS_LENGTH_MAX,
    ComplaintKind,
    ComplaintState,
)
from hundi.staff.people.rules import Permission
from hundi.verbs.complaint import answer

KINDS = {
    ComplaintKind.NOT_DELIVERED: "Paid, and nothing came",
    ComplaintKind.ORDER_FAILED: "Debited, but the order failed",
    ComplaintKind.REFUND_MISSING: "A refund did not arrive",
    ComplaintKind.NOT_ME: "Says that somebody else paid",
    ComplaintKind.OTHER: "Something else",
}
STATES = {
    ComplaintState.OPEN: "The payer waits for your answer.",
    ComplaintState.ANSWERED: "You answered. The payer may write again.",
    ComplaintState.CLOSED: "The payer says that it is solved.",
}
_COLUMNS = (
    ListColumn(
        head="Complaint",
        cell=lambda row: ListCell(
            text=KINDS[row["kind"]],
            href=f"complaints/{row['complaint_id']}",
            under=(ListCell(text=row["words"][:80]),),
        ),
        file={
            "complaint_id": lambda row: str(row["complaint_id"]),
            "kind": lambda row: row["kind"],
            "words": lambda row: cell(row["words"]),
        },
    ),
    ListColumn(
        head="State",
        cell=lambda row: tag(row["state"]),
        file={"state": lambda row: row["state"]},
    ),
    ListColumn(
        head="Payment",
        cell=lambda row: ListCell(
            text=str(row["payment_id"]), is_code=True, href=f"payments/{row['payment_id']}"
        ),
        file={"ap_transactionid": lambda row: str(row["payment_id"])},
    ),
    ListColumn(
        head="Written",
        cell=lambda row: ListCell(at=row["made_at"]),
        file={"made_ist": column_of("made_at")},
        order="time",
    ),
    ListColumn(
        head="Answer by",
        cell=lambda row: ListCell(text=f"by {for_people(row['answer_by'])}"),
        file={
            "answer_by_ist": column_of("answer_by"),
            "answered_ist": column_of("answered_at"),
            "answered_by": lambda row: cell(row["answered_by"]),
            "closed_ist": column_of("closed_at"),
        },
    ),
)
_FIELDS = (
    state_field(ComplaintState),
    ListField(
        name="kind",
        label="What is wrong",
        options=[(kind.value, words_there) for kind, words_there in KINDS.items()],
    ),
)


def _filters_of(address: ListAddress) -> ComplaintFilters:
    return ComplaintFilters(
        state=address.one_of("state", ComplaintState),
        kind=address.one_of("kind", ComplaintKind),
        **address.unbounded,
    )


_TABLE = ListTable(
    kind=ListKind(
        path="complaints",
        noun=("complaint", "complaints"),
        filters=names_of(_FIELDS),
        key=("complaint_id",),
        select_page=queries.select_page,
        is_bounded=False,
    ),
    title="Complaints",
    noun="complaint",
    columns=_COLUMNS,
    fields=_FIELDS,
    filters_of=_filters_of,
    empty=(
        "No payer complained. Who pays can write to you from the page “Where is my money?”, and"
        " you answer here."
    ),
)


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show one complaint, with the form of the answer while it waits for one."""
    complaint = await named(visit, "complaint", store.select)
    is_open = complaint.state is ComplaintState.OPEN
    return visit.page(
        "complaint.html",
        KINDS[complaint.kind],
        complaint=complaint,
        state=words(complaint.state),
        tone="paid" if complaint.state is ComplaintState.CLOSED else tone_of(complaint.state),
        state_words=STATES[complaint.state],
        left=left(complaint.answer_by, visit.now) if is_open else "",
        can_answer=is_open and visit.may(Permission.PAYMENTS_NOTE),
        length_max=WORDS_LENGTH_MAX,
        answer_href=visit.href(f"complaints/{complaint.complaint_id}/answer"),
    )


ROUTES = (
    *list_tables.routes_of(_TABLE, Permission.PAYMENTS_SEE),
    ConsoleRoute("GET", "complaints/{complaint_id:int}", show, Permission.PAYMENTS_SEE),
    form_of(answer, "complaints/{complaint_id:int}/answer", "complaints/{complaint_id}"),
)
