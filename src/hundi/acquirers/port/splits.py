"""Capabilities of acquirers that settle shares of a payment to linked accounts themselves.

A webhook about a share or a reversal is `SendsTriggers` (`port.checkout`): it names our references,
and causes an inquiry about each.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.payments import RefundOrder, Refunds
from hundi.kernel.masking import mask_fields
from hundi.kernel.money import Money


class PartyState(StrEnum):
    """How a linked account stands at an acquirer."""

    PENDING = "pending"
    """The acquirer checks it, or waits for particulars."""
    ACTIVE = "active"
    """It gets shares; the acquirer has verified its bank account."""
    SUSPENDED = "suspended"
    """The acquirer gives it nothing, until it says otherwise."""
    CLOSED = "closed"
    """It gets nothing any more."""


@dataclass(frozen=True, slots=True)
class PartyStanding:
    """An acquirer's word about a party. message: what it waits for, for people."""

    state: PartyState
    message: str = ""

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in the acquirer's words."""
        mask_fields(self, "message")


@dataclass(frozen=True, slots=True)
class ShareOrder:
    """A request to give a part of a payment to a party.

    reference: ours, as `10001-S215000000000001`. original: our reference of the payment's attempt.
    party: the acquirer's name of the linked account.
    """

    reference: str
    original: str
    party: str
    amount: Money


@dataclass(frozen=True, slots=True)
class ShareMade:
    """A share that the party has been given.

    name: the acquirer's number of it, "" where it has none. utr: of the transfer to the party's
    bank account, "" while it is not settled.
    """

    amount: Money
    name: str = ""
    utr: str = ""


@dataclass(frozen=True, slots=True)
class ReversalOrder:
    """A request to take a part of a share back, after a refund of its payment.

    reference: ours, as `10001-B215000000000002`. share: the share that was made. name: the
    acquirer's number of the share. refund: our reference of the refund that carries it, "" where
    it is a call of its own.
    """

    reference: str
    share: ShareOrder
    name: str
    amount: Money
    refund: str = ""


@runtime_checkable
class SplitsSettlement(Protocol):
    """Gives parts of payments to parties, which it settles to their bank accounts.

    After refunds it takes parts back, by calls of their own (`ReversesShares`) or with the refund
    (`RefundsShares`): a connector has one of the two.

    share_gaps_s: when to ask about a share or a reversal whose outcome is open, in seconds from the
    inquiry before. settled_gaps_s: when to ask whether a share is settled to the party.
    share_grace_s: how long after the call one that the acquirer does not find may still appear; it
    is sent again after that. The acquirer may take no key: a connector puts the reference into the
    call, so that inquiries find what it made.
    """

    share_gaps_s: tuple[int, ...]
    settled_gaps_s: tuple[int, ...]
    share_grace_s: int

    async def inquire_party(self, party: str) -> PartyStanding | NothingThere | Unknown:
        """Return how a party stands."""
        ...

    async def give_share(self, order: ShareOrder) -> ShareMade | Declined | Unknown:
        """Give a share. Declined only where nothing was given, and nothing can be any more."""
        ...

    async def inquire_share(
        self, order: ShareOrder
    ) -> ShareMade | Declined | Unknown | NothingThere:
        """Return how a share stands; its amount is what was given, without reversals."""
        ...

    async def inquire_reversal(
        self, order: ReversalOrder
    ) -> Approved | Declined | Unknown | NothingThere:
        """Return how a reversal stands."""
        ...


@runtime_checkable
class ReversesShares(Protocol):
    """Takes a part of a share back by a call of its own, once the refund is done."""

    async def reverse_share(self, order: ReversalOrder) -> Approved | Declined | Unknown:
        """Take a part of a share back. Declined where the party's balance is short."""
        ...


@runtime_checkable
class RefundsShares(Refunds, Protocol):
    """Takes parts of shares back with the refund, and in no other way."""

    async def refund_with_shares(
        self, order: RefundOrder, reversals: tuple[ReversalOrder, ...]
    ) -> Approved | Declined | Unknown:
        """Refund an amount, of which parties bear parts, as `Refunds.refund` does.

        reversals: one for each party that bears a part; together they are no more than the refund.
        The same reference again has the same parts.
        """
        ...
