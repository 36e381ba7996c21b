"""One payment link: the ways to share it, its items, reminders and orders, and ending it."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from litestar import Response

from hundi.console import sharing
from hundi.console.assets import HEADERS
from hundi.console.guard import ConsoleRoute
from hundi.console.link_rows import link_row
from hundi.console.lists import ID_DIGITS
from hundi.console.payment_acts import merchant_of, reason_asked
from hundi.console.payments import tone_of, words
from hundi.console.sharing import LinkWords
from hundi.console.verb_forms import form_of
from hundi.console.visits import ConsoleVisit
from hundi.instruments import qr
from hundi.kernel.ids import new_id
from hundi.kernel.languages import OWN_NAMES
from hundi.kernel.masks import masked_email, masked_phone
from hundi.kernel.money import rupees
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.letters.mobile.actions import MOBILE, has_agreed, line_of
from hundi.letters.mobile.rules import mobile_number
from hundi.letters.rules import LetterChannel, masked_address
from hundi.letters.wording.actions import DEFAULT_LANGUAGE, speaker
from hundi.payments.links import actions
from hundi.payments.links.actions import LinkView
from hundi.payments.links.reminders import store as reminders
from hundi.payments.links.reminders.rules import LinkReminder, ReminderState
from hundi.payments.links.rules import Link, LinkOrder
from hundi.staff.people.rules import Permission
from hundi.verbs.link import cancel, reminded, send

_TONES = {ReminderState.TO_SEND: "waiting", ReminderState.SENT: "done"}


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show a link as it is now, with the orders that customers began under it."""
    return await _shown(visit, {})


async def reveal(visit: ConsoleVisit) -> Response[Any]:
    """Show the customer's phone and e-mail once, and record who saw them and why."""
    view = await _found(visit)
    reason = reason_asked(visit)
    await visit.record("link.reveal", view.link.link_id, reason=reason)
    buyer = view.link.buyer
    return await _shown(visit, {"phone": buyer.phone, "email": buyer.email})


async def _shown(visit: ConsoleVisit, revealed: Mapping[str, str]) -> Response[Any]:
    view = await _found(visit)
    link, buyer = view.link, view.link.buyer
    planned = await reminders.of_link(visit.db, visit.merchant_id, link.link_id)
    row = link_row(visit, link)
    waiting = [each for each in planned if each.state is ReminderState.TO_SEND]
    may_share = visit.may(Permission.LINKS_MAKE) and row["payable"]
    language = _language(visit)
    told = _words(visit, link, row["address"], language, reminds=bool(waiting))
    return visit.page(
        "link.html",
        link.description,
        link=row,
        least=rupees(link.minimum_paise) if link.minimum_paise else "",
        surplus=link.surplus,
        made_by=link.made_by,
        made_at=link.created_at,
        items=[
            {"what": item.description, "quantity": item.quantity, "paise": item.amount_paise}
            for item in link.items
        ],
        orders=[_order_row(order) for order in view.orders],
        reminders=[_reminder_row(reminder) for reminder in planned],
        waiting=[each.reminder_no for each in waiting] if may_share else [],
        ways=sharing.ways_of(
            told, revealed.get("phone", ""), revealed.get("email", ""), speaker(language)
        )
        if may_share
        else (),
        language=language,
        languages=OWN_NAMES,
        phone=revealed.get("phone", masked_phone(buyer.phone)),
        email=revealed.get("email", masked_email(buyer.email)),
        can_reveal=bool(buyer.phone or buyer.email)
        and not revealed
        and visit.may(Permission.PERSONAL_REVEAL),
        may_make=visit.may(Permission.LINKS_MAKE),
        mailed_to=masked_email(buyer.email) if may_share else "",
        phoned_to=masked_address(mobile_number(buyer.phone)) if may_share else "",
        **await _phones(visit, mobile_number(buyer.phone) if may_share else ""),
        act_id=new_id(visit.now),
    )


def _language(visit: ConsoleVisit) -> str:
    """Return the language that was chosen, else that of the merchant's letters."""
    asked = visit.query.get("language", "")
    return asked if asked in OWN_NAMES else merchant_of(visit).settings.letter_language


async def _phones(visit: ConsoleVisit, number: str) -> dict[str, Any]:
    """Return the channels that may send to a phone, with their names, and whether WhatsApp may not.

    number: "" for nobody's. WhatsApp takes messages to who agreed to them alone.
    """
    names = {LetterChannel.SMS: "SMS", LetterChannel.WHATSAPP: "WhatsApp"}
    served = [each for each in MOBILE if number and line_of(visit.gateway.settings, each)]
    whose = visit.merchant_id, LetterChannel.WHATSAPP, number
    refused = LetterChannel.WHATSAPP in served and not await has_agreed(visit.db, whose)
    able = [each for each in served if each is not LetterChannel.WHATSAPP or not refused]
    return {"phones": [(each, names[each]) for each in able], "lacks_consent": refused}


def _words(
    visit: ConsoleVisit, link: Link, address: str, language: str, *, reminds: bool
) -> LinkWords:
    return LinkWords(
        merchant_of(visit).name,
        rupees(link.left_paise),
        link.description,
        f"{address}.{language}" if language != DEFAULT_LANGUAGE else address,
        link.expires_at,
        bool(link.minimum_paise),
        reminds,
        language,
    )


def _order_row(order: LinkOrder) -> dict[str, Any]:
    return {
        "order": order.order_id,
        "payment": order.payment_id,
        "amount": rupees(order.amount_paise),
        "counted": rupees(order.counted_paise) if order.counted_at else "",
        "back": rupees(order.back_paise) if order.back_paise else "",
        "at": order.counted_at or order.created_at,
        "state": "Paid" if order.counted_at else "Not paid",
        "tone": tone_of("paid" if order.counted_at else ""),
    }


def _reminder_row(reminder: LinkReminder) -> dict[str, Any]:
    return {
        "number": reminder.reminder_no,
        "at": reminder.remind_at,
        "state": words(reminder.state),
        "tone": _TONES.get(reminder.state, ""),
        "sent_at": reminder.sent_at,
        "sent_by": reminder.sent_by,
    }


async def printed(visit: ConsoleVisit) -> Response[Any]:
    """Show a link's QR with its words on a page to print."""
    view = await _found(visit)
    row = link_row(visit, view.link)
    if not row["payable"]:
        raise refuse(RefusalCode.NO_RECORDS)
    return visit.page(
        "link_print.html",
        f"Pay {rupees(view.link.left_paise)} to {merchant_of(visit).name}",
        link=row,
        logo=merchant_of(visit).settings.logo,
        parts=bool(view.link.minimum_paise),
    )


async def qr_svg(visit: ConsoleVisit) -> Response[Any]:
    """Return the QR of a link's address as an SVG."""
    return _picture(qr.svg(await _address(visit)), "image/svg+xml")


async def qr_png(visit: ConsoleVisit) -> Response[Any]:
    """Return the QR of a link's address as a PNG."""
    return _picture(qr.png(await _address(visit)), "image/png")


async def _address(visit: ConsoleVisit) -> str:
    link = await _found(visit)
    return link_row(visit, link.link)["address"]


def _picture(content: bytes, media_type: str) -> Response[Any]:
    return Response(
        content, media_type=media_type, headers=dict(HEADERS), status_code=HTTPStatus.OK
    )


async def _found(visit: ConsoleVisit) -> LinkView:
    """Return the current link that an address names. Raises Refused (NO_RECORDS)."""
    number = int(visit.params["link_id"])
    if not 0 < number < 10**ID_DIGITS:
        raise refuse(RefusalCode.NO_RECORDS)
    view = await actions.find(visit.gateway.payments, visit.merchant_id, visit.now, link_id=number)
    if view is None:
        raise refuse(RefusalCode.NO_RECORDS)
    return view


ONE = "links/{link_id:int}"
ROUTES = (
    ConsoleRoute("GET", ONE, show, Permission.PAYMENTS_SEE),
    ConsoleRoute("GET", f"{ONE}/qr.svg", qr_svg, Permission.PAYMENTS_SEE),
    ConsoleRoute("GET", f"{ONE}/qr.png", qr_png, Permission.PAYMENTS_SEE),
    ConsoleRoute("GET", f"{ONE}/print", printed, Permission.PAYMENTS_SEE),
    ConsoleRoute("POST", f"{ONE}/reveal", reveal, Permission.PERSONAL_REVEAL),
    form_of(cancel, f"{ONE}/cancel", "links/{link_id}"),
    form_of(send, f"{ONE}/send", "links/{link_id}"),
    form_of(reminded, f"{ONE}/reminders/{{reminder_no:int}}/sent", "links/{link_id}"),
)
