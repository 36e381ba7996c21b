"""Card numbers and Aadhaar numbers in what people write: masked before anything is kept.

People type them where they do not belong: into notes, names, addresses and descriptions. Every field of words goes
through `masked`; fields that identify something (order ids, references of banks) stay as they came, for they must come
back so.
"""

import re

CARD, AADHAAR, CVV = "[card]", "[aadhaar]", "[cvv]"

# Digits may be grouped by spaces, dots or dashes, as people type and print them. A plain run is a card only when it
# starts as cards start: one in ten of all numbers passes the check digit, and our own ids have 15 digits.
_CARD = re.compile(
    r"(?<![\d.])(?:\d{4}([ .\u2010-\u2015\u2212-])\d{4}\1\d{4}\1\d{1,7}"
    r"|\d{4}([ .\u2010-\u2015\u2212-])\d{6}\2\d{4,5}"
    r"|3[47]\d{13}|[3-68]\d{13}|[2-68]\d{15}|[4-68]\d{12}|[4-68]\d{16,18})(?!\d)"
)
_AADHAAR = re.compile(r"(?<![\d.])[2-9]\d{3}([ .\u2010-\u2015\u2212-]?)\d{4}\1\d{4}(?!\d)")
_CVV = re.compile(r"(\[card\][^0-9\[\]]{0,40}|\b(?:cvv2?|cvc2?|cv2)\W{0,3})(?<!\d)(\d{3,4})(?!\d)", re.IGNORECASE)


def masked(text: str) -> str:
    """Return a text without card numbers, the code beside one, and Aadhaar numbers."""
    if not any(map(str.isdigit, text)):
        return text
    found = _CARD.sub(lambda match: CARD if _luhn(match[0]) else match[0], text)
    found = _AADHAAR.sub(lambda match: AADHAAR if _verhoeff(match[0]) else match[0], found)
    return _CVV.sub(rf"\1{CVV}", found)


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
_TURN = ("0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258")


def _verhoeff(text: str) -> bool:
    check = 0
    for place, character in enumerate(reversed([character for character in text if character.isdigit()])):
        check = int(_D5[check][int(_TURN[place % 8][int(character)])])
    return check == 0
