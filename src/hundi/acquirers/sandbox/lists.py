"""The simulated network's lists: the transfers to an account, and its books."""

from datetime import datetime
from typing import Annotated, TypeVar

import msgspec

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.books import BookEntry, BookPage
from hundi.acquirers.port.transfers import Transfer
from hundi.kernel.money import Money

RUPEES = "INR"
AMOUNT_PAISE_MAX = 9_999_999_999_999
"""The largest amount of one movement that is accepted from the network."""
Currency = Annotated[str, msgspec.Meta(pattern="^([A-Z]{3})?\\Z")]
Number = Annotated[str, msgspec.Meta(max_length=64)]
"""A number or a code of the network's."""
_Listed = TypeVar("_Listed")


def decoded(decoder: msgspec.json.Decoder[_Listed], body: bytes) -> _Listed | None:
    """Return a body as a value, or None when it does not have the decoder's form."""
    try:
        return decoder.decode(body)
    # msgspec's errors do not include text that is not UTF-8.
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


class _Transfer(msgspec.Struct, frozen=True):
    """A transfer to a virtual account."""

    utr: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    amount_paise: Annotated[int, msgspec.Meta(gt=0, le=AMOUNT_PAISE_MAX)]
    currency: Currency
    mode: Number


class Transfers(msgspec.Struct, frozen=True):
    """Every transfer to the account of `reference`."""

    transfers: tuple[_Transfer, ...]
    reference: str = ""


_TRANSFERS = msgspec.json.Decoder(Transfers)


def read_transfers(body: bytes) -> Transfers | None:
    """Return the transfers to one account, or None when they do not have the protocol's form."""
    return decoded(_TRANSFERS, body)


def transfers(message: Transfers, reference: str) -> tuple[Transfer, ...] | Unknown:
    """Translate the transfers to one account.

    A transfer to another account, or a repeated one, makes the list unusable.
    """
    utrs = {each.utr for each in message.transfers}
    if message.reference != reference or len(utrs) != len(message.transfers):
        return Unknown(message="the bank's list of transfers cannot be used")
    return tuple(
        Transfer(each.utr, Money(each.amount_paise, each.currency), each.mode)
        for each in message.transfers
    )


class _Entry(msgspec.Struct, frozen=True):
    """One line of the simulated bank's books, as far as an audit needs it."""

    at: datetime
    kind: str
    reference: str
    rrn: str
    amount_paise: int
    state: str
    currency: str = RUPEES
    settled_paise: int = 0


class Books(msgspec.Struct, frozen=True):
    """A page of the simulated bank's books."""

    entries: list[_Entry]
    next: int


_BOOKS = msgspec.json.Decoder(Books)


def read_books(body: bytes) -> Books | None:
    """Return a page of the bank's books, or None when it does not have the protocol's form."""
    return decoded(_BOOKS, body)


def book_page(books: Books, after: int) -> BookPage | Unknown:
    """Translate a page of the bank's books; an empty one is the last, and none leads back."""
    if books.entries and books.next <= after:
        return Unknown(message="the bank's books do not end")
    entries = (
        BookEntry(
            each.at,
            each.kind,
            each.reference,
            each.rrn,
            each.amount_paise,
            each.state,
            each.currency,
            0 if each.currency == RUPEES else each.settled_paise,
        )
        for each in books.entries
    )
    return BookPage(tuple(entries), str(books.next) if books.entries else "")
