"""The fields of a transfer, the rules of an account, and transfers' numbers; pure."""

import re
from collections.abc import Mapping
from datetime import datetime

from hundi_testbed.bank.rules import PaymentDecision, Status
from hundi_testbed.bank.settings import Timings

MODES = ("NEFT", "RTGS", "IMPS")
FIELDS = ("account", "ifsc", "amount", "mode", "remitter", "utr")
RTGS_MINIMUM_PAISE = 2_00_000_00
"""The network's own minimum."""
IFSC = "SIMB0000001"
BLOCKED_REMITTER = "00000000"
"""The account of a customer that may send nothing."""
BRANCH_MODES = ("CHEQUE", "NEFT")
"""How a branch remits by a slip: a cheque to collect, or NEFT from the customer's account there."""
BRANCH_FIELDS = ("account", "ifsc", "amount", "mode", "remitter")
RETURNED_CHEQUE = "000013"
_TURNED_BACK = {
    kind: PaymentDecision(
        Status.DECLINED,
        "AC14",
        f"This account takes {what}; the money is in your account again",
        final=True,
    )
    for kind, what in (("R", "RTGS only"), ("C", "slips at branches only"))
}
_RETURNED = PaymentDecision(Status.DECLINED, "01", "The cheque came back unpaid", final=True)
_ACCOUNT = re.compile(r"SIMV([ARC])([1-9][0-9]{0,18})([0-9]{15})\Z")
_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,9})(?:\.([0-9]{1,2}))?\Z")
_REMITTER = re.compile(r"[0-9]{6,18}\Z")
_UTR = re.compile(r"[A-Z0-9]{12,22}\Z")


def reference_of(account: str) -> str:
    """Return the reference of an account number, "" for a number that is not ours."""
    match = _ACCOUNT.match(account)
    return f"{match[2]}-{int(match[3])}" if match and int(match[3]) else ""


def turned_back(account: str, mode: str) -> PaymentDecision | None:
    """Return why an account refuses a customer's transfer, or None when it accepts."""
    match = _ACCOUNT.match(account)
    kind = match[1] if match else ""
    return None if kind == "R" and mode == "RTGS" else _TURNED_BACK.get(kind)


def takes_slips(account: str) -> bool:
    """Return whether slips at branches may pay into an account."""
    match = _ACCOUNT.match(account)
    return match is not None and match[1] == "C"


def cleared(mode: str, remitter: str, timings: Timings) -> PaymentDecision:
    """Return the outcome of a slip: credited after clearing, or returned with its cheque."""
    if mode == "CHEQUE" and remitter == RETURNED_CHEQUE:
        return _RETURNED
    return PaymentDecision(Status.PENDING, "01", "In clearing", settles_after_s=timings.deemed_s)


def paise(text: str) -> int:
    """Return an amount in paise, 0 for any other text."""
    match = _AMOUNT.match(text)
    return int(match[1]) * 100 + int((match[2] or "0").ljust(2, "0")) if match else 0


def utr_of(mode: str, rrn: str, now: datetime) -> str:
    """Return the number of a transfer in the banks' network, from a number used once."""
    if mode == "NEFT":
        return f"SIMBN{rrn[-11:]}"
    if mode == "CHEQUE":
        return f"SIMBC{rrn[-11:]}"
    return f"SIMBR5{now:%Y%m%d}{rrn[-8:]}" if mode == "RTGS" else rrn


def problems(values: Mapping[str, str]) -> dict[str, str]:
    """Return the problems of a transfer's fields, by field."""
    faults = _problems_of_money(values)
    if values["mode"] not in MODES:
        faults["mode"] = "Choose NEFT, RTGS or IMPS."
    if (
        "amount" not in faults
        and values["mode"] == "RTGS"
        and paise(values["amount"]) < RTGS_MINIMUM_PAISE
    ):
        faults["amount"] = "RTGS carries 2,00,000.00 rupees and more. Choose NEFT or IMPS."
    if values["utr"] and not _UTR.match(values["utr"]):
        faults["utr"] = "A UTR has 12 to 22 capitals and digits."
    return faults


def problems_of_slip(values: Mapping[str, str]) -> dict[str, str]:
    """Return the problems of a slip's fields, by field."""
    faults = _problems_of_money(values)
    if "account" not in faults and not takes_slips(values["account"]):
        faults["account"] = "This account takes no slips. Send a transfer."
    if values["mode"] not in BRANCH_MODES:
        faults["mode"] = "Choose cheque or account."
    return faults


def _problems_of_money(values: Mapping[str, str]) -> dict[str, str]:
    faults: dict[str, str] = {}
    if not reference_of(values["account"]):
        faults["account"] = "There is no such account at this bank."
    if values["ifsc"].upper() != IFSC:
        faults["ifsc"] = f"The IFSC of this bank is {IFSC}."
    if not paise(values["amount"]):
        faults["amount"] = "Enter an amount in rupees, such as 1499.50."
    if not _REMITTER.match(values["remitter"]):
        faults["remitter"] = "Enter 6 to 18 digits."
    elif values["remitter"] == BLOCKED_REMITTER:
        faults["remitter"] = "Your account is blocked. No money has moved."
    return faults
