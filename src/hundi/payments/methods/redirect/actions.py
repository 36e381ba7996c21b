"""The business verb of redirects: send a customer to a bank's or wallet's own page.

Nothing of the outcome comes back with the browser: the bank calls back, and is asked when it does not.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from hundi.acquirers.answers import Redirect, Unknown
from hundi.acquirers.mandates import MandateRequest
from hundi.acquirers.port import Connector, SendsToBanks
from hundi.acquirers.registry import Way
from hundi.instruments.methods import METHODS
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory.rules import Merchant
from hundi.payments.attempts import actions as attempts
from hundi.payments.attempts.actions import Choice
from hundi.payments.attempts.customers import customer_of
from hundi.payments.orders.actions import PaymentContext, route
from hundi.payments.orders.rules import Attempt
from hundi.payments.risk.actions import NOBODY, Payer

_CODE = re.compile(r"[A-Z]{4}(_C)?\Z")
REDIRECT_LIFE = timedelta(minutes=10)
"""How long a customer may take at the bank's page (docs/spec/payment-interfaces.md#limits)."""


async def start(  # noqa: PLR0913 (the world, the payment, and where its customer goes)
    context: PaymentContext,
    merchant: Merchant,
    payment_id: int,
    method: str,
    bank: str,
    return_url: Callable[[int], str],
    now: datetime,
    payer: Payer = NOBODY,
    *,
    mandate: MandateRequest | None = None,
) -> Redirect | Attempt:
    """Begin a payment at a bank, wallet or lender; return its page, or the attempt if it ended.

    bank: its code, one that the connector lists. return_url: gives, for the attempt's id, where the browser comes back.
    mandate: what is approved there beside the payment.
    Raises Refused: NO_RECORDS, STATE_FORBIDS, ORDER_ALREADY_PAID, CHANNEL_NOT_ENABLED, FIELD_INVALID,
    RISK_BLOCKED.
    """
    view = await attempts.payable(context, merchant, payment_id)
    ways = await route(context, view.payment, (METHODS[method],))
    if not ways:
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="chmod")
    connector, name = (_CODE.match(bank) and await _that_has(ways, method, bank)) or (None, "")
    if not isinstance(connector, SendsToBanks):
        raise refuse(RefusalCode.FIELD_INVALID, field="bank_code", received=bank[:16], allowed="a bank of the list")
    choice = Choice(method, bank=bank, bank_name=name, payer=payer)
    found, attempt = await attempts.begin(context, merchant, view, choice, connector, REDIRECT_LIFE, now)
    customer = customer_of(found.payment, payer)
    charge = replace(attempts.charge_of(attempt), mandate=mandate, payee_name=merchant.name, customer=customer)
    back = return_url(attempt.attempt_id)
    answer = await connector.start_redirect(charge, method=method, bank_code=bank, return_url=back)
    if isinstance(answer, Unknown):
        # Nobody can pay at a page whose address we do not have: the customer may try again.
        answer = replace(answer, sent=False)
    if not isinstance(answer, Redirect):
        return await attempts.settle(context, merchant, found, attempt, answer, now)
    return await attempts.begin_authentication(context, merchant, found, attempt, answer, now)


async def _that_has(ways: Sequence[Way], method: str, bank: str) -> tuple[Connector, str] | None:
    """Return the first acquirer that lists a bank, or does not say, with the bank's name there; None: none does."""
    for way in ways:
        known = await way.connector.banks() if isinstance(way.connector, SendsToBanks) else ()
        if isinstance(known, Unknown):
            return way.connector, ""
        for each in known:
            if (each.method, each.code) == (method, bank):
                return way.connector, each.name
    return None
