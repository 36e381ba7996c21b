"""`data` of the replies to bank list, UPI QR and UPI address.

See docs/spec/payment-interfaces.md#banks, docs/spec/payment-interfaces.md#generateorder and
docs/spec/payment-interfaces.md#validatevpa.
"""

import base64
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from typing import cast

import msgspec

from hundi.wire.fields import text_from_paise

REGISTERED, NOT_REGISTERED = "200", "400"
"""`status` of a UPI address."""
_INDIA = timezone(timedelta(hours=5, minutes=30))


class BankRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One bank of a channel, or a channel without banks: then bank_code and bank_name are "".

    bank_code: IFSC bank code, four letters, with `_C` for corporate net banking. The fields after bank_name are ours:
    health `up`, `degraded` or `down`; amounts as decimal text, "" where there is no bound.
    """

    chmod: str
    channel_name: str
    title: str
    description: str = ""
    bank_code: str = ""
    bank_name: str = ""
    health: str = "up"
    min_amount: str = ""
    max_amount: str = ""


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


class VpaData(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a UPI address is registered. valid: "true" or "false"; vpa_name: "" when it is not."""

    vpa: str
    valid: str
    vpa_name: str
    status: str
    message: str


def banks_data(records: Iterable[BankRecord]) -> list[dict[str, object]]:
    """Return `data` of the bank list."""
    return [cast("dict[str, object]", msgspec.to_builtins(each)) for each in records]


def amount_bound(paise: int | None) -> str:
    """Return a bound of a bank record; None is no bound."""
    return "" if paise is None else text_from_paise(paise)


def qr_data(  # noqa: PLR0913 (the fields of the reply)
    merchant_id: str, text: str, png: bytes, ap_transactionid: str, order_id: str, expires_at: datetime
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


def vpa_data(vpa: str, registered_name: str | None) -> dict[str, object]:
    """Return `data` of an address check. registered_name: None when nobody has registered the address."""
    known = registered_name is not None
    data = VpaData(
        vpa=vpa,
        valid="true" if known else "false",
        vpa_name=registered_name or "",
        status=REGISTERED if known else NOT_REGISTERED,
        message="The address is registered" if known else "The address is not registered",
    )
    return cast("dict[str, object]", msgspec.to_builtins(data))
