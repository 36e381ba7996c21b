"""`data` of the reply to a UPI QR (docs/spec/payment-interfaces.md#generateorder)."""

import base64
from datetime import datetime, timedelta, timezone
from typing import cast

import msgspec

_INDIA = timezone(timedelta(hours=5, minutes=30))


class QrData(msgspec.Struct, frozen=True, kw_only=True):
    """A QR order.

    qr_image: PNG in base64 without a `data:` prefix. expires_at: ISO 8601 with the Indian offset.

    qrcode_string repeats qr_string, and status is "200", for clients that read those.
    """

    qr_string: str
    qr_image: str
    ap_transactionid: str
    orderid: str
    merchant_id: str
    qrcode_string: str
    status: str
    expires_at: str


def qr_data(
    merchant_id: str,
    text: str,
    png: bytes,
    ap_transactionid: str,
    order_id: str,
    expires_at: datetime,
) -> dict[str, object]:
    """Return `data` of a QR order. text: what the QR holds. expires_at: aware."""
    data = QrData(
        qr_string=text,
        qr_image=base64.b64encode(png).decode("ascii"),
        ap_transactionid=ap_transactionid,
        orderid=order_id,
        merchant_id=merchant_id,
        qrcode_string=text,
        status="200",
        expires_at=expires_at.astimezone(_INDIA).isoformat(timespec="seconds"),
    )
    return cast("dict[str, object]", msgspec.to_builtins(data))
