"""What a hostile message may cost before it is refused.

Calls of Python are counted, because time differs by machine.

What runs in C is bounded by the size of a body; what runs in Python must be bounded by these tests.
"""

import itertools
import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from hundi.api.merchant.refund import BODY_BYTES_MAX
from hundi.wire import cipher, envelope, strict_json
from hundi.wire.envelope import FIELDS_MAX
from hundi.wire.forms import ESCAPES_MAX
from hundi.wire.merchant import checksum

SIZE = BODY_BYTES_MAX
KEY = cipher.encryption_key("user", "password")
NOW = datetime(2026, 11, 22, 18, 20, tzinfo=UTC)
"""Close to midnight in India, where the most dates count."""
CALLS_MAX = 60_000
"""About 5 ms on a small machine.

A call of Python and what it does take 0.05 to 0.1 microseconds.
"""
FORM, JSON = "application/x-www-form-urlencoded", "application/json"


def calls_of(work: Callable[[], object]) -> int:
    """Return how often Python called something, in Python or in C, while some work was done."""
    counted = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counted


def packed(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


VALUES = strict_json.VALUES_MAX - 20
MESSAGES = {
    "as many lists as may be": packed({"x": [[1]] * (VALUES // 2)}),
    "as many keys as may be": packed(
        {f"k{number}": None if number % 2 else {"é": 1} for number in range(VALUES // 2)}
    ),
    "as many nulls and one long text": packed(
        dict.fromkeys(map(str, range(VALUES))) | {"x": "é" * (SIZE // 3)}
    ),
    "too many lists": packed({"x": [[1]] * (SIZE // 4)}),
    "too many nulls": packed({"x": [None] * (SIZE // 5)}),
    "too many numbers": packed({"x": [1] * (SIZE // 2)}),
    "too many keys": packed({f"k{number}": 1 for number in range(SIZE // 9)}),
    "too many short texts": packed({"x": [","] * (SIZE // 4)}),
    "too many texts that end in a backslash": packed({"x": ["\\"] * (SIZE // 5)}),
    "too deep": b'{"x":' + b"[" * SIZE,
    "a text without an end": b'{"x":"' + b'\\"' * (SIZE // 2),
    "brackets in a text": packed({"x": "[{," * (SIZE // 3)}),
    "one long text": packed({"x": "é" * (SIZE // 2)}),
    "escapes in a text": packed({"x": "\1" * (SIZE // 6)}),
    "halves of pairs": b'{"x":"' + b"\\ud800" * (SIZE // 6) + b'"}',
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_that_is_opened_and_has_a_wrong_checksum(name: str) -> None:
    sealed = cipher.seal(KEY, MESSAGES[name])

    def work() -> None:
        try:
            values = cipher.open_json(KEY, sealed)
        except cipher.UnreadableCipher:
            return
        wrong = {"username": "user", "password": "password", "payment_page": True}
        assert checksum.match(values, "0" * 64, NOW, **wrong) is None
        list(itertools.islice(checksum.canonical_texts(values, NOW), 12))

    assert calls_of(work) < CALLS_MAX


BODIES = {
    "text that is not ASCII": (FORM, ("é%" * (SIZE // 3)).encode()[:SIZE]),
    "nothing but escapes": (FORM, b"encdata=" + b"%41" * (SIZE // 3)),
    "as many escaped places as may be": (FORM, b"encdata=" + b"%41x" * ESCAPES_MAX),
    "too many escaped places": (FORM, b"encdata=" + b"%41x" * (SIZE // 4)),
    "escapes that are none": (FORM, b"encdata=" + b"%4x%" * (SIZE // 4)),
    "nothing but fields": (FORM, b"a&" * (SIZE // 2)),
    "as many fields as may be": (FORM, (b"a" * (SIZE // FIELDS_MAX - 1) + b"&") * (FIELDS_MAX - 1)),
    "nothing but plus": (FORM, b"a=" + b"+" * SIZE),
    "JSON lists": (JSON, MESSAGES["too many lists"]),
    "JSON keys": (JSON, MESSAGES["too many keys"]),
    "multipart": ("multipart/form-data; boundary=b", b"--b\r\n" + b"X: y\r\n" * (SIZE // 6)),
    "multipart that almost ends": (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n' + b"\r\n--" * (SIZE // 4),
    ),
    "multipart of nothing": ("multipart/form-data; boundary=b", b"--b\r\n\r\n" * (SIZE // 7)),
    "multipart options": ("multipart/form-data; " + "boundary=b; " * 5_000, b"--b--"),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_body_before_anybody_is_known(name: str) -> None:
    content_type, body = BODIES[name]

    def work() -> None:
        try:
            envelope.parse_outer(content_type, body)
        except envelope.UnreadableEnvelope:
            return

    assert calls_of(work) < CALLS_MAX


def test_the_count_sees_what_these_bounds_are_for() -> None:
    """Without the bound on values, the worst message costs many times what is allowed."""
    assert calls_of(lambda: strict_json.compact([[1]] * 60_000)) > 2 * CALLS_MAX
