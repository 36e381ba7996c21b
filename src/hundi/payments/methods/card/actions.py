"""The actions of cards: pay with a challenge, or charge without the cardholder (MOTO).

`payments.attempts` settles the results of challenges and the bank's answers, as for every other
attempt.
"""

from collections.abc import Callable
from datetime import timedelta

from hundi.acquirers.port.answers import Declined, Redirect, Unknown
from hundi.acquirers.port.cards import (
    AuthenticatesCards,
    ChargesMoto,
    IdentifiesCards,
    TokenisesCards,
)
from hundi.acquirers.port.checkout import ChargesCards, HostsCheckout
from hundi.acquirers.port.mandates import MandateRequest
from hundi.acquirers.port.payments import Charge
from hundi.acquirers.registry import Way
from hundi.instruments.card import CardFacts, CardNumber
from hundi.instruments.methods import (
    AT_ONCE,
    CARD,
    CARD_DIRECT,
    CARD_EMI,
    CARD_MOTO,
    CARD_PAGE,
    EMI,
    EMI_DIRECT,
    EMI_PAGE,
    Method,
)
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import PaymentKind
from hundi.payments.attempts import actions as attempts
from hundi.payments.attempts.actions import Choice
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.attempts.failover.actions import Answer, FailoverTry, in_turn
from hundi.payments.methods.card import rules
from hundi.payments.orders.actions import PaymentCase, route
from hundi.payments.orders.channels.rules import emi_way
from hundi.payments.orders.rules import Attempt, Payment, PaymentView
from hundi.payments.routing.rules import AttemptRoute
from hundi.payments.saved_cards import actions as saved_cards
from hundi.payments.saved_cards.rules import may_save, new_token

CHALLENGE_LIFE = timedelta(minutes=10)
"""How long a customer may take at the issuer's page (docs/spec/payment-interfaces.md#limits)."""
BY_CARD = Choice(CARD.name)
TYPED = (CARD, CARD_DIRECT)
"""Cards typed at our page, or sent by a merchant's server."""


async def pay(
    case: PaymentCase,
    card: CardNumber,
    return_url: Callable[[int], str],
    choice: Choice = BY_CARD,
    *,
    save: bool = False,
    mandate: MandateRequest | None = None,
) -> Redirect | Attempt:
    """Send a card to the acquirer.

    Return the authentication page, or the attempt if it ended at once.

    case: what `attempts.payable` returned. return_url: returns, for the attempt's id, where the
    bank's page sends the browser back. The card is in memory only. choice: card, or card_emi with
    the terms of instalments, whichever way the acquirer makes them. save: the customer agrees that
    the card is saved. mandate: what the challenge approves beside the payment. Raises Refused:
    STATE_FORBIDS, ORDER_ALREADY_PAID, CHANNEL_NOT_ENABLED, RISK_BLOCKED.
    """
    merchant, payment = case.merchant, case.payment
    if payment.kind is PaymentKind.MOTO:
        return await _pay_moto(case, card)
    attempt_route = await _route_of(case, choice, card)
    if attempt_route.first is None:
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="card")

    def choice_at(way: Way) -> Choice:
        keeps = (
            save and way.method is not CARD_DIRECT and may_save(payment, merchant, way.connector)
        )
        return replace(
            choice, card=card, method=way.method.name, saved_card=new_token() if keeps else ""
        )

    async def ask(view: PaymentView, attempt: Attempt, way: Way) -> Answer:
        refused = await _refusal(way, view.payment, card, choice.bank)
        if refused is not None:
            return refused
        back = return_url(attempt.attempt_id)
        if isinstance(way.connector, ChargesCards) and way.method.name in AT_ONCE:
            capture = view.payment.kind is not PaymentKind.AUTHORISE
            charge = _charge(case, attempt, mandate)
            return await way.connector.charge_card(charge, card, return_url=back, capture=capture)
        assert isinstance(way.connector, AuthenticatesCards), "what a card needs"
        if attempt.saved_card:
            # After the limits and the risk rules, and before the bank is called.
            await saved_cards.agree(case.context.db, view.payment, attempt.saved_card, case.now)
        charge = replace(attempts.charge_of(attempt), mandate=mandate, payee_name=merchant.name)
        return await way.connector.authenticate(charge, card, return_url=back)

    customer_try = FailoverTry(choice_at, ask, CHALLENGE_LIFE)
    case, attempt, answer = await in_turn(case, attempt_route, customer_try)
    if attempt.method not in AT_ONCE:
        return await _challenged(case, attempt, answer)
    if isinstance(answer, Unknown) and answer.sent:
        # It may be charged already, and is never sent again: the inquiries find the result.
        return attempt
    return await _sent_there(case, attempt, answer)


async def _route_of(case: PaymentCase, choice: Choice, card: CardNumber) -> AttemptRoute:
    if choice.method == CARD.name:
        return await route(case, TYPED, card=card)
    # Instalments have the terms of the acquirer whose plans were shown.
    first = emi_way(case.context.connectors, case.payment)
    return AttemptRoute((first,) if first and first.method in {CARD_EMI, EMI_DIRECT} else ())


def _charge(case: PaymentCase, attempt: Attempt, mandate: MandateRequest | None) -> Charge:
    return replace(
        attempts.charge_of(attempt),
        mandate=mandate,
        payee_name=case.merchant.name,
        customer=attempts.customer_of(case),
    )


async def pay_at_page(
    case: PaymentCase,
    return_url: Callable[[int], str],
    method: Method = CARD_PAGE,
    *,
    mandate: MandateRequest | None = None,
) -> Redirect | Attempt:
    """Send a customer to the acquirer's own page for cards.

    Return it, or the attempt if it ended at once.

    case: what `attempts.payable` returned. method: card_page, or emi_page for instalments that are
    chosen there. mandate: what is approved there beside the payment. Raises Refused: STATE_FORBIDS,
    ORDER_ALREADY_PAID, CHANNEL_NOT_ENABLED, RISK_BLOCKED.
    """
    attempt_route = await route(case, (method,))
    if attempt_route.first is None:
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="card")

    async def ask(view: PaymentView, attempt: Attempt, way: Way) -> Answer:
        assert isinstance(way.connector, HostsCheckout), "what its method needs"
        return await way.connector.start_checkout(
            _charge(case, attempt, mandate),
            method=EMI.code if method is EMI_PAGE else CARD.name,
            return_url=return_url(attempt.attempt_id),
            expires_in_s=int(CHALLENGE_LIFE.total_seconds()),
            capture=view.payment.kind is not PaymentKind.AUTHORISE,
        )

    customer_try = FailoverTry(lambda _: Choice(method.name), ask, CHALLENGE_LIFE)
    case, attempt, answer = await in_turn(case, attempt_route, customer_try)
    if isinstance(answer, Unknown):
        # Nobody can pay at a page without its address: the customer may try again.
        answer = replace(answer, sent=False)
    return await _sent_there(case, attempt, answer)


async def _sent_there(case: PaymentCase, attempt: Attempt, answer: Answer) -> Redirect | Attempt:
    if not isinstance(answer, Redirect):
        return await attempts.settle(case, attempt, answer)
    return await authentication.begin_authentication(case, attempt, answer)


async def pay_saved(
    case: PaymentCase, token: str, return_url: Callable[[int], str]
) -> Redirect | Attempt:
    """Pay with a saved card; return the authentication page, or the attempt if it ended at once.

    case: what `attempts.payable` returned. Raises Refused: what `pay` raises, and NO_RECORDS if
    this customer does not have the card.
    """
    context, merchant = case.context, case.merchant
    saved = await saved_cards.find(context.db, merchant.merchant_id, token)
    if saved.customer != case.payment.buyer.customer:
        raise refuse(RefusalCode.NO_RECORDS)
    connector = context.connectors.get(saved.kept_by.connector)
    takes = may_save(case.payment, merchant, connector) and context.connectors.takes_new(
        connector.name
    )
    if not takes or not isinstance(connector, TokenisesCards):
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="card")
    choice = Choice(CARD.name, saved_card=token, kept_by=saved.kept_by)
    case, attempt = await attempts.begin(case, choice, connector, CHALLENGE_LIFE)
    accepted = case.payment.restrictions.card_types
    answer = rules.not_accepted(attempt.card, accepted) if accepted else None
    if answer is None:
        back = return_url(attempt.attempt_id)
        charge = replace(attempts.charge_of(attempt), payee_name=merchant.name)
        answer = await connector.authenticate_token(charge, attempt.card.token, return_url=back)
    return await _challenged(case, attempt, answer)


async def _challenged(case: PaymentCase, attempt: Attempt, answer: Answer) -> Redirect | Attempt:
    if isinstance(answer, Unknown):
        # No money moves before the authorisation, which this attempt will never request: the
        # customer may try again.
        answer = replace(answer, sent=False)
    return await _sent_there(case, attempt, answer)


async def _refusal(
    way: Way, payment: Payment, card: CardNumber, lender: str
) -> Declined | Unknown | None:
    # Instalments are a channel of their own, for credit cards.
    if way.method in TYPED:
        return await _not_accepted(way.connector, payment, card)
    return await _not_lent_to(way.connector, card, lender)


async def _not_accepted(
    connector: object, payment: Payment, card: CardNumber
) -> Declined | Unknown | None:
    """Return why an order does not accept a card, before anybody charges it.

    None when it does.
    """
    accepted = payment.restrictions.card_types
    if not accepted:
        return None
    facts = (
        await connector.identify_card(card) if isinstance(connector, IdentifiesCards) else Unknown()
    )
    if isinstance(facts, Unknown):
        # The card's bank was not called: the customer may try again.
        return replace(facts, sent=False)
    return facts if isinstance(facts, Declined) else rules.not_accepted(facts, accepted)


async def _not_lent_to(connector: object, card: CardNumber, bank: str) -> Declined | None:
    """Return why a bank gives a card no instalments, before anybody charges it.

    None where the card's issuer is unknown: then the bank decides.
    """
    facts = (
        await connector.identify_card(card) if isinstance(connector, IdentifiesCards) else Unknown()
    )
    return rules.not_lent_to(facts, bank) if isinstance(facts, CardFacts) else None


async def _pay_moto(case: PaymentCase, card: CardNumber) -> Attempt:
    """Charge a card without its holder.

    There is no challenge; the answer to this one call decides.
    """
    attempt_route = await route(case, (CARD_MOTO,), card=card)
    if attempt_route.first is None:
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="card")

    async def ask(view: PaymentView, attempt: Attempt, way: Way) -> Answer:
        assert isinstance(way.connector, ChargesMoto), "what its method needs"
        refused = await _not_accepted(way.connector, view.payment, card)
        return refused or await way.connector.charge_moto(
            attempts.charge_of(attempt), card, capture=True
        )

    customer_try = FailoverTry(lambda _: Choice(CARD_MOTO.name, card=card), ask, CHALLENGE_LIFE)
    case, attempt, answer = await in_turn(case, attempt_route, customer_try)
    assert not isinstance(answer, Redirect), "nobody is there to be sent anywhere"
    return await attempts.settle(case, attempt, answer)
