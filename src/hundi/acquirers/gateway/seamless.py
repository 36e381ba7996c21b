"""Payments that our server begins at the other gateway: customers go straight to banks and challenges.

See docs/spec/payment-interfaces.md#seamless.
"""

import msgspec

from hundi.acquirers.aggregators import RUPEES
from hundi.acquirers.answers import Declined, Redirect, Unknown
from hundi.acquirers.gateway import rules
from hundi.acquirers.gateway.connector import NO_RUPEES, USED, GatewayConnector
from hundi.acquirers.port import BankEntry, Charge
from hundi.acquirers.rules import decline_test_card
from hundi.instruments.card import CardNumber
from hundi.sdk import banks, seamless
from hundi.sdk.errors import InvalidRequestError, RefusedError
from hundi.sdk.seamless import DirectPayment, NextStep

PAGE_KEPT_MAX = 2_048
"""What a word in the memory holds; a longer page is not shown again."""


class SeamlessGateway(GatewayConnector):
    """An account that may begin payments from its own server: customers go straight to the banks' pages."""

    async def banks(self) -> tuple[BankEntry, ...] | Unknown:
        """Return the banks, wallets and lenders that the other gateway offers us."""
        said = await self.account.ask(banks.banks(self.account.calls, tuple(rules.METHODS)))
        if isinstance(said, RefusedError | InvalidRequestError):
            return rules.unanswered(said)
        return said if isinstance(said, Unknown) else rules.entries(said)

    async def start_redirect(
        self,
        charge: Charge,
        *,
        method: str,
        bank_code: str,
        return_url: str,  # noqa: ARG002 (there is one address for all customers: `read_return`)
    ) -> Redirect | Declined | Unknown:
        """Return the bank's page; the browser comes back by the other gateway's page and `read_return`."""
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
        """Begin a payment, and return the page of it; the same one when it is asked for again."""
        words = await self.memory.known(charge.reference)
        if "page" in words:
            return msgspec.json.decode(words["page"], type=Redirect)
        steps = seamless.begin(self.account.calls, payment)
        said = await self.account.ask(steps, repeatable=False, waits_for_bank=True)
        if not isinstance(said, NextStep):
            return said if isinstance(said, Unknown) else rules.refused(said)
        page = rules.next_page(said, charge.reference, charge.amount, self.terms.bank_origins)
        kept = msgspec.json.encode(page).decode() if isinstance(page, Redirect) else ""
        if 0 < len(kept) <= PAGE_KEPT_MAX:
            await self.memory.keep(charge.reference, {"page": kept})
        return page


class SeamlessCardsGateway(SeamlessGateway):
    """Beside it, an account that may hand over typed cards."""

    async def charge_card(
        self,
        charge: Charge,
        card: CardNumber,
        *,
        return_url: str,  # noqa: ARG002 (as above)
        capture: bool,
    ) -> Redirect | Declined | Unknown:
        """Hand the card over and return where its holder is challenged."""
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
