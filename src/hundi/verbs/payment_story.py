"""The parts of a payment's story, as `hundi payment show` prints them.

Paise for scripts, rupees for people.
"""

from datetime import datetime
from typing import Any

from hundi.kernel.ids import reference
from hundi.kernel.masks import masked_email, masked_phone
from hundi.money.fees.rules import explained
from hundi.payments.orders.rules import Attempt, PaymentView
from hundi.payments.risk.rules import RiskRecord
from hundi.payments.routing.rules import NOT_ROUTED
from hundi.payments.story.rules import SaleCost, Story, StoryNotification

Part = list[dict[str, Any]]


def parts_of(story: Story) -> dict[str, dict[str, Any] | Part]:
    """Return the story by its parts; names of amounts in paise end in `_paise`."""
    return {
        "payment": _payment(story.view),
        "attempts": _attempts(story.view),
        "routing": [_routed(each) for each in story.view.attempts if each.route != NOT_ROUTED],
        "fees": [_charge(story.view.payment.merchant_id, each) for each in story.charges],
        "settlements": _settlements(story),
        "completions": [
            {
                "completion_id": str(each.completion_id),
                "kind": each.kind,
                "amount_paise": each.amount.paise,
                "currency": each.amount.currency,
                "state": each.state,
                "by": each.actor,
                "bank": _bank(each.bank_code, each.bank_message),
                "at": each.created_at,
                "settled_at": each.settled_at,
            }
            for each in story.completions
        ],
        "refunds": _refunds(story),
        "disputes": _disputes(story),
        "risk": [
            *(
                _verdict(each.created_at, each.method, each.risk)
                for each in story.view.attempts
                if _ruled(each.risk)
            ),
            *(_verdict(each.at, each.method, each.checked) for each in story.blocked),
        ],
        "reviews": [
            {
                "event_no": each.event_no,
                "decision": each.decision,
                "reason": each.reason,
                "decided_by": each.decided_by,
                "at": each.at,
            }
            for each in story.decisions
        ],
        "deliveries": [_delivery(each) for each in story.notifications],
        "events": [
            {
                "no": each.event_no,
                "at": each.at,
                "event": each.kind,
                "state": each.state,
                "by": each.actor,
            }
            for each in story.events
        ],
        "postings": [
            {
                "why": each.kind,
                "debit": each.debit,
                "credit": each.credit,
                "amount_paise": each.amount.paise,
                "currency": each.amount.currency,
                "at": each.at,
            }
            for each in story.postings
        ],
    }


def _payment(view: PaymentView) -> dict[str, Any]:
    payment = view.payment
    return {
        "ap_transactionid": str(payment.payment_id),
        "orderid": payment.order_id,
        "amount_paise": payment.amount.paise,
        "currency": payment.amount.currency,
        "state": payment.state,
        "captured_paise": payment.captured_paise,
        "refunded_paise": payment.refunded_paise,
        "chmod": payment.method,
        "customer": f"{payment.buyer.firstname} {payment.buyer.lastname}".strip(),
        "phone": masked_phone(payment.buyer.phone),
        "email": masked_email(payment.buyer.email),
        "bank": _bank(payment.bank_code, payment.bank_message),
        "created": payment.created_at,
    }


def _attempts(view: PaymentView) -> Part:
    return [
        {
            "reference": each.reference,
            "method": each.method,
            "state": each.state,
            "amount_paise": each.amount.paise,
            "currency": each.amount.currency,
            "rrn": each.rrn,
            "upi_address": each.payer_vpa,
            "card": f"{each.card.scheme} {each.card.last4}".strip(),
            "chosen_bank": each.bank_name or each.bank,
            "acquirer": each.connector,
            "bank": _bank(each.bank_code, each.bank_message),
            "at": each.created_at,
            "settled_at": each.settled_at,
        }
        for each in view.attempts
    ]


def _routed(attempt: Attempt) -> dict[str, Any]:
    route = attempt.route
    return {
        "reference": attempt.reference,
        "acquirer": attempt.connector,
        "plan": route.plan,
        "rule": route.rule or "(configured order)",
        "because": route.because,
        "instead_of": reference(attempt.merchant_id, route.instead_of) if route.instead_of else "",
        "passed": "; ".join(f"{each.acquirer}: {each.why}" for each in route.passed),
        "at": attempt.created_at,
    }


def _charge(merchant_id: int, charge: SaleCost) -> dict[str, Any]:
    return {
        "fee_paise": charge.fee.fee_paise,
        "tax_paise": charge.fee.tax_paise,
        "net_paise": charge.net_paise,
        "rule": charge.fee.rule,
        "plan": charge.fee.plan_no,
        "because": explained(charge.plan, charge.facts),
        "settles_on": charge.settles_on,
        "settlement": f"{merchant_id}-{charge.settlement_id}" if charge.settlement_id else "",
    }


def _settlements(story: Story) -> Part:
    return [
        {
            "settlement": f"{story.view.payment.merchant_id}-{each.settlement_id}",
            "day": each.day,
            "beneficiary": each.beneficiary or "merchant",
            "payout_id": str(each.payout_id or ""),
            "payout": each.state,
            "utr": each.utr,
        }
        for each in story.paid_out
    ]


def _refunds(story: Story) -> Part:
    return [
        {
            "refund_id": str(each.refund_id),
            "refund_request_id": each.request_id,
            "why": each.cause,
            "amount_paise": each.amount.paise,
            "currency": each.amount.currency,
            "state": each.state,
            "rrn": each.rrn,
            "bank": _bank(each.bank_code, each.bank_message),
            "at": each.created_at,
            "settled_at": each.settled_at,
            "reversed_at": each.reversed_at,
            "reversed_because": _bank(each.reversed_code, each.reversed_message),
        }
        for each in story.refunds
    ]


def _disputes(story: Story) -> Part:
    return [
        {
            "dispute_id": str(each.dispute_id),
            "case": each.bank_case,
            "phase": each.phase,
            "amount_paise": each.amount.paise,
            "currency": each.amount.currency,
            "reason": each.reason,
            "state": each.state,
            "opened": each.opened_at,
            "respond_by": each.respond_by,
            "settled_at": each.settled_at,
        }
        for each in story.disputes
    ]


def _delivery(notification: StoryNotification) -> dict[str, Any]:
    last = notification.tries[-1].outcome if notification.tries else None
    return {
        "webhook_id": notification.key.webhook_id,
        "event": notification.kind,
        "state": notification.state,
        "created": notification.created_at,
        "tries": len(notification.tries),
        "last_status": last.status if last else None,
        "last_problem": last.problem if last else "",
        "last_answer": last.answer if last else "",
    }


def _bank(code: str, message: str) -> str:
    return f"{code} {message}".strip()


def _ruled(checked: RiskRecord) -> bool:
    return bool(checked.verdict.rule)


def _verdict(at: datetime, method: str, checked: RiskRecord) -> dict[str, Any]:
    """Return the risk verdict on a try, and the marks that recognise the payer."""
    verdict, seen = checked.verdict, checked.seen
    owner = str(verdict.owner) if verdict.owner else "operator"
    return {
        "at": at,
        "method": method,
        "action": verdict.action,
        "rule": verdict.rule,
        "rule_set": f"{owner}, version {verdict.version}",
        "because": verdict.because,
        "ip_address": seen.ip_address,
        "device": seen.device,
        "card": seen.card,
    }
