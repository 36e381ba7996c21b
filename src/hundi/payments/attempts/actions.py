"""The actions of attempts by any method: begin, charge, settle.

Money moves in four steps that never share a transaction with a network call: decide, write the
intention, call, settle.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
import structlog

from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    NothingThere,
    Unknown,
    Voided,
)
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.payments import Charge, CompletesAuthorisations, Connector
from hundi.instruments.card import NO_CARD, CardFacts, CardNumber, facts_of_number
from hundi.instruments.methods import METHODS, Flow
from hundi.kernel.moves import SUCCESSFUL
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, Refused, refuse
from hundi.kernel.states import Actor, EventKind, PaymentState
from hundi.merchants.directory.rules import Merchant
from hundi.payments.attempts import rules
from hundi.payments.attempts.answers import rules as answers
from hundi.payments.attempts.approvals import rules as approvals
from hundi.payments.attempts.approvals.rules import Policy
from hundi.payments.orders import store
from hundi.payments.orders.actions import (
    PaymentCase,
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

BEGIN_TRIES_MAX = 3
"""Tries to begin an attempt.

One may close a challenge, and meanwhile a second press may have opened another.
"""
INQUIRY_LEASE = timedelta(seconds=60)
"""How long a worker holds the claim to ask about an attempt."""
_log = structlog.get_logger(__name__)


async def payable(
    context: PaymentContext,
    merchant: Merchant,
    payment_id: int,
    now: datetime,
    payer: PayerTrace = NOBODY,
) -> PaymentCase:
    """Return the payment for a new attempt.

    Raises Refused: NO_RECORDS, MERCHANT_SUSPENDED.
    """
    if merchant.suspended:
        # Open attempts of a suspended merchant are finished; nothing new begins.
        raise refuse(RefusalCode.MERCHANT_SUSPENDED)
    view = await store.select_view(context.db, merchant.merchant_id, payment_id)
    if view is None:
        raise refuse(RefusalCode.NO_RECORDS)
    return PaymentCase(context, merchant, view, now, payer)


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
    card: CardNumber | None = None
    saved_card: str = ""
    kept_by: Attempt | None = None


async def begin(
    case: PaymentCase,
    choice: Choice,
    connector: Connector,
    life: timedelta,
    routed: Routed = NOT_ROUTED,
) -> tuple[PaymentCase, Attempt]:
    """Write the intention of an attempt, and close a challenge that the customer left.

    The risk rules are asked first, before the bank is called. case: what `payable` returned.
    routed: why this connector was chosen. Raises Refused: STATE_FORBIDS, ORDER_ALREADY_PAID,
    CHANNEL_NOT_ENABLED, RISK_BLOCKED.
    """
    merchant, now = case.merchant, case.now
    channel, most = channel_of(case.payment, choice.method), merchant.settings.attempts_an_hour
    raise_if(
        rules.may_start(case.view, channel, most, now)
        or rules.switched_off(merchant, case.payment, channel)
    )
    record = await check_risk(case, choice, connector)

    def decide(current: PaymentView) -> Step:
        raise_if(
            rules.may_start(current, channel, most, now)
            or rules.switched_off(merchant, current.payment, channel)
        )
        challenge = next(
            (each for each in current.live if each.method in rules.CHARGED_BY_US), None
        )
        if challenge is not None:
            return answers.expire(current, challenge, Actor.CUSTOMER, now)
        attempt = of_choice(
            new_attempt(current.payment, choice.method, connector, life, now), choice
        )
        attempt = replace(attempt, risk=record, route=routed)
        started = replace(current.payment, state=PaymentState.IN_PROCESS, method=channel)
        return Step(EventKind.ATTEMPT_STARTED, Actor.CUSTOMER, started, attempt, new_attempt=True)

    for _ in range(BEGIN_TRIES_MAX):
        after, step = await write(case, decide)
        case = case.with_view(after)
        if step is not None and step.attempt is not None and step.new_attempt:
            return case, step.attempt
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


async def check_risk(case: PaymentCase, choice: Choice, connector: Connector) -> RiskRecord:
    """Check a try against the risk rules.

    Raises Refused (RISK_BLOCKED) after recording the block as an event of the payment.
    """
    risk, payment, now = case.context.risk, case.payment, case.now
    traces = risk.seen(case.payer, choice.card)
    if choice.kept_by:
        earlier = choice.kept_by.risk.seen
        traces = msgspec.structs.replace(
            traces, card=earlier.card, card_bin=earlier.card_bin, card_scheme=earlier.card_scheme
        )
    attempt = replace(
        of_choice(new_attempt(payment, choice.method, connector, timedelta(), now), choice),
        risk=RiskRecord(traces),
    )
    verdict = await risk.check(facts_of_try(payment, attempt, now), now)
    record = RiskRecord(traces, verdict)
    if rules.is_blocked(verdict.action, choice.method):
        await write_block(case, replace(attempt, risk=record))
        raise refuse(RefusalCode.RISK_BLOCKED, detail=f"rule {verdict.rule}: {verdict.because}")
    return record


def charge_of(attempt: Attempt) -> Charge:
    """Return the request for the bank's charge."""
    emi_bank = attempt.bank if attempt.emi.months else ""
    challenge = attempt.risk.verdict.action is Action.CHALLENGE
    save_card = bool(attempt.saved_card) and not attempt.card.token
    return Charge(
        attempt.reference, attempt.amount, emi_bank, attempt.emi.months, challenge, save_card
    )


def customer_of(case: PaymentCase) -> Customer:
    """Return the customer, from the merchant's fields and the browser's."""
    buyer, payer = case.payment.buyer, case.payer
    name = " ".join(each for each in (buyer.firstname, buyer.lastname) if each)
    return Customer(
        name, buyer.email, buyer.phone, payer.ip_address, payer.browser[0] if payer.browser else ""
    )


async def settle(
    case: PaymentCase,
    attempt: Attempt,
    answer: Approved | Declined | Unknown | NothingThere | Voided,
) -> Attempt:
    """Apply the bank's answer to the payment exactly once."""
    context, now = case.context, case.now
    schedule = context.connectors.get(attempt.connector).inquiry_schedule
    account = answer.payer_account if isinstance(answer, Approved) else None
    came_from = context.risk.fingerprint_of_account(account.number, account.ifsc) if account else ""
    policy = Policy(case.merchant.settings.late_success == "refund", schedule, came_from)

    if answers.in_other_currency(attempt, answer):
        _log.error("bank_currency_differs", reference=attempt.reference)

    def decide(current: PaymentView) -> Step | None:
        ours = current.attempt(attempt.attempt_id)
        return ours and answers.after_answer(current, ours, answer, policy, now)

    after, step = await write(case, decide)
    settled = after.attempt(attempt.attempt_id) or attempt
    if step is not None:
        await _count(context, after.payment, settled, now)
    connector = context.connectors.get(attempt.connector)
    if not approvals.is_surplus_hold(after, settled, answer) or not isinstance(
        connector, CompletesAuthorisations
    ):
        return settled
    # If the bank does not answer, the next inquiry voids it again.
    given_back = await connector.void(attempt.reference)
    return (
        await settle(case.with_view(after), settled, given_back)
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
