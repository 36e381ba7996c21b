"""Messages in bytes: published ones, round trips in every encoding, and what is refused."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.iso8583.fields import (
    FIELDS_1987,
    FIELDS_2003,
    SECRET,
    Encoding,
    FieldShape,
    shape_of,
    written,
)
from hundi.acquirers.iso8583.mac import Seal
from hundi.acquirers.iso8583.wire import Codec, Message, UnreadableMessageError
from hundi_testbed.switch import messages as switch

KEY = bytes.fromhex("7CA110454A1A6E570131D9619DC1376E")
BARE = Seal("none", ())
SEALED = Seal("x9.19", (KEY,))
CODED = st.sampled_from([BARE, SEALED, Seal("aes-cmac", (KEY,))])
ENCODINGS = st.sampled_from(["ascii", "binary"])
_VALUES = {
    "n": lambda length: st.text("0123456789", min_size=length, max_size=length),
    "an": lambda length: st.text("ABCxyz 0189/-", min_size=length, max_size=length),
    "b": lambda length: st.binary(min_size=length, max_size=length).map(
        lambda raw: raw.hex().upper()
    ),
}


@st.composite
def sent(draw: st.DrawFn, fields: dict[int, FieldShape]) -> dict[int, str]:
    """Draw fields that a bank may send, each within its length.

    Lengths in packed digits count digits or bytes.
    """
    numbers = draw(
        st.sets(st.sampled_from(sorted(set(fields) - {64, 128, 65})), min_size=1, max_size=12)
    )
    drawn = {}
    for number in numbers:
        shape = fields[number]
        length = draw(st.integers(1, min(shape.length, 60))) if shape.prefix else shape.length
        drawn[number] = draw(_VALUES[shape.kind](length))
    return drawn


@pytest.mark.parametrize("fields", [FIELDS_1987, FIELDS_2003], ids=["1987", "2003"])
def test_every_message_comes_back(fields: dict[int, FieldShape]) -> None:
    @given(
        sent(fields), ENCODINGS, ENCODINGS, CODED, st.sampled_from([b"", b"\x60\x00\x01\x00\x00"])
    )
    def comes_back(
        values: dict[int, str], encoding: Encoding, bitmap: Encoding, seal: Seal, header: bytes
    ) -> None:
        codec = Codec(fields, encoding, bitmap, seal, header)
        raw = codec.encode(Message("0210", values))
        assert raw.startswith(header)
        read = codec.decode(raw)
        assert read.mti == "0210"
        assert read.fields == {
            number: value for number, value in values.items() if number not in SECRET
        }

    comes_back()


@given(
    sent(
        {
            number: FIELDS_1987[number]
            for number in (3, 4, 7, 11, 12, 13, 32, 37, 38, 39, 41, 42, 49, 90)
        }
    )
)
def test_the_simulated_switch_reads_and_writes_the_same_bytes(values: dict[int, str]) -> None:
    raw = Codec(FIELDS_1987, "ascii", "binary", BARE).encode(Message("0210", values))
    theirs = switch.read(raw)
    assert (theirs.mti, dict(theirs.fields)) == ("0210", values)
    assert switch.write(theirs) == raw


PUBLISHED = [
    # pyiso8583's documentation.
    ("02004000000000000000101234567890", "0200", {2: "1234567890"}),
    # moov-io/iso8583, message_test.go.
    (
        "01007000000000000000164242424242424242123456000000000100",
        "0100",
        {2: "4242424242424242", 3: "123456", 4: "000000000100"},
    ),
    # j8583, the sign-on of testPojoParse.
    (
        "0800822000000000000004000000000000000922115010999999001",
        "0800",
        {7: "0922115010", 11: "999999", 70: "001"},
    ),
    # patrickaburu/ISO8583-PACK-UNPACK, README.md.
    (
        "02003220000000808000000010000000001500120604120000000112340001840",
        "0200",
        {3: "000010", 4: "000000001500", 7: "1206041200", 11: "000001", 41: "12340001", 49: "840"},
    ),
]


@pytest.mark.parametrize(("raw", "mti", "fields"), PUBLISHED)
def test_published_messages_are_read_and_written_the_same(
    raw: str, mti: str, fields: dict[int, str]
) -> None:
    codec = Codec(FIELDS_1987, "ascii", "ascii", BARE)
    assert codec.encode(Message(mti, fields)) == raw.encode()
    read = codec.decode(raw.encode())
    assert (read.mti, read.fields) == (
        mti,
        {number: value for number, value in fields.items() if number != 2},
    )


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_unreadable(raw: bytes) -> None:
    for encoding in ("ascii", "binary"):
        for seal in (BARE, SEALED):
            # No other error, whatever comes.
            with contextlib.suppress(UnreadableMessageError):
                Codec(FIELDS_1987, encoding, "binary", seal).decode(raw)


@given(sent(FIELDS_1987), st.data())
def test_no_changed_byte_passes_the_code(values: dict[int, str], data: st.DataObject) -> None:
    codec = Codec(FIELDS_1987, "ascii", "binary", SEALED)
    raw = codec.encode(Message("0210", values))
    at = data.draw(st.integers(0, len(raw) - 1))
    changed = raw[:at] + bytes([raw[at] ^ data.draw(st.integers(1, 255))]) + raw[at + 1 :]
    if changed[-16:].upper() == raw[-16:]:
        assert changed[:-16] == raw[:-16] or _unreadable(codec, changed)
    else:
        assert _unreadable(codec, changed)


def _unreadable(codec: Codec, raw: bytes) -> bool:
    try:
        codec.decode(raw)
    except UnreadableMessageError:
        return True
    return False


def test_a_message_without_a_code_is_not_read_where_one_is_agreed() -> None:
    raw = Codec(FIELDS_1987, "ascii", "binary", BARE).encode(Message("0210", {39: "00"}))
    with pytest.raises(UnreadableMessageError, match="without its authentication code"):
        Codec(FIELDS_1987, "ascii", "binary", SEALED).decode(raw)


def test_a_card_is_in_no_readable_form() -> None:
    number, track = "4000120000000008", "4000120000000008D29121010000000000000"
    message = Message(
        "0200", {2: number, 14: "2912", 35: track, 52: "0123456789ABCDEF", 11: "000001"}
    )
    assert repr(message) == "Message(0200, [2, 11, 14, 35, 52], {11: '000001'})"
    codec = Codec(FIELDS_1987, "ascii", "binary", BARE)
    assert set(codec.decode(codec.encode(message)).fields) == {11}
    with pytest.raises(ValueError, match="field 2") as failed:
        codec.encode(Message("0200", {2: number * 2}))
    seen, found = failed.value, ""
    while seen is not None:
        found += repr(seen) + repr(vars(seen))
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    assert number not in found


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("n 6", FieldShape("n", 6)),
        ("n..19", FieldShape("n", 19, 2)),
        ("ans...999", FieldShape("an", 999, 3)),
        ("z..37", FieldShape("an", 37, 2)),
        ("b 8", FieldShape("b", 8)),
        ("b....9999", FieldShape("b", 9999, 4)),
    ],
)
def test_shapes_are_written_as_the_standard_does(text: str, shape: FieldShape) -> None:
    assert shape_of(text) == shape


@pytest.mark.parametrize("text", ["", "n", "n 0", "x 4", "n.5", "n.....5", "n 6 ", "6 n", "n -1"])
def test_other_shapes_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not n, an, ans, z or b"):
        shape_of(text)


def test_fixed_fields_are_filled_up() -> None:
    assert written(FieldShape("n", 6), "12") == "000012"
    assert written(FieldShape("an", 8), "T1") == "T1      "
    assert written(FieldShape("an", 8, 2), "T1") == "T1"
