"""Payment links: addresses where one amount can be paid."""

from datetime import date, datetime, time, timedelta
from typing import Annotated, Any

from msgspec import Meta

from hundi.api.addresses import LINK_PAGE
from hundi.kernel.clock import INDIA
from hundi.payments.links import actions, rules
from hundi.payments.links.rules import Link, LinkOrder, NewLink
from hundi.payments.orders.rules import Buyer
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext, VerbProblemError, money
from hundi.verbs.parameters import ID_MAX, MerchantId, ParameterHints, VerbParameters
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


class LinksOfMerchant(VerbParameters, frozen=True, kw_only=True):
    """A merchant's links."""

    merchant_id: MerchantId


class NamedLink(VerbParameters, frozen=True, kw_only=True):
    """One link."""

    merchant_id: MerchantId
    link_id: LinkId


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
    new = NewLink(
        reference=parameters.reference or context.reference,
        amount_paise=parameters.amount,
        description=parameters.description,
        expires_at=_end_of(parameters.until) if parameters.until else context.now + days,
        expiry="" if parameters.until else f"{parameters.days} days",
        minimum_paise=parameters.minimum,
        surplus="keep" if parameters.keep_surplus else "refund",
        buyer=Buyer(email=parameters.email, phone=parameters.phone),
    )
    details = {"amount": money(new.amount_paise), "description": new.description}
    recorded = context.recording(parameters.merchant_id, **details)
    whose = parameters.merchant_id, new, context.told_as, context.now
    return _shown(context, await actions.make(context.db, *whose, recorded))


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
    parts={"orders": "Orders"},
)
async def show(context: VerbContext, parameters: NamedLink) -> Result:
    """Show a link and the orders that customers began under it."""
    link = await actions.known(context.db, parameters.merchant_id, parameters.link_id)
    if link is None:
        message = f"merchant {parameters.merchant_id} has no payment link {parameters.link_id}"
        raise VerbProblemError(message)
    return _shown(context, link.link) | {"orders": [_order(order) for order in link.orders]}


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


def _end_of(day: date) -> datetime:
    """Return the last minute of a day in India."""
    return datetime.combine(day, time(23, 59), INDIA)


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


VERBS = (make, list_of, show, cancel)
