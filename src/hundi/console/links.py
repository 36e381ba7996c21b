"""Payment links: the list, making one, one with its orders, and cancelling it."""

import re
from datetime import date, datetime, time, timedelta
from typing import Any

from litestar import Response

from hundi.api.addresses import LINK_PAGE
from hundi.console.days import day_of
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import ID_DIGITS
from hundi.console.payments import tone_of, words
from hundi.console.recording import recording
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import INDIA, business_day
from hundi.kernel.ids import new_id
from hundi.kernel.money import PAISE_PER_RUPEE, rupees
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.payments.links import actions, rules
from hundi.payments.links.rules import Link, LinkState, NewLink
from hundi.payments.orders.rules import Buyer
from hundi.staff.people.rules import Permission

_RUPEES = re.compile(r"([0-9]{1,10})(?:\.([0-9]{1,2}))?\Z")
_ACT_ID = re.compile(r"[0-9]{1,15}\Z")
_TYPED = ("amount", "minimum", "description", "until", "surplus", "email", "phone", "act_id")
_TEXT_MAX = 254
_TONES = {LinkState.PAID: "paid", LinkState.PARTLY_PAID: "waiting", LinkState.OPEN: "waiting"}


async def listing(visit: ConsoleVisit) -> Response[Any]:
    """List the merchant's links, newest first, with the form that makes one."""
    return await _listed(visit)


async def _listed(visit: ConsoleVisit, fault: str = "", status_code: int = 200) -> Response[Any]:
    found = await actions.list_of(
        visit.db, visit.merchant_id, _number(visit.query.get("before", ""))
    )
    return visit.page(
        "links.html",
        "Payment links",
        status_code,
        rows=[_row(visit, each) for each in found],
        older=found[-1].link_id if len(found) == actions.LIST_MAX else 0,
        may_make=visit.may(Permission.LINKS_MAKE),
        fault=fault,
        typed={name: visit.form.get(name, "") for name in _TYPED},
        act_id=visit.form.get("act_id") or str(new_id(visit.now)),
        first_day=business_day(visit.now).isoformat(),
        last_day=(business_day(visit.now) + rules.LIFE_MAX - timedelta(days=1)).isoformat(),
        usual_day=(business_day(visit.now) + rules.LIFE).isoformat(),
    )


def _row(visit: ConsoleVisit, link: Link) -> dict[str, Any]:
    state = rules.state_of(link, visit.now)
    return {
        "id": link.link_id,
        "reference": link.reference,
        "description": link.description,
        "amount": rupees(link.amount_paise),
        "paid": rupees(link.paid_paise),
        "state": words(state),
        "tone": _TONES.get(state, ""),
        "until": link.expires_at,
        "address": visit.gateway.settings.payment_page_url + LINK_PAGE + link.address,
        "payable": state in rules.PAYABLE,
    }


async def make(visit: ConsoleVisit) -> Response[Any]:
    """Make a link, once, however often the form is sent."""
    form = visit.form
    try:
        if not _ACT_ID.match(form.get("act_id", "")):
            raise refuse(
                RefusalCode.FIELD_INVALID, field="act_id", received=form.get("act_id", "")[:20]
            )
        new = NewLink(
            reference=f"console-{form['act_id']}",
            amount_paise=_paise(form.get("amount", ""), "amount"),
            description=form.get("description", "").strip(),
            expires_at=_end_of(
                day_of(form.get("until", "")) or business_day(visit.now) + rules.LIFE
            ),
            minimum_paise=_paise(form["minimum"], "minimum")
            if form.get("minimum", "").strip()
            else 0,
            surplus="keep" if form.get("surplus") == "keep" else "refund",
            buyer=Buyer(email=_short(form.get("email", "")), phone=_short(form.get("phone", ""))),
        )
        recorded = recording(
            visit, "link.make", amount=rupees(new.amount_paise), description=new.description
        )
        made = await actions.make(
            visit.db, visit.merchant_id, new, visit.who.name, visit.now, recorded
        )
    except Refused as refused:
        if refused.refusal.code is not RefusalCode.FIELD_INVALID:
            raise
        told = refused.refusal
        return await _listed(visit, f"{told.field.capitalize()}: use {told.allowed}.", 409)
    return visit.see(f"links/{made.link_id}", "link_made")


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show a link as it stands now, with the orders that customers began under it."""
    found = await actions.find(
        visit.gateway.payments, visit.merchant_id, visit.now, link_id=_asked_for(visit)
    )
    if found is None:
        raise refuse(RefusalCode.NO_RECORDS)
    link = found.link
    orders = [
        {
            "order": each.order_id,
            "payment": each.payment_id,
            "amount": rupees(each.amount_paise),
            "counted": rupees(each.counted_paise) if each.counted_at else "",
            "back": rupees(each.back_paise) if each.back_paise else "",
            "at": each.counted_at or each.created_at,
            "state": "Paid" if each.counted_at else "Not paid",
            "tone": tone_of("paid" if each.counted_at else ""),
        }
        for each in found.orders
    ]
    return visit.page(
        "link.html",
        link.description,
        link=_row(visit, link),
        least=rupees(link.minimum_paise) if link.minimum_paise else "",
        surplus=link.surplus,
        made_by=link.made_by,
        made_at=link.created_at,
        orders=orders,
        may_make=visit.may(Permission.LINKS_MAKE),
    )


def _asked_for(visit: ConsoleVisit) -> int:
    """Return the link that an address names.

    Raises Refused (NO_RECORDS) for a number that is no id.
    """
    number = int(visit.params["link_id"])
    if not 0 < number < 10**ID_DIGITS:
        raise refuse(RefusalCode.NO_RECORDS)
    return number


async def cancel(visit: ConsoleVisit) -> Response[Any]:
    """Cancel a link; what is paid of it stays paid."""
    recorded = recording(visit, "link.cancel")
    made = await actions.cancel(visit.db, visit.merchant_id, _asked_for(visit), visit.now, recorded)
    return visit.see(f"links/{made.link_id}", "link_cancelled")


def _number(text: str) -> int:
    return int(text) if _ACT_ID.match(text) else 0


def _end_of(day: date) -> datetime:
    """Return the last minute of a day in India."""
    return datetime.combine(day, time(23, 59), INDIA)


def _short(text: str) -> str:
    return text.strip()[:_TEXT_MAX]


def _paise(text: str, field: str) -> int:
    found = _RUPEES.match(text.replace(",", "").replace("₹", "").strip())
    if found is None:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field=field,
            received=text[:32],
            allowed="rupees, such as 1499.50",
        )
    return int(found[1]) * PAISE_PER_RUPEE + int((found[2] or "0").ljust(2, "0"))


ROUTES = (
    ConsoleRoute("GET", "links", listing, Permission.PAYMENTS_SEE),
    ConsoleRoute("POST", "links", make, Permission.LINKS_MAKE),
    ConsoleRoute("GET", "links/{link_id:int}", show, Permission.PAYMENTS_SEE),
    ConsoleRoute("POST", "links/{link_id:int}/cancel", cancel, Permission.LINKS_MAKE),
)
