"""A stand-in of CCAvenue, made of its documents before the connector was.

Sources: CCAvenue's API guide (docs/api/*.md of nermalcat69/ccavenue-api) and the cipher of its
integration kits. What they leave open is marked "not published" here.
"""

import hashlib
import itertools
import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlencode

from aiohttp import web
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from hundi.kernel.clock import business_day
from tests.acquirers.server import Server

MERCHANT, ACCESS, KEY = "12345", "AVSTANDIN", "standin-working-key"
PAGE = 2
"""Lines of a payout at once: few, so that tests read several pages."""
API = "/apis/servlet/DoWebTrans"


def _cipher(key: str) -> Cipher[modes.CBC]:
    return Cipher(
        algorithms.AES(hashlib.md5(key.encode(), usedforsecurity=False).digest()),
        modes.CBC(bytes(range(16))),
    )


def seal(text: str, key: str = KEY) -> str:
    data = text.encode()
    data += bytes([16 - len(data) % 16]) * (16 - len(data) % 16)
    encryptor = _cipher(key).encryptor()
    return (encryptor.update(data) + encryptor.finalize()).hex()


def unseal(sealed: str, key: str = KEY) -> str | None:
    decryptor = _cipher(key).decryptor()
    data = decryptor.update(bytes.fromhex(sealed)) + decryptor.finalize()
    if not 1 <= data[-1] <= 16:
        return None
    try:
        return data[: -data[-1]].decode()
    except UnicodeDecodeError:
        return None


@dataclass
class Order:
    """One order. confirms: the account confirms what is paid by itself."""

    asked: dict[str, str]
    number: str
    status: str = "Initiated"
    amount: str = ""
    captured: str = "0.0"
    words: str = ""
    currency: str = "INR"
    gross: str = ""
    refunds: list[dict[str, str]] = field(default_factory=list)


class CCAvenue(Server):
    """The server; both its hosts are one here. commands: what every call asked."""

    def __init__(self) -> None:
        super().__init__()
        self.orders: dict[str, Order] = {}
        self.commands: list[tuple[str, dict[str, Any]]] = []
        self.confirms_by_itself = False
        self.risk_pending = False
        self.wrapped = False
        self.visited = ""
        self.payouts: dict[str, dict[str, list[dict[str, Any]]]] = {}
        self.lose_commands: list[str] = []
        self._ids = itertools.count(204_000_163_469)

    def routes(self, app: web.Application) -> None:
        app.router.add_post(API, self._command)
        app.router.add_post("/transaction/transaction.do", self._intent)

    # What customers and banks do.

    def visit(self, url: str, fields: tuple[tuple[str, str], ...]) -> Order:
        """Open the page that a browser posts these fields to."""
        assert url == f"{self.url}/transaction/transaction.do?command=initiateTransaction"
        form = dict(fields)
        assert form.pop("access_code") == ACCESS
        text = unseal(form.pop("encRequest"))
        assert form == {}
        return self._begun(text)

    def _begun(self, text: str | None) -> Order:
        assert text is not None
        asked = dict(each.split("=") for each in text.split("&"))
        assert asked["merchant_id"] == MERCHANT
        self.visited = asked["order_id"]
        return self.orders.setdefault(
            asked["order_id"], Order(asked, str(next(self._ids)), amount=asked["amount"])
        )

    def pay(self, order_id: str, amount: str = "") -> None:
        """Let the customer pay; amount: another one than was asked."""
        one = self.orders[order_id]
        one.amount, one.words = amount or one.asked["amount"], "Transaction Successful"
        one.status = "Shipped" if self.confirms_by_itself else "Successful"
        one.captured = one.amount if self.confirms_by_itself else "0.0"

    def end(
        self, order_id: str, status: str = "Unsuccessful", words: str = "Do not honour"
    ) -> None:
        self.orders[order_id].status, self.orders[order_id].words = status, words

    def settle(self, token: str, status: str = "TS-REFC") -> None:
        """End a refund."""
        for one in self.orders.values():
            for each in one.refunds:
                if each["refund_mer_ref_no"] == token:
                    each["refund_status"], each["refund_bank_ref_no"] = status, "2492"

    def webhook(
        self, order_id: str, /, key: str = KEY, **change: str
    ) -> tuple[dict[str, str], bytes]:
        """Return a callback: the browser's and the echo URL's are alike."""
        said = {
            "order_id": order_id,
            "tracking_id": "204000163469",
            "order_status": "Success",
            "amount": "1.00",
        }
        text = "&".join(f"{name}={value}" for name, value in {**said, **change}.items())
        return {}, urlencode(
            {"encResp": seal(text, key), "orderNo": order_id, "crossSellUrl": ""}
        ).encode()

    # Its interface.

    async def _intent(self, request: web.Request) -> web.Response:
        """Answer a server's call for a UPI link, as Meta's guide to CCAvenue has it."""
        form = {name: each[0] for name, each in parse_qs((await request.read()).decode()).items()}
        one = self._begun(unseal(form["encRequest"]))
        wanted = {"payment_option": "OPTUPI", "card_type": "UPI", "card_name": "UPI"}
        assert {name: one.asked.get(name) for name in wanted} == wanted
        one.status = "Initiated"
        link = f"upi://pay?pa=standin@cca&pn=Standin&tr={one.number}&am={one.amount}&cu=INR&mc=5411"
        said = {"errorCode": "", "errorMessage": "", "intentUrl": link}
        answer = {"status": "0", "enc_response": seal(json.dumps(said))}
        return web.Response(text=json.dumps(answer), content_type="application/json")

    async def _command(self, request: web.Request) -> web.Response:
        form = {name: each[0] for name, each in parse_qs((await request.read()).decode()).items()}
        text = unseal(form["enc_request"])
        if form["access_code"] != ACCESS or text is None:
            return web.Response(
                text="status=1&enc_response=Access_code: Invalid Parameter&enc_error_code=51407"
            )
        assert form["request_type"] == form["response_type"] == "JSON"
        command, asked = form["command"], json.loads(text)
        assert form["version"] == ("1.2" if command == "orderStatusTracker" else "1.1")
        self.commands.append((command, asked))
        answers = {
            "orderStatusTracker": self._status,
            "confirmOrder": self._confirm,
            "cancelOrder": self._cancel,
            "refundOrder": self._refund,
            "getRefundDetails": self._refunds,
            "payoutSummary": self._summary,
            "payIdDetails": self._details,
        }
        said = answers[command](asked)
        if command in self.lose_commands:
            self.lose_commands.remove(command)
            self.lose.append(request.path)
        if self.wrapped and command == "orderStatusTracker":
            said = {"Order_Status_Result": said}
        # Not published: line ends behind the digits, which clients take away.
        return web.Response(
            text=f"status=0&enc_response={seal(json.dumps(said))}\r\n&enc_error_code="
        )

    def hand_over(self) -> date:
        """Settle today all that was confirmed or refunded and is not settled; return the day."""
        day = business_day(datetime.now(UTC))
        told = self.payouts.setdefault(day.strftime("%d-%m-%Y"), {"40907": []})["40907"]
        known = {(line["ccavenue_ref_no"], line["bank_ref_no"]) for line in told}
        for name, one in self.orders.items():
            lines = [("Shipped", one.captured, "035944")] if Decimal(one.captured) else []
            done = [each for each in one.refunds if each["refund_status"] == "TS-REFC"]
            lines += [("Refunded", each["refund_amt"], each["refund_bank_ref_no"]) for each in done]
            told += [
                payout_line(name, one, *line)
                for line in lines
                if (one.number, line[2]) not in known
            ]
        return day

    def _summary(self, asked: dict[str, Any]) -> dict[str, Any]:
        payouts = self.payouts.get(asked["settlement_date"])
        if payouts is None:
            words = "Enc_request: No record found for given criteria."
            return {"Payout_Summary_Result": {"error_code": "51419", "error_desc": words}}
        rows = [
            {
                "settlement_bank": "KARUR VYSYA BANK",
                "pay_amount": 211.76,
                "trans_currency": "INR",
                "pay_Id": int(number),
                "sub_acc_Id": "",
                "settlement_date": asked["settlement_date"],
                "settlement_currency": "INR",
                "utr_no": "1234567890",
            }
            for number in payouts
        ]
        # The guide spells the list so.
        listed = {"pauyout_summary_list": {"pauyout_summary_details": rows}}
        return {"Payout_Summary_Result": {"error_code": "", "error_desc": "", **listed}}

    def _details(self, asked: dict[str, Any]) -> dict[str, Any]:
        lines = next(
            each[asked["pay_id"]] for each in self.payouts.values() if asked["pay_id"] in each
        )
        first, pages = int(asked["page_number"]) - 1, max(1, -(-len(lines) // PAGE))
        said = {
            "error_code": "",
            "error_desc": "",
            "pay_id": int(asked["pay_id"]),
            "page_count": pages,
            "total_records": len(lines),
            "pay_id_txn_details_list": {
                "pay_id_txn_details": lines[first * PAGE : (first + 1) * PAGE]
            },
        }
        return {"pay_id_details_Result": said}

    def _by_number(self, number: str) -> Order | None:
        return next((each for each in self.orders.values() if each.number == number), None)

    def _status(self, asked: dict[str, Any]) -> dict[str, Any]:
        one = self.orders.get(asked["order_no"])
        if one is None:
            return {
                "error_desc": "Order List: Invalid Parameter",
                "error_code": "51313",
                "status": 1,
            }
        return {
            "reference_no": one.number,
            "order_no": asked["order_no"],
            "order_currncy": one.currency,
            "order_amt": float(one.amount),
            "order_gross_amt": float(one.gross or one.amount),
            "order_capt_amt": float(one.captured),
            "order_status": one.status,
            "order_bank_ref_no": "035944" if one.status in {"Successful", "Shipped"} else "null",
            "order_bank_response": one.words,
            "order_card_name": "MasterCard",
            "order_option_type": "OPTCRDC",
            "error_desc": "",
            "status": 0,
            "error_code": "",
        }

    def _ended(self, asked: dict[str, Any], code: str = "") -> dict[str, Any]:
        number = asked["order_List"][0]["reference_no"]
        failed = [
            {
                "reference_no": number,
                "reason": "Order List: Invalid Parameter",
                "error_code": f"{code} ",
            }
        ]
        return {
            "failed_List": failed if code else [],
            "error_desc": "",
            "success_count": 0 if code else 1,
            "error_code": "",
        }

    def _confirm(self, asked: dict[str, Any]) -> dict[str, Any]:
        one, amount = (
            self._by_number(asked["order_List"][0]["reference_no"]),
            asked["order_List"][0]["amount"],
        )
        if one is None:
            return self._ended(asked, "51304")
        if one.status == "Shipped":
            return self._ended(asked, "51301")
        if self.risk_pending:
            return self._ended(asked, "51307")
        if one.status != "Successful":
            return self._ended(asked, "51303")
        if Decimal(amount) > Decimal(one.amount):
            return self._ended(asked, "51306")
        one.status, one.captured = "Shipped", amount
        return self._ended(asked)

    def _cancel(self, asked: dict[str, Any]) -> dict[str, Any]:
        one = self._by_number(asked["order_List"][0]["reference_no"])
        if one is None or one.status != "Successful":
            return self._ended(asked, "51303" if one else "51304")
        one.status = "Cancelled"
        return self._ended(asked)

    def _refund(self, asked: dict[str, Any]) -> dict[str, Any]:
        one, token = self._by_number(asked["reference_no"]), asked["refund_ref_no"]
        assert token.isalnum()
        assert len(token) <= 30
        if one is None:
            return _refused("51308")
        if any(each["refund_mer_ref_no"] == token for each in one.refunds):
            return _refused("51309")
        given = sum((Decimal(each["refund_amt"]) for each in one.refunds), Decimal(0))
        if one.status not in {"Shipped", "Refunded"}:
            return _refused("51312")
        if given + Decimal(asked["refund_amount"]) > Decimal(one.captured):
            return _refused("51314")
        made = {
            "refund_amt": asked["refund_amount"],
            "refund_mer_ref_no": token,
            "refund_status": "TS-REFA",
        }
        one.refunds.append(
            {**made, "refund_issue_date": "2026-11-23 15:11:07.877", "refund_bank_ref_no": ""}
        )
        one.status = "Refunded"
        return {"reason": "", "error_code": "", "refund_status": 0}

    def _refunds(self, asked: dict[str, Any]) -> dict[str, Any]:
        one = self._by_number(asked["reference_no"])
        if one is None or not one.refunds:
            words = "Enc_request: No record found for given criteria."
            return {
                "reference_no": asked["reference_no"],
                "error_desc": words,
                "error_code": "51419",
            }
        return {
            "refund_list": one.refunds,
            "reference_no": one.number,
            "order_no": one.asked["order_id"],
            "order_amt": one.amount,
            "order_curr": "INR",
            "order_status": one.status,
            "error_desc": "",
            "error_code": "",
        }


def payout_line(
    order_no: str, one: Order, txn_type: str, amount: str, bank_ref_no: str
) -> dict[str, Any]:
    """Return a line of a payout, with the fields of the guide; fees of a sale only."""
    gross = Decimal(amount)
    fees = (gross * 2 / 100).quantize(Decimal("0.01")) if txn_type == "Shipped" else Decimal(0)
    tax = (fees * 18 / 100).quantize(Decimal("0.01"))
    return {
        "amt_payable": float(gross - fees - tax),
        "bill_email": "asha@example.in",
        "fees": float(fees),
        "bill_name": "Asha",
        "order_no": order_no,
        "currency": "INR",
        "amount": float(gross),
        "tax": float(tax),
        "ccavenue_ref_no": int(one.number),
        "bank_ref_no": bank_ref_no,
        "date_time": "2026-11-23 17:42:58.223",
        "order_option_type": "OPTDBCRD",
        "txn_type": txn_type,
        "sub_acc_id": "",
    }


def _refused(code: str) -> dict[str, Any]:
    return {"reason": "Reference number: Invalid Parameter", "error_code": code, "refund_status": 1}
