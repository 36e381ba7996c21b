"""An acquirer that settles shares, takes no key, and says what the test tells it to."""

import asyncio
from collections import deque
from dataclasses import dataclass, field

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.payments import RefundOrder
from hundi.acquirers.port.splits import (
    PartyStanding,
    PartyState,
    ReversalOrder,
    ShareMade,
    ShareOrder,
)
from tests.acquirer import Answer, ScriptedAcquirer

ACTIVE = PartyStanding(PartyState.ACTIVE)


@dataclass
class SharingAcquirer(ScriptedAcquirer):
    """Keeps every share and reversal that it is sent: a repeat is a second one.

    lost: how many of the next calls are worked on, and not answered. refusals: what the next calls
    are answered in place of being worked on. is_silent: about shares it is asked in vain.
    """

    share_gaps_s: tuple[int, ...] = (3, 5, 10)
    settled_gaps_s: tuple[int, ...] = (60, 600)
    share_grace_s: int = 60
    standing: PartyStanding | NothingThere | Unknown = ACTIVE
    given: list[ShareOrder] = field(default_factory=list)
    taken_back: list[ReversalOrder] = field(default_factory=list)
    refusals: deque[Declined | Unknown] = field(default_factory=deque)
    lost: int = 0
    is_silent: bool = False
    utr: str = ""

    async def inquire_party(self, party: str) -> PartyStanding | NothingThere | Unknown:
        self.calls.append(("inquire_party", party))
        await asyncio.sleep(0)
        return self.standing

    async def give_share(self, order: ShareOrder) -> ShareMade | Declined | Unknown:
        self.calls.append(("give_share", order.reference))
        if self.refusals:
            return self.refusals.popleft()
        self.given.append(order)
        await asyncio.sleep(0)
        if self.lost:
            self.lost -= 1
            return Unknown(message="no answer")
        return ShareMade(order.amount, f"trf_{len(self.given)}", self.utr)

    async def inquire_share(
        self, order: ShareOrder
    ) -> ShareMade | Declined | Unknown | NothingThere:
        self.calls.append(("inquire_share", order.reference))
        await asyncio.sleep(0)
        if self.is_silent:
            return Unknown(message="no answer")
        made = [each for each in self.given if each.reference == order.reference]
        return ShareMade(made[0].amount, "trf_1", self.utr) if made else NothingThere()


@dataclass
class SplittingAcquirer(SharingAcquirer):
    """Takes parts back by calls of their own."""

    async def reverse_share(self, order: ReversalOrder) -> Approved | Declined | Unknown:
        self.calls.append(("reverse_share", order.reference))
        if self.refusals:
            return self.refusals.popleft()
        self.taken_back.append(order)
        await asyncio.sleep(0)
        if self.lost:
            self.lost -= 1
            return Unknown(message="no answer")
        return Approved(order.amount, "rvrsl_1")

    async def inquire_reversal(
        self, order: ReversalOrder
    ) -> Approved | Declined | Unknown | NothingThere:
        self.calls.append(("inquire_reversal", order.reference))
        await asyncio.sleep(0)
        made = [each for each in self.taken_back if each.reference == order.reference]
        return Approved(made[0].amount, "rvrsl_1") if made else NothingThere()


@dataclass
class CarryingAcquirer(SharingAcquirer):
    """Takes parts back with refunds: the same refund again must have the same parts."""

    carried: dict[str, tuple[ReversalOrder, ...]] = field(default_factory=dict)

    async def refund_with_shares(
        self, order: RefundOrder, reversals: tuple[ReversalOrder, ...]
    ) -> Approved | Declined | Unknown:
        answer = await self.refund(order)
        if order.reference in self.given_back:
            before = self.carried.setdefault(order.reference, reversals)
            assert before == reversals, "the same refund with other parts"
        await asyncio.sleep(0)
        if self.lost:
            self.lost -= 1
            return Unknown(message="no answer")
        return answer

    async def inquire_refund(self, reference: str) -> Answer:
        self.calls.append(("inquire_refund", reference))
        await asyncio.sleep(0)
        made = self.given_back.get(reference)
        return Approved(made.amount, "632512349999") if made else NothingThere()

    async def inquire_reversal(
        self, order: ReversalOrder
    ) -> Approved | Declined | Unknown | NothingThere:
        self.calls.append(("inquire_reversal", order.reference))
        await asyncio.sleep(0)
        taken = [
            each
            for each in self.carried.get(order.refund, ())
            if each.share.party == order.share.party
        ]
        return Approved(taken[0].amount, "") if taken else NothingThere()

    @property
    def borne(self) -> list[tuple[str, int]]:
        """Return (party, paise) of what refunds took, in order."""
        return [
            (each.share.party, each.amount.paise)
            for parts in self.carried.values()
            for each in parts
        ]
