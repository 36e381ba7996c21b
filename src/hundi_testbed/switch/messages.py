"""ISO 8583 messages of this switch: characters, with a bitmap in bytes.

It knows only its own fields, of 1987 (first digit 0) and of 2003 (first digit 2); any other field
is a fault.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace  # noqa: TID251 (no structs here)

MAC_DIGITS = 16
_BITMAP = 8
_FIXED_1987 = {
    3: 6,
    4: 12,
    7: 10,
    11: 6,
    12: 6,
    13: 4,
    14: 4,
    18: 4,
    19: 3,
    22: 3,
    25: 2,
    37: 12,
    38: 6,
    39: 2,
    41: 8,
}
_FIXED_1987 |= {42: 15, 43: 40, 49: 3, 64: MAC_DIGITS, 70: 3, 90: 42, 128: MAC_DIGITS}
_VARYING_1987 = {2: 2, 32: 2, 48: 3}
_FIXED_2003 = {
    3: 6,
    4: 16,
    7: 10,
    11: 12,
    12: 14,
    14: 4,
    19: 3,
    22: 32,
    24: 3,
    25: 4,
    26: 4,
    37: 12,
    38: 6,
    39: 4,
}
_FIXED_2003 |= {41: 16, 64: MAC_DIGITS, 128: MAC_DIGITS}
_VARYING_2003 = {2: 2, 32: 2, 42: 2, 56: 2}
_TABLES = {"0": (_FIXED_1987, _VARYING_1987), "2": (_FIXED_2003, _VARYING_2003)}


class FaultyError(ValueError):
    """The bytes are no message that this switch reads."""


@dataclass(frozen=True, slots=True)
class SwitchMessage:
    """A message. mti: its type. fields: by number, in full length."""

    mti: str
    fields: Mapping[int, str] = field(repr=False)

    @property
    def is_2003(self) -> bool:
        """Return whether it is of the newer version."""
        return self.mti[0] == "2"

    def of(self, number: int) -> str:
        """Return a field without spaces, "" where it is absent."""
        return self.fields.get(number, "").strip()

    def answered(self, changes: Mapping[int, str]) -> "SwitchMessage":
        """Return the answer to it: type, echoed fields, and the changes; "" leaves a field out."""
        kind = self.mti[:2] + str(int(self.mti[2]) + 1) + "0"
        if self.mti[1] == "8":
            kind = self.mti[:2] + "1" + self.mti[3]
        echoed = (3, 4, 7, 11, 12, 13, 24, 32, 37, 41, 42, 49, 70)
        if self.is_2003:
            echoed = (3, 4, 7, 11, 12, 32, 37, 41, 42) if self.mti[1] != "8" else (7, 11, 12, 24)
        fields = {number: self.fields[number] for number in echoed if number in self.fields}
        values = {number: value for number, value in (fields | dict(changes)).items() if value}
        return replace(self, mti=kind, fields=values)


def read(raw: bytes) -> SwitchMessage:
    """Return a message. Raises FaultyError."""
    try:
        mti = raw[:4].decode("ascii")
        fixed, varying = _TABLES[mti[0]]
        bits = int.from_bytes(raw[4 : 4 + _BITMAP], "big")
        at, size = 4 + _BITMAP, 64
        if bits >> 63:
            bits = bits << 64 | int.from_bytes(raw[at : at + _BITMAP], "big")
            at, size = at + _BITMAP, 128
        fields = {}
        for number in (each for each in range(2, size + 1) if bits >> (size - each) & 1):
            if number in varying:
                digits = varying[number]
                length = int(raw[at : at + digits])
                at += digits
            else:
                length = fixed[number]
            fields[number] = raw[at : at + length].decode("ascii")
            if len(fields[number]) != length:
                raise FaultyError(mti)
            at += length
    except (KeyError, ValueError, IndexError) as error:
        raise FaultyError(type(error).__name__) from None
    if at != len(raw):
        raise FaultyError(mti)
    return SwitchMessage(mti, fields)


def write(message: SwitchMessage) -> bytes:
    """Return a message in bytes."""
    fixed, varying = _TABLES[message.mti[0]]
    numbers = sorted(message.fields)
    size = 128 if numbers[-1] > 64 else 64  # noqa: PLR2004 (fields of one bitmap)
    bits = sum(1 << (size - number) for number in numbers) | (1 << 127 if size > 64 else 0)  # noqa: PLR2004 (as above)
    body = ""
    for number in numbers:
        value = message.fields[number]
        body += (
            f"{len(value):0{varying[number]}}{value}"
            if number in varying
            else value.ljust(fixed[number])
        )
    return message.mti.encode() + bits.to_bytes(size // 8, "big") + body.encode()
