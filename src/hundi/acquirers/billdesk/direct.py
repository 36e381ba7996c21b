"""Net banking and UPI at BillDesk by call: only after its answers were seen in the UAT.

No page prints what `transactions/create` answers; see docs/billdesk.md.
"""

from hundi.acquirers.billdesk import rules
from hundi.acquirers.billdesk.answers import BillDeskAnswer
from hundi.acquirers.billdesk.connector import BillDeskConnector
from hundi.acquirers.calls.banks import BankPageAggregator, BankTable
from hundi.acquirers.calls.pages import PageVisit
from hundi.acquirers.port.answers import Declined, Redirect, Unknown
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.payments import Charge

UPI_LINK_FIELDS = {"payment_method_type": "upi", "txn_process_type": "intent"}


class BillDeskBanksConnector(BankPageAggregator, BillDeskConnector):
    """An account whose net banking by call was certified. bank_table: banks and BillDesk's ids."""

    bank_table = BankTable((), {})

    async def _open_page(self, charge: Charge, visit: PageVisit) -> Redirect | Declined | Unknown:
        """Begin a transaction at a bank, and return what the browser posts to its page."""
        if not visit.bank:
            return await super()._open_page(charge, visit)
        answer = await self._begin_transaction(
            charge,
            visit.return_url,
            payment_method_type="netbanking",
            txn_process_type="nb",
            bankid=visit.bank,
        )
        if isinstance(answer, Unknown):
            return answer
        return rules.bank_page(answer, charge, self._mercid, self.checkout_origins)

    async def _begin_transaction(
        self, charge: Charge, return_url: str, **method: str
    ) -> BillDeskAnswer | Unknown:
        trace = rules.trace("transaction", charge.reference)
        body = {**self._order(charge, return_url), **method}
        return await self._ask("/transactions/create", body, trace=trace)


class BillDeskDirectConnector(BillDeskBanksConnector):
    """An account whose UPI intents were certified as well.

    upi_bank_id: BillDesk's id of the bank for UPI. callback_url: the address for webhooks; BillDesk
    requires a return address even for a link.
    """

    upi_bank_id = callback_url = ""

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link of a UPI intent; BillDesk does not say when it ends."""
        if refused := await self._begin(charge, "upi", expires_in_s):
            return refused
        fields = {**UPI_LINK_FIELDS, "bankid": self.upi_bank_id}
        answer = await self._begin_transaction(charge, self.callback_url, **fields)
        url = answer if isinstance(answer, Unknown) else rules.upi_url(answer, charge.amount)
        return self._link(url, expires_in_s)
