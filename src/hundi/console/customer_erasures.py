"""The erasure of a customer's data: what would go and what the law keeps, asked for, and done."""

from dataclasses import asdict
from datetime import date
from functools import partial
from typing import Any

from litestar import Response

from hundi.api.context import GatewayContext
from hundi.console import lists
from hundi.console.customer_files import PAYMENTS_MAX, marks_asked, payments_asked
from hundi.console.customers import MARKS, customer_of, href_of, marks_shown, name_of
from hundi.console.guard import ConsoleRoute
from hundi.console.payment_acts import reason_asked
from hundi.console.queries.bounded import read_in_time
from hundi.console.verb_forms import ACT_ID
from hundi.console.visits import ConsoleVisit
from hundi.infra.postgres.database import Connection
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import business_day, utc_now
from hundi.kernel.ids import new_id
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.customers import actions, rules, store
from hundi.payments.customers.actions import MerchantCustomer
from hundi.payments.customers.erasing import actions as erasing
from hundi.payments.customers.erasing import store as erasing_store
from hundi.payments.customers.erasing.rules import ERASED, ErasableRows, StayingRows, laws_of, said
from hundi.payments.customers.erasing.store import ErasureScope
from hundi.payments.customers.rules import CustomerMarks
from hundi.staff.approvals import actions as approvals
from hundi.staff.approvals.actions import ApprovalKind
from hundi.staff.approvals.rules import Approval
from hundi.staff.people.rules import Permission
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

_RUNNING = ("active", "paused")
_SEPARATOR = "-"
_PURPOSE = "customer-erasure"
_OTHER_MARKS = "the phone, e-mail and name that were asked about: they changed since, so ask again"


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show what an erasure of the ticked marks would erase, and what stays and why."""
    customer = await customer_of(visit)
    marks = marks_asked(visit, customer)
    payment_ids = await payments_asked(visit, marks)
    scope = ErasureScope(visit.merchant_id, marks, payment_ids, visit.now)
    counted = await read_in_time(visit.db, partial(_counted, scope))
    if counted is None:
        return lists.too_long(visit)
    (erasable, staying), mandates, newest = counted
    numbers = asdict(erasable)
    return visit.page(
        "customer_erasure.html",
        f"Erase {name_of(customer)}",
        customer_href=href_of(visit, customer),
        marks=[each for each in marks_shown(customer) if each["name"] in marks.known],
        erased=[(*ERASED[name], number) for name, number in numbers.items()],
        in_all=erasable.in_all,
        payments=len(payment_ids),
        laws=laws_of(newest) if newest else [],
        newest=newest,
        acts=_acts(staying, mandates),
        act_id=new_id(visit.now),
    )


async def _counted(scope: ErasureScope, conn: Connection) -> tuple[Any, int, date | None]:
    """Return what goes and stays, the mandates that go on, and the day of the newest payment."""
    whose = conn, scope.merchant_id, scope.payment_ids
    counts = await erasing_store.count(conn, scope)
    subscriptions = await store.subscriptions(*whose)
    payments = await store.payments(*whose)
    days = [business_day(each["settled_at"] or each["created_at"]) for each in payments]
    running = sum(each["state"] in _RUNNING for each in subscriptions)
    return counts, running, max(days, default=None)


def _acts(staying: StayingRows, mandates: int) -> list[tuple[str, int, str]]:
    """Return what stays until somebody acts: a title, a number, and what to do."""
    acts = [
        ("Open payment links", staying.open_links, "Cancel them first, if nothing is owed."),
        ("Mandates that go on", mandates, "Cancel the subscription, which ends the mandate."),
        (
            "Letters that wait to be sent",
            staying.waiting_letters,
            "They are sent, and a later erasure finds them.",
        ),
    ]
    return [each for each in acts if each[1]]


async def ask(visit: ConsoleVisit) -> Response[Any]:
    """Ask a second person for the erasure of what has the ticked marks."""
    reason = reason_asked(visit)
    customer = await customer_of(visit)
    marks = marks_asked(visit, customer)
    await payments_asked(visit, marks)
    approval_id = await approvals.ask(
        visit.db,
        visit.merchant_id,
        ERASURE.name,
        f"Erase what is kept of the customer of {str(customer.trace.anchor).replace('-', ' ')}",
        _payload(visit.gateway.vault, customer, marks),
        visit.who,
        reason,
        visit.now,
        visit.form.get(ACT_ID, ""),
    )
    return visit.see(f"approvals/{approval_id}", "asked")


def _payload(vault: Vault, customer: MerchantCustomer, marks: CustomerMarks) -> dict[str, str]:
    """Return a request's content: it names a row, and no phone and no e-mail."""
    return {
        "customer": str(customer.trace.anchor),
        "joined_by": ", ".join(MARKS[each] for each in marks.known),
        "by_marks": _SEPARATOR.join(marks.known),
        "marks_digest": marks.digest(vault.derive_oldest(_PURPOSE)),
    }


async def _erase(gateway: GatewayContext, approval: Approval) -> str:
    """Erase what a request names. Done again after a crash, it finds nothing.

    A newer payment may have changed whom the row names: then nothing that was approved is known.
    """
    anchor = rules.anchor_of(approval.payload["customer"])
    assert anchor is not None, "a request names a row"
    whose = gateway.db, gateway.vault, approval.merchant_id
    now = utc_now()
    customer = await actions.customer_at(*whose, anchor, now)
    if customer is None:
        return said(ErasableRows())
    marks = customer.marks.only(approval.payload["by_marks"].split(_SEPARATOR))
    if marks.digest(gateway.vault.derive_oldest(_PURPOSE)) != approval.payload["marks_digest"]:
        raise refuse(RefusalCode.STATE_FORBIDS, field="customer", allowed=_OTHER_MARKS)
    payments = await actions.payments_of(*whose, marks, now, PAYMENTS_MAX)
    if not marks or payments.more:
        raise refuse(RefusalCode.STATE_FORBIDS, field="customer", allowed="marks of one person")
    scope = ErasureScope(approval.merchant_id, marks, payments.ids, now)

    async def recorded(conn: Connection, number: int) -> int:
        who = Who(approval.made_by, approval.maker, gateway.vault)
        detail = {
            "approval": str(approval.approval_id),
            "joined_by": approval.payload["joined_by"],
            "reason": approval.reason,
            "rows": number,
        }
        return await trail.record(
            conn, approval.merchant_id, who, "customer.erase", str(anchor), now, **detail
        )

    return said(await erasing.erase(gateway.db, scope, recorded))


ERASURE: ApprovalKind[GatewayContext] = ApprovalKind(
    "customer_erasure",
    "Erasure of a customer's data",
    Permission.PERSONAL_ERASE,
    Permission.PERSONAL_REVEAL,
    _erase,
)
_ONE = "customers/{customer:str}/erasure"
ROUTES = (
    ConsoleRoute("GET", _ONE, show, Permission.PERSONAL_REVEAL),
    ConsoleRoute("POST", _ONE, ask, Permission.PERSONAL_REVEAL, fresh=True),
)
