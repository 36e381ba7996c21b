"""The `upi://pay` link that a QR holds and an app opens; pure (docs/spec/domain.md#upi-link)."""

from datetime import datetime
from urllib.parse import quote

from hundi.kernel.clock import ist

NOTE_LENGTH_MAX = 50
NAME_LENGTH_MAX = 50
_ONLINE_DYNAMIC_QR = "22"
_DEFAULT_PURPOSE = "00"


def _encoded(text: str) -> str:
    # Apps differ on "+" for a space, so a space is %20; "@ . - _" stay raw.
    return quote(text, safe="@.-_")


def pay_link(  # noqa: PLR0913 (one parameter a field of the link)
    *, payee_vpa: str, payee_name: str, reference: str, amount_paise: int, note: str, mcc: str, expires_at: datetime
) -> str:
    """Return the link for one attempt.

    reference: 4-35 of `[A-Za-z0-9_-]`, comes back in the callback. amount_paise: written with two decimals.
    expires_at: UTC; written as ISO 8601 with the Indian offset.
    """
    rupees, paise = divmod(amount_paise, 100)
    fields = {
        "pa": payee_vpa,
        "pn": payee_name[:NAME_LENGTH_MAX],
        "mc": mcc or "0000",
        "tr": reference,
        "am": f"{rupees}.{paise:02d}",
        "cu": "INR",
        "mode": _ONLINE_DYNAMIC_QR,
        "purpose": _DEFAULT_PURPOSE,
        "tn": note[:NOTE_LENGTH_MAX],
        "QRexpire": ist(expires_at).isoformat(timespec="seconds"),
    }
    return "upi://pay?" + "&".join(f"{name}={_encoded(value)}" for name, value in fields.items())
