"""Which settings a partner may have, and what an affiliate code and a gateway key look like."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hundi.kernel.refusals import RefusalCode, Refused
from hundi.partners.directory import rules
from hundi.partners.directory.rules import Partner, PartnerKeys, PartnerSettings

KEYS = PartnerKeys(api_key="a", processor_key="p", secret="s", card_token="c")


def partner(**settings: Any) -> Partner:
    """Return a partner with these settings."""
    return Partner(
        "MALG",
        "active",
        "Malgudi",
        PartnerSettings(**settings),
        KEYS,
        datetime(2026, 11, 20, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"interfaces": ()},
        {"interfaces": rules.INTERFACES},
        {"card_programme": "GOLD_CARD-2026"},
        {"offers_callback": "https://partner.example.in/verify?x=1"},
        {"offers_callback": "http://[::1]:8080"},
        {"calls_a_minute": 1, "lookups_a_minute": 1, "lookups_a_day": rules.CALLS_A_MINUTE_MAX},
        {
            "offers_coupons": rules.COUPONS_MAX,
            "offers_expiry_days": 1,
            "offers_open_days": rules.DAYS_MAX,
        },
    ],
)
def test_settings_that_can_be_used(settings: dict[str, Any]) -> None:
    rules.check_settings(PartnerSettings(**settings))


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("interfaces", {"interfaces": ("leads", "verify")}),
        ("card_programme", {"card_programme": "gold"}),
        ("card_programme", {"card_programme": "G" * 33}),
        ("offers_callback", {"offers_callback": "partner.example.in"}),
        ("offers_callback", {"offers_callback": "https://user@partner.example.in/"}),
        ("offers_callback", {"offers_callback": "https://partner.example.in/a b"}),
        ("calls_a_minute", {"calls_a_minute": 0}),
        ("calls_a_minute", {"calls_a_minute": rules.CALLS_A_MINUTE_MAX + 1}),
        ("lookups_a_minute", {"lookups_a_minute": 0}),
        ("lookups_a_day", {"lookups_a_day": 0}),
        ("offers_coupons", {"offers_coupons": rules.COUPONS_MAX + 1}),
        ("offers_expiry_days", {"offers_expiry_days": 0}),
        ("offers_open_days", {"offers_open_days": rules.DAYS_MAX + 1}),
    ],
)
def test_the_first_setting_that_cannot_be_used_is_named(
    name: str, settings: dict[str, Any]
) -> None:
    with pytest.raises(Refused) as told:
        rules.check_settings(PartnerSettings(**settings))
    assert (told.value.refusal.code, told.value.refusal.field) == (RefusalCode.FIELD_INVALID, name)


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("MALG", True),
        ("MALGUDI2026"[:10], True),
        ("MAL", False),
        ("MALGUDI2026", False),
        ("malg", False),
        ("MALG\n", False),
        ("ＭＡＬＧ", False),
    ],
)
def test_an_affiliate_code_is_4_to_10_capitals_and_digits(text: str, *, fits: bool) -> None:
    assert rules.is_affiliate(text) is fits


@pytest.mark.parametrize("key", ["", "12345678", "~" * 200])
def test_gateway_keys_that_can_stand_in_a_header(key: str) -> None:
    rules.check_gateway_key(key)


@pytest.mark.parametrize("key", ["1234567", "1234 5678", "1234567é", "~" * 201])
def test_a_refused_gateway_key_is_not_repeated(key: str) -> None:
    with pytest.raises(Refused) as told:
        rules.check_gateway_key(key)
    assert (told.value.refusal.field, told.value.refusal.received) == ("gateway_key", "")


def test_a_partner_sees_the_cards_of_its_own_programme_unless_another_is_set() -> None:
    assert partner().card_programme == "MALG"
    assert partner(card_programme="GOLD").card_programme == "GOLD"


def test_no_key_is_in_the_repr_of_a_partner() -> None:
    assert repr(KEYS) == "PartnerKeys(****)"
    assert "PartnerKeys" not in repr(partner())
