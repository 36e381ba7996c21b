"""The action of bank transfers: give the customer an account number of the order.

What comes in there is recorded with every other attempt, in `payments.attempts`.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from hundi.acquirers.port import ReceivesTransfers
from hundi.acquirers.transfers import VirtualAccount
from hundi.instruments.methods import TRANSFERS, VIRTUAL_ACCOUNT
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import Actor, EventKind
from hundi.merchants.directory.rules import Merchant
from hundi.payments.attempts import actions as attempts
from hundi.payments.attempts.actions import Choice
from hundi.payments.attempts.rules import may_start, switched_off
from hundi.payments.orders.actions import PaymentContext, new_attempt, write
from hundi.payments.orders.rules import Attempt, PaymentView, Step
from hundi.payments.risk.actions import NOBODY, Payer

ACCOUNT_LIFE = timedelta(days=3)
"""How long a transfer is awaited (docs/spec/payment-interfaces.md#limits): a weekend lies within."""


async def offer(
    context: PaymentContext, merchant: Merchant, payment_id: int, now: datetime, payer: Payer = NOBODY
) -> Attempt:
    """Return the account that waits for a transfer: the one on offer, else a new one.

    The order can be paid as long as the account waits.
    Raises Refused: NO_RECORDS, STATE_FORBIDS, ORDER_ALREADY_PAID, CHANNEL_NOT_ENABLED, RISK_BLOCKED.
    """
    found = await attempts.payable(context, merchant, payment_id)
    code, most = TRANSFERS.code, merchant.settings.attempts_an_hour
    attempts.raise_if(may_start(found, code, most, now) or switched_off(merchant, found.payment, code))
    if found.account is not None:
        return found.account
    connector = context.connectors.default_for(VIRTUAL_ACCOUNT.name)
    if connector is None:
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="chmod", received=code)
    choice = Choice(VIRTUAL_ACCOUNT.name, payer=payer)
    checked = await attempts.check_risk(context, found.payment, choice, connector, now)

    def decide(current: PaymentView) -> Step | None:
        attempts.raise_if(may_start(current, code, most, now))
        if current.account is not None:
            return None
        account = replace(
            new_attempt(current.payment, VIRTUAL_ACCOUNT.name, connector, ACCOUNT_LIFE, now), risk=checked
        )
        waits = replace(current.payment, expires_at=max(current.payment.expires_at, account.expires_at))
        return Step(EventKind.ATTEMPT_STARTED, Actor.CUSTOMER, waits, account, new_attempt=True)

    after = await write(context, merchant, found, decide, now)
    if after.account is None:
        raise refuse(RefusalCode.STATE_FORBIDS)
    return after.account


def account_of(context: PaymentContext, attempt: Attempt) -> VirtualAccount | None:
    """Return the account number of an attempt, None when its connector receives no transfers (any more)."""
    connector = context.connectors.get(attempt.connector)
    return connector.account_for(attempts.charge_of(attempt)) if isinstance(connector, ReceivesTransfers) else None
