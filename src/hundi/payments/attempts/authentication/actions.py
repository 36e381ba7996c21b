"""The actions of authentication at a bank's page, and of the charge that follows it."""

from datetime import datetime, timedelta

from hundi.acquirers.port.answers import (
    PROCEED_ONLY_ON,
    Authentication,
    Redirect,
    not_authenticated,
)
from hundi.acquirers.port.cards import AuthenticatesCards
from hundi.acquirers.port.payments import ReopensPages
from hundi.instruments.methods import METHODS, Flow
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, AttemptState, EventKind, PaymentKind
from hundi.merchants.directory.rules import Merchant
from hundi.payments.attempts.actions import charge_of, settle
from hundi.payments.attempts.answers import rules as answers
from hundi.payments.attempts.inquiries.actions import ask_soon
from hundi.payments.orders import store
from hundi.payments.orders.actions import PaymentCase, PaymentContext, write
from hundi.payments.orders.rules import Attempt, PaymentView, Step

AUTHORISE_GRACE = timedelta(seconds=15)
"""The authorisation call ends within this time; only then is the bank asked for its result."""


async def begin_authentication(
    case: PaymentCase, attempt: Attempt, answer: Redirect
) -> Redirect | Attempt:
    """Record a redirect to the bank's page; return its address, or the attempt if it has ended."""

    def decide(current: PaymentView) -> Step | None:
        ours = current.attempt(attempt.attempt_id)
        if ours is None or ours.state is not AttemptState.SENT:
            return None
        authenticating = replace(
            ours, state=AttemptState.AUTHENTICATING, authentication_id=answer.authentication_id
        )
        return Step(EventKind.AUTHENTICATING, Actor.BANK, current.payment, authenticating)

    after, _ = await write(case, decide)
    ours = after.attempt(attempt.attempt_id) or attempt
    return answer if ours.state is AttemptState.AUTHENTICATING else attempt


async def finish_card(
    context: PaymentContext, merchant: Merchant, attempt_id: int, now: datetime
) -> Attempt | None:
    """Charge a card whose challenge has ended.

    Asks the network for the result, and proceeds only on `Y`.

    The browser's return, the bank's callback and the inquiry call this; only one of them charges.
    """
    view = await store.select_by_attempt(context.db, merchant.merchant_id, attempt_id)
    attempt = view.attempt(attempt_id) if view else None
    if view is None or attempt is None or attempt.state is not AttemptState.AUTHENTICATING:
        return attempt
    connector = context.connectors.get(attempt.connector)
    if METHODS[attempt.method].flow is not Flow.CHALLENGED or not isinstance(
        connector, AuthenticatesCards
    ):
        # The acquirer may have charged without our call: ask it.
        await ask_soon(context, attempt.connector, attempt.reference, now)
        return attempt
    authentication = await connector.authentication(attempt.authentication_id)
    if not isinstance(authentication, Authentication):
        return attempt
    case = PaymentCase(context, merchant, view, now)
    if authentication.trans_status != PROCEED_ONLY_ON:
        refused = not_authenticated(authentication.trans_status, cancelled=authentication.cancelled)
        return await settle(case, attempt, refused)

    def decide(current: PaymentView) -> Step | None:
        ours = current.attempt(attempt_id)
        if ours is None or ours.state is not AttemptState.AUTHENTICATING:
            return None
        if current.success is not None:
            # The order was paid in another way. Only we could charge this card, and we do not.
            return answers.expire(current, ours, Actor.BANK, now)
        charged = replace(
            ours,
            state=AttemptState.AUTHORISING,
            inquire_at=now + AUTHORISE_GRACE,
            charged_at=now,
        )
        return Step(EventKind.AUTHENTICATED, Actor.BANK, current.payment, charged)

    after, step = await write(case, decide)
    if step is None or step.attempt is None or step.kind is not EventKind.AUTHENTICATED:
        return after.attempt(attempt_id)
    return await authorise(case.with_view(after), step.attempt, connector)


async def authorise(case: PaymentCase, attempt: Attempt, connector: AuthenticatesCards) -> Attempt:
    """Ask the bank to authorise an authenticated card, and settle its answer."""
    capture = case.payment.kind is not PaymentKind.AUTHORISE
    answer = await connector.authorise(
        charge_of(attempt), authentication_id=attempt.authentication_id, capture=capture
    )
    return await settle(case, attempt, answer)


def page_again(context: PaymentContext, view: PaymentView) -> str:
    """Return the address of the bank's page that waits for the customer, "" where none is known."""
    attempt = view.live[-1] if view.live else None
    if (
        attempt is None
        or attempt.state is not AttemptState.AUTHENTICATING
        or not attempt.authentication_id
    ):
        return ""
    connector = context.connectors.get(attempt.connector)
    return (
        connector.page_again(attempt.method, attempt.authentication_id)
        if isinstance(connector, ReopensPages)
        else ""
    )
