"""The rules of the chain: its books, the days of blocks and roots, and what is signed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from hashlib import sha256

from hundi.kernel.clock import business_day

ROOT_AFTER = timedelta(minutes=15)
"""A day's root is made so long after its end.

A block that was begun on the day is then committed.
"""


class Book(StrEnum):
    """What a merchant has a chain of blocks for; each member's text is what its links are of."""

    EVENTS = "events"
    """Payment events, and what they made final.

    Payments, attempts, completions, splits, mandates, deliveries.
    """
    POSTINGS = "postings"
    """Postings, and the refunds that they are of."""
    SETTLEMENTS = "settlements"
    """Settlements with their shares and parts; their items by the digest that they have of them."""


@dataclass(frozen=True, slots=True)
class Head:
    """The newest block of one book of a merchant, and how far transactions have ended.

    block_no: 0 where there is none yet. upto_xact, upto_id: everything up to there is sealed.
    cluster: the identifier of the database cluster that counted them. horizon: every transaction
    before it has ended, in `in_cluster`.
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
        """Return whether the books come from another cluster, where `upto_xact` says nothing."""
        return self.cluster != self.in_cluster


@dataclass(frozen=True, slots=True)
class BlockLimits:
    """What a block is made with: its day, the time, and how many events or postings it takes."""

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
    """Return the line of a book's newest block, as a root covers it."""
    return f"{merchant_id} {book} {block_no} {block_hash.hex()}\n".encode()


def root_of(day: date, previous: bytes, lines: Sequence[bytes]) -> bytes:
    """Return the root of a day.

    previous: the root before, or nothing for the first. lines: of the newest blocks, by merchant
    and book.
    """
    blocks = sha256(b"".join(lines)).hexdigest()
    text = (
        f"hundi root 1\nday={day}\nprevious={previous.hex()}\nheads={len(lines)}\nblocks={blocks}\n"
    )
    return sha256(text.encode()).digest()


def signed_text(day: date, root: bytes) -> bytes:
    """Return what the signature of a root is over."""
    return f"hundi root 1 signed\nday={day}\nroot={root.hex()}\n".encode()


def day_of_blocks(now: datetime, newest_root: date | None) -> date:
    """Return the day of a block that is sealed now: never one that has its root already."""
    today = business_day(now)
    return today if newest_root is None else max(today, newest_root + timedelta(days=1))


def day_to_root(now: datetime, newest_root: date | None) -> date | None:
    """Return the last business day that has ended, if it has no root yet."""
    ended = business_day(now - ROOT_AFTER) - timedelta(days=1)
    return ended if newest_root is None or newest_root < ended else None
