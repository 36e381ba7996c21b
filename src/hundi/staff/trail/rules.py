"""Rules of the trail: what an entry is, and the digest that chains it to the one before; pure."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256

NOTHING = bytes(32)
"""The digest before a merchant's first entry."""
MARK = "trail-entry"
"""What the mark of an entry is for."""
COMMAND_LINE = 0
"""Who did what was done by a command on the machine; the name beside it is the machine's user."""
ABOUT_LENGTH_MAX = 200
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class RowKind(StrEnum):
    """The kinds of rows of which each act writes what they are from then on, by a digest."""

    MERCHANT = "merchant"
    """What a merchant is and may do."""
    KEYS = "keys"
    """A merchant's secrets, as they are sealed."""
    ACCOUNT = "account"
    """A bank account that is paid out to."""
    PLAN = "plan"
    """A price plan."""
    TERMS = "terms"
    """Terms of settlement."""
    LINKED = "linked"
    """An account that payments are split with."""
    PARTNER = "partner"
    """A partner, with its secrets as they are sealed."""
    ACQUIRER = "acquirer"
    """An account at an acquirer, with its secrets as they are sealed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One act of a person.

    act: a noun and a verb, such as `payment.refund`. about: the id of what was changed. detail:
    JSON, as text. mark: of the digest, and so of this entry and of all before it, under a key that
    the database never holds.
    """

    merchant_id: int
    entry_no: int
    at: datetime
    person_id: int
    person: str
    act: str
    about: str
    detail: str
    network: str
    digest: bytes = NOTHING
    mark: bytes = b""


def digest_of(entry: Entry, before: bytes) -> bytes:
    """Return an entry's digest.

    Over the digest before it, and over the digest of each of its fields.
    """
    micros = (entry.at - _EPOCH) // _MICROSECOND
    numbers = entry.merchant_id, entry.entry_no, micros, entry.person_id
    texts = entry.person, entry.act, entry.about, entry.detail, entry.network
    fields = (*(str(number) for number in numbers), *texts)
    return sha256(before + b"".join(sha256(field.encode()).digest() for field in fields)).digest()


_MICROSECOND = datetime.resolution
