"""Payment links: addresses where one amount can be paid."""

from dataclasses import asdict
from datetime import date, timedelta
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hundi.api.addresses import LINK_PAGE
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.letters.rules import LetterChannel, masked_address
from hundi.payments.links import actions, rules
from hundi.payments.links.batches import actions as batches
from hundi.payments.links.batches import rules as batch_rules
from hundi.payments.links.batches.rules import BatchFault
from hundi.payments.links.items import rules as items
from hundi.payments.links.reminders import actions as reminders
from hundi.payments.links.reminders import rules as reminder_rules
from hundi.payments.links.reminders import store as reminder_rows
from hundi.payments.links.reminders.rules import LinkReminder, ReminderPlan
from hundi.payments.links.rules import Link, LinkOrder, NewLink
from hundi.payments.links.sending import actions as sending
from hundi.payments.links.sending.actions import LinkLetter
from hundi.payments.orders.rules import Buyer
from hundi.staff.people.rules import Permission
from hundi.staff.trail import store as entries
from hundi.verbs.context import (
    DocumentFault,
    DocumentFaultsError,
    VerbContext,
    VerbProblemError,
    money,
)
from hundi.verbs.parameters import (
    ID_MAX,
    MerchantId,
    ParameterHints,
    UploadedFile,
    VerbParameters,
)
from hundi.verbs.verb import Result, verb

LinkId = Annotated[int, Meta(ge=1, le=ID_MAX, description="The link's id.")]


class LinkToMake(VerbParameters, frozen=True, kw_only=True):
    """A payment link to create."""

    merchant_id: MerchantId
    amount: Annotated[
        int, Meta(description="Rupees, such as 1499.50."), ParameterHints(rupees=True)
    ]
    description: Annotated[
        str, Meta(description="What it is for; the customer reads it."), ParameterHints(masked=True)
    ]
    minimum: Annotated[
        int,
        Meta(description="Least part payment in rupees; without it, no part payments."),
        ParameterHints(rupees=True),
    ] = 0
    days: Annotated[
        int, Meta(ge=1, le=rules.LIFE_MAX.days, description="How many days it can be paid.")
    ] = 30
    until: Annotated[
        date | None, Meta(description="Its last day, in India; instead of --days.")
    ] = None
    reference: Annotated[
        str, Meta(description="Your own reference; the same one makes the same link.")
    ] = ""
    keep_surplus: Annotated[
        bool, Meta(description="Keep what is paid beyond the amount; otherwise it is refunded.")
    ] = False
    email: Annotated[str, Meta(description="The customer's e-mail address.")] = ""
    phone: Annotated[str, Meta(description="The customer's phone number.")] = ""
    item: Annotated[
        list[str] | None,
        Meta(
            description=f"A line of what it is for: '{items.ITEM_WORDS}'; repeat for several. They"
            " add up to the amount."
        ),
        ParameterHints(masked=True),
    ] = None
    remind_before: Annotated[
        str, Meta(description="Days before its last day on which to remind, such as '1 3'.")
    ] = ""
    remind_after: Annotated[
        str, Meta(description="Days after today on which to remind, such as '7 14'.")
    ] = ""


SENT_ACT, SENT_A_MINUTE = "link.send", 30
"""The trail's name of sending a link by mail, and how often a merchant may in a minute."""


class LinksToImport(VerbParameters, frozen=True, kw_only=True):
    """A file of payment links to make."""

    merchant_id: MerchantId
    file: Annotated[
        UploadedFile,
        Meta(
            description=f"A CSV of up to {batch_rules.LINES_MAX} lines; its columns are"
            f" {', '.join(batch_rules.COLUMNS)}."
        ),
        ParameterHints(metavar="FILE", file_bytes_max=batch_rules.FILE_BYTES_MAX),
    ]


class LinksOfMerchant(VerbParameters, frozen=True, kw_only=True):
    """A merchant's links."""

    merchant_id: MerchantId


class NamedLink(VerbParameters, frozen=True, kw_only=True):
    """One link."""

    merchant_id: MerchantId
    link_id: LinkId


class NamedReminder(VerbParameters, frozen=True, kw_only=True):
    """One reminder of a link."""

    merchant_id: MerchantId
    link_id: LinkId
    reminder_no: Annotated[int, Meta(ge=1, le=1000, description="The reminder's number.")]


class LinkToSend(VerbParameters, frozen=True, kw_only=True):
    """A link to send by mail, SMS or WhatsApp."""

    merchant_id: MerchantId
    link_id: LinkId
    address: Annotated[
        str,
        Meta(
            description="The e-mail address, or the mobile number by SMS and WhatsApp; without one"
            " that of the link's customer."
        ),
    ] = ""
    channel: Annotated[LetterChannel, Meta(description="By mail, SMS or WhatsApp.")] = (
        LetterChannel.MAIL
    )
    reminder_no: Annotated[
        int, Meta(ge=0, le=1000, description="The reminder that it is; 0 for none.")
    ] = 0


@verb(
    "link make",
    Permission.LINKS_MAKE,
    trail="link.make",
    fresh=False,
    screen="links",
    title="Payment link",
    notice=("link_made", "The link was made. Send its address to your customer."),
)
async def make(context: VerbContext, parameters: LinkToMake) -> Result:
    """Make a payment link and print its address."""
    await context.check_merchant(parameters.merchant_id)
    days = timedelta(days=parameters.days)
    plan = ReminderPlan(
        reminder_rules.parse_days(parameters.remind_before, "remind_before"),
        reminder_rules.parse_days(parameters.remind_after, "remind_after"),
    )
    new = NewLink(
        reference=parameters.reference or context.reference,
        amount_paise=parameters.amount,
        description=parameters.description,
        expires_at=rules.end_of(parameters.until) if parameters.until else context.now + days,
        expiry="" if parameters.until else f"{parameters.days} days",
        minimum_paise=parameters.minimum,
        surplus="keep" if parameters.keep_surplus else "refund",
        buyer=Buyer(email=parameters.email, phone=parameters.phone),
        items=tuple(items.parse_item(text) for text in parameters.item or ()),
        reminders=plan,
    )
    details = {"amount": money(new.amount_paise), "description": new.description}
    recorded = context.recording(parameters.merchant_id, **details)
    whose = parameters.merchant_id, new, context.told_as, context.now
    return _shown(context, await actions.make(context.db, *whose, recorded))


@verb(
    "link import",
    Permission.LINKS_MAKE,
    trail="link.import",
    fresh=False,
    screen="links/file/make",
    title="Payment links of {batch_id}",
    notice=("links_made", "The links were made. The file with their addresses is below."),
    parts={"links": "Links"},
)
async def import_file(context: VerbContext, parameters: LinksToImport) -> Result:
    """Make a payment link for each line of a CSV file: all of them, or none.

    A reference that has a link of the same content keeps it, so a file can be sent again.
    """
    merchant_id = parameters.merchant_id
    await context.check_merchant(merchant_id)
    look = await batches.look(context.db, merchant_id, parameters.file.content, context.now)
    if look.file.faults:
        raise DocumentFaultsError([_file_fault(fault) for fault in look.file.faults])
    recorded = context.recording(
        merchant_id, links=str(len(look.file.lines)), amount=money(look.file.sum_paise)
    )
    whose = merchant_id, look, context.reference, context.told_as, context.now
    view = await batches.make(context.db, *whose, recorded)
    return {
        "batch_id": str(view.batch.batch_id),
        "new": sum(line.is_new for line in view.links),
        "links": [
            {"line": line.line, "is_new": line.is_new, **_shown(context, line.link)}
            for line in view.links
        ],
    }


def _file_fault(fault: BatchFault) -> DocumentFault:
    return DocumentFault("file", str(fault.line), fault.words, asdict(fault))


@verb("link list", Permission.PAYMENTS_SEE, screen="links", title="Payment links")
async def list_of(context: VerbContext, parameters: LinksOfMerchant) -> Result:
    """List a merchant's links, newest first."""
    await context.check_merchant(parameters.merchant_id)
    links = await actions.list_of(context.db, parameters.merchant_id)
    return [_shown(context, link) for link in links]


@verb(
    "link show",
    Permission.PAYMENTS_SEE,
    screen="links/{link_id:int}",
    title="Payment link",
    parts={"orders": "Orders", "items": "Items", "reminders": "Reminders"},
)
async def show(context: VerbContext, parameters: NamedLink) -> Result:
    """Show a link and the orders that customers began under it."""
    link = await actions.known(context.db, parameters.merchant_id, parameters.link_id)
    if link is None:
        message = f"merchant {parameters.merchant_id} has no payment link {parameters.link_id}"
        raise VerbProblemError(message)
    planned = await reminder_rows.of_link(context.db, parameters.merchant_id, parameters.link_id)
    return _shown(context, link.link) | {
        "orders": [_order(order) for order in link.orders],
        "items": [msgspec.structs.asdict(item) for item in link.link.items],
        "reminders": [_reminder(reminder) for reminder in planned],
    }


@verb(
    "link cancel",
    Permission.LINKS_MAKE,
    trail="link.cancel",
    fresh=False,
    screen="links/{link_id:int}/cancel",
    title="Payment link",
    notice=("link_cancelled", "The link was cancelled. What was paid of it stays paid."),
)
async def cancel(context: VerbContext, parameters: NamedLink) -> Result:
    """Cancel a link; it cannot be opened again. What was paid stays paid."""
    recorded = context.recording(parameters.merchant_id)
    link_key = parameters.merchant_id, parameters.link_id
    return _shown(context, await actions.cancel(context.db, *link_key, context.now, recorded))


@verb(
    "link reminded",
    Permission.LINKS_MAKE,
    trail="link.reminded",
    fresh=False,
    screen="links/{link_id:int}/reminders/{reminder_no:int}/sent",
    title="Reminder",
    notice=("link_reminded", "Noted: the reminder was sent."),
    refusals={RefusalCode.NO_RECORDS: "payment link {link_id} has no reminder {reminder_no}"},
)
async def reminded(context: VerbContext, parameters: NamedReminder) -> Result:
    """Note that somebody sent a reminder; nothing is sent by this."""
    key = parameters.merchant_id, parameters.link_id, parameters.reminder_no
    recorded = context.recording(parameters.merchant_id, reminder=str(parameters.reminder_no))
    return _reminder(
        await reminders.mark_sent(context.db, key, context.told_as, context.now, recorded)
    )


@verb(
    "link send",
    Permission.LINKS_MAKE,
    trail=SENT_ACT,
    fresh=False,
    screen="links/{link_id:int}/send",
    title="Payment link",
    notice=("link_sent", "The letter is written. Letters says what becomes of it."),
    refusals={RefusalCode.NO_RECORDS: "payment link {link_id} has no reminder {reminder_no}"},
)
async def send(context: VerbContext, parameters: LinkToSend) -> Result:
    """Send a link to its customer by mail, SMS or WhatsApp.

    With a reminder's number it is sent as that reminder.
    """
    merchant_id, number = parameters.merchant_id, parameters.reminder_no
    merchant = await context.directory.get(merchant_id)
    view = await actions.known(context.db, merchant_id, parameters.link_id)
    if merchant is None or view is None:
        message = f"merchant {merchant_id} has no payment link {parameters.link_id}"
        raise VerbProblemError(message)
    minute_ago = context.now - timedelta(minutes=1)
    recent = await entries.select_page(
        context.db, merchant_id, act=SENT_ACT, since=minute_ago, limit=SENT_A_MINUTE
    )
    if len(recent) >= SENT_A_MINUTE:
        raise refuse(RefusalCode.TOO_MANY_REQUESTS, allowed=f"{SENT_A_MINUTE} letters a minute")
    buyer, by_mail = view.link.buyer, parameters.channel is LetterChannel.MAIL
    letter = LinkLetter(
        parameters.address or (buyer.email if by_mail else buyer.phone),
        LINK_PAGE + view.link.address,
        context.reference,
        number,
        context.told_as,
        simulated=any(each.simulated for each in await context.acquirers()),
        channel=parameters.channel,
    )
    told = {"reminder": str(number)} if number else {}
    recorded = context.recording(merchant_id, **told)
    await sending.send(context.db, merchant, view.link, letter, context.now, recorded)
    return {"link_id": str(view.link.link_id), "sent_to": masked_address(letter.address)}


def _shown(context: VerbContext, link: Link) -> dict[str, Any]:
    return {
        "link_id": str(link.link_id),
        "address": context.payment_page_url + LINK_PAGE + link.address,
        "state": rules.state_of(link, context.now),
        "amount_paise": link.amount_paise,
        "paid_paise": link.paid_paise,
        "least_paise": link.minimum_paise or None,
        "description": link.description,
        "reference": link.reference,
        "surplus": link.surplus,
        "made_by": link.made_by,
        "expires_at": link.expires_at,
    }


def _order(order: LinkOrder) -> dict[str, Any]:
    return {
        "order": order.order_id,
        "payment_id": str(order.payment_id) if order.payment_id else None,
        "amount_paise": order.amount_paise,
        "counted_paise": order.counted_paise,
        "given_back_paise": order.back_paise,
        "counted_at": order.counted_at,
    }


def _reminder(reminder: LinkReminder) -> dict[str, Any]:
    return {
        "reminder": reminder.reminder_no,
        "remind_at": reminder.remind_at,
        "state": reminder.state,
        "sent_at": reminder.sent_at,
        "sent_by": reminder.sent_by or None,
    }


VERBS = (make, import_file, list_of, show, cancel, reminded, send)
