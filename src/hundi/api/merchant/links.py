"""Payment links for merchants: create and follow them.

See docs/spec/payment-interfaces.md#payment-links.
"""

from datetime import timedelta

from hundi.api.addresses import LINK_PAGE
from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.operations import Answer, serving
from hundi.infra.postgres.database import Beside
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.links import actions as links
from hundi.payments.links import rules
from hundi.payments.links.actions import LinkView
from hundi.payments.links.items.rules import LinkItem
from hundi.payments.links.rules import LinkOrder, NewLink
from hundi.payments.orders.rules import Buyer
from hundi.wire.merchant.links import (
    CANCEL,
    CREATE,
    LIST,
    STATUS,
    LinkName,
    LinkPayment,
    LinksBefore,
    NewPaymentLink,
    PaymentLink,
    PaymentLinkItem,
    PaymentLinks,
)

_ID_DIGITS_MAX = 15


async def create(
    context: MerchantRequest, asked: NewPaymentLink, beside: Beside | None = None
) -> Answer[PaymentLink]:
    """Create a link; the same request again returns the same link.

    beside: also written in the transaction of a new link.
    """
    new = NewLink(
        reference=asked.reference,
        amount_paise=asked.amount_paise,
        description=asked.description,
        expires_at=context.now + timedelta(days=asked.valid_days),
        minimum_paise=asked.minimum_paise,
        surplus=asked.surplus,
        buyer=Buyer(email=asked.customer_email, phone=asked.customer_phone),
        expiry=f"{asked.valid_days} days",
        items=tuple(
            LinkItem(item.description, item.quantity, item.amount_paise) for item in asked.items
        ),
    )
    db, owner = context.gateway.db, context.sender.merchant_id
    made = await links.make(db, owner, new, "the merchant's server", context.now, beside)
    return Answer(_link(context, LinkView(made, ())), "The link to send to the customer")


async def _named(context: MerchantRequest, asked: LinkName) -> LinkView:
    """Return the current link that the references agree on.

    Raises Refused (NO_RECORDS).
    """
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


async def _status(context: MerchantRequest, asked: LinkName) -> Answer[PaymentLink]:
    return Answer(_link(context, await _named(context, asked)), "The link and what was paid of it")


async def _list(context: MerchantRequest, asked: LinksBefore) -> Answer[PaymentLinks]:
    found = await links.list_of(
        context.gateway.db, context.sender.merchant_id, int(asked.before or 0)
    )
    page = PaymentLinks(links=tuple(_link(context, LinkView(link, ())) for link in found))
    return Answer(page, f"{len(found)} payment links")


async def _cancel(context: MerchantRequest, asked: LinkName) -> Answer[PaymentLink]:
    """Cancel a link for ever."""
    found = await _named(context, asked)
    link = await links.cancel(
        context.gateway.db, context.sender.merchant_id, found.link.link_id, context.now
    )
    return Answer(
        _link(context, LinkView(link, found.orders)), "Cancelled; what was paid of it stays paid"
    )


def _link(context: MerchantRequest, view: LinkView) -> PaymentLink:
    link = view.link
    return PaymentLink(
        link_id=str(link.link_id),
        reference=link.reference,
        url=context.gateway.settings.payment_page_url + LINK_PAGE + link.address,
        state=rules.state_of(link, context.now),
        amount_paise=link.amount_paise,
        paid_paise=link.paid_paise,
        minimum_paise=link.minimum_paise,
        description=link.description,
        surplus=link.surplus,
        created_at=link.created_at,
        valid_until=link.expires_at,
        items=tuple(
            PaymentLinkItem(
                description=item.description, quantity=item.quantity, amount_paise=item.amount_paise
            )
            for item in link.items
        ),
        payments=tuple(_payment(order) for order in view.orders if order.counted_at),
    )


def _payment(order: LinkOrder) -> LinkPayment:
    return LinkPayment(
        order_id=order.order_id,
        transaction_id=str(order.payment_id),
        amount_paise=order.amount_paise,
        counted_paise=order.counted_paise,
        returned_paise=order.back_paise,
        paid_at=order.counted_at,
    )


HANDLERS = {
    CREATE: serving(CREATE, create),
    STATUS: serving(STATUS, _status),
    LIST: serving(LIST, _list),
    CANCEL: serving(CANCEL, _cancel),
}
