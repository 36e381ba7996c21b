"""Which settings a merchant may choose, and which webhook keys sign after a rotation."""

from typing import Any

import pytest

from hundi.kernel.refusals import RefusalCode, Refused
from hundi.merchants.directory import rules
from hundi.merchants.directory.keys import rules as keys
from hundi.merchants.directory.rules import MerchantSettings

LONG_NAME = "अ" * rules.NAME_LENGTH_MAX


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"channels": rules.CHANNELS},
        {"channels": ()},
        {"domains": ("https://shop.example.in", "http://localhost:8080")},
        {"pos_addresses": ("203.0.113.7", "203.0.113.0/24", "2001:db8::/32")},
        {"support": "support@example.in or +91 22 5550 0100"},
        {"capture_within_hours": 1},
        {"address_checks_a_minute": 1, "pos_listings_a_minute": rules.LIMIT_MAX},
        {"attempts_an_hour": rules.ATTEMPTS_AN_HOUR_MIN},
        {"attempts_an_hour": rules.ATTEMPTS_AN_HOUR_MAX},
        {"capture_within_hours": rules.CAPTURE_WITHIN_HOURS_MAX},
        {"mcc": "5942", "accent": "#2b2A6b"},
        {
            "success_url": "https://shop.example.in/paid?from=hundi#top",
            "failure_url": "http://[::1]:8080/failed",
        },
        {"notification_url": "https://shop.example.in:8443"},
    ],
)
def test_settings_that_can_be_used(settings: dict[str, Any]) -> None:
    rules.check_settings(MerchantSettings(**settings))


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("channels", {"channels": ("upi", "barter")}),
        ("domain", {"domains": ("shop.example.in",)}),
        ("domain", {"domains": ("https://shop.example.in/",)}),
        ("domain", {"domains": ("https://shop.example.in\n",)}),
        ("pos_address", {"pos_addresses": ("203.0.113.7/24",)}),
        ("pos_address", {"pos_addresses": ("terminal",)}),
        ("currency", {"currencies": ("INR", "JPY")}),
        ("support", {"support": "a\nb"}),
        ("support", {"support": "x" * (rules.SUPPORT_LENGTH_MAX + 1)}),
        ("capture_within_hours", {"capture_within_hours": 0}),
        *((name, {name: wrong}) for name in rules.LIMITS for wrong in (0, rules.LIMIT_MAX + 1)),
        ("attempts_an_hour", {"attempts_an_hour": rules.ATTEMPTS_AN_HOUR_MIN - 1}),
        ("attempts_an_hour", {"attempts_an_hour": rules.ATTEMPTS_AN_HOUR_MAX + 1}),
        ("capture_within_hours", {"capture_within_hours": rules.CAPTURE_WITHIN_HOURS_MAX + 1}),
        ("mcc", {"mcc": "594"}),
        ("mcc", {"mcc": "५९४२"}),
        ("accent", {"accent": "2b2a6b"}),
        ("success_url", {"success_url": "ftp://shop.example.in"}),
        ("success_url", {"success_url": "https://user@shop.example.in"}),
        ("failure_url", {"failure_url": "https://shop.example.in;script-src/"}),
        ("notification_url", {"notification_url": "https://shop.example.in/a b"}),
    ],
)
def test_the_first_setting_that_cannot_be_used_is_named(
    name: str, settings: dict[str, Any]
) -> None:
    with pytest.raises(Refused) as told:
        rules.check_settings(MerchantSettings(**settings))
    assert (told.value.refusal.code, told.value.refusal.field) == (RefusalCode.FIELD_INVALID, name)


@pytest.mark.parametrize("name", ["Chandni Books", "चांदनी पुस्तकें", LONG_NAME])
def test_names_of_any_script_can_be_used(name: str) -> None:
    rules.check_name(name)


@pytest.mark.parametrize("name", ["", "   ", "a\x00b", "a\nb", "a\u202eb", LONG_NAME + "अ"])
def test_names_that_cannot_be_shown_are_refused(name: str) -> None:
    with pytest.raises(Refused) as told:
        rules.check_name(name)
    assert (told.value.refusal.code, told.value.refusal.field) == (
        RefusalCode.FIELD_INVALID,
        "name",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [((), ("new",)), (("one",), ("new", "one")), (("two", "one"), ("new", "two"))],
)
def test_a_rotation_keeps_one_earlier_webhook_key(
    before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    assert keys.rotated_webhook_keys(before, "new") == after


@pytest.mark.parametrize(
    ("address", "allowed", "may"),
    [
        ("203.0.113.7", ("203.0.113.0/24",), True),
        ("203.0.113.7", ("198.51.100.1", "203.0.113.7"), True),
        ("::ffff:203.0.113.7", ("203.0.113.7",), True),
        ("2001:db8::1", ("2001:db8::/32",), True),
        ("203.0.114.7", ("203.0.113.0/24",), False),
        ("2001:db8::1", ("203.0.113.0/24",), False),
        ("203.0.113.7", (), False),
        ("", ("0.0.0.0/0",), False),
        ("unknown", ("0.0.0.0/0",), False),
    ],
)
def test_an_address_is_listed_by_itself_or_by_its_network(
    address: str, allowed: tuple[str, ...], *, may: bool
) -> None:
    assert rules.is_listed(address, allowed) is may
