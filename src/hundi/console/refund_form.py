"""The form of a refund: done once, by one person or two, and never on an outdated page."""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from litestar import Response

from hundi.api.context import GatewayContext
from hundi.console import payments
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import words
from hundi.console.payment_acts import merchant_of, money_of, paise_asked, text_asked
from hundi.console.queries import refunds as queries
from hundi.console.recording import recording
from hundi.console.refund_askers import OF_APPROVAL, OF_FORM, asked_by, askers_of
from hundi.console.visits import ConsoleVisit
from hundi.infra.postgres.database import Beside, Connection
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import new_id
from hundi.kernel.money import shown
from hundi.kernel.refusals import Refusal, RefusalCode, Refused, refuse
from hundi.merchants.directory.rules import Merchant
from hundi.payments.orders import store as orders
from hundi.payments.orders.rules import Payment
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds.actions import ItemToRefund
from hundi.payments.refunds.limits.rules import alone_paise_max
from hundi.payments.refunds.rules import RequestKey
from hundi.staff.approvals import actions as approvals
from hundi.staff.approvals.actions import ApprovalKind
from hundi.staff.approvals.rules import Approval
from hundi.staff.people.rules import Permission

_ACT_ID = re.compile(r"[0-9]{1,15}\Z")
_SEEN = re.compile(r"([0-9]{1,9})-([0-9]{1,9})\Z")
NOT_SEEN = Refusal(RefusalCode.STATE_FORBIDS, field="seen")
"""Somebody refunded the payment, or requested it, after the form's page was made."""


@dataclass(frozen=True, slots=True)
class RefundForm:
    """The fields of the form.

    seen: the number of refunds of the payment, and requests for one, on its page.
    """

    paise: int
    reason: str
    act_id: str
    seen: tuple[int, int]


@dataclass(frozen=True, slots=True)
class RefundFormOutcome:
    """What a form came to. path: the page that shows it, below the place. notice: of that page."""

    path: str
    notice: str


async def refund(visit: ConsoleVisit) -> Response[Any]:
    """Refund a payment or ask a second person for it, once, however often the form is sent."""
    payment, form = (await payments.find(visit)).payment, _asked(visit)
    try:
        answer = await refund_once(visit, payment, form)
    except Refused as refused:
        if refused.refusal is not NOT_SEEN:
            raise
        return await _say_what_came_between(visit, payment, form)
    return visit.see(answer.path, answer.notice)


async def refund_once(visit: ConsoleVisit, payment: Payment, form: RefundForm) -> RefundFormOutcome:
    """Refund a payment or ask a second person for it, once under the form's number.

    payment: as it was read before anything else, so that a refund it shows has a stored answer.
    Raises Refused, with `NOT_SEEN` when another refund or request came after the form's page.
    """
    counted = await queries.count_of(visit.db, visit.merchant_id, payment.payment_id)
    payload = {
        "payment_id": str(payment.payment_id),
        "order": payment.order_id,
        "amount_paise": form.paise,
    }
    standing = await approvals.of_act(
        visit.db, visit.merchant_id, REFUND.name, form.act_id, payload
    )
    if standing is not None:
        return RefundFormOutcome(f"approvals/{standing.approval_id}", "asked")
    key = _key(OF_FORM + form.act_id, payment.payment_id, form.paise)
    answer = await refunds.answered(visit.gateway.payments, visit.merchant_id, key)
    if answer is not None:
        if answer.refusal is not None:
            raise Refused(answer.refusal)
        return RefundFormOutcome(f"payments/{payment.payment_id}", "refunded")
    if counted != form.seen:
        raise Refused(NOT_SEEN)
    if form.paise > payment.remaining.paise:
        raise refuse(
            RefusalCode.MORE_THAN_REMAINS,
            field="amount",
            received=money_of(payment, form.paise),
            allowed=shown(payment.remaining),
        )
    return await _begin(visit, payment, form, key, payload)


def _asked(visit: ConsoleVisit) -> RefundForm:
    paise = paise_asked(visit.form.get("amount", ""))
    typed = visit.form.get("act_id", ""), visit.form.get("seen", "")
    return form_typed(paise, text_asked(visit, "reason"), *typed)


def form_typed(paise: int, reason: str, act_id: str, seen: str) -> RefundForm:
    """Return a form by the texts of its hidden fields. Raises Refused (FIELD_INVALID)."""
    if not _ACT_ID.match(act_id):
        raise refuse(RefusalCode.FIELD_INVALID, field="act_id", received=act_id[:20])
    counted = _SEEN.match(seen)
    numbers = (int(counted[1]), int(counted[2])) if counted else (0, 0)
    return RefundForm(paise, reason, act_id, numbers)


async def _begin(
    visit: ConsoleVisit,
    payment: Payment,
    form: RefundForm,
    key: RequestKey,
    payload: dict[str, Any],
) -> RefundFormOutcome:
    """Begin the refund, or request it. Raises Refused, with `NOT_SEEN` when somebody was faster."""
    amount = money_of(payment, form.paise)
    if payment.refunded_paise + form.paise > alone_paise_max(merchant_of(visit).settings, payment):
        title = f"Refund of {amount} to order {payment.order_id}"
        recorded = recording(
            visit,
            "payment.refund_ask",
            payment.payment_id,
            "approval",
            amount=amount,
            reason=form.reason,
        )
        approval_id = await approvals.ask(
            visit.db,
            visit.merchant_id,
            REFUND.name,
            title,
            payload,
            visit.who,
            form.reason,
            visit.now,
            form.act_id,
            _if_nothing_came(payment, form, (0, 1), recorded),
        )
        return RefundFormOutcome(f"approvals/{approval_id}", "asked")
    recorded = recording(
        visit, "payment.refund", payment.payment_id, "refund", amount=amount, reason=form.reason
    )
    beside = _if_nothing_came(payment, form, (1, 0), recorded)
    asking = ItemToRefund(form.paise, key, alone=True, beside=beside)
    await _refund(visit.gateway, merchant_of(visit), payment.payment_id, asking)
    return RefundFormOutcome(f"payments/{payment.payment_id}", "refunded")


def _if_nothing_came(
    payment: Payment, form: RefundForm, mine: tuple[int, int], record: Beside
) -> Beside:
    """Return a writer of the act's record, which undoes the act when something came before it.

    It holds the payment's lock: the second of two concurrent acts sees the first. mine: what the
    act itself adds.
    """

    async def write(conn: Connection, number: int) -> None:
        await orders.lock_view(conn, payment.merchant_id, payment.payment_id)
        counted = await queries.count_of(conn, payment.merchant_id, payment.payment_id)
        if counted != (form.seen[0] + mine[0], form.seen[1] + mine[1]):
            raise Refused(NOT_SEEN)
        await record(conn, number)

    return write


async def _say_what_came_between(
    visit: ConsoleVisit, payment: Payment, form: RefundForm
) -> Response[Any]:
    """Show what was refunded or requested meanwhile and by whom.

    A form repeats the refund where it is still possible.
    """
    now = (await payments.find(visit)).payment
    several = merchant_of(visit).settings.multiple_partial_refunds or not now.refunds
    return visit.page(
        "refund_again.html",
        "This payment was refunded meanwhile",
        409,
        came=await _came(visit, payment, form.seen),
        order=payment.order_id,
        payment_href=visit.href(f"payments/{payment.payment_id}"),
        amount=visit.form["amount"],
        asked_amount=money_of(payment, form.paise),
        reason=form.reason,
        left=shown(now.remaining),
        possible=several and form.paise <= now.remaining.paise,
        several=several,
        act_id=new_id(visit.now),
        seen=await payments.refund_seen(visit, payment.payment_id),
    )


@dataclass(frozen=True, slots=True)
class Came:
    """A refund or request that came meanwhile. path: of its page below the place."""

    at: datetime
    title: str
    by: str
    path: str


async def _came(visit: ConsoleVisit, payment: Payment, before: tuple[int, int]) -> list[Came]:
    askers, requests = await askers_of(visit.db, payment.merchant_id, payment.payment_id)
    refunds_made = await refunds.of_payment(visit.gateway.payments, payment)
    events = [
        Came(
            each.created_at,
            f"Refund of {shown(each.amount)}",
            asked_by(each.cause, each.refund_id, each.request_id, askers).person,
            f"refunds/{each.refund_id}",
        )
        for each in refunds_made[before[0] :]
    ]
    events += [
        Came(
            each["made_at"],
            f"{each['title']}: {words(each['state']).lower()}",
            each["maker"],
            f"approvals/{number}",
        )
        for number, each in list(requests.items())[before[1] :]
    ]
    return sorted(events, key=lambda each: each.at)


def _key(request_id: str, payment_id: int, paise: int) -> RequestKey:
    return RequestKey(
        request_id, 0, hashlib.sha256(msgspec.json.encode((payment_id, paise))).digest()
    )


async def _refund(
    gateway: GatewayContext, merchant: Merchant, payment_id: int, asking: ItemToRefund
) -> int:
    """Begin a refund once, however often it is requested under one key. Raises Refused."""
    (answer,) = await refunds.request(gateway.payments, merchant, payment_id, [asking], utc_now())
    if answer.refusal is not None:
        raise Refused(answer.refusal)
    return answer.refund_id


async def make_refund(gateway: GatewayContext, approval: Approval) -> str:
    """Make the refund that a second person approved."""
    merchant = await gateway.directory.get(approval.merchant_id)
    if merchant is None:
        raise refuse(RefusalCode.MERCHANT_UNKNOWN)
    payment_id, paise = int(approval.payload["payment_id"]), int(approval.payload["amount_paise"])
    key = _key(f"{OF_APPROVAL}{approval.approval_id}", payment_id, paise)
    refund_id = await _refund(gateway, merchant, payment_id, ItemToRefund(paise, key))
    return f"Refund {refund_id} was begun."


REFUND: ApprovalKind[GatewayContext] = ApprovalKind(
    "refund", "Refund", Permission.REFUNDS_APPROVE, Permission.REFUNDS_MAKE, make_refund
)

ROUTES = (
    ConsoleRoute(
        "POST", "payments/{payment_id:int}/refund", refund, Permission.REFUNDS_MAKE, fresh=True
    ),
)
