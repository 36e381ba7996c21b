"""Make the order of a payment form or a UPI QR request."""

import hashlib

import msgspec

from hundi.api.merchant.endpoint import MerchantRequest
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money
from hundi.kernel.states import PaymentKind
from hundi.payments.orders.rules import NO_RESTRICTIONS, Buyer, NewOrder, Restrictions
from hundi.wire.merchant.payments import OrderRequest, PayerAccount
from hundi.wire.message import read_request
from hundi.wire.parts import Conventions, Message, text_in


def read_order(request: type[Message], context: MerchantRequest, *outer: str) -> Message:
    """Return an order as its merchant writes it. Raises FieldError.

    outer: names of outer fields that replace empty inner ones.
    """
    conventions = Conventions(
        day_first=context.sender.settings.dates == "day-first", today=business_day(context.now)
    )
    values, sent = context.values, {name: getattr(context.outer, name) for name in outer}
    wanted = {name: value for name, value in sent.items() if value and not text_in(values, name)}
    return read_request(request, {**values, **wanted} if wanted else values, conventions)


def account_restriction(context: MerchantRequest, account: PayerAccount | None) -> str:
    """Return the fingerprint of the account that has to pay an order, "" where any may."""
    return (
        context.gateway.payments.risk.fingerprint_of_account(account.number, account.ifsc)
        if account
        else ""
    )


def new_order(
    asked: OrderRequest,
    *,
    kind: PaymentKind,
    channels: tuple[str, ...],
    asked_as: str,
    emi_months: int = 0,
    restrictions: Restrictions = NO_RESTRICTIONS,
    customer: str = "",
) -> NewOrder:
    """Return the order, with a content hash over what is to be paid, by whom and how.

    The hash does not cover which kit sent it. asked_as: separates kinds of orders that are the same
    otherwise. customer: the merchant's own name of its customer, where cards are to be saved or
    used.
    """
    named = {
        name: getattr(asked.buyer, name) for name in Buyer.__struct_fields__ if name != "customer"
    }
    buyer = Buyer(**named, customer=customer)
    content = (
        asked.order_id,
        asked.amount_paise,
        asked.currency,
        buyer,
        asked.customvar,
        channels,
        asked_as,
        restrictions,
    )
    return NewOrder(
        order_id=asked.order_id,
        amount=Money(asked.amount_paise, asked.currency),
        kind=kind,
        buyer=buyer,
        content_hash=hashlib.sha256(msgspec.json.encode(content)).digest(),
        custom_var=asked.customvar,
        channels=channels,
        emi_months=emi_months,
        restrictions=restrictions,
    )
