"""Make the order that a payment form or a UPI QR request asks for."""

import hashlib

import msgspec

from hundi.api.merchant.endpoint import MerchantRequest
from hundi.kernel.money import Money
from hundi.kernel.states import PaymentKind
from hundi.payments.orders.rules import NO_RESTRICTIONS, Buyer, NewOrder, Restrictions
from hundi.wire.merchant.operations import GenerateOrderRequest
from hundi.wire.merchant.payments import PayerAccount, PaymentRequest


def account_restriction(context: MerchantRequest, account: PayerAccount | None) -> str:
    """Return the fingerprint of the account that has to pay an order, "" where any may."""
    return (
        context.gateway.payments.risk.fingerprint_of_account(account.number, account.ifsc)
        if account
        else ""
    )


def new_order(
    asked: PaymentRequest | GenerateOrderRequest,
    *,
    kind: PaymentKind,
    channels: tuple[str, ...],
    asked_as: str,
    emi_months: int = 0,
    restrictions: Restrictions = NO_RESTRICTIONS,
    customer: str = "",
) -> NewOrder:
    """Return the order, with a content hash over what is to be paid, by whom and how.

    Which kit sent it is not covered.

    asked_as: what tells kinds of orders apart that are the same otherwise. customer: the merchant's
    own name of its customer, where cards are to be saved or used.
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
