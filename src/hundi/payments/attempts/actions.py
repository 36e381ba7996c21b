"""The actions of attempts by any method: begin, charge, settle, take callbacks, ask the bank.

Money moves in four steps that never share a transaction with a network call: decide, write the
intention, call, settle.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
import structlog

from hundi.acquirers.port.answers import (
    PROCEED_ONLY_ON,
    Approved,
    Authentication,
    Declined,
    NothingThere,
    Redirect,
    Unknown,
    Voided,
    not_authenticated,
)
from hundi.acquirers.port.cards import AuthenticatesCards
from hundi.acquirers.port.payments import Charge, CompletesAuthorisations, Connector
from hundi.instruments.card import NO_CARD, CardFacts, CardNumber, facts_of_number
from hundi.instruments.methods import METHODS, Flow
from hundi.kernel.moves import SUCCESSFUL
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, Refused, refuse
from hundi.kernel.states import Actor, AttemptState, EventKind, PaymentKind, PaymentState
from hundi.merchants.directory.rules import Merchant
from hundi.payments.attempts import rules
from hundi.payments.attempts.answers import rules as answers
from hundi.payments.attempts.approvals import rules as approvals
from hundi.payments.attempts.approvals.rules import Policy
from hundi.payments.attempts.asking import ask_soon
from hundi.payments.orders import store
from hundi.payments.orders.actions import (
    PaymentContext,
    facts_of_try,
    new_attempt,
    write,
    write_block,
)
from hundi.payments.orders.rules import (
    NO_EMI,
    Attempt,
    EmiTerms,
    Payment,
    PaymentView,
    Step,
    channel_of,
)
from hundi.payments.risk.actions import NOBODY, PayerTrace
from hundi.payments.risk.rules import Action, RiskRecord
from hundi.payments.routing.rules import NOT_ROUTED, Routed

AUTHORISE_GRACE = timedelta(seconds=15)
"""The authorisation call ends within this time; only then is the bank asked for its result."""
BEGIN_TRIES_MAX = 3
"""Tries to begin an attempt.

One may close a challenge, and meanwhile a second press may have opened another.
"""
INQUIRY_LEASE = timedelta(seconds=60)
"""How long a worker holds the claim to ask about an attempt."""
_log = structlog.get_logger(__name__)


async def payable(context: PaymentContext, merchant: Merchant, payment_id: int) -> PaymentView:
    """Return the payment for a new attempt.

    Raises Refused: NO_RECORDS, MERCHANT_SUSPENDED.
    """
    if merchant.suspended:
        # Open attempts of a suspended merchant are finished; nothing new begins.
        raise refuse(RefusalCode.MERCHANT_SUSPENDED)
    found = await store.select_view(context.db, merchant.merchant_id, payment_id)
    if found is None:
        raise refuse(RefusalCode.NO_RECORDS)
    return found


def raise_if(refusal: Refusal | None) -> None:
    """Raise a refusal, if there is one."""
    if refusal is not None:
        raise Refused(refusal)


@dataclass(frozen=True, slots=True)
class Choice:
    """The method a customer chose.

    bank, bank_name: of net banking, wallet or instalments. payer_vpa: of a collect request. card:
    in memory only. saved_card: the token of the saved card that pays, or that is to be kept.
    kept_by: the attempt that kept the card.
    """

    method: str
    payer_vpa: str = ""
    bank: str = ""
    bank_name: str = ""
    emi: EmiTerms = NO_EMI
    payer: PayerTrace = NOBODY
    card: CardNumber | None = None
    saved_card: str = ""
    kept_by: Attempt | None = None


async def begin(
    context: PaymentContext,
    merchant: Merchant,
    found: PaymentView,
    choice: Choice,
    connector: Connector,
    life: timedelta,
    now: datetime,
    told: Routed = NOT_ROUTED,
) -> tuple[PaymentView, Attempt]:
    """Write the intention of an attempt, and close a challenge that the customer left.

    The risk rules are asked first, before the bank is called. found: what `payable` returned. told:
    why this connector was chosen. Raises Refused: STATE_FORBIDS, ORDER_ALREADY_PAID,
    CHANNEL_NOT_ENABLED, RISK_BLOCKED.
    """
    channel, most = channel_of(found.payment, choice.method), merchant.settings.attempts_an_hour
    raise_if(
        rules.may_start(found, channel, most, now)
        or rules.switched_off(merchant, found.payment, channel)
    )
    checked = await check_risk(context, found.payment, choice, connector, now)
    begun: list[Attempt] = []

    def decide(current: PaymentView) -> Step | None:
        if begun and current.attempt(begun[-1].attempt_id):
            return None
        raise_if(
            rules.may_start(current, channel, most, now)
            or rules.switched_off(merchant, current.payment, channel)
        )
        left = next((each for each in current.live if each.method in rules.CHARGED_BY_US), None)
        if left is not None:
            return answers.expire(current, left, Actor.CUSTOMER, now)
        attempt = of_choice(
            new_attempt(current.payment, choice.method, connector, life, now), choice
        )
        begun.append(replace(attempt, risk=checked, route=told))
        started = replace(current.payment, state=PaymentState.IN_PROCESS, method=channel)
        return Step(EventKind.ATTEMPT_STARTED, Actor.CUSTOMER, started, begun[-1], new_attempt=True)

    after = found
    for _ in range(BEGIN_TRIES_MAX):
        after = await write(context, merchant, after, decide, now)
        attempt = after.attempt(begun[-1].attempt_id) if begun else None
        if attempt is not None:
            return after, attempt
    raise refuse(RefusalCode.STATE_FORBIDS)


def of_choice(attempt: Attempt, choice: Choice) -> Attempt:
    """Return an attempt with its customer's choice."""
    return replace(
        attempt,
        payer_vpa=choice.payer_vpa,
        bank=choice.bank,
        bank_name=choice.bank_name,
        emi=choice.emi,
        card=_facts_of(choice),
        saved_card=choice.saved_card,
    )


def _facts_of(choice: Choice) -> CardFacts:
    if choice.card:
        return facts_of_number(choice.card)
    return choice.kept_by.card if choice.kept_by else NO_CARD


async def check_risk(
    context: PaymentContext, payment: Payment, choice: Choice, connector: Connector, now: datetime
) -> RiskRecord:
    """Check a try against the risk rules.

    Raises Refused (RISK_BLOCKED) after recording the block as an event of the payment.
    """
    seen = context.risk.seen(choice.payer, choice.card)
    if choice.kept_by:
        known = choice.kept_by.risk.seen
        seen = msgspec.structs.replace(
            seen, card=known.card, card_bin=known.card_bin, card_scheme=known.card_scheme
        )
    tried = replace(
        of_choice(new_attempt(payment, choice.method, connector, timedelta(), now), choice),
        risk=RiskRecord(seen),
    )
    checked = RiskRecord(seen, await context.risk.check(facts_of_try(payment, tried, now), now))
    if rules.is_blocked(checked.verdict.action, choice.method):
        await write_block(context, payment, replace(tried, risk=checked), now)
        raise refuse(
            RefusalCode.RISK_BLOCKED,
            detail=f"rule {checked.verdict.rule}: {checked.verdict.because}",
        )
    return checked


def charge_of(attempt: Attempt) -> Charge:
    """Return the request for the bank's charge."""
    emi_bank = attempt.bank if attempt.emi.months else ""
    challenge = attempt.risk.verdict.action is Action.CHALLENGE
    save_card = bool(attempt.saved_card) and not attempt.card.token
    return Charge(
        attempt.reference, attempt.amount, emi_bank, attempt.emi.months, challenge, save_card
    )


async def begin_authentication(
    context: PaymentContext,
    merchant: Merchant,
    found: PaymentView,
    attempt: Attempt,
    answer: Redirect,
    now: datetime,
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

    after = await write(context, merchant, found, decide, now)
    ours = after.attempt(attempt.attempt_id) or attempt
    return answer if ours.state is AttemptState.AUTHENTICATING else attempt


async def finish_card(
    context: PaymentContext, merchant: Merchant, attempt_id: int, now: datetime
) -> Attempt | None:
    """Charge a card whose challenge has ended.

    Asks the network for the result, and proceeds only on `Y`.

    The browser's return, the bank's callback and the inquiry call this; only one of them charges.
    """
    found = await store.select_by_attempt(context.db, merchant.merchant_id, attempt_id)
    attempt = found.attempt(attempt_id) if found else None
    if found is None or attempt is None or attempt.state is not AttemptState.AUTHENTICATING:
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
    if authentication.trans_status != PROCEED_ONLY_ON:
        refused = not_authenticated(authentication.trans_status, cancelled=authentication.cancelled)
        return await settle(context, merchant, found, attempt, refused, now)
    mine: list[Attempt] = []

    def decide(current: PaymentView) -> Step | None:
        mine.clear()
        ours = current.attempt(attempt_id)
        if ours is None or ours.state is not AttemptState.AUTHENTICATING:
            return None
        if current.success is not None:
            # The order was paid in another way. Only we could charge this card, and we do not.
            return answers.expire(current, ours, Actor.BANK, now)
        mine.append(
            replace(
                ours,
                state=AttemptState.AUTHORISING,
                inquire_at=now + AUTHORISE_GRACE,
                charged_at=now,
            )
        )
        return Step(EventKind.AUTHENTICATED, Actor.BANK, current.payment, mine[0])

    after = await write(context, merchant, found, decide, now)
    if not mine:
        return after.attempt(attempt_id)
    return await authorise(context, merchant, after, mine[0], connector, now)


async def authorise(
    context: PaymentContext,
    merchant: Merchant,
    found: PaymentView,
    attempt: Attempt,
    connector: AuthenticatesCards,
    now: datetime,
) -> Attempt:
    """Ask the bank to authorise an authenticated card, and settle its answer."""
    capture = found.payment.kind is not PaymentKind.AUTHORISE
    answer = await connector.authorise(
        charge_of(attempt), authentication_id=attempt.authentication_id, capture=capture
    )
    return await settle(context, merchant, found, attempt, answer, now)


async def settle(
    context: PaymentContext,
    merchant: Merchant,
    found: PaymentView,
    attempt: Attempt,
    answer: Approved | Declined | Unknown | NothingThere | Voided,
    now: datetime,
) -> Attempt:
    """Apply the bank's answer to the payment exactly once."""
    schedule = context.connectors.get(attempt.connector).inquiry_schedule
    account = answer.payer_account if isinstance(answer, Approved) else None
    came_from = context.risk.fingerprint_of_account(account.number, account.ifsc) if account else ""
    policy = Policy(merchant.settings.late_success == "refund", schedule, came_from)

    if answers.in_other_currency(attempt, answer):
        _log.error("bank_currency_differs", reference=attempt.reference)
    written: list[Step | None] = [None]

    def decide(current: PaymentView) -> Step | None:
        ours = current.attempt(attempt.attempt_id)
        written[0] = (
            None if ours is None else answers.after_answer(current, ours, answer, policy, now)
        )
        return written[0]

    after = await write(context, merchant, found, decide, now)
    settled = after.attempt(attempt.attempt_id) or attempt
    if written[0] is not None:
        await _count(context, after.payment, settled, now)
    connector = context.connectors.get(attempt.connector)
    if not approvals.is_surplus_hold(after, settled, answer) or not isinstance(
        connector, CompletesAuthorisations
    ):
        return settled
    # If the bank does not answer, the next inquiry voids it again.
    given_back = await connector.void(attempt.reference)
    return (
        await settle(context, merchant, after, settled, given_back, now)
        if isinstance(given_back, Voided)
        else settled
    )


async def _count(
    context: PaymentContext, payment: Payment, settled: Attempt, now: datetime
) -> None:
    """Count the bank's answer for the risk rules."""
    facts = facts_of_try(payment, settled, now)
    if rules.is_declined(settled):
        await context.risk.count_decline(facts, now)
    elif settled.state in SUCCESSFUL and METHODS[settled.method].flow is Flow.SCANNED:
        await context.risk.count_scan(facts, now)
