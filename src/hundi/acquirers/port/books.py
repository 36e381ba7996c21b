"""What acquirers show of their own books."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class BookEntry:
    """One movement in an acquirer's books, in paise: debit, authorise, capture, void or refund.

    state: done, declined, pending or reversed. settled_paise: what another currency comes to in
    rupees; 0 of an amount in rupees.
    """

    at: datetime
    kind: str
    reference: str
    rrn: str
    amount_paise: int
    state: str
    currency: str = "INR"
    settled_paise: int = 0


@dataclass(frozen=True, slots=True)
class BookPage:
    """A part of an acquirer's books.

    next: asks for the part that follows; "" after the last one.
    """

    entries: tuple[BookEntry, ...]
    next: str = ""
