"""Bearer keys: their text, when they count, and how many there may be."""

from datetime import UTC, datetime, timedelta

import pytest

from hundi.kernel.masking import masked
from hundi.kernel.refusals import Refused
from hundi.merchants.bearer_keys import rules
from hundi.merchants.bearer_keys.rules import LIVE_MAX, BearerKey
from hundi.merchants.directory.api_keys.rules import KeyScope

NOW = datetime(2026, 11, 28, 9, 30, tzinfo=UTC)


def key(name: str = "server", days: int = 0) -> BearerKey:
    text = rules.new_text(100_001)
    return rules.new_key(100_001, text, name, ["read"], 0, days, "asha@example.in", NOW)


def test_a_text_names_its_merchant_and_every_mask_knows_it() -> None:
    text = rules.new_text(100_001)
    assert rules.merchant_named(text) == 100_001
    assert masked(f"a {text} b") == "a [key] b"
    assert text != rules.new_text(100_001)
    for wrong in ("", "hundi_", text[:-1], text + "x", text + "\n", text.replace("1", "0", 1)):
        assert rules.merchant_named(wrong) is None or wrong == text.replace("1", "0", 1)
    assert rules.merchant_named("hundi_1_" + "\u0661" * 43) is None


def test_it_counts_until_it_expires_or_ends() -> None:
    assert key().counts(NOW + timedelta(days=10_000))
    short = key(days=1)
    assert short.counts(NOW + timedelta(hours=23))
    assert not short.counts(NOW + timedelta(days=1))
    assert short.state(NOW + timedelta(days=1)) == "expired"


def test_it_is_an_api_key_for_every_action() -> None:
    text = rules.new_text(7)
    made = rules.new_key(7, text, "till", ["refund", "page"], 500, 0, "asha", NOW)
    assert made.as_api_key.scopes == (KeyScope.PAGE, KeyScope.REFUND)
    assert (made.as_api_key.refund_paise, made.as_api_key.secret) == (500, "")
    assert text not in repr(made)


@pytest.mark.parametrize("days", [-1, rules.DAYS_MAX + 1])
def test_days_have_bounds(days: int) -> None:
    with pytest.raises(Refused):
        key(days=days)


def test_a_name_is_used_once_and_the_keys_that_count_are_few() -> None:
    keys = [key(f"k{number}") for number in range(LIVE_MAX)]
    with pytest.raises(Refused):
        rules.check_room(keys, "more", NOW)
    with pytest.raises(Refused):
        rules.check_room([key("k0", days=1)], "k0", NOW + timedelta(days=2))
    rules.check_room(keys[1:], "more", NOW)
