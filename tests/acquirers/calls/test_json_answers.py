"""Which JSON of an acquirer is read at all."""

import msgspec
import pytest

from hundi.acquirers.calls.json_answers import is_sound


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        (
            b'{"amount": 149950, "rate": 1.5e3, "message": "Paid \\n \\u20b9 \xe2\x82\xb9 '
            b'\\ud83d\\ude00"}'
        ),
        b'[["a", {"b": [null, true, -999999999999999999]}]]',
        b'{"a":' * 100 + b"1" + b"}" * 100,
        b"[" + b"{}," * 1_000 + b"[[[]]]]",
    ],
)
def test_what_means_one_thing_to_every_reader_is_read(body: bytes) -> None:
    assert is_sound(body)
    msgspec.json.decode(body)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{} {}",
        b'{"a": 1, "a": 2}',
        b'[{"a": {"b": 1, "b": 1}}]',
        b'{"a": "\\u0000"}',
        b'{"a\\u0000": 1}',
        b'"\\u0007"',
        b'["\\u0000"]',
        # An emoji that somebody cut in two: no column keeps it, and msgspec does not read it.
        b'{"message": "\\ud83d"}',
        b'{"message": ["\\ude00\\ud83d"]}',
        b'{"\\ud83d": 1}',
        b'{"a": 1234567890123456789}',
        b'{"a": NaN}',
        b"-Infinity",
        b"\xff\xfe{\x00}\x00",
        b"\xef\xbb\xbf{}",
        b'{"a": "\xed\xa0\xbd"}',
        # The standard library of Python 3.13 reads it.
        b'{"a":' * 101 + b"1" + b"}" * 101,
        b"[" * 101 + b"]" * 101,
        b"[" * 8_000 + b"]" * 8_000,
        b'{"a":' * 2_000 + b"1" + b"}" * 2_000,
    ],
)
def test_what_readers_disagree_about_or_no_database_keeps_is_not(body: bytes) -> None:
    assert not is_sound(body)
