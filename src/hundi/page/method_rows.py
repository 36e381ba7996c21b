"""The rows of the payment methods, as the templates draw them."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec


class CardRow(msgspec.Struct, frozen=True):
    """The card row, with earlier input (never secret) and its errors by field.

    only: which cards the order accepts, "" for all. saved: the customer's own cards. save: the
    question whether to save this one, "" for none. elsewhere: it is typed at the acquirer's page.
    """

    expiry: str
    holder: str
    errors: Mapping[str, str]
    only: str = ""
    saved: tuple["Option", ...] = ()
    save: str = ""
    elsewhere: bool = False

    @property
    def focus(self) -> str:
        """Return the first field with an error, "" for none."""
        return next(iter(self.errors), "")


class Option(msgspec.Struct, frozen=True):
    """One choice.

    value: in the form. label: its text. mark: initials beside it. note: a warning, "" for none.
    """

    value: str
    label: str
    picked: bool = False
    mark: str = ""
    note: str = ""


Groups = tuple[tuple[str, tuple[Option, ...]], ...]
"""Choices by title; none at all if the list is not available."""


@dataclass(frozen=True, slots=True)
class BankChoices:
    """The row of net banking, wallets or lenders: the places to which a customer can go.

    searched: the list is long enough for a search.
    """

    groups: Groups
    error: str = ""
    searched: bool = False


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One plan of instalments: their number, their amount and the total."""

    value: str
    instalments: str
    cost: str
    picked: bool = False


@dataclass(frozen=True, slots=True)
class PlansOfBank:
    """The plans of one bank. opened: they are visible."""

    bank: str
    mark: str
    lowest: str
    plans: tuple[PlanRow, ...]
    opened: bool = False


@dataclass(frozen=True, slots=True)
class EmiRow:
    """The row of instalments: plans by bank and the card; elsewhere: at the acquirer's page."""

    groups: tuple[PlansOfBank, ...]
    card: CardRow
    error: str = ""
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class TransferRow:
    """The row of a bank transfer: where to send it.

    digits: the amount as banks' forms take it. until: a sentence. app: a simulated bank's page, or
    "".
    """

    amount: str
    digits: str
    number: str
    ifsc: str
    holder: str
    until: str
    app: str


@dataclass(frozen=True, slots=True)
class SurchargeLine:
    """The surcharge of a row. total: the amount to pay.

    words: a sentence that is always visible.
    """

    total: str
    words: str


@dataclass(frozen=True, slots=True)
class VoucherRow:
    """The row of cash: what to show at a counter.

    number: in groups, "" until the network has issued it; digits: without groups. src: its picture.
    until: a sentence. app: a simulated counter's page, or "".
    """

    amount: str
    number: str
    digits: str
    src: str
    until: str
    app: str
