"""Strict JSON: what is refused, what keeps its text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire import strict_json

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


def as_sent(value):
    """Return `value` with its numbers as text, as parsing gives them."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return [as_sent(item) for item in value]
    return {key: as_sent(item) for key, item in value.items()}


@given(
    st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), JSON_VALUES, max_size=6),
    st.booleans(),
)
def test_round_trip(value, ascii_only):
    text = strict_json.compact(value, ascii_only=ascii_only)
    assert json.loads(text) == value
    assert text == json.dumps(value, separators=(",", ":"), ensure_ascii=ascii_only)
    assert strict_json.parse(text.encode()) == as_sent(value)
    assert strict_json.compact(strict_json.parse(text.encode()), ascii_only=ascii_only) == text


@given(st.binary(max_size=200))
def test_any_bytes_give_an_object_or_unreadable(raw):
    try:
        assert isinstance(strict_json.parse(raw), dict)
    except strict_json.UnreadableJson:
        return


@given(st.text(alphabet='{}[]",:\\0du8eE.+- \n', max_size=60))
def test_any_json_like_text_gives_an_object_or_unreadable(text):
    try:
        strict_json.parse(text.encode())
    except strict_json.UnreadableJson:
        return


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":1}',
        '{"a":{"b":1,"b":2}}',
        '{"a":[{"b":1,"b":2}]}',
        '{"a":1,"\\u0061":2}',
        "[]",
        '"text"',
        "null",
        "1",
        "",
        '{"a":NaN}',
        '{"a":Infinity}',
        '{"a":-Infinity}',
        '{"a":01}',
        "{'a':1}",
        '{"a":1,}',
        '{"a":1}{}',
        '{"a":"\n"}',
        '{"a":"\\ud800"}',
        '{"\\udc00":1}',
        '{"a":["\\uDEAD"]}',
        '\ufeff{"a":1}',
    ],
)
def test_refused(text):
    with pytest.raises(strict_json.UnreadableJson):
        strict_json.parse(text.encode())


def nested(levels):
    """Return an object of that many levels."""
    return ('{"a":' * (levels - 1) + "{}" + "}" * (levels - 1)).encode()


def test_depth_is_bounded():
    assert strict_json.parse(nested(strict_json.DEPTH_MAX))
    with pytest.raises(strict_json.UnreadableJson):
        strict_json.parse(nested(strict_json.DEPTH_MAX + 1))
    with pytest.raises(strict_json.UnreadableJson):
        strict_json.parse(b'{"a":' + b"[" * 60_000)


def test_brackets_inside_strings_are_no_depth():
    text = "{[" * 50 + '"' + "{[" * 50
    assert strict_json.parse(json.dumps({"a": text}).encode()) == {"a": text}


def test_many_siblings_are_no_depth():
    assert len(strict_json.parse(json.dumps({"a": [{}] * 250}).encode())["a"]) == 250


def test_values_are_counted_wherever_they_are():
    most = strict_json.VALUES_MAX
    for sent in (
        {"a": [1] * (most - 1)},
        {str(number): 1 for number in range(most)},
        {"a": ",[{" * most},
    ):
        assert len(strict_json.parse(json.dumps(sent).encode())) == len(sent)
    for sent in (
        {"a": [1] * most},
        {str(number): 1 for number in range(most + 1)},
        {"a": {"b": [""] * most}},
    ):
        with pytest.raises(strict_json.UnreadableJson, match=f"more than {most} values"):
            strict_json.parse(json.dumps(sent).encode())
        assert strict_json.parse(json.dumps(sent).encode(), 2 * most)


def test_a_pair_of_surrogates_is_a_character():
    assert strict_json.parse(b'{"a":"\\ud83d\\ude00"}') == {"a": "\N{GRINNING FACE}"}


@pytest.mark.parametrize(
    "number", ["0", "-1", "1.50", "1e3", "10.0", "12345678901234567890123", "1E400"]
)
def test_numbers_keep_their_text(number):
    value = strict_json.parse(b'{"n":%s}' % number.encode())["n"]
    assert isinstance(value, strict_json.JsonNumber)
    assert value == number
    assert strict_json.compact({"n": value}) == f'{{"n":{number}}}'


def test_a_string_without_an_end_takes_no_more_time_than_its_length() -> None:
    # With a pattern that gives back what it took, this takes minutes.
    with pytest.raises(strict_json.UnreadableJson):
        strict_json.parse(b"[" * 17 + b'"' + b'\\"' * 200_000)
