"""What a payer may ask, the code that proves the payer, and the limits of both; pure."""

import hmac
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256

from hundi.kernel.masking import masked_reference
from hundi.letters.mobile.rules import mobile_number
from hundi.letters.rules import mail_address
from hundi.payments.search.rules import TEXT_MAX

CODE_DIGITS = 6
CODE_LIFE = timedelta(minutes=10)
"""How long a code works, from the question on."""
LOOK_LIFE = timedelta(minutes=15)
"""How long the page of the payment stays open after the code."""
TRIES_MAX = 5
"""Codes that may be typed for one question."""
CODES_AN_HOUR_MAX = 3
"""Codes to one contact, and about one payment, within an hour: nobody's phone is flooded."""
CODES_A_DAY_MAX = 8
"""The same within a day."""
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
KEPT_FOR = timedelta(days=2)
"""How long a question is kept: a little longer than its limits look back."""
CONTACT_LENGTH_MAX = 254


class QuestionState(StrEnum):
    """The state of one question."""

    ASKED = "asked"
    """A worker looks for the payment."""
    SILENT = "silent"
    """Nothing is sent: no such payment, no way to its payer, or a limit is reached."""
    CODED = "coded"
    """A code is on its way."""
    OPENED = "opened"
    """The code was typed: the browser sees the payment for a quarter of an hour."""


@dataclass(frozen=True, slots=True)
class TypedQuestion:
    """What a payer typed. contact: an e-mail address in small letters, or ten digits.

    language: of the page, for the letter.
    """

    reference: str
    contact: str = field(repr=False)
    language: str = "en"


@dataclass(frozen=True, slots=True)
class PayerQuestion:
    """A question as it is kept. owner_id: the merchant of the payment, 0 while none is found.

    ends_at: of the code, or of the look after it. tries: codes that were typed.
    """

    request_id: int
    state: QuestionState
    owner_id: int
    payment_id: int
    tries: int
    ends_at: datetime


@dataclass(frozen=True, slots=True)
class SentBefore:
    """How often it happened before. An hour and a day look back from now.

    contact_hour, contact_day: codes to the recipient. payment_hour: codes about the payment.
    """

    contact_hour: int
    contact_day: int
    payment_hour: int

    @property
    def is_enough(self) -> bool:
        """Return whether a limit is reached. The payer reads nothing of it."""
        return (
            self.contact_hour >= CODES_AN_HOUR_MAX
            or self.contact_day >= CODES_A_DAY_MAX
            or self.payment_hour >= CODES_AN_HOUR_MAX
        )


def contact_of(text: str) -> str:
    """Return a typed contact as it is compared: small letters, or ten digits; "" for neither."""
    return mail_address(text[:CONTACT_LENGTH_MAX]).lower() or mobile_number(
        text[:CONTACT_LENGTH_MAX]
    )


def reference_of(text: str) -> str:
    """Return a typed reference as it is looked for, "" for one that is too long or empty.

    No column holds a zero byte: such a text is no reference. Free text with a card number in it is
    masked, and so finds nothing.
    """
    reference = text.strip()
    if len(reference) > TEXT_MAX or "\0" in reference:
        return ""
    return masked_reference(reference)


def code_of(secret: bytes, request_id: int) -> str:
    """Return the code of a question: no row has it. secret: 32 bytes, derived for codes alone."""
    digest = hmac.digest(secret, f"code\n{request_id}".encode(), sha256)
    return f"{int.from_bytes(digest) % 10**CODE_DIGITS:0{CODE_DIGITS}}"


def is_code(secret: bytes, request_id: int, typed: str) -> bool:
    """Return whether a typed text is the code of a question; spaces between digits do not count."""
    digits = "".join(typed.split())
    right = code_of(secret, request_id)
    return hmac.compare_digest(digits.encode("utf-8", "surrogatepass"), right.encode())


def limit_key(secret: bytes, address: str) -> bytes:
    """Return the keyed hash by which codes to one recipient are counted."""
    return hmac.digest(secret, address.casefold().encode(), sha256)
