"""The values of each screen of the payment page, ready to print: templates decide nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from hundi.page.method_rows import (
    BankChoices,
    CardRow,
    EmiRow,
    Option,
    SurchargeLine,
    TransferRow,
    VoucherRow,
)


class Screen(StrEnum):
    """The screen of a session.

    The status answer has it, so that an open page knows when it is old.
    """

    CHOOSE = "choose"
    """The customer picks a method, or a QR is waiting to be scanned."""
    WAITING = "waiting"
    """An attempt is at a bank and its outcome is open."""
    RESULT = "result"
    """Nothing more will happen on this page."""
    OVER = "over"
    """The session has ended without a payment."""


class Tone(StrEnum):
    """The tone of a message; each has its icon and its word, never colour alone."""

    PAID = "paid"
    WAITING = "waiting"
    REFUSED = "refused"
    INFO = "info"


class LogoImage(msgspec.Struct, frozen=True):
    """A merchant's logo in the page's header: its address, and its size there in pixels."""

    src: str
    width: int
    height: int


class Summary(msgspec.Struct, frozen=True):
    """The amount and the payee, always visible; texts are ready to show.

    path: the session's address. until: its end, with the day unless that is today; left_s: seconds
    until then; more_s: what one press adds. back: the way to the merchant, or "". accent: six hex
    digits, or "". frames: origins that may frame the page. logo: in place of the monogram.
    """

    path: str
    merchant: str
    monogram: str
    order_id: str
    amount: str
    until: str
    left_s: int
    more_s: int
    back: str
    support: str
    accent: str
    simulated: bool
    frames: tuple[str, ...] = ()
    logo: LogoImage | None = None


@dataclass(frozen=True, slots=True)
class NoticeBox:
    """A message above the methods: what happened, whether money moved, what to do."""

    tone: Tone
    title: str
    lines: tuple[str, ...]


class Qr(msgspec.Struct, frozen=True):
    """A QR that can be scanned now.

    until: a sentence. left_s: seconds until its end. app: address of a simulated UPI app, or "".
    apps: UPI apps of this phone by name, each with the link that opens it. asked: the acquirer made
    it on request.
    """

    src: str
    link: str
    until: str
    left_s: int
    app: str
    apps: tuple[Option, ...] = ()
    asked: bool = False


class Upi(msgspec.Struct, frozen=True):
    """The UPI row. qr: None after it expired; collect: whether "enter UPI ID" may be offered.

    tried: an earlier QR of this order failed. asked: the acquirer makes the QR once the customer
    asks for it.
    """

    qr: Qr | None
    collect: bool
    vpa: str
    vpa_error: str
    tried: bool = False
    asked: bool = False


class Poll(msgspec.Struct, frozen=True):
    """What an open page needs to notice that it is outdated. done: nothing will change any more."""

    screen: Screen
    revision: int
    done: bool


class Choose(msgspec.Struct, frozen=True):
    """The methods.

    order: channels from top to bottom, each with its row. rare: those at the end that are folded.
    absent: why ways of this merchant are not offered. opened: the open row: a channel, `vpa` or
    `card`. choosing: the customer left a challenge. card_next: what happens after a card is sent.
    mandate: what is approved with the payment, () for nothing. choices: of the rows that lead to a
    bank, wallet or lender, by channel. fees: surcharges by channel. accounts: open accounts by
    channel.
    """

    summary: Summary
    poll: Poll
    notice: NoticeBox | None
    upi: Upi | None
    card: CardRow | None
    on_phone: bool
    opened: str
    choosing: bool
    order: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    card_next: str = ""
    bharat: Qr | None = None
    choices: Mapping[str, BankChoices] = msgspec.field(default_factory=dict[str, BankChoices])
    emi: EmiRow | None = None
    accounts: Mapping[str, TransferRow] = msgspec.field(default_factory=dict[str, TransferRow])
    voucher: VoucherRow | None = None
    mandate: tuple[str, ...] = ()
    fees: Mapping[str, SurchargeLine] = msgspec.field(default_factory=dict[str, SurchargeLine])


@dataclass(frozen=True, slots=True)
class Waiting:
    """What the page waits for, since when, and what to do then.

    may_leave: another method may be chosen. long: the text after a long wait. bank: its open page,
    or "". form, go: to another site, and the words for it.
    """

    summary: Summary
    poll: Poll
    title: str
    what: str
    since: str
    long: str
    may_leave: bool
    bank: str = ""
    form: "ReturnForm | None" = None
    go: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """One line a customer may have to quote. copied: it has a copy button."""

    label: str
    value: str
    copied: bool = True


@dataclass(frozen=True, slots=True)
class ReturnForm:
    """A form that the browser posts elsewhere. fields: names and values in order."""

    action: str
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ConsentBox:
    """What WhatsApp messages are, and the way to get or to end them.

    button: its words. action: where its form leads, "" once the customer agreed; link: to the page
    that ends them, "" before.
    """

    words: str
    button: str
    action: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class ResultScreen:
    """The result. form: to the merchant, None without an address. at_once: scripts submit it.

    link, receipt: addresses of the order's payment link and receipt, "" for none. whatsapp: None
    where it is no choice.
    """

    summary: Summary
    poll: Poll
    tone: Tone
    title: str
    sentence: str
    lines: tuple[str, ...]
    references: tuple[Reference, ...]
    form: ReturnForm | None = None
    at_once: bool = False
    link: str = ""
    receipt: str = ""
    whatsapp: ConsentBox | None = None


@dataclass(frozen=True, slots=True)
class MessageScreen:
    """A page without a payment: refused, unknown, fault, explanation.

    back: a return address, or "". footer: the text below it, by key. again: its address shows it
    again.
    """

    tone: Tone
    title: str
    lines: tuple[str, ...]
    references: tuple[Reference, ...] = ()
    back: str = ""
    back_words: str = ""
    footer: str = "powered"
    again: bool = False


@dataclass(frozen=True, slots=True)
class Verb:
    """One thing that a customer can do about a mandate. name: in the address.

    words: of the button.
    """

    name: str
    words: str
    effect: str


@dataclass(frozen=True, slots=True)
class Coupon:
    """One coupon of an offer, and its place among them."""

    number: int
    code: str


@dataclass(frozen=True, slots=True)
class OfferScreen:
    """The offers page. until, again: sentences about when the coupons and this page end."""

    title: str
    granted_by: str
    coupons: tuple[Coupon, ...]
    until: str
    again: str
    expired: bool


@dataclass(frozen=True, slots=True)
class MandateScreen:
    """What a customer approved (a mandate, messages), and what they can do about it.

    title: its state. upcoming: the announced debits.
    """

    path: str
    tone: Tone
    title: str
    merchant: str
    lines: tuple[str, ...]
    verbs: tuple[Verb, ...]
    upcoming: tuple[str, ...]
    references: tuple[Reference, ...]
    support: str = ""


@dataclass(frozen=True, slots=True)
class LinkLine:
    """An item of a payment link. quantity: "" for one piece. amount: of all its pieces."""

    what: str
    quantity: str
    amount: str


@dataclass(frozen=True, slots=True)
class LinkScreen:
    """A payment link: the amount asked, the amount paid, and what can be paid now.

    lines: sentences about it. parts: whether a part can be chosen; hint: which ones. typed, error:
    a refused amount. payable: whether anything can be paid. path: the link's address, for its
    forms. logo: in place of the monogram. items: what it is for, each with its
    amount; total: of all of them.
    """

    path: str
    tone: Tone
    title: str
    merchant: str
    monogram: str
    description: str
    lines: tuple[str, ...]
    payable: bool
    parts: bool = False
    hint: str = ""
    typed: str = ""
    error: str = ""
    support: str = ""
    accent: str = ""
    simulated: bool = False
    logo: LogoImage | None = None
    items: tuple[LinkLine, ...] = ()
    total: str = ""


AnyScreen = (
    Choose | Waiting | ResultScreen | MessageScreen | OfferScreen | MandateScreen | LinkScreen
)
