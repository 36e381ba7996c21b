"""Exchanges with an acquirer during one certification step, masked as they are noted."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast
from urllib.parse import parse_qsl

import msgspec

from hundi.kernel.masking import holds_card, masked_json

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
"""Names in requests and answers whose values stay out of the evidence."""
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
        self._known = tuple(sorted((each for each in known if each), key=len, reverse=True))
        self._noted: list[Exchange] = []

    @property
    def noted(self) -> tuple[Exchange, ...]:
        """Return the exchanges in their order; one that is repeated stands once."""
        return tuple(self._noted)

    def note(self, method: str, path: str, request: bytes, status: int, answer: bytes) -> None:
        """Note an exchange, masked."""
        exchange = Exchange(
            method,
            self._hidden(path.partition("?")[0]),
            self._hidden(masked_body(request)),
            status,
            self._hidden(masked_body(answer)),
        )
        if len(self._noted) < EXCHANGES_MAX and exchange not in self._noted:
            self._noted.append(exchange)

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
    """Return a body for evidence: no card, person's number, account, secret or token.

    JSON and forms keep their names. Anything else is only counted.
    """
    if not body:
        return ""
    read = _read(body)
    if read is None:
        return f"({len(body)} bytes)"
    return json.dumps(_masked(masked_json(read)), ensure_ascii=False)[:TEXT_MAX]


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
    if name and _SECRET.search(name) and value not in (None, "", True, False):
        return HIDDEN
    if isinstance(value, str):
        return _word(value)
    # Numbers of accounts and people may be numbers in JSON.
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return HIDDEN if is_number and holds_card(str(value)) else value


def _word(text: str) -> str:
    """Return a text, or its length where it may be a token, a sealed body or JSON in JSON."""
    nested = _read(text.encode()) if text[:1] in {"{", "["} else None
    if nested is not None:
        return json.dumps(_masked(nested), ensure_ascii=False)
    is_long = len(text) >= _LONG and " " not in text.strip()
    return f"({len(text)} characters)" if is_long else text
