"""What the stand-in of Cashfree Payouts keeps: beneficiaries, transfers, batches, its wallet.

Written by a hand that has not read the connector, from openapi-PO.json (2024-01-01) of
cashfree/cashfree-mcp at 04a6278, cashfree_payout 0.0.13 of PyPI, Cashfree's agent skill for
payouts 0.2.4 and cashfree.com/docs (webhooks v2, get balance). What they leave open:

- what a repeated `transfer_id` gets. Their v1 table says 409, the v2 list has no such answer.
  `repeated` chooses: "conflict" (409), "refused" (400) or "same" (200 with the transfer). A second
  transfer is never made.
- whether a hyphen may be in `transfer_id` (the schema says letters, digits and `_`; another page
  allows it): here it is refused.
- what an address that is not listed gets: here 403 with type authentication_error.
- when the fee is told: here with SUCCESS, as in their samples.
- the hour of `event_time`: here Indian time without a zone.
- whether a hold for low balance (QUEUED) is ever told by a webhook: here it is not.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from itertools import count
from typing import Any

from tests.acquirers.stage import Document, StandinError

CHARGE, TAX = 100, 18
"""Paise of a transfer: 1 and 0.18 rupees in their samples."""
PAISE = 100
AMOUNT_MIN = 100
IMPS_MOST, UPI_MOST = 50_000_000, 10_000_000
ID = re.compile(r"[A-Za-z0-9_]{1,40}\Z")
BATCH_ID = re.compile(r"[A-Za-z0-9_]{1,60}\Z")
BENEFICIARY_ID = re.compile(r"[A-Za-z0-9_|.-]{1,50}\Z")
NAME = re.compile(r"[A-Za-z ]{1,100}\Z")
ACCOUNT = re.compile(r"[A-Za-z0-9]+\Z")
IFSC = re.compile(r"[A-Z]{4}0[A-Z0-9]{6}\Z")
VPA = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.]+\Z")
REMARKS = re.compile(r"[A-Za-z0-9 ]{0,70}\Z")
MODES = {"banktransfer": "BANK", "imps": "IMPS", "neft": "NEFT", "rtgs": "RTGS", "upi": "UPI"}
OTHER_MODES = {"paytm", "amazonpay", "card", "cardupi"}
INSTRUMENT = "beneficiary_details.beneficiary_instrument_details"
IST = timezone(timedelta(hours=5, minutes=30))
WORDS = {
    "RECEIVED": "The transfer has been received for further processing.",
    "APPROVAL_PENDING": "The transfer requires approval.",
    "SENT_TO_BANK": "The transfer was sent to the partner bank.",
    "PENDING": "The partner bank has not confirmed yet.",
    "SENT_TO_BENEFICIARY": "Your account is debited; the credit is not confirmed yet.",
    "COMPLETED": "The transfer has been credited to the end beneficiary.",
    "IMPS_MODE_FAIL": "The beneficiary account does not support IMPS transfers.",
    "INVALID_ACCOUNT_FAIL": "The account number of the beneficiary is invalid.",
    "INVALID_MODE_FOR_PYID": "The payment instrument does not support this mode of transfer.",
    "INSUFFICIENT_BALANCE": "The balance is low.",
}


def refusal(
    code: str, message: str, *, status: int = 400, kind: str = "invalid_request_error"
) -> StandinError:
    """Return a refusal in their form."""
    return StandinError(status, {"type": kind, "code": code, "message": message})


def rupees(paise: int) -> int | float:
    """Return an amount as their JSON numbers."""
    return paise // PAISE if paise % PAISE == 0 else paise / PAISE


def paise_of(said: object, name: str = "transfer_amount") -> int:
    if said is None:
        raise refusal(f"{name}_missing", f"{name} is missing in the request")
    if isinstance(said, bool) or not isinstance(said, (int, Decimal)):
        raise refusal(f"{name}_invalid", f"{name} should be a number")
    paise = said * PAISE
    if paise < AMOUNT_MIN or paise != int(paise):
        raise refusal(f"{name}_invalid", f"{name} should be greater then 1.00")
    return int(paise)


@dataclass
class Transfer:
    """One transfer. left: paise that left the wallet for it and have not come back."""

    transfer_id: str
    cf_transfer_id: str
    paise: int
    mode: str
    beneficiary: Document
    added_at: float
    updated_at: float
    status: str = "RECEIVED"
    code: str = "RECEIVED"
    utr: str | None = None
    charged: bool = False
    left: int = 0
    history: list[str] = field(default_factory=list)

    def document(self) -> Document:
        charge: Document = {}
        if self.charged:
            charge = {
                "transfer_service_charge": rupees(CHARGE),
                "transfer_service_tax": rupees(TAX),
            }
        return {
            "transfer_id": self.transfer_id,
            "cf_transfer_id": self.cf_transfer_id,
            "status": self.status,
            "status_code": self.code,
            "status_description": WORDS.get(self.code, self.code),
            "beneficiary_details": _told(self.beneficiary),
            "transfer_amount": rupees(self.paise),
            **charge,
            "transfer_mode": MODES.get(self.mode, self.mode.upper()),
            **({"transfer_utr": self.utr} if self.utr else {}),
            "fundsource_id": "CASHFREE_1",
            "added_on": instant(self.added_at),
            "updated_on": instant(self.updated_at),
        }


def _told(beneficiary: Document) -> Document:
    """Name the IFSC as their examples do (bank_ifsc), and as their client reads it (ifsc)."""
    instrument = dict(beneficiary["beneficiary_instrument_details"])
    if instrument.get("bank_ifsc"):
        instrument["ifsc"] = instrument["bank_ifsc"]
    return beneficiary | {"beneficiary_instrument_details": instrument}


def instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass
class Books:
    """Everything that Cashfree keeps of one merchant.

    approval: transfers wait for people first. queues: what the balance cannot bear waits, instead
    of being rejected. fates: by account number or VPA, what becomes of a transfer as soon as it is
    made, as (status, status_code). told: (type, data) for webhooks. now: the clock of the server.
    """

    now: Callable[[], float]
    paise: int = 0
    approval: bool = False
    queues: bool = False
    repeated: str = "conflict"
    source_account: str = "SOURCE00001"
    fates: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    beneficiaries: dict[str, Document] = field(default_factory=dict)
    transfers: dict[str, Transfer] = field(default_factory=dict)
    batches: dict[str, Document] = field(default_factory=dict)
    told: list[tuple[str, Document]] = field(default_factory=list)
    _ids: Any = field(default_factory=lambda: count(123456))
    _utrs: Any = field(default_factory=lambda: count(20230122005431))

    def next_id(self) -> str:
        return str(next(self._ids))

    def next_utr(self) -> str:
        return f"TESTR{next(self._utrs)}"

    def add_beneficiary(self, asked: Document) -> Document:
        name = str(asked.get("beneficiary_id", ""))
        if not BENEFICIARY_ID.match(name):
            raise refusal("beneficiary_id_invalid", "beneficiary_id has other characters")
        if not NAME.match(str(asked.get("beneficiary_name", ""))):
            raise refusal("beneficiary_name_invalid", "beneficiary_name is invalid")
        instrument = asked.get("beneficiary_instrument_details") or {}
        check_instrument(instrument, "")
        if name in self.beneficiaries:
            raise refusal(
                "beneficiary_id_already_exists",
                "Beneficiary already exists with the given beneficiary_id",
                status=409,
            )
        number = instrument.get("bank_account_number")
        if number and number == self.source_account:
            raise refusal(
                "beneficiary_account_same_as_source",
                "beneficiary_bank_account_number provided can not be same as source",
                status=422,
            )
        if number and self.of_account(number, instrument.get("bank_ifsc")):
            raise refusal(
                "beneficiary_already_exists",
                "Beneficiary already exists with the given account and ifsc",
                status=409,
            )
        told = ("beneficiary_id", "beneficiary_name", "beneficiary_contact_details")
        made = {each: asked.get(each) for each in told}
        made |= {"beneficiary_instrument_details": instrument, "beneficiary_status": "VERIFIED"}
        self.beneficiaries[name] = made | {"added_on": instant(self.now())}
        return self.beneficiaries[name]

    def of_account(self, number: str, ifsc: str | None) -> Document | None:
        for each in self.beneficiaries.values():
            instrument = each["beneficiary_instrument_details"]
            if (instrument.get("bank_account_number"), instrument.get("bank_ifsc")) == (
                number,
                ifsc,
            ):
                return each
        return None

    def beneficiary(self, name: str) -> Document:
        if name not in self.beneficiaries:
            raise refusal("beneficiary_not_found", "Beneficiary does not exist", status=404)
        return self.beneficiaries[name]

    def instrument(self, details: Document, mode: str) -> Document:
        """Return whom a transfer goes to: a known beneficiary, or one given with it."""
        name, given = details.get("beneficiary_id"), details.get("beneficiary_instrument_details")
        if name:
            known = self.beneficiary(str(name))["beneficiary_instrument_details"]
            for each, value in (given or {}).items():
                if known.get(each) != value:
                    raise refusal(f"{INSTRUMENT}.{each}_invalid", f"{each} does not match")
            return {"beneficiary_id": name, "beneficiary_instrument_details": known}
        if not NAME.match(str(details.get("beneficiary_name", ""))):
            raise refusal(
                "beneficiary_details.beneficiary_name_invalid",
                "beneficiary_name is invalid. only alphabets and whitespaces are allowed",
            )
        check_instrument(given or {}, f"{INSTRUMENT}.")
        by_vpa = mode == "upi"
        if not (given or {}).get("vpa" if by_vpa else "bank_account_number"):
            missing = "vpa" if by_vpa else "bank_account_number"
            raise refusal(f"{INSTRUMENT}.{missing}_missing", f"{missing} is missing")
        return {"beneficiary_instrument_details": given}


def check_instrument(instrument: Document, prefix: str) -> None:
    number, ifsc = instrument.get("bank_account_number"), instrument.get("bank_ifsc")
    vpa = instrument.get("vpa")
    if number is not None and not ACCOUNT.match(str(number)):
        raise refusal(
            f"{prefix}bank_account_number_invalid", "bank_account_number should be alphanumeric"
        )
    if number is not None and ifsc is None:
        raise refusal(f"{prefix}bank_ifsc_missing", "bank_ifsc should be provided")
    if ifsc is not None and not IFSC.match(str(ifsc)):
        raise refusal(f"{prefix}bank_ifsc_invalid", "bank_ifsc should be in standard ifsc format")
    if vpa is not None and not VPA.match(str(vpa)):
        raise refusal(f"{prefix}vpa_invalid", "vpa is in invalid format")
