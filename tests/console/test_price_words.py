"""A price plan in words: every price with its bounds and its conditions."""

import msgspec

from hundi.console.price_words import price_lines
from hundi.money.fees.document.rules import PlanDocument

PLAN = """
turnover = "large"

[[rules]]
name = "cards"
channels = ["pg"]
not_networks = ["RuPay"]
above_paise = 200000
basis_points = 175
fixed_paise = 300
maximum_paise = 500000

[[rules]]
name = "small"
up_to_paise = 10000
fixed_paise = 150

[otherwise]
basis_points = 100
minimum_paise = 50
"""


def test_each_price_is_said_with_its_bounds_and_conditions() -> None:
    document = msgspec.toml.decode(PLAN, type=PlanDocument)
    head, cards, small, rest = price_lines(document)
    assert head == "A payment aggregator settles; the merchant's turnover is large"
    assert cards.startswith("cards: 1.75 % and ₹3.00, at most ₹5,000.00 (")
    assert cards.endswith("; not RuPay; above ₹2,000.00)")
    assert small == "small: ₹1.50 (up to ₹100.00)"
    assert rest == "Everything else: 1.00 %, at least ₹0.50"
