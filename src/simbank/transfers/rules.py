"""What a transfer needs, how account numbers are read, and the numbers that transfers get; pure."""

import re
from collections.abc import Mapping
from datetime import datetime

MODES = ("NEFT", "RTGS", "IMPS")
FIELDS = ("account", "ifsc", "amount", "mode", "remitter", "utr")
RTGS_MINIMUM_PAISE = 2_00_000_00
"""The network's own minimum."""
IFSC = "SIMB0000001"
BLOCKED_REMITTER = "00000000"
"""The account of a customer from which nothing may be sent."""
_ACCOUNT = re.compile(r"SIMVA([1-9][0-9]{0,18})([0-9]{15})\Z")
_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,9})(?:\.([0-9]{1,2}))?\Z")
_REMITTER = re.compile(r"[0-9]{6,18}\Z")
_UTR = re.compile(r"[A-Z0-9]{12,22}\Z")


def reference_of(account: str) -> str:
    """Return the reference that an account number belongs to, "" for a number that is none of ours."""
    found = _ACCOUNT.match(account)
    return f"{found[1]}-{int(found[2])}" if found and int(found[2]) else ""


def paise(text: str) -> int:
    """Return an amount in paise, 0 for what is none."""
    found = _AMOUNT.match(text)
    return int(found[1]) * 100 + int((found[2] or "0").ljust(2, "0")) if found else 0


def utr_of(mode: str, rrn: str, now: datetime) -> str:
    """Return the number of a transfer in the banks' network, made of a number that is given out once."""
    if mode == "NEFT":
        return f"SIMBN{rrn[-11:]}"
    return f"SIMBR5{now:%Y%m%d}{rrn[-8:]}" if mode == "RTGS" else rrn


def problems(values: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with the fields of a transfer, by field."""
    found: dict[str, str] = {}
    if not reference_of(values["account"]):
        found["account"] = "There is no such account at this bank."
    if values["ifsc"].upper() != IFSC:
        found["ifsc"] = f"The IFSC of this bank is {IFSC}."
    if values["mode"] not in MODES:
        found["mode"] = "Choose NEFT, RTGS or IMPS."
    if not paise(values["amount"]):
        found["amount"] = "Enter an amount in rupees, such as 1499.50."
    elif values["mode"] == "RTGS" and paise(values["amount"]) < RTGS_MINIMUM_PAISE:
        found["amount"] = "RTGS carries 2,00,000.00 rupees and more. Choose NEFT or IMPS."
    if not _REMITTER.match(values["remitter"]):
        found["remitter"] = "Enter 6 to 18 digits."
    elif values["remitter"] == BLOCKED_REMITTER:
        found["remitter"] = "Your account is blocked. No money has moved."
    if values["utr"] and not _UTR.match(values["utr"]):
        found["utr"] = "A UTR has 12 to 22 capitals and digits."
    return found
