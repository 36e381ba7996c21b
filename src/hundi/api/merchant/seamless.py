"""Begin a payment from the merchant's server, by its customer's chosen way.

See docs/spec/payment-interfaces.md#seamless. A card is in memory while it is passed on, and is
never stored.
"""

from collections.abc import Callable
from functools import partial

from hundi.acquirers.port.answers import Redirect
from hundi.api.addresses import SESSION_PAGE
from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.operations import Answer, serving
from hundi.api.merchant.orders import account_restriction, new_order
from hundi.api.merchant.record import transaction_record
from hundi.instruments import upi_address
from hundi.instruments.card import NUMBER_LENGTH_MIN, CardNumber, TypedCard
from hundi.instruments.card import read as read_card
from hundi.instruments.methods import CHANNELS, card_types_named, channels_named
from hundi.kernel.clock import business_day
from hundi.kernel.refusals import Cure, RefusalCode, refuse
from hundi.kernel.states import AttemptState, PaymentKind
from hundi.payments.attempts.actions import payable
from hundi.payments.methods.card import actions as cards
from hundi.payments.methods.redirect import actions as redirects
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders import actions as payments
from hundi.payments.orders.facts.rules import facts_of
from hundi.payments.orders.opening import actions as opening
from hundi.payments.orders.rules import Attempt, PaymentView, Restrictions
from hundi.payments.risk.actions import PayerTrace
from hundi.wire.fields import FieldError
from hundi.wire.merchant import seamless as wire
from hundi.wire.merchant.payments import AUTHORISE, SALE
from hundi.wire.merchant.seamless import BEGIN, CardFields, SeamlessData, SeamlessRequest
from hundi.wire.message import read_request
from hundi.wire.parts import text_in

KINDS = {SALE: PaymentKind.SALE, AUTHORISE: PaymentKind.AUTHORISE}
"""The kinds of payment that begin without the page, by `txnsubtype`."""
_OF_A_CARD = {
    "number": "the digits of a card number, with its check digit",
    "expiry": "MM/YY, not past",
    "cvv": "3 digits, of American Express 4",
    "holder": "at most 100 characters",
}
_UNDER_WAY = frozenset(
    {AttemptState.SENT, AttemptState.AUTHENTICATING, AttemptState.AUTHORISING, AttemptState.PENDING}
)


async def _begun(context: MerchantRequest, asked: SeamlessRequest) -> Answer[SeamlessData]:
    """Begin a payment; return its customer's next step."""
    settings = context.sender.settings
    if asked.card is not None and not settings.seamless_cards:
        allowed = (
            "the payment page: cards from your server need your PCI DSS certificate, which the "
            "operator records"
        )
        code, cures = RefusalCode.CHANNEL_NOT_ENABLED, (Cure("seamless_cards", "on"),)
        raise refuse(code, field="card_number", received=wire.HIDDEN, allowed=allowed, cures=cures)
    card = _card(context, asked.card) if asked.card is not None else None
    if asked.pay_by == wire.UPI and asked.vpa:
        _check_collect(context, asked)
    view = await _order(context, asked)
    begun = await _begin(context, asked, view, card)
    after = (
        await payments.view(
            context.gateway.payments, view.payment.merchant_id, view.payment.payment_id
        )
        or view
    )
    data = await _data(context, after, begun)
    return Answer(data, _WORDS[data.action])


def _read(context: MerchantRequest) -> SeamlessRequest:
    """Return the request; the message itself, which may hold a card, is dropped."""
    if not context.sender.settings.seamless:
        allowed = "the payment page: the operator has not enabled payments from your server"
        raise refuse(
            RefusalCode.CHANNEL_NOT_ENABLED,
            field="pay_by",
            received=_without_card(text_in(context.values, "pay_by"))[:16],
            allowed=allowed,
            cures=(Cure("seamless", "on"),),
        )
    try:
        asked = read_request(SeamlessRequest, context.values)
    except FieldError as wrong:
        raise FieldError(wrong.field, _without_card(wrong.received), wrong.allowed) from None
    context.values = {}
    return asked


def _without_card(received: str) -> str:
    """Return what a refusal may repeat.

    A card number, even a mistyped one, may be in any field.
    """
    return wire.HIDDEN if sum(map(str.isdigit, received)) >= NUMBER_LENGTH_MIN else received


_WORDS = {
    wire.FORM: "Let the customer's browser post redirect_fields to redirect_url",
    wire.REDIRECT: "Send the customer's browser to redirect_url",
    wire.UPI_LINK: "Open upi_link on the customer's phone, or show it as a QR code",
    wire.WAIT: "The customer approves in their app; verify tells the end",
    wire.NOTHING: "Nothing is under way; the state is in data",
}


async def _order(context: MerchantRequest, asked: SeamlessRequest) -> PaymentView:
    """Open or reopen the order; another way to pay it does not change its content."""
    kind = KINDS.get(asked.txnsubtype)
    if kind is None:
        allowed = ", ".join(sorted(KINDS))
        raise refuse(
            RefusalCode.CHANNEL_NOT_ENABLED,
            field="txnsubtype",
            received=asked.txnsubtype,
            allowed=allowed,
        )
    restrictions = Restrictions(
        card_types_named(asked.channels), account_restriction(context, asked.payer_account)
    )
    channels = channels_named(asked.channels)
    wanted = new_order(
        asked, kind=kind, channels=channels, asked_as="seamless", restrictions=restrictions
    )
    return await opening.initiate(
        context.gateway.payments, context.sender, wanted, context.now, _payer(asked)
    )


def _payer(asked: SeamlessRequest) -> PayerTrace:
    return PayerTrace(asked.customer_ip, (asked.customer_agent,) if asked.customer_agent else ())


async def _begin(
    context: MerchantRequest, asked: SeamlessRequest, view: PaymentView, card: CardNumber | None
) -> Redirect | Attempt:
    payment_id, offered = view.payment.payment_id, view.payment.channels
    # A link by UPI also pays what is offered as a Bharat QR.
    if asked.pay_by != wire.UPI and offered and asked.pay_by not in offered:
        allowed = "_".join(offered)
        raise refuse(
            RefusalCode.CHANNEL_NOT_ENABLED, field="pay_by", received=asked.pay_by, allowed=allowed
        )
    case = await payable(
        context.gateway.payments, context.sender, payment_id, context.now, _payer(asked)
    )
    if card is not None:
        return await cards.pay(case, card, _back(context, view, "3ds"))
    if asked.pay_by == wire.UPI:
        return await (upi.collect(case, asked.vpa.lower()) if asked.vpa else upi.offer_qr(case))
    method, back = CHANNELS[asked.pay_by].method.name, _back(context, view, "bank")
    return await redirects.start(case, method, asked.bank_code, back)


def _back(context: MerchantRequest, view: PaymentView, word: str) -> Callable[[int], str]:
    """Return where a bank sends the browser back, for an attempt's id.

    To the order's page, which leads to the shop.
    """
    session = context.gateway.sessions.seal(view.payment.merchant_id, view.payment.payment_id)
    page = f"{context.gateway.settings.payment_page_url}{SESSION_PAGE}{session}"
    return lambda attempt_id: f"{page}/{word}/{attempt_id}"


def _card(context: MerchantRequest, sent: CardFields) -> CardNumber:
    typed = TypedCard(sent.number, sent.expiry, sent.cvv, sent.holder)
    read = read_card(typed, business_day(context.now))
    if isinstance(read, CardNumber):
        return read
    name = read[0].field
    raise refuse(
        RefusalCode.FIELD_INVALID,
        field=f"card_{name}",
        received=wire.HIDDEN,
        allowed=_OF_A_CARD[name],
    )


def _check_collect(context: MerchantRequest, asked: SeamlessRequest) -> None:
    """Raise Refused (CHANNEL_NOT_ENABLED) where the network allows no request to a UPI address."""
    settings = context.sender.settings
    client = upi_address.client_of(asked.customer_agent)
    allowed_where = partial(
        upi_address.collect_allowed, settings.mcc, client=client, on=business_day(context.now)
    )
    if not allowed_where(merchant_allows=settings.upi_collect_allowed):
        code, allowed = RefusalCode.CHANNEL_NOT_ENABLED, "no vpa: the reply then has a UPI link"
        cures = (Cure("upi_collect_allowed", "on"),) if allowed_where(merchant_allows=True) else ()
        raise refuse(
            code, field="vpa", received=_without_card(asked.vpa), allowed=allowed, cures=cures
        )


async def _data(
    context: MerchantRequest, view: PaymentView, begun: Redirect | Attempt
) -> SeamlessData:
    record, payment = transaction_record(facts_of(view), context.sender), view.payment
    attempt = view.live[-1] if isinstance(begun, Redirect) and view.live else begun
    fields = tuple(begun.fields) if isinstance(begun, Redirect) else ()
    link, action = "", wire.FORM if fields else wire.REDIRECT
    if isinstance(begun, Attempt):
        if begun.state is AttemptState.OFFERED:
            link = (
                await upi.pay_link(
                    context.gateway.payments, context.sender, view.payment.order_id, begun
                )
                or ""
            )
        action = wire.UPI_LINK if link else wire.WAIT if begun.state in _UNDER_WAY else wire.NOTHING
    paying = attempt if isinstance(attempt, Attempt) and action != wire.NOTHING else None
    return SeamlessData(
        action=action,
        redirect_url=begun.url if isinstance(begun, Redirect) else "",
        redirect_fields=fields,
        link=link,
        transaction_id=record.ap_transactionid,
        order_id=record.orderid,
        merchant_id=record.merchant_id,
        amount_paise=payment.amount.paise,
        payable_paise=paying.amount.paise if paying else 0,
        surcharge_paise=paying.surcharge_paise if paying else 0,
        currency=record.iso_currency,
        status_code=record.transaction_status,
        payment_status=record.transaction_payment_status,
        bank_code=record.bank_response_code,
        bank_message=record.bank_response_msg,
    )


HANDLERS = {BEGIN: serving(BEGIN, _begun, read=_read)}
