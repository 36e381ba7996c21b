"""The capabilities and messages of acquirers that report disputes.

An answer that an acquirer takes in its own dashboard alone is a capability that its connector does
not have.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from hundi.acquirers.port.answers import Accepted, Declined, NothingThere, Unknown
from hundi.kernel.masking import mask_fields
from hundi.kernel.money import Money
from hundi.kernel.states import DisputePhase


class Standing(StrEnum):
    """The standing of one phase of a dispute at the bank."""

    OPEN = "open"
    """It waits for the merchant's answer."""
    UNDER_REVIEW = "under_review"
    """It was answered, and is not decided."""
    WON = "won"
    """The merchant keeps the money."""
    LOST = "lost"
    """The bank took the money, or a part of it."""
    TAKING = "taking"
    """It is decided against the merchant, and the bank has not taken the money yet."""
    CLOSED = "closed"
    """It ended without a decision about money."""


DECIDED = frozenset({Standing.WON, Standing.LOST, Standing.CLOSED})


@dataclass(frozen=True, slots=True)
class PhaseName:
    """The bank's name of one phase of a dispute.

    case: its number, the same in every phase.
    """

    case: str
    phase: DisputePhase


@dataclass(frozen=True, slots=True)
class DisputeWord:
    """The bank's news of one phase of a dispute.

    original: our reference of the payment. receipt: the UTR or receipt number of a transfer or
    cash, "" for others. respond_by: until when an answer is taken, UTC; None where the bank does
    not say. taken_paise: what the bank took, in the payment's currency; rrn: of that movement.
    """

    name: PhaseName
    original: str
    standing: Standing
    amount: Money
    reason: str = ""
    respond_by: datetime | None = None
    receipt: str = ""
    taken_paise: int = 0
    rrn: str = ""

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in the bank's words."""
        mask_fields(self, "reason")


@dataclass(frozen=True, slots=True)
class DisputeAnswer:
    """A merchant's answer; reference is our idempotency key.

    accepted: what it gives up; the whole amount accepts the dispute, nothing contests it. note: its
    words for the bank.
    """

    name: PhaseName
    reference: str
    accepted: Money
    note: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """One document of an answer; reference is our idempotency key. Its content is never printed.

    note: the merchant's words for the bank, for acquirers that take them only with a document.
    """

    reference: str
    media_type: str
    content: bytes
    note: str = ""

    def __repr__(self) -> str:
        """Show the reference only: this value reaches tracebacks."""
        return f"EvidenceFile({self.reference})"


@dataclass(frozen=True, slots=True)
class DisputePage:
    """A page of the bank's disputes. next: the cursor of the next page, "" after the last."""

    words: tuple[DisputeWord, ...]
    next: str


@runtime_checkable
class TellsDisputes(Protocol):
    """Tells of disputes by webhook, and says how they stand.

    dispute_gaps_s: seconds between inquiries about an answered phase; the last one repeats.
    """

    dispute_gaps_s: tuple[int, ...]

    async def inquire_dispute(self, name: PhaseName) -> DisputeWord | NothingThere | Unknown:
        """Return the standing of one phase; Unknown when the bank does not say."""
        ...

    def read_dispute(
        self, headers: dict[str, str], body: bytes, *, now_s: int
    ) -> tuple[PhaseName, str] | None:
        """Return the dispute phase of an authenticated callback, or None.

        With our reference of the payment. The rest of it is not believed: the bank is asked.
        """
        ...


@runtime_checkable
class ListsDisputes(TellsDisputes, Protocol):
    """Lists its disputes, so that one whose webhook was lost is found."""

    async def disputes(self, since: datetime, after: str = "") -> DisputePage | Unknown:
        """Return a page of the undecided phases and of those that changed since a time."""
        ...


@runtime_checkable
class AcceptsDisputes(TellsDisputes, Protocol):
    """Takes an answer that accepts a whole dispute."""

    async def answer_dispute(self, answer: DisputeAnswer) -> DisputeWord | Declined | Unknown:
        """Send the merchant's answer and return the phase's standing.

        The same answer again changes nothing.
        """
        ...


@runtime_checkable
class ContestsDisputes(AcceptsDisputes, Protocol):
    """Takes documents, and an answer that contests a whole dispute."""

    async def send_evidence(
        self, name: PhaseName, evidence: EvidenceFile
    ) -> Accepted | Declined | Unknown:
        """Send one document; the same reference again changes nothing."""
        ...


@runtime_checkable
class DividesDisputes(ContestsDisputes, Protocol):
    """Takes an answer that accepts a part of a dispute, and contests the rest.

    divides_disputes: always true.
    """

    divides_disputes: bool
