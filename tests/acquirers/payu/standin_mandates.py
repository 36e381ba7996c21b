"""Mandates at PayU's stand-in, and the webhooks about them."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from tests.acquirers.payu.standin_payments import KEY, SALT, sha512

WORDS = {
    "UPI": {"active": "active", "paused": "pause", "revoked": "revoked"},
    "CC": {"active": "active", "revoked": "cancelled"},
    "ENACH": {
        "waiting": "INITIATED",
        "active": "SUCCESS",
        "failed": "FAILED",
        "revoking": "CANCEL_INITIATED",
        "revoked": "CANCEL_SUCCESS",
    },
}
"""The status calls' words for a state, by the way that a mandate was made."""
UDFS = ("udf1", "udf2", "udf3", "udf4", "udf5")


@dataclass
class Mandate:
    """A mandate.

    way: UPI, CC or ENACH. intent: whether it was made by intent, which cannot be modified. limit:
    the most that a debit may take. state: waiting, active, paused, revoking, revoked or failed.
    notices: by debitDate what was announced and when. change: what waits for the customer.
    """

    txnid: str
    number: str
    way: str
    cycle: str
    limit: Decimal
    start: date
    end: date
    intent: bool = False
    state: str = "active"
    notices: dict[str, dict[str, Any]] = field(default_factory=dict)
    change: dict[str, Any] = field(default_factory=dict)
    told: str = ""


def told_upi(one: Mandate, now: datetime) -> dict[str, Any]:
    told: dict[str, Any] = {
        "status": WORDS["UPI"][one.state],
        "authpayuid": int(one.number),
        "action": one.told,
        "dateTime": f"{now:%Y-%m-%d %H:%M:%S}",
        "amount": f"{one.limit:.2f}",
        "endDate": f"{one.end} 00:00:00",
        "mandateNumber": f"PTM{one.number}@paytm",
        "key": KEY,
        **{name: "" for name in UDFS if name != "udf4"},
    }
    if one.state == "paused":
        told["pauseStartDate"] = str(now.date())
        told["pauseEndDate"] = str(now.date() + timedelta(days=30))
    return told | {"hash": upi_hash(told)}


def told_card(one: Mandate, now: datetime) -> dict[str, Any]:
    ended, whole = one.state == "revoked", one.limit == int(one.limit)
    told: dict[str, Any] = {
        "status": "deleted" if ended else "active",
        "authPayuId": one.number,
        "si_details": {
            # A number, 101 in the sample; how one with paise reads in the hash is not published.
            "billingAmount": int(one.limit) if whole else float(one.limit),
            "paymentStartDate": str(one.start),
            "paymentEndDate": str(one.end),
        },
        "message": "Mandate Deleted" if ended else "Mandate modified",
        "eventDate": str(now.date()),
        # The table says MANDATE_CANCELLATION, the sample MANDATE_DELETION.
        "notificationType": "MANDATE_DELETION" if ended else "MANDATE_MODIFICATION",
        "key": KEY,
        **dict.fromkeys(UDFS, ""),
    }
    return told | {"hash": card_hash(told)}


def told_bank(one: Mandate, now: datetime) -> dict[str, Any]:
    """Tell the end of an eNACH mandate; nothing signs it, and the sample spells authPayuid."""
    assert now
    return {
        "statusCode": 1,
        "notificationType": "MANDATE_CANCELLATION",
        "status": WORDS["ENACH"][one.state],
        "authPayuid": one.number,
    }


def upi_hash(told: dict[str, Any], salt: str = SALT) -> str:
    """Return the hash of a webhook about a UPI mandate."""
    names = ("status", "action", "authpayuid", "dateTime", "amount", "endDate")
    return sha512(*(str(told[name]) for name in names), salt)


def card_hash(told: dict[str, Any], salt: str = SALT) -> str:
    """Return the hash of a webhook about a card's mandate."""
    details = told["si_details"]
    terms = ("billingAmount", "paymentStartDate", "paymentEndDate")
    first = (str(told[name]) for name in ("status", "authPayuId", "notificationType"))
    last = (str(told[name]) for name in ("message", "eventDate", "key", *UDFS))
    return sha512(*first, *(str(details[name]) for name in terms), *last, salt)


def modify(one: Mandate) -> None:
    change, one.change = one.change, {}
    one.limit = Decimal(str(change.get("amount", one.limit)))
    one.end = date.fromisoformat(change.get("endDate", str(one.end))[:10])
