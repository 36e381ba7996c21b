"""What a payment costs its merchant: as it is settled, or as it would be now."""

from datetime import datetime
from typing import Any

from hundi.bootstrap import OperatorContext
from hundi.kernel.clock import business_day
from hundi.kernel.money import rupees
from hundi.money.fees import store as fees
from hundi.money.fees.rules import CHARGED, FeeFacts, explained, facts_of, quote
from hundi.money.ledger.rules import Posting
from hundi.money.settlements.finding import store as settlements
from hundi.payments.orders.rules import Attempt, PaymentView


async def fees_of(context: OperatorContext, view: PaymentView, posted: tuple[Posting, ...]) -> list[dict[str, Any]]:
    """Return the fee of each sale of a payment, and how it comes about. posted: of its attempts."""
    merchant_id, attempts = view.payment.merchant_id, {each.attempt_id: each for each in view.attempts}
    plans = await fees.plans_of(context.db, merchant_id)
    settled = await settlements.costs_of(context.db, merchant_id, list(attempts), CHARGED)
    told: list[dict[str, Any]] = []
    for item in settled:
        facts = _facts(attempts[item["cause_id"]], item["gross_paise"], item["at"])
        told.append(
            {
                "fee": rupees(item["fee_paise"]),
                "tax": rupees(item["tax_paise"]),
                "net": rupees(item["net_paise"]),
                "rule": item["rule"],
                "plan": item["plan_no"],
                "because": explained(plans.numbered(item["plan_no"]), facts),
                "settles_on": item["ready_on"],
                "settlement": f"{merchant_id}-{item['settlement_id']}" if item["settlement_id"] else "",
            }
        )
    has_item = {item["cause_id"] for item in settled}
    for sale in posted:
        if sale.kind not in CHARGED or sale.cause_id in has_item:
            continue
        facts = _facts(attempts[sale.cause_id], sale.amount.paise, sale.at)
        plan = plans.on(facts.day)
        fee = quote(plan, facts)
        told.append(
            {
                "fee": rupees(fee.fee_paise),
                "tax": rupees(fee.tax_paise),
                "net": rupees(fee.net_paise(sale.amount.paise)),
                "rule": fee.rule,
                "plan": fee.plan_no,
                "because": explained(plan, facts),
                "settles_on": None,
                "settlement": "",
            }
        )
    return told


def _facts(attempt: Attempt, paise: int, at: datetime) -> FeeFacts:
    card = attempt.card
    said = {"scheme": card.scheme, "type": card.type}
    return facts_of(attempt.method, said, paise, business_day(at), attempt.emi.discount_paise)
