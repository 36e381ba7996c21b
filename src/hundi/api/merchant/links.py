"""Payment links: make one, show one, list them, cancel one.

See docs/spec/payment-interfaces.md#payment-links.
"""

from datetime import datetime, timedelta

import msgspec

from hundi.api import replies
from hundi.api.addresses import LINK_PAGE
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import MerchantRequest, merchant_endpoint
from hundi.kernel.clock import ist
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory.api_keys import KeyScope
from hundi.payments.links import actions as links
from hundi.payments.links import rules
from hundi.payments.links.actions import LinkView
from hundi.payments.links.rules import Link, LinkOrder, NewLink
from hundi.payments.orders.rules import Buyer
from hundi.wire.fields import text_from_paise
from hundi.wire.merchant.links import (
    LinkData,
    LinkOrderData,
    LinkRequest,
    parse_link,
    parse_list_links,
    parse_new_link,
)

CREATE, STATUS = merchant_endpoint("link/create", KeyScope.PAGE), merchant_endpoint("link/status", KeyScope.READ)
LIST, CANCEL = merchant_endpoint("link/list", KeyScope.READ), merchant_endpoint("link/cancel", KeyScope.MANAGE)
_ID_DIGITS_MAX = 15


async def create(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Make a payment link; the same request again returns the same link."""
    return await serve(gateway, inbound, CREATE, _create)


async def status(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return a link with what was paid of it."""
    return await serve(gateway, inbound, STATUS, _status)


async def listing(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return links, newest first."""
    return await serve(gateway, inbound, LIST, _list)


async def cancel(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Cancel a link for good."""
    return await serve(gateway, inbound, CANCEL, _cancel)


async def _create(context: MerchantRequest) -> dict[str, object]:
    asked, now = parse_new_link(context.values), context.now
    new = NewLink(
        reference=asked.reference,
        amount_paise=asked.amount_paise,
        description=asked.description,
        expires_at=now + timedelta(days=asked.valid_days),
        minimum_paise=asked.minimum_paise,
        surplus="keep" if asked.surplus == "keep" else "refund",
        buyer=Buyer(email=asked.customer_email, phone=asked.customer_phone),
        expiry=f"{asked.valid_days} days",
    )
    made = await links.make(context.gateway.db, context.sender.merchant_id, new, "the merchant's server", now)
    return _reply(context, LinkView(made, ()), "The link to send to the customer")


async def _named(context: MerchantRequest, asked: LinkRequest) -> LinkView:
    """Return the link that the references agree on, as it stands now. Raises Refused (NO_RECORDS)."""
    if len(asked.link_id) > _ID_DIGITS_MAX:
        raise refuse(RefusalCode.NO_RECORDS)
    found = await links.find(
        context.gateway.payments,
        context.sender.merchant_id,
        context.now,
        link_id=int(asked.link_id or 0),
        reference=asked.reference,
    )
    if found is None:
        raise refuse(RefusalCode.NO_RECORDS)
    return found


async def _status(context: MerchantRequest) -> dict[str, object]:
    found = await _named(context, parse_link(context.values))
    return _reply(context, found, "The link and what was paid of it")


async def _list(context: MerchantRequest) -> dict[str, object]:
    before = parse_list_links(context.values)
    found = await links.list_of(context.gateway.db, context.sender.merchant_id, before)
    shown = [msgspec.to_builtins(_data(context, LinkView(each, ()))) for each in found]
    return replies.success({"links": shown}, f"{len(shown)} payment links", context.request_id)


async def _cancel(context: MerchantRequest) -> dict[str, object]:
    found = await _named(context, parse_link(context.values))
    link = await links.cancel(context.gateway.db, context.sender.merchant_id, found.link.link_id, context.now)
    return _reply(context, LinkView(link, found.orders), "Cancelled; what was paid of it stays paid")


def _reply(context: MerchantRequest, found: LinkView, message: str) -> dict[str, object]:
    return replies.success(msgspec.to_builtins(_data(context, found)), message, context.request_id)


def _data(context: MerchantRequest, found: LinkView) -> LinkData:
    link: Link = found.link
    return LinkData(
        link_id=str(link.link_id),
        link_reference=link.reference,
        url=context.gateway.settings.payment_page_url + LINK_PAGE + link.address,
        state=rules.state_of(link, context.now),
        amount=text_from_paise(link.amount_paise),
        paid_amount=text_from_paise(link.paid_paise),
        minimum=text_from_paise(link.minimum_paise) if link.minimum_paise else "",
        description=link.description,
        surplus=link.surplus,
        created_at=_moment(link.created_at),
        valid_until=_moment(link.expires_at),
        payments=[_order(each, each.counted_at) for each in found.orders if each.counted_at],
    )


def _order(order: LinkOrder, counted_at: datetime) -> LinkOrderData:
    return LinkOrderData(
        orderid=order.order_id,
        ap_transactionid=str(order.payment_id),
        amount=text_from_paise(order.amount_paise),
        counted_amount=text_from_paise(order.counted_paise),
        returned_amount=text_from_paise(order.back_paise),
        paid_at=_moment(counted_at),
    )


def _moment(at: datetime) -> str:
    return ist(at).isoformat(timespec="seconds")
