"""What the stand-in of Cashfree does with checks of bank accounts and UPI addresses.

Written from cashfree_verification 3.0.0 of PyPI, openapi-VRS.json (2023-12-18) of
cashfree/cashfree-mcp, Cashfree's agent skill "secure id" 0.2.4 and cashfree.com/docs
(webhooks-bank-account-verification, payloads-and-signatures). Open: what a repeated `user_id` of
the asynchronous call gets (here VERIFICATION_ALREADY_UNDER_PROCESS while it is open, and the known
result once it has ended: nothing is dropped twice), what a check costs, the words of a 404, and
where a webhook's signature is: in the body on one page, in headers on another; here in both.
"""

import base64
import hashlib
import hmac
import json
import re
from dataclasses import dataclass, field

from tests.acquirers.cashfree_payouts.standin_books import Books, refusal
from tests.acquirers.stage import Document

USER_ID = re.compile(r"[A-Za-z0-9_]{1,50}\Z")
ACCOUNT = re.compile(r"[A-Za-z0-9]{6,40}\Z")
IFSC = re.compile(r"[A-Z]{4}0[A-Z0-9]{6}\Z")
PRICE = 236
MATCHES = ((100, "DIRECT_MATCH"), (80, "GOOD_PARTIAL_MATCH"), (60, "MODERATE_PARTIAL_MATCH"))
OPEN = {"RECEIVED", "IN_PROCESS", "PROCESSING", "APPROVAL_PENDING"}
REJECTED = {"REJECTED", "FAILED"}


@dataclass
class Held:
    """What a bank says of an account. score: 0 to 100, told with two decimals as text."""

    name: str | None
    score: float = 100
    status: str = "VALID"
    code: str = "ACCOUNT_IS_VALID"


INVALID = Held(None, 0, "INVALID", "INVALID_ACCOUNT_FAIL")


@dataclass
class Checks:
    """Checks by our reference, and the bank that answers them.

    bank: what is at an account number or VPA; `default` else. at_once: asynchronous checks end
    before they are answered; otherwise a test says when, with `complete` or `fail`.
    """

    books: Books
    bank: dict[str, Held] = field(default_factory=dict)
    default: Held = field(default_factory=lambda: Held("JOHN DOE"))
    at_once: bool = False
    made: list[Document] = field(default_factory=list)
    told: list[tuple[str, Document]] = field(default_factory=list)

    def sync(self, asked: Document) -> Document:
        """Drop a rupee, and say what the bank says."""
        self._check(asked)
        check = self._new(asked)
        self._end(check, self._held(asked))
        return _shown(check)

    def start(self, asked: Document) -> Document:
        self._check(asked)
        user = str(asked.get("user_id", ""))
        if not USER_ID.match(user):
            raise refusal("user_id_invalid", "user_id is invalid", kind="validation_error")
        known = self.of_user(user)
        if known is not None:
            return _shown(known | self._underway(known))
        check = self._new(asked)
        check["user_id"] = user
        if self.at_once:
            self.complete(user)
        return {name: check[name] for name in ("reference_id", "user_id")} | {
            "account_status": "RECEIVED",
            "account_status_code": "RECEIVED",
        }

    def of_user(self, user: str) -> Document | None:
        return next((each for each in self.made if each.get("user_id") == user), None)

    def status(self, reference: str | None, user: str | None) -> Document:
        for each in self.made:
            if str(each["reference_id"]) == reference or (user and each.get("user_id") == user):
                return _shown(each)
        raise refusal("not_found", "bank verification does not exist", status=404)

    def complete(self, user: str, held: Held | None = None) -> Document:
        """End a check with what the bank says."""
        check = self.of_user(user)
        assert check is not None
        self._end(check, held or self._held(check["asked"]))
        return check

    def fail(self, user: str, code: str = "NPCI_UNAVAILABLE") -> Document:
        """End a check without an answer about the account."""
        return self.complete(user, Held(None, 0, "FAILED", code))

    def vpa(self, asked: Document) -> Document:
        """Say who has a UPI address."""
        held = self.bank.get(str(asked.get("vpa")), self.default)
        return {
            "reference_id": int(self.books.next_id()),
            "verification_id": asked.get("verification_id"),
            "vpa": asked.get("vpa"),
            "status": held.status,
            "name_at_bank": held.name,
            "name_match_score": f"{held.score:.2f}" if asked.get("name") else None,
            "name_match_result": _match(held.score) if asked.get("name") else None,
        }

    def _check(self, asked: Document) -> None:
        if not ACCOUNT.match(str(asked.get("bank_account", ""))):
            raise refusal(
                "bank_account_value_invalid", "bank_account is invalid", kind="validation_error"
            )
        if not IFSC.match(str(asked.get("ifsc", ""))):
            raise refusal("ifsc_value_invalid", "ifsc is invalid", kind="validation_error")
        if self.books.paise < PRICE:
            raise refusal("insufficient_balance", "insufficient balance", status=422)

    def _new(self, asked: Document) -> Document:
        self.books.paise -= PRICE
        check = {
            "reference_id": int(self.books.next_id()),
            "account_status": "RECEIVED",
            "account_status_code": "RECEIVED",
            "asked": asked,
        }
        self.made.append(check)
        return check

    def _underway(self, check: Document) -> Document:
        if check["account_status"] not in OPEN:
            return {}
        return {"account_status_code": "VERIFICATION_ALREADY_UNDER_PROCESS"}

    def _held(self, asked: Document) -> Held:
        return self.bank.get(asked["bank_account"], self.default)

    def _end(self, check: Document, held: Held) -> None:
        named = held.name is not None and bool(check["asked"].get("name"))
        valid = held.status == "VALID"
        check |= {
            "account_status": held.status,
            "account_status_code": held.code,
            "name_at_bank": held.name,
            "name_match_score": f"{held.score:.2f}" if named else None,
            "name_match_result": _match(held.score) if named else None,
            "utr": self.books.next_utr() if valid else None,
            "bank_name": "YES BANK" if valid else None,
            "city": "MUMBAI" if valid else None,
            "branch": "SANTACRUZ, MUMBAI" if valid else None,
            "micr": 400532038 if valid else None,
        }
        kind = "REJECTED" if held.status in REJECTED else "SUCCESS"
        if "user_id" in check:
            told = _shown(check) | ({"amount_deposited": "1.04"} if valid else {})
            self.told.append((f"BANK_ACCOUNT_VERIFICATION_{kind}", told))


def signed_within(data: Document, secret: str) -> str:
    """Sign the values of a webhook's data by the order of their names, as the older page says."""
    joined = "".join(
        each if isinstance(each, str) else json.dumps(each) for _, each in sorted(data.items())
    )
    made = hmac.new(secret.encode(), joined.encode(), hashlib.sha256)
    return base64.b64encode(made.digest()).decode()


def _match(score: float) -> str:
    if score <= 0:
        return "NO_MATCH"
    return next((word for least, word in MATCHES if score >= least), "POOR_PARTIAL_MATCH")


def _shown(check: Document) -> Document:
    return {name: each for name, each in check.items() if name != "asked"}
