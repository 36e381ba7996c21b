"""What Razorpay's stand-in knows of disputes and settlements.

Written from api/disputes, api/documents and api/settlements of their documents. A test plays the
customer's bank with `raise_dispute` and `decide`, and Razorpay's own bank with `settle`.
"""

import time
from dataclasses import dataclass, field
from email import message_from_bytes
from typing import Any

from aiohttp import web

from tests.acquirers.razorpay.standin_answers import listed
from tests.acquirers.razorpay.standin_books import Books, RefusedError, new_id

PROOFS = (
    "shipping_proof",
    "billing_proof",
    "cancellation_proof",
    "customer_communication",
    "proof_of_service",
    "explanation_letter",
    "refund_confirmation",
    "access_activity_log",
    "refund_cancellation_policy",
    "term_and_conditions",
    "others",
)
FEE_BPS, TAX_PER_CENT = 200, 18


def fee_of(paise: int) -> tuple[int, int]:
    """Return the fee with its tax, and the tax."""
    fee = paise * FEE_BPS // 10_000
    tax = fee * TAX_PER_CENT // 100
    return fee + tax, tax


@dataclass
class Money:
    """Disputes by id, documents by id, and the lines that were settled."""

    books: Books
    disputes: dict[str, dict[str, Any]] = field(default_factory=dict)
    documents: dict[str, bytes] = field(default_factory=dict)
    lines: list[dict[str, Any]] = field(default_factory=list)

    def raise_dispute(
        self, payment_id: str, amount: int = 0, phase: str = "chargeback"
    ) -> dict[str, Any]:
        """Have a payment disputed."""
        payment = self.books.payment(payment_id)
        made = {
            "id": new_id("disp"),
            "entity": "dispute",
            "payment_id": payment.id,
            "amount": amount or payment.amount,
            "currency": payment.currency,
            "amount_deducted": 0,
            "reason_code": "goods_or_services_not_received_or_partially_received",
            "respond_by": int(time.time()) + 7 * 86_400,
            "status": "open",
            "phase": phase,
            "created_at": int(time.time()),
            "evidence": {"amount": amount or payment.amount, "summary": None}
            | dict.fromkeys(PROOFS),
        }
        made["evidence"]["submitted_at"] = None
        self.disputes[made["id"]] = made
        self._tell("created", made)
        return made

    def decide(self, dispute_id: str, status: str, deducted: int | None = None) -> None:
        """Have the bank decide: won, lost or closed. deducted: another amount than the whole."""
        dispute = self.disputes[dispute_id]
        dispute["status"] = status
        if status == "lost":
            dispute["amount_deducted"] = dispute["amount"] if deducted is None else deducted
        self._tell(status, dispute)

    def settle(self, utr: str = "1568176960vxp0rj", at: int | None = None) -> None:
        """Hand over all that was captured, refunded or deducted and is in no settlement yet."""
        shared = {
            "settlement_id": new_id("setl"),
            "settlement_utr": utr,
            "settled_at": at or int(time.time()),
        }
        known = {each["entity_id"] for each in self.lines}
        for payment in self.books.payments.values():
            if payment.captured and payment.id not in known:
                fee, tax = fee_of(payment.amount)
                order = self.books.orders[payment.order_id]
                money = {
                    "debit": 0,
                    "credit": payment.amount - fee,
                    "amount": payment.amount,
                    "fee": fee,
                    "tax": tax,
                }
                about = {
                    "order_receipt": order.receipt,
                    "order_id": order.id,
                    "method": payment.method,
                }
                self._line(payment.id, "payment", money, shared | about)
        for refund in self.books.refunds.values():
            if refund.status == "processed" and refund.id not in known:
                money = {
                    "debit": refund.amount,
                    "credit": 0,
                    "amount": refund.amount,
                    "fee": 0,
                    "tax": 0,
                }
                self._line(refund.id, "refund", money, shared | {"payment_id": refund.payment_id})
        for dispute in self.disputes.values():
            deducted = dispute["amount_deducted"]
            if deducted and not any(each["dispute_id"] == dispute["id"] for each in self.lines):
                money = {"debit": deducted, "credit": 0, "amount": deducted, "fee": 0, "tax": 0}
                # Of an adjustment the published sample has no transfer, though its settlement has
                # one.
                about = {"dispute_id": dispute["id"], "settlement_utr": None}
                self._line(new_id("adj"), "adjustment", money, shared | about)

    def _line(self, entity_id: str, kind: str, money: dict[str, int], more: dict[str, Any]) -> None:
        empty = (
            "posted_at",
            "description",
            "notes",
            "payment_id",
            "order_id",
            "order_receipt",
            "method",
        )
        cards = ("card_network", "card_issuer", "card_type", "dispute_id")
        known = {
            "entity_id": entity_id,
            "type": kind,
            "currency": "INR",
            "on_hold": False,
            "settled": True,
        }
        line = (
            dict.fromkeys((*empty, *cards))
            | known
            | money
            | more
            | {"created_at": int(time.time())}
        )
        self.lines.append(line | {"credit_type": "default"})

    def _tell(self, event: str, dispute: dict[str, Any]) -> None:
        payment = self.books.payment(dispute["payment_id"])
        self.books.told.append(
            (f"payment.dispute.{event}", {"payment": payment.document(), "dispute": dict(dispute)})
        )

    def _dispute(self, request: web.Request) -> dict[str, Any]:
        found = self.disputes.get(request.match_info["id"])
        if found is None:
            raise RefusedError("The id provided does not exist")
        return found

    async def show(self, request: web.Request) -> web.Response:
        return web.json_response(self._dispute(request))

    async def list(self, request: web.Request) -> web.Response:
        return listed(list(reversed(self.disputes.values())), request)

    async def accept(self, request: web.Request) -> web.Response:
        dispute = self._dispute(request)
        if dispute["status"] != "open":
            raise RefusedError("The dispute is not open")  # the words are open
        self.decide(dispute["id"], "lost")
        return web.json_response(dispute)

    async def contest(self, request: web.Request) -> web.Response:
        dispute, asked = self._dispute(request), await request.json()
        if dispute["status"] != "open":
            raise RefusedError("The dispute is not open")
        given = [name for name in PROOFS if asked.get(name)]
        named = [number for each in asked.get("others") or [] for number in each["document_ids"]]
        if any(number not in self.documents for number in named):
            raise RefusedError("The id provided does not exist")
        evidence = dispute["evidence"]
        evidence |= dict.fromkeys(PROOFS) | {name: asked[name] for name in given}
        evidence |= {name: asked[name] for name in ("amount", "summary") if name in asked}
        if asked.get("action") == "submit":
            if not given:
                raise RefusedError("At least one document is required")
            evidence["submitted_at"], dispute["status"] = int(time.time()), "under_review"
            self._tell("under_review", dispute)
        return web.json_response(dispute)

    async def upload(self, request: web.Request) -> web.Response:
        head = f"Content-Type: {request.headers['Content-Type']}\r\n\r\n".encode()
        parts = message_from_bytes(head + await request.read()).get_payload()
        assert isinstance(parts, list)
        named = {str(each.get_param("name", header="content-disposition")): each for each in parts}
        if "file" not in named or named["purpose"].get_payload(decode=True) != b"dispute_evidence":
            raise RefusedError("The purpose field is required.")
        content = named["file"].get_payload(decode=True)
        assert isinstance(content, bytes)
        made = {"id": new_id("doc"), "entity": "document", "purpose": "dispute_evidence"}
        made["name"] = named["file"].get_filename() or ""
        self.documents[made["id"]] = content
        known = {
            "mime_type": named["file"].get_content_type(),
            "size": len(content),
            "created_at": int(time.time()),
        }
        return web.json_response(made | known)

    async def report(self, request: web.Request) -> web.Response:
        """List the lines of a day of India, or of a month when no day is named."""
        named = ("year", "month", *(["day"] if "day" in request.query else []))
        wanted = tuple(int(request.query[name]) for name in named)
        if not 1 <= wanted[1] <= 12:
            raise RefusedError("The month is not a valid month.", field="month")
        days = (time.gmtime(each["settled_at"] + 19_800)[: len(named)] for each in self.lines)
        return listed(
            [line for line, day in zip(self.lines, days, strict=True) if tuple(day) == wanted],
            request,
        )
