"""Start a payment; the page makes the reply (docs/spec/payment-interfaces.md#payment)."""

from hundi.api.endpoint import payer_of
from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.mandates import hashed, terms_of
from hundi.api.merchant.operations import authentication_of
from hundi.api.merchant.orders import account_restriction, new_order, read_order
from hundi.api.merchant.saved_cards import customer_of
from hundi.infra.postgres.database import Beside
from hundi.instruments.methods import EMI, card_types_named, channels_named
from hundi.kernel.records import replace
from hundi.kernel.refusals import Cure, RefusalCode, refuse
from hundi.kernel.states import PaymentKind
from hundi.payments.orders.opening import actions as opening
from hundi.payments.orders.rules import PaymentView, Restrictions
from hundi.payments.risk.actions import PayerTrace
from hundi.payments.subscriptions.approvals import actions as approvals
from hundi.wire import fields
from hundi.wire.merchant.payments import (
    AUTHORISE,
    EMI_MONTHS,
    INITIATE,
    MOTO,
    SALE,
    SUBSCRIPTION,
    PaymentRequest,
)

AUTHENTICATION = replace(authentication_of(INITIATE), payment_page=True)


async def initiate(context: MerchantRequest) -> PaymentView:
    """Return the payment that a form POST opens or reopens. Raises Refused and FieldError."""
    asked = read_order(PaymentRequest, context, "chmod", "mer_dom")
    _check_origin(context, asked)
    return await opened(context, asked, payer_of(context.inbound, context.gateway))


async def opened(
    context: MerchantRequest,
    asked: PaymentRequest,
    payer: PayerTrace,
    beside: Beside | None = None,
) -> PaymentView:
    """Return the payment of an order, new or opened again.

    beside: also written in the transaction of a new one that is no subscription. Raises Refused and
    FieldError.
    """
    _check_kind(context, asked)
    kind = _KINDS[asked.txnsubtype]
    months = EMI_MONTHS.get(asked.txnsubtype, 0)
    # A request for a number of instalments is a request for that channel alone.
    channels = (EMI.code,) if months else channels_named(asked.channels)
    account = account_restriction(context, asked.payer_account)
    restrictions = Restrictions(() if months else card_types_named(asked.channels), account)
    if asked.subscription is not None:
        order = new_order(
            asked,
            kind=kind,
            channels=channels,
            asked_as=f"{asked.txnsubtype} {hashed(asked.subscription)}",
            restrictions=restrictions,
        )
        terms = terms_of(asked.subscription, asked.currency, context.now)
        return await approvals.register(
            context.gateway.payments, context.sender, order, terms, context.now
        )
    order = new_order(
        asked,
        kind=kind,
        channels=channels,
        asked_as=asked.txnsubtype,
        emi_months=months,
        restrictions=restrictions,
        customer=await customer_of(context, asked),
    )
    return await opening.initiate(
        context.gateway.payments, context.sender, order, context.now, payer, beside
    )


_KINDS = {
    SALE: PaymentKind.SALE,
    AUTHORISE: PaymentKind.AUTHORISE,
    MOTO: PaymentKind.MOTO,
    **dict.fromkeys(EMI_MONTHS, PaymentKind.SALE),
    SUBSCRIPTION: PaymentKind.SUBSCRIPTION,
}


def _check_kind(context: MerchantRequest, asked: PaymentRequest) -> None:
    allowed = [kind for kind in _KINDS if kind != MOTO or context.sender.settings.moto]
    if asked.txnsubtype not in allowed:
        code, listed, cures = (
            RefusalCode.CHANNEL_NOT_ENABLED,
            ", ".join(allowed),
            (Cure("moto", "on"),),
        )
        raise refuse(
            code, field="txnsubtype", received=asked.txnsubtype, allowed=listed, cures=cures
        )


def _check_origin(context: MerchantRequest, asked: PaymentRequest) -> None:
    """Refuse a start from elsewhere when the merchant has registered domains.

    Raises Refused (DOMAIN_NOT_REGISTERED). Origin (or Referer) and `mer_dom` are compared; with an
    absent or `null` Origin, `mer_dom` alone decides. See docs/spec/payment-interfaces.md#origin.
    """
    registered = {fields.origin_of(each) for each in context.sender.settings.domains}
    if not registered:
        return
    sent = context.inbound.header(b"origin") or context.inbound.header(b"referer")
    claimed = fields.origin(asked.mer_dom) if asked.mer_dom else ""
    seen = {_origin(sent) if sent and sent != "null" else claimed, claimed or None}
    for each in seen - {None}:
        if each not in registered:
            code, allowed = RefusalCode.DOMAIN_NOT_REGISTERED, ", ".join(sorted(registered))
            cures = (Cure("domains", each),) if each else ()
            raise refuse(
                code, field="domain", received=each or "none", allowed=allowed, cures=cures
            )


def _origin(sent: str) -> str:
    """Return the origin of a header, or the header itself where an app sent no web address."""
    try:
        return fields.origin_of(sent)
    except fields.FieldError:
        return sent[: fields.RECEIVED_MAX]
