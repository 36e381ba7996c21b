"""Net banking and wallets at aggregators with a page of their own: one bank's page for a charge."""

from collections.abc import Mapping
from dataclasses import dataclass

from hundi.acquirers.calls.pages import METHOD_CODE, PageAggregator, PageVisit
from hundi.acquirers.port.answers import Declined, Redirect, Unknown
from hundi.acquirers.port.payments import BankEntry, Charge

BANK_PAGE_LIFE_S = 600
"""Seconds that a customer may take at a bank's page (docs/spec/payment-interfaces.md#limits)."""


ANY_BANK = "ANYB"
"""Our code of a choice that the customer makes on the acquirer's page; no bank has this one."""
_ALL = {"netbanking": "All banks", "wallet": "All wallets", "pay_later": "All lenders"}


@dataclass(frozen=True, slots=True)
class BankTable:
    """The banks and wallets of an acquirer.

    codes: the acquirer's own code of each entry, by method and our code.
    """

    entries: tuple[BankEntry, ...]
    codes: Mapping[tuple[str, str], str]

    def only(self, wanted: tuple[str, ...]) -> "BankTable":
        """Return the banks and wallets of our codes; all of them if none is wanted."""
        entries = tuple(each for each in self.entries if not wanted or each.code in wanted)
        return BankTable(entries, self.codes)

    def unknown(self, wanted: tuple[str, ...]) -> list[str]:
        """Return the wanted codes that this acquirer does not have."""
        return sorted(set(wanted) - {each.code for each in self.entries})


def bank_table(**lists: str) -> BankTable:
    """Return a table, from a list for each method: our code, the acquirer's, the name to show."""
    rows = [
        (BankEntry(method, ours, shown), theirs)
        for method, text in lists.items()
        for ours, theirs, shown in (line.split(" ", 2) for line in text.strip().splitlines())
    ]
    codes = {(entry.method, entry.code): theirs for entry, theirs in rows}
    return BankTable(tuple(entry for entry, _ in rows), codes)


def any_bank(acquirer: str, **modes: str) -> BankTable:
    """Return a table for an acquirer on whose page the customer chooses the bank or wallet.

    modes: by method, the acquirer's word for all of its banks or wallets.
    """
    lists = {
        method: f"{ANY_BANK} {mode} {_ALL[method]}, on {acquirer}'s page"
        for method, mode in modes.items()
    }
    return bank_table(**lists)


class BankPageAggregator(PageAggregator):
    """An aggregator that takes a customer to the page of one bank or wallet as well.

    bank_table: what it has.
    """

    bank_table: BankTable

    @property
    def redirect_origins(self) -> tuple[str, ...]:
        """Return where customers are sent first: the acquirer's own page."""
        return self.checkout_origins

    async def banks(self) -> tuple[BankEntry, ...] | Unknown:
        """Return the banks and wallets that customers can be sent to."""
        return self.bank_table.entries

    async def start_redirect(
        self, charge: Charge, *, method: str, bank_code: str, return_url: str
    ) -> Redirect | Declined | Unknown:
        """Return the acquirer's page with one bank or wallet only; a repeat returns the same."""
        offered = {(each.method, each.code) for each in self.bank_table.entries}
        if (method, bank_code) not in offered:
            return Declined(METHOD_CODE, f"{self.acquirer} does not offer this bank.")
        bank = self.bank_table.codes[method, bank_code]
        life_s = max(BANK_PAGE_LIFE_S, self.page_life_s_min)
        visit = PageVisit(method, return_url, life_s, bank=bank)
        return await self._visit(charge, visit, f"{method} {bank_code}")
