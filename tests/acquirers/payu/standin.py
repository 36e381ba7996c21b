"""A stand-in of PayU India, made of its documents before the connector was.

Sources: docs.payu.in (2026), payu-intrepos/web-sdk-php doc/*.md, and the tests of payu-sdk 1.2.0.
What they leave open is marked "not published" here.
"""

import asyncio
import itertools
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from tests.acquirers.payu.standin_money import settlement_details
from tests.acquirers.payu.standin_payments import (
    COMMANDS,
    KEY,
    MANDATORY,
    REQUEST_FIELDS,
    SALT,
    Transaction,
    forward,
    reverse,
    sha512,
)

MODES = {"creditcard|debitcard": "CC", "emi": "EMI", "CC": "CC"}
BANKS = {"AIRNB", "AXIB", "HDFB", "ICIB", "SBIB"}
WALLETS = {"AMZPAY", "PHONEPE"}
"""Some codes of docs/net-banking-codes and docs/wallet-codes."""


class PayU:
    """The server; both its hosts are one here.

    calls: command (or "_payment") and form of every call of a merchant's server. answer_next:
    (status, body) that replace the next answers, after the work was done. lose: commands whose next
    call is worked on and never answered. settlements: by day the lines that were handed over.
    charges: rupees that PayU adds to an amount (docs/collect-additional-charges). charged_in: the
    amounts of an inquiry that have them; not published. visited: whose page was opened last.
    """

    def __init__(self) -> None:
        self.transactions: dict[str, Transaction] = {}
        self.calls: list[tuple[str, dict[str, str]]] = []
        self.answer_next: list[tuple[int, bytes]] = []
        self.lose: list[str] = []
        self.settlements: dict[str, list[dict[str, Any]]] = {}
        self.charges = "0.00"
        self.charged_in: frozenset[str] = frozenset()
        self.url = self.visited = ""
        self._ids = itertools.count(403_993_715_521_000_001)
        self._requests = itertools.count(131_278_400)
        self._runner: web.AppRunner | None = None

    async def open(self) -> None:
        app = web.Application(middlewares=[self._door])
        self.routes(app)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"

    def routes(self, app: web.Application) -> None:
        app.router.add_post("/_payment", self._payment)
        app.router.add_post(COMMANDS, self._command)

    async def close(self) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    # What customers and banks do.

    def visit(self, fields: tuple[tuple[str, str], ...]) -> Transaction:
        """Open the page that a browser posts these fields to."""
        form = dict(fields)
        self.visited = form["txnid"]
        assert not [name for name in MANDATORY if not form.get(name)]
        assert form["hash"] == forward(form)
        # In instalments, the customer chooses three of Axis Bank.
        shown = form.get("enforce_paymethod", "CC")
        mode = form.get("pg") or MODES.get(shown) or ("CASH" if shown in WALLETS else "NB")
        assert mode not in {"NB", "CASH"} or form.get("bankcode", shown) in {*BANKS, *WALLETS}
        return self._begun(form, mode)

    def pay(self, txnid: str, amount: str = "") -> None:
        """Let the customer pay, or have the amount held; amount: another one than was asked."""
        one = self.transactions[txnid]
        one.status, one.unmapped = "success", "auth" if one.held else "captured"
        one.amount, one.charges = amount or one.form["amount"], self.charges

    def end(
        self, txnid: str, unmapped: str, code: str = "E1632", words: str = "Transaction failed"
    ) -> None:
        """End a transaction unpaid: failed, userCancelled, bounced or dropped."""
        one = self.transactions[txnid]
        one.status, one.unmapped, one.error = "failure", unmapped, (code, words)

    def settle(self, token: str, status: str = "success") -> None:
        """End a refund, capture or cancel that was queued."""
        for one in self.transactions.values():
            for action in one.actions.values():
                if action["token"] == token:
                    action["status"], action["bank_ref_num"] = status, f"5270{action['request_id']}"
                    if status == "success" and action["action"] == "capture":
                        one.unmapped, one.amount = "captured", action["amt"]
                    elif status == "success" and action["action"] == "cancel":
                        one.status, one.unmapped = "failure", "cancelled"

    def webhook(self, txnid: str, /, **change: str) -> tuple[dict[str, str], bytes]:
        """Return headers and body of a webhook about a payment.

        A form, with the reverse hash in it.
        """
        one = self.transactions.get(txnid)
        form = {name: (one.form.get(name, "") if one else "") for name in REQUEST_FIELDS}
        form |= {
            "key": KEY,
            "txnid": txnid,
            "mihpayid": one.mihpayid if one else "1",
            "status": "success",
        }
        form |= {"amount": form["amount"] or "10.00", "mode": "UPI", "unmappedstatus": "captured"}
        if one and Decimal(one.charges):
            form["additionalCharges"] = one.charges
        form["hash"] = reverse(form)
        return {"content-type": "application/x-www-form-urlencoded"}, urlencode(
            {**form, **change}
        ).encode()

    # Its interface.

    @web.middleware
    async def _door(self, request: web.Request, handler: Any) -> web.StreamResponse:
        form = {name: str(value) for name, value in (await request.post()).items()}
        name = form.get("command") or request.path.removeprefix("/")
        self.calls.append((name, form))
        answer = await handler(request)
        if name in self.lose:
            self.lose.remove(name)
            assert request.transport is not None
            request.transport.abort()
            await asyncio.sleep(0)
        if self.answer_next:
            status, content = self.answer_next.pop(0)
            return web.Response(status=status, body=content, content_type="text/html")
        return answer

    async def _payment(self, request: web.Request) -> web.Response:
        """Answer a server's call: an intent when all is right, else a page for people."""
        form = {name: str(value) for name, value in (await request.post()).items()}
        wanted = {"pg": "UPI", "bankcode": "INTENT", "txn_s2s_flow": "4"}
        paid = self.transactions.get(form.get("txnid", ""))
        if (
            [
                name
                for name in (*MANDATORY, "s2s_client_ip", "s2s_device_info")
                if not form.get(name)
            ]
            or form["hash"] != forward(form)
            or any(form.get(name) != value for name, value in wanted.items())
            or (paid is not None and paid.status == "success")
        ):
            return web.Response(
                text="<html><body>Error Reason: transaction failed</body></html>",
                content_type="text/html",
            )
        one = self._begun(form, "UPI")
        tid = f"PPPL{one.mihpayid}"
        intent = (
            f"pa=standin@hdfcbank&pn=Standin&tr={one.mihpayid}&tid={tid}&"
            f"am={form['amount']}&cu=INR&tn=UPIIntent"
        )
        said = {
            "metaData": {
                "message": None,
                "referenceId": "c99a6455b3e0dc5c",
                "statusCode": None,
                "txnId": form["txnid"],
                "txnStatus": "pending",
                "unmappedStatus": "pending",
            },
            "result": {
                # A number in one sample, text in another.
                "paymentId": int(one.mihpayid),
                "merchantName": "Standin",
                "merchantVpa": "standin@hdfcbank",
                "amount": form["amount"],
                "intentURIData": intent,
                "acsTemplate": "PGh0bWw+PC9odG1sPg==",
            },
        }
        return web.Response(text=json.dumps(said), content_type="text/html")

    async def _command(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        var1 = form.get("var1", "")
        if request.query.get("form") != "2" or form.get("key") != KEY:
            return _said({"status": 0, "msg": "Invalid key"})
        if form.get("hash") != sha512(KEY, form["command"], var1, SALT):
            return _said({"Status": 0, "msg": "Invalid Hash."})
        answer = self.answers(var1, form.get("var2", ""), form.get("var3", "")).get(form["command"])
        return _said(answer() if answer else {"status": 0, "msg": "Invalid command"})

    def answers(self, var1: str, token: str, amount: str) -> dict[str, Callable[[], Any]]:
        """Return what answers each command."""
        return {
            "verify_payment": lambda: self._verified(var1),
            "check_action_status": lambda: self._actions(var1, by_payu_id=token == "payuid"),
            "cancel_refund_transaction": lambda: self._given_back(var1, token, amount),
            "cancel_transaction": lambda: self._cancelled(var1, token),
            "capture_transaction": lambda: self._captured(var1, token, amount),
            "get_settlement_details": lambda: settlement_details(
                self.settlements, var1, token, amount
            ),
        }

    def _begun(self, form: dict[str, str], mode: str) -> Transaction:
        one = Transaction(form, str(next(self._ids)), mode)
        self.transactions[form["txnid"]] = one
        return one

    def _verified(self, txnid: str) -> dict[str, Any]:
        one = self.transactions.get(txnid)
        if one is None:
            return {
                "status": 0,
                "msg": "0 out of 1 Transactions Fetched Successfully",
                "transaction_details": {txnid: {"mihpayid": "Not Found", "status": "Not Found"}},
            }
        code, words = one.error
        amount = one.amount or one.form["amount"]
        debited = str(Decimal(amount) + Decimal(one.charges))
        detail = {
            "mihpayid": one.mihpayid,
            "request_id": "",
            "bank_ref_num": f"72{one.mihpayid[-6:]}" if one.status == "success" else None,
            "amt": debited if "amt" in self.charged_in else amount,
            "transaction_amount": debited if "transaction_amount" in self.charged_in else amount,
            "txnid": txnid,
            "additional_charges": one.charges,
            "productinfo": one.form["productinfo"],
            "firstname": one.form["firstname"],
            "bankcode": "EMIA3" if one.mode == "EMI" else one.mode,
            "udf1": "",
            "field2": "177047",
            "field9": words,
            "error_code": code,
            "addedon": "2026-11-23 14:12:13",
            "payment_source": "payu",
            "card_type": "MAST",
            "error_Message": words,
            # Money as a number here, as text there.
            "net_amount_debit": float(debited) if one.status == "success" else "0.00",
            "disc": "0.00",
            "mode": one.mode,
            "PG_TYPE": "CC-PG",
            "card_no": "512345XXXXXX2346" if one.mode in {"CC", "EMI"} else "",
            "status": one.status,
            "unmappedstatus": one.unmapped,
            "Merchant_UTR": None,
            "Settled_At": "0000-00-00 00:00:00",
        }
        return {
            "status": 1,
            "msg": "1 out of 1 Transactions Fetched Successfully",
            "transaction_details": {txnid: detail},
        }

    def _actions(self, var1: str, *, by_payu_id: bool) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for one in self.transactions.values():
            shown = {number: self._shown(one, action) for number, action in one.actions.items()}
            if by_payu_id and one.mihpayid == var1:
                found = shown
            elif not by_payu_id and var1 in shown:
                found = {var1: shown[var1]}
        if not found:
            return {
                "status": 0,
                "msg": "0 out of 1 Transactions Fetched Successfully",
                "transaction_details": {var1: "No action status found"},
            }
        return {
            "status": 1,
            "msg": "1 out of 1 Transactions Fetched Successfully",
            "transaction_details": {var1: found},
        }

    @staticmethod
    def _shown(one: Transaction, action: dict[str, Any]) -> dict[str, Any]:
        nothing = dict.fromkeys(
            ("bank_arn", "settlement_id", "amount_settled", "UTR_no", "value_date")
        )
        return {
            "mihpayid": one.mihpayid,
            "mode": one.mode,
            **nothing,
            "refund_mode": "Back to Source",
            **action,
        }

    def _given_back(self, mihpayid: str, token: str, amount: str) -> dict[str, Any]:
        one = next((each for each in self.transactions.values() if each.mihpayid == mihpayid), None)
        if one is None:
            return refused(116, "Transaction Not Found", mihpayid)
        if token in self._tokens():
            return refused(106, "Token already exists.", mihpayid)
        if one.unmapped == "auth":
            # This command ends a hold, too; nobody should ask it for a refund of one.
            return self._queued(one, "cancel", token, one.form["amount"], "Cancel Request Queued")
        if one.unmapped != "captured":
            return refused(111, "Invalid transaction status", mihpayid)
        refunds = [
            each
            for each in one.actions.values()
            if each["action"] == "refund" and each["status"] != "failure"
        ]
        given = sum((Decimal(each["amt"]) for each in refunds), Decimal(0))
        if given + Decimal(amount) > Decimal(one.amount):
            return refused(105, "Invalid amount", mihpayid)
        return self._queued(one, "refund", token, amount, "Refund Request Queued")

    def _captured(self, mihpayid: str, token: str, amount: str) -> dict[str, Any]:
        one = next((each for each in self.transactions.values() if each.mihpayid == mihpayid), None)
        if one is None:
            return refused(116, "Transaction Not Found", mihpayid)
        if token in self._tokens():
            return refused(106, "Token already exists.", mihpayid)
        if any(each["action"] in {"capture", "cancel"} for each in one.actions.values()):
            return refused(109, "Capture failed", mihpayid)
        if one.unmapped != "auth":
            return refused(111, "Invalid transaction status", mihpayid)
        if Decimal(amount) > Decimal(one.form["amount"]):
            return refused(303, "Amount greater than maximum capturable amount", mihpayid)
        return self._queued(one, "capture", token, amount, "Capture Request Queued")

    def _cancelled(self, mihpayid: str, token: str) -> dict[str, Any]:
        """End a hold. "Captured transactions can only be refunded".

        Its fields are those of the other commands.
        """
        one = next((each for each in self.transactions.values() if each.mihpayid == mihpayid), None)
        if one is None:
            return refused(116, "Transaction Not Found", mihpayid)
        if token in self._tokens():
            return refused(106, "Token already exists.", mihpayid)
        if one.unmapped != "auth":
            return refused(111, "Invalid transaction status", mihpayid)
        return self._queued(one, "cancel", token, one.form["amount"], "Cancel Request Queued")

    def _queued(
        self, one: Transaction, action: str, token: str, amount: str, msg: str
    ) -> dict[str, Any]:
        number = str(next(self._requests))
        one.actions[number] = {
            "request_id": number,
            "bank_ref_num": None,
            "amt": amount,
            "action": action,
            "token": token,
            "status": "QUEUED",
        }
        if action in {"capture", "cancel"}:
            # In the stand-in the bank ends a hold at once; the answer says queued all the same.
            self.settle(token)
        # mihpayid is a number here and text elsewhere, as in the samples.
        return {
            "status": 1,
            "msg": msg,
            "request_id": number,
            "bank_ref_num": None,
            "mihpayid": int(one.mihpayid),
            "error_code": 102,
        }

    def _tokens(self) -> set[str]:
        return {
            action["token"] for one in self.transactions.values() for action in one.actions.values()
        }


def refused(code: int, words: str, mihpayid: str) -> dict[str, Any]:
    """Return a refusal. It comes with HTTP 200, too."""
    return {
        "status": 0,
        "msg": f"Refund FAILURE - {words}",
        "error_code": str(code),
        "mihpayid": mihpayid,
    }


def _said(answer: dict[str, Any]) -> web.Response:
    return web.Response(text=json.dumps(answer), content_type="text/html")
