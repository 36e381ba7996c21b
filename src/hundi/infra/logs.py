"""Structured logs: one JSON object a line on standard error, with secrets masked.

Secrets are found by type, by key and by pattern.
"""

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any

import msgspec
import structlog

from hundi.kernel.masking import masked

HIDDEN = "[hidden]"
_DEPTH_MAX = 6
_TEXT_CHARACTERS_MAX = 8_000

_HIDDEN_KEY = re.compile(
    r"aadhaar|apikey|body|card|card_?number|cookie|csrf|cvc|cvv|headers|keys?|otp|pan|pin|session"
    r"|.*(authorization|encdata|password|privatekey|secret|token|_keys?)"
)
_ADDRESS_WORDS = frozenset({"url", "path", "target", "uri", "referer", "endpoint"})
# Our own numbers, or a bank's, that may look like a card by chance. A text under an `_id` may come
# from outside, so it is checked.
_NUMBER_KEYS_ENDINGS = ("_id", "_no", "_ms", "_paise")
_BANK_NUMBERS = frozenset({"rrn", "reference"})

_QUERY = re.compile(
    r"(\b[a-z][a-z0-9+.-]*://[^\s?#\"'<>]*|(?<=\s)/[^\s?#\"'<>]*)[?#][^\s\"'<>]+", re.IGNORECASE
)
_USERINFO = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^\s/@\"']+@", re.IGNORECASE)


class Secret:
    """A value that only `reveal()` returns in readable form."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        """Hide a value."""
        self._value = value

    def reveal(self) -> str:
        """Return the value."""
        return self._value

    def __repr__(self) -> str:
        """Show that a value is there."""
        return HIDDEN


def configure(level: str = "info") -> None:
    """Write all log lines of this process and its libraries to stderr, as redacted JSON."""
    structlog.configure(
        processors=[*_processors(), _to_json],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.BytesLoggerFactory(sys.stderr.buffer),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(
        handlers=[_LibraryLines()],
        level=max(logging.INFO, logging.getLevelNamesMapping()[level.upper()]),
        force=True,
    )
    logging.captureWarnings(capture=True)


def configure_command(level: str = "debug") -> None:
    """Write a command's log lines as redacted JSON to standard error: its output is for scripts.

    level: the least severe line that is written.
    """
    structlog.configure(
        processors=[*_processors(), _to_json_text],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        # Looked up for each line: callers that run commands within a process give each its own
        # stream.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )
    # A library may log the content of a file that it reads. A caller that runs commands within a
    # process has handlers already.
    logging.basicConfig(handlers=[_LibraryLines()], level=logging.WARNING)


def _processors() -> list[Any]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        redact,
    ]


def get_logger(name: str) -> structlog.typing.FilteringBoundLogger:
    """Return a module's logger; calls name an event and give facts as keywords."""
    return structlog.get_logger(module=name)


def redact(_: object, __: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """Return the event with every secret masked (a structlog processor)."""
    return {name: _clean(name, value, 0) for name, value in event.items()}


def clean_text(text: str) -> str:
    """Return a text without queries, card and Aadhaar numbers, cut to a readable length."""
    return masked(_USERINFO.sub(r"\1", _QUERY.sub(r"\1", text[:_TEXT_CHARACTERS_MAX])))


def _clean(name: str, value: object, depth: int) -> object:
    key = name.lower().replace("-", "_")
    if _HIDDEN_KEY.fullmatch(key):
        return HIDDEN if value else value
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return (
            value
            if key.endswith(_NUMBER_KEYS_ENDINGS) or clean_text(str(value)) == str(value)
            else "[number]"
        )
    if isinstance(value, str):
        return _clean_string(key, value)
    return _clean_container(name, value, depth)


def _clean_string(key: str, value: str) -> str:
    if key in _BANK_NUMBERS:
        return value[:_TEXT_CHARACTERS_MAX]
    if key in _ADDRESS_WORDS or key.endswith("_url"):
        value = value.partition("?")[0].partition("#")[0]
    return clean_text(value)


def _clean_container(name: str, value: object, depth: int) -> object:
    if depth >= _DEPTH_MAX:
        return "[deep]"
    if isinstance(value, Mapping):
        return {str(inner): _clean(str(inner), item, depth + 1) for inner, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_clean(name, item, depth + 1) for item in value]
    if isinstance(value, bytes | bytearray | memoryview):
        return f"[{len(value)} bytes]"
    return clean_text(repr(value))


def _to_json(_: object, __: str, event: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(event)


def _to_json_text(_: object, __: str, event: Mapping[str, Any]) -> str:
    return msgspec.json.encode(event).decode()


class _LibraryLines(logging.Handler):
    """Sends log lines of libraries the same way as our own lines."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        try:
            write = structlog.get_logger(module=record.name).log
            write(
                max(record.levelno, logging.DEBUG),
                record.getMessage(),
                exc_info=record.exc_info or None,
            )
        except Exception:  # noqa: BLE001 (a broken log line must not stop the work it is about)
            self.handleError(record)
