"""What RazorpayX's stand-in does with fund account validations.

Written from api/x/account-validation/**, api/x/composite-account-validation/** and
webhooks/account-validation.md of razorpay/markdown-docs at ab3bda5. Open there: whether a repeated
`reference_id` is noticed (here it is not: every call is a validation and costs), what it costs,
which lookups a `reference_id` has (none is printed, and none is here), whether `utr` is printed
before the drop went (their samples differ: null in the older form, a number in the newer).
"""

from dataclasses import dataclass, field

from tests.acquirers.razorpayx.standin_books import (
    REFERENCE_LENGTH_MAX,
    Books,
    new_id,
    not_found,
    refusal,
)
from tests.acquirers.stage import Document

PRICE = 236
"""Paise that a check costs here; their price list is not public."""
TYPES = {"pennydrop", "penniless", "optimized"}
NOBODY = {"account_status": None, "registered_name": None, "details": None}


@dataclass
class Held:
    """What the bank of an account says. score: how alike the names are, 0 to 100."""

    name: str | None
    status: str = "active"
    score: int | None = 100
    details: str = "The beneficiary account is valid."


@dataclass
class Checks:
    """Validations, and the bank that answers them.

    bank: what is at an account number or VPA; `default` else. at_once: they are completed before
    they are answered; otherwise a test says when, with `complete` or `fail`.
    """

    books: Books
    bank: dict[str, Held] = field(default_factory=dict)
    default: Held = field(default_factory=lambda: Held("Gaurav Kumar"))
    at_once: bool = False
    validations: dict[str, Document] = field(default_factory=dict)
    accounts: dict[str, str] = field(default_factory=dict)

    def create(self, asked: Document) -> Document:
        composite = "source_account_number" in asked or "account_type" in (
            asked.get("fund_account") or {}
        )
        number = asked.get("source_account_number" if composite else "account_number")
        account = self.books.account(number)
        if account.kind != "razorpayx_lite":
            raise refusal("Account validation is available on RazorpayX Lite alone.")
        if account.balance < PRICE:
            raise refusal("Your account does not have enough balance.")
        made = self._composite(asked) if composite else self._plain(asked)
        self.validations[made["id"]] = made
        self.accounts[made["id"]] = account.number
        source = {"id": made["id"], "entity": "fund_account.validation", "amount": PRICE}
        self.books.money(account, -PRICE, source)
        if self.at_once:
            self.complete(made["id"])
        return made

    def one(self, validation_id: str) -> Document:
        if validation_id not in self.validations:
            raise not_found()
        return self.validations[validation_id]

    def of_account(self, number: str) -> list[Document]:
        """Return the validations of a source account, newest first."""
        found = [self.one(each) for each, owner in self.accounts.items() if owner == number]
        return found[::-1]

    def of_reference(self, reference: str) -> list[Document]:
        """Return the validations of our reference, oldest first; the acquirer has no such list."""
        return [each for each in self.validations.values() if each.get("reference_id") == reference]

    def complete(self, validation_id: str, held: Held | None = None) -> Document:
        """End a validation with what the bank says; completed does not mean valid."""
        made = self.one(validation_id)
        held = held or self._held(made)
        results = {
            "account_status": held.status,
            "registered_name": held.name,
            "details": held.details,
            "name_match_score": held.score,
        }
        made["status"], made["utr"] = "completed", self.books.next_utr()
        self._end(made, results, "validation_completed", "beneficiary_bank")
        return made

    def fail(self, validation_id: str, reason: str = "gateway_technical_error") -> Document:
        """End a validation without an answer."""
        made = self.one(validation_id)
        results = {"account_status": "", "registered_name": "", "details": None}
        made["status"] = "failed"
        self._end(made, results | {"name_match_score": None}, reason, "gateway")
        return made

    def _end(self, made: Document, results: Document, reason: str, source: str) -> None:
        description = {
            "validation_completed": "Validation request is completed",
            "gateway_technical_error": "Validation failed due to a temporary technical issue at "
            "the partner bank. Please retry after 30 min.",
        }.get(reason, reason)
        if "validation_results" in made:
            made["validation_results"] = results
            made["status_details"] = {
                "description": description,
                "source": source,
                "reason": reason,
            }
        else:
            told = ("account_status", "registered_name")
            made["results"] = {name: results[name] for name in told}
        event = f"fund_account.validation.{made['status']}"
        self.books.told.append((event, "fund_account.validation", self._hooked(made, results)))

    def _hooked(self, made: Document, results: Document) -> Document:
        """Return the form of their webhooks, which is the older one with all results."""
        left_out = ("validation_results", "status_details")
        return {name: each for name, each in made.items() if name not in left_out} | {
            "results": results
        }

    def _held(self, made: Document) -> Held:
        fund_account = made["fund_account"]
        details = fund_account[fund_account["account_type"]]
        return self.bank.get(details.get("account_number") or details["address"], self.default)

    def _composite(self, asked: Document) -> Document:
        if asked.get("validation_type", "optimized") not in TYPES:
            raise refusal("The selected validation type is invalid.", "validation_type")
        if len(str(asked.get("reference_id") or "")) > REFERENCE_LENGTH_MAX:
            raise refusal("The reference id may not be greater than 40 characters.", "reference_id")
        fund = asked.get("fund_account") or {}
        bank_account = fund.get("bank_account")
        if bank_account is not None and not bank_account.get("name"):
            name = (fund.get("contact") or {}).get("name")
            fund = fund | {"bank_account": bank_account | {"name": name}}
        contact = self.books.add_contact(fund.get("contact") or {})
        fund_account = self.books.add_fund_account(contact["id"], fund)
        return {
            "id": new_id("fav"),
            "entity": "fund_account.validation",
            "status": "created",
            "utr": None,
            "validation_results": {**NOBODY, "name_match_score": None},
            "status_details": {
                "description": "Validation request is created",
                "source": "internal",
                "reason": "validation_request_created",
            },
            "reference_id": asked.get("reference_id"),
            "notes": asked.get("notes") or [],
            "fund_account": fund_account | {"contact": contact},
        }

    def _plain(self, asked: Document) -> Document:
        fund_account = self.books.fund_accounts.get((asked.get("fund_account") or {}).get("id", ""))
        if fund_account is None:
            raise not_found()
        by_bank = fund_account["account_type"] == "bank_account"
        return {
            "id": new_id("fav"),
            "entity": "fund_account.validation",
            "fund_account": fund_account,
            "status": "created",
            "amount": asked.get("amount", 100) if by_bank else None,
            "currency": "INR" if by_bank else None,
            "notes": asked.get("notes") or [],
            "results": {"account_status": None, "registered_name": None},
            "created_at": self.books.now(),
            "utr": None,
        }
