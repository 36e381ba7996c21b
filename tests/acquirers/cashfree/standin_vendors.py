"""What Cashfree's stand-in keeps of Easy Split: vendors, their shares and their settlements.

Written by a hand that has not read the connector. Calls and types are of cashfree/cashfree-pg at
a600a39 (docs/EasySplitAPI.md, model_*vendor*.go, model_*split*.go, API 2026-01-01), the samples of
cashfree.com/docs/api-reference/payments/latest/{easy-split, split} (create-vendor,
split-after-payment, create-adjustment, vendor-settlement-webhooks, vendor-status-change-webhooks),
rows and errors of POST /split/order/vendor/recon of api-evangelist/cashfree
(openapi/_original/openapi-payment-gateway.json, commit 0b823c53), and codes of the agent skill
"Easy Split" 0.2.4 where nothing else names one, marked [S]. What they leave open:

- bank, schedule_option and kyc_details are lists for the client and objects in the page's sample:
  here lists, as the client reads nothing else; `lists` changes it.
- whether a vendor who is not verified gets shares: the skill says yes and no. Here yes, and they
  wait; a BLOCKED or DELETED one gets none.
- a split sooner than two minutes after the payment: the page says to wait. Here refused.
- a split of an order that is settled: split_already_finalized [S], or the published example of
  409, api_request_failed. Here the published one.
- what a CREDIT adjustment does: here the vendor gets it, and the merchant pays.
- a repeated adjustment_id: here 409.
- the first webhook of a settlement: VENDOR_SETTLEMENT_INITIATED in the table, a sample of it says
  VENDOR_SETTLEMENT_CREATED. Here the table's.
- a refund without refund_splits: in proportion [S]; here of what each vendor's share is.
- what a split costs: here 0.1 % and 18 % of it, of a whole order, as the sample of a report.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from itertools import count
from typing import Any

from aiohttp import web

from tests.acquirers.cashfree.standin import Refusal
from tests.acquirers.cashfree.world import World
from tests.acquirers.cashfree.world_records import IST, Order, Payment, rupees, stamp

MERCHANT_ID = 152707
SPLIT_FROM = timedelta(minutes=2)
SCHEDULES = {
    1: ("T+1 settlement at 11:00 AM", 1),
    2: ("T+2 settlement at 11:00 AM", 2),
    3: ("Weekly settlement", 7),
    8: ("Instant settlement", 0),
    9: ("Instant settlement on request", 0),
}
_VENDOR_ID = re.compile(r"[A-Za-z0-9_]+\Z")
_NAME = re.compile(r"[A-Za-z0-9 ./&-]+\Z")
_PHONE = re.compile(r"(\+91)?[0-9]{8,12}\Z")
_IFSC = re.compile(r"[A-Z]{4}0[A-Z0-9]{6}\Z")
_CENT = Decimal("0.01")
_FINAL = Refusal(409, "api_request_failed", "Transaction already processed, not eligible for split")


def paise_of(value: object, name: str) -> int:
    """Read an amount in rupees, a number of two decimals."""
    if isinstance(value, bool | str) or value is None:
        raise Refusal(400, f"{name}_invalid", f"{name} : should be a number")
    amount = Decimal(str(value))
    if amount <= 0 or amount != amount.quantize(_CENT):
        raise Refusal(400, f"{name}_invalid", f"{name} : should be a number of two decimals")
    return int(amount * 100)


def told_amount(paise: int) -> Decimal:
    return rupees(Decimal(paise) / 100)


@dataclass
class Entry:
    """A line of a vendor's ledger. kind: vendor_commission, refund, adjustment or transfer."""

    number: str
    vendor_id: str
    kind: str
    paise: int
    at: datetime
    order_id: str = ""
    refund_id: str = ""
    asked: dict[str, Any] = field(default_factory=dict)
    settlement_id: int | None = None


@dataclass
class Splits:
    """Easy Split of an account. verifies: what a check of bank details says, None to wait.

    lists: objects of a vendor are told in lists. failing: vendors whose settlements fail.
    merchant_paise: what the merchant has for adjustments and transfers beside its payments.
    """

    world: World
    verifies: bool | None = True
    lists: bool = True
    merchant_paise: int = 0
    failing: set[str] = field(default_factory=set)
    vendors: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)
    entries: list[Entry] = field(default_factory=list)
    settlements: dict[int, dict[str, Any]] = field(default_factory=dict)
    _numbers: "count[int]" = field(default_factory=lambda: count(49_703))

    def create(self, asked: dict[str, Any]) -> dict[str, Any]:
        vendor_id = asked.get("vendor_id")
        for name in ("vendor_id", "status", "name", "email", "phone", "kyc_details"):
            if not asked.get(name):
                raise Refusal(400, f"{name}_missing", f"{name} : is missing in the request")
        if not _VENDOR_ID.match(str(vendor_id)):
            raise Refusal(400, "vendor_id_invalid", "vendor_id : invalid value provided")
        if vendor_id in self.vendors:
            raise Refusal(409, "vendor_already_exists", "vendor with same id is already present")
        self._check(asked)
        waits = bool(asked.get("verify_account"))
        added = {"added_on": self.world.now(), "updated_on": self.world.now()}
        self.vendors[str(vendor_id)] = asked | added | {"status": "ACTIVE"}
        if waits:
            self.vendors[str(vendor_id)]["status"] = "IN_BENE_CREATION"
        made = self.told(str(vendor_id), fresh=True)
        if waits and self.verifies is not None:
            self.verify(str(vendor_id), good=self.verifies)
        return made

    def change(self, vendor_id: str, asked: dict[str, Any]) -> dict[str, Any]:
        vendor = self.vendor(vendor_id)
        merged = vendor | {name: each for name, each in asked.items() if name != "vendor_id"}
        self._check(merged)
        before, wanted = vendor["status"], asked.get("status", vendor["status"])
        if wanted not in {before, "ACTIVE", "BLOCKED", "DELETED"}:
            raise Refusal(400, "status_invalid", "status : invalid value provided")
        vendor |= merged | {"status": before, "updated_on": self.world.now()}
        if wanted != before and before not in {"IN_BENE_CREATION", "ACTION_REQUIRED"}:
            self.put(vendor_id, wanted)
        if ("bank" in asked or "upi" in asked) and vendor.get("verify_account"):
            self.put(vendor_id, "IN_BENE_CREATION")
            if self.verifies is not None:
                self.verify(vendor_id, good=self.verifies)
        return self.told(vendor_id, fresh=True)

    def _check(self, asked: dict[str, Any]) -> None:
        bank, upi, kyc = (_one(asked.get(name)) for name in ("bank", "upi", "kyc_details"))
        if not _NAME.match(str(asked["name"])):
            raise Refusal(400, "name_invalid", "name : invalid value provided")
        if not _PHONE.match(str(asked["phone"])):
            raise Refusal(400, "phone_invalid", "phone : invalid value provided")
        if "@" not in str(asked["email"]) or "." not in str(asked["email"]):
            raise Refusal(400, "email_invalid", "email : invalid value provided")
        if not bank and not upi:
            raise Refusal(400, "bank_missing", "bank : is missing in the request")
        if bank and not (_IFSC.match(str(bank.get("ifsc"))) and bank.get("account_number")):
            raise Refusal(400, "bank_details_invalid", "bank : invalid value provided")
        if not (kyc.get("account_type") and kyc.get("pan")):
            raise Refusal(400, "kyc_details_missing", "kyc_details : is missing in the request")
        if asked.get("schedule_option", 1) not in SCHEDULES:
            raise Refusal(400, "schedule_option_invalid", "schedule_option : invalid value")

    def vendor(self, vendor_id: object) -> dict[str, Any]:
        if vendor_id not in self.vendors:
            raise Refusal(404, "vendor_not_found", "vendor does not exist")
        return self.vendors[str(vendor_id)]

    def told(self, vendor_id: str, *, fresh: bool = False) -> dict[str, Any]:
        """Return a vendor; fresh: as the calls that make and change one answer it."""
        vendor = self.vendor(vendor_id)
        schedule = int(vendor.get("schedule_option", 1))
        bank, upi, kyc = (_one(vendor.get(name)) for name in ("bank", "upi", "kyc_details"))
        if bank:
            bank = bank | {"account_number": str(bank["account_number"])}
        plan = {"settlement_schedule_message": SCHEDULES[schedule][0], "schedule_id": schedule}
        listed = (lambda each: [each] if each else None) if self.lists else lambda each: each
        same = {name: vendor[name] for name in ("email", "status", "name", "vendor_id")}
        same |= {"bank": listed(bank or None), "upi": upi.get("vpa")}
        same["schedule_option"] = listed(plan | {"merchant_default": False})
        if fresh:
            details = {"kyc_details": listed(kyc), "bank_details": None}
            details["dashboard_access"] = bool(vendor.get("dashboard_access"))
            return same | details | {"phone": int(str(vendor["phone"]).removeprefix("+91"))}
        more = {"account_type": kyc["account_type"], "business_type": kyc.get("business_type")}
        more |= {name: stamp(vendor[name]) for name in ("added_on", "updated_on")}
        more |= {"vendor_type": None, "remarks": None, "related_docs": []}
        return same | more | {"phone": str(vendor["phone"])}

    def verify(self, vendor_id: str, *, good: bool) -> None:
        """End the check of a vendor's bank details."""
        self.put(vendor_id, "ACTIVE" if good else "ACTION_REQUIRED")

    def put(self, vendor_id: str, status: str) -> None:
        vendor = self.vendor(vendor_id)
        before, vendor["status"] = vendor["status"], status
        bank, kyc = _one(vendor.get("bank")), _one(vendor.get("kyc_details"))
        told = {
            "merchant_id": MERCHANT_ID,
            "merchant_vendor_id": vendor_id,
            "email": vendor["email"],
            "updated_status": status,
            "past_status": before,
            "account_holder": bank.get("account_holder"),
            "phone": str(vendor["phone"]),
            "name": vendor["name"],
            "product_type": "PG",
            "max_split": 100,
            "account_number": bank.get("account_number"),
            "ifsc": bank.get("ifsc"),
            "dashboard_access": bool(vendor.get("dashboard_access")),
            "vpa": _one(vendor.get("upi")).get("vpa"),
            "account_type": kyc["account_type"],
            "business_type": kyc.get("business_type"),
            "updated_by": "AUTOMATED",
            "document_status": {"PAN": "VERIFIED"},
        }
        self.world.tell("VENDOR_STATUS_UPDATE", told)

    def shares(self, asked: Iterable[dict[str, Any]], total: int) -> list[tuple[str, int]]:
        """Return what each vendor gets of an amount, or refuse."""
        found = []
        for each in asked:
            status = self.vendor(each.get("vendor_id"))["status"]
            if status in {"BLOCKED", "DELETED"}:
                raise Refusal(400, "vendor_not_active", "vendor is not active")
            amount, per_cent = each.get("amount"), each.get("percentage")
            if (amount is None) == (per_cent is None):
                said = "order_splits : amount or percentage should be present"
                raise Refusal(400, "order_splits_invalid", said)
            if len(each.get("tags") or {}) > 10:
                raise Refusal(400, "order_splits.tags_invalid", "tags : at most 10 are allowed")
            part = Decimal(total) * Decimal(str(per_cent or 0)) / 100
            rounded = int(part.quantize(Decimal(1), ROUND_HALF_UP))
            paise = rounded if amount is None else paise_of(amount, "amount")
            found.append((str(each["vendor_id"]), paise))
        if sum(paise for _vendor, paise in found) > total:
            said = "order_splits : should not be more than the order amount"
            raise Refusal(400, "splits_exceed_order_amount", said)
        return found

    def split_later(self, order: Order, asked: dict[str, Any]) -> dict[str, str]:
        """Split a paid order that is not settled."""
        self.book()
        paid = paid_of(order)
        if paid is None:
            raise Refusal(400, "order_not_paid", "no successful transaction is found")
        if order.id in self.closed or paid.id in self.world.settled:
            raise _FINAL
        if self.world.now() < (paid.ended or paid.started) + SPLIT_FROM:
            raise Refusal(400, "request_failed", "order is not eligible for split yet")
        wanted = asked.get("split") or []
        if not wanted and not asked.get("disable_split"):
            raise Refusal(400, "split_missing", "split : is missing in the request")
        total = int(paid.amount * 100)
        made = self.shares(wanted, total)
        if sum(paise for _vendor, paise in made) > self.unsplit(order):
            said = "split : should not be more than the order amount"
            raise Refusal(400, "splits_exceed_order_amount", said)
        self._share(order, wanted, made, self.world.now())
        if asked.get("disable_split"):
            self.closed.add(order.id)
        return {"status": "OK", "message": "Order split created"}

    def unsplit(self, order: Order) -> int:
        """Return what of an order no vendor has."""
        paid = paid_of(order)
        given = sum(each.paise for each in self.of_order(order) if each.kind == "vendor_commission")
        return int(paid.amount * 100) - given if paid else 0

    def of_order(self, order: Order) -> list[Entry]:
        return [each for each in self.entries if each.order_id == order.id]

    def book(self) -> None:
        """Book the shares of orders that were split when they were made and are paid."""
        for order_id, wanted in self.asked.items():
            order = self.world.orders[order_id]
            paid = paid_of(order)
            if paid is not None and not self.of_order(order):
                made = self.shares(wanted, int(paid.amount * 100))
                self._share(order, wanted, made, paid.ended or paid.started)

    def _share(
        self,
        order: Order,
        wanted: Iterable[dict[str, Any]],
        made: list[tuple[str, int]],
        at: datetime,
    ) -> None:
        for asked, (vendor_id, paise) in zip(wanted, made, strict=True):
            about = {"order_id": order.id, "asked": asked, "at": at}
            self.add(vendor_id, "vendor_commission", paise, **about)

    def add(self, vendor_id: str, kind: str, paise: int, **about: Any) -> Entry:
        number = str(next(self._numbers))
        made = Entry(number, vendor_id, kind, paise, **{"at": self.world.now(), **about})
        self.entries.append(made)
        return made

    def refund_shares(self, order: Order, asked: dict[str, Any]) -> list[tuple[str, int]]:
        """Return what a refund takes of each vendor, or refuse."""
        self.book()
        have: dict[str, int] = {}
        for each in self.of_order(order):
            if each.kind == "vendor_commission":
                have[each.vendor_id] = have.get(each.vendor_id, 0) + each.paise
        total = paise_of(asked.get("refund_amount"), "refund_amount")
        paid = paid_of(order)
        wanted = asked.get("refund_splits")
        if not wanted:
            of = int(paid.amount * 100) if paid else total
            return [(vendor, paise * total // of) for vendor, paise in have.items()]
        found = [
            (str(each.get("vendor_id")), paise_of(each.get("amount"), "amount")) for each in wanted
        ]
        if any(vendor not in have for vendor, _paise in found):
            raise Refusal(400, "refund_splits_invalid", "vendor is not part of the order split")
        if sum(paise for _vendor, paise in found) > total:
            said = "refund_splits : should not be more than the refund amount"
            raise Refusal(400, "refund_splits_invalid", said)
        return found

    def counts(self, entry: Entry) -> bool:
        """Return whether an entry moves money: not that of a refund which never happened."""
        if not entry.refund_id:
            return True
        refund = self.world.orders[entry.order_id].refunds[entry.refund_id]
        return refund["refund_status"] not in {"CANCELLED", "FAILED"}

    def unsettled(self, vendor_id: str) -> int:
        return sum(each.paise for each in self.waiting(vendor_id))

    def waiting(self, vendor_id: str) -> list[Entry]:
        return [
            each
            for each in self.entries
            if each.vendor_id == vendor_id and each.settlement_id is None and self.counts(each)
        ]

    def due_at(self, entry: Entry) -> datetime:
        """Return when an entry may be settled, at 11:00 of a later day or at once."""
        days = SCHEDULES[int(self.vendors[entry.vendor_id].get("schedule_option", 1))][1]
        if not days:
            return entry.at
        day = entry.at.astimezone(IST) + timedelta(days=days)
        return day.replace(hour=11, minute=0, second=0, microsecond=0)


def _one(value: Any) -> dict[str, Any]:
    """Return an object that may come alone or in a list."""
    if isinstance(value, list):
        return value[0] if value else {}
    return value or {}


def order_of(splits: Splits, request: web.Request) -> Order:
    """Return the order that a call names."""
    found = splits.world.orders.get(request.match_info["order_id"])
    if found is None:
        raise Refusal(404, "order_not_found", "Order not found")
    return found


def paid_of(order: Order) -> Payment | None:
    """Return the captured payment of an order."""
    return next(
        (each for each in order.payments if each.status == "SUCCESS" and each.captured), None
    )
