"""Card rules: check digit, scheme by number range, lengths, expiry, and the masked form."""

import calendar
import re
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from hundi.kernel.masking import mask_fields
from hundi.kernel.names import seen

NUMBER_LENGTH_MIN = 12
NUMBER_LENGTH_MAX = 19
HOLDER_LENGTH_MAX = 100
# No issuer prints a later date; a typed 2062 for 2026 is refused here and not at the bank.
EXPIRY_YEARS_MAX = 20
_MONTHS = 12
_CENTURY = 2000
_MONTH_AND_YEAR_DIGITS = 4
_SHORT_YEAR_DIGITS = 2
_LONG_YEAR_DIGITS = 4
_TYPED_LENGTH_MAX = 40
CARD_TYPES = ("credit", "debit", "prepaid")
_MASK = "X"
_SHOWN = 4
_GROUPED = re.compile(r"(?<![0-9])(?=([0-9](?:[ .-]?[0-9]){11,18}))")
_GROUPS_MAX = 200


class Scheme(StrEnum):
    """A card network, named as customers know it."""

    RUPAY = "RuPay"
    VISA = "Visa"
    MASTERCARD = "Mastercard"
    AMEX = "American Express"
    DINERS = "Diners Club"
    DISCOVER = "Discover"
    JCB = "JCB"
    MAESTRO = "Maestro"

    @property
    def lengths(self) -> tuple[int, ...]:
        """Return the number lengths of this scheme, in digits."""
        return _LENGTHS[self]

    @property
    def cvv_length(self) -> int:
        """Return the digits of the security code."""
        return 4 if self is Scheme.AMEX else 3


_LENGTHS = {
    Scheme.RUPAY: (16,),
    Scheme.VISA: (13, 16, 19),
    Scheme.MASTERCARD: (16,),
    Scheme.AMEX: (15,),
    Scheme.DINERS: (14, 16, 17, 18, 19),
    Scheme.DISCOVER: (16, 17, 18, 19),
    Scheme.JCB: (16, 17, 18, 19),
    Scheme.MAESTRO: (12, 13, 14, 15, 16, 17, 18, 19),
}


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers that begin with `first` to `last` (texts of one length) belong to `scheme`."""

    first: str
    last: str
    scheme: Scheme


# RuPay lies inside Maestro and Discover, so the longest prefix is checked first
# (docs/spec/domain.md#card-ranges).
RANGES: tuple[Range, ...] = tuple(
    sorted(
        (
            Range("508500", "508999", Scheme.RUPAY),
            Range("606985", "607984", Scheme.RUPAY),
            Range("608001", "608500", Scheme.RUPAY),
            Range("652150", "653149", Scheme.RUPAY),
            Range("817200", "820199", Scheme.RUPAY),
            Range("4", "4", Scheme.VISA),
            Range("51", "55", Scheme.MASTERCARD),
            Range("2221", "2720", Scheme.MASTERCARD),
            Range("34", "34", Scheme.AMEX),
            Range("37", "37", Scheme.AMEX),
            Range("300", "305", Scheme.DINERS),
            Range("309", "309", Scheme.DINERS),
            Range("36", "36", Scheme.DINERS),
            Range("38", "39", Scheme.DINERS),
            Range("6011", "6011", Scheme.DISCOVER),
            Range("644", "649", Scheme.DISCOVER),
            Range("65", "65", Scheme.DISCOVER),
            Range("3528", "3589", Scheme.JCB),
            Range("50", "50", Scheme.MAESTRO),
            Range("56", "69", Scheme.MAESTRO),
        ),
        key=lambda one: -len(one.first),
    )
)


class Problem(StrEnum):
    """Why a typed card is refused; the page has words for each."""

    NUMBER_MISSING = "number_missing"
    NUMBER_NOT_DIGITS = "number_not_digits"
    NUMBER_LENGTH = "number_length"
    NUMBER_CHECK_DIGIT = "number_check_digit"
    NUMBER_UNKNOWN_SCHEME = "number_unknown_scheme"
    EXPIRY_MISSING = "expiry_missing"
    EXPIRY_UNREADABLE = "expiry_unreadable"
    EXPIRY_PAST = "expiry_past"
    EXPIRY_TOO_FAR = "expiry_too_far"
    CVV_MISSING = "cvv_missing"
    CVV_LENGTH = "cvv_length"
    HOLDER_TOO_LONG = "holder_too_long"

    @property
    def field(self) -> str:
        """Return its form field: `number`, `expiry`, `cvv` or `holder`."""
        return self.partition("_")[0]


@dataclass(frozen=True, slots=True)
class CardNumber:
    """A typed card: it lives in memory for one call and has no readable form.

    number: digits only. expiry: month 1-12 and four-digit year. cvv: 3 or 4 digits.
    """

    number: str
    expiry_month: int
    expiry_year: int
    cvv: str
    holder: str = ""

    def __repr__(self) -> str:
        """Hide all fields from tracebacks."""
        return "CardNumber(****)"


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What may be stored of a card: of its number only the last four digits.

    type: one of CARD_TYPES, "" for unknown. token: the network's replacement for the number, ""
    without the holder's consent. emi_months, emi_rate_bps: the instalments that the card's bank
    made of this payment, and their yearly rate, according to the acquirer; 0: none, or unknown.
    """

    last4: str = ""
    scheme: str = ""
    type: str = ""
    issuer: str = ""
    country: str = ""
    token: str = field(default="", repr=False)
    emi_months: int = 0
    emi_rate_bps: int = 0

    def __post_init__(self) -> None:
        """Mask a whole number, whoever sent it."""
        mask_fields(self, "last4", "scheme", "type", "issuer", "country")


NO_CARD = CardFacts()
"""For an attempt without a card, or with a card that the bank has not named."""


@dataclass(frozen=True, slots=True)
class TypedCard:
    """A card form as it arrived, unchecked; it has no readable form, because a part is secret."""

    number: str
    expiry: str
    cvv: str
    holder: str = ""

    def __repr__(self) -> str:
        """Hide all fields from tracebacks."""
        return "TypedCard(****)"


def is_number(text: str) -> bool:
    """Return whether a text is a card number, in any grouping; it must not be stored."""
    digits = _compact(text)
    in_bounds = NUMBER_LENGTH_MIN <= len(digits) <= NUMBER_LENGTH_MAX
    return in_bounds and digits.isascii() and digits.isdigit() and luhn_holds(digits)


def holds_number(text: str) -> bool:
    """Return whether a text may contain a card number; not all of very many groups are checked."""
    for looked, group in enumerate(_GROUPED.finditer(text)):
        digits = re.sub("[^0-9]", "", group[1])
        lengths = range(NUMBER_LENGTH_MIN, len(digits) + 1)
        if looked == _GROUPS_MAX or any(
            _number_problem(digits[:length]) is None for length in lengths
        ):
            return True
    return False


def luhn_holds(digits: str) -> bool:
    """Return whether the last digit checks the others (Luhn, modulus 10)."""
    total = 0
    for place, character in enumerate(reversed(digits)):
        digit = int(character)
        total += digit if place % 2 == 0 else digit * 2 - 9 * (digit > _SHOWN)
    return total % 10 == 0


def scheme_of(digits: str) -> Scheme | None:
    """Return the scheme of a number or of its first digits, None outside the known ranges."""
    for one in RANGES:
        start = digits[: len(one.first)]
        if len(start) == len(one.first) and one.first <= start <= one.last:
            return one.scheme
    return None


def facts_of_number(card: CardNumber) -> CardFacts:
    """Return what a card's number alone tells."""
    scheme = scheme_of(card.number)
    return CardFacts(last4=card.number[-4:], scheme=scheme.value if scheme else "")


def masked(digits: str) -> str:
    """Return a number for display and storage: all but the last four digits replaced.

    See docs/spec/domain.md#card-masking.
    """
    return _MASK * (len(digits) - _SHOWN) + digits[-_SHOWN:]


def read(typed: TypedCard, today: date) -> CardNumber | tuple[Problem, ...]:
    """Return the card, or the first problem of each of its fields.

    today: the business day; a card is good to the last day of its month.
    """
    number = _compact(typed.number)
    expiry = _read_expiry(typed.expiry)
    faults = (
        _number_problem(number),
        _expiry_problem(typed.expiry, expiry, today),
        _cvv_problem(typed.cvv, number),
    )
    problems = tuple(one for one in faults if one is not None)
    holder = seen(typed.holder)
    if len(holder) > HOLDER_LENGTH_MAX:
        problems = (*problems, Problem.HOLDER_TOO_LONG)
    if problems or expiry is None:
        return problems
    month, year = expiry
    return CardNumber(number, month, year, typed.cvv.strip(), holder)


def _compact(text: str) -> str:
    return text.replace(" ", "").replace("-", "")


def _digits_only(text: str) -> bool:
    # str.isdigit alone would accept Devanagari digits, which the bank would not.
    return text.isascii() and text.isdigit()


def _number_problem(number: str) -> Problem | None:
    if not number:
        return Problem.NUMBER_MISSING
    if not _digits_only(number):
        return Problem.NUMBER_NOT_DIGITS
    if not NUMBER_LENGTH_MIN <= len(number) <= NUMBER_LENGTH_MAX:
        return Problem.NUMBER_LENGTH
    scheme = scheme_of(number)
    if scheme is None:
        return Problem.NUMBER_UNKNOWN_SCHEME
    if len(number) not in scheme.lengths:
        return Problem.NUMBER_LENGTH
    return None if luhn_holds(number) else Problem.NUMBER_CHECK_DIGIT


def _read_expiry(text: str) -> tuple[int, int] | None:
    """Return (month, four-digit year) of an expiry date, or None.

    Reads `MM/YY`, `MM / YYYY`, `MMYY`, `MYY` and the like.
    """
    if len(text) > _TYPED_LENGTH_MAX:
        return None
    compact = _compact(text)
    month, separator, year = compact.partition("/")
    if not separator:
        month, year = compact[:-_SHORT_YEAR_DIGITS], compact[-_SHORT_YEAR_DIGITS:]
        if len(compact) > _MONTH_AND_YEAR_DIGITS:
            month, year = compact[:2], compact[2:]
    if not (_digits_only(month) and _digits_only(year)) or not 1 <= int(month) <= _MONTHS:
        return None
    if len(year) == _SHORT_YEAR_DIGITS:
        return int(month), _CENTURY + int(year)
    return (int(month), int(year)) if len(year) == _LONG_YEAR_DIGITS else None


def _expiry_problem(typed: str, expiry: tuple[int, int] | None, today: date) -> Problem | None:
    if not typed.strip():
        return Problem.EXPIRY_MISSING
    if expiry is None:
        return Problem.EXPIRY_UNREADABLE
    month, year = expiry
    if year > today.year + EXPIRY_YEARS_MAX:
        return Problem.EXPIRY_TOO_FAR
    if year < today.year or today > date(year, month, calendar.monthrange(year, month)[1]):
        return Problem.EXPIRY_PAST
    return None


def _cvv_problem(typed: str, number: str) -> Problem | None:
    cvv = typed.strip()
    if not cvv:
        return Problem.CVV_MISSING
    scheme = scheme_of(number) if _digits_only(number) else None
    allowed = (3, 4) if scheme is None else (scheme.cvv_length,)
    return None if _digits_only(cvv) and len(cvv) in allowed else Problem.CVV_LENGTH
