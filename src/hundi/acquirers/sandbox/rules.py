"""The simulated network's language: signatures, and translation into the port's answers."""

from datetime import datetime
from typing import Annotated

import msgspec

from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.port.answers import (
    PROCEED_ONLY_ON,
    SCORE_MAX,
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
from hundi.acquirers.port.instalments import InstalmentPlan
from hundi.acquirers.port.payments import BankEntry
from hundi.acquirers.port.terminals import TerminalSale
from hundi.acquirers.sandbox.lists import AMOUNT_PAISE_MAX, RUPEES, Currency, Number, decoded
from hundi.instruments.card import CardFacts
from hundi.kernel.money import RATE_ONE, Money

# UPI: no such address, or its bank or app is not on the network.
NOT_REGISTERED_CODES = frozenset({"ZH", "XH", "U17"})
# The mandate was never approved, was ended, or is over.
MANDATE_OVER_CODES = frozenset({"M1"})
MANDATE_PAUSED_CODES = frozenset({"M5"})
# The customer cancelled.
LEFT_CODES = frozenset({"17"})
MESSAGE_MAX = 255
"""Characters of the bank's texts that are kept."""
RATE_MICROS_MAX = 10_000 * RATE_ONE
"""No unit of a currency is worth more than ten thousand rupees."""
DISPUTE = "dispute"
"""The kind of a callback about a dispute, which says nothing of the payment."""
TRANS_STATUS = frozenset("YNAURC")
CANCELLED_BY_CARDHOLDER = "01"
"""EMVCo's code for a cancelled challenge; see docs/spec/domain.md#three-ds."""
_Status = Annotated[str, msgspec.Meta(max_length=16)]
_Text = Annotated[str, msgspec.Meta(max_length=255)]
_Address = Annotated[str, msgspec.Meta(max_length=2_000, pattern=r"^[!-~]*\Z")]
"""Without blanks and control characters: it becomes a header."""


class _Card(msgspec.Struct, frozen=True):
    """The bank's facts of a card."""

    last4: Annotated[str, msgspec.Meta(pattern=r"^([0-9]{4})?\Z")] = ""
    scheme: Number = ""
    type: Number = ""
    issuer: _Text = ""
    country: Number = ""
    token: _Text = ""


class BankAnswer(msgspec.Struct, frozen=True):
    """One answer or callback of the simulated bank; the status decides which fields are filled.

    amount_paise: what the bank moved, in paise; None where it says no amount. rate_micros: rupees
    for one unit of another currency, in millionths.
    """

    status: _Status
    code: Number = ""
    message: str = ""
    rrn: Number = ""
    amount_paise: int | None = None
    currency: Currency = ""
    payer_vpa: _Text = ""
    payer_account: Number = ""
    payer_ifsc: Number = ""
    approval_code: Number = ""
    trans_status: Annotated[str, msgspec.Meta(max_length=1)] = ""
    challenge_cancel: Annotated[str, msgspec.Meta(max_length=2)] = ""
    eci: Number = ""
    card: _Card | None = None
    authentication_id: _Text = ""
    challenge_url: _Address = ""
    name: _Text = ""
    banks: tuple[BankEntry, ...] | None = None
    plans: tuple[InstalmentPlan, ...] | None = None
    voucher: Number = ""
    rate_micros: int | None = None
    score: Annotated[int, msgspec.Meta(ge=0, le=SCORE_MAX)] | None = None
    reference: str = ""
    debit_from: datetime | None = None


class SandboxCallback(BankAnswer, frozen=True):
    """An answer that the bank sends on its own."""

    event_id: str = ""
    method: str = ""
    kind: str = ""


class _Claim(msgspec.Struct, frozen=True):
    """The one field that is read of an unauthenticated body."""

    reference: str = ""


_WORD = msgspec.json.Decoder(BankAnswer)
_CALLBACK = msgspec.json.Decoder(SandboxCallback)
_CLAIM = msgspec.json.Decoder(_Claim)


def read_word(body: bytes) -> BankAnswer | None:
    """Return the bank's answer, or None when it does not have the protocol's form."""
    word = decoded(_WORD, body)
    if word is None or len(word.message) <= MESSAGE_MAX:
        return word
    return msgspec.structs.replace(word, message=word.message[:MESSAGE_MAX])


def about(reference: str, word: BankAnswer | Unknown) -> BankAnswer | Unknown:
    """Return the answer to a call about a reference: one about another decides nothing."""
    if isinstance(word, Unknown) or word.reference == reference:
        return word
    return Unknown(message="the bank answered about another payment")


def read_callback(body: bytes) -> BankCallback | None:
    """Return an authenticated callback, or None when it does not have the protocol's form."""
    callback = decoded(_CALLBACK, body) if is_sound(body) else None
    if (
        callback is None
        or not callback.event_id
        or not callback.reference
        or callback.kind == DISPUTE
    ):
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
    """Return the sale that an authenticated callback reports, None for another callback."""
    sale = decoded(_SALE, body) if is_sound(body) else None
    if sale is None:
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


class _MandateNews(msgspec.Struct, frozen=True, tag_field="kind", tag="mandate_changed"):
    """A callback about a mandate that its customer has ended, paused or resumed."""

    mandate: str


_MANDATE_NEWS = msgspec.json.Decoder(_MandateNews)


def read_mandate_news(body: bytes) -> str | None:
    """Return the mandate that a callback is about, None for one about something else."""
    news = decoded(_MANDATE_NEWS, body) if is_sound(body) else None
    return news and news.mandate


def claimed_reference(body: bytes) -> str:
    """Return the reference in an unauthenticated body, or ""."""
    claim = decoded(_CLAIM, body)
    return claim.reference if claim else ""


def outcome(word: BankAnswer) -> Approved | Declined | Unknown | NothingThere | Voided:
    """Translate a payment's status.

    "paid" without a real amount, and anything unknown, stays Unknown.
    """
    match word.status:
        case "paid" | "authorised" | "done" if (
            word.amount_paise is not None
            and 0 < word.amount_paise <= AMOUNT_PAISE_MAX
            and word.currency
        ):
            return (
                _approved(word, Money(word.amount_paise, word.currency))
                if _is_rated(word)
                else Unknown(word.code)
            )
        case "declined" if word.trans_status in TRANS_STATUS - {PROCEED_ONLY_ON}:
            return not_authenticated(word.trans_status, cancelled=_is_cancelled(word))
        # A decline without a code does not count: inquiries go on.
        case "declined" if word.code and word.trans_status in {"", PROCEED_ONLY_ON}:
            return Declined(
                word.code,
                word.message,
                word.rrn,
                not_registered=word.code in NOT_REGISTERED_CODES,
                left=word.code in LEFT_CODES,
                mandate_over=word.code in MANDATE_OVER_CODES,
                mandate_paused=word.code in MANDATE_PAUSED_CODES,
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


def _is_rated(word: BankAnswer) -> bool:
    """Return whether an amount has a possible rate.

    A charge in another currency needs one.
    """
    if word.currency == RUPEES:
        return word.rate_micros in {None, RATE_ONE}
    return 0 < (word.rate_micros or (0 if word.status == "paid" else RATE_ONE)) <= RATE_MICROS_MAX


def moved_outcome(word: BankAnswer, order_amount: Money) -> Approved | Declined | Unknown:
    """Translate the answer to a debit or a refund, which nobody can hold; see `asked_outcome`."""
    answer = asked_outcome(word, order_amount)
    held = isinstance(answer, Approved) and answer.authorised_only
    return Unknown(word.code, word.message) if held else answer


def asked_outcome(word: BankAnswer, order_amount: Money) -> Approved | Declined | Unknown:
    """Translate the answer to a call that moves an amount.

    Another amount is Unknown: the bank is asked again.
    """
    answer = charge_outcome(word)
    other = isinstance(answer, Approved) and answer.amount != order_amount
    return Unknown(word.code, "the bank moved another amount") if other else answer


def charge_outcome(word: BankAnswer) -> Approved | Declined | Unknown:
    """Translate the answer to a charge.

    "not found" and "voided" make no sense there and decide nothing.
    """
    answer = outcome(word)
    return Unknown(word.code, word.message) if isinstance(answer, NothingThere | Voided) else answer


def refund_outcome(word: BankAnswer) -> Approved | Declined | Unknown | NothingThere:
    """Translate the bank's state of a refund, which nobody can void."""
    answer = outcome(word)
    held = isinstance(answer, Approved) and answer.authorised_only
    return Unknown(word.code, word.message) if held or isinstance(answer, Voided) else answer


def void_outcome(word: BankAnswer) -> Voided | Declined | Unknown:
    """Translate the answer to a void: only these two words decide it."""
    answer = outcome(word)
    return answer if isinstance(answer, Voided | Declined) else Unknown(word.code, word.message)


def list_answer(word: BankAnswer | Unknown) -> BankAnswer | Unknown:
    """Return an answer with a list; any other says nothing of the bank's choices."""
    if isinstance(word, Unknown):
        return word
    plans_hold = all(
        each.months > 0 and each.annual_rate_bps >= 0 <= each.minimum_paise
        for each in word.plans or ()
    )
    has_one = (word.banks is None) != (word.plans is None)
    return word if has_one and plans_hold else Unknown(message="the bank's list cannot be used")


def address_outcome(word: BankAnswer) -> RegisteredName | NotRegistered | Unknown:
    """Translate the network's answer about a UPI address."""
    match word.status:
        case "registered" if word.name:
            return RegisteredName(word.name)
        case "not_registered":
            return NotRegistered()
        case _:
            return Unknown(word.code, word.message)


def acceptance(word: BankAnswer) -> Accepted | Declined | Unknown:
    """Translate the answer to a call that moves no money.

    A notice, the end of a mandate or of a token.
    """
    return Accepted() if word.status == "done" else collect_outcome(word)


def collect_outcome(word: BankAnswer) -> Declined | Unknown:
    """Translate the answer to a collect request.

    Its success comes only by callback or inquiry.
    """
    answer = outcome(word)
    return answer if isinstance(answer, Declined) else Unknown(word.code, word.message)


def challenge(word: BankAnswer, origin: str) -> Redirect | Declined | Unknown:
    """Translate the answer to an authentication request.

    Only the bank's own origin is a valid page.
    """
    if (
        word.status == "challenge"
        and word.authentication_id
        and word.challenge_url.startswith(origin + "/")
    ):
        return Redirect(word.challenge_url, word.authentication_id)
    return collect_outcome(word)


def card_facts(word: BankAnswer) -> CardFacts | Unknown:
    """Translate the network's facts of a card."""
    card = word.card
    if word.status != "done" or card is None:
        return Unknown(word.code, word.message)
    return _facts(card)


def challenge_end(word: BankAnswer) -> Authentication | Unknown:
    """Translate the end of a challenge."""
    if word.status == "done" and word.trans_status in TRANS_STATUS:
        return Authentication(word.trans_status, word.eci, _is_cancelled(word))
    return Unknown(word.code, word.message, awaiting_customer=word.status == "pending")


def _is_cancelled(word: BankAnswer) -> bool:
    """Return whether the cardholder cancelled the challenge.

    EMVCo's challenge cancelation indicator.
    """
    return word.challenge_cancel == CANCELLED_BY_CARDHOLDER


def _approved(word: BankAnswer, amount: Money) -> Approved:
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
        payer_account=BankAccount(word.payer_account, word.payer_ifsc)
        if word.payer_account
        else None,
        rate_micros=word.rate_micros or RATE_ONE,
    )


def _facts(card: _Card) -> CardFacts:
    return CardFacts(card.last4, card.scheme, card.type, card.issuer, card.country, card.token)
