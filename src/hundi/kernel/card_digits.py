"""Card and Aadhaar numbers in texts: found in every spelling that people and programs use, and masked.

Every door that keeps free text sends it through `masked_text`; identifiers, which must come back exactly, are refused
by `holds_card` instead. See docs/security.md#numbers-in-free-text.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from stdnum import luhn, verhoeff

MASK = "X"
SHOWN = 4
"""Digits of a masked number that stay: the last ones."""
AADHAAR_DIGITS = 12
CARD_DIGITS_MIN, CARD_DIGITS_MAX = 13, 19
_DIGITS_MIN = AADHAAR_DIGITS
_RUN_PIECES_MAX = 4_096
"""Pieces of one run of digits that are compared; what is longer is masked as a whole."""
_CVV_REACH = 24
"""Characters between a card number and the digits that are taken as its CVV."""

# One digit: as a character of any script, percent-encoded, or escaped as in JSON or HTML.
_ONE = r"%3[0-9]|\\u003[0-9]|&#(?:4[89]|5[0-7]);|&#x3[0-9];|[\d\u00b2\u00b3\u00b9\u2070-\u2089\u2460-\u2468\u24ea]"
# What stands between groups: up to three signs that are no letter. A colon is not among them: times have it.
_SIGN = (
    r"%(?:20|2[def]|09|a0|c2%a0)|\\u(?:00a0|20[01][0-9a-f]|202f)|\\[trn]|&nbsp;|&#160;"
    r"|[\s.+_*/,|~\-\u00ad\u200b-\u200d\u2010-\u2015\u2022\u2060\u2212\u00b7\uff0d\uff0e\ufeff]"
)
_RUN = re.compile(rf"(?:{_ONE})(?:(?:{_SIGN}){{0,3}}(?:{_ONE})){{{_DIGITS_MIN - 1},}}", re.IGNORECASE)
_DIGIT_OR_SIGN = re.compile(rf"(?P<digit>{_ONE})|{_SIGN}", re.IGNORECASE)
_CVV_NAMED = re.compile(
    r"((?:cvv2?|cvc2?|cvn2?|csc|cid|security[\s_-]*(?:code|number|no))(?:[^\w]|_|\b(?:is|no|code|number)\b){0,12})"
    r"(\d{3,4})(?!\d)",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"rrns?|utr|umrn|arn|phone|mobile|account_number|.*(?:_id|id|reference|_no)", re.IGNORECASE)
"""Names in JSON whose values must stay exact: of 12 digits they are no Aadhaar number; a card number is masked."""
_CVV_KEY = re.compile(r".*(?:cvv|cvc|cvn|securitycode).*")
# Not part of a longer number, of an amount, nor of an expiry such as 12/27 or 12/2027.
_CVV_BESIDE = re.compile(r"(?<![\d.,/₹X])\d{3}(?![\d/]|[.,]\d)")
_CVV_BESIDE_LONG = re.compile(r"(?<![\d.,/₹X])\d{3,4}(?![\d/]|[.,]\d)")


class _Digit(NamedTuple):
    value: str
    start: int
    end: int


def masked_text(text: str) -> str:
    """Return a text with all but the last four digits of each card and Aadhaar number masked, CVVs wholly.

    Text without such numbers comes back as it is; masking twice changes nothing.
    """
    cards: list[tuple[int, int, bool]] = []
    hidden: list[_Digit] = []
    for digits in _runs(text):
        for first, last in _numbers(digits):
            hidden += digits[first : max(first, last - SHOWN)]
            if last - first > AADHAAR_DIGITS:
                cards.append((digits[first].start, digits[last - 1].end, _is_amex(digits[first:last])))
    marks = {(digit.start, digit.end) for digit in hidden}
    for start, end, is_amex in cards:
        beside = _CVV_BESIDE_LONG if is_amex else _CVV_BESIDE
        for low, high in ((max(0, start - _CVV_REACH), start), (end, end + _CVV_REACH)):
            marks |= {(at, at + 1) for found in beside.finditer(text, low, high) for at in range(*found.span())}
    marked = _replaced(text, sorted(marks)) if marks else text
    return _CVV_NAMED.sub(lambda found: found[1] + MASK * len(found[2]), marked)


def masked_reference(text: str) -> str:
    """Return what names something elsewhere, masked if a card number stands in it: 12 digits are a bank's reference."""
    return masked_text(text) if holds_card(text) else text


def masked_json(value: Any) -> Any:  # noqa: ANN401 (JSON)
    """Return a JSON value with each text in it masked, names and whole numbers too, and what is named a CVV."""
    if isinstance(value, str):
        return masked_text(value)
    if isinstance(value, Mapping):
        return {masked_text(str(name)): _under(str(name), inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [masked_json(inner) for inner in value]
    return value


def _under(name: str, value: object) -> object:
    is_text = isinstance(value, str) and value.isdigit()
    if is_text and _CVV_KEY.fullmatch(re.sub("[^a-z]", "", name.lower())):
        return MASK * len(str(value))
    if isinstance(value, str) and name == "order_id":
        # It comes back exactly. A new one that is a card number is refused where orders are made.
        return value
    if isinstance(value, str) and _IDENTIFIER.fullmatch(name):
        return masked_reference(value)
    return masked_json(value)


def holds_card(text: str) -> bool:
    """Return whether a card number stands in a text; an Aadhaar number does not count.

    For identifiers. One in ten of all numbers of 12 digits looks like an Aadhaar number, and order ids and banks'
    references of 12 digits are usual.
    """
    return any(last - first > AADHAAR_DIGITS for digits in _runs(text) for first, last in _numbers(digits))


def is_card(digits: str) -> bool:
    """Return whether ASCII digits have the length, the beginning and the check digit of a card number.

    The beginnings are those of the schemes of ISO/IEC 7812 that are issued: without them one in ten of all our own
    ids (15 digits), of times and of amounts in a row would count.
    """
    return _is_issued(digits) and luhn.is_valid(digits)


def is_aadhaar(digits: str) -> bool:
    """Return whether 12 ASCII digits are an Aadhaar number: none begins with 0 or 1, the last one checks the others."""
    return len(digits) == AADHAAR_DIGITS and digits[0] not in "01" and verhoeff.is_valid(digits)


def _is_issued(digits: str) -> bool:
    length, first, two = len(digits), digits[0], digits[:2]
    if not CARD_DIGITS_MIN <= length <= CARD_DIGITS_MAX:
        return False
    if length == 13 or length > 16:  # noqa: PLR2004 (lengths of cards)
        return first in "4568" or (first == "3" and length > 16)  # noqa: PLR2004
    if length == 14:  # noqa: PLR2004
        return two in ("30", "36", "38", "39") or first in "56"
    if length == 15:  # noqa: PLR2004
        return two in ("34", "37") or first in "56"
    return first in "34568" or "2221" <= digits[:4] <= "2720"


def _runs(text: str) -> Iterator[list[_Digit]]:
    for run in _RUN.finditer(text):
        signs = _DIGIT_OR_SIGN.finditer(text, *run.span())
        yield [_Digit(_value(sign[0]), sign.start(), sign.end()) for sign in signs if sign["digit"]]


def _value(spelt: str) -> str:
    if len(spelt) == 1:
        return str(unicodedata.digit(spelt))
    body = spelt.strip("&#;")
    return chr(int(body))[-1] if body.isdigit() else spelt.rstrip(";")[-1]


def _numbers(digits: list[_Digit]) -> Iterator[tuple[int, int]]:
    """Return the places of card and Aadhaar numbers in a run: each begins and ends with a group of the run."""
    starts = [0] + [at for at in range(1, len(digits)) if digits[at - 1].end != digits[at].start]
    if len(starts) > _RUN_PIECES_MAX:
        yield 0, len(digits)
        return
    ends = {*starts[1:], len(digits)}
    values = "".join(digit.value for digit in digits)
    for start in starts:
        for end in range(start + AADHAAR_DIGITS, min(start + CARD_DIGITS_MAX, len(digits)) + 1):
            part = values[start:end]
            if end in ends and (is_card(part) or is_aadhaar(part)):
                yield start, end


def _is_amex(digits: list[_Digit]) -> bool:
    return digits[0].value == "3"


def _replaced(text: str, places: list[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in places:
        parts += [text[at:start], MASK]
        at = end
    return "".join([*parts, text[at:]])
