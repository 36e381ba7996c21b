"""The prices of a plan in words, a line for each rule; pure."""

from collections.abc import Iterator

from hundi.instruments.methods import CHANNELS
from hundi.kernel.money import rupees
from hundi.money.fees.document.rules import PlanDocument, PriceRuleWords, PriceWords


def price_lines(document: PlanDocument) -> list[str]:
    """Return a price plan in words: what it is for, then each price in the order of its rules."""
    lines = [f"{each.name}: {_price(each)}{_when(each)}" for each in document.rules]
    if document.otherwise is not None:
        lines.append(f"Everything else: {_price(document.otherwise)}")
    settled = "A payment aggregator settles" if document.aggregator else "A bank settles"
    head = [f"{settled}; the merchant's turnover is {document.turnover}"]
    return [*head, *([f"Note: {document.note}"] if document.note else []), *lines]


def _price(price: PriceWords) -> str:
    parts: list[str] = []
    if price.basis_points or not price.fixed_paise:
        parts.append(f"{price.basis_points / 100:.2f} %")
    if price.fixed_paise:
        parts.append(rupees(price.fixed_paise))
    bounds = [
        f"at {side} {rupees(paise)}"
        for side, paise in (("least", price.minimum_paise), ("most", price.maximum_paise))
        if paise
    ]
    return ", ".join([" and ".join(parts), *bounds])


def _when(rule: PriceRuleWords) -> str:
    conditions = list(_conditions(rule))
    return f" ({'; '.join(conditions)})" if conditions else ""


def _conditions(rule: PriceRuleWords) -> Iterator[str]:
    if rule.channels:
        yield ", ".join(CHANNELS[each].name if each in CHANNELS else each for each in rule.channels)
    for names, before in (
        (rule.networks, ""),
        (rule.not_networks, "not "),
        (rule.card_types, ""),
        (rule.not_card_types, "not "),
    ):
        if names:
            yield before + ", ".join(names)
    if rule.above_paise:
        yield f"above {rupees(rule.above_paise)}"
    if rule.up_to_paise:
        yield f"up to {rupees(rule.up_to_paise)}"
