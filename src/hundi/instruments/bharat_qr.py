"""The content of a Bharat QR: EMVCo merchant-presented fields with their checksum; pure.

See docs/spec/domain.md#bharat-qr.
"""

from binascii import crc_hqx

NAME_LENGTH_MAX = 23
CITY_LENGTH_MAX = 15
BILL_LENGTH_MAX = 25
_CRC_START = 0xFFFF
# The identifier for UPI in every Indian sample.
_UPI = "A000000524"
_ANYWHERE = "India"
_NO_CATEGORY = "0000"


def _field(tag: str, value: str) -> str:
    return f"{tag}{len(value):02d}{value}"


def _plain(text: str, length_max: int, otherwise: str) -> str:
    """Return a text for readers of the QR: ASCII, cut.

    Local script belongs to another field, which no app reads.
    """
    return text.encode("ascii", "ignore").decode().strip()[:length_max] or otherwise


def payload(
    *,
    payee_vpa: str,
    payee_name: str,
    reference: str,
    amount_paise: int,
    order_id: str,
    mcc: str,
    city: str = "",
) -> str:
    """Return the text of a dynamic Bharat QR that is paid by UPI.

    reference: 4-35 of `[A-Za-z0-9_-]`. amount_paise: the payer cannot change it.
    """
    rupees, paise = divmod(amount_paise, 100)
    fields = (
        ("00", "01"),
        ("01", "12"),
        ("26", _field("00", _UPI) + _field("01", payee_vpa)),
        ("27", _field("00", _UPI) + _field("01", reference)),
        ("52", mcc or _NO_CATEGORY),
        ("53", "356"),
        ("54", f"{rupees}.{paise:02d}"),
        ("58", "IN"),
        ("59", _plain(payee_name, NAME_LENGTH_MAX, "Merchant")),
        ("60", _plain(city, CITY_LENGTH_MAX, _ANYWHERE)),
        ("62", _field("01", order_id[:BILL_LENGTH_MAX])),
    )
    body = "".join(_field(tag, value) for tag, value in fields) + "6304"
    return f"{body}{crc_hqx(body.encode(), _CRC_START):04X}"
