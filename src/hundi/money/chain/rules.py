"""The rules of the chain: its books, the days of blocks and roots, and what is signed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from hashlib import sha256

from hundi.kernel.clock import business_day

ROOT_AFTER = timedelta(minutes=15)
"""How long after its end a day gets its root: every block of that day is committed by then."""


class Book(StrEnum):
    """The chains of a merchant; each member says which rows its links seal."""

    EVENTS = "events"
    """Payment events with the rows they made final.

    Payments, attempts, completions, splits, mandates, deliveries.
    """
    POSTINGS = "postings"
    """Postings with their refunds."""
    SETTLEMENTS = "settlements"
    """Settlements with their shares and parts.

    Their items are sealed by the settlement's digest.
    """


@dataclass(frozen=True, slots=True)
class Head:
    """The newest block of one book of a merchant, and how far transactions have ended.

    block_no: 0 for none. upto_xact, upto_id: everything up to there is sealed. cluster: the
    database cluster that counted them. horizon: every transaction before it has ended, in
    `in_cluster`.
    """

    block_no: int = 0
    hash: bytes = bytes(32)
    upto_xact: str = "0"
    upto_id: int = -1
    cluster: str = ""
    horizon: str = "0"
    in_cluster: str = ""

    @property
    def is_foreign(self) -> bool:
        """Return whether the books come from another cluster: `upto_xact` means nothing here."""
        return self.cluster != self.in_cluster


@dataclass(frozen=True, slots=True)
class BlockLimits:
    """The day, the time and the most events or postings of a new block."""

    day: date
    now: datetime
    rows_max: int


@dataclass(frozen=True, slots=True)
class Root:
    """The signed root of one business day.

    heads: how many newest blocks it covers. certificate: of the key that signed it (X.509, DER).
    made_at: UTC.
    """

    day: date
    root: bytes
    heads: int
    signature: bytes
    certificate: bytes
    made_at: datetime


def line_of(merchant_id: int, book: Book, block_no: int, block_hash: bytes) -> bytes:
    """Return the line that a root covers for a book's newest block."""
    return f"{merchant_id} {book} {block_no} {block_hash.hex()}\n".encode()


def root_of(day: date, previous: bytes, lines: Sequence[bytes]) -> bytes:
    """Return the root of a day.

    previous: the root before, empty for the first. lines: of the newest blocks, by merchant and
    book.
    """
    blocks = sha256(b"".join(lines)).hexdigest()
    text = (
        f"hundi root 1\nday={day}\nprevious={previous.hex()}\nheads={len(lines)}\nblocks={blocks}\n"
    )
    return sha256(text.encode()).digest()


def signed_text(day: date, root: bytes) -> bytes:
    """Return the text that a root's signature covers."""
    return f"hundi root 1 signed\nday={day}\nroot={root.hex()}\n".encode()


def day_of_blocks(now: datetime, newest_root: date | None) -> date:
    """Return the day of a block that is sealed now, never a day that has its root already."""
    today = business_day(now)
    return today if newest_root is None else max(today, newest_root + timedelta(days=1))


def day_to_root(now: datetime, newest_root: date | None) -> date | None:
    """Return the newest business day that has ended, unless it has its root already."""
    ended = business_day(now - ROOT_AFTER) - timedelta(days=1)
    return ended if newest_root is None or newest_root < ended else None
