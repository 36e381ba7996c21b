"""Customers of a merchant: found by any reference, and the page of one.

An address names a customer by a payment or link of theirs, so no phone and no e-mail stands in
addresses, logs and histories; what is looked for is sent as a form.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from litestar import Response

from hundi.console import customer_sections
from hundi.console.customer_sections import SHOWN_MAX, CustomerInside
from hundi.console.guard import ConsoleRoute
from hundi.console.list_tables import ListCell, ListColumn
from hundi.console.queries.bounded import read_in_time
from hundi.console.visits import ConsoleVisit
from hundi.infra.postgres.database import Connection
from hundi.kernel.masks import masked_name
from hundi.kernel.money import Money, shown
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.customers import actions, rules, store
from hundi.payments.customers.actions import MerchantCustomer
from hundi.payments.customers.rules import (
    AnchorKind,
    CustomerMark,
    CustomerTrace,
    KnownCustomer,
)
from hundi.payments.search.rules import TEXT_MAX
from hundi.staff.people.rules import Permission

MARKS: Mapping[CustomerMark, str] = {
    CustomerMark.PHONE: "Phone",
    CustomerMark.EMAIL: "E-mail",
    CustomerMark.REFERENCE: "Your name of the customer",
}
"""What joins rows of a customer, in words."""
_OTHERS_MAX = 10
"""Other contact data on a customer's page."""


def name_of(customer: MerchantCustomer) -> str:
    """Return a customer's name, masked, or what there is in its place."""
    rows = [customer.trace, *customer.payments.traces]
    named = [each for each in rows if each.buyer.firstname or each.buyer.lastname]
    return _name_in(next(iter(named), customer.trace))


def href_of(visit: ConsoleVisit, customer: MerchantCustomer) -> str:
    """Return the address of a customer's page."""
    return visit.href(f"customers/{customer.trace.anchor}")


def _name_in(trace: CustomerTrace) -> str:
    """Return the name in one row, masked; where it has none, the first of its marks."""
    buyer = trace.buyer
    name = masked_name(f"{buyer.firstname} {buyer.lastname}")
    return name or next(iter(trace.marks.masked.values()), "Nobody named")


def _contacts(trace: CustomerTrace) -> str:
    return " · ".join(trace.marks.masked.values())


def _named(known: KnownCustomer) -> ListCell:
    trace = known.newest
    under = (ListCell(text=_contacts(trace)),)
    return ListCell(text=_name_in(trace), href=f"customers/{trace.anchor}", under=under)


def _newest(known: KnownCustomer) -> ListCell:
    anchor = known.newest.anchor
    noun = "link" if anchor.kind is AnchorKind.LINK else "payment"
    return ListCell(text=f"{noun} {anchor.number}", href=f"{noun}s/{anchor.number}")


_COLUMNS = (
    ListColumn(head="Customer", cell=_named),
    ListColumn(head="Newest", cell=_newest),
    ListColumn(
        head="Payments and links", cell=lambda known: ListCell(text=str(known.rows)), is_number=True
    ),
    ListColumn(head="When", cell=lambda known: ListCell(at=known.newest.at)),
)


# --- finding ---


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show the form that finds a customer, and the customers of the newest payments."""
    known = await read_in_time(
        visit.db, lambda conn: actions.newest(conn, visit.merchant_id, visit.now)
    )
    return _listed(visit, known or [], is_search=False)


async def find(visit: ConsoleVisit) -> Response[Any]:
    """Show the customers that a text may name; lead to the page where there is only one."""
    text = visit.form.get("sought", "").strip()[:TEXT_MAX]
    traces = await actions.find(visit.db, visit.gateway.vault, visit.merchant_id, text, visit.now)
    linked = await read_in_time(
        visit.db, lambda conn: actions.find_links(conn, visit.merchant_id, text)
    )
    known = rules.each_once([*traces, *(linked or [])])
    if len(known) == 1:
        return visit.see(f"customers/{known[0].newest.anchor}")
    return _listed(visit, known, is_search=True, is_part=linked is None)


def _listed(
    visit: ConsoleVisit, known: Sequence[KnownCustomer], *, is_search: bool, is_part: bool = False
) -> Response[Any]:
    return visit.page(
        "customers.html",
        "Customers",
        columns=_COLUMNS,
        rows=[[column.cell(each) for column in _COLUMNS] for each in known],
        is_search=is_search,
        is_part=is_part,
        looked_at=actions.NEWEST_MAX,
        sought_max=TEXT_MAX,
    )


# --- one customer ---


async def customer_of(visit: ConsoleVisit) -> MerchantCustomer:
    """Return the customer of the path. Raises Refused: NO_RECORDS, also for a row of nobody."""
    named = str(visit.params["customer"])
    anchor = rules.anchor_of(named)
    customer = (
        await actions.customer_at(
            visit.db, visit.gateway.vault, visit.merchant_id, anchor, visit.now
        )
        if anchor
        else None
    )
    if customer is None:
        raise refuse(RefusalCode.NO_RECORDS, field="customer", received=named[:TEXT_MAX])
    return customer


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show what is kept of one customer, masked, each row with a link to its page."""
    customer = await customer_of(visit)
    marks, payments = customer.marks, customer.payments
    inside = CustomerInside(visit.merchant_id, marks, payments.ids, visit.now)
    known = rules.each_once(payments.traces)
    others = [each for each in known if not each.newest.marks.known.items() <= marks.known.items()]
    return visit.page(
        "customer.html",
        f"Customer {name_of(customer)}",
        customer_href=href_of(visit, customer),
        marks=marks_shown(customer),
        sums=await _sums(visit, payments.ids),
        more=payments.more,
        shown_max=SHOWN_MAX,
        sections=await customer_sections.filled(visit, inside),
        columns=_COLUMNS,
        others=[[column.cell(each) for column in _COLUMNS] for each in others[:_OTHERS_MAX]],
        can_export=visit.may(Permission.PERSONAL_REVEAL),
    )


def marks_shown(customer: MerchantCustomer) -> list[dict[str, Any]]:
    """Return what joins the rows: each mark masked, with the number of payments that have it."""
    return [
        {
            "name": mark.value,
            "words": MARKS[mark],
            "text": text,
            "payments": sum(
                each.marks.known.get(mark) == customer.marks.known[mark]
                for each in customer.payments.traces
            ),
        }
        for mark, text in customer.marks.masked.items()
    ]


async def _sums(visit: ConsoleVisit, payment_ids: Sequence[int]) -> list[str]:
    """Return what the payments of the page paid and gave back, a line for each currency."""

    async def read(conn: Connection) -> list[Any]:
        return await store.payments(conn, visit.merchant_id, payment_ids)

    paid: dict[str, tuple[int, int]] = {}
    for row in await read_in_time(visit.db, read) or []:
        before = paid.get(row["currency"], (0, 0))
        paid[row["currency"]] = (
            before[0] + row["captured_paise"],
            before[1] + row["refunded_paise"],
        )
    return [
        f"{shown(Money(sums[0], currency))} paid · {shown(Money(sums[1], currency))} refunded"
        for currency, sums in paid.items()
    ]


ROUTES = (
    ConsoleRoute("GET", "customers", show_list, Permission.PAYMENTS_SEE),
    ConsoleRoute("POST", "customers", find, Permission.PAYMENTS_SEE),
    ConsoleRoute("GET", "customers/{customer:str}", show, Permission.PAYMENTS_SEE),
)
