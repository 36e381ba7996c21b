"""Messages to a bank's switch and the meaning of its answers; pure.

A call is stored before it is sent, and one decision about it afterwards: the bank's answer, or its
reversal (decision 0056).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from typing import Annotated

import msgspec

from hundi.acquirers.iso8583.dialects import Dialect
from hundi.acquirers.iso8583.wire import Message
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money

RUPEE, RUPEE_NUMBER, MINOR_DIGITS = "INR", "356", "2"
"""ISO 4217: letters, number, and how many digits are paise."""
PURCHASE_CODE, REFUND_CODE = "000000", "200000"
"""Field 3: goods and services, return of goods; from and to no named account."""
KEYED_BY_HAND, ORDERED_AWAY = "012", "08"
"""Fields 22 and 25 of 1987.

Number typed in at a terminal without PIN pad; mail or telephone order.
"""
POS_DATA_2003 = "4000000040000000" + "1000000000000000"
"""Field 22 of 2003: physical entry, no verification of the holder, mail or telephone order, no
named security.
"""
TRACES_MAX = 999_999
"""The largest number of field 11; then numbers begin again."""
_INDIA = timezone(timedelta(hours=5, minutes=30))
SENT_BACK = (
    "No answer of the bank came that can be relied on; whatever it had charged was reversed."
)


class CallKind(StrEnum):
    """The purpose of a call."""

    PURCHASE = "purchase"
    """Charge a card: 0200."""
    HOLD = "hold"
    """Hold an amount: 0100."""
    CAPTURE = "capture"
    """Capture a hold: the advice 0220."""
    REFUND = "refund"
    """Refund an amount: 0200 with processing code 20."""
    REVERSAL = "reversal"
    """Undo a call whose answer did not come or was not understood: 0400."""
    VOID = "void"
    """Undo an unwanted hold: 0400."""


_CLASS: Mapping[CallKind, str] = {
    CallKind.PURCHASE: "200",
    CallKind.HOLD: "100",
    CallKind.CAPTURE: "220",
    CallKind.REFUND: "200",
    CallKind.REVERSAL: "400",
    CallKind.VOID: "400",
}
_FUNCTION_2003: Mapping[CallKind, str] = {
    CallKind.PURCHASE: "200",
    CallKind.HOLD: "100",
    CallKind.CAPTURE: "201",
    CallKind.REFUND: "200",
    CallKind.REVERSAL: "400",
    CallKind.VOID: "400",
}
_PART_CAPTURED_2003 = "202"
_REASON_2003: Mapping[CallKind, str] = {
    CallKind.CAPTURE: "1004",
    CallKind.REVERSAL: "4021",
    CallKind.VOID: "4000",
}
"""Field 25: processed at the terminal; time-out waiting for the response.

The last one: cancelled by the customer.
"""


class Call(msgspec.Struct, frozen=True):
    """A call as it is stored before it is sent; no card is in it.

    at: Unix seconds. trace: field 11. rrn: field 37.
    """

    kind: CallKind
    paise: int
    currency: str
    trace: int
    at: int
    rrn: str

    @property
    def amount(self) -> Money:
        """Return the amount that it moves or moved."""
        return Money(self.paise, self.currency)


class CallDecision(msgspec.Struct, frozen=True, omit_defaults=True):
    """The one decision about a call.

    code: the bank's, in codes of 1987. undo: the call that reverses it, None where none does.
    paise: what the bank says it moved. approval: field 38.
    """

    code: str
    paise: int = 0
    approval: str = ""
    undo: Call | None = None

    @property
    def approved(self) -> bool:
        """Return whether the bank moved or holds the amount, and nobody gave it up."""
        return self.undo is None and self.code == "00"


class CallEnd(msgspec.Struct, frozen=True, omit_defaults=True):
    """The bank's final answer to a reversal, capture or void. done: it happened.

    code: the bank's.
    """

    done: bool
    code: str


Kept = Call | CallDecision | CallEnd
_ENDINGS = "abcdefgh"
ENDINGS = tuple((f"ending_{letter}", f"ended_{letter}") for letter in _ENDINGS)
"""Names of a hold's captures and voids, and of their ends.

Another one may follow only after the bank refused it.
"""


def stored_text(value: Kept) -> str:
    """Return a value as it is stored."""
    return msgspec.json.encode(value).decode()


def call_of(words: Mapping[str, str], name: str = "call") -> Call | None:
    """Return a stored call, None where there is none."""
    return msgspec.json.decode(words[name], type=Call) if name in words else None


def word_of(words: Mapping[str, str], name: str = "word") -> CallDecision | None:
    """Return the decision about a call, None while there is none."""
    return msgspec.json.decode(words[name], type=CallDecision) if name in words else None


def ended_of(words: Mapping[str, str], name: str = "undone") -> CallEnd | None:
    """Return the end of a reversal, capture or void, None while it has none."""
    return msgspec.json.decode(words[name], type=CallEnd) if name in words else None


def ending_of(words: Mapping[str, str]) -> tuple[str, Call, CallEnd | None] | None:
    """Return the last capture or void of a hold, with the name of its end, or None."""
    standing = [
        (end, call_of(words, name), ended_of(words, end)) for name, end in ENDINGS if name in words
    ]
    if not standing:
        return None
    end, call, ended = standing[-1]
    return (end, call, ended) if call is not None else None


def free_ending(words: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the names for another capture or void, None where one stands."""
    for name, end in ENDINGS:
        if name not in words:
            return name, end
        ended = ended_of(words, end)
        if ended is None or ended.done:
            return None
    return None


class Station(msgspec.Struct, frozen=True):
    """Our identity at the bank.

    card_code_field: where a card's code goes, 0: nowhere.

    card_code_prefix: what that field begins with.
    """

    acquirer: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,11}\Z")]
    terminal: str
    acceptor: str
    name_and_place: str
    category: str
    country: str
    card_code_field: int = 0
    card_code_prefix: str = ""


@dataclass(frozen=True, slots=True)
class Original:
    """The message that a call refers to. approval: the bank's, "" where none arrived."""

    call: Call
    approval: str = ""


def type_of(dialect: Dialect, kind: CallKind, *, advice: bool = False, again: bool = False) -> str:
    """Return the message type.

    advice: reversals are advices (0420). again: it was, or may have been, sent before.
    """
    middle = _CLASS[kind]
    if advice and middle == "400":
        middle = "420"
    return dialect.digit + middle[:2] + ("1" if again else middle[2])


def answer_type(mti: str) -> str:
    """Return the type of the answer to a message: 0210 answers 0200 and 0201, 2814 answers 2804.

    The last digit says who began, and is odd in a repeat.
    """
    return mti[:2] + str(int(mti[2]) + 1) + str(int(mti[3]) // 2 * 2)


def network_message(dialect: Dialect, code: str, trace: int, at: int, station: Station) -> Message:
    """Return a message about the connection: sign-on, sign-off or echo."""
    times = _times(dialect, at)
    kept_times = times if dialect.version == "2003" else {7: times[7]}
    fields = {**kept_times, 11: str(trace), dialect.network_field: code, 32: station.acquirer}
    return Message(dialect.digit + ("800" if dialect.version == "1987" else "804"), fields)


def network_answer(request: Message, dialect: Dialect) -> Message:
    """Return our answer to the bank's message about the connection."""
    echoed = {
        number: request.fields[number] for number in (7, 11, 12, 24, 70) if number in request.fields
    }
    good = next(iter(dialect.approved))
    return Message(answer_type(request.mti), {**echoed, 39: good})


def message(
    dialect: Dialect,
    station: Station,
    call: Call,
    *,
    card: CardNumber | None = None,
    original: Original | None = None,
    advice: bool = False,
    again: bool = False,
) -> Message:
    """Return a call as a message.

    card: of a purchase or hold; no other message has it, because it is not stored. original: the
    message that a capture, refund, reversal or void is about.
    """
    fields = {
        **_times(dialect, call.at),
        3: REFUND_CODE if _is_refund(call, original) else PURCHASE_CODE,
        4: amount_text(dialect, call.amount),
        11: str(call.trace).zfill(dialect.stan_digits),
        32: station.acquirer,
        37: call.rrn,
        41: station.terminal,
        42: station.acceptor,
        43: station.name_and_place,
    }
    fields |= (
        _of_1987(call, station) if dialect.version == "1987" else _of_2003(call, station, original)
    )
    if original is not None:
        fields[dialect.original_field] = _original(dialect, station, original.call)
        if original.approval:
            fields[38] = original.approval
    if card is not None:
        fields |= _card(card, station)
    mti = type_of(dialect, call.kind, advice=advice, again=again)
    return Message(mti, {number: value for number, value in sorted(fields.items()) if value})


def _is_refund(call: Call, original: Original | None) -> bool:
    undone = original.call.kind if original and call.kind is CallKind.REVERSAL else None
    return CallKind.REFUND in {call.kind, undone}


def _times(dialect: Dialect, at: int) -> dict[int, str]:
    sent = datetime.fromtimestamp(at, UTC)
    there = sent.astimezone(_INDIA)
    if dialect.version == "1987":
        return {7: f"{sent:%m%d%H%M%S}", 12: f"{there:%H%M%S}", 13: f"{there:%m%d}"}
    return {7: f"{sent:%m%d%H%M%S}", 12: f"{there:%Y%m%d%H%M%S}"}


def amount_text(dialect: Dialect, amount: Money) -> str:
    """Return an amount as the dialect writes it, in paise."""
    paise = f"{amount.paise:012}"
    return paise if dialect.version == "1987" else RUPEE_NUMBER + MINOR_DIGITS + paise


def _of_1987(call: Call, station: Station) -> dict[int, str]:
    fields = {18: station.category, 19: station.country, 49: RUPEE_NUMBER}
    if call.kind in {CallKind.REVERSAL, CallKind.VOID}:
        return fields
    return {**fields, 22: KEYED_BY_HAND, 25: ORDERED_AWAY}


def _of_2003(call: Call, station: Station, original: Original | None) -> dict[int, str]:
    function = _FUNCTION_2003[call.kind]
    if call.kind is CallKind.CAPTURE and original is not None and call.paise != original.call.paise:
        function = _PART_CAPTURED_2003
    fields = {
        19: station.country,
        24: function,
        25: _REASON_2003.get(call.kind, ""),
        26: station.category,
        43: "",
    }
    if call.kind in {CallKind.REVERSAL, CallKind.VOID}:
        return fields
    return {**fields, 22: POS_DATA_2003}


def _original(dialect: Dialect, station: Station, call: Call) -> str:
    """Return field 90 of 1987 or field 56 of 2003.

    Type, trace, time and acquirer of the original message.
    """
    mti, times = type_of(dialect, call.kind), _times(dialect, call.at)
    if dialect.version == "1987":
        return f"{mti}{call.trace:06}{times[7]}{station.acquirer:0>11}{'0' * 11}"
    return f"{mti}{call.trace:012}{times[12]}{station.acquirer}"


def _card(card: CardNumber, station: Station) -> dict[int, str]:
    fields = {2: card.number, 14: f"{card.expiry_year % 100:02}{card.expiry_month:02}"}
    if station.card_code_field and card.cvv:
        fields[station.card_code_field] = station.card_code_prefix + card.cvv
    return fields
