"""Messages in bytes: fields by pyiso8583, with the authentication code added."""

from collections.abc import Mapping
from dataclasses import dataclass

import iso8583

from hundi.acquirers.iso8583.fields import (
    MACS,
    SECRET,
    Encoding,
    FieldShape,
    specification,
    written,
)
from hundi.acquirers.iso8583.mac import MAC_BYTES, Seal

MESSAGE_BYTES_MAX = 8_192
"""Far more than any message of ours or its answer; a longer one ends the connection."""


class UnreadableMessageError(ValueError):
    """The bytes are no message, or its authentication code does not hold.

    The error shows nothing of it.
    """


@dataclass(frozen=True, slots=True)
class Message:
    """A message.

    mti: its type, four digits. fields: by number; one that was read has no secret fields.
    """

    mti: str
    fields: Mapping[int, str]

    def __repr__(self) -> str:
        """Hide the fields that hold a card, a PIN or other secrets of a customer."""
        shown = {
            number: self.fields[number] for number in (7, 11, 37, 39, 70) if number in self.fields
        }
        return f"Message({self.mti}, {sorted(self.fields)}, {shown})"

    def get(self, field: int) -> str:
        """Return a field without its padding spaces, "" where it is missing."""
        return self.fields.get(field, "").strip()


class Codec:
    """Turns messages into bytes and back, in the dialect of one bank.

    header: bytes before every message.
    """

    def __init__(
        self,
        fields: Mapping[int, FieldShape],
        encoding: Encoding,
        bitmap: Encoding,
        seal: Seal,
        header: bytes = b"",
    ) -> None:
        """Build the specification once."""
        self._fields, self._seal, self._header = fields, seal, header
        self._spec = specification(fields, encoding, bitmap)
        self._is_text = encoding == "ascii"

    def encode(self, message: Message) -> bytes:
        """Return a message in bytes, with its code.

        Raises ValueError: a value does not fit its field.
        """
        values = {
            str(number): written(self._fields[number], value)
            for number, value in message.fields.items()
        }
        if self._seal.used:
            values[str(_mac_field(message.fields))] = "0" * (2 * MAC_BYTES)
        try:
            raw, _ = iso8583.encode({"h": "", "t": message.mti, **values}, self._spec)
        except iso8583.EncodeError as error:
            # The library's error has the whole message, the card's number with it.
            fault = f"field {error.field}: {error.msg}"
            raise ValueError(fault) from None
        body = bytes(raw)
        if self._seal.used:
            text = body[: -self._mac_length]
            body = text + self._written_mac(self._seal.of(text))
        return self._header + body

    def decode(self, raw: bytes) -> Message:
        """Return a received message without secret fields. Raises UnreadableMessageError."""
        body = raw[len(self._header) :]
        try:
            read, _ = iso8583.decode(body, self._spec)
            fields = {
                int(name): value for name, value in read.items() if name.isdigit() and name != "1"
            }
        except (ValueError, KeyError):
            text = "no message of this dialect"
            raise UnreadableMessageError(text) from None
        if self._seal.used:
            self._check_mac(body, fields)
        readable = {
            number: value
            for number, value in fields.items()
            if number not in SECRET and number not in MACS
        }
        return Message(read["t"], readable)

    def _check_mac(self, body: bytes, fields: Mapping[int, str]) -> None:
        field = _mac_field(fields)
        try:
            mac = bytes.fromhex(fields[field])
        except (KeyError, ValueError):
            text = "a message without its authentication code"
            raise UnreadableMessageError(text) from None
        if not self._seal.holds(body[: -self._mac_length], mac):
            text = "an authentication code that does not hold"
            raise UnreadableMessageError(text)

    @property
    def _mac_length(self) -> int:
        return 2 * MAC_BYTES if self._is_text else MAC_BYTES

    def _written_mac(self, mac: bytes) -> bytes:
        return mac.hex().upper().encode() if self._is_text else mac


def _mac_field(fields: Mapping[int, str]) -> int:
    """Return the field of a message's code: the last one of its last bitmap."""
    first, second = MACS
    return second if any(number > first for number in fields) else first
