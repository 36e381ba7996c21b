"""The acquirers' own books."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class BookEntry:
    """One movement in an acquirer's books, in paise: debit, authorise, capture, void or refund.

    state: done, declined, pending or reversed. settled_paise: the rupees of an amount in another
    currency; 0 for an amount in rupees.
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
    """A page of an acquirer's books.

    next: the cursor of the next page; "" after the last one.
    """

    entries: tuple[BookEntry, ...]
    next: str = ""
