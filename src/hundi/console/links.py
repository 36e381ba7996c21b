"""Payment links: the list, a new one, one with its orders, and cancelling it."""

import re
from datetime import timedelta
from typing import Any

from litestar import Response

from hundi.api.addresses import LINK_PAGE
from hundi.console.days import day_of
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import ID_DIGITS
from hundi.console.payments import tone_of, words
from hundi.console.verb_forms import form_of
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import business_day
from hundi.kernel.ids import new_id
from hundi.kernel.money import rupees
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.payments.links import actions, rules
from hundi.payments.links.rules import Link, LinkState
from hundi.staff.people.rules import Permission
from hundi.verbs.link import cancel, make

_ACT_ID = re.compile(r"[0-9]{1,15}\Z")
_TYPED = ("amount", "minimum", "description", "until", "surplus", "email", "phone", "act_id")
_TEXT_MAX = 254
_TONES = {LinkState.PAID: "paid", LinkState.PARTLY_PAID: "waiting", LinkState.OPEN: "waiting"}


async def listing(visit: ConsoleVisit) -> Response[Any]:
    """List the merchant's links, newest first, with the form that makes one."""
    return await _listed(visit)


async def _listed(visit: ConsoleVisit, fault: str = "", status_code: int = 200) -> Response[Any]:
    links = await actions.list_of(
        visit.db, visit.merchant_id, _number(visit.query.get("before", ""))
    )
    return visit.page(
        "links.html",
        "Payment links",
        status_code,
        rows=[_row(visit, each) for each in links],
        older=links[-1].link_id if len(links) == actions.LIST_MAX else 0,
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


async def _link_typed(visit: ConsoleVisit) -> dict[str, str]:
    """Return the new link of a form; the form's number makes it one, however often it is sent."""
    form = visit.form
    if not _ACT_ID.match(form.get("act_id", "")):
        raise refuse(
            RefusalCode.FIELD_INVALID, field="act_id", received=form.get("act_id", "")[:20]
        )
    until = day_of(form.get("until", "")) or business_day(visit.now) + rules.LIFE
    keep = "1" if form.get("surplus") == "keep" else ""
    buyer = {name: _short(form.get(name, "")) for name in ("email", "phone")}
    return {**form, **buyer, "until": until.isoformat(), "keep_surplus": keep}


async def _not_made(visit: ConsoleVisit, refused: Refused) -> Response[Any]:
    """Show the list with the wrong field. Raises Refused for any other reason."""
    refusal = refused.refusal
    if refusal.code is not RefusalCode.FIELD_INVALID:
        raise refused
    return await _listed(visit, f"{refusal.field.capitalize()}: use {refusal.allowed}.", 409)


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show a link as it is now, with the orders that customers began under it."""
    view = await actions.find(
        visit.gateway.payments, visit.merchant_id, visit.now, link_id=_asked_for(visit)
    )
    if view is None:
        raise refuse(RefusalCode.NO_RECORDS)
    link = view.link
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
        for each in view.orders
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


def _number(text: str) -> int:
    return int(text) if _ACT_ID.match(text) else 0


def _short(text: str) -> str:
    return text.strip()[:_TEXT_MAX]


ROUTES = (
    ConsoleRoute("GET", "links", listing, Permission.PAYMENTS_SEE),
    form_of(make, "links", "links/{link_id}", _link_typed, _not_made),
    ConsoleRoute("GET", "links/{link_id:int}", show, Permission.PAYMENTS_SEE),
    form_of(cancel, "links/{link_id:int}/cancel", "links/{link_id}"),
)
