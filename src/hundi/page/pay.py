"""The POST handlers of the payment page: forms that begin an attempt, and returns from banks."""

from collections.abc import Awaitable, Callable

from litestar import Response

from hundi.acquirers.port.answers import Redirect
from hundi.infra.http.rates import Rates
from hundi.instruments import upi_address
from hundi.instruments.card import CardNumber, TypedCard
from hundi.instruments.card import read as read_card
from hundi.instruments.methods import (
    BANK_MANDATES,
    CARD_EMI,
    CARD_PAGE,
    CARDS,
    CASH,
    EMI,
    EMI_PAGE,
    LENDERS,
    NET_BANKING,
    REMIT,
    RTGS,
    TRANSFERS,
    UPI,
    WALLETS,
    Channel,
    Method,
)
from hundi.kernel.clock import business_day
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.page import checkout, forms, render, rules
from hundi.page.facts import Typed
from hundi.page.screens import Screen
from hundi.page.sessions import (
    AnyRequest,
    NoPaymentError,
    Opened,
    lists_of,
    opened_at,
    opened_by,
    page_context,
    visit_of,
)
from hundi.payments.attempts.actions import Choice, payable
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.attempts.inquiries import actions as asking
from hundi.payments.methods.card import actions as cards
from hundi.payments.methods.card.actions import BY_CARD
from hundi.payments.methods.redirect import actions as redirects
from hundi.payments.methods.transfer import actions as transfers
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders.actions import PaymentCase
from hundi.payments.orders.extensions.actions import extend
from hundi.payments.orders.rules import Attempt, EmiTerms

RETURNS_A_MINUTE = 20
"""How often a minute one process asks a card's network about a challenge when customers return."""
_returns = Rates()
_WHERE_IT_STANDS = frozenset({RefusalCode.ORDER_ALREADY_PAID, RefusalCode.STATE_FORBIDS})
"""Refusals without words of their own: the session's page shows the state of the payment."""


async def renew_qr(request: AnyRequest) -> Response[bytes]:
    """Offer a new QR after the last one expired or failed."""
    forms.check_same_site(request.headers)
    opened = await opened_at(request)
    return await _begun(
        request,
        opened,
        Typed(UPI.code),
        lambda case: upi.offer_qr(case, mandate=opened.mandate),
    )


async def more_time(request: AnyRequest) -> Response[bytes]:
    """Extend the session: one press is enough, and nothing else changes."""
    forms.check_same_site(request.headers)
    opened = await opened_at(request)
    await extend(opened.gateway.payments, opened.view, opened.now)
    return render.see(opened.path)


async def ask_vpa(request: AnyRequest) -> Response[bytes]:
    """Send a collect request to the typed UPI ID, if the rules still allow it."""
    forms.check_same_site(request.headers)
    visit = visit_of(request)
    opened = await opened_by(visit)
    typed = Typed("vpa", vpa=(await forms.read(request)).get("vpa", ""))
    payer = upi_address.read(typed.vpa)
    choice = rules.choose(opened.view, opened.merchant, page_context(visit.inbound, opened, typed))
    if choice.upi is None or not choice.upi.collect:
        return render.see(opened.path)
    if payer is None:
        return _sent_back(opened, typed)
    return await _begun(request, opened, typed, lambda case: upi.collect(case, payer))


async def pay_card(request: AnyRequest) -> Response[bytes]:
    """Take a card: lead to the form with its errors, to the bank's challenge, or to the session.

    A second press during an attempt shows that attempt; nothing is charged twice.
    """
    opened, form = await _at_choice(request)
    if form is None:
        return render.see(opened.path)
    if not (await lists_of(opened)).cards_elsewhere:
        return await _take_card(request, opened, form, CARDS.form, BY_CARD)
    return await _go_to_page(request, opened, Typed(CARDS.form), CARD_PAGE)


async def _go_to_page(
    request: AnyRequest, opened: Opened, typed: Typed, method: Method
) -> Response[bytes]:
    """Lead to the acquirer's own page for cards, or for cards in instalments."""
    back = _back(opened, "bank")
    mandate = opened.mandate if method is CARD_PAGE else None
    return await _begun(
        request,
        opened,
        typed,
        lambda case: cards.pay_at_page(case, back, method, mandate=mandate),
    )


async def pay_saved(request: AnyRequest) -> Response[bytes]:
    """Pay with a card that the customer saved."""
    opened, form = await _at_choice(request)
    if form is None:
        return render.see(opened.path)
    token, back = form.get("card", ""), _back(opened, "3ds")
    return await _begun(
        request, opened, Typed(CARDS.form), lambda case: cards.pay_saved(case, token, back)
    )


async def pay_emi(request: AnyRequest) -> Response[bytes]:
    """Take a card that pays in the chosen instalments, or lead to the acquirer's page."""
    opened, form = await _at_choice(request)
    if form is None:
        return render.see(opened.path)
    choice = (await lists_of(opened)).emi
    if choice.elsewhere:
        return await _go_to_page(request, opened, Typed(EMI.code), EMI_PAGE)
    emi_plan = next((each for each in choice.plans if each.key == form.get("plan", "")), None)
    if emi_plan is None:
        return _sent_back(
            opened, Typed(EMI.code, expiry=form.get("expiry", ""), holder=form.get("holder", ""))
        )
    plan, discount = emi_plan.plan, emi_plan.instalments.discount_paise
    terms = EmiTerms(plan.months, plan.annual_rate_bps, discount)
    return await _take_card(
        request, opened, form, EMI.code, Choice(CARD_EMI.name, bank=plan.bank_code, emi=terms)
    )


async def _at_choice(request: AnyRequest) -> tuple[Opened, dict[str, str] | None]:
    """Return a session and its form, None if the session is not at the methods any more."""
    forms.check_same_site(request.headers)
    opened = await opened_at(request)
    at = rules.screen_of(opened.view, opened.now, choosing="choose" in request.query_params)
    return opened, await forms.read(request) if at is Screen.CHOOSE else None


async def _take_card(
    request: AnyRequest, opened: Opened, form: dict[str, str], name: str, choice: Choice
) -> Response[bytes]:
    typed = TypedCard(
        form.get("number", ""), form.get("expiry", ""), form.get("cvv", ""), form.get("holder", "")
    )
    card = read_card(typed, business_day(opened.now))
    typed_back = Typed(name, expiry=typed.expiry, holder=typed.holder, plan=form.get("plan", ""))
    if not isinstance(card, CardNumber):
        return _sent_back(opened, rules.with_problems(typed_back, card))
    back = _back(opened, "3ds")
    return await _begun(
        request,
        opened,
        typed_back,
        lambda case: cards.pay(
            case,
            card,
            back,
            choice,
            save=choice is BY_CARD and form.get("save") == "yes",
            mandate=opened.mandate,
        ),
    )


def _back(opened: Opened, word: str) -> Callable[[int], str]:
    """Return the function that makes a bank's return address from an attempt's id."""
    return lambda attempt_id: (
        f"{opened.gateway.settings.payment_page_url}{opened.path}/{word}/{attempt_id}"
    )


async def go_to_bank(request: AnyRequest) -> Response[bytes]:
    """Send the customer to the page of the chosen bank."""
    return await _go(request, NET_BANKING)


async def go_to_wallet(request: AnyRequest) -> Response[bytes]:
    """Send the customer to the page of the chosen wallet."""
    return await _go(request, WALLETS)


async def go_to_lender(request: AnyRequest) -> Response[bytes]:
    """Send the customer to the page of the chosen lender."""
    return await _go(request, LENDERS)


async def _go(request: AnyRequest, channel: Channel) -> Response[bytes]:
    opened, form = await _at_choice(request)
    if form is None:
        return render.see(opened.path)
    bank = form.get("bank", "")
    if not bank:
        return _sent_back(opened, Typed(channel.code))
    return await _begun(
        request,
        opened,
        Typed(channel.code, bank=bank),
        lambda case: redirects.start(
            case,
            channel.method.name,
            bank,
            _back(opened, "bank"),
            mandate=opened.mandate if channel is BANK_MANDATES else None,
        ),
    )


async def go_to_approve(request: AnyRequest) -> Response[bytes]:
    """Send the customer to the page of the bank that registers a mandate."""
    return await _go(request, BANK_MANDATES)


async def get_account(request: AnyRequest) -> Response[bytes]:
    """Give the customer an account number for a bank transfer."""
    return await _offer(request, TRANSFERS, transfers.offer_account)


async def get_rtgs_account(request: AnyRequest) -> Response[bytes]:
    """Give the customer an account number that takes only RTGS."""
    return await _offer(request, RTGS, transfers.offer_account)


async def get_slip(request: AnyRequest) -> Response[bytes]:
    """Give the customer a slip for a bank's branch."""
    return await _offer(request, REMIT, transfers.offer_account)


async def get_voucher(request: AnyRequest) -> Response[bytes]:
    """Give the customer a voucher for cash at a counter."""
    return await _offer(request, CASH, transfers.offer_voucher)


async def _offer(
    request: AnyRequest,
    channel: Channel,
    offer: Callable[[PaymentCase, Channel], Awaitable[Attempt]],
) -> Response[bytes]:
    opened, form = await _at_choice(request)
    if form is None:
        return render.see(opened.path)
    return await _begun(request, opened, Typed(channel.code), lambda case: offer(case, channel))


async def _begun(
    request: AnyRequest,
    opened: Opened,
    typed: Typed,
    begin: Callable[[PaymentCase], Awaitable[Attempt | Redirect]],
) -> Response[bytes]:
    """Begin an attempt and lead (303) to the bank's page or to the session's.

    A page of ours takes the customer to another site. It is shown once: a form sent again leads to
    the session, which has the attempt.
    """
    context, payment_id = opened.gateway.payments, opened.payment.payment_id
    try:
        case = await payable(context, opened.merchant, payment_id, opened.now, opened.payer)
        step = await begin(case)
    except Refused as refused:
        if refused.refusal.code in _WHERE_IT_STANDS:
            return render.see(opened.path)
        return _sent_back(opened, rules.with_refusal(typed, refused.refusal.code))
    if isinstance(step, Redirect):
        return await checkout.onward(visit_of(request).inbound, opened, step)
    return render.see(opened.path)


def _sent_back(opened: Opened, typed: Typed) -> Response[bytes]:
    return render.see(
        forms.send_back(opened.gateway.vault, opened.path, typed, int(opened.now.timestamp()))
    )


async def back_from_redirect(request: AnyRequest) -> Response[bytes]:
    """Take the customer back from a bank's own page.

    The outcome comes from the bank, not the browser.
    """
    opened = await opened_at(request)
    attempt = opened.view.attempt(request.path_params["attempt_id"])
    if attempt is None:
        raise NoPaymentError
    await asking.ask_soon(opened.gateway.payments, attempt.connector, attempt.reference, opened.now)
    return render.see(opened.path)


async def back_from_bank(request: AnyRequest) -> Response[bytes]:
    """Take the customer back from the challenge.

    The outcome comes from the network, not the browser.
    """
    opened = await opened_at(request)
    attempt = opened.view.attempt(request.path_params["attempt_id"])
    if attempt is None:
        raise NoPaymentError
    # Frequent returns do not ask the network: the inquiries do.
    if _returns.has_room(attempt.reference, "returns", RETURNS_A_MINUTE, opened.now.timestamp()):
        await authentication.finish_card(
            opened.gateway.payments, opened.merchant, attempt.attempt_id, opened.now
        )
    return render.see(opened.path)
