"""Capabilities of acquirers that pay out to bank accounts and check these accounts."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hundi.acquirers.port.answers import (
    Approved,
    BankAccount,
    Declined,
    NothingThere,
    NotRegistered,
    RegisteredName,
    SentBack,
    Unknown,
)
from hundi.kernel.money import Money


@dataclass(frozen=True, slots=True)
class PayoutOrder:
    """A request for a payout; reference is our idempotency key.

    rail: imps, neft or rtgs. holder: as its bank has it.
    """

    reference: str
    amount: Money
    rail: str
    account: BankAccount
    holder: str


@runtime_checkable
class PaysOut(Protocol):
    """Pays out from our account.

    payout_gaps_s: when to ask about a payout whose outcome is open, in seconds from the inquiry
    before. returned_gaps_s: when to ask about one that is done, because it may still come back.
    """

    payout_gaps_s: tuple[int, ...]
    returned_gaps_s: tuple[int, ...]

    async def pay_out(self, order: PayoutOrder) -> Approved | Declined | Unknown:
        """Pay out; the same reference again moves money once. `Approved.rrn` is the UTR."""
        ...

    async def inquire_payout(
        self, reference: str
    ) -> Approved | Declined | SentBack | Unknown | NothingThere:
        """Return the bank's state of a payout.

        Unknown when it cannot be reached or has not decided.
        """
        ...


@runtime_checkable
class ChecksAccounts(Protocol):
    """Knows the holders of bank accounts (penny drop): one rupee is paid in, at our own cost."""

    async def check_account(
        self, reference: str, account: BankAccount, holder: str
    ) -> RegisteredName | NotRegistered | Unknown:
        """Return the holder's name at the account's bank.

        The same reference again pays the rupee once.
        """
        ...
