"""What RazorpayX's stand-in keeps: accounts, contacts, fund accounts, payouts, a statement.

Written from razorpay/markdown-docs at ab3bda5 (9 April 2026): api/x/**, errors/x/**,
x/payouts/states-life-cycle.md, x/payouts/queued.md, webhooks/payouts.md; by a hand that has not
read the connector. What that text leaves open is marked "open":

- whether `reference_id` is unique: here it is not, and a list may find several.
- what a payout gets when the balance is short and it may not be queued ("the payout fails"): a
  payout with status failed, or a refusal with 400 and no payout. `short_balance` chooses.
- what happens to a key after its 7 days: here it is forgotten, and a second payout is made.
- the words of refusals other than those printed.
- whether a body with the same fields in another order is the same: here it is.
- a payout that fails after it was debited: the money comes back only with `reversed`
  (states-life-cycle); one that fails before is given back at once here.
"""

import re
import secrets
import string
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.acquirers.razorpayx.standin_words import explained
from tests.acquirers.stage import Document, StandinError

AMOUNT_MIN = 100
FEES, TAX = 590, 90
"""The tax is within the fees, as in their samples."""
IMPS_MOST, RTGS_LEAST, UPI_MOST = 50_000_000, 20_000_000, 10_000_000
REFERENCE_LENGTH_MAX, NOTES_MAX = 40, 15
KEY_DAYS_S = 7 * 24 * 3600
KEY = re.compile(r"[A-Za-z0-9_ -]{4,36}\Z")
NARRATION = re.compile(r"[A-Za-z0-9 ]{0,30}\Z")
HOLDER = re.compile(r"[A-Za-z0-9 ’_/().-]{3,120}\Z")
CONTACT = re.compile(r"[A-Za-z0-9 ’_/().-]{3,50}\Z")
IFSC = re.compile(r"[A-Z]{4}0[A-Z0-9]{6}\Z")
ACCOUNT = re.compile(r"[A-Za-z0-9]{5,35}\Z")
VPA = re.compile(r"[A-Za-z0-9.-]+@[A-Za-z0-9.-]+\Z")
PURPOSES = {"refund", "cashback", "payout", "salary", "utility bill", "vendor bill"}
CONTACT_TYPES = {"vendor", "customer", "employee", "self"}
MODES = {"bank_account": {"NEFT", "RTGS", "IMPS"}, "vpa": {"UPI"}}
BANKS = {"HDFC": "HDFC Bank", "ICIC": "ICICI Bank", "SBIN": "State Bank of India"}
MOVES = {
    "pending": {"queued", "scheduled", "processing", "rejected", "failed"},
    "queued": {"processing", "cancelled", "failed"},
    "scheduled": {"processing", "cancelled", "failed"},
    "processing": {"processed", "reversed", "failed"},
    "processed": {"reversed"},
    "reversed": {"failed"},
    "failed": {"reversed"},
}
"""x/payouts/states-life-cycle.md; the last two on current accounts alone."""
_ALPHABET = string.ascii_letters + string.digits


def refusal(
    description: str, field_name: str = "", *, status: int = 400, reason: str | None = None
) -> StandinError:
    """Return a refusal in the form that errors/x.md prints."""
    error: Document = {
        "code": "BAD_REQUEST_ERROR",
        "description": description,
        "source": "business",
        "step": None,
        "reason": reason or "input_validation_failed",
        "metadata": {},
    }
    return StandinError(status, {"error": error | ({"field": field_name} if field_name else {})})


def not_found() -> StandinError:
    return refusal("The id provided does not exist")


def new_id(prefix: str) -> str:
    return f"{prefix}_" + "".join(secrets.choice(_ALPHABET) for _ in range(14))


@dataclass
class Account:
    """An account of the merchant. kind: current_account or razorpayx_lite."""

    number: str
    balance: int
    kind: str
    refreshed_at: int

    def document(self) -> Document:
        lite = self.kind == "razorpayx_lite"
        bank = (
            {"bank_name": None, "bank": None}
            if lite
            else {
                "bank_name": "RBL Bank",
                "bank_code": "RATN",
            }
        )
        return {
            "entity": "banking_balance",
            "currency": "INR",
            "account_number": self.number,
            "account_type": self.kind,
            **bank,
            "amount": self.balance,
            "available_amount": self.balance,
            "refreshed_at": self.refreshed_at,
        }


@dataclass
class Payout:
    """One payout. debited: paise that left the account for it and have not come back."""

    id: str
    account: Account
    fund_account: Document
    asked: Document
    status: str
    created_at: int
    reason: str = ""
    utr: str | None = None
    fees: int = 0
    tax: int = 0
    debited: int = 0
    composite: bool = False
    history: list[str] = field(default_factory=list)

    @property
    def amount(self) -> int:
        return self.asked["amount"]

    @property
    def reference(self) -> str | None:
        return self.asked.get("reference_id")

    def document(self) -> Document:
        source, description = explained(self.reason)
        details = {"description": description, "source": source, "reason": self.reason}
        whole = {"fund_account": self.fund_account} if self.composite else {}
        return {
            "id": self.id,
            "entity": "payout",
            "fund_account_id": self.fund_account["id"],
            **whole,
            "amount": self.amount,
            "currency": "INR",
            "notes": self.asked.get("notes") or [],
            "fees": self.fees,
            "tax": self.tax,
            "status": self.status,
            "purpose": self.asked["purpose"],
            "utr": self.utr,
            "mode": self.asked["mode"],
            "reference_id": self.reference,
            "narration": self.asked.get("narration", "Acme Corp"),
            "debit_account_number": self.account.number,
            "batch_id": None,
            "status_details": details if self.reason else None,
            "created_at": self.created_at,
            "fee_type": "",
        }


@dataclass
class Books:
    """Everything that RazorpayX keeps of one merchant.

    approval: payouts wait for people first. short_balance: "failed" or "refused". at_once: payouts
    are processed before they are answered. rejects: reasons by beneficiary account or VPA, of
    payouts that fail as soon as they are processed. told: (event, entity name, document) for
    webhooks. now: the clock of the server.
    """

    now: Callable[[], int]
    approval: bool = False
    short_balance: str = "failed"
    at_once: bool = False
    rejects: dict[str, str] = field(default_factory=dict)
    accounts: dict[str, Account] = field(default_factory=dict)
    contacts: dict[str, Document] = field(default_factory=dict)
    fund_accounts: dict[str, Document] = field(default_factory=dict)
    payouts: dict[str, Payout] = field(default_factory=dict)
    transactions: list[Document] = field(default_factory=list)
    told: list[tuple[str, str, Document]] = field(default_factory=list)
    _utrs: Any = field(default_factory=lambda: count(632500000001))

    def open_account(self, number: str, balance: int, kind: str) -> Account:
        account = Account(number, balance, kind, self.now())
        self.accounts[number] = account
        return account

    def account(self, number: object) -> Account:
        if not number:
            raise refusal("The account number field is required", "account_number")
        if str(number) not in self.accounts:
            raise refusal("The account number is invalid.", "account_number")
        return self.accounts[str(number)]

    def of_reference(self, reference: str) -> list[Payout]:
        """Return the payouts of a reference, oldest first."""
        return [each for each in self.payouts.values() if each.reference == reference]

    def add_contact(self, asked: Document) -> Document:
        if not asked.get("name"):
            raise refusal("The name field is required.", "name")
        if not CONTACT.match(str(asked["name"])) or str(asked["name"])[-1] in "’-_/()":
            raise refusal("The name format is invalid.", "name")
        if asked.get("type") not in {None, *CONTACT_TYPES}:
            raise refusal(f"Invalid type: {asked['type']}", "type")
        if len(asked.get("reference_id") or "") > REFERENCE_LENGTH_MAX:
            raise refusal("The reference id may not be greater than 40 characters.", "reference_id")
        told = {name: asked.get(name) for name in ("name", "email", "contact", "type")}
        told["reference_id"] = asked.get("reference_id")
        for known in self.contacts.values():
            if told == {name: known[name] for name in told}:
                return known
        contact = {
            "id": new_id("cont"),
            "entity": "contact",
            **told,
            "batch_id": None,
            "active": True,
            "notes": asked.get("notes") or [],
            "created_at": self.now(),
        }
        self.contacts[contact["id"]] = contact
        return contact

    def add_fund_account(self, contact_id: object, asked: Document) -> Document:
        if contact_id not in self.contacts:
            raise not_found()
        kind = asked.get("account_type")
        if kind == "bank_account":
            details = _bank_account(asked.get("bank_account") or {})
        elif kind == "vpa":
            details = _vpa(asked.get("vpa") or {})
        else:
            raise refusal("The selected account type is invalid.", "account_type")
        for known in self.fund_accounts.values():
            if (known["contact_id"], known.get(kind)) == (contact_id, details):
                return known
        fund_account = {
            "id": new_id("fa"),
            "entity": "fund_account",
            "contact_id": contact_id,
            "account_type": kind,
            kind: details,
            "active": True,
            "batch_id": None,
            "created_at": self.now(),
        }
        self.fund_accounts[fund_account["id"]] = fund_account
        return fund_account

    def money(self, account: Account, change: int, source: Document) -> None:
        """Write a line of the statement."""
        account.balance += change
        account.refreshed_at = self.now()
        line = {
            "id": new_id("txn"),
            "entity": "transaction",
            "account_number": account.number,
            "amount": abs(change),
            "currency": "INR",
            "credit": max(change, 0),
            "debit": max(-change, 0),
            "balance": account.balance,
            "source": source,
            "created_at": self.now(),
        }
        self.transactions.append(line)
        self.told.append(("transaction.created", "transaction", line))

    def next_utr(self) -> str:
        return str(next(self._utrs))


def _bank_account(asked: Document) -> Document:
    for name, form in (("name", HOLDER), ("ifsc", IFSC), ("account_number", ACCOUNT)):
        if not asked.get(name):
            raise refusal(f"The {name.replace('_', ' ')} field is required.", name)
        if not form.match(str(asked[name])):
            raise refusal(f"The {name.replace('_', ' ')} format is invalid.", name)
    bank = BANKS.get(asked["ifsc"][:4], asked["ifsc"][:4])
    told = {name: asked[name] for name in ("name", "account_number")}
    return {"ifsc": asked["ifsc"], "bank_name": bank, "notes": [], **told}


def _vpa(asked: Document) -> Document:
    address = str(asked.get("address", ""))
    if not VPA.match(address):
        raise refusal("The address format is invalid.", "address")
    username, handle = address.split("@")
    return {"username": username, "handle": handle, "address": address}
