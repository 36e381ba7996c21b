"""The action of redirects: send a customer to a bank's or wallet's own page.

The browser brings back no result: the bank calls back, or the inquiries ask it.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from datetime import timedelta

from hundi.acquirers.port.answers import Redirect, Unknown
from hundi.acquirers.port.mandates import MandateRequest
from hundi.acquirers.port.payments import SendsToBanks
from hundi.acquirers.registry import Way
from hundi.instruments.methods import METHODS
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.attempts import actions as attempts
from hundi.payments.attempts.actions import Choice
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.attempts.failover.actions import Answer, FailoverTry, in_turn
from hundi.payments.orders.actions import PaymentCase, route
from hundi.payments.orders.channels.rules import needs_of
from hundi.payments.orders.rules import Attempt, PaymentView
from hundi.payments.routing.actions import able
from hundi.payments.routing.rules import RoutingCase

_CODE = re.compile(r"[A-Z]{4}(_C)?\Z")
REDIRECT_LIFE = timedelta(minutes=10)
"""How long a customer may take at the bank's page (docs/spec/payment-interfaces.md#limits)."""


async def start(
    case: PaymentCase,
    method: str,
    bank: str,
    return_url: Callable[[int], str],
    *,
    mandate: MandateRequest | None = None,
) -> Redirect | Attempt:
    """Begin a payment at a bank, wallet or lender; return its page, or the attempt if it ended.

    case: what `attempts.payable` returned. bank: a code from the connector's list. return_url:
    returns, for the attempt's id, where the browser comes back. mandate: what is approved there
    beside the payment. Raises Refused: STATE_FORBIDS, ORDER_ALREADY_PAID, CHANNEL_NOT_ENABLED,
    FIELD_INVALID, RISK_BLOCKED.
    """
    ways = able(
        case.context.connectors,
        RoutingCase(case.merchant.merchant_id, needs_of(case.payment)),
        (METHODS[method],),
    )
    if not ways:
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="chmod")
    names = await _names(ways, method, bank) if _CODE.match(bank) else {}
    cannot = {
        each.connector.name: "it does not list the bank"
        for each in ways
        if each.connector.name not in names
    }
    attempt_route = await route(case, (METHODS[method],), bank=bank, cannot=cannot)
    if attempt_route.first is None:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="bank_code",
            received=bank[:16],
            allowed="a bank of the list",
        )

    def choice_at(way: Way) -> Choice:
        return Choice(method, bank=bank, bank_name=names[way.connector.name])

    async def ask(_: PaymentView, attempt: Attempt, way: Way) -> Answer:
        assert isinstance(way.connector, SendsToBanks), "what its method needs"
        charge = replace(
            attempts.charge_of(attempt),
            mandate=mandate,
            payee_name=case.merchant.name,
            customer=attempts.customer_of(case),
        )
        back = return_url(attempt.attempt_id)
        return await way.connector.start_redirect(
            charge, method=method, bank_code=bank, return_url=back
        )

    customer_try = FailoverTry(choice_at, ask, REDIRECT_LIFE)
    after, attempt, answer = await in_turn(case, attempt_route, customer_try)
    if isinstance(answer, Unknown):
        # Nobody can pay at a page without its address: the customer may try again.
        answer = replace(answer, sent=False)
    if not isinstance(answer, Redirect):
        return await attempts.settle(after, attempt, answer)
    return await authentication.begin_authentication(after, attempt, answer)


async def _names(ways: Sequence[Way], method: str, bank: str) -> dict[str, str]:
    """Return each acquirer's code for a bank, by acquirer.

    "" where it gives none; acquirers without the bank are absent.
    """
    connectors = [way.connector for way in ways]
    # Concurrently: slow acquirers cost their wait once.
    lists = await asyncio.gather(
        *(each.banks() for each in connectors if isinstance(each, SendsToBanks))
    )
    names: dict[str, str] = {}
    for connector, banks in zip(connectors, lists, strict=True):
        if isinstance(banks, Unknown):
            names[connector.name] = ""
            continue
        name = next(
            (each.name for each in banks if (each.method, each.code) == (method, bank)), None
        )
        if name is not None:
            names[connector.name] = name
    return names
