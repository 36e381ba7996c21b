"""The `upi://` links in QRs, which apps open; pure (docs/spec/domain.md#upi-link)."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from urllib.parse import quote

from hundi.kernel.clock import ist

NOTE_LENGTH_MAX = 50
NAME_LENGTH_MAX = 50
_ONLINE_DYNAMIC_QR = "22"
_ONLINE_MANDATE_QR = "21"
_DEFAULT_PURPOSE = "00"
_COLLECTIONS = "7322"
_STANDING_INSTRUCTION = "14"
_SAFE = "@"
"""The characters of links left as they are, beside letters, digits and "._~-": apps expect it."""
_PLAIN = re.compile(rf"[A-Za-z0-9._~\-{_SAFE}]*\Z")
_ASCII = {code: quote(chr(code), safe=_SAFE) for code in range(128)}


def _encoded(text: str) -> str:
    # Apps differ on "+" for a space, so a space is %20.
    if _PLAIN.match(text):
        return text
    # `quote` makes one call for each character, and each payment has a link.
    return text.translate(_ASCII) if text.isascii() else quote(text, safe=_SAFE)


def pay_link(
    *,
    payee_vpa: str,
    payee_name: str,
    reference: str,
    amount_paise: int,
    note: str,
    mcc: str,
    expires_at: datetime,
) -> str:
    """Return the link for one attempt.

    reference: 4-35 of `[A-Za-z0-9_-]`, comes back in the callback. amount_paise: written with two
    decimals. expires_at: UTC; written as ISO 8601 with the Indian offset.
    """
    fields = {
        "pa": payee_vpa,
        "pn": payee_name[:NAME_LENGTH_MAX],
        "mc": mcc or "0000",
        "tr": reference,
        "am": _decimal(amount_paise),
        "cu": "INR",
        "mode": _ONLINE_DYNAMIC_QR,
        "purpose": _DEFAULT_PURPOSE,
        "tn": note[:NOTE_LENGTH_MAX],
        "QRexpire": ist(expires_at).isoformat(timespec="seconds"),
    }
    return _link("pay", fields)


@dataclass(frozen=True, slots=True)
class MandateLinkTerms:
    """The terms in a mandate link that the customer approves.

    maximum_paise: the most one debit may be. recur: the network's word for the period.
    """

    maximum_paise: int
    recur: str
    valid_from: date
    valid_until: date


def mandate_link(
    terms: MandateLinkTerms,
    *,
    payee_vpa: str,
    payee_name: str,
    reference: str,
    amount_paise: int,
    note: str,
    mcc: str,
    expires_at: datetime,
) -> str:
    """Return the link that registers a mandate (docs/spec/domain.md#mandates).

    amount_paise: paid with the approval. The other parameters are those of `pay_link`.
    """
    fields = {
        "pa": payee_vpa,
        "pn": payee_name[:NAME_LENGTH_MAX],
        "mn": note[:NOTE_LENGTH_MAX],
        "mc": mcc or "0000",
        "tr": reference,
        "am": _decimal(terms.maximum_paise),
        "amrule": "MAX",
        "fam": _decimal(amount_paise),
        "cu": "INR",
        "txnType": "CREATE",
        "recur": terms.recur,
        "validitystart": f"{terms.valid_from:%d%m%Y}",
        "validityend": f"{terms.valid_until:%d%m%Y}",
        # A customer cannot revoke a debt collector's mandate in the app.
        "rev": "N" if mcc == _COLLECTIONS else "Y",
        "mode": _ONLINE_MANDATE_QR,
        "purpose": _STANDING_INSTRUCTION,
        "QRexpire": ist(expires_at).isoformat(timespec="seconds"),
    }
    return _link("mandate", fields)


def _decimal(paise: int) -> str:
    return f"{paise // 100}.{paise % 100:02d}"


def _link(action: str, fields: dict[str, str]) -> str:
    return f"upi://{action}?" + "&".join(
        f"{name}={_encoded(value)}" for name, value in fields.items()
    )
