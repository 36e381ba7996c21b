"""Reads a Bharat QR as a UPI app does: EMVCo merchant-presented TLV with its checksum.

See docs/spec/domain.md#bharat-qr.
"""

from binascii import crc_hqx

_CRC_START = 0xFFFF
_CRC_TAG = "6304"
_RUPEES, _INDIA = "356", "IN"


class UnreadableError(ValueError):
    """The text is no Bharat QR; the message is the reason."""


def is_one(text: str) -> bool:
    """Return whether a text begins as a Bharat QR does."""
    return text.startswith("000201")


def read(text: str) -> dict[str, str]:
    """Return payee and amount, as the fields of a `upi://` link. Raises UnreadableError."""
    if (
        text[-8:-4] != _CRC_TAG
        or text[-4:].upper() != f"{crc_hqx(text[:-4].encode(), _CRC_START):04X}"
    ):
        raise UnreadableError("its checksum is wrong")
    fields = _fields(text)
    if (fields.get("53"), fields.get("58")) != (_RUPEES, _INDIA):
        raise UnreadableError("it is not about rupees in India")
    address, reference = _fields(fields.get("26", "")), _fields(fields.get("27", ""))
    read_as = {
        "pa": address.get("01", ""),
        "pn": fields.get("59", ""),
        "tr": reference.get("01", ""),
        "am": fields.get("54", ""),
        "cu": "INR",
        "tn": _fields(fields.get("62", "")).get("01", ""),
    }
    return {name: value for name, value in read_as.items() if value}


def _fields(text: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    while text:
        tag, length, rest = text[:2], text[2:4], text[4:]
        if not (tag.isdigit() and length.isdigit()) or len(rest) < int(length) or tag in fields:
            raise UnreadableError("its fields cannot be read")
        fields[tag], text = rest[: int(length)], rest[int(length) :]
    return fields
