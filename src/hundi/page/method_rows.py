"""The rows of the ways to pay, as the templates draw them."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec


class CardRow(msgspec.Struct, frozen=True):
    """The card row: what was typed before (nothing secret) and what is wrong with it, by field.

    only: which cards the order accepts, "" where it accepts all. saved: the customer's own cards.
    save: the question whether to keep this one, "" where it is not asked. elsewhere: it is typed at
    the acquirer's page.
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
        """Return the first field that is wrong, "" for none."""
        return next(iter(self.errors), "")


class Option(msgspec.Struct, frozen=True):
    """One thing to choose.

    value: what the form sends. label: what stands there. mark: initials beside it. note: what is to
    be known before choosing, "" for nothing.
    """

    value: str
    label: str
    picked: bool = False
    mark: str = ""
    note: str = ""


Groups = tuple[tuple[str, tuple[Option, ...]], ...]
"""Things to choose, under their titles; nothing at all when nobody can say what there is."""


@dataclass(frozen=True, slots=True)
class BankChoices:
    """The row of net banking, of wallets or of lenders: where the customer can be sent.

    searched: the list is long enough to be searched.
    """

    groups: Groups
    error: str = ""
    searched: bool = False


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One plan of instalments: how many of how much, and what they come to."""

    value: str
    instalments: str
    cost: str
    picked: bool = False


@dataclass(frozen=True, slots=True)
class PlansOfBank:
    """The plans of one bank. opened: they are in sight."""

    bank: str
    mark: str
    lowest: str
    plans: tuple[PlanRow, ...]
    opened: bool = False


@dataclass(frozen=True, slots=True)
class EmiRow:
    """The row of instalments: plans by bank, and their card; elsewhere.

    Both at the acquirer's page.
    """

    groups: tuple[PlansOfBank, ...]
    card: CardRow
    error: str = ""
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class TransferRow:
    """The row of a bank transfer: where to send it.

    until: a sentence; app: a simulated bank's page, or "".
    """

    amount: str
    number: str
    ifsc: str
    holder: str
    until: str
    app: str


@dataclass(frozen=True, slots=True)
class SurchargeLine:
    """The surcharge of a row.

    total: what is paid there; words: a sentence that is always in sight.
    """

    total: str
    words: str


@dataclass(frozen=True, slots=True)
class VoucherRow:
    """The row of cash: what to show at a counter.

    number: in groups, "" while the network has not issued it. src: its picture. until: a sentence;
    app: a simulated counter's page, or "".
    """

    amount: str
    number: str
    src: str
    until: str
    app: str
