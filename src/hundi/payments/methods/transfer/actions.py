"""The actions of transfers and cash: give the customer an account number or a voucher.

`payments.attempts` records the money that comes in, as for every other attempt.
"""

from datetime import timedelta

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.payments import IssuesVouchers, ReceivesTransfers, SimulatesCounters
from hundi.acquirers.port.transfers import VirtualAccount, Voucher
from hundi.instruments.methods import CASH, REMIT, RTGS, TRANSFERS, Channel
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import Actor, EventKind
from hundi.payments.attempts import actions as attempts
from hundi.payments.attempts.actions import Choice
from hundi.payments.attempts.rules import may_start, switched_off
from hundi.payments.orders.actions import PaymentCase, PaymentContext, new_attempt, route, write
from hundi.payments.orders.rules import Attempt, Payment, PaymentView, Step

LIFE = {
    TRANSFERS.code: timedelta(days=3),
    RTGS.code: timedelta(days=3),
    REMIT.code: timedelta(days=7),
    CASH.code: timedelta(days=2),
}
"""How long money is awaited, by channel (docs/spec/payment-interfaces.md#limits).

The time covers a weekend; a slip needs a visit to a branch and its clearing on working days.
"""


async def offer_account(case: PaymentCase, channel: Channel) -> Attempt:
    """Return the waiting account number of a channel: the one on offer, else a new one.

    The order can be paid as long as the account waits. case: what `attempts.payable` returned.
    Raises Refused: STATE_FORBIDS, ORDER_ALREADY_PAID, CHANNEL_NOT_ENABLED, RISK_BLOCKED.
    """
    _, account = await _offer(case, channel)
    return account


async def offer_voucher(case: PaymentCase, channel: Channel) -> Attempt:
    """Return the voucher that waits for cash: the one on offer, else a new one.

    If the network does not answer, the voucher has no number yet: another request gets the same
    voucher. The order can be paid as long as an issued voucher waits. Raises Refused: as
    `offer_account`.
    """
    case, attempt = await _offer(case, channel)
    connector = case.context.connectors.get(attempt.connector)
    if attempt.voucher or not isinstance(connector, IssuesVouchers):
        return attempt
    answer = await connector.issue_voucher(
        attempts.charge_of(attempt), payee_name=case.merchant.name, expires_at=attempt.expires_at
    )
    if isinstance(answer, Unknown):
        return attempt
    if not isinstance(answer, Voucher):
        return await attempts.settle(case, attempt, answer)

    def decide(current: PaymentView) -> Step | None:
        ours = current.attempt(attempt.attempt_id)
        if ours is None or ours.voucher or not ours.awaits_money:
            return None
        issued = replace(ours, voucher=answer.number)
        return Step(
            EventKind.VOUCHER_ISSUED, Actor.BANK, _waiting_for(current.payment, issued), issued
        )

    after, _ = await write(case, decide)
    return after.attempt(attempt.attempt_id) or attempt


async def _offer(case: PaymentCase, channel: Channel) -> tuple[PaymentCase, Attempt]:
    """Return the payment with its waiting account number or voucher of a channel, or a new one."""
    merchant, view, now = case.merchant, case.view, case.now
    code, method, most = channel.code, channel.method.name, merchant.settings.attempts_an_hour
    attempts.raise_if(
        may_start(view, code, most, now) or switched_off(merchant, view.payment, code)
    )
    standing = view.awaiting(method)
    if standing is not None:
        return case, standing
    attempt_route = await route(case, (channel.method,))
    if attempt_route.first is None:
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="chmod", received=code)
    connector = attempt_route.first.connector
    record = await attempts.check_risk(case, Choice(method), connector)

    def decide(current: PaymentView) -> Step | None:
        attempts.raise_if(may_start(current, code, most, now))
        if current.awaiting(method) is not None:
            return None
        started = new_attempt(current.payment, method, connector, LIFE[code], now)
        started = replace(started, risk=record, route=attempt_route.routed)
        payment = current.payment if channel is CASH else _waiting_for(current.payment, started)
        return Step(EventKind.ATTEMPT_STARTED, Actor.CUSTOMER, payment, started, new_attempt=True)

    after, _ = await write(case, decide)
    offered = after.awaiting(method)
    if offered is None:
        raise refuse(RefusalCode.STATE_FORBIDS)
    return case.with_view(after), offered


def _waiting_for(payment: Payment, attempt: Attempt) -> Payment:
    return replace(payment, expires_at=max(payment.expires_at, attempt.expires_at))


def account_of(context: PaymentContext, attempt: Attempt) -> VirtualAccount | None:
    """Return an attempt's account number, None when its connector receives no transfers now."""
    connector = context.connectors.get(attempt.connector)
    if not isinstance(connector, ReceivesTransfers):
        return None
    return connector.account_for(attempts.charge_of(attempt), method=attempt.method)


def counter_link(context: PaymentContext, attempt: Attempt) -> str:
    """Return the address of the simulated counter for a voucher's cash, "" where there is none."""
    connector = context.connectors.get(attempt.connector)
    if not attempt.voucher or not isinstance(connector, SimulatesCounters):
        return ""
    return connector.counter_link(attempt.voucher, attempt.amount)
