"""Rules of one-time passwords, masked numbers and the facts that a check returns; pure."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from stdnum.exceptions import ValidationError
from stdnum.in_ import aadhaar

OTP_DIGITS = 6
OTP_LIFE = timedelta(minutes=10)
WRONG_MAX = 3
SENDS_MAX = 6
RESEND_AFTER = timedelta(seconds=45)
"""The least time between two one-time passwords.

See docs/spec/partner-interfaces.md#otp-rules.
"""
SENDS_COUNTED_FOR = timedelta(hours=1)
"""The span in which sends to one holder are counted, over a partner's requests that began in it.

See docs/spec/partner-interfaces.md#otp-rules.

An earlier request sends no more: each send extends it by OTP_LIFE, and there are SENDS_MAX of them.
"""
assert SENDS_MAX * OTP_LIFE <= SENDS_COUNTED_FOR
REQUESTS_KEPT_FOR = timedelta(days=30)
NUMBER_DIGITS = 12
_BAND_YEARS = 10
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "dr", "shri", "smt", "kumari", "kum"})
_NUMBERS = re.compile(r"(?<![0-9])[2-9][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}(?![0-9])")
_APOSTROPHES = re.compile("['\u2018\u2019\u02bc`\u200c\u200d]")
"""Ignored in a name: apostrophes as people type them, and the joiners of Indian scripts."""


class RequestState(StrEnum):
    """The state of a request for a document (docs/spec/states-and-codes.md#otp-states)."""

    OPEN = "open"
    """A password was sent, and may be entered."""
    USED = "used"
    """The right password was entered, once."""
    LOCKED = "locked"
    """Too many wrong passwords were entered."""


@dataclass(frozen=True, slots=True)
class OtpRecord:
    """A request for a holder's document.

    forwarded_as, forwarded_txn: a live provider's ids of it.
    """

    affiliate: str
    request_id: str
    gateway_txn_id: int
    holder_reference: bytes
    last4: str
    state: RequestState
    otp_hash: bytes
    sends: int
    wrong: int
    sent_at: datetime
    expires_at: datetime
    forwarded_as: str = ""
    forwarded_txn: int = 0

    def is_open(self, now: datetime) -> bool:
        """Return whether a password may be entered."""
        return self.state is RequestState.OPEN and now < self.expires_at


def is_number(text: str) -> bool:
    """Return whether a text can be an identity number (docs/spec/domain.md#aadhaar-number)."""
    if len(text) != NUMBER_DIGITS or not (text.isascii() and text.isdigit()):
        return False
    try:
        aadhaar.validate(text)
    except ValidationError:
        return False
    return True


def without_numbers(text: str) -> str:
    """Return a text with every identity number in it masked, written in one piece or in fours."""

    def hidden(match: re.Match[str]) -> str:
        number = re.sub("[ -]", "", match[0])
        return masked(number[-4:]) if is_number(number) else match[0]

    return _NUMBERS.sub(hidden, text)


def masked(last4: str) -> str:
    """Return an identity number as it may be shown."""
    return "X" * (NUMBER_DIGITS - 4) + last4


def wait_before_resend(request: OtpRecord, now: datetime) -> int:
    """Return the seconds until a password may be sent again, 0 when it may."""
    return max(0, -int((now - request.sent_at - RESEND_AFTER).total_seconds()))


def after_wrong(request: OtpRecord) -> tuple[int, RequestState]:
    """Return the number of wrong passwords, with this one, and the request's next state."""
    wrong = request.wrong + 1
    return wrong, RequestState.LOCKED if wrong >= WRONG_MAX else RequestState.OPEN


def same_name(name: str, registered: str) -> bool:
    """Return whether two names are one person's: any order, initials allowed, titles ignored."""
    ours, theirs = _words(name), _words(registered)
    if not ours or len(ours) != len(theirs):
        return False
    left = list(theirs)
    # Whole words are matched first, so that an initial takes what is left.
    for word in sorted(ours, key=len, reverse=True):
        fitting = next((each for each in left if _one_word(word, each)), None)
        if fitting is None:
            return False
        left.remove(fitting)
    return any(len(word) > 1 and word in theirs for word in ours)


def _one_word(one: str, other: str) -> bool:
    return one == other or (1 in {len(one), len(other)} and one[0] == other[0])


def _words(name: str) -> list[str]:
    plain = _APOSTROPHES.sub("", unicodedata.normalize("NFKC", name).casefold())
    # Letters and their marks: the vowel signs of Indian scripts are marks, and make another name.
    spaced = "".join(each if unicodedata.category(each)[0] in "LM" else " " for each in plain)
    return [word for word in spaced.split() if word not in _TITLES]


def born_on(dob: str) -> date:
    """Return a date of birth written DD-MM-YYYY. Raises ValueError for other text."""
    return datetime.strptime(dob, "%d-%m-%Y").date()  # noqa: DTZ007 (a date of birth has no zone)


def age_band(born: date, today: date) -> str:
    """Return somebody's ten years of age, as `30-40`.

    See docs/spec/partner-interfaces.md#age-band.
    """
    age = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
    low = age // _BAND_YEARS * _BAND_YEARS
    return f"{low}-{low + _BAND_YEARS}"


def masked_mobile(mobile: str) -> str:
    """Return a mobile number's last three digits, the rest masked; "" for none."""
    return "*" * (len(mobile) - 3) + mobile[-3:] if mobile else ""
