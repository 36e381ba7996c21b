"""The export of a customer: all that is kept, as a file for who has the right and says why."""

import io
import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from asyncpg import Record
from litestar import Response

from hundi.console.customers import customer_of
from hundi.console.downloads import Download, leave
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import written
from hundi.console.payment_acts import reason_asked
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import ist
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.money.reports.rules import cell
from hundi.payments.customers import actions
from hundi.payments.customers.actions import MerchantCustomer
from hundi.payments.customers.rules import CustomerMark, CustomerMarks
from hundi.payments.orders.rules import Buyer
from hundi.staff.people.rules import Permission

PAYMENTS_MAX = 2_000
"""Payments of one export: more have a mark that many people share."""
_ROWS_MAX = 20_000
"""Rows of each kind in one export."""
BY = "by"
"""The part of an address that names marks: `phone-email`."""
_TICKED = "yes"
_ZIP = "application/zip"


def marks_asked(visit: ConsoleVisit, customer: MerchantCustomer) -> CustomerMarks:
    """Return the ticked marks, which a person has proved. Raises Refused (FIELD_INVALID)."""
    given = visit.form if visit.request.method == "POST" else visit.query
    ticked = [each.value for each in CustomerMark if given.get(each) == _TICKED]
    marks = customer.marks.only(ticked or given.get(BY, "").split("-"))
    if not marks:
        allowed = f"a tick at one of: {', '.join(customer.marks.known)}"
        raise refuse(RefusalCode.FIELD_INVALID, field="customer", allowed=allowed)
    return marks


async def payments_asked(visit: ConsoleVisit, marks: CustomerMarks) -> list[int]:
    """Return all payments with some marks. Raises Refused (STATE_FORBIDS) for too many."""
    payments = await actions.payments_of(
        visit.db, visit.gateway.vault, visit.merchant_id, marks, visit.now, PAYMENTS_MAX
    )
    if payments.more:
        raise _shared(f"more than {PAYMENTS_MAX:,} payments")
    return payments.ids


def _shared(received: str) -> Refused:
    """Return the refusal of marks that have too many rows. received: how many."""
    allowed = "marks of one person: so many rows have one that many people share"
    return refuse(RefusalCode.STATE_FORBIDS, field="customer", received=received, allowed=allowed)


async def export(visit: ConsoleVisit) -> Response[Any]:
    """Send everything that is kept of a customer as one file, and record who took it and why."""
    reason = reason_asked(visit)
    customer = await customer_of(visit)
    marks = marks_asked(visit, customer)
    payment_ids = await payments_asked(visit, marks)
    kept = await actions.kept_of(
        visit.db, visit.merchant_id, marks, payment_ids, visit.now, _ROWS_MAX + 1
    )
    if any(len(each) > _ROWS_MAX for each in kept.values()):
        raise _shared(f"more than {_ROWS_MAX:,} rows of one kind")
    rows = {name: [_flat(row) for row in rows] for name, rows in kept.items()}
    about = {
        "merchant": str(visit.merchant_id),
        "made": ist(visit.now).isoformat(),
        "made_by": visit.person.name,
        "reason": reason,
        "joined_by": dict(marks.known),
        "rows": {name: len(each) for name, each in rows.items()},
    }
    name = f"customer-{customer.trace.anchor}.zip"
    file = Download(name, _ZIP, zipped(about, rows))
    joined_by = ", ".join(marks.known)
    return await leave(
        visit,
        file,
        "customer.export",
        str(customer.trace.anchor),
        reason=reason,
        joined_by=joined_by,
        rows=sum(len(each) for each in rows.values()),
    )


def _flat(row: Record) -> dict[str, Any]:
    """Return a row with the fields of its customer as columns of their own."""
    fields = dict(row)
    buyer = fields.pop("buyer", None)
    if buyer is None:
        return fields
    known = Buyer(**buyer)
    return fields | {f"customer_{name}": getattr(known, name) for name in Buyer.__struct_fields__}


def zipped(about: Mapping[str, Any], kept: Mapping[str, Sequence[Mapping[str, Any]]]) -> bytes:
    """Return a zip with all rows as JSON, and each kind of rows as CSV for a spreadsheet.

    about: what the file is, beside the rows. CSV files have no formulas that a spreadsheet would
    run.
    """
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        whole = {"about": about, **kept}
        archive.writestr(
            "customer.json", json.dumps(whole, default=_text, ensure_ascii=False, indent=1)
        )
        for name, rows in kept.items():
            if rows:
                lines = [list(rows[0]), *([_cell(each) for each in row.values()] for row in rows)]
                archive.writestr(f"{name}.csv", written(lines))
    return out.getvalue()


def _text(value: Any) -> str:  # noqa: ANN401 (whatever a column holds beside JSON)
    """Return a moment in Indian time, a day, or another value as text."""
    if isinstance(value, datetime):
        return ist(value).isoformat()
    return value.isoformat() if isinstance(value, date) else str(value)


def _cell(value: Any) -> str:  # noqa: ANN401 (whatever a column holds)
    if value is None:
        return ""
    if isinstance(value, list | dict):
        return cell(json.dumps(value, default=_text, ensure_ascii=False))
    return cell(str(value) if isinstance(value, str | int) else _text(value))


ROUTES = (
    ConsoleRoute(
        "POST", "customers/{customer:str}/export", export, Permission.PERSONAL_REVEAL, fresh=True
    ),
)
