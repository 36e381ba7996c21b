"""The fields of ISO 8583, version 1987 and 2003, and how a bank's dialect writes them in bytes.

1987: the list that jPOS and moov-io/iso8583 publish, too. 2003: the fields of jPOS CMF, a public
message format in that version. See docs/iso8583.md#fields.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Encoding = Literal["ascii", "binary"]
"""ascii: digits and lengths as characters, bytes as hexadecimal characters.

binary: packed digits (BCD) and bytes.
"""
BITMAP_BYTES = 8
FIELD_MAX = 128
_SHAPE = re.compile(r"(ans|an|n|z|b) ?(\.{0,4}) ?([0-9]{1,4})\Z")
_BCD_PREFIX = {0: 0, 2: 1, 3: 2, 4: 2}
_PREFIXES = (0, 2, 3, 4)


class FieldShape(msgspec.Struct, frozen=True):
    """How a field is written.

    kind: n (digits), an (text) or b (bytes). length: the most characters or bytes. prefix: digits
    of the length in front; 0: the field always has this length.
    """

    kind: Literal["n", "an", "b"]
    length: int
    prefix: int = 0


def shape_of(text: str) -> FieldShape:
    """Return a field's shape from the standard's notation, such as `n 6` or `ans...999`.

    Raises ValueError.
    """
    match = _SHAPE.match(text)
    if match is None or len(match[2]) not in _PREFIXES or not int(match[3]):
        message = f"{text}: not n, an, ans, z or b, none or 2 to 4 dots, and a length"
        raise ValueError(message)
    kind: Literal["n", "an", "b"] = "n" if match[1] == "n" else "b" if match[1] == "b" else "an"
    return FieldShape(kind, int(match[3]), len(match[2]))


def _table(text: str) -> dict[int, FieldShape]:
    rows = (each.strip().split(" ", 1) for each in text.split(";"))
    return {int(number): shape_of(shape) for number, shape in rows}


_PRIVATE_1987 = {number: FieldShape("an", 999, 3) for number in (*range(55, 64), *range(105, 128))}
FIELDS_1987: Mapping[int, FieldShape] = _PRIVATE_1987 | _table(
    "2 n..19;3 n 6;4 n 12;5 n 12;6 n 12;7 n 10;8 n 8;9 n 8;10 n 8;11 n 6;12 n 6;13 n "
    "4;14 n 4;15 n 4;16 n 4;17 n 4;"
    "18 n 4;19 n 3;20 n 3;21 n 3;22 n 3;23 n 3;24 n 3;25 n 2;26 n 2;27 n 1;28 an 9;29 "
    "an 9;30 an 9;31 an 9;32 n..11;"
    "33 n..11;34 ans..28;35 z..37;36 z...104;37 an 12;38 an 6;39 an 2;40 an 3;41 ans "
    "8;42 ans 15;43 ans 40;44 an..25;"
    "45 an..76;46 an...999;47 an...999;48 an...999;49 an 3;50 an 3;51 an 3;52 b 8;53 n "
    "16;54 an...120;64 b 8;65 b 1;"
    "66 n 1;67 n 2;68 n 3;69 n 3;70 n 3;71 n 4;72 n 4;73 n 6;74 n 10;75 n 10;76 n "
    "10;77 n 10;78 n 10;79 n 10;80 n 10;"
    "81 n 10;82 n 12;83 n 12;84 n 12;85 n 12;86 n 16;87 n 16;88 n 16;89 n 16;90 n "
    "42;91 an 1;92 an 2;93 an 5;94 an 7;"
    "95 an 42;96 b 8;97 an 17;98 ans 25;99 n..11;100 n..11;101 ans..17;102 ans..28;103 "
    "ans..28;104 ans...100;128 b 8"
)
FIELDS_2003: Mapping[int, FieldShape] = _table(
    "2 n..19;3 an 6;4 n 16;5 n 16;6 n 16;7 n 10;8 n 12;9 n 8;10 n 8;11 n 12;12 n 14;13 "
    "n 6;14 n 4;15 n 8;16 n 4;17 n 4;"
    "18 an...140;19 n 3;21 an 22;22 b 16;23 n 3;24 n 3;25 n 4;26 n 4;27 b 27;30 n "
    "32;31 n 23;32 n..11;33 n..11;"
    "34 b....9999;35 z..37;37 an 12;38 an 6;39 an 4;41 an 16;42 an..35;43 b....9999;45 "
    "an..76;46 an...216;49 b....9999;"
    "52 b 8;53 b..48;54 an...126;55 b....9999;56 an..41;59 an...999;63 an...999;64 b "
    "8;68 an 9;69 an 40;72 b....9999;"
    "74 n 78;93 n..11;94 n..11;95 n 96;97 n 21;99 n..11;100 n..11;101 an..99;102 "
    "an..28;103 an..28;128 b 8"
)
MACS = (64, BITMAP_BYTES * 16)
"""The fields of the authentication code.

The last of a message with one bitmap, and of one with two.
"""
SECRET = frozenset({2, 14, 34, 35, 36, 45, 52, 55})
"""Fields that nobody may read: the card's number, tracks and chip, a PIN."""


def specification(
    fields: Mapping[int, FieldShape], encoding: Encoding, bitmap: Encoding
) -> dict[str, dict[str, Any]]:
    """Return the fields as pyiso8583 wants them.

    bitmap: its own encoding, because many dialects mix the two.
    """
    spec = {str(number): _spec_of(shape, encoding) for number, shape in fields.items()}
    spec["h"] = _spec_of(FieldShape("an", 0), "ascii")
    spec["t"] = _spec_of(FieldShape("n", 4), encoding)
    spec["p"] = spec["1"] = _spec_of(FieldShape("b", BITMAP_BYTES), bitmap)
    return spec


def _spec_of(shape: FieldShape, encoding: Encoding) -> dict[str, Any]:
    if encoding == "ascii":
        length = shape.length * 2 if shape.kind == "b" else shape.length
        return {
            "data_enc": "ascii",
            "len_enc": "ascii",
            "len_type": shape.prefix,
            "max_len": length,
            "desc": "",
        }
    written = {
        "len_enc": "bcd",
        "len_type": _BCD_PREFIX[shape.prefix],
        "max_len": shape.length,
        "desc": "",
    }
    if shape.kind == "an":
        return {**written, "data_enc": "ascii"}
    packed = {"len_count": "nibbles", "left_pad": "0"} if shape.kind == "n" else {}
    return {**written, "data_enc": "b", **packed}


def written(shape: FieldShape, value: str) -> str:
    """Return a value padded to its field's length, unless the length varies."""
    if shape.prefix:
        return value
    if shape.kind == "n":
        return value.rjust(shape.length, "0")
    return value.ljust(shape.length) if shape.kind == "an" else value
