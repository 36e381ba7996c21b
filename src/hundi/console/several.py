"""Acts on several rows of a list: a preview, and then each by the same act as a single one.

Each row is done or refused for itself, under a key of its own; the page lists what became of each.
Sending the form again does nothing twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from litestar import Response

from hundi.console.guard import ConsoleRoute, refusal_words
from hundi.console.lists import PAGE_ROWS, id_of, words
from hundi.console.payment_acts import merchant_of, text_asked
from hundi.console.payments import refund_seen
from hundi.console.refund_form import NOT_SEEN, form_typed, refund_once
from hundi.console.verb_forms import do
from hundi.console.visits import ConsoleVisit
from hundi.kernel.ids import new_id
from hundi.kernel.money import Money, shown
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.payments.orders.finding import store as finding
from hundi.payments.orders.rules import Payment
from hundi.payments.refunds.limits.rules import alone_paise_max
from hundi.payments.story.actions import notifications_of
from hundi.payments.story.rules import StoryNotification
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbProblemError
from hundi.verbs.delivery import replay as replay_delivery

PICK = "pick_"
"""The beginning of the names of a list's boxes: after it comes the row's key."""
_CAME_BETWEEN = "Somebody refunded it, or asked for that, after the preview: look at it first."


@dataclass(frozen=True, slots=True)
class RowAct:
    """One chosen row. name: of its key. tells: what would be done, or what became of it.

    path: its page, below the place. fields: hidden fields of the row, {} where nothing can be done.
    is_done: whether it was done; None in a preview.
    """

    name: str
    path: str
    title: str
    amount: str
    tells: str
    fields: Mapping[str, str]
    is_done: bool | None = None


def _picked(fields: Mapping[str, str], beginning: str) -> list[str]:
    """Return the keys of the chosen rows, at most those of one page."""
    names = sorted(
        (name.removeprefix(beginning) for name in fields if name.startswith(beginning)),
        reverse=True,
    )
    if not 0 < len(names) <= PAGE_ROWS:
        allowed = f"1 to {PAGE_ROWS} rows of the list"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="pick", received=str(len(names)), allowed=allowed
        )
    return names


# --- refunds ---


async def preview_refunds(visit: ConsoleVisit) -> Response[Any]:
    """Show what a refund of each chosen payment would do."""
    acts = [await _refund_planned(visit, name) for name in _picked(visit.query, PICK)]
    return _page(visit, "Refund the chosen payments", acts, "payments", asks_reason=True)


async def _payment(visit: ConsoleVisit, name: str) -> Payment:
    number = id_of(name)
    view = (
        await finding.select_by_references(visit.db, visit.merchant_id, None, number, None)
        if number
        else None
    )
    if view is None:
        raise refuse(RefusalCode.NO_RECORDS, field="payment", received=name[:40])
    return view.payment


async def _refund_planned(visit: ConsoleVisit, name: str) -> RowAct:
    payment = await _payment(visit, name)
    left = payment.remaining
    tells, fields = "Nothing of it can be refunded", {}
    if left.paise:
        several = merchant_of(visit).settings.multiple_partial_refunds or not payment.refunds
        alone = alone_paise_max(merchant_of(visit).settings, payment)
        tells = (
            "It was refunded once, and here a payment is refunded once only"
            if not several
            else "A second person is asked"
            if payment.refunded_paise + left.paise > alone
            else "Refunded at once"
        )
        if several:
            fields = {
                f"act_{name}": str(new_id(visit.now)),
                f"seen_{name}": await refund_seen(visit, payment.payment_id),
                f"paise_{name}": str(left.paise),
            }
    path = f"payments/{payment.payment_id}"
    return RowAct(name, path, payment.order_id, shown(left), tells, fields)


async def refund_several(visit: ConsoleVisit) -> Response[Any]:
    """Refund each payment of the preview, or ask a second person for it."""
    reason = text_asked(visit, "reason")
    acts = [await _refunded(visit, name, reason) for name in _picked(visit.form, "act_")]
    return _page(visit, "What became of the refunds", acts, "payments")


async def _refunded(visit: ConsoleVisit, name: str, reason: str) -> RowAct:
    payment = await _payment(visit, name)
    paise = id_of(visit.form.get(f"paise_{name}", "")) or 0
    typed = visit.form.get(f"act_{name}", ""), visit.form.get(f"seen_{name}", "")
    path, is_done = f"payments/{payment.payment_id}", False
    try:
        answer = await refund_once(visit, payment, form_typed(paise, reason, *typed))
    except Refused as refused:
        came = refused.refusal is NOT_SEEN
        tells = _CAME_BETWEEN if came else refusal_words(refused.refusal)
    else:
        path, is_done = answer.path, True
        tells = "Waits for a second person" if answer.notice == "asked" else "Refund started"
    amount = shown(Money(paise, payment.amount.currency))
    return RowAct(name, path, payment.order_id, amount, tells, {}, is_done)


# --- notifications ---


async def preview_resends(visit: ConsoleVisit) -> Response[Any]:
    """Show the chosen notifications before they are sent again."""
    acts = [await _resend_planned(visit, name) for name in _picked(visit.query, PICK)]
    return _page(visit, "Send the chosen notifications again", acts, "deliveries")


async def _notification(visit: ConsoleVisit, name: str) -> StoryNotification:
    payment, _, event = name.partition("-")
    numbers = id_of(payment), id_of(event)
    found = await notifications_of(visit.db, (visit.merchant_id, numbers[0] or 0))
    notification = next((each for each in found if each.key.event_no == numbers[1]), None)
    if notification is None:
        raise refuse(RefusalCode.NO_RECORDS, field="delivery", received=name[:40])
    return notification


def _row(notification: StoryNotification, name: str) -> tuple[str, str, str]:
    key = notification.key
    return name, f"deliveries/{key.payment_id}/{key.event_no}", words(notification.kind)


async def _resend_planned(visit: ConsoleVisit, name: str) -> RowAct:
    notification = await _notification(visit, name)
    fields = {f"act_{name}": notification.key.webhook_id}
    return RowAct(*_row(notification, name), "", words(notification.state), fields)


async def resend_several(visit: ConsoleVisit) -> Response[Any]:
    """Send each notification of the preview again, under its own webhook id."""
    acts = [await _resent(visit, name) for name in _picked(visit.form, "act_")]
    return _page(visit, "What became of the notifications", acts, "deliveries")


async def _resent(visit: ConsoleVisit, name: str) -> RowAct:
    notification = await _notification(visit, name)
    tells, is_done = "It is sent again", True
    try:
        await do(visit, replay_delivery, {"webhook_id": notification.key.webhook_id})
    except Refused as refused:
        tells, is_done = refusal_words(refused.refusal), False
    except VerbProblemError as problem:
        tells, is_done = str(problem), False
    return RowAct(*_row(notification, name), "", tells, {}, is_done)


def _page(
    visit: ConsoleVisit,
    title: str,
    acts: list[RowAct],
    path: str,
    *,
    asks_reason: bool = False,
) -> Response[Any]:
    return visit.page(
        "several.html",
        title,
        acts=acts,
        possible=sum(bool(each.fields) for each in acts),
        done=sum(each.is_done is True for each in acts),
        refused=sum(each.is_done is False for each in acts),
        asks_reason=asks_reason,
        back=visit.href(path),
    )


_REFUNDS, _RESENDS = "payments/refund-several", "deliveries/send-several"
ROUTES = (
    ConsoleRoute("GET", _REFUNDS, preview_refunds, Permission.REFUNDS_MAKE),
    ConsoleRoute("POST", _REFUNDS, refund_several, Permission.REFUNDS_MAKE, fresh=True),
    ConsoleRoute("GET", _RESENDS, preview_resends, Permission.DELIVERIES_REPLAY),
    ConsoleRoute("POST", _RESENDS, resend_several, Permission.DELIVERIES_REPLAY),
)
