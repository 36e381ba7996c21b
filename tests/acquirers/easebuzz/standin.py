"""A stand-in of Easebuzz: page, UPI and net banking by call, inquiry, refund and webhook.

Written by a hand that has not read the connector, from easebuzz/paywitheasebuzz-php-lib at 5579530
and from Easebuzz 1.0.4 of PyPI (its module transaction_v2: the `msg` of an inquiry has the reverse
hash). Open: what a repeated txnid or merchant_refund_id gets (`repeated`: "refused", or "again" for
a second access key; a refund is refused), the fields of the answer to a payment by call (here
intent_link and qr_link, or a page), the words of refusals, whether an inquiry's `msg` may be a list
(here one transaction), the form of a webhook (here a form as at the return), and the answer of
settlements, which is printed nowhere and absent here.

    async with Easebuzz.running() as easebuzz:
        ...                                 # the connector calls easebuzz.url for both their hosts
        easebuzz.pay("10001-1")
        await easebuzz.send(easebuzz.webhooks[-1], "http://gateway/callbacks/…")
"""

import hashlib
import html
import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from itertools import count
from urllib.parse import urlencode

from aiohttp import web

from tests.acquirers.stage import Document, Stage, Webhook

KEY, SALT = "STANDINKEY", "STANDINSALT"
UDFS = tuple(f"udf{number}" for number in range(1, 11))
HASHED = {
    "initiate": ("key", "txnid", "amount", "productinfo", "firstname", "email", *UDFS),
    "transaction": ("key", "txnid"),
    "date": ("key", "merchant_email", "start_date", "end_date"),
    "refund": ("key", "merchant_refund_id", "easebuzz_id", "refund_amount"),
    "refund status": ("key", "easebuzz_id"),
}
FORMS = {
    "txnid": re.compile(r"[a-zA-Z0-9_|\-/]{1,40}\Z"),
    "amount": re.compile(r"\d+\.\d{1,2}\Z"),
    "productinfo": re.compile(r"[a-zA-Z0-9\-\s|]{1,45}\Z"),
    "firstname": re.compile(r"[a-zA-Z0-9&'\-._ ()/,@]{1,150}\Z"),
    "phone": re.compile(r"(\+\d{1,4}-?)?\d{5,20}\Z"),
    "email": re.compile(r"[^@\s]+@[^@\s]+\.\w{2,}\Z"),
    "surl": re.compile(r"https?://.+\Z"),
    "furl": re.compile(r"https?://.+\Z"),
}
REVERSE = (*reversed(UDFS), "email", "firstname", "productinfo", "amount", "txnid", "key")
OUTCOMES = {"success": "success", "failure": "failure", "back": "userCancelled"}


def digest(values: Mapping[str, str], names: tuple[str, ...]) -> str:
    """Return the hash of a call: its fields and the salt, joined by pipes."""
    joined = "|".join([*(str(values.get(name, "")) for name in names), SALT])
    return hashlib.sha512(joined.encode()).hexdigest()


def reverse_digest(values: Mapping[str, str]) -> str:
    """Return the hash of what Easebuzz tells: salt and status first."""
    told = (SALT, values.get("status", ""), *(str(values.get(name, "")) for name in REVERSE))
    return hashlib.sha512("|".join(told).encode()).hexdigest()


class Easebuzz(Stage):
    """The server. payments: by txnid; access: txnid by access key; refunds: by our reference."""

    def __init__(self, *, repeated: str = "refused") -> None:
        super().__init__()
        self.repeated = repeated
        self.payments: dict[str, dict[str, str]] = {}
        self.access: dict[str, str] = {}
        self.refunds: dict[str, Document] = {}
        self._ids = count(1)

    # What customers, banks and Easebuzz do.

    def pay(self, txnid: str, mode: str = "UPI", *, amount: str | None = None) -> None:
        """Let the customer pay; amount: what was debited when it is not what was asked."""
        payment = self.payments[txnid]
        payment |= {"mode": mode, "bank_ref_num": f"4{next(self._ids):011d}"}
        payment["net_amount_debit"] = amount or payment["amount"]
        self.put(txnid, "success")

    def fail(self, txnid: str, status: str = "failure") -> None:
        """End a payment unpaid: failure, userCancelled, dropped or bounced."""
        self.payments[txnid]["error_Message"] = "Payment was not completed"
        self.put(txnid, status)

    def put(self, txnid: str, status: str) -> None:
        """Set a payment's word, pending and in_process among them, and tell of ends."""
        payment = self.payments[txnid]
        payment["status"] = status
        payment["hash"] = reverse_digest(payment)
        if status not in {"pending", "initiated", "in_process"}:
            self.webhooks.append(self.told(payment))

    def told(self, payment: Mapping[str, str]) -> Webhook:
        """Return the form that goes to the return address and to the webhook."""
        fields = {**payment, "hash": reverse_digest(payment)}
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return Webhook("transaction", headers, urlencode(fields).encode())

    def end_refund(self, reference: str, status: str = "refunded") -> None:
        """End a refund: refunded, settled, cancelled, failed or reverse chargeback."""
        self.refunds[reference]["refund_status"] = status

    # Its interface.

    def trouble_document(self, status: int) -> Document:
        return {"status": 0, "error_desc": "Something went wrong", "data": f"Error {status}"}

    def routes(self, app: web.Application) -> None:
        for method, path, handler in (
            ("POST", "/payment/initiateLink", self._initiate),
            ("POST", "/initiate_seamless_payment/", self._by_call),
            ("POST", "/transaction/v2/retrieve", self._transaction),
            ("POST", "/transaction/v2/retrieve/date", self._by_date),
            ("POST", "/transaction/v2/refund", self._refund),
            ("POST", "/refund/v1/retrieve", self._refund_status),
            ("GET", "/pay/{access}", self._page),
            ("POST", "/pay/{access}", self._at_page),
        ):
            app.router.add_route(method, path, handler)

    async def _initiate(self, request: web.Request) -> web.Response:
        asked = {name: str(value) for name, value in (await request.post()).items()}
        wrong = self._wrong(asked)
        if wrong:
            document = {"status": 0, "error_desc": wrong, "data": "Parameter validation failed"}
            return web.json_response(document)
        if asked["txnid"] in self.payments and self.repeated == "refused":
            words = "Transaction already exists for this txnid"
            return web.json_response({"status": 0, "error_desc": words, "data": words})
        if asked["txnid"] not in self.payments:
            kept = {name: asked.get(name, "") for name in (*HASHED["initiate"], "phone")}
            payment = kept | {
                "easepayid": f"E{next(self._ids):09d}STAND",
                "status": "initiated",
                "mode": "NA",
                "net_amount_debit": "0.0",
                "bank_ref_num": "NA",
                "error_Message": "",
                "addedon": datetime.fromtimestamp(self.clock, UTC).strftime("%Y-%m-%d %H:%M:%S"),
                "surl": asked["surl"],
                "furl": asked["furl"],
            }
            payment["hash"] = reverse_digest(payment)
            self.payments[asked["txnid"]] = payment
        access = secrets.token_hex(32)
        self.access[access] = asked["txnid"]
        return web.json_response({"status": 1, "data": access})

    def _wrong(self, asked: dict[str, str]) -> str:
        if asked.get("key") != KEY:
            return "Merchant key is invalid"
        for name, form in FORMS.items():
            if not form.match(asked.get(name, "")):
                return f"Invalid value for {name}"
        if Decimal(asked["amount"]) < 1:
            return "Amount must be greater than or equal to 1"
        known = {name: asked.get(name, "") for name in HASHED["initiate"]}
        return "" if asked.get("hash") == digest(known, HASHED["initiate"]) else "Hash mismatch"

    async def _by_call(self, request: web.Request) -> web.Response:
        """Pay by call: UPI gets a link, net banking a page of the bank."""
        asked = {name: str(value) for name, value in (await request.post()).items()}
        txnid = self.access.get(asked.get("access_key", ""))
        mode = asked.get("payment_mode")
        if txnid is None or mode not in {"UPI", "NB", "MW", "CC", "DC"}:
            return web.json_response({"status": False, "error": "invalid access key or mode"})
        payment = self.payments[txnid]
        payment |= {"mode": mode, "status": "pending"}
        payment["hash"] = reverse_digest(payment)
        if mode == "UPI" and asked.get("request_mode") == "SUVA":
            link = f"upi://pay?pa=easebuzz@upi&tr={payment['easepayid']}&am={payment['amount']}"
            told = {"easepayid": payment["easepayid"], "intent_link": link, "qr_link": link}
            return web.json_response({"status": True, "msg": told, **told})
        page = f"/pay/{asked['access_key']}"
        return web.Response(
            text=f'<!DOCTYPE html><form method="get" action="{self.url}{page}"></form>',
            content_type="text/html",
        )

    async def _transaction(self, request: web.Request) -> web.Response:
        asked = {name: str(value) for name, value in (await request.post()).items()}
        if asked.get("hash") != digest(asked, HASHED["transaction"]):
            return web.json_response({"status": False, "msg": "Hash mismatch"})
        payment = self.payments.get(asked.get("txnid", ""))
        if payment is None:
            return web.json_response({"status": False, "msg": "No transaction found"})
        return web.json_response({"status": True, "msg": payment})

    async def _by_date(self, request: web.Request) -> web.Response:
        asked = await request.json()
        dates = asked.get("date_range") or {}
        known = {**asked, **dates}
        if asked.get("hash") != digest(known, HASHED["date"]):
            return web.json_response({"status": False, "msg": "Hash mismatch"})
        return web.json_response({"status": True, "data": list(self.payments.values())})

    async def _refund(self, request: web.Request) -> web.Response:
        asked = {name: str(value) for name, value in (await request.post()).items()}
        reference, paid = asked.get("merchant_refund_id", ""), self._of(asked.get("easebuzz_id"))
        reason = ""
        if asked.get("hash") != digest(asked, HASHED["refund"]):
            reason = "Hash mismatch"
        elif paid is None or paid["status"] != "success":
            reason = "Transaction is not refundable"
        elif reference in self.refunds:
            reason = "merchant_refund_id already exists"
        elif not self._refundable(paid, asked.get("refund_amount", "")):
            reason = "Refund amount is more than the transaction amount"
        if reason:
            return web.json_response({"status": False, "reason": reason})
        self.refunds[reference] = {
            "refund_id": f"R{next(self._ids):08d}",
            "merchant_refund_id": reference,
            "easebuzz_id": asked["easebuzz_id"],
            "refund_amount": asked["refund_amount"],
            "refund_status": "queued",
        }
        made = self.refunds[reference]
        return web.json_response(
            {
                "status": True,
                "reason": "Refund initiated",
                "easebuzz_id": made["easebuzz_id"],
                "refund_id": made["refund_id"],
                "refund_amount": made["refund_amount"],
            }
        )

    def _refundable(self, paid: Mapping[str, str], said: str) -> bool:
        try:
            amount = Decimal(said)
        except InvalidOperation:
            return False
        given = sum(
            Decimal(each["refund_amount"])
            for each in self.refunds.values()
            if each["easebuzz_id"] == paid["easepayid"]
            and each["refund_status"] not in {"cancelled", "failed", "reverse chargeback"}
        )
        return 0 < amount <= Decimal(paid["amount"]) - given

    async def _refund_status(self, request: web.Request) -> web.Response:
        asked = {name: str(value) for name, value in (await request.post()).items()}
        if asked.get("hash") != digest(asked, HASHED["refund status"]):
            return web.json_response({"status": False, "message": "Hash mismatch"})
        paid = self._of(asked.get("easebuzz_id"))
        if paid is None:
            return web.json_response({"status": False, "message": "No transaction found"})
        wanted = asked.get("merchant_refund_id")
        found = [
            each
            for each in self.refunds.values()
            if each["easebuzz_id"] == paid["easepayid"]
            and wanted in {None, each["merchant_refund_id"]}
        ]
        return web.json_response(
            {
                "status": True,
                "txnid": paid["txnid"],
                "easebuzz_id": paid["easepayid"],
                "net_amount_debit": paid["net_amount_debit"],
                "refunds": found,
            }
        )

    def _of(self, easepayid: str | None) -> dict[str, str] | None:
        return next(
            (each for each in self.payments.values() if each["easepayid"] == easepayid), None
        )

    async def _page(self, _request: web.Request) -> web.Response:
        buttons = "".join(
            f'<button name="outcome" value="{each}">{each}</button>' for each in OUTCOMES
        )
        return web.Response(text=f'<form method="post">{buttons}</form>', content_type="text/html")

    async def _at_page(self, request: web.Request) -> web.Response:
        """Do what the customer chose, and send the browser back with a form."""
        txnid = self.access[request.match_info["access"]]
        chosen = str((await request.post())["outcome"])
        if chosen == "success":
            self.pay(txnid)
        else:
            self.fail(txnid, OUTCOMES[chosen])
        payment = self.payments[txnid]
        there = payment["surl" if chosen == "success" else "furl"]
        inputs = "".join(
            f'<input type="hidden" name="{name}" value="{html.escape(value)}">'
            for name, value in payment.items()
        )
        form = f'<form method="post" action="{html.escape(there)}">{inputs}</form>'
        return web.Response(text=form, content_type="text/html")
