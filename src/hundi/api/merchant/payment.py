"""Start a payment: everything but the page that answers it (docs/spec/payment-interfaces.md#payment)."""

from hundi.api.inbound import Inbound
from hundi.api.merchant.orders import new_order
from hundi.api.merchant.pipeline import Exchange, Operation, open_request
from hundi.kernel.clock import business_day
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import PaymentKind
from hundi.payments.orders import actions as payments
from hundi.payments.orders.rules import PaymentView
from hundi.wire import fields
from hundi.wire.merchant.payments import AUTHORISE, EMI_MONTHS, MOTO, SALE, PaymentRequest, parse_payment

PAYMENT = Operation("payment", checksum=True, payment_page=True)


async def initiate(exchange: Exchange, inbound: Inbound) -> PaymentView:
    """Return the payment that a form POST to the payment page opens (or opens again).

    Raises Refused and FieldError; `pipeline.refusal_of` turns either into what the page says.
    """
    await open_request(exchange, inbound)
    outer, today = exchange.outer, business_day(exchange.now)
    asked = parse_payment(exchange.values, outer_chmod=outer.chmod, outer_mer_dom=outer.mer_dom, today=today)
    _check_origin(exchange, inbound, asked)
    _check_kind(exchange, asked)
    kind = _KINDS[asked.txnsubtype]
    months = EMI_MONTHS.get(asked.txnsubtype, 0)
    # Who asks for so many instalments asks for that channel alone.
    channels = ("emi",) if months else tuple(dict.fromkeys(_CARDS.get(code, code) for code in asked.channels))
    order = new_order(asked, kind=kind, channels=channels, asked_as=asked.txnsubtype, emi_months=months)
    return await payments.initiate(exchange.gateway.payments, exchange.sender, order, exchange.now)


_CARDS = {"pgcc": "pg", "pgdc": "pg"}
"""Whether a card is credit or debit is known after it was charged: both codes open the cards."""
_KINDS = {
    SALE: PaymentKind.SALE,
    AUTHORISE: PaymentKind.AUTHORISE,
    MOTO: PaymentKind.MOTO,
    **dict.fromkeys(EMI_MONTHS, PaymentKind.SALE),
}


def _check_kind(exchange: Exchange, asked: PaymentRequest) -> None:
    allowed = [kind for kind in _KINDS if kind != MOTO or exchange.sender.settings.moto]
    if asked.txnsubtype not in allowed:
        raise refuse(
            RefusalCode.CHANNEL_NOT_ENABLED, field="txnsubtype", received=asked.txnsubtype, allowed=", ".join(allowed)
        )


def _check_origin(exchange: Exchange, inbound: Inbound, asked: PaymentRequest) -> None:
    """Raise Refused (DOMAIN_NOT_REGISTERED) when a merchant with registered domains is started from elsewhere.

    Compared are Origin (or Referer) and `mer_dom`; with an absent or `null` Origin, `mer_dom` alone decides.
    See docs/spec/payment-interfaces.md#origin.
    """
    registered = {fields.origin_of(each) for each in exchange.sender.settings.domains}
    if not registered:
        return
    sent = inbound.header(b"origin") or inbound.header(b"referer")
    claimed = fields.origin(asked.mer_dom) if asked.mer_dom else ""
    seen = {_origin(sent) if sent and sent != "null" else claimed, claimed or None}
    for each in seen - {None}:
        if each not in registered:
            allowed = ", ".join(sorted(registered))
            raise refuse(RefusalCode.DOMAIN_NOT_REGISTERED, field="domain", received=each or "none", allowed=allowed)


def _origin(sent: str) -> str:
    """Return the origin of a header, or the header itself when it is no web address, as an app's is not."""
    try:
        return fields.origin_of(sent)
    except fields.FieldError:
        return sent[: fields.RECEIVED_MAX]
