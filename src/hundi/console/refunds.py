"""Refunds: the list with its filters and its file, and the progress of one."""

from datetime import datetime, timedelta
from typing import Any

from asyncpg import Record
from litestar import Response

from hundi.console import lists, verdicts
from hundi.console.guard import ConsoleRoute
from hundi.console.list_pages import ListKind, in_pages, page_of, values_of
from hundi.console.lists import ListAddress, asked_of, tone_of, words
from hundi.console.queries import refunds as queries
from hundi.console.queries.refunds import RefundFilters
from hundi.console.refund_askers import OF_APPROVAL, OF_FORM, asker_of
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import for_people, ist, to_the_second
from hundi.kernel.ids import refund_reference
from hundi.kernel.money import Money, shown
from hundi.kernel.states import RefundCause, RefundState
from hundi.money.reports.rules import amount, cell, moment
from hundi.payments.refunds.actions import FAILED_AGAIN_AFTER, FAILED_TRIES_MAX
from hundi.payments.refunds.rules import CAME_TO_NOTHING
from hundi.staff.people.rules import Permission

BOOKED_WITHIN = timedelta(days=5)
"""The time in which a customer's bank credits a refund (docs/spec/domain.md#turn-around)."""
CAUSES = {
    RefundCause.MERCHANT: "Asked for by your people or your server",
    RefundCause.OVERPAID: "Paid twice, or with another amount",
    RefundCause.LATE: "Paid too late",
}
_HEAD = (
    *(
        "refund_id",
        "ap_transactionid",
        "orderid",
        "begun_ist",
        "ended_ist",
        "days",
        "state",
        "cause",
        "currency",
    ),
    *("amount", "amount_inr", "bank_reference", "bank_code", "bank_message", "refund_request_id"),
)


def _filters_of(address: ListAddress) -> RefundFilters:
    return RefundFilters(
        state=address.one_of("state", RefundState),
        cause=address.one_of("cause", RefundCause),
        reference=address.text("rrn"),
        **address.narrowed,
    )


_LIST = ListKind(
    path="refunds",
    noun=("refund", "refunds"),
    filters=("state", "cause", "rrn", "from", "upto", "since", "until"),
    key=("refund_id",),
    select_page=queries.select_page,
    select_sums=queries.select_sums,
    sums={"amount_paise": "in all", "done_paise": "done"},
    by_amount=True,
)


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show a page of refunds, newest first."""
    filters = _filters_of(asked_of(visit))
    page = await page_of(visit, _LIST, filters)
    if page is None:
        return lists.too_long(visit)
    return visit.page(
        "refunds.html",
        "Refunds",
        **await values_of(visit, _LIST, filters, page),
        rows=[row_of(row, visit.now) for row in page.rows],
        states=[(each.value, words(each)) for each in RefundState],
        causes=[(each.value, cause) for each, cause in CAUSES.items()],
    )


def row_of(row: Record, now: datetime) -> dict[str, Any]:
    """Return a refund as a list shows it."""
    return {
        "id": row["refund_id"],
        "payment": row["payment_id"],
        "order": row["order_id"] or row["payment_id"],
        "amount": shown(Money(row["amount_paise"], row["currency"])),
        "state": words(row["state"]),
        "tone": tone_of(row["state"]),
        "cause": _cause_of(row),
        "rrn": row["rrn"],
        "bank_said": _said(row),
        "at": row["created_at"],
        "open_for": _open_for(row, now),
        "becomes": becomes(row),
        "followed_by": row["followed_by"] if row["state"] in CAME_TO_NOTHING else None,
    }


def _cause_of(row: Record) -> str:
    """Return why a refund was made: by its request, whether people or the server asked for it."""
    if row["cause"] != RefundCause.MERCHANT:
        return CAUSES[RefundCause(row["cause"])]
    return "Asked for in the console" if _is_of_console(row) else "Asked for by your server"


def _is_of_console(row: Record) -> bool:
    """Return whether people asked for a refund: its request then has a number of ours."""
    return row["request_id"].startswith((OF_APPROVAL, OF_FORM))


def _said(row: Record) -> str:
    """Return the bank's last answer about a refund."""
    names = (
        ("reversed_code", "reversed_message")
        if row["reversed_at"]
        else ("bank_code", "bank_message")
    )
    return " ".join(row[each] for each in names).strip()


def _days(row: Record, now: datetime) -> int:
    return max(((row["settled_at"] or now) - row["created_at"]).days, 0)


def _open_for(row: Record, now: datetime) -> str:
    days = _days(row, now)
    length = "less than a day" if not days else "1 day" if days == 1 else f"{days} days"
    return f"took {length}" if row["settled_at"] else f"open {length}"


def becomes(row: Record) -> str:
    """Return in words where the money of a refund is, and what happens next."""
    state = RefundState(row["state"])
    if state is RefundState.INITIATED:
        return "Not sent yet: it goes to the bank as soon as that can be reached."
    if state is RefundState.DONE:
        by = f"{ist(row['settled_at'] + BOOKED_WITHIN):%d %b %Y}".lstrip("0")
        return f"The bank gave it back. The customer's bank books it by {by}."
    if state not in CAME_TO_NOTHING:
        again = (
            f" It is asked again on {for_people(row['due_at'])}"
            if row["due_at"]
            else " It is asked again"
        )
        return (
            f"The bank has not said what became of it.{again}; the money goes back once, however"
            " often."
        )
    return _after_nothing(row)


def _after_nothing(row: Record) -> str:
    back = row["reversed_at"]
    what = "It came back after it was done" if back else "The bank refused it"
    if row["cause"] == RefundCause.MERCHANT:
        return f"{what}: the customer has nothing of it, and the money is in your balance again."
    if row["followed_by"]:
        return f"{what}, and it was tried again."
    left = FAILED_TRIES_MAX - row["tries"]
    if left <= 0:
        return (
            f"{what}, and {row['tries']} tries came to nothing. It is still owed to the customer:"
            " ask the operator."
        )
    again = for_people((back or row["settled_at"]) + FAILED_AGAIN_AFTER)
    return (
        f"{what}. It is still owed to the customer, and tried again on {again}, {left} times at"
        " most."
    )


async def export(visit: ConsoleVisit) -> Response[Any]:
    """Stream the list as CSV."""
    filters = _filters_of(asked_of(visit))
    read = in_pages(visit, _LIST, filters)
    return await lists.exported(
        visit, "refund", "refunds", filters, _HEAD, read, lambda row: _cells(row, visit.now)
    )


def _cells(row: Record, now: datetime) -> tuple[str, ...]:
    return (
        str(row["refund_id"]),
        str(row["payment_id"]),
        cell(row["order_id"] or ""),
        moment(row["created_at"]),
        moment(row["settled_at"]) if row["settled_at"] else "",
        str(_days(row, now)),
        row["state"],
        row["cause"],
        row["currency"],
        amount(row["amount_paise"]),
        amount(row["settled_paise"]),
        cell(row["rrn"]),
        cell(row["bank_code"]),
        cell(row["bank_message"]),
        cell(row["request_id"]),
    )


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show one refund: its progress, the bank's answer, and who requested it."""
    row = await lists.named(visit, "refund", queries.select)
    in_rupees = shown(Money(row["settled_paise"])) if row["currency"] != "INR" else ""
    asker = await asker_of(visit.db, row)
    by_merchant = row["cause"] == RefundCause.MERCHANT
    facts = [
        ("Amount", shown(Money(row["amount_paise"], row["currency"]))),
        ("In rupees", in_rupees),
        ("Why", "" if by_merchant else CAUSES[RefundCause(row["cause"])]),
        ("Asked for by", asker.person),
        ("Reason", asker.reason),
        ("Your request", "" if _is_of_console(row) else row["request_id"]),
        ("Started", to_the_second(row["created_at"])),
        ("Time", _open_for(row, visit.now).capitalize()),
        ("Sent to the bank", to_the_second(row["sent_at"]) if row["sent_at"] else ""),
        ("Ended", to_the_second(row["settled_at"]) if row["settled_at"] else ""),
        ("Came back", for_people(row["reversed_at"]) if row["reversed_at"] else ""),
        ("Bank said", _said(row)),
        ("Questions to the bank", str(row["inquiries"]) if row["inquiries"] else ""),
    ]
    return visit.page(
        "refund.html",
        f"Refund of {shown(Money(row['amount_paise'], row['currency']))}",
        row=row_of(row, visit.now),
        state=words(row["state"]),
        tone=tone_of(row["state"]),
        verdict=verdicts.of_refund(
            RefundState(row["state"]),
            shown(Money(row["amount_paise"], row["currency"])),
            becomes(row),
            row["rrn"],
            _todo(row),
        ),
        reference=refund_reference(visit.merchant_id, row["refund_id"]),
        facts=[(name, value) for name, value in facts if value],
        again=row["state"] in CAME_TO_NOTHING
        and row["cause"] == RefundCause.MERCHANT
        and not row["followed_by"]
        and visit.may(Permission.REFUNDS_MAKE),
    )


def _todo(row: Record) -> str:
    """Return what the merchant's people may do about a refund, "" for nothing."""
    if row["state"] not in CAME_TO_NOTHING or row["followed_by"]:
        return ""
    if row["cause"] == RefundCause.MERCHANT:
        return "Refund again if the customer is to have it"
    return "" if row["tries"] < FAILED_TRIES_MAX else "Ask the operator"


ROUTES = (
    ConsoleRoute("GET", "refunds", show_list, Permission.PAYMENTS_SEE),
    ConsoleRoute("GET", "refunds/export", export, Permission.PAYMENTS_EXPORT),
    ConsoleRoute("GET", "refunds/{refund_id:int}", show, Permission.PAYMENTS_SEE),
)
