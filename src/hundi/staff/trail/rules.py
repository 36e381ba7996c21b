"""Rules of the trail: its entries, and the digests that chain them; pure."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256

NOTHING = bytes(32)
"""The digest before a merchant's first entry."""
MARK = "trail-entry"
"""The purpose of an entry's mark."""
COMMAND_LINE = 0
"""The actor of commands on the machine; the name beside it is the machine's user."""
ABOUT_LENGTH_MAX = 200
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class RowKind(StrEnum):
    """The kinds of rows whose acts record the row's new digest."""

    MERCHANT = "merchant"
    """A merchant's name, state and settings."""
    KEYS = "keys"
    """A merchant's secrets, sealed."""
    ACCOUNT = "account"
    """A bank account for payouts."""
    PLAN = "plan"
    """A price plan."""
    TERMS = "terms"
    """Terms of settlement."""
    LINKED = "linked"
    """An account that payments are split with."""
    PARTNER = "partner"
    """A partner, with its sealed secrets."""
    ACQUIRER = "acquirer"
    """An account at an acquirer, with its sealed secrets."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One act of a person.

    act: a noun and a verb, such as `payment.refund`. about: the id of the changed thing. detail:
    JSON, as text. mark: over the digest, and so over this entry and all before it, under a key that
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
    """Return an entry's digest: over the digest before it, and the digest of each of its fields."""
    micros = (entry.at - _EPOCH) // _MICROSECOND
    numbers = entry.merchant_id, entry.entry_no, micros, entry.person_id
    texts = entry.person, entry.act, entry.about, entry.detail, entry.network
    fields = (*(str(number) for number in numbers), *texts)
    return sha256(before + b"".join(sha256(field.encode()).digest() for field in fields)).digest()


_MICROSECOND = datetime.resolution
