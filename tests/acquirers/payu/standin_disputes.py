"""A stand-in of PayU whose customers dispute what they paid.

    play = DisputedPayU(); await play.open()
    number = play.raise_dispute(txnid, "10.00")
    play.dispute_webhook(number)                   # signs=True adds the three headers
    play.decide(number, "Closed Customer Favour")

Written by a hand that has not read the connector, from docs.payu.in: "Dispute webhook", "Chargeback
status", "Read Chargeback", "Read Reasons" and "Accept/Contest Chargeback API" as their stored
copies show them. What they leave open:

- how errors look: here {"errors": [{"title", "detail"}]} with 401, 404 and 422.
- whether a dispute can be answered twice, or after its day: here neither.
- the status after an accept: here Closed Customer Favour; the sample's is one, Pending Doc Review.
- the sorting, and how the second of several pages is asked for: here page, oldest first.
- whether txn_id is PayU's number or the merchant's: one page says PayU's, an older one "merchant or
  PayU", so `names` decides.
- what writes an amount: 1500.0 in the signed text of the sample, so amounts have one decimal here.
- the digests that the page prints do not belong to its text; nothing can be compared with them.
"""

import base64
import binascii
import itertools
import json
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from aiohttp import web

from tests.acquirers.payu.standin import PayU
from tests.acquirers.payu.standin_payments import KEY, SALT, Transaction, sha512

TOKEN, MERCHANT_ID = "a-token-of-nobody", "143419"
STATUSES = frozenset(
    {
        "New",
        "Pending Response",
        "Pending Doc Review",
        "Submitted to Bank",
        "Insufficient Document",
        "Closed Customer Favour",
        "Closed in Merchant Favour",
        "Closed under Fraud Liability",
    }
)
LOST = frozenset({"Closed Customer Favour", "Closed under Fraud Liability"})
WAITING = frozenset({"New", "Pending Response", "Insufficient Document"})
PER_PAGE, DAYS_MAX, FILE_MAX = 500, 20, 5 * 1024 * 1024
ACCEPT, REJECT, PART = (
    "094fd3fe-4923-4819-becc-14d08054ff2d",
    "07b310c2-8c63-4b82-9b87-53a4b963adac",
    "bb10e1bb-f128-4ace-ab0f-59881f11fa4d",
)
REASONS = {
    ACCEPT: ("accept", "Customer cancelled the order"),
    "96ad8e74-c417-4ea7-a6ab-f768078d2c5c": ("accept", "Others"),
    "9c2c093c-648a-40b5-8b79-461466578b0c": ("reject", "Product/Services delivered"),
    "1a17831a-ef36-4cc3-bb91-5190466b7000": ("reject", "Transaction already refunded"),
    REJECT: ("reject", "Product"),
    PART: ("partially_accept", "Product/Services Partially delivered"),
    "8d55dc20-a304-4a0f-885d-0b05705986a5": ("partially_accept", "Others"),
}
"""Some of the published reasons: what each is for and how it reads."""
DETAILS = "9b466317-5041-42f9-b6d8-084d5d988465"
PROOF = "c9820d99-f515-4e16-93d2-e5032b454286"
SUM = "6f92dad0-4446-4465-bfea-17f587e973d4"
"""Three published fields of a reason's form: details (mandatory), a file, a part's amount."""
FOR = {"accept": "accept", "contest": "reject", "partially_accept": "partially_accept"}
"""What a reason must be for, by the dispute_type that it is sent with."""


class DisputedPayU(PayU):
    """PayU on a free port, with disputes.

    today: the day that it believes. names: whether a webhook's txn_id is PayU's number or the
    merchant's. takes_at_once: whether this account loses the money when a dispute begins, or only
    when it is lost. evidence: the files that came, by dispute.
    """

    def __init__(self) -> None:
        super().__init__()
        self.today = date(2026, 11, 28)
        self.names: Literal["payu", "merchant"] = "payu"
        self.takes_at_once = False
        self.disputes: dict[str, dict[str, Any]] = {}
        self.evidence: dict[str, list[bytes]] = {}
        self._numbers = itertools.count(1_295_751)

    def routes(self, app: web.Application) -> None:
        super().routes(app)
        app.router.add_get("/api/v1/reasons", self._reasons)
        app.router.add_get("/api/v1/chargebacks", self._list)
        app.router.add_get("/api/v1/chargebacks/{payu_id}", self._one)
        app.router.add_patch("/api/v1/chargebacks/dispute", self._answered)

    # What customers and banks do.

    def raise_dispute(self, txnid: str, amount: str = "", kind: str = "Chargeback") -> str:
        """Have a paid transaction disputed, and return the dispute's number."""
        number, one = str(next(self._numbers)), self.transactions[txnid]
        assert one.status == "success"
        self.disputes[number] = {
            "txnid": txnid,
            "amount": Decimal(amount or one.amount),
            "kind": kind,
            "status": "Pending Response",
            "raised": self.today,
            "due": self.today + timedelta(days=4),
            "debited": self.today if self.takes_at_once else None,
            "credited": None,
            "reason": "Non Receipt of Goods or Services",
        }
        return number

    def decide(self, number: str, status: str) -> None:
        """Have the bank, or PayU, put a dispute in a state."""
        assert status in STATUSES
        dispute = self.disputes[number]
        dispute["status"] = status
        if status in LOST and dispute["debited"] is None:
            dispute["debited"] = self.today
        elif status == "Closed in Merchant Favour" and dispute["debited"] is not None:
            dispute["credited"] = self.today

    def dispute_webhook(
        self, number: str, *, signs: bool = False, **change: Any
    ) -> tuple[dict[str, str], bytes]:
        """Return headers and body of a webhook about a dispute."""
        dispute = self.disputes[number]
        txnid = dispute["txnid"]
        body = {
            "type": "payments",
            "event": "dispute",
            "reason_code": "1061",
            "created_at": f"{dispute['raised']} 10:12:13",
            "updated_at": f"{self.today} 10:12:13",
            "mid": MERCHANT_ID,
            # A number here, text in what the interface answers.
            "cb_id": int(number),
            "txn_id": self.transactions[txnid].mihpayid if self.names == "payu" else txnid,
            "cb_type": dispute["kind"],
            "due_date": str(dispute["due"]),
            "cb_amount": _amount(dispute["amount"]),
            "cb_status": dispute["status"],
        }
        headers = {"content-type": "application/json"}
        if signs:
            headers |= {
                "X-PayU-Dispute-Webhook-Signature-V1": signature(body),
                "X-PayU-Dispute-Webhook-Signature-V2": signature(body),
                "X-PayU-Dispute-Webhook-Algorithm": "SHA512",
            }
        return headers, json.dumps(body | change).encode()

    # Its interface.

    async def _reasons(self, request: web.Request) -> web.Response:
        if _stranger(request):
            return _error(401, "Unauthorized", "invalid token")
        data = []
        for number, (name, (kind, words)) in enumerate(REASONS.items(), 1):
            form = [_field(f"{name}-comments", "Comments", "text_area_tag")] * (kind != "accept")
            if name == REJECT:
                form = [
                    _field(DETAILS, "Details of the product", "input_tag", mandatory=True),
                    _field(PROOF, "Upload screen-shot of the signed proof of delivery", "file_tag"),
                ]
            attributes = {
                "identifier": name,
                "parent-id": "9c2c093c-648a-40b5-8b79-461466578b0c" if name == REJECT else None,
                "reason-text": words,
                "field-type": "radio-button",
                "reason-type": kind,
                "message": False,
                "form-data": form,
            }
            data.append({"id": str(number), "type": "reasons", "attributes": attributes})
        return web.json_response({"data": data})

    async def _list(self, request: web.Request) -> web.Response:
        if _stranger(request):
            return _error(401, "Unauthorized", "invalid token")
        merchant = request.query.get("merchant_id") or request.query.get("merchant_Id")
        try:
            first = _day(request.query["from_date"])
            last = _day(request.query.get("to_date") or f"{self.today:%d-%m-%Y}")
            page = int(request.query.get("page", "1"))
        except (KeyError, ValueError):
            return _error(422, "Invalid", "from_date must be dd-mm-yyyy")
        if merchant != MERCHANT_ID or not 0 <= (last - first).days <= DAYS_MAX:
            return _error(422, "Invalid", "merchant_id, or more than 20 days")
        found = [
            number for number, each in self.disputes.items() if first <= each["raised"] <= last
        ]
        shown = [self._shown_dispute(each) for each in found[(page - 1) * PER_PAGE :][:PER_PAGE]]
        pagination = {
            "per-page": PER_PAGE,
            "total-chargebacks": len(found),
            "total-pages": -(-len(found) // PER_PAGE),
        }
        return web.json_response({"data": shown, "meta": {"pagination": pagination}})

    async def _one(self, request: web.Request) -> web.Response:
        """Answer with one object, where a list has them in a list."""
        if _stranger(request):
            return _error(401, "Unauthorized", "invalid token")
        for number, dispute in self.disputes.items():
            if self.transactions[dispute["txnid"]].mihpayid == request.match_info["payu_id"]:
                return web.json_response({"data": self._shown_dispute(number)})
        return _error(404, "Not found", "no chargeback")

    async def _answered(self, request: web.Request) -> web.Response:
        if _stranger(request):
            return _error(401, "Unauthorized", "invalid token")
        asked = json.loads(await request.read())
        dispute = self.disputes.get(asked.get("chargeback_id"))
        if dispute is None or asked.get("merchant_key") != KEY:
            return _error(404, "Not found", "no chargeback")
        kind = asked.get("dispute_type")
        files: list[bytes] = []
        try:
            part = _read(asked["reason_code"], kind, files)
        except (KeyError, ValueError, TypeError, InvalidOperation, binascii.Error) as error:
            return _error(422, "Invalid", str(error))
        if dispute["status"] not in WAITING or self.today > dispute["due"]:
            return _error(422, "Invalid", "chargeback was answered, or its day is over")
        if kind == "partially_accept" and not 0 < (part or 0) < dispute["amount"]:
            return _error(422, "Invalid", "amount")
        self.evidence[asked["chargeback_id"]] = files
        self.decide(
            asked["chargeback_id"],
            "Closed Customer Favour" if kind == "accept" else "Pending Doc Review",
        )
        attributes = {
            "id": int(asked["chargeback_id"]),
            "payu-id": self.transactions[dispute["txnid"]].mihpayid,
            "status": dispute["status"],
        }
        data = {"id": asked["chargeback_id"], "type": "chargeback-details"}
        return web.json_response({"data": data | {"attributes": attributes}})

    def _shown_dispute(self, number: str) -> dict[str, Any]:
        dispute = self.disputes[number]
        one = self.transactions[dispute["txnid"]]
        attributes = {
            "id": int(number),
            "chargeback-amount": _amount(dispute["amount"]),
            "chargeback-type": "CB",
            "chargeback-date": _told(dispute["raised"]),
            "status": dispute["status"],
            "reply-before": _told(dispute["due"]),
            "chargeback-reason": dispute["reason"],
            "bank-case-no": "30008130343023154997151",
            "debit-date": _told(dispute["debited"]),
            "comments": None,
            "debit-status": "Chargeback Debited" if dispute["debited"] else None,
            "credit-date": _told(dispute["credited"]),
            "customer-dispute-docs": [],
            "transaction-details": _transaction(one),
            "customer-details": {
                "first-name": one.form.get("firstname", ""),
                "last-name": "",
                "email": one.form.get("email", ""),
                "phone-number": one.form.get("phone", ""),
            },
        }
        return {"id": number, "type": "chargebacks", "attributes": attributes}


def signature(body: dict[str, Any], salt: str = SALT) -> str:
    """Return the signature of a webhook: six of its fields between key and salt."""
    names = ("txn_id", "cb_amount", "cb_id", "cb_type")
    status = body["cb_status"].replace(" ", "")
    return sha512(KEY, *(str(body[name]) for name in names), status, salt)


def _transaction(one: Transaction) -> dict[str, Any]:
    given = [each for each in one.actions.values() if each["action"] == "refund"]
    return {
        "payu-id": one.mihpayid,
        "transaction-id": one.form["txnid"],
        "transaction-date": "23-Nov-2026",
        "transaction-amount": _amount(Decimal(one.amount)),
        "pg-name": "HPYIndusInd",
        "card-number": "XXXXXXXXXXXX7559",
        "refunded": bool(given),
        "refund-amount": _amount(sum((Decimal(each["amt"]) for each in given), Decimal(0)))
        if given
        else None,
        "bank-reference-number": "302315499715",
        "settlement-date": "NA",
        "merchant-utr": None,
        "product-info": one.form.get("productinfo", ""),
        "additional-charges": _amount(Decimal(one.charges)),
        "transaction-fee": _amount(Decimal(one.amount)),
        "udf-1": one.form.get("udf1", ""),
        "udf-5": None,
        "card-scheme": None,
    }


def _read(reasons: list[dict[str, Any]], kind: str, files: list[bytes]) -> Decimal | None:
    """Check the reasons of an answer, collect its files, and return the part that it accepts."""
    part = None
    if not reasons or any(REASONS[each["uuid"]][0] != FOR[kind] for each in reasons):
        raise ValueError("reason_code is of another dispute_type")
    for reason in reasons:
        fields = {each["identifier"]: each for each in reason["form_data"]}
        if reason["uuid"] == REJECT and not fields.get(DETAILS, {}).get("value"):
            raise ValueError("Details of the product is mandatory")
        for each in fields.values():
            if "filename" in each:
                content = base64.b64decode(each["value"], validate=True)
                if kind == "accept" or not each["content_type"] or len(content) > FILE_MAX:
                    raise ValueError("file")
                files.append(content)
        if SUM in fields:
            part = Decimal(fields[SUM]["value"])
    return part


def _field(name: str, text: str, kind: str, *, mandatory: bool = False) -> dict[str, Any]:
    return {
        "identifier": name,
        "form-data-text": text,
        "field-type": kind,
        "options": [],
        "blank-allowed": False,
        "mandatory": mandatory,
    }


def _stranger(request: web.Request) -> bool:
    return request.headers.get("X-Optimus-API-Key") != TOKEN


def _error(status: int, title: str, detail: str) -> web.Response:
    return web.json_response({"errors": [{"title": title, "detail": detail}]}, status=status)


def _day(text: str) -> date:
    return datetime.strptime(f"{text} +0530", "%d-%m-%Y %z").date()


def _told(day: date | None) -> str:
    return f"{day:%d-%b-%Y}" if day else "NA"


def _amount(amount: Decimal) -> str:
    """Return an amount as the samples write it: 1500.0, but 10.25."""
    return str(float(amount))
