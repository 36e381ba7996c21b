"""What Razorpay's stand-in keeps of linked accounts: owners, stakeholders and the Route product.

Written by a hand that has not read the connector, from razorpay/markdown-docs at ab3bda5:
api/payments/route/{create-linked-account, create-stakeholder, request-product-config,
update-product-config}.md, payments/route/{integration-guide, faqs}.md and webhooks/route.md. What
that text leaves open is marked "open":

- reference_id is of 1 to 512 characters in the table of fields, of 3 to 20 in that of errors: here
  3 to 20, the narrower.
- the sample of a new product names bank details as active and as missing at once: here what is
  missing is not active.
- the states differ: activated, needs_clarification at the product; activated,
  verification_pending, verification_failed in the FAQ. Here the product's.
- whether bank details of an activated product can be changed by the call: the FAQ sends the
  merchant to support. Here the form is locked.
- the words for an account that was not activated, or is younger than a day, when it is to get
  money.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.acquirers.razorpay.standin_books import NotFoundError, RefusedError, new_id
from tests.acquirers.stage import Document

PARENT = "acc_CJoeHMNpi0nC7k"
COOLING_S = 24 * 3600
"""A linked account gets no money before: payments/route/transfer-funds-to-linked-accounts.md."""
TRIES_MAX = 3
BUSINESS_TYPES = {
    "llp",
    "ngo",
    "other",
    "individual",
    "partnership",
    "proprietorship",
    "public_limited",
    "private_limited",
    "trust",
    "society",
}
BANK_FIELDS = ("beneficiary_name", "account_number", "ifsc_code")
_PAN = re.compile(r"[A-Za-z]{3}[CHFATBJGL][A-Za-z]\d{4}[A-Za-z]\Z")
_GST = re.compile(r"[0123][0-9][a-z]{5}[0-9]{4}[a-z][0-9][a-z0-9][a-z0-9]\Z", re.IGNORECASE)
_IFSC = re.compile(r"[A-Z]{4}0[A-Z0-9]{6}\Z")
_LENGTHS = {"phone": (8, 15), "legal_business_name": (4, 200), "reference_id": (3, 20)}
_LOCKED = "Merchant activation form has been locked for editing by admin."


class LinkedAccountError(RefusedError):
    """A linked account that is not there, or is somebody else's."""

    def __init__(self) -> None:
        super().__init__("Linked account does not exist")
        known = {"source": "", "step": "", "reason": "linked_account_id_does_not_exist"}
        self.document["error"] |= known


def required(asked: Document, *names: str) -> None:
    """Refuse what leaves a field out; the words of the page: The input field is required."""
    for name in names:
        if asked.get(name) in (None, "", {}):
            raise RefusedError(f"The {name.replace('_', ' ')} field is required.", field=name)


@dataclass
class LinkedAccounts:
    """Linked accounts with their stakeholders and products, by id.

    tells: takes the name of an event, what it is about and its account. penny_test: what the
    test of new bank details says: True, False, or None to wait for `review`.
    """

    now: Callable[[], int]
    tells: Callable[[str, Document], None]
    penny_test: bool | None = True
    accounts: dict[str, Document] = field(default_factory=dict)
    stakeholders: dict[str, Document] = field(default_factory=dict)
    products: dict[str, Document] = field(default_factory=dict)
    tries: dict[str, int] = field(default_factory=dict)

    def create(self, asked: Document) -> Document:
        if asked.get("type") != "route":
            raise RefusedError(f"Invalid type: {asked.get('type')}", field="type")
        required(asked, "email", "phone", "legal_business_name", "business_type", "profile")
        required(asked["profile"], "category", "subcategory", "addresses")
        required(asked["profile"]["addresses"], "registered")
        self._check(asked)
        for known in self.accounts.values():
            if known["email"] == asked["email"]:
                said = f"Merchant email already exists for account - {known['id'][4:]}"
                raise RefusedError(said, field="email")
        brand = asked.get("customer_facing_business_name", asked["legal_business_name"])
        own = {"id": new_id("acc"), "type": "route", "status": "created", "notes": []}
        shown = ("email", "profile", "phone", "contact_name", "reference_id", "business_type")
        account = own | {name: asked[name] for name in shown if name in asked}
        account |= {"legal_business_name": asked["legal_business_name"], "created_at": self.now()}
        account["customer_facing_business_name"] = brand
        account["legal_info"] = asked.get("legal_info") or {}
        self.accounts[account["id"]] = account
        return account

    def change(self, account_id: str, asked: Document) -> Document:
        account = self.account(account_id)
        if any(
            each["account_id"] == account_id and each["activation_status"] == "under_review"
            for each in self.products.values()
        ):
            raise RefusedError(_LOCKED)
        self._check(account | asked)
        account |= {name: each for name, each in asked.items() if name not in {"id", "email"}}
        return account

    def _check(self, asked: Document) -> None:
        if asked["business_type"] not in BUSINESS_TYPES:
            said = f"Invalid business type: {asked['business_type']}"
            raise RefusedError(said, field="business_type")
        for name, (least, most) in _LENGTHS.items():
            if asked.get(name) is None or least <= len(str(asked[name])) <= most:
                continue
            if name == "reference_id":
                raise RefusedError("The code must be at least 3 characters.", field=name)
            raise RefusedError(f"The {name} is of an invalid length.", field=name)
        legal = asked.get("legal_info") or {}
        if legal.get("pan") is not None and not _PAN.match(legal["pan"]):
            raise RefusedError("The pan field is invalid.", field="pan")
        if legal.get("gst") is not None and not _GST.match(legal["gst"]):
            raise RefusedError("The gst field is invalid.", field="gst")

    def account(self, account_id: object) -> Document:
        if account_id not in self.accounts:
            raise LinkedAccountError
        return self.accounts[str(account_id)]

    def add_stakeholder(self, account_id: str, asked: Document) -> Document:
        self.account(account_id)
        required(asked, "name", "email")
        if any(each["account_id"] == account_id for each in self.stakeholders.values()):
            raise RefusedError("Stakeholders cannot be more than one for Route product.")
        made: Document = {"entity": "stakeholder", "id": new_id("sth"), "account_id": account_id}
        shown = ("name", "email", "relationship", "phone", "kyc", "percentage_ownership")
        made |= {name: asked[name] for name in (*shown, "addresses") if name in asked}
        made["notes"] = asked.get("notes") or []
        self.stakeholders[made["id"]] = made
        return self.stakeholder(account_id, made["id"])

    def stakeholder(self, account_id: str, number: str) -> Document:
        self.account(account_id)
        found = self.stakeholders.get(number, {})
        if found.get("account_id") != account_id:
            raise NotFoundError
        return {name: each for name, each in found.items() if name != "account_id"}

    def request_product(self, account_id: str, asked: Document) -> Document:
        self.account(account_id)
        if asked.get("product_name") != "route":
            raise RefusedError("The product requested is invalid.", field="product_name")
        accepted = asked.get("tnc_accepted")
        if accepted is False:
            raise RefusedError("The selected tnc accepted is invalid.", field="tnc_accepted")
        product = {
            "requested_configuration": [],
            "active_configuration": {"settlements": dict.fromkeys(BANK_FIELDS)},
            "id": new_id("acc_prd"),
            "product_name": "route",
            "activation_status": "needs_clarification",
            "account_id": account_id,
            "requested_at": self.now(),
        }
        if accepted:
            product["tnc"] = self._terms()
        self.products[product["id"]] = product
        product["requirements"] = self._requirements(product, "field_missing")
        return product

    def product(self, account_id: str, product_id: str) -> Document:
        self.account(account_id)
        found = self.products.get(product_id)
        if found is None or found["account_id"] != account_id:
            raise NotFoundError
        return found

    def change_product(self, account_id: str, product_id: str, asked: Document) -> Document:
        """Take bank details, and let Razorpay send a rupee to them."""
        product = self.product(account_id, product_id)
        if product["activation_status"] in {"under_review", "activated", "suspended"}:
            raise RefusedError(_LOCKED)
        if asked.get("tnc_accepted") is False:
            raise RefusedError("The selected tnc accepted is invalid.", field="tnc_accepted")
        if asked.get("tnc_accepted"):
            product["tnc"] = self._terms()
        settlements = asked.get("settlements")
        if settlements is None:
            return product
        required(settlements, *BANK_FIELDS)
        if not _IFSC.match(str(settlements["ifsc_code"])):
            raise RefusedError("Invalid IFSC Code", field="ifsc_code")
        if not 5 <= len(str(settlements["account_number"])) <= 20:
            said = "The account number must be between 5 and 20 characters."
            raise RefusedError(said, field="account_number")
        product["active_configuration"] = {"settlements": settlements}
        product["requirements"] = []
        self._put(product, "under_review")
        if self.penny_test is not None:
            self.review(product_id, good=self.penny_test)
        return product

    def review(self, product_id: str, *, good: bool) -> Document:
        """End the review of bank details."""
        product = self.products[product_id]
        if good:
            self._put(product, "activated")
            return product
        tries = self.tries[product_id] = self.tries.get(product_id, 0) + 1
        said = "Max retry exceeded for bank account details." if tries >= TRIES_MAX else ""
        product["requirements"] = [
            each | ({"description": said} if said else {})
            for each in self._requirements(product, "needs_clarification")
        ]
        self._put(product, "needs_clarification")
        return product

    def suspend(self, product_id: str) -> None:
        """Let Razorpay stop an account; whether an event says so is open: here none does."""
        self.products[product_id]["activation_status"] = "suspended"

    def receives(self, account_id: object, place: str) -> Document:
        """Return an account that may get money now, or refuse."""
        account = self.accounts.get(str(account_id))
        if account is None:
            raise RefusedError("The id provided does not exist", field=place)
        if not any(
            each["account_id"] == account_id and each["activation_status"] == "activated"
            for each in self.products.values()
        ):  # the words are open
            raise RefusedError("The linked account is not activated.", field=place)
        if account["created_at"] + COOLING_S > self.now():  # the words are open
            raise RefusedError("The linked account is in its cooling period.", field=place)
        return account

    def _terms(self) -> Document:
        return {"id": new_id("tnc"), "accepted": True, "accepted_at": self.now()}

    def _requirements(self, product: Document, reason: str) -> list[Document]:
        to = f"/accounts/{product['account_id']}/products/{product['id']}"
        return [
            {
                "field_reference": f"settlements.{name}",
                "resolution_url": to,
                "reason_code": reason,
                "status": "required",
            }
            for name in BANK_FIELDS
        ]

    def _put(self, product: Document, status: str) -> None:
        product["activation_status"] = status
        told = {"id": product["id"], "merchant_id": product["account_id"]}
        data = {"requirements": product["requirements"]} if product["requirements"] else []
        entity = told | {"activation_status": status}
        self.tells(f"product.route.{status}", {"merchant_product": entity, "data": data})
