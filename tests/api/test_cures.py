"""What a refused request's log names as its cure.

Commands that can be run, and none that would be refused itself.
"""

import shlex

import pytest

from hundi.api import cures
from hundi.instruments.surcharge import Surcharge
from hundi.kernel.refusals import Cure, Refusal, RefusalCode
from hundi.merchants.directory.rules import ATTEMPTS_AN_HOUR_MAX, LIMIT_MAX, MerchantSettings

USUAL = MerchantSettings()


def named(*wanted: Cure, settings: MerchantSettings = USUAL) -> tuple[str, ...]:
    return cures.commands(10_001, settings, Refusal(RefusalCode.CHANNEL_NOT_ENABLED, cures=wanted))


def test_lists_keep_what_they_have() -> None:
    some = MerchantSettings(
        domains=("https://a.example",), currencies=("INR", "EUR"), channels=("pg",)
    )
    assert named(
        Cure("domains", "https://b.example"),
        Cure("currencies", "USD"),
        Cure("channels", "upi_nb"),
        settings=some,
    ) == (
        "hundi merchant set 10001 --domain https://a.example --domain https://b.example",
        "hundi merchant currencies 10001 INR EUR USD",
        "hundi merchant set 10001 --channels pg_upi_nb",
    )


@pytest.mark.parametrize(
    "cure",
    [
        Cure("domains", "com.example.app"),
        Cure("domains", "https://shop.example/$(reboot)"),
        Cure("currencies", "JPY"),
        Cure("pos_listings_a_minute", str(LIMIT_MAX + 1)),
        Cure("attempts_an_hour", str(ATTEMPTS_AN_HOUR_MAX + 1)),
        Cure("attempts_an_hour", ""),
    ],
)
def test_what_the_settings_would_refuse_is_not_named(cure: Cure) -> None:
    assert named(cure) == ()
    assert named(cure, Cure("moto", "on")) == ("hundi merchant set 10001 --moto on",)


def test_every_word_of_a_request_is_one_word_of_the_command() -> None:
    hostile = "cash; reboot"
    (command,) = named(
        Cure("surcharges", hostile), settings=MerchantSettings(surcharges={"nb": Surcharge(100)})
    )
    assert shlex.split(command) == ["hundi", "merchant", "surcharge", "10001", hostile, "--remove"]


def test_a_category_is_the_merchants_to_know() -> None:
    assert named(Cure("mcc")) == (f"hundi merchant set 10001 --mcc {cures.MCC}",)


@pytest.mark.parametrize("setting", cures.COMMANDS)
def test_every_command_is_of_a_setting(setting: str) -> None:
    assert setting in MerchantSettings.__struct_fields__


def test_a_refusal_that_nothing_cures_names_nothing() -> None:
    assert named() == ()
