"""URL-encoded fields: read as the standard library reads them, and bounded."""

from urllib.parse import parse_qsl, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire.forms import ESCAPES_MAX, UnreadableForm, pairs

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=5))
def test_what_is_encoded_comes_back(fields: list[tuple[str, str]]) -> None:
    named = [(name, value) for name, value in fields if name or value]
    assert pairs(urlencode(named).encode(), 64) == named


@given(st.binary(max_size=60).map(lambda raw: raw.replace(b";", b"")))
def test_any_bytes_are_read_as_the_standard_library_reads_their_text(form: bytes) -> None:
    if form.isascii():
        assert pairs(form, 64) == parse_qsl(form.decode(), keep_blank_values=True)
    else:
        assert all(isinstance(text, str) for pair in pairs(form, 64) for text in pair)


@pytest.mark.parametrize(
    "form", ["a=%", "a=%4", "a=%zz&b=%4&c=%25", "%41=%e0%a4%b8x%", "a==b&c", "a=1&&b=2"]
)
def test_odd_forms(form: str) -> None:
    assert pairs(form.encode(), 64) == parse_qsl(form, keep_blank_values=True)


def test_text_without_encoding_is_utf_8() -> None:
    assert pairs("name=आशा राव".encode(), 64) == [("name", "आशा राव")]


def test_bounds() -> None:
    long = quote_plus("स" * 80_000)
    assert pairs(f"a={long}".encode(), 64) == [("a", "स" * 80_000)]
    most = b"a=" + b"%41x" * ESCAPES_MAX
    assert pairs(most, 64) == [("a", "Ax" * ESCAPES_MAX)]
    with pytest.raises(UnreadableForm, match=f"more than {ESCAPES_MAX} escaped places"):
        pairs(most + b"&b=%41", 64)
    assert len(pairs(b"a&" * 63, 64)) == 63
    with pytest.raises(UnreadableForm, match="more than 64 form fields"):
        pairs(b"a&" * 64, 64)
