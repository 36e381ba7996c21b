"""Identifiers: made before anything is written, so that a retry carries the same one.

See docs/spec/domain.md#reference-numbers.
"""

import os
import re
import secrets
import string
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
_RANDOM_PART = 1_000_000
_BESIDE = 1_000
_BASE_36 = string.digits + string.ascii_lowercase
NO_MERCHANT = 0
"""The owner of references that the operator's certification of an account makes: nobody."""
_OWNER, _NUMBER = r"(0|[1-9][0-9]{0,18})", r"([1-9][0-9]{14})\Z"
_REFERENCE = re.compile(f"{_OWNER}-{_NUMBER}")
_REFUND_REFERENCE = re.compile(f"{_OWNER}-R{_NUMBER}")
_PAYOUT_REFERENCE = re.compile(f"{_OWNER}-P{_NUMBER}")
_CHECK_REFERENCE = re.compile(f"{_OWNER}-V{_NUMBER}")
_SHARE_REFERENCE = re.compile(f"{_OWNER}-S{_NUMBER}")
_REVERSAL_REFERENCE = re.compile(f"{_OWNER}-B{_NUMBER}")
_NOTICE_REFERENCE = re.compile(f"{_OWNER}-N{_NUMBER}")
REFERENCE_LENGTH_MAX = 35
ID_TRIES_MAX = 5
"""Ids that a caller of `new_id` takes for one row before it gives up."""
_below: Callable[[int], int] = secrets.randbelow


def draw_by(below: Callable[[int], int] = secrets.randbelow) -> None:
    """Let another source, such as a simulation's, draw the random part of ids.

    Without an argument it is the system's again. below: returns a number from 0 up to its argument,
    exclusive. Ids are no secrets; secrets keep the system's source.
    """
    global _below  # noqa: PLW0603 (one source for a process)
    _below = below


def draw(limit: int) -> int:
    """Return a random number from 0 up to a limit, exclusive.

    For a part of an id, never of a secret.
    """
    return _below(limit)


def new_id(now: datetime) -> int:
    """Return a number of 15 digits: seconds since 2020-01-01 UTC, then 6 random digits.

    Only a key in the database makes it unique for a merchant: the caller inserts, and on conflict
    takes another.
    """
    seconds = int((now - _EPOCH).total_seconds())
    return seconds * _RANDOM_PART + draw(_RANDOM_PART)


def next_id(now: datetime, before: int) -> int:
    """Return a number like those of `new_id` that is above another one, even of the same second."""
    return max(new_id(now), before + 1 + draw(_BESIDE))


def first_id(at: datetime) -> int:
    """Return the lowest number that `new_id` makes in a second."""
    return int((at - _EPOCH).total_seconds()) * _RANDOM_PART


def time_of(number: int) -> datetime:
    """Return the second in which a number was made, UTC."""
    return _EPOCH + timedelta(seconds=number // _RANDOM_PART)


def in_base_36(number: int) -> str:
    """Return a number of 0 or more in digits and small letters; `int(text, 36)` reads it."""
    text = ""
    while number > 0 or not text:
        number, digit = divmod(max(number, 0), 36)
        text = _BASE_36[digit] + text
    return text


def recipient_of_partner(affiliate: str) -> int:
    """Return a partner's number as a recipient of news: below zero, where no merchant is."""
    # A digit in front keeps leading zeros; ten characters of base 36 fit into a bigint by far.
    return -int("1" + affiliate, 36)


def partner_of_recipient(recipient_id: int) -> str:
    """Return the affiliate code of a partner's number, "" for a merchant's."""
    return "" if recipient_id >= 0 else in_base_36(-recipient_id)[1:].upper()


def reference(merchant_id: int, attempt_id: int) -> str:
    """Return our reference at the bank (UPI `tr` included): at most 35 of `[0-9-]`."""
    return f"{merchant_id}-{attempt_id}"


def _ids(pattern: re.Pattern[str], text: str) -> tuple[int, int] | None:
    match = pattern.match(text)
    return (int(match[1]), int(match[2])) if match else None


def parse_reference(text: str) -> tuple[int, int] | None:
    """Return (merchant_id, attempt_id) of a reference, None for a text that is not ours."""
    return _ids(_REFERENCE, text)


def refund_reference(merchant_id: int, refund_id: int) -> str:
    """Return a refund's reference at the bank, which never looks like an attempt's."""
    return f"{merchant_id}-R{refund_id}"


def parse_refund_reference(text: str) -> tuple[int, int] | None:
    """Return (merchant_id, refund_id) of a refund's reference, None for a text that is not ours."""
    return _ids(_REFUND_REFERENCE, text)


def payout_reference(merchant_id: int, payout_id: int) -> str:
    """Return a payout's reference at its provider."""
    return f"{merchant_id}-P{payout_id}"


def parse_payout_reference(text: str) -> tuple[int, int] | None:
    """Return (merchant_id, payout_id) of a payout's reference, None for a text that is not ours."""
    return _ids(_PAYOUT_REFERENCE, text)


def check_reference(merchant_id: int, check_id: int) -> str:
    """Return the reference of a check of a bank account."""
    return f"{merchant_id}-V{check_id}"


def parse_check_reference(text: str) -> tuple[int, int] | None:
    """Return (merchant_id, check_id) of a check's reference, None for a text that is not ours."""
    return _ids(_CHECK_REFERENCE, text)


def share_reference(merchant_id: int, share_id: int) -> str:
    """Return the reference of a share that an acquirer settles itself."""
    return f"{merchant_id}-S{share_id}"


def parse_share_reference(text: str) -> tuple[int, int] | None:
    """Return (merchant_id, share_id) of a share's reference, None for a text that is not ours."""
    return _ids(_SHARE_REFERENCE, text)


def reversal_reference(merchant_id: int, reversal_id: int) -> str:
    """Return the reference of a reversal of such a share."""
    return f"{merchant_id}-B{reversal_id}"


def parse_reversal_reference(text: str) -> tuple[int, int] | None:
    """Return (merchant_id, reversal_id) of a reversal's reference, None for another text."""
    return _ids(_REVERSAL_REFERENCE, text)


def notice_reference(merchant_id: int, debit_id: int) -> str:
    """Return the key at the bank of a mandate's notice about one debit."""
    return f"{merchant_id}-N{debit_id}"


def parse_notice_reference(text: str) -> tuple[int, int] | None:
    """Return (merchant_id, debit_id) of a notice's reference, None for a text that is not ours."""
    return _ids(_NOTICE_REFERENCE, text)


def dispute_reference(merchant_id: int, stage_id: int) -> str:
    """Return the key at the bank of our answer to one phase of a dispute."""
    return f"{merchant_id}-D{stage_id}"


def evidence_reference(merchant_id: int, evidence_id: int) -> str:
    """Return the key at the bank of one document of such an answer."""
    return f"{merchant_id}-E{evidence_id}"


def request_reference() -> str:
    """Return the reference id that every answer and its log line carry."""
    return "req_" + os.urandom(10).hex()
