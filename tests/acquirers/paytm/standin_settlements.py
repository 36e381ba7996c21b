"""A stand-in of Paytm that hands over what was paid, and whose customers dispute it.

    play = SettlingPaytm(); await play.open()
    play.pay("10001-1")
    play.hand_over("2026-11-27")               # all that is in no settlement yet
    number = play.raise_dispute("10001-1")
    play.decide(number, "LOST")
    play.dispute_webhook(number)

Written by a hand that has not read the connector, from paytmpayments.com/docs/api/{settlement-api,
dispute-status-api, dispute-action-api} and business.paytm.com/docs/chargeback-peon, as their stored
copies show them, and for the path and the answer's fields of the Settlement API from two merchants'
notes of that page. What they leave open:

- what of a settlement's call is signed: the page says its body; its sample, and merchants, sign the
  sorted values, others the text. Here both hold; `signed_as` says which came.
- the paths of the two calls for disputes: here /dispute/status and /dispute/action.
- the words of txnType: here SALE, REFUND, CHARGEBACK. What is taken has a negative settleAmount.
- the words of a dispute's state but NEW: here ACCEPTED, DEFENDED, WON, LOST.
- whether an action can be taken twice: here the second is refused.
- what the action's checksum is over: here over mid, requestTimestamp, disputeId and action, sorted.
- that Paytm's agent skill says disputes are answered in the dashboard alone.
"""

import itertools
import json
from datetime import date, timedelta
from decimal import Decimal
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any

from aiohttp import web

from tests.acquirers.paytm.standin import MID, Order, Paytm, holds, signature

PAGE_MAX = 20
KEPT_DAYS = 183
FEE_PER_CENT, TAX_PER_CENT = 2, 18
ACTIONS = {"ACCEPT": "ACCEPTED", "DEFEND": "DEFENDED"}
_CENT = Decimal("0.01")


class SettlingPaytm(Paytm):
    """Paytm on a free port, with settlements and disputes.

    today: the day that it believes. settled: the lines of each day. signed_as: how the calls for
    settlements were signed, values or text.
    """

    def __init__(self) -> None:
        super().__init__()
        self.today = date(2026, 11, 28)
        self.settled: dict[str, list[dict[str, Any]]] = {}
        self.disputes: dict[str, dict[str, Any]] = {}
        self.signed_as: list[str] = []
        self._known: set[str] = set()
        self._disputes = itertools.count(20_191_218_111_221_000)

    def routes(self, app: web.Application) -> None:
        super().routes(app)
        app.router.add_post("/merchant-settlement-service/settlement/list", self._list)
        app.router.add_post("/dispute/status", self._dispute_status)
        app.router.add_post("/dispute/action", self._dispute_action)

    def hand_over(self, day: str, utr: str = "AXISCN0123456789") -> None:
        """Settle on a day all that was paid, given back or lost and is in no settlement yet."""
        lines = self.settled.setdefault(day, [])
        for order_id, order in self.orders.items():
            if order.paid:
                self._add(lines, day, utr, (order_id, order, order.txn_id, order.paid, "SALE"))
            for ref_id, refund in order.refunds.items():
                if refund["status"] == "TXN_SUCCESS":
                    about = (order_id, order, ref_id, f"-{refund['amount']}", "REFUND")
                    self._add(lines, day, utr, about)
        for number, dispute in self.disputes.items():
            if dispute["disputeStatus"] in {"LOST", "ACCEPTED"}:
                order_id = dispute["orderId"]
                about = (
                    order_id,
                    self.orders[order_id],
                    number,
                    f"-{dispute['disputeAmount']}",
                    "CHARGEBACK",
                )
                self._add(lines, day, utr, about)

    def _add(
        self,
        lines: list[dict[str, Any]],
        day: str,
        utr: str,
        about: tuple[str, Order, str, str, str],
    ) -> None:
        order_id, order, number, amount, kind = about
        if number in self._known:
            return
        self._known.add(number)
        gross = Decimal(amount)
        fee = (max(gross, Decimal(0)) * FEE_PER_CENT / 100).quantize(_CENT)
        tax = (fee * TAX_PER_CENT / 100).quantize(_CENT)
        lines.append(
            {
                "txnId": order.txn_id,
                "txnType": kind,
                "txnDate": "2026-11-23 14:12:13",
                "txnAmount": str(abs(gross).quantize(_CENT)),
                "bankName": "HDFC",
                "custId": (order.asked.get("userInfo") or {}).get("custId"),
                "paymentMode": "CC",
                "mid": MID,
                "merchantName": "Standin",
                "orderId": order_id,
                "mercUnqRefVal": number if kind == "REFUND" else "",
                "utrProcessedTime": f"{day} 11:03:00",
                "utr": utr,
                "settleAmount": str((gross - fee - tax).quantize(_CENT)),
                "payoutDate": f"{day} 11:03:00",
                "gst": str(tax),
                "commission": str(fee),
            }
        )

    def raise_dispute(self, order_id: str, amount: str = "") -> str:
        """Have a paid order disputed, and return the dispute's number."""
        order, number = self.orders[order_id], str(next(self._disputes))
        self.disputes[number] = {
            "transactionId": order.txn_id,
            "orderId": order_id,
            "disputeAmount": amount or order.paid,
            "disputeDueDate": f"{self.today + timedelta(days=7)} 23:59:59",
            "bankReferenceNo": "777001749889327",
            "disputeType": "Order Failure, Paytm Cash balance partially used",
            "message": "Chargeback dispute has been filed",
            "extSerialNo": "90210223000484267946",
            "mid": MID,
            "merchantName": "Standin",
            "custId": (order.asked.get("userInfo") or {}).get("custId"),
            "transactionDateTime": "2026-11-23 14:12:13",
            "transactionAmount": order.paid,
            "disputeId": number,
            "disputeStatus": "NEW",
        }
        return number

    def decide(self, number: str, status: str) -> None:
        """Have the bank decide: WON or LOST."""
        self.disputes[number]["disputeStatus"] = status

    def dispute_webhook(self, number: str) -> tuple[dict[str, str], bytes]:
        """Return the webhook about a dispute; its checksum is over the very text of `body`."""
        text = json.dumps(self.disputes[number])
        head = json.dumps({"version": "v1", "signature": signature(text)})
        content = f'{{"head": {head}, "body": {text}}}'.encode()
        return {"content-type": "application/json"}, content

    async def _list(self, request: web.Request) -> web.Response:
        asked = json.loads(await request.read())
        fault = self._fault(asked)
        if fault:
            return _settlements("FAILURE", fault[0], fault[1], asked, [])
        first = date.fromisoformat(asked["utrProcessedStartTime"])
        ends = asked.get("utrProcessedEndTime")
        last = date.fromisoformat(ends) if ends else first + timedelta(days=1)
        found = [
            line
            for day, lines in sorted(self.settled.items())
            if first <= date.fromisoformat(day) <= last
            for line in lines
        ]
        if not found:
            return _settlements("RECORD_NOT_FOUND", "10010007", "no records found", asked, [])
        return _settlements("SUCCESS", "00000000", "", asked, found)

    def _fault(self, asked: dict[str, Any]) -> tuple[str, str] | None:
        given = str(asked.pop("checksumHash", ""))
        values = "|".join(str(asked[name]) for name in sorted(asked))
        forms = {"values": values, "text": json.dumps(asked, separators=(",", ":"))}
        self.signed_as += [name for name, text in forms.items() if given and holds(text, given)][:1]
        if not given or not any(holds(text, given) for text in forms.values()):
            return "00000012", "CHECKSUM_VALIDATION_FAILED"
        if asked.get("MID") != MID:
            return "12014163", "platform internal id does not exist"
        try:
            first = date.fromisoformat(asked["utrProcessedStartTime"])
            last = date.fromisoformat(asked.get("utrProcessedEndTime") or str(first))
            page, size = int(asked["pageNum"]), int(asked["pageSize"])
        except (KeyError, ValueError):
            return "00000004", "parameter illegal"
        if page < 1 or not 1 <= size <= PAGE_MAX or not 0 <= (last - first).days <= 1:
            return "00000004", "parameter illegal"
        if first < self.today - timedelta(days=KEPT_DAYS):
            return "12014162", "max query time is 180 days"
        return None

    async def _dispute_status(self, request: web.Request) -> web.Response:
        body = await self._asked(request)
        head = json.loads(await request.read())["head"]
        if body is None or not head.get("requestTimestamp"):
            return _disputed({}, "F", "330", "Checksum provided is invalid")
        dispute = self.disputes.get(str(body.get("disputeId")))
        if dispute is None:
            return _disputed({}, "F", "631", "Record not found")
        return _disputed(dispute, "S", "0000", "Success")

    async def _dispute_action(self, request: web.Request) -> web.Response:
        asked, files = _fields(request.headers["Content-Type"], await request.read())
        named = ("action", "disputeId", "mid", "requestTimestamp")
        text = "|".join(asked.get(name, "") for name in named)
        if not holds(text, asked.get("checksum", "") or signature("another")):
            return _disputed({}, "F", "330", "Checksum provided is invalid")
        dispute = self.disputes.get(asked["disputeId"])
        if dispute is None or asked["mid"] != MID:
            return _disputed({}, "F", "631", "Record not found")
        action = asked["action"]
        defends = bool(files) or bool(asked.get("filesPath"))
        if action not in ACTIONS or (
            action == "DEFEND" and not (defends and asked.get("orderStatus"))
        ):
            return _disputed({}, "F", "501", "Invalid request")
        if dispute["disputeStatus"] != "NEW":
            return _disputed({}, "F", "617", "Action was already taken")
        dispute["disputeStatus"] = ACTIONS[action]
        return _disputed({"disputeId": asked["disputeId"]}, "S", "0000", "Success")


def _fields(kind: str, body: bytes) -> tuple[dict[str, str], list[bytes]]:
    """Return the fields of a form with files, and the files."""
    found = BytesParser(policy=HTTP).parsebytes(f"Content-Type: {kind}\r\n\r\n".encode() + body)
    fields: dict[str, str] = {}
    files = []
    for part in found.iter_parts():
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        if part.get_filename():
            files.append(content)
        else:
            name = part.get_param("name", header="content-disposition")
            fields[str(name)] = content.decode()
    return fields, files


def _settlements(
    status: str, code: str, words: str, asked: dict[str, Any], found: list[dict[str, Any]]
) -> web.Response:
    """Return a page of settled lines."""
    page, size = int(asked.get("pageNum") or 1), int(asked.get("pageSize") or PAGE_MAX)
    shown = found[(page - 1) * size : page * size]
    answer = {
        "status": status,
        "resultCode": code,
        "errorMessage": words,
        "count": len(shown),
        "totalCount": len(found),
        "settlementDetailList": shown,
        "paginatorPageNum": page,
        "paginatorPageSize": size,
        "paginatorTotalPage": -(-len(found) // size),
        "paginatorTotalCount": len(found),
    }
    return web.Response(text=json.dumps(answer), content_type="application/json")


def _disputed(body: dict[str, Any], status: str, code: str, words: str) -> web.Response:
    info = {"resultStatus": status, "resultCode": code, "resultMsg": words}
    shown = {"resultInfo": info, **body}
    head = {"version": "v1", "responseTimestamp": "1588402269"}
    head["signature"] = signature(json.dumps(shown))
    return web.Response(
        text=json.dumps({"head": head, "body": shown}), content_type="application/json"
    )
