"""Exchanges with an acquirer during one certification step, masked as they are noted."""

import base64
import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast
from urllib.parse import parse_qsl, quote, quote_plus

import msgspec

from hundi.kernel.ids import NO_MERCHANT
from hundi.kernel.masking import holds_card, masked_json, masked_words

EXCHANGES_MAX = 40
"""The most exchanges that are noted of one step; polling makes many alike."""
TEXT_MAX = 4_096
"""The most characters of one masked request or answer."""
_LONG = 48
"""Characters from which a text without a space is a token, a sealed body or a page."""
HIDDEN = "********"
_SECRET = re.compile(
    r"key|secret|token|hash|check_?sum|signature|passw|cvv|cvc|otp\b|pin\b|pan\b|salt|session"
    r"|auth(?:orization|_code)|enc_?re[qs]|card_?(?:number|no)|account_?(?:number|no)"
    r"|bank_?account|aadhaar|vpa|e?mail|phone|mobile|contact|\bnumber\b|holder|expiry"
    r"|name_at_bank|registered_name|beneficiary_?name",
    re.IGNORECASE,
)
"""Names whose values stay out of the evidence, and of which it does not tell the length either."""
_OF = (
    r"(?:cf|merchant|original|parent|acquirer|bank|pg|gateway|created|updated|error|status|sub"
    r"|response|resp|result|failure|total|net|gross|paid|due|http|captured|refunded|request|event"
    r"|order|payment|pay|refund|txn|transaction|transfer|payout|mandate|subscription|plan"
    r"|settlement|link|invoice|receipt|batch|notification|debit|tracking)*"
)
_TOLD = re.compile(
    rf"{_OF}(?:id|ref|refid|refno|refnum|reference|referenceid|referenceno|referencenumber)"
    rf"|{_OF}(?:amount|amt|currency|fee|fees|tax|status|state|stage|type|mode|method|rail|count)"
    rf"|{_OF}(?:code|date|time|timestamp|at|on|version|attempts|page|limit|skip|cursor)"
    r"|order|payment|refund|transfer|payout|event|entity|object|rrn|utr|arn|umrn|mihpayid|easepayid"
)
_MESSAGE = re.compile(rf"{_OF}(?:message|msg|description|desc|reason|error|cause)")
_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]+(?:@|%40)[A-Za-z][A-Za-z0-9.-]*", re.IGNORECASE
)
"""A UPI address or an email address, in a path as well."""
_NUMBER = re.compile(rf"(?<!\d)(?<!\b{NO_MERCHANT}-)(?<!\b{NO_MERCHANT}-[A-Z])\d{{9,}}")
"""A number in a sentence, perhaps of an account or a telephone; not a certification's reference."""
_NAME = re.compile(r"[A-Za-z0-9_.\[\]%-]{1,40}\Z")
"""The name of a form's field."""


class Exchange(msgspec.Struct, frozen=True):
    """One call to an acquirer. status: of HTTP, 0 where no answer came."""

    method: str
    path: str
    request: str
    status: int
    answer: str


class ExchangeNotes:
    """What is noted of a step's calls. known: values that never stand in a note."""

    def __init__(self, known: Collection[str]) -> None:
        """Begin with nothing."""
        spelt = {form for each in known if each for form in _spelt(each)}
        self._known = tuple(sorted(spelt, key=len, reverse=True))
        self._noted: list[Exchange] = []

    @property
    def noted(self) -> tuple[Exchange, ...]:
        """Return the exchanges in their order; one that is repeated stands once."""
        return tuple(self._noted)

    def note(self, method: str, path: str, request: bytes, status: int, answer: bytes) -> None:
        """Note an exchange, masked."""
        exchange = Exchange(
            method,
            _ADDRESS.sub(HIDDEN, self._hidden(path.partition("?")[0])),
            self._hidden(masked_body(request))[:TEXT_MAX],
            status,
            self._hidden(masked_body(answer))[:TEXT_MAX],
        )
        if len(self._noted) < EXCHANGES_MAX and exchange not in self._noted:
            self._noted.append(exchange)

    def words(self, text: str) -> str:
        """Return the words of a step's verdict, masked as a call is."""
        return _sentence(self._hidden(text))

    def _hidden(self, text: str) -> str:
        for value in self._known:
            text = text.replace(value, HIDDEN)
        return text


_notes: ContextVar[ExchangeNotes | None] = ContextVar("exchange_notes", default=None)


@contextmanager
def noting(notes: ExchangeNotes) -> Iterator[None]:
    """Note the exchanges of the calls that are made within."""
    before = _notes.set(notes)
    try:
        yield
    finally:
        _notes.reset(before)


def note(method: str, path: str, request: bytes, status: int, answer: bytes) -> None:
    """Note an exchange, where somebody notes them. status: 0 where no answer came."""
    notes = _notes.get()
    if notes is not None:
        notes.note(method, path, request, status, answer)


def masked_body(body: bytes) -> str:
    """Return a body for evidence: the values of known names, and of others how long they are.

    JSON and forms keep their names. Anything else is only counted.
    """
    if not body:
        return ""
    read = _read(body)
    if read is None:
        return f"({len(body)} bytes)"
    text = json.dumps(_masked(masked_json(read)), ensure_ascii=False)
    return _ADDRESS.sub(HIDDEN, text)


def _spelt(value: str) -> set[str]:
    """Return the forms in which a value may stand in a call."""
    content = value.encode()
    return {
        value,
        json.dumps(value)[1:-1],
        quote(value, safe=""),
        quote_plus(value),
        base64.b64encode(content).decode().rstrip("="),
        base64.urlsafe_b64encode(content).decode().rstrip("="),
    }


def _read(body: bytes) -> object:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return _form(text)


def _form(text: str) -> object:
    """Return the fields of a form, None for anything else, such as a sealed body."""
    parts = text.split("&")
    if all("=" in part and _NAME.match(part.partition("=")[0]) for part in parts):
        return dict(parse_qsl(text, keep_blank_values=True)) or None
    return None


def _masked(value: object, name: str = "") -> object:
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        return {each: _masked(inner, str(each)) for each, inner in fields.items()}
    if isinstance(value, list):
        return [_masked(inner, name) for inner in cast("list[object]", value)]
    if value in (None, "", True, False):
        return value
    if name and _SECRET.search(name):
        return HIDDEN
    text = str(value)
    nested = _read(text.encode()) if isinstance(value, str) and text[:1] in {"{", "["} else None
    if nested is not None:
        return json.dumps(_masked(nested), ensure_ascii=False)
    return _told(value, re.sub("[^a-z0-9]", "", name.lower()))


def _told(value: object, name: str) -> object:
    """Return the value of a known name, and of any other one how long it is."""
    text = str(value)
    if _MESSAGE.fullmatch(name) and " " in text:
        return _sentence(text)
    is_long = len(text) >= _LONG and " " not in text.strip()
    is_told = _TOLD.fullmatch(name) or _MESSAGE.fullmatch(name)
    return (
        value if is_told and not is_long and not holds_card(text) else f"({len(text)} characters)"
    )


def _sentence(text: str) -> str:
    """Return an acquirer's words without the addresses and long numbers in them."""
    return _NUMBER.sub(HIDDEN, _ADDRESS.sub(HIDDEN, masked_words(text)))
