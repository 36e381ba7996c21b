"""Offers verification: the question to an affiliate, and its answer.

See docs/spec/partner-interfaces.md#offers and docs/spec/wire.md#offer-checksums.
"""

import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from http import HTTPStatus

import msgspec

from hundi.wire import fields, strict_json
from hundi.wire.strict_json import JsonValue

UNIQUE_MAX = 10
CUSTOMER_MAX = 100
EXPIRY_DAYS_MAX = 3_650
ANSWER_BYTES_MAX = 2_000
"""Smaller than the kept part of an answer, so that a cut one is not taken for whole.

See docs/spec/partner-interfaces.md#offer-limits.
"""
INDIA = timezone(timedelta(hours=5, minutes=30), "IST")
_DOCUMENTED = ("transactiontime", "customer", "amount", "expiryday", "expiry")
"""Values of `data` in documented order, with the sample's name of the last one."""
_UNIQUE = re.compile(r"[A-Za-z0-9+/_-]{1,10}={0,2}\Z")
_TIMES = ("%Y-%m-%d %H:%M:%S", "%Y:%m:%d %H:%M:%S", "%Y:%m-%d %H:%M:%S")
_DAYS = re.compile(r"[0-9]{1,4}\Z")
_SUCCESS, _NO = "200", "400"
YEARS = range(2000, 2100)
"""Years of a transaction; a wrong clock cannot exceed the range of dates.

See docs/spec/partner-interfaces.md#offers.
"""


class AnswerError(ValueError):
    """The affiliate's answer cannot be used; the text says why, for its developer."""


@dataclass(frozen=True, slots=True)
class Verified:
    """An affiliate's answer about a unique id.

    at: the time of the transaction. expiry_days: None where it gives none.
    """

    customer: str
    amount_paise: int
    at: datetime
    expiry_days: int | None


def is_unique_id(text: str) -> bool:
    """Return whether a text can be a unique id.

    Base64 of either alphabet, at most 10 characters.
    """
    return len(text) <= UNIQUE_MAX and _UNIQUE.match(text) is not None


def question(affiliate: str, unique_id: str, key: str) -> tuple[bytes, str]:
    """Return the body of the question to an affiliate, and the checksum for its header.

    See docs/spec/wire.md#offer-checksums.
    """
    body = msgspec.json.encode({"affiliateid": affiliate, "uniqueid": unique_id})
    return body, _sha256(affiliate + key + affiliate + unique_id)


def answer_checksum(affiliate: str, key: str, data: Mapping[str, JsonValue]) -> str:
    """Return an answer's checksum over the present values of `data` in documented order."""
    return _sha256(
        affiliate + key + "".join(_text(data[name]) for name in _DOCUMENTED if name in data)
    )


def read_answer(
    http_status: int, body: bytes, affiliate: str, keys: Sequence[str]
) -> Verified | None:
    """Return an affiliate's answer, None when it says "fail". Raises AnswerError when unusable.

    keys: the valid shared secrets; its checksum is made with one of them.
    """
    if http_status not in {HTTPStatus.OK, HTTPStatus.BAD_REQUEST}:
        # A redirect is no answer either: nobody has checked its target.
        message = f"HTTP {http_status}"
        raise AnswerError(message)
    if len(body) > ANSWER_BYTES_MAX:
        message = f"longer than {ANSWER_BYTES_MAX} bytes"
        raise AnswerError(message)
    try:
        answer = strict_json.parse(body)
    except strict_json.UnreadableJson as error:
        message = f"the answer is no JSON object: {error}"
        raise AnswerError(message) from None
    status = _text(answer.get("status"))
    if status == _NO:
        return None
    if status != _SUCCESS or http_status != HTTPStatus.OK:
        message = (
            f"HTTP {http_status}, and status is not {_NO}"
            if status != _SUCCESS
            else f"HTTP {http_status}"
        )
        raise AnswerError(message)
    data = answer.get("data")
    if not isinstance(data, dict):
        message = "data is no object"
        raise AnswerError(message)
    given = _text(answer.get("checksum")).lower().encode("utf-8", "replace")
    if not any(
        hmac.compare_digest(answer_checksum(affiliate, each, data).encode(), given) for each in keys
    ):
        message = "the checksum is wrong"
        raise AnswerError(message)
    return _verified(data)


def _verified(data: Mapping[str, JsonValue]) -> Verified:
    days = _text(data.get("expiryday")) or _text(data.get("expiry"))
    if days and not (_DAYS.match(days) and 0 < int(days) <= EXPIRY_DAYS_MAX):
        message = f"expiryday is not 1 to {EXPIRY_DAYS_MAX} days"
        raise AnswerError(message)
    try:
        customer = fields.words(_text(data.get("customer")).strip(), "customer", CUSTOMER_MAX)
        paise = _amount(_text(data.get("amount")))
    except fields.FieldError as error:
        message = f"{error.field} cannot be used: {error.allowed}"
        raise AnswerError(message) from None
    return Verified(
        customer, paise, _time(_text(data.get("transactiontime"))), int(days) if days else None
    )


def _amount(text: str) -> int:
    return 0 if text in {"0", "0.0", "0.00"} else fields.paise_from_text(text, "amount")


def _time(text: str) -> datetime:
    for form in _TIMES:
        try:
            moment = datetime.strptime(text, form).replace(tzinfo=INDIA)
        except ValueError:
            continue
        if moment.year in YEARS:
            return moment
    message = "transactiontime is not Y-m-d H:i:s"
    raise AnswerError(message)


def _text(value: JsonValue) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _sha256(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()
