"""Values of requests in people's words."""

import pytest

from hundi.console.approval_facts import label_of, value_of


@pytest.mark.parametrize(
    ("name", "value", "label", "words"),
    [
        ("amount_paise", 1_200_000, "Amount", "₹12,000.00"),
        ("reserve_bps", 250, "Reserve", "2.50 %"),
        ("instant_bps", None, "Price of settling at once", "none"),
        ("hold", True, "Settlements are held", "yes"),
        ("scopes", "refund read", "The key may", "refund, read"),
        ("holder", "Asha Stores", "Payee", "Asha Stores"),
        ("working_days", 2, "Working days", "2"),
    ],
)
def test_a_value_is_said_in_words(name: str, value: object, label: str, words: str) -> None:
    assert (label_of(name), value_of(name, value)) == (label, words)
