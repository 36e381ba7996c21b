"""What a total without lines proves beside our bank account and imported files; pure."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class TotalProof(StrEnum):
    """How far a total is proved."""

    WAITING = "waiting"
    """Nothing with its transfer has arrived in our account."""
    OTHER_AMOUNT = "other_amount"
    """Our account has its transfer with another amount."""
    ARRIVED = "arrived"
    """Its amount arrived. For which payments nobody has said: no file with its lines is there."""
    LINES_DIFFER = "lines_differ"
    """A file has lines of its transfer, and they come to another amount: ask for the rest."""
    PROVED = "proved"
    """Its amount arrived, and the lines of a file come to it."""


@dataclass(frozen=True, slots=True)
class ComparedTotal:
    """A total, with what else is known of its transfer.

    lines_paise: the sum of its lines in imported files, None without any. arrived_paise: in our
    bank account.
    """

    connector: str
    settlement: str
    utr: str
    day: date
    net_paise: int
    lines_paise: int | None
    arrived_paise: int

    @property
    def proof(self) -> TotalProof:
        """Return how far the total is proved; what contradicts it comes first."""
        if self.lines_paise is not None and self.lines_paise != self.net_paise:
            return TotalProof.LINES_DIFFER
        if not self.arrived_paise:
            return TotalProof.WAITING
        if self.arrived_paise != self.net_paise:
            return TotalProof.OTHER_AMOUNT
        return TotalProof.ARRIVED if self.lines_paise is None else TotalProof.PROVED
