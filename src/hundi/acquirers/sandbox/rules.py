"""The simulated network's language: signatures, and its words translated into the port's answers."""

from datetime import datetime

import msgspec

from hundi.acquirers.answers import (
    PROCEED_ONLY_ON,
    Accepted,
    Approved,
    Authentication,
    BankAccount,
    BankCallback,
    Declined,
    NothingThere,
    NotRegistered,
    Redirect,
    RegisteredName,
    Unknown,
    Voided,
    not_authenticated,
)
from hundi.acquirers.books import BookEntry, BookPage
from hundi.acquirers.port import BankEntry, InstalmentPlan
from hundi.acquirers.terminals import TerminalSale
from hundi.acquirers.transfers import Transfer
from hundi.instruments.card import CardFacts
from hundi.kernel.money import RATE_ONE, Money

# UPI: no such address, or its bank or app is not on the network.
NOT_REGISTERED_CODES = frozenset({"ZH", "XH", "U17"})
# The mandate was never approved, was ended, or is over.
MANDATE_OVER_CODES = frozenset({"M1"})
RUPEES = "INR"
# Customer cancellation.
LEFT_CODES = frozenset({"17"})


class _Card(msgspec.Struct, frozen=True):
    """What the bank tells about a card."""

    last4: str = ""
    scheme: str = ""
    type: str = ""
    issuer: str = ""
    country: str = ""
    token: str = ""


class Word(msgspec.Struct, frozen=True):
    """One answer or callback of the simulated bank; which fields are filled depends on the status.

    amount_paise: what the bank moved, in paise; None where it said nothing about an amount. rate_micros: at which it is
    paid out in rupees.
    """

    status: str
    code: str = ""
    message: str = ""
    rrn: str = ""
    amount_paise: int | None = None
    currency: str = ""
    payer_vpa: str = ""
    payer_account: str = ""
    payer_ifsc: str = ""
    approval_code: str = ""
    trans_status: str = ""
    eci: str = ""
    card: _Card | None = None
    authentication_id: str = ""
    challenge_url: str = ""
    name: str = ""
    banks: tuple[BankEntry, ...] | None = None
    plans: tuple[InstalmentPlan, ...] | None = None
    voucher: str = ""
    rate_micros: int | None = None


class _Transfer(msgspec.Struct, frozen=True):
    """A transfer to a virtual account."""

    utr: str
    amount_paise: int
    currency: str
    mode: str


class Transfers(msgspec.Struct, frozen=True):
    """Every transfer to one account."""

    transfers: tuple[_Transfer, ...]


_TRANSFERS = msgspec.json.Decoder(Transfers)


def read_transfers(body: bytes) -> Transfers | None:
    """Return the transfers to one account, or None when they are not in the protocol's form."""
    try:
        return _TRANSFERS.decode(body)
    except msgspec.DecodeError:
        return None


def transfers(told: Transfers) -> tuple[Transfer, ...]:
    """Translate the transfers to one account; one without an amount is none."""
    moved = (each for each in told.transfers if each.amount_paise > 0)
    return tuple(Transfer(each.utr, Money(each.amount_paise, each.currency), each.mode) for each in moved)


class Callback(Word, frozen=True):
    """A word that the bank sends on its own."""

    event_id: str = ""
    reference: str = ""
    method: str = ""
    kind: str = ""


class _Claim(msgspec.Struct, frozen=True):
    """The one field read from a body that proved nothing."""

    reference: str = ""


_WORD = msgspec.json.Decoder(Word)
_CALLBACK = msgspec.json.Decoder(Callback)
_CLAIM = msgspec.json.Decoder(_Claim)


def read_word(body: bytes) -> Word | None:
    """Return the bank's answer, or None when it is not in the protocol's form."""
    try:
        return _WORD.decode(body)
    except msgspec.DecodeError:
        return None


class _Entry(msgspec.Struct, frozen=True):
    """One line of the simulated bank's books; what an audit does not need is not read."""

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
    """Return a page of the bank's books, or None when it is not in the protocol's form."""
    try:
        return _BOOKS.decode(body)
    except msgspec.DecodeError:
        return None


def book_page(books: Books) -> BookPage:
    """Translate a page of the bank's books; an empty one is the last."""
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


def read_callback(body: bytes) -> BankCallback | None:
    """Return what an authenticated callback says, or None when it is not in the protocol's form."""
    try:
        callback = _CALLBACK.decode(body)
    except msgspec.DecodeError:
        return None
    if not callback.event_id or not callback.reference:
        return None
    answer = outcome(callback)
    if isinstance(answer, NothingThere | Voided):
        return None
    return BankCallback(callback.event_id, callback.reference, answer)


class _Sale(msgspec.Struct, frozen=True, tag_field="kind", tag="pos_sale"):
    """A callback about a sale at a terminal."""

    event_id: str
    merchant_id: int
    terminal_id: str
    txn_type: str
    amount_paise: int
    edited_paise: int = 0
    table_no: str = ""
    mobile: str = ""


_SALE = msgspec.json.Decoder(_Sale)


def read_sale(body: bytes) -> TerminalSale | None:
    """Return what an authenticated callback says about a sale, or None when it is about something else."""
    try:
        sale = _SALE.decode(body)
    except msgspec.DecodeError:
        return None
    return TerminalSale(
        sale.merchant_id,
        sale.terminal_id,
        sale.event_id,
        sale.txn_type,
        sale.amount_paise,
        sale.edited_paise,
        sale.table_no,
        sale.mobile,
    )


class _MandateEnd(msgspec.Struct, frozen=True, tag_field="kind", tag="mandate_ended"):
    """A callback about a mandate that its customer has ended."""

    mandate: str


_MANDATE_END = msgspec.json.Decoder(_MandateEnd)


def read_mandate_end(body: bytes) -> str | None:
    """Return the reference of an ended mandate, or None when a callback is about something else."""
    try:
        return _MANDATE_END.decode(body).mandate
    except msgspec.DecodeError:
        return None


def claimed_reference(body: bytes) -> str:
    """Return the reference in a body that proved nothing, or ""."""
    try:
        return _CLAIM.decode(body).reference
    except msgspec.DecodeError:
        return ""


def outcome(word: Word) -> Approved | Declined | Unknown | NothingThere | Voided:
    """Translate a payment's status; "paid" without a real amount, and anything unheard of, stays Unknown."""
    match word.status:
        case "paid" | "authorised" | "done" if (
            word.amount_paise is not None and word.amount_paise > 0 and word.currency
        ):
            # A charge in another currency without its rate says too little: it is asked about again.
            rated = word.currency == RUPEES or word.status != "paid" or (word.rate_micros or 0) > 0
            return _approved(word, Money(word.amount_paise, word.currency)) if rated else Unknown(word.code)
        case "declined" if word.trans_status not in {"", PROCEED_ONLY_ON}:
            return not_authenticated(word.trans_status)
        case "declined":
            return Declined(
                word.code,
                word.message,
                word.rrn,
                not_registered=word.code in NOT_REGISTERED_CODES,
                left=word.code in LEFT_CODES,
                mandate_over=word.code in MANDATE_OVER_CODES,
            )
        case "not_found":
            return NothingThere()
        case "voided":
            return Voided(word.rrn, word.code or "00", word.message)
        case status:
            return Unknown(
                word.code,
                word.message,
                awaiting_customer=status == "challenge",
                authenticated=status == "authenticated",
            )


def charge_outcome(word: Word) -> Approved | Declined | Unknown:
    """Translate the answer to a charge; "not found" and "voided" make no sense there and decide nothing."""
    answer = outcome(word)
    return Unknown(word.code, word.message) if isinstance(answer, NothingThere | Voided) else answer


def refund_outcome(word: Word) -> Approved | Declined | Unknown | NothingThere:
    """Translate what the bank believes about a refund, which nobody can void."""
    answer = outcome(word)
    return Unknown(word.code, word.message) if isinstance(answer, Voided) else answer


def void_outcome(word: Word) -> Voided | Declined | Unknown:
    """Translate the answer to a void: only these two words decide it."""
    answer = outcome(word)
    return answer if isinstance(answer, Voided | Declined) else Unknown(word.code, word.message)


def address_outcome(word: Word) -> RegisteredName | NotRegistered | Unknown:
    """Translate what the network says about a UPI address."""
    match word.status:
        case "registered":
            return RegisteredName(word.name)
        case "not_registered":
            return NotRegistered()
        case _:
            return Unknown(word.code, word.message)


def acceptance(word: Word) -> Accepted | Declined | Unknown:
    """Translate the answer to a call that moves no money: a notice, the end of a mandate or of a token."""
    return Accepted() if word.status == "done" else collect_outcome(word)


def collect_outcome(word: Word) -> Declined | Unknown:
    """Translate the answer to a collect request: its good end only ever comes by callback or inquiry."""
    answer = outcome(word)
    return answer if isinstance(answer, Declined) else Unknown(word.code, word.message)


def challenge(word: Word, origin: str) -> Redirect | Declined | Unknown:
    """Translate the answer to an authentication request; only the bank's own origin is a valid page."""
    if word.status == "challenge" and word.authentication_id and word.challenge_url.startswith(origin + "/"):
        return Redirect(word.challenge_url, word.authentication_id)
    return collect_outcome(word)


def card_facts(word: Word) -> CardFacts | Unknown:
    """Translate what the network knows of a card."""
    card = word.card
    if word.status != "done" or card is None:
        return Unknown(word.code, word.message)
    return _facts(card)


def challenge_end(word: Word) -> Authentication | Unknown:
    """Translate how a challenge ended."""
    if word.status == "done" and word.trans_status:
        return Authentication(word.trans_status, word.eci)
    return Unknown(word.code, word.message, awaiting_customer=word.status == "pending")


def _approved(word: Word, amount: Money) -> Approved:
    card = word.card
    return Approved(
        amount=amount,
        rrn=word.rrn,
        authorised_only=word.status == "authorised",
        code=word.code or "00",
        message=word.message,
        payer_vpa=word.payer_vpa,
        approval_code=word.approval_code,
        card=None if card is None else _facts(card),
        payer_account=BankAccount(word.payer_account, word.payer_ifsc) if word.payer_account else None,
        rate_micros=word.rate_micros or RATE_ONE,
    )


def _facts(card: _Card) -> CardFacts:
    return CardFacts(card.last4, card.scheme, card.type, card.issuer, card.country, card.token)
