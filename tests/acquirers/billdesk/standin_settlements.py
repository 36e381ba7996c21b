"""A stand-in of BillDesk that hands over what was paid, in payment vouchers with their lines.

    play = SettlingBillDesk(); await play.open()
    play.pay("10001-1")
    voucher = play.hand_over("20261127")       # all that is in no voucher yet
    play.credit(voucher)                       # the bank has the money

Written by a hand that has not read the connector, from docs.billdesk.io/docs/settlement and
/reference/retrieve-settlement as their stored copies show them, and for the fields of both answers
from Kernel.External.Settlement.BillDesk of Namma Yatri's shared kernel, which Juspay publishes:
somebody else's reading of them. What they leave open:

- the path of the second call: here settlements/details. The size of its pages: here 2, so that a
  test sees several.
- the words of a voucher's status: here PENDING until the bank has it, then SETTLED. Of a line's
  transaction_type: here settlement, refund and chargeback, the names in amount_details.
- signs: here every amount is positive, and its type says which way it went.
- what an empty time answers: here an empty list. An unknown voucher: here 404.
- whether from_date and to_date are of the voucher's file or of the payout: here of the file.
"""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

from aiohttp import web

from tests.acquirers.billdesk.standin import MERCID, BillDesk, Order, answer_of

DAYS_MAX = 7
PAGE = 2
FEE_PER_CENT, TAX_PER_CENT = 2, 18
KINDS = ("settlement", "refund", "chargeback", "refund_reversal", "chargeback_reversal")
GIVEN_BACK = {"0699", "0799"}
_CENT = Decimal("0.01")


class SettlingBillDesk(BillDesk):
    """BillDesk on a free port, with settlements. vouchers: by number; lines: of each."""

    def __init__(self) -> None:
        super().__init__()
        self.vouchers: dict[str, dict[str, Any]] = {}
        self.lines: dict[str, list[dict[str, Any]]] = {}
        self._settled: set[str] = set()

    def routes(self, app: web.Application) -> None:
        super().routes(app)
        app.router.add_post("/pasettlements/v1_2/{what}/{act}", self._call)

    def answers(self) -> dict[str, Callable[[dict[str, Any]], web.Response]]:
        own = {"settlements/get": self._vouchers, "settlements/details": self._details}
        return super().answers() | own

    def hand_over(self, day: str) -> str:
        """Put all that was paid or given back and is in no voucher yet in one of a day."""
        number = f"OPCIT{day}{len(self.vouchers):08d}"
        lines = self.lines[number] = []
        for order in self.orders.values():
            told = order.transaction
            if told.get("auth_status") == "0300":
                self._add(lines, day, order, "settlement", told["transactionid"], told["amount"])
            for refund in order.refunds.values():
                if refund["refund_status"] in GIVEN_BACK:
                    about = refund["refundid"], refund["refund_amount"]
                    self._add(lines, day, order, "refund", *about)
        sums = {kind: _sum(lines, kind, "amount") for kind in KINDS}
        charges, taxes = _sum(lines, "settlement", "charges"), _sum(lines, "settlement", "taxes")
        payout = sums["settlement"] - sums["refund"] - sums["chargeback"] - charges - taxes
        filed = _day(day).isoformat()
        self.vouchers[number] = {
            "objectid": "settlement",
            "pv_number": number,
            "mercid": MERCID,
            "payout_mercid": MERCID,
            "pv_file": f"PV_STANDIN_{number}.xls",
            "pv_file_date": filed,
            "currency": "356",
            "amount_details": {kind: str(each) for kind, each in sums.items()}
            | {"adjustment": "0.00"},
            "charges": str(charges),
            "taxes": str(taxes),
            "other_adjustments": "0.00",
            "payout_amount": str(payout),
            "status": "PENDING",
            "settlement_date": filed,
            "utr": None,
            "utr_date": None,
        }
        return number

    def _add(
        self, lines: list[dict[str, Any]], day: str, order: Order, kind: str, *about: str
    ) -> None:
        number, amount = about
        if number in self._settled:
            return
        self._settled.add(number)
        gross, told = Decimal(amount), order.transaction
        fee = gross * FEE_PER_CENT / 100 if kind == "settlement" else Decimal(0)
        charges = fee.quantize(_CENT)
        taxes = (charges * TAX_PER_CENT / 100).quantize(_CENT)
        is_refund = kind == "refund"
        lines.append(
            {
                "transaction_type": kind,
                "bankid": "HDF",
                "bank_ref_no": told.get("bank_ref_no"),
                "billdesk_id": number,
                "merc_ref_id": _own_reference(order, number) if is_refund else told["orderid"],
                "date": told["transaction_date"],
                "settlement_date": day,
                "amount": amount,
                "gross_amount": amount,
                "charges": str(charges),
                "taxes": str(taxes),
                "net_amount": str(gross - charges - taxes),
                "authcode": "",
                "payment_category": "CC",
                "settlement_ref1": "",
                "reference_id": told["transactionid"] if is_refund else "",
                "reference_date": told["transaction_date"] if is_refund else "",
                "reference_amount": told["amount"] if is_refund else "",
                "card_type": "",
                "network": "",
                "issuer": "",
                "currency": "356",
                "additional_info": {f"additional_info{place}": "NA" for place in range(1, 8)},
            }
        )

    def credit(self, number: str, utr: str = "HDFCN52026112712345") -> None:
        """Let the bank credit a voucher."""
        voucher = self.vouchers[number]
        voucher |= {"status": "SETTLED", "utr": utr, "utr_date": voucher["pv_file_date"]}

    def _vouchers(self, said: dict[str, Any]) -> web.Response:
        number = said.get("pv_number")
        if number:
            if number not in self.vouchers:
                return _no_voucher()
            return answer_of([self.vouchers[number]])
        try:
            first, last = _day(said["from_date"]), _day(said["to_date"])
        except (KeyError, ValueError):
            return _invalid("from_date and to_date, or pv_number, are mandatory")
        if not 0 <= (last - first).days < DAYS_MAX:
            return _invalid("from_date and to_date are at most 7 days apart")
        found = [
            each
            for each in self.vouchers.values()
            if first.isoformat() <= each["pv_file_date"] <= last.isoformat()
        ]
        return answer_of(found)

    def _details(self, said: dict[str, Any]) -> web.Response:
        number, page = said.get("pv_number", ""), said.get("page_number", 1)
        if number not in self.vouchers:
            return _no_voucher()
        lines = self.lines[number]
        pages = max(1, -(-len(lines) // PAGE))
        if not isinstance(page, int) or not 1 <= page <= pages:
            return _invalid("page_number is invalid")
        shown = lines[(page - 1) * PAGE : page * PAGE]
        named = {"mercid": MERCID, "pv_number": number, "page_number": page + 1}
        more = {"href": f"{self.url}/pasettlements/v1_2/settlements/details", "rel": "next"}
        links = [more | {"method": "POST", "parameters": named}] if page < pages else []
        known = {name: self.vouchers[number][name] for name in ("payout_mercid", "pv_file_date")}
        return answer_of(
            {
                "objectid": "settlement",
                "pv_number": number,
                "mercid": MERCID,
                **known,
                "page_total": pages,
                "page_number": page,
                "page_record_count": len(shown),
                "total_record_count": len(lines),
                "records": shown,
                "links": links,
            }
        )


def _day(text: str) -> date:
    """Read YYYYMMDD; raises ValueError."""
    if not (text.isdigit() and len(text) == 8):
        raise ValueError(text)
    return date.fromisoformat(text)


def _own_reference(order: Order, refund_id: str) -> str:
    named = {each["refundid"]: reference for reference, each in order.refunds.items()}
    return named[refund_id]


def _sum(lines: list[dict[str, Any]], kind: str, name: str) -> Decimal:
    found = (Decimal(each[name]) for each in lines if each["transaction_type"] == kind)
    return sum(found, Decimal("0.00"))


def _no_voucher() -> web.Response:
    said = {"status": 404, "error_type": "invalid_request_error", "error_code": "GNNTF0001"}
    return answer_of(said | {"message": "No settlement"}, 404)


def _invalid(message: str) -> web.Response:
    said = {"status": 422, "error_type": "invalid_data_error", "error_code": "GNIDE0001"}
    return answer_of(said | {"message": message}, 422)
