"""Capabilities of acquirers that pay out to bank accounts and check these accounts.

A provider's webhooks about payouts and checks are `SendsTriggers` (`port.checkout`): each names our
references, and causes an inquiry about each.
"""

from dataclasses import dataclass
from datetime import datetime, time
from typing import Protocol, runtime_checkable

from hundi.acquirers.port.answers import (
    Approved,
    BankAccount,
    Declined,
    NothingThere,
    NotRegistered,
    RegisteredName,
    SentBack,
    Underway,
    Unknown,
)
from hundi.acquirers.port.payments import FIRST_GAP_S_MIN, InquirySchedule
from hundi.kernel.money import Money


class TakesNoPayments:
    """The base of a connector that pays out or checks accounts, and takes no payments."""

    inquiry_schedule = InquirySchedule((FIRST_GAP_S_MIN,))

    async def inquire(self, reference: str) -> NothingThere:  # noqa: ARG002 (the port's shape)
        """Return that there is no payment of this reference."""
        return NothingThere()


@dataclass(frozen=True, slots=True)
class RailTerms:
    """What a provider carries on one rail.

    rail: imps, neft or rtgs. least_paise, most_paise: of one payout; None for no limit. opens,
    closes: the hours in India in which it leaves; both midnight for the whole day. working_days:
    only on those of Indian banks.
    """

    rail: str
    least_paise: int = 1
    most_paise: int | None = None
    opens: time = time.min
    closes: time = time.min
    working_days: bool = False


@dataclass(frozen=True, slots=True)
class PayoutOrder:
    """A request for a payout.

    reference: our idempotency key, as `10001-P215000000000001`. A provider that forbids the hyphen
    gets another character in its place, and its connector puts the hyphen back. rail: imps, neft or
    rtgs. holder: as its bank has it. narration: for the account's statement; letters, digits and
    spaces, at most 30.
    """

    reference: str
    amount: Money
    rail: str
    account: BankAccount
    holder: str
    narration: str = ""


@runtime_checkable
class PaysOut(Protocol):
    """Pays out from our account.

    payout_rails: the rails it carries, the preferred one first. payout_gaps_s: when to ask about a
    payout whose outcome is open, in seconds from the inquiry before. returned_gaps_s: when to ask
    about one that ended, because it may still come back or be paid after all: the first from its
    end, each from the one before; together they reach past the last day on which that happens.
    Inquiries that webhooks cause use up none of them. payout_grace_s: how long after the call a
    payout that the provider does not find may still appear there; it is sent again after that.
    """

    payout_rails: tuple[RailTerms, ...]
    payout_gaps_s: tuple[int, ...]
    returned_gaps_s: tuple[int, ...]
    payout_grace_s: int

    async def pay_out(
        self, order: PayoutOrder
    ) -> Approved | Declined | SentBack | Underway | Unknown:
        """Pay out; the same reference again moves money once and says how the payout stands.

        `Approved.rrn` is the UTR: a payout that is paid and has none yet is `Underway`. `Declined`
        is `never_accepted` only where the provider refused the call, and has no such payout.
        """
        ...

    async def inquire_payout(
        self, reference: str
    ) -> Approved | Declined | SentBack | Underway | Unknown | NothingThere:
        """Return how a payout stands.

        Unknown when the provider cannot be reached or says nothing that can be read.
        """
        ...


@dataclass(frozen=True, slots=True)
class PayoutBalance:
    """The money that payouts can leave from. at: when the provider counted it, UTC."""

    available: Money
    at: datetime


@runtime_checkable
class TellsBalance(Protocol):
    """Knows the balance of the account that payouts leave from."""

    async def payout_balance(self) -> PayoutBalance | Unknown:
        """Return the balance."""
        ...


@runtime_checkable
class ChecksAccounts(Protocol):
    """Knows the holders of bank accounts, by a rupee paid in (penny drop) or without one.

    check_cost: what a check costs us where the answer does not say it, with tax and the rupee.
    """

    check_cost: Money

    async def check_account(
        self, reference: str, account: BankAccount, holder: str
    ) -> RegisteredName | NotRegistered | Unknown:
        """Return the holder's name at the account's bank.

        The same reference again costs nothing again. While a provider works on a check, the answer
        is Unknown; the gateway asks again by the same call, after a webhook at once. A check that
        failed for another reason than the account is Unknown, too.
        """
        ...
