"""The facts that the screens of a payment are made of."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec

from hundi.acquirers.port.payments import BankEntry
from hundi.instruments.card import Problem
from hundi.instruments.upi_address import UpiClient
from hundi.instruments.upi_apps import Platform
from hundi.page import methods
from hundi.page.screens import Qr, TransferRow, VoucherRow
from hundi.page.texts import Say
from hundi.payments.availability.rules import NO_EMI_CHOICE, EmiChoice
from hundi.payments.routing.health.rules import Health
from hundi.payments.saved_cards.rules import StoredCard


class Typed(msgspec.Struct, frozen=True, omit_defaults=True):
    """The customer's input in the refused form; it never has secrets.

    form: `card`, `vpa`, or the code of a channel, "" for none. bank, plan: the choice from a list.
    refusal: why the attempt could not begin, if the form itself was right.
    """

    form: str = ""
    problems: tuple[Problem, ...] = ()
    expiry: str = ""
    holder: str = ""
    vpa: str = ""
    bank: str = ""
    plan: str = ""
    refusal: str = ""


NOTHING_TYPED = Typed()


class Drawn(msgspec.Struct, frozen=True):
    """The QR on screen in two forms, the order's account numbers by channel, and its voucher."""

    upi: Qr | None = None
    bharat: Qr | None = None
    accounts: Mapping[str, TransferRow] = msgspec.field(default_factory=dict[str, TransferRow])
    voucher: VoucherRow | None = None


class Lists(msgspec.Struct, frozen=True):
    """The current choices, as far as the order's channels need them.

    entries: banks, wallets and lenders, by the code of their channel. saved: the customer's own
    cards. may_save: whether a card of this payment can be saved. troubles: banks at which payments
    currently fail. asks_for_link: the acquirer makes UPI links. cards_elsewhere: it takes cards at
    its own page. uses: the merchant's payments by channel, {} where none have to be folded.
    """

    entries: Mapping[str, tuple[BankEntry, ...]] = msgspec.field(
        default_factory=dict[str, tuple[BankEntry, ...]]
    )
    emi: EmiChoice = NO_EMI_CHOICE
    saved: tuple[StoredCard, ...] = ()
    may_save: bool = False
    troubles: methods.Troubles = msgspec.field(default_factory=dict[tuple[str, str], Health])
    asks_for_link: bool = False
    cards_elsewhere: bool = False
    uses: Mapping[str, int] = msgspec.field(default_factory=dict[str, int])


class PageContext(msgspec.Struct, frozen=True):
    """One view of the page: who looks, with which input, when, and in which language.

    path: the session's address. session: how long one lives. choosing: the customer turns away from
    a challenge. simulated: no real money moves.
    """

    path: str
    client: UpiClient
    now: datetime
    say: Say
    typed: Typed = NOTHING_TYPED
    choosing: bool = False
    simulated: bool = False
    platform: Platform = Platform.OTHER
    session: timedelta = timedelta(minutes=15)
