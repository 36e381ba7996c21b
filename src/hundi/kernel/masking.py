"""Card numbers and Aadhaar numbers in people's texts: masked before anything is stored.

People type them into notes, names, addresses and descriptions. Every field of words goes through
`masked`. Fields that identify something (order ids, references of banks) stay exact, because they
must come back so; `masked_reference` finds free text in references. See docs/spec/wire.md#words.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, cast

CARD, AADHAAR, KEY = "[card]", "[aadhaar]", "[key]"
"""The replacement, with a star for each digit of a CVV; never longer than the typed text."""

_BEARER_KEY = re.compile(r"hundi_[0-9]{1,12}_[A-Za-z0-9_-]{20,43}")
"""A bearer key of the plain interface, or most of one that was cut."""
_AADHAAR_DIGITS = 12
_CARD_DIGITS_MIN, _CARD_DIGITS_MAX = 13, 19
_PHONE_AS_CARD = 14
"""From this many digits on, a telephone number with the form of a card number counts as one."""
_GROUPS_MAX = 4_096
"""Groups of one run of digits that are compared; a longer run is masked as a whole."""
_CVV_REACH = 24
"""Characters between a card number and the digits that are taken as its CVV."""

# One digit: as a character of any script, percent-encoded, or escaped as in JSON or HTML.
_ONE = (
    r"%3[0-9]|\\u003[0-9]|&#(?:4[89]|5[0-7]);|&#x3[0-9];"
    r"|[\d\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]"
)
# Between groups: up to three signs that are no letters. Not a colon, because times have it.
_SIGN = (
    r"%(?:20|2[def]|09|a0|c2%a0)|\\u(?:00a0|20[01][0-9a-f]|202f)|\\[trn]|&nbsp;|&#160;"
    r"|[\s.+_*/,|~\-\u00ad\u200b-\u200d\u2010-\u2015\u2022\u2060\u2212\u00b7\uff0d\uff0e\ufeff]"
)
_RUN = re.compile(
    rf"(?:{_ONE})(?:(?:{_SIGN}){{0,3}}(?:{_ONE})){{{_AADHAAR_DIGITS - 1},}}", re.IGNORECASE
)
_DIGEST = re.compile(r"(?<![0-9a-z])(?=[0-9]*[a-f])[0-9a-f]{32,}(?![0-9a-z])", re.IGNORECASE)
"""A digest: its hexadecimal digits may look like any number."""
_DIGIT_OR_SIGN = re.compile(rf"(?P<digit>{_ONE})|{_SIGN}", re.IGNORECASE)
_CVV_NAMED = re.compile(
    r"((?:cvv2?|cvc2?|cv2|cvn2?|csc|cid|security[\s_-]*(?:code|number|no))(?:[^\w*\[\]]|_|\b(?:is|no|code|number)\b){0,12})"
    r"(\d{3,4})(?!\d)",
    re.IGNORECASE,
)
# Not part of a longer number, of an amount, nor of an expiry such as 12/27 or 12/2027.
_CVV_BESIDE = re.compile(r"(?<![\d.,/₹])\d{3}(?![\d/]|[.,]\d)")
_CVV_BESIDE_AMEX = re.compile(r"(?<![\d.,/₹])\d{3,4}(?![\d/]|[.,]\d)")
_CVV_NAME = re.compile(r".*(?:cvv|cvc|cvn|securitycode).*")
_CUT = re.compile(rf"(?:{_ONE})(?:(?:{_SIGN}){{0,3}}(?:{_ONE})){{6,}}\Z", re.IGNORECASE)
_CUT_LENGTH_MIN = 100
"""From this length on a connector may have cut the words, perhaps in the middle of a number."""
_CARD_GROUPS = re.compile(r"4 4 4 (?:[1-4]|4 [1-3])|4 6 [45]")
"""The lengths of groups in which cards are printed, from 13 to 19 digits."""
_SPELLED = re.compile(r"[%\\]|&#")
"""Signs that spell digits and that no reference has."""
_WORD_OF_PROSE = re.compile(r"(?<!\S)\W*[^\W\d_]+\W*(?!\S)")
_WORDS_OF_PROSE_MIN = 3
"""With this many words of letters, twelve digits are free text and no bank's reference."""
_DIGIT_SPELT = re.compile(r"[0-9]|%3|&#|\\u")
_REFERENCE_NAME = re.compile(
    r"rrns?|utr|umrn|arn|phone|mobile|account_number|.*(?:id|reference|_no)", re.IGNORECASE
)
"""Names in JSON whose values stay exact: their 12 digits are no Aadhaar number."""


class Swept(StrEnum):
    """The result of a sweep in a row with sealed words.

    FOUND: a number, which is masked if requested.
    """

    CLEAN = "clean"
    FOUND = "found"
    CHANGED = "changed"
    UNOPENED = "unopened"


class _Digit(NamedTuple):
    value: str
    start: int
    end: int


class _Number(NamedTuple):
    start: int
    end: int
    word: str


def masked(text: str) -> str:
    """Return a text without card numbers, the code beside one, Aadhaar numbers and bearer keys.

    Other text comes back unchanged, and masking twice is the same as once.
    """
    if not _may_hold(text):
        return text
    text = _BEARER_KEY.sub(KEY, text)
    replacements = [(number.start, number.end, number.word) for number in _numbers(text)]
    for start, end, word in tuple(replacements):
        beside = _CVV_BESIDE_AMEX if text[start : start + 1] == "3" else _CVV_BESIDE
        spans = (
            ((max(0, start - _CVV_REACH), start), (end, end + _CVV_REACH)) if word == CARD else ()
        )
        replacements += [
            (*code.span(), "*" * len(code[0]))
            for low, high in spans
            for code in beside.finditer(text, low, high)
        ]
    return _without_codes(_replaced(text, sorted(replacements)))


def _may_hold(text: str) -> bool:
    """Return whether a text has a digit in any spelling; most texts have none."""
    if _DIGIT_SPELT.search(text):
        return True
    return not text.isascii() and any(map(str.isdigit, text))


def _without_codes(text: str) -> str:
    return _CVV_NAMED.sub(lambda code: code[1] + "*" * len(code[2]), text)


def masked_json(value: Any) -> Any:  # noqa: ANN401 (JSON)
    """Return a JSON value with each text in it masked, and each CVV by its name.

    References stay exact.
    """
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, Mapping):
        fields = cast("Mapping[object, object]", value)
        return {name: _of_name(str(name), inner) for name, inner in fields.items()}
    if isinstance(value, list | tuple):
        return [masked_json(inner) for inner in cast("Sequence[object]", value)]
    return value


def holds_card(text: str) -> bool:
    """Return whether a text has a card number, in any spelling that `masked` knows."""
    return any(number.word == CARD for number in _numbers(text))


def masked_words(text: str) -> str:
    """Return an acquirer's words, masked; digits at the end of long words are removed as well.

    A connector may have cut the words, and a number with them.
    """
    words = masked(text)
    return _CUT.sub(CARD, words) if len(text) >= _CUT_LENGTH_MIN else words


def mask_fields(
    record: object,
    *names: str,
    by: Callable[[str], str] = masked_words,
    put: Callable[[Any, str, Any], None] = object.__setattr__,
) -> None:
    """Mask fields of a record while it is made, so that no record of the kind ever has a number.

    put: sets a field of a frozen record.
    """
    for name in names:
        text = getattr(record, name)
        if (kept := by(text)) != text:
            put(record, name, kept)


def masked_address(address: str) -> str:
    """Return a UPI address, masked if it has a card number.

    Twelve digits may be a telephone number.
    """
    return masked(address) if holds_card(address) else address


def masked_reference(text: str) -> str:
    """Return a reference, exact unless somebody wrote a card's or a person's number into it.

    Digits without a gap stay: one of twenty numbers that banks give their payments has the form of
    a card's. Among several words a card number is masked as well, and an Aadhaar number in its
    three groups or in a sentence: "UPI 412345678901" names a payment.
    """
    if text.strip().isalnum():
        return text
    is_several = len(text.split()) > 1
    is_wrong = _is_written if is_several else _is_grouped
    if _SPELLED.search(text) or any(is_wrong(text, number) for number in _numbers(text)):
        return masked(text)
    return _without_codes(text) if is_several else text


def _is_grouped(text: str, number: _Number) -> bool:
    return number.word == CARD and _CARD_GROUPS.fullmatch(_lengths(text, number)) is not None


def _is_written(text: str, number: _Number) -> bool:
    """Return whether a number among words is a card's or a person's, not a reference."""
    lengths = _lengths(text, number)
    if (
        not text[number.start : number.end].isascii()
        or _CARD_GROUPS.fullmatch(lengths)
        or lengths == "4 4 4"
    ):
        return True
    is_whole = (
        not text[number.start - 1 : number.start].isalnum()
        and not text[number.end : number.end + 1].isalnum()
    )
    if " " in lengths or not is_whole:
        return False
    return number.word == CARD or len(_WORD_OF_PROSE.findall(text)) >= _WORDS_OF_PROSE_MIN


def _lengths(text: str, number: _Number) -> str:
    return " ".join(
        str(len(group)) for group in re.findall(r"\d+", text[number.start : number.end])
    )


def _of_name(name: str, value: object) -> object:
    if not isinstance(value, str):
        return masked_json(value)
    if value.isdigit() and _CVV_NAME.fullmatch(re.sub("[^a-z]", "", name.lower())):
        return "*" * len(value)
    # An order id comes back exactly.
    if name == "order_id":
        return value
    # A reference of 12 digits may be an RRN.
    return value if _REFERENCE_NAME.fullmatch(name) and not holds_card(value) else masked(value)


def _numbers(text: str) -> Iterator[_Number]:
    """Find the numbers of a text, outside the digests in it; they may overlap."""
    at = 0
    for digest in _DIGEST.finditer(text):
        yield from _numbers_between(text, at, digest.start())
        at = digest.end()
    yield from _numbers_between(text, at, len(text))


def _numbers_between(text: str, low: int, high: int) -> Iterator[_Number]:
    for run in _RUN.finditer(text, low, high):
        signs = _DIGIT_OR_SIGN.finditer(text, *run.span())
        digits = [_Digit(_value(sign[0]), *sign.span()) for sign in signs if sign["digit"]]
        yield from _of_run(digits, is_phone=text[run.start() - 1 : run.start()] == "+")


def _value(spelt: str) -> str:
    if len(spelt) == 1:
        return str(unicodedata.digit(spelt))
    body = spelt.strip("&#;")
    return chr(int(body)) if body.isdigit() else body[-1]


def _of_run(digits: list[_Digit], *, is_phone: bool) -> Iterator[_Number]:
    """Find the numbers of a run: each begins and ends at a group."""
    starts = [0] + [at for at in range(1, len(digits)) if digits[at - 1].end != digits[at].start]
    if len(starts) > _GROUPS_MAX:
        yield _Number(digits[0].start, digits[-1].end, CARD)
        return
    ends = {*starts[1:], len(digits)}
    values = "".join(digit.value for digit in digits)
    for start in starts:
        for end in range(start + _AADHAAR_DIGITS, min(start + _CARD_DIGITS_MAX, len(digits)) + 1):
            if end not in ends:
                continue
            if is_card(values[start:end]):
                yield _Number(digits[start].start, digits[end - 1].end, CARD)
            elif is_aadhaar(values[start:end]) and not (is_phone and start == 0):
                yield _Number(digits[start].start, digits[end - 1].end, AADHAAR)


def is_card(digits: str) -> bool:
    """Return whether ASCII digits have a card number's length, prefix and check digit.

    The prefixes are those of the schemes that issue cards: without them one in ten of our own ids
    (15 digits), of times and of amounts would match.
    """
    return (
        _CARD_DIGITS_MIN <= len(digits) <= _CARD_DIGITS_MAX and _is_issued(digits) and _luhn(digits)
    )


def is_card_as_phone(digits: str) -> bool:
    """Return whether a telephone number's digits are a card's; 13 may be a telephone abroad."""
    return len(digits) >= _PHONE_AS_CARD and is_card(digits)


def is_aadhaar(digits: str) -> bool:
    """Return whether ASCII digits are 12, begin with neither 0 nor 1, and pass Aadhaar's check."""
    return len(digits) == _AADHAAR_DIGITS and digits[0] not in "01" and _verhoeff(digits)


_BEGINNINGS = {
    13: re.compile("[4568]"),
    14: re.compile("3[0689]|[56]"),
    15: re.compile("3[47]|[56]"),
    16: re.compile("[34568]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"),
}
_BEGINNING_OF_LONGER = re.compile("[34568]")


def _is_issued(digits: str) -> bool:
    return _BEGINNINGS.get(len(digits), _BEGINNING_OF_LONGER).match(digits) is not None


def _replaced(text: str, spans: list[tuple[int, int, str]]) -> str:
    """Replace spans of a text with words; of overlapping spans the first word counts."""
    parts, at = list[str](), 0
    for start, end, word in spans:
        if start >= at:
            parts += [text[at:start], word]
        at = max(at, end)
    return "".join([*parts, text[at:]])


# Written here: the SDK uses this module, and runs without the libraries of the gateway.
def _luhn(text: str) -> bool:
    digits = [int(character) for character in reversed(text) if character.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


# Multiplication in the dihedral group D5, and the permutation of Verhoeff's scheme.
_D5 = (
    "0123456789",
    "1234067895",
    "2340178956",
    "3401289567",
    "4012395678",
    "5987604321",
    "6598710432",
    "7659821043",
    "8765932104",
    "9876543210",
)
_TURN = (
    "0123456789",
    "1576283094",
    "5803796142",
    "8916043527",
    "9453126870",
    "4286573901",
    "2793806415",
    "7046913258",
)


def _verhoeff(text: str) -> bool:
    check = 0
    for place, character in enumerate(
        reversed([character for character in text if character.isdigit()])
    ):
        check = int(_D5[check][int(_TURN[place % 8][int(character)])])
    return check == 0
