"""The acquirer's calls about money that leaves or is disputed: payouts, accounts, disputes."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

import msgspec

from hundi.acquirers.port.answers import (
    Accepted,
    Approved,
    BankAccount,
    Declined,
    NothingThere,
    NotRegistered,
    RegisteredName,
    SentBack,
    Unknown,
)
from hundi.acquirers.port.disputes import (
    DisputeAnswer,
    DisputePage,
    DisputeWord,
    EvidenceFile,
    PhaseName,
)
from hundi.acquirers.port.payouts import PayoutOrder
from hundi.acquirers.sandbox import rules
from hundi.kernel.states import DisputePhase
from hundi_testbed.bank.disputes.messages import DisputeBody
from hundi_testbed.simulation.bank import SimulatedBank

Said = TypeVar("Said")
SIGNATURE = "simulated-signature"
PROOF = "genuine"


class AcquirerMoney(ABC):
    """The calls about payouts and disputes."""

    payout_gaps_s = (3, 3, 5, 10, 20, 60, 300, 1_800)
    returned_gaps_s = (60, 3_600, 7_200, 43_200, 86_400)
    dispute_gaps_s = (5, 30, 300, 1_800)
    _bank: SimulatedBank

    @abstractmethod
    async def _call(self, name: str, about: str, ask: Callable[[], Said]) -> Said | Unknown:
        """Ask the bank, or lose question or answer on the way."""

    async def _ask(
        self, name: str, about: str, ask: Callable[[], msgspec.Struct]
    ) -> rules.BankAnswer | Unknown:
        """Ask the bank, and read its message as the connector of the running bank does."""
        message = await self._call(name, about, ask)
        if isinstance(message, Unknown):
            return message
        word = rules.read_word(msgspec.json.encode(message))
        assert word is not None, message
        return word

    async def pay_out(self, order: PayoutOrder) -> Approved | Declined | Unknown:
        """Pay out of our account."""
        word = await self._ask(
            "pay out", order.reference, lambda: self._bank.payouts.pay_out(order)
        )
        return word if isinstance(word, Unknown) else rules.moved_outcome(word, order.amount)

    async def inquire_payout(
        self, reference: str
    ) -> Approved | Declined | SentBack | Unknown | NothingThere:
        """Return the bank's record of a payout."""
        word = await self._ask(
            "inquire payout", reference, lambda: self._bank.payouts.outcome(reference)
        )
        return word if isinstance(word, Unknown) else rules.payout_outcome(word)

    async def check_account(
        self, reference: str, account: BankAccount, holder: str
    ) -> RegisteredName | NotRegistered | Unknown:
        """Return an account's holder."""
        del holder
        word = await self._ask(
            "check account", reference, lambda: self._bank.payouts.check(account)
        )
        return word if isinstance(word, Unknown) else rules.address_outcome(word)

    async def disputes(self, since: datetime, after: str = "") -> DisputePage | Unknown:
        """Return a page of disputes."""
        return await self._call("list disputes", "", lambda: self._bank.disputes.page(since, after))

    async def inquire_dispute(self, name: PhaseName) -> DisputeWord | NothingThere | Unknown:
        """Return the state of one phase."""
        return await self._call(
            "inquire dispute", name.case, lambda: self._bank.disputes.inquire(name)
        )

    async def send_evidence(
        self, name: PhaseName, evidence: EvidenceFile
    ) -> Accepted | Declined | Unknown:
        """Accept a document, and store nothing of it."""
        del evidence
        return await self._call("send evidence", name.case, Accepted)

    async def answer_dispute(self, answer: DisputeAnswer) -> DisputeWord | Declined | Unknown:
        """Send the merchant's answer."""
        return await self._call(
            "answer dispute", answer.name.case, lambda: self._bank.disputes.answer(answer)
        )

    def read_dispute(
        self, headers: dict[str, str], body: bytes, *, now_s: int
    ) -> tuple[PhaseName, str] | None:
        """Return the phase of a callback."""
        del now_s
        if headers.get(SIGNATURE) != PROOF:
            return None
        body_read = msgspec.json.decode(body, type=DisputeBody)
        phase = DisputePhase(body_read.phase)
        return PhaseName(body_read.dispute, phase), body_read.reference
