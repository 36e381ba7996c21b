"""Reads a `upi://` link as strictly as a good UPI app (NPCI UPI Linking Specification 1.6)."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from urllib.parse import unquote_to_bytes

from hundi_testbed.bank import bharat_qr

_LINK_LENGTH_MAX = 2_000
_NAME_LENGTH_MAX = 100
_VPA_LENGTH_MAX = 255
_PREFIXES = ("upi://pay?", "upi://mandate?")
_MANDATE = "upi://mandate?"
_DAY = re.compile(r"([0-9]{2})([0-9]{2})([0-9]{4})\Z")
RECUR = frozenset({"DAILY", "WEEKLY", "MONTHLY", "YEARLY", "ASPRESENTED"})
_VPA = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,254}@[A-Za-z][A-Za-z0-9]{1,63}\Z")
_PAYEE = re.compile(r"m([1-9][0-9]{0,18})@simbank\Z", re.IGNORECASE)
_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,10})(?:\.([0-9]{1,2}))?\Z")
_REFERENCE = re.compile(r"[A-Za-z0-9_-]{4,35}\Z")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_RAW_PARAMETER = "sign"


class LinkRefusedError(Exception):
    """The app refuses the link; the text says why, for the person who scanned it."""


@dataclass(frozen=True, slots=True)
class LinkMandateTerms:
    """A mandate for later debits: the most for one, from and until when, and how often."""

    max_paise: int
    valid_from: date
    valid_until: date
    recur: str


@dataclass(frozen=True, slots=True)
class PayableLink:
    """A payable link. amount_paise: fixed by the payee; expires_at: from QRexpire, aware, or None.

    mandate: approved with this payment, None for none.
    """

    payee_vpa: str
    payee_name: str
    reference: str
    amount_paise: int
    note: str
    expires_at: datetime | None
    mandate: LinkMandateTerms | None = None


def read_vpa(text: str) -> str:
    """Return a UPI address in lower case, for comparison, or "" when malformed."""
    return text.lower() if len(text) <= _VPA_LENGTH_MAX and _VPA.match(text) else ""


def serves(payee_vpa: str, reference: str) -> bool:
    """Return whether the address and the reference belong to the same merchant of this acquirer."""
    payee = _PAYEE.match(payee_vpa)
    return payee is not None and reference.startswith(payee[1] + "-")


def read_link(uri: str) -> PayableLink:
    """Return the payment of a link; raises LinkRefusedError."""
    fields = _fields(uri)
    payee_vpa = read_vpa(_needed(fields, "pa"))
    if not payee_vpa:
        raise LinkRefusedError("the payee address (pa) is not a UPI address")
    payee_name = _needed(fields, "pn")
    if len(payee_name) > _NAME_LENGTH_MAX:
        raise LinkRefusedError("the payee name (pn) is too long")
    reference = _needed(fields, "tr")
    if not _REFERENCE.match(reference):
        raise LinkRefusedError("the reference (tr) must be 4 to 35 of A-Z a-z 0-9 _ -")
    if not serves(payee_vpa, reference):
        raise LinkRefusedError(
            "no such payee: nobody is registered under this address and reference"
        )
    if fields.get("cu", "INR") != "INR":
        raise LinkRefusedError("the currency (cu) must be INR")
    mandate = _mandate(fields) if uri[: len(_MANDATE)].lower() == _MANDATE else None
    return PayableLink(
        payee_vpa=payee_vpa,
        payee_name=payee_name,
        reference=reference,
        # A mandate's `am` is the most for one debit; `am`'s payment here is its first amount.
        amount_paise=_amount_paise("am", _needed(fields, "am"))
        if mandate is None
        else _first(fields),
        note=fields.get("tn", ""),
        expires_at=_expiry(fields.get("QRexpire", "")),
        mandate=mandate,
    )


def _first(fields: dict[str, str]) -> int:
    return _amount_paise("fam", _needed(fields, "fam"))


def _mandate(fields: dict[str, str]) -> LinkMandateTerms:
    if _needed(fields, "txnType") != "CREATE":
        raise LinkRefusedError("a mandate link creates one (txnType CREATE)")
    if _needed(fields, "recur") not in RECUR:
        raise LinkRefusedError("recur must be one of " + " ".join(sorted(RECUR)))
    valid_from, valid_until = _day(fields, "validitystart"), _day(fields, "validityend")
    if valid_until < valid_from:
        raise LinkRefusedError("the mandate ends before it begins")
    return LinkMandateTerms(
        _amount_paise("am", _needed(fields, "am")), valid_from, valid_until, fields["recur"]
    )


def _day(fields: dict[str, str], name: str) -> date:
    match = _DAY.match(_needed(fields, name))
    try:
        return (
            date(*(int(part) for part in reversed(match.groups())))
            if match
            else date.min.replace(day=0)
        )
    except ValueError:
        raise LinkRefusedError(f"{name} is no day written ddMMyyyy") from None


def _fields(uri: str) -> dict[str, str]:
    if len(uri) > _LINK_LENGTH_MAX:
        raise LinkRefusedError("the link is too long")
    if bharat_qr.is_one(uri):
        try:
            return bharat_qr.read(uri)
        except bharat_qr.UnreadableError as reason:
            raise LinkRefusedError(f"this is no Bharat QR: {reason}") from None
    prefix = next((each for each in _PREFIXES if uri[: len(each)].lower() == each), "")
    if not prefix:
        raise LinkRefusedError("this is not a upi://pay link")
    fields: dict[str, str] = {}
    for part in uri[len(prefix) :].split("&"):
        name, equals, raw = part.partition("=")
        if not name or not equals:
            raise LinkRefusedError("the link has a parameter without a name or a value")
        if name in fields:
            raise LinkRefusedError(f"the link says {name[:20]} twice")
        # A signature is written raw in the field and its `+ / =` must survive.
        fields[name] = raw if name == _RAW_PARAMETER else _decoded(name, raw)
    return fields


def _decoded(name: str, raw: str) -> str:
    text = raw
    if "#" in raw or ("%" in raw and _BROKEN_ESCAPE.search(raw)):
        raise LinkRefusedError(f"the parameter {name[:20]} is not percent-encoded")
    if "%" in raw:
        try:
            text = unquote_to_bytes(raw).decode("utf-8")
        except UnicodeDecodeError:
            raise LinkRefusedError(f"the parameter {name[:20]} is not UTF-8") from None
    if not text.isprintable():
        raise LinkRefusedError(f"the parameter {name[:20]} has control characters")
    return text


def _needed(fields: dict[str, str], name: str) -> str:
    value = fields.get(name, "")
    if not value.strip():
        raise LinkRefusedError(f"the link does not say {name}")
    return value


def _amount_paise(name: str, text: str) -> int:
    match = _AMOUNT.match(text)
    paise = int(match[1]) * 100 + int((match[2] or "0").ljust(2, "0")) if match else 0
    if paise == 0:
        raise LinkRefusedError(
            f"the amount ({name}) must be rupees above zero with at most 2 decimals"
        )
    return paise


def _expiry(text: str) -> datetime | None:
    if not text:
        return None
    try:
        expires_at = datetime.fromisoformat(text)
    except ValueError:
        raise LinkRefusedError("the expiry (QRexpire) is not an ISO 8601 time") from None
    if expires_at.tzinfo is None:
        raise LinkRefusedError("the expiry (QRexpire) has no offset")
    return expires_at
