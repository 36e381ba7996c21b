"""Payments that our server begins at the other gateway.

Customers go straight to banks and challenges.

See docs/spec/payment-interfaces.md#seamless.
"""

import time
from collections.abc import Callable

import msgspec
from cachetools import TTLCache

from hundi.acquirers.calls.aggregators import RUPEES
from hundi.acquirers.calls.test_instruments import decline_test_card
from hundi.acquirers.gateway import rules
from hundi.acquirers.gateway.account import Account
from hundi.acquirers.gateway.connector import NO_RUPEES, USED, GatewayConnector, Terms
from hundi.acquirers.port.answers import Declined, Redirect, Unknown
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import BankEntry, Charge
from hundi.instruments.card import CardNumber
from hundi.sdk import payments, seamless
from hundi.sdk.errors import InvalidRequestError, RefusedError
from hundi.sdk.seamless import DirectPayment, NextStep

LIST_KEPT_S, SILENCE_KEPT_S = 600.0, 5.0
"""Seconds for which banks are kept, and without a request after a missing answer.

Each customer who looks at the banks needs them.
"""
PAGE_KEPT_MAX = 2_048
"""Characters of a value in the memory; a longer page is not shown again."""
_BANKS = "banks"


class SeamlessGateway(GatewayConnector):
    """An account that may begin payments from its own server.

    Customers go straight to the banks' pages.
    """

    def __init__(
        self,
        name: str,
        account: Account,
        terms: Terms,
        memory: Memory,
        *,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        """Keep the account; the first call opens a connection."""
        super().__init__(name, account, terms, memory, now_s=now_s)
        self._listed: TTLCache[str, tuple[BankEntry, ...]] = TTLCache(1, LIST_KEPT_S)
        self._silent: TTLCache[str, Unknown] = TTLCache(1, SILENCE_KEPT_S)

    async def banks(self) -> tuple[BankEntry, ...] | Unknown:
        """Return the banks, wallets and lenders of the other gateway.

        They seldom change.
        """
        lately = self._listed.get(_BANKS) or self._silent.get(_BANKS)
        if lately is not None:
            return lately
        answer = await self.account.ask(
            payments.open_banks(self.account.calls, tuple(rules.METHODS))
        )
        if isinstance(answer, RefusedError | InvalidRequestError | Unknown):
            answer = answer if isinstance(answer, Unknown) else rules.unanswered(answer)
            self._silent[_BANKS] = answer
            return answer
        self._listed[_BANKS] = entries = rules.entries(answer)
        return entries

    async def start_redirect(
        self,
        charge: Charge,
        *,
        method: str,
        bank_code: str,
        return_url: str,  # noqa: ARG002 (there is one address for all customers: `read_return`)
    ) -> Redirect | Declined | Unknown:
        """Return the bank's page.

        The browser comes back by the other gateway's page and `read_return`.
        """
        channel = rules.CHANNELS.get(method)
        if channel is None or charge.amount.currency != RUPEES:
            return Declined("HUNDI-METHOD", "The other gateway sends nobody there.")
        if not await self.remember(charge, f"{channel}-{bank_code}"):
            return USED
        payment = DirectPayment(
            order=self.order(charge),
            pay_by=channel,
            bank_code=bank_code,
            customer_ip=charge.customer.address,
            customer_agent=charge.customer.user_agent,
        )
        return await self._begun(charge, payment)

    async def _begun(self, charge: Charge, payment: DirectPayment) -> Redirect | Declined | Unknown:
        """Begin a payment, and return its page; a repeat returns the same page."""
        words = await self.memory.known(charge.reference)
        if "page" in words:
            return msgspec.json.decode(words["page"], type=Redirect)
        steps = seamless.begin(self.account.calls, payment)
        answer = await self.account.ask(steps, repeatable=False, waits_for_bank=True)
        if not isinstance(answer, NextStep):
            return answer if isinstance(answer, Unknown) else rules.refused(answer)
        page = rules.next_page(answer, charge.reference, charge.amount, self.terms.bank_origins)
        page_json = msgspec.json.encode(page).decode() if isinstance(page, Redirect) else ""
        if 0 < len(page_json) <= PAGE_KEPT_MAX:
            await self.memory.keep(charge.reference, {"page": page_json})
        return page


class SeamlessCardsGateway(SeamlessGateway):
    """An account that may also send typed cards."""

    async def charge_card(
        self,
        charge: Charge,
        card: CardNumber,
        *,
        return_url: str,  # noqa: ARG002 (as above)
        capture: bool,
    ) -> Redirect | Declined | Unknown:
        """Send the card and return the address of its challenge."""
        declined = None if self.simulated else decline_test_card(card.number)
        if declined is not None:
            return declined
        if charge.amount.currency != RUPEES:
            return NO_RUPEES
        if not await self.remember(charge, "card", hold=not capture):
            return USED
        payment = DirectPayment(
            order=self.order(charge, hold=not capture),
            pay_by="pg",
            card=rules.card(card),
            customer_ip=charge.customer.address,
            customer_agent=charge.customer.user_agent,
        )
        return await self._begun(charge, payment)
